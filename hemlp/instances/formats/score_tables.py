"""Scores from (instance, class, score) triples in any order: columns of a frame, and tables with one score per line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.errors import Advice, FileFormatError, InvalidLabel, InvalidScores
from hemlp.hierarchy.labels import Label, as_label, is_missing
from hemlp.instances.label_sets import instance_ids
from hemlp.instances.scored_sets import Repeated, ScoredSets
from hemlp.io.frames import Coded, code_column, column, column_names, name_columns, number_column
from hemlp.io.text import blank_lines, check_width, parse_number, read_columns, read_regular_cells

ColumnNames = tuple[str | None, str | None, str | None]
DEFAULT_COLUMNS = ("id", "label", "score")
CAFA_HEADERS = (b"AUTHOR", b"MODEL", b"KEYWORDS", b"ACCURACY", b"END")
"""Lines of a submission to CAFA that are no scores begin so."""
BLANKS = " \r"
"""What may stand around a cell."""
_HEAD = re.compile(rb" *(" + b"|".join(CAFA_HEADERS) + rb")(?!\S)")


def from_columns(data: Any, columns: ColumnNames, repeated: Repeated, source: str | None) -> ScoredSets:
    """From a frame or a dict of columns."""
    names = column_names(data) or name_columns(data)
    chosen = [given or default for given, default in zip(columns, DEFAULT_COLUMNS, strict=True)]
    for name, option in zip(chosen, DEFAULT_COLUMNS, strict=True):
        if name not in names:
            raise InvalidScores(
                f"there is no column {name!r}; the columns are {names}: say {option}=, or labels= if each is a class"
            )
    ids, labels, values = code_column(data[chosen[0]]), code_column(data[chosen[1]]), number_column(data[chosen[2]])
    if ids and labels and values is not None and (scores := _code_triples(ids, labels, values, source, repeated)):
        return scores
    of_id, of_label, of_score = (column(data, name) for name in chosen)
    if not len(of_id) == len(of_label) == len(of_score):
        raise InvalidScores(f"the columns {chosen} are of different lengths")
    return from_triples(zip(of_id, of_label, of_score, strict=True), source, None, repeated)


def _code_triples(
    ids: Coded, labels: Coded, values: FloatArray, source: str | None, repeated: Repeated
) -> ScoredSets | None:
    """Scores from regular columns, faster; None for others."""
    (keys, rows), (classes, codes) = ids, labels
    odd = "" in keys or "" in classes or min(rows.min(initial=0), codes.min(initial=0)) < 0
    if odd or not len(rows) == len(codes) == len(values):
        return None
    names = instance_ids(keys, source)
    lines = np.arange(1, len(rows) + 1)
    return ScoredSets.from_entries(classes, rows, codes, values, len(names), names, source, lines, repeated)


def from_triples(
    triples: Iterable[tuple[Any, Any, Any]], source: str | None, lines: Sequence[int] | None, repeated: Repeated
) -> ScoredSets:
    """Scores from rows (instance id, label, score), in any order; a row with only an id is an instance without any."""
    instances: dict[Label, int] = {}
    known: dict[Label, int] = {}
    rows, codes, values, kept = [], [], [], []
    for k, (key, label, score) in enumerate(triples):
        line = k + 1 if lines is None else lines[k]
        place = f"{source or 'data'}, {'row' if lines is None else 'line'} {line}"
        try:
            row = instances.setdefault(as_label(key), len(instances))
            if is_missing(label) and is_missing(score):
                continue
            code = known.setdefault(as_label(label), len(known))
        except InvalidLabel as error:
            raise InvalidLabel(f"{place}: {error}") from None
        rows.append(row)
        codes.append(code)
        values.append(as_score(score, label, f"{place} (instance {key!r})"))
        kept.append(line)
    return ScoredSets.from_entries(list(known), np.array(rows, np.int64), codes, values, len(instances),
                     instance_ids(instances, source), source, np.array(kept, np.int64), repeated)  # fmt: skip


def as_score(value: Any, label: Any, place: str) -> float:
    """A score as a float; anything but a number is an error."""
    number = value.item() if isinstance(value, np.generic) else value
    if is_missing(value):
        raise InvalidScores(f"{place}: the score of {label!r} is missing")
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise InvalidScores(f"{place}: the score of {label!r} is {value!r:.80}, which is not a number")
    try:
        return float(number)
    except OverflowError:
        raise InvalidScores(f"{place}: the score of {label!r} is too large for a number") from None


def check_ids(ids: tuple[Label, ...] | None, size: int) -> None:
    """Refuse ids whose number differs from that of the instances, or that repeat."""
    if ids is not None and (len(ids) != size or len(set(ids)) < size):
        raise InvalidScores(f"there are {size:,} instances and {len(set(ids)):,} different ids: give one each")


def read_triples(data: bytes, source: str, sep: str | None, repeated: Repeated) -> ScoredSets:
    """From (id, class, score) lines: cells between tabs, or words between blanks."""
    if data.startswith(CAFA_HEADERS):
        data = blank_lines(data, lambda line: _HEAD.match(line) is not None)
    cells = read_columns(data, source, 0, sep, "ttn")
    if cells.wrong is not None:
        line, width = cells.wrong
        raise FileFormatError(f"{source}, line {line}: {width} cells instead of id, class and score", line)
    cells = cells if cells.bare else cells.clean(lambda text: text.strip(BLANKS))
    ids, labels, texts = cells.texts
    rows, codes, of_odd = cells.codes
    for row, code in zip(cells.odd.tolist(), of_odd.tolist(), strict=True):
        if parse_number(texts[code].encode()) is None:
            what = f"the score is {texts[code]!r}, which is not a number" if texts[code] else "the score is missing"
            raise InvalidScores(f"{source}, line {cells.lines[row]}: {what}")
    for own, where, what in ((ids, rows, "instance id"), (labels, codes, "class")):
        if "" in own:
            line = int(cells.lines[np.flatnonzero(where == own.index(""))[0]])
            raise FileFormatError(f"{source}, line {line}: no {what}", line)
    return ScoredSets.from_entries(
        labels, rows, codes, cells.numbers(2), len(ids), tuple(ids), source, cells.lines, repeated
    )


def read_table(
    data: bytes, source: str, sep: str, rows: Iterator[tuple[int, list[str]]], named: tuple[str | None, ...],
    repeated: Repeated,
) -> ScoredSets:  # fmt: skip
    """Scores from a table with a header; ``rows``: its lines as of ``split_cells``."""
    line, header = next(rows)
    _check_cells(header, source, line)
    chosen = [given or default for given, default in zip(named, DEFAULT_COLUMNS, strict=True)]
    if not named[1] and "label" not in header and "class" in header:
        chosen[1] = "class"
    for name, option in zip(chosen, DEFAULT_COLUMNS, strict=True):
        if header.count(name) != 1:
            raise FileFormatError(
                f"{source}, line {line}: no column {name!r} among {header}: a file of scores has lines id, class, "
                f"score, or a first line that names these columns", line,
            ).with_advice(Advice(option, "COLUMN", "to say which one is meant, the same in all files"))  # fmt: skip
    at = [header.index(name) for name in chosen]
    if line == 1 and (scores := _regular(data, source, sep, len(header), at, repeated)):
        return scores
    triples: list[tuple[Any, Any, Any]] = []
    lines = []
    for line, row in rows:
        check_width(row, header, source, line)
        key, label, score = (row[k] for k in at)
        if not key:
            raise FileFormatError(f"{source}, line {line}: no instance id in the column {chosen[0]!r}", line)
        triples.append((key, label or None, _parse_score(score, label, source, line)))
        lines.append(line)
    return from_triples(triples, source, lines, repeated)


def _check_cells(header: list[str], source: str, line: int) -> None:
    """Refuse an empty file, and a first line with another separator or a decimal comma."""
    reason = ""
    if not any(header):
        raise FileFormatError(f"{source} is empty: a file of scores has lines id, class, score", line)
    if len(header) == 1 and header[0].count(",") > 1:
        reason = "one cell: are these commas in place of tabs? A .csv file begins with a line id,label,score"
    elif len(header) == 1 and len(header[0].split()) > 1:
        reason = "one cell: are these spaces in place of tabs?"
    elif len(header) == 3 and re.fullmatch(r"[-+]?\d+,\d+", header[-1]):
        reason = f"{header[-1]!r} is not a number: is this a decimal comma? Write {header[-1].replace(',', '.')}"
    if reason:
        raise FileFormatError(f"{source}, line {line}: {reason}", line)


def _regular(data: bytes, source: str, sep: str, width: int, at: list[int], repeated: Repeated) -> ScoredSets | None:
    """Scores from a file in which every line is a score, much faster; None for any other."""
    cells = read_regular_cells(data, source, sep, width, at, at[2]) if len({*at}) == 3 else None
    if cells is None:
        return None
    values = cells.numbers(at[2])
    (ids, rows), (labels, codes) = ((cells.texts[k], cells.codes[k]) for k in at[:2])
    if "" in ids or "" in labels or not np.isfinite(values).all():
        return None
    return ScoredSets.from_entries(labels, rows, codes, values, len(ids), tuple(ids), source, cells.lines, repeated)


def _parse_score(text: str, label: str, source: str, line: int) -> float | None:
    if not text and not label:
        return None
    number = parse_number(text.encode())
    if number is None:
        what = f"is {text!r}, which is not a number" if text else "is missing"
        raise InvalidScores(f"{source}, line {line}: the score of {label!r} {what}")
    return number
