"""The least cost of Problem 1 as a function of one default cost D, exactly.

A pairing with the cost c of its pairs and k pairs with a default class costs c + k·D, a line in D. The least cost is
the lower envelope of those lines: concave, piecewise linear, with slopes that are numbers of default pairs. It is
found by asking at the two ends, and then, again and again, where two neighbouring lines meet: if no pairing is cheaper
there, they meet on the envelope, and else there is another line between them. All instances are asked at once, each at
its own D = p / q: costs times q, and the default cost p, are integers, so that nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
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
    size, (rows, upper, default) = len(model), _variables(model)
    costs, scale = _scaled(np.where(default, 0.0, model.cost_values))
    total, most = (
        np.bincount(rows, of, size).astype(np.float64) for of in (costs * upper, np.where(default, upper, 0.0))
    )
    exact = scale is not None and bool(((total + 1) * (most + 2) < EXACT).all())
    ask = _asking(model.with_cost_values(costs))
    every, ones = np.arange(size), np.ones(size)
    least = costs[costs > 0].min(initial=1.0)
    ends = (ones, most + 1) if exact else (np.full(size, SMALL * least), ones)
    left, right = ask(every, *ends), ask(every, total + 1, ones)
    between = _between(_Question(every, left, right), ask, exact)
    row = np.concatenate([every, *(of.row for of in between), every])
    pieces = np.concatenate([left, *(of.second for of in between), right])
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
    between: list[_Question] = []
    question = question.part(question.first[:, 1] != question.second[:, 1])
    while question.row.size:
        p, q = question.meeting
        cheapest = ask(question.row, p, q)
        value, known = (line[:, 0] * q + line[:, 1] * p for line in (cheapest, question.first))
        below = value < known if exact else known - value > SMALL * (1 + np.abs(known))
        new = _Question(question.row, question.first, cheapest).part(below)
        between.append(new)
        rest = question.part(below)
        question = _Question(
            np.concatenate([new.row, rest.row]),
            np.concatenate([new.first, new.second]),
            np.concatenate([new.second, rest.second]),
        )
    return between


def _variables(model: PairingModel) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
    """The instance of each variable, its greatest value, and whether it is a pair with a default class."""
    if not model.plain:
        arcs, at = model.circulation, model.variables
        return arcs.rows[at], arcs.upper[at], np.isin(arcs.group[at], (Group.TO_DEFAULT, Group.FROM_DEFAULT))
    pairs = model.finite_pairs
    lists = [(model.pairs.ptr, pairs, np.ones(pairs.size, np.int64))]
    lists += [(half.side.ptr, half.with_default, half.upper[half.with_default]) for half in model.halves]
    rows = np.concatenate([np.searchsorted(ptr, at, side="right") - 1 for ptr, at, _ in lists])
    return rows, np.concatenate([upper for _, _, upper in lists]), np.arange(rows.size) >= pairs.size


def _asking(model: PairingModel) -> Ask:
    """A function of instances and their D = p / q: the line of a cheapest pairing, its cost and its default pairs."""

    def ask(rows: IntArray, p: FloatArray, q: FloatArray) -> FloatArray:
        taken = model.take(rows)
        own, (row, _, default) = taken.cost_values, _variables(taken)
        asked = taken.with_cost_values(np.where(default, p[row], own * q[row]))
        solution = asked.solve()
        _check_solved(asked, solution, rows)
        values = asked.values(solution)
        parts = np.where(default, 0.0, own * values), np.where(default, values, 0.0)
        return np.stack([np.bincount(row, part, len(rows)) for part in parts], axis=1)

    return ask


def _check_solved(model: Model[S], solution: S, rows: IntArray) -> None:
    """Raise InfeasibleModel where an instance has no solution, at whatever default cost."""
    for k in np.flatnonzero(solution.statuses > Status.FEASIBLE)[:1].tolist():
        raise model.failure(solution, k, int(rows[k]) + 1)
