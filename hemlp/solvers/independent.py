"""Problem 1 where the classes of one side need nobody and take everybody: each of the others takes its cheapest."""

from __future__ import annotations

from typing import Any

import numpy as np

from hemlp.arrays import row_sums
from hemlp.instances.sides import PRED, TRUE
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.solvers.registry import BaseSolver, statuses_of


class NearestAssignment(BaseSolver):
    """Accepts pairings with the bounds (0, ALL) on one side, and at least 0 or 1 on the other."""

    name = "independent"
    kinds = (PairingModel,)

    def accepts(self, model: Any) -> bool:
        """Pairings in which classes of one side choose on their own."""
        return isinstance(model, self.kinds) and model.arcs is None and _choosing(model) is not None

    def solve_batch(self, model: PairingModel) -> PairingSolution:
        """The cheapest partner, or the default class, of each class that needs one."""
        side = _choosing(model)
        assert side is not None
        half = model.halves[side]
        usable = model.finite_pairs[(model.serves[model.finite_pairs] >> side) & 1 > 0]
        ends = model.ends[side][usable]
        least = half.default.copy()
        np.minimum.at(least, ends, model.kappa[usable])
        needs = half.lower == 1
        to_default = [np.zeros(each.default.size, np.int64) for each in model.halves]
        to_default[side][needs & np.isfinite(least) & (half.default == least)] = 1
        best = (model.kappa[usable] == least[ends]) & needs[ends] & (to_default[side][ends] == 0)
        _, first = np.unique(ends[best], return_index=True)
        chosen = np.zeros(model.kappa.size, np.bool_)
        chosen[usable[best][first]] = True
        codes = statuses_of(row_sums(needs & np.isinf(least), half.side.ptr) == 0)
        return PairingSolution(model, codes, chosen, (to_default[PRED], to_default[TRUE]))


def _choosing(model: PairingModel) -> int | None:
    """The side whose classes choose on their own, if there is one."""
    for side in (PRED, TRUE):
        half, free = model.halves[side], model.halves[1 - side]
        others = np.repeat(half.side.sizes, np.diff(free.side.ptr))
        if (free.lower == 0).all() and (free.upper >= others).all() and ((half.lower == 0) | (half.lower == 1)).all():
            return side
    return None
