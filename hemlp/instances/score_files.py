"""Scores from files: ``id<TAB>class<TAB>score`` lines, rows of ``class:score``, JSON lines; and gold beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Any

import numpy as np

from hemlp.errors import Advice, FileFormatError, HemlpError, InvalidOption, InvalidScores
from hemlp.hierarchy.labels import Label
from hemlp.instances.formats.score_triples import CAFA_HEADS, as_number, read_triples
from hemlp.instances.formats.scores import DEFAULT_COLUMNS, from_triples
from hemlp.instances.label_files import read_labels
from hemlp.instances.label_sets import LabelSets, RowKind, from_pairs
from hemlp.instances.scored_sets import Repeated, ScoredSets
from hemlp.io.cells import word_rows
from hemlp.io.text import SEPARATORS, check_separator, decode, file_kind, file_reader, read_bytes, split_cells
from hemlp.options import check_choice

JSON_KINDS = (".jsonl", ".ndjson")
FORMATS = ("table", "lines", "jsonl")


@file_reader
def read_scores(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    sep: str | None = None,
    id: str | None = None,
    label: str | None = None,
    score: str | None = None,
    repeated: Repeated = "error",
) -> ScoredSets:
    r"""Read scored predictions, gzipped or not.

    - one score a line, ``id<TAB>class<TAB>score`` as in CAFA, in any order, with or without a first line that names the
      columns (.csv files: between commas, with such a line);
    - one instance a line, ``class:score`` tokens separated by spaces; a blank line is an instance without scores;
    - JSON lines (.jsonl): ``{"id": ..., "scores": {class: score}}``, or ``{"id": ..., "label": ..., "score": ...}``.

    Parameters
    ----------
    path
        The file.
    format
        "table" (one score a line), "lines" (one instance a line) or "jsonl"; by default the file tells.
    sep
        What separates the cells of a file with one score a line.
    id, label, score
        Names of its columns, or of the fields of JSON lines with one score each; lines without a first one that names
        columns have none to be named.
    repeated
        Two scores of one class in one instance are an "error", or the greatest counts ("max").

    Raises
    ------
    UnreadableFile, FileFormatError, InvalidScores
        With the line where something is wrong.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "scores.tsv")
    ...     _ = path.write_text("P1\tsheep\t0.9\nP2\tcow\t0.3\nP1\tcow\t0.4\n")
    ...     dict(zip(read_scores(path).ids, read_scores(path), strict=True))
    {'P1': {'sheep': 0.9, 'cow': 0.4}, 'P2': {'cow': 0.3}}
    """
    check_choice("repeated", repeated, ("error", "max"))
    check_separator(sep)
    source, data = read_bytes(path)
    if data.startswith(b"PAR1"):
        raise FileFormatError(
            f"{source} is a Parquet file, and scores are read from text: give ScoredSets.of a frame of it"
        )
    kind, named = file_kind(source), (id, label, score)
    if format is not None:
        check_choice("format", format, FORMATS)
    if format == "jsonl" or (format is None and kind in JSON_KINDS):
        return _from_json_lines(decode(data, source), source, named, repeated)
    first = _first_line(data)
    if _is_triple(first, sep, named):
        named = (None, None, None)
    if format == "lines":
        if sep is not None or any(named):
            raise InvalidOption(f"{source}: tokens class:score have no columns, and blanks between them")
        return _from_tokens(data, source, repeated)
    if format is None and sep is None and kind not in SEPARATORS and b"\t" not in first and not any(named):
        words = first.split()
        if len(words) != 3 or as_number(words[2]) is None:
            return _from_tokens(data, source, repeated)
    elif sep is None:
        sep = SEPARATORS.get(kind, "\t")
    if sep in ("\t", None) and not any(named) and as_number(first.split(b"\t" if sep else None)[-1]) is not None:
        return read_triples(data, source, sep, repeated)
    return _from_table(decode(data, source), source, sep or "\t", named, repeated)


def _first_line(data: bytes) -> bytes:
    """The first line that is neither blank nor a head of CAFA's."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        line = data[start : end if end >= 0 else len(data)].strip(b"\r\n")
        if line.strip() and not line.startswith(CAFA_HEADS):
            return line
        start = end + 1 if end >= 0 else len(data)
    return b""


def _is_triple(line: bytes, sep: str | None, named: Sequence[str | None]) -> bool:
    """Whether a line is id, class and score between tabs, and names none of the columns."""
    cells = [cell.strip() for cell in line.split(b"\t")]
    heads = {name.encode() for name in named if name}
    return sep in (None, "\t") and len(cells) == 3 and as_number(cells[2]) is not None and not heads & {*cells}


# ---- one score a line


