"""Problem 1 as a min-cost flow by OR-Tools: the instances of a part are stacked into one network.

SimpleMinCostFlow has no lower capacities, so they are shifted into supplies, and takes integer costs only, so costs
that are not exact multiples of a power of two are refused.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import InvalidSolution
from hemlp.optimize.circulation import FlowNetwork
from hemlp.optimize.program import ProgramResult, Status, exact_integers
from hemlp.problems.pairing.model import PairingModel
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

    def accepts(self, model: Any) -> bool:
        """Pairings and transports with costs that are exact integers after scaling."""
        return isinstance(model, self.kinds) and integer_costs(model) is not None

    def solve(self, model: PairingModel, time_limit: float | None) -> Any:
        """Part by part."""
        return model.joined([BaseSolver.solve(self, part, time_limit) for part in _parts(model)])

    def solve_batch(self, part: PairingModel) -> Any:
        """In one network; the instances of one that has no solution, each in its own."""
        network, _ = part.network()
        flow = self.least_cost_flow(network, integer_costs(part))
        if flow is None:
            if len(part) > 1:
                return part.joined([self.solve_batch(part[i]) for i in range(len(part))])
            return part.solution(ProgramResult(Status.INFEASIBLE))
        return part.solution(ProgramResult(Status.OPTIMAL, variable_values(network, flow)))

    def least_cost_flow(self, network: FlowNetwork, scale: int | None) -> IntArray | None:
        """The flow on each arc, or None if there is none."""
        from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

        backend = SimpleMinCostFlow()
        costs = np.rint(network.costs * (scale or 1)).astype(np.int64)
        arcs = backend.add_arcs_with_capacity_and_unit_cost(
            network.tails.astype(np.int32), network.heads.astype(np.int32), network.upper - network.lower, costs
        )
        backend.set_nodes_supplies(np.arange(network.size, dtype=np.int32), network.supplies())
        status = backend.solve()
        if status == backend.INFEASIBLE:
            return None
        if status != backend.OPTIMAL:
            raise InvalidSolution(f"OR-Tools ended with status {status} on a network of {network.size} nodes")
        flow: IntArray = backend.flows(arcs) + network.lower
        return flow


def _parts(model: PairingModel) -> list[Any]:
    ptr, cuts = model.pairs.ptr, [0]
    while cuts[-1] < len(model):
        start = cuts[-1]
        fitting = int(np.searchsorted(ptr, ptr[start] + PAIRS, side="right")) - 1
        cuts.append(min(max(start + 1, fitting), start + PART, len(model)))
    return [model[start:stop] for start, stop in pairwise(cuts)] or [model]


def integer_costs(model: PairingModel) -> int | None:
    """The factor that makes all costs integers without rounding, or None."""
    scaled = exact_integers(np.unique(model.cost_values))
    return None if scaled is None else scaled[1]


def variable_values(network: FlowNetwork, flow: IntArray) -> Any:
    """The flow on the arcs that carry variables, in the order of variables."""
    carrying = np.flatnonzero(network.variable >= 0)
    values = np.empty(carrying.size)
    values[network.variable[carrying]] = flow[carrying]
    return values
