"""Paths in text files: one ``A > B > C`` a line, or cells from a root down."""

from __future__ import annotations

from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.lines import Line, of_lines
from hemlp.hierarchy.paths import JOINT
from hemlp.hierarchy.tables import Columns
from hemlp.io.edges import named_separator
from hemlp.io.formats import SEPARATORS, Source
from hemlp.io.text import decode


def read_paths(source: Source) -> Hierarchy:
    """One path a line, its names between ``sep``."""
    sep = source.sep or SEPARATORS.get(source.kind)
    return source.hierarchy(of_lines, text_lines(source), sep, source.same_names)


def text_lines(source: Source) -> list[Line]:
    """The lines that are neither blank nor remarks, with their numbers."""
    lines = enumerate(map(str.strip, decode(source.data, source.name).split("\n")), 1)
    return [
        (number, line) for number, line in lines if line and not (source.comment and line.startswith(source.comment))
    ]


def has_paths(source: Source) -> bool:
    """Whether a text has ``A > B`` in a line, and no first line that names the columns of a table."""
    if JOINT.encode() not in source.data:
        return False
    lines = [line for _, line in text_lines(source)]
    return any(JOINT in line for line in lines) and named_separator(lines[0], Columns()) is None
