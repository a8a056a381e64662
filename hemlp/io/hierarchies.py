"""Hierarchies from files: one reader a format, found by the ending of the file's name.

Labels read from a file are strings, always: a file does not tell `12` from `'12'`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import PathLike

from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.edges import CyclePolicy
from hemlp.hierarchy.labels import Label, label_list
from hemlp.io.edges import read_edges
from hemlp.io.formats import Source
from hemlp.io.obo import read_obo
from hemlp.io.text import check_separator, file_kind, read_bytes

FORMATS: dict[str, Callable[[Source], Hierarchy]] = {".obo": read_obo}
"""Readers by the ending of a file's name; whatever is not here is a list of edges. One line more makes yours known."""


def read_hierarchy(
    path: str | PathLike[str],
    *,
    sep: str | None = None,
    comment: str | None = "#",
    classes: Iterable[Label] = (),
    cycles: CyclePolicy = "error",
    relations: Sequence[str] = ("is_a",),
) -> Hierarchy:
    r"""Read a hierarchy: one ``parent child`` edge a line, or an OBO ontology (``.obo``); gzipped or not.

    A first line that says ``parent`` and ``child`` (in either order, and perhaps ``weight``) names the columns.

    Parameters
    ----------
    path
        The file.
    sep
        What stands between parent and child. By default a tab if every line has exactly one, else a comma if every line
        has exactly one (and always for ``.csv``), else white space.
    comment
        Lines that begin so are passed over, and so are blank lines; None for no comments.
    classes
        Further classes, with or without edges.
    cycles
        "error", "break" or "condense", as of ``Hierarchy.from_edges``.
    relations
        OBO only: which relations are edges, for example ``("is_a", "part_of")``; alternative ids, and obsolete ids with
        one replacement, become aliases.

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
    name, data = read_bytes(path)
    check_separator(sep)
    kind = file_kind(name)
    source = Source(name, kind, data, sep, comment, label_list("classes", classes), cycles, relations)
    return FORMATS.get(kind, read_edges)(source)
