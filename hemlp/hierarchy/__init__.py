"""Hierarchies: labels, edges and cycle policies, the DAG with its distances, and lists of what each class reaches.

Imports errors, arrays, options and kernels.
"""
