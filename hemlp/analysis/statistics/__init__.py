"""Statistics: tests, intervals and ranks of systems, correlation of measures, exact against greedy.

Imports results and measures.
"""
