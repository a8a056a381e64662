"""Bootstrap resamples by counts: how often each unit was drawn, once for all systems and measures.

The mean of a column over a resample is Σ count · value / Σ count, so all means of all resamples are one product of
matrices. A draw is made block by block of units and never held as a whole, and its sums are exact: they depend on
neither the other columns, nor their order, nor the machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from hemlp.analysis.statistics.buckets import UNIT, BucketSums
from hemlp.analysis.statistics.units import BUCKETS, Units
from hemlp.arrays import FloatArray, IntArray

RESAMPLES = 1000
"""Resamples of a bootstrap interval, and of a draw that are made at once."""
BLOCK = 1024
"""Units of a draw that are counted at once: another number is another draw."""
EXACT = 2**24
"""Whole numbers up to this are exact in half the room."""
ROOM = 2**25
"""Values of columns that are held at once; more of them are summed in groups, by the same draw made again."""


@dataclass(frozen=True)
class Draw:
    """Resamples of ``units``, each of as many draws with replacement as there are units; one seed is one draw."""

    units: Units
    resamples: int = RESAMPLES
    seed: int = 0

    @property
    def signature(self) -> str:
        """To be cited with an interval: ``bootstrap|resamples:1000,seed:0|buckets:4096``."""
        drawn = f"buckets:{BUCKETS}" if self.units.in_buckets else "instances"
        return f"bootstrap|resamples:{self.resamples},seed:{self.seed}|{drawn}"

    def counts(self) -> Iterator[tuple[slice, slice, FloatArray]]:
        """Which resamples, which units, and how often each of these is in each of those.

        Of the draws of a resample that are left, a binomial number falls into the next block, whose units are all
        equally likely: together this is the multinomial distribution.
        """
        from hemlp.kernels.resamples import times_drawn

        size = self.units.number
        for first in range(0, self.resamples, RESAMPLES):
            number = min(RESAMPLES, self.resamples - first)
            rng = np.random.default_rng([self.seed, first])
            left = np.full(number, size)
            for start in range(0, size, BLOCK):
                width = min(BLOCK, size - start)
                here = rng.binomial(left, width / (size - start))
                left -= here
                drawn = rng.integers(0, width, here.sum(), dtype=np.uint16)
                yield slice(first, first + number), slice(start, start + width), times_drawn(here, drawn, width)

    def means(self, columns: Iterable[FloatArray]) -> FloatArray:
        """The mean of each column in each resample, resamples × columns, over the instances on which it is defined.

        Columns have one value an instance, in the order of the instances. A mean is nan where a resample holds no
        defined value; infinite values count only where they were drawn.
        """
        units = self.units
        if units.in_buckets:
            waiting = (BucketSums.of(column, units.members, units.number) for column in columns)
            return self.means_of_buckets(waiting)
        arranged = map(units.arranged, columns)
        found = [np.empty((self.resamples, 0))]
        while together := list(islice(arranged, max(1, ROOM // max(1, units.number)))):
            found.append(self._means(_Instances.of(together)))
        return np.concatenate(found, axis=1)

    def means_of_buckets(self, columns: Iterable[BucketSums]) -> FloatArray:
        """The same from sums by bucket."""
        return self._means(_Bucketed.of(list(columns), self.units.sizes))

    def sums(self, streams: Iterable[Iterable[IntArray]]) -> list[FloatArray]:
        """Of each stream the sum of each column in each resample: resamples × columns.

        A stream has parts of instances × columns of integers, the instances one after the other.
        """
        found: list[FloatArray] = []
        held: list[IntArray] = []
        for stream in streams:
            held.append(self.units.added(stream))
            if sum(each.size for each in held) >= ROOM:
                found += self._sums(held)
                held = []
        return found + self._sums(held)

    def _sums(self, columns: Sequence[IntArray]) -> list[FloatArray]:
        """Of counts, units × columns."""
        if not columns:
            return []
        values = np.concatenate(columns, axis=1)
        totals = np.zeros((self.resamples, values.shape[1]))
        for resamples, units, counts in self.counts():
            part = values[units]
            exact = counts.sum(axis=1).max() * part.max(initial=0) < EXACT
            kind = np.float32 if exact else np.float64
            totals[resamples] += counts.astype(kind) @ part.astype(kind)
        return np.split(totals, np.cumsum([each.shape[1] for each in columns])[:-1], axis=1)

    def _means(self, values: _Instances | _Bucketed) -> FloatArray:
        totals = np.zeros((self.resamples, 5, len(values.exponents)))
        drawn = np.zeros((self.resamples, 1))
        for resamples, units, counts in self.counts():
            parts = values.parts(units)
            used = parts.any(axis=2)
            totals[resamples, used] += counts @ parts[used].T
            drawn[resamples, 0] += counts @ self.units.sizes[units]
        high, low, missing, up, down = np.moveaxis(totals, 1, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.ldexp((high + np.ldexp(low, -values.bits)) / (drawn - missing), values.exponents)
            means[up > 0] += math.inf
            means[down > 0] -= math.inf
        return means


def fixed_point(columns: FloatArray, most: int) -> tuple[FloatArray, int, IntArray]:
    """Finite values (columns × any) as two integers: v = (high + low / 2ᵇ) · 2ᵉ; 2 × columns × any, b, and e of each.

    A sum of up to ``most`` of either is exact. Together they have 80 bits below the largest value of a column for 5,000
    instances, 72 for 100,000.
    """
    largest = np.abs(columns).max(axis=1, initial=0)
    return _parts(columns, bits := _bits(most), exponents := np.frexp(largest)[1] - bits), bits, exponents


def _bits(most: int) -> int:
    """Integers of so many bits have exact sums of up to ``most`` of them."""
    return 53 - most.bit_length()


def _parts(values: FloatArray, bits: int, exponents: IntArray) -> FloatArray:
    scaled = np.ldexp(values, -exponents[:, None])
    high = np.rint(scaled)
    return np.stack([high, np.rint(np.ldexp(scaled - high, bits))])


@dataclass(frozen=True)
class _Instances:
    """One value an instance, in two integers as of ``fixed_point``, which are made block by block."""

    columns: list[FloatArray]
    bits: int
    exponents: IntArray

    @classmethod
    def of(cls, columns: list[FloatArray]) -> _Instances:
        largest = [np.max(np.abs(column), initial=0, where=np.isfinite(column)) for column in columns]
        bits = _bits(columns[0].size)
        return cls(columns, bits, np.frexp(np.array(largest))[1] - bits)

    def parts(self, units: slice) -> FloatArray:
        """High and low parts, and 1 where a value is nan, infinite, or infinite below 0: five × columns × units."""
        values = np.stack([column[units] for column in self.columns])
        whole = _parts(np.where(np.isfinite(values), values, 0.0), self.bits, self.exponents)
        return np.concatenate([whole, [np.isnan(values), values == math.inf, values == -math.inf]])


@dataclass(frozen=True)
class _Bucketed:
    """The same of exact sums by bucket: 80 bits below the largest of a column."""

    whole: FloatArray
    bits: int
    exponents: IntArray

    @classmethod
    def of(cls, columns: list[BucketSums], sizes: FloatArray) -> _Bucketed:
        bits = _bits(sizes.size)
        whole = np.zeros((5, len(columns), sizes.size))
        exponents = np.zeros(len(columns), np.int64)
        for k, column in enumerate(columns):
            cut = max(map(abs, column.sums)).bit_length() - bits  # bits below the high parts, all of them if negative
            fine = [(each << bits) >> cut if cut >= 0 else each << (bits - cut) for each in column.sums]
            high, low = [each >> bits for each in fine], [each % 2**bits for each in fine]
            whole[:, k] = high, low, sizes - column.counts, *column.infinite
            exponents[k] = cut - UNIT
        return cls(whole, bits, exponents)

    def parts(self, units: slice) -> FloatArray:
        """As of instances."""
        return self.whole[:, :, units]
