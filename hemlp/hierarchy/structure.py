"""The graph of a hierarchy: parents and children as CSR arrays, depths, distances, and reachability."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from hemlp.arrays import FloatArray, IntArray, row_pointers
from hemlp.hierarchy.edges import Edges
from hemlp.hierarchy.labels import TOP, Label, Top
from hemlp.hierarchy.reach import FEW, Adjacency, ReachTable, UpDistances

MANY_PARENTS = 1_000
"""A class with more parents than this is a hub."""


@dataclass(frozen=True, eq=False, repr=False)
class Structure:
    """Classes as positions among the sorted ``labels``, their ``edges``, and an ``order`` with parents first."""

    labels: tuple[Label, ...]
    edges: Edges
    order: IntArray = field(repr=False)

    def id(self, label: Label) -> int:
        """The number of a class."""
        return self.labels.index(label)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def weighted(self) -> bool:
        """Whether edges have lengths."""
        return self.edges.weights is not None

    @cached_property
    def _by_child(self) -> IntArray:
        return np.lexsort((self.edges.parents, self.edges.children))

    @cached_property
    def child_ptr(self) -> IntArray:
        """CSR pointers into ``child_idx``."""
        return row_pointers(self.edges.parents, len(self))

    @property
    def child_idx(self) -> IntArray:
        """Children of all classes, sorted within each."""
        return self.edges.children

    @cached_property
    def parent_ptr(self) -> IntArray:
        """CSR pointers into ``parent_idx``."""
        return row_pointers(self.edges.children, len(self))

    @cached_property
    def parent_idx(self) -> IntArray:
        """Parents of all classes, sorted within each."""
        return self.edges.parents[self._by_child]

    @cached_property
    def parent_lengths(self) -> FloatArray:
        """Length of each edge of ``parent_idx``."""
        weights = self.edges.weights
        return np.ones(self.parent_idx.size) if weights is None else weights[self._by_child]

    def _labels_of(self, ids: IntArray) -> frozenset[Label]:
        return frozenset(self.labels[i] for i in ids)

    @property
    def roots(self) -> frozenset[Label]:
        """Classes without parents."""
        return self._labels_of(np.flatnonzero(np.diff(self.parent_ptr) == 0))

    @cached_property
    def number_of_roots(self) -> int:
        """Number of classes without parents."""
        return int(np.count_nonzero(np.diff(self.parent_ptr) == 0))

    @property
    def leaves(self) -> frozenset[Label]:
        """Classes without children."""
        return self._labels_of(np.flatnonzero(np.diff(self.child_ptr) == 0))

    def parents(self, label: Label) -> frozenset[Label]:
        """Pa(c): the parents of a class.

        Parameters
        ----------
        label
            A class, or one of its aliases.
        """
        c = self.id(label)
        return self._labels_of(self.parent_idx[self.parent_ptr[c] : self.parent_ptr[c + 1]])

    def children(self, label: Label) -> frozenset[Label]:
        """The children of a class.

        Parameters
        ----------
        label
            A class, or one of its aliases.
        """
        c = self.id(label)
        return self._labels_of(self.child_idx[self.child_ptr[c] : self.child_ptr[c + 1]])

    def ancestors(self, label: Label) -> frozenset[Label]:
        """An(c): the ancestors of a class, without itself.

        Parameters
        ----------
        label
            A class, or one of its aliases.
        """
        return self._labels_of(self.up_distances([self.id(label)]).ancestors[1:])

    def descendants(self, label: Label) -> frozenset[Label]:
        """De(c): the descendants of a class, without itself.

        Parameters
        ----------
        label
            A class, or one of its aliases.
        """
        return self._labels_of(self.downward.arcs.search(np.array([self.id(label)])).ancestors[1:])

    @cached_property
    def depths(self) -> FloatArray:
        """Length of the shortest path from each class up to a root."""
        from hemlp.kernels.graph.orders import depths
        from hemlp.kernels.records import Rows

        return depths(self.order, Rows(self.parent_ptr, self.parent_idx), self.parent_lengths)

    @cached_property
    def unit_depths(self) -> IntArray:
        """Fewest edges from each class up to a root."""
        unit = self if not self.weighted else replace(self, edges=replace(self.edges, weights=None))
        return unit.depths.astype(np.int32)

    @cached_property
    def heights(self) -> FloatArray:
        """Length of the longest path from each class down to a leaf."""
        from hemlp.kernels.graph.common_ancestors import heights

        lengths = np.ones(self.child_idx.size) if self.edges.weights is None else self.edges.weights
        order = np.ascontiguousarray(self.order, np.int32)
        return heights(order, self.child_ptr, self.child_idx.astype(np.int32, copy=False), lengths)

    def depth(self, label: Label) -> float:
        """Length of the shortest path up to a root: an integer unless the hierarchy is weighted.

        Parameters
        ----------
        label
            A class, or one of its aliases.
        """
        return self._length(self.depths[self.id(label)])

    def _length(self, value: float) -> float:
        return float(value) if self.weighted or math.isinf(value) else int(value)

    def up_distances(self, classes: ArrayLike, *, farthest: int | None = None) -> UpDistances:
        """Ancestors a of the given classes c, with up(c, a), at most ``farthest`` edges up.

        Parameters
        ----------
        classes
            Numbers of classes (see ``Hierarchy.id``).
        farthest
            Most edges to go up; None for all.

        Examples
        --------
        >>> from hemlp import Hierarchy
        >>> h = Hierarchy.from_edges([("a", "b"), ("b", "c")])
        >>> ancestors, distances = h.up_distances([h.id("c")])[0]
        >>> [h.labels[a] for a in ancestors], distances.tolist()
        (['c', 'b', 'a'], [0, 1, 2])
        """
        return self.upward.arcs.search(np.asarray(classes), farthest)

    def up_distance_chunks(
        self, classes: ArrayLike, *, memory: int | None, farthest: int | None = None
    ) -> Iterator[UpDistances]:
        """``up_distances`` in chunks of consecutive classes, each within ``memory`` bytes or of one class."""
        # an entry takes 8 bytes (16 if weighted), three times while the kernel's buffer grows
        room = None if memory is None else max(1, memory // (48 if self.weighted else 24))
        return self.upward.arcs.search_parts(np.asarray(classes), farthest, room)

    @cached_property
    def hub(self) -> int | None:
        """The class with most parents if it has more than ``MANY_PARENTS``: lists of what classes reach stop there."""
        parents = np.diff(self.parent_ptr)
        most = int(parents.argmax())
        return most if parents[most] > MANY_PARENTS else None

    @cached_property
    def upward(self) -> ReachTable:
        """Ancestors with their distances."""
        lengths = None if self.edges.weights is None else self.parent_lengths
        return ReachTable(Adjacency(self.parent_ptr, self.parent_idx, lengths), self.hub)

    @cached_property
    def downward(self) -> ReachTable:
        """Descendants, counted in edges."""
        return ReachTable(Adjacency(self.child_ptr, self.child_idx, None), self.hub)

    def distances(self, us: ArrayLike, vs: ArrayLike) -> FloatArray:
        """The distance of each pair of class numbers; infinite without a common ancestor.

        Parameters
        ----------
        us, vs
            Numbers of classes, of equal length.

        Examples
        --------
        >>> from hemlp import Hierarchy
        >>> h = Hierarchy.from_edges([("a", "b"), ("b", "c")], classes=["z"])
        >>> h.distances([h.id("c"), h.id("c")], [h.id("a"), h.id("z")]).tolist()
        [2.0, inf]
        """
        from hemlp.kernels.graph.distances import pair_distances, up_lists
        from hemlp.kernels.records import Sides

        pairs = np.array([us, vs], np.int32)
        distances = np.empty(pairs.shape[1])
        for begin in range(0, distances.size, FEW // 2):
            part = slice(begin, begin + FEW // 2)
            lists = self.upward.lists(pairs[:, part].ravel())
            u, v = np.searchsorted(lists.classes, pairs[:, part]).astype(np.int32)
            each = np.arange(u.size + 1)
            distances[part] = pair_distances(up_lists(lists), Sides(each, u, each, v), each)
        return distances

    def _meet(self, u: int, v: int) -> tuple[float, IntArray]:
        """The distance of u and v and the common ancestors that attain it."""
        up = self.up_distances([u, v])
        (above_u, from_u), (above_v, from_v) = up[0], up[1]
        common, at_u, at_v = np.intersect1d(above_u, above_v, assume_unique=True, return_indices=True)
        if not common.size:
            return math.inf, common
        sums = from_u[at_u] + from_v[at_v]
        return float(sums.min()), common[sums == sums.min()]

    def up(self, label: Label, ancestor: Label) -> float:
        """up(c, a): length of the shortest path from c up to a; infinite if a is not an ancestor of c.

        Parameters
        ----------
        label, ancestor
            Classes c and a, or aliases of them.
        """
        a = self.id(ancestor)
        ancestors, distances = self.up_distances([self.id(label)])[0]
        distance = distances[ancestors == a]
        return self._length(distance[0]) if distance.size else math.inf

    def distance(self, u: Label, v: Label) -> float:
        """min over common ancestors a of up(u, a) + up(v, a); infinite without one.

        Parameters
        ----------
        u, v
            Classes, or aliases of them.
        """
        return self._length(float(self.distances([self.id(u)], [self.id(v)])[0]))

    def lca(self, u: Label, v: Label) -> frozenset[Label | Top]:
        """LCA(u, v): the common ancestors that attain the distance; ``{TOP}`` without a common ancestor.

        Parameters
        ----------
        u, v
            Classes, or aliases of them.
        """
        distance, nearest = self._meet(self.id(u), self.id(v))
        return frozenset([TOP]) if math.isinf(distance) else frozenset(self._labels_of(nearest))
