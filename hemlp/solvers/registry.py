"""The registry of solvers: who can solve a model, by name and in order of preference, how one is asked, and what all
of them, and those of linear programs, share.

A solver is anything with ``name``, ``available()``, ``accepts(model)`` and ``solve(model, time_limit)``; an object of
your own can be given wherever a name can. One that does not look for the optimum says ``exact = False``, which shows in
signatures. A name may have options: ``"pulp(backend='HiGHS')"``.

``solve`` is what ``model.solve()`` is short for. Certifying proves or refuses; it never solves for the solver that was
asked. ``proved_by`` of a solution names the proof: a certificate, which needs no solver; compiled code of hemlp; or a
judge, another solver with the same optimum.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, TypeVar

import numpy as np

from hemlp.arrays import record
from hemlp.errors import InvalidOption, InvalidSolution, MissingDependency, NoSolver
from hemlp.optimize.joint import JointModel, JointSolution
from hemlp.optimize.model import Model, Solution
from hemlp.optimize.plan import Budget, importable, run_plan, solve_within
from hemlp.optimize.plan import Solver as Solver
from hemlp.optimize.program import LinearProgram, ProgramResult, Status, exact_integers
from hemlp.optimize.solutions import Claim, sign
from hemlp.options import list_known, plain_number
from hemlp.text.notation import call_reason, parse_call


class BaseSolver:
    """A solver of some kinds of models; a child says at least how a batch of instances is solved."""

    name: str
    exact: bool = True
    """Whether it looks for the optimum."""
    kinds: ClassVar[tuple[type, ...]] = ()
    """The models that it accepts."""
    integral: ClassVar[bool] = False
    """Whether it takes only costs that are integers times a power of two."""
    needs: ClassVar[tuple[str, str] | None] = None
    """The module of somebody else that it imports, and what to install for it."""

    def available(self) -> str | None:
        """None if it can be used here, else what to install."""
        return None if self.needs is None else importable(*self.needs)

    def accepts(self, model: Any) -> bool:
        """Whether it can solve this model."""
        return isinstance(model, self.kinds) and not (self.integral and _inexact_cost(model) is not None)

    def solve(self, model: Any, time_limit: float | None) -> Any:
        """The solution, in ``time_limit`` seconds for each instance; what takes longer is unsolved."""
        return self.solve_batch(model) if time_limit is None else solve_within(model, time_limit, self.solve_batch)

    def solve_batch(self, model: Any) -> Any:
        """The solution, however long it takes."""
        raise NotImplementedError


def _inexact_cost(model: Any) -> float | None:
    """The cost with most binary places, or the greatest, if they cannot be scaled to integers without rounding."""
    costs = np.unique(model.cost_values).tolist()
    return None if exact_integers(costs) else max(costs, key=lambda cost: (Fraction(cost).denominator, cost))


SOLVERS = {
    "closures": "hemlp.solvers.closures:ClosureLists",
    "prefixes": "hemlp.solvers.closures:PrefixSweep",
    "search": "hemlp.solvers.search:LcaSearch",
    "extended": "hemlp.solvers.greedy:ExtendedGraphs",
    "closed_forms": "hemlp.solvers.pairings:ClosedForms",
    "independent": "hemlp.solvers.pairings:NearestAssignment",
    "transport": "hemlp.solvers.pairings:TransportSolver",
    "augmenting": "hemlp.solvers.pairings:SuccessiveShortestPaths",
    "consensus": "hemlp.solvers.decisions:ConsensusSets",
    "subsets": "hemlp.solvers.decisions:SubsetSearch",
    "flow": "hemlp.solvers.flow:MinCostFlow",
    "cpsat": "hemlp.solvers.ortools:CpSat",
    "milp": "hemlp.solvers.ortools:Highs",
    "portfolio": "hemlp.solvers.ortools:Portfolio",
    "pulp": "hemlp.solvers.pulp:Pulp",
    "networkx": "hemlp.solvers.flow:NetworkSimplex",
    "greedy": "hemlp.solvers.greedy:GreedyLca",
}
"""Solvers by preference, each as module:class. One line more makes a solver of yours known by name."""


CALLED = {"highs": "milp", "cbc": "pulp", "or-tools": "flow"}
"""Names that solvers have elsewhere."""


def named_solver(text: str, model: Any = None) -> Solver:
    """The solver of that name, perhaps with options: ``search(states=0)``; ``model``: what it is wanted for."""
    if text in SOLVERS:
        return _default_solver(SOLVERS[text])
    name, positional, options = parse_call(text, "solver", NoSolver)
    if name not in SOLVERS:
        known = SOLVERS if model is None else [solver.name for solver in accepting_solvers(model)]
        own = CALLED.get(name.casefold())
        raise NoSolver(f"there is no solver {name!r}{f': it is called {own!r}' if own else list_known(name, known)}")
    try:
        return _make(SOLVERS[name], *positional, **options)
    except TypeError as error:
        raise InvalidOption(f"cannot make the solver {text!r}: {call_reason(error)}") from None


def _make(place: str, *positional: Any, **options: Any) -> Solver:
    module, _, kind = place.partition(":")
    solver: Solver = getattr(import_module(module), kind)(*positional, **options)
    return solver


_default_solver = cache(_make)
"""A solver without options: nothing in it changes."""


def as_solver(wanted: str | Solver, model: Any = None) -> Solver:
    """A solver by its name, or as it is."""
    if isinstance(wanted, str):
        return named_solver(wanted, model)
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
        everybody = map(_default_solver, SOLVERS.values())
        candidates = (s for s in everybody if not (kinds := getattr(s, "kinds", ())) or isinstance(model, kinds))
        able = (s for s in candidates if getattr(s, "needs", ("?",)) is None or not s.available())
        first = next((s for s in able if s.accepts(model)), None)
        if first is None:
            raise NoSolver(f"no solver accepts {type(model).__name__}")
        return first
    solver = as_solver(wanted, model)
    missing = solver.available()
    if missing:
        raise MissingDependency(f"the solver {solver.name!r} cannot be used: {missing}")
    if not solver.accepts(model):
        others = ", ".join(other.name for other in accepting_solvers(model)) or "no solver"
        cost = _inexact_cost(model) if getattr(solver, "integral", False) else None
        scaled = "it needs costs that a power of two scales to integers of at most 40 bits"
        why = "" if cost is None else f": {scaled}; with {cost:.6g} they are not"
        raise NoSolver(
            f"the solver {solver.name!r} does not accept this {type(model).__name__}{why}; these do: {others}"
        )
    return solver


def accepting_solvers(model: Any) -> list[Solver]:
    """All solvers that are available and accept ``model``, in order of preference."""
    solvers = (named_solver(name) for name in SOLVERS)
    return [solver for solver in solvers if solver.accepts(model) and not solver.available()]


@record
class Policy:
    """How models of one kind are solved."""

    phases: tuple[str, str] | None = None
    """Who solves what is easy and leaves the rest unsolved, and who solves that; None where everything is easy."""
    work_limit: float | None = None
    """The work on one instance where no time limit is given, in a solver's own deterministic unit."""
    side_by_side: bool = True
    """Whether a plan can be about several instances, side by side in one program."""


