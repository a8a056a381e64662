"""Labels that a hierarchy does not have: errors with near matches, and signs that a file was misread.

Whatever was chosen to be done about unknown labels, some of them show that a file or a list was misread: pieces of
labels with spaces, instance ids, scores. Those are an error always.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import entry_rows
from hemlp.errors import Advice, InvalidLabelSets, UnknownLabel
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label, scored_class, unknown_label_message
from hemlp.instances.label_sets import LabelSets

_NO_SPACES = (
    "labels with spaces cannot be separated by spaces: use a .csv file with the columns id and label, or another "
    "separator"
)
_SEPARATED = Advice("sep", ",", "if commas separate the labels of the file")
_SHARE = re.compile(r"0?\.\d+|[01]\.\d*|\d(\.\d+)?e-\d+", re.IGNORECASE)
ENOUGH = 5
"""So many rows that begin with unknown labels, all different, are no accident."""


def refuse_unknown(hierarchy: Hierarchy, side: LabelSets, new: NDArray[np.bool_], advice: Sequence[Advice]) -> None:
    """Refuse the labels of the vocabulary that are ``new`` wherever they stand; ``advice`` says what could be done."""
    positions = np.flatnonzero(new[side.codes])
    if not positions.size:
        return
    first = int(positions[0])
    label = side.vocabulary[side.codes[first]]
    message, near = unknown_label_message(label, hierarchy.known_labels())
    if name := _whole_label(hierarchy, side, first):
        message += f", but {name!r} is; {_NO_SPACES}"
        advice = [_SEPARATED, *advice]
    more = f" ({positions.size - 1:,} more unknown labels follow)" if positions.size > 1 else ""
    raise UnknownLabel(f"{side.place(first)}: {message}{more}", label, near).with_advice(*advice)


def refuse_misread(hierarchy: Hierarchy, side: LabelSets, new: NDArray[np.bool_]) -> None:
    """Refuse labels that are pieces of others, ids, or scores, though unknown labels were allowed."""
    _refuse_pieces(hierarchy, side, new)
    unknown = new[side.codes]
    if unknown.any():
        _refuse_ids(side, unknown)
        _refuse_scores(hierarchy, side, unknown)


def _refuse_ids(side: LabelSets, unknown: NDArray[np.bool_]) -> None:
    """Refuse rows that all begin with a label of their own that nobody knows."""
    firsts = side.ptr[:-1][np.diff(side.ptr) > 0]
    different = np.unique(side.codes[firsts]).size == firsts.size < side.codes.size
    if side.ids is None and side.rows is None and firsts.size >= ENOUGH and different and unknown[firsts].all():
        raise InvalidLabelSets(
            f"{side.place(int(firsts[0]))}: every row begins with an unknown label, {_label(side, firsts[0])!r} here, "
            f"and no two are the same: they look like instance ids. Give a dict id → labels, or a .csv file with the "
            f"columns id and label"
        ).with_advice(Advice("rows", "sets", "if it does hold label sets"))


def _refuse_pieces(hierarchy: Hierarchy, side: LabelSets, new: NDArray[np.bool_]) -> None:
    """Refuse pieces of a class with spaces in its name, known or not where labels were separated by spaces."""
    pieces = hierarchy.label_words
    if not pieces:
        return
    suspects = np.array([label in pieces for label in side.vocabulary], np.bool_)
    for k in np.flatnonzero((suspects if side.space_separated else suspects & new)[side.codes]).tolist():
        if name := _whole_label(hierarchy, side, k):
            label = _label(side, k)
            message = f"{side.place(k)}: {label!r} looks like a piece of {name!r}; {_NO_SPACES}"
            raise UnknownLabel(message, label, [name]).with_advice(_SEPARATED)


def _whole_label(hierarchy: Hierarchy, side: LabelSets, position: int) -> str | None:
    """The class with spaces in its name that a label is a piece of, if the other pieces stand beside it."""
    row = side.row_of(position)
    labels, here = side[row], position - int(side.ptr[row])
    for begin in range(max(0, here - 5), here + 1):
        for end in range(max(here + 1, begin + 2), min(len(labels), here + 6) + 1):
            name = " ".join(map(str, labels[begin:end]))
            if name in hierarchy:
                return name
    return None


def _refuse_scores(hierarchy: Hierarchy, side: LabelSets, unknown: NDArray[np.bool_]) -> None:
    """Refuse labels like ``class:score``, and rows that all hold a fraction between 0 and 1."""
    known = hierarchy.known_labels()
    scored = [scored_class(label, known) is not None for label in side.vocabulary]
    shares = [isinstance(label, str) and _SHARE.fullmatch(label) is not None for label in side.vocabulary]
    rows = entry_rows(side.ptr)
    suspects = unknown & np.array(shares, np.bool_)[side.codes]
    if np.unique(rows[suspects]).size < np.unique(rows).size:  # some rows have none: then they may be anything
        suspects = unknown & np.array(scored, np.bool_)[side.codes]
    if suspects.any():
        k = int(np.flatnonzero(suspects)[0])
        raise InvalidLabelSets(
            f"{side.place(k)}: {_label(side, k)!r} looks like a score, and label sets have none: apply a threshold "
            f"first, and give labels alone"
        )


def _label(side: LabelSets, position: int) -> Label:
    return side.vocabulary[int(side.codes[position])]
