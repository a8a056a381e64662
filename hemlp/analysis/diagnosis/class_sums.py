"""Exact sums by class: of the scores of the instances that have it, of their squares, and of what it costs.

Numbers are cut into digits at fixed places, which are added as integers: a column of sums for each place. So sums
depend on no order, those of parts of the data add up to those of all, and means, variances and costs are rounded once.
Digits are below 2²⁷: sums of 2³⁶ of them fit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.diagnosis.system_batches import as_implied
from hemlp.arrays import FloatArray, IntArray
from hemlp.hierarchy.reach import Reach, flat_lists
from hemlp.kernels.records import Rows
from hemlp.results.exact_sums import DIGIT, cut_into_digits, mean_of_sum, round_ratio

Key = tuple[int, ...]
"""What a column is of: last one of the numbers below, and the place of its digits."""
SCORES, SQUARES, UNDEFINED, ABOVE, BELOW, PREDICTED, TRUE, CLOSURES, LABELS = range(9)
"""Finite scores and their squares; how many are undefined, infinite, and infinite below 0; the costs of both sides; how
many closures, or label sets, of only one of two systems have the class."""
BLOCK = 2**14
"""Classes of which numbers of any length are in memory at once."""


class ClassSums:
    """Sums of integers by class, while they grow: classes × columns, one for each key."""

    def __init__(self, size: int) -> None:
        self._keys: dict[Key, int] = {}
        self._sums = np.zeros((size, 0), np.int64)

    def add(self, lists: Reach, ptr: IntArray, classes: IntArray, numbers: Mapping[Key, IntArray]) -> None:
        """Add the numbers of each row of classes, by their key, to the sums of all classes in their lists."""
        from hemlp.kernels.closure.census import add_up

        if not numbers:
            return
        new = [key for key in numbers if key not in self._keys]
        if new:
            self._keys |= {key: len(self._keys) + k for k, key in enumerate(new)}
            self._sums = np.pad(self._sums, ((0, 0), (0, len(new))))
        values = np.zeros((len(ptr) - 1, len(self._keys)), np.int64)
        for key, column in numbers.items():
            values[:, self._keys[key]] = column
        add_up(Rows(ptr, lists.row[classes]), as_implied(lists), values, self._sums)

    def add_each(self, classes: IntArray, numbers: Mapping[Key, IntArray]) -> None:
        """Add numbers to the sums of one class each."""
        self.add(flat_lists(len(self._sums), classes), np.arange(classes.size + 1), classes, numbers)

    @property
    def columns(self) -> dict[Key, IntArray]:
        """The sums of all classes by key."""
        return {key: self._sums[:, k] for key, k in self._keys.items()}


def digits_of(what: int, values: FloatArray, power: int = 1) -> dict[Key, IntArray]:
    """The digits of finite values, or of their squares, by their keys."""
    return {(what, place): digits for place, digits in cut_into_digits(values, power).items()}


def numbers_of_scores(scores: FloatArray) -> dict[Key, IntArray]:
    """What is summed of scores, nan where they are undefined: digits of them and of their squares, and counts."""
    finite = np.where(np.isfinite(scores), scores, 0.0)
    others = {UNDEFINED: np.isnan(scores), ABOVE: scores == math.inf, BELOW: scores == -math.inf}
    counts: dict[Key, IntArray] = {(what, 0): here.astype(np.int64) for what, here in others.items() if here.any()}
    return digits_of(SCORES, finite) | digits_of(SQUARES, finite, 2) | counts


def negated(columns: Mapping[Key, IntArray]) -> dict[Key, IntArray]:
    """The sums of the same scores with the other sign."""
    other = {ABOVE: BELOW, BELOW: ABOVE}
    return {
        (other.get(what, what), place): -column if what == SCORES else column
        for (what, place), column in columns.items()
    }


def _whole(columns: Mapping[Key, IntArray], what: int, unit: int, rows: IntArray) -> NDArray[np.object_]:
    """The sums of some rows as integers of any length, in units of 2 to the power of minus ``unit``."""
    total = np.zeros(rows.size, object)
    for (kind, place), digits in columns.items():
        if kind == what:
            total = total + (digits[rows].astype(object) << (DIGIT * place + unit))
    return total


def sums_of(columns: Mapping[Key, IntArray], what: int, size: int) -> FloatArray:
    """The sums of all classes, rounded once."""
    unit = max([0, *(-DIGIT * place for _, place in columns)])
    sums = np.zeros(size)
    met = np.flatnonzero(np.any([column for key, column in columns.items() if key[0] == what] or [sums], axis=0))
    for start in range(0, met.size, BLOCK):
        rows = met[start : start + BLOCK]
        sums[rows] = [round_ratio(total, 1 << unit) for total in _whole(columns, what, unit, rows).tolist()]
    return sums


def moments_of(columns: Mapping[Key, IntArray], instances: IntArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Of each class the mean and the variance (with n − 1) of the scores of its ``instances``, and how many have one.

    The mean is that of ``math.fsum(x) / n``; the variance is rounded once.
    """
    unit = max([0, *(-DIGIT * place if what == SCORES else -DIGIT // 2 * place for what, place in columns)])
    none = np.zeros(instances.size, np.int64)
    number = instances - columns.get((UNDEFINED, 0), none)
    ends = [columns.get((what, 0), none) for what in (ABOVE, BELOW)]
    means, variances = np.full((2, instances.size), math.nan)
    met = np.flatnonzero(number > 0)
    for start in range(0, met.size, BLOCK):
        rows = met[start : start + BLOCK]
        totals, squares = (_whole(columns, *of, rows).tolist() for of in ((SCORES, unit), (SQUARES, 2 * unit)))
        n = number[rows].tolist()
        up, down = (of[rows].tolist() for of in ends)
        means[rows] = [mean_of_sum(*of, unit) for of in zip(totals, up, down, n, strict=True)]
        variances[rows] = [
            round_ratio(k * square - total**2, k * (k - 1) << 2 * unit)
            for total, square, k in zip(totals, squares, n, strict=True)
        ]
    return means, variances, number
