"""Tables without surprises: a header, then the same number of cells in every line, read as whole arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hemlp.arrays import IntArray
from hemlp.io.cells import read_columns
from hemlp.io.text import QUOTING


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
    found = read_columns(data, source, start, sep, seen)
    rows = np.flatnonzero(found.widths)
    if rows.size != rows.max(initial=-1) + 1 or (found.widths[rows] != width).any():  # blank ones at the end are none
        return None
    bare = found.strip_texts()
    if quoted:
        inner = [text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text for text in found.texts]
        if any('"' in text for text in inner):
            return None
        bare = [text.strip() for text in inner]
    return [found.column(k, width, bare) for k in columns]
