"""Bootstrap resamples by counts: how often each instance was drawn, once for all systems and measures.

The mean of a column over a resample is Σ count · value / Σ count, so all means of all resamples are one product of
matrices. A draw is made block by block of instances and never held as a whole, and its sums are exact: they depend on
neither the other columns, nor their order, nor the machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.text.tables import figure

RESAMPLES = 1000
"""Resamples of a bootstrap interval, and of a draw that are made at once."""
CONFIDENCE = 0.95
BLOCK = 1024
"""Instances of a draw that are counted at once: another number is another draw."""
ROOM = 2**25
"""Values of columns that are held at once; more of them are summed in groups, by the same draw made again."""


@dataclass(frozen=True)
class Interval:
    """A percentile interval, also as the pair ``low, high``; both are nan where there is none.

    Examples
    --------
    >>> low, high = Interval(0.25, 0.5)
    >>> low, high, str(Interval(0.25, 0.5))
    (0.25, 0.5, '0.2500 to 0.5000 (95%)')
    """

    low: float
    high: float
    level: float = CONFIDENCE

    @classmethod
    def of(cls, drawn: FloatArray, level: float = CONFIDENCE) -> Interval:
        """The quantiles (1 ∓ level) / 2 of what resamples gave; none where one gave an infinite value, or all nan."""
        known = drawn[~np.isnan(drawn)]
        if not known.size or not np.isfinite(known).all():
            return cls(math.nan, math.nan, level)
        low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
        return cls(float(low), float(high), level)

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __str__(self) -> str:
        shown = "undefined" if math.isnan(self.low) else f"{figure(self.low)} to {figure(self.high)}"
        return f"{shown} ({100 * self.level:.6g}%)"


@dataclass(frozen=True)
class Draw:
    """Resamples of ``size`` instances, each of ``size`` draws with replacement; one seed is one draw."""

    size: int
    resamples: int = RESAMPLES
    seed: int = 0

    def counts(self) -> Iterator[tuple[slice, slice, FloatArray]]:
        """Which resamples, which instances, and how often each of these is in each of those.

        Of the draws of a resample that are left, a binomial number falls into the next block, whose instances are all
        equally likely: together this is the multinomial distribution.
        """
        for first in range(0, self.resamples, RESAMPLES):
            number = min(RESAMPLES, self.resamples - first)
            rng = np.random.default_rng([self.seed, first])
            left = np.full(number, self.size)
            for start in range(0, self.size, BLOCK):
                width = min(BLOCK, self.size - start)
                here = rng.binomial(left, width / (self.size - start))
                left -= here
                cell = np.repeat(np.arange(0, number * width, width), here)
                cell += rng.integers(0, width, cell.size, dtype=np.uint16)
                found = np.bincount(cell, minlength=number * width).reshape(number, width)
                yield slice(first, first + number), slice(start, start + width), found.astype(np.float64)

    def means(self, columns: Iterable[FloatArray]) -> FloatArray:
        """The mean of each column in each resample, resamples × columns, over the instances on which it is defined.

        It is nan where a resample holds none of those; infinite values count only where they were drawn.
        """
        waiting = iter(columns)
        found = [np.empty((self.resamples, 0))]
        while together := list(islice(waiting, max(1, ROOM // max(1, self.size)))):
            found.append(self._means(together))
        return np.concatenate(found, axis=1)

    def _means(self, columns: list[FloatArray]) -> FloatArray:
        fixed = _FixedPoint.of(columns, self.size)
        totals = np.zeros((self.resamples, 5, len(columns)))
        for resamples, instances, counts in self.counts():
            parts = fixed.parts(np.stack([column[instances] for column in columns]))
            used = parts.any(axis=2)
            totals[resamples, used] += counts @ parts[used].T
        high, low, missing, up, down = np.moveaxis(totals, 1, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = fixed.value((high + np.ldexp(low, -fixed.bits)) / (self.size - missing))
            means[up > 0] += math.inf
            means[down > 0] -= math.inf
        return means


@dataclass(frozen=True)
class _FixedPoint:
    """Values as two integers of so many ``bits`` that a sum of ``size`` of them is exact: v = (high + low / 2ᵇ) · 2ᵉ⁻ᵇ.

    Together they have 80 bits below the largest value of a column for 5,000 instances, 68 for half a million.
    """

    bits: int
    exponents: IntArray

    @classmethod
    def of(cls, columns: list[FloatArray], size: int) -> _FixedPoint:
        largest = [np.max(np.abs(column), initial=0, where=np.isfinite(column)) for column in columns]
        return cls(53 - size.bit_length(), np.frexp(np.array(largest))[1])

    def parts(self, values: FloatArray) -> FloatArray:
        """High and low parts, and 1 where a value is nan, infinite, or infinite below 0: five × columns × instances."""
        finite = np.where(np.isfinite(values), values, 0.0)
        scaled = np.ldexp(finite, (self.bits - self.exponents)[:, None])
        high = np.rint(scaled)
        low = np.rint(np.ldexp(scaled - high, self.bits))
        return np.stack([high, low, np.isnan(values), values == math.inf, values == -math.inf])

    def value(self, means: FloatArray) -> FloatArray:
        """What a mean of high parts stands for."""
        found: FloatArray = np.ldexp(means, self.exponents - self.bits)
        return found
