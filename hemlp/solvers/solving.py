"""Solve a model, certify what its solver claims, verify a solution again: what ``model.solve()`` is short for.

Certifying proves or refuses; it never solves for the solver that was asked. ``proved_by`` of a solution names the
proof: a certificate, which needs no solver; compiled code of hemlp; or a judge, another solver with the same optimum.
"""

from __future__ import annotations

from typing import Any, TypeVar

from hemlp.errors import InvalidSolution
from hemlp.optimize.joint import JointModel
from hemlp.optimize.model import Model, Solution
from hemlp.optimize.plan import run_plan
from hemlp.optimize.solution_display import Claim, signed
from hemlp.optimize.solver import Solver
from hemlp.solvers.registry import accepting_solvers, find_solver

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
        joint: Any = model.combine(parts)
        return joint  # type: ignore[no-any-return]
    limit = getattr(model, "time_limit", None) if time_limit is None else time_limit
    chosen = find_solver(model, getattr(model, "solver", None) if solver is None else solver)
    claim = Claim(chosen, solver is not None, limit)
    solution: S = chosen.solve(model, limit)
    if not hasattr(solution, "statuses"):
        raise InvalidSolution(f"the solver {claim.solver.name!r} returned {type(solution).__name__}, not a solution")
    if verified and not claim.ours:
        model.verify(solution)
    solution = certify(model, solution, claim)
    if verified:
        model.verify(solution)
    return solution


def certify(model: Model[S], solution: S, claim: Claim) -> S:
    """The solution with every claim proved, or lowered to what is proved; InvalidSolution if it breaks a rule.

    Where optimality has no short proof, solvers of hemlp are believed, and the claims of others are compared with the
    optimum of one of ours.
    """
    if not model.needs_judge:
        return model.certify(solution, claim)
    if claim.ours:
        return signed(solution, claim, claim.solver.name)
    model.check(solution)
    judge = find_solver(model)
    return signed(model.confirm(solution, lambda: judge.solve(model, claim.time_limit)), claim, judge.name)


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
