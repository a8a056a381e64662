"""Measures with constraints of your own: the model of another measure, and a function that adds constraints to it.

>>> from hemlp import Hierarchy, measure
>>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
>>> alone = measure("GIE").with_constraints(lambda model: [model.x["cow", "sheep"] == 0], name="alone")
>>> alone.score(h, true=["sheep"], pred=["cow"]), str(alone)
(10.0, "ConstrainedMeasure('alone', measure='GIE', constraints='custom')")
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch
from hemlp.measures.base import Measure
from hemlp.measures.derived import DerivedMeasure
from hemlp.measures.naming import check_name
from hemlp.optimize.expressions import Constraint
from hemlp.optimize.model import Model


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
        """With another name or function, or other fields of the measure."""
        name, function = changes.pop("name", self.name), changes.pop("constraints", self.constraints)
        own = changes.pop("measure", self.measure)
        return ConstrainedMeasure(name, own.changed(**changes) if changes else own, function)

    def serializable_fields(self) -> dict[str, Any]:
        """A function has no text form."""
        return {"name": self.name, "measure": str(self.measure), "constraints": "custom"}

    def _sign(self) -> str:
        return f"{super()._sign()}|of {self.measure.signature}"

    @property
    def range(self) -> tuple[float, float]:
        """As of the measure, but for how bad it can become."""
        low, high = self.measure.range
        return (-math.inf, high) if self.greater_is_better else (low, math.inf)

    def model(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Model[Any]:
        """The model of the measure with the constraints of each instance."""
        return self.measure.model(data, true, pred).with_constraints(self.constraints)

    def _compute_columns(self, model: Any, solution: Any) -> dict[str, FloatArray]:
        return super()._compute_columns(getattr(model, "base", model), solution)
