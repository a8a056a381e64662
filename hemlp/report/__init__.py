"""Reports of results: plots, the page that shows it all, JSON, and files of per-instance scores.

Imports results and analyses.
"""
