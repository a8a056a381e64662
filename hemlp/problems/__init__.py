"""The optimization problems behind the measures: Problem 1 (pairing), Equations 2 to 5 (closure), Problem 2 (lca),
and the best answer given a belief (decision).

Data, programs and proofs. Imports hierarchies, instances, kernels and ``hemlp.optimize``.
"""
