"""Flows of least cost: Problem 1, its special cases, and proofs that a flow is optimal."""
