"""Statistics: tests, intervals and ranks of systems, correlation of measures, exact against greedy, counts of labels.

Imports measures and texts.
"""
