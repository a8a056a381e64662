"""Closures by compiled code: from lists of what each class implies, and of all prefixes of a ranking by one sweep."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray
from hemlp.kernels.records import Rows
from hemlp.problems.closure.model import ClosureModel
from hemlp.problems.closure.prefixes import PrefixModel
from hemlp.problems.closure.solution import ClosureSolution
from hemlp.problems.closure.tolerance import TolerantModel
from hemlp.solvers.registry import BaseSolver


class ClosureLists(BaseSolver):
    """Accepts all closures."""

    name = "closures"
    kinds = (ClosureModel, TolerantModel)

    def accepts(self, model: Any) -> bool:
        """Closures and tolerant sets."""
        return type(model) in self.kinds

    def solve_batch(self, model: ClosureModel) -> ClosureSolution:
        """The weights of the sets of each instance."""
        from hemlp.kernels.closure.tally import tally
        from hemlp.kernels.closure.tolerant import tally_tolerant
        from hemlp.kernels.records import Implied, Sides

        if model.shared is not None or model.ignored is not None:
            return model.counted(*model.closures())
        h, lists = model.batch.hierarchy, model.lists()
        pred, true = model.batch.pred, model.batch.true
        sides = Sides(pred.ptr, lists.row[pred.classes], true.ptr, lists.row[true.classes])
        implied = Implied(lists.ptr, lists.nodes, lists.hub_at >= 0, lists.beyond >= 0)
        if isinstance(model, TolerantModel):
            sums, equal = tally_tolerant(
                sides, implied, Rows(h.parent_ptr, h.parent_idx), Rows(h.child_ptr, h.child_idx)
            )
        else:
            sums, equal = tally(sides, implied, model.weights, model.has_top)
        return ClosureSolution(model, np.zeros(len(sums), np.int8), sums, equal)


class PrefixSweep(BaseSolver):
    """Accepts prefixes of rankings whose closures only ever grow: one sweep over each ranking."""

    name = "prefixes"
    kinds = (PrefixModel,)

    def accepts(self, model: Any) -> bool:
        """Prefixes of closures without a horizon."""
        own = isinstance(model, self.kinds) and type(model.base) is ClosureModel
        return own and model.base.horizon is None

    def solve_batch(self, model: PrefixModel) -> ClosureSolution:
        """The weights of the sets of each prefix; the sets themselves are made on demand."""
        sums, equal = sweep_prefixes(model)
        return ClosureSolution(model, np.zeros(len(model), np.int8), sums, equal)


def sweep_prefixes(model: PrefixModel, hidden: Rows | None = None) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Weights of the predicted, true and common nodes of each prefix, and whether the two sets are equal.

    ``hidden``: nodes of each instance that do not count.
    """
    from hemlp.kernels.ranking.sweep import Sweep, sweep

    closures, true = model.base, model.batch.true
    if hidden is None:
        hidden = Rows(np.zeros(len(model.batch) + 1, np.int64), np.zeros(0, np.int32))
    weights = np.ascontiguousarray(closures.weights[:-1])
    truth, ranked, sizes = Rows(true.ptr, true.classes), Rows(*model.ranked), Rows(*model.sizes)
    sums, _, equal = sweep(Sweep(Rows(*closures.arrows), truth, ranked, hidden, sizes, weights))
    if closures.has_top:
        some_true, some_pred = (np.diff(true.ptr) > 0)[model.rows], model.sizes[1] > 0
        sums += closures.weights[-1] * np.stack([some_pred, some_true, some_pred & some_true], axis=1)
    return sums, equal
