"""Solvers: one file each. ``hemlp.solvers.registry`` finds them by name, in order of preference.

``closed_forms``, ``augmenting``, ``closures``, ``search``, ``extended`` and ``greedy`` read the data of the models that
they know; ``flow`` and ``networkx`` solve the flow network of Problem 1; ``cpsat``, ``milp`` and ``pulp`` solve
programs, and so every model by its plan. A solver imports its backend when it is used.
"""

from hemlp.optimize.program import ProgramResult, Status
from hemlp.solvers.programs import ProgramSolver
from hemlp.solvers.registry import Solver

__all__ = ["ProgramResult", "ProgramSolver", "Solver", "Status"]
