"""Proofs about one instance of Problem 1, in exact arithmetic and without any solver.

Costs become integers (times a power of two), so nothing is rounded. A pairing is of least cost if and only if no cycle
of its residual network has a negative cost; the lengths of shortest ways there are prices that prove it. An instance
has no pairing at all if and only if some classes of one side need more pairs than their neighbours can take.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from hemlp.errors import InvalidSolution
from hemlp.instances.sides import PRED, SIDES, TRUE
from hemlp.optimize.program import ProgramResult, Status

if TYPE_CHECKING:
    from hemlp.problems.pairing.model import PairingModel
    from hemlp.problems.pairing.solution import PairingSolution

Arc = tuple[int, int, int, int, int]
"""Tail, head, cost, the variable that a flow along it changes (-1: none), and by how much."""


@dataclass(frozen=True)
class Shortage:
    """Why an instance has no pairing: ``classes`` of a side need more pairs than there can be.

    ``classes`` are positions within the instance, ``needed`` the sum of their lower bounds. Every pair of theirs has
    a partner that takes part in so many pairs at most, which leaves them ``available`` pairs.
    """

    side: str
    classes: tuple[int, ...]
    needed: int
    available: int


class ExactPairing:
    """The residual network of a pairing of one instance. Node 0 is source, sink and both default classes in one.

    Variables are numbered: pairs, then predicted, then true classes with the default class.
    """

    def __init__(self, model: PairingModel, solution: PairingSolution) -> None:
        self.model = model
        self.sides = [(half.lower.tolist(), half.upper.tolist(), half.default.tolist()) for half in model.halves]
        self.sizes = tuple(len(lower) for lower, _, _ in self.sides)
        kappa = model.kappa.tolist()
        finite = model.cost_values.tolist()
        self.scale = max((Fraction(cost).denominator for cost in finite), default=1)
        self.pairs = [(int(k), self._integer(kappa[k]), int(model.serves[k])) for k in model.finite_pairs]
        self.first_default = len(kappa), len(kappa) + self.sizes[PRED]
        self.values: list[int] = solution.chosen.astype(int).tolist()
        self.values += solution.to_default[PRED].tolist() + solution.to_default[TRUE].tolist()

    def _integer(self, cost: float) -> int:
        return int(Fraction(cost) * self.scale)

    def default(self, side: int, i: int) -> int | None:
        """What the default class costs, None if there is none."""
        cost = self.sides[side][2][i]
        return self._integer(cost) if cost < float("inf") else None

    def degrees(self) -> tuple[list[int], list[int]]:
        """How many pairs each class takes part in, default classes included."""
        at_p, at_t = self.first_default
        degrees = self.values[at_p:at_t], self.values[at_t:]
        for k, _, serves in self.pairs:
            for side, end in enumerate(divmod(k, self.sizes[TRUE])):
                degrees[side][end] += self.values[k] * (serves >> side & 1)
        return degrees

    def arcs(self) -> Iterator[Arc]:
        """All arcs of the residual network."""
        for k, cost, serves in self.pairs:
            row, column = divmod(k, self.sizes[TRUE])
            tail = 1 + row if serves & 1 else 0
            head = 1 + self.sizes[PRED] + column if serves & 2 else 0
            yield (head, tail, -cost, k, -1) if self.values[k] else (tail, head, cost, k, 1)
        degrees = self.degrees()
        for side, (lower, upper, _) in enumerate(self.sides):
            for i in range(len(lower)):
                node = 1 + side * self.sizes[PRED] + i
                source, sink = (0, node) if side == PRED else (node, 0)
                if degrees[side][i] < upper[i]:
                    yield source, sink, 0, -1, 0
                if degrees[side][i] > lower[i]:
                    yield sink, source, 0, -1, 0
                default, variable = self.default(side, i), self.first_default[side] + i
                if default is not None and self.values[variable] < upper[i]:
                    yield sink, source, default, variable, 1
                if default is not None and self.values[variable] > 0:
                    yield source, sink, -default, variable, -1

    def shortest_ways(self) -> tuple[list[int], list[Arc]]:
        """The length of the shortest way to each node (Bellman, Ford), and a cycle of negative cost if there is one."""
        arcs = list(self.arcs())
        size = 1 + sum(self.sizes)
        far = [0] * size
        came: list[Arc | None] = [None] * size
        while True:
            changed = False
            for arc in arcs:
                tail, head, cost, _, _ = arc
                if far[tail] + cost < far[head]:
                    far[head], came[head], changed = far[tail] + cost, arc, True
            cycle = _cycle(came) if changed else []
            if cycle or not changed:
                return far, cycle

    def improve(self) -> list[int]:
        """Change the pairing until it is of least cost; the lengths of shortest ways, which prove it."""
        while True:
            far, cycle = self.shortest_ways()
            if not cycle:
                return far
            for _, _, _, variable, step in cycle:
                if variable >= 0:
                    self.values[variable] += step

    def cost(self) -> int:
        """Of all pairs, times the scale."""
        total = sum(cost * self.values[k] for k, cost, _ in self.pairs)
        for side in (PRED, TRUE):
            for i in range(self.sizes[side]):
                total += self.values[self.first_default[side] + i] * (self.default(side, i) or 0)
        return total

    def prices(self, far: Sequence[int]) -> tuple[list[int], list[int]]:
        """The prices of predicted and true classes, times the scale, that shortest ways imply."""
        at = 1 + self.sizes[PRED]
        return [far[0] - f for f in far[1:at]], [f - far[0] for f in far[at:]]

    def binding(self, far: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Pairs that cost less than their ends pay, with that difference, below 0 and times the scale."""
        prices = self.prices(far)
        for k, cost, serves in self.pairs:
            ends = enumerate(divmod(k, self.sizes[TRUE]))
            reduced = cost - sum(prices[side][end] * (serves >> side & 1) for side, end in ends)
            if reduced < 0:
                yield k, reduced

    def bound(self, far: Sequence[int]) -> int:
        """What every pairing costs at least, times the scale, by the prices of shortest ways (weak duality)."""
        prices = self.prices(far)
        total = sum(reduced for _, reduced in self.binding(far))
        for side, (lower, upper, _) in enumerate(self.sides):
            for i, price in enumerate(prices[side]):
                total += price * (lower[i] if price > 0 else upper[i])
                default = self.default(side, i)
                total += 0 if default is None else min(0, default - price) * upper[i]
        return total

    def solution(self) -> PairingSolution:
        """The pairing with the status OPTIMAL."""
        first, halves = self.first_default, self.model.halves
        variables = self.model.finite_pairs.tolist()
        variables += [first[side] + i for side in (PRED, TRUE) for i in halves[side].with_default.tolist()]
        values = np.array([self.values[k] for k in variables], np.float64)
        return self.model.solution(ProgramResult(Status.OPTIMAL, values))


