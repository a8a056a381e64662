"""Evaluation runs: inputs, chunks and who scores them, run folders, results, statistics, and studies from TOML files.

Imports measures, reports and explanations.
"""
