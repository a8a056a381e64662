"""Lines of paths, ``A > B > C``: with an id before each (``12 : A > B``, ``12 - A > B``) the ids are the classes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from hemlp.errors import InvalidHierarchy
from hemlp.hierarchy.formats.parent_tables import HierarchyData
from hemlp.hierarchy.formats.path_lists import JOINT, SameNames, edges_of_paths
from hemlp.hierarchy.labels import Label

_IDS = {sign: re.compile(form) for sign, form in (
    (":", r"(\S+)\s+:\s+(.+)"), ("-", r"(\S+)\s+-\s+(.+)"), ("\t", r"(\S+)\t\s*(.+)"),
)}  # fmt: skip
NumberedLine = tuple[int, str]
"""The number of a line, and what it says."""


def from_path_lines(lines: Sequence[NumberedLine], sep: str | None, same_names: SameNames) -> HierarchyData:
    """The edges of lines of paths, whose names stand between ``sep`` (" > ")."""
    with_ids = _with_ids(lines, sep or JOINT)
    if with_ids is not None:
        return _of_ids(with_ids, sep or JOINT)
    edges, classes = edges_of_paths([_split(line, sep or JOINT) for line in lines], same_names)
    return HierarchyData(edges, classes)


def _split(line: NumberedLine, sep: str) -> list[str]:
    parts = re.split(r"(?<=\s)>(?=\s)", line[1]) if sep == JOINT else line[1].split(sep)
    names = [name.strip() for name in parts]
    while names and not names[-1]:
        names.pop()
    if "\t" in "".join(names):
        raise InvalidHierarchy(
            f"line {line[0]}: a tab within the path {line[1]!r:.80}; edges need a line parent<TAB>child"
        )
    if "" in names:
        raise InvalidHierarchy(f"line {line[0]}: the path {line[1]!r:.80} has a gap")
    return names


def _with_ids(lines: Sequence[NumberedLine], sep: str) -> list[tuple[int, str, str]] | None:
    """Number, id and path of each line, if each has an id of its own; what looks so and has not is refused."""
    for sign, form in _IDS.items():
        if sign in sep:
            continue
        found = [(number, form.fullmatch(text)) for number, text in lines]
        made = [(number, match[1], match[2]) for number, match in found if match]
        keys = [key for _, key, _ in made]
        if 2 * len(made) <= len(lines):
            continue
        if len({*keys}) == len(lines):
            return made
        if len({*keys}) == len(keys):
            number = next(number for number, match in found if not match)
            what = f"line {number} has none"
        else:
            times = Counter(keys)
            number, key = next((number, key) for number, key, _ in made if times[key] > 1)
            what = f"{key!r} (line {number}) stands in several lines"
        if len({*keys}) > len(keys) / 2:
            raise InvalidHierarchy(
                f"lines begin like {keys[0]!r} in {lines[0][1]!r:.60}: if these are ids of classes, {what}; if they "
                f"are parts of names, give lists of names, as in [line.split({JOINT!r}) for line in lines]"
            )
    return None


def _of_ids(lines: Sequence[tuple[int, str, str]], sep: str) -> HierarchyData:
    ways = {tuple(_split((number, path), sep)): (number, key) for number, key, path in lines}
    if len(ways) < len(lines):
        for number, key, path in lines:
            other, twin = ways[tuple(_split((number, path), sep))]
            if twin != key:
                raise InvalidHierarchy(f"lines {number} and {other} give {path!r:.80} two ids, {key!r} and {twin!r}")
    edges: list[tuple[Label, Label]] = []
    for way, (number, key) in ways.items():
        if len(way) > 1:
            if way[:-1] not in ways:
                raise InvalidHierarchy(f"line {number}: there is no line for {sep.join(way[:-1])!r}, which is above it")
            edges.append((ways[way[:-1]][1], key))
    return HierarchyData(edges, [key for _, key in ways.values()], {key: way[-1] for way, (_, key) in ways.items()})
