"""Formats of label sets and of scores, one module each, for data in memory and in files.

Imports ``LabelSets``, ``ScoredSets`` and ``hemlp.io``; ``LabelSets.of`` and ``ScoredSets.of`` choose among them.
"""
