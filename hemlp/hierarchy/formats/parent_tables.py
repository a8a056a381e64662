"""Tables of classes with their parents: one row an edge, or one row per class with an empty parent for a root."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hemlp.errors import Advice, InvalidHierarchy
from hemlp.hierarchy.labels import Label, as_label, is_missing

PARENT = ("parent", "parents", "parent_id", "parentid", "parent_class", "parent_code", "broader")
CHILD = ("child", "child_id", "childid", "id", "code", "class", "label", "name")
NAME = ("name", "label", "title", "preflabel")
_EDGE_FACTS = re.compile(r"weight|length|distance|cost|score|conf|prob|relation|predicate|type", re.IGNORECASE)
_NOTHING = ("null", "none", "nan", "na", "n/a", "<na>", "-")


@dataclass(frozen=True)
class HierarchyData:
    """A hierarchy as it was given: (parent, child) or (parent, child, weight), classes, readable names, aliases."""

    edges: Sequence[Sequence[Any]]
    classes: Sequence[Label] = ()
    names: Mapping[Label, str] = field(default_factory=dict)
    aliases: Mapping[Label, Label] = field(default_factory=dict)


@dataclass(frozen=True)
class EdgeColumns:
    """The columns of a table of edges; of those that nobody chose, the usual names are looked for."""

    parent: str | None = None
    child: str | None = None
    name: str | None = None
    weight: str | None = None

    def __bool__(self) -> bool:
        return self != EdgeColumns()

    def locate(self, header: Sequence[Any]) -> EdgeColumns | None:
        """The columns by their names in ``header``; None if it names no parent and no child, and none was chosen."""
        for option in ("parent", "child", "name", "weight"):
            chosen = getattr(self, option)
            if chosen is not None and chosen not in header:
                raise InvalidHierarchy(f"{option}={chosen!r}: there is no such column; the columns are {list(header)}")
        usual = {_plain(name): name for name in reversed(header)}
        parent = self.parent or _first(usual, PARENT)
        child = self.child or _first({key: name for key, name in usual.items() if name != parent}, CHILD)
        if parent is None or child is None:
            if not self:
                return None
            missing = "child" if parent else "parent"
            raise InvalidHierarchy(f"say which column holds the {missing}: {missing}=..., one of {list(header)}")
        left = {key: name for key, name in usual.items() if name not in (parent, child)}
        name, weight = self.name or _first(left, NAME), self.weight or left.get("weight")
        on_purpose = self.parent is not None and self.child is not None
        for other in header:
            if other not in (parent, child, name, weight) and _EDGE_FACTS.search(str(other)) and not on_purpose:
                raise InvalidHierarchy(
                    f"the column {other!r} would be left out; call it weight if it holds the lengths of edges"
                ).with_advice(Advice("parent", parent, "to leave it out on purpose", (("child", child),)))
        return EdgeColumns(parent, child, name, weight)


def _plain(name: Any) -> str:
    return re.sub(r"[\s\-]+", "_", str(name).strip()).casefold()


def _first(usual: Mapping[str, str], wanted: Sequence[str]) -> str | None:
    return next((usual[name] for name in wanted if name in usual), None)


def from_parent_table(
    columns: EdgeColumns,
    values: Callable[[Any], Sequence[Any]],
    place: Callable[[int], str],
    classes: Sequence[Label] = (),
) -> HierarchyData:
    """The edges of a table: ``values`` of a column, ``place`` of a row in messages; ``classes`` may lack a row."""
    parents, children = values(columns.parent), values(columns.child)
    weights = None if columns.weight is None else values(columns.weight)
    edges: list[tuple[Any, ...]] = []
    roots: list[Label] = []
    listed: dict[Label, int] = {}
    for k, (above, below) in enumerate(zip(parents, children, strict=True)):
        if _missing(below):
            raise InvalidHierarchy(f"{place(k)}: no class in the column {columns.child!r}")
        child = as_label(below)
        listed.setdefault(child, k)
        found = _parents(above)
        if not found:
            roots.append(child)
        for parent in found:
            edges.append((parent, child) if weights is None else (parent, child, weights[k]))
    names = {} if columns.name is None else _names(children, values(columns.name), place)
    known, called = {*listed, *classes}, {*names.values()}
    for edge in edges:
        if edge[0] not in known:
            where = place(listed[edge[1]])
            if edge[0] in called:
                raise InvalidHierarchy(
                    f"{where}: the parent {edge[0]!r} is a name in the column {columns.name!r}, and no class of "
                    f"{columns.child!r}"
                ).with_advice(Advice("child", str(columns.name), "if parents are given by name"))
            _check_parent(edge[0], known, where, bool(roots))
    return HierarchyData(edges, roots, names)


def _parents(value: Any) -> Sequence[Label]:
    """What a cell names: one parent, several in a list, or none."""
    if isinstance(value, str):
        return (value,) if value.strip() else ()
    several = value if isinstance(value, list | tuple | set) or (hasattr(value, "tolist") and value.ndim) else [value]
    return [as_label(parent) for parent in several if not _missing(parent)]


def _missing(value: Any) -> bool:
    return not value.strip() if isinstance(value, str) else is_missing(value)


def _check_parent(parent: Label, known: set[Label], place: str, rows_of_roots: bool) -> None:
    """Refuse a parent without a row that is no class, but several or none; or where each class has a row."""
    if str(parent).casefold() in _NOTHING:
        raise InvalidHierarchy(f"{place}: the parent {parent!r} looks like a missing value; leave it empty for a root")
    parts = [part.strip() for part in re.split(r"[|;,]", str(parent))]
    if len(parts) > 1 and all(part in known for part in parts):
        raise InvalidHierarchy(f"{place}: {parent!r} looks like several parents in one cell: give one row for each")
    if rows_of_roots:
        raise InvalidHierarchy(f"{place}: the parent {parent!r} has no row of its own, as the roots have: add one")


def _names(children: Sequence[Any], names: Sequence[Any], place: Callable[[int], str]) -> dict[Label, str]:
    found: dict[Label, str] = {}
    for k, (child, name) in enumerate(zip(children, names, strict=True)):
        if not _missing(name) and found.setdefault(as_label(child), str(name)) != str(name):
            raise InvalidHierarchy(f"{place(k)}: {child!r} is called {name!r} here and {found[child]!r} before")
    return found
