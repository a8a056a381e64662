"""A cache of the values of measures on the n greatest scores of each instance, for all n.

A threshold, a number of classes and both together predict the first n classes of an instance, greatest score first. So
all such rules share these values, on any part of the instances.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.scored.aligned_scores import AlignedScores
from hemlp.analysis.scored.step_scores import ScoringOptions, StepValues, score_steps, uses_sweep
from hemlp.analysis.scored.threshold_steps import ThresholdSteps
from hemlp.arrays import FloatArray, IntArray, row_pointers
from hemlp.instances.scored_sets import ScoredSets
from hemlp.measures.base import Measure
from hemlp.measures.set_measure import SET_SCORES, SetFacts, SetMeasure
from hemlp.problems.lca.model import GraphModel
from hemlp.problems.lca.prefix_bounds import bound_prefixes

MAX_CLASSES_SCORED = 20_000_000
"""Predicted classes of the sets that are scored without being asked for; with more, a choice is made."""


@dataclass(frozen=True, eq=False)
class UpperBounds:
    """Upper bounds on the values of all prefixes; those of instance i begin at ``begin[i]``."""

    values: FloatArray
    begin: IntArray

    @cached_property
    def of_longer(self) -> FloatArray:
        """The greatest bound of a prefix and all longer ones of its instance."""
        return self._running_maximum(-1)

    @cached_property
    def of_shorter(self) -> FloatArray:
        """The greatest bound of a prefix and all shorter ones of its instance."""
        return self._running_maximum(1)

    def _running_maximum(self, step: int) -> FloatArray:
        """Over ranks among all bounds, so that instances stay apart without rounding."""
        distinct, ranks = np.unique(self.values, return_inverse=True)
        rows = np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))
        offset = (rows if step > 0 else rows[-1] - rows) * len(distinct)
        greatest: FloatArray = distinct[(np.maximum.accumulate((ranks + offset)[::step])[::step]) - offset]
        return greatest


@dataclass(eq=False)
class PrefixScores:
    """The n-th value of instance i is at ``raw_scores.ptr[i] + i + n``, for n from 0 to the number of its scores."""

    data: AlignedScores
    measures: Mapping[str, Measure]
    options: ScoringOptions
    _known: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    _values: dict[str, FloatArray] = field(default_factory=dict)
    _metadata: dict[str, StepValues] = field(default_factory=dict)
    _bounds: dict[str, UpperBounds | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.data.raw_scores is not None
        self.raw_scores: ScoredSets = self.data.raw_scores
        size = self.raw_scores.values.size + len(self.raw_scores)
        for name in self.measures:
            self._known[name], self._values[name] = np.zeros(size, np.bool_), np.empty(size)
        self._class_counts, self._ordered = _class_counts(self.data, self.raw_scores)
        self.swept_measures = {
            name for name, each in self.measures.items() if uses_sweep(each, self.data, self.options)
        }

    def is_affordable(self, name: str) -> bool:
        """Whether all values of a measure are cheap enough to be computed."""
        return (
            name in self.swept_measures
            or float(np.sum(np.diff(self.raw_scores.ptr).astype(np.float64) ** 2)) / 2 <= MAX_CLASSES_SCORED
        )

    def metadata(self, name: str) -> StepValues:
        """The signature of a measure, and how many values are not proved optimal."""
        return self._metadata[name]

    def bounds(self, name: str) -> UpperBounds | None:
        """Upper bounds on all values of a measure, if there are any cheaper than the values."""
        if name not in self._bounds:
            self._bounds[name] = self._bound(self.measures[name]) if self.options.undefined == "error" else None
        return self._bounds[name]

    def _bound(self, measure: Measure) -> UpperBounds | None:
        """Upper bounds on P, R and F of LCA graphs, from bounds on their sizes."""
        model = measure.model(self.data.batch)
        if not (
            isinstance(measure, SetMeasure) and measure.scoring in ("P", "R", "F") and isinstance(model, GraphModel)
        ):
            return None
        ordered, begin = self._ordered, self.raw_scores.ptr + np.arange(len(self.raw_scores) + 1)
        sizes = bound_prefixes(model, (ordered.ptr, ordered.classes), (begin, self._class_counts))
        if sizes is None:
            return None
        predicted, true, common = sizes.T
        equal = (predicted == common) & (true == common)
        facts = SetFacts(predicted, true, common, equal, len(self.data.hierarchy))
        return UpperBounds(SET_SCORES[measure.scoring].function(facts), begin)

    def place(self, rows: IntArray, sizes: IntArray) -> IntArray:
        """The positions of the values of the ``sizes[k]`` greatest scores of the instance ``rows[k]``."""
        at: IntArray = self.raw_scores.ptr[rows] + rows + sizes
        return at

    def upper(self, name: str, at: IntArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """The values at some positions, or upper bounds on them, and which are values."""
        bounds, known = self.bounds(name), self._known[name][at]
        assert bounds is not None
        return np.where(known, self._values[name][at], bounds.values[at]), known

    def values(self, name: str, rows: IntArray, sizes: IntArray) -> FloatArray:
        """The value of a measure on the ``sizes[k]`` greatest scores of the instance ``rows[k]``, for each k."""
        return self.values_at(name, self.place(rows, sizes))

    def values_at(self, name: str, at: IntArray) -> FloatArray:
        """The values of a measure at some places."""
        known = self._known[name][at]
        if not known.all():
            swept = name in self.swept_measures
            self._compute(name, np.arange(self._known[name].size) if swept else np.unique(at[~known]))
        values: FloatArray = self._values[name][at]
        return values

    def _compute(self, name: str, at: IntArray) -> None:
        """The values at these places, which ascend; measures that are not swept are solved together."""
        together = (
            [name]
            if name in self.swept_measures
            else [each for each in self.measures if each not in self.swept_measures]
        )
        begin = self.raw_scores.ptr[:-1] + np.arange(len(self.raw_scores))
        rows = np.searchsorted(begin, at, side="right") - 1
        sizes = at - begin[rows]
        last = np.maximum(self.raw_scores.ptr[rows] + sizes - 1, 0)
        greatest = self.raw_scores.values[last] if self.raw_scores.values.size else np.zeros(at.size)
        steps = ThresholdSteps(
            greatest,
            row_pointers(rows, len(self.raw_scores)),
            self._class_counts[at].astype(np.int32),
            np.arange(at.size),
        )
        computed = score_steps([self.measures[each] for each in together], self._ordered, steps, self.options)
        for each, of in zip(together, computed, strict=True):
            self._known[each][at], self._values[each][at] = True, of.values
            before = self._metadata[each].fallbacks if each in self._metadata else 0
            self._metadata[each] = replace(of, values=np.empty(0), fallbacks=before + of.fallbacks)


def _class_counts(data: AlignedScores, raw_scores: ScoredSets) -> tuple[IntArray, AlignedScores]:
    """The number of distinct classes among the first n scores of each instance, and the data in their order.

    Fewer where unknown classes are left out, or where two names are of one class.
    """
    rows = np.repeat(np.arange(len(raw_scores)), np.diff(raw_scores.ptr))
    number = data.hierarchy.numbers(raw_scores.vocabulary)
    present = np.zeros(len(data.hierarchy) + 1, np.bool_)
    present[data.classes] = True
    number[~present[number]] = -1  # left out, though perhaps known as a true label
    classes = number[raw_scores.codes]
    new = classes >= 0
    if not (data.classes.size == rows.size and (data.classes == classes).all()):
        keys = rows * len(data.hierarchy) + classes
        order = np.argsort(keys, kind="stable")
        new[order[1:]] &= keys[order[1:]] != keys[order[:-1]]
        ptr = row_pointers(rows[new], len(raw_scores))
        data = replace(data, ptr=ptr, classes=classes[new], values=raw_scores.values[new])
    begin = raw_scores.ptr[:-1] + np.arange(len(raw_scores))
    counts = np.zeros(rows.size + len(raw_scores), np.int64)
    counts[np.arange(rows.size) + rows + 1] = new
    total = np.cumsum(counts)
    return total - np.repeat(total[begin], np.diff(raw_scores.ptr) + 1), data
