"""Analysis of results: statistics, diagnosis, explanations, curves and thresholds of scored predictions.

Imports results and what is below.
"""
