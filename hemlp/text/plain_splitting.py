"""Splitting of texts by plain Python: what ``hemlp.kernels.text.splitting`` gives where it is not compiled, or the
bytes of integers are stored the other way round."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class SplitWords(NamedTuple):
    """Row i of a text has the words ``codes[ptr[i]:ptr[i + 1]]`` of ``letters``: distinct ones in the order in which
    they first appear, a line end after each."""

    letters: bytes
    codes: Array
    ptr: Array


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


def plain_lines(text: bytes, start: int) -> list[bytes]:
    """The lines of a text from ``start`` on."""
    return text[start:].removesuffix(b"\n").split(b"\n") if start < len(text) else []


def split_words(text: bytes, start: int) -> SplitWords:
    """The words of the lines of a text from ``start`` on."""
    known: dict[bytes, int] = {}
    rows = [line.split() for line in plain_lines(text, start)]
    codes = [known.setdefault(word, len(known)) for row in rows for word in row]
    ptr = np.cumsum([0, *map(len, rows)])
    return SplitWords(b"".join(word + b"\n" for word in known), np.array(codes, np.int32), ptr.astype(np.int64))


def split_tags(text: bytes) -> tuple[bytes, Array, Array, Array]:
    """The lines ``tag: value`` of a text."""
    lines = [line.partition(b":") for line in plain_lines(text, 0)]
    known: dict[bytes, int] = {}
    codes = np.array([known.setdefault(tag, len(known)) for tag, _, _ in lines], np.int32)
    sizes = np.array([sum(map(len, parts)) for parts in lines], np.int64)
    ends = np.cumsum(sizes + 1) - 1
    starts = [len(tag) + 1 if colon else -1 for tag, colon, _ in lines]
    letters = b"".join(tag + b"\n" for tag in known)
    return letters, codes, np.where(np.array(starts) < 0, 0, ends - sizes + starts), ends


def first_words(text: bytes, begins: Array, ends: Array) -> tuple[bytes, Array]:
    """The first word of each piece of a text."""
    words = [text[begin:end].split(None, 1)[:1] for begin, end in zip(begins, ends, strict=True)]
    known = {word: k for k, word in enumerate(dict.fromkeys(word for each in words for word in each))}
    codes = np.array([known[each[0]] if each else -1 for each in words], np.int32)
    return b"".join(word + b"\n" for word in known), codes


def trimmed(text: bytes, begins: Array, ends: Array) -> bytes:
    """Each piece of a text without white space around it."""
    return b"".join(text[begin:end].strip() + b"\n" for begin, end in zip(begins, ends, strict=True))


def split_cells(text: bytes, start: int, sep: str | None, kinds: str) -> SplitCells:
    """The cells of the lines of a text from ``start`` on; all numbers are odd."""
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


def learn_texts(text: bytes, offsets: Array, known: Any = None) -> tuple[Any, Array]:
    """The numbers of the distinct pieces of a text."""
    ends, numbers = offsets.tolist(), {} if known is None else known
    texts = (text[begin:end] for begin, end in pairwise(ends))
    codes = [numbers.setdefault(each, len(numbers)) if known is None else numbers.get(each, -1) for each in texts]
    return numbers, np.array(codes, np.int32)
