"""All label sets of at most k of n classes in lexicographic order, and all pairs of them as the sides of a batch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray, pointers
from hemlp.instances.batch import Side


@dataclass(frozen=True, eq=False)
class LabelSpace:
    """The sorted label sets of at most ``most`` of the classes 0 … ``classes`` − 1; () is the first of them."""

    classes: int
    most: int

    @cached_property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """In lexicographic order."""
        sizes = range(min(self.most, self.classes) + 1)
        return tuple(sorted(each for size in sizes for each in combinations(range(self.classes), size)))

    @cached_property
    def numbers(self) -> dict[tuple[int, ...], int]:
        """The place of each set."""
        return {each: k for k, each in enumerate(self.sets)}

    @cached_property
    def sizes(self) -> IntArray:
        """How many labels each set has."""
        return np.array([len(each) for each in self.sets])

    @cached_property
    def has(self) -> NDArray[np.bool_]:
        """Whether a set (row) has a class (column)."""
        return np.array([[c in each for c in range(self.classes)] for each in self.sets], np.bool_)

    @cached_property
    def with_class(self) -> IntArray:
        """The place of a set (row) with a class (column) added, −1 where it has it already or has no room."""
        added = [
            [-1 if c in each else self.numbers.get(tuple(sorted((*each, c))), -1) for c in range(self.classes)]
            for each in self.sets
        ]
        return np.array(added, np.int64).reshape(len(self.sets), self.classes)

    @cache  # noqa: B019 (spaces are kept for good)
    def sides(self, renumbering: tuple[int, ...] | None = None) -> tuple[Side, Side]:
        """All pairs (true, predicted), those of the first true set first, with other numbers for the classes."""
        to = np.arange(self.classes) if renumbering is None else np.array(renumbering)
        moved = [np.sort(to[list(each)]).astype(np.int32) for each in self.sets]
        count = len(moved)
        ptr = pointers(self.sizes)
        once = Side(ptr, np.concatenate(moved).astype(np.int32))
        rows = np.arange(count)
        return once.take(np.repeat(rows, count)), once.take(np.tile(rows, count))


@cache
def label_space(classes: int, most: int) -> LabelSpace:
    """The label sets of at most ``most`` of so many classes."""
    return LabelSpace(classes, most)
