"""Matrices with one row per instance and one column per class: 0/1 for label sets, numbers for scores.

In memory they are dense or sparse, and ``labels`` names the columns; integer codes that count these labels stand for a
0/1 matrix. In files they are wide tables, whose header names the classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray, as_numpy, pointers, row_pointers
from hemlp.errors import FileFormatError, HemlpError, InvalidLabelSets, InvalidScores
from hemlp.hierarchy.labels import Label, as_label
from hemlp.instances.formats.score_tables import check_ids
from hemlp.instances.label_sets import LabelSets, RowKind, instance_ids
from hemlp.instances.scored_sets import Repeated, ScoredSets
from hemlp.io.frames import column_names
from hemlp.io.text import check_width, parse_number, split_cells

ONE, ZERO = {"1", "1.0", 1.0}, {"0", "0.0", 0.0}
NO_CLASSES = {
    "label", "labels", "class", "classes", "category", "categories", "target", "true", "pred", "gold", "score",
    "parent", "child", "name",
}  # fmt: skip
"""Columns of tables that are no matrices, even if all their cells are 0 or 1."""

NumberedRows = Sequence[tuple[int, Sequence[Any]]]


def _vocabulary(
    data: Any, labels: Sequence[Label], error: type[InvalidLabelSets] | type[InvalidScores]
) -> tuple[Label, ...]:
    """The classes of the columns, checked."""
    if isinstance(labels, str | bytes | Set) or not isinstance(labels, Iterable) or np.ma.isMaskedArray(data):
        raise error("a matrix without gaps, and labels= as a list in the order of its columns, are needed")
    vocabulary = tuple(map(as_label, labels))
    if len(set(vocabulary)) < len(vocabulary):
        raise error("labels= names a class twice")
    columns = column_names(data) or []
    place = {name: k for k, name in enumerate(vocabulary)}
    if columns != list(range(len(columns))) and any(place.get(name, k) != k for k, name in enumerate(columns)):
        raise error("labels= names the columns of the frame in another order than the frame itself")
    return vocabulary


def from_matrix(data: Any, labels: Sequence[Label], rows: RowKind | None, source: str | None) -> LabelSets:
    """From a 0/1 matrix, or from integer codes; ``rows`` as of ``LabelSets.of``."""
    from scipy.sparse import csr_array

    vocabulary = _vocabulary(data, labels, InvalidLabelSets)
    codes = None if isinstance(data, Mapping) else _from_codes(data, vocabulary, rows, source)
    if codes is not None:
        return codes
    try:
        matrix = csr_array(_as_numbers(data, InvalidLabelSets), dtype=np.float64, copy=True)
    except (TypeError, ValueError) as error:
        if isinstance(error, HemlpError):
            raise
        raise InvalidLabelSets(f"labels= is for a 0/1 matrix of two dimensions: {error}") from None
    if matrix.ndim != 2 or matrix.shape[1] != len(vocabulary):
        raise InvalidLabelSets(f"a matrix of shape {matrix.shape} does not fit {len(vocabulary)} labels")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    other = matrix.data[matrix.data != 1]
    if other.size:
        raise InvalidLabelSets(
            f"the matrix holds {other[0]:g}: only 0 and 1 are allowed (apply a threshold to scores first)"
        )
    return LabelSets(vocabulary, matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), source=source)


def _from_codes(data: Any, vocabulary: tuple[Label, ...], said: RowKind | None, source: str | None) -> LabelSets | None:
    """Label sets from integer codes of the labels, from 0; None if the data is a matrix."""
    if hasattr(data, "tocsr") or getattr(data, "ndim", 1) > 1 or column_names(data) is not None:
        return None
    rows = [row.tolist() if isinstance(row, np.ndarray | np.generic) else row for row in map(as_numpy, data)]
    kinds = {*map(type, rows)}
    if not kinds <= {int}:
        if not kinds <= {list, tuple, set, frozenset} or any(type(code) is not int for row in rows for code in row):
            return None
        equal = len({len(row) for row in rows}) == 1 and not kinds & {set, frozenset} and said is None
        zeros = any(len(set(row)) < len(row) for row in rows) and {code for row in rows for code in row} <= {0, 1}
        if equal and (len(rows[0]) == len(vocabulary) or zeros):
            return None
    coded = [(row,) if isinstance(row, int) else tuple(row) for row in rows]
    for number, row in enumerate(coded, 1):
        for code in row:
            if not 0 <= code < len(vocabulary):
                raise InvalidLabelSets(
                    f"{source or 'data'}, row {number}: the code {code} counts none of the {len(vocabulary)} labels"
                )
    codes = np.array([code for row in coded for code in row], np.int32)
    index = tuple(data.index) if hasattr(data, "iloc") else None
    return LabelSets(vocabulary, pointers([len(row) for row in coded]), codes, source=source, index=index)


def scores_from_matrix(
    data: Any, labels: Sequence[Label], ids: tuple[Label, ...] | None, repeated: Repeated, source: str | None
) -> ScoredSets:
    """Scores from numbers, one column per class; in a sparse matrix only stored entries are scores."""
    vocabulary = _vocabulary(data, labels, InvalidScores)
    if not hasattr(data, "tocsr"):
        rows, codes, values, shape = _dense(data)
    else:
        sparse = _as_numbers(data, InvalidScores).tocsr(copy=True).astype(np.float64)
        sparse.sum_duplicates()
        shape = sparse.shape
        rows = np.repeat(np.arange(shape[0]), np.diff(sparse.indptr))
        codes, values = sparse.indices, sparse.data
    if shape[1] != len(vocabulary):
        raise InvalidScores(f"a matrix of shape {shape} does not fit {len(vocabulary)} labels")
    check_ids(ids, shape[0])
    return ScoredSets.from_entries(vocabulary, rows, codes, values, shape[0], ids, source, None, repeated)


def _as_numbers(data: Any, error: type[InvalidLabelSets] | type[InvalidScores]) -> Any:
    """A matrix of real numbers, dense or sparse, and not of what becomes one: texts, missing or complex values."""
    matrix = data if hasattr(data, "tocsr") else np.asarray(data)
    values = matrix.ravel().tolist() if matrix.dtype.kind == "O" else ()
    wrong = [value for value in values if not isinstance(value, Real | Decimal | np.bool_ | list | tuple)]
    if wrong or matrix.dtype.kind not in "biufO":
        what = repr(wrong[0]) if wrong else f"values of the type {matrix.dtype}"
        raise error(f"labels= is for a matrix of numbers, and this holds {what:.80}")
    return matrix


def _dense(data: Any) -> tuple[IntArray, IntArray, FloatArray, tuple[int, ...]]:
    try:
        matrix = np.asarray(_as_numbers(data, InvalidScores), np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, HemlpError):
            raise
        raise InvalidScores(f"labels= is for a matrix of numbers: {error}") from None
    if matrix.ndim != 2:
        raise InvalidScores(
            f"labels= is for a matrix with one row per instance and one column per class, and this has {matrix.ndim} "
            f"dimensions; of a list with one predict_proba matrix a class take the column of each that says yes"
        )
    rows, codes = np.divmod(np.arange(matrix.size), max(1, matrix.shape[1]))
    return rows, codes, matrix.ravel(), matrix.shape


def matrix_cells(data: bytes, source: str, sep: str) -> tuple[list[str], NumberedRows]:
    """The header and the rows of a text, each with its line."""
    rows = split_cells(data, source, sep)
    _, header = next(rows, (1, []))
    return header, list(rows)


def matrix_rows(columns: Mapping[str, Iterable[Any]]) -> Iterator[tuple[int, Sequence[Any]]]:
    """The rows of a table of columns."""
    return enumerate(zip(*columns.values(), strict=True), 1)


def is_matrix(header: Sequence[str], rows: Iterable[tuple[int, Sequence[Any]]], id: str | None) -> bool:
    """Whether a table must be a 0/1 matrix: ids, and several columns of 0 and 1 without special names."""
    name = id or "id"
    classes = [column for column in header if column != name]
    if name not in header or len(classes) < 2 or {column.strip().casefold() for column in classes} & NO_CLASSES:
        return False
    at = header.index(name)
    return all(cell in ONE or cell in ZERO for _, row in rows for k, cell in enumerate(row) if k != at)


def is_score_matrix(header: Sequence[str], rows: Iterable[tuple[int, Sequence[str]]], id: str | None) -> bool:
    """Whether a table must be a matrix of scores: columns of numbers without special names, perhaps with ids."""
    at = _id_column(header, id)
    classes = [column for k, column in enumerate(header) if k != at]
    if len(classes) < 2 or NO_CLASSES & {*map(str.casefold, classes)} or any(map(_is_number, classes)):
        return False
    listed = list(rows)
    if at is None and not listed:  # a single line: id, class and a score that is no number
        return False
    return all(_is_number(cell) for _, row in listed for k, cell in enumerate(row) if k != at)


def holds_scores(header: Sequence[str], rows: NumberedRows, id: str | None) -> bool:
    """Whether a table must be a matrix of scores, not all of which are integers: codes are."""
    at = _id_column(header, id)
    return is_score_matrix(header, rows, id) and any(
        float(cell) % 1 for _, row in rows for k, cell in enumerate(row) if k != at
    )


def _is_number(text: str) -> bool:
    return parse_number(text.encode()) is not None


def _id_column(header: Sequence[str], id: str | None) -> int | None:
    """The position of the ids: the column of this name, by default id, or a first column without a name."""
    if id is not None or "id" in header:
        return header.index(id or "id") if (id or "id") in header else None
    return 0 if header[:1] == [""] else None


def _class_columns(
    header: list[str], rows: NumberedRows, source: str, id: str | None
) -> tuple[list[int], list[str], tuple[Label, ...] | None]:
    """The positions of the classes, their labels, and the ids of the rows, if any."""
    at = _id_column(header, id)
    if id is not None and at is None:
        raise FileFormatError(f"{source}, line 1: no column {id!r}; the columns are {_format_header(header)}", 1)
    classes = [k for k in range(len(header)) if k != at]
    labels = [header[k] for k in classes]
    if not labels or "" in labels or len(set(labels)) < len(labels):
        raise FileFormatError(f"{source}, line 1: each column needs a class of its own: {_format_header(header)}", 1)
    for line, row in rows:
        check_width(row, header, source, line)
    ids = None if at is None else instance_ids((row[at] for _, row in rows), source)
    if ids is not None and len(set(ids)) < len(ids):
        twice = next(each for each, times in Counter(ids).items() if times > 1)
        raise FileFormatError(f"{source}: the instance {twice!r} has several rows")
    return classes, labels, ids


def read_score_matrix(header: list[str], rows: NumberedRows, source: str, id: str | None) -> ScoredSets:
    """Scores from a table whose header names the classes."""
    classes, labels, ids = _class_columns(header, rows, source, id)
    values = np.empty((len(rows), len(labels)))
    for number, (line, row) in enumerate(rows):
        for k in classes:
            if not _is_number(row[k]):
                raise InvalidScores(f"{source}, line {line}, column {header[k]!r}: {row[k]!r:.40} is not a number")
        values[number] = [float(row[k]) for k in classes]
    return scores_from_matrix(values, labels, ids, "error", source)


def read_matrix(header: list[str], rows: NumberedRows, source: str, id: str | None) -> LabelSets:
    """Label sets from a 0/1 table; ``id`` names the column of ids, by default "id" if there is one."""
    classes, labels, ids = _class_columns(header, rows, source, id)
    entries = list(_entries(header, rows, source, classes))
    at_rows, codes = (np.array([pair[k] for pair in entries], np.int64) for k in (0, 1))
    lines = np.array([rows[k][0] for k in at_rows], np.int64)
    return LabelSets(tuple(labels), row_pointers(at_rows, len(rows)), codes.astype(np.int32), ids, source, lines)


def _entries(header: list[str], rows: NumberedRows, source: str, classes: list[int]) -> Iterator[tuple[int, int]]:
    """(row, class) wherever there is a 1."""
    for number, (line, row) in enumerate(rows):
        for code, k in enumerate(classes):
            if row[k] in ONE:
                yield number, code
            elif row[k] not in ZERO:
                raise FileFormatError(
                    f"{source}, line {line}, column {header[k]!r}: {row[k]!r:.40} is neither 0 nor 1", line
                )


def _format_header(header: Sequence[str]) -> str:
    return repr(list(header)) if len(header) < 8 else f"{list(header[:8])!r} and {len(header) - 8} more"
