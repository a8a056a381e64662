"""HiGHS first, then CP-SAT: one is better on some programs, the other on others, and nobody knows before."""

from __future__ import annotations

from typing import Any

from hemlp.optimize.budget import Budget
from hemlp.optimize.program import LinearProgram, ProgramResult, Status
from hemlp.solvers.cpsat import CpSat
from hemlp.solvers.milp import Highs
from hemlp.solvers.programs import ProgramSolver


class Portfolio(ProgramSolver):
    """Half of what may be spent for HiGHS; where that is too little, the rest for CP-SAT, from what HiGHS found."""

    name = "portfolio"
    needs = Highs.needs

    def accepts(self, model: Any) -> bool:
        """What CP-SAT accepts."""
        return CpSat().accepts(model)

    def solve_program(
        self, program: LinearProgram, time_limit: float | None = None, work_limit: float | None = None
    ) -> ProgramResult:
        """Solve one program."""
        budget = Budget.of(time_limit)
        first = Highs().solve_program(
            program, None if time_limit is None else time_limit / 2, None if work_limit is None else work_limit / 2
        )
        if first.status in (Status.OPTIMAL, Status.INFEASIBLE) or (time_limit is None and work_limit is None):
            return first
        second = CpSat().solve_program(
            program, budget.seconds_left(), None if work_limit is None else work_limit / 2, first.values
        )
        return _better(program, first, second)


def _better(program: LinearProgram, first: ProgramResult, second: ProgramResult) -> ProgramResult:
    """The better solution with the better bound."""
    if second.status in (Status.OPTIMAL, Status.INFEASIBLE):
        return second
    sign = 1 if program.maximize else -1
    solutions = [r.values for r in (first, second) if r.values is not None]
    bounds = [r.bound for r in (first, second) if r.bound == r.bound]
    if not solutions:
        bound = sign * min((sign * b for b in bounds), default=float("nan"))
        return ProgramResult(Status.UNSOLVED, None, bound, limited=True)
    best = max(solutions, key=lambda values: sign * program.objective(values))
    bound = sign * min((sign * b for b in bounds), default=float("nan"))
    return ProgramResult(Status.FEASIBLE, best, bound, second.work, limited=True)
