"""Search for the best of very many thresholds: a coarse grid first, then refinement around the best one."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from hemlp.analysis.scored.cutting_rules import clip_sizes
from hemlp.analysis.scored.prefix_scores import PrefixScores
from hemlp.analysis.scored.threshold_steps import TIE_TOLERANCE, ThresholdSteps, best_index
from hemlp.arrays import FloatArray, IntArray, pointers, sorted_distinct
from hemlp.errors import InvalidOption
from hemlp.instances.scored_sets import ScoredSets

POINTS = 100
"""Thresholds to begin with, where nothing else is said and there are too many to try all."""
MIN_POINTS = 20
"""Thresholds to begin with at least: with fewer a search ends anywhere."""
MANY = 30
"""Classes of an instance, on average, beyond which LCA graphs are not drawn for a curve: few of them take long."""


@dataclass(frozen=True, eq=False)
class TriedThresholds:
    """The tried ones among the ascending ``distinct`` scores, and their values."""

    indices: IntArray
    values: FloatArray
    best: int
    distinct: int

    @property
    def skipped_note(self) -> str:
        """A note on thresholds that were not tried; empty if all were."""
        return skipped_note(len(self.indices), self.distinct)


def skipped_note(tried: int, distinct: int) -> str:
    """A note on the number of distinct scores that were not tried as thresholds."""
    if tried == distinct:
        return ""
    return (
        f"{tried:,} of {distinct:,} distinct scores were tried, up to the neighbours of the best one; among the "
        f"{distinct - tried:,} that were skipped elsewhere there may be a better one"
    )


def refine_search(
    means: Callable[[IntArray], FloatArray], start: IntArray, distinct: int, points: int, greater_is_better: bool
) -> TriedThresholds:
    """Try the distinct scores at ``start``, then others until both neighbours of the best one are tried.

    In each round ``points`` further ones are tried between the tried ones below and above the best.
    """
    indices, values = start, means(start)
    while True:
        best = best_index(values, greater_is_better)
        low = indices[best - 1] if best else -1
        high = indices[best + 1] if best + 1 < len(indices) else distinct
        inner = np.concatenate([np.arange(low + 1, indices[best]), np.arange(indices[best] + 1, high)])
        if not inner.size:
            return TriedThresholds(indices, values, best, distinct)
        new = inner[sorted_distinct(np.linspace(0, inner.size - 1, points + 2)[1:-1].round().astype(np.int64))]
        order = np.argsort(np.concatenate([indices, new]))
        indices = np.concatenate([indices, new])[order]
        values = np.concatenate([values, means(new)])[order]


Limits = tuple[int, int | None]
"""How many classes are predicted at least and at most."""


@dataclass(frozen=True, eq=False)
class BoundedSearch:
    """Branch and bound over thresholds: the best mean of a measure whose values have cheap upper bounds.

    ``scores`` are those of the instances ``rows`` of ``prefixes`` (or ranks in their place), ``thresholds`` ascend.
    """

    prefixes: PrefixScores
    name: str
    scores: ScoredSets
    rows: IntArray
    thresholds: FloatArray
    _reached: dict[int, IntArray] = field(default_factory=dict)

    def means(self, limits: Limits = (0, None), incumbent: float = -math.inf) -> FloatArray:
        """Means at all thresholds; -inf where proved worse than the best one, or than an ``incumbent``."""
        incumbent = self._first_incumbent(limits, incumbent)
        low, high = self._promising(limits, incumbent)
        means = np.full(len(self.thresholds), -math.inf)
        if low < high:
            means[low:high] = self._solve(self.thresholds[low:high], limits, incumbent)
        return means

    @cached_property
    def _spread(self) -> list[int]:
        """A few thresholds to begin with."""
        some: list[int] = spread_thresholds(self.scores.values, self.thresholds, MIN_POINTS).tolist()
        return some

    def _places(self, index: int, limits: Limits) -> IntArray:
        """The positions of the sets of all instances at a threshold."""
        if index not in self._reached:
            above = self.scores.values >= self.thresholds[index]
            self._reached[index] = np.diff(pointers(above)[self.scores.ptr])
        return self.prefixes.place(self.rows, clip_sizes(self._reached[index], np.diff(self.scores.ptr), *limits))

    def _first_incumbent(self, limits: Limits, incumbent: float) -> float:
        """The best mean at a few thresholds, those with the greatest bounds first, until no bound is greater."""
        places = [self._places(index, limits) for index in self._spread]
        bounds = [float(self.prefixes.upper(self.name, at)[0].mean()) for at in places]
        for k in np.argsort(bounds)[::-1]:
            if bounds[k] <= incumbent:
                break
            incumbent = max(incumbent, float(self.prefixes.values_at(self.name, places[k]).mean()))
        return incumbent

    def _promising(self, limits: Limits, incumbent: float) -> tuple[int, int]:
        """The range of thresholds that can reach the incumbent, by bounds on longer and shorter prefixes.

        The greatest bounds of all longer prefixes fall with the threshold, so the ends are bisected.
        """
        bounds = self.prefixes.bounds(self.name)
        assert bounds is not None
        least = incumbent - TIE_TOLERANCE * abs(incumbent)
        every = range(len(self.thresholds))
        low = bisect_left(every, 1, key=lambda k: bounds.of_longer[self._places(k, limits)].mean() >= least)
        high = bisect_left(every, 1, key=lambda k: bounds.of_shorter[self._places(k, limits)].mean() < least)
        return low, high

    def _solve(self, grid: FloatArray, limits: Limits, incumbent: float) -> FloatArray:
        """Solve more and more thresholds, evenly spaced among those whose bounds reach the best mean so far."""
        steps = ThresholdSteps.over(self.scores, grid)
        lengths, rows = np.diff(self.scores.ptr)[steps.rows], steps.rows
        at = self.prefixes.place(self.rows[rows], clip_sizes(steps.sizes, lengths, *limits))
        last = np.append(steps.events[1:], len(grid))  # the event at which the next set of the instance begins
        last[steps.ptr[1:] - 1] = len(grid)
        points = MIN_POINTS
        while True:
            upper, known = self.prefixes.upper(self.name, at)
            sums = steps.sums(upper, (~known).astype(np.float64))
            means, proved = sums[:, 0] / len(self.rows), sums[:, 1] < 0.5
            best = max(incumbent, float(means[proved].max(initial=-math.inf)))
            open_events = np.flatnonzero(~proved & (means >= best - TIE_TOLERANCE * abs(best)))
            if not open_events.size:
                return np.where(proved, means, -math.inf)[::-1]
            spread = np.linspace(0, open_events.size - 1, min(points, open_events.size)).round().astype(np.int64)
            chosen = sorted_distinct(open_events[spread])
            needed = np.searchsorted(chosen, steps.events) < np.searchsorted(chosen, last)
            self.prefixes.values_at(self.name, sorted_distinct(at[needed & ~known]))
            points *= 2


def check_points(points: int) -> None:
    """Refuse an invalid number of thresholds."""
    if isinstance(points, bool) or not isinstance(points, int | np.integer) or points < 2:
        raise InvalidOption(f"points={points!r} is not an integer of at least 2")


def spread_thresholds(scores: FloatArray, distinct: FloatArray, points: int) -> IntArray:
    """Up to ``points`` positions of the distinct scores, whose numbers of predicted classes grow geometrically.

    Even steps through the scores would be steps of many classes an instance: nearly all scores of a matrix of
    probabilities are tiny.
    """
    check_points(points)
    if len(distinct) <= points:
        return np.arange(len(distinct))
    ranks = sorted_distinct(np.geomspace(1, scores.size, points).round().astype(np.int64))
    return sorted_distinct(np.searchsorted(distinct, np.sort(scores)[scores.size - ranks]))


def choose_thresholds(prefixes: PrefixScores, every: FloatArray, points: int) -> tuple[IntArray, int]:
    """Some of the distinct scores: for each measure the best one that a search finds, with its neighbours.

    Beside them how many were left out because too many classes are predicted there.
    """
    indices = spread_thresholds(prefixes.data.values, every, points)

    def means(name: str, at: IntArray) -> FloatArray:
        steps = ThresholdSteps.over(prefixes.raw_scores, every[at])
        return steps.means(prefixes.values(name, steps.rows, steps.sizes))[0][::-1]

    rest, best = {}, list[int]()
    for name, each in prefixes.measures.items():
        if name in prefixes.swept_measures:
            values = means(name, np.arange(len(every)))
        elif prefixes.bounds(name) is not None:
            rows = np.arange(len(prefixes.raw_scores))
            values = BoundedSearch(prefixes, name, prefixes.raw_scores, rows, every).means()
        else:
            rest[name] = each
            continue
        best.append(best_index(values, each.greater_is_better))
        indices = sorted_distinct(np.append(indices, best[-1]))
    if rest:
        indices = sorted_distinct(
            np.append(indices, spread_thresholds(prefixes.data.values, every, max(points, MIN_POINTS)))
        )
    elif prefixes.swept_measures != prefixes.measures.keys():
        scores = np.sort(prefixes.data.values)
        few = scores.size - np.searchsorted(scores, every[indices]) <= MANY * len(prefixes.raw_scores)
        kept = few | np.isin(indices, best)
        return indices[kept], int((~kept).sum())
    while True:  # what is tried for one measure can be better by another one
        before = len(indices)
        for name, each in rest.items():
            indices = refine_search(partial(means, name), indices, len(every), points, each.greater_is_better).indices
        if len(indices) == before or len(rest) < 2:
            return indices, 0
