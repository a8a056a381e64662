"""Circulations: networks whose arcs have a cost and a lower and an upper capacity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True, eq=False)
class FlowNetwork:
    """Arcs ``tails[k] → heads[k]`` between ``size`` nodes; what flows into a node flows out of it.

    ``variable[k]`` is the position, in the linear program of the same problem, of the variable that arc k carries;
    -1 where it carries none. ``names`` makes the names of the nodes.
    """

    size: int
    names: Callable[[], Sequence[str]]
    tails: IntArray
    heads: IntArray
    lower: IntArray
    upper: IntArray
    costs: FloatArray
    variable: IntArray

    def supplies(self) -> IntArray:
        """What each node sends out once every arc carries its lower capacity (those are shifted out of the way)."""
        supplies = np.zeros(self.size, np.int64)
        np.add.at(supplies, self.heads, self.lower)
        np.subtract.at(supplies, self.tails, self.lower)
        return supplies

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """With ``lower``, ``upper`` and ``cost`` on edges, and with lower capacities shifted into the ``demand`` of
        nodes (``capacity``, ``weight``), so that ``networkx.network_simplex`` solves it as it is. Weights are integers,
        costs times ``graph.graph["scale"]`` without any rounding: with others it may run for ever.

        Where arcs stand side by side it is a ``MultiDiGraph`` whose keys are their numbers.
        """
        import networkx

        several = np.unique(self.tails * self.size + self.heads).size < self.tails.size
        graph: networkx.DiGraph[Any] = networkx.MultiDiGraph() if several else networkx.DiGraph()
        nodes, costs = self.names(), [Fraction(cost) for cost in self.costs.tolist()]
        scale = graph.graph["scale"] = max((cost.denominator for cost in costs), default=1)  # powers of two
        for node, supply in zip(nodes, self.supplies().tolist(), strict=True):
            graph.add_node(node, demand=-supply)
        arcs = zip(self.tails, self.heads, self.lower.tolist(), self.upper.tolist(), costs, strict=True)
        for number, (tail, head, lower, upper, cost) in enumerate(arcs):
            graph.add_edge(
                nodes[tail], nodes[head], **({"key": number} if several else {}),
                lower=lower, upper=upper, cost=float(cost), capacity=upper - lower, weight=int(cost * scale),
            )  # fmt: skip
        return graph
