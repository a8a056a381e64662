"""Alignment of true and predicted rows: by instance ids where both sides have them, by position otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import Advice, MisalignedSides
from hemlp.hierarchy.labels import Label, other_type_label
from hemlp.instances.label_sets import LabelSets

MissingPolicy = Literal["error", "empty"]


def align(
    true: LabelSets, pred: LabelSets, missing: MissingPolicy, instances: Iterable[Label]
) -> tuple[tuple[Label, ...] | None, tuple[IntArray, IntArray]]:
    """Names of the instances of both sides together, and for each side (predicted, true) which each of its rows is."""
    names = true.source or "true labels", pred.source or "predictions"
    if true.ids is None and pred.ids is None:
        if len(true) != len(pred):
            raise unequal_rows_error(names[0], len(true), names[1], len(pred))
        _check_order(true, pred)
        return None, (np.arange(len(pred)), np.arange(len(true)))
    if true.ids is None or pred.ids is None:
        bare = names[0] if true.ids is None else names[1]
        raise MisalignedSides(f"only one side carries instance ids: give ids to {bare}, or take them from the other")
    place: dict[Label, int] = {name: k for k, name in enumerate(instances)}
    of_true, of_pred = (
        np.fromiter((place.setdefault(i, len(place)) for i in side), np.int64, len(side))
        for side in (true.ids, pred.ids)
    )
    for side, other, name in ((true.ids, pred.ids, names[1]), (pred.ids, true.ids, names[0])):
        _check_missing(side, set(other), name, missing)
    return tuple(place), (of_pred, of_true)


def _check_missing(ids: Sequence[Label], there: set[Label], name: str, missing: MissingPolicy) -> None:
    """Refuse a side, called ``name``, that lacks some of ``ids``, unless that was allowed and looks intended."""
    missing_ids = [each for each in ids if each not in there]
    for each in missing_ids:
        if (other := other_type_label(each)) in there:
            raise MisalignedSides(f"{name} lacks instance {each!r} but has {other!r}: convert the ids to one type")
    if missing_ids and missing == "error":
        raise MisalignedSides(
            f"{name} lacks instance {missing_ids[0]!r}"
            + (f" and {len(missing_ids) - 1:,} more" if missing_ids[1:] else "")
        ).with_advice(Advice("missing", "empty", "to take an instance that a side lacks for empty there"))
    if there and missing_ids and len(missing_ids) == len(ids):
        raise MisalignedSides(f"{name} has none of the instances of the other side, {missing_ids[0]!r} for example")


def _check_order(true: LabelSets, pred: LabelSets) -> None:
    """Refuse two Series that have the same index in different orders: one of them was shuffled."""
    if true.index is None or pred.index is None or true.index == pred.index:
        return
    if set(true.index) == set(pred.index):
        raise MisalignedSides(
            "the two Series have the same index in different orders: give both as dict(series) to align them by it, or "
            "without their index to compare them row by row"
        )


def unequal_rows_error(first: str, rows: int, second: str, others: int) -> MisalignedSides:
    """What is wrong with two sides of different length."""
    return MisalignedSides(
        f"{first} has {rows:,} rows and {second} has {others:,}: one row per instance on both sides (a blank row is an "
        f"instance without labels)"
    )
