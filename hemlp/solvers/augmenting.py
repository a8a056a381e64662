"""Problem 1 by compiled code, for any bounds and further rules: a flow of least cost by successive shortest paths."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hemlp.optimize.program import Status
from hemlp.problems.pairing.flows import FlowModel, FlowSolution
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.solvers.base import BaseSolver


class Augmenting(BaseSolver):
    """Accepts all pairings."""

    name = "augmenting"
    kinds = (PairingModel, FlowModel)

    def solve_batch(self, model: PairingModel | FlowModel) -> PairingSolution | FlowSolution:
        """The optimum of each instance."""
        return _solve_flows(model) if isinstance(model, FlowModel) else _solve_pairings(model)


def _solve_pairings(model: PairingModel) -> PairingSolution:
    from hemlp.kernels.flow.pairing import Chosen
    from hemlp.kernels.flow.successive_shortest_paths import successive_shortest_paths

    predicted, true = (half.default.size for half in model.halves)
    to_default = np.zeros(predicted, np.int64), np.zeros(true, np.int64)
    chosen, prices = np.zeros(model.kappa.size, np.bool_), (np.zeros(predicted), np.zeros(true))
    feasible = successive_shortest_paths(model.data, Chosen(chosen, to_default, prices))
    return PairingSolution(model, _codes(feasible), chosen, to_default, hints=prices)


def _solve_flows(model: FlowModel) -> FlowSolution:
    from hemlp.kernels.flow.circulations import find_flows

    flow, far = np.zeros(model.arcs.cost.size, np.int64), np.zeros(int(model.arcs.nodes.sum()))
    feasible = find_flows(model.given_data(), flow, far)
    return FlowSolution(model, _codes(feasible), flow, hints=far)


def _codes(feasible: NDArray[np.bool_]) -> NDArray[np.int8]:
    codes = np.where(feasible, Status.OPTIMAL, Status.INFEASIBLE)
    return codes.astype(np.int8)
