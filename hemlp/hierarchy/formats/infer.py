"""What somebody holds, recognised as a hierarchy: edges, parents, nested dicts, paths, frames, graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

from hemlp.errors import EmptyHierarchy, InvalidHierarchy, InvalidOption
from hemlp.hierarchy.formats.edge_lists import edges_of_parents, refuse_children
from hemlp.hierarchy.formats.nested import BELOW, from_nested, is_nested
from hemlp.hierarchy.formats.parent_tables import EdgeColumns, HierarchyData, from_parent_table
from hemlp.hierarchy.formats.path_lines import from_path_lines
from hemlp.hierarchy.formats.path_lists import JOINT, SameNames, edges_of_paths
from hemlp.hierarchy.labels import as_label, is_missing
from hemlp.io.frames import column, column_names, records_to_columns

ACCEPTED = (
    "(parent, child) pairs, {child: parents}, nested dicts or lists, rows of paths from a root down, strings like "
    "'A > B > C', a frame or records with the columns parent and child, a DiGraph, or the path of a file"
)
"""What is recognised, for messages."""


def infer(data: Any, columns: EdgeColumns, same_names: SameNames) -> HierarchyData:
    """Edges, classes and names of whatever holds a hierarchy."""
    if hasattr(data, "is_directed"):
        return _of_graph(data, columns)
    if isinstance(data, Set):  # also the edges of a graph, which are a mapping, too
        data = list(data)
    table = _as_table(data, columns)
    if table is not None:
        return table
    if columns:
        raise InvalidOption(f"parent=, child=, name= and weight= name columns, and {_shown(data)} has none")
    if isinstance(data, Mapping):
        links = data.get("links", data.get("edges"))
        if isinstance(data.get("nodes"), list) and isinstance(links, list):
            return _of_links(data["nodes"], links, data.get("directed", True))
        if is_nested(data):
            return from_nested(data, same_names)
        refuse_children(data)
        return HierarchyData(edges_of_parents(data), list(data.keys()))
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise InvalidHierarchy(f"{_shown(data)} is not a hierarchy: give {ACCEPTED}")
    return _of_rows(data.tolist() if hasattr(data, "tolist") else list(data), same_names)


def _shown(data: Any) -> str:
    return f"{type(data).__name__} {data!r:.60}"


def _of_graph(graph: Any, columns: EdgeColumns) -> HierarchyData:
    """Nodes and edges of a directed networkx graph, and the names that nodes have as an attribute."""
    if columns.parent is not None or columns.child is not None:
        raise InvalidOption("a graph has no columns: its edges go from parent to child")
    if not graph.is_directed():
        raise InvalidHierarchy("the graph is undirected: a hierarchy needs edges parent → child")
    edges = list(graph.edges() if columns.weight is None else graph.edges(data=columns.weight))
    named = graph.nodes(data=columns.name or "name")
    return HierarchyData(
        edges, list(graph.nodes()), {as_label(node): name for node, name in named if isinstance(name, str)}
    )


def _of_links(nodes: list[Any], links: list[Any], directed: Any) -> HierarchyData:
    """Nodes and links as networkx writes them to JSON: from source to target."""
    if directed is not True:
        raise InvalidHierarchy(
            "the graph is undirected: a hierarchy needs links from parent (source) to child (target)"
        )
    for each, keys in (*((node, {"id"}) for node in nodes), *((link, {"source", "target"}) for link in links)):
        if not isinstance(each, Mapping) or not keys <= each.keys():
            raise InvalidHierarchy(f"{each!r:.80} among nodes and links has no {' and '.join(sorted(keys))}")
    names = {as_label(node["id"]): node["name"] for node in nodes if isinstance(node.get("name"), str)}
    edges = [(link["source"], link["target"]) for link in links]
    return HierarchyData(edges, [as_label(node["id"]) for node in nodes], names)


def _as_table(data: Any, columns: EdgeColumns) -> HierarchyData | None:
    """The edges of a frame, of a dict of columns or of a list of records; None if it is none of them."""
    names = column_names(data)
    if names is None and isinstance(data, list | tuple) and data and all(isinstance(each, Mapping) for each in data):
        if any(isinstance(each.get(BELOW), list | tuple) for each in data):
            return None
        data = records_to_columns(list(data))
        names = list(data)
        if columns.locate(names) is None:
            return None
    elif names is None and isinstance(data, Mapping) and data:
        lists = all(isinstance(each, list | tuple) or hasattr(each, "tolist") for each in data.values())
        alike = lists and len({len(each) for each in data.values()}) == 1
        if not alike or columns.locate(list(data)) is None:
            return None
        names = list(data)
    if names is None:
        return None
    if len({*map(str, names)}) < len(names):
        raise InvalidHierarchy(f"the columns {names} do not have a name each")
    found = columns.locate(names)
    if found is None:
        raise InvalidHierarchy(
            f"the frame has the columns {names}: say which hold the edges, as in Hierarchy.of(frame, parent='...', "
            f"child='...'); if each row is a path from a root down, give its rows (frame.values.tolist())"
        )
    return from_parent_table(found, lambda name: column(data, name), lambda k: f"row {k + 1}")


def _of_rows(rows: list[Any], same_names: SameNames) -> HierarchyData:
    """Pairs, triples, paths, strings, or nested lists."""
    if not rows:
        raise EmptyHierarchy("the hierarchy has no class: give at least one edge")
    if all(isinstance(row, str) for row in rows):
        if not any(JOINT in row for row in rows):
            raise InvalidHierarchy(
                f"the list holds strings like {rows[0]!r:.60}, and none with {JOINT!r}: give {ACCEPTED}"
            )
        return from_path_lines(
            [(number, row.strip()) for number, row in enumerate(rows, 1) if row.strip()], None, same_names
        )
    if any(isinstance(row, Mapping) for row in rows):
        return from_nested(rows, same_names)
    listed = [row.tolist() if hasattr(row, "tolist") else row for row in rows]
    for number, row in enumerate(listed, 1):
        if not isinstance(row, list | tuple):
            raise InvalidHierarchy(f"row {number} is {row!r:.80}: no list of classes among rows; give {ACCEPTED}")
    if {len(row) for row in listed} == {2}:
        return _of_pairs(listed)
    if {len(row) for row in listed} == {3} and all(_number(row[2]) for row in listed):
        if all(_number(end) for row in listed for end in row):
            raise InvalidHierarchy(
                f"rows of three numbers like {listed[0]!r:.60} could be paths or edges with a length: use "
                f"Hierarchy.from_paths or Hierarchy.from_edges"
            )
        return HierarchyData(listed)
    cleaned = [["" if is_missing(name) else name for name in row] for row in listed]
    edges, classes = edges_of_paths(cleaned, same_names)
    return HierarchyData(edges, classes)


def _of_pairs(rows: list[Any]) -> HierarchyData:
    """(parent, child) pairs; without a parent the child is a root."""
    for number, row in enumerate(rows, 1):
        if is_missing(row[-1]) or row[-1] == "":
            raise InvalidHierarchy(
                f"edge {number} is {tuple(row)!r:.80}, and pairs are (parent, child): if yours are (child, parent), "
                f"give {{child: parent}}; if rows are paths, use Hierarchy.from_paths"
            )
    roots = [as_label(row[1]) for row in rows if is_missing(row[0]) or row[0] == ""]
    return HierarchyData([row for row in rows if not (is_missing(row[0]) or row[0] == "")], roots)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
