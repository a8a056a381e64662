"""Analysis of results: statistics, diagnosis, explanations, curves and thresholds of scored predictions.

An analysis is a function of ``Results``; those for users are methods of ``Evaluation``, too. Imports results.
"""
