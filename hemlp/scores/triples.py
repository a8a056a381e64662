"""Scores from lines of id, class and score without a head."""

from __future__ import annotations

import re

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import FileFormatError, InvalidScores
from hemlp.io.words import blanked, read_columns
from hemlp.scores.sets import Repeated, ScoredSets

CAFA_HEADS = (b"AUTHOR", b"MODEL", b"KEYWORDS", b"ACCURACY", b"END")
"""Lines of a submission to CAFA that are no scores begin so."""
_HEAD = re.compile(rb" *(" + b"|".join(CAFA_HEADS) + rb")(?!\S)")


def read_triples(data: bytes, source: str, sep: str | None, repeated: Repeated) -> ScoredSets:
    """From (id, class, score) lines: cells between tabs, or words between blanks."""
    if data.startswith(CAFA_HEADS):
        data = blanked(data, lambda line: _HEAD.match(line) is not None)
    cells = read_columns(data, source, 0, sep, (0, 1, 2))
    widths = cells.widths
    odd = np.flatnonzero((widths != 3) & (widths != 0))
    if odd.size:
        line = int(odd[0]) + 1
        raise FileFormatError(f"{source}, line {line}: {widths[odd[0]]} cells instead of id, class and score", line)
    lines = np.flatnonzero(widths) + 1
    (ids, rows), (labels, codes), scores = (cells.column(k, 3, " \r") for k in range(3))
    values = _floats(*scores, source, lines)
    for texts, where, what in ((ids, rows, "instance id"), (labels, codes, "class")):
        if "" in texts:
            line = int(lines[np.flatnonzero(where == texts.index(""))[0]])
            raise FileFormatError(f"{source}, line {line}: no {what}", line)
    return ScoredSets.arranged(
        labels, rows.astype(np.int64), codes, values, len(ids), tuple(ids), source, lines, repeated
    )


def _floats(texts: list[str], codes: IntArray, source: str, lines: IntArray) -> FloatArray:
    """The numbers in cells, each distinct text read once."""
    found = [as_number(text.encode()) for text in texts]
    if None in found:
        k = int(np.flatnonzero(codes == found.index(None))[0])
        text = texts[codes[k]]
        what = f"the score is {text!r}, which is not a number" if text else "the score is missing"
        raise InvalidScores(f"{source}, line {lines[k]}: {what}")
    return np.array(found, np.float64)[codes]


def as_number(word: bytes) -> float | None:
    """What a text says, None if that is no number."""
    try:
        return float(word) if b"_" not in word else None
    except ValueError:
        return None
