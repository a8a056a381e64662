"""How much each class of a side weighs, where both sides weigh 1: in whole units, so that transport is exact.

Masses are even, or by the weights of classes. Even ones are exact in lcm(M, N) units; so are weights that are
multiples of one power of two, in the lcm of their sums. Where that many units are too many, a mass of 1 is 2⁴⁰ units:
then each mass is rounded by about one of them, as floats are.
"""

from __future__ import annotations

import numpy as np

from hemlp.arrays import FloatArray, IntArray, row_sums
from hemlp.instances.batch import Batch
from hemlp.instances.sides import PRED, TRUE
from hemlp.programs.program import exact_integers

MOST = 1 << 40
"""Units of a mass of 1, at most."""
Masses = tuple[IntArray, tuple[IntArray, IntArray]]
"""How many units are 1, for each instance, and the units of each class of both sides."""


def even_masses(batch: Batch) -> Masses:
    """Each side's mass lies evenly on its classes."""
    sizes = [np.diff(side.ptr).astype(np.int64) for side in batch.sides]
    units = np.lcm(*(np.maximum(size, 1) for size in sizes))
    predicted, true = (np.repeat(units // np.maximum(size, 1), size) for size in sizes)
    return units, (predicted, true)


def weighed_masses(batch: Batch, weights: FloatArray) -> Masses:
    """Each side's mass lies on its classes by their weights; on those of a side that weighs nothing lies nothing."""
    own = [weights[side.classes] for side in batch.sides]
    units = np.full(len(batch), MOST, np.int64)
    masses = [_rounded(of, side.ptr) for of, side in zip(own, batch.sides, strict=True)]
    distinct, place = np.unique(np.concatenate(own), return_inverse=True)
    scaled = exact_integers(distinct)
    if scaled is None:
        return units, (masses[PRED], masses[TRUE])
    whole = np.split(np.array(scaled[0], np.int64)[place], [own[PRED].size])
    totals = [row_sums(of, side.ptr) for of, side in zip(whole, batch.sides, strict=True)]
    small = np.logical_and(*(total < 2.0**52 for total in totals))
    first, second = (np.where(small, np.maximum(total, 1), 1).astype(np.int64) for total in totals)
    common = np.gcd(first, second)
    few = small & (first // common <= MOST // np.maximum(second, 1))
    units[few] = (first // common * second)[few]
    for k, (of, side, total) in enumerate(zip(whole, batch.sides, (first, second), strict=True)):
        rows = np.repeat(np.arange(len(batch)), np.diff(side.ptr))
        exact = np.where(few[rows], of, 0) * np.where(few, units // total, 1)[rows]
        masses[k] = np.where(few[rows], exact, masses[k])
    return units, (masses[PRED], masses[TRUE])


def _rounded(weights: FloatArray, ptr: IntArray) -> IntArray:
    """Shares of MOST units, rounded down; what is left goes, one unit each, to those that lost most."""
    rows = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    totals = row_sums(weights, ptr)
    shares = weights / np.where(totals > 0, totals, 1.0)[rows] * (MOST - 1)  # never too many, however sums are rounded
    found = np.floor(shares).astype(np.int64)
    given = np.zeros(len(ptr) - 1, np.int64)
    np.add.at(given, rows, found)
    left = np.where(totals > 0, MOST - given, 0)
    order = np.lexsort((found - shares, rows))
    rank = np.empty(rows.size, np.int64)
    rank[order] = np.arange(rows.size) - ptr[rows]
    made: IntArray = found + (rank < left[rows])
    return made
