"""Closures by compiled code, from lists of what each class implies; the sets themselves are not kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from hemlp.problems.closure.model import ClosureModel
from hemlp.problems.closure.solution import ClosureSolution
from hemlp.problems.closure.tolerance import TolerantModel
from hemlp.solvers.base import BaseSolver


class ClosureLists(BaseSolver):
    """Accepts all closures."""

    name = "closures"

    def accepts(self, model: Any) -> bool:
        """Closures and tolerant sets."""
        return type(model) in (ClosureModel, TolerantModel)

    def solve_batch(self, model: ClosureModel) -> ClosureSolution:
        """The weights of the sets of each instance."""
        from hemlp.kernels.records import Implied, Rows, Sides
        from hemlp.kernels.tally import tally
        from hemlp.kernels.tolerant import tally_tolerant

        h, lists = model.batch.hierarchy, model.lists()
        pred, true = model.batch.sides
        sides = Sides(pred.ptr, lists.row[pred.classes], true.ptr, lists.row[true.classes])
        implied = Implied(lists.ptr, lists.nodes, lists.gate_at >= 0, lists.beyond >= 0)
        if isinstance(model, TolerantModel):
            sums, equal = tally_tolerant(
                sides, implied, Rows(h.parent_ptr, h.parent_idx), Rows(h.child_ptr, h.child_idx)
            )
        else:
            sums, equal = tally(sides, implied, model.weights, model.has_top)
        return ClosureSolution(model, np.zeros(len(model), np.int8), sums, equal)
