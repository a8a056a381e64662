"""What solvers of linear programs share: any model is solved by carrying out its plan."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from hemlp.optimize.budget import Budget
from hemlp.optimize.model import Model
from hemlp.optimize.plan import run_plan
from hemlp.optimize.program import LinearProgram, ProgramResult, Status


class ProgramSolver(ABC):
    """Solves any model through ``model.plan()``."""

    name: str
    exact = True
    part = 50
    """Instances that are solved side by side in one program, where the model allows it."""

    @abstractmethod
    def available(self) -> str | None:
        """None if it can be used here, else what to install."""

    def accepts(self, model: Any) -> bool:
        """Any model."""
        return isinstance(model, Model)

    @abstractmethod
    def solve_program(
        self, program: LinearProgram, time_limit: float | None = None, work_limit: float | None = None
    ) -> ProgramResult:
        """Solve one program, in so many seconds and so much work, in a deterministic unit of the solver's own."""

    def solve(self, model: Model[Any], time_limit: float | None) -> Any:
        """Solve part by part; a part that is not solved to optimality is solved instance by instance."""
        size = self.part if model.together else 1
        parts = [model[start : start + size] for start in range(0, len(model), size)]
        return model.joined([self._solve_part(part, time_limit) for part in parts] or self._nothing(model))

    def _solve_part(self, part: Model[Any], time_limit: float | None) -> Any:
        limit = None if time_limit is None else time_limit * len(part)
        solution = self.carry_out(part, Budget.of(limit, part.work_limit if time_limit is None else None))
        if len(part) == 1 or (solution.statuses == Status.OPTIMAL).all():
            return solution
        return part.joined([self._solve_part(part[i], time_limit) for i in range(len(part))])

    def carry_out(self, model: Model[Any], budget: Budget) -> Any:
        """The plan of a model, within a budget."""
        return run_plan(model.plan(), budget.spending(self.solve_program))

    @staticmethod
    def _nothing(model: Model[Any]) -> list[Any]:
        """The solution of no instance at all."""
        solved = ProgramResult(Status.OPTIMAL, np.empty(0))
        return [run_plan(model.plan(), lambda _: solved)] if model.together else []
