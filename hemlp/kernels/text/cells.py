"""Splitting of a text into rows of as many cells each, 64 bytes at a time (bits mark what ends a cell). O(bytes).

The bounds of some rows are found first; the cells of each column are then looked up together (``Lexicon``).
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any, NamedTuple

import cython
import numpy as np

from hemlp.kernels import Array
from hemlp.kernels.bitsets import longer
from hemlp.kernels.text.words import plain_lines


class SplitCells(NamedTuple):
    """The columns of the rows of a text that are not blank.

    Column k has ``letters[k]``, its distinct cells in the order in which they first appear, a line end after each, and
    ``codes[k]``, which one each row has; a column of numbers has codes of the rows ``odd`` alone, whose cells are no
    plain decimals and whose ``values`` are NaN. ``blanks``: the numbers of blank lines; ``wrong``: number and width of
    the first row of another width, or None. Both are counted from 0; nothing is read from a wrong row on.
    """

    letters: list[bytes]
    codes: list[Array]
    values: Array
    odd: Array
    blanks: list[int]
    wrong: tuple[int, int] | None


CHUNK = 2**16
"""Texts that are looked up before signals are."""


def split_cells(text: bytes, start: int, sep: str | None, kinds: str) -> SplitCells:
    """The cells of the lines of a text from ``start`` on, each of which has one for every letter of ``kinds``.

    Cells are words between white space, or what stands between separators (``sep``: one byte, and no blank); a return
    at the end of a line is no part of it, and a line of blanks has no cells. Kinds: "t" for texts, "-" for cells that
    are not looked at, and once "n" for numbers.
    """
    if not cython.compiled or sys.byteorder != "little":
        return split_cells_plainly(text, start, sep, kinds)
    blanks: list[int] = []
    rows = Rows(text, start, sep, len(kinds))
    columns = [None if kind == "-" else Column(text, kind == "n") for kind in kinds]
    room: int = 0
    while rows.width < 0 and rows.at < len(text):
        look_for_signals()
        rows.scan(blanks)
        room = room or (len(text) - start) * rows.rows // (rows.at - start) * 9 // 8
        for k in range(len(kinds)):
            if columns[k] is not None:
                columns[k].extend(rows.begins[k], rows.ends[k], rows.rows, room)
    numbers = columns[kinds.index("n")] if "n" in kinds else Column(text, True)
    return SplitCells(
        [b"" if each is None else each.lexicon.content for each in columns],
        [np.empty(0, np.int32) if c is None else np.asarray(c.codes)[: c.odd_size if c is numbers else c.size]
         for c in columns],
        np.asarray(numbers.values)[: numbers.size],
        np.asarray(numbers.odd)[: numbers.odd_size],
        blanks,
        (rows.line, rows.width) if rows.width >= 0 else None,
    )  # fmt: skip


def split_cells_plainly(text: bytes, start: int, sep: str | None, kinds: str) -> SplitCells:
    """The same by plain Python, for which all numbers are odd."""
    known: list[dict[bytes, int]] = [{} for _ in kinds]
    codes: list[list[int]] = [[] for _ in kinds]
    blanks, wrong = [], None
    for number, line in enumerate(plain_lines(text, start)):
        line = line.removesuffix(b"\r")
        cells = line.split() if sep is None else line.split(sep.encode()) if line.strip(b" \r") else []
        if not cells:
            blanks.append(number)
        elif len(cells) != len(kinds):
            wrong = number, len(cells)
            break
        else:
            for kind, cell, own, of in zip(kinds, cells, known, codes, strict=True):
                of += [own.setdefault(cell, len(own))] if kind != "-" else []
    odd = np.arange(len(codes[kinds.index("n")]) if "n" in kinds else 0)
    letters = [b"".join(cell + b"\n" for cell in own) for own in known]
    arrays = [np.array(each, np.int32) for each in codes]
    return SplitCells(letters, arrays, np.full(odd.size, np.nan), odd, blanks, wrong)


def code_texts(text: bytes, offsets: Array) -> tuple[bytes, Array]:
    """The distinct texts ``text[offsets[k]:offsets[k + 1]]``, as ``letters`` above, and which one each is."""
    known, codes = learn_texts(text, offsets)
    return b"".join(cell + b"\n" for cell in known) if isinstance(known, dict) else known.content, codes


def learn_texts(text: bytes, offsets: Array, known: Any = None) -> tuple[Any, Array]:
    """The numbers of the distinct texts ``text[offsets[k]:offsets[k + 1]]``, and the number of each of these.

    ``known``: the numbers of other texts, which are those of these, too, and -1 of all that are not among them.
    """
    if not cython.compiled or sys.byteorder != "little":
        ends, numbers = offsets.tolist(), {} if known is None else known
        texts = (text[begin:end] for begin, end in pairwise(ends))
        codes = [numbers.setdefault(each, len(numbers)) if known is None else numbers.get(each, -1) for each in texts]
        return numbers, np.array(codes, np.int32)
    column = Column(text, False)
    column.lexicon = column.lexicon if known is None else known.of(text)
    size: int = len(offsets) - 1
    for start in range(0, size, CHUNK):
        look_for_signals()
        stop: int = min(start + CHUNK, size)
        column.extend(offsets[start:stop], offsets[start + 1 : stop + 1], stop - start, size)
    return column.lexicon, np.asarray(column.codes)[: column.size]


# ---- rows of as many cells each


class Rows:
    """Rows of a text: cell k of row i of the ``rows`` that were scanned last is ``text[begins[k, i]:ends[k, i]]``.

    ``line``: the number of the next one; ``width``: that of the wrong one that ended the scanning, or -1.
    """

    def __init__(self, text, start, sep, width):
        self.text = text
        self.length = len(text)
        self.at, self.line, self.width = start, 0, -1
        self.words = sep is None
        self.sep = 0 if sep is None else ord(sep)
        self.begins, self.ends = np.zeros((2, width, BLOCK), np.int64)

    def scan(self, blanks):
        """Find the cells of the next rows that are not blank: BLOCK of them, or fewer at the end."""
        self.rows = 0
        while self.rows < BLOCK and self.at < self.length and self.width < 0:
            with cython.nogil:
                width = self._scan_words() if self.words else self._scan_cells()
            if width == 0:
                blanks.append(self.line)
                self.line += 1
            elif width != self.begins.shape[0]:
                self.width = width

    def _scan_cells(self):
        """Go on until there is a row of another width, or nothing; the width of the last row."""
        begin: cython.longlong = self.at
        base: cython.longlong = begin
        cells: cython.longlong = 0
        width: cython.longlong = self.begins.shape[0]
        while True:
            marks: cython.ulonglong = marks_within(self.text, base, self.length, self.sep)
            while marks != 0:
                end: cython.longlong = base + first_mark(marks)
                marks &= marks - 1
                last: cython.bint = end == self.length or self.text[end] == LINE_END
                if last and cells == 0 and self._is_blank(begin, end):
                    self.at = end + 1
                    return 0
                if cells < width:
                    self.begins[cells, self.rows] = begin
                    self.ends[cells, self.rows] = end - (last and end > begin and self.text[end - 1] == RETURN)
                cells += 1
                begin = end + 1
                if last:
                    self.at = begin
                    if cells != width:
                        return cells
                    self.line += 1
                    self.rows += 1
                    if self.rows == BLOCK or begin >= self.length:
                        return width
                    cells = 0
            base += 64

    def _is_blank(self, begin, end):
        while begin < end and (self.text[begin] == SPACE or self.text[begin] == RETURN):
            begin += 1
        return begin == end

    def _scan_words(self):
        """The same of words."""
        at: cython.longlong = self.at
        width: cython.longlong = self.begins.shape[0]
        while True:
            cells: cython.longlong = 0
            while at < self.length and self.text[at] != LINE_END:
                if is_white(self.text[at]):
                    at += 1
                    continue
                end = end_of_word(self.text, at, self.length)
                if cells < width:
                    self.begins[cells, self.rows] = at
                    self.ends[cells, self.rows] = end
                cells += 1
                at = end
            at += 1
            self.at = at
            if cells != width:
                return cells
            self.line += 1
            self.rows += 1
            if self.rows == BLOCK or at >= self.length:
                return width


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
