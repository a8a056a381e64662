"""Bootstrap resamples by counts: how often each instance was drawn, once for all systems and measures.

The mean of a column over a resample is Σ count · value / Σ count, so all means of all resamples are one product of
matrices. A draw is made block by block of instances and never held as a whole, and its sums are exact: they depend on
neither the other columns, nor their order, nor the machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray

RESAMPLES = 1000
"""Resamples of a bootstrap interval, and of a draw that are made at once."""
BLOCK = 1024
"""Instances of a draw that are counted at once: another number is another draw."""
EXACT = 2**24
"""Whole numbers up to this are exact in half the room."""
ROOM = 2**25
"""Values of columns that are held at once; more of them are summed in groups, by the same draw made again."""


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
        from hemlp.kernels.draws import times_drawn

        for first in range(0, self.resamples, RESAMPLES):
            number = min(RESAMPLES, self.resamples - first)
            rng = np.random.default_rng([self.seed, first])
            left = np.full(number, self.size)
            for start in range(0, self.size, BLOCK):
                width = min(BLOCK, self.size - start)
                here = rng.binomial(left, width / (self.size - start))
                left -= here
                drawn = rng.integers(0, width, here.sum(), dtype=np.uint16)
                yield slice(first, first + number), slice(start, start + width), times_drawn(here, drawn, width)

    def means(self, columns: Iterable[FloatArray]) -> FloatArray:
        """The mean of each column in each resample, resamples × columns, over the instances on which it is defined.

        It is nan where a resample holds none of those; infinite values count only where they were drawn.
        """
        waiting = iter(columns)
        found = [np.empty((self.resamples, 0))]
        while together := list(islice(waiting, max(1, ROOM // max(1, self.size)))):
            found.append(self._means(together))
        return np.concatenate(found, axis=1)

    def sums(self, streams: Sequence[Iterable[IntArray]]) -> list[FloatArray]:
        """Of each stream the sum of each column in each resample: resamples × columns.

        A stream has parts of instances × columns of integers, the instances one after the other and never all at once.
        """
        if self.resamples > RESAMPLES:
            raise ValueError(f"streams come once, and {self.resamples:,} resamples are drawn in several rounds")
        rows = [_Rows(iter(stream)) for stream in streams]
        totals: Any = 0.0
        widths: list[int] = []
        for _, instances, counts in self.counts():
            parts = [each.next(instances.stop - instances.start) for each in rows]
            widths = [part.shape[1] for part in parts]
            values = np.concatenate(parts, axis=1)
            exact = counts.sum(axis=1).max() * values.max(initial=0) < EXACT
            kind = np.float32 if exact else np.float64
            totals = totals + (counts.astype(kind) @ values.astype(kind)).astype(np.float64)
        return np.split(totals, np.cumsum(widths)[:-1], axis=1)

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


@dataclass
class _Rows:
    """Rows of consecutive parts, as many at a time as are asked for."""

    parts: Iterator[IntArray]
    left: IntArray | None = None

    def next(self, number: int) -> IntArray:
        """The next rows."""
        found: list[IntArray] = []
        while number:
            part = next(self.parts) if self.left is None else self.left
            found.append(part[:number])
            self.left = part[number:] if len(part) > number else None
            number -= len(found[-1])
        return found[0] if len(found) == 1 else np.concatenate(found)


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
