"""Numbers for the distinct cells of a text, in the order of their first appearance: a hash table, open addressing.

Eight bytes are an integer of 64 bits. A cell of at most eight is that integer; a longer one is looked up by a
multiplicative (Fibonacci) hash of all its integers, and its bytes are then compared. O(bytes) expected. Invariant: the
table is at most half full.

Plain decimals such as 0.125 are numbers already, exactly as Python reads them: a whole number below 10¹⁵ and a power of
ten up to 10²² are doubles, and what the division of the one by the other gives is rounded once, so it is the double
that is nearest to the decimal (Clinger's fast path, 1990).
"""

from __future__ import annotations

import sys
from typing import Any

import cython
import numpy as np

from hemlp.kernels import Array
from hemlp.kernels.bitsets import longer
from hemlp.text import plain_splitting

FACTOR = 0x9E3779B97F4A7C15
"""2⁶⁴ over the golden ratio: it spreads what is close together."""
NUMBER = 0xFFFFFFFF
"""Where the second half of a slot has a number; the size of the cell is above it."""
MOST_WHOLE = 10**15
MOST_POWER = 1e22
CHUNK = 2**16
"""Texts that are looked up before signals are."""


def code_texts(text: bytes, offsets: Array) -> tuple[bytes, Array]:
    """The distinct texts ``text[offsets[k]:offsets[k + 1]]``, a line end after each, and which one each is."""
    known, codes = learn_texts(text, offsets)
    return b"".join([cell + b"\n" for cell in known]) if isinstance(known, dict) else known.content, codes


def learn_texts(text: bytes, offsets: Array, known: Any = None) -> tuple[Any, Array]:
    """The numbers of the distinct texts ``text[offsets[k]:offsets[k + 1]]``, and the number of each of these.

    ``known``: the numbers of other texts, which are those of these, too, and -1 of all that are not among them.
    """
    if not cython.compiled or sys.byteorder != "little":
        return plain_splitting.learn_texts(text, offsets, known)
    column = Column(text, False)
    column.lexicon = column.lexicon if known is None else known.of(text)
    size: int = len(offsets) - 1
    for start in range(0, size, CHUNK):
        look_for_signals()
        stop: int = min(start + CHUNK, size)
        column.extend(offsets[start:stop], offsets[start + 1 : stop + 1], stop - start, size)
    return column.lexicon, np.asarray(column.codes)[: column.size]


def _mixed(code, more):
    """A hash of what ``code`` is the hash of, and eight bytes more."""
    code = (code ^ more) * FACTOR
    return code ^ (code >> 32)


def _hash(key):
    """Of the key of a cell; its first bits say where the cell stands."""
    return _mixed(key, key >> 32) * FACTOR


class Lexicon:
    """Distinct cells of a text: cell k is ``letters[starts[k]:starts[k + 1] - 1]``, and a line end follows.

    A slot of the hash table has the cell, or its hash, in one half, and its size (of more than 8: 9) and number in the
    other, where a free slot has 0.
    """

    def __init__(self, text):
        self.text = text
        self.length = len(text)
        self.size = 0
        self.frozen = False
        self.keys, self.hashes = np.zeros((2, TOGETHER), np.uint64)
        self.bits = 6
        self.slots = np.zeros(2 << self.bits, np.uint64)
        self.letters = np.zeros(1024, np.uint8)
        self.starts = np.zeros(64, np.int64)

    def of(self, text):
        """The same cells, for a text in which all others have the number -1; threads may share them."""
        other: Lexicon = Lexicon(text)
        other.frozen, other.size, other.bits = True, self.size, self.bits
        other.slots, other.letters, other.starts = self.slots, self.letters, self.starts
        return other

    @property
    def content(self):
        """All cells, a line end after each."""
        return np.asarray(self.letters)[: self.starts[self.size]].tobytes()

    def look_up(self, begins, ends, count, codes, at):
        """Put the numbers of the cells ``text[begins[k]:ends[k]]``, k < ``count``, into ``codes[at + k]``.

        Some at a time, so that their slots come from the memory together; a cell that equals the one before it has its
        number.
        """
        first: cython.longlong = 0
        k: cython.longlong
        while first < count:
            stop: cython.longlong = min(first + TOGETHER, count)
            for k in range(first, stop):
                if k > 0 and not self.frozen and self._equal(begins[k], ends[k], begins[k - 1], ends[k - 1]):
                    codes[at + k] = -1
                else:
                    codes[at + k] = 0
                    self.keys[k - first] = self._key(begins[k], ends[k])
                    self.hashes[k - first] = _hash(self.keys[k - first])
                    prefetch(cython.address(self.slots[2 * self._home(self.hashes[k - first])]))
            for k in range(first, stop):
                if codes[at + k] < 0:
                    codes[at + k] = codes[at + k - 1]
                else:
                    codes[at + k] = self._number(self.keys[k - first], self.hashes[k - first], begins[k], ends[k])
            first = stop
        return 0

    def _equal(self, begin, end, other, other_end):
        """Whether two cells of the text are equal."""
        size: cython.longlong = end - begin
        if size != other_end - other or size == 0:
            return size == other_end - other
        if size <= 8:
            differ: cython.ulonglong = eight(self.text, begin, self.length) ^ eight(self.text, other, self.length)
            return differ << (64 - 8 * size) == 0
        if eight(self.text, end - 8, self.length) != eight(self.text, other_end - 8, self.length):
            return False
        if size <= 16:
            return eight(self.text, begin, self.length) == eight(self.text, other, self.length)
        return memcmp(self.text + begin, self.text + other, size) == 0

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

    def _home(self, code):
        """Where a cell stands unless another one does, by its hash."""
        return cython.cast(cython.longlong, code >> (64 - self.bits))

    def _number(self, key, code, begin, end):
        """The number of the cell ``text[begin:end]``."""
        size: cython.longlong = end - begin
        kind: cython.longlong = 1 + (size if size < 9 else 9)
        last: cython.longlong = (1 << self.bits) - 1
        slot = self._home(code)
        while True:
            held: cython.longlong = self.slots[2 * slot + 1]
            if held == 0:
                break
            if self.slots[2 * slot] == key and held >> 32 == kind:
                known: cython.longlong = held & NUMBER
                if size <= 8 or self._same(begin, end, known):
                    return known
            slot = (slot + 1) & last
        if self.frozen:
            return -1
        self.slots[2 * slot] = key
        self.slots[2 * slot + 1] = kind << 32 | self.size
        self._learn(begin, end)
        return self.size - 1

    def _same(self, begin, end, known):
        """Whether a cell of more than eight bytes is the known one."""
        start: cython.longlong = self.starts[known]
        if self.starts[known + 1] - start - 1 != end - begin:
            return False
        return memcmp(cython.address(self.letters[start]), self.text + begin, end - begin) == 0

    def _learn(self, begin, end):
        """Keep a new cell."""
        start: cython.longlong = self.starts[self.size]
        stop: cython.longlong = start + end - begin + 1
        if stop > self.letters.shape[0]:
            with cython.gil:
                self.letters = longer(self.letters, stop)
        if self.size + 2 > self.starts.shape[0]:
            with cython.gil:
                self.starts = longer(self.starts, 0)
        memcpy(cython.address(self.letters[start]), self.text + begin, end - begin)
        self.letters[stop - 1] = LINE_END
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
                slot = self._home(_hash(slots[2 * k]))
                while self.slots[2 * slot + 1] != 0:
                    slot = (slot + 1) & last
                self.slots[2 * slot] = slots[2 * k]
                self.slots[2 * slot + 1] = slots[2 * k + 1]
        return 0


