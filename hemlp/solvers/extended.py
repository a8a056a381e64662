"""The extended LCA graphs G_ex: nothing is optimized, all shortest paths are taken."""

from __future__ import annotations

import numpy as np

from hemlp.problems.lca.model import ExtendedModel
from hemlp.problems.lca.solution import LcaSolution
from hemlp.solvers.registry import BaseSolver

NONE = np.zeros((0, 5), np.int64)
"""What no instance has."""


class ExtendedGraphs(BaseSolver):
    """Accepts models of extended graphs."""

    name = "extended"
    kinds = (ExtendedModel,)

    def solve(self, model: ExtendedModel, time_limit: float | None) -> LcaSolution:
        """All instances at once."""
        from hemlp.kernels.lca.extended import extended_sizes

        size = len(model.batch.hierarchy)
        table = np.concatenate([NONE, *(extended_sizes(links, size) for links in model.link_blocks())])
        sums = table[:, 1:4].astype(np.float64)
        both = sums[:, 0] + sums[:, 1]
        bounds = np.where(both > 0, 2 * sums[:, 2] / np.maximum(both, 1), 1.0)
        optimal = np.zeros(len(model), np.int8)
        return LcaSolution(model, optimal, sums, table[:, 0].copy(), bounds, lambda i: model.extended(model.facts[i]))
