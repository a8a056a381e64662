"""Problem 2: the minimal LCA graphs.

What can be chosen (links), the programs of the stages, graphs as solutions, Algorithm 1, the rules word for word, and
the models of minimal and of extended graphs. Imports hierarchies, instances, kernels and ``hemlp.optimize``.
"""
