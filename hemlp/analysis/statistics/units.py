"""The units that a bootstrap resamples: instances sorted by id or, from 100,000 instances on, buckets of instances.

Neither depends on the order of the instances, nor on how the data was split.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.hierarchy.labels import Label

BUCKETED_FROM = 100_000
"""From so many instances on buckets are drawn."""
BUCKETS = 4096


@dataclass(frozen=True, eq=False)
class Units:
    """The units that ``size`` instances make; ``ids`` are their names, without which rows count from 1.

    Examples
    --------
    >>> Units(3, ["b", 10, 9]).members.tolist()
    [2, 0, 1]
    >>> Units(2).number, Units(2).in_buckets, Units(BUCKETED_FROM).number
    (2, False, 4096)
    """

    size: int
    ids: Sequence[Label] | None = field(default=None, repr=False)

    @property
    def in_buckets(self) -> bool:
        """Whether the units are buckets."""
        return self.size >= BUCKETED_FROM

    @property
    def number(self) -> int:
        """The number of units."""
        return BUCKETS if self.in_buckets else self.size

    @cached_property
    def ranks(self) -> IntArray:
        """The place of each instance in the order of the ids as UTF-8, an integer in decimal."""
        ranks = np.arange(self.size)
        if self.ids is not None:
            keys = [(str(name), isinstance(name, str)) for name in self.ids]  # code points are in the order of UTF-8
            ranks[sorted(range(self.size), key=keys.__getitem__)] = np.arange(self.size)
        return ranks

    @cached_property
    def members(self) -> IntArray:
        """The unit of each instance."""
        if self.in_buckets:
            return assign_buckets(range(1, self.size + 1) if self.ids is None else self.ids)
        return self.ranks

    @cached_property
    def sizes(self) -> FloatArray:
        """How many instances each unit has."""
        return np.bincount(self.members, minlength=self.number).astype(np.float64)

    def arrange(self, values: FloatArray) -> FloatArray:
        """One value per instance, in the order of the units: where these are instances."""
        if self.ids is None:
            return values
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

    @property
    def description(self) -> str:
        """A description for notes."""
        return f"{BUCKETS:,} buckets of instances (buckets:{BUCKETS})" if self.in_buckets else "the instances"


def assign_buckets(ids: Iterable[Label]) -> IntArray:
    """The bucket of each id: the SHA-256 of its UTF-8, an integer's in decimal, as a big-endian number mod 4096.

    >>> assign_buckets(["1", 1, "é", "PMID:12345"]).tolist()
    [2891, 2891, 3148, 607]
    """
    texts = (str(name).encode("utf-8", "surrogatepass") for name in ids)
    ends = b"".join([sha256(text).digest()[-2:] for text in texts])
    return np.frombuffer(ends, ">u2").astype(np.int64) % BUCKETS
