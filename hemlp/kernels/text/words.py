"""Splitting of a text into words, and of its lines into tags and values (SWAR; Lamport, 1975). O(bytes)."""

from __future__ import annotations

import sys
from typing import NamedTuple

import cython
import numpy as np

from hemlp.kernels import Array
from hemlp.kernels.bitsets import longer

ONES = 0x0101010101010101
TOPS = 0x8080808080808080
PLACES = 0x0001020304050607


class SplitWords(NamedTuple):
    """Row i of a text has the words ``codes[ptr[i]:ptr[i + 1]]`` of ``letters``: distinct ones in the order in which
    they first appear, a line end after each."""

    letters: bytes
    codes: Array
    ptr: Array


def split_words(text: bytes, start: int) -> SplitWords:
    """The words of the lines of a text from ``start`` on: what stands between white space."""
    if not cython.compiled or sys.byteorder != "little":
        return split_words_plainly(text, start)
    words = Words(text)
    words.split(start)
    return SplitWords(
        words.lexicon.content, np.asarray(words.codes)[: words.size], np.asarray(words.ptr)[: words.rows + 1]
    )


def split_words_plainly(text: bytes, start: int) -> SplitWords:
    """The same by plain Python: faster than these loops as long as they are not compiled."""
    known: dict[bytes, int] = {}
    rows = [line.split() for line in plain_lines(text, start)]
    codes = [known.setdefault(word, len(known)) for row in rows for word in row]
    ptr = np.cumsum([0, *map(len, rows)])
    return SplitWords(b"".join(word + b"\n" for word in known), np.array(codes, np.int32), ptr.astype(np.int64))


def split_tags(text: bytes) -> tuple[bytes, Array, Array, Array]:
    """The lines ``tag: value`` of a text: letters and codes of the tags as of ``SplitWords``; where each value begins,
    or 0 without a colon; and where each line ends."""
    if not cython.compiled or sys.byteorder != "little":
        lines = [line.partition(b":") for line in plain_lines(text, 0)]
        known: dict[bytes, int] = {}
        codes = np.array([known.setdefault(tag, len(known)) for tag, _, _ in lines], np.int32)
        sizes = np.array([sum(map(len, parts)) for parts in lines], np.int64)
        ends = np.cumsum(sizes + 1) - 1
        starts = [len(tag) + 1 if colon else -1 for tag, colon, _ in lines]
        letters = b"".join(tag + b"\n" for tag in known)
        return letters, codes, np.where(np.array(starts) < 0, 0, ends - sizes + starts), ends
    tags = Tags(text)
    tags.split()
    bounds = np.asarray(tags.starts)[: tags.size], np.asarray(tags.stops)[: tags.size]
    return tags.lexicon.content, np.asarray(tags.codes)[: tags.size], *bounds


def first_words(text: bytes, begins: Array, ends: Array) -> tuple[bytes, Array]:
    """Letters and codes, as of ``SplitWords``, of the first word of each ``text[begins[k]:ends[k]]``; -1 of none."""
    codes = np.full(len(begins), -1, np.int32)
    if not cython.compiled or sys.byteorder != "little":
        words = [text[begin:end].split(None, 1)[:1] for begin, end in zip(begins, ends, strict=True)]
        known = {word: k for k, word in enumerate(dict.fromkeys(word for each in words for word in each))}
        codes[:] = [known[each[0]] if each else -1 for each in words]
        return b"".join(word + b"\n" for word in known), codes
    lexicon = Lexicon(text)
    bounds = np.stack([begins, ends])
    _trim(text, bounds[0], bounds[1])
    some = bounds[1] > bounds[0]
    begins, ends = np.ascontiguousarray(bounds[0][some]), np.ascontiguousarray(bounds[1][some])
    made = np.empty(len(begins), np.int32)
    _look_up(lexicon, begins, ends, made)
    codes[some] = made
    return lexicon.content, codes


def trimmed(text: bytes, begins: Array, ends: Array) -> bytes:
    """Each ``text[begins[k]:ends[k]]`` without white space around it, a line end after each."""
    if not cython.compiled:
        return b"".join(text[begin:end].strip() + b"\n" for begin, end in zip(begins, ends, strict=True))
    made = np.empty(int((ends - begins).sum()) + len(begins), np.uint8)
    return made[: _copy(text, np.ascontiguousarray(begins), np.ascontiguousarray(ends), made)].tobytes()


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


def plain_lines(text: bytes, start: int) -> list[bytes]:
    """The lines of a text from ``start`` on."""
    return text[start:].removesuffix(b"\n").split(b"\n") if start < len(text) else []


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
