"""Lists of edges: (parent, child) pairs in memory, and lines of two words or of cells in files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import Advice, FileFormatError, InvalidHierarchy, InvalidOption
from hemlp.hierarchy.formats.hierarchy_data import HierarchyData
from hemlp.hierarchy.formats.parent_tables import (
    CELL_SEPARATORS,
    COMMON_NAMES,
    PARENT,
    from_parent_table,
    named_separator,
)
from hemlp.hierarchy.formats.path_lists import LEVEL, from_paths
from hemlp.hierarchy.formats.source_file import SourceFile
from hemlp.hierarchy.labels import Label, as_label, is_missing
from hemlp.io.text import SEPARATORS, blank_lines, decode, split_cells, word_rows
from hemlp.text.tables import plural

_HEADER = re.compile(
    r"(parent|child|children|source|target|from|to|subject|object|sub|super|subclass|superclass|ancestor|descendant|"
    r"broader|narrower|hypernym|hyponym)s?(.?(id|name|label|class|node|code|term))?",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"<[^<>\s]+>")
_HEAD = re.compile(rb"\s*(parent[^\S\n]+child|(?P<child_first>child[^\S\n]+parent))[^\S\n]*(\n|$)", re.IGNORECASE)


def read_edges(source: SourceFile) -> HierarchyData:
    """One ``parent child`` edge per line, or a table with a header."""
    name, data = source.name, source.data
    sep = source.sep or find_separator(source)
    if sep is not None:
        return read_table(source, sep)
    if source.columns != COMMON_NAMES:
        raise InvalidOption(f"{name}: parent, child, name and weight name columns, but the file has one column")
    return HierarchyData(*plain_edges(data, name, source.comment))


def read_table(source: SourceFile, sep: str) -> HierarchyData:
    """Lines of cells: edges, or paths under a header like ``level1,level2,level3``."""
    text = decode(source.data, source.name)
    if source.comment:  # before quotes are parsed: a comment may hold any
        text = "\n".join("" if line.lstrip().startswith(source.comment) else line for line in text.split("\n"))
    rows = list(split_cells(text, source.name, sep))
    header = rows[0][1] if rows else []
    if header[:1] == ["uri"] or (rows and all(_ADDRESS.fullmatch(row[0]) and len(row) > 1 for _, row in rows)):
        return _from_vocabulary(rows, header, source)
    try:
        columns = source.columns.locate(header)
    except InvalidHierarchy as error:
        line = rows[0][0] if rows else 1
        raise FileFormatError(f"{source.name}, line {line}: {error.args[0]}", line).with_advice(*error.advice) from None
    if columns is None:
        if len(header) > 1 and all(map(LEVEL.fullmatch, header)):
            return from_paths([row for _, row in rows[1:]], source.same_names)
        return HierarchyData.of(_bare_edges(rows, source.name))
    check_widths(rows[1:], header, source.name)
    lines = [line for line, _ in rows[1:]]

    def cells(name: str) -> list[str]:
        at = header.index(name)
        return [row[at] for _, row in rows[1:]]

    return from_parent_table(columns, cells, lambda k: f"line {lines[k]}", source.classes)


def _from_vocabulary(rows: list[tuple[int, list[str]]], header: list[str], source: SourceFile) -> HierarchyData:
    """An Annif vocabulary without edges: lines ``<address><TAB>name``, or the columns uri and label_en."""
    at = 1
    if header[0] == "uri":
        rows, wanted = rows[1:], [f"label_{source.language}", "label", *header]
        at = header.index(next(name for name in wanted if name in header and name.startswith("label")))
    names: dict[Label, str] = {}
    for line, row in rows:
        if len(row) <= at or not row[0]:
            raise FileFormatError(f"{source.name}, line {line}: expected an address and a name, not {row}", line)
        names[row[0].removeprefix("<").removesuffix(">")] = row[at]
    return HierarchyData.of([], list(names), {label: name for label, name in names.items() if name})


def check_widths(rows: list[tuple[int, list[str]]], header: list[str], source: str) -> None:
    """Reject a row with more or fewer cells than the header."""
    for line, row in rows:
        if len(row) != len(header):
            raise FileFormatError(f"{source}, line {line}: expected the columns {header}, not {row}", line)


def _bare_edges(rows: list[tuple[int, list[str]]], source: str) -> list[tuple[str, ...]]:
    """(parent, child) cells without a header."""
    for line, row in rows:
        if len(row) != 2 or "" in row:
            if any(name.casefold() in PARENT for name in rows[0][1]):
                raise FileFormatError(
                    f"{source}, line {rows[0][0]}: the header {rows[0][1]} has no column child or id; `hemlp convert "
                    f"{source} tree.tsv --parent COLUMN --child COLUMN --name COLUMN` makes such a table (in Python: "
                    f"hemlp.read_hierarchy(path, parent=, child=, name=))",
                    rows[0][0],
                )
            raise FileFormatError(
                f"{source}, line {line}: expected a parent and a child, not {row}; further columns, and roots, need a "
                f"header: parent, child, name, weight (`hemlp convert` reads paths, and has --parent, --child and "
                f"--name for other columns)",
                line,
            ).with_advice(Advice("parent", "COLUMN", "to name the columns", (("child", "COLUMN"),)))
    edges: list[tuple[str, ...]] = [tuple(row) for _, row in rows]
    recurs = any(end in edges[0] for edge in edges[1:] for end in edge)
    if edges and not recurs and {name.casefold() for name in edges[0]} == {"id", "label"}:
        raise FileFormatError(
            f"{source}, line {rows[0][0]}: the columns id and label are those of a label file, and the hierarchy is "
            f"read here; a hierarchy has the columns parent and child",
            rows[0][0],
        )
    if edges and not recurs and all(map(_HEADER.fullmatch, edges[0])):
        raise _header_error(edges[0], source)
    return edges


def plain_edges(data: bytes, source: str, comment: str | None) -> tuple[list[str], IntArray]:
    """Labels, and edges as pairs of positions among them, from lines of two words."""
    sign = comment.encode() if comment else None
    if sign and sign in data:
        data = blank_lines(data, lambda line: line.lstrip().startswith(sign))
    head = _HEAD.match(data)
    start = head.end() if head else 0
    labels, codes, ptr = word_rows(data, source, start, data.count(b"\n", 0, start))
    number = np.diff(ptr)
    wrong = np.flatnonzero((number != 2) & (number != 0))
    if wrong.size:
        line = int(wrong[0]) + 1 + data.count(b"\n", 0, start)
        raise FileFormatError(
            f"{source}, line {line}: expected 'parent child', not {plural(int(number[wrong[0]]), 'word')}; labels with "
            f"spaces need tabs or commas between them, and a class without edges needs a table with a row for it",
            line,
        )
    edges = codes.reshape(-1, 2)
    first = [labels[c] for c in edges[0]] if len(edges) else [""]
    if all(map(_HEADER.fullmatch, first)) and not np.isin(edges[1:], edges[0]).any():
        raise _header_error(first, source)
    return labels, edges[:, ::-1] if head and head["child_first"] else edges


def _header_error(first: Sequence[str], source: str) -> FileFormatError:
    """The error about a first line that looks like a header, with other names."""
    return FileFormatError(
        f"{source}, line 1: {first[0]!r} and {first[1]!r} look like the names of the columns: call them parent and "
        f"child (in the order of the columns), or remove the line",
        1,
    )


def find_separator(source: SourceFile) -> str | None:
    """The separator of a header, of the file's kind, or one that occurs exactly once in every line."""
    sign = source.comment.encode() if source.comment else None
    data, default = source.data, SEPARATORS.get(source.kind)
    if default is None and not any(sep.encode() in data for sep in CELL_SEPARATORS):
        return None
    lines = [line for line in data.split(b"\n") if line.strip() and not (sign and line.lstrip().startswith(sign))]
    if not lines:
        return default
    named = named_separator(lines[0].decode("utf-8", "replace"), source.columns)
    if named is not None:
        return named
    if default is not None and (default.encode() in lines[0] or len(lines[0].split()) < 2):
        return default
    for sep in CELL_SEPARATORS:
        sign = sep.encode()
        if all(line.count(sign) == 1 and line.strip()[:1] != sign for line in lines):
            return sep
    return default


def from_pairs(rows: list[Any]) -> HierarchyData:
    """From (parent, child) pairs; a child without a parent is a root."""
    for number, row in enumerate(rows, 1):
        if is_missing(row[-1]) or row[-1] == "":
            raise InvalidHierarchy(
                f"edge {number} is {tuple(row)!r:.80}: pairs are (parent, child); for (child, parent) give "
                f"{{child: parent}}, for paths use Hierarchy.from_paths"
            )
    roots = [as_label(row[1]) for row in rows if is_missing(row[0]) or row[0] == ""]
    return HierarchyData.of([row for row in rows if not (is_missing(row[0]) or row[0] == "")], roots)
