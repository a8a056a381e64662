"""The extended LCA graphs G_ex: nothing is optimized, all shortest paths are taken."""

from __future__ import annotations

from typing import Any

from hemlp.lca.model import ExtendedModel
from hemlp.lca.solution import LcaSolution


class ExtendedGraphs:
    """Accepts models of extended graphs."""

    name = "extended"
    exact = True

    def available(self) -> str | None:
        """Always."""
        return None

    def accepts(self, model: Any) -> bool:
        """Models of extended graphs."""
        return isinstance(model, ExtendedModel)

    def solve(self, model: ExtendedModel, time_limit: float | None) -> LcaSolution:
        """Instance by instance."""
        return model.collected([model.extended(model.facts[i]) for i in range(len(model))])
