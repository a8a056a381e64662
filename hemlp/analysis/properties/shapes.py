"""Small hierarchies, one of each isomorphism class, the smallest first.

Classes are 0 … n−1, every parent below its children, numbered so that the sorted list of edges is smallest. Shapes are
ordered by their number of classes, then trees, other DAGs with one root, other DAGs, then by the number of edges and
by the list of edges.

>>> [str(shape) for shape in shapes_of(3)]
['0>1,2', '0>1 1>2', '0>1,2 1>2', '0 1 2', '0>1 2', '0>2 1>2']
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, permutations

import numpy as np

from hemlp.hierarchy.dag import Hierarchy

MOST_NUMBERED = 7
"""Classes up to which all numberings of a shape are tried."""
Edge = tuple[int, int]


@dataclass(frozen=True)
class Shape:
    """A hierarchy of the classes 0 … ``size`` − 1 by its sorted edges (parent, child)."""

    size: int
    edges: tuple[Edge, ...]

    @cached_property
    def kind(self) -> int:
        """0: a tree, 1: another DAG with one root, 2: any other."""
        children = {child for _, child in self.edges}
        if len(children) < self.size - 1:
            return 2
        return 0 if len(self.edges) == self.size - 1 else 1

    @property
    def order(self) -> tuple[int, int, int, tuple[Edge, ...]]:
        """The sort key of shapes."""
        return self.size, self.kind, len(self.edges), self.edges

    def __str__(self) -> str:
        joined = {end for edge in self.edges for end in edge}
        below = {p: ",".join(str(c) for of, c in self.edges if of == p) for p in range(self.size)}
        lines = (f"{p}>{below[p]}" if below[p] else str(p) for p in below if below[p] or p not in joined)
        return " ".join(lines)

    def hierarchy(self) -> Hierarchy:
        """As a hierarchy whose labels are these numbers."""
        parents, children = zip(*self.edges, strict=True) if self.edges else ((), ())
        return Hierarchy.from_codes(range(self.size), np.array(parents, np.int32), np.array(children, np.int32))

    def below_new_root(self) -> Shape:
        """With one more class above all roots."""
        children = {child for _, child in self.edges}
        new = ((self.size, root) for root in range(self.size) if root not in children)
        return Shape(self.size + 1, (*self.edges, *new))

    def split(self, edge: Edge) -> Shape:
        """With one more class in the middle of an edge."""
        rest = (other for other in self.edges if other != edge)
        return Shape(self.size + 1, (*rest, (edge[0], self.size), (self.size, edge[1])))

    @cached_property
    def steps_nearer(self) -> tuple[tuple[int, int, int], ...]:
        """All (t, p, q) where q is a neighbour of p on a shortest path, up and then down, from p to t."""
        up = self._up_distances()
        distance = (up[:, None, :] + up[None, :, :]).min(axis=2)  # over p, t and their common ancestor
        steps = []
        for p in range(self.size):
            for t in range(self.size):
                if t == p or not np.isfinite(distance[p, t]):
                    continue
                for parent, child in self.edges:
                    if child == p and (1 + up[parent] + up[t]).min() == distance[p, t]:
                        steps.append((t, p, parent))
                    if parent == p and 1 + up[t, child] == distance[p, t]:
                        steps.append((t, p, child))
        return tuple(sorted(steps))

    def _up_distances(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Lengths of shortest upward paths from each class (row) to each ancestor, infinite to others."""
        up = np.where(np.eye(self.size, dtype=bool), 0.0, np.inf)
        for _ in range(self.size):
            for parent, child in self.edges:
                up[child] = np.minimum(up[child], 1 + up[parent])
        return up

    def smaller(self) -> list[Shape]:
        """Without one edge, or without one class, whose children become children of its parents or do not."""
        rests = {Shape(self.size, tuple(e for e in self.edges if e != edge)) for edge in self.edges}
        for gone in range(self.size if self.size > 1 else 0):
            rest = [edge for edge in self.edges if gone not in edge]
            above = [p for p, c in self.edges if c == gone]
            joined = [(p, c) for of, c in self.edges if of == gone for p in above]
            for edges in (rest, [*rest, *joined]):
                moved = {(p - (p > gone), c - (c > gone)) for p, c in edges}
                rests.add(Shape(self.size - 1, tuple(sorted(moved))))
        return sorted({numbered(shape) for shape in rests}, key=lambda shape: shape.order)


def numbered(shape: Shape) -> Shape:
    """With the numbering whose list of edges is smallest, if the shape is small enough to try all."""
    if shape.size > MOST_NUMBERED:
        return shape
    edges, bits = _edge_bits(shape.size)
    codes = []
    for to in permutations(range(shape.size)):
        moved = [bits.get((to[p], to[c]), 0) for p, c in shape.edges]
        if all(moved):
            codes.append(sum(moved))
    best = max(codes)
    return Shape(shape.size, tuple(edge for edge in edges if best & bits[edge]))


@cache
def _edge_bits(n: int) -> tuple[list[Edge], dict[Edge, int]]:
    """All edges from smaller to greater numbers, and a bit for each: the smaller of two lists is the greater sum."""
    edges = list(combinations(range(n), 2))
    return edges, {edge: 1 << (len(edges) - 1 - k) for k, edge in enumerate(edges)}


@cache
def shapes_of(n: int) -> tuple[Shape, ...]:
    """All hierarchies of n classes up to isomorphism, in their order."""
    edges, _ = _edge_bits(n)
    subsets = (each for size in range(len(edges) + 1) for each in combinations(edges, size))
    return tuple(sorted({numbered(Shape(n, each)) for each in subsets}, key=lambda shape: shape.order))


def shapes_up_to(n: int) -> Iterator[Shape]:
    """All hierarchies of at most n classes, the smallest first."""
    for size in range(1, n + 1):
        yield from shapes_of(size)


def random_shape(rng: np.random.Generator, size: int) -> Shape:
    """A random tree, DAG or forest of ``size`` classes."""
    least, most = int(rng.integers(0, 2)), int(rng.integers(1, 4))
    edges = [
        (int(parent), child)
        for child in range(1, size)
        for parent in rng.choice(child, min(child, int(rng.integers(least, most + 1))), replace=False)
    ]
    return numbered(Shape(size, tuple(sorted(edges))))