class Column:
    """A column of texts, whose numbers in the ``lexicon`` are ``codes``; or of numbers, as of ``SplitCells``."""

    def __init__(self, text, numbers):
        self.text = text
        self.lexicon = Lexicon(text)
        self.numbers = numbers
        self.size = self.odd_size = 0
        self.codes, self.values, self.odd = np.empty(0, np.int32), np.empty(0), np.empty(0, np.int64)
        self.odd_begins, self.odd_ends = np.zeros((2, BLOCK if numbers else 0), np.int64)

    def extend(self, begins, ends, count, room):
        """Add the cells ``text[begins[k]:ends[k]]``, k < ``count``; ``room``: about how many there will be."""
        k: cython.longlong
        if not self.numbers:
            if self.size + count > self.codes.shape[0]:
                self.codes = longer(self.codes, max(room, self.size + count))
            with cython.nogil:
                self.lexicon.look_up(begins, ends, count, self.codes, self.size)
        else:
            if self.size + count > self.values.shape[0]:
                self.values = longer(self.values, max(room, self.size + count))
            if self.odd_size + count > self.codes.shape[0]:
                self.codes = longer(self.codes, self.odd_size + count)
                self.odd = longer(self.odd, self.odd_size + count)
            odd: cython.longlong = 0
            with cython.nogil:
                for k in range(count):
                    if not decimal(self.text, begins[k], ends[k], cython.address(self.values[self.size + k])):
                        self.values[self.size + k] = NAN
                        self.odd[self.odd_size + odd] = self.size + k
                        self.odd_begins[odd] = begins[k]
                        self.odd_ends[odd] = ends[k]
                        odd += 1
                self.lexicon.look_up(self.odd_begins, self.odd_ends, odd, self.codes, self.odd_size)
            self.odd_size += odd
        self.size += count


def decimal(text, begin, end, value):
    """Whether ``text[begin:end]`` is a plain decimal: digits with a sign or none, and a point or none.

    ``value``: where the number is put. Those that have too many digits are not plain.
    """
    whole: cython.longlong = 0
    power: cython.double = 1.0
    some: cython.bint = False
    point: cython.bint = False
    negative: cython.bint = begin < end and text[begin] == MINUS
    at: cython.longlong = begin
    if at < end and (text[at] == PLUS or text[at] == MINUS):
        at += 1
    while at < end:
        if text[at] == POINT and not point:
            point = True
        elif text[at] >= ZERO and text[at] <= NINE:
            whole = 10 * whole + (text[at] - ZERO)
            some = True
            if point:
                power *= 10
        else:
            return False
        if whole >= MOST_WHOLE or power > MOST_POWER:
            return False
        at += 1
    value[0] = whole / power
    if negative:
        value[0] = -value[0]
    return some
