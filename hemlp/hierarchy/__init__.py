"""Hierarchies of classes: labels, edges, the directed acyclic graph with its distances, and all formats to read one.

Imports errors, arrays, options, ``hemlp.text``, ``hemlp.io`` and kernels.
"""
