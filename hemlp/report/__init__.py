"""Reports of an evaluation: plots, the page that shows it all, and files of per-instance scores.

Imports explanations and statistics.
"""
