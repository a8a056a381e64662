"""Small hierarchies, and d(T, P) of all pairs of label sets on them and their variants, scored in batches.

There is one hierarchy of each isomorphism class. Classes are 0 … n−1, every parent below its children, numbered so that
the sorted list of edges is smallest. Shapes are ordered by their number of classes, then trees, other DAGs with one
root, other DAGs, then by the number of edges and by the list of edges.

>>> [str(shape) for shape in shapes_of(3)]
['0>1,2', '0>1 1>2', '0>1,2 1>2', '0 1 2', '0>1 2', '0>2 1>2']

d is the error of a measure, or what its score is below that of the perfect prediction. A variant is the hierarchy with
a class above all roots, with an edge split by a new class, or with other names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain, combinations, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, pointers
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch, Policies, Side
from hemlp.measures.base import Measure
from hemlp.measures.catalogue import NAMED
from hemlp.measures.information import information_accretion, information_content
from hemlp.measures.scoring import score_together

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
        up = np.where(np.eye(self.size, dtype=bool), 0.0, np.inf)  # from each class (row) to its ancestors
        for _ in range(self.size):
            for parent, child in self.edges:
                up[child] = np.minimum(up[child], 1 + up[parent])
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
    """All hierarchies of n classes up to isomorphism: the sets of edges whose list no other numbering makes smaller."""
    edges, bits = _edge_bits(n)
    codes = np.arange(1 << len(edges))
    has = {edge: codes & bits[edge] != 0 for edge in edges}
    smallest = np.ones(len(codes), dtype=bool)
    for to in permutations(range(n)):
        moved, is_numbering = np.zeros_like(codes), np.ones(len(codes), dtype=bool)
        for (p, c), there in has.items():
            if to[p] < to[c]:
                moved += there * bits[to[p], to[c]]
            else:
                is_numbering &= ~there
        smallest &= ~(is_numbering & (moved > codes))
    shapes = (Shape(n, tuple(edge for edge in edges if code & bits[edge])) for code in codes[smallest].tolist())
    return tuple(sorted(shapes, key=lambda shape: shape.order))


def shapes_up_to(n: int) -> Iterator[Shape]:
    """All hierarchies of at most n classes, the smallest first."""
    return chain.from_iterable(map(shapes_of, range(1, n + 1)))


def random_shape(rng: np.random.Generator, size: int) -> Shape:
    """A random tree, DAG or forest of ``size`` classes."""
    least, most = int(rng.integers(0, 2)), int(rng.integers(1, 4))
    edges = [
        (int(parent), child)
        for child in range(1, size)
        for parent in rng.choice(child, min(child, int(rng.integers(least, most + 1))), replace=False)
    ]
    return numbered(Shape(size, tuple(sorted(edges))))


LabelSet = tuple[int, ...]
_POLICIES = str(Policies())


class LabelSpace(NamedTuple):
    """All sorted label sets of few classes in lexicographic order, () first, with their positions and sizes.

    ``has``: whether a set (row) has a class (column). ``with_class``: the position of a set (row) with a class (column)
    added, −1 where it has the class or has no room.
    """

    sets: tuple[LabelSet, ...]
    numbers: dict[LabelSet, int]
    sizes: IntArray
    has: NDArray[np.bool_]
    with_class: IntArray

    def smallest(self, cases: NDArray[np.bool_]) -> tuple[int, ...]:
        """The case of fewest labels, then of the smallest sets: an axis for each set, and at least one case."""
        total = self.sizes
        for _ in range(cases.ndim - 1):
            total = total[..., None] + self.sizes
        fewest = int(np.argmin(np.where(cases, total, total.max() + 1)))
        return tuple(map(int, np.unravel_index(fewest, cases.shape)))


@cache
def label_space(classes: int, most: int) -> LabelSpace:
    """The label sets of at most ``most`` of the classes 0 … ``classes`` − 1."""
    every, sizes = range(classes), range(min(most, classes) + 1)
    sets = tuple(sorted(each for size in sizes for each in combinations(every, size)))
    numbers = {each: k for k, each in enumerate(sets)}
    has = np.array([[c in each for c in every] for each in sets], np.bool_)
    more = np.array([[numbers.get(tuple(sorted({*each, c})), -1) for c in every] for each in sets], np.int64)
    return LabelSpace(sets, numbers, np.array([len(each) for each in sets]), has, np.where(has, -1, more))


@cache
def all_pairs(classes: int, most: int, renumbering: tuple[int, ...] | None = None) -> tuple[Side, Side]:
    """All pairs (true, predicted), those of the first true set first, with other numbers for the classes."""
    space, to = label_space(classes, most), np.array(range(classes) if renumbering is None else renumbering)
    once = Side(
        pointers(space.sizes), np.concatenate([np.sort(to[list(each)]) for each in space.sets]).astype(np.int32)
    )
    rows = np.arange(len(space.sets))
    return once.take(np.repeat(rows, rows.size)), once.take(np.tile(rows, rows.size))


@dataclass(frozen=True)
class Variant:
    """A hierarchy made from another one: as it is, below a new root, with a split edge, or with other numbers."""

    new_root: bool = False
    edge: Edge | None = None
    numbers: tuple[int, ...] | None = None

    def shape(self, base: Shape) -> Shape:
        """The new shape."""
        if self.edge is not None:
            return base.split(self.edge)
        if self.numbers is not None:
            return Shape(base.size, tuple((self.numbers[p], self.numbers[c]) for p, c in base.edges))
        return base.below_new_root() if self.new_root else base

    def number(self, c: int) -> int:
        """The new number of a class."""
        return c if self.numbers is None else self.numbers[c]

    def __str__(self) -> str:
        if self.edge is not None:
            return f"with a class between {self.edge[0]} and {self.edge[1]}"
        if self.numbers is not None:
            return f"with the numbers {', '.join(map(str, self.numbers))} for 0 … {len(self.numbers) - 1}"
        return "below a new root" if self.new_root else ""


AS_IS = Variant()


def complete(measure: Measure, hierarchy: Hierarchy) -> Measure:
    """The measure itself; one that needs weights of classes takes those of a corpus with each class once."""
    needed = NAMED[measure.name].needed if measure.name in NAMED else {}
    if "weights" not in needed or measure.fields["weights"] is not None:
        return measure
    make = information_accretion if "accretion" in needed["weights"] else information_content
    return measure.changed(weights=make(hierarchy, [[label] for label in hierarchy.labels]))


@dataclass(frozen=True)
class Losses:
    """d of one measure: ``d[T, P]`` on the hierarchy as it is, and on variants of it; nan where it is undefined."""

    shape: Shape
    space: LabelSpace
    tables: dict[Variant, FloatArray]

    @property
    def d(self) -> FloatArray:
        """On the hierarchy as it is."""
        return self.tables[AS_IS]


@dataclass
class LossTables:
    """d of several measures on one shape, scored together."""

    shape: Shape
    labels: int
    measures: Sequence[Measure]
    _tables: dict[int, dict[Variant, FloatArray]] = field(default_factory=dict)

    @property
    def space(self) -> LabelSpace:
        """The label sets."""
        return label_space(self.shape.size, self.labels)

    def prepare(self, variant: Variant, wanted: Iterable[int]) -> None:
        """Score the measures with these numbers on a variant, where they are defined on the hierarchy as it is."""
        hierarchy = variant.shape(self.shape).hierarchy()
        sides = all_pairs(self.shape.size, self.labels, variant.numbers)
        batch = Batch(hierarchy, *sides, None, hierarchy, _POLICIES)
        together: dict[bytes, list[int]] = {}
        for k in sorted(wanted):
            together.setdefault(self._defined(k).tobytes(), []).append(k)
        for numbers in together.values():
            measures = [complete(self.measures[k], hierarchy) for k in numbers]
            rows = np.flatnonzero(self._defined(numbers[0]))
            part = batch if rows.size == len(batch) else batch.take(rows)
            for k, scores in zip(numbers, score_together(measures, part, undefined="nan"), strict=True):
                values = np.full(len(batch), np.nan)
                values[rows] = scores.values
                table = values.reshape(len(self.space.sets), -1)
                self._tables.setdefault(k, {})[variant] = as_losses(self.measures[k], table)

    def _defined(self, k: int) -> NDArray[np.bool_]:
        """The pairs of sets on which d is defined on the hierarchy as it is."""
        if k not in self._tables:
            return np.ones(len(self.space.sets) ** 2, np.bool_)
        return ~np.isnan(self._tables[k][AS_IS]).ravel()

    def of(self, k: int) -> Losses:
        """d of the measure with this number."""
        return Losses(self.shape, self.space, self._tables[k])


def as_losses(measure: Measure, table: FloatArray) -> FloatArray:
    """d from the values of a measure, a row for each true set and a column for each predicted one."""
    finite = np.where(np.isfinite(table), table, np.nan)
    return finite.diagonal()[:, None] - finite if measure.greater_is_better else finite
