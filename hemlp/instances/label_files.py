"""Label sets from files of any format, as a whole or block by block."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from os import PathLike, fspath
from typing import Literal, get_args

from hemlp.errors import Advice, FileFormatError, InvalidLabelSets, InvalidOption, UnreadableFile
from hemlp.instances.formats.label_lists import read_lines
from hemlp.instances.formats.label_pairs import is_score_line, read_headless, read_pairs, uncut_scores_error
from hemlp.instances.label_sets import LabelSets, RowKind, digest_of
from hemlp.io.files import STANDARD_INPUT
from hemlp.io.parquet_files import is_parquet, read_parquet_columns
from hemlp.io.text import (
    GZIP_MAGIC,
    SEPARATORS,
    UTF8_BOM,
    check_separator,
    check_text,
    decode,
    file_kind,
    file_reader,
    load_json,
    open_bytes,
    read_bytes,
    split_cells,
    word_rows,
)
from hemlp.io.unpacking import unzip
from hemlp.options import check_choice

Format = Literal["lines", "table", "pairs", "matrix", "json", "jsonl", "parquet", "gaf", "gpad", "annif"]
FORMATS: dict[str, Format] = {
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".csv": "table", ".tsv": "table",
    ".gaf": "gaf", ".gpad": "gpad", ".gpa": "gpad",
}  # fmt: skip
"""Formats by the ending of a file's name; whatever is not here has one instance a line."""
OTHER_FORMATS = (
    ".yaml", ".yml", ".xml", ".html", ".toml", ".obo", ".ttl", ".rdf", ".owl", ".xlsx",
)  # fmt: skip
"""Formats that are no label files, and whose lines would be taken for labels."""
WHOLE = tuple(FORMATS)
"""Files that are read as a whole, by the ending of their names."""


@file_reader
def read_labels(
    path: str | PathLike[str],
    *,
    format: Format | None = None,
    sep: str | None = None,
    id: str | None = None,
    label: str | None = None,
    rows: RowKind | None = None,
    evidence: str | Sequence[str] | None = None,
    score: str | None = None,
) -> LabelSets:
    r"""Read label sets, gzipped or not.

    - "lines": one instance a line, its labels separated by white space (or ``sep``); a blank line is an instance
      without labels;
    - "pairs": one ``id<TAB>label`` a line, without a head; a text is taken for that if every line is such a pair;
    - "table" (.csv, .tsv): a header, and one (instance, label) pair a line, in the columns "id" and "label"; an empty
      label is an instance without one;
    - "jsonl": on each line ``["a", "b"]``, ``"a"``, or ``{"id": ..., "labels": [...]}``, or a document of Annif's with
      its subjects; "json": a list of these, or ``{id: labels}``;
    - "gaf", "gpad": annotations of the Gene Ontology, those with NOT left out and counted in a warning;
    - "annif": lines ``text<TAB><address> <address>``, a table with the column subject_uris, or a folder of documents
      with their subjects;
    - "parquet": the columns "id" and "label", or "labels" with lists;
    - "matrix": a table (.csv, .tsv, .parquet) with a column of ids and one column a class, which holds 0 or 1. A table
      that can be nothing else is taken for one without a word.

    Parameters
    ----------
    path
        The file.
    format
        One of these; by default the ending of the file's name tells.
    sep
        What separates labels, or the cells of a table.
    id, label
        Names of the columns of a table, or of the fields of JSON objects; a matrix has no column of labels. Further
        columns, of scores for example, are an error unless both are given.
    rows
        What the labels of a line or of a JSON list are: a set ("sets", as without a word), or a path whose last class
        is the label ("paths"). "sets" also says that a file that looks like something else holds label sets.
    evidence
        Of GAF and GPAD: the evidence codes that count, as in "EXP,IDA"; "experimental" is a group of them.
    score
        The column, or field, of scores elsewhere: a file that has it holds scores, which need a cut-off.

    Raises
    ------
    UnreadableFile, FileFormatError
        With the line where something is wrong.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "gold.txt")
    ...     _ = path.write_text("sheep cow\n\ncow\n")
    ...     list(read_labels(path))
    [('sheep', 'cow'), (), ('cow',)]
    """
    if rows is not None:
        check_choice("rows", rows, get_args(RowKind))
        if rows == "paths" and (format or FORMATS.get(file_kind(fspath(path)))) in ("table", "matrix"):
            raise InvalidOption(f"{fspath(path)}: rows='paths' is for files with a list of labels per instance")
        made = read_labels(path, format=format, sep=sep, id=id, label=label, evidence=evidence, score=score)
        return replace(made, rows=rows)
    if sep is not None:
        check_separator(sep)
    check_choice("format", format or "lines", get_args(Format))
    place = fspath(path) if isinstance(path, str | PathLike) else ""
    if (format or FORMATS.get(file_kind(place))) in ("parquet", "matrix") and is_parquet(place):
        return _from_parquet(place, place, format == "matrix", id, label)
    if os.path.isdir(place):
        from hemlp.instances.formats.annif import read_folder

        return replace(read_folder(place), layout="annif, a folder")
    source, data = read_bytes(path)
    kind = file_kind(source)
    if format is None and kind in OTHER_FORMATS:
        raise _not_labels(source)
    if format is None:
        open_to_doubt = b"\t" in data[: data.find(b"\n") + 1 or len(data)] or data.startswith(b"!")
        format = _find_format(kind, data, sep, id, label) if open_to_doubt else FORMATS.get(kind, "lines")
    if format == "lines" and sep is id is label is evidence is None:
        return read_words(data, source)
    if evidence is not None and format not in ("gaf", "gpad"):
        if is_score_line(decode(data[: data.find(b"\n") + 1 or len(data)], source).strip().split("\t")):
            raise uncut_scores_error(source)
        raise InvalidOption(f"{source}: evidence codes are those of GAF and GPAD files")
    if format in ("gaf", "gpad"):
        from hemlp.instances.formats.annotations import read_annotations

        return read_annotations(data, source, format, evidence)
    if score is not None and score in _names(format, data, source, sep):
        raise uncut_scores_error(source, f"in the column {score!r}")
    made = _read(format, data, source, sep, id, label)
    return made if made.layout else replace(made, layout=format)


