"""Paths of classes, each from a root down, as the edges of a hierarchy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Literal

from hemlp.errors import Advice, InvalidHierarchy, InvalidLabel
from hemlp.hierarchy.labels import Label, as_label
from hemlp.options import check_choice

SameNames = Literal["error", "join", "apart"]
JOINT = " > "
"""What stands between the names of a path that is the name of a class itself."""
_BLANKS = " \t\r\n"


def edges_of_paths(
    paths: Iterable[Sequence[Any]], same_names: SameNames
) -> tuple[list[tuple[Label, Label]], list[Label]]:
    """The edges and the classes of paths; ``same_names`` as in ``Hierarchy.from_paths``."""
    check_choice("same_names", same_names, ("error", "join", "apart"))
    if isinstance(paths, str | bytes | Mapping | Set) or hasattr(paths, "columns") or not isinstance(paths, Iterable):
        raise InvalidHierarchy(
            f"{type(paths).__name__} is not a list of paths: give a list with one list of labels per path, from the "
            f"root down (of a frame its rows, as in frame.values.tolist())"
        )
    places: dict[tuple[int, Label], int] = {}  # a place is a class for now: one name below one place
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
                    raise _same_name(name, _way(tree, other), met[other], _way(tree, place), number)
            above = place
    labels = [name for _, name in tree]
    if same_names == "apart":
        labels = [_joined(_way(tree, k), met[k]) for k in range(len(tree))]
    return [(labels[above], labels[k]) for k, (above, _) in enumerate(tree) if above >= 0], labels


def _names(path: Any, number: int) -> list[Label]:
    """The labels of a path without the empty strings at its end."""
    if isinstance(path, str | bytes):
        raise InvalidHierarchy(
            f"path {number} is the string {path!r:.80}: give a list of labels, as in 'A > B'.split(' > ')"
        )
    if isinstance(path, Set | Mapping) or not isinstance(path, Iterable):
        raise InvalidHierarchy(f"path {number} is {path!r:.80}: give a list of labels, from the root down")
    row = list(path)
    while row and isinstance(row[-1], str) and not row[-1]:
        row.pop()
    if any(isinstance(name, str) and not name for name in row):
        raise InvalidHierarchy(f"path {number} is {row!r}: it has a gap")
    try:
        names = [as_label(name) for name in row]
    except InvalidLabel as error:
        raise InvalidLabel(f"path {number}: {error}; short paths end early, or are padded with empty strings") from None
    for name in names:
        if isinstance(name, str) and name != name.strip(_BLANKS):
            raise InvalidHierarchy(f"path {number}: {name!r} has spaces around it; strip all names first")
    return names


def _way(tree: list[tuple[int, Label]], place: int) -> list[Label]:
    """The names from the root down to a place."""
    way: list[Label] = []
    while place >= 0:
        place, name = tree[place]
        way.append(name)
    return way[::-1]


def _joined(way: list[Label], number: int) -> str:
    for name in way:
        if JOINT in str(name):
            raise InvalidHierarchy(
                f"path {number}: {name!r} holds {JOINT!r}, which joins names; write it in another way"
            )
    return JOINT.join(map(str, way))


def _same_name(name: Label, way: list[Label], number: int, other: list[Label], second: int) -> InvalidHierarchy:
    ways = [JOINT.join(map(str, each)) for each in (way, other)]
    if other[: len(way)] == way:
        places = f"twice in path {second} ({ways[1]})"
    else:
        places = f"in two places: path {number} ({ways[0]}) and path {second} ({ways[1]})"
    return InvalidHierarchy(f"{name!r} occurs {places}: is that one class, or several?").with_advice(
        Advice("same_names", "join", "to make it one"),
        Advice("same_names", "apart", f"to name every class by its whole path ({max(ways, key=len)!r})"),
    )
