"""Integers as small numbers, in the order in which they appear: a hash table that works on whole arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray

SORTED = 2**12
"""New keys that are numbered together, before more are looked at."""
TOGETHER = 2**15
"""Keys that are looked up at once: where most are new, all that follow are looked up again after each sort."""
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2⁶⁴ over the golden ratio: it spreads what is close together."""
Keys = NDArray[np.uint64]


class Numbers:
    """Integers of 64 bits, numbered in the order in which they appear: a hash table with room for four times as many.

    Where the slot of a key is taken, the next one is its slot.
    """

    def __init__(self) -> None:
        self.count = 0
        self._known: Keys = np.empty(2**8, np.uint64)
        self._slots = np.full(2**10, -1, np.int32)

    def find(self, keys: Keys) -> tuple[IntArray, IntArray]:
        """The number of each key, and the first positions of those that are new."""
        if keys.size > TOGETHER:
            starts = range(0, keys.size, TOGETHER)
            parts = [self.find(keys[start : start + TOGETHER]) for start in starts]
            firsts = [start + part[1] for start, part in zip(starts, parts, strict=True)]
            return np.concatenate([part[0] for part in parts]), np.concatenate(firsts)
        runs = _changes(keys)
        if 2 * runs.size < keys.size:  # most are like the one before
            numbers, new = self.find(keys[runs])
            return np.repeat(numbers, np.diff(np.append(runs, keys.size))), runs[new]
        numbers, added = self._look_up(keys), [np.zeros(0, np.int64)]
        while (unknown := np.flatnonzero(numbers < 0)).size:
            some, later = unknown[:SORTED], unknown[SORTED:]
            numbers[some], new = self._add(keys[some])
            added.append(some[new])
            numbers[later] = self._look_up(keys[later])
        return numbers, np.concatenate(added)

    def _home(self, keys: Keys) -> IntArray:
        """Where a key stands unless others stand there."""
        return ((keys * MULTIPLIER) >> np.uint64(65 - self._slots.size.bit_length())).astype(np.int64)

    def _look_up(self, keys: Keys) -> IntArray:
        """The number of each key, -1 for those that are not known."""
        slots = self._home(keys)
        numbers = self._slots[slots]
        looking = np.flatnonzero(self._known[numbers] != keys)
        looking = looking[numbers[looking] >= 0]
        while looking.size:
            slots[looking] = (slots[looking] + 1) & (self._slots.size - 1)
            numbers[looking] = found = self._slots[slots[looking]]
            looking = looking[(found >= 0) & (self._known[found] != keys[looking])]
        return numbers

    def _add(self, keys: Keys) -> tuple[IntArray, IntArray]:
        """The numbers of keys that are not known, and their first positions."""
        order = np.argsort(keys)
        groups = _changes(keys[order])
        first = np.minimum.reduceat(order, groups)
        new = np.sort(first)
        numbers = np.empty(keys.size, np.int32)
        ranks = np.searchsorted(new, first) + self.count
        numbers[order] = np.repeat(ranks, np.diff(np.append(groups, keys.size)))
        self._insert(keys[new])
        return numbers, new

    def _insert(self, keys: Keys) -> None:
        """Distinct keys that are not known, in the order of their numbers."""
        numbers = np.arange(self.count, self.count + keys.size, dtype=np.int32)
        self.count += keys.size
        if self.count > self._known.size:
            size = 2 ** self.count.bit_length()
            self._known = np.concatenate([self._known[: numbers[0]], np.empty(size - numbers[0], np.uint64)])
            self._slots = np.full(4 * size, -1, np.int32)
            numbers = np.arange(self.count, dtype=np.int32)
        self._known[self.count - keys.size : self.count] = keys
        slots = self._home(self._known[numbers])
        while numbers.size:
            free = self._slots[slots] < 0
            self._slots[slots[free]] = numbers[free]
            left = self._slots[slots] != numbers
            numbers, slots = numbers[left], (slots[left] + 1) & (self._slots.size - 1)


def _changes(keys: Keys) -> IntArray:
    """The positions of keys that are not like the one before."""
    changes = np.ones(keys.size, np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=changes[1:])
    return np.flatnonzero(changes)
