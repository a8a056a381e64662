"""Instances: label sets as people give them, aligned and turned into class numbers (``Batch``).

What looks like something else than label sets (scores, paths, ids) is refused here. Imports hierarchies.
"""
