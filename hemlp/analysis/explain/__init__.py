"""Explanations of single instances: their parts, how they are made, laid out and drawn. Imports measures."""