def _cycle(came: Sequence[Arc | None]) -> list[Arc]:
    """The arcs of a cycle of the ways by which nodes were reached, if there is one."""
    mark = [-1] * len(came)
    for start in range(len(came)):
        node: int = start
        while mark[node] < 0 and (arc := came[node]) is not None:
            mark[node] = start
            node = arc[0]
        if came[node] is not None and mark[node] == start:
            cycle: list[Arc] = []
            while not cycle or node != cycle[0][1]:
                arc = came[node]
                assert arc is not None
                cycle.append(arc)
                node = arc[0]
            return cycle
    return []


def improved(model: PairingModel, solution: PairingSolution) -> PairingSolution:
    """A pairing of least cost of one instance, from one that keeps its bounds."""
    exact = ExactPairing(model, solution)
    exact.improve()
    return exact.solution()


def prove_optimal(model: PairingModel, solution: PairingSolution, place: str) -> tuple[ExactPairing, list[int]]:
    """The prices that prove that a pairing of one instance is of least cost; else InvalidSolution."""
    exact = ExactPairing(model, solution)
    far, cycle = exact.shortest_ways()
    if cycle:
        saved = float(Fraction(-sum(arc[2] for arc in cycle), exact.scale))
        raise InvalidSolution(
            f"{place}: not optimal, a cycle of negative cost leads to a pairing that costs {saved:.6g} less"
        )
    if exact.bound(far) != exact.cost():
        raise InvalidSolution(f"{place}: the prices do not prove the cost")
    return exact, far


def find_shortage(model: PairingModel) -> Shortage | None:
    """Classes of one side of an instance that need more pairs than there can be; None if it has a pairing.

    A lower bound matters only where there is no default class. Whether all those of a side can be kept is a maximum
    flow; where they cannot, the classes that a search for one more pair reaches are the shortage. The two sides can be
    looked at one after the other: pairings that keep one and the other can be combined to one that keeps both.
    """
    serves, width = model.serves.tolist(), model.halves[TRUE].lower.size
    for side in (PRED, TRUE):
        half, most = model.halves[side], model.halves[1 - side].upper.tolist()
        partners: list[list[int | None]] = [[] for _ in range(half.lower.size)]
        for (
            k
        ) in model.finite_pairs.tolist():  # a pair that counts for this side alone has no partner that could be taken
            if serves[k] >> side & 1:
                end = divmod(k, width)
                partners[end[side]].append(end[1 - side] if serves[k] == 3 else None)
        needed = [0 if np.isfinite(d) else int(low) for low, d in zip(half.lower, half.default, strict=True)]
        stuck = _unmatched(needed, partners, most)
        if stuck is not None:
            return _shortage(SIDES[side], stuck, needed, partners, most)
    return None


def _shortage(
    side: str, classes: set[int], needed: list[int], partners: list[list[int | None]], most: list[int]
) -> Shortage:
    wanted: dict[int | None, int] = {}
    for i in classes:
        for j in partners[i]:
            wanted[j] = wanted.get(j, 0) + 1
    available = sum(count if j is None else min(count, most[j]) for j, count in wanted.items())
    return Shortage(side, tuple(sorted(classes)), sum(needed[i] for i in classes), available)


def _unmatched(needed: list[int], partners: list[list[int | None]], most: list[int]) -> set[int] | None:
    """Classes that cannot all have the pairs that they need, found by augmenting ways; None if all can."""
    for i, count in enumerate(needed):
        if count > len(partners[i]):
            return {i}
    holders: list[set[int]] = [set() for _ in most]
    for i, count in enumerate(needed):
        missing = count - partners[i].count(None)
        while missing > 0:
            came: dict[int, tuple[int, int] | None] = {i: None}  # class → (partner taken from it, who takes it)
            queue = [i]
            free = None
            for c in queue:
                for j in partners[c]:
                    if j is None or c in holders[j]:
                        continue
                    if len(holders[j]) < most[j]:
                        free = (j, c)
                        break
                    for other in holders[j] - came.keys():
                        came[other] = (j, c)
                        queue.append(other)
                if free is not None:
                    break
            if free is None:
                return set(came)
            step: tuple[int, int] | None = free
            while step is not None:
                j, c = step
                holders[j].add(c)
                step = came[c]
                if step is not None:
                    holders[step[0]].discard(c)
            missing -= 1
    return None
