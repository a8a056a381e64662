"""Problem 1 by compiled code, for the bounds whose optimum has a closed form: all pairs, assignment, edge cover."""

from __future__ import annotations

from typing import Any

import numpy as np

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
