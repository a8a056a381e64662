"""Solutions of closures: how much the two sets of each instance weigh, and on demand the sets themselves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.hierarchy.labels import Label, Top
from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.program import Status
from hemlp.optimize.solutions import ShownSolution

if TYPE_CHECKING:
    from hemlp.problems.closure.model import ClosureModel
    from hemlp.problems.closure.prefixes import PrefixModel

Closures = tuple[IntArray, IntArray, NDArray[np.uint8]]
"""CSR pointers, nodes, and on which sides they are: 1 predicted, 2 true, 3 both, and 4 more if it was dropped."""
BOTH, DROPPED = 3, 4


@dataclass(frozen=True, eq=False, repr=False)
class ClosureSolution(ShownSolution):
    """Weights of the predicted, true and common nodes of each instance (``sums``), and whether the sets are ``equal``.

    ``made``: the sets themselves; those that a solver has not made are computed on demand.
    """

    model: ClosureModel | PrefixModel
    statuses: NDArray[np.int8]
    sums: FloatArray
    equal: NDArray[np.bool_]
    made: Closures | None = None
    columns: ClassVar[Mapping[str, FloatArray]] = MappingProxyType({})
    """What is known of each instance beside the weights: nothing."""

    @property
    def sets_of(self) -> ClosureModel:
        """The model whose sets these are: prefixes are instances of their own."""
        model: Any = self.model
        expanded: ClosureModel = getattr(model, "expanded", model)
        return expanded

    def __len__(self) -> int:
        return len(self.statuses)

    def __getitem__(self, row: int) -> ClosureSolution:
        row = range(len(self))[row]
        one = slice(row, row + 1)
        made = None
        if self.made is not None:
            ptr, nodes, members = self.made
            part = slice(ptr[row], ptr[row + 1])
            made = np.array([0, part.stop - part.start]), nodes[part], members[part]
        return ClosureSolution(
            self.sets_of[row], self.statuses[one], self.sums[one], self.equal[one], made,
            provenance=self.provenance.of_row(row),
        )  # fmt: skip

    @cached_property
    def closures(self) -> Closures:
        """Pointers, nodes and members."""
        return self.sets_of.closures() if self.made is None else self.made

    @property
    def objective(self) -> float:
        """The objective of the program of the only instance; nan where nothing was found."""
        return math.nan if self.statuses[0] > Status.FEASIBLE else self.sets_of.objective(self)

    def kept(self) -> tuple[set[int], set[int]]:
        """The augmented predicted and true sets of the only instance, as numbers of nodes."""
        _, nodes, members = self.closures
        stays = (members & DROPPED) == 0
        predicted, true = (set(nodes[stays & (members >> side & 1 > 0)].tolist()) for side in (PRED, TRUE))
        return predicted, true

    @cached_property
    def sets(self) -> tuple[frozenset[Label | Top], frozenset[Label | Top]]:
        """The augmented predicted and true sets of the only instance."""
        predicted, true = (frozenset(map(self.sets_of.label, nodes)) for nodes in self.kept())
        return predicted, true

    @property
    def dropped(self) -> frozenset[Label | Top]:
        """What was dropped from tolerant sets of the only instance."""
        _, nodes, members = self.closures
        return frozenset(map(self.sets_of.label, nodes[(members & DROPPED) > 0].tolist()))
