"""Problem 1 by networkx's network simplex: slow and readable, the reference of the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from hemlp.optimize.circulation import FlowNetwork
from hemlp.optimize.program import ProgramResult, Status
from hemlp.problems.pairing.model import PairingModel
from hemlp.solvers.flow import integer_costs, variable_values
from hemlp.solvers.registry import BaseSolver


class NetworkSimplex(BaseSolver):
    """Solves one flow network after the other."""

    name = "networkx"
    kinds = (PairingModel,)
    needs = "networkx", "networkx"

    def accepts(self, model: Any) -> bool:
        """Pairings and transports whose costs are exact integers after scaling (network simplex cycles on others)."""
        return isinstance(model, self.kinds) and integer_costs(model) is not None

    def solve(self, model: PairingModel, time_limit: float | None) -> Any:
        """Instance by instance."""
        solved = [BaseSolver.solve(self, model[i], time_limit) for i in range(len(model))]
        return model.joined(solved or [model.solution(EMPTY)])

    def solve_batch(self, model: PairingModel) -> Any:
        """One instance."""
        import networkx

        network, _ = model.network()
        graph = network.to_networkx()
        scale = integer_costs(model) or 1
        for _, _, data in graph.edges(data=True):
            data["weight"] = round(data["cost"] * scale)
        try:
            _, shifted = networkx.network_simplex(graph)
        except networkx.NetworkXUnfeasible:
            return model.solution(ProgramResult(Status.INFEASIBLE))
        return model.solution(ProgramResult(Status.OPTIMAL, variable_values(network, _arc_flows(network, shifted))))


def _arc_flows(network: FlowNetwork, shifted: dict[str, dict[str, Any]]) -> Any:
    names = network.names()
    found = []
    for k, (tail, head) in enumerate(zip(network.tails, network.heads, strict=True)):
        between = shifted[names[tail]][names[head]]
        found.append(between[k] if isinstance(between, dict) else between)
    return np.array(found, np.int64) + network.lower


EMPTY = ProgramResult(Status.OPTIMAL, np.empty(0))
