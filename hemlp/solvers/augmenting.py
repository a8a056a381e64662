"""Problem 1 by compiled code, whatever its bounds and capacities: successive shortest paths."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.optimize.budget import solve_within
from hemlp.optimize.program import STATUSES, Status
from hemlp.problems.pairing.data import flow_data, given_data
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.solution import PairingSolution


class SuccessiveShortestPaths:
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
        solve = _solve_plain if model.arcs is None else _solve_circulation
        solution: PairingSolution = solve_within(model, time_limit, solve, PairingModel.unsolved)
        return solution


def _solve_plain(model: PairingModel) -> PairingSolution:
    from hemlp.kernels.flow import augment
    from hemlp.kernels.pairing import Chosen

    predicted, true = (half.default.size for half in model.halves)
    to_default = np.zeros(predicted, np.int64), np.zeros(true, np.int64)
    chosen, prices = np.zeros(model.kappa.size, np.bool_), (np.zeros(predicted), np.zeros(true))
    feasible = augment(given_data(model), Chosen(chosen, to_default, prices))
    return PairingSolution(model, _codes(feasible), chosen, to_default, hints=prices)


def _solve_circulation(model: PairingModel) -> PairingSolution:
    from hemlp.kernels.circulations import find_flows

    arcs = model.circulation
    flow, potential = np.zeros(arcs.cost.size, np.int64), np.zeros(int(arcs.nodes.sum()))
    feasible = find_flows(flow_data(model), flow, potential)
    return model.solution_of(_codes(feasible), flow, hints=(potential,))


def _codes(feasible: NDArray[np.bool_]) -> NDArray[np.int8]:
    codes = np.where(feasible, STATUSES.index(Status.OPTIMAL), STATUSES.index(Status.INFEASIBLE))
    return codes.astype(np.int8)
