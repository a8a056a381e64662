"""Exact sums of scores: they do not depend on the order of the instances or on how the data is split.

Values are cut into digits of 26 bits, which are added as integers; a total is one integer, in units of the smallest
double, 2⁻¹⁰⁷⁴ (of squares the square of that).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hemlp.arrays import FloatArray, IntArray, record

UNIT = 1074
"""Sums are integers in units of 2 to the power of minus this."""
DIGIT = 26
"""Bits of a digit: 2²⁷ of them have a sum that is exact in doubles."""
RANGE = 500
"""Values that differ by more powers of two are added apart."""
FAR = 2.0**400
"""Squares of greater numbers, or of smaller ones than its inverse, could leave the range of doubles."""


@record
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

    sums: Sequence[int]
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
        return cls(exact_sums(values[finite], members[finite], number), counts, np.stack([up, down]))

    @classmethod
    def of_difference(cls, first: FloatArray, second: FloatArray, members: IntArray, number: int) -> BucketSums:
        """Of first − second, exact, on the instances on which both are defined; equal infinite values do not differ."""
        both = np.isfinite(first) & np.isfinite(second)
        with np.errstate(invalid="ignore"):
            rest = np.where(both | (first == second), 0.0, first - second)
        here = members[both]
        sums = zip(exact_sums(first[both], here, number), exact_sums(second[both], here, number), strict=True)
        of_rest = cls.of(rest, members, number)
        return cls([a - b for a, b in sums], of_rest.counts, of_rest.infinite)

    def mean(self) -> float:
        """The mean of all values: ``math.fsum(x) / count`` of finite ones.

        A quotient of integers is rounded once, and is beyond all doubles where ``fsum`` is.
        """
        up, down = self.infinite.sum(axis=1).tolist()
        return mean_of_sum(sum(self.sums), up, down, int(self.counts.sum()))

    def __add__(self, other: BucketSums) -> BucketSums:
        sums = [a + b for a, b in zip(self.sums, other.sums, strict=True)]
        return BucketSums(sums, self.counts + other.counts, self.infinite + other.infinite)


def mean_of_sum(total: int, up: int, down: int, count: int, unit: int = UNIT) -> float:
    """The mean of ``count`` values, ``up`` and ``down`` of them infinite; ``total``: of the others, times 2ᵘⁿⁱᵗ."""
    if not count or (up and down):
        return math.nan
    if up or down:
        return math.inf if up else -math.inf
    try:
        return total / (1 << unit) / count
    except OverflowError:
        return total / (count << unit)


def round_ratio(above: int, below: int) -> float:
    """A quotient of integers, rounded once; nan of nothing."""
    try:
        return above / below if below else math.nan
    except OverflowError:
        return math.inf if above > 0 else -math.inf


def exact_sums(values: FloatArray, members: IntArray, number: int) -> list[int]:
    """The sum of the finite values of each bucket: digits of 26 bits are added as integers, the highest first."""
    total = [0] * number
    sizes = np.abs(values)
    top = int(np.frexp(sizes.max(initial=0.0))[1])
    far = sizes < math.ldexp(1.0, top - RANGE)  # beside the greatest value these would lose bits
    if far.any() and (small := far & (values != 0)).any():
        tiny = exact_sums(values[small], members[small], number)
        near = exact_sums(values[~far], members[~far], number)
        return [a + b for a, b in zip(tiny, near, strict=True)]
    rest = np.ldexp(values, -top)
    shift = top + UNIT
    while rest.any():
        rest = rest * 2.0**DIGIT
        digits = np.trunc(rest)
        rest -= digits
        sums = np.bincount(members, digits, number) if number > 1 else digits.sum(keepdims=True)
        total = [(high << DIGIT) + low for high, low in zip(total, sums.astype(np.int64).tolist(), strict=True)]
        shift -= DIGIT
    return [each << shift if shift >= 0 else each >> -shift for each in total]


def cut_into_digits(values: FloatArray, power: int = 1) -> dict[int, IntArray]:
    """Finite values, or their squares (``power`` 2), as digits by place: a digit d at place k is d · 2²⁶ᵏ.

    Places are the same for all values, so sums of digits are those of the numbers. Digits are below 2²⁷.

    >>> {place: digits.tolist() for place, digits in cut_into_digits(np.array([0.5, -3.0])).items()}
    {0: [0, -3], -1: [33554432, 0]}
    """
    parts, exponents = np.frexp(values)
    exponents = power * exponents
    made: dict[int, IntArray] = {}
    for rest in (parts,) if power == 1 else square_exactly(parts):
        place = -(-int(exponents[rest != 0].max(initial=-3000)) // DIGIT)
        while rest.any():
            place -= 1
            digits = np.trunc(np.ldexp(rest, exponents - DIGIT * place))
            if digits.any():
                made[place] = made.get(place, 0) + digits.astype(np.int64)
                rest = rest - np.ldexp(digits, DIGIT * place - exponents)
    return made


def exact_sum(values: FloatArray) -> int:
    """The sum of finite values."""
    return exact_sums(values, np.zeros(values.size, np.int64), 1)[0]


def exact_square_sum(values: FloatArray) -> int:
    """The sum of the squares of finite values, in units of 2⁻²¹⁴⁸.

    >>> exact_square_sum(np.array([0.5, 1.0])) / 2 ** (2 * UNIT)
    1.25
    """
    sizes = np.abs(values)
    far = (sizes > FAR) | (sizes < 1 / FAR)
    total = 0
    for each in sizes[far].tolist():
        above, below = each.as_integer_ratio()
        total += above**2 << 2 * (UNIT - below.bit_length() + 1)
    values = values[~far]
    return total + (exact_sum(np.concatenate(square_exactly(values))) << UNIT)


def square_exactly(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The squares, rounded, and what each was rounded by (Veltkamp, 1968)."""
    squares = values * values
    scaled = 134217729.0 * values
    high = scaled - (scaled - values)
    low = values - high
    return squares, ((high * high - squares) + 2 * high * low) + low * low
