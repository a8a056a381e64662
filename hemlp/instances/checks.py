"""Checks of the two sides of a batch: unknown labels, labels and layouts that seem misread, rows that do not align.

What is refused are signs that label sets do not give by accident: ids among the labels, pieces of labels with spaces,
scores, id and label on a line, edges, the subjects of one document. ``rows="sets"`` says that a side that seems to have
another layout holds label sets all the same. Rows align by instance ids where both sides have them, else by position.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import Literal
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray, entry_rows, sorted_distinct
from hemlp.errors import Advice, InvalidLabelSets, MisalignedSides, UnknownLabel
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labelled_structure import AMBIGUOUS
from hemlp.hierarchy.labels import Label, other_type_label, scored_class, several_classes, unknown_label_message
from hemlp.instances.label_sets import LabelSets
from hemlp.text.tables import plural

_NO_SPACES = (
    "labels with spaces cannot be separated by spaces: use a .csv file with the columns id and label, or another "
    "separator"
)
_PATHS = Advice("rows", "paths", "as these lines look like paths", (("sep", ">"),))
_SEPARATED = Advice("sep", ",", "if commas separate the labels of the file")
_TABLE = Advice("format", "table", "to read it as one")
_SHARE = re.compile(r"0?\.\d+|[01]\.\d*|\d(\.\d+)?e-\d+", re.IGNORECASE)


def refuse_unknown(hierarchy: Hierarchy, side: LabelSets, new: NDArray[np.bool_], advice: Sequence[Advice]) -> None:
    """Refuse the ``new`` labels of the vocabulary wherever they occur; ``advice``: options that help."""
    positions = np.flatnonzero(new[side.codes])
    if not positions.size:
        return
    first = int(positions[0])
    label = side.vocabulary[side.codes[first]]
    message, near = unknown_label_message(label, hierarchy.known_labels())
    if side.space_separated and ">" in side.vocabulary:
        advice = [_PATHS]
    elif name := _whole_label(hierarchy, side, first):
        message += f", but {name!r} is; {_NO_SPACES}"
        advice = [_SEPARATED, *advice]
    elif first == 0 and side.space_separated and "," in str(label) and _is_table(side):
        message += ": every line has a comma, so this looks like a table: name the file .csv"
        advice = [_TABLE]
    more = f" ({plural(positions.size - 1, 'more unknown label')} after it)" if positions.size > 1 else ""
    raise UnknownLabel(f"{side.place(first)}: {message}{more}", label, near).with_advice(*advice)


def _is_table(side: LabelSets) -> bool:
    """Whether every row has a label with a comma."""
    commas = np.array(["," in str(label) for label in side.vocabulary], np.bool_)
    return bool(np.unique(entry_rows(side.ptr)[commas[side.codes]]).size == len(side))


def refuse_misread(hierarchy: Hierarchy, side: LabelSets, new: NDArray[np.bool_]) -> None:
    """Refuse unknown labels that are ids or scores, though unknown labels were allowed."""
    unknown = new[side.codes]
    if unknown.any():
        _refuse_ids(side, unknown)
        _refuse_scores(hierarchy, side, unknown)


def _refuse_ids(side: LabelSets, unknown: NDArray[np.bool_]) -> None:
    """Refuse rows that all begin with an unknown label of their own."""
    firsts = side.ptr[:-1][np.diff(side.ptr) > 0]
    different = np.unique(side.codes[firsts]).size == firsts.size < side.codes.size
    if side.ids is None and side.rows is None and firsts.size >= ENOUGH and different and unknown[firsts].all():
        raise InvalidLabelSets(
            f"{side.place(int(firsts[0]))}: every row begins with an unknown label, {_label(side, firsts[0])!r} here, "
            f"and no two are the same: they look like instance ids. Give a dict id → labels, or a .csv file with the "
            f"columns id and label"
        ).with_advice(Advice("rows", "sets", "if it does hold label sets"))


def refuse_ambiguous(hierarchy: Hierarchy, side: LabelSets, numbers: IntArray) -> None:
    """Refuse a label that names several classes, whatever the policy for unknown labels."""
    for position in np.flatnonzero(numbers[side.codes] == AMBIGUOUS)[:1].tolist():
        label = _label(side, position)
        raise hierarchy.ambiguous_label(label, hierarchy.name_index.classes(label), f"{side.place(position)}: ")


def refuse_pieces(hierarchy: Hierarchy, side: LabelSets, new: NDArray[np.bool_], named: bool) -> None:
    """Refuse pieces of a class with spaces in its label, known or not where labels were separated by spaces; where
    labels are ``named``, also in its name."""
    pieces = hierarchy.label_words | hierarchy.name_words if named else hierarchy.label_words
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


ENOUGH = 5
"""So many instances, all of them of the same unusual kind, are no accident."""
EDGES = 3
"""A hierarchy of fewer edges may have a label set for each of them."""
_ADDRESS = re.compile(r"<[a-z][a-z0-9+.-]*:[^<>]*>", re.IGNORECASE)
_AROUND = " \t,;\"'[]\u00a0\u200b\ufeff"
"""Signs around a label that come from how it was written."""
_HEAD = re.compile(
    r"labels?|class(es)?|categor(y|ies)|terms?|targets?|predictions?|gold|y(_true|_pred)?", re.IGNORECASE
)
_ANYWAY = Advice("rows", "sets", "if it does hold label sets")


def refuse_other_layouts(hierarchy: Hierarchy, side: LabelSets, new: NDArray[np.bool_]) -> None:
    """Refuse a side that does not look like label sets; ``new``: the labels that the hierarchy lacks."""
    if side.rows is not None or not side.codes.size:
        return
    edges, two_words = hierarchy.edges.parents.size, side.space_separated and bool((np.diff(side.ptr) == 2).all())
    note = None
    if side.ids is not None:
        note = _refuse_subjects(hierarchy, side, new)
    elif two_words:
        _refuse_pairs(side, new)
    elif side.layout == "lines" and not side.space_separated:
        note = _note_paths(hierarchy, side)
    if (side.ids is not None or two_words) and edges >= EDGES and side.codes.size in (edges, 2 * edges):
        _refuse_edges(hierarchy, side)
    if note is not None:
        warnings.warn(note, stacklevel=2)


def _refusal(side: LabelSets, position: int, reason: str) -> InvalidLabelSets:
    return InvalidLabelSets(f"{side.place(position)}: {reason}").with_advice(_ANYWAY)


def _refuse_subjects(hierarchy: Hierarchy, side: LabelSets, new: NDArray[np.bool_]) -> str | None:
    """Refuse ids that are classes: the subjects of one document, or columns in another order; else perhaps a note."""
    ids, label = side.ids or (), side.vocabulary[side.codes[0]]
    if all(isinstance(name, str) and _ADDRESS.fullmatch(name) for name in ids):
        raise _refusal(
            side, 0, f"all ids are addresses in angle brackets, {ids[0]!r} for example: this looks like a file of the "
            f"subjects of one document, as Annif writes them (<address>, name, score), and not like lines of id and "
            f"label. Give the folder of all documents, or one file with their ids in its first column",
        )  # fmt: skip
    if hierarchy.numbers([ids[side.row_of(0)]])[0] < 0:  # what follows is of ids that are classes, all with labels
        return None
    numbers = hierarchy.numbers(ids)
    if new[side.codes].all() and (numbers >= 0).all():
        raise _refusal(
            side, 0, f"all ids are classes of the hierarchy, {ids[0]!r} for example, and no label is one: the columns "
            f"of ids and labels seem to be in the wrong order ({label!r} is a label here)",
        )  # fmt: skip
    both = f"every line is two classes of the hierarchy, {ids[0]!r} and {label!r} here, with a tab between them"
    ambiguous, tsv = side.layout == "pairs" and (numbers >= 0).all(), str(side.source).endswith((".tsv", ".tsv.gz"))
    if ambiguous and not tsv:
        raise _refusal(side, 0, f"{both}: the first may be an id, or a label").with_advice(
            Advice("format", "lines", "if both are labels"), _ANYWAY
        )
    rows = entry_rows(side.ptr)
    same = numbers[rows] == hierarchy.numbers(side.vocabulary)[side.codes]
    single = (np.diff(side.ptr) <= 1).all() and (numbers[rows] >= 0).all() and same.all()
    if single and any(str(ids[row]) != str(side.vocabulary[c]) for row, c in zip(rows, side.codes, strict=True)):
        raise _refusal(
            side, 0, f"every id names the same class as its only label, {ids[rows[0]]!r} and {label!r} for example: "
            f"this looks like a list of classes with their names, such as the subjects of one document, and not like "
            f"lines of id and label",
        )  # fmt: skip
    if not ambiguous:
        return None
    return (
        f"{side.source}: {both}; it is read as lines of id and label, as a .tsv file without a header is. If both are "
        f"labels of one instance, say format='lines' (--format lines)"
    )


def _note_paths(hierarchy: Hierarchy, side: LabelSets) -> str | None:
    """A note where each row goes down from a root, class by class."""
    numbers, rows = hierarchy.look_up(side.vocabulary)[0][side.codes], entry_rows(side.ptr)
    begins = np.diff(rows, prepend=-1) > 0
    if begins.all() or numbers.min() < 0 or np.diff(hierarchy.parent_ptr)[numbers[begins]].any():
        return None
    size = np.int64(len(hierarchy))
    steps = numbers[1:] * size + numbers[:-1]
    if not np.isin(steps[~begins[1:]], entry_rows(hierarchy.parent_ptr) * size + hierarchy.parent_idx).all():
        return None
    return (
        f"{side.source}: every line is a path from a root down, and all classes on it count as labels; if only the "
        f"last one is meant, say rows='paths' (--rows paths), and if not, rows='sets' (--rows sets)"
    )


def _refuse_pairs(side: LabelSets, new: NDArray[np.bool_]) -> None:
    """Refuse lines of one id and one label each that were read as two labels."""
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
    """Refuse unknown labels that are a heading, several known ones in one string, or a known one of another type."""
    if side.rows is not None or not new[side.codes].any():
        return
    first = side.codes[: side.ptr[1]]
    begins = side.first_row == 0 and (side.space_separated or (side.lines is not None and side.lines[0] == 1))
    heads = [str(side.vocabulary[k]) for k in first.tolist()]
    if begins and 0 < len(heads) < 3 and new[first].all() and _HEAD.fullmatch(heads[-1]):  # perhaps behind an id
        raise _refusal(side, 0, f"{heads[-1]!r} is unknown, and looks like the head of a column: remove this line")
    known = hierarchy.known_labels()
    for k in np.flatnonzero(new).tolist():
        label = side.vocabulary[k]
        description, twin = several_classes(label, known), other_type_label(label)
        if twin is not None and twin in known:
            description = f"the class {twin!r} ({type(twin).__name__}) in another type: convert one side"
        bare = normalize("NFC", label.strip(_AROUND)) if isinstance(label, str) else label
        if bare != label and bare in known:
            description = f"the class {bare!r} in other signs: clean one side"
        for position in np.flatnonzero(side.codes == k)[:1].tolist() if description else ():
            raise _refusal(side, position, f"{label!r} is unknown, and looks like {description}")


MissingPolicy = Literal["error", "empty"]


def align(
    true: LabelSets, pred: LabelSets, missing: MissingPolicy, instances: Iterable[Label]
) -> tuple[tuple[Label, ...] | None, tuple[IntArray, IntArray]]:
    """Ids of the instances of both sides, and the instance of each row of each side (predicted, true)."""
    names = true.source or "true labels", pred.source or "predictions"
    if true.ids is None and pred.ids is None:
        rows, others = true.ptr.size - 1, pred.ptr.size - 1
        if rows != others:
            raise unequal_rows_error(names[0], rows, names[1], others)
        if true.index is not None and pred.index is not None and true.index != pred.index:
            _check_order(set(true.index), set(pred.index))
        return None, (np.arange(others), np.arange(rows))
    if true.ids is None or pred.ids is None:
        bare, full = names if true.ids is None else names[::-1]
        if not len(true if true.ids is None else pred):
            raise MisalignedSides(f"{bare} holds no instance, unlike {full}: is it the right file?")
        example = next(iter(true.ids or pred.ids or ()), "")
        raise MisalignedSides(
            f"{full} has ids ({example!r}) and {bare} has none, so they cannot be matched: add ids to {bare}, or "
            f"remove the ids of {full} to match by order"
        )
    if true.ids is pred.ids is instances:  # of one table
        return true.ids, (np.arange(len(true)), np.arange(len(true)))
    place: dict[Label, int] = {name: k for k, name in enumerate(instances)}
    of_true, of_pred = (
        np.fromiter((place.setdefault(i, len(place)) for i in side), np.int64, len(side))
        for side in (true.ids, pred.ids)
    )
    for side, other, name in ((true.ids, pred.ids, names[1]), (pred.ids, true.ids, names[0])):
        _check_missing(side, set(other), name, missing)
    return tuple(place), (of_pred, of_true)


def _check_missing(ids: Sequence[Label], there: set[Label], name: str, missing: MissingPolicy) -> None:
    """Refuse a side, called ``name``, that lacks some of ``ids``, unless ``missing`` allows that and some are there."""
    missing_ids = [each for each in ids if each not in there]
    for each in missing_ids:
        if (other := other_type_label(each)) in there:
            raise MisalignedSides(f"{name} lacks instance {each!r} but has {other!r}: convert the ids to one type")
    if not missing_ids:
        return
    more = f" and {len(missing_ids) - 1:,} more" if missing_ids[1:] else ""
    error = MisalignedSides(f"{name} lacks instance {missing_ids[0]!r}{more}")
    if there and len(missing_ids) == len(ids):
        raise MisalignedSides(f"{error}: the two sides have no id in common")
    if missing == "error":
        raise error.with_advice(
            Advice("missing", "empty", "to count an instance that one side lacks as one without labels there")
        )


def _check_order(true: set[Hashable], pred: set[Hashable]) -> None:
    """Refuse two Series that have the same index in different orders: one of them was shuffled."""
    if true == pred:
        raise MisalignedSides(
            "the two Series have the same index in different orders: give both as dict(series) to align them by it, or "
            "without their index to compare them row by row"
        )


def unequal_rows_error(first: str, rows: int, second: str, others: int) -> MisalignedSides:
    """The error for two sides of different length."""
    return MisalignedSides(
        f"{first} has {plural(rows, 'row')} and {second} has {others:,}: one row per instance on both "
        f"sides (a blank row is an instance without labels)"
    )
