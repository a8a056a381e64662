"""Properties of a measure: is it a metric, can a correct class hurt? Smallest counter-examples by exhaustive search.

Imports measures, results and hemlp.analysis.explain.
"""
