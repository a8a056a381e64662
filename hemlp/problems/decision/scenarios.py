"""A belief about each instance as class numbers: scenarios (q_k, T_k), and how likely each class is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray, entry_rows, pointers, row_pointers, row_sums, sorted_distinct, split
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch, Side
from hemlp.problems.closure.model import ClosureModel
from hemlp.problems.lca.links import most_specific


def batch_of(hierarchy: Hierarchy, true: Side, pred: Side) -> Batch:
    """Two sides that are class numbers already."""
    return Batch(hierarchy, true, pred, None, hierarchy, "")


def side_of(rows: Sequence[Any]) -> Side:
    """Rows of classes as a side."""
    classes = [np.asarray(row, np.int32) for row in rows]
    return Side(pointers([row.size for row in classes]), np.concatenate([np.empty(0, np.int32), *classes]))


def most_specific_classes(h: Hierarchy, side: Side) -> Side:
    """The classes of each row without a descendant in it."""
    return most_specific(side, h.upward.lists(sorted_distinct(side.classes)))


def closures_of(h: Hierarchy, side: Side) -> Side:
    """The ancestor closure of each row."""
    empty = Side(np.zeros(len(side) + 1, np.int64), np.empty(0, np.int32))
    ptr, nodes, _ = ClosureModel("", batch_of(h, empty, side), "up", np.ones(len(h) + 1)).closures()
    return Side(ptr, nodes)


@dataclass(frozen=True, eq=False)
class Votes:
    """m_v of the ``nodes`` of each instance (CSR), in the unit ``total``; ``some``: that of any label at all.

    ``exact``: masses are integers, whose sums are not rounded.
    """

    ptr: IntArray
    nodes: IntArray
    mass: FloatArray
    some: FloatArray
    total: FloatArray
    exact: bool = False

    def part(self, start: int, stop: int) -> Votes:
        """Those of consecutive instances."""
        begin, end = int(self.ptr[start]), int(self.ptr[stop])
        cut = slice(start, stop)
        return Votes(
            self.ptr[start : stop + 1] - begin, self.nodes[begin:end], self.mass[begin:end], self.some[cut],
            self.total[cut], self.exact,
        )  # fmt: skip

    @property
    def shares(self) -> FloatArray:
        """m_v as parts of 1."""
        return self.mass / self.total[entry_rows(self.ptr)]

    def of_row(self, row: int) -> dict[int, float]:
        """The mass of each node of an instance."""
        own = slice(self.ptr[row], self.ptr[row + 1])
        return dict(zip(self.nodes[own].tolist(), self.mass[own].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class Scenarios:
    """Instance i has the label sets ``first[i]`` to ``first[i + 1]`` of ``sets``, with a ``mass`` each.

    q_k is the mass over the sum of an instance's masses. ``exact``: masses are integers, whose sums are not rounded.
    """

    hierarchy: Hierarchy
    first: IntArray
    sets: Side
    mass: FloatArray
    exact: bool

    def __len__(self) -> int:
        return len(self.first) - 1

    def part(self, start: int, stop: int) -> Scenarios:
        """Those of consecutive instances."""
        begin, end = int(self.first[start]), int(self.first[stop])
        first = self.first[start : stop + 1] - begin
        return replace(self, first=first, sets=self.sets.part(begin, end), mass=self.mass[begin:end])

    @cached_property
    def total(self) -> FloatArray:
        """The mass of all scenarios of each instance."""
        return row_sums(self.mass, self.first)

    @cached_property
    def closures(self) -> Side:
        """The ancestor closure of each scenario."""
        return closures_of(self.hierarchy, self.sets)

    def merged(self) -> Scenarios:
        """With equal sets of an instance as one scenario."""
        owner = entry_rows(self.first)
        rows = Side(np.arange(len(self.sets) + 1), owner.astype(np.int32))
        same = batch_of(self.hierarchy, rows, self.sets).first_duplicates() if len(self.sets) else owner
        kept = np.flatnonzero(same == np.arange(same.size))
        mass = np.bincount(same, self.mass, same.size).astype(np.float64)[kept]
        return replace(self, first=row_pointers(owner[kept], len(self)), sets=self.sets.take(kept), mass=mass)

    def votes(self, flat: bool = False) -> Votes:
        """m_v of the classes of the closures, or of the labels themselves."""
        sets, size = self.sets if flat else self.closures, len(self.hierarchy)
        owner = entry_rows(self.first)
        keys = np.repeat(owner * size, sets.sizes) + sets.classes
        distinct, place = np.unique(keys, return_inverse=True)
        mass = np.bincount(place, np.repeat(self.mass, sets.sizes), distinct.size).astype(np.float64)
        rows, nodes = split(distinct, size)
        some = row_sums(self.mass * (self.sets.sizes > 0), self.first)
        return Votes(row_pointers(rows, len(self)), nodes, mass, some, self.total, self.exact)
