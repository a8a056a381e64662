"""Reachability: the ancestors (or descendants) of each class with their distances, by search.

A condensed cyclic graph can have one class with tens of thousands of parents and most classes below it. Such a class is
a *hub*: lists stop there, and what lies beyond it is stored once. So

    up(c, a) = the distance in the list of c, where a is in it
             = up(c, hub) + up(hub, a) otherwise, where c reaches the hub and the hub reaches a.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray, entry_rows, pointers, record, row_places, row_pointers, sorted_distinct

ROOM = 2**25
"""Most entries of lists (8 bytes each) that are cached."""
FEW = 2_000
"""The lists of at most so many classes are searched again rather than cached."""


@dataclass(frozen=True, eq=False)
class UpDistances:
    """The ancestors of some classes (and each class itself), nearest first, as CSR arrays.

    ``ancestors[ptr[i]:ptr[i + 1]]`` are those of ``classes[i]``, ``distances[...]`` their up(c, a): integers, or floats
    in a weighted hierarchy.

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


@record
class Adjacency:
    """The arcs of one direction of a hierarchy in CSR form, perhaps with ``lengths``."""

    ptr: IntArray
    idx: IntArray
    lengths: NDArray[np.float64] | None

    def search(self, sources: IntArray, farthest: int | None = None) -> UpDistances:
        """What each source reaches within ``farthest`` steps."""
        return next(self.search_parts(sources, farthest))

    def search_parts(
        self, sources: IntArray, farthest: int | None = None, room: int | None = None
    ) -> Iterator[UpDistances]:
        """``search`` in parts of at most ``room`` entries or of one source.

        A shortest path may have more steps than another one, so arcs with lengths are searched without a limit.
        """
        from hemlp.kernels.graph.reach import reach, relax
        from hemlp.kernels.records import Rows

        graph = Rows(self.ptr, self.idx)
        left = np.ascontiguousarray(sources, np.int32)
        most = np.iinfo(np.int64).max if room is None else room
        limit = self.ptr.size if farthest is None or self.lengths is not None else farthest
        while True:
            done, ptr, nodes, steps = reach(graph, left, most, limit)
            lists = UpDistances(left[:done], ptr, nodes, steps)
            if self.lengths is not None:
                lengths = relax(graph, self.lengths, Rows(ptr, nodes))
                lists = _nearest_first(lists, lengths, None if farthest is None else steps <= farthest)
            yield lists
            left = left[done:]
            if not left.size:
                return

    def without(self, hub: int) -> Adjacency:
        """Without the arcs that leave ``hub``."""
        keep = np.ones(self.idx.size, np.bool_)
        keep[self.ptr[hub] : self.ptr[hub + 1]] = False
        ptr = self.ptr.copy()
        ptr[hub + 1 :] -= self.ptr[hub + 1] - self.ptr[hub]
        return replace(self, ptr=ptr, idx=self.idx[keep], lengths=None if self.lengths is None else self.lengths[keep])


def _nearest_first(lists: UpDistances, distances: NDArray[Any], keep: NDArray[np.bool_] | None = None) -> UpDistances:
    """The lists with new distances, sorted by them, and only the entries to ``keep``."""
    rows = entry_rows(lists.ptr)
    order = np.lexsort((distances, rows))
    ptr = lists.ptr
    if keep is not None:
        order, ptr = order[keep[order]], row_pointers(rows[keep], len(lists))
    return replace(lists, ptr=ptr, ancestors=lists.ancestors[order], distances=distances[order])


@record
class Reach:
    """The lists of some ``classes``, in their order, nearest first, as CSR arrays.

    ``hub_at``: the distance of each class to the hub; ``beyond``: of the hub to each class; -1 without a path. At most
    ``FEW`` classes are sorted.
    """

    classes: IntArray
    ptr: IntArray
    nodes: IntArray
    distances: NDArray[Any]
    hub_at: NDArray[Any]
    beyond: NDArray[Any]

    @cached_property
    def row(self) -> IntArray:
        """The index of the list of each class of the hierarchy, -1 for none."""
        row = np.full(self.beyond.size, -1, np.int32)
        row[self.classes] = np.arange(self.classes.size, dtype=np.int32)
        return row

    def take(self, classes: IntArray) -> Reach:
        """The lists of these classes."""
        rows = self.row[classes]
        at, ptr = row_places(self.ptr, rows), pointers(self.ptr[rows + 1] - self.ptr[rows])
        return replace(
            self, classes=classes, ptr=ptr, nodes=self.nodes[at], distances=self.distances[at], hub_at=self.hub_at[rows]
        )

    def local(self, *sides: Any, always: bool = True) -> tuple[Reach, IntArray | slice, IntArray, IntArray]:
        """The lists with their nodes numbered locally, the nodes, and the list of each class of both sides.

        So a kernel's memory does not grow with the hierarchy. Nodes keep their numbers where lists are long or reach a
        hub, or unless ``always``.
        """
        few = self.classes.size <= FEW
        of = [np.searchsorted(self.classes, s.classes).astype(np.int32) if few else self.row[s.classes] for s in sides]
        if not always or self.nodes.size >= self.beyond.size or (self.hub_at >= 0).any():
            return self, slice(None), of[0], of[1]
        names = sorted_distinct(self.nodes)
        nodes = np.searchsorted(names, self.nodes).astype(np.int32)
        return replace(self, nodes=nodes, beyond=self.beyond[names]), names, of[0], of[1]