def _names(format: Format, data: bytes, source: str, sep: str | None) -> Container[str]:
    """The columns of a table, or the fields of the first object in JSON lines."""
    first = data[: data.find(b"\n") + 1 or len(data)]
    if format == "table":
        sep = sep or _separator(data, SEPARATORS.get(file_kind(source), ","))
        return next(split_cells(data, source, sep), (1, []))[1]
    row = load_json(decode(first, source), source, 1) if format == "jsonl" else None
    return row if isinstance(row, dict) else ()


def _read(format: Format, data: bytes, source: str, sep: str | None, id: str | None, label: str | None) -> LabelSets:
    """Label sets in one of the formats of text."""
    if format in ("table", "matrix") and not data.startswith(b"PAR1"):
        return _from_table(data, source, sep, format == "matrix", id, label)
    if format in ("json", "jsonl"):
        from hemlp.instances.formats.json_labels import read_json_labels

        return read_json_labels(decode(data, source), source, format == "jsonl", id, label)
    if format in ("parquet", "matrix"):
        return _from_parquet(data, source, format == "matrix", id, label)
    if format == "pairs":
        return read_headless(data, source, sep or "\t")
    if id is not None or label is not None:
        raise InvalidOption(
            f"{source}: names for ids and labels are those of columns in .csv and .tsv files, or fields in JSON"
        )
    if format == "annif":
        from hemlp.instances.formats.annif import read_corpus

        return read_corpus(data, source)
    return read_words(data, source) if sep is None else read_lines(data, source, sep)


def _find_format(kind: str, data: bytes, sep: str | None, *heads: str | None) -> Format:
    """The format of a file by the suffix of its name, or by its first lines where that is not enough."""
    format = FORMATS.get(kind, "lines")
    if format in ("lines", "table") and b"!" in data[:20_000]:
        from hemlp.instances.formats.annotations import find_columns

        if (columns := find_columns(data, kind)) is not None:
            return "gaf" if columns.name.startswith("GAF") else "gpad"
    if kind == ".csv" or format not in ("lines", "table") or sep not in (None, "\t"):
        return format
    first = data[: data.find(b"\n") if b"\n" in data else len(data)].rstrip(b"\r")
    if _is_corpus(first):
        return "annif"
    cells = [cell.strip() for cell in first.decode("utf-8", "replace").split("\t")]
    if len(cells) != 2 or not all(cells) or {"id", "label", "EntryID", *heads} & {*cells}:
        return format
    rows = (line.split(b"\t") for line in data.rstrip().split(b"\n"))
    pairs = format == "table" or all(len(row) == 2 and row[0].strip() and row[1].strip() for row in rows)
    return "pairs" if pairs else "lines"


def _is_corpus(line: bytes) -> bool:
    """Whether a line is a text, a tab, and addresses between blanks, in angle brackets or several of them."""
    words = line.partition(b"\t")[2].split()
    bracketed = not line.startswith(b"<") and all(word[:1] + word[-1:] == b"<>" for word in words)
    return bool(words) and (bracketed or (len(words) > 1 and all(word.startswith(b"http") for word in words)))


def read_words(data: bytes, source: str, first_row: int = 0) -> LabelSets:
    """Label sets from lines of words, from a given row of the file on."""
    labels, codes, ptr = word_rows(data, source, first=first_row)
    return LabelSets(tuple(labels), ptr, codes, None, source, None, first_row, space_separated=True, layout="lines")


