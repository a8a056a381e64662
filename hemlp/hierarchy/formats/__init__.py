"""Formats of hierarchies, one module each, for data in memory and in files: every reader returns a ``HierarchyData``.

Imports labels, edges and ``hemlp.io``, and not the hierarchy itself, which imports these readers.
"""
