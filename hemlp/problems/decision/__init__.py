"""Deciding: the label set with the best expected value, given a distribution over label sets.

Imports what stands below ``problems``, and the pairings and closures beside it.
"""
