"""All pairs of a predicted and a true class of a batch, one row a predicted class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hemlp.arrays import IntArray, pointers
from hemlp.instances.batch import Batch


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
