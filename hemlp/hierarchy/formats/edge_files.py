"""Edges of a hierarchy in text files: two words a line, or cells between tabs or commas."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import Advice, FileFormatError, InvalidHierarchy, InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.formats.parent_tables import EdgeColumns, HierarchyData, from_parent_table
from hemlp.hierarchy.formats.path_lists import SameNames, edges_of_paths
from hemlp.hierarchy.formats.source_file import SEPARATORS, SourceFile
from hemlp.hierarchy.labels import label_order
from hemlp.io.cells import blank_lines, word_rows
from hemlp.io.text import decode, split_cells
from hemlp.text.phrases import plural

_HEADER = re.compile(
    r"(parent|child|children|source|target|from|to|subject|object|sub|super|subclass|superclass|ancestor|descendant|"
    r"broader|narrower|hypernym|hyponym)s?(.?(id|name|label|class|node|code|term))?",
    re.IGNORECASE,
)
_HEAD = re.compile(rb"\s*(parent[^\S\n]+child|(?P<child_first>child[^\S\n]+parent))[^\S\n]*(\n|$)", re.IGNORECASE)
LEVEL = re.compile(r"(level|rank|tier|depth|l)[\s_-]?\d+", re.IGNORECASE)
"""How the columns of a table of paths are called."""
CELLS = ("\t", ",", ";", "|")
"""What may separate cells, where nobody says."""


def read_edges(source: SourceFile) -> Hierarchy:
    """One ``parent child`` edge a line, or a table whose first line names its columns."""
    name, data = source.name, source.data
    sep = source.sep or find_separator(source)
    if sep is not None:
        return read_table(source, sep)
    if source.columns:
        raise InvalidOption(
            f"{name}: columns were named (parent, child, name or weight), and no separator of cells was found"
        )
    labels, ends = plain_edges(data, name, source.comment)
    new = sorted(set(source.classes) - set(labels), key=label_order)
    return source.made(Hierarchy.from_codes, [*labels, *new], ends[:, 0], ends[:, 1])


def read_table(source: SourceFile, sep: str) -> Hierarchy:
    """Lines of cells: edges, or paths under a first line like ``level1,level2,level3``."""
    text = decode(source.data, source.name)
    if source.comment:  # before quotes are looked at: a remark may hold any, and a quoted label may begin like a remark
        text = "\n".join("" if line.lstrip().startswith(source.comment) else line for line in text.split("\n"))
    rows = list(split_cells(text, source.name, sep))
    header = rows[0][1] if rows else []
    try:
        columns = source.columns.locate(header)
    except InvalidHierarchy as error:
        line = rows[0][0] if rows else 1
        raise FileFormatError(f"{source.name}, line {line}: {error.args[0]}", line).with_advice(*error.advice) from None
    if columns is None:
        if len(header) > 1 and all(map(LEVEL.fullmatch, header)):
            return source.hierarchy(lambda: _of_levels(rows[1:], source.same_names))
        return source.hierarchy(lambda: HierarchyData(_bare_edges(rows, source.name)))
    check_widths(rows[1:], header, source.name)
    lines = [line for line, _ in rows[1:]]

    def cells(name: str) -> list[str]:
        at = header.index(name)
        return [row[at] for _, row in rows[1:]]

    return source.hierarchy(from_parent_table, columns, cells, lambda k: f"line {lines[k]}", source.classes)


def _of_levels(rows: list[tuple[int, list[str]]], same_names: SameNames) -> HierarchyData:
    return HierarchyData(*edges_of_paths([row for _, row in rows], same_names))


def check_widths(rows: list[tuple[int, list[str]]], header: list[str], source: str) -> None:
    """Refuse a row that has more or fewer cells than the header."""
    for line, row in rows:
        if len(row) != len(header):
            raise FileFormatError(f"{source}, line {line}: {row} where {header} was expected", line)


def _bare_edges(rows: list[tuple[int, list[str]]], source: str) -> list[tuple[str, ...]]:
    """(parent, child) cells without a header."""
    names = ["parent", "child"]
    for line, row in rows:
        if len(row) != 2 or "" in row:
            raise FileFormatError(
                f"{source}, line {line}: {row} where {names} was expected; further columns, and roots without a "
                f"parent, need a first line that names them parent, child, name and weight (`hemlp convert` reads "
                f"columns of other names, and paths)",
                line,
            ).with_advice(Advice("parent", "COLUMN", "(and child) to name the columns"))
    edges: list[tuple[str, ...]] = [tuple(row) for _, row in rows]
    if edges:
        _refuse_header(edges[0], source, recurs=any(end in edges[0] for edge in edges[1:] for end in edge))
    return edges


def plain_edges(data: bytes, source: str, comment: str | None) -> tuple[list[str], IntArray]:
    """Classes, and edges as pairs of positions among them, from lines of two words."""
    sign = comment.encode() if comment else None
    if sign and sign in data:
        data = blank_lines(data, lambda line: line.lstrip().startswith(sign))
    head = _HEAD.match(data)
    start = head.end() if head else 0
    labels, codes, ptr = word_rows(data, source, start, data.count(b"\n", 0, start))
    number = np.diff(ptr)
    odd = np.flatnonzero((number != 2) & (number != 0))
    if odd.size:
        line = int(odd[0]) + 1 + data.count(b"\n", 0, start)
        raise FileFormatError(
            f"{source}, line {line}: {plural(int(number[odd[0]]), 'word')} where 'parent child' was expected; labels "
            f"with spaces need a file separated by tabs or commas, and a class without edges a table with a row for it",
            line,
        )
    edges = codes.reshape(-1, 2)
    if len(edges):
        _refuse_header([labels[c] for c in edges[0]], source, recurs=bool(np.isin(edges[1:], edges[0]).any()))
    return labels, edges[:, ::-1] if head and head["child_first"] else edges


def _refuse_header(first: Sequence[str], source: str, recurs: bool) -> None:
    """Refuse a first line that names columns in words of its own; of a class it would be the only edge."""
    if not recurs and all(map(_HEADER.fullmatch, first)):
        raise FileFormatError(
            f"{source}, line 1: {first[0]!r} and {first[1]!r} look like the names of the columns: call them parent and "
            f"child, in the order in which they stand, or leave the line out",
            1,
        )


def find_separator(source: SourceFile) -> str | None:
    """That of the file's kind, or of a first line that names columns, or that stands exactly once in every line."""
    sign = source.comment.encode() if source.comment else None
    data, usual = source.data, SEPARATORS.get(source.kind)
    if usual is None and not any(sep.encode() in data for sep in CELLS):
        return None
    lines = [line for line in data.split(b"\n") if line.strip() and not (sign and line.lstrip().startswith(sign))]
    if not lines:
        return usual
    named = named_separator(lines[0].decode("utf-8", "replace"), source.columns)
    if named is not None:
        return named
    if usual is not None and (usual.encode() in lines[0] or len(lines[0].split()) < 2):
        return usual
    for sep in CELLS:
        sign = sep.encode()
        if all(line.count(sign) == 1 and line.strip()[:1] != sign for line in lines):
            return sep
    return usual


def named_separator(line: str, columns: EdgeColumns) -> str | None:
    """What separates the cells of a first line that names columns, None of any other line."""
    chosen = {name for name in (columns.parent, columns.child) if name is not None}
    for sep in CELLS:
        cells = [cell.strip().strip('"') for cell in line.split(sep)]
        if len(cells) > 1 and ((chosen and chosen <= {*cells}) or _names_columns(cells)):
            return sep
    return None


def _names_columns(cells: list[str]) -> bool:
    """Whether a first line names a column of parents, and one of children."""
    try:
        return EdgeColumns().locate(cells) is not None
    except InvalidHierarchy:  # it does, and another column is in the way: the reader will say so
        return True
