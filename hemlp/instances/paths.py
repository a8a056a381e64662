"""Rows that are paths of classes, from the top down, and not sets: read as such where that was said, else refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from hemlp.arrays import IntArray, pointers
from hemlp.errors import InvalidLabelSets, UnknownLabel
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import unknown_label_message
from hemlp.instances.sets import LabelSets

Way = Literal["down", "up", "neither", "unclear"]


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
    several = np.flatnonzero(np.diff(side.ptr) > 1)
    way: Way = "unclear"
    for rows in (several[:20], several):  # most often the first rows say that these are no paths
        way = _way(hierarchy, side, rows, all_rows=rows is several)
        if way == "neither":
            return
    if way == "unclear":
        return
    end, words = ("last", "from the top down") if way == "down" else ("first", "from the bottom up")
    row = int(several[0])
    raise InvalidLabelSets(
        f"{side.place(int(side.ptr[row]))}: {list(side[row])!r:.80} looks like a path {words}, and so does every row "
        f"with several labels. Give the {end} class of each path, or say what is meant: LabelSets.of(..., "
        f"rows='paths') takes the last class of each row, LabelSets.of(..., rows='sets') takes all its labels"
    )


def _way(hierarchy: Hierarchy, side: LabelSets, chosen: IntArray, all_rows: bool) -> Way:
    """Which way all the chosen rows go through the hierarchy.

    Where the only root is left out, one row says too little; so do ways up without a row of three classes. Whether
    there is more to see is known when all rows are there.
    """
    lengths = np.diff(side.ptr)[chosen]
    rows = np.repeat(chosen, lengths)
    within = np.arange(rows.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    classes = hierarchy.numbers(side.vocabulary)[side.codes[side.ptr[rows] + within]]
    rows, classes = rows[classes >= 0], classes[classes >= 0]
    new = np.ones(rows.size, np.bool_)
    new[1:] = (rows[1:] != rows[:-1]) | (classes[1:] != classes[:-1])
    rows, classes = rows[new], classes[new]
    counts = np.bincount(rows, minlength=1)
    if counts.max() < 2:
        return "unclear"
    alone = all_rows and len({side[int(row)] for row in np.flatnonzero(counts > 1)}) == 1
    if _go_down(hierarchy, rows, classes, alone):
        return "down"
    long = counts.max() > 2 or not all_rows
    return "up" if long and _go_down(hierarchy, rows[::-1], classes[::-1], alone) else "neither"


def _go_down(hierarchy: Hierarchy, rows: IntArray, classes: IntArray, alone: bool) -> bool:
    """Whether all rows with several classes go down, parent by parent, from a root or from below the only root."""
    steps = np.flatnonzero(rows[1:] == rows[:-1])
    if not hierarchy.edges.hold(classes[steps], classes[steps + 1]).all():
        return False
    begins = classes[steps[np.unique(rows[steps], return_index=True)[1]]]
    rootless = np.diff(hierarchy.parent_ptr) == 0
    if rootless[begins].all():
        return True
    roots = np.flatnonzero(rootless)
    below = hierarchy.edges.hold(np.full(begins.size, roots[0]), begins)
    return roots.size == 1 and not alone and bool((rootless[begins] | below).all())
