"""Closures by compiled code: from lists of what each class implies, and of all prefixes of a ranking by one sweep."""

from __future__ import annotations

from typing import Any

import numpy as np

from hemlp.kernels.records import Rows
from hemlp.problems.closure.model import ClosureModel, ClosureSolution
from hemlp.problems.closure.variants import PrefixModel, TolerantModel
from hemlp.solvers.registry import BaseSolver


class ClosureLists(BaseSolver):
    """Accepts all closures."""

    name = "closures"
    kinds = (ClosureModel, TolerantModel)

    def accepts(self, model: Any) -> bool:
        return type(model) in self.kinds

    def solve_batch(self, model: ClosureModel) -> ClosureSolution:
        from hemlp.kernels.closure.sets import tally_tolerant
        from hemlp.kernels.closure.tally import tally
        from hemlp.kernels.records import Implied, Sides

        if model.shared is not None or model.ignored is not None:
            return model.counted(*model.closures())
        h, batch, tolerant = model.batch.hierarchy, model.batch, isinstance(model, TolerantModel)
        lists, names, own, others = model.lists().local(batch.pred, batch.true, always=not tolerant)
        sides = Sides(batch.pred.ptr, own, batch.true.ptr, others)
        implied = Implied(lists.ptr, lists.nodes, lists.hub_at >= 0, lists.beyond >= 0)
        if tolerant:
            sums, equal = tally_tolerant(
                sides, implied, Rows(h.parent_ptr, h.parent_idx), Rows(h.child_ptr, h.child_idx)
            )
        else:
            weights = model.weights
            if not isinstance(names, slice):
                weights = np.append(weights[names], weights[-1])
            sums, equal = tally(sides, implied, weights, model.has_top)
        return ClosureSolution(model, np.zeros(len(sums), np.int8), sums, equal)


class PrefixSweep(BaseSolver):
    """Accepts prefixes of rankings whose closures only ever grow: one sweep over each ranking."""

    name = "prefixes"
    kinds = (PrefixModel,)

    def accepts(self, model: Any) -> bool:
        own = isinstance(model, self.kinds) and type(model.base) is ClosureModel
        return own and model.base.horizon is None

    def solve_batch(self, model: PrefixModel) -> ClosureSolution:
        from hemlp.kernels.ranking.sweep import Sweep, sweep

        closures, true = model.base, model.batch.true
        nothing = np.zeros(len(model.batch) + 1, np.int64), np.zeros(0, np.int32)
        hidden = Rows(*(model.hidden or nothing))
        weights = np.ascontiguousarray(closures.weights[:-1])
        truth, ranked, sizes = Rows(true.ptr, true.classes), Rows(*model.ranked), Rows(*model.sizes)
        sums, _, equal = sweep(Sweep(Rows(*closures.arrows), truth, ranked, hidden, sizes, weights))
        if closures.has_top:
            some_true, some_pred = (np.diff(true.ptr) > 0)[model.rows], model.sizes[1] > 0
            sums += closures.weights[-1] * np.stack([some_pred, some_true, some_pred & some_true], axis=1)
        return ClosureSolution(model, np.zeros(len(model), np.int8), sums, equal)
