"""Solvers: who can solve a model. One small file each; this is their registry, in order of preference.

A solver is anything with ``name``, ``available()``, ``accepts(model)`` and ``solve(model, time_limit)``; an object of
your own can be given wherever a name can.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, runtime_checkable

from hemlp.deadline import TimeIsUp, finished_within
from hemlp.errors import MissingDependency, NoSolver
from hemlp.vocabulary import did_you_mean

ORDER = ("compiled", "flow", "cpsat", "milp", "pulp", "networkx", "direct")
"""Solvers by preference: each is the object ``solver`` of the module of its name."""


@runtime_checkable
class Solver(Protocol):
    """Takes a model and returns its solution, with a status for each instance."""

    name: str

    def available(self) -> str | None:
        """None if it can be used here, else what to install. Asked only where it is going to be used."""

    def accepts(self, model: Any) -> bool:
        """Whether it can solve this model."""

    def solve(self, model: Any, time_limit: float | None) -> Any:
        """The solution; ``time_limit`` in seconds for each instance."""


def importable(module: str, package: str) -> str | None:
    """None if ``module`` can be imported, else what to do. It is imported, so ask for what you are going to use."""
    if not find_spec(module.partition(".")[0]):
        return f"pip install {package}"
    try:
        import_module(module)
    except Exception as error:  # a package that is there and cannot be loaded may raise anything
        return f"{module} cannot be imported ({error}); install {package} anew, or use another solver"
    return None


def solve_within(
    model: Any, time_limit: float | None, solve: Callable[[Any], Any], unsolved: Callable[[Any], Any]
) -> Any:
    """``solve(model)`` in the time of all its instances together, or else each instance in its own time.

    ``unsolved(model)`` is the solution of an instance whose time was too short.
    """
    try:
        return finished_within(None if time_limit is None else time_limit * max(1, len(model)), lambda: solve(model))
    except TimeIsUp:
        if len(model) <= 1:
            return unsolved(model)
        parts = (model[i] for i in range(len(model)))
        return model.joined([solve_within(part, time_limit, solve, unsolved) for part in parts])


def named_solver(name: str) -> Solver:
    """The solver of that name."""
    if name not in ORDER:
        raise NoSolver(f"there is no solver {name!r}; the solvers are {', '.join(ORDER)}{did_you_mean(name, ORDER)}")
    solver: Solver = import_module(f"hemlp.solvers.{name}").solver
    return solver


def find_solver(model: Any, wanted: str | Solver | None = None) -> Solver:
    """The wanted solver if it can solve ``model``, or the first in order of preference that can."""
    if wanted is None:
        candidates = (named_solver(name) for name in ORDER)
        found = next((s for s in candidates if s.accepts(model) and not s.available()), None)
        if found is None:
            raise NoSolver(f"no solver accepts {type(model).__name__}")
        return found
    solver = named_solver(wanted) if isinstance(wanted, str) else wanted
    if isinstance(solver, type) or not isinstance(solver, Solver):
        raise NoSolver(
            f"{wanted!r} is no solver: it needs name, available(), accepts(model) and solve(model, time_limit)"
        )
    missing = solver.available()
    if missing:
        raise MissingDependency(f"the solver {solver.name!r} cannot be used: {missing}")
    if not solver.accepts(model):
        raise NoSolver(f"the solver {solver.name!r} does not accept this {type(model).__name__}")
    return solver


def accepting_solvers(model: Any) -> list[Solver]:
    """All solvers that are available and accept ``model``, in order of preference."""
    solvers = (named_solver(name) for name in ORDER)
    return [solver for solver in solvers if solver.accepts(model) and not solver.available()]
