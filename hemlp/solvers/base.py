"""What all solvers of hemlp have: a name, the kinds of models that they accept, the package that they need, a limit."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hemlp.optimize.budget import solve_within
from hemlp.optimize.program import Status
from hemlp.optimize.solver import importable


class BaseSolver:
    """A solver of some kinds of models; a child says at least how a batch of instances is solved."""

    name: str
    exact: bool = True
    """Whether it looks for the optimum."""
    kinds: ClassVar[tuple[type, ...]] = ()
    """The models that it accepts."""
    needs: ClassVar[tuple[str, str] | None] = None
    """The module of somebody else that it imports, and what to install for it."""

    def available(self) -> str | None:
        """None if it can be used here, else what to install."""
        return None if self.needs is None else importable(*self.needs)

    def accepts(self, model: Any) -> bool:
        """Whether it can solve this model."""
        return isinstance(model, self.kinds)

    def solve(self, model: Any, time_limit: float | None) -> Any:
        """The solution, in ``time_limit`` seconds for each instance; what takes longer is unsolved."""
        return self.solve_batch(model) if time_limit is None else solve_within(model, time_limit, self.solve_batch)

    def solve_batch(self, model: Any) -> Any:
        """The solution, however long it takes."""
        raise NotImplementedError


def statuses_of(feasible: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Optimal where there is a solution, and infeasible where not."""
    return np.where(feasible, Status.OPTIMAL, Status.INFEASIBLE).astype(np.int8)
