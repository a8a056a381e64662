"""Where the errors are: by level, class, branch and kind, by pairs of classes, and by what they cost.

Imports measures, statistics and texts.
"""
