"""Edges of a hierarchy in text files: two words a line, or cells between tabs or commas."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import FileFormatError
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import label_order
from hemlp.io.formats import SEPARATORS, Source
from hemlp.io.text import decode, decode_words, split_cells
from hemlp.io.words import Words, by_a_salt, find_words

_HEADER = re.compile(
    r"(parent|child|children|source|target|from|to|subject|object|sub|super|subclass|superclass|ancestor|descendant|"
    r"broader|narrower|hypernym|hyponym)s?(.?(id|name|label|class|node|code|term))?",
    re.IGNORECASE,
)
_EDGE_FACTS = re.compile(r"weight|length|distance|cost|score|conf|prob|relation|predicate|type", re.IGNORECASE)


def read_edges(source: Source) -> Hierarchy:
    """One ``parent child`` edge a line."""
    name, data = source.name, source.data
    sep = source.sep or SEPARATORS.get(source.kind) or find_separator(data, source.comment)
    if sep is not None:
        edges = separated_edges(decode(data, name), name, sep, source.comment)
        return source.made(Hierarchy.from_edges, edges, classes=source.classes)
    labels, ends = plain_edges(data, name, source.comment)
    new = sorted(set(source.classes) - set(labels), key=label_order)
    return source.made(Hierarchy.from_codes, [*labels, *new], ends[:, 0], ends[:, 1])


def plain_edges(data: bytes, source: str, comment: str | None) -> tuple[list[str], IntArray]:
    """Classes, and edges as pairs of positions among them, from lines of two words."""
    begins, ends, first_words = find_words(data)
    words, number = np.stack([begins, ends]), np.diff(first_words)
    sign = comment.encode() if comment else None
    if sign and sign in data:
        used = np.flatnonzero(number).tolist()
        remarks = [row for row in used if data.startswith(sign, words[0, first_words[row]])]
        keep = np.ones(number.size, np.bool_)
        keep[remarks] = False
        words, number = words[:, np.repeat(keep, number)], number * keep
    odd = np.flatnonzero((number != 2) & (number != 0))
    if odd.size:
        line = int(odd[0]) + 1
        raise FileFormatError(
            f"{source}, line {line}: {number[odd[0]]} words where 'parent child' was expected; labels with spaces need "
            f"a file separated by tabs or commas, a class without edges goes into classes=",
            line,
        )
    header = [data[begin:end].lower() for begin, end in words[:, :2].T]
    if sorted(header) == [b"child", b"parent"]:
        words = words[:, 2:]

    def numbered(salt: int) -> tuple[Words, IntArray]:
        distinct = Words(salt)
        return distinct, distinct.codes(data, words[0], words[1])

    distinct, codes = by_a_salt(numbered)

    def place(word: int) -> int:
        return data.count(b"\n", 0, words[0, np.flatnonzero(codes == word)[0]]) + 1

    labels, edges = decode_words(distinct, source, place), codes.reshape(-1, 2)
    if len(edges):
        _refuse_header([labels[c] for c in edges[0]], source, recurs=bool(np.isin(edges[1:], edges[0]).any()))
    return labels, edges[:, ::-1] if header == [b"child", b"parent"] else edges


def _refuse_header(first: Sequence[str], source: str, recurs: bool) -> None:
    """Refuse a first line that names columns in words of its own; of a class it would be the only edge."""
    if not recurs and all(map(_HEADER.fullmatch, first)):
        raise FileFormatError(
            f"{source}, line 1: {first[0]!r} and {first[1]!r} look like the names of the columns: call them parent and "
            f"child, in the order in which they stand, or leave the line out",
            1,
        )


def find_separator(data: bytes, comment: str | None) -> str | None:
    """A tab or a comma if it stands exactly once in every line, else None for white space."""
    sign = comment.encode() if comment else None
    for sep in (b"\t", b","):
        if sep in data:
            lines = [line for line in data.split(b"\n") if line.strip()]
            if sign:
                lines = [line for line in lines if not line.lstrip().startswith(sign)]
            if lines and all(line.count(sep) == 1 and line.strip()[:1] != sep for line in lines):
                return sep.decode()
    return None


def separated_edges(text: str, source: str, sep: str, comment: str | None) -> list[tuple[Any, ...]]:
    """Edges, perhaps with weights, from lines of cells."""
    if comment:  # before quotes are looked at: a remark may hold any, and a quoted label may begin like a remark
        text = "\n".join("" if line.lstrip().startswith(comment) else line for line in text.split("\n"))
    rows = list(split_cells(text, source, sep))
    names = [cell.lower() for cell in rows[0][1]] if rows else []
    if {"parent", "child"} <= set(names):
        rows = rows[1:]
    else:
        names = ["parent", "child"]
    for name in names:
        if name != "weight" and _EDGE_FACTS.search(name):
            raise FileFormatError(
                f"{source}, line 1: the column {name!r} would be left out; call it weight if it holds the lengths of "
                f"edges, or take it out of the file",
                1,
            )
    columns = [names.index(name) for name in ("parent", "child", "weight") if name in names]
    for line, row in rows:
        if len(row) != len(names) or "" in row:
            raise FileFormatError(
                f"{source}, line {line}: {row} where {names} was expected; further columns need a first line that "
                f"names them (parent, child, weight)",
                line,
            )
    edges = [tuple(row[c] for c in columns) for _, row in rows]
    if edges and names == ["parent", "child"]:
        _refuse_header(edges[0], source, recurs=any(end in edges[0] for edge in edges[1:] for end in edge))
    return edges
