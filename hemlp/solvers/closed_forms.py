"""Problem 1 by compiled code, for bounds whose optimum has a closed form: all pairs, assignment, edge cover, minima."""

from __future__ import annotations

from typing import Any

import numpy as np

from hemlp.instances.sides import PRED, TRUE
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.solvers.registry import BaseSolver, statuses_of


class ClosedForms(BaseSolver):
    """Accepts pairings whose bounds are all pairs, one to one with defaults for everybody, or at least one."""

    name = "closed_forms"
    kinds = (PairingModel,)

    def accepts(self, model: Any) -> bool:
        """Pairings whose bounds have a closed form."""
        return isinstance(model, self.kinds) and model.plain and model.closed_form is not None

    def solve_batch(self, model: PairingModel) -> PairingSolution:
        """The optimum of each instance."""
        from hemlp.kernels.flow.closed_forms import best_pairings
        from hemlp.kernels.flow.pairing import Chosen

        form = model.closed_form
        chosen, to_default, prices = model.nothing_chosen()
        if form == "all":
            chosen = np.isfinite(model.kappa)
            rows = np.repeat(np.arange(len(model)), np.diff(model.pairs.ptr))
            feasible = np.bincount(rows[~chosen], minlength=len(model)) == 0
        else:
            feasible = best_pairings(model.data, form == "cover", Chosen(chosen, to_default, prices))
        return PairingSolution(model, statuses_of(feasible), chosen, to_default, hints=prices)


class NearestAssignment(BaseSolver):
    """Accepts pairings with the bounds (0, ALL) on one side, and at least 0 or 1 on the other."""

    name = "independent"
    kinds = (PairingModel,)

    def accepts(self, model: Any) -> bool:
        """Pairings in which classes of one side choose on their own."""
        return isinstance(model, self.kinds) and model.plain and _choosing(model) is not None

    def solve_batch(self, model: PairingModel) -> PairingSolution:
        """The cheapest partner, or the default class, of each class that needs one."""
        from hemlp.kernels.flow.closed_forms import best_matches
        from hemlp.kernels.flow.pairing import Chosen

        side = _choosing(model)
        assert side is not None
        chosen, to_default, prices = model.nothing_chosen()
        feasible = best_matches(model.data, side, Chosen(chosen, to_default, prices))
        return PairingSolution(model, statuses_of(feasible), chosen, to_default, hints=prices)


def _choosing(model: PairingModel) -> int | None:
    """The side whose classes choose on their own, if there is one."""
    for side in (PRED, TRUE):
        half, free = model.halves[side], model.halves[1 - side]
        others = np.repeat(half.side.sizes, np.diff(free.side.ptr))
        if (free.lower == 0).all() and (free.upper >= others).all() and ((half.lower == 0) | (half.lower == 1)).all():
            return side
    return None
