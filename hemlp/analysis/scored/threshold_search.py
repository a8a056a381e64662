"""Search for the best of very many thresholds: a coarse grid first, then refinement around the best one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from hemlp.analysis.scored.operating_point import best_index
from hemlp.analysis.scored.prefix_scores import PrefixScores
from hemlp.analysis.scored.threshold_steps import ThresholdSteps
from hemlp.arrays import FloatArray, IntArray, sorted_distinct
from hemlp.errors import InvalidOption

POINTS = 100
"""Thresholds to begin with, where nothing else is said and there are too many to try all."""
MIN_POINTS = 20
"""Thresholds to begin with at least: with fewer a search ends anywhere."""


@dataclass(frozen=True, eq=False)
class TriedThresholds:
    """Which of all ``distinct`` scores (in ascending order) were tried, and what they gave; nothing else did better."""

    indices: IntArray
    values: FloatArray
    best: int
    distinct: int

    @property
    def skipped_note(self) -> str:
        """A note on thresholds that were not tried; empty if all were."""
        return skipped_note(len(self.indices), self.distinct)


def skipped_note(tried: int, distinct: int) -> str:
    """That so many distinct scores were not tried as thresholds."""
    if tried == distinct:
        return ""
    return (
        f"{tried:,} of {distinct:,} distinct scores were tried, up to the neighbours of the best one; among the "
        f"{distinct - tried:,} that were skipped elsewhere there may be a better one"
    )


def refine_search(
    means: Callable[[IntArray], FloatArray], start: IntArray, distinct: int, points: int, greater_is_better: bool
) -> TriedThresholds:
    """Begin at the places ``start`` of the distinct scores, and go on until the neighbours of the best one are tried.

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


def check_points(points: int) -> None:
    """Refuse what is not a number of thresholds."""
    if isinstance(points, bool) or not isinstance(points, int | np.integer) or points < 2:
        raise InvalidOption(f"points={points!r} is not an integer of at least 2")


def spread_thresholds(scores: FloatArray, distinct: FloatArray, points: int) -> IntArray:
    """Up to ``points`` places of the distinct scores, such that each predicts so many times the classes of the next.

    Even steps through the scores would be steps of many classes an instance: nearly all scores of a matrix of
    probabilities are tiny.
    """
    check_points(points)
    if len(distinct) <= points:
        return np.arange(len(distinct))
    ranks = sorted_distinct(np.geomspace(1, scores.size, points).round().astype(np.int64))
    return sorted_distinct(np.searchsorted(distinct, np.sort(scores)[scores.size - ranks]))


def choose_thresholds(prefixes: PrefixScores, every: FloatArray, points: int) -> IntArray:
    """Some of the distinct scores: for each measure its best one, as far as that can be found, with its neighbours."""
    indices = spread_thresholds(prefixes.data.values, every, points)

    def means(name: str, at: IntArray) -> FloatArray:
        steps = ThresholdSteps.over(prefixes.raw_scores, every[at])
        return steps.means(prefixes.values(name, steps.rows, steps.sizes))[0][::-1]

    for name in prefixes.swept_measures:
        best = best_index(means(name, np.arange(len(every))), prefixes.measures[name].greater_is_better)
        indices = sorted_distinct(np.append(indices, best))
    rest = {name: each for name, each in prefixes.measures.items() if name not in prefixes.swept_measures}
    if rest:
        indices = sorted_distinct(
            np.append(indices, spread_thresholds(prefixes.data.values, every, max(points, MIN_POINTS)))
        )
    while True:  # what is tried for one measure can be better by another one
        before = len(indices)
        for name, each in rest.items():
            indices = refine_search(partial(means, name), indices, len(every), points, each.greater_is_better).indices
        if len(indices) == before or len(rest) < 2:
            return indices