POLICIES = {
    "hemlp.problems.lca.model:LcaModel": Policy(
        phases=("search(programs='never')", "search(programs='at once')"), work_limit=30.0, side_by_side=False
    ),
    "hemlp.problems.lca.model:ExtendedModel": Policy(side_by_side=False),
    "hemlp.problems.decision.model:DecisionModel": Policy(side_by_side=False),
}
"""By module:class; 30 units of work are CP-SAT's deterministic seconds, for all programs of an instance together."""


def policy_of(model: Any) -> Policy:
    """How a model is solved: as its class, or the nearest class above it that the table has."""
    names = (f"{kind.__module__}:{kind.__qualname__}" for kind in type(model).__mro__)
    return next((POLICIES[name] for name in names if name in POLICIES), Policy())


S = TypeVar("S", bound=Solution)


def solve(
    model: Model[S], solver: str | Solver | None = None, time_limit: float | None = None, *, verified: bool = False
) -> S:
    """The certified solution of a model by a solver: a name, an object, or the first that accepts the model.

    ``time_limit``: in seconds for each instance. ``verified``: prove each claim once more, also as a solver that is
    not hemlp's made it.
    """
    if isinstance(model, JointModel):
        parts = {name: solve(part, solver, time_limit, verified=verified) for name, part in model.parts.items()}
        joint: Any = JointSolution(model, parts)
        return joint  # type: ignore[no-any-return]
    time_limit = plain_number("time_limit", time_limit, 0)
    chosen = find_solver(model, solver)
    claim = Claim(chosen, solver is not None, time_limit)
    solution: S = chosen.solve(model, time_limit)
    if not hasattr(solution, "statuses"):
        raise InvalidSolution(f"the solver {claim.solver.name!r} returned {type(solution).__name__}, not a solution")
    if verified and not claim.ours:
        model.verify(solution)
    solution = certify_by_judge(model, solution, claim) if model.needs_judge else model.certify(solution, claim)
    if verified:
        model.verify(solution)
    return solution


