"""Sets with all that each of their classes implies at once, as an augmentation of somebody's own says it.

min  Σ z_c    s.t.  z_c = 1 for the classes of a side,  z_a ≥ z_c where c implies a,  z_c ∈ {0, 1}
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hemlp.arrays import IntArray
from hemlp.hierarchy.reach import Adjacency, Reach, ReachTable
from hemlp.optimize.algebra import Algebra
from hemlp.optimize.model import Model
from hemlp.problems.closure.model import ClosureModel


@dataclass(frozen=True, eq=False, repr=False)
class ImpliedModel(ClosureModel):
    """Both sets of each instance; ``implied``: the classes that each class implies, as CSR arrays."""

    implied: tuple[IntArray, IntArray] = (np.zeros(1, np.int64), np.empty(0, np.int32))

    @property
    def arrows(self) -> tuple[IntArray, IntArray]:
        """What each class implies."""
        return self.implied

    @property
    def farthest(self) -> int:
        """What is implied implies nothing."""
        return 1

    def lists(self) -> Reach:
        """Lists of what each class of the batch implies."""
        classes = np.concatenate([side.classes for side in self.batch.sides])
        return ReachTable(Adjacency(*self.implied, None), None).within(classes, self.farthest)

    def implications(self, row: int, side: int) -> list[tuple[int, int]]:
        """(class, class that it implies) of one side of an instance."""
        ptr, implied = self.implied
        return [(int(c), int(a)) for c in self.batch.sides[side][row] for a in implied[ptr[c] : ptr[c + 1]]]

    def algebra(self, stage: str | None = None) -> Algebra:
        """Nobody knows what the classes imply in sums."""
        return Model.algebra(self, stage)
