"""Problem 1 by networkx's network simplex: slow and readable, the reference of the others."""

from __future__ import annotations

import numpy as np

from hemlp.optimize.program import ProgramResult, Status
from hemlp.problems.pairing.describe import node_names
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.solvers.flow import MinCostFlow
from hemlp.solvers.registry import BaseSolver


class NetworkSimplex(BaseSolver):
    """Solves one flow network after the other."""

    name = "networkx"
    kinds = (PairingModel,)
    needs = "networkx", "networkx"
    accepts = MinCostFlow.accepts  # on other costs network simplex may cycle

    def solve(self, model: PairingModel, time_limit: float | None) -> PairingSolution:
        solved = [super(NetworkSimplex, self).solve(model[i], time_limit) for i in range(len(model))]
        return model.joined(solved or [model.solution(ProgramResult(Status.OPTIMAL, np.empty(0)))])

    def solve_batch(self, model: PairingModel) -> PairingSolution:
        import networkx

        try:
            _, shifted = networkx.network_simplex(model.to_networkx())
        except networkx.NetworkXUnfeasible:
            return model.solution(ProgramResult(Status.INFEASIBLE))
        names, arcs = node_names(model), model.circulation
        carried = (shifted[names[tail]][names[head]] for tail, head in zip(arcs.tail, arcs.head, strict=True))
        flow = [of[k] if isinstance(of, dict) else of for k, of in enumerate(carried)]
        return model.solution_of(np.zeros(1, np.int8), np.array(flow, np.int64) + arcs.lower)
