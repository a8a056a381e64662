"""Numbers for the distinct cells of a text, in the order of their first appearance: a hash table, open addressing.

Eight bytes are an integer of 64 bits. A cell of at most eight is that integer; a longer one is looked up by a
multiplicative (Fibonacci) hash of all its integers, and its bytes are then compared. O(bytes) expected. Invariant: the
table is at most half full.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    LINE_END, TOGETHER = 10, 32
    eight = prefetch = memcmp = memcpy = id  # what uses them is never run uncompiled

from hemlp.kernels.bitsets import longer

FACTOR = 0x9E3779B97F4A7C15
"""2⁶⁴ over the golden ratio: it spreads what is close together."""
NUMBER = 0xFFFFFFFF
"""Where the second half of a slot has a number; its kind is above it."""


def _mixed(code, more):
    """A hash of what ``code`` is the hash of, and eight bytes more."""
    code = (code ^ more) * FACTOR
    return code ^ (code >> 32)


class Lexicon:
    """Distinct cells of a text: cell k is ``letters[starts[k]:starts[k + 1] - 1]``, and a line end follows.

    A hash table with open addressing finds them. A slot has the cell, or its hash, in the one half, and its kind (the
    column, and whether it has 0 to 8 bytes, or more) and number in the other, where a free slot has 0. Cells wait until
    there are some to be looked up together, so that their slots come from the memory at the same time: cell k of them
    is ``text[begins[k]:ends[k]]``, belongs to the column ``owners[k]``, and has its number put at ``places[k]``.
    """

    def __init__(self, text):
        self.text = text
        self.length = len(text)
        self.size = self.waiting = 0
        self.begins, self.ends, self.owners, self.places = np.zeros((4, TOGETHER), np.int64)
        self.keys = np.zeros(TOGETHER, np.uint64)
        self.bits = 6
        self.slots = np.zeros(2 << self.bits, np.uint64)
        self.letters = np.zeros(1024, np.uint8)
        self.starts = np.zeros(64, np.int64)
        self.columns = np.zeros(64, np.int32)

    def look_up(self, codes):
        """Put the numbers of the cells that are waiting into ``codes``."""
        k: cython.longlong
        for k in range(self.waiting):
            self.keys[k] = self._key(self.begins[k], self.ends[k])
            prefetch(cython.address(self.slots[2 * self._home(self.keys[k])]))
        for k in range(self.waiting):
            codes[self.places[k]] = self._number(self.keys[k], self.begins[k], self.ends[k], self.owners[k])
        self.waiting = 0
        return 0

    def _key(self, begin, end):
        """The cell ``text[begin:end]`` as an integer if it has at most eight bytes, else its hash."""
        size: cython.longlong = end - begin
        key: cython.ulonglong = 0
        at: cython.longlong
        if size > 8:
            for at in range(begin, end - 8, 8):
                key = _mixed(key, eight(self.text, at, self.length))
            return _mixed(key, eight(self.text, end - 8, self.length))
        if size > 0:
            key = eight(self.text, begin, self.length) << (64 - 8 * size)
        return key

    def _home(self, key):
        """Where a cell stands unless another one does."""
        return cython.cast(cython.longlong, (_mixed(key, key >> 32) * FACTOR) >> (64 - self.bits))

    def _number(self, key, begin, end, column):
        """The number of the cell ``text[begin:end]``."""
        size: cython.longlong = end - begin
        kind: cython.longlong = 16 * column + 1 + (size if size < 9 else 9)
        last: cython.longlong = (1 << self.bits) - 1
        slot = self._home(key)
        while True:
            held: cython.longlong = self.slots[2 * slot + 1]
            if held == 0:
                break
            if self.slots[2 * slot] == key and held >> 32 == kind:
                known: cython.longlong = held & NUMBER
                if size <= 8 or self._same(begin, end, known):
                    return known
            slot = (slot + 1) & last
        self.slots[2 * slot] = key
        self.slots[2 * slot + 1] = kind << 32 | self.size
        self._learn(begin, end, column)
        return self.size - 1

    def _same(self, begin, end, known):
        """Whether a cell of more than eight bytes is the known one."""
        start: cython.longlong = self.starts[known]
        if self.starts[known + 1] - start - 1 != end - begin:
            return False
        return memcmp(cython.address(self.letters[start]), self.text + begin, end - begin) == 0

    def _learn(self, begin, end, column):
        """Keep a new cell."""
        start: cython.longlong = self.starts[self.size]
        stop: cython.longlong = start + end - begin + 1
        if stop > self.letters.shape[0]:
            with cython.gil:
                self.letters = longer(self.letters, stop)
        if self.size + 2 > self.starts.shape[0]:
            with cython.gil:
                self.starts, self.columns = longer(self.starts, 0), longer(self.columns, 0)
        memcpy(cython.address(self.letters[start]), self.text + begin, end - begin)
        self.letters[stop - 1] = LINE_END
        self.columns[self.size] = column
        self.size += 1
        self.starts[self.size] = stop
        if 2 * self.size > 1 << self.bits:
            self._spread()
        return 0

    def _spread(self):
        """Twice as many slots."""
        with cython.gil:
            if self.bits == 31:
                raise OverflowError("more than 2³⁰ distinct words or cells")
            slots: cython.ulonglong[::1] = self.slots
            self.bits += 1
            self.slots = np.zeros(2 << self.bits, np.uint64)
        last: cython.longlong = (1 << self.bits) - 1
        k: cython.longlong
        for k in range(slots.shape[0] // 2):
            if slots[2 * k + 1] != 0:
                slot = self._home(slots[2 * k])
                while self.slots[2 * slot + 1] != 0:
                    slot = (slot + 1) & last
                self.slots[2 * slot] = slots[2 * k]
                self.slots[2 * slot + 1] = slots[2 * k + 1]
        return 0
