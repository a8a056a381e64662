"""Solvers. ``registry`` finds them by name, asks one, and certifies what it claims.

``pairings``, ``closures``, ``search`` and ``greedy`` read the data of the models that they know; ``flow``
and ``networkx`` solve the flow network of Problem 1; ``cpsat``, ``milp`` and ``pulp`` solve programs, and so every
model by its plan. A solver imports its backend when it is used.
"""

from hemlp.optimize.plan import Solver
from hemlp.optimize.program import ProgramResult, Status
from hemlp.solvers.registry import ProgramSolver

__all__ = ["ProgramResult", "ProgramSolver", "Solver", "Status"]
