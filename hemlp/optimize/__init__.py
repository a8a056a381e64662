"""Optimization models in general: linear programs as plain data and in files, circulations, what a model is (a plan of
programs and a solution with statuses), limits, and the registry of solvers.

Imports errors, arrays and options only. A solver is found here by its name; its code is in ``hemlp.solvers``.
"""
