"""Classes with their parents: tables with a row per edge or class, and mappings. A root has no parent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hemlp.errors import Advice, InvalidHierarchy, InvalidLabel
from hemlp.hierarchy.formats.hierarchy_data import HierarchyData
from hemlp.hierarchy.labels import Label, as_label, is_missing

PARENT = ("parent", "parents", "parent_id", "parentid", "parent_class", "parent_code", "broader")
CHILD = ("child", "child_id", "childid", "id", "code", "class", "label", "name")
NAME = ("name", "label", "title", "preflabel")
_EDGE_FACTS = re.compile(r"weight|length|distance|cost|score|conf|prob|relation|predicate|type", re.IGNORECASE)
CELL_SEPARATORS = ("\t", ",", ";", "|")
"""Separators of cells to try, without an option."""
_NOTHING = ("null", "none", "nan", "na", "n/a", "<na>", "-")
_NO_PARENT = ("0", "-1", "root")
"""What tables of classes write for the parent of a root."""


@dataclass(frozen=True)
class EdgeColumns:
    """The columns of a table of edges; None: look for common names."""

    parent: str | None = None
    child: str | None = None
    name: str | None = None
    weight: str | None = None

    def locate(self, header: Sequence[Any]) -> EdgeColumns | None:
        """The columns in ``header``; None if none was chosen and none has a common name."""
        for option in ("parent", "child", "name", "weight"):
            chosen = getattr(self, option)
            if chosen is not None and chosen not in header:
                raise InvalidHierarchy(f"{option}={chosen!r} is not a column; the columns are {list(header)}")
        known = {_plain(name): name for name in reversed(header)}
        parent = self.parent or _first(known, PARENT)
        child = self.child or _first({key: name for key, name in known.items() if name != parent}, CHILD)
        own = [key for key, name in known.items() if key.endswith("_id") and name != parent]
        if child is None and parent is not None and _plain(parent) == "parent_id" and len(own) == 1:
            child = known[own[0]]  # category_id beside parent_id, and category_name
            known = {"name" if key == own[0][:-3] + "_name" else key: name for key, name in known.items()}
        if parent is None or child is None:
            if self == COMMON_NAMES:
                return None
            missing = "child" if parent else "parent"
            raise InvalidHierarchy(f"choose the column of the {missing}: {missing}=..., one of {list(header)}")
        left = {key: name for key, name in known.items() if name not in (parent, child)}
        name, weight = self.name or _first(left, NAME), self.weight or left.get("weight")
        for used in filter(None, (parent, child, name, weight)):
            chosen = used in (self.parent, self.child, self.name, self.weight)
            if sum(other == used if chosen else _plain(other) == _plain(used) for other in header) > 1:
                raise InvalidHierarchy(f"the column {used!r} occurs several times; the columns are {list(header)}")
        on_purpose = self.parent is not None and self.child is not None
        for other in header:
            if other not in (parent, child, name, weight) and _EDGE_FACTS.search(str(other)) and not on_purpose:
                raise InvalidHierarchy(
                    f"the column {other!r} would be ignored; call it weight if it holds the lengths of edges"
                ).with_advice(Advice("parent", parent, "to ignore it on purpose", (("child", child),)))
        return EdgeColumns(parent, child, name, weight)


COMMON_NAMES = EdgeColumns()
"""No column is chosen."""


def _plain(name: Any) -> str:
    return re.sub(r"[\s\-]+", "_", str(name).strip()).casefold()


def _first(known: Mapping[str, str], wanted: Sequence[str]) -> str | None:
    return next((known[name] for name in wanted if name in known), None)


def from_parent_table(
    columns: EdgeColumns, values: Callable[[Any], Sequence[Any]], place: Callable[[int], str],
    classes: Sequence[Label] = (),
) -> HierarchyData:  # fmt: skip
    """The edges of a table: ``values`` of a column, ``place`` of a row in messages; ``classes`` need no row."""
    parents, children = values(columns.parent), values(columns.child)
    weights = None if columns.weight is None else values(columns.weight)
    edges: list[tuple[Any, ...]] = []
    roots: list[Label] = []
    first_row: dict[Label, int] = {}
    for k, (above, below) in enumerate(zip(parents, children, strict=True)):
        if _missing(below):
            raise InvalidHierarchy(f"{place(k)}: the column {columns.child!r} is empty")
        child = as_label(below)
        first_row.setdefault(child, k)
        named = _parents(above)
        if not named:
            roots.append(child)
        for parent in named:
            edges.append((parent, child) if weights is None else (parent, child, weights[k]))
    names = {} if columns.name is None else _names(children, values(columns.name), place)
    known, readable = {*first_row, *classes}, {*names.values()}
    for edge in edges:
        if edge[0] not in known:
            where = place(first_row[edge[1]])
            if edge[0] in readable:
                raise InvalidHierarchy(
                    f"{where}: the parent {edge[0]!r} is a name (column {columns.name!r}), not a class (column "
                    f"{columns.child!r})"
                ).with_advice(Advice("child", str(columns.name), "if parents are given by name"))
            _check_parent(edge[0], known, where, bool(roots), _plain(columns.child).startswith("child"))
    return HierarchyData.of(edges, roots, names)


def _parents(value: Any) -> Sequence[Label]:
    """The parents in a cell: one, several in a list, or none."""
    if isinstance(value, str):
        return (value,) if value.strip() else ()
    several = value if isinstance(value, list | tuple | set) or (hasattr(value, "tolist") and value.ndim) else [value]
    return [as_label(parent) for parent in several if not _missing(parent)]


def _missing(value: Any) -> bool:
    return not value.strip() if isinstance(value, str) else is_missing(value)


def _check_parent(parent: Label, known: set[Label], place: str, rows_of_roots: bool, rows_are_edges: bool) -> None:
    """Reject a parent without a row that looks missing or like several, or where roots have rows."""
    if str(parent).casefold() in _NOTHING:
        raise InvalidHierarchy(f"{place}: the parent {parent!r} looks like a missing value; leave it empty for a root")
    parts = [part.strip() for part in re.split(r"[|;,]", str(parent))]
    if len(parts) > 1 and all(part in known for part in parts):
        raise InvalidHierarchy(f"{place}: {parent!r} looks like several parents in one cell: give one row per parent")
    if str(parent).casefold() in _NO_PARENT and not rows_are_edges:
        raise InvalidHierarchy(
            f"{place}: the parent {parent!r} has no row: leave it empty for a root, or add a row for it"
        )
    if rows_of_roots:
        raise InvalidHierarchy(f"{place}: the parent {parent!r} has no row of its own, unlike the roots: add one")


def _names(children: Sequence[Any], names: Sequence[Any], place: Callable[[int], str]) -> dict[Label, str]:
    by_class: dict[Label, str] = {}
    for k, (child, name) in enumerate(zip(children, names, strict=True)):
        if not _missing(name) and by_class.setdefault(as_label(child), str(name)) != str(name):
            raise InvalidHierarchy(f"{place(k)}: {child!r} has two names, {by_class[child]!r} and {name!r}")
    return by_class


def named_separator(line: str, columns: EdgeColumns | None = None) -> str | None:
    """The separator of the cells of a header, None for any other line."""
    chosen = {name for name in (columns.parent, columns.child) if name is not None} if columns else set()
    for sep in CELL_SEPARATORS:
        cells = [cell.strip().strip('"') for cell in line.split(sep)]
        if len(cells) > 1 and ((chosen and chosen <= {*cells}) or _names_columns(cells)):
            return sep
    return None


def _names_columns(cells: list[str]) -> bool:
    """Whether a first line names columns of parents and of children."""
    try:
        return EdgeColumns().locate(cells) is not None
    except InvalidHierarchy:  # it does, with a column that the reader will reject
        return True


def from_parents(parents: Mapping[Label, Label | Iterable[Label] | None]) -> HierarchyData:
    """From a mapping child → parents: one label, several, or None for a root."""
    if not hasattr(parents, "items") or hasattr(parents, "columns"):
        raise InvalidHierarchy(f"{type(parents).__name__} is not a mapping child → parents")
    edges: list[tuple[Label, Label]] = []
    for child, of in parents.items():
        if isinstance(of, Mapping):
            raise InvalidHierarchy(
                f"{child!r} is mapped to {of!r:.80}: nested dicts go from parent to child, and from_parents takes a "
                f"mapping child → parents: use Hierarchy.of for nested dicts"
            )
        several = isinstance(of, Iterable) and not isinstance(of, str | bytes)
        above: Any = () if of is None else of if several else (of,)
        try:
            edges += [(as_label(parent), child) for parent in above]
        except InvalidLabel as error:
            raise InvalidLabel(f"the parent of {child!r}: {error}; a root has the parent None") from None
    return HierarchyData.of(edges, list(parents.keys()))


def refuse_children(parents: Mapping[Any, Any]) -> None:
    """Reject a mapping that could as well go from parent to children."""
    lists = [list(of) for of in parents.values() if isinstance(of, Iterable) and not isinstance(of, str | bytes)]
    ends = [*parents.values(), *(end for of in lists for end in of)]
    named = [end for end in ends if isinstance(end, str | int)]
    if any(len(of) > 1 for of in lists) and len(set(named)) == len(named):
        key = next(key for key, of in parents.items() if not isinstance(of, str) and isinstance(of, Iterable) and of)
        raise InvalidHierarchy(
            f"the dict could go from child to parents or from parent to children: if {key!r} is below "
            f"{parents[key]!r:.60}, use Hierarchy.from_parents(data); if it is above, use "
            f"Hierarchy.from_edges((parent, child) for parent, children in data.items() for child in children)"
        )
