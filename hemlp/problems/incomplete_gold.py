"""True labels that are not the whole truth: classes that are ignored, and true classes that may be too general.

A predicted class that is not true and lies below true classes is no error where these may be too general: it is
*excused*. Pairings make its pairs with the true classes above it free; sets read it as the most specific of those
(*projected*).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray, entry_rows, row_places, row_pointers, sorted_distinct, split
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch, Side
from hemlp.instances.sides import PRED, TRUE
from hemlp.problems.closure.model import BOTH, ClosureModel
from hemlp.problems.pairing.pairs import Pairs

Mask = NDArray[np.bool_]


def without_classes(batch: Batch, ignored: Mask) -> Batch:
    """The batch without some classes on either side."""

    def keep(side: Side) -> Side:
        kept = ~ignored[side.classes]
        return replace(side, ptr=row_pointers(entry_rows(side.ptr)[kept], len(side)), classes=side.classes[kept])

    return replace(batch, true=keep(batch.true), pred=keep(batch.pred))


def excused_pairs(batch: Batch, pairs: Pairs) -> Mask:
    """Of all pairs those of an excused predicted class with a true class above it."""
    ends = pairs.ends(batch)
    size = len(batch.hierarchy)
    keys = [entry_rows(side.ptr) * size + side.classes for side in batch.sides]
    wrong = ~np.isin(keys[PRED], keys[TRUE])
    predicted, true = (batch.sides[side].classes[ends[side]] for side in (PRED, TRUE))
    excused: Mask = wrong[ends[PRED]]
    excused[excused] = is_below(batch.hierarchy, predicted[excused], true[excused])
    return excused


def excused_classes(batch: Batch, pairs: Pairs) -> Mask:
    """Of all predicted classes those that are excused."""
    excused = np.zeros(batch.pred.classes.size, np.bool_)
    excused[pairs.ends(batch)[PRED][excused_pairs(batch, pairs)]] = True
    return excused


def at_least(model: ClosureModel) -> ClosureModel:
    """The sets where true classes may be too general: P is the closure of the projected labels, and what it shared."""
    ptr, nodes, members = model.closures()
    common = members == BOTH
    shared = row_pointers(entry_rows(ptr)[common], len(model)), nodes[common]
    return replace(model, batch=_project(model.batch), shared=shared)


def _project(batch: Batch) -> Batch:
    """With the most specific true classes above it for each excused class."""
    pairs, h, pred = Pairs.of(batch), batch.hierarchy, batch.pred
    excused = excused_pairs(batch, pairs)
    at_pred, at_true = (ends[excused] for ends in pairs.ends(batch))
    above = batch.true.classes[at_true]
    number = np.bincount(at_pred, minlength=pred.classes.size)
    # each true class above a predicted one beside each other such class: one with another below it is not specific
    first = np.repeat(np.arange(at_pred.size), number[at_pred])
    starts = np.searchsorted(at_pred, at_pred)
    second = starts[first] + np.arange(first.size) - np.searchsorted(first, first)
    general = np.zeros(at_pred.size, np.bool_)
    general[first[is_below(h, above[second], above[first])]] = True
    rows = entry_rows(pred.ptr)
    kept = np.flatnonzero(number == 0)
    keys = rows[kept] * len(h) + pred.classes[kept], rows[at_pred[~general]] * len(h) + above[~general]
    row, classes = split(sorted_distinct(np.concatenate(keys)), len(h))
    side = replace(pred, ptr=row_pointers(row, len(pred)), classes=classes.astype(pred.classes.dtype), ranking=None)
    return replace(batch, pred=side)


def is_below(h: Hierarchy, classes: IntArray, above: IntArray) -> Mask:
    """Of each class whether it is a descendant of the one beside it."""
    if not classes.size:
        return np.zeros(0, np.bool_)
    lists = h.upward.lists(classes)
    own = lists.row[classes].astype(np.int64)
    used = np.unique(own)
    places = row_places(lists.ptr, used)
    rows = np.repeat(used, np.diff(lists.ptr)[used])
    listed = np.isin(own * len(h) + above, rows * len(h) + lists.nodes[places])
    through = (lists.hub_at[own] >= 0) & (lists.beyond[above] >= 0)
    below: Mask = (listed | through) & (classes != above)
    return below
