"""Bootstrap resamples by counts: how often each unit was drawn, once for all systems and measures.

Units are instances sorted by id or, from 100,000 instances on, buckets of them: neither depends on the order of the
instances, nor on how the data was split.

The mean of a column over a resample is Σ count · value / Σ count, so all means of all resamples are one product of
matrices. A draw is made block by block of units and never held as a whole, and its sums are exact: they depend on
neither the other columns, nor their order, nor the machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import cast

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, multiply, pointers, record
from hemlp.errors import InvalidOption
from hemlp.hierarchy.labels import Label
from hemlp.results.exact_sums import UNIT, BucketSums

BUCKETED_FROM = 100_000
"""From so many instances on buckets are drawn."""
BUCKETS = 4096


@record
class Units:
    """The units that ``size`` instances make; ``ids`` are their names, without which rows count from 1.

    ``counts``: how many instances each bucket has, where only that is known of them.

    Examples
    --------
    >>> Units(3, ["b", 10, 9]).members.tolist()
    [2, 0, 1]
    >>> Units(2).number, Units(2).in_buckets, Units(BUCKETED_FROM).number
    (2, False, 4096)
    """

    size: int
    ids: Sequence[Label] | None = field(default=None, repr=False)
    counts: FloatArray | None = field(default=None, repr=False)

    in_buckets: bool = field(init=False)
    """Whether the units are buckets."""
    number: int = field(init=False)
    """The number of units."""
    description: str = field(init=False, repr=False)
    """For notes."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "in_buckets", self.size >= BUCKETED_FROM)
        object.__setattr__(self, "number", BUCKETS if self.in_buckets else self.size)
        buckets = f"{BUCKETS:,} buckets of instances (buckets:{BUCKETS})"
        object.__setattr__(self, "description", buckets if self.in_buckets else "the instances")

    @cached_property
    def members(self) -> IntArray:
        """The unit of each instance: its bucket, or its place in the order of the ids as UTF-8, integers in decimal."""
        if self.in_buckets:
            return assign_buckets(range(1, self.size + 1) if self.ids is None else self.ids)
        ranks = np.arange(self.size)
        if self.ids is not None:
            keys = [(str(name), isinstance(name, str)) for name in self.ids]  # code points are in the order of UTF-8
            ranks[sorted(range(self.size), key=keys.__getitem__)] = np.arange(self.size)
        return ranks

    @cached_property
    def sizes(self) -> FloatArray:
        """How many instances each unit has."""
        if not self.in_buckets or self.counts is not None:
            return np.ones(self.size) if self.counts is None else self.counts
        return np.bincount(self.members, minlength=self.number).astype(np.float64)

    def arrange(self, values: FloatArray) -> FloatArray:
        """One value per instance, in the order of the units: where these are instances."""
        arranged = np.empty_like(values)
        arranged[self.members] = values
        return arranged

    def sum_by_unit(self, parts: Iterable[IntArray]) -> IntArray:
        """Sums of the integers of each unit: units × columns, of consecutive parts of instances × columns."""
        sums: list[IntArray] = []
        start = 0
        for part in parts:
            members = self.members[start : start + len(part)]
            start += len(part)
            if not sums:
                sums = [np.zeros((self.number, part.shape[1]), np.int64 if self.in_buckets else np.int32)]
            if self.in_buckets:
                for total, column in zip(sums[0].T, part.T, strict=True):
                    total += np.bincount(members, column, self.number).astype(np.int64)
            else:
                sums[0][members] = part
        return sums[0]


def assign_buckets(ids: Iterable[Label]) -> IntArray:
    """The bucket of each id: the SHA-256 of its UTF-8, an integer's in decimal, as a big-endian number mod 4096.

    >>> assign_buckets(["1", 1, "é", "PMID:12345"]).tolist()
    [2891, 2891, 3148, 607]
    """
    from hemlp.kernels.text.sha256 import last_words

    letters: tuple[bytes, IntArray] | None = getattr(ids, "letters", None)  # of a column of Arrow
    if letters is None:
        texts = [str(name).encode("utf-8", "surrogatepass") for name in ids]
        letters = b"".join(texts), pointers([*map(len, texts)])
    return last_words(*letters).astype(np.int64) % BUCKETS


RESAMPLES = 1000
"""Resamples of a bootstrap interval, and of a draw that are made at once."""
BLOCK = 1024
"""Units of a draw that are counted at once: another number is another draw."""
DOUBLE = 53
"""Bits of a double: integers of 53 - log₂ n bits have exact sums of up to n of them."""
FLOAT32_EXACT = 2**24
"""Whole numbers up to this are exact in half the room."""
ROWS_AT_ONCE = 64
"""Resamples that are drawn at once from a block: what is made of them stays in the cache."""
VALUES_AT_ONCE = 2**25
"""Values of columns that are held at once; more of them are summed in groups, by the same draw made again."""


