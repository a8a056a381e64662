"""Hierarchies as files that any reader takes: edges, with the names of classes beside them."""

from __future__ import annotations

import csv
import io
from os import PathLike, fspath
from typing import Any

from hemlp.errors import FileFormatError, HemlpError
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.digest import content_hash
from hemlp.hierarchy.formats.edge_files import read_edges
from hemlp.hierarchy.formats.source_file import SEPARATORS, SourceFile
from hemlp.io.files import write_text
from hemlp.io.text import file_kind


def write_hierarchy(h: Hierarchy, path: str | PathLike[str]) -> None:
    """Write the classes with their parents: a table (.csv, else between tabs) that ``read_hierarchy`` takes.

    Its columns are child, parent, and name and weight where there are any; a root has a row without a parent. Aliases
    are not written.
    """
    write_text(path, hierarchy_text(h, fspath(path)))


def hierarchy_text(h: Hierarchy, name: str) -> str:
    """The same as text; what a reader would not find in it as it was is an error."""
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
            lengths = h.parent_lengths[above].tolist() if h.weighted else [""] * (above.stop - above.start)
            named = [names.get(child, "")] if names else []
            for parent, length in zip(h.parent_idx[above].tolist(), lengths, strict=True):
                writer.writerow([h.labels[child], h.labels[parent], *named, *([repr(length)] if h.weighted else [])])
            if above.start == above.stop:
                writer.writerow([h.labels[child], "", *named, *([""] if h.weighted else [])])
    except csv.Error:
        raise FileFormatError(f"{name}: {h.labels[child]!r} cannot stand between tabs; write a .csv file") from None
    text = out.getvalue()
    _check(h, text, name, kind)
    return text


def _check(h: Hierarchy, text: str, name: str, kind: str) -> None:
    """Read it again, and compare."""
    source = SourceFile(name, kind, text.encode("utf-8"), None, "#", (), "error", ("is_a",))
    try:
        again = read_edges(source)
    except HemlpError as error:
        raise FileFormatError(f"{name} would not be read as it was written: {error}") from None
    if content_hash([*map(str, h.labels)], {}, h.edges) != again.content_hash:
        odd = sorted({*map(str, h.labels)} ^ {*again.labels})[:3]
        raise FileFormatError(f"{name} would not be read as it was written: labels like {odd} need another format")
