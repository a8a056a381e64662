"""Label sets from one list of labels per instance: lists, sets or single labels in memory, and lines of a text.

A list may be a path from the top down, whose last class is the label.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set, ValuesView
from dataclasses import replace
from typing import Any

import numpy as np

from hemlp.arrays import as_numpy, entry_rows, pointers
from hemlp.errors import FileFormatError, InvalidLabel, InvalidLabelSets
from hemlp.hierarchy.labels import Label, as_label
from hemlp.instances.ambiguity import format_row, refuse_indicators, refuse_mapping, row_error
from hemlp.instances.label_sets import LabelSets, RowKind
from hemlp.io.text import decode

_ONE = (str, bytes, bytearray, memoryview)  # what could be gone through letter by letter, and is one label or none


def code_lists(rows: Sequence[Any], source: str | None) -> LabelSets | None:
    """From lists or tuples of strings, numbered from 1 as the lines of a file are; None for any others."""
    from hemlp.kernels.text.label_sets import code_rows

    if not {*map(type, rows)} <= {list, tuple}:
        return None
    ptr = pointers(list(map(len, rows)))
    coded = code_rows(rows, int(ptr[-1]))
    if coded is None or not {*map(type, coded[0])} <= {str} or "" in coded[0] or (coded[1] < 0).any():
        return None
    return LabelSets(tuple(coded[0]), ptr, coded[1], source=source, lines=entry_rows(ptr) + 1)


def from_rows(data: Iterable[Any], rows: RowKind | None, source: str | None) -> LabelSets:
    """From one list, set or single label per instance; ``rows`` as of ``LabelSets.of``."""
    if rows != "paths" and isinstance(data, list | tuple | ValuesView):
        sets = code_lists(list(data), source)
        if sets is not None:
            return replace(sets, rows=rows, lines=None)
    known: dict[Label, int] = {}
    coded: list[list[int]] = []
    lengths: list[int] = []  # of paths

    def place() -> str:
        return f"row {len(coded) + 1}" if source is None else f"{source}, row {len(coded) + 1}"

    for row in data:
        row = as_numpy(row)
        if isinstance(row, Mapping):
            refuse_mapping(row, place())
        one = isinstance(row, _ONE) or not isinstance(row, Iterable) or getattr(row, "ndim", 1) == 0
        values: Sequence[Any] = [row] if one else row if isinstance(row, list | tuple) else list(row)
        if rows == "paths":
            paths = _paths(row, values, place())
            lengths += map(len, paths)
            values = [label for path in paths for label in path]
        try:
            # the type is looked at before the dictionary: True and 1.0 are equal to 1 there
            coded.append([known.setdefault(as_label(value), len(known)) for value in values])
        except InvalidLabel as error:
            raise row_error(values, place(), error) from None
    if rows is None:
        refuse_indicators(known, coded)
    codes = np.array([code for row in coded for code in row], np.int32)
    begins = pointers(lengths) if rows == "paths" else None
    return LabelSets(tuple(known), pointers([len(row) for row in coded]), codes, source=source, rows=rows, paths=begins)


def _paths(row: Any, values: Sequence[Any], place: str) -> list[Sequence[Any]]:
    """The paths of an instance: the row itself, or each of its elements if these are lists; empty ones are skipped."""
    nested = bool(values) and all(isinstance(value, list | tuple | np.ndarray) for value in values)
    paths = [_path(value, list(value), place) for value in values] if nested else [_path(row, values, place)]
    return [path for path in paths if len(path)]


def _path(row: Any, values: Sequence[Any], place: str) -> Sequence[Any]:
    """The labels of a path, without the empty strings that pad it at its end."""
    if isinstance(row, Set):
        raise InvalidLabelSets(
            f"{place}: {row!r:.80} is a set, which has no order: a path is a list, from the top down"
        )
    end = len(values)
    while end and isinstance(values[end - 1], str) and not values[end - 1]:
        end -= 1
    if any(isinstance(value, str) and not value for value in values[:end]):
        raise InvalidLabelSets(f"{place}: the path {format_row(values)} has a gap")
    return values[:end]


def read_lines(data: bytes, source: str, sep: str) -> LabelSets:
    """From lines of labels between ``sep``; a blank line is an instance without labels."""
    lines = decode(data, source).split("\n")
    if not lines[-1]:
        lines.pop()
    cells = [[cell.strip() for cell in line.split(sep)] if line.strip() else [] for line in lines]
    for number, row in enumerate(cells, 1):
        if "" in row:
            raise FileFormatError(f"{source}, line {number}: an empty label between separators {sep!r}", number)
    return from_rows(cells, None, source)
