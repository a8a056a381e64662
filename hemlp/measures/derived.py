"""Measures that are made of another measure, and have its score and columns: under further constraints, or of the k
greatest scores (``F_H@5`` is F_H of the five classes with the greatest scores of an instance).

>>> from hemlp import Hierarchy, measure
>>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
>>> alone = measure("GIE").with_constraints(lambda model: [model.x["cow", "sheep"] == 0], name="alone")
>>> alone.score(h, true=["sheep"], pred=["cow"]), str(alone)
(10.0, "ConstrainedMeasure('alone', measure='GIE', constraints='custom')")
>>> [measure(text).score(h, ["sheep"], {"cow": 0.9, "sheep": 0.7}) for text in ("P@1", "P@2", "F_H@1", "distance@2")]
[0.0, 0.5, 0.5, 0.5]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption, UnknownMeasure
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch
from hemlp.instances.label_sets import LabelSets
from hemlp.instances.scored_sets import ScoredSets
from hemlp.measures.base import Measure, set_fields
from hemlp.measures.instance_scores import Scores
from hemlp.measures.naming import check_name
from hemlp.measures.scoring import UndefinedPolicy, as_batch, sharing_key
from hemlp.optimize.expressions import Constraint
from hemlp.optimize.model import Model

if TYPE_CHECKING:
    from hemlp.measures.default_cost_sensitivity import Sensitivity

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
            raise InvalidOption(
                "constraints of a measure are a function: of the model of one instance, to a constraint or several"
            )
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
        own, _, _ = super()._sign().rpartition("|hemlp:")  # the version comes last, and once
        return f"{own}|of {self.measure.signature}"

    @property
    def range(self) -> tuple[float, float]:
        low, high = self.measure.range
        return (-math.inf, high) if self.greater_is_better else (low, math.inf)

    def model(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Model[Any]:
        return self.measure.model(data, true, pred).with_constraints(self.constraints)

    def _compute_columns(self, model: Any, solution: Any) -> dict[str, FloatArray]:
        return super()._compute_columns(getattr(model, "base", model), solution)


@dataclass(frozen=True, eq=False)
class RankedMeasure(DerivedMeasure):
    """A measure of the k classes with the greatest scores (ties by label), or of all where there are fewer.

    Parameters
    ----------
    measure
        Of these classes as predictions.
    k
        How many, at least 1.

    Examples
    --------
    >>> from hemlp import measure
    >>> RankedMeasure(measure("F_H"), 5) == measure("F_H@5")
    True
    """

    measure: Measure
    k: int
    name: str = field(init=False)

    def __post_init__(self) -> None:
        measure, k = self.measure, self.k
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise UnknownMeasure(f"{measure}@{k}: the number of the greatest scores is an integer of at least 1")
        if not isinstance(measure, Measure) or isinstance(measure, RankedMeasure):
            raise InvalidOption(f"{measure}@{k} is not a measure of the k greatest scores")
        set_fields(self, k=int(k), name=f"{measure.name}@{k}")

    def changed(self, **changes: Any) -> RankedMeasure:
        k = changes.pop("k", self.k)
        return RankedMeasure(self.measure.changed(**changes), k)

    def serializable_fields(self) -> dict[str, Any]:
        return self.measure.serializable_fields()

    @property
    def parameters(self) -> dict[str, Any]:
        return self.measure.parameters

    @property
    def display_name(self) -> str:
        return f"{self.measure.display_name}@{self.k}"

    def __str__(self) -> str:
        return f"{self.measure}@{self.k}"

    @property
    def _model_key(self) -> Hashable:
        """Measures of one k share what they would share without it."""
        return self.k, sharing_key(self.measure)

    @property
    def signature(self) -> str:
        return self.name + self.measure.signature.removeprefix(self.measure.name)

    def _as_batch(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Batch:
        """A batch with the k greatest scores for predictions."""
        if isinstance(data, Batch):
            return as_batch(data.first(self.k), true, pred)
        if true is None or pred is None:
            raise InvalidOption("true and the scores of its instance are both needed; no scores are {}")
        sides = LabelSets.of([true], rows="sets", source="true labels"), ScoredSets.of([pred], source="predictions")
        return Batch.of(data, *sides).first(self.k)

    def model(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Model[Any]:
        """The model of the measure on the k greatest scores; ``pred`` maps labels to scores."""
        return self.measure.model(self._as_batch(data, true, pred))

    def sensitivity(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Sensitivity:
        """How a pair-based measure of the k greatest scores depends on its default cost; see ``PairMeasure``."""
        from hemlp.measures.pair_measure import pairs_classes

        if not pairs_classes(self.measure):
            raise InvalidOption(f"{self} has no default cost to vary")
        return self.measure.sensitivity(self._as_batch(data, true, pred))
