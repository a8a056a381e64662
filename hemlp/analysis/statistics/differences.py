"""Paired differences of two systems, without rounding noise: the input of every test of two systems.

Scores are ratios and sums in floating point, so 1 − 2/3 and 2/3 − 1/3 differ in the last bits. With
ε = 1e-12 · (the greatest |score| on the instances that both systems have) a difference of at most ε is 0, sorted
|differences| whose neighbours are within 2ε are tied, and a sum of n differences is known up to n·ε. So no test depends
on the unit of the scores.

From 100,000 instances on, when parts of the data are scored apart and merged, two scores of an instance are equal if
they differ by at most 1e-12 · max(1, |first|, |second|): a part does not know the greatest score of the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from hemlp.analysis.statistics import resampling
from hemlp.arrays import FloatArray, IntArray, record
from hemlp.errors import InvalidScores
from hemlp.measures.instance_scores import exact_mean
from hemlp.results.exact_sums import mean_of_sum
from hemlp.results.merged_sums import MOST_DIFFERENCES, PRECISION, PairSums, refuse_instances


def drop_undefined(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The scores on the instances on which both systems are defined."""
    both = ~(np.isnan(first) | np.isnan(second))
    return first[both], second[both]


def restrict_to_common(columns: Sequence[FloatArray]) -> list[FloatArray]:
    """Scores, nan wherever one system is undefined; one that is undefined everywhere does not count."""
    undefined = [np.isnan(column) for column in columns]
    counted = [each for each in undefined if not each.all()] or undefined[:1]
    outside = np.logical_or.reduce(counted)
    return [np.where(outside, math.nan, column) for column in columns]


def subtract_scores(first: FloatArray, second: FloatArray) -> FloatArray:
    """first − second, nan where either score is nan; equal infinite scores do not differ."""
    with np.errstate(invalid="ignore", over="ignore"):
        gaps: FloatArray = np.where(first == second, 0.0, first - second)
    overflow = np.isinf(gaps) & np.isfinite(first) & np.isfinite(second)
    if overflow.any():
        row = int(overflow.argmax())
        raise InvalidScores(
            f"the scores {first[row]:g} and {second[row]:g} of an instance differ by more than a float can hold: scale "
            f"all scores down, for example by 1e-10"
        )
    return gaps


@record
class PairedDifferences:
    """first − second on the ``number`` instances that differ, ``wins`` of them above 0, of all that both systems have.

    ``mean``: over all ``instances``, rounded once; nan where there is none. ``tolerance``: ε. ``finite``: whether all
    differences are. ``sums``: exact ones, from 100,000 instances on.

    Examples
    --------
    >>> d = PairedDifferences.of(np.array([1, 2 / 3, 0.5]), np.array([2 / 3, 1, 0.5]))
    >>> d.values.size, d.instances, d.mean
    (2, 3, 0.0)
    """

    kept: FloatArray | None
    number: int
    wins: int
    instances: int
    mean: float
    tolerance: float
    finite: bool
    sums: PairSums | None = None

    @classmethod
    def of(cls, first: FloatArray, second: FloatArray) -> PairedDifferences:
        """The differences of two systems, instance by instance; nan is undefined."""
        large = len(first) >= resampling.BUCKETED_FROM
        first, second = drop_undefined(np.asarray(first, np.float64), np.asarray(second, np.float64))
        gaps, sizes = subtract_scores(first, second), np.maximum(np.abs(first), np.abs(second))
        finite = np.isfinite(sizes)
        if large:
            rest = gaps[~finite]
            sums = PairSums.of(first[finite], second[finite])
            made = cls.of_sums(sums, int((rest > 0).sum()), int((rest < 0).sum()), first.size)
            sizes = np.where(finite, np.maximum(sizes, 1.0), 1.0)
            return replace(made, kept=gaps[np.abs(gaps) > PRECISION * sizes])
        tolerance = PRECISION * float(sizes.max(initial=0.0, where=finite))
        differ = np.abs(gaps) > tolerance
        mean = exact_mean([*first[differ].tolist(), *(-second[differ]).tolist()], first.size)
        gaps = gaps[differ]
        wins, all_finite = int(np.count_nonzero(gaps > 0)), bool(np.isfinite(gaps).all())
        return cls(gaps, gaps.size, wins, first.size, _round_mean(mean, gaps.size, first.size, tolerance),
                   tolerance, all_finite)  # fmt: skip

    @classmethod
    def of_sums(cls, sums: PairSums, up: int, down: int, instances: int) -> PairedDifferences:
        """From exact sums of finite differences and counts of infinite ones; with values where these are kept."""
        number, tolerance = sums.number + up + down, PRECISION * sums.size
        mean = _round_mean(mean_of_sum(sums.first - sums.second, up, down, instances), number, instances, tolerance)
        values = None
        if sums.values is not None and number <= MOST_DIFFERENCES:
            values = np.array([*sums.values, *[math.inf] * up, *[-math.inf] * down])
        return cls(values, number, sums.wins + up, instances, mean, tolerance, not up + down, sums)

    @property
    def values(self) -> FloatArray:
        """The differences; an error where they are not kept."""
        if self.kept is None:
            raise refuse_instances()
        return self.kept

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


def _round_mean(mean: float, number: int, instances: int, tolerance: float) -> float:
    """The mean over ``instances``, 0 if it is within the rounding error of ``number`` differences."""
    return 0.0 if abs(mean) <= number * tolerance / max(1, instances) else mean
