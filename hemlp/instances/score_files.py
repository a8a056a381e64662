"""Scores from files of any format; scores and true labels from any argument of a function on scores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import chain
from os import PathLike
from typing import Any

from hemlp.errors import FileFormatError, HemlpError, InvalidOption
from hemlp.hierarchy.labels import Label
from hemlp.instances.formats.score_tables import CAFA_HEADERS, DEFAULT_COLUMNS, read_table, read_triples
from hemlp.instances.label_sets import LabelSets, RowKind
from hemlp.instances.scored_sets import Repeated, ScoredSets
from hemlp.io.text import (
    SEPARATORS,
    check_separator,
    decode,
    file_kind,
    file_reader,
    parse_number,
    read_bytes,
    split_cells,
)
from hemlp.options import check_choice

JSON_KINDS = (".jsonl", ".ndjson")
FORMATS = ("table", "lines", "matrix", "jsonl")


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
    - JSON lines (.jsonl): ``{"id": ..., "scores": {class: score}}``, or ``{"id": ..., "label": ..., "score": ...}``;
    - a matrix (.csv, .tsv): a first line that names the classes, one row of numbers an instance, its id in the column
      id (or one without a name), if there is one;
    - what Annif suggests: JSON lines with document_id and results, or a folder with NAME.annif for each document.

    Parameters
    ----------
    path
        The file.
    format
        "table" (one score a line), "lines" (one instance a line), "matrix" or "jsonl"; by default the file tells.
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
    if isinstance(path, str | PathLike) and os.path.isdir(path):
        from hemlp.instances.formats.annif import read_folder_scores

        return read_folder_scores(path, repeated)
    source, data = read_bytes(path)
    if data.startswith(b"PAR1"):
        raise FileFormatError(
            f"{source} is a Parquet file, and scores are read from text: give ScoredSets.of a frame of it"
        )
    kind, named = file_kind(source), (id, label, score)
    if format is not None:
        check_choice("format", format, FORMATS)
    if format == "jsonl" or (format is None and kind in JSON_KINDS):
        from hemlp.instances.formats.score_lists import read_json_lines

        return read_json_lines(decode(data, source), source, named, repeated)
    first = _first_line(data)
    if _is_triple(first, sep, named):
        named = (None, None, None)
    if format == "lines" and (sep is not None or any(named)):
        raise InvalidOption(f"{source}: tokens class:score have no columns, and blanks between them")
    words = first.split()
    blanks = format is sep is None and kind not in SEPARATORS and b"\t" not in first and not any(named)
    if format == "lines" or (blanks and (len(words) != 3 or parse_number(words[2]) is None)):
        from hemlp.instances.formats.score_lists import read_tokens

        return read_tokens(data, source, repeated)
    if sep is None and not blanks:
        sep = SEPARATORS.get(kind, "\t")
    if sep in ("\t", None) and not any(named) and parse_number(first.split(b"\t" if sep else None)[-1]) is not None:
        return read_triples(data, source, sep, repeated)
    sep = sep or "\t"
    rows = split_cells(data, source, sep)
    line, header = next(rows, (1, []))
    if format == "matrix" or not {*DEFAULT_COLUMNS, label, score} & {*header} - {"id"}:
        from hemlp.instances.formats.matrices import is_score_matrix, read_score_matrix

        table = list(rows)
        if format == "matrix" or is_score_matrix(header, table, id):
            return read_score_matrix(header, table, source, id)
        rows = iter(table)
    return read_table(data, source, sep, chain([(line, header)], rows), named, repeated)


def _first_line(data: bytes) -> bytes:
    """The first line that is neither blank nor a CAFA header."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        line = data[start : end if end >= 0 else len(data)].strip(b"\r\n")
        if line.strip() and not line.startswith(CAFA_HEADERS):
            return line
        start = end + 1 if end >= 0 else len(data)
    return b""


def _is_triple(line: bytes, sep: str | None, named: Sequence[str | None]) -> bool:
    """Whether a line is id, class and score between tabs, and not a header."""
    cells = [cell.strip() for cell in line.split(b"\t")]
    heads = {name.encode() for name in named if name}
    return sep in (None, "\t") and len(cells) == 3 and parse_number(cells[2]) is not None and not heads & {*cells}


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


def as_gold(data: Any, rows: RowKind | None = None) -> LabelSets:
    """True label sets as they are, from data in memory, or from a file."""
    return LabelSets.of(data, rows=rows, source="true labels")
