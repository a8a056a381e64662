"""Exact sums of scores by bucket: they do not depend on the order of the instances or on how the data is split.

A double is an integer of 53 bits times a power of two. Those of one exponent and one bucket are added as integers, in
two halves that no sum of them leaves; a total is one integer, in units of the smallest double.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hemlp.arrays import FloatArray, IntArray

UNIT = 1074
"""Sums are integers in units of 2 to the power of minus this."""
LOW_BITS = 27
"""Bits of the lower half of a double's integer."""


@dataclass(frozen=True, eq=False)
class BucketSums:
    """Of each bucket the exact sum of its finite values, in units of 2⁻¹⁰⁷⁴, and how many values there are.

    ``counts``: of defined values; ``infinite``: of those above and of those below all others (2 × buckets).

    Examples
    --------
    >>> first = BucketSums.of(np.array([0.1, math.nan]), np.array([0, 1]), 2)
    >>> both = first + BucketSums.of(np.array([0.2, 0.5]), np.array([0, 1]), 2)
    >>> both.counts.tolist(), [total / 2**UNIT for total in both.sums]
    ([2, 1], [0.30000000000000004, 0.5])
    """

    sums: tuple[int, ...]
    counts: IntArray
    infinite: IntArray

    @classmethod
    def of(cls, values: FloatArray, members: IntArray, number: int) -> BucketSums:
        """One value per instance, nan where it is undefined, and the bucket of each."""
        finite = np.isfinite(values)
        counts, up, down = (
            np.bincount(members[some], minlength=number)
            for some in (~np.isnan(values), values == math.inf, values == -math.inf)
        )
        return cls(_exact_sums(values[finite], members[finite], number), counts, np.stack([up, down]))

    def __add__(self, other: BucketSums) -> BucketSums:
        sums = tuple(a + b for a, b in zip(self.sums, other.sums, strict=True))
        return BucketSums(sums, self.counts + other.counts, self.infinite + other.infinite)


def _exact_sums(values: FloatArray, members: IntArray, number: int) -> tuple[int, ...]:
    there = values != 0
    values, members = values[there], members[there]
    if not values.size:
        return (0,) * number
    parts, exponents = np.frexp(values)
    whole = (parts * 2.0**53).astype(np.int64)
    least = int(exponents.min())
    keys = (exponents - least) * np.int64(number) + members
    total: IntArray = np.zeros(number, object)
    levels = int(exponents.max()) - least + 1
    halves = (
        np.bincount(keys, half, levels * number).reshape(levels, number)
        for half in (whole >> LOW_BITS, whole % 2**LOW_BITS)
    )
    for level, (high, low) in enumerate(zip(*halves, strict=True)):
        if high.any() or low.any():
            mantissas = high.astype(np.int64).astype(object) * 2**LOW_BITS + low.astype(np.int64).astype(object)
            total = total + mantissas * 2**level
    shift = least - 53 + UNIT
    return tuple(each << shift if shift >= 0 else each >> -shift for each in total.tolist())
