"""What solvers of linear programs share: models are cut into parts, written as programs, and read back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from hemlp.deadline import Budget
from hemlp.lca_model import LcaModel
from hemlp.model import Model
from hemlp.program import LinearProgram, ProgramResult, Status


class MatrixSolver(ABC):
    """Solves any model through ``model.program()``."""

    name: str
    part = 50
    """Instances that are solved side by side in one program."""

    @abstractmethod
    def available(self) -> str | None:
        """None if it can be used here, else what to install."""

    def accepts(self, model: Model[Any]) -> bool:
        """Any model but those of a method that is no optimization."""
        return isinstance(model, Model) and not (isinstance(model, LcaModel) and model.method != "exact")

    @abstractmethod
    def solve_program(
        self, program: LinearProgram, time_limit: float | None = None, work_limit: float | None = None
    ) -> ProgramResult:
        """Solve one program, in so many seconds and so much work, in a deterministic unit of the solver's own."""

    def solve(self, model: Model[Any], time_limit: float | None) -> Any:
        """Solve part by part; a part that is not solved to optimality is solved instance by instance.

        A model of several stages tells itself which program comes next.
        """
        if isinstance(model, LcaModel):
            return model.solve_stages(self.solve_program, time_limit)
        parts = [model[start : start + self.part] for start in range(0, len(model), self.part)] or [model]
        return model.joined([self._solve_part(part, time_limit) for part in parts])

    def _solve_part(self, part: Model[Any], time_limit: float | None) -> Any:
        budget = Budget.of(None if time_limit is None else time_limit * max(1, len(part)))
        result = budget.spending(self.solve_program)(part.program())
        if result.status is Status.OPTIMAL or len(part) <= 1:
            return part.solution(result)
        return part.joined([self._solve_part(part[i], time_limit) for i in range(len(part))])
