"""Words and cells of text files as numbers, so that Python sees each distinct one once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import FileFormatError


def word_rows(data: bytes, source: str, start: int = 0, first: int = 0) -> tuple[list[str], IntArray, IntArray]:
    """Distinct words in the order in which they appear, and the rows of a text as positions among them, with pointers.

    It is read from ``start`` on, where row ``first`` of its file begins, counted from 0.
    """
    from hemlp.kernels.cells import split

    letters, _, codes, ptr = split(data, start, None, (0,))
    return _decoded(letters, codes, ptr, source, first), codes, ptr


@dataclass(frozen=True, eq=False)
class Columns:
    """Rows of cells: row i has ``codes[ptr[i]:ptr[i + 1]]`` of the distinct ``texts``, whose columns are ``owners``."""

    texts: list[str]
    owners: IntArray
    codes: IntArray
    ptr: IntArray

    @property
    def widths(self) -> IntArray:
        """How many cells each row has; a blank one has none."""
        return np.diff(self.ptr)

    def column(self, k: int, width: int, blanks: str | None = None) -> tuple[list[str], IntArray]:
        """Distinct cells of column ``k`` without ``blanks`` around them, and which each row has that is not blank.

        All those rows have ``width`` cells.
        """
        own = self.owners == k
        cells, codes = list(compress(self.texts, own.tolist())), self.codes.reshape(-1, width)[:, k]
        bare = [cell.strip(blanks) for cell in cells]
        numbers = np.cumsum(own, dtype=np.int32) - np.int32(1)
        if bare == cells:
            return cells, numbers[codes]
        known = dict(zip(dict.fromkeys(bare), range(len(bare)), strict=False))
        return list(known), np.array([known[cell] for cell in bare], np.int32)[numbers[codes]]


def read_columns(data: bytes, source: str, start: int, sep: str | None, columns: Sequence[int | None]) -> Columns:
    """The lines of a text from ``start`` on, the first or second of its file, as ``hemlp.kernels.cells.split``
    understands them."""
    from hemlp.kernels.cells import split

    letters, owners, codes, ptr = split(data, start, sep, columns)
    return Columns(_decoded(letters, codes, ptr, source, int(start > 0)), owners, codes, ptr)


def blanked(data: bytes, remark: Callable[[bytes], bool]) -> bytes:
    """With blank lines in place of remarks."""
    return b"\n".join(b"" if remark(line) else line for line in data.split(b"\n"))


def _decoded(letters: bytes, codes: IntArray, ptr: IntArray, source: str, first: int) -> list[str]:
    """The distinct words as text; of what is none the line is said."""
    try:
        return letters[:-1].decode("utf-8").split("\n") if letters else []
    except UnicodeDecodeError as error:
        number = letters.count(b"\n", 0, error.start)
        word = letters.split(b"\n")[number]
        line = first + int(np.searchsorted(ptr, np.flatnonzero(codes == number)[0], side="right"))
        raise FileFormatError(f"{source}, line {line}: {word!r} is not UTF-8", line) from None