def certify_by_judge(model: Model[S], solution: S, claim: Claim) -> S:
    """As ``model.certify`` where optimality has no short proof: solvers of hemlp are believed, and the claims of others
    are compared with the optimum of one of ours.
    """
    if claim.ours:
        return sign(solution, claim, claim.solver.name)
    model.check(solution)
    judge = find_solver(model)
    return sign(model.confirm(solution, lambda: judge.solve(model, claim.time_limit)), claim, judge.name)


def verify(model: Model[S], solution: S, solver: str | Solver | None = None) -> bool:
    """True if each judge, by programs that are built from the definitions, finds nothing better; else InvalidSolution.

    ``solver``: the only judge, a solver of programs; by default all that accept the model.
    """
    model.check(solution)
    for judge in accepting_solvers(model) if solver is None else [find_solver(model, solver)]:
        program_solver: Any = judge
        for i in range(len(model)):
            best = run_plan(model[i].reference_plan(), program_solver.solve_program)
            model.refute(solution, i, best, judge.name)
    return True


class ProgramSolver(BaseSolver, ABC):
    """Solves any model through ``model.plan()``."""

    kinds = (Model,)
    part = 50
    """Instances that are solved side by side in one program, where the model allows it."""

    @abstractmethod
    def solve_program(
        self, program: LinearProgram, time_limit: float | None = None, work_limit: float | None = None
    ) -> ProgramResult:
        """Solve one program, in so many seconds and so much work, in a deterministic unit of the solver's own."""

    def solve(self, model: Model[Any], time_limit: float | None) -> Any:
        """Solve part by part; a part that is not solved to optimality is solved instance by instance."""
        side_by_side = policy_of(model).side_by_side
        size = self.part if side_by_side else 1
        parts = [model[start : start + size] for start in range(0, len(model), size)]
        if not parts and side_by_side:  # the solution of no instance at all
            return run_plan(model.plan(), lambda _: ProgramResult(Status.OPTIMAL, np.empty(0)))
        return model.joined([self._solve_part(part, time_limit) for part in parts])

    def _solve_part(self, part: Model[Any], time_limit: float | None) -> Any:
        limit = None if time_limit is None else time_limit * len(part)
        budget = Budget.of(limit, policy_of(part).work_limit if time_limit is None else None)
        solution = self.run(part, budget)
        if len(part) == 1 or (solution.statuses == Status.OPTIMAL).all():
            return solution
        return part.joined([self._solve_part(part[i], time_limit) for i in range(len(part))])

    def run(self, model: Model[Any], budget: Budget) -> Any:
        """The plan of a model, within a budget."""
        return run_plan(model.plan(), budget.spending(self.solve_program))
