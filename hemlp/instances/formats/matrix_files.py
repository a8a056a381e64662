"""Label sets from wide tables: one row an instance, one column a class, 1 where it has the class and 0 where not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hemlp.arrays import row_pointers
from hemlp.errors import FileFormatError
from hemlp.instances.label_sets import LabelSets, instance_ids
from hemlp.io.text import decode, split_cells

ONE, ZERO = {"1", "1.0", 1.0}, {"0", "0.0", 0.0}
OTHERS = {
    "label", "labels", "class", "classes", "category", "categories", "target", "true", "pred", "gold", "score",
    "parent", "child", "name",
}  # fmt: skip
"""Columns of tables that are no matrices, even if all their cells are 0 or 1."""

NumberedRows = list[tuple[int, Sequence[Any]]]


def matrix_cells(data: bytes, source: str, sep: str) -> tuple[list[str], NumberedRows]:
    """The header and the rows of a text, each with its line."""
    rows = split_cells(decode(data, source), source, sep)
    _, header = next(rows, (1, []))
    return header, list(rows)


def matrix_rows(columns: Mapping[str, Iterable[Any]]) -> Iterator[tuple[int, Sequence[Any]]]:
    """The rows of a table of columns."""
    return enumerate(zip(*columns.values(), strict=True), 1)


def is_matrix(header: Sequence[str], rows: Iterable[tuple[int, Sequence[Any]]], id: str | None) -> bool:
    """Whether a table can be nothing else: ids, and several columns of 0 and 1 whose names mean nothing else."""
    name = id or "id"
    classes = [column for column in header if column != name]
    if name not in header or len(classes) < 2 or {column.strip().casefold() for column in classes} & OTHERS:
        return False
    at = header.index(name)
    return all(cell in ONE or cell in ZERO for _, row in rows for k, cell in enumerate(row) if k != at)


def read_matrix(header: list[str], rows: NumberedRows, source: str, id: str | None) -> LabelSets:
    """Label sets; ``id`` names the column of ids, by default "id" if there is one."""
    name = id or ("id" if "id" in header else None)
    if name is not None and name not in header:
        raise FileFormatError(f"{source}, line 1: no column {name!r}; the columns are {_format_header(header)}", 1)
    at = None if name is None else header.index(name)
    classes = [k for k in range(len(header)) if k != at]
    labels = tuple(header[k] for k in classes)
    if not labels or "" in labels or len(set(labels)) < len(labels):
        raise FileFormatError(f"{source}, line 1: each column needs a class of its own: {_format_header(header)}", 1)
    found = list(_entries(header, rows, source, classes))
    ids = None if at is None else instance_ids((row[at] for _, row in rows), source)
    if ids is not None and len(set(ids)) < len(ids):
        twice = next(each for k, each in enumerate(ids) if each in ids[:k])
        raise FileFormatError(f"{source}: the instance {twice!r} has several rows")
    at_rows, codes = (np.array([pair[k] for pair in found], np.int64) for k in (0, 1))
    lines = np.array([rows[k][0] for k in at_rows], np.int64)
    return LabelSets(labels, row_pointers(at_rows, len(rows)), codes.astype(np.int32), ids, source, lines)


def _entries(header: list[str], rows: NumberedRows, source: str, classes: list[int]) -> Iterator[tuple[int, int]]:
    """(row, class) wherever there is a 1."""
    for number, (line, row) in enumerate(rows):
        if len(row) != len(header):
            raise FileFormatError(f"{source}, line {line}: {len(row)} cells, the header has {len(header)}", line)
        for code, k in enumerate(classes):
            if row[k] in ONE:
                yield number, code
            elif row[k] not in ZERO:
                raise FileFormatError(
                    f"{source}, line {line}, column {header[k]!r}: {row[k]!r:.40} is neither 0 nor 1", line
                )


def _format_header(header: Sequence[str]) -> str:
    return repr(list(header)) if len(header) < 8 else f"{list(header[:8])!r} and {len(header) - 8} more"
