"""Augmented sets that leave no choice: ancestors, descendants, tolerant sets, the sets themselves (Equations 2 to 5).

The model with its program, solutions and their check. Imports hierarchies, instances, kernels and ``hemlp.optimize``.
"""
