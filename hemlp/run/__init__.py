"""Evaluation runs: how data is read, chunks and who scores them, run folders, gates, and studies from TOML files.

Imports results, analyses and reports.
"""
