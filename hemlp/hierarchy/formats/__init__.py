"""Hierarchies in every form that people have them: one file per format, in memory and on disk.

Imports the hierarchy itself and ``hemlp.io``.
"""
