"""Texts: escaping for each kind of output, tables, and the notation of measures, costs and solvers.

Imports errors and options.
"""
