"""Scores from lines of id, class and score without a head, read in pieces that fit into the cache of a processor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import FileFormatError, InvalidScores
from hemlp.io.text import decode_words
from hemlp.io.words import Words, by_a_salt, find_words, line_pieces
from hemlp.scores.sets import Repeated, ScoredSets

CAFA_HEADS = (b"AUTHOR", b"MODEL", b"KEYWORDS", b"ACCURACY", b"END")
"""Lines of a submission to CAFA that are no scores begin so."""
_BLANK = np.isin(np.arange(256), [13, 32])


def read_triples(data: bytes, source: str, sep: str | None, repeated: Repeated) -> ScoredSets:
    """From (id, class, score) lines: words between tabs, or between blanks."""
    ids, classes, scores, numbers = by_a_salt(lambda salt: _columns(data, source, sep, salt))
    names, labels = ids.texts(source, numbers), classes.texts(source, numbers)
    values = _floats(scores, source, numbers)
    for words, where, what in ((names, ids.codes, "instance id"), (labels, classes.codes, "class")):
        if "" in words:
            number = int(numbers[np.flatnonzero(where == words.index(""))[0]])
            raise FileFormatError(f"{source}, line {number}: no {what}", number)
    rows = ids.codes.astype(np.int64)
    return ScoredSets.arranged(labels, rows, classes.codes, values, len(names), tuple(names), source, numbers, repeated)


@dataclass(frozen=True, eq=False)
class _Column:
    """The distinct words of a column, and the number of each of its cells among them."""

    words: Words
    codes: NDArray[np.int32]

    def texts(self, source: str, numbers: IntArray) -> list[str]:
        """The words as texts; ``numbers``: the line of each cell."""
        return decode_words(self.words, source, lambda word: int(numbers[np.flatnonzero(self.codes == word)[0]]))


def _columns(data: bytes, source: str, sep: str | None, salt: int) -> tuple[_Column, _Column, _Column, IntArray]:
    """Ids, classes and scores, and the line of each."""
    words = [Words(salt) for _ in range(3)]
    codes: list[list[NDArray[np.int32]]] = [[], [], []]
    numbers, done = [np.zeros(0, np.int64)], 1
    heads = data.startswith(CAFA_HEADS)
    for piece in line_pieces(data):
        cells, lines = find_cells(piece) if sep is not None else _cells_between_blanks(piece)
        if heads:
            cells, lines = _without_heads(piece, cells, lines)
        ends = np.flatnonzero(np.diff(lines, append=-1)) + 1
        lengths = np.diff(ends, prepend=0)
        if (lengths != 3).any():
            k = int(np.flatnonzero(lengths != 3)[0])
            number = int(lines[ends[k] - 1]) + done
            raise FileFormatError(f"{source}, line {number}: {lengths[k]} cells instead of id, class and score", number)
        for column in range(3):
            found = words[column].codes(piece, *np.ascontiguousarray(cells[:, column::3]))
            codes[column].append(found.astype(np.int32))
        numbers.append(lines[::3] + done)
        done += piece.count(b"\n")
    nothing = np.zeros(0, np.int32)
    ids, classes, scores = (
        _Column(of, np.concatenate([nothing, *parts])) for of, parts in zip(words, codes, strict=True)
    )
    return ids, classes, scores, np.concatenate(numbers)


def find_cells(data: bytes) -> tuple[IntArray, IntArray]:
    """Where the cells between tabs begin and end, without blanks around them, and the line of each, from 0; lines that
    are blank have none."""
    buffer = np.frombuffer(data, np.uint8)
    if not data.endswith(b"\n"):
        buffer = np.append(buffer, np.uint8(10))
    ends = np.flatnonzero((buffer == 9) | (buffer == 10))
    begins = np.concatenate([[0], ends[:-1] + 1])
    closing = buffer[ends] == 10
    lines = np.cumsum(closing) - closing
    while (odd := (begins < ends) & _BLANK[buffer[begins]]).any():
        begins[odd] += 1
    while (odd := (begins < ends) & _BLANK[buffer[ends - 1]]).any():
        ends[odd] -= 1
    opening = np.append(True, closing[:-1])
    kept = ~(opening & closing & (begins == ends))  # not the only cell of a blank line
    cells = np.stack([begins, ends])
    if not kept.all():
        cells, lines = cells[:, kept], lines[kept]
    return cells, lines


def _cells_between_blanks(data: bytes) -> tuple[IntArray, IntArray]:
    """Where words begin and end, and the line of each, from 0."""
    begins, ends, ptr = find_words(data)
    return np.stack([begins, ends]), np.repeat(np.arange(ptr.size - 1), np.diff(ptr))


def _without_heads(data: bytes, cells: IntArray, lines: IntArray) -> tuple[IntArray, IntArray]:
    """Without the lines of a submission to CAFA that are no scores."""
    first = np.flatnonzero(np.diff(lines, prepend=-1))
    heads = [int(lines[k]) for k in first if data[cells[0, k] : cells[1, k]].split(b" ")[0] in CAFA_HEADS]
    kept = ~np.isin(lines, heads)
    return cells[:, kept], lines[kept]


def _floats(column: _Column, source: str, numbers: IntArray) -> FloatArray:
    """The numbers in cells, each distinct text read once."""
    texts = column.texts(source, numbers)
    found = [as_number(text.encode()) for text in texts]
    if None in found:
        k = int(np.flatnonzero(column.codes == found.index(None))[0])
        text = texts[column.codes[k]]
        what = f"the score is {text!r}, which is not a number" if text else "the score is missing"
        raise InvalidScores(f"{source}, line {numbers[k]}: {what}")
    return np.array(found, np.float64)[column.codes]


def as_number(word: bytes) -> float | None:
    """What a text says, None if that is no number."""
    try:
        return float(word) if b"_" not in word else None
    except ValueError:
        return None
