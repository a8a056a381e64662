"""Splitting of a text into words, of its lines into tags and values, and into rows of as many cells each. O(bytes).

Eight bytes at a time (SWAR; Lamport, 1975), or 64 (bits mark what ends a cell). The bounds of some words, or of the
cells of some rows, are found first; those of a column are then looked up together (``Lexicon``).
"""

from __future__ import annotations

import sys

import cython
import numpy as np

from hemlp.kernels import Array
from hemlp.kernels.bitsets import longer
from hemlp.text import plain_splitting
from hemlp.text.plain_splitting import SplitCells, SplitWords

ONES = 0x0101010101010101
TOPS = 0x8080808080808080
PLACES = 0x0001020304050607


def split_words(text: bytes, start: int) -> SplitWords:
    """The words of the lines of a text from ``start`` on: what stands between white space."""
    if not cython.compiled or sys.byteorder != "little":
        return plain_splitting.split_words(text, start)
    words = Words(text)
    words.split(start)
    return SplitWords(
        words.lexicon.content, np.asarray(words.codes)[: words.size], np.asarray(words.ptr)[: words.rows + 1]
    )


def split_tags(text: bytes) -> tuple[bytes, Array, Array, Array]:
    """The lines ``tag: value`` of a text: letters and codes of the tags as of ``SplitWords``; where each value begins,
    or 0 without a colon; and where each line ends."""
    if not cython.compiled or sys.byteorder != "little":
        return plain_splitting.split_tags(text)
    tags = Tags(text)
    tags.split()
    bounds = np.asarray(tags.starts)[: tags.size], np.asarray(tags.stops)[: tags.size]
    return tags.lexicon.content, np.asarray(tags.codes)[: tags.size], *bounds


def first_words(text: bytes, begins: Array, ends: Array) -> tuple[bytes, Array]:
    """Letters and codes, as of ``SplitWords``, of the first word of each ``text[begins[k]:ends[k]]``; -1 of none."""
    if not cython.compiled or sys.byteorder != "little":
        return plain_splitting.first_words(text, begins, ends)
    lexicon = Lexicon(text)
    bounds = np.stack([begins, ends])
    _trim(text, bounds[0], bounds[1])
    some = bounds[1] > bounds[0]
    codes = np.full(len(begins), -1, np.int32)
    begins, ends = np.ascontiguousarray(bounds[0][some]), np.ascontiguousarray(bounds[1][some])
    made = np.empty(len(begins), np.int32)
    _look_up(lexicon, begins, ends, made)
    codes[some] = made
    return lexicon.content, codes


def trimmed(text: bytes, begins: Array, ends: Array) -> bytes:
    """Each ``text[begins[k]:ends[k]]`` without white space around it, a line end after each."""
    if not cython.compiled:
        return plain_splitting.trimmed(text, begins, ends)
    made = np.empty(int((ends - begins).sum()) + len(begins), np.uint8)
    return made[: _copy(text, np.ascontiguousarray(begins), np.ascontiguousarray(ends), made)].tobytes()


def split_cells(text: bytes, start: int, sep: str | None, kinds: str) -> SplitCells:
    """The cells of the lines of a text from ``start`` on, each of which has one for every letter of ``kinds``.

    Cells are words between white space, or what stands between separators (``sep``: one byte, and no blank); a return
    at the end of a line is no part of it, and a line of blanks has no cells. Kinds: "t" for texts, "-" for cells that
    are not looked at, and once "n" for numbers.
    """
    if not cython.compiled or sys.byteorder != "little":
        return plain_splitting.split_cells(text, start, sep, kinds)
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


# ---- pieces of a text


def _copy(text, begins, ends, made):
    """Write the pieces of the text; how long they are together."""
    size: cython.longlong = 0
    k: cython.longlong
    for k in range(begins.shape[0]):
        at: cython.longlong = begins[k]
        end: cython.longlong = ends[k]
        while at < end and is_white(text[at]):
            at += 1
        while at < end and is_white(text[end - 1]):
            end -= 1
        memcpy(cython.address(made[size]), text + at, end - at)
        size += end - at + 1
        made[size - 1] = LINE_END
    return size


def _trim(text, begins, ends):
    """Let each piece of the text be its first word, or nothing."""
    k: cython.longlong
    for k in range(begins.shape[0]):
        at: cython.longlong = begins[k]
        while at < ends[k] and is_white(text[at]):
            at += 1
        begins[k] = at
        while at < ends[k] and not is_white(text[at]):
            at += 1
        ends[k] = at


def _look_up(lexicon, begins, ends, codes):
    with cython.nogil:
        lexicon.look_up(begins, ends, begins.shape[0], codes, 0)


