"""Read and write hierarchies: one reader per format, chosen by the suffix of the file or by its content.

Labels read from a file are always strings.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from os import PathLike, fspath
from typing import Any

from hemlp.errors import FileFormatError, HemlpError, InvalidHierarchy, InvalidLabel, InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.edges import CyclePolicy, content_hash
from hemlp.hierarchy.formats.hierarchy_data import HierarchyData
from hemlp.hierarchy.formats.parent_tables import COMMON_NAMES, EdgeColumns
from hemlp.hierarchy.formats.source_file import SameNames, SourceFile
from hemlp.hierarchy.labels import JOINT, Label, label_list
from hemlp.io.files import write_text
from hemlp.io.text import SEPARATORS, check_separator, file_kind, file_reader, read_bytes
from hemlp.options import check_choice

Reader = Callable[[SourceFile], HierarchyData]
READ = {
    "edges": "edge_lists", "paths": "path_lists", "json": "infer", "yaml": "infer", "obo": "obo", "rdf": "rdf",
    "ncbi": "ncbi", "parquet": "infer",
}  # fmt: skip
"""The modules of formats, by name; the reader is called ``read_`` and this name."""
FORMATS: dict[str, str | Reader] = {
    ".obo": "obo", ".json": "json", ".yaml": "yaml", ".yml": "yaml", ".dmp": "ncbi", ".parquet": "parquet",
    **dict.fromkeys((".ttl", ".n3", ".nt", ".rdf", ".owl", ".skos", ".xml", ".jsonld"), "rdf"),
}  # fmt: skip
"""Formats, or readers, by suffix; any other file is a text of edges or of paths."""


@file_reader
def read_hierarchy(
    path: str | PathLike[str], *, format: str | None = None, sep: str | None = None, comment: str | None = "#",
    classes: Iterable[Label] = (), cycles: CyclePolicy = "error", relations: Sequence[str] | None = None,
    parent: str | None = None, child: str | None = None, name: str | None = None, weight: str | None = None,
    same_names: SameNames = "error", language: str = "en",
) -> Hierarchy:  # fmt: skip
    r"""Read a hierarchy, gzipped or not, with the names of its classes (``h.names``) if the file has them.

    - "edges": one ``parent child`` edge per line; or a table (.csv, .tsv, or with a header) with the columns parent and
      child (or id), and perhaps name and weight. A row without a parent is a root.
    - "paths": one ``A > B > C`` per line, with or without an id (``12 : A > B``); or a table with the columns level1,
      level2, ...
    - "json", "yaml": nested objects, nodes with name (or id) and children, edges, parents, paths, or records.
    - "obo"; "rdf": SKOS (broader, narrower) or OWL in Turtle, RDF/XML, N-Triples or JSON-LD; "ncbi": ``nodes.dmp``,
      with names.dmp and merged.dmp beside it; "parquet": a table as above.

    Parameters
    ----------
    path
        The file.
    format
        One of these; by default inferred from suffix and content.
    sep
        Separator of parent and child, or of the names of a path. By default that of the header, else a tab, comma,
        semicolon or bar if every line has exactly one (a comma for ``.csv``), else white space; " > " in paths.
    comment
        Start of lines to skip, None for none; blank lines are always skipped.
    classes
        Further classes, with or without edges.
    cycles
        As in ``Hierarchy.from_edges``.
    relations
        OBO and OWL: relations that are edges, such as ``("is_a", "part_of")``; by default is_a, with a warning where
        there is part_of, too. Alternative ids, and obsolete ids with one replacement, become aliases.
    parent, child, name, weight
        Columns of a table, if they have other names.
    same_names
        Paths and nested data: as in ``Hierarchy.from_paths``.
    language
        SKOS and OWL: language of the names. Labels that only one concept has are aliases.

    Raises
    ------
    UnreadableFile, FileFormatError
        With the line of the error.
    InvalidHierarchy
        If the edges do not make a hierarchy.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "animals.txt")
    ...     _ = path.write_text("animal sheep\nanimal cow\n")
    ...     read_hierarchy(path)
    Hierarchy(3 classes, 2 edges, 1 root)
    """
    file, data = read_bytes(path)
    if format is not None:
        check_choice("format", format, tuple(READ))
    kind = file_kind(file)
    further = () if isinstance(classes, tuple) and not classes else label_list("classes", classes)
    source = SourceFile(
        file, kind, data, sep, comment, further, relations,
        EdgeColumns(parent, child, name, weight), same_names, language,
    )  # fmt: skip
    chosen = format or FORMATS.get(kind) or _format_of_text(source)
    if chosen != "paths":
        if sep is not None:
            check_separator(sep)
    elif sep == "" or source.columns != COMMON_NAMES:
        raise InvalidOption(f"{file} holds paths: they have no columns, and sep cannot be empty")
    try:
        made = (_reader(chosen) if isinstance(chosen, str) else chosen)(source)
        return Hierarchy.from_data(made.with_classes(source.classes) if source.classes else made, cycles=cycles)
    except (InvalidHierarchy, InvalidLabel) as error:
        error.args = (f"{file}: {error.args[0]}",)
        raise


def find_hierarchy_format(path: str | PathLike[str]) -> str:
    """The name of the inferred format of a file, a key of ``READ``."""
    name, data = read_bytes(path)
    return str(FORMATS.get(file_kind(name)) or _format_of_text(SourceFile(name, file_kind(name), data)))


def _reader(format: str) -> Reader:
    """The reader of a format."""
    reader: Reader = getattr(import_module(f"hemlp.hierarchy.formats.{READ[format]}"), f"read_{format}")
    return reader


def _format_of_text(source: SourceFile) -> str:
    """The format of a text by its content."""
    if source.kind in SEPARATORS or source.sep is not None or source.columns != COMMON_NAMES:
        return "edges"
    begin = source.data[:2000].lstrip()
    if begin.startswith((b"<?xml", b"<rdf:RDF")):
        return "rdf"
    if begin.startswith((b"{", b"[")):
        return "json"
    from hemlp.hierarchy.formats.path_lists import has_paths

    return "paths" if JOINT.encode() in source.data and has_paths(source) else "edges"


def write_hierarchy(h: Hierarchy, path: str | PathLike[str]) -> None:
    """Write a table for ``read_hierarchy`` (.csv, else tab-separated): child, parent, perhaps name and weight.

    A root has a row without a parent. Aliases are not written.
    """
    write_text(path, hierarchy_text(h, fspath(path)))


def hierarchy_text(h: Hierarchy, name: str) -> str:
    """The text of ``write_hierarchy``; an error if reading it would not restore the hierarchy."""
    kind = file_kind(name)
    sep = SEPARATORS.get(kind, "\t")
    out = io.StringIO()
    quoting: Any = csv.QUOTE_MINIMAL if sep == "," else csv.QUOTE_NONE
    writer = csv.writer(out, delimiter=sep, lineterminator="\n", quoting=quoting, quotechar='"' if sep == "," else None)
    names = {h.id(label): " ".join(text.split()) for label, text in h.names.items()}
    columns = ["child", "parent", *(["name"] if names else []), *(["weight"] if h.weighted else [])]
    try:
        writer.writerow(columns)
        for child in range(len(h)):
            above = slice(h.parent_ptr[child], h.parent_ptr[child + 1])
            lengths = map(repr, h.parent_lengths[above].tolist()) if h.weighted else [""] * (above.stop - above.start)
            named = [names.get(child, "")] if names else []
            above_with_lengths = [*zip((h.labels[p] for p in h.parent_idx[above]), lengths, strict=True)]
            for parent, length in above_with_lengths or [("", "")]:
                writer.writerow([h.labels[child], parent, *named, *([length] if h.weighted else [])])
    except csv.Error:
        raise FileFormatError(f"{name}: {h.labels[child]!r} cannot stand between tabs; write a .csv file") from None
    text = out.getvalue()
    try:
        again = Hierarchy.from_data(_reader("edges")(SourceFile(name, kind, text.encode("utf-8"))))
    except (HemlpError, UnicodeEncodeError) as error:
        raise FileFormatError(f"{name} would not be read as it was written: {error}") from None
    if content_hash([*map(str, h.labels)], {}, h.edges) != again.content_hash:
        lost = sorted({*map(str, h.labels)} ^ {*again.labels})[:3]
        raise FileFormatError(f"{name} would not be read as it was written: labels like {lost} need another format")
    return text
