"""Explanations of single instances: computing, tables, layout and drawings. Imports measures."""
