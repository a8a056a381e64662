"""What each class reaches in one direction, upward or downward: lists searched once, and what they share kept once.

Condensing a cyclic graph can leave one class with tens of thousands of parents and most classes below it. Such a class
is a *gate*: lists stop there, and what lies beyond it is kept once for all. So

    up(c, a) = the distance in the list of c, where a is in it
             = up(c, gate) + up(gate, a) otherwise, where c reaches the gate and the gate reaches a.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray, row_pointers, sorted_distinct

ROOM = 2**25
"""Entries of lists (8 bytes each) that are kept for the next request."""
FEW = 2_000
"""Up to so many classes are searched anew rather than added to what is kept."""


@dataclass(frozen=True, eq=False)
class UpDistances:
    """The ancestors of some classes, each class itself included, nearest first, as CSR arrays.

    ``ancestors[ptr[i]:ptr[i + 1]]`` are those of ``classes[i]``, ``distances[...]`` their up(c, a): integers for unit
    edge lengths, floats for a weighted hierarchy.

    Examples
    --------
    >>> from hemlp import Hierarchy
    >>> up = Hierarchy.from_edges([("a", "b"), ("b", "c")]).up_distances([2, 0])
    >>> up.ancestors.tolist(), up.ptr.tolist()
    ([2, 1, 0, 0], [0, 3, 4])
    """

    classes: IntArray
    ptr: IntArray
    ancestors: IntArray
    distances: NDArray[Any]

    def __len__(self) -> int:
        return len(self.classes)

    def __getitem__(self, i: int) -> tuple[IntArray, NDArray[Any]]:
        part = slice(self.ptr[i], self.ptr[i + 1])
        return self.ancestors[part], self.distances[part]


@dataclass(frozen=True, eq=False)
class Arrows:
    """A direction of a hierarchy in CSR form, with the ``lengths`` of the arrows, or None."""

    ptr: IntArray
    idx: IntArray
    lengths: NDArray[np.float64] | None

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def parts(self, sources: IntArray, room: int | None = None, farthest: int | None = None) -> Iterator[UpDistances]:
        """What each source reaches within ``farthest`` steps, in parts of at most ``room`` entries or of one source.

        The shortest way may have more steps, so where arrows have lengths all is searched first.
        """
        from hemlp.kernels.graph.reach import reach, relax
        from hemlp.kernels.records import Rows

        graph = Rows(self.ptr, self.idx)
        left = np.ascontiguousarray(sources, np.int32)
        most = np.iinfo(np.int64).max if room is None else room
        limit = len(self) if farthest is None or self.lengths is not None else farthest
        while True:
            done, ptr, nodes, steps = reach(graph, left, most, limit)
            found = UpDistances(left[:done], ptr, nodes, steps)
            if self.lengths is not None:
                lengths = relax(graph, self.lengths, Rows(ptr, nodes))
                found = _nearest_first(found, lengths, None if farthest is None else steps <= farthest)
            yield found
            left = left[done:]
            if not left.size:
                return

    def without(self, gate: int) -> Arrows:
        """Without the arrows that leave ``gate``."""
        keep = np.ones(self.idx.size, np.bool_)
        keep[self.ptr[gate] : self.ptr[gate + 1]] = False
        ptr = self.ptr.copy()
        ptr[gate + 1 :] -= self.ptr[gate + 1] - self.ptr[gate]
        return replace(self, ptr=ptr, idx=self.idx[keep], lengths=None if self.lengths is None else self.lengths[keep])


def _nearest_first(found: UpDistances, distances: NDArray[Any], keep: NDArray[np.bool_] | None = None) -> UpDistances:
    """With other distances, sorted by them; only those to ``keep``."""
    rows = np.repeat(np.arange(len(found)), np.diff(found.ptr))
    order = np.lexsort((distances, rows))
    ptr = found.ptr
    if keep is not None:
        order, ptr = order[keep[order]], row_pointers(rows[keep], len(found))
    return replace(found, ptr=ptr, ancestors=found.ancestors[order], distances=distances[order])


@dataclass(frozen=True, eq=False)
class Reach:
    """Lists of some classes: that of class c is number ``row[c]`` (-1: none), nearest first, as CSR arrays.

    ``gate_at``: the distance of each list's class to the gate, ``beyond``: that of the gate to each class; -1 where
    there is no way.
    """

    row: IntArray
    ptr: IntArray
    nodes: IntArray
    distances: NDArray[Any]
    gate_at: NDArray[Any]
    beyond: NDArray[Any]

    def arrays(self) -> tuple[IntArray, IntArray, NDArray[Any], NDArray[Any], NDArray[Any]]:
        """What compiled code takes: pointers, nodes, distances, ``gate_at`` and ``beyond``."""
        return self.ptr, self.nodes, self.distances, self.gate_at, self.beyond


class ReachTable:
    """The lists of one direction, kept from one request to the next while there is room."""

    def __init__(self, arrows: Arrows, gate: int | None) -> None:
        self.arrows = arrows
        self.gate = gate
        self._kept: Reach | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"arrows": self.arrows, "gate": self.gate, "_kept": None}

    @cached_property
    def _stopping(self) -> Arrows:
        return self.arrows if self.gate is None else self.arrows.without(self.gate)

    @cached_property
    def beyond(self) -> NDArray[Any]:
        """The distance of the gate to each class, -1 where there is no way or no gate."""
        beyond = np.full(len(self.arrows), -1, np.int32 if self.arrows.lengths is None else np.float64)
        if self.gate is not None:
            found = next(self.arrows.parts(np.array([self.gate])))
            beyond[found.ancestors] = found.distances
        return beyond

    @cached_property
    def mean_length(self) -> float:
        """Entries of a list, on average over evenly spaced classes."""
        return self._sampled_length(self._stopping, None)

    def mean_length_within(self, farthest: int) -> float:
        """The same for lists of ``within``."""
        return self._sampled_length(self.arrows, farthest)

    @staticmethod
    def _sampled_length(arrows: Arrows, farthest: int | None) -> float:
        sample = np.linspace(0, len(arrows) - 1, 200).astype(np.int32)
        return next(arrows.parts(sample, farthest=farthest)).ancestors.size / 200

    def within(self, classes: IntArray, farthest: int) -> Reach:
        """Lists of ``classes`` that end after ``farthest`` steps and do not stop at the gate."""
        return self._searched(sorted_distinct(classes), self.arrows, farthest)

    def lists(self, classes: IntArray) -> Reach:
        """Lists of ``classes`` (and perhaps of others) that stop at the gate."""
        kept = self._kept
        asked = np.zeros(len(self.arrows), np.bool_)
        asked[classes] = True
        absent = np.flatnonzero(asked if kept is None else asked & (kept.row < 0))
        if kept is not None and not absent.size:
            return kept
        if np.count_nonzero(asked) <= FEW:
            return self._searched(np.flatnonzero(asked), self._stopping)
        made = self._searched(absent, self._stopping)
        if kept is not None and kept.nodes.size + made.nodes.size <= ROOM:
            made = _joined(kept, made)
        elif kept is not None:  # too much to keep all: what is asked for now alone
            made = self._searched(np.flatnonzero(asked), self._stopping)
        self._kept = made if made.nodes.size <= ROOM else None
        return made

    def _searched(self, classes: IntArray, arrows: Arrows, farthest: int | None = None) -> Reach:
        found = next(arrows.parts(classes, farthest=farthest))
        row = np.full(len(self.arrows), -1, np.int32)
        row[classes] = np.arange(len(classes), dtype=np.int32)
        gate_at = np.full(len(classes), -1, found.distances.dtype)
        beyond = self.beyond if farthest is None else np.full(len(self.arrows), -1, found.distances.dtype)
        if self.gate is not None and farthest is None:
            at = np.flatnonzero(found.ancestors == self.gate)
            gate_at[np.searchsorted(found.ptr, at, side="right") - 1] = found.distances[at]
            found = _by_way_of_the_gate(found, gate_at, beyond)
        return Reach(row, found.ptr, found.ancestors, found.distances, gate_at, beyond)


def _by_way_of_the_gate(found: UpDistances, gate_at: NDArray[Any], beyond: NDArray[Any]) -> UpDistances:
    """With the true distances: some are shorter by way of the gate."""
    from_gate = np.repeat(gate_at, np.diff(found.ptr))
    around = from_gate + beyond[found.ancestors]
    shorter = (from_gate >= 0) & (beyond[found.ancestors] >= 0) & (around < found.distances)
    return _nearest_first(found, np.where(shorter, around, found.distances)) if shorter.any() else found


def _joined(kept: Reach, made: Reach) -> Reach:
    row = np.where(made.row >= 0, made.row + np.int32(kept.gate_at.size), kept.row)
    return Reach(
        row,
        np.concatenate([kept.ptr, made.ptr[1:] + kept.ptr[-1]]),
        np.concatenate([kept.nodes, made.nodes]),
        np.concatenate([kept.distances, made.distances]),
        np.concatenate([kept.gate_at, made.gate_at]),
        kept.beyond,
    )


def flat_lists(size: int, classes: IntArray) -> Reach:
    """Lists that hold nothing but the class itself."""
    nodes = sorted_distinct(classes).astype(np.int32)
    row = np.full(size, -1, np.int32)
    row[nodes] = np.arange(nodes.size, dtype=np.int32)
    nowhere = np.full(nodes.size, -1, np.int32)
    ptr = row_pointers(np.arange(nodes.size), nodes.size)
    return Reach(row, ptr, nodes, np.zeros(nodes.size, np.int32), nowhere, np.full(size, -1, np.int32))
