"""Words or cells of a text as numbers, in the order in which they first appear.

Eight bytes are an integer of 64 bits. A cell of at most eight is that integer; a longer one is looked up by a hash of
all its integers, and its bytes are then compared with those of the cell that has the same hash.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from hemlp.kernels import uncompiled as cython  # type: ignore[no-redef]

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

if cython.compiled:
    from cython.cimports.hemlp.kernels.signals import look_for_signals
    from cython.cimports.libc.string import memcmp, memcpy
else:
    from hemlp.kernels.signals import look_for_signals

    SKIPPED, LINE_END, RETURN, SPACE, OFTEN, TOGETHER = -1, 10, 13, 32, 16384, 32
    Letters, prefetch = bytes, id  # of the classes below, which are used compiled alone

from hemlp.kernels.words import longer

Array = NDArray[Any]
FACTOR = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
"""2⁶⁴ over the golden ratio: it spreads what is close together."""
ONES = cython.declare(cython.ulonglong, 0x0101010101010101)
TOPS = cython.declare(cython.ulonglong, 0x8080808080808080)
PLACES = cython.declare(cython.ulonglong, 0x0001020304050607)
NUMBER = cython.declare(cython.longlong, 0xFFFFFFFF)
"""Where the second half of a slot has a number; its kind is above it."""


def split(text: bytes, start: int, sep: str | None, columns: Sequence[int | None]) -> tuple[bytes, Array, Array, Array]:
    """The rows of a text from ``start`` on: what its cells are, and which row has which.

    A row is a line. Its cells are words between white space, or what stands between separators (``sep``: one byte, and
    no blank); a return at its end is no part of it, and a row of blanks has no cells. The k-th cell of a row is in
    column ``columns[k]``, all further ones are in the last of them. Cells of two columns are different even where they
    look alike; those of the column None are not looked at.

    Returns
    -------
    tuple
        The distinct cells, one a line, in the order in which they first appear; the column of each; for each cell of
        the text its number among them, or -1 where it was not looked at; pointers of the rows.
    """
    if not cython.compiled or sys.byteorder != "little":
        return split_plainly(text, start, sep, columns)
    cells = Cells(text, [SKIPPED if column is None else column for column in columns])
    cells.split(start, sep)
    known = cells.lexicon
    letters = np.asarray(known.letters)[: known.starts[known.size]].tobytes()
    own = np.asarray(known.columns)[: known.size]
    return letters, own, np.asarray(cells.codes)[: cells.size], np.asarray(cells.ptr)[: cells.rows + 1]


def split_plainly(
    text: bytes, start: int, sep: str | None, columns: Sequence[int | None]
) -> tuple[bytes, Array, Array, Array]:  # fmt: skip
    """The same by plain Python, which is faster than the loops of this file as long as these are not compiled."""
    lines = text[start:].removesuffix(b"\n").split(b"\n") if start < len(text) else []
    known: dict[tuple[int | None, bytes], int] = {}
    codes: list[int] = []
    ptr = [0]
    for line in lines:
        line = line.removesuffix(b"\r")
        cells = line.split() if sep is None else line.split(sep.encode()) if line.strip(b" \r") else []
        for k, cell in enumerate(cells):
            column = columns[min(k, len(columns) - 1)]
            codes.append(SKIPPED if column is None else known.setdefault((column, cell), len(known)))
        ptr.append(len(codes))
    letters = b"".join(cell + b"\n" for _, cell in known)
    own = np.array([column for column, _ in known], np.int32)
    return letters, own, np.array(codes, np.int32), np.array(ptr, np.int64)


# ---- eight bytes at a time


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _eight(text: Letters, at: cython.longlong, size: cython.longlong) -> cython.ulonglong:
    """The eight bytes from ``at`` on; beyond the end of the text there are line ends."""
    eight: cython.ulonglong = LINE_END * ONES
    if at + 8 <= size:
        memcpy(cython.address(eight), text + at, 8)
    else:
        memcpy(cython.address(eight), text + at, size - at)
    return eight


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _first(marks: cython.ulonglong) -> cython.longlong:
    """Which byte is the first with its top bit set; no other bit is."""
    lowest: cython.ulonglong = (marks & (0 - marks)) >> 7
    return cython.cast(cython.longlong, (lowest * PLACES) >> 56)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _mixed(code: cython.ulonglong, eight: cython.ulonglong) -> cython.ulonglong:
    """A hash of what ``code`` is the hash of, and eight bytes more."""
    code = (code ^ eight) * FACTOR
    return code ^ (code >> 32)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _white(letter: cython.uchar) -> cython.bint:
    """Whether ``bytes.split()`` splits there."""
    return letter == SPACE or (letter >= 9 and letter <= 13)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _end_of_word(text: Letters, at: cython.longlong, size: cython.longlong) -> cython.longlong:
    """Where white space follows."""
    while True:
        eight = _eight(text, at, size)
        marks: cython.ulonglong = (eight - 33 * ONES) & ~eight & TOPS  # the first one set is a letter below 33
        if marks == 0:
            at += 8
            continue
        at += _first(marks)
        if at == size or _white(text[at]):
            return at
        at += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _end_of_cell(text: Letters, at: cython.longlong, size: cython.longlong, sep: cython.uchar) -> cython.longlong:
    """Where a separator or the end of the line follows."""
    while True:
        eight = _eight(text, at, size)
        seps: cython.ulonglong = eight ^ (sep * ONES)
        ends: cython.ulonglong = eight ^ (LINE_END * ONES)
        marks: cython.ulonglong = (((seps - ONES) & ~seps) | ((ends - ONES) & ~ends)) & TOPS
        if marks != 0:
            return at + _first(marks)
        at += 8


# ---- distinct cells


class Lexicon:
    """Distinct cells of a text, numbered in the order in which they were first asked for.

    Cell k is ``letters[starts[k]:starts[k + 1] - 1]``, a line end follows. A hash table with open addressing finds it:
    each slot has the cell, or its hash, in the one half, and its kind (its column and whether it has 0 to 8 bytes or
    more) and number in the other; there a free slot has 0.
    """

    def __init__(self, text):
        self.text = text
        self.length = len(text)
        self.size = 0
        self.bits = 6
        self.slots = np.zeros(2 << self.bits, np.uint64)
        self.letters = np.zeros(1024, np.uint8)
        self.starts = np.zeros(64, np.int64)
        self.columns = np.zeros(64, np.int32)

    def key(self, begin, end):
        """The cell ``text[begin:end]`` as an integer, if it has at most eight bytes, or its hash."""
        size: cython.longlong = end - begin
        key: cython.ulonglong = 0
        at: cython.longlong
        if size == 0:
            pass
        elif size <= 8:
            key = _eight(self.text, begin, self.length) << (64 - 8 * size)
        else:
            for at in range(begin, end - 8, 8):
                key = _mixed(key, _eight(self.text, at, self.length))
            key = _mixed(key, _eight(self.text, end - 8, self.length))
        return key

    def home(self, key):
        """Where a cell stands unless another one does."""
        return cython.cast(cython.longlong, (_mixed(key, key >> 32) * FACTOR) >> (64 - self.bits))

    def code(self, key, begin, end, column):
        """The number of the cell ``text[begin:end]``."""
        size: cython.longlong = end - begin
        kind: cython.longlong = 16 * column + 1 + (size if size < 9 else 9)
        last: cython.longlong = (1 << self.bits) - 1
        slot = self.home(key)
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
                slot = self.home(slots[2 * k])
                while self.slots[2 * slot + 1] != 0:
                    slot = (slot + 1) & last
                self.slots[2 * slot] = slots[2 * k]
                self.slots[2 * slot + 1] = slots[2 * k + 1]
        return 0


# ---- rows


class Cells:
    """The cells of a text row by row: ``codes[ptr[i]:ptr[i + 1]]`` are those of row i."""

    def __init__(self, text, columns):
        self.text = text
        self.length = len(text)
        self.lexicon = Lexicon(text)
        self.columns = np.array(columns, np.int32)
        self.size = self.rows = self.waiting = 0
        self.begins, self.ends, self.owners = np.zeros((3, TOGETHER), np.int64)
        self.keys = np.zeros(TOGETHER, np.uint64)
        self.codes = np.zeros(len(text) // 7 + 16, np.int32)
        self.ptr = np.zeros(len(text) // 16 + 16, np.int64)

    def split(self, start, sep):
        """Split the text from ``start`` on."""
        letter: cython.uchar = 0 if sep is None else ord(sep)
        words: cython.bint = sep is None
        at: cython.longlong = start
        with cython.nogil:
            if words:
                self._split_words(at)
            else:
                self._split_cells(at, letter)
            self._look_up()

    def _split_words(self, at):
        """Words are between white space."""
        begin: cython.longlong = at
        steps: cython.longlong = 0
        while at < self.length:
            steps += 1
            if steps % OFTEN == 0:
                look_for_signals()
            if not _white(self.text[at]):
                end = _end_of_word(self.text, at, self.length)
                self._add(at, end)
                at = end
            else:
                if self.text[at] == LINE_END:
                    self._end_row()
                at += 1
        if at > begin and self.text[at - 1] != LINE_END:
            self._end_row()
        return 0

    def _split_cells(self, at, sep):
        """Cells are between separators; a line of blanks has none."""
        steps: cython.longlong = 0
        while at < self.length:
            end = at
            while end < self.length and (self.text[end] == SPACE or self.text[end] == RETURN):
                end += 1
            last: cython.bint = end == self.length or self.text[end] == LINE_END
            while not last:
                steps += 1
                if steps % OFTEN == 0:
                    look_for_signals()
                end = _end_of_cell(self.text, at, self.length, sep)
                last = end == self.length or self.text[end] == LINE_END
                returned: cython.bint = last and end > at and self.text[end - 1] == RETURN
                self._add(at, end - returned)
                at = end + 1
            self._end_row()
            at = end + 1
        return 0

    def _add(self, begin, end):
        """One cell more."""
        place: cython.longlong = self.size - self.ptr[self.rows]
        last: cython.longlong = self.columns.shape[0] - 1
        column: cython.longlong = self.columns[place if place < last else last]
        if self.size == self.codes.shape[0]:
            with cython.gil:
                self.codes = longer(self.codes, 0)
        self.size += 1
        self.begins[self.waiting] = begin
        self.ends[self.waiting] = end
        self.owners[self.waiting] = column
        self.waiting += 1
        if self.waiting == TOGETHER:
            self._look_up()
        return 0

    def _look_up(self):
        """The cells that are waiting."""
        k: cython.longlong
        for k in range(self.waiting):
            self.keys[k] = self.lexicon.key(self.begins[k], self.ends[k])
            prefetch(cython.address(self.lexicon.slots[2 * self.lexicon.home(self.keys[k])]))
        first: cython.longlong = self.size - self.waiting
        for k in range(self.waiting):
            if self.owners[k] == SKIPPED:
                self.codes[first + k] = SKIPPED
            else:
                self.codes[first + k] = self.lexicon.code(self.keys[k], self.begins[k], self.ends[k], self.owners[k])
        self.waiting = 0
        return 0

    def _end_row(self):
        """One row more."""
        self.rows += 1
        if self.rows == self.ptr.shape[0]:
            with cython.gil:
                self.ptr = longer(self.ptr, 0)
        self.ptr[self.rows] = self.size
        return 0
