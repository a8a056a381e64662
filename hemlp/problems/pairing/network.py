"""The flow network of Problem 1, as in the paper's figure.

Source → predicted class [α, β], predicted → true class [0, 1] at κ, true class → sink [α, β], and the default classes
between source or sink and the classes; what reaches the sink returns to the source. A pair that counts for one of its
ends only (pairing "nearest") has a node of its own, so that its flow passes the other side by.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.arrays import IntArray, row_sums
from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.circulation import FlowNetwork

if TYPE_CHECKING:
    from hemlp.problems.pairing.model import PairingModel
    from hemlp.problems.pairing.solution import PairingSolution

OWN = ("source", "sink", "DP", "DT")
"""Nodes that each instance has: the source, the sink, the default predicted and the default true class."""
SOURCE, SINK, DEFAULT_PRED, DEFAULT_TRUE = range(4)


@dataclass
class Arcs:
    """Arcs in blocks: tails, heads, lower and upper capacity, cost, variable (-1: none) and flow."""

    blocks: list[tuple[Any, ...]] = field(default_factory=list)

    def add(
        self, tails: IntArray, heads: IntArray, capacity: tuple[Any, Any], flow: Any, cost: Any = 0, variable: Any = -1
    ) -> None:
        """One more block."""
        block = tails, heads, *capacity, cost, variable, flow
        self.blocks.append(tuple(np.broadcast_to(values, tails.shape) for values in block))

    def column(self, k: int, kind: Any = np.int64) -> Any:
        """One column of all blocks."""
        return np.concatenate([block[k] for block in self.blocks]).astype(kind)


def pairing_network(model: PairingModel, solution: PairingSolution) -> tuple[FlowNetwork, IntArray]:
    """The networks of all instances, and the flow on their arcs that ``solution`` is."""
    size = len(model)
    home = 4 * np.arange(size)
    counts = [half.lower.size for half in model.halves]
    nodes = np.split(4 * size + np.arange(sum(counts)), [counts[PRED]])
    homes = [4 * np.repeat(np.arange(size), np.diff(half.side.ptr)) for half in model.halves]
    degrees = [model.degrees(solution, side) for side in (PRED, TRUE)]
    room = [row_sums(half.upper, half.side.ptr).astype(np.int64) for half in model.halves]
    to_default = [
        row_sums(taken, half.side.ptr).astype(np.int64)
        for half, taken in zip(model.halves, solution.to_default, strict=True)
    ]
    predicted, true = model.halves
    u, v = predicted.with_default, true.with_default
    arcs = Arcs()
    arcs.add(homes[PRED] + SOURCE, nodes[PRED], (predicted.lower, predicted.upper), degrees[PRED])
    arcs.add(home + SOURCE, home + DEFAULT_PRED, (0, room[TRUE]), to_default[TRUE])
    passing = _add_pairs(model, solution, arcs, nodes)
    arcs.add(
        nodes[PRED][u], homes[PRED][u] + DEFAULT_TRUE, (0, predicted.upper[u]), solution.to_default[PRED][u],
        predicted.default[u], model.finite_pairs.size + np.arange(u.size),
    )  # fmt: skip
    arcs.add(
        homes[TRUE][v] + DEFAULT_PRED, nodes[TRUE][v], (0, true.upper[v]), solution.to_default[TRUE][v],
        true.default[v], model.finite_pairs.size + u.size + np.arange(v.size),
    )  # fmt: skip
    arcs.add(nodes[TRUE], homes[TRUE] + SINK, (true.lower, true.upper), degrees[TRUE])
    arcs.add(home + DEFAULT_TRUE, home + SINK, (0, room[PRED]), to_default[PRED])
    through = row_sums(degrees[PRED], predicted.side.ptr).astype(np.int64) + to_default[TRUE] + passing
    arcs.add(home + SINK, home + SOURCE, (0, room[PRED] + room[TRUE]), through)
    own = int((model.serves[model.finite_pairs] != 3).sum())
    tails, heads, lower, upper = (arcs.column(k) for k in range(4))
    network = FlowNetwork(
        4 * size + sum(counts) + own, lambda: _names(model), tails, heads, lower, upper,
        arcs.column(4, np.float64), arcs.column(5),
    )  # fmt: skip
    return network, arcs.column(6)


def _add_pairs(model: PairingModel, solution: PairingSolution, arcs: Arcs, nodes: list[IntArray]) -> IntArray:
    """Arcs of the pairs; what flows from the source to true classes past the predicted ones, for each instance."""
    x = model.finite_pairs
    kind, cost, flow = model.serves[x], model.kappa[x], solution.chosen[x].astype(np.int64)
    at = [nodes[side][model.ends[side][x]] for side in (PRED, TRUE)]
    row = np.repeat(np.arange(len(model)), np.diff(model.pairs.ptr))[x]
    number = np.arange(x.size)
    own = np.cumsum(kind != 3) - 1 + 4 * len(model) + sum(of.size for of in nodes)
    both, first, second = kind == 3, kind == 1, kind == 2
    arcs.add(at[PRED][both], at[TRUE][both], (0, 1), flow[both], cost[both], number[both])
    arcs.add(at[PRED][first], own[first], (0, 1), flow[first], cost[first], number[first])
    arcs.add(own[first], 4 * row[first] + SINK, (0, 1), flow[first])
    arcs.add(4 * row[second] + SOURCE, own[second], (0, 1), flow[second], cost[second], number[second])
    arcs.add(own[second], at[TRUE][second], (0, 1), flow[second])
    passing: IntArray = np.bincount(row[second], flow[second], len(model)).astype(np.int64)
    return passing


def _names(model: PairingModel) -> list[str]:
    names = [f"{name}" if len(model) == 1 else f"{i}_{name}" for i in range(len(model)) for name in OWN]
    names += [f"P_{code}" for code in model.codes(PRED)]
    names += [f"T_{code}" for code in model.codes(TRUE)]
    return names + [f"X_{k}" for k in model.finite_pairs if model.serves[k] != 3]
