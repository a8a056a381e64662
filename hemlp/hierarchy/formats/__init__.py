"""Formats of hierarchies, in memory and in files: every reader returns a ``HierarchyData``.

Imports labels, edges and ``hemlp.io``, but not the hierarchy itself, which imports these readers.
"""
