"""Measures of the k greatest scores: ``F_H@5`` is F_H of the five classes with the greatest scores of an instance.

>>> from hemlp import Hierarchy, measure
>>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
>>> scores = {"cow": 0.9, "sheep": 0.7, "animal": 0.2}
>>> [measure(text).score(h, ["sheep"], scores) for text in ("P@1", "P@2", "F_H@1", "distance@2")]
[0.0, 0.5, 0.6666666666666666, 0.5]
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.errors import InvalidOption, UnknownMeasure
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch
from hemlp.instances.label_sets import LabelSets
from hemlp.instances.scored_sets import ScoredSets
from hemlp.measures.base import Measure, set_fields
from hemlp.measures.derived import DerivedMeasure
from hemlp.measures.scoring import as_batch, sharing_key
from hemlp.optimize.model import Model

if TYPE_CHECKING:
    from hemlp.measures.default_cost_sensitivity import Sensitivity


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
