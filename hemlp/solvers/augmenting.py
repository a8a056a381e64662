"""Problem 1 by compiled code, whatever its bounds and capacities: successive shortest paths."""

from __future__ import annotations

from typing import Any

import numpy as np

from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.pairs import flow_data
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.solvers.registry import BaseSolver, statuses_of


class SuccessiveShortestPaths(BaseSolver):
    """Accepts all pairings."""

    name = "augmenting"
    kinds = (PairingModel,)

    def solve_batch(self, model: PairingModel) -> PairingSolution:
        """The optimum of each instance."""
        return _solve_plain(model) if model.arcs is None else _solve_circulation(model)


class TransportSolver(SuccessiveShortestPaths):
    """Accepts transports: masses are routed along shortest paths, one after the other."""

    name = "transport"

    def accepts(self, model: Any) -> bool:
        """Pairings of masses."""
        return super().accepts(model) and model.units is not None


def _solve_plain(model: PairingModel) -> PairingSolution:
    from hemlp.kernels.flow.pairing import Chosen
    from hemlp.kernels.flow.successive_shortest_paths import successive_shortest_paths

    predicted, true = (half.default.size for half in model.halves)
    to_default = np.zeros(predicted, np.int64), np.zeros(true, np.int64)
    chosen, prices = np.zeros(model.kappa.size, np.bool_), (np.zeros(predicted), np.zeros(true))
    feasible = successive_shortest_paths(model.data, Chosen(chosen, to_default, prices))
    return PairingSolution(model, statuses_of(feasible), chosen, to_default, hints=prices)


def _solve_circulation(model: PairingModel) -> PairingSolution:
    from hemlp.kernels.flow.circulations import find_flows

    arcs = model.circulation
    flow, potential = np.zeros(arcs.cost.size, np.int64), np.zeros(int(arcs.nodes.sum()))
    feasible = find_flows(flow_data(model), flow, potential)
    return model.solution_of(statuses_of(feasible), flow, hints=(potential,))
