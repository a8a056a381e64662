"""Tables without surprises: a header, then the same number of cells in every line, read as whole arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hemlp.arrays import IntArray
from hemlp.io.words import Words, by_a_salt, line_pieces

_LINE_END, _RETURN, _QUOTE = b'\n\r"'


def regular_columns(
    data: bytes, sep: str, width: int, columns: Sequence[int]
) -> list[tuple[list[str], IntArray]] | None:
    """Some columns of the lines after the first one: distinct cells without blanks around them, and codes of all cells.

    None where a closer look is needed: at a line that is blank or has another number of cells than ``width``, at quotes
    within a cell, and at separators that mean something else, too.
    """
    if not sep.isascii() or sep in ' "':
        return None
    return by_a_salt(lambda salt: _columns(data, sep, width, columns, salt))


def _columns(
    data: bytes, sep: str, width: int, columns: Sequence[int], salt: int
) -> list[tuple[list[str], IntArray]] | None:
    words = [Words(salt) for _ in columns]
    codes: list[list[IntArray]] = [[np.zeros(0, np.int32)] for _ in columns]
    left = len(data) - (done := data.find(b"\n") + 1 or len(data))
    for text in line_pieces(data, done):
        left -= len(text)
        if not left:  # blank lines at the end are no rows
            text = text.rstrip(b"\r\n") + b"\n"
        cells = _cells(text, sep, width)
        if cells is None:
            return None
        for k, column in enumerate(columns):
            begins, ends = (np.ascontiguousarray(side[:, column]) for side in cells)
            codes[k].append(words[k].codes(text, begins, ends))
    return [_stripped(each, np.concatenate(parts)) for each, parts in zip(words, codes, strict=True)]


def _cells(text: bytes, sep: str, width: int) -> tuple[IntArray, IntArray] | None:
    """Where cells begin and end, lines × columns; between commas they may stand in quotes."""
    letters = np.frombuffer(text, np.uint8)
    marks = np.flatnonzero((letters == ord(sep)) | (letters == _LINE_END))
    if marks.size % width:
        return None
    ends = marks.reshape(-1, width)
    line_ends = letters[ends] == _LINE_END
    if line_ends[:, :-1].any() or not line_ends[:, -1].all():
        return None
    begins = np.append(0, marks[:-1] + 1).reshape(-1, width)
    if b"\r" in text:
        ends[:, -1] -= (letters[ends[:, -1] - 1] == _RETURN) & (ends[:, -1] > begins[:, -1])
    if sep == "," and b'"' in text:
        quoted = (letters[begins] == _QUOTE) & (letters[ends - 1] == _QUOTE) & (ends - begins > 1)
        if text.count(b'"') != 2 * np.count_nonzero(quoted):
            return None
        begins, ends = begins + quoted, ends - quoted
    return begins, ends


def _stripped(words: Words, codes: IntArray) -> tuple[list[str], IntArray]:
    """Cells as text without blanks around them; those that are equal then are one."""
    cells = words.distinct.decode("utf-8").split("\n")[:-1]
    bare = list(map(str.strip, cells))
    if bare == cells:
        return cells, codes
    known = dict.fromkeys(bare)
    places = dict(zip(known, range(len(known)), strict=True))
    return list(known), np.array([places[cell] for cell in bare], np.int32)[codes]
