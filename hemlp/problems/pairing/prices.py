"""Prices as ranges: what each class adds to the least cost, by every optimal dual solution, and by its absence.

A dual solution is a potential π of the residual network, with π(head) ≤ π(tail) + cost along each arc, and π = 0 at the
node that is source, sink and both default classes. The greatest potential of a node is the length of the shortest way
to it, and the least is minus that of the shortest way back: so each range is exact, and its ends are attained.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hemlp.hierarchy.labels import Label
from hemlp.instances.sides import PRED, SIDES, TRUE
from hemlp.problems.pairing.flow_proof import prove_cheapest
from hemlp.problems.pairing.flows import FlowSolution
from hemlp.problems.pairing.places import Place, Role
from hemlp.problems.pairing.proof import Arc, prove_optimal
from hemlp.problems.pairing.solution import PairingSolution


@dataclass(frozen=True)
class PriceRange:
    """The least and the greatest price of a class of a side, over all optimal dual solutions (infinite: no end)."""

    side: str
    label: Label
    least: float
    greatest: float


def price_ranges(solution: PairingSolution | FlowSolution) -> list[PriceRange]:
    """Of all classes of the only instance, predicted ones first; InvalidSolution unless it is optimal."""
    if isinstance(solution, FlowSolution):
        return _of_flow(solution)
    model = solution.model
    exact, _ = prove_optimal(model, solution, "the instance")
    arcs, size = list(exact.arcs()), 1 + sum(exact.sizes)
    there = _lengths(arcs, size)
    back = _lengths(((head, tail, cost, k, step) for tail, head, cost, k, step in arcs), size)
    found = []
    for side in (PRED, TRUE):
        for i in range(exact.sizes[side]):
            node = 1 + side * exact.sizes[PRED] + i
            low, high = _negative(back[node]), there[node]  # of the potential
            if side == PRED:  # whose price is minus its potential
                low, high = _negative(high), _negative(low)
            ends = (_as_float(low, exact.scale, -math.inf), _as_float(high, exact.scale, math.inf))
            found.append(PriceRange(SIDES[side], model.label(side, i), *ends))
    return found


def _of_flow(solution: FlowSolution) -> list[PriceRange]:
    """The same where there are further rules: a price is π(tail) − π(head) of the place of its class."""
    model, one = solution.model, solution.model.arcs
    exact, _ = prove_cheapest(one, solution.flow.tolist(), "the instance")
    ways, found = list(exact.ways()), []
    for side, place in ((PRED, Place.PREDICTED), (TRUE, Place.TRUE)):
        position = one.first if side == PRED else one.second
        at = np.flatnonzero((one.place == place) & (one.role == Role.ITSELF))
        for a in at[np.argsort(position[at])]:
            tail, head = int(one.tail[a]), int(one.head[a])
            low, high = _negative(_lengths(ways, exact.size, tail)[head]), _lengths(ways, exact.size, head)[tail]
            ends = (_as_float(low, exact.scale, -math.inf), _as_float(high, exact.scale, math.inf))
            found.append(PriceRange(SIDES[side], model.label(side, position[a]), *ends))
    return found


def _negative(length: int | None) -> int | None:
    return None if length is None else -length


def _as_float(length: int | None, scale: int, endless: float) -> float:
    return endless if length is None else float(Fraction(length, scale)) + 0.0


def _lengths(arcs: Iterable[Arc], size: int, start: int = 0) -> list[int | None]:
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
