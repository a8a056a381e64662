"""Closures by compiled code, from lists of what each class implies; the sets themselves are not kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from hemlp.optimize.budget import solve_within
from hemlp.problems.closure.model import ClosureModel
from hemlp.problems.closure.solution import ClosureSolution
from hemlp.problems.closure.tolerance import TolerantModel


class ClosureLists:
    """Accepts all closures."""

    name = "closures"
    exact = True

    def available(self) -> str | None:
        """Always."""
        return None

    def accepts(self, model: Any) -> bool:
        """Closures and tolerant sets."""
        return type(model) in (ClosureModel, TolerantModel)

    def solve(self, model: ClosureModel, time_limit: float | None) -> ClosureSolution:
        """The weights of the sets of each instance."""
        solution: ClosureSolution = solve_within(model, time_limit, _solved, lambda one: one.unsolved())
        return solution


def _solved(model: ClosureModel) -> ClosureSolution:
    from hemlp.kernels.closure.tally import tally
    from hemlp.kernels.closure.tolerant import tally_tolerant
    from hemlp.kernels.records import Implied, Rows, Sides

    h, lists = model.batch.hierarchy, model.lists()
    pred, true = model.batch.sides
    sides = Sides(pred.ptr, lists.row[pred.classes], true.ptr, lists.row[true.classes])
    implied = Implied(lists.ptr, lists.nodes, lists.gate_at >= 0, lists.beyond >= 0)
    if isinstance(model, TolerantModel):
        sums, equal = tally_tolerant(sides, implied, Rows(h.parent_ptr, h.parent_idx), Rows(h.child_ptr, h.child_idx))
    else:
        sums, equal = tally(sides, implied, model.weights, model.has_top)
    return ClosureSolution(model, np.zeros(len(model), np.int8), sums, equal)
