"""How the data of Problem 1 lie in arrays: pairs of a predicted and a true class, and the bounds of the classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hemlp.arrays import FloatArray, IntArray, pointers, row_places
from hemlp.instances.batch import Batch, Side


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of a batch: those of instance i from ``ptr[i]`` on, one row a predicted class."""

    ptr: IntArray

    @classmethod
    def of(cls, batch: Batch) -> Pairs:
        """The layout of the pairs of ``batch``."""
        return cls(pointers(batch.pred.sizes * batch.true.sizes))

    def place(self, start: int, stop: int) -> slice:
        """Where the pairs of the instances from ``start`` on and before ``stop`` are."""
        return slice(int(self.ptr[start]), int(self.ptr[stop]))

    def ends(self, batch: Batch) -> tuple[IntArray, IntArray]:
        """Positions, in ``batch.pred.classes`` and ``batch.true.classes``, of the two ends of each pair."""
        instance = np.repeat(np.arange(len(batch)), np.diff(self.ptr))
        offset = np.arange(self.ptr[-1]) - self.ptr[instance]
        width = batch.true.sizes[instance]
        row, column = np.divmod(offset, np.maximum(width, 1))
        return batch.pred.ptr[instance] + row, batch.true.ptr[instance] + column


@dataclass(frozen=True, eq=False)
class SideBounds:
    """One side of Problem 1: of each class its bounds α and β, and what its default class costs (infinite: none)."""

    side: Side
    lower: IntArray
    upper: IntArray
    default: FloatArray

    @cached_property
    def with_default(self) -> IntArray:
        """Positions of the classes that have a default class."""
        return np.flatnonzero(np.isfinite(self.default))

    def part(self, start: int, stop: int) -> SideBounds:
        """The classes of the instances from ``start`` on and before ``stop``."""
        one = self.place(start, stop)
        return SideBounds(self.side.part(start, stop), self.lower[one], self.upper[one], self.default[one])

    def take(self, rows: IntArray, side: Side) -> SideBounds:
        """The classes of some instances, which are now those of ``side``."""
        at = row_places(self.side.ptr, rows)
        return SideBounds(side, self.lower[at], self.upper[at], self.default[at])

    def place(self, start: int, stop: int) -> slice:
        """Where those classes are."""
        return slice(int(self.side.ptr[start]), int(self.side.ptr[stop]))
