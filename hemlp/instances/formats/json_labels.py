"""Label sets in JSON: one instance per line (or list element), or an object that maps ids to labels."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from typing import Any

from hemlp.arrays import entry_rows, pointers
from hemlp.errors import Advice, FileFormatError
from hemlp.instances.ambiguity import score_columns, threshold_advice
from hemlp.instances.formats.annif import subject_list
from hemlp.instances.formats.label_lists import code_lists
from hemlp.instances.formats.label_pairs import from_pairs
from hemlp.instances.label_sets import LabelSets
from hemlp.io.text import collector_paused, load_json, load_json_lines

_LABELS = ("labels", "label", "subjects")
_OTHERS = re.compile(r"labels?|.*(pred|gold|true|truth|target).*", re.IGNORECASE)
"""Names of fields that seem to hold labels, too: those of the other side, for example."""


@collector_paused()
def read_json_labels(text: str, source: str, lines: bool, id: str | None, label: str | None) -> LabelSets:
    """``["a", "b"]``, ``"a"``, or ``{"id": ..., "labels": [...]}`` for each instance; ``lines``: one per line."""
    if lines:
        texts = _lines(text, source)
        if (sets := _from_objects(load_json_lines(texts, source), source, id, label)) is not None:
            return sets
        rows = [*load_json_lines(texts, source)]
    else:
        data = load_json(text, source)
        if isinstance(data, dict):
            if data and "" not in data and (sets := code_lists([*data.values()], source)) is not None:
                return replace(sets, ids=tuple(data))
            data = [{id or "id": key, label or "labels": value} for key, value in data.items()]
        if not isinstance(data, list):
            raise FileFormatError(f"{source} holds neither a list of instances nor an object that maps ids to labels")
        if (sets := _from_objects(data, source, id, label)) is not None:
            return sets
        rows = data
    return _label_sets(rows, f"{source}, line" if lines else f"{source}, element", source, id, label)


def _lines(text: str, source: str) -> list[str]:
    """The lines of a text, none of which is blank."""
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            raise FileFormatError(f"{source}, line {number}: a blank line; an instance without labels is []", number)
    return lines


def _from_objects(rows: Iterable[Any], source: str, id: str | None, label: str | None) -> LabelSets | None:
    """Label sets from objects with an id and a list only, one after the other; None for any others."""
    from hemlp.kernels.text.label_sets import code_objects

    each = iter(rows)
    first = next(each, None)
    if type(first) is not dict:
        return None
    key, column = id or "id", label or next((name for name in _LABELS if name in first), "labels")
    coded = code_objects(chain([first], each), key, column)
    if coded is None:
        return None
    ids, lengths, vocabulary, codes = coded
    if "" in ids or "" in vocabulary or len({*ids}) < len(ids):
        return None
    ptr = pointers(lengths)
    return LabelSets(tuple(vocabulary), ptr, codes, tuple(ids), source, entry_rows(ptr) + 1)


def _label_sets(rows: list[Any], place: str, source: str, id: str | None, label: str | None) -> LabelSets:
    sets = code_lists(rows, source)
    if sets is not None:
        return sets
    keys: list[Any] = []
    labels: list[Any] = []
    numbers: list[int] = []
    whole: set[Any] = set()
    named: bool | None = None
    for number, row in enumerate(rows, 1):
        where = f"{place} {number}"
        key, own, many = _instance(row, where, number, id, label)
        named = (key is not None) if named is None else named
        if named != (key is not None):
            raise FileFormatError(f"{where}: some instances have an id and some have none", number)
        key = number if key is None else key
        if key in whole or (many and key in keys[-1:]):
            raise FileFormatError(f"{where}: there is an instance {key!r} already", number)
        if many:
            whole.add(key)
        keys += [key] * max(1, len(own))
        labels += own or [None]
        numbers += [number] * max(1, len(own))
    made = from_pairs(keys, labels, source, numbers)
    return made if named else replace(made, ids=None)


def _instance(row: Any, place: str, number: int, id: str | None, label: str | None) -> tuple[Any, list[str], bool]:
    """The id of an instance or None, its labels, and whether these are all."""
    key, value = None, row
    if isinstance(row, dict):
        column = label or next((name for name in _LABELS if name in row), "labels")
        if column not in row and isinstance(row.get("results"), list):
            raise FileFormatError(
                f"{place}: results without subjects: these are Annif suggestions with scores, which "
                f"hemlp.read_scores reads, on the command line as FILE@0.3", number,
            )  # fmt: skip
        if column not in row or (id is not None and id not in row):
            wanted = column if column not in row else id
            advice = Advice("label" if column not in row else "id", "NAME", "to name another field")
            hint = threshold_advice(row)
            raise FileFormatError(f"{place}: no field {wanted!r} among {list(row)}{hint}", number).with_advice(advice)
        of_id = id or ("document_id" if "document_id" in row and "id" not in row else "id")
        key, value = row.get(of_id), row[column]
        value = subject_list(value, place) if column == "subjects" else value
        further = [name for name in row if name not in (of_id, column)] if len(row) > 1 + (key is not None) else []
        scores, others = score_columns(further), [name for name in further if _OTHERS.fullmatch(name)]
        if others and label is None:
            raise FileFormatError(f"{place}: {column!r} and {others[0]!r} both look like labels", number).with_advice(
                Advice("label", others[0], "to read these"), Advice("label", column, "to read those")
            )
        if scores and label is None:
            raise FileFormatError(
                f"{place}: {scores[0]!r} looks like scores, and label sets have none: give FILE@0.5 (in Python: "
                f"hemlp.read_scores)",
                number,
            ).with_advice(Advice("label", column, "to leave them out on purpose"))
        if key is not None and not isinstance(key, str):
            raise FileFormatError(f"{place}: the id {key!r:.60} is neither a string nor a number", number)
    many = isinstance(value, list)
    return key, _check_labels(value if many else [] if value is None else [value], place, number), many or key is None


def _check_labels(labels: Iterable[Any], place: str, number: int) -> list[str]:
    made = list(labels)
    if {*map(type, made)} == {str} and "" not in made:
        return made
    for label in made:
        if not isinstance(label, str) or not label:
            raise FileFormatError(f"{place}: {label!r:.60} is not a label: labels are strings or integers", number)
    return made
