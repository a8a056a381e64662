"""Label sets and scores in every form that people have them: one file per format, in memory and on disk.

Imports hierarchies, instances and ``hemlp.io``.
"""
