"""Results as data: per-instance scores first, what they were made from, and scores of chunks as bytes.

Imports measures.
"""
