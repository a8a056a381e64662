"""Hierarchies from files: one reader a format, found by its name, or by the ending of the file's name.

Labels read from a file are strings, always: a file does not tell `12` from `'12'`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import PathLike

from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.edges import CyclePolicy
from hemlp.hierarchy.formats.edge_files import read_edges
from hemlp.hierarchy.formats.ncbi import read_ncbi
from hemlp.hierarchy.formats.nested_files import read_json, read_yaml
from hemlp.hierarchy.formats.obo import read_obo
from hemlp.hierarchy.formats.parent_tables import EdgeColumns
from hemlp.hierarchy.formats.path_files import has_paths, read_paths
from hemlp.hierarchy.formats.path_lists import SameNames
from hemlp.hierarchy.formats.rdf import SYNTAXES, read_rdf
from hemlp.hierarchy.formats.source_file import SEPARATORS, SourceFile
from hemlp.hierarchy.labels import Label, label_list
from hemlp.hierarchy.readers import READERS
from hemlp.io.parquet_files import read_parquet_hierarchy
from hemlp.io.text import check_separator, file_kind, file_reader, read_bytes
from hemlp.options import check_choice

READ: dict[str, Callable[[SourceFile], Hierarchy]] = {
    "edges": read_edges,
    "paths": read_paths,
    "json": read_json,
    "yaml": read_yaml,
    "obo": read_obo,
    "rdf": read_rdf,
    "ncbi": read_ncbi,
    "parquet": read_parquet_hierarchy,
}
"""Readers by the name of their format."""
FORMATS: dict[str, Callable[[SourceFile], Hierarchy]] = {
    ".obo": read_obo,
    ".json": read_json,
    ".yaml": read_yaml,
    ".yml": read_yaml,
    ".dmp": read_ncbi,
    ".parquet": read_parquet_hierarchy,
    **dict.fromkeys(SYNTAXES, read_rdf),
}
"""Readers by the ending of a file's name; whatever is not here is a text of edges or of paths. One line more makes
yours known."""


@file_reader
def read_hierarchy(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    sep: str | None = None,
    comment: str | None = "#",
    classes: Iterable[Label] = (),
    cycles: CyclePolicy = "error",
    relations: Sequence[str] = ("is_a",),
    parent: str | None = None,
    child: str | None = None,
    name: str | None = None,
    weight: str | None = None,
    same_names: SameNames = "error",
    language: str = "en",
) -> Hierarchy:
    r"""Read a hierarchy, gzipped or not. Names of classes come along (``h.names``) where the file has them.

    - "edges": one ``parent child`` edge a line; or a table (.csv, .tsv, or with a first line that names the columns),
      whose columns are parent and child (or id), and perhaps name and weight. A row without a parent is a root.
    - "paths": one ``A > B > C`` a line, with or without ids before it (``12 : A > B``); or a table with the columns
      level1, level2, ...
    - "json", "yaml": nested objects, nodes with name (or id) and children, edges, parents, paths, or records.
    - "obo"; "rdf": SKOS (broader, narrower) or OWL in Turtle, RDF/XML, N-Triples or JSON-LD; "ncbi": ``nodes.dmp``,
      with the names.dmp and merged.dmp beside it; "parquet": a table as above.

    Parameters
    ----------
    path
        The file.
    format
        One of these; by default the ending of the file's name and its first line tell.
    sep
        What stands between parent and child, or between the names of a path. By default what the first line that names
        columns has, else a tab, comma, semicolon or bar if every line has exactly one (a comma for ``.csv``), else
        white space; " > " in paths.
    comment
        Lines of text that begin so are passed over, and so are blank lines; None for no comments.
    classes
        Further classes, with or without edges.
    cycles
        "error", "break" or "condense", as of ``Hierarchy.from_edges``.
    relations
        OBO and OWL: which relations are edges, for example ``("is_a", "part_of")``; alternative ids, and obsolete ids
        with one replacement, become aliases.
    parent, child, name, weight
        The columns of a table, where they are called otherwise.
    same_names
        Paths and nested data: what a name in several places is, as of ``Hierarchy.from_paths``.
    language
        SKOS and OWL: that of names, where they are in several. All labels of a concept that no other has are aliases.

    Raises
    ------
    UnreadableFile, FileFormatError
        With the line where something is wrong.
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
    source = SourceFile(
        file, kind, data, sep, comment, label_list("classes", classes), cycles, relations,
        EdgeColumns(parent, child, name, weight), same_names, language,
    )  # fmt: skip
    read = READ[format] if format else FORMATS.get(kind) or _reader_of_text(source)
    if read is not read_paths:
        check_separator(sep)
    elif sep == "" or source.columns:
        raise InvalidOption(f"{file} holds paths, which have no columns and something between their names")
    return read(source)


def _reader_of_text(source: SourceFile) -> Callable[[SourceFile], Hierarchy]:
    """By what a text looks like, whatever its name."""
    if source.kind in SEPARATORS or source.sep is not None or source.columns:
        return read_edges
    begin = source.data[:2000].lstrip()
    if begin.startswith((b"<?xml", b"<rdf:RDF")):
        return read_rdf
    if begin.startswith((b"{", b"[")):
        return read_json
    return read_paths if has_paths(source) else read_edges


READERS["hierarchy"] = read_hierarchy
