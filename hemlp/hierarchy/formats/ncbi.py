"""NCBI taxonomies: ``nodes.dmp``, with ``names.dmp`` and ``merged.dmp`` if they are in the same folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hemlp.errors import FileFormatError
from hemlp.hierarchy.formats.hierarchy_data import HierarchyData
from hemlp.hierarchy.formats.source_file import SourceFile
from hemlp.hierarchy.labels import Label
from hemlp.io.text import decode, read_bytes


def read_ncbi(source: SourceFile) -> HierarchyData:
    """Nodes with their parents (the root is its own), scientific names, and merged ids as aliases."""
    edges: list[tuple[Label, Label]] = []
    nodes: list[Label] = []
    for node, parent, *_ in _cells(source.data, source.name, 3):
        nodes.append(node)
        if node != parent:
            edges.append((parent, node))
    known = set(nodes)
    named, merged = _beside(source.name, "names.dmp", 4), _beside(source.name, "merged.dmp", 2)
    names: dict[Label, str] = {node: name for node, name, _, kind, *_ in named if kind == "scientific name"}
    aliases: dict[Label, Label] = {old: new for old, new, *_ in merged if new in known and old not in known}
    return HierarchyData.of(edges, nodes, names, aliases)


def _beside(name: str, other: str, least: int) -> Iterator[list[str]]:
    """The rows of another file of the same dump, none without the file."""
    for place in (Path(name).with_name(other), Path(name).with_name(f"{other}.gz")):
        if place.exists():
            source, data = read_bytes(place)
            yield from _cells(data, source, least)
            return


def _cells(data: bytes, name: str, least: int) -> Iterator[list[str]]:
    """The cells of each row, separated by ``|`` and tabs."""
    for number, line in enumerate(decode(data, name).split("\n"), 1):
        if line.strip():
            cells = [cell.strip() for cell in line.rstrip("\r").removesuffix("|").split("|")]
            if len(cells) < least or not all(cells[:2]):
                raise FileFormatError(f"{name}, line {number}: expected a row like 1 | 1 | no rank | ...", number)
            yield cells
