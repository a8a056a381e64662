"""Scores from data in memory: mappings, pairs, matrices and columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from io import IOBase
from os import PathLike
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray, as_numpy
from hemlp.errors import InvalidLabel, InvalidScores
from hemlp.hierarchy.labels import Label, as_label, is_missing
from hemlp.instances.label_sets import instance_ids
from hemlp.instances.scored_sets import Repeated, ScoredSets
from hemlp.io.frames import collect_query, column, column_names

ColumnNames = tuple[str | None, str | None, str | None]
DEFAULT_COLUMNS = ("id", "label", "score")


def infer_scores(
    data: Any, labels: Sequence[Label] | None, ids: Sequence[Label] | None, columns: ColumnNames, repeated: Repeated,
    source: str | None,
) -> ScoredSets:  # fmt: skip
    """What ``ScoredSets.of`` says."""
    if isinstance(data, str | bytes | PathLike | IOBase):
        raise InvalidScores(f"{data!r:.80} is a file or a text: read a file with hemlp.read_scores(path)")
    data, names = as_numpy(collect_query(data)), None if ids is None else instance_ids(ids, source)
    if labels is not None:
        return _from_matrix(data, labels, names, repeated, source)
    table = hasattr(data, "columns") or (isinstance(data, Mapping) and {"label", "score"} <= data.keys())
    if table or any(columns):
        if names is not None:
            raise InvalidScores("ids= names the rows of a list or a matrix; a frame has a column of them, id=")
        return _from_columns(data, columns, repeated, source)
    if hasattr(data, "tocsr") or (getattr(data, "ndim", 1) == 2 and data.dtype.kind in "biuf"):
        raise InvalidScores("a matrix of scores needs labels=, the class of each column")
    if isinstance(data, Mapping):
        if names is not None:
            raise InvalidScores("a mapping has its ids already: leave ids= out")
        names, data = instance_ids(data, source), data.values()
    if data is None or not isinstance(data, Iterable) or isinstance(data, Set):
        raise InvalidScores(f"{data!r:.80} holds no scores: give a list with one mapping label → score per instance")
    return _from_rows(data, names, repeated, source)


def _from_rows(
    data: Iterable[Any], ids: tuple[Label, ...] | None, repeated: Repeated, source: str | None
) -> ScoredSets:
    known: dict[Label, int] = {}
    lengths: list[int] = []
    codes: list[int] = []
    values: list[float] = []

    def place() -> str:
        words = f"row {len(lengths) + 1}" if ids is None else f"instance {ids[len(lengths)]!r}"
        return words if source is None else f"{source}, {words}"

    for row in data:
        if isinstance(row, Mapping):
            pairs: Any = row.items()
        elif isinstance(row, list | tuple) and all(isinstance(each, list | tuple) and len(each) == 2 for each in row):
            pairs = row
        else:
            raise InvalidScores(
                f"{place()}: {row!r:.80} is neither a mapping label → score nor a list of (label, score) pairs"
            )
        for label, score in pairs:
            try:
                codes.append(known.setdefault(as_label(label), len(known)))
            except InvalidLabel as error:
                raise InvalidLabel(f"{place()}: {error}") from None
            values.append(as_score(score, label, place()))
        lengths.append(len(pairs))
    _check_ids(ids, len(lengths))
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return _arranged(list(known), rows, codes, values, len(lengths), ids, source, None, repeated)


def as_score(value: Any, label: Any, place: str) -> float:
    """A score as a float; what is no number is an error."""
    number = value.item() if isinstance(value, np.generic) else value
    if is_missing(value):
        raise InvalidScores(f"{place}: the score of {label!r} is missing")
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise InvalidScores(f"{place}: the score of {label!r} is {value!r:.80}, which is not a number")
    try:
        return float(number)
    except OverflowError:
        raise InvalidScores(f"{place}: the score of {label!r} is too large for a number") from None


def _check_ids(ids: tuple[Label, ...] | None, size: int) -> None:
    if ids is not None and (len(ids) != size or len(set(ids)) < size):
        raise InvalidScores(f"there are {size:,} instances and {len(set(ids)):,} different ids: give one each")


def _arranged(
    vocabulary: Sequence[Label], rows: IntArray, codes: Any, values: Any, size: int, ids: tuple[Label, ...] | None,
    source: str | None, lines: IntArray | None, repeated: Repeated,
) -> ScoredSets:  # fmt: skip
    coded, scores = np.asarray(codes, np.int32), np.asarray(values, np.float64)
    return ScoredSets.from_entries(vocabulary, rows, coded, scores, size, ids, source, lines, repeated)


def _from_matrix(
    data: Any, labels: Sequence[Label], ids: tuple[Label, ...] | None, repeated: Repeated, source: str | None
) -> ScoredSets:
    if isinstance(labels, str | bytes | Set) or not isinstance(labels, Iterable) or np.ma.isMaskedArray(data):
        raise InvalidScores("a matrix without gaps, and labels= as a list in the order of its columns, are needed")
    vocabulary = tuple(map(as_label, labels))
    if len(set(vocabulary)) < len(vocabulary):
        raise InvalidScores("labels= names a class twice")
    columns = list(getattr(data, "columns", ()))
    if columns != list(range(len(columns))) and set(columns) == set(vocabulary) and columns != list(vocabulary):
        raise InvalidScores("labels= names the columns of the frame in another order than the frame itself")
    if not hasattr(data, "tocsr"):
        rows, codes, values, shape = _dense(data)
    else:
        sparse = data.tocsr(copy=True)
        sparse.sum_duplicates()
        shape = sparse.shape
        rows = np.repeat(np.arange(shape[0]), np.diff(sparse.indptr))
        codes, values = sparse.indices, sparse.data
    if shape[1] != len(vocabulary):
        raise InvalidScores(f"a matrix of shape {shape} does not fit {len(vocabulary)} labels")
    _check_ids(ids, shape[0])
    return _arranged(vocabulary, rows, codes, values, shape[0], ids, source, None, repeated)


def _dense(data: Any) -> tuple[IntArray, IntArray, FloatArray, tuple[int, ...]]:
    try:
        matrix = np.asarray(data, np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidScores(f"labels= is for a matrix of numbers: {error}") from None
    if matrix.ndim != 2:
        raise InvalidScores(
            f"labels= is for a matrix with one row per instance and one column per class, and this has {matrix.ndim} "
            f"dimensions; of a list with one predict_proba matrix a class take the column of each that says yes"
        )
    rows, codes = np.divmod(np.arange(matrix.size), max(1, matrix.shape[1]))
    return rows, codes, matrix.ravel(), matrix.shape


def _from_columns(data: Any, columns: ColumnNames, repeated: Repeated, source: str | None) -> ScoredSets:
    names = column_names(data) or list(data)
    chosen = [given or usual for given, usual in zip(columns, DEFAULT_COLUMNS, strict=True)]
    for name, usual in zip(chosen, DEFAULT_COLUMNS, strict=True):
        if name not in names:
            raise InvalidScores(
                f"there is no column {name!r}; the columns are {names}: say {usual}=, or labels= if each is a class"
            )
    of_id, of_label, of_score = (column(data, name) for name in chosen)
    if not len(of_id) == len(of_label) == len(of_score):
        raise InvalidScores(f"the columns {chosen} are of different lengths")
    return from_triples(zip(of_id, of_label, of_score, strict=True), source, None, repeated)


def from_triples(
    triples: Iterable[tuple[Any, Any, Any]], source: str | None, lines: Sequence[int] | None, repeated: Repeated
) -> ScoredSets:
    """From rows (instance id, label, score), in any order; a row without label and score is an instance without any."""
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
    return _arranged(list(known), np.array(rows, np.int64), codes, values, len(instances),
                     instance_ids(instances, source), source, np.array(kept, np.int64), repeated)  # fmt: skip