@dataclass(frozen=True)
class Bootstrap:
    """Resamples of ``units``, each of as many draws with replacement as there are units; one seed is one draw."""

    units: Units
    resamples: int = RESAMPLES
    seed: int = 0

    @property
    def signature(self) -> str:
        """The signature to cite with an interval: ``bootstrap|resamples:1000,seed:0|buckets:4096``."""
        drawn = f"buckets:{BUCKETS}" if self.units.in_buckets else "instances"
        return f"bootstrap|resamples:{self.resamples},seed:{self.seed}|{drawn}"

    def counts(self) -> Iterator[tuple[slice, slice, NDArray[np.uint8]]]:
        """Blocks of (resamples, units, counts of each unit in each resample).

        Of the draws of a resample that are left, a binomial number falls into the next block, whose units are all
        equally likely: together this is the multinomial distribution.
        """
        from hemlp.kernels.resamples import count_draws

        size = self.units.number
        for first in range(0, self.resamples, RESAMPLES):
            number = min(RESAMPLES, self.resamples - first)
            rng = np.random.default_rng([self.seed, first])
            left, spare = np.full(number, size), np.empty(0, "<u2")
            for start in range(0, size, BLOCK):
                units = slice(start, min(start + BLOCK, size))
                width = units.stop - start
                here = rng.binomial(left, width / (size - start))
                left -= here
                for begin in range(0, number, ROWS_AT_ONCE):
                    missing = here[begin : begin + ROWS_AT_ONCE]
                    rows = slice(first + begin, first + begin + missing.size)
                    counts = np.zeros((missing.size, width), np.uint8)
                    draws = int(missing.sum())
                    while draws:
                        words, spare = _take_words(rng, spare, draws)
                        draws = count_draws(missing, words, counts)
                    yield rows, units, counts
                spare = spare[spare.size % 2 :]  # a call of rng.integers drops the rest of its last 32 bits

    def means(self, columns: Iterable[FloatArray | BucketSums]) -> FloatArray:
        """The mean of each column in each resample, resamples × columns, over the instances on which it is defined.

        Columns have one value per instance, in the order of the instances, or are sums by bucket. A mean is nan where a
        resample holds no defined value; infinite values count only where they were drawn.
        """
        units = self.units
        if units.in_buckets:
            sums = [
                column if isinstance(column, BucketSums) else BucketSums.of(column, units.members, units.number)
                for column in columns
            ]
            return self._means(_BucketColumns.of(sums))
        plain = cast("Iterable[FloatArray]", columns)  # instances have no sums
        arranged = iter(plain) if units.ids is None else map(units.arrange, plain)
        chunks = [np.empty((self.resamples, 0))]
        while together := list(islice(arranged, max(1, VALUES_AT_ONCE // max(1, units.number)))):
            chunks.append(self._means(_InstanceColumns.of(together)))
        return np.concatenate(chunks, axis=1)

    def sums(self, streams: Iterable[Iterable[IntArray]]) -> list[FloatArray]:
        """The sum of each column of each stream in each resample: resamples × columns.

        A stream has parts of instances × columns of integers, the instances one after the other.
        """
        totals: list[FloatArray] = []
        held: list[IntArray] = []
        for stream in streams:
            held.append(self.units.sum_by_unit(stream))
            if sum(each.size for each in held) >= VALUES_AT_ONCE:
                totals += self._sums(held)
                held = []
        return totals + self._sums(held)

    def _sums(self, columns: Sequence[IntArray]) -> list[FloatArray]:
        """The sums of counts, units × columns."""
        if not columns:
            return []
        values = np.concatenate(columns, axis=1)
        totals = np.zeros((self.resamples, values.shape[1]))
        for resamples, units, counts in self.counts():
            part = values[units]
            exact = counts.sum(axis=1).max() * part.max(initial=0) < FLOAT32_EXACT
            kind = np.float32 if exact else np.float64
            totals[resamples] += multiply(counts.astype(kind), part.astype(kind))
        return np.split(totals, np.cumsum([each.shape[1] for each in columns])[:-1], axis=1)

    def _means(self, values: _InstanceColumns | _BucketColumns) -> FloatArray:
        totals, at = np.zeros((self.resamples, 5 * len(values.exponents))), slice(0)
        room = np.empty((ROWS_AT_ONCE, BLOCK))
        for resamples, units, counts in self.counts():
            if units != at:
                at, columns = units, values.integers(units).reshape(-1, units.stop - units.start)
                used = np.flatnonzero(columns.any(axis=1))
                columns = columns[used].T
            drawn = room[: len(counts), : len(columns)]
            drawn[:] = counts
            totals[resamples, used] += multiply(drawn, columns)
        high, low, defined, up, down = np.split(totals, 5, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.ldexp((high + np.ldexp(low, -values.bits)) / (values.base + defined), values.exponents)
            means[up > 0] += math.inf
            means[down > 0] -= math.inf
        return means


def _take_words(
    rng: np.random.Generator, left: NDArray[np.uint16], number: int
) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Random words of 16 bits, first those left of an earlier call, and what is left now.

    ``rng.integers`` takes the same bits, 32 at a time.
    """
    more = rng.bit_generator.random_raw(-(-(number - left.size) // 4)).astype("<u8", copy=False).view("<u2")
    words = np.concatenate([left, more])
    return words[:number], words[number:]


def fixed_point(columns: FloatArray, most: int) -> tuple[FloatArray, int, IntArray]:
    """Finite values (columns × any) as two integers: v = (high + low / 2ᵇ) · 2ᵉ; 2 × columns × any, b, and e of each.

    A sum of up to ``most`` of either is exact. Together they have 80 bits below the largest value of a column for 5,000
    instances, 72 for 100,000.
    """
    largest = np.abs(columns).max(axis=1, initial=0)
    bits = DOUBLE - most.bit_length()
    exponents = np.frexp(largest)[1] - bits
    return _split_integers(columns, bits, exponents), bits, exponents


def _split_integers(values: FloatArray, bits: int, exponents: IntArray) -> FloatArray:
    scaled = np.ldexp(values, -exponents[:, None])
    high = np.rint(scaled)
    return np.stack([high, np.rint(np.ldexp(scaled - high, bits))])


@record
class _InstanceColumns:
    """One value per instance, in two integers as of ``fixed_point``, which are made block by block.

    ``base``: as many values are defined in a resample, and as many more as its third integers say.
    """

    columns: list[FloatArray]
    bits: int
    exponents: IntArray
    base: int

    @classmethod
    def of(cls, columns: list[FloatArray]) -> _InstanceColumns:
        largest = [np.max(np.abs(column), initial=0, where=np.isfinite(column)) for column in columns]
        bits = DOUBLE - columns[0].size.bit_length()
        return cls(columns, bits, np.frexp(np.array(largest))[1] - bits, columns[0].size)

    def integers(self, units: slice) -> FloatArray:
        """High and low parts, and then -1 where a value is nan, and 1 where it is above, or below, all others."""
        values = np.stack([column[units] for column in self.columns])
        whole = _split_integers(np.where(np.isfinite(values), values, 0.0), self.bits, self.exponents)
        return np.concatenate([whole, [-1.0 * np.isnan(values), values == math.inf, values == -math.inf]])


@record
class _BucketColumns:
    """Exact sums by bucket in two integers, 80 bits below the largest of a column; else like ``_InstanceColumns``."""

    whole: FloatArray
    bits: int
    exponents: IntArray
    base: int = 0

    @classmethod
    def of(cls, columns: list[BucketSums]) -> _BucketColumns:
        bits = DOUBLE - BUCKETS.bit_length()
        whole = np.zeros((5, len(columns), BUCKETS))
        exponents = np.zeros(len(columns), np.int64)
        for k, column in enumerate(columns):
            cut = max(map(abs, column.sums)).bit_length() - bits  # bits below the high parts, all of them if negative
            fine = [(each << bits) >> cut if cut >= 0 else each << (bits - cut) for each in column.sums]
            high, low = [each >> bits for each in fine], [each % 2**bits for each in fine]
            whole[:, k] = high, low, column.counts, *column.infinite
            exponents[k] = cut - UNIT
        return cls(whole, bits, exponents)

    def integers(self, units: slice) -> FloatArray:
        """Like ``_InstanceColumns.integers``, with the number of defined values."""
        return self.whole[:, :, units]


def bootstrap_note(units: Units) -> str:
    """The note below tables with bootstrap intervals."""
    return f"in brackets 95% intervals, from {RESAMPLES:,} resamples of {units.description}"


def check_confidence(level: float) -> None:
    """Check the confidence level of an interval."""
    if not isinstance(level, float) or not 0 < level < 1:
        raise InvalidOption(f"level={level!r} is not a number between 0 and 1, like 0.95")
