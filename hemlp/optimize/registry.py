"""The registry of solvers: who can solve a model, by name and in order of preference.

A solver is anything with ``name``, ``available()``, ``accepts(model)`` and ``solve(model, time_limit)``; an object of
your own can be given wherever a name can. One that does not look for the optimum says ``exact = False``, which shows in
signatures. A name may have options: ``"pulp(backend='HiGHS')"``.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, runtime_checkable

from hemlp.errors import InvalidOption, MissingDependency, NoSolver
from hemlp.options import did_you_mean
from hemlp.text.notation import parse_call

SOLVERS = {
    "closures": "hemlp.solvers.closures:ClosureLists",
    "search": "hemlp.solvers.search:LcaSearch",
    "extended": "hemlp.solvers.extended:ExtendedGraphs",
    "closed_forms": "hemlp.solvers.closed_forms:ClosedForms",
    "transport": "hemlp.solvers.transport:TransportSolver",
    "augmenting": "hemlp.solvers.augmenting:SuccessiveShortestPaths",
    "independent": "hemlp.solvers.independent:NearestAssignment",
    "flow": "hemlp.solvers.flow:MinCostFlow",
    "cpsat": "hemlp.solvers.cpsat:CpSat",
    "milp": "hemlp.solvers.milp:Highs",
    "portfolio": "hemlp.solvers.portfolio:Portfolio",
    "pulp": "hemlp.solvers.pulp:Pulp",
    "networkx": "hemlp.solvers.networkx:NetworkSimplex",
    "greedy": "hemlp.solvers.greedy:AlgorithmOne",
}
"""Solvers by preference, each as module:class. One line more makes a solver of yours known by name."""


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
        return f"{module} cannot be imported ({error}); {_way_out(package)}"
    return None


def _way_out(package: str) -> str:
    if package == "ortools" and "highspy" in sys.modules:
        return (
            "highspy is loaded already, perhaps by PuLP, and both bring a HiGHS: import ortools before pulp "
            "and highspy, or uninstall highspy, or use another solver"
        )
    return f"reinstall {package}, or use another solver"


def named_solver(text: str) -> Solver:
    """The solver of that name, perhaps with options: ``search(states=0)``."""
    if text in SOLVERS:
        return _usual_solver(SOLVERS[text])
    name, positional, options = parse_call(text, "solver", NoSolver)
    if name not in SOLVERS:
        known = ", ".join(SOLVERS)
        raise NoSolver(f"there is no solver {name!r}; the solvers are {known}{did_you_mean(name, SOLVERS)}")
    module, _, kind = SOLVERS[name].partition(":")
    try:
        solver: Solver = getattr(import_module(module), kind)(*positional, **options)
    except TypeError as error:
        raise InvalidOption(f"cannot make the solver {text!r}: {error}") from None
    return solver


@cache
def _usual_solver(place: str) -> Solver:
    """A solver without options: nothing in it changes."""
    module, _, kind = place.partition(":")
    solver: Solver = getattr(import_module(module), kind)()
    return solver


def as_solver(wanted: str | Solver) -> Solver:
    """A solver by its name, or as it is."""
    if isinstance(wanted, str):
        return named_solver(wanted)
    if isinstance(wanted, type) or not isinstance(wanted, Solver):
        raise NoSolver(
            f"{wanted!r} is no solver: it needs name, available(), accepts(model) and solve(model, time_limit)"
        )
    return wanted


def is_exact(solver: Solver) -> bool:
    """Whether a solver looks for the optimum."""
    return bool(getattr(solver, "exact", True))


def find_solver(model: Any, wanted: str | Solver | None = None) -> Solver:
    """The wanted solver if it can solve ``model``, or the first in order of preference that can."""
    if wanted is None:
        candidates = (named_solver(name) for name in SOLVERS)
        found = next((s for s in candidates if s.accepts(model) and not s.available()), None)
        if found is None:
            raise NoSolver(f"no solver accepts {type(model).__name__}")
        return found
    solver = as_solver(wanted)
    missing = solver.available()
    if missing:
        raise MissingDependency(f"the solver {solver.name!r} cannot be used: {missing}")
    if not solver.accepts(model):
        raise NoSolver(f"the solver {solver.name!r} does not accept this {type(model).__name__}")
    return solver


def accepting_solvers(model: Any) -> list[Solver]:
    """All solvers that are available and accept ``model``, in order of preference."""
    solvers = (named_solver(name) for name in SOLVERS)
    return [solver for solver in solvers if solver.accepts(model) and not solver.available()]
