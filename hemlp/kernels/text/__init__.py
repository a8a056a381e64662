"""Texts: cells, the numbers of distinct cells, decimals, label sets."""
