"""Transport by compiled code: masses are routed along shortest paths, one after the other."""

from __future__ import annotations

from typing import Any

from hemlp.solvers.augmenting import SuccessiveShortestPaths


class TransportSolver(SuccessiveShortestPaths):
    """Accepts transports."""

    name = "transport"

    def accepts(self, model: Any) -> bool:
        """Pairings of masses."""
        return super().accepts(model) and model.units is not None
