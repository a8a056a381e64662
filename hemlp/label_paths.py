"""Rows that are paths of classes, from the top down, and not sets: read as such where that was said, else refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hemlp.edges import IntArray
from hemlp.errors import InvalidLabelSets, UnknownLabel
from hemlp.hierarchy import Hierarchy
from hemlp.label_sets import LabelSets, pointers
from hemlp.vocabulary import unknown_label_message


def ends_of_paths(hierarchy: Hierarchy, side: LabelSets) -> LabelSets:
    """The last class of each row as its label set if rows are paths, and anything else as it is.

    Each class of a path must be a parent of the next; of the last one that is asked only if it is known.
    """
    if side.rows != "paths":
        return side
    lengths = np.diff(side.ptr)
    last = side.ptr[1:][lengths > 0] - 1
    inner = np.ones(side.codes.size, np.bool_)
    inner[last] = False
    numbers = hierarchy.numbers(side.vocabulary)[side.codes]
    lost = np.flatnonzero(inner & (numbers < 0))
    if lost.size:
        label = side.vocabulary[side.codes[lost[0]]]
        message, near = unknown_label_message(label, hierarchy.known_labels())
        raise UnknownLabel(f"{side.place(int(lost[0]))}: in a path, {message}", label, near)
    steps = np.flatnonzero(inner)
    steps = steps[numbers[steps + 1] >= 0]
    wrong = steps[~hierarchy.edges.hold(numbers[steps], numbers[steps + 1])]
    if wrong.size:
        upper, lower = (side.vocabulary[side.codes[k]] for k in (wrong[0], wrong[0] + 1))
        raise InvalidLabelSets(f"{side.place(int(wrong[0]))}: not a path, {upper!r} is not a parent of {lower!r}")
    lines = None if side.lines is None else side.lines[last]
    return replace(side, ptr=pointers(np.minimum(lengths, 1)), codes=side.codes[last], lines=lines, rows="sets")


def refuse_paths(hierarchy: Hierarchy, side: LabelSets) -> None:
    """Refuse lists that look like paths: every row with several classes goes from a root down, parent by parent.

    Classes that stand repeatedly in a row, one after the other, are padding and count once; unknown labels do not
    count.
    """
    if side.rows is not None:
        return
    numbers = hierarchy.numbers(side.vocabulary)[side.codes]
    rows = np.repeat(np.arange(len(side)), np.diff(side.ptr))[numbers >= 0]
    classes = numbers[numbers >= 0]
    new = np.ones(rows.size, np.bool_)
    new[1:] = (rows[1:] != rows[:-1]) | (classes[1:] != classes[:-1])
    rows, classes = rows[new], classes[new]
    several = np.unique(rows[1:][rows[1:] == rows[:-1]])
    one = len({side[int(row)] for row in several[:1000]}) == 1
    if _are_paths(hierarchy, rows, classes, one):
        words, end = "from the top down", "last"
    elif np.bincount(rows, minlength=1).max() > 2 and _are_paths(hierarchy, rows[::-1], classes[::-1], one):
        words, end = "from the bottom up", "first"
    else:
        return
    row = int(several[0])
    raise InvalidLabelSets(
        f"{side.place(int(side.ptr[row]))}: {list(side[row])!r:.80} looks like a path {words}, and so does every row "
        f"with several labels. Give the {end} class of each path, or say what is meant: LabelSets.of(..., "
        f"rows='paths') takes the last class of each row, LabelSets.of(..., rows='sets') takes all its labels"
    )


def _are_paths(hierarchy: Hierarchy, rows: IntArray, classes: IntArray, one: bool) -> bool:
    """Whether all rows with several classes go down, parent by parent, from a root.

    Where the hierarchy has one root, paths often leave it out; then ``one`` row alone says too little.
    """
    steps = np.flatnonzero(rows[1:] == rows[:-1])
    if not steps.size or not hierarchy.edges.hold(classes[steps], classes[steps + 1]).all():
        return False
    begins = classes[steps[np.unique(rows[steps], return_index=True)[1]]]
    rootless = np.diff(hierarchy.parent_ptr) == 0
    if rootless[begins].all():
        return True
    roots = np.flatnonzero(rootless)
    below = hierarchy.edges.hold(np.full(begins.size, roots[0]), begins)
    return roots.size == 1 and not one and bool((rootless[begins] | below).all())
