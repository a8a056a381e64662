"""Proofs about one circulation, in exact arithmetic and without any solver.

Costs become integers (times a power of two), so nothing is rounded. A flow is of least cost if and only if no cycle of
its residual network has a negative cost; the lengths of shortest ways there prove it. There is no flow at all if and
only if some nodes must take in more than can leave them (Hoffman 1960).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from hemlp.errors import InvalidSolution
from hemlp.problems.pairing.places import Circulation

Way = tuple[int, int, int, int, int]
"""Tail, head, cost, the arc, and by how much a flow along it changes what the arc carries."""


class ExactFlow:
    """A flow in the only instance of a circulation; without one, every arc carries what it has to."""

    def __init__(self, arcs: Circulation, flow: Sequence[int] | None = None) -> None:
        self.size = int(arcs.nodes[0])
        self.ends = list(zip(arcs.tail.tolist(), arcs.head.tolist(), strict=True))
        self.lower, self.upper = arcs.lower.tolist(), arcs.upper.tolist()
        exact = [Fraction(cost) for cost in arcs.cost.tolist()]
        self.scale = max((cost.denominator for cost in exact), default=1)
        self.cost = [int(cost * self.scale) for cost in exact]
        self.flow: list[int] = list(self.lower if flow is None else flow)

    def ways(self) -> Iterator[Way]:
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
        """Send what is too much where it is missing; nodes that must take in more than can leave them, if there are."""
        while True:
            left = self.excess()
            starts = [v for v in range(self.size) if left[v] > 0]
            if not starts:
                return None
            leaving: list[list[Way]] = [[] for _ in range(self.size)]
            for way in self.ways():
                leaving[way[0]].append(way)
            came: dict[int, Way | None] = dict.fromkeys(starts)
            queue = list(starts)
            for v in queue:
                for way in leaving[v]:
                    if way[1] not in came:
                        came[way[1]] = way
                        queue.append(way[1])
            end = next((v for v in queue if left[v] < 0), None)
            if end is None:
                return frozenset(came)
            self._send(came, end, left)

    def _send(self, came: dict[int, Way | None], end: int, left: list[int]) -> None:
        steps, node = [], end
        while (way := came[node]) is not None:
            steps.append(way)
            node = way[0]
        much = min(-left[end], left[node], *(self._room(way) for way in steps))
        for _, _, _, a, sign in steps:
            self.flow[a] += sign * much

    def _room(self, way: Way) -> int:
        _, _, _, a, sign = way
        return int(self.upper[a] - self.flow[a] if sign > 0 else self.flow[a] - self.lower[a])

    def shortest_ways(self) -> tuple[list[int], list[Way]]:
        """The length of the shortest way to each node (Bellman, Ford), and a cycle of negative cost if there is one."""
        far, ways = [0] * self.size, list(self.ways())
        came: list[Way | None] = [None] * self.size
        for _ in range(self.size + 1):
            changed: int | None = None
            for way in ways:
                tail, head, cost, _, _ = way
                if far[tail] + cost < far[head]:
                    far[head], came[head], changed = far[tail] + cost, way, head
            if changed is None:
                return far, []
        return far, _cycle(came, changed)

    def improve(self) -> None:
        """Change the flow along cycles of negative cost until there is none."""
        while cycle := self.shortest_ways()[1]:
            much = min(map(self._room, cycle))
            for _, _, _, a, sign in cycle:
                self.flow[a] += sign * much

    def total(self) -> int:
        """Of all arcs, times the scale."""
        return sum(cost * amount for cost, amount in zip(self.cost, self.flow, strict=True))

    def bound(self, far: Sequence[int]) -> int:
        """What every flow costs at least, times the scale, by numbers of the nodes (weak duality)."""
        total = 0
        for (tail, head), cost, lower, upper in zip(self.ends, self.cost, self.lower, self.upper, strict=True):
            reduced = cost + far[tail] - far[head]
            total += reduced * (lower if reduced > 0 else upper)
        return total


def _cycle(came: Sequence[Way | None], node: int | None) -> list[Way]:
    """The arcs of the cycle that the ways to a node, which was reached again and again, come from."""
    for _ in came:
        node = _before(came, node)[0]
    cycle = [_before(came, node)]
    while cycle[-1][0] != node:
        cycle.append(_before(came, cycle[-1][0]))
    return cycle


def _before(came: Sequence[Way | None], node: int | None) -> Way:
    way = None if node is None else came[node]
    assert way is not None
    return way


def improved(arcs: Circulation, flow: Sequence[int]) -> list[int]:
    """A flow of least cost of one instance, from one that there is."""
    exact = ExactFlow(arcs, flow)
    exact.improve()
    return exact.flow


def prove_cheapest(arcs: Circulation, flow: Sequence[int], place: str) -> tuple[ExactFlow, list[int]]:
    """The prices that prove that a flow of one instance is of least cost; else InvalidSolution."""
    exact = ExactFlow(arcs, flow)
    far, cycle = exact.shortest_ways()
    if cycle:
        saved = float(Fraction(-sum(way[2] for way in cycle), exact.scale))
        raise InvalidSolution(f"{place}: not optimal, a cycle of negative cost saves {saved:.6g}")
    if exact.bound(far) != exact.total():
        raise InvalidSolution(f"{place}: the prices do not prove the cost")
    return exact, far


def is_short(arcs: Circulation, nodes: frozenset[int]) -> bool:
    """Whether these nodes must take in more than can leave them."""
    needed = room = 0
    ends = zip(arcs.tail.tolist(), arcs.head.tolist(), arcs.lower.tolist(), arcs.upper.tolist(), strict=True)
    for tail, head, lower, upper in ends:
        needed += lower if head in nodes and tail not in nodes else 0
        room += upper if tail in nodes and head not in nodes else 0
    return needed > room
