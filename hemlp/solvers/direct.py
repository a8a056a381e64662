"""LCA graphs that need no optimization: the greedy approximation (Algorithm 1) and the extended graphs G_ex."""

from __future__ import annotations

from typing import Any

from hemlp.lca_model import LcaModel, LcaSolution


class DirectSolver:
    """Computes what the method of the model says."""

    name = "direct"

    def available(self) -> str | None:
        """Always."""
        return None

    def accepts(self, model: Any) -> bool:
        """LCA models of method "greedy" or "extended"."""
        return isinstance(model, LcaModel) and model.method in ("greedy", "extended")

    def solve(self, model: LcaModel, time_limit: float | None) -> LcaSolution:
        """Instance by instance."""
        return model.solve_directly()


solver = DirectSolver()
