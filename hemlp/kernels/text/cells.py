"""Splitting of a text into words or cells, row by row, eight bytes at a time (SWAR; Lamport, 1975). O(bytes)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

import cython
import numpy as np

from hemlp.kernels import Array

if not cython.compiled:
    from math import nan as NAN

    from hemlp.kernels.signals import look_for_signals
    from hemlp.kernels.text.decimals import decimal
    from hemlp.kernels.text.lexicon import LINE_END, TOGETHER, Lexicon, eight

    SKIPPED, PLAIN, RETURN, SPACE, OFTEN = -1, -2, 13, 32, 16384

from hemlp.kernels.bitsets import longer

ONES = 0x0101010101010101
TOPS = 0x8080808080808080
PLACES = 0x0001020304050607


class Split(NamedTuple):
    """The cells of a text.

    ``letters``: distinct ones, one a line, in the order in which they first appear; ``owners``: the column of each;
    ``codes``: the number of each cell of the text among them, or less than 0; ``ptr``: pointers of the rows;
    ``values``: the numbers in the column of numbers, cell by cell, NaN where a cell is among the distinct ones.
    """

    letters: bytes
    owners: Array
    codes: Array
    ptr: Array
    values: Array


def split(text: bytes, start: int, sep: str | None, columns: Sequence[int | None], numbers: int | None = None) -> Split:
    """The cells of a text from ``start`` on.

    A row is a line. Its cells are words between white space, or what stands between separators (``sep``: one byte, and
    no blank); a return at its end is no part of it, and a row of blanks has no cells. The k-th cell of a row is in
    column ``columns[k]``, all further ones are in the last of them. Cells of two columns are different even where they
    look alike; those of the column None are not looked at. In the column ``numbers`` plain decimals are numbers.
    """
    if not cython.compiled or sys.byteorder != "little":
        return split_plainly(text, start, sep, columns, numbers)
    cells = Cells(text, [SKIPPED if column is None else column for column in columns], numbers)
    cells.split(start, sep)
    known = cells.lexicon
    return Split(
        np.asarray(known.letters)[: known.starts[known.size]].tobytes(),
        np.asarray(known.columns)[: known.size],
        np.asarray(cells.codes)[: cells.size],
        np.asarray(cells.ptr)[: cells.rows + 1],
        np.asarray(cells.values)[: cells.numbers],
    )


def split_plainly(
    text: bytes, start: int, sep: str | None, columns: Sequence[int | None], numbers: int | None = None
) -> Split:
    """The same by plain Python, which has no numbers: faster than these loops as long as they are not compiled."""
    lines = text[start:].removesuffix(b"\n").split(b"\n") if start < len(text) else []
    known: dict[tuple[int | None, bytes], int] = {}
    codes: list[int] = []
    ptr = [0]
    of_numbers = 0
    for line in lines:
        line = line.removesuffix(b"\r")
        cells = line.split() if sep is None else line.split(sep.encode()) if line.strip(b" \r") else []
        for k, cell in enumerate(cells):
            column = columns[min(k, len(columns) - 1)]
            codes.append(SKIPPED if column is None else known.setdefault((column, cell), len(known)))
            of_numbers += column is not None and column == numbers
        ptr.append(len(codes))
    letters = b"".join(cell + b"\n" for _, cell in known)
    owners = np.array([column for column, _ in known], np.int32)
    values = np.full(of_numbers, np.nan)
    return Split(letters, owners, np.array(codes, np.int32), np.array(ptr, np.int64), values)


# ---- eight bytes at a time: the top bits of some are marks


def _first(marks):
    """Which byte is the first one that has a mark."""
    lowest: cython.ulonglong = (marks & (0 - marks)) >> 7
    return cython.cast(cython.longlong, (lowest * PLACES) >> 56)


def _white(letter):
    """Whether ``bytes.split()`` splits there."""
    return letter == SPACE or (letter >= 9 and letter <= 13)


def _end_of_word(text, at, size):
    """Where white space follows."""
    while True:
        letters = eight(text, at, size)
        marks: cython.ulonglong = (letters - 33 * ONES) & ~letters & TOPS  # the first one is at a letter below 33
        if marks == 0:
            at += 8
            continue
        at += _first(marks)
        if at == size or _white(text[at]):
            return at
        at += 1


def _end_of_cell(text, at, size, sep):
    """Where a separator or the end of the line follows."""
    while True:
        letters = eight(text, at, size)
        seps: cython.ulonglong = letters ^ (sep * ONES)
        ends: cython.ulonglong = letters ^ (LINE_END * ONES)
        marks: cython.ulonglong = (((seps - ONES) & ~seps) | ((ends - ONES) & ~ends)) & TOPS  # at what is 0 there
        if marks != 0:
            return at + _first(marks)
        at += 8


# ---- rows


class Cells:
    """The cells of a text: ``codes[ptr[i]:ptr[i + 1]]`` are those of row i, by their numbers in the ``lexicon``.

    A code is SKIPPED where the cell is not looked at, and PLAIN where it is a number, one of the ``values``.
    """

    def __init__(self, text, columns, numbers):
        self.text = text
        self.length = len(text)
        self.lexicon = Lexicon(text)
        self.columns = np.array(columns, np.int32)
        self.of_numbers = SKIPPED if numbers is None else numbers
        self.size = self.rows = self.numbers = 0
        self.codes = np.zeros(len(text) // 7 + 16, np.int32)  # about as many as there are; unused memory is none
        self.ptr = np.zeros(len(text) // 16 + 16, np.int64)
        self.values = np.zeros(0 if numbers is None else len(text) // 16 + 16)

    def split(self, start, sep):
        """Split the text from ``start`` on."""
        words: cython.bint = sep is None
        letter: cython.uchar = 0 if words else ord(sep)
        with cython.nogil:
            if words:
                self._split_words(start)
            else:
                self._split_cells(start, letter)
            self.lexicon.look_up(self.codes)

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
                end = _end_of_cell(self.text, at, self.length, sep)
                last = end == self.length or self.text[end] == LINE_END
                returned: cython.bint = last and end > at and self.text[end - 1] == RETURN
                self._add(at, end - returned)
                at = end + 1
                steps += 1
                if steps % OFTEN == 0:
                    look_for_signals()
            self._end_row()
            at = end + 1
            if self.rows % OFTEN == 0:
                look_for_signals()
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
        if column == SKIPPED:
            self.codes[self.size - 1] = SKIPPED
        elif column == self.of_numbers and self._is_number(begin, end):
            self.codes[self.size - 1] = PLAIN
        else:
            k: cython.longlong = self.lexicon.waiting
            self.lexicon.begins[k] = begin
            self.lexicon.ends[k] = end
            self.lexicon.owners[k] = column
            self.lexicon.places[k] = self.size - 1
            self.lexicon.waiting = k + 1
            if k + 1 == TOGETHER:
                self.lexicon.look_up(self.codes)
        return 0

    def _is_number(self, begin, end):
        """Whether a cell in the column of numbers is a plain one; there is a value more in any case."""
        if self.numbers == self.values.shape[0]:
            with cython.gil:
                self.values = longer(self.values, 0)
        plain = decimal(self.text, begin, end, cython.address(self.values[self.numbers]))
        if not plain:
            self.values[self.numbers] = NAN
        self.numbers += 1
        return plain

    def _end_row(self):
        """One row more."""
        self.rows += 1
        if self.rows == self.ptr.shape[0]:
            with cython.gil:
                self.ptr = longer(self.ptr, 0)
        self.ptr[self.rows] = self.size
        return 0
