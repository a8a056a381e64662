"""Numbers of texts in a vocabulary that is known beforehand: a hash table, open addressing. O(bytes) expected.

Texts are hashed as the cells of a lexicon. Invariant: the table is at most half full, and does not change once it is
made, so that threads share it.
"""

from __future__ import annotations

from itertools import pairwise

import cython
import numpy as np

from hemlp.kernels import Array

FACTOR = 0x9E3779B97F4A7C15
"""2⁶⁴ over the golden ratio: it spreads what is close together."""
NUMBER = 0xFFFFFFFF
"""Where the second half of a slot has a number; the size of the text is above it."""


class Vocabulary:
    """The texts ``letters[ptr[k]:ptr[k + 1]]``, whose numbers are k; ``first``: the number of the first equal one.

    A slot of the hash table has the text, or its hash where it has more than eight bytes, in one half, and its size (at
    most 9) and number in the other, where a free slot has 0.
    """

    def __init__(self, letters: Array, ptr: Array) -> None:
        self.letters, self.ptr = letters, ptr
        bits: cython.int = 4
        while 1 << bits < 2 * len(ptr):
            bits += 1
        self.shift = 64 - bits
        self.slots = np.zeros(2 << bits if cython.compiled else 0, np.uint64)
        self.first = np.arange(len(ptr) - 1, dtype=np.int32)
        if cython.compiled:
            self._walk(letters, ptr, self.first, True)
        else:
            numbers: dict[bytes, int] = {}
            texts = enumerate(plain_texts(letters, ptr))
            self.first = np.array([numbers.setdefault(text, k) for k, text in texts], np.int32)

    def numbers(self, letters: Array, ptr: Array) -> Array:
        """The number of each text ``letters[ptr[k]:ptr[k + 1]]``, UNKNOWN of others."""
        if not cython.compiled:
            known = dict(zip(plain_texts(self.letters, self.ptr), self.first, strict=True))
            return np.array([known.get(text, UNKNOWN) for text in plain_texts(letters, ptr)], np.int32)
        codes = np.empty(len(ptr) - 1, np.int32)
        self._walk(letters, ptr, codes, False)
        return codes

    def _walk(self, letters, ptr, codes, learn):
        """Look up texts, some at a time so that their slots come from the memory together; or put them there."""
        keys: cython.ulonglong[::1] = np.empty(TOGETHER, np.uint64)
        homes: cython.longlong[::1] = np.empty(TOGETHER, np.int64)
        length: cython.longlong = letters.shape[0]
        first: cython.longlong = 0
        with cython.nogil:
            while first < codes.shape[0]:
                if first % 32768 == 0:
                    look_for_signals()
                stop: cython.longlong = min(first + TOGETHER, codes.shape[0])
                for k in range(first, stop):
                    key = 0
                    if ptr[k + 1] > ptr[k]:
                        key = _key(cython.address(letters[0]), ptr[k], ptr[k + 1], length)
                    keys[k - first] = key
                    homes[k - first] = cython.cast(cython.longlong, _mixed(key, key >> 32) * FACTOR >> self.shift)
                    prefetch(cython.address(self.slots[2 * homes[k - first]]))
                for k in range(first, stop):
                    codes[k] = self._find(
                        letters, ptr[k], ptr[k + 1], keys[k - first], homes[k - first], k if learn else -1
                    )
                first = stop
        return 0

    def _find(self, letters, begin, end, key, slot, number):
        """The number of a text; where it is new, it gets ``number`` unless this is negative."""
        size: cython.longlong = end - begin
        kind: cython.longlong = 1 + (size if size < 9 else 9)
        last: cython.longlong = self.slots.shape[0] // 2 - 1
        while True:
            held: cython.longlong = self.slots[2 * slot + 1]
            if held == 0:
                break
            if self.slots[2 * slot] == key and held >> 32 == kind:
                known: cython.longlong = held & NUMBER
                start: cython.longlong = self.ptr[known]
                if size <= 8:
                    return known
                if self.ptr[known + 1] - start == size:
                    if memcmp(cython.address(self.letters[start]), cython.address(letters[begin]), size) == 0:
                        return known
            slot = (slot + 1) & last
        if number >= 0:
            self.slots[2 * slot] = key
            self.slots[2 * slot + 1] = kind << 32 | number
        return number


def _mixed(code, more):
    """A hash of what ``code`` is the hash of, and eight bytes more."""
    code = (code ^ more) * FACTOR
    return code ^ (code >> 32)


def _key(text, begin, end, length):
    """The text as an integer if it has at most eight bytes, else its hash."""
    size: cython.longlong = end - begin
    key: cython.ulonglong = 0
    at: cython.longlong
    if size <= 8:
        return eight(text, begin, length) << (64 - 8 * size)
    for at in range(begin, end - 8, 8):
        key = _mixed(key, eight(text, at, length))
    return _mixed(key, eight(text, end - 8, length))


def plain_texts(letters: Array, ptr: Array) -> list[bytes]:
    """The texts themselves: for uncompiled code."""
    data = letters.tobytes()
    return [data[begin:end] for begin, end in pairwise(ptr.tolist())]
