"""Label sets from (instance, label) pairs in any order: columns of a frame, and tables with one pair per line."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hemlp.arrays import IntArray, row_pointers
from hemlp.errors import Advice, FileFormatError, InvalidLabel, InvalidLabelSets
from hemlp.hierarchy.labels import Label, as_label, is_missing
from hemlp.instances.ambiguity import refuse_score_columns, score_columns, threshold_advice
from hemlp.instances.formats.label_lists import from_rows
from hemlp.instances.label_sets import LabelSets, RowKind, instance_ids
from hemlp.io.frames import BatchedColumn, Coded, code_column, code_list, column, column_names, name_columns
from hemlp.io.text import QUOTING, check_width, read_columns, read_regular_cells, split_cells


def from_columns(data: Any, id: str | None, label: str, rows: RowKind | None, source: str | None) -> LabelSets:
    """From a column of labels, or of lists of labels, and perhaps one of instance ids."""
    used = (label,) if id is None else (id, label)
    names = column_names(data) or name_columns(data)
    for name in used:
        if name not in names:
            raise InvalidLabelSets(f"there is no column {name!r}; the columns are {names}")
    if any(getattr(data[name], "ndim", 1) != 1 for name in used):
        raise InvalidLabelSets(f"a column {label!r} (or {id!r}) stands in the frame several times")
    if score_columns(names) and id is not None and len({*column(data, id)}) < len(data[id]):  # else a row per instance
        refuse_score_columns(names, used)
    instance = next((name for name in names if id is None and str(name).casefold() == "id"), None)
    if instance is not None and instance != label:
        raise InvalidLabelSets(
            f"the column {instance!r} would be left out: say id={instance!r}, or give {label!r} alone"
        )
    if id is not None:
        sets = _code_pairs(code_column(data[id]), code_column(data[label]), source, None)
        if sets is not None:
            return sets
    values, *further = (data[n] if isinstance(data[n], BatchedColumn) else column(data, n) for n in used[::-1])
    if id is None:
        return from_rows((() if is_missing(value) else value for value in values), rows, source)
    (keys,) = further
    if len(keys) != len(values):
        raise InvalidLabelSets(f"column {id!r} has {len(keys)} rows, column {label!r} {len(values)}")
    if any(isinstance(value, list | tuple | set | np.ndarray) for value in values):
        return _from_lists(keys, values, rows, source)
    return from_pairs(keys, (None if is_missing(value) else value for value in values), source)


def _from_lists(ids: Iterable[Any], values: Iterable[Any], rows: RowKind | None, source: str | None) -> LabelSets:
    """From one row per instance, with a list of its labels."""
    names = instance_ids(ids, source)
    if len(set(names)) < len(names):
        twice = max(names, key=names.count)
        raise InvalidLabelSets(f"{source or 'data'}: the instance {twice!r} has several rows with lists of labels")
    return replace(from_rows((() if is_missing(v) else v for v in values), rows or "sets", source), ids=names)


def from_pairs(
    ids: Sequence[Any] | BatchedColumn, labels: Iterable[Any], source: str | None, lines: Sequence[int] | None = None
) -> LabelSets:
    """Label sets from rows (instance id, label), in any order; None stands for no label."""
    if isinstance(ids, list) and isinstance(labels, list):
        sets = _code_pairs(code_list(ids), code_list(labels), source, None if lines is None else np.asarray(lines))
        if sets is not None:
            return sets
    instances: dict[Label, int] = {}
    known: dict[Label, int] = {}
    rows = np.empty(len(ids), np.int64)
    codes = np.empty(len(ids), np.int32)
    for k, (key, label) in enumerate(zip(ids, labels, strict=True)):
        try:
            rows[k] = instances.setdefault(as_label(key), len(instances))
            codes[k] = -1 if label is None else known.setdefault(as_label(label), len(known))
        except InvalidLabel as error:
            line = k + 1 if lines is None else lines[k]
            raise InvalidLabel(f"{source or 'data'}, line {line}: {error}") from None
    names = instance_ids(instances, source)
    return from_coded_pairs(names, rows, known, codes, source, None if lines is None else np.asarray(lines))


def _code_pairs(
    ids: Coded | None, labels: Coded | None, source: str | None, lines: IntArray | None
) -> LabelSets | None:
    """Label sets from regular columns, much faster; None for others."""
    if ids is None or labels is None or len(ids[1]) != len(labels[1]) or "" in ids[0] or "" in labels[0]:
        return None
    if (ids[1] < 0).any():
        return None
    return from_coded_pairs(instance_ids(ids[0], source), ids[1], *labels, source, lines)


def from_coded_pairs(
    ids: Iterable[Label], rows: IntArray, labels: Iterable[Label], codes: IntArray, source: str | None,
    lines: IntArray | None,
) -> LabelSets:  # fmt: skip
    """Label sets from the instance and the label of each row, as positions among ``ids`` and ``labels``; -1: none."""
    names = tuple(ids)
    if (codes < 0).any() or (rows[1:] < rows[:-1]).any():
        order = np.argsort(rows, kind="stable")
        order = order[codes[order] >= 0]
        rows, codes, lines = rows[order], codes[order], None if lines is None else lines[order]
    return LabelSets(tuple(labels), row_pointers(rows, len(names)), codes, names, source, lines)


def read_headless(data: bytes, source: str, sep: str) -> LabelSets:
    """Label sets from lines of an id and a label, without a header."""
    if sep.isascii() and sep not in ' "' and not (sep in QUOTING and b'"' in data):
        cells = read_columns(data, source, 0, sep, "tt")
        if cells.wrong is None:
            cells = cells if cells.bare else cells.clean(str.strip)
            if "" not in cells.texts[0] and "" not in cells.texts[1]:
                (ids, labels), (rows, codes) = cells.texts, cells.codes
                return from_coded_pairs(ids, rows, labels, codes, source, cells.lines)
    lines = list(split_cells(data, source, sep))
    for line, row in lines:
        if len(row) != 2:
            error = FileFormatError(f"{source}, line {line}: {len(row)} cells instead of id and label", line)
            raise error.with_advice(Advice("format", "lines", "if lines are instances with labels between spaces"))
    return _read_rows(lines, source, ["id", "label"], 0, 1)


def read_pairs(data: bytes, source: str, sep: str, id: str | None, label: str | None) -> LabelSets:
    """Label sets from the columns ``id`` and ``label``; others are an error unless both are named on purpose, or that
    of labels is and each instance has one row."""
    rows = split_cells(data, source, sep)
    first, header = next(rows, (1, []))
    if header[:1] == [""] and "id" not in header and len(header) > 1:  # an index, as pandas writes it
        header[0] = "id"
    if {"EntryID", "term"} <= {*header} <= {"EntryID", "term", "aspect"} and id is label is None:  # of CAFA 5
        id, label = "EntryID", "term"
    on_purpose, named = label is not None, id is not None
    id, label = id or "id", label or "label"
    _check_header(header, id, label, source, on_purpose)
    at_id, at_label = header.index(id), header.index(label)
    sets = _regular(data, source, sep, len(header), at_id, at_label) if first == 1 else None
    if sets is None:
        sets = _read_rows(rows, source, header, at_id, at_label)
    several = (np.diff(sets.ptr) > 1).any()
    if not named and several:
        _check_header(header, id, label, source, False)
    scores = score_columns(name for name in header if name not in (id, label))
    if several and scores and (id, label) != ("id", "label"):  # named because they had to be
        warnings.warn(
            f"{source}: all rows count, whatever their {scores[0]!r}; FILE@0.5 (hemlp.read_scores) sets a threshold",
            stacklevel=2,
        )
    return sets


def _read_rows(
    rows: Iterable[tuple[int, list[str]]], source: str, header: list[str], at_id: int, at_label: int
) -> LabelSets:
    ids, labels, lines = [], [], []
    for line, row in rows:
        check_width(row, header, source, line)
        if not row[at_id]:
            raise FileFormatError(f"{source}, line {line}: no instance id in the column {header[at_id]!r}", line)
        ids.append(row[at_id])
        labels.append(row[at_label] or None)
        lines.append(line)
    return from_pairs(ids, labels, source, lines)


def _regular(data: bytes, source: str, sep: str, width: int, at_id: int, at_label: int) -> LabelSets | None:
    """Label sets from a file in which every line is a pair, much faster; None for any other."""
    cells = read_regular_cells(data, source, sep, width, (at_id, at_label))
    if cells is None or "" in cells.texts[at_id]:
        return None
    labels, codes = cells.texts[at_label], cells.codes[at_label]
    if "" in labels:  # an empty label is none
        empty = labels.index("")
        codes = np.where(codes == empty, -1, codes - (codes > empty)).astype(np.int32)
    return from_coded_pairs(cells.texts[at_id], cells.codes[at_id], filter(None, labels), codes, source, cells.lines)


def is_score_line(cells: list[str]) -> bool:
    """Whether a line without a header is id, class and score."""
    return len(cells) == 3 and re.fullmatch(r"[-+\d.e]+", cells[2], re.IGNORECASE) is not None


def uncut_scores_error(source: str, where: str = "in lines of id, class and score") -> FileFormatError:
    """What to do with a file of scores in the place of labels."""
    return FileFormatError(
        f"{source} holds scores, {where}: give predictions with a cut-off, {source}@0.5 or "
        f"{source}@top5 (in Python: hemlp.read_scores). True labels have no scores: are the sides swapped?",
        1,
    )


def _near(name: str, header: list[str]) -> str:
    """The end of a message about a missing column."""
    for other in header:
        if name.casefold() in (other.casefold(), other.casefold().removesuffix("s")):
            return f"; did you mean {other!r}?"
    if {"parent", "parent_id"} & {other.casefold() for other in header}:
        return ": it looks like a hierarchy, and labels are read here"
    return " (the first line of such a file names its columns)"


def _separators(header: list[str]) -> list[Advice]:
    """What may separate the columns of a header that looks like one cell."""
    if len(header) != 1:
        return []
    return [Advice("sep", sep, "if that separates the columns") for sep in ";\t|," if sep in header[0]][:1]


def _check_header(header: list[str], id: str, label: str, source: str, on_purpose: bool) -> None:
    """Refuse a header that lacks one of the two columns, or has others that are not left out on purpose."""
    place = f"{source}, line 1"
    if not any(header):
        raise FileFormatError(f"{source} is empty: the first line of such a file names its columns, id and label", 1)
    for name in (id, label):
        if name not in header and is_score_line(header):
            raise uncut_scores_error(source)
        if name not in header:
            error = FileFormatError(f"{place}: no column {name!r}; the columns are {header}{_near(name, header)}", 1)
            columns = Advice("id", "COLUMN", "to name both columns, the same in all files", (("label", "COLUMN"),))
            raise error.with_advice(*(_separators(header) or [columns]))
        if header.count(name) > 1:
            raise FileFormatError(f"{place}: the column {name!r} occurs {header.count(name)} times", 1)
    further = [name for name in header if name not in (id, label)]
    if further and not on_purpose:
        raise FileFormatError(
            f"{place}: beside {id!r} and {label!r} there are the columns {further}, which label sets do not have"
            f"{threshold_advice(further) or '. Take them out of the file'}",
            1,
        ).with_advice(Advice("id", id, "to leave them out on purpose", (("label", label),)))
