"""Label files that seem to have another layout (id and label on a line, edges, subjects of one document) are refused.

Each sign is one that label sets do not give by accident; ``rows="sets"`` says that they are label sets all the same.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import entry_rows, sorted_distinct
from hemlp.errors import Advice, InvalidLabelSets
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import several_classes
from hemlp.instances.label_sets import LabelSets

ENOUGH = 5
"""So many instances, all of them of the same unusual kind, are no accident."""
EDGES = 3
"""A hierarchy of fewer edges may have a label set for each of them."""
_ADDRESS = re.compile(r"<[a-z][a-z0-9+.-]*:[^<>]*>", re.IGNORECASE)
_HEAD = re.compile(
    r"labels?|class(es)?|categor(y|ies)|terms?|targets?|predictions?|gold|y(_true|_pred)?", re.IGNORECASE
)
_ANYWAY = Advice("rows", "sets", "if it does hold label sets")


def refuse_other_layouts(hierarchy: Hierarchy, side: LabelSets, new: NDArray[np.bool_]) -> None:
    """Refuse a side that looks like something else; ``new``: which labels of the vocabulary the hierarchy lacks."""
    if side.rows is not None or not side.codes.size:
        return
    if side.ids is not None:
        _refuse_subjects(hierarchy, side, new)
    else:
        _refuse_pairs(side, new)
    _refuse_edges(hierarchy, side)


def _refusal(side: LabelSets, position: int, reason: str) -> InvalidLabelSets:
    return InvalidLabelSets(f"{side.place(position)}: {reason}").with_advice(_ANYWAY)


def _refuse_subjects(hierarchy: Hierarchy, side: LabelSets, new: NDArray[np.bool_]) -> None:
    """Refuse ids that are classes: the subjects of one document, or columns in another order."""
    ids, label = side.ids or (), side.vocabulary[side.codes[0]]
    if all(isinstance(name, str) and _ADDRESS.fullmatch(name) for name in ids):
        raise _refusal(
            side, 0, f"all ids are addresses in angle brackets, {ids[0]!r} for example: this looks like a file of the "
            f"subjects of one document, as Annif writes them (<address>, name, score), and not like lines of id and "
            f"label. Join the documents to one file with the id of each in its first column",
        )  # fmt: skip
    numbers = hierarchy.numbers(ids)
    if new[side.codes].all() and (numbers >= 0).all():
        raise _refusal(
            side, 0, f"all ids are classes of the hierarchy, {ids[0]!r} for example, and no label is one: the columns "
            f"of ids and labels seem to be in the wrong order ({label!r} is a label here)",
        )  # fmt: skip
    rows = entry_rows(side.ptr)
    same = numbers[rows] == hierarchy.numbers(side.vocabulary)[side.codes]
    single = (np.diff(side.ptr) <= 1).all() and (numbers[rows] >= 0).all() and same.all()
    if single and any(str(ids[row]) != str(side.vocabulary[c]) for row, c in zip(rows, side.codes, strict=True)):
        raise _refusal(
            side, 0, f"every id names the same class as its only label, {ids[rows[0]]!r} and {label!r} for example: "
            f"this looks like a list of classes with their names, such as the subjects of one document, and not like "
            f"lines of id and label",
        )  # fmt: skip


def _refuse_pairs(side: LabelSets, new: NDArray[np.bool_]) -> None:
    """Refuse lines of one id and one label each that were read as two labels."""
    sizes = np.diff(side.ptr)
    if not side.space_separated or not (sizes == 2).all():
        return
    firsts, seconds = side.codes[::2], side.codes[1::2]
    groups = 1 + np.count_nonzero(firsts[1:] != firsts[:-1])
    if new[firsts].all() and not new[seconds].any() and sorted_distinct(firsts).size == groups >= ENOUGH:
        raise _refusal(
            side, 0, f"every line has an unknown label, {side.vocabulary[firsts[0]]!r} here, and a class behind it: "
            f"they look like lines of id and label. Give a .csv or .tsv file with the columns id and label",
        )  # fmt: skip


def _refuse_edges(hierarchy: Hierarchy, side: LabelSets) -> None:
    """Refuse the edges of the hierarchy, each once, from parent to child or back: as id and label, or as a line."""
    above = entry_rows(hierarchy.parent_ptr)
    if side.codes.size not in (above.size, 2 * above.size) or above.size < EDGES:
        return
    numbers = hierarchy.numbers(side.vocabulary)[side.codes]
    if side.ids is not None and side.codes.size == above.size:
        pairs = hierarchy.numbers(side.ids)[entry_rows(side.ptr)], numbers
    elif side.space_separated and (np.diff(side.ptr) == 2).all():
        pairs = numbers[::2], numbers[1::2]
        if not np.isin(hierarchy.parent_idx, above).any():  # of two levels, these may be a parent and a child each
            return
    else:
        return
    if min(pairs[0].min(), pairs[1].min()) < 0:
        return
    edges = np.sort(hierarchy.parent_idx * np.int64(len(hierarchy)) + above)
    for first, second in (pairs, pairs[::-1]):
        if np.array_equal(np.sort(first * np.int64(len(hierarchy)) + second), edges):
            raise _refusal(side, 0, "these are the edges of the hierarchy itself, each once, and not label sets")


def refuse_suspect_labels(hierarchy: Hierarchy, side: LabelSets, new: NDArray[np.bool_]) -> None:
    """Refuse unknown labels that are a heading, several known ones in one string, or a class in angle brackets."""
    if side.rows is not None or not new[side.codes].any():
        return
    first = str(side.vocabulary[side.codes[0]])
    begins = side.first_row == 0 and (side.space_separated or (side.lines is not None and side.lines[0] == 1))
    if begins and side.ptr[1] == 1 and new[side.codes[0]] and _HEAD.fullmatch(first):
        raise _refusal(side, 0, f"{first!r} is unknown, and looks like the head of a column: take this line away")
    known = hierarchy.known_labels()
    for k in np.flatnonzero(new).tolist():
        label = side.vocabulary[k]
        description = several_classes(label, known)
        if isinstance(label, str) and _ADDRESS.fullmatch(label) and label[1:-1] in known:
            description = "a class in angle brackets: take them away"
        for position in np.flatnonzero(side.codes == k)[:1].tolist() if description else ():
            raise _refusal(side, position, f"{label!r} is unknown, and looks like {description}")
