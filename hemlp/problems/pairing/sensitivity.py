"""The least cost of Problem 1 as a function of one default cost D, exactly.

A pairing with the cost c of its pairs and k pairs with a default class costs c + k·D, a line in D. The least cost is
the lower envelope of those lines: concave, piecewise linear, with slopes that are numbers of default pairs. It is
found by asking at the two ends, and then, again and again, where two neighbouring lines meet: if no pairing is cheaper
there, they meet on the envelope, and else there is another line between them. All instances are asked at once, each at
its own D = p / q: costs times q, and the default cost p, are integers, so that nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, row_places, row_sums
from hemlp.optimize.model import Model, S
from hemlp.optimize.program import Status, exact_integers
from hemlp.problems.pairing.circulation import Group
from hemlp.problems.pairing.model import PairingModel

EXACT = 2.0**52
"""Floats are integers without rounding up to here."""
LARGE = 2.0**40
"""Costs that are integers are taken as they are up to here, as those are that are made integers."""
SMALL = 1e-9
"""Where costs are no common multiples: breakpoints below this share of the least cost, and gains below it, are none."""


@dataclass(frozen=True, eq=False)
class Envelope:
    """The lines of each instance from small to great D: ``cost[k] + count[k]·D`` for k from ``ptr[i]`` on.

    ``row[k]`` is the instance. ``cost`` is in units of 1/``scale``. ``exact``: whether all of it is.
    """

    row: IntArray
    cost: FloatArray
    count: FloatArray
    scale: int
    exact: bool


@dataclass(frozen=True, eq=False)
class _Question:
    """Instances with two of their lines each: which is the cheapest pairing where those meet?"""

    row: IntArray
    first: FloatArray
    second: FloatArray

    @property
    def meeting(self) -> tuple[FloatArray, FloatArray]:
        """p and q of D = p / q, where the lines meet."""
        return self.second[:, 0] - self.first[:, 0], self.first[:, 1] - self.second[:, 1]

    def part(self, which: NDArray[np.bool_]) -> _Question:
        return _Question(self.row[which], self.first[which], self.second[which])


def envelope(model: PairingModel) -> Envelope:
    """The lower envelope of each instance of a model whose default classes all cost the same."""
    lines: _Pairings | _Flows = _Pairings(model) if model.arcs is None else _Flows(model)
    costs, scale = _scaled(lines.costs)
    total, most = lines.totals(costs), lines.most
    exact = scale is not None and bool(((total + 1) * (most + 2) < EXACT).all())
    ask = lines.asking(costs)
    rows = np.arange(len(model))
    least = costs[costs > 0].min(initial=1.0)
    ends = (np.ones(len(model)), most + 1) if exact else (np.full(len(model), SMALL * least), np.ones(len(model)))
    left, right = ask(rows, *ends), ask(rows, total + 1, np.ones(len(model)))
    found = _between(_Question(rows, left, right), ask, exact)
    row = np.concatenate([rows, *(of.row for of in found), rows])
    pieces = np.concatenate([left, *(of.second for of in found), right])
    order = np.lexsort((-pieces[:, 1], row))
    row, pieces = row[order], pieces[order]
    new = np.ones(row.size, np.bool_)
    new[1:] = (row[1:] != row[:-1]) | (pieces[1:, 1] != pieces[:-1, 1])
    return Envelope(row[new], pieces[new, 0].copy(), pieces[new, 1].copy(), scale or 1, exact)


def _scaled(costs: FloatArray) -> tuple[FloatArray, int | None]:
    """Costs times a power of two that makes them integers, and it; None, and as they are, if none does."""
    if np.array_equal(costs, np.floor(costs)) and costs.max(initial=0) < LARGE:
        return costs, 1
    finite, place = np.unique(costs, return_inverse=True)
    scaled = exact_integers(finite)
    return (costs, None) if scaled is None else (np.array(scaled[0], np.float64)[place], scaled[1])


Ask = Callable[[IntArray, FloatArray, FloatArray], FloatArray]


def _between(question: _Question, ask: Ask, exact: bool) -> list[_Question]:
    """All lines between those of a question, as the second ones of the questions that found them."""
    found: list[_Question] = []
    question = question.part(question.first[:, 1] != question.second[:, 1])
    while question.row.size:
        p, q = question.meeting
        cheapest = ask(question.row, p, q)
        value, known = (line[:, 0] * q + line[:, 1] * p for line in (cheapest, question.first))
        below = value < known if exact else known - value > SMALL * (1 + np.abs(known))
        new = _Question(question.row, question.first, cheapest).part(below)
        found.append(new)
        rest = question.part(below)
        question = _Question(
            np.concatenate([new.row, rest.row]),
            np.concatenate([new.first, new.second]),
            np.concatenate([new.second, rest.second]),
        )
    return found


class _Pairings:
    """A pairing: its costs are κ, its default pairs u and v."""

    def __init__(self, model: PairingModel) -> None:
        self.model = model
        self.costs = model.kappa[model.finite_pairs]
        least = [row_sums(half.lower, half.side.ptr) for half in model.halves]
        self.most = least[0] + least[1]  # default pairs of an optimum

    def _kappa(self, costs: FloatArray) -> FloatArray:
        kappa = self.model.kappa.copy()
        kappa[self.model.finite_pairs] = costs
        return kappa

    def totals(self, costs: FloatArray) -> FloatArray:
        """What all pairs of each instance cost together."""
        kappa = self._kappa(costs)
        return row_sums(np.where(np.isfinite(kappa), kappa, 0.0), self.model.pairs.ptr)

    def asking(self, costs: FloatArray) -> Ask:
        """Who tells, for instances and their D = p / q, the line of a cheapest pairing: its cost, default pairs."""
        model = replace(self.model, kappa=self._kappa(costs))

        def ask(rows: IntArray, p: FloatArray, q: FloatArray) -> FloatArray:
            taken = model.take(rows)
            factor = np.repeat(q, np.diff(taken.pairs.ptr))
            halves = [
                replace(half, default=np.where(np.isinf(half.default), np.inf, np.repeat(p, np.diff(half.side.ptr))))
                for half in taken.halves
            ]
            asked = replace(taken, kappa=taken.kappa * factor, halves=(halves[0], halves[1]))
            solution = asked.solve()
            _check_solved(asked, solution, rows)
            chosen = np.flatnonzero(solution.chosen)
            row = np.searchsorted(taken.pairs.ptr, chosen, side="right") - 1
            cost = np.bincount(row, taken.kappa[chosen], len(taken))
            count = sum(row_sums(n, half.side.ptr) for n, half in zip(solution.to_default, halves, strict=True))
            return np.stack([cost, count], axis=1)

        return ask


class _Flows:
    """A pairing with further capacities: its costs are those of all arcs but of pairs with a default class."""

    def __init__(self, model: PairingModel) -> None:
        arcs = model.circulation
        self.model = model
        self.default = (arcs.group == Group.TO_DEFAULT) | (arcs.group == Group.FROM_DEFAULT)
        self.costs = np.where(self.default, 0.0, arcs.cost)
        self.most = row_sums(np.where(self.default, arcs.upper, 0), arcs.ptr)

    def totals(self, costs: FloatArray) -> FloatArray:
        """What all arcs of each instance cost together, if they carry all that they can."""
        return row_sums(costs * self.model.circulation.upper, self.model.circulation.ptr)

    def asking(self, costs: FloatArray) -> Ask:
        """Who tells, for instances and their D = p / q, the line of a cheapest flow: its costs, its default pairs."""
        model = self.model

        def ask(rows: IntArray, p: FloatArray, q: FloatArray) -> FloatArray:
            taken, at = model.take(rows), row_places(model.circulation.ptr, rows)
            arcs, default, own = taken.circulation, self.default[at], costs[at]
            cost = np.where(default, np.repeat(p, np.diff(arcs.ptr)), own * np.repeat(q, np.diff(arcs.ptr)))
            asked = replace(taken, arcs=replace(arcs, cost=cost))
            solution = asked.solve()
            _check_solved(asked, solution, rows)
            flow = asked.flow(solution)
            parts = np.where(default, 0.0, own * flow), np.where(default, flow, 0)
            return np.stack([row_sums(part, arcs.ptr) for part in parts], axis=1)

        return ask


def _check_solved(model: Model[S], solution: S, rows: IntArray) -> None:
    """Raise InfeasibleModel where an instance has no solution, at whatever default cost."""
    for k in np.flatnonzero(solution.statuses > Status.FEASIBLE)[:1].tolist():
        raise model.failure(solution, k, int(rows[k]) + 1)
