"""Measures that are made of another measure, and have its score, its columns and what it is defined on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch
from hemlp.measures.base import Measure
from hemlp.measures.instance_scores import Scores
from hemlp.measures.scoring import UndefinedPolicy

Gold = Literal["exact", "at least"]
LENIENT = " (lenient)"
"""What follows the name of a measure where true classes may be too general: gold is "at least" what is said."""


class DerivedMeasure(Measure):
    """A measure of what ``measure`` measures; a child says what is different."""

    measure: Measure

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the measure, under its own name."""
        return self.name, *(column for column in self.measure.columns if column != self.measure.name)

    @property
    def _parts(self) -> tuple[Any, ...]:
        return self.measure._parts

    @property
    def _scorer(self) -> Any:
        return self.measure._scorer

    @property
    def greater_is_better(self) -> bool:
        """As of the measure."""
        return self.measure.greater_is_better

    @property
    def range(self) -> tuple[float, float]:
        """As of the measure."""
        return self.measure.range

    @property
    def invariants(self) -> frozenset[str]:
        """The range alone: what is different may break all others."""
        return self.measure.invariants & {"range"}

    @property
    def exact(self) -> bool:
        """As of the measure."""
        return self.measure.exact

    @property
    def _solve_options(self) -> tuple[str | None, float | None]:  # type: ignore[override]
        return self.measure._solve_options

    def _check_complete(self) -> None:
        self.measure._check_complete()

    def _mean_closure_size(self, hierarchy: Hierarchy) -> float:
        return self.measure._mean_closure_size(hierarchy)

    def bytes_needed(self, batch: Batch) -> FloatArray:
        """As of the measure, for the instances that are scored."""
        return self.measure.bytes_needed(self._as_batch(batch))

    def _undefined(self, batch: Batch) -> tuple[NDArray[np.bool_], str]:
        return self.measure._undefined(self._as_batch(batch))

    def _defined_rows(self, batch: Batch, undefined: UndefinedPolicy, first_row: int = 0) -> IntArray:
        return self.measure._defined_rows(self._as_batch(batch), undefined, first_row)

    def _compute_columns(self, model: Any, solution: Any) -> dict[str, FloatArray]:
        columns = self.measure._compute_columns(model, solution)
        return {self.name if name == self.measure.name else name: values for name, values in columns.items()}

    def underlying(self, scores: Scores) -> Scores:
        """Scores of this measure as those of the measure that it is made of, on the same sets."""
        own = {self.measure.name if name == self.name else name: values for name, values in scores.columns.items()}
        return replace(scores, name=self.measure.name, columns=own)
