"""Where the errors are: by level, class, branch and kind, by pairs of classes, and by what they cost.

Imports statistics, results and measures.
"""
