"""Problem 1 by compiled code, for any bounds: a flow of least cost by successive shortest paths."""

from __future__ import annotations

from typing import Any

import numpy as np

from hemlp.pairing.data import given_data
from hemlp.pairing.model import PairingModel
from hemlp.pairing.solution import PairingSolution
from hemlp.programs.limits import solve_within
from hemlp.programs.program import STATUSES, Status


class Augmenting:
    """Accepts all pairings."""

    name = "augmenting"
    exact = True

    def available(self) -> str | None:
        """Always."""
        return None

    def accepts(self, model: Any) -> bool:
        """All pairings."""
        return isinstance(model, PairingModel)

    def solve(self, model: PairingModel, time_limit: float | None) -> PairingSolution:
        """The optimum of each instance."""
        solution: PairingSolution = solve_within(model, time_limit, _solved, PairingModel.unsolved)
        return solution


def _solved(model: PairingModel) -> PairingSolution:
    from hemlp.kernels.flow import augment
    from hemlp.kernels.pairing import Chosen

    predicted, true = (half.default.size for half in model.halves)
    to_default = np.zeros(predicted, np.int64), np.zeros(true, np.int64)
    chosen, prices = np.zeros(model.kappa.size, np.bool_), (np.zeros(predicted), np.zeros(true))
    feasible = augment(given_data(model), Chosen(chosen, to_default, prices))
    codes = np.where(feasible, STATUSES.index(Status.OPTIMAL), STATUSES.index(Status.INFEASIBLE)).astype(np.int8)
    return PairingSolution(model, codes, chosen, to_default, hints=prices)