# ---- eight bytes at a time: the top bits of some are marks


def _first(marks):
    """Which byte is the first one that has a mark."""
    lowest: cython.ulonglong = (marks & (0 - marks)) >> 7
    return cython.cast(cython.longlong, (lowest * PLACES) >> 56)


def is_white(letter):
    """Whether ``bytes.split()`` splits there."""
    return letter == SPACE or (letter >= 9 and letter <= 13)


def end_of_word(text, at, size):
    """Where white space follows."""
    while True:
        letters = eight(text, at, size)
        marks: cython.ulonglong = (letters - 33 * ONES) & ~letters & TOPS  # the first one is at a letter below 33
        if marks == 0:
            at += 8
            continue
        at += _first(marks)
        if at == size or is_white(text[at]):
            return at
        at += 1


# ---- rows of any number of words


class Words:
    """The words of a text: ``codes[ptr[i]:ptr[i + 1]]`` are those of row i, by their numbers in the ``lexicon``."""

    def __init__(self, text):
        self.text = text
        self.length = len(text)
        self.lexicon = Lexicon(text)
        self.size = self.rows = 0
        self.begins, self.ends = np.zeros((2, BLOCK), np.int64)
        self.codes = np.zeros(len(text) // 7 + BLOCK, np.int32)  # about as many as there are; unused memory is none
        self.ptr = np.zeros(len(text) // 16 + 16, np.int64)

    def split(self, start):
        """Split the text from ``start`` on."""
        with cython.nogil:
            self._split(start)

    def _split(self, at):
        begin: cython.longlong = at
        waiting: cython.longlong = 0
        steps: cython.longlong = 0
        while at < self.length:
            steps += 1
            if steps % BLOCK == 0:
                look_for_signals()
            if not is_white(self.text[at]):
                self.begins[waiting] = at
                at = end_of_word(self.text, at, self.length)
                self.ends[waiting] = at
                waiting += 1
                self.size += 1
                if waiting == BLOCK:
                    self._look_up(waiting)
                    waiting = 0
            else:
                if self.text[at] == LINE_END:
                    self._end_row()
                at += 1
        self._look_up(waiting)
        if at > begin and self.text[at - 1] != LINE_END:
            self._end_row()
        return 0

    def _look_up(self, count):
        """The last ``count`` words."""
        if self.size > self.codes.shape[0]:
            with cython.gil:
                self.codes = longer(self.codes, self.size)
        self.lexicon.look_up(self.begins, self.ends, count, self.codes, self.size - count)
        return 0

    def _end_row(self):
        """One row more."""
        self.rows += 1
        if self.rows == self.ptr.shape[0]:
            with cython.gil:
                self.ptr = longer(self.ptr, 0)
        self.ptr[self.rows] = self.size
        return 0


class Tags:
    """The tags of a text, one a line: ``codes`` are their numbers in the ``lexicon``; the rest as of ``split_tags``."""

    def __init__(self, text):
        self.text = text
        self.length = len(text)
        self.lexicon = Lexicon(text)
        self.size = self.at = 0
        self.begins, self.ends = np.zeros((2, BLOCK), np.int64)
        self.codes, self.starts, self.stops = np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int64)

    def split(self):
        """Split the text."""
        while self.at < self.length:
            look_for_signals()
            if self.size + BLOCK > self.codes.shape[0]:
                self.codes = longer(self.codes, self.size + BLOCK)
                self.starts, self.stops = longer(self.starts, self.size + BLOCK), longer(self.stops, self.size + BLOCK)
            with cython.nogil:
                self._split_block()

    def _split_block(self):
        """Split BLOCK lines, or as many as there are."""
        begin: cython.longlong = self.at
        lines: cython.longlong = 0
        colon: cython.longlong = -1
        base: cython.longlong = begin
        while lines < BLOCK and begin < self.length:
            marks: cython.ulonglong = marks_within(self.text, base, self.length, COLON)
            while marks != 0 and lines < BLOCK:
                end: cython.longlong = base + first_mark(marks)
                marks &= marks - 1
                if end < self.length and self.text[end] == COLON:
                    colon = end if colon < 0 else colon
                    continue
                self.begins[lines] = begin
                self.ends[lines] = end if colon < 0 else colon
                self.starts[self.size + lines] = colon + 1
                self.stops[self.size + lines] = end
                lines += 1
                colon = -1
                begin = end + 1
                if begin >= self.length:
                    break
            base += 64
        self.lexicon.look_up(self.begins, self.ends, lines, self.codes, self.size)
        self.size += lines
        self.at = begin
        return 0


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
