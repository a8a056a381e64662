"""Scores from one list per instance: mappings label → score or pairs in memory, ``class:score`` lines, JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hemlp.arrays import entry_rows, pointers
from hemlp.errors import FileFormatError, InvalidLabel, InvalidScores
from hemlp.hierarchy.labels import Label, as_label
from hemlp.instances.formats.score_tables import DEFAULT_COLUMNS, as_score, check_ids, from_triples
from hemlp.instances.scored_sets import Repeated, ScoredSets
from hemlp.io.frames import number_column
from hemlp.io.text import parse_number, word_rows


def from_rows(data: Iterable[Any], ids: tuple[Label, ...] | None, repeated: Repeated, source: str | None) -> ScoredSets:
    """From a mapping label → score, or a list of such pairs, per instance."""
    if not isinstance(data, list | tuple):
        data = list(data)
    scores = _from_dicts(data, ids, repeated, source) if {*map(type, data)} == {dict} else None
    if scores is not None:
        return scores
    known: dict[Label, int] = {}
    lengths: list[int] = []
    codes: list[int] = []
    values: list[float] = []

    def place() -> str:
        row = f"row {len(lengths) + 1}" if ids is None else f"instance {ids[len(lengths)]!r}"
        return row if source is None else f"{source}, {row}"

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
    check_ids(ids, len(lengths))
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return ScoredSets.from_entries(list(known), rows, codes, values, len(lengths), ids, source, None, repeated)


def _from_dicts(
    data: Sequence[dict[Any, Any]], ids: tuple[Label, ...] | None, repeated: Repeated, source: str | None
) -> ScoredSets | None:
    """Scores from regular dicts, faster; None for any others."""
    from hemlp.kernels.text.label_sets import code_rows

    ptr = pointers(list(map(len, data)))
    coded = code_rows(data, int(ptr[-1]))
    values = number_column([score for row in data for score in row.values()])
    if coded is None or values is None or "" in coded[0] or (coded[1] < 0).any():
        return None
    check_ids(ids, len(data))
    return ScoredSets.from_entries(coded[0], entry_rows(ptr), coded[1], values, len(data), ids, source, None, repeated)


def read_tokens(data: bytes, source: str, repeated: Repeated) -> ScoredSets:
    """Scores from rows of ``class:score``; the last colon separates the two."""
    texts, codes, ptr = word_rows(data, source)
    rows = np.repeat(np.arange(ptr.size - 1), np.diff(ptr))
    known: dict[str, int] = {}
    classes, values = np.empty(len(texts), np.int32), np.empty(len(texts))
    for k, text in enumerate(texts):
        name, colon, score = text.rpartition(":")
        number = parse_number(score.encode())
        if not (name and colon) or number is None:
            line = int(rows[np.flatnonzero(codes == k)[0]]) + 1
            raise FileFormatError(
                f"{source}, line {line}: {text!r} is not class:score; a file of scores has such tokens, or lines "
                f"id<TAB>class<TAB>score", line,
            )  # fmt: skip
        classes[k], values[k] = known.setdefault(name, len(known)), number
    return ScoredSets.from_entries(
        list(known), rows, classes[codes], values[codes], ptr.size - 1, None, source, rows + 1, repeated
    )


def read_json_lines(text: str, source: str, named: tuple[str | None, ...], repeated: Repeated) -> ScoredSets:
    """Scores from objects with all scores of an instance, or one score each."""
    of_id, of_label, of_score = (given or default for given, default in zip(named, DEFAULT_COLUMNS, strict=True))
    seen: set[Any] = set()
    has_ids: bool | None = None
    triples: list[tuple[Any, Any, Any]] = []
    lines: list[int] = []
    for line, row in _objects(text, source):
        if isinstance(row.get("results"), list) and "scores" not in row:  # of Annif
            row["scores"] = [
                [each.get("uri"), each.get("score")] if isinstance(each, dict) else each for each in row.pop("results")
            ]
            row = {of_id: row["document_id"], **row} if row.get("document_id") is not None else row
        has_ids = of_id in row if has_ids is None else has_ids
        if (of_id in row) != has_ids:
            raise FileFormatError(f"{source}, line {line}: some lines have an id and some have none", line)
        key = row[of_id] if has_ids else len(seen)
        if "scores" in row and key in seen:
            raise FileFormatError(f"{source}, line {line}: there is an instance {key!r} already", line)
        pairs = _pairs(row.get("scores", [[row.get(of_label), row.get(of_score)]]))
        if pairs is None or not ("scores" in row or {of_id, of_label, of_score} <= row.keys()):
            raise FileFormatError(
                f'{source}, line {line}: not {{"id": ..., "scores": {{class: score}}}} or {{"id": ..., "label": ..., '
                f'"score": ...}}', line,
            )  # fmt: skip
        seen.add(key)
        triples += [(key, label, score) for label, score in pairs] or [(key, None, None)]
        lines += [line] * max(1, len(pairs))
    scores = from_triples(triples, source, lines, repeated)
    return scores if has_ids else replace(scores, ids=None)


def _pairs(scores: Any) -> list[Any] | None:
    """(label, score) pairs of an instance, None for anything else."""
    if isinstance(scores, dict):
        return list(scores.items())
    good = isinstance(scores, list) and all(isinstance(each, list) and len(each) == 2 for each in scores)
    return scores if good else None


def _objects(text: str, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, row in enumerate(text.split("\n"), 1):
        if not row.strip():
            continue
        try:
            made = json.loads(row)
        except ValueError as error:
            raise FileFormatError(f"{source}, line {line}: not JSON: {error}", line) from None
        lists = () if not isinstance(made, dict) else (key for key, value in made.items() if isinstance(value, list))
        if not isinstance(made, dict) or not {*lists} <= {"scores", "results", "subjects"}:
            raise FileFormatError(f"{source}, line {line}: not a JSON object of plain values and scores", line)
        yield line, made
