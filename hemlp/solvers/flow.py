"""Problem 1 as a min-cost flow: by OR-Tools, where the instances of a part are stacked into one network, and by
networkx's network simplex, slow and readable, the reference of the others.

SimpleMinCostFlow has no lower capacities, so they are shifted into supplies, and takes integer costs only, so costs
that are not exact multiples of a power of two are refused.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hemlp.errors import InvalidSolution
from hemlp.optimize.program import ProgramResult, Status, exact_integers
from hemlp.problems.pairing.describe import node_names
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.solvers.registry import BaseSolver

PART = 2000
"""Instances in one network, at most."""
PAIRS = 200_000
"""Pairs in one network, at most, unless one instance has more: OR-Tools holds the GIL until it has solved it."""


class MinCostFlow(BaseSolver):
    """Solves the stacked flow networks of a pairing model; a part that is infeasible is solved one by one."""

    name = "flow"
    kinds = (PairingModel,)
    needs = "ortools.graph.python.min_cost_flow", "ortools"
    integral = True

    def solve(self, model: PairingModel, time_limit: float | None) -> PairingSolution:
        return model.joined([super(MinCostFlow, self).solve(part, time_limit) for part in _parts(model)])

    def solve_batch(self, part: PairingModel) -> PairingSolution:
        """In one network; the instances of one that has no solution, each in its own."""
        from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

        network, scaled = part.circulation, exact_integers(np.unique(part.cost_values))
        costs = np.rint(network.cost * (scaled[1] if scaled else 1)).astype(np.int64)
        tails, heads = (ends.astype(np.int32) for ends in network.ends)
        backend = SimpleMinCostFlow()
        arcs = backend.add_arcs_with_capacity_and_unit_cost(tails, heads, network.upper - network.lower, costs)
        supplies = network.excess(network.lower)
        backend.set_nodes_supplies(np.arange(supplies.size, dtype=np.int32), supplies)
        status = backend.solve()
        if status == backend.OPTIMAL:
            return part.solution_of(np.zeros(len(part), np.int8), backend.flows(arcs) + network.lower)
        if status != backend.INFEASIBLE:
            raise InvalidSolution(f"OR-Tools ended with status {status} on a network of {supplies.size} nodes")
        if len(part) == 1:
            return part.solution(ProgramResult(Status.INFEASIBLE))
        return part.joined([self.solve_batch(part[i]) for i in range(len(part))])


def _parts(model: PairingModel) -> list[PairingModel]:
    ptr, cuts = model.pairs.ptr, [0]
    while cuts[-1] < len(model):
        start = cuts[-1]
        fitting = int(np.searchsorted(ptr, ptr[start] + PAIRS, side="right")) - 1
        cuts.append(min(max(start + 1, fitting), start + PART, len(model)))
    return [model[start:stop] for start, stop in pairwise(cuts)] or [model]


class NetworkSimplex(BaseSolver):
    """Solves one flow network after the other."""

    name = "networkx"
    kinds = (PairingModel,)
    needs = "networkx", "networkx"
    integral = True  # on other costs network simplex may cycle

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
