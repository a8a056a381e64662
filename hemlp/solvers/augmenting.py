"""Problem 1 by compiled code, whatever its bounds and capacities: successive shortest paths; transport by a simplex."""

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
        from hemlp.kernels.flow.circulations import find_flows
        from hemlp.kernels.flow.pairing import Chosen
        from hemlp.kernels.flow.successive_shortest_paths import successive_shortest_paths

        if model.plain:
            chosen, to_default, prices = model.nothing_chosen()
            feasible = successive_shortest_paths(model.data, Chosen(chosen, to_default, prices))
            return PairingSolution(model, statuses_of(feasible), chosen, to_default, hints=prices)
        arcs = model.circulation
        flow, potential = np.zeros(arcs.cost.size, np.int64), np.zeros(int(arcs.nodes.sum()))
        feasible = find_flows(flow_data(model), flow, potential)
        return model.solution_of(statuses_of(feasible), flow, hints=(potential,))


class TransportSolver(BaseSolver):
    """Accepts transports: the network simplex method."""

    name = "transport"
    kinds = (PairingModel,)

    def accepts(self, model: Any) -> bool:
        """Pairings of masses, unless their arcs are changed."""
        return isinstance(model, self.kinds) and model.units is not None and model.arcs is None

    def solve_batch(self, model: PairingModel) -> PairingSolution:
        """The optimum of each instance."""
        from hemlp.kernels.flow.transport import transport

        chosen, to_default, prices = model.nothing_chosen()
        feasible = transport(model.data, chosen, *prices)
        return PairingSolution(model, statuses_of(feasible), chosen, to_default, hints=prices)
