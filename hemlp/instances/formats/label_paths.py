"""Rows that are paths of classes, from the top down: each stands for its last class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hemlp.arrays import IntArray, entry_rows, row_pointers
from hemlp.errors import Advice, InvalidLabelSets, UnknownLabel
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import JOINT, unknown_label_message
from hemlp.instances.label_sets import LabelSets


def resolve_paths(hierarchy: Hierarchy, side: LabelSets) -> LabelSets:
    """The last classes of the paths of each row as its label set if rows are paths; else the sets as given.

    Each class of a path must be a parent of the next; of the last one that is asked only if it is known. Where classes
    are called by their whole paths, a name is that of the class at its place.
    """
    if side.rows != "paths":
        return side
    begins = side.ptr if side.paths is None else side.paths
    side = _join_whole_names(hierarchy, side, begins)
    last = begins[1:][np.diff(begins) > 0] - 1
    inner = np.ones(side.codes.size, np.bool_)
    inner[last] = False
    numbers = hierarchy.numbers(side.vocabulary)[side.codes]
    lost = np.flatnonzero(inner & (numbers < 0))
    if lost.size:
        label = side.vocabulary[side.codes[lost[0]]]
        message, near = unknown_label_message(label, hierarchy.known_labels())
        raise UnknownLabel(f"{side.place(int(lost[0]))}: in a path, {message}", label, near).with_advice(
            *[Advice("sep", ">", "if that separates the classes")] * (">" in side.vocabulary)
        )
    steps = np.flatnonzero(inner)
    steps = steps[numbers[steps + 1] >= 0]
    wrong = steps[~hierarchy.edges.contain(numbers[steps], numbers[steps + 1])]
    if wrong.size:
        upper, lower = (side.vocabulary[side.codes[k]] for k in (wrong[0], wrong[0] + 1))
        raise InvalidLabelSets(f"{side.place(int(wrong[0]))}: not a path, {upper!r} is not a parent of {lower!r}")
    rows = entry_rows(side.ptr)[last]
    lines = None if side.lines is None else side.lines[last]
    ptr = row_pointers(rows, len(side))
    return replace(side, ptr=ptr, codes=side.codes[last], lines=lines, rows="sets", paths=None)


def _join_whole_names(hierarchy: Hierarchy, side: LabelSets, begins: IntArray) -> LabelSets:
    """Replace a name by its whole path wherever that is the label of a class."""
    if not any(JOINT in str(label) for label in hierarchy.labels):
        return side
    vocabulary, codes = dict(zip(side.vocabulary, range(len(side.vocabulary)), strict=True)), side.codes.copy()
    for begin, end in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True):
        names = [str(side.vocabulary[code]) for code in side.codes[begin:end]]
        for k in range(1, end - begin):
            whole = JOINT.join(names[: k + 1])
            if whole in hierarchy:
                codes[begin + k] = vocabulary.setdefault(whole, len(vocabulary))
    return replace(side, vocabulary=tuple(vocabulary), codes=codes)
