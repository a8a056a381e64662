"""Infer the format of data in memory, and of JSON, YAML and Parquet files; ambiguous data is rejected."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from typing import Any

from hemlp.errors import EmptyHierarchy, FileFormatError, InvalidHierarchy, InvalidOption, MissingDependency
from hemlp.hierarchy.formats.edge_lists import from_pairs
from hemlp.hierarchy.formats.hierarchy_data import HierarchyData
from hemlp.hierarchy.formats.parent_tables import (
    COMMON_NAMES,
    EdgeColumns,
    from_parent_table,
    from_parents,
    refuse_children,
)
from hemlp.hierarchy.formats.path_lists import BELOW, from_nested, from_path_lines, from_paths, is_nested
from hemlp.hierarchy.formats.source_file import SameNames, SourceFile
from hemlp.hierarchy.labels import JOINT, as_label, is_missing
from hemlp.io.frames import column, column_names, name_columns, records_to_columns
from hemlp.io.parquet_files import read_parquet_columns
from hemlp.io.text import Numeral, decode, load_json, parse_number

ACCEPTED = (
    "(parent, child) pairs, {child: parents}, nested dicts or lists, rows of paths from a root down, strings like "
    "'A > B > C', a frame or records with the columns parent and child, a DiGraph, or the path of a file"
)
"""Accepted data, for messages."""
EXPANDED = 1_000_000
"""Most values of a YAML file with its aliases expanded."""


def infer(data: Any, columns: EdgeColumns, same_names: SameNames) -> HierarchyData:
    """The hierarchy in data of any kind."""
    if hasattr(data, "is_directed"):
        if columns.parent is not None or columns.child is not None:
            raise InvalidOption("a graph has no columns: its edges go from parent to child")
        return from_graph(data, columns.weight, columns.name or "name")
    if isinstance(data, Set):  # also the edges of a graph, which are a mapping, too
        data = list(data)
    table = _from_table(data, columns)
    if table is not None:
        return table
    if columns != COMMON_NAMES:
        raise InvalidOption(f"parent=, child=, name= and weight= name columns, but {_abbreviate(data)} has none")
    if isinstance(data, Mapping):
        links = data.get("links", data.get("edges"))
        if isinstance(data.get("nodes"), list) and isinstance(links, list):
            return _from_links(data["nodes"], links, data.get("directed", True))
        if is_nested(data):
            return from_nested(data, same_names)
        refuse_children(data)
        return from_parents(data)
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise InvalidHierarchy(f"{_abbreviate(data)} is not a hierarchy: give {ACCEPTED}")
    return _from_rows(data.tolist() if hasattr(data, "tolist") else list(data), same_names)


def _abbreviate(data: Any) -> str:
    return f"{type(data).__name__} {data!r:.60}"


def from_graph(graph: Any, weight: str | None = None, name: str | None = None) -> HierarchyData:
    """From a directed networkx graph; ``weight`` and ``name`` are attributes of edges and of nodes."""
    if not hasattr(graph, "is_directed"):
        raise InvalidHierarchy(f"{type(graph).__name__} is not a networkx graph")
    if not graph.is_directed():
        raise InvalidHierarchy("the graph is undirected: a hierarchy needs edges parent → child")
    edges = graph.edges() if weight is None else graph.edges(data=weight)
    named = graph.nodes(data=name) if name else ()
    return HierarchyData.of(
        edges, graph.nodes(), {as_label(node): text for node, text in named if isinstance(text, str)}
    )


def _from_links(nodes: list[Any], links: list[Any], directed: Any) -> HierarchyData:
    """Nodes and links from source to target, as networkx writes them to JSON."""
    if directed is not True:
        raise InvalidHierarchy("the graph is undirected: a hierarchy needs links parent (source) → child (target)")
    for each, keys in (*((node, {"id"}) for node in nodes), *((link, {"source", "target"}) for link in links)):
        if not isinstance(each, Mapping) or not keys <= each.keys():
            raise InvalidHierarchy(
                f"nodes need an id, links a source and a target: {each!r:.80} has no {' and '.join(sorted(keys))}"
            )
    names = {as_label(node["id"]): node["name"] for node in nodes if isinstance(node.get("name"), str)}
    edges = [(link["source"], link["target"]) for link in links]
    return HierarchyData.of(edges, [as_label(node["id"]) for node in nodes], names)


def _from_table(data: Any, columns: EdgeColumns) -> HierarchyData | None:
    """From a frame, a dict of columns or a list of records; None for anything else."""
    names = column_names(data)
    is_frame = names is not None
    if not is_frame and isinstance(data, list | tuple) and data and all(isinstance(each, Mapping) for each in data):
        if any(isinstance(each.get(BELOW), list | tuple) for each in data):
            return None
        data = records_to_columns(list(data))
        names = list(data)
    elif not is_frame and isinstance(data, Mapping) and data:
        lists = all(isinstance(each, list | tuple) or hasattr(each, "tolist") for each in data.values())
        names = list(data) if lists and len({len(each) for each in data.values()}) == 1 else None
    located = None if names is None else columns.locate(names)
    if names is None or (located is None and not is_frame):
        return None
    if len({*map(str, name_columns(names))}) < len(names):
        raise InvalidHierarchy(f"two of the columns {names} have one name")
    if located is None:
        raise InvalidHierarchy(
            f"the frame has the columns {names}: choose those of the edges, as in Hierarchy.of(frame, parent='...', "
            f"child='...'); if each row is a path from a root down, give frame.values.tolist()"
        )
    return from_parent_table(located, lambda name: column(data, name), lambda k: f"row {k + 1}")


def _from_rows(rows: list[Any], same_names: SameNames) -> HierarchyData:
    """Pairs, triples, paths, strings, or nested lists."""
    if not rows:
        raise EmptyHierarchy("the hierarchy has no class: give at least one edge")
    if all(isinstance(row, str) for row in rows):
        if not any(JOINT in row for row in rows):
            raise InvalidHierarchy(f"the list holds strings like {rows[0]!r:.60}, none with {JOINT!r}: give {ACCEPTED}")
        lines = [(number, row.strip()) for number, row in enumerate(rows, 1) if row.strip()]
        return from_path_lines(lines, None, same_names)
    if any(isinstance(row, Mapping) for row in rows):
        return from_nested(rows, same_names)
    lists = [row.tolist() if hasattr(row, "tolist") else row for row in rows]
    for number, row in enumerate(lists, 1):
        if not isinstance(row, list | tuple):
            raise InvalidHierarchy(
                f"row {number} is {row!r:.80}, not a list of classes like other rows: give {ACCEPTED}"
            )
    if {len(row) for row in lists} == {2}:
        return from_pairs(lists)
    if {len(row) for row in lists} == {3} and all(_is_number(row[2]) for row in lists):
        if all(_is_number(end) for row in lists for end in row):
            raise InvalidHierarchy(
                f"rows of three numbers like {lists[0]!r:.60} could be paths, or edges with lengths: use "
                f"Hierarchy.from_paths or Hierarchy.from_edges"
            )
        return HierarchyData.of(lists)
    cleaned = [["" if is_missing(name) else name for name in row] for row in lists]
    return from_paths(cleaned, same_names)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Numeral) and not isinstance(value, bool)


def read_json(source: SourceFile) -> HierarchyData:
    """Nested objects, edges, parents, paths or records."""
    data = load_json(decode(source.data, source.name), source.name, numerals=True)
    return infer(data, source.columns, source.same_names)


def read_yaml(source: SourceFile) -> HierarchyData:
    """The same in YAML, without unbounded aliases."""
    try:
        import yaml
    except ImportError:
        raise MissingDependency("reading YAML needs the package PyYAML: pip install pyyaml") from None

    aliases: list[int] = []

    class Loader(yaml.BaseLoader):  # type: ignore[misc]  # all values are strings
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                aliases.append(self.peek_event().start_mark.line + 1)
            return super().compose_node(parent, index)

        def construct_scalar(self, node: Any) -> Any:
            text = super().construct_scalar(node)
            number = None if node.style else parse_number(text.encode())
            return text if number is None or not math.isfinite(number) else Numeral(text)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            made = super().construct_mapping(node, deep=deep)
            if len(made) < len(node.value):
                line = node.start_mark.line + 1
                raise FileFormatError(f"{source.name}, line {line}: a key occurs twice in this mapping", line)
            return made

    try:
        data = yaml.load(decode(source.data, source.name), Loader)
    except yaml.YAMLError as error:
        raise FileFormatError(f"{source.name} is not YAML: {error}") from None
    if aliases and _size(data, {}) > EXPANDED:
        raise FileFormatError(
            f"{source.name}, line {aliases[0]}: with its aliases expanded, the file holds more than {EXPANDED:,} "
            f"values: give the edges as a table", aliases[0],
        )  # fmt: skip
    return infer(_without_nulls(data), source.columns, source.same_names)


def _size(data: Any, known: dict[int, int]) -> int:
    """The number of values with aliases expanded; more than ``EXPANDED`` for data that contains itself."""
    if not isinstance(data, list | dict):
        return 1
    if id(data) not in known:
        known[id(data)] = EXPANDED + 1
        known[id(data)] = 1 + sum(_size(each, known) for each in (data if isinstance(data, list) else data.values()))
    return known[id(data)]


def _without_nulls(data: Any) -> Any:
    """Turn YAML's nulls below a class into None; in lists such words are classes."""
    if isinstance(data, list):
        return [_without_nulls(each) for each in data]
    if isinstance(data, dict):
        return {key: None if of in ("null", "Null", "NULL", "~") else _without_nulls(of) for key, of in data.items()}
    return data


def read_parquet(source: SourceFile) -> HierarchyData:
    """A table with the columns parent and child."""
    columns = read_parquet_columns(source.data, source.name)
    return infer(_Frame({name: list(values) for name, values in columns.items()}), source.columns, "error")


class _Frame(dict[str, list[Any]]):
    """Columns with the look of a frame."""

    @property
    def columns(self) -> list[str]:
        return list(self)
