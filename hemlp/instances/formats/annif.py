"""Annif's formats: corpora of short texts (TSV, CSV), folders of documents, and suggested subjects.

A folder has for each document the subjects in NAME.tsv (address, label), NAME.key (labels) or NAME.json, and
suggestions in NAME.annif (address, label, score). JSON lines are read where JSON is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from hemlp.errors import FileFormatError, UnreadableFile
from hemlp.instances.formats.label_pairs import from_pairs
from hemlp.instances.formats.score_tables import from_triples
from hemlp.instances.label_sets import LabelSets
from hemlp.instances.scored_sets import Repeated, ScoredSets
from hemlp.io.text import decode, load_json, parse_number, read_bytes, split_cells

_ADDRESS = re.compile(r"<[^<>\s]+>")
GOLD = (".tsv", ".key", ".json")
"""Where the subjects of a document stand, the first that is there."""


def read_corpus(data: bytes, source: str, sep: str = "\t", table: bool = False) -> LabelSets:
    """From lines ``text<TAB><address> <address>``, or a table with the column subject_uris, and perhaps document_id."""
    cells = list(split_cells(data, source, sep))
    header = cells.pop(0)[1] if table else ["text", "subject_uris"]
    if "subject_uris" not in header:
        raise FileFormatError(f"{source}, line 1: no column 'subject_uris'; the columns are {header}", 1)
    named, at = "document_id" in header, header.index("subject_uris")
    keys: list[Any] = []
    labels: list[str | None] = []
    lines: list[int] = []
    seen: set[Any] = set()
    for number, row in cells:
        if len(row) < len(header):
            raise FileFormatError(f"{source}, line {number}: {len(row)} cells where {header} was expected", number)
        key = row[header.index("document_id")] if named else number
        if key == "" or key in seen:
            raise FileFormatError(f"{source}, line {number}: no document_id, or that of another line", number)
        seen.add(key)
        subjects = (row[at] if table else " ".join(row[1:])).split()
        keys += [key] * max(1, len(subjects))
        labels += subjects or [None]
        lines += [number] * max(1, len(subjects))
    made = from_pairs(keys, labels, source, lines)
    return made if named else replace(made, ids=None)


def _documents(path: str | PathLike[str], endings: tuple[str, ...], what: str) -> Iterator[tuple[str, Path]]:
    """The documents of a folder by their names, and the file of each that has the first of the endings."""
    try:
        files = {each.name for each in Path(path).iterdir() if each.is_file()}
    except OSError as error:
        raise UnreadableFile(f"cannot read {fspath(path)}: {(error.strerror or str(error)).lower()}") from None
    stems = sorted({Path(name).stem for name in files if name.endswith(endings)})
    if not stems:
        raise UnreadableFile(f"cannot read {fspath(path)}: it is a directory without {what}")
    for stem in stems:
        yield stem, Path(path) / next(stem + ending for ending in endings if stem + ending in files)


def read_folder(path: str | PathLike[str]) -> LabelSets:
    """The subjects of the documents of a folder, by the names of their files."""
    made: dict[str, list[str]] = {}
    what = "subjects of documents (NAME.tsv, NAME.key or NAME.json); suggestions in NAME.annif are read as FOLDER@0.3"
    for name, file in _documents(path, GOLD, what):
        source, data = read_bytes(file)
        text = decode(data, source)
        if file.suffix == ".json":
            document = load_json(text, source)
            if not isinstance(document, dict):
                raise FileFormatError(f"{source} is not a JSON object with subjects")
            if "subjects" in document:
                made[name] = subject_list(document["subjects"], source)
            continue
        made[name] = [line.split("\t")[0].strip() for line in text.split("\n") if line.strip()]
        for number, subject in enumerate(made[name] if file.suffix == ".tsv" else (), 1):
            if not _ADDRESS.fullmatch(subject):
                raise FileFormatError(f"{source}, line {number}: {subject!r:.60} is not an <address>", number)
    return LabelSets.of(made, source=fspath(path))


def read_folder_scores(path: str | PathLike[str], repeated: Repeated) -> ScoredSets:
    """The suggestions for the documents of a folder, by the names of their files."""
    triples: list[tuple[str, str | None, float | None]] = []
    for name, file in _documents(path, (".annif",), "suggested subjects (NAME.annif)"):
        source, data = read_bytes(file)
        rows = list(split_cells(data, source, "\t"))
        triples += [] if rows else [(name, None, None)]
        for number, row in rows:
            score = parse_number(row[-1].encode())
            if len(row) < 2 or score is None:
                raise FileFormatError(f"{source}, line {number}: not <address>, label and score", number)
            triples.append((name, row[0], score))
    return from_triples(triples, fspath(path), None, repeated)


def subject_list(subjects: Any, place: str) -> list[str]:
    """The addresses of a JSON list of subjects."""
    made: list[Any] = [each.get("uri") if isinstance(each, dict) else each for each in subjects or ()]
    if not isinstance(subjects, list) or not all(isinstance(each, str) and each for each in made):
        raise FileFormatError(f"{place}: subjects are a list of texts, or of objects with uri")
    return made
