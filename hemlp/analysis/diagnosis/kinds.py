"""By kind: what each predicted class that is not true is to the true ones, and how each true one was answered.

By the first that applies, a predicted class p that is not true is

    too general    an ancestor of a true class
    too specific   a descendant of one
    sibling        shares a parent with one
    same branch    has a common ancestor with one that is not a root
    elsewhere      none of these

and a true class t that is not predicted was answered too generally (an ancestor of t is predicted), too specifically
(a descendant of t is), by a sibling, in the same branch, or elsewhere, that is not at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.analysis.diagnosis.blocks import Systems, chosen_systems, implied, inputs_of, parts
from hemlp.analysis.statistics.cache import once
from hemlp.analysis.statistics.intervals import draw_of, resampled_note, resampled_sums, units_of
from hemlp.arrays import FloatArray, IntArray
from hemlp.instances.batch import Batch, Side
from hemlp.measures.instance_scores import mean
from hemlp.text.intervals import Interval
from hemlp.text.tables import Table

if TYPE_CHECKING:
    from hemlp.results.evaluation import Evaluation

KINDS = ("hit", "too general", "too specific", "sibling", "same branch", "elsewhere")
"""In the order of the numbers that compiled code gives them."""
GROUPS = ("all", "some", "none", "no true class")
"""How many of the true classes of an instance were hit."""


@dataclass(frozen=True, eq=False)
class Found:
    """How many ``predicted`` and ``true`` classes of each instance are of each kind (instances × kinds).

    ``groups``: for each instance which of ``GROUPS`` it belongs to.
    """

    predicted: IntArray
    true: IntArray
    groups: IntArray


def kinds_in(batch: Batch) -> tuple[IntArray, IntArray]:
    """The kind of each predicted and of each true class of a batch, as a place in ``KINDS``."""
    from hemlp.kernels.kinds import kinds
    from hemlp.kernels.records import Rows, Sides

    h = batch.hierarchy
    sides = Sides(batch.pred.ptr, batch.pred.classes, batch.true.ptr, batch.true.classes)
    lists = h.upward.lists(np.concatenate([batch.pred.classes, batch.true.classes]))
    return kinds(sides, lists.row, implied(lists), Rows(h.parent_ptr, h.parent_idx))


@once
def kinds_of(ev: Evaluation, system: str) -> Found:
    """Look at all classes of both sides once."""
    found: list[list[IntArray]] = [[], [], []]
    for _, batch in parts(inputs_of(ev), system):
        of_pred, of_true = kinds_in(batch)
        predicted, true = _by_instance(batch.pred, of_pred), _by_instance(batch.true, of_true)
        hits, sizes = true[:, 0], np.diff(batch.true.ptr)
        groups = np.select([sizes == 0, hits == sizes, hits > 0], [3, 0, 1], 2).astype(np.int8)
        for column, part in zip(found, (predicted, true, groups), strict=True):
            column.append(part)
    return Found(*map(np.concatenate, found))


def _by_instance(side: Side, kinds: IntArray) -> IntArray:
    """How many classes of each instance are of each kind."""
    rows = np.repeat(np.arange(len(side)), np.diff(side.ptr))
    counts = np.bincount(rows * len(KINDS) + kinds, minlength=len(side) * len(KINDS))
    return counts.reshape(len(side), len(KINDS)).astype(np.int32)


def errors(ev: Evaluation, systems: Systems, intervals: bool) -> Table:
    """Numbers of predicted and true classes, kind by kind."""
    chosen = chosen_systems(ev, systems)
    head, columns = [], []
    for system in chosen:
        found = kinds_of(ev, system)
        head += [f"{system} {side}" if len(chosen) > 1 else side for side in ("predicted", "true")]
        columns += [side.sum(axis=0, dtype=np.int64) for side in (found.predicted, found.true)]
    shown: list[list[Any]] = [column.tolist() for column in columns]
    names, notes = list(head), ["predicted: what a class is to the true ones; true: how a class was answered"]
    if intervals:
        sums = resampled_sums(ev, "kinds", chosen, _rows)
        drawn = [side for of in sums for side in (of[:, : len(KINDS)], of[:, len(KINDS) :])]
        names += [f"{name} 95%" for name in head]
        shown += map(_intervals, drawn)
        notes.append(resampled_note(units_of(ev)))
    if intervals and len(chosen) == 2:
        for k, side in enumerate(("predicted", "true")):
            names += [f"difference {side}", f"difference {side} 95%"]
            shown += [(columns[k] - columns[k + 2]).tolist(), _intervals(drawn[k] - drawn[k + 2])]
        notes.append(f"difference: {chosen[0]} less {chosen[1]}, in the same resamples")
    return Table(["kind", *names], list(zip(KINDS, *shown, strict=True)), notes)


def _rows(ev: Evaluation, system: str) -> Iterator[IntArray]:
    """For each instance the numbers of its predicted and of its true classes, kind by kind."""
    found = kinds_of(ev, system)
    yield np.concatenate([found.predicted, found.true], axis=1)


def _intervals(drawn: FloatArray) -> list[Interval]:
    """Of each column of resamples × kinds, in whole numbers."""
    found = (Interval.of(column) for column in drawn.T)
    return [Interval(math.floor(low), math.ceil(high)) for low, high in found]


def hits(ev: Evaluation, systems: Systems, intervals: bool) -> Table:
    """Instances by whether all, some or none of their true classes were hit, with the means of all measures."""
    inputs_of(ev)
    chosen = chosen_systems(ev, systems)
    rows, values = [], []
    for k, group in enumerate(GROUPS):
        for system in chosen:
            among = kinds_of(ev, system).groups == k
            number = int(among.sum())
            if number or group != GROUPS[-1]:
                columns = [np.where(among, ev.per_instance(system, name), math.nan) for name in ev.measures]
                values += columns
                rows.append((group, *([system] if len(chosen) > 1 else []), number, *map(mean, columns)))
    head = ["hit", *(["system"] if len(chosen) > 1 else []), "instances", *ev.measures]
    notes = ["hit: how many of the true classes of an instance were predicted, with the means there"]
    if intervals:
        drawn = [Interval.of(column) for column in draw_of(ev).means(values).T]
        many = len(ev.measures)
        rows = [(*row, *drawn[k * many : (k + 1) * many]) for k, row in enumerate(rows)]
        head += [f"{name} 95%" for name in ev.measures]
        notes.append(resampled_note(units_of(ev)))
    return Table(head, rows, notes)
