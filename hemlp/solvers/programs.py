"""What solvers of linear programs share: any model is solved by running its plan."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from hemlp.optimize.model import Model
from hemlp.optimize.plan import Budget, run_plan
from hemlp.optimize.program import LinearProgram, ProgramResult, Status
from hemlp.solvers.registry import BaseSolver, policy_of


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
