"""Results: an evaluation as data, per-instance scores first, and its JSON.

Imports measures.
"""
