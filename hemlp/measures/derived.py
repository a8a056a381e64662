"""Measures that are made of another measure, and have its score and columns; such as those under further constraints.

>>> from hemlp import Hierarchy, measure
>>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
>>> alone = measure("GIE").with_constraints(lambda model: [model.x["cow", "sheep"] == 0], name="alone")
>>> alone.score(h, true=["sheep"], pred=["cow"]), str(alone)
(10.0, "ConstrainedMeasure('alone', measure='GIE', constraints='custom')")
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch
from hemlp.measures.base import Measure
from hemlp.measures.instance_scores import Scores
from hemlp.measures.naming import check_name
from hemlp.measures.scoring import UndefinedPolicy
from hemlp.optimize.expressions import Constraint
from hemlp.optimize.model import Model

Gold = Literal["exact", "at least"]
LENIENT = " (lenient)"
"""What follows the name of a measure where true classes may be too general: gold="at least"."""


def _as_inner(name: str) -> Any:
    """A property that is that of the inner measure."""
    return property(lambda derived: getattr(derived.measure, name), doc="As of the measure.")


class DerivedMeasure(Measure):
    """A measure of what ``measure`` measures; a child says what is different."""

    measure: Measure

    @cached_property
    def columns(self) -> tuple[str, ...]:
        return self.name, *(column for column in self.measure.columns if column != self.measure.name)

    _parts, _scorer, _solve_options = (_as_inner(name) for name in ("_parts", "_scorer", "_solve_options"))
    greater_is_better, range, exact = (_as_inner(name) for name in ("greater_is_better", "range", "exact"))

    @property
    def invariants(self) -> frozenset[str]:
        """The range alone: what is different may break all others."""
        return self.measure.invariants & {"range"}

    def _check_complete(self) -> None:
        self.measure._check_complete()

    def _mean_closure_size(self, hierarchy: Hierarchy) -> float:
        return self.measure._mean_closure_size(hierarchy)

    def bytes_needed(self, batch: Batch) -> FloatArray:
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


@dataclass(frozen=True)
class ConstrainedMeasure(DerivedMeasure):
    """A measure of pairings or transports under constraints of your own, for each instance.

    Parameters
    ----------
    name
        A word that is no other measure's name.
    measure
        Whose model and score it is.
    constraints
        From the model of one instance to its constraints over ``model.x[predicted, true]``.
    """

    name: str
    measure: Measure
    constraints: Callable[[Any], Iterable[Constraint]]

    def __post_init__(self) -> None:
        if not isinstance(self.measure, Measure) or not callable(self.constraints):
            raise InvalidOption("constraints are a function of the model of one instance, for a measure")
        check_name(self)

    def changed(self, **changes: Any) -> ConstrainedMeasure:
        name, function = changes.pop("name", self.name), changes.pop("constraints", self.constraints)
        own = changes.pop("measure", self.measure)
        return ConstrainedMeasure(name, own.changed(**changes) if changes else own, function)

    def sensitivity(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Any:
        """Refused: with constraints the least cost is no envelope of lines that flows find."""
        raise InvalidOption(f"{self.name}: the sensitivity of a measure with constraints of your own is not known")

    def serializable_fields(self) -> dict[str, Any]:
        return {"name": self.name, "measure": str(self.measure), "constraints": "custom"}

    def _sign(self) -> str:
        return f"{super()._sign()}|of {self.measure.signature}"

    @property
    def range(self) -> tuple[float, float]:
        low, high = self.measure.range
        return (-math.inf, high) if self.greater_is_better else (low, math.inf)

    def model(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Model[Any]:
        return self.measure.model(data, true, pred).with_constraints(self.constraints)

    def _compute_columns(self, model: Any, solution: Any) -> dict[str, FloatArray]:
        return super()._compute_columns(getattr(model, "base", model), solution)
