"""Problem 1 by compiled code, whatever its bounds and capacities: successive shortest paths."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hemlp.optimize.program import Status
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.pairs import flow_data
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.solvers.registry import BaseSolver


class SuccessiveShortestPaths(BaseSolver):
    """Accepts all pairings."""

    name = "augmenting"
    kinds = (PairingModel,)

    def solve_batch(self, model: PairingModel) -> PairingSolution:
        """The optimum of each instance."""
        return _solve_plain(model) if model.arcs is None else _solve_circulation(model)


def _solve_plain(model: PairingModel) -> PairingSolution:
    from hemlp.kernels.flow.pairing import Chosen
    from hemlp.kernels.flow.successive_shortest_paths import successive_shortest_paths

    predicted, true = (half.default.size for half in model.halves)
    to_default = np.zeros(predicted, np.int64), np.zeros(true, np.int64)
    chosen, prices = np.zeros(model.kappa.size, np.bool_), (np.zeros(predicted), np.zeros(true))
    feasible = successive_shortest_paths(model.data, Chosen(chosen, to_default, prices))
    return PairingSolution(model, _codes(feasible), chosen, to_default, hints=prices)


def _solve_circulation(model: PairingModel) -> PairingSolution:
    from hemlp.kernels.flow.circulations import find_flows

    arcs = model.circulation
    flow, potential = np.zeros(arcs.cost.size, np.int64), np.zeros(int(arcs.nodes.sum()))
    feasible = find_flows(flow_data(model), flow, potential)
    return model.solution_of(_codes(feasible), flow, hints=(potential,))


def _codes(feasible: NDArray[np.bool_]) -> NDArray[np.int8]:
    return np.where(feasible, Status.OPTIMAL, Status.INFEASIBLE).astype(np.int8)
