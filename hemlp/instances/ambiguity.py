"""Refuse data that only looks like label sets: scores, tables, matrices, files, paths.

Each is refused with a sentence that says how to say what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from io import IOBase
from numbers import Real
from typing import Any

import numpy as np

from hemlp.errors import InvalidLabel, InvalidLabelSets
from hemlp.hierarchy.labels import as_label
from hemlp.io.frames import column_names

_SCORE = re.compile(r"score|conf|prob|weight|logit|likelihood|certain|similarity|relevance|\brank|^p$", re.IGNORECASE)
_LAST_CLASS = "rows='paths' in LabelSets.of takes the last class of each row"


def refuse_what_has_no_rows(data: Any) -> None:
    """Refuse data that has no rows, or whose rows would not be label sets."""
    if isinstance(data, IOBase):
        raise InvalidLabelSets(f"{data!r} is a file that is open: give its path")
    if isinstance(data, str | bytes | bytearray):
        raise InvalidLabelSets(
            f"{data!r:.80} is one string, and no file of that name can be read: give a list with one label set per "
            f"instance, or the path of a label file; of a file of scores, hemlp.read_scores(path).at(0.5)"
        )
    if data is None or not (hasattr(data, "__iter__") or hasattr(data, "tocsr")) or getattr(data, "ndim", 1) == 0:
        raise InvalidLabelSets(f"{data!r} holds no label sets: give a list with one label set per instance")
    if isinstance(data, set | frozenset):
        raise InvalidLabelSets(
            f"{data!r:.80} is a set, which has no order: give a list with one label set per instance, [{{...}}] for one"
        )


def refuse_tables(data: Any, rows: str | None) -> None:
    """Refuse frames, matrices and dicts of columns without the names of their columns, and arrays of labels without
    ``rows``."""
    names = column_names(data)
    if names is not None:
        raise InvalidLabelSets(
            f"a frame has the columns id and label, or needs label= (and id=), as in LabelSets.of(frame, id=..., "
            f"label=...); its columns are {names}" + threshold_advice(names)
        )
    numeric = getattr(getattr(data, "dtype", None), "kind", None) in ("b", "i", "u", "f")
    several = getattr(data, "ndim", 1) > 1
    if hasattr(data, "tocsr") or (several and numeric):
        raise InvalidLabelSets(
            "a matrix needs labels=, the class of each column; if its numbers are classes, give lists"
        )
    if several and (rows is None or (data.ndim > 2 and rows == "sets")):
        raise InvalidLabelSets(
            f"an array of labels of shape {data.shape} holds sets or paths: say rows='sets' (all labels of a row; two "
            f"dimensions), or rows='paths' (from the top down, of which the last class is the label)"
        )
    if isinstance(data, Mapping) and {"id", "label"} <= data.keys():
        raise InvalidLabelSets(
            f"a dict with the keys {list(data)} looks like columns, not like instances: give LabelSets.of(..., "
            f"id='id', label='label')" + threshold_advice(list(data))
        )


def default_columns(data: Any) -> tuple[str | None, str] | None:
    """The columns of ids and of labels of a frame that has no others, by their common names; None for anything else."""
    names = column_names(data)
    label = next((name for name in ("label", "labels") if names and name in names), None)
    if label is None or names is None or not {*names} <= {"id", label}:
        return None
    return "id" if "id" in names else None, label


def score_columns(names: Iterable[Any]) -> list[str]:
    """The columns whose names suggest scores."""
    return [name for name in names if _SCORE.search(str(name))]


def threshold_advice(names: Iterable[Any]) -> str:
    """The end of a message about columns, if one may hold scores."""
    scores = score_columns(names)
    advice = "keep the rows above a threshold first (FILE@0.5 on the command line)"
    return f"; {scores[0]!r} looks like scores: {advice}" if scores else ""


def refuse_score_columns(columns: Sequence[Any], used: Sequence[str]) -> None:
    """Refuse a frame with scores beside the columns that are ``used``: every row would count, whatever its score."""
    scores = score_columns(name for name in columns if name not in used)
    if scores:
        raise InvalidLabelSets(
            f"the column {scores[0]!r} looks like scores, and label sets have none: keep the rows above a threshold, "
            f"and give the columns {list(used)} alone"
        )


def refuse_mapping(row: Mapping[Any, Any], place: str) -> None:
    """Refuse a row that maps its labels to values."""
    if row and all(isinstance(value, Real) for value in row.values()):
        raise InvalidLabelSets(
            f"{place}: {dict(row)!r:.80} maps labels to scores, and label sets have none: apply a threshold first, as "
            f"in hemlp.ScoredSets.of(rows).at(0.5)"
        )
    raise InvalidLabelSets(f"{place}: {dict(row)!r:.80} is a dict, not a label set: give a list of its labels")


def row_error(row: Sequence[Any], place: str, error: InvalidLabel) -> InvalidLabel | InvalidLabelSets:
    """The error for a row that does not hold labels; ``error`` is about the first such value."""
    if any(isinstance(value, str) and not value for value in row):
        return InvalidLabelSets(
            f"{place}: {format_row(row)} holds an empty string, which is no label. If rows are paths that are padded, "
            f"{_LAST_CLASS}"
        )
    pairs = [value for value in row if isinstance(value, tuple | list) and len(value) == 2]
    if pairs and all(_is_label(label) and isinstance(score, Real) for label, score in pairs):
        return InvalidLabelSets(
            f"{place}: {pairs[0]!r:.80} looks like a label and its score, and label sets have no scores: apply a "
            f"threshold first, as in hemlp.ScoredSets.of(rows).at(0.5)"
        )
    if len(row) > 1 and all(isinstance(value, Real | np.bool_) for value in row) and not any(map(_is_label, row)):
        return InvalidLabelSets(
            f"{place}: {format_row(row)} holds no labels but numbers: apply a threshold to scores first, and name the "
            f"class of each column of a 0/1 matrix with labels="
        )
    if len(row) == 2 and _is_label(row[0]) and isinstance(row[1], float | np.floating):
        return InvalidLabelSets(
            f"{place}: {format_row(row)} looks like a label and its score, and label sets have no scores: apply a "
            f"threshold first, and give the label alone"
        )
    return InvalidLabel(f"{place}: {error}")


def refuse_indicators(vocabulary: Iterable[Any], rows: Sequence[Sequence[int]]) -> None:
    """Refuse a 0/1 matrix in lists: rows of equal length with 0 and 1 only, some of them repeated."""
    if set(vocabulary) != {0, 1} or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return
    if any(len(set(row)) < len(row) for row in rows):
        raise InvalidLabelSets(
            "the rows look like a 0/1 matrix, which needs labels=, the class of each column; if 0 and 1 are classes, "
            "say so with rows='sets' (--rows sets)"
        )


def format_row(row: Iterable[Any]) -> str:
    """The values of a row for a message, without the types of numpy."""
    return f"{[value.item() if isinstance(value, np.generic) else value for value in row]!r:.80}"


def _is_label(value: object) -> bool:
    try:
        as_label(value)
    except InvalidLabel:
        return False
    return True
