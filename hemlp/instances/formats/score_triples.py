"""Scores from lines of id, class and score without a head."""

from __future__ import annotations

import re

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import FileFormatError, InvalidScores
from hemlp.instances.scored_sets import Repeated, ScoredSets
from hemlp.io.cells import CellTable, blank_lines, read_columns

CAFA_HEADS = (b"AUTHOR", b"MODEL", b"KEYWORDS", b"ACCURACY", b"END")
"""Lines of a submission to CAFA that are no scores begin so."""
BLANKS = " \r"
"""What may stand around a cell."""
_HEAD = re.compile(rb" *(" + b"|".join(CAFA_HEADS) + rb")(?!\S)")


def read_triples(data: bytes, source: str, sep: str | None, repeated: Repeated) -> ScoredSets:
    """From (id, class, score) lines: cells between tabs, or words between blanks."""
    if data.startswith(CAFA_HEADS):
        data = blank_lines(data, lambda line: _HEAD.match(line) is not None)
    cells = read_columns(data, source, 0, sep, (0, 1, 2), numbers=2)
    widths = cells.widths
    odd = np.flatnonzero((widths != 3) & (widths != 0))
    if odd.size:
        line = int(odd[0]) + 1
        raise FileFormatError(f"{source}, line {line}: {widths[odd[0]]} cells instead of id, class and score", line)
    lines = np.flatnonzero(widths) + 1
    bare = cells.strip_texts(BLANKS)
    (ids, rows), (labels, codes) = (cells.column(k, 3, bare) for k in range(2))
    values = _floats(cells, bare, source, lines)
    for texts, where, what in ((ids, rows, "instance id"), (labels, codes, "class")):
        if "" in texts:
            line = int(lines[np.flatnonzero(where == texts.index(""))[0]])
            raise FileFormatError(f"{source}, line {line}: no {what}", line)
    return ScoredSets.from_entries(
        labels, rows.astype(np.int64), codes, values, len(ids), tuple(ids), source, lines, repeated
    )


def _floats(cells: CellTable, bare: list[str], source: str, lines: IntArray) -> FloatArray:
    """The scores of all lines; those that are no plain decimals are read here, each distinct one once."""
    odd = np.flatnonzero(np.isnan(cells.values))
    codes = cells.codes[2::3][odd]
    numbers = np.empty(len(cells.texts))
    for code in dict.fromkeys(codes.tolist()):
        text = bare[code]
        number = as_number(text.encode())
        if number is None:
            line = lines[odd[np.flatnonzero(codes == code)[0]]]
            what = f"the score is {text!r}, which is not a number" if text else "the score is missing"
            raise InvalidScores(f"{source}, line {line}: {what}")
        numbers[code] = number
    values = cells.values.copy()
    values[odd] = numbers[codes]
    return values


def as_number(word: bytes) -> float | None:
    """What a text says, None if that is no number."""
    try:
        return float(word) if b"_" not in word else None
    except ValueError:
        return None
