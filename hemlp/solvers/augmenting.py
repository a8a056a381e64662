"""Problem 1 by compiled code, for any bounds and further rules: a flow of least cost by successive shortest paths."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.optimize.budget import solve_within
from hemlp.optimize.program import STATUSES, Status
from hemlp.problems.pairing.data import given_data
from hemlp.problems.pairing.flows import FlowModel, FlowSolution
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.solution import PairingSolution


class Augmenting:
    """Accepts all pairings."""

    name = "augmenting"
    exact = True

    def available(self) -> str | None:
        """Always."""
        return None

    def accepts(self, model: Any) -> bool:
        """All pairings."""
        return isinstance(model, PairingModel | FlowModel)

    def solve(self, model: PairingModel | FlowModel, time_limit: float | None) -> PairingSolution | FlowSolution:
        """The optimum of each instance."""
        if isinstance(model, FlowModel):
            flows: FlowSolution = solve_within(model, time_limit, _flows, FlowModel.unsolved)
            return flows
        solution: PairingSolution = solve_within(model, time_limit, _solved, PairingModel.unsolved)
        return solution


def _solved(model: PairingModel) -> PairingSolution:
    from hemlp.kernels.flow.pairing import Chosen
    from hemlp.kernels.flow.successive_shortest_paths import successive_shortest_paths

    predicted, true = (half.default.size for half in model.halves)
    to_default = np.zeros(predicted, np.int64), np.zeros(true, np.int64)
    chosen, prices = np.zeros(model.kappa.size, np.bool_), (np.zeros(predicted), np.zeros(true))
    feasible = successive_shortest_paths(given_data(model), Chosen(chosen, to_default, prices))
    return PairingSolution(model, _codes(feasible), chosen, to_default, hints=prices)


def _flows(model: FlowModel) -> FlowSolution:
    from hemlp.kernels.flow.circulations import find_flows

    flow, far = np.zeros(model.arcs.cost.size, np.int64), np.zeros(int(model.arcs.nodes.sum()))
    feasible = find_flows(model.given_data(), flow, far)
    return FlowSolution(model, _codes(feasible), flow, hints=far)


def _codes(feasible: NDArray[np.bool_]) -> NDArray[np.int8]:
    codes = np.where(feasible, STATUSES.index(Status.OPTIMAL), STATUSES.index(Status.INFEASIBLE))
    return codes.astype(np.int8)