def _separator(data: bytes, default: str) -> str:
    """The default separator, unless the first line has another one only."""
    first = data[: data.find(b"\n") if b"\n" in data else len(data)]
    others = [sep for sep in (";", "\t", ",") if sep.encode() in first]
    return others[0] if default.encode() not in first and others else default


def _from_table(
    data: bytes, source: str, sep: str | None, matrix: bool, id: str | None, label: str | None
) -> LabelSets:
    """One pair per line, or one column per class."""
    sep = sep or _separator(data, SEPARATORS.get(file_kind(source), ","))
    first = data[: data.find(b"\n") if b"\n" in data else len(data)]
    if b"subject_uris" in first and label is None and not matrix:
        from hemlp.instances.formats.annif import read_corpus

        return replace(read_corpus(data, source, sep, True), layout="annif")
    from hemlp.instances.formats.matrices import holds_scores, is_matrix, matrix_cells, read_matrix

    if matrix or (label or "label").encode() not in first:
        header, rows = matrix_cells(data, source, sep)
        if matrix or (label is None and is_matrix(header, rows, id)):
            return replace(read_matrix(header, rows, source, id), layout="matrix")
        if holds_scores(header, rows, id):
            raise uncut_scores_error(source, "a column for each class")
    return read_pairs(data, source, sep, id, label)


def _from_parquet(place: bytes | str, source: str, matrix: bool, id: str | None, label: str | None) -> LabelSets:
    from hemlp.instances.formats.matrices import is_matrix, matrix_rows, read_matrix

    columns = read_parquet_columns(place, source)
    if matrix or (label is None and is_matrix(list(columns), matrix_rows(columns), id)):
        return read_matrix(list(columns), list(matrix_rows(columns)), source, id)
    wanted = label or next((name for name in ("labels", "label") if name in columns), "label")
    key = id or ("id" if "id" in columns else None)
    further = [name for name in columns if name not in (key, wanted)]
    if further and not (id is not None and label is not None):
        raise FileFormatError(
            f"{source}: beside {key!r} and {wanted!r} there are the columns {further}, which label sets do not have"
        ).with_advice(Advice("id", key or "id", "to leave them out on purpose", (("label", wanted),)))
    used = {name: columns[name] for name in columns if name in (key, wanted)}
    try:
        return LabelSets.of(used, id=key, label=wanted, source=source)
    except InvalidLabelSets as error:
        raise FileFormatError(f"{source}: {error}") from None


def _not_labels(source: str) -> FileFormatError:
    """The error for formats whose lines would be read as labels."""
    return FileFormatError(
        f"{source} is not a label file: write one instance per line, its labels separated by spaces, or a .csv, "
        f".jsonl or .parquet file with id and labels"
    )


class LabelFile:
    """A label file that is read block by block: one instance per line, as in ``read_labels``."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.source = fspath(path)
        if file_kind(self.source) in OTHER_FORMATS:
            raise _not_labels(self.source)
        if file_kind(self.source) in WHOLE:
            raise InvalidOption(f"{self.source} is in a format that cannot be read block by block: use read_labels")
        check_rereadable(path)

    def blocks(self, size: int) -> Iterator[LabelSets]:
        """Label sets of ``size`` consecutive instances at a time."""
        row = 0
        for data in self._pieces(size):
            block = read_words(data, self.source, row)
            yield block
            row += len(block)

    def _pieces(self, size: int) -> Iterator[bytes]:
        raw = open_bytes(self.source)
        try:
            with raw:
                zipped = raw.read(2) == GZIP_MAGIC
                length = raw.seek(0, os.SEEK_END)
                raw.seek(0)
                lines = iter(unzip(raw, length, self.source) if zipped else raw)
                first = True
                while piece := b"".join(islice(lines, size)):
                    yield check_text(piece.removeprefix(UTF8_BOM) if first else piece, self.source)
                    first = False
        except OSError as error:
            raise UnreadableFile(f"cannot read {self.source}: {(error.strerror or str(error)).lower()}") from None

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the labels, row by row: equal to that of ``LabelSets`` of the same file."""
        return digest_of(self.blocks(20_000))


def check_rereadable(path: str | PathLike[str]) -> None:
    """Refuse a pipe, or anything else that can be read only once: files in blocks are read several times."""
    pipe = os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
    if file_kind(fspath(path)) not in WHOLE and (pipe or fspath(path) == STANDARD_INPUT):
        raise InvalidOption(
            f"{fspath(path)} is a pipe or a device, which can be read only once; within a memory limit label files are "
            f"read several times: save it to a file, or do without the limit"
        )


def open_labels(path: str | PathLike[str]) -> LabelSets | LabelFile:
    """Open a label file to read it block by block, or as a whole if its format needs that."""
    if file_kind(fspath(path)) in (*WHOLE, *OTHER_FORMATS) or os.path.isdir(path):
        return read_labels(path)
    file = LabelFile(path)
    begin = next(file._pieces(100), b"")
    return file if _find_format("", begin, None) == "lines" else read_labels(path)
