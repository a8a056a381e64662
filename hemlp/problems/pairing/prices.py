"""Prices as ranges: what each class adds to the least cost, by every optimal dual solution, and by its absence.

A dual solution is a potential π of the residual network, with π(head) ≤ π(tail) + cost along each arc. What the
potentials of two nodes differ by is at most the length of the shortest path between them, and at least minus that of
the shortest path back: so each range is exact, and its ends are attained.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from hemlp.hierarchy.labels import Label
from hemlp.instances.sides import PRED, SIDES, TRUE
from hemlp.problems.pairing.proof import ResidualArc, prove_cheapest
from hemlp.problems.pairing.solution import PairingSolution


@dataclass(frozen=True)
class PriceRange:
    """The least and the greatest price of a class of a side, over all optimal dual solutions (infinite: no end)."""

    side: str
    label: Label
    least: float
    greatest: float


def price_ranges(solution: PairingSolution) -> list[PriceRange]:
    """Of all classes of the only instance, predicted ones first; InvalidSolution unless it is optimal.

    A price is π(tail) − π(head) of the arc of its class.
    """
    model, one = solution.model, solution.model.circulation
    exact, _ = prove_cheapest(one, model.flow(solution).tolist(), "the instance")
    arcs, found = list(exact.residual()), []
    for side in (PRED, TRUE):
        for k, a in enumerate(one.class_arcs(side)):
            tail, head = int(one.tail[a]), int(one.head[a])
            low, high = _negative(_lengths(arcs, exact.size, tail)[head]), _lengths(arcs, exact.size, head)[tail]
            ends = (_as_float(low, exact.scale, -math.inf), _as_float(high, exact.scale, math.inf))
            found.append(PriceRange(SIDES[side], model.label(side, k), *ends))
    return found


def _negative(length: int | None) -> int | None:
    return None if length is None else -length


def _as_float(length: int | None, scale: int, endless: float) -> float:
    return endless if length is None else float(Fraction(length, scale)) + 0.0


def _lengths(arcs: Iterable[ResidualArc], size: int, start: int = 0) -> list[int | None]:
    """The length of the shortest way from a node to each, None without one; there is no negative cycle."""
    kept = list(arcs)
    far: list[int | None] = [None] * size
    far[start] = 0
    changed = True
    while changed:
        changed = False
        for tail, head, cost, _, _ in kept:
            at, to = far[tail], far[head]
            if at is not None and (to is None or at + cost < to):
                far[head], changed = at + cost, True
    return far
