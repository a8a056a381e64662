"""Bounds on the LCA graphs of each prefix of a ranking, to rule out thresholds without solving them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.problems.lca.links import most_specific

if TYPE_CHECKING:
    from hemlp.problems.lca.model import GraphModel


def bound_prefixes(
    model: GraphModel, ranked: tuple[IntArray, IntArray], sizes: tuple[IntArray, IntArray]
) -> FloatArray | None:
    """Sizes |G_p|, |G_t|, |G_p ∩ G_t| for each prefix whose P, R and F are upper bounds for all its graphs.

    ``ranked`` and ``sizes`` are rows (CSR) as of ``PrefixModel``. None with a horizon, a hub or edge weights.
    """
    from hemlp.kernels.graph.distances import up_lists
    from hemlp.kernels.lca.prefix_bounds import PrefixBounds, bound_sizes
    from hemlp.kernels.records import Rows, Sides

    h, true = model.batch.hierarchy, model.batch.true
    if model.horizon is not None or h.hub is not None or h.weighted:
        return None
    up = h.upward.lists(np.concatenate([ranked[1], true.classes]))
    true = most_specific(true, up)
    sides = Sides(ranked[0], up.row[ranked[1]], true.ptr, up.row[true.classes])
    to_top = 1 + h.unit_depths[up.classes].astype(np.int64)
    tops = int(np.count_nonzero(np.diff(h.parent_ptr) == 0) > 1)
    steps = Rows(sizes[0], sizes[1].astype(np.int32))
    return bound_sizes(PrefixBounds(up_lists(up), Rows(h.parent_ptr, h.parent_idx), sides, steps, to_top, tops))
