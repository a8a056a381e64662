"""d(T, P) of all pairs of label sets on a small hierarchy and its variants, scored in batches.

d is the error of a measure, or what its score is below that of the perfect prediction. A variant is the hierarchy with
a class above all roots, with an edge split by a new class, or with other names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.properties.shapes import Edge, Shape
from hemlp.arrays import FloatArray, IntArray, pointers
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch, Policies, Side
from hemlp.measures.base import Measure
from hemlp.measures.catalogue import NAMED
from hemlp.measures.information import information_accretion, information_content
from hemlp.measures.scoring import score_together

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
