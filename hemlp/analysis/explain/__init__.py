"""Explanations of instances: their parts, how they are made, laid out and drawn. Imports results and measures."""
