"""Paths from a root down: rows of classes, lines ``A > B > C``, or nested dicts and lists.

Lines with ids (``12 : A > B``, ``12 - A > B``): the ids are the labels, the words their names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from hemlp.errors import Advice, InvalidHierarchy, InvalidLabel
from hemlp.hierarchy.formats.hierarchy_data import HierarchyData
from hemlp.hierarchy.formats.parent_tables import named_separator
from hemlp.hierarchy.formats.source_file import SameNames, SourceFile
from hemlp.hierarchy.labels import JOINT, Label, as_label, is_missing
from hemlp.io.text import SEPARATORS, decode, split_cells
from hemlp.options import check_choice

_BLANKS = " \t\r\n"
LEVEL = re.compile(r"(level|rank|tier|depth|l)[\s_-]?\d+", re.IGNORECASE)
"""Names of the columns of a table of paths."""
_IDS = {sign: re.compile(form) for sign, form in (
    (":", r"(\S+)\s+:\s+(.+)"), ("-", r"(\S+)\s+-\s+(.+)"), ("\t", r"(\S+)\t\s*(.+)"),
)}  # fmt: skip
NumberedLine = tuple[int, str]
"""The number of a line, and its text."""


def from_paths(paths: Iterable[Sequence[Any]], same_names: SameNames) -> HierarchyData:
    """From rows of classes, each from a root down."""
    check_choice("same_names", same_names, ("error", "join", "apart"))
    if isinstance(paths, str | bytes | Mapping | Set) or hasattr(paths, "columns") or not isinstance(paths, Iterable):
        raise InvalidHierarchy(
            f"{type(paths).__name__} is not a list of paths: give one list of labels per path, from the root down "
            f"(for a frame, frame.values.tolist())"
        )
    places: dict[tuple[int, Label], int] = {}  # place = (place above, name): a class, until names are joined
    tree: list[tuple[int, Label]] = []
    met: list[int] = []
    first: dict[Label, int] = {}
    for number, path in enumerate(paths, 1):
        above = -1
        for name in _names(path, number):
            key = above, name
            place = places.setdefault(key, len(places))
            if place == len(tree):
                tree.append(key)
                met.append(number)
                other = first.setdefault(name, place)
                if other != place and same_names == "error":
                    raise _same_name_error(name, _way(tree, other), met[other], _way(tree, place), number)
            above = place
    labels = [name for _, name in tree]
    if same_names == "apart":
        labels = [_join(_way(tree, k), met[k]) for k in range(len(tree))]
    return HierarchyData.of([(labels[above], labels[k]) for k, (above, _) in enumerate(tree) if above >= 0], labels)


def _names(path: Any, number: int) -> list[Label]:
    """The labels of a path, without padding."""
    if isinstance(path, str | bytes):
        raise InvalidHierarchy(f"path {number} is the string {path!r:.80}: give a list, as in 'A > B'.split(' > ')")
    if isinstance(path, Set | Mapping) or not isinstance(path, Iterable):
        raise InvalidHierarchy(f"path {number} is {path!r:.80}: give a list of labels, from the root down")
    row = list(path)
    while row and isinstance(row[-1], str) and not row[-1]:
        row.pop()
    if any(isinstance(name, str) and not name for name in row):
        raise InvalidHierarchy(f"path {number} has a gap: {row!r}")
    try:
        names = [as_label(name) for name in row]
    except InvalidLabel as error:
        raise InvalidLabel(f"path {number}: {error}; pad short paths with empty strings, or not at all") from None
    for name in names:
        if isinstance(name, str) and name != name.strip(_BLANKS):
            raise InvalidHierarchy(f"path {number}: {name!r} has spaces around it: strip all names first")
    return names


def _way(tree: list[tuple[int, Label]], place: int) -> list[Label]:
    """The names from the root down to a place."""
    way: list[Label] = []
    while place >= 0:
        place, name = tree[place]
        way.append(name)
    return way[::-1]


def _join(way: list[Label], number: int) -> str:
    for name in way:
        if JOINT in str(name):
            raise InvalidHierarchy(f"path {number}: {name!r} contains {JOINT!r}, which joins names: rename it")
    return JOINT.join(map(str, way))


def _same_name_error(name: Label, way: list[Label], number: int, other: list[Label], second: int) -> InvalidHierarchy:
    ways = [JOINT.join(map(str, each)) for each in (way, other)]
    places = f"in two places: path {number} ({ways[0]}) and path {second} ({ways[1]})"
    if other[: len(way)] == way:
        places = f"twice in path {second} ({ways[1]})"
    return InvalidHierarchy(
        f"{name!r} occurs {places}, which may be one class or two (`hemlp convert` has the option --same-names)"
    ).with_advice(
        Advice("same_names", "join", "to make it one"),
        Advice("same_names", "apart", f"to name every class by its whole path ({max(ways, key=len)!r})"),
    )


def from_path_lines(lines: Sequence[NumberedLine], sep: str | None, same_names: SameNames) -> HierarchyData:
    """From lines of paths, with ``sep`` (" > ") between the names."""
    with_ids = _with_ids(lines, sep or JOINT)
    if with_ids is not None:
        return _from_ids(with_ids, sep or JOINT)
    return from_paths([_split(line, sep or JOINT) for line in lines], same_names)


def _split(line: NumberedLine, sep: str) -> list[str]:
    parts = re.split(r"(?<=\s)>(?=\s)", line[1]) if sep == JOINT else line[1].split(sep)
    names = [name.strip() for name in parts]
    while names and not names[-1]:
        names.pop()
    if "\t" in "".join(names):
        raise InvalidHierarchy(f"line {line[0]}: the path {line[1]!r:.80} contains a tab; edges are parent<TAB>child")
    if "" in names:
        raise InvalidHierarchy(f"line {line[0]}: the path {line[1]!r:.80} has a gap")
    return names


def _with_ids(lines: Sequence[NumberedLine], sep: str) -> list[tuple[int, str, str]] | None:
    """Number, id and path of each line if every line has its own id; an error if most lines do."""
    for sign, form in _IDS.items():
        if sign in sep:
            continue
        matches = [(number, form.fullmatch(text)) for number, text in lines]
        made = [(number, match[1], match[2]) for number, match in matches if match]
        keys = [key for _, key, _ in made]
        if 2 * len(made) <= len(lines):
            continue
        if len({*keys}) == len(lines):
            return made
        if len({*keys}) == len(keys):
            number = next(number for number, match in matches if not match)
            what = f"line {number} has none"
        else:
            times = Counter(keys)
            number, key = next((number, key) for number, key, _ in made if times[key] > 1)
            what = f"{key!r} (line {number}) occurs in several lines"
        if len({*keys}) > len(keys) / 2:
            raise InvalidHierarchy(
                f"lines begin like {keys[0]!r} in {lines[0][1]!r:.60}: if these are ids, {what}; if they are parts of "
                f"names, give lists of names, as in [line.split({JOINT!r}) for line in lines]"
            )
    return None


def _from_ids(lines: Sequence[tuple[int, str, str]], sep: str) -> HierarchyData:
    ways = {tuple(_split((number, path), sep)): (number, key) for number, key, path in lines}
    if len(ways) < len(lines):
        for number, key, path in lines:
            other, second = ways[tuple(_split((number, path), sep))]
            if second != key:
                raise InvalidHierarchy(f"lines {number} and {other} give {path!r:.80} two ids, {key!r} and {second!r}")
    edges: list[tuple[Label, Label]] = []
    for way, (number, key) in ways.items():
        if len(way) > 1:
            if way[:-1] not in ways:
                raise InvalidHierarchy(f"line {number}: its parent {sep.join(way[:-1])!r} has no line")
            edges.append((ways[way[:-1]][1], key))
    return HierarchyData.of(edges, [key for _, key in ways.values()], {key: way[-1] for way, (_, key) in ways.items()})


def read_paths(source: SourceFile) -> HierarchyData:
    """One path per line."""
    if source.kind in SEPARATORS:
        sep = source.sep or SEPARATORS[source.kind]
        if len(sep) == 1:
            text = "\n".join(line for _, line in text_lines(source))
            return _from_cells(list(split_cells(text, source.name, sep)), source.same_names)
    return from_path_lines(text_lines(source), source.sep, source.same_names)


def _from_cells(rows: list[tuple[int, list[str]]], same_names: SameNames) -> HierarchyData:
    """Rows of cells; a header must not become a path."""
    others = {cell for _, row in rows[1:] for cell in row}
    if rows and all(map(LEVEL.fullmatch, rows[0][1])):
        rows = rows[1:]
    elif len(rows) > 2 and not others & {*rows[0][1]}:
        raise InvalidHierarchy(
            f"line 1, {rows[0][1]}, looks like a header: remove it, or call the columns level1, level2, ...; if it is "
            f"a path, move it down"
        )
    return from_paths([row for _, row in rows], same_names)


def text_lines(source: SourceFile) -> list[NumberedLine]:
    """The lines that are neither blank nor comments, with their numbers."""
    lines = enumerate(map(str.strip, decode(source.data, source.name).split("\n")), 1)
    return [
        (number, line) for number, line in lines if line and not (source.comment and line.startswith(source.comment))
    ]


def has_paths(source: SourceFile) -> bool:
    """Whether a text has ``A > B`` in a line, and no header of a table."""
    lines = [line for _, line in text_lines(source)]
    return any(JOINT in line for line in lines) and named_separator(lines[0]) is None


BELOW = "children"
"""The key of the children of a node."""
_NAME_KEYS = ("id", "name", "label", "title")


def is_nested(data: Mapping[Any, Any]) -> bool:
    """Whether a dict goes from parents to children: a class is mapped to a dict, or to a list of dicts."""
    return is_node(data) or any(
        isinstance(below, Mapping) or (isinstance(below, list) and any(isinstance(each, Mapping) for each in below))
        for below in data.values()
    )


def is_node(data: Any) -> bool:
    """Whether a dict is a class, with name and children."""
    return (
        isinstance(data, Mapping)
        and isinstance(data.get(BELOW), list | tuple)
        and any(key in data for key in _NAME_KEYS)
    )


def from_nested(data: Any, same_names: SameNames) -> HierarchyData:
    """From nested dicts and lists, or from nodes with children."""
    names: dict[Label, str] = {}
    nodes = any(map(is_node, data if isinstance(data, list | tuple) else [data]))
    made = from_paths(_nested_paths(data, nodes, names), same_names)
    return made if same_names == "apart" else replace(made, names=names)


def _nested_paths(data: Any, nodes: bool, names: dict[Label, str]) -> Iterator[tuple[Label, ...]]:
    """The path from a root to each class."""
    stack: list[tuple[Any, tuple[Label, ...], tuple[int, ...]]] = [(data, (), ())]
    while stack:
        below, way, around = stack.pop()
        if id(below) in around:
            raise InvalidHierarchy(f"{way[-1]!r} contains itself")
        children = _node_children(below, way, names) if nodes else _nested_children(below, way)
        inside = [((*way, as_label(label)), of) for label, of in children]
        yield from (here for here, _ in inside)
        stack += [(of, here, (*around, id(below))) for here, of in reversed(inside) if not _is_empty(of)]


def _nested_children(below: Any, way: tuple[Label, ...]) -> Iterator[tuple[Any, Any]]:
    """(label, data below it) of each child."""
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
            f"{way[-1]!r} is mapped to {below!r:.80}: in nested data a class is mapped to a dict or list of its "
            f"children, or to nothing"
        )


def _node_children(below: Any, way: tuple[Label, ...], names: dict[Label, str]) -> Iterator[tuple[Any, Any]]:
    """The same for nodes; a node's label is its id, if it has one, and then its name is stored."""
    for node in below if isinstance(below, list | tuple) else [below]:
        if not isinstance(node, Mapping):
            yield node, None
            continue
        given = [node[key] for key in _NAME_KEYS if not _is_empty(node.get(key))]
        if not given:
            raise InvalidHierarchy(f"{dict(node)!r:.80} below {list(way)}: a node needs one of {', '.join(_NAME_KEYS)}")
        if len(given) > 1 and not _is_empty(node.get("id")):
            names[as_label(given[0])] = str(given[1])
        yield given[0], node.get(BELOW)


def _is_empty(value: Any) -> bool:
    return is_missing(value) or (isinstance(value, str | list | tuple | Mapping) and len(value) == 0)
