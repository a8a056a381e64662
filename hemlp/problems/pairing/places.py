"""Problem 1 as a circulation whose places all have capacities and prices.

    source → predicted class → true class → sink → source,
    predicted class → default, default → true class

A *place* is an arc of that figure: a pair, a class, a default class, or the way from the sink back to the source. One
that has prices becomes several arcs: units that cost more and more go side by side to a node of their own, and from
there through the place itself; what is too many goes past it at a price, and what is missing comes back at another.

    tail ⇉ own node      [0, 1] at each_1, [0, 1] at each_2, ..., where units have costs
    own node → head      [α, β], the place itself
    own node → head      what is too many, at the price above
    head → own node      what is missing, at the price below

Where the number of pairs is limited, pairs with a default class do not pass the arc from the sink to the source: the
default true class leads back to the source, and the default predicted class is fed from the sink.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray, pointers, row_places, row_sums
from hemlp.instances.batch import Batch
from hemlp.instances.sides import PRED, TRUE
from hemlp.problems.pairing.bounds import ALL, Bounds, plain_range, side_prices
from hemlp.problems.pairing.capacities import Capacity, PairRule, Priced
from hemlp.problems.pairing.pairs import Pairs

SOURCE, SINK, DEFAULT_PRED, DEFAULT_TRUE = range(4)
"""Nodes that each instance has; then come predicted classes, true classes, and nodes that places have of their own."""
OWN = 4


class Place(IntEnum):
    """What an arc is about: a pair, a pair with a default class, a class, a default class, the number of pairs."""

    PAIR, TO_DEFAULT, FROM_DEFAULT, PREDICTED, TRUE, DEFAULT_TRUE, DEFAULT_PRED, TOTAL = range(8)


class Role(IntEnum):
    """Which arc of a place: the place itself, or what is missing, too many, or counted; FREE: one without any rule."""

    ITSELF, BELOW, ABOVE, EACH, FREE = range(5)


@dataclass(frozen=True, eq=False)
class Circulation:
    """The arcs of all instances (CSR), between the nodes of their instance.

    ``first`` and ``second``: positions of the predicted and the true class within the instance, -1 for none.
    ``number``: how many units have come before, where arcs stand side by side.
    """

    nodes: IntArray
    ptr: IntArray
    tail: IntArray
    head: IntArray
    lower: IntArray
    upper: IntArray
    cost: FloatArray
    place: IntArray
    role: IntArray
    first: IntArray
    second: IntArray
    number: IntArray

    def part(self, start: int, stop: int) -> Circulation:
        """Of the instances from ``start`` on and before ``stop``."""
        at = slice(int(self.ptr[start]), int(self.ptr[stop]))
        kept = [getattr(self, each.name)[at] for each in fields(self)[2:]]
        return Circulation(self.nodes[start:stop], self.ptr[start : stop + 1] - self.ptr[start], *kept)

    def taken(self, rows: IntArray) -> tuple[Circulation, IntArray]:
        """Of some instances, in their order, each as often as it is named; and where their arcs are."""
        at = row_places(self.ptr, rows)
        kept = [getattr(self, each.name)[at] for each in fields(self)[2:]]
        return Circulation(self.nodes[rows], pointers(np.diff(self.ptr)[rows]), *kept), at

    @property
    def rows(self) -> IntArray:
        """The instance of each arc."""
        return np.repeat(np.arange(self.nodes.size), np.diff(self.ptr))


@dataclass(frozen=True, eq=False)
class Sides:
    """What Problem 1 has beside pairs, for each side: hard bounds of the classes, and their default costs."""

    lower: tuple[IntArray, IntArray]
    upper: tuple[IntArray, IntArray]
    default: tuple[FloatArray, FloatArray]


class _Builder:
    """Collects arcs in blocks."""

    def __init__(self, batch: Batch) -> None:
        self.blocks: list[list[Any]] = []
        self.nodes = OWN + np.diff(batch.pred.ptr) + np.diff(batch.true.ptr)

    def add(
        self, rows: IntArray, ends: tuple[Any, Any], bounds: tuple[Any, Any], kind: tuple[Place, Role],
        cost: Any = 0.0, classes: tuple[Any, Any] = (-1, -1), number: Any = 0,
    ) -> None:  # fmt: skip
        """Arcs of one kind."""
        columns = (*ends, *bounds, cost, *kind, *classes, number)
        self.blocks.append([rows, *(np.broadcast_to(np.asarray(column), rows.shape) for column in columns)])

    def own_nodes(self, rows: IntArray) -> IntArray:
        """One new node for each entry; rows are sorted."""
        counts = np.bincount(rows, minlength=self.nodes.size)
        made: IntArray = self.nodes[rows] + np.arange(rows.size) - (np.cumsum(counts) - counts)[rows]
        self.nodes = self.nodes + counts
        return made

    def place(
        self, place: Place, rows: IntArray, ends: tuple[IntArray, IntArray], bounds: tuple[IntArray, IntArray],
        capacity: Capacity, most: IntArray, classes: tuple[Any, Any] = (-1, -1),
    ) -> None:  # fmt: skip
        """A place of each row, all with the prices of one capacity; ``most``: what could ever go through it."""
        (tail, head), (lower, upper) = ends, bounds
        prices = capacity if isinstance(capacity, Priced) else Priced(capacity)
        if prices.each:
            room = most if prices.above is not None else upper
            tail = self.own_nodes(rows)
            for number, (size, cost) in enumerate(_pieces(room, prices.each)):
                self.add(rows, (ends[0], tail), (0, size), (place, Role.EACH), cost, classes, number)
        self.add(rows, (tail, head), bounds, (place, Role.ITSELF), 0.0, classes)
        if prices.above is not None:
            beyond = np.maximum(most - upper, 0)
            self.add(rows, (tail, head), (0, beyond), (place, Role.ABOVE), prices.above, classes)
        if prices.below is not None:
            self.add(rows, (head, tail), (0, lower), (place, Role.BELOW), prices.below, classes)

    def made(self, size: int) -> Circulation:
        """All arcs, instance by instance."""
        kinds = (np.int64, np.int32, np.int32, np.int64, np.int64, np.float64, np.int8, np.int8, *(np.int32,) * 3)
        columns = (
            np.concatenate(column, dtype=kind, casting="unsafe")
            for column, kind in zip(zip(*self.blocks, strict=True), kinds, strict=True)
        )
        rows = next(columns)
        order = np.argsort(rows, kind="stable")
        made = [column[order] for column in columns]
        return Circulation(self.nodes, pointers(np.bincount(rows, minlength=size)), *made)


def _pieces(room: IntArray, each: tuple[float, ...]) -> list[tuple[IntArray, float]]:
    """How many units have which cost: the last cost is that of all further ones."""
    last = len(each) - 1
    return [(np.clip(room - k, 0, None if k == last else 1), cost) for k, cost in enumerate(each)]


class _Classes:
    """The classes of one side: their instances, positions there, and nodes."""

    def __init__(self, batch: Batch, side: int) -> None:
        self.side, self.ptr = side, batch.sides[side].ptr
        self.rows = np.repeat(np.arange(len(batch)), np.diff(self.ptr))
        self.inner: IntArray = np.arange(self.rows.size) - self.ptr[self.rows]
        before = 0 if side == PRED else np.diff(batch.pred.ptr)[self.rows]
        self.nodes: IntArray = OWN + before + self.inner

    def between(self, at: IntArray, far: int) -> tuple[IntArray, IntArray]:
        """Tails and heads of arcs to predicted classes from a node, or from true classes to it."""
        other = np.full(at.size, far)
        return (other, self.nodes[at]) if self.side == PRED else (self.nodes[at], other)

    def named(self, at: IntArray) -> tuple[Any, Any]:
        """Positions of the predicted and of the true class."""
        return (self.inner[at], -1) if self.side == PRED else (-1, self.inner[at])


def circulation(batch: Batch, pairs: Pairs, kappa: FloatArray, sides: Sides, bounds: Bounds) -> Circulation:
    """The circulation of each instance of a batch."""
    build, classes = _Builder(batch), (_Classes(batch, PRED), _Classes(batch, TRUE))
    size, limited = len(batch), bounds.total != (0, ALL)
    held, ends = _add_pairs(build, batch, pairs, kappa, sides, bounds, classes)
    taken = [_add_defaults(build, of, sides.upper[k], sides.default[k]) for k, of in enumerate(classes)]
    most = np.zeros(size, np.int64)
    for of, capacity in zip(classes, (bounds.predicted, bounds.true), strict=True):
        k = of.side
        fully = np.bincount(ends[k], held, of.rows.size).astype(np.int64) + taken[k]
        prices = side_prices(capacity, batch.sides[k], batch.hierarchy)
        _add_classes(build, of, (sides.lower[k], sides.upper[k]), prices, fully)
        most += row_sums(fully + sides.upper[k], of.ptr).astype(np.int64)
    to, back = (SOURCE, SINK) if limited else (SINK, SOURCE)
    every = np.arange(size)
    for k, way in ((PRED, (DEFAULT_TRUE, to)), (TRUE, (back, DEFAULT_PRED))):
        place = Place.DEFAULT_TRUE if k == PRED else Place.DEFAULT_PRED
        full = row_sums(taken[k], classes[k].ptr).astype(np.int64)
        _add_single(build, place, every, way, bounds.defaults[k], full)
    all_pairs = np.bincount(classes[PRED].rows[ends[PRED]], held, size).astype(np.int64)
    _add_single(build, Place.TOTAL, every, (SINK, SOURCE), bounds.total, all_pairs if limited else most)
    return build.made(size)


def _add_defaults(build: _Builder, of: _Classes, upper: IntArray, default: FloatArray) -> IntArray:
    """The arcs of pairs with a default class; how many of them each class can have."""
    at = np.flatnonzero(np.isfinite(default))
    tail, head = of.between(at, DEFAULT_TRUE if of.side == PRED else DEFAULT_PRED)
    place = Place.TO_DEFAULT if of.side == PRED else Place.FROM_DEFAULT
    build.add(of.rows[at], (head, tail), (0, upper[at]), (place, Role.ITSELF), default[at], of.named(at))
    return np.where(np.isfinite(default), upper, 0)


def _add_classes(
    build: _Builder, of: _Classes, bounds: tuple[IntArray, IntArray], prices: tuple[IntArray, tuple[Capacity, ...]],
    most: IntArray,
) -> None:  # fmt: skip
    """The places of the classes of a side."""
    place, far = (Place.PREDICTED, SOURCE) if of.side == PRED else (Place.TRUE, SINK)
    for number, capacity in enumerate(prices[1]):
        at = np.flatnonzero(prices[0] == number)
        own = bounds[0][at], bounds[1][at]
        build.place(place, of.rows[at], of.between(at, far), own, capacity, most[at], of.named(at))


def _add_single(
    build: _Builder, place: Place, rows: IntArray, ends: tuple[int, int], capacity: Capacity, most: IntArray
) -> None:
    """A place that an instance has once, FREE where nothing limits it; ALL is as much as there could ever be."""
    lower, upper = (bound if isinstance(bound, int) else None for bound in plain_range(capacity))
    if capacity == (0, ALL):
        build.add(rows, ends, (0, most), (place, Role.FREE))
        return
    least = np.full(rows.size, lower or 0, np.int64)
    limits = least, np.maximum(least, most) if upper is None else np.full(rows.size, upper, np.int64)
    build.place(place, rows, (np.full(rows.size, ends[0]), np.full(rows.size, ends[1])), limits, capacity, most)


def _add_pairs(
    build: _Builder, batch: Batch, pairs: Pairs, kappa: FloatArray, sides: Sides, bounds: Bounds,
    classes: tuple[_Classes, _Classes],
) -> tuple[IntArray, tuple[IntArray, IntArray]]:  # fmt: skip
    """The arcs of pairs; how much each that exists can hold, and its ends as positions in the batch."""
    exists, ends = np.flatnonzero(np.isfinite(kappa)), pairs.ends(batch)
    x = ends[PRED][exists], ends[TRUE][exists]
    lower, upper, group, capacities = pair_limits(bounds, batch, x, sides)
    first, second = classes
    for number, capacity in enumerate(capacities):
        of = np.flatnonzero((group == number) & (upper > 0))
        p, t = x[PRED][of], x[TRUE][of]
        each = (capacity.each if isinstance(capacity, Priced) else ()) or (0.0,)
        for k, (size, cost) in enumerate(_pieces(upper[of], each)):
            build.add(
                first.rows[p], (first.nodes[p], second.nodes[t]), (np.clip(lower[of] - k, 0, size), size),
                (Place.PAIR, Role.ITSELF), kappa[exists][of] + cost, (first.inner[p], second.inner[t]), k,
            )  # fmt: skip
    return upper, x


def pair_limits(
    bounds: Bounds, batch: Batch, x: tuple[IntArray, IntArray], sides: Sides
) -> tuple[IntArray, IntArray, IntArray, tuple[Capacity, ...]]:
    """Bounds of pairs with the ends ``x``, and their capacities as numbers in a list; ALL sets no limit of its own."""
    of = bounds.pair
    predicted, true = (batch.sides[side].classes[x[side]] for side in (PRED, TRUE))
    if isinstance(of, PairRule):
        group, capacities = of.grouped(batch.hierarchy, predicted, true)
    else:
        group, capacities = np.zeros(predicted.size, np.int64), (of,)
    most = _most_of_pairs(bounds, batch, x, sides)
    lower, upper = np.zeros((2, predicted.size), np.int64)
    for number, capacity in enumerate(capacities):
        at = np.flatnonzero(group == number)
        low, high = (bound if isinstance(bound, int) else None for bound in plain_range(capacity))
        lower[at] = low or 0
        upper[at] = np.maximum(lower[at], most[at]) if high is None else high
    return lower, upper, group, capacities


def _most_of_pairs(bounds: Bounds, batch: Batch, x: tuple[IntArray, IntArray], sides: Sides) -> IntArray:
    """How often a pair can be of use: its classes have hard upper bounds, and if both are soft, one that is no limit.

    A unit of a pair is needed only up to a lower bound, of one of its classes or of all pairs: no cost is below 0, so
    without a unit beyond all of them the rest costs no more.
    """
    soft, upper = [], []
    for side, capacity in ((PRED, bounds.predicted), (TRUE, bounds.true)):
        group, capacities = side_prices(capacity, batch.sides[side], batch.hierarchy)
        priced = np.array([isinstance(each, Priced) and each.above is not None for each in capacities], np.bool_)
        soft.append(priced[group[x[side]]])
        upper.append(sides.upper[side][x[side]])
    least = plain_range(bounds.total)[0]
    free = np.maximum(np.maximum(*upper), least if isinstance(least, int) else 0)
    most: IntArray = np.minimum(*(np.where(of, free, limit) for of, limit in zip(soft, upper, strict=True)))
    return most
