"""Marginals of a transport: how much mass lies on each class of a side, where each side has a mass of 1.

In whole units, so that transport is exact. They are even, or by the weights of classes. Even ones are exact in
lcm(M, N) units; so are weights that are decimals of few digits, in the lcm of their sums. Where that many units are too
many, a mass of 1 is 2⁴⁶ units, and each mass is rounded by at most one of them. Both sides always have the same number
of units, and what an instance has does not depend on the others of its batch.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from hemlp.arrays import FloatArray, IntArray, row_sums
from hemlp.instances.batch import Batch, Side

MOST = 1 << 46
"""Units of a mass of 1, at most: solvers in floats still tell them apart."""
DIGITS = 22
"""Decimal digits of weights, at most: 10²² is the greatest power of ten that is exact as a float."""
Marginals = tuple[IntArray, tuple[IntArray, IntArray]]
"""How many units are 1, for each instance, and the units of each class of both sides."""


def even_marginals(batch: Batch) -> Marginals:
    """Each side's mass lies evenly on its classes."""
    sizes = [side.sizes.astype(np.int64) for side in batch.sides]
    units = np.lcm(*(np.maximum(size, 1) for size in sizes))
    predicted, true = (np.repeat(units // np.maximum(size, 1), size) for size in sizes)
    return units, (predicted, true)


def weighted_marginals(batch: Batch, weights: FloatArray) -> Marginals:
    """Each side's mass lies on its classes by their weights; on those of a side that weighs nothing lies nothing."""
    (first, some), (second, others) = (_whole(weights[side.classes], side) for side in batch.sides)
    factor = first // np.maximum(np.gcd(first, second), 1)
    exact = (first > 0) & (second > 0) & (factor <= MOST // np.maximum(second, 1))
    units = np.where(exact, factor * np.where(exact, second, 0), MOST)
    masses = []
    for side, total, whole in zip(batch.sides, (first, second), (some, others), strict=True):
        made = whole * np.repeat(units // np.maximum(total, 1), side.sizes)
        for row in np.flatnonzero(~exact).tolist():
            made[side.ptr[row] : side.ptr[row + 1]] = _rounded(weights[side[row]])
        masses.append(made)
    return units, (masses[0], masses[1])


def _whole(weights: FloatArray, side: Side) -> tuple[IntArray, IntArray]:
    """Sums (1 at least, 0 where there are none) of integers in the proportion of the weights, and the integers."""
    size, rows = len(side.ptr) - 1, np.repeat(np.arange(len(side.ptr) - 1), side.sizes)
    distinct, place = np.unique(weights, return_inverse=True)
    digits = np.zeros(size, np.int64)
    np.maximum.at(digits, rows, np.array([_digits(weight) for weight in distinct.tolist()], np.int64)[place])
    with np.errstate(over="ignore"):
        scaled = weights * 10.0 ** np.minimum(digits, DIGITS)[rows]  # below 2⁵⁰ it is nearest to the right integer
    small = (digits <= DIGITS) & (row_sums(scaled, side.ptr) < MOST)
    whole = np.rint(np.where(small[rows], scaled, 0.0)).astype(np.int64)
    shared = np.zeros(size, np.int64)
    np.gcd.at(shared, rows, whole)
    whole //= np.maximum(shared, 1)[rows]
    totals = np.zeros(size, np.int64)
    np.add.at(totals, rows, whole)
    return np.where(small, np.maximum(totals, 1), 0), whole


def _digits(weight: float) -> int:
    """Behind the decimal point, as the number is written."""
    exponent = Decimal(repr(weight)).normalize().as_tuple().exponent
    return max(0, -int(exponent))


def _rounded(weights: FloatArray) -> IntArray:
    """Shares of MOST units: the differences of rounded running totals, which add up whatever the weights are."""
    if not weights.any():
        return np.zeros(weights.size, np.int64)
    upto = np.cumsum(weights / weights.max())
    made: IntArray = np.diff(np.rint(upto / upto[-1] * MOST), prepend=0).astype(np.int64)
    return made