@dataclass(eq=False)
class ReachTable:
    """The lists of one direction, with a cache."""

    arcs: Adjacency
    hub: int | None
    _kept: Reach | None = field(default=None, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {"arcs": self.arcs, "hub": self.hub, "_kept": None}

    @cached_property
    def _up_to_hub(self) -> Adjacency:
        return self.arcs if self.hub is None else self.arcs.without(self.hub)

    @cached_property
    def beyond(self) -> NDArray[Any]:
        """The distance of the hub to each class, -1 without a path or a hub."""
        beyond = np.full(self.arcs.ptr.size - 1, -1, np.int32 if self.arcs.lengths is None else np.float64)
        if self.hub is not None:
            lists = self.arcs.search(np.array([self.hub]))
            beyond[lists.ancestors] = lists.distances
        return beyond

    @cached_property
    def mean_length(self) -> float:
        """Mean entries of a list, over evenly spaced classes."""
        return self._sample_length(self._up_to_hub, None)

    def mean_length_within(self, farthest: int) -> float:
        """Mean entries of a list of ``within``."""
        return self._sample_length(self.arcs, farthest)

    @staticmethod
    def _sample_length(arcs: Adjacency, farthest: int | None) -> float:
        sample = np.linspace(0, arcs.ptr.size - 2, 200).astype(np.int32)
        return arcs.search(sample, farthest).ancestors.size / 200

    def within(self, classes: IntArray, farthest: int) -> Reach:
        """Lists of ``classes`` that end after ``farthest`` steps and do not stop at the hub."""
        return self._search(sorted_distinct(classes), self.arcs, farthest)

    def lists(self, classes: IntArray) -> Reach:
        """Lists of ``classes`` (and perhaps of others) that stop at the hub."""
        kept, arcs = self._kept, self.arcs if self.hub is None else self._up_to_hub
        if classes.size <= FEW:
            distinct = sorted_distinct(classes)
            known = kept is not None and (kept.row[distinct] >= 0).all()
            return kept.take(distinct) if kept is not None and known else self._search(distinct, arcs)
        asked = np.zeros(arcs.ptr.size - 1, np.bool_)
        asked[classes] = True
        missing = np.flatnonzero(asked if kept is None else asked & (kept.row < 0))
        if kept is not None and not missing.size:
            return kept
        if np.count_nonzero(asked) <= FEW:
            return self._search(np.flatnonzero(asked), arcs)
        made = self._search(missing, arcs)
        if kept is not None and kept.nodes.size + made.nodes.size <= ROOM:
            made = _concatenate(kept, made)
        elif kept is not None:  # too many to cache all: only those asked for now
            made = self._search(np.flatnonzero(asked), arcs)
        self._kept = made if made.nodes.size <= ROOM else None
        return made

    def _search(self, classes: IntArray, arcs: Adjacency, farthest: int | None = None) -> Reach:
        lists = arcs.search(classes, farthest)
        hub_at = np.full(len(classes), -1, lists.distances.dtype)
        beyond = self.beyond if farthest is None else _nowhere(arcs.ptr.size - 1, lists.distances.dtype)
        if self.hub is not None and farthest is None:
            at = np.flatnonzero(lists.ancestors == self.hub)
            hub_at[np.searchsorted(lists.ptr, at, side="right") - 1] = lists.distances[at]
            lists = _shorten_through_hub(lists, hub_at, beyond)
        return Reach(classes, lists.ptr, lists.ancestors, lists.distances, hub_at, beyond)


def _shorten_through_hub(lists: UpDistances, hub_at: NDArray[Any], beyond: NDArray[Any]) -> UpDistances:
    """The lists with true distances: some paths through the hub are shorter."""
    from_hub = np.repeat(hub_at, np.diff(lists.ptr))
    around = from_hub + beyond[lists.ancestors]
    shorter = (from_hub >= 0) & (beyond[lists.ancestors] >= 0) & (around < lists.distances)
    return _nearest_first(lists, np.where(shorter, around, lists.distances)) if shorter.any() else lists


def _concatenate(kept: Reach, made: Reach) -> Reach:
    ptr = np.concatenate([kept.ptr, made.ptr[1:] + kept.ptr[-1]])
    columns = "classes", "nodes", "distances", "hub_at"
    return replace(kept, ptr=ptr, **{c: np.concatenate([getattr(kept, c), getattr(made, c)]) for c in columns})


def flat_lists(size: int, classes: IntArray) -> Reach:
    """Lists that hold only the class itself."""
    nodes = sorted_distinct(classes).astype(np.int32)
    nowhere = np.full(nodes.size, -1, np.int32)
    ptr = np.arange(nodes.size + 1)
    return Reach(nodes, ptr, nodes, np.zeros(nodes.size, np.int32), nowhere, _nowhere(size, np.dtype(np.int32)))


@lru_cache(maxsize=2)
def _nowhere(size: int, kind: np.dtype[Any]) -> NDArray[Any]:
    """No path to any class; shared and read-only."""
    nowhere = np.full(size, -1, kind)
    nowhere.flags.writeable = False
    return nowhere
