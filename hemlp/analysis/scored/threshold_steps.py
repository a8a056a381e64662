"""The distinct predicted sets of each instance as the threshold falls, and sums over instances at every threshold.

An instance has few different sets: its scored classes, greatest score first, cut where the score changes. Each is a
*step*; it begins at an *event*, the first threshold (from the greatest down) at which it is the predicted set.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from hemlp.analysis.scored.aligned_scores import AlignedScores
from hemlp.arrays import FloatArray, IntArray, pointers, record, row_pointers, sorted_distinct
from hemlp.errors import InvalidOption
from hemlp.instances.scored_sets import ScoredSets


@record
class ThresholdSteps:
    """Steps of all instances: those of instance i are ``ptr[i]`` to ``ptr[i + 1]``, sets from small to large.

    ``thresholds`` descend. ``sizes``: how many of its scored classes are predicted; ``events``: from which threshold
    on. The first step of an instance begins at the first event.
    """

    thresholds: FloatArray
    ptr: IntArray
    sizes: IntArray
    events: IntArray

    @classmethod
    def over(cls, data: AlignedScores | ScoredSets, thresholds: FloatArray) -> ThresholdSteps:
        """The steps at ascending ``thresholds``."""
        event = len(thresholds) - np.searchsorted(thresholds, data.values, side="right")
        size = len(data.ptr) - 1
        rows = np.repeat(np.arange(size), np.diff(data.ptr))
        sizes = np.arange(1, rows.size + 1) - data.ptr[:-1][rows]
        last = np.ones(rows.size, np.bool_)  # of those that are predicted from the same event on
        last[:-1] = (rows[1:] != rows[:-1]) | (event[1:] != event[:-1])
        last &= event < len(thresholds)
        rows, sizes, event = rows[last], sizes[last], event[last]
        begun = np.zeros(size, np.bool_)  # has a set that is not empty at the first threshold
        begun[rows[event == 0]] = True
        empty = np.flatnonzero(~begun)
        order = np.lexsort((np.concatenate([sizes, np.zeros(empty.size, np.int64)]), np.concatenate([rows, empty])))
        nothing = np.zeros(empty.size, np.int64)
        return cls(
            thresholds[::-1],
            row_pointers(np.concatenate([rows, empty])[order], size),
            np.concatenate([sizes, nothing])[order].astype(np.int32),
            np.concatenate([event, nothing])[order],
        )

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def rows(self) -> IntArray:
        """The instance of each step."""
        return np.repeat(np.arange(len(self.ptr) - 1), np.diff(self.ptr))

    @cached_property
    def timeline(self) -> tuple[IntArray, IntArray, IntArray]:
        """Where the steps of each event begin, the steps by event, and which are the first of their instance."""
        order = np.argsort(self.events, kind="stable")
        first = np.zeros(len(self), np.bool_)
        first[self.ptr[:-1]] = True
        return row_pointers(self.events[order], len(self.thresholds)), order, first

    def sums(self, *columns: FloatArray) -> FloatArray:
        """Sums over instances of each column (one finite value per step) at each threshold: thresholds × columns."""
        from hemlp.kernels.ranking.sweep import running_sums

        begin, order, first = self.timeline
        return running_sums(begin, order, first, np.ascontiguousarray(np.stack(columns, axis=1), np.float64))

    def means(self, values: FloatArray) -> tuple[FloatArray, IntArray]:
        """Means over the instances with defined values at each threshold, and the number of these instances."""
        finite = np.isfinite(values)
        size = len(self.ptr) - 1
        if finite.all():
            return self.sums(values)[:, 0] / size, np.full(len(self.thresholds), size)
        parts = [np.where(finite, values, 0.0), ~np.isnan(values), values == math.inf, values == -math.inf]
        total, defined, above, below = self.sums(*(part.astype(np.float64) for part in parts)).T
        with np.errstate(invalid="ignore", divide="ignore"):
            means = total / defined
            means = means + np.where(above > 0, math.inf, 0.0) + np.where(below > 0, -math.inf, 0.0)
        return means, defined.astype(np.int64)

    def steps_at(self, event: int) -> IntArray:
        """The step of each instance at the threshold of an event."""
        begun = self.events <= event
        return self.ptr[:-1] + np.bincount(self.rows[begun], minlength=len(self.ptr) - 1) - 1

    def predicted_sets(self, data: AlignedScores, steps: IntArray) -> tuple[IntArray, IntArray]:
        """The predicted classes of some steps, sorted within each (CSR)."""
        sizes = self.sizes[steps].astype(np.int64)
        ptr = pointers(sizes)
        begin = data.ptr[:-1][self.rows[steps]]
        classes = data.classes[np.repeat(begin - ptr[:-1], sizes) + np.arange(ptr[-1])].astype(np.int64)
        keys = np.sort(np.repeat(np.arange(len(steps)), sizes) * len(data.hierarchy) + classes)
        return ptr, (keys % max(1, len(data.hierarchy))).astype(np.int32)


def distinct_scores(data: AlignedScores | ScoredSets) -> FloatArray:
    """All different scores, ascending."""
    return sorted_distinct(data.values)


TIE_TOLERANCE = 1e-12
"""Values that differ by less, relatively, differ by rounding alone."""


def best_index(values: FloatArray, greater_is_better: bool) -> int:
    """The index of the first of the best values; nan is ignored."""
    known = values if greater_is_better else -values
    if np.isnan(known).all():
        raise InvalidOption("the measure is undefined at every threshold: there is no best one")
    best = float(np.nanmax(known))
    room = TIE_TOLERANCE * abs(best) if np.isfinite(best) else 0.0
    return int(np.flatnonzero(known >= best - room)[0])


def step_area(x: FloatArray, y: FloatArray) -> float:
    """Σ (xₖ − xₖ₋₁)·yₖ from x = 0 on: the area of steps, never of a trapezium."""
    return float(np.sum(np.diff(x, prepend=0.0) * y))
