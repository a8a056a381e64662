"""Problem 1 as a circulation of least cost, as in the paper's figure: arcs with lower and upper capacities and costs.

    source → predicted class → true class → sink → source,
    predicted class → default, default → true class

Each arc of that figure belongs to a *capacity group*: a pair, a class, a default class, or the total, which is the arc
from the sink back to the source. A group that has prices becomes several arcs: units that cost more and more go side by
side to a node of their own, and from there through the group itself; what is too many goes past it at a price, and what
is missing comes back at another.

    tail ⇉ own node      [0, 1] at each_1, [0, 1] at each_2, ..., where units have costs
    own node → head      [α, β], the group itself
    own node → head      what is too many, at the price above
    head → own node      what is missing, at the price below

A pair that counts for one of its ends only (pairing "nearest") goes past the other side: from its predicted class to
the sink, or from the source to its true class. Where the number of pairs is limited, pairs with a default class do not
pass the arc from the sink to the source: the default true class leads back to the source, and the default predicted
class is fed from the sink.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, pointers, row_places, row_sums
from hemlp.instances.batch import Batch
from hemlp.instances.sides import PRED, TRUE
from hemlp.problems.pairing.bounds import Bounds, side_prices
from hemlp.problems.pairing.capacities import ALL, Capacity, PairRule, Priced, plain_range
from hemlp.problems.pairing.pairs import Pairs, SideBounds

SOURCE, SINK, DEFAULT_PRED, DEFAULT_TRUE = range(4)
"""Nodes that each instance has; then come predicted classes, true classes, and nodes that groups have of their own."""
OWN = 4


class Group(IntEnum):
    """What an arc is about: a pair, a pair with a default class, a class, a default class, the number of pairs."""

    PAIR, TO_DEFAULT, FROM_DEFAULT, PREDICTED, TRUE, DEFAULT_TRUE, DEFAULT_PRED, TOTAL = range(8)


class Role(IntEnum):
    """Which arc of a group: the group itself, or what is missing, too many, or counted; FREE: one without any limit."""

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
    group: IntArray
    role: IntArray
    first: IntArray
    second: IntArray
    number: IntArray

    def part(self, start: int, stop: int) -> Circulation:
        """Of the instances from ``start`` on and before ``stop``."""
        at = slice(int(self.ptr[start]), int(self.ptr[stop]))
        kept = [getattr(self, each.name)[at] for each in fields(self)[2:]]
        return Circulation(self.nodes[start:stop], self.ptr[start : stop + 1] - self.ptr[start], *kept)

    def take(self, rows: IntArray) -> Circulation:
        """Of some instances, in their order, each as often as it is named."""
        at = row_places(self.ptr, rows)
        kept = [getattr(self, each.name)[at] for each in fields(self)[2:]]
        return Circulation(self.nodes[rows], pointers(np.diff(self.ptr)[rows]), *kept)

    def place(self, row: int) -> slice:
        """Where the arcs of an instance are."""
        return slice(int(self.ptr[row]), int(self.ptr[row + 1]))

    def class_arcs(self, side: int) -> IntArray:
        """The arcs of the classes of a side themselves, in the order of the classes."""
        group, position = ((Group.PREDICTED, self.first), (Group.TRUE, self.second))[side]
        at = np.flatnonzero((self.group == group) & (self.role == Role.ITSELF))
        ordered: IntArray = at[np.lexsort((position[at], self.rows[at]))]
        return ordered

    def excess(self, flow: IntArray) -> IntArray:
        """What each node of all instances takes in beyond what leaves it."""
        tail, head = self.ends
        left = np.zeros(int(self.first_nodes[-1]), np.int64)
        np.add.at(left, head, flow)
        np.subtract.at(left, tail, flow)
        return left

    def complete(self, flow: IntArray) -> IntArray:
        """A flow in which groups themselves carry what is missing: at the nodes of classes, then anywhere else."""
        tail, head = self.ends
        itself = (self.role == Role.ITSELF) | (self.role == Role.FREE)
        for group, inward in (
            (Group.PREDICTED, True), (Group.TRUE, False), (Group.DEFAULT_PRED, True), (Group.DEFAULT_TRUE, False),
            (Group.TOTAL, True),
        ):  # fmt: skip
            at, left = np.flatnonzero((self.group == group) & itself), self.excess(flow)
            flow[at] = -left[head[at]] if inward else left[tail[at]]
        return flow

    @cached_property
    def ends(self) -> tuple[IntArray, IntArray]:
        """Tails and heads, where the nodes of all instances are numbered one after the other."""
        home = self.first_nodes[self.rows]
        return home + self.tail, home + self.head

    @cached_property
    def first_nodes(self) -> IntArray:
        """Where the nodes of each instance begin, if all are numbered one after the other."""
        return pointers(self.nodes)

    @cached_property
    def rows(self) -> IntArray:
        """The instance of each arc."""
        return np.repeat(np.arange(self.nodes.size), np.diff(self.ptr))


class _Builder:
    """Collects arcs in blocks."""

    def __init__(self, batch: Batch) -> None:
        self.blocks: list[list[Any]] = []
        self.nodes = OWN + np.diff(batch.pred.ptr) + np.diff(batch.true.ptr)

    def add(
        self, rows: IntArray, ends: tuple[Any, Any], bounds: tuple[Any, Any], kind: tuple[Group, Role],
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

    def add_group(
        self, group: Group, rows: IntArray, ends: tuple[IntArray, IntArray], bounds: tuple[IntArray, IntArray],
        capacity: Capacity, most: IntArray, classes: tuple[Any, Any] = (-1, -1),
    ) -> None:  # fmt: skip
        """A group of each row, all with the prices of one capacity; ``most``: what could ever go through it."""
        (tail, head), (lower, upper) = ends, bounds
        prices = capacity if isinstance(capacity, Priced) else Priced(capacity)
        if prices.each:
            room = most if prices.above is not None else upper
            tail = self.own_nodes(rows)
            for number, (size, cost) in enumerate(_pieces(room, prices.each)):
                self.add(rows, (ends[0], tail), (0, size), (group, Role.EACH), cost, classes, number)
        self.add(rows, (tail, head), bounds, (group, Role.ITSELF), 0.0, classes)
        if prices.above is not None:
            beyond = np.maximum(most - upper, 0)
            self.add(rows, (tail, head), (0, beyond), (group, Role.ABOVE), prices.above, classes)
        if prices.below is not None:
            self.add(rows, (head, tail), (0, lower), (group, Role.BELOW), prices.below, classes)

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


PLAIN, TRANSPORT = Bounds((0, ALL), (0, ALL)), Bounds((0, ALL), (0, ALL), pair=(0, ALL))
"""No capacities beyond those of classes, and no prices; and of transports, where a pair carries what these allow."""


def build_circulation(
    batch: Batch, pairs: Pairs, kappa: FloatArray, serves: NDArray[np.uint8], sides: tuple[SideBounds, SideBounds],
    bounds: Bounds = PLAIN,
) -> Circulation:  # fmt: skip
    """The circulation of each instance of a batch. ``bounds``: prices of classes, and capacities beyond theirs."""
    build, classes = _Builder(batch), (_Classes(batch, PRED), _Classes(batch, TRUE))
    size, limited = len(batch), bounds.total != (0, ALL)
    exists = np.flatnonzero(np.isfinite(kappa) & (serves > 0))
    ends = tuple(of[exists] for of in pairs.ends(batch))
    held = _add_pairs(build, batch, (kappa[exists], serves[exists]), (ends[PRED], ends[TRUE]), sides, bounds, classes)
    taken = [_add_defaults(build, of, each.upper, each.default) for of, each in zip(classes, sides, strict=True)]
    most = np.zeros(size, np.int64)
    for k, (of, capacity) in enumerate(zip(classes, (bounds.predicted, bounds.true), strict=True)):
        fully = np.bincount(ends[k], held, of.rows.size).astype(np.int64) + taken[k]
        prices = side_prices(capacity, batch.sides[k], batch.hierarchy)
        limit = _add_classes(build, of, (sides[k].lower, sides[k].upper), prices, fully)
        most += row_sums(limit, of.ptr).astype(np.int64)
    to, back = (SOURCE, SINK) if limited else (SINK, SOURCE)
    every = np.arange(size)
    for k, way in ((PRED, (DEFAULT_TRUE, to)), (TRUE, (back, DEFAULT_PRED))):
        group = Group.DEFAULT_TRUE if k == PRED else Group.DEFAULT_PRED
        full = row_sums(taken[k], classes[k].ptr).astype(np.int64)
        _add_single(build, group, every, way, bounds.defaults[k], full)
    all_pairs = np.bincount(classes[PRED].rows[ends[PRED]], held, size).astype(np.int64)
    _add_single(build, Group.TOTAL, every, (SINK, SOURCE), bounds.total, all_pairs if limited else most)
    return build.made(size)


def _add_defaults(build: _Builder, of: _Classes, upper: IntArray, default: FloatArray) -> IntArray:
    """The arcs of pairs with a default class; how many of them each class can have."""
    at = np.flatnonzero(np.isfinite(default))
    tail, head = of.between(at, DEFAULT_TRUE if of.side == PRED else DEFAULT_PRED)
    group = Group.TO_DEFAULT if of.side == PRED else Group.FROM_DEFAULT
    build.add(of.rows[at], (head, tail), (0, upper[at]), (group, Role.ITSELF), default[at], of.named(at))
    return np.where(np.isfinite(default), upper, 0)


def _add_classes(
    build: _Builder, of: _Classes, bounds: tuple[IntArray, IntArray], prices: tuple[IntArray, tuple[Capacity, ...]],
    most: IntArray,
) -> IntArray:  # fmt: skip
    """The groups of the classes of a side; what can go through each."""
    group, far = (Group.PREDICTED, SOURCE) if of.side == PRED else (Group.TRUE, SINK)
    limit = bounds[1].copy()
    for number, capacity in enumerate(prices[1]):
        at = np.flatnonzero(prices[0] == number)
        own = bounds[0][at], bounds[1][at]
        build.add_group(group, of.rows[at], of.between(at, far), own, capacity, most[at], of.named(at))
        if isinstance(capacity, Priced) and capacity.above is not None:
            limit[at] = np.maximum(limit[at], most[at])
    return limit


def _add_single(
    build: _Builder, group: Group, rows: IntArray, ends: tuple[int, int], capacity: Capacity, most: IntArray
) -> None:
    """A group that an instance has once, FREE where nothing limits it; ALL is as much as there could ever be."""
    lower, upper = (bound if isinstance(bound, int) else None for bound in plain_range(capacity))
    if capacity == (0, ALL):
        build.add(rows, ends, (0, most), (group, Role.FREE))
        return
    least = np.full(rows.size, lower or 0, np.int64)
    limits = least, np.maximum(least, most) if upper is None else np.full(rows.size, upper, np.int64)
    build.add_group(group, rows, (np.full(rows.size, ends[0]), np.full(rows.size, ends[1])), limits, capacity, most)


def _add_pairs(
    build: _Builder, batch: Batch, pairs: tuple[FloatArray, NDArray[np.uint8]], ends: tuple[IntArray, IntArray],
    sides: tuple[SideBounds, SideBounds], bounds: Bounds, classes: tuple[_Classes, _Classes],
) -> IntArray:  # fmt: skip
    """The arcs of pairs, with their costs and whom they serve; how much each can hold."""
    lower, upper, group, capacities = pair_limits(bounds, batch, ends, (sides[PRED].upper, sides[TRUE].upper))
    first, second = classes
    kappa, serves = pairs
    for number, capacity in enumerate(capacities):
        of = np.flatnonzero((group == number) & (upper > 0))
        p, t = ends[PRED][of], ends[TRUE][of]
        tail, head = np.where(serves[of] & 1, first.nodes[p], SOURCE), np.where(serves[of] & 2, second.nodes[t], SINK)
        each = (capacity.each if isinstance(capacity, Priced) else ()) or (0.0,)
        for k, (size, cost) in enumerate(_pieces(upper[of], each)):
            build.add(
                first.rows[p], (tail, head), (np.clip(lower[of] - k, 0, size), size), (Group.PAIR, Role.ITSELF),
                kappa[of] + cost, (first.inner[p], second.inner[t]), k,
            )  # fmt: skip
    return upper


def pair_limits(
    bounds: Bounds, batch: Batch, ends: tuple[IntArray, IntArray], uppers: tuple[IntArray, IntArray]
) -> tuple[IntArray, IntArray, IntArray, tuple[Capacity, ...]]:
    """Bounds of pairs with these ends, and their capacities as numbers in a list; ALL sets no limit of its own.

    ``uppers``: the upper bounds of the classes of both sides.
    """
    of = bounds.pair
    predicted, true = (batch.sides[side].classes[ends[side]] for side in (PRED, TRUE))
    if isinstance(of, PairRule):
        group, capacities = of.groups(batch.hierarchy, predicted, true)
    else:
        group, capacities = np.zeros(predicted.size, np.int64), (of,)
    most = _most_of_pairs(bounds, batch, ends, uppers)
    lower, upper = np.zeros((2, predicted.size), np.int64)
    for number, capacity in enumerate(capacities):
        at = np.flatnonzero(group == number)
        low, high = (bound if isinstance(bound, int) else None for bound in plain_range(capacity))
        lower[at] = low or 0
        upper[at] = np.maximum(lower[at], most[at]) if high is None else high
    return lower, upper, group, capacities


def _most_of_pairs(
    bounds: Bounds, batch: Batch, ends: tuple[IntArray, IntArray], uppers: tuple[IntArray, IntArray]
) -> IntArray:
    """How often a pair can be of use: its classes have hard upper bounds, and if both are soft, one that is no limit.

    A unit of a pair is needed only up to a lower bound, of one of its classes or of all pairs: no cost is below 0, so
    without a unit beyond all of them the rest costs no more.
    """
    soft, upper = [], []
    for side, capacity in ((PRED, bounds.predicted), (TRUE, bounds.true)):
        group, capacities = side_prices(capacity, batch.sides[side], batch.hierarchy)
        priced = np.array([isinstance(each, Priced) and each.above is not None for each in capacities], np.bool_)
        soft.append(priced[group[ends[side]]])
        upper.append(uppers[side][ends[side]])
    least = plain_range(bounds.total)[0]
    free = np.maximum(np.maximum(*upper), least if isinstance(least, int) else 0)
    most: IntArray = np.minimum(*(np.where(of, free, limit) for of, limit in zip(soft, upper, strict=True)))
    return most
