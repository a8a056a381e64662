"""Paths in text files: one ``A > B > C`` a line, or cells from a root down."""

from __future__ import annotations

from hemlp.errors import InvalidHierarchy
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.formats.edge_files import LEVEL, named_separator
from hemlp.hierarchy.formats.parent_tables import EdgeColumns, HierarchyData
from hemlp.hierarchy.formats.path_lines import NumberedLine, from_path_lines
from hemlp.hierarchy.formats.path_lists import JOINT, SameNames, edges_of_paths
from hemlp.hierarchy.formats.source_file import SEPARATORS, SourceFile
from hemlp.io.text import decode, split_cells


def read_paths(source: SourceFile) -> Hierarchy:
    """One path a line, its names between ``sep``."""
    if source.kind in SEPARATORS:
        sep = source.sep or SEPARATORS[source.kind]
        if len(sep) == 1:
            text = "\n".join(line for _, line in text_lines(source))
            return source.hierarchy(_of_cells, list(split_cells(text, source.name, sep)), source.same_names)
    return source.hierarchy(from_path_lines, text_lines(source), source.sep, source.same_names)


def _of_cells(rows: list[tuple[int, list[str]]], same_names: SameNames) -> HierarchyData:
    """Rows of cells; a first one that names columns would be a path of its own."""
    others = {cell for _, row in rows[1:] for cell in row}
    if rows and all(map(LEVEL.fullmatch, rows[0][1])):
        rows = rows[1:]
    elif len(rows) > 2 and not others & {*rows[0][1]}:
        raise InvalidHierarchy(
            f"line 1, {rows[0][1]}, looks like the names of the columns: leave it out, or call them level1, level2, "
            f"...; if it is a path, move it down"
        )
    edges, classes = edges_of_paths([row for _, row in rows], same_names)
    return HierarchyData(edges, classes)


def text_lines(source: SourceFile) -> list[NumberedLine]:
    """The lines that are neither blank nor remarks, with their numbers."""
    lines = enumerate(map(str.strip, decode(source.data, source.name).split("\n")), 1)
    return [
        (number, line) for number, line in lines if line and not (source.comment and line.startswith(source.comment))
    ]


def has_paths(source: SourceFile) -> bool:
    """Whether a text has ``A > B`` in a line, and no first line that names the columns of a table."""
    if JOINT.encode() not in source.data:
        return False
    lines = [line for _, line in text_lines(source)]
    return any(JOINT in line for line in lines) and named_separator(lines[0], EdgeColumns()) is None
