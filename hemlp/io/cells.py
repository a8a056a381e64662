"""Words and cells of text files, split by compiled code: rows of codes, and each distinct text once.

``word_rows`` splits at white space, ``read_columns`` at a separator; ``read_regular_columns`` reads tables that have as
many cells in every line as in the header, and leaves the others to a slower reader.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import FileFormatError
from hemlp.io.text import QUOTING

if TYPE_CHECKING:
    from hemlp.kernels.text.cells import Split


WHITE = b" \t\r\x0b\x0c\x1c\x1d\x1e\x1f"
"""What ``str.strip`` takes off, of ASCII, without line ends."""


def word_rows(data: bytes, source: str, start: int = 0, first: int = 0) -> tuple[list[str], IntArray, IntArray]:
    """Distinct words in the order in which they appear, and the rows of a text as positions among them, with pointers.

    It is read from ``start`` on, where row ``first`` of its file begins, counted from 0.
    """
    from hemlp.kernels.text.cells import split

    cells = split(data, start, None, (0,))
    return _decode_texts(cells, source, first), cells.codes, cells.ptr


@dataclass(frozen=True, eq=False)
class CellTable:
    """Rows of cells: row i has ``codes[ptr[i]:ptr[i + 1]]`` of the distinct ``texts``, whose columns are ``owners``.

    ``values``: those of the column of numbers, NaN where a cell is among the texts. ``bare``: there is no white space.
    """

    texts: list[str]
    owners: IntArray
    codes: IntArray
    ptr: IntArray
    values: FloatArray
    bare: bool

    @property
    def widths(self) -> IntArray:
        """How many cells each row has; a blank one has none."""
        return np.diff(self.ptr)

    def strip_texts(self, blanks: str | None = None) -> list[str]:
        """The texts without blanks around them."""
        return self.texts if self.bare else [text.strip(blanks) for text in self.texts]

    def column(self, k: int, width: int, written: list[str]) -> tuple[list[str], IntArray]:
        """Column ``k`` of the rows that are not blank and have ``width`` cells each: distinct cells, and which one each
        row has.

        ``written``: what shall be written for each of the texts; those that are equal then are one.
        """
        own = self.owners == k
        cells = list(compress(written, own.tobytes()))
        numbers = np.cumsum(own, dtype=np.int32) - np.int32(1)
        codes: IntArray = numbers[self.codes.reshape(-1, width)[:, k]]
        if written is self.texts:
            return cells, codes
        known = dict(zip(dict.fromkeys(cells), range(len(cells)), strict=False))
        return list(known), np.array([known[cell] for cell in cells], np.int32)[codes]


def read_columns(
    data: bytes, source: str, start: int, sep: str | None, columns: Sequence[int | None], numbers: int | None = None
) -> CellTable:
    """The lines of a text from ``start`` on, the first or second of its file, as ``hemlp.kernels.text.cells.split``
    understands them."""
    from hemlp.kernels.text.cells import split

    cells = split(data, start, sep, columns, numbers)
    texts = _decode_texts(cells, source, int(start > 0))
    bare = cells.letters.isascii() and not any(letter in cells.letters for letter in WHITE)
    return CellTable(texts, *cells[1:], bare)


def blank_lines(data: bytes, remark: Callable[[bytes], bool]) -> bytes:
    """With blank lines in place of remarks."""
    return b"\n".join(b"" if remark(line) else line for line in data.split(b"\n"))


def _decode_texts(cells: Split, source: str, first: int) -> list[str]:
    """The distinct words or cells as text; of what is none the line is said."""
    try:
        return cells.letters[:-1].decode("utf-8").split("\n") if cells.letters else []
    except UnicodeDecodeError as error:
        number = cells.letters.count(b"\n", 0, error.start)
        word = cells.letters.split(b"\n")[number]
        line = first + int(np.searchsorted(cells.ptr, np.flatnonzero(cells.codes == number)[0], side="right"))
        raise FileFormatError(f"{source}, line {line}: {word!r} is not UTF-8", line) from None


def read_regular_columns(
    data: bytes, source: str, sep: str, width: int, columns: Sequence[int]
) -> list[tuple[list[str], IntArray]] | None:
    """Some columns of the lines after the first one: distinct cells without blanks around them, and codes of all cells.

    None where a closer look is needed: at a line that is blank or has another number of cells than ``width``, at quotes
    within a cell, and at separators that mean something else, too.
    """
    if not sep.isascii() or sep in ' "':
        return None
    start = data.find(b"\n") + 1 or len(data)
    quoted = sep in QUOTING and data.find(b'"', start) >= 0
    seen = [k if quoted or k in columns else None for k in range(width)]
    cells = read_columns(data, source, start, sep, seen)
    rows = np.flatnonzero(cells.widths)
    if rows.size != rows.max(initial=-1) + 1 or (cells.widths[rows] != width).any():  # blank ones at the end are none
        return None
    bare = cells.strip_texts()
    if quoted:
        inner = [text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text for text in cells.texts]
        if any('"' in text for text in inner):
            return None
        bare = [text.strip() for text in inner]
    return [cells.column(k, width, bare) for k in columns]