def _from_table(text: str, source: str, sep: str, named: tuple[str | None, ...], repeated: Repeated) -> ScoredSets:
    """From a table whose first line names its columns."""
    rows = split_cells(text, source, sep)
    line, header = next(rows, (1, []))
    chosen = [given or usual for given, usual in zip(named, DEFAULT_COLUMNS, strict=True)]
    if not named[1] and "label" not in header and "class" in header:
        chosen[1] = "class"
    for name, option in zip(chosen, DEFAULT_COLUMNS, strict=True):
        if header.count(name) != 1:
            raise FileFormatError(
                f"{source}, line {line}: no column {name!r} among {header}: a file of scores has lines id, class, "
                f"score, or a first line that names these columns", line,
            ).with_advice(Advice(option, "COLUMN", "to say which one is meant"))  # fmt: skip
    at = [header.index(name) for name in chosen]
    found: list[tuple[Any, Any, Any]] = []
    lines = []
    for line, row in rows:
        if len(row) != len(header):
            raise FileFormatError(f"{source}, line {line}: {len(row)} cells, the header has {len(header)}", line)
        key, label, score = (row[k] for k in at)
        if not key:
            raise FileFormatError(f"{source}, line {line}: no instance id in the column {chosen[0]!r}", line)
        found.append((key, label or None, _parsed(score, label, source, line)))
        lines.append(line)
    return from_triples(found, source, lines, repeated)


def _parsed(text: str, label: str, source: str, line: int) -> float | None:
    if not text and not label:
        return None
    number = as_number(text.encode())
    if number is None:
        what = f"is {text!r}, which is not a number" if text else "is missing"
        raise InvalidScores(f"{source}, line {line}: the score of {label!r} {what}")
    return number


# ---- one instance a line


def _from_tokens(data: bytes, source: str, repeated: Repeated) -> ScoredSets:
    """From rows of ``class:score``; what is before the last colon is the class."""
    texts, codes, ptr = word_rows(data, source)
    rows = np.repeat(np.arange(ptr.size - 1), np.diff(ptr))
    known: dict[str, int] = {}
    classes, values = np.empty(len(texts), np.int32), np.empty(len(texts))
    for k, text in enumerate(texts):
        name, colon, score = text.rpartition(":")
        number = as_number(score.encode())
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


def _from_json_lines(text: str, source: str, named: tuple[str | None, ...], repeated: Repeated) -> ScoredSets:
    """From objects with all scores of an instance, or with one score each."""
    of_id, of_label, of_score = (given or usual for given, usual in zip(named, DEFAULT_COLUMNS, strict=True))
    seen: set[Any] = set()
    has_ids: bool | None = None
    triples: list[tuple[Any, Any, Any]] = []
    lines: list[int] = []
    for line, row in _objects(text, source):
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
    found = from_triples(triples, source, lines, repeated)
    return found if has_ids else replace(found, ids=None)


def _pairs(scores: Any) -> list[Any] | None:
    """(label, score) pairs of an instance, None if they are something else."""
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
        if not isinstance(made, dict) or any(isinstance(value, list) for key, value in made.items() if key != "scores"):
            raise FileFormatError(f"{source}, line {line}: not a JSON object of plain values and scores", line)
        yield line, made


# ---- what functions on scores take


def as_scores(
    data: Any, *, labels: Sequence[Label] | None = None, source: str = "predictions", id: str | None = None,
    label: str | None = None,
) -> ScoredSets:  # fmt: skip
    """Scores as they are, from a file, or from data in memory; ``id``, ``label``: columns of a file or frame."""
    if isinstance(data, str | PathLike):
        try:
            return read_scores(data, id=id, label=label)
        except HemlpError as error:  # who calls this has not all options of it
            error.spelling = _as_reading
            raise
    if isinstance(data, LabelSets):
        raise InvalidOption("these are label sets without scores: give ScoredSets, or evaluate them as they are")
    named = (id, label) if hasattr(data, "columns") else (None, None)
    return ScoredSets.of(data, labels=labels, source=source, id=named[0], label=named[1])


def _as_reading(option: str, value: str) -> str:
    return f"hemlp.read_scores(path, {option}={value!r})"


@file_reader
def as_gold(
    data: Any, rows: RowKind | None = None, *, format: Any = None, sep: str | None = None, id: str | None = None,
    label: str | None = None,
) -> LabelSets:  # fmt: skip
    """True label sets as they are, from data in memory, or from a file, be it CAFA's ``id<TAB>class`` lines.

    Options as of ``read_labels``; lines of CAFA's have no columns to be named.
    """
    if not isinstance(data, str | PathLike):
        return LabelSets.of(data, rows=rows, source="true labels")
    source = fspath(data)
    if file_kind(source) == ".tsv" and format in (None, "table") and sep in (None, "\t"):
        name, content = read_bytes(data)
        first = _first_line(content).decode("utf-8", "replace").strip().split("\t")
        if len(first) == 2 and not {"id", "label", id, label} & {cell.strip() for cell in first}:
            cells = list(split_cells(decode(content, name), name, "\t"))
            for line, row in cells:
                if len(row) != 2 or not all(row):
                    raise FileFormatError(f"{name}, line {line}: {len(row)} cells instead of id and class", line)
            pairs = from_pairs(
                [row[0] for _, row in cells], [row[1] for _, row in cells], name, [line for line, _ in cells]
            )
            return replace(pairs, rows=rows)
    return read_labels(data, format=format, sep=sep, id=id, label=label, rows=rows)
