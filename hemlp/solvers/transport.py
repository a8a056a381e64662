"""Transport by compiled code: supplies are routed one after the other along shortest ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from hemlp.optimize.budget import solve_within
from hemlp.problems.pairing.transport import TransportModel, TransportSolution


class ShortestWays:
    """Accepts transports. Costs that are not integers over a common power of two take slower, exact arithmetic."""

    name = "transport"
    exact = True

    def available(self) -> str | None:
        """Always."""
        return None

    def accepts(self, model: Any) -> bool:
        """Transports."""
        return isinstance(model, TransportModel)

    def solve(self, model: TransportModel, time_limit: float | None) -> TransportSolution:
        """The least cost of each instance."""
        solution: TransportSolution = solve_within(model, time_limit, _solved, TransportModel.unsolved)
        return solution


def _solved(model: TransportModel) -> TransportSolution:
    return model.settled(np.zeros(model.kappa.size, np.int64), np.zeros(len(model), np.bool_))
