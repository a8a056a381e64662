"""Problem 1: which predicted class is paired with which true class, at the least cost.

Bounds, costs κ, the model with its program and its flow network, solutions, and proofs in exact arithmetic. Imports
hierarchies, instances, kernels and ``hemlp.optimize``; no solver and no measure.
"""
