"""Words and cells of text files as numbers, so that Python sees each distinct one once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import FileFormatError

if TYPE_CHECKING:
    from hemlp.kernels.text.cells import Split


WHITE = b" \t\r\x0b\x0c\x1c\x1d\x1e\x1f"
"""What ``str.strip`` takes off, of ASCII, without line ends."""


def word_rows(data: bytes, source: str, start: int = 0, first: int = 0) -> tuple[list[str], IntArray, IntArray]:
    """Distinct words in the order in which they appear, and the rows of a text as positions among them, with pointers.

    It is read from ``start`` on, where row ``first`` of its file begins, counted from 0.
    """
    from hemlp.kernels.text.cells import split

    found = split(data, start, None, (0,))
    return _decoded(found, source, first), found.codes, found.ptr


@dataclass(frozen=True, eq=False)
class Columns:
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

    def stripped(self, blanks: str | None = None) -> list[str]:
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
) -> Columns:
    """The lines of a text from ``start`` on, the first or second of its file, as ``hemlp.kernels.text.cells.split``
    understands them."""
    from hemlp.kernels.text.cells import split

    found = split(data, start, sep, columns, numbers)
    texts = _decoded(found, source, int(start > 0))
    bare = found.letters.isascii() and not any(letter in found.letters for letter in WHITE)
    return Columns(texts, *found[1:], bare)


def blanked(data: bytes, remark: Callable[[bytes], bool]) -> bytes:
    """With blank lines in place of remarks."""
    return b"\n".join(b"" if remark(line) else line for line in data.split(b"\n"))


def _decoded(found: Split, source: str, first: int) -> list[str]:
    """The distinct words or cells as text; of what is none the line is said."""
    try:
        return found.letters[:-1].decode("utf-8").split("\n") if found.letters else []
    except UnicodeDecodeError as error:
        number = found.letters.count(b"\n", 0, error.start)
        word = found.letters.split(b"\n")[number]
        line = first + int(np.searchsorted(found.ptr, np.flatnonzero(found.codes == number)[0], side="right"))
        raise FileFormatError(f"{source}, line {line}: {word!r} is not UTF-8", line) from None
