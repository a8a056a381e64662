"""Label sets in long format: a header, and one (instance, label) pair a line."""

from __future__ import annotations

import re

import numpy as np

from hemlp.errors import Advice, FileFormatError
from hemlp.instances.ambiguity import threshold_advice
from hemlp.instances.label_sets import LabelSets, from_coded_pairs, from_pairs
from hemlp.io.regular import read_regular_columns
from hemlp.io.text import decode, split_cells


def read_long(data: bytes, source: str, sep: str, id: str | None, label: str | None) -> LabelSets:
    """Label sets from the columns ``id`` and ``label``; others are an error unless both are named on purpose."""
    rows = split_cells(decode(data, source), source, sep)
    first, header = next(rows, (1, []))
    on_purpose = id is not None and label is not None
    id, label = id or "id", label or "label"
    _check_header(header, id, label, source, on_purpose)
    at_id, at_label = header.index(id), header.index(label)
    if first == 1 and (found := _regular(data, source, sep, len(header), at_id, at_label)) is not None:
        return found
    ids, labels, lines = [], [], []
    for line, row in rows:
        if len(row) != len(header):
            raise FileFormatError(f"{source}, line {line}: {len(row)} cells, the header has {len(header)}", line)
        if not row[at_id]:
            raise FileFormatError(f"{source}, line {line}: no instance id in the column {id!r}", line)
        ids.append(row[at_id])
        labels.append(row[at_label] or None)
        lines.append(line)
    return from_pairs(ids, labels, source, lines)


def _regular(data: bytes, source: str, sep: str, width: int, at_id: int, at_label: int) -> LabelSets | None:
    """The same, much faster, from a file in which every line is a pair; None for any other."""
    found = read_regular_columns(data, source, sep, width, (at_id, at_label))
    if found is None or "" in found[0][0]:
        return None
    (ids, rows), (texts, codes) = found
    given = np.array([text != "" for text in texts], np.bool_)
    numbers = np.where(given, np.cumsum(given) - 1, -1).astype(np.int32)  # an empty label is none
    lines = np.arange(2, rows.size + 2)
    return from_coded_pairs(ids, rows, [text for text in texts if text], numbers[codes], source, lines)


def _near(name: str, header: list[str]) -> str:
    """The end of a message about a column that is not there."""
    for other in header:
        if other.casefold() == name.casefold():
            return f"; did you mean {other!r}?"
    if len(header) == 3 and re.fullmatch(r"[-+\d.e]+", header[2], re.IGNORECASE):
        return "; lines of id, class and score are read by hemlp.read_scores, on the command line as FILE@0.5"
    return " (the first line of such a file names its columns)"


def _separators(header: list[str]) -> list[Advice]:
    """What may separate the columns of a header that looks like one cell."""
    if len(header) != 1:
        return []
    return [Advice("sep", sep, "if that separates the columns") for sep in ";\t|," if sep in header[0]][:1]


def _check_header(header: list[str], id: str, label: str, source: str, on_purpose: bool) -> None:
    """Refuse a first line that lacks one of the two columns, or has others that nobody said to leave out."""
    place = f"{source}, line 1"
    for name in (id, label):
        if name not in header:
            error = FileFormatError(f"{place}: no column {name!r}; the columns are {header}{_near(name, header)}", 1)
            raise error.with_advice(*(_separators(header) or [Advice("id", "COLUMN", "and label to name the two")]))
        if header.count(name) > 1:
            raise FileFormatError(f"{place}: the column {name!r} stands there {header.count(name)} times", 1)
    further = [name for name in header if name not in (id, label)]
    if further and not on_purpose:
        raise FileFormatError(
            f"{place}: beside {id!r} and {label!r} there are the columns {further}, which label sets do not have"
            f"{threshold_advice(further)}. Take them out of the file",
            1,
        ).with_advice(Advice("id", id, "to leave them out on purpose", (("label", label),)))
