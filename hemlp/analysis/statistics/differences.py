"""Paired differences of two systems, without rounding noise: what every test of two systems looks at.

Scores are ratios and sums in floating point, so 1 − 2/3 and 2/3 − 1/3 differ in the last bits. With
ε = 1e-12 · (the greatest |score| on the instances that both systems have) a difference of at most ε is 0, sorted
|differences| whose neighbours are within 2ε are tied, and a sum of n differences is known up to n·ε. So no test depends
on the unit of the scores.

From 100,000 instances on, when parts of the data are scored apart and merged, two scores of an instance are equal if
they differ by at most 1e-12 · max(1, |first|, |second|): a part does not know the greatest score of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hemlp.analysis.statistics import resampling
from hemlp.arrays import FloatArray, IntArray
from hemlp.measures.instance_scores import exact_mean

PRECISION = 1e-12
"""Relative: scores that differ by no more are equal."""


def drop_undefined(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The scores on the instances on which both systems are defined."""
    both = ~(np.isnan(first) | np.isnan(second))
    return first[both], second[both]


def subtract_scores(first: FloatArray, second: FloatArray) -> FloatArray:
    """first − second as it is, nan where one of them is; equal infinite scores do not differ."""
    with np.errstate(invalid="ignore"):
        gaps: FloatArray = np.where(first == second, 0.0, first - second)
    return gaps


@dataclass(frozen=True, eq=False)
class PairedDifferences:
    """first − second on the instances that differ: ``values``, of ``instances`` that both systems have.

    ``mean``: over all of those, rounded once; nan where there is none. ``tolerance``: ε.

    Examples
    --------
    >>> d = PairedDifferences.of(np.array([1, 2 / 3, 0.5]), np.array([2 / 3, 1, 0.5]))
    >>> d.values.size, d.instances, d.mean
    (2, 3, 0.0)
    """

    values: FloatArray
    instances: int
    mean: float
    tolerance: float

    @classmethod
    def of(cls, first: FloatArray, second: FloatArray) -> PairedDifferences:
        """Those of two systems, instance by instance; nan is undefined."""
        large = len(first) >= resampling.BUCKETED_FROM
        first, second = drop_undefined(np.asarray(first, np.float64), np.asarray(second, np.float64))
        gaps, sizes = subtract_scores(first, second), np.maximum(np.abs(first), np.abs(second))
        finite = np.where(np.isfinite(sizes), sizes, 0.0)
        least = PRECISION * (np.maximum(finite, 1.0) if large else finite.max(initial=0.0))
        differ = np.abs(gaps) > least
        gaps, sizes = gaps[differ], finite[differ] if large else finite
        tolerance = PRECISION * float(sizes.max(initial=1.0 if large else 0.0))
        mean = exact_mean([*first[differ].tolist(), *(-second[differ]).tolist()], first.size)
        if abs(mean) <= gaps.size * tolerance / max(1, first.size):
            mean = 0.0
        return cls(gaps, first.size, mean, tolerance)

    @property
    def finite(self) -> bool:
        """Whether all differences are."""
        return bool(np.isfinite(self.values).all())

    @property
    def wins(self) -> int:
        """On how many instances the first is greater."""
        return int(np.count_nonzero(self.values > 0))

    @cached_property
    def signed_ranks(self) -> IntArray:
        """Twice the mid-rank of each |difference|, with the sign of the difference."""
        order = np.argsort(np.abs(self.values), kind="stable")
        sizes = np.abs(self.values[order])
        with np.errstate(invalid="ignore"):  # infinite differences are tied
            apart = np.diff(sizes) > 2 * self.tolerance
        group = np.concatenate([[0], np.cumsum(apart)])[: sizes.size]
        counts = np.bincount(group)
        upper = np.cumsum(counts)
        doubled = np.empty(sizes.size, np.int64)
        doubled[order] = (2 * upper - counts + 1)[group]
        return np.where(self.values > 0, doubled, -doubled)
