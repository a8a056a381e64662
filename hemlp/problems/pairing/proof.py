"""Proofs about one circulation, in exact arithmetic and without any solver.

Costs become integers (times a power of two), so nothing is rounded. A flow is of least cost if and only if no cycle of
its residual network has a negative cost (Klein 1967); the lengths of shortest paths there are potentials that prove it
by weak duality. There is no flow at all if and only if some nodes must take in more than can leave them (Hoffman 1960).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from hemlp.errors import InvalidSolution
from hemlp.problems.pairing.circulation import DEFAULT_PRED, Circulation

ResidualArc = tuple[int, int, int, int, int]
"""Tail, head, cost, the arc of the circulation, and by how much a unit along it changes what that arc carries."""


class ExactFlow:
    """A flow in the only instance of a circulation; without one, every arc carries its lower capacity."""

    def __init__(self, arcs: Circulation, flow: Sequence[int] | None = None) -> None:
        self.size = int(arcs.nodes[0])
        self.ends = list(zip(arcs.tail.tolist(), arcs.head.tolist(), strict=True))
        self.lower, self.upper = arcs.lower.tolist(), arcs.upper.tolist()
        exact = [Fraction(cost) for cost in arcs.cost.tolist()]
        self.scale = max((cost.denominator for cost in exact), default=1)
        self.cost = [int(cost * self.scale) for cost in exact]
        self.flow: list[int] = list(self.lower if flow is None else flow)

    def residual(self) -> Iterator[ResidualArc]:
        """All arcs of the residual network."""
        for a, (tail, head) in enumerate(self.ends):
            if self.flow[a] < self.upper[a]:
                yield tail, head, self.cost[a], a, 1
            if self.flow[a] > self.lower[a]:
                yield head, tail, -self.cost[a], a, -1

    def excess(self) -> list[int]:
        """What each node takes in beyond what leaves it."""
        left = [0] * self.size
        for (tail, head), amount in zip(self.ends, self.flow, strict=True):
            left[head] += amount
            left[tail] -= amount
        return left

    def balance(self) -> frozenset[int] | None:
        """Send what is too much where it is missing; nodes that must take in more than can leave them, if there are.

        From one node after the other, classes before source and sink, so that few classes are found.
        """
        order = [*range(DEFAULT_PRED, self.size), *range(DEFAULT_PRED)]
        while True:
            excess = self.excess()
            start = next((v for v in order if excess[v]), None)
            if start is None:
                return None
            sign = 1 if excess[start] > 0 else -1
            reached = self._search(start, sign)
            end = next((v for v in reached if sign * excess[v] < 0), None)
            if end is None:
                return frozenset(reached if sign > 0 else set(range(self.size)) - reached.keys())
            path, node = [], end
            while (arc := reached[node]) is not None:
                path.append(arc)
                node = arc[0] if sign > 0 else arc[1]
            self._send(path, abs(excess[start]), abs(excess[end]))

    def _search(self, start: int, sign: int) -> dict[int, ResidualArc | None]:
        """Nodes that are reached from ``start``, or from which it is reached, each by an arc; the nearest first."""
        near, far = (0, 1) if sign > 0 else (1, 0)
        leaving: list[list[ResidualArc]] = [[] for _ in range(self.size)]
        for arc in self.residual():
            leaving[arc[near]].append(arc)
        reached: dict[int, ResidualArc | None] = {start: None}
        queue = [start]
        for v in queue:
            for arc in leaving[v]:
                if arc[far] not in reached:
                    reached[arc[far]] = arc
                    queue.append(arc[far])
        return reached

    def _send(self, path: Sequence[ResidualArc], *most: int) -> None:
        """As much as possible along residual arcs."""
        flow, lower, upper = self.flow, self.lower, self.upper
        free = (upper[a] - flow[a] if sign > 0 else flow[a] - lower[a] for *_, a, sign in path)
        amount = min([*most, *free])
        for *_, a, sign in path:
            self.flow[a] += sign * amount

    def shortest_paths(self, start: int | None = None) -> tuple[list[int], list[ResidualArc]]:
        """Lengths of shortest paths to all nodes (Bellman, Ford), and a cycle of negative cost if there is one.

        From ``start`` (infinite: no path), or from wherever they begin.
        """
        far: Any = 0 if start is None else math.inf
        length, arcs = [0 if node == start else far for node in range(self.size)], list(self.residual())
        last: list[ResidualArc | None] = [None] * self.size
        for _ in range(self.size + 1):
            changed: int | None = None
            for arc in arcs:
                tail, head, cost, _, _ = arc
                if length[tail] + cost < length[head]:
                    length[head], last[head], changed = length[tail] + cost, arc, head
            if changed is None:
                return length, []
        return length, _cycle(last, changed)

    def improve(self) -> list[int]:
        """Cancel cycles of negative cost until there is none; the potentials that prove it."""
        while True:
            potential, cycle = self.shortest_paths()
            if not cycle:
                return potential
            self._send(cycle)

    def total(self) -> int:
        """The cost of all arcs, times the scale."""
        return sum(cost * amount for cost, amount in zip(self.cost, self.flow, strict=True))

    def bound(self, potential: Sequence[int]) -> int:
        """What every flow costs at least, times the scale, by potentials of the nodes (weak duality)."""
        total = 0
        for (tail, head), cost, lower, upper in zip(self.ends, self.cost, self.lower, self.upper, strict=True):
            reduced = cost + potential[tail] - potential[head]
            total += reduced * (lower if reduced > 0 else upper)
        return total


def _cycle(last: Sequence[ResidualArc | None], node: int | None) -> list[ResidualArc]:
    """The arcs of the cycle that the paths to a node, which was reached again and again, come from."""
    for _ in last:
        node = _before(last, node)[0]
    cycle = [_before(last, node)]
    while cycle[-1][0] != node:
        cycle.append(_before(last, cycle[-1][0]))
    return cycle


def _before(last: Sequence[ResidualArc | None], node: int | None) -> ResidualArc:
    arc = None if node is None else last[node]
    assert arc is not None
    return arc


def improve(arcs: Circulation, flow: Sequence[int]) -> list[int]:
    """A flow of least cost of one instance, from one that keeps its bounds."""
    exact = ExactFlow(arcs, flow)
    exact.improve()
    return exact.flow


def prove_cheapest(arcs: Circulation, flow: Sequence[int], where: str) -> tuple[ExactFlow, list[int]]:
    """The potentials that prove that a flow of one instance is of least cost; else InvalidSolution."""
    exact = ExactFlow(arcs, flow)
    potential, cycle = exact.shortest_paths()
    if cycle:
        saved = float(Fraction(-sum(arc[2] for arc in cycle), exact.scale))
        raise InvalidSolution(
            f"{where}: not optimal, a cycle of negative cost leads to a pairing that costs {saved:.6g} less"
        )
    if exact.bound(potential) != exact.total():
        raise InvalidSolution(f"{where}: the prices do not prove the cost")
    return exact, potential


def is_short(arcs: Circulation, nodes: frozenset[int]) -> bool:
    """Whether these nodes must take in more than can leave them."""
    needed = capacity = 0
    ends = zip(arcs.tail.tolist(), arcs.head.tolist(), arcs.lower.tolist(), arcs.upper.tolist(), strict=True)
    for tail, head, lower, upper in ends:
        needed += lower if head in nodes and tail not in nodes else 0
        capacity += upper if tail in nodes and head not in nodes else 0
    return needed > capacity
