"""How a measure of Problem 1 depends on its default cost D: exactly, for one instance or on average over many.

A pairing with the cost c of its pairs and k pairs with a default class costs c + k·D, a line in D. The least cost is
the lower envelope of those lines: concave, piecewise linear, with slopes that are numbers of default pairs. It is
found by asking at the two ends, and then, again and again, where two neighbouring lines meet: if no pairing is cheaper
there, they meet on the envelope, and else there is another line between them. All instances are asked at once, each at
its own D = p / q: costs times q, and the default cost p, are integers, so that nothing is rounded.

>>> from hemlp import Hierarchy, measure
>>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
>>> sensitivity = measure("GIE").sensitivity(h, true=["sheep", "bird"], pred=["cow"])
>>> sensitivity.breakpoints, sensitivity(1), sensitivity(5)
((Fraction(1, 1),), Fraction(3, 1), Fraction(7, 1))
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption
from hemlp.instances.batch import Batch
from hemlp.measures.pair_scores import DIVISORS, PairFacts
from hemlp.measures.scoring import split_rows
from hemlp.optimize.program import Status, exact_integers
from hemlp.problems.pairing.circulation import Group
from hemlp.problems.pairing.model import PairingModel
from hemlp.text.tables import Table, plural

if TYPE_CHECKING:
    from hemlp.measures.pair_measure import PairMeasure

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
    between = _between(every, left, right, ask, exact)
    row = np.concatenate([every, *(of for of, _ in between), every])
    pieces = np.concatenate([left, *(lines for _, lines in between), right])
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


def _between(
    row: IntArray, first: FloatArray, second: FloatArray, ask: Ask, exact: bool
) -> list[tuple[IntArray, FloatArray]]:
    """All lines between the ``first`` and the ``second`` of each instance, with their instances."""
    between: list[tuple[IntArray, FloatArray]] = []
    row, first, second = (of[first[:, 1] != second[:, 1]] for of in (row, first, second))
    while row.size:
        p, q = second[:, 0] - first[:, 0], first[:, 1] - second[:, 1]  # they meet at D = p / q
        cheapest = ask(row, p, q)
        value, known = (line[:, 0] * q + line[:, 1] * p for line in (cheapest, first))
        below = value < known if exact else known - value > SMALL * (1 + np.abs(known))
        row, first, middle, second = (of[below] for of in (row, first, cheapest, second))
        between.append((row, middle))
        row = np.concatenate([row, row])
        first, second = np.concatenate([first, middle]), np.concatenate([middle, second])
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
        for k in np.flatnonzero(solution.statuses > Status.FEASIBLE)[:1].tolist():  # at whatever default cost
            raise asked.failure(solution, k, int(rows[k]) + 1)
        values = asked.values(solution)
        parts = np.where(default, 0.0, own * values), np.where(default, values, 0.0)
        return np.stack([np.bincount(row, part, len(rows)) for part in parts], axis=1)

    return ask


Number = Fraction | float


@dataclass(frozen=True)
class Sensitivity:
    """The least cost as a function of D ≥ 0: ``pieces[k]`` = (c, k) is the line c + k·D before ``breakpoints[k]``.

    On average over ``instances``. Numbers are fractions where costs are integers over a common power of two
    (``exact``), and floats where not. ``accuracy``: the measure is 1 − the average of error / (count · D).
    """

    breakpoints: tuple[Number, ...]
    pieces: tuple[tuple[Number, Number], ...]
    instances: int
    accuracy: bool = False
    exact: bool = True

    def total(self, default_cost: Number) -> Number:
        """c + k·D of the line at D."""
        cost, count = self.pieces[bisect_left(self.breakpoints, default_cost)]
        return cost + count * default_cost

    def __call__(self, default_cost: float | Fraction) -> Number:
        """The mean of the measure at this D, without solving anything.

        Parameters
        ----------
        default_cost
            A number of at least 0, of an accuracy above 0; integers and fractions are taken as they are, floats as the
            fractions that they are.
        """
        least = "above 0" if self.accuracy else "of at least 0"
        try:
            wanted = Fraction(default_cost) if self.exact else float(default_cost)
        except (TypeError, ValueError, OverflowError):
            raise InvalidOption(f"default_cost={default_cost!r} is not a number {least}") from None
        if not wanted >= 0 or (self.accuracy and not wanted):
            raise InvalidOption(f"default_cost={default_cost!r} is not a number {least}")
        total = self.total(wanted)
        return 1 - total / wanted if self.accuracy else total

    def table(self) -> Table:
        """One row per line: from which D on, its cost and its slope."""
        lines = zip([0, *self.breakpoints], self.pieces, strict=True)
        rows = [list(map(format_default_cost, (start, *line))) for start, line in lines]
        note = "fractions" if self.exact else "floats: costs are no multiples of a common power of two"
        return Table(
            ["from D", "cost", "default pairs"], rows, [f"means over {plural(self.instances, 'instance')}; {note}"]
        )

    def __str__(self) -> str:
        return str(self.table())


def format_default_cost(value: Number) -> str:
    """A number for readers: short fractions as they are, with what they amount to."""
    number = Fraction(value)
    if number.denominator == 1:
        return str(number.numerator)
    exact = f"{number} = " if isinstance(value, Fraction) and number.denominator < 10_000 else ""
    return f"{exact}{float(number):.6g}"


class EnvelopeSum:
    """Adds up envelopes of many instances, part by part: Σ over instances of line / weight."""

    def __init__(self, measure: PairMeasure) -> None:
        if not isinstance(measure.default_cost, int | float) or measure.pairing != "optimal":
            raise InvalidOption(f"{measure} has not one default cost for all classes: there is none to vary")
        if measure.weights is not None:
            raise InvalidOption(f"{measure}: with weights its classes have default costs of their own")
        if measure.scoring not in DIVISORS:
            raise InvalidOption(f"{measure}: only an error or an accuracy is known as a function of the default cost")
        self.measure = measure
        self.first: defaultdict[int, list[Number]] = defaultdict(lambda: [0, 0])
        self.bends: defaultdict[tuple[Number, int], list[Number]] = defaultdict(lambda: [0, 0])
        self.instances = 0
        self.exact = True

    def add_batch(self, batch: Batch) -> None:
        """The instances of a batch."""
        weights = DIVISORS[str(self.measure.scoring)]
        for rows in split_rows(batch, np.arange(len(batch)), self.measure._mean_closure_size(batch.hierarchy)):
            part = batch if len(rows) == len(batch) else batch.take(rows)
            self.instances += len(part)
            facts = PairFacts(part, np.zeros(len(part)), part.pred.sizes, part.true.sizes, 1.0)
            self._add(envelope(self.measure.model(part)), weights(facts))

    def _add(self, part: Envelope, weights: IntArray) -> None:
        """The envelopes of one more part; ``weights``: by what the lines of each instance are divided."""
        self.exact = self.exact and part.exact
        begins = np.ones(part.row.size, np.bool_)
        begins[1:] = part.row[1:] != part.row[:-1]
        weight = weights[part.row]
        lines = np.stack([part.cost, part.count], axis=1)
        for w in np.unique(weight[begins]).tolist():
            of = lines[begins & (weight == w)]
            self._into(self.first[w], of, part)
        at = np.flatnonzero(~begins)
        if not at.size:
            return
        change = lines[at] - lines[at - 1]
        p, q = change[:, 0], -change[:, 1]
        if part.exact:
            common = np.gcd(p.astype(np.int64), q.astype(np.int64))
            p, q = p / common, q / common
        keys = np.stack([p, q, weight[at].astype(np.float64)], axis=1)
        distinct, place = np.unique(keys, axis=0, return_inverse=True)
        order = np.argsort(place.ravel(), kind="stable")
        cuts = np.searchsorted(place.ravel()[order], np.arange(1, len(distinct)))
        for (a, b, w), members in zip(distinct.tolist(), np.split(change[order], cuts), strict=True):
            d: Number = Fraction(int(a), int(b) * part.scale) if part.exact else a / b
            self._into(self.bends[d, int(w)], members, part)

    @staticmethod
    def _into(sums: list[Number], lines: Any, part: Envelope) -> None:
        """Add lines to a sum, without rounding where they are integers."""
        for k, unit in ((0, part.scale), (1, 1)):
            values = lines[:, k].tolist()
            sums[k] += Fraction(sum(map(int, values)), unit) if part.exact else math.fsum(values) / unit

    def sensitivity(self) -> Sensitivity:
        """The average."""
        number: Any = Fraction if self.exact else float
        count = max(self.instances, 1)

        def averaged(sums: Iterable[tuple[int, list[Number]]]) -> tuple[Number, Number]:
            parts = [(number(c) / (w * count), number(k) / (w * count)) for w, (c, k) in sums]
            return reduce(add, (c for c, _ in parts), number(0)), reduce(add, (k for _, k in parts), number(0))

        pieces = [averaged(self.first.items())]
        by_place: defaultdict[Number, list[tuple[int, list[Number]]]] = defaultdict(list)
        for (d, w), sums in self.bends.items():
            by_place[number(d)].append((w, sums))
        breakpoints = sorted(by_place)
        for d in breakpoints:
            cost, slope = averaged(by_place[d])
            pieces.append((pieces[-1][0] + cost, pieces[-1][1] + slope))
        return Sensitivity(
            tuple(breakpoints), tuple(pieces), self.instances, self.measure.scoring != "error", self.exact
        )


def crossings(first: Sensitivity, second: Sensitivity) -> list[tuple[Number, int]]:
    """Where two change places, and which is ahead (costs less) before: 0 the first, 1 the second.

    Where they are equal for a while, they change places where they become equal.
    """
    places: list[Number] = sorted({*first.breakpoints, *second.breakpoints})
    flips: list[tuple[Number, int]] = []
    ahead: int | None = None
    equal_since: Number | None = None
    for k in range(len(places) + 1):
        low: Number = places[k - 1] if k else 0
        high = places[k] if k < len(places) else None
        inside = low + 1 if high is None else (low + high) / 2
        lines = [of.pieces[bisect_left(of.breakpoints, inside)] for of in (first, second)]
        cost, slope = (lines[0][i] - lines[1][i] for i in (0, 1))
        start, end = cost + slope * low, slope if high is None else cost + slope * high
        if high is None and not slope:
            end = cost
        if start:
            ahead = int(start > 0) if ahead is None else ahead
        if start and end and (start > 0) != (end > 0):
            flips.append((-cost / slope, int(start > 0)))
            ahead = int(end > 0)
        elif end:
            now = int(end > 0)
            if ahead is not None and now != ahead:
                assert equal_since is not None
                flips.append((equal_since, ahead))
            ahead, equal_since = now, None
        elif start and high is not None:
            equal_since = high
    return flips
