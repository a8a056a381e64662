"""Nested dicts and lists, from the roots down: ``{"animal": {"mammal": ["sheep", "cow"]}}``, or nodes that have
``children`` with a ``name`` or an ``id``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from hemlp.errors import InvalidHierarchy
from hemlp.hierarchy.formats.hierarchy_data import HierarchyData
from hemlp.hierarchy.formats.path_lists import from_paths
from hemlp.hierarchy.formats.source_file import SameNames
from hemlp.hierarchy.labels import Label, as_label, is_missing

BELOW = "children"
_NAME_KEYS = ("id", "name", "label", "title")


def is_nested(data: Mapping[Any, Any]) -> bool:
    """Whether a dict goes from parents to children: some class is mapped to a dict, or to a list of dicts."""
    return is_node(data) or any(
        isinstance(below, Mapping) or (isinstance(below, list) and any(isinstance(each, Mapping) for each in below))
        for below in data.values()
    )


def is_node(data: Any) -> bool:
    """Whether a dict is one class, with its name and its children."""
    return (
        isinstance(data, Mapping)
        and isinstance(data.get(BELOW), list | tuple)
        and any(key in data for key in _NAME_KEYS)
    )


def from_nested(data: Any, same_names: SameNames) -> HierarchyData:
    """The edges of nested data; a name in several places is treated as ``same_names`` says."""
    names: dict[Label, str] = {}
    nodes = any(map(is_node, data if isinstance(data, list | tuple) else [data]))
    made = from_paths(_ways(data, nodes, names), same_names)
    return made if same_names == "apart" else replace(made, names=names)


def _ways(data: Any, nodes: bool, names: dict[Label, str]) -> Iterator[tuple[Label, ...]]:
    """The way from a root down to each class."""
    stack: list[tuple[Any, tuple[Label, ...], tuple[int, ...]]] = [(data, (), ())]
    while stack:
        below, way, around = stack.pop()
        if id(below) in around:
            raise InvalidHierarchy(f"{way[-1]!r} contains itself")
        children = _nodes(below, way, names) if nodes else _children(below, way)
        inside = [((*way, as_label(label)), of) for label, of in children]
        yield from (here for here, _ in inside)
        stack += [(of, here, (*around, id(below))) for here, of in reversed(inside) if not _nothing(of)]


def _children(below: Any, way: tuple[Label, ...]) -> Iterator[tuple[Any, Any]]:
    """(label, what is below it) of each child."""
    if isinstance(below, Mapping):
        yield from below.items()
    elif isinstance(below, list | tuple):
        for each in below:
            if isinstance(each, Mapping):
                yield from each.items()
            else:
                yield each, None
    else:
        raise InvalidHierarchy(
            f"{way[-1]!r} is mapped to {below!r:.80}: in nested data a class is mapped to a dict or a list of what is "
            f"below it, and to nothing if it has no children"
        )


def _nodes(below: Any, way: tuple[Label, ...], names: dict[Label, str]) -> Iterator[tuple[Any, Any]]:
    """The same of nodes; the label of a node is its id if it has one, and then its name is kept beside it."""
    for node in below if isinstance(below, list | tuple) else [below]:
        if not isinstance(node, Mapping):
            yield node, None
            continue
        given = [node[key] for key in _NAME_KEYS if not _nothing(node.get(key))]
        if not given:
            raise InvalidHierarchy(f"{dict(node)!r:.80} below {list(way)}: a node needs one of {', '.join(_NAME_KEYS)}")
        if len(given) > 1 and not _nothing(node.get("id")):
            names[as_label(given[0])] = str(given[1])
        yield given[0], node.get(BELOW)


def _nothing(value: Any) -> bool:
    return is_missing(value) or (isinstance(value, str | list | tuple | Mapping) and len(value) == 0)
