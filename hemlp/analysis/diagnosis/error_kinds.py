"""Diagnosis by kind of error: how each wrong predicted class relates to the true ones, and each missed class to the
predicted ones.

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
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hemlp.analysis.diagnosis.class_counts import levels
from hemlp.analysis.diagnosis.system_batches import SystemChoice, as_implied, choose_systems, iter_batches, system_heads
from hemlp.analysis.statistics.intervals import resample_sums, resampling_units, shared_bootstrap
from hemlp.analysis.statistics.resampling import bootstrap_note
from hemlp.arrays import FloatArray, IntArray, entry_rows, row_pointers
from hemlp.instances.batch import Batch, Side
from hemlp.kernels.records import Rows, Sides
from hemlp.measures.instance_scores import mean
from hemlp.results.exact_sums import BucketSums
from hemlp.results.inputs import dropped_notes
from hemlp.results.results import Results, cache_per_evaluation, require_inputs
from hemlp.text.tables import Interval, Table, format_number, join_words, plural

ERROR_KINDS = ("hit", "too general", "too specific", "sibling", "same branch", "elsewhere")
"""In the order of the numbers that compiled code gives them."""
HIT_GROUPS = ("all", "some", "none", "no true class")
"""How many of the true classes of an instance were hit."""


@dataclass(frozen=True, eq=False)
class KindCounts:
    """How many ``predicted`` and ``true`` classes of each instance are of each kind (instances × kinds).

    ``groups``: for each instance which of ``HIT_GROUPS`` it belongs to; or how many do, where a tally has sums alone.
    """

    predicted: IntArray
    true: IntArray
    groups: IntArray


def classify_errors(batch: Batch) -> tuple[IntArray, IntArray]:
    """The kind of each predicted and of each true class of a batch, as a place in ``ERROR_KINDS``."""
    return _relate(batch, batch.true)


def _relate(batch: Batch, true: Side) -> tuple[IntArray, IntArray]:
    """The same with other true classes."""
    from hemlp.kernels.closure.census import kinds

    h, pred = batch.hierarchy, batch.pred
    lists = h.upward.lists(np.concatenate([pred.classes, true.classes]))
    sides = Sides(pred.ptr, pred.classes, true.ptr, true.classes)
    return kinds(sides, lists.row, as_implied(lists), Rows(h.parent_ptr, h.parent_idx))


@cache_per_evaluation
def count_error_kinds(ev: Results, system: str) -> KindCounts:
    """Count the kinds of all classes of both sides, instance by instance."""
    blocks: list[list[IntArray]] = [[], [], []]
    for _, batch in iter_batches(require_inputs(ev), system):
        of_pred, of_true = classify_errors(batch)
        predicted, true = count_by_instance(batch.pred, of_pred), count_by_instance(batch.true, of_true)
        for column, part in zip(blocks, (predicted, true, hit_groups(true)), strict=True):
            column.append(part)
    return KindCounts(*map(np.concatenate, blocks))


def hit_groups(true: IntArray) -> IntArray:
    """To which of ``HIT_GROUPS`` instances belong, by the kinds of their true classes (instances × kinds)."""
    hits, sizes = true[:, 0], true.sum(axis=1)
    return np.select([sizes == 0, hits == sizes, hits > 0], [3, 0, 1], 2).astype(np.int8)


def count_by_instance(side: Side, kinds: IntArray) -> IntArray:
    """How many classes of each instance are of each kind."""
    counts = np.bincount(entry_rows(side.ptr) * len(ERROR_KINDS) + kinds, minlength=len(side) * len(ERROR_KINDS))
    return counts.reshape(len(side), len(ERROR_KINDS)).astype(np.int32)


def errors(ev: Results, system: SystemChoice = None, *, intervals: bool = True) -> Table:
    """Count classes by kind: hit, too general, too specific, sibling, same branch, or elsewhere.

    Parameters
    ----------
    system
        As in ``levels``.
    intervals
        As in ``levels``: of the numbers, and for two systems of their differences.

    Returns
    -------
    Table
        With the columns kind, predicted (the number of predicted classes of the kind) and true, and their intervals.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> ev = evaluate(h, ["sheep", "cow", "cow"], {"A": ["cow", "cow", "animal"]}, ["F_H"])
    >>> ev.errors("A", intervals=False).rows[:4]
    [('hit', 1, 1), ('too general', 1, 1), ('too specific', 0, 0), ('sibling', 1, 1)]
    """
    chosen = choose_systems(ev, system)
    columns = []
    for system in chosen:
        counts = count_error_kinds(ev, system)
        columns += [side.sum(axis=0, dtype=np.int64) for side in (counts.predicted, counts.true)]
    cells: list[list[Any]] = [column.tolist() for column in columns]
    names = head = system_heads(chosen, "predicted", "true")
    notes = [
        "predicted: relation of a class to the true ones; true: relation of a class to the predicted ones",
        "too general: an ancestor of such a class; too specific: a descendant; sibling: shares a parent",
        "same branch: shares an ancestor that is not a root; elsewhere: none of these",
    ]
    if intervals:
        sums = resample_sums(ev, "kinds", chosen, _kind_counts)
        drawn = [side for of in sums for side in (of[:, : len(ERROR_KINDS)], of[:, len(ERROR_KINDS) :])]
        names = head + [f"{name} 95%" for name in head]
        cells += map(_integer_intervals, drawn)
        notes.append(bootstrap_note(resampling_units(ev)))
    if intervals and len(chosen) == 2:
        for k, side in enumerate(("predicted", "true")):
            names += [f"difference {side}", f"difference {side} 95%"]
            cells += [(columns[k] - columns[k + 2]).tolist(), _integer_intervals(drawn[k] - drawn[k + 2])]
        notes.append(f"difference: {chosen[0]} minus {chosen[1]}, in the same resamples")
    return Table(["kind", *names], list(zip(ERROR_KINDS, *cells, strict=True)), [*notes, *dropped_notes(ev.facts)])


def _kind_counts(ev: Results, system: str) -> Iterator[IntArray]:
    """For each instance the numbers of its predicted and of its true classes, kind by kind."""
    counts = count_error_kinds(ev, system)
    yield np.concatenate([counts.predicted, counts.true], axis=1)


def _integer_intervals(drawn: FloatArray) -> list[Interval]:
    """Of each column of resamples × kinds, in whole numbers."""
    intervals = (Interval.of(column) for column in drawn.T)
    return [Interval(math.floor(low), math.ceil(high)) for low, high in intervals]


def hits(ev: Results, system: SystemChoice = None, *, intervals: bool = True) -> Table:
    """Instances by whether all, some or none of their true classes were predicted, with the means of all measures.

    Parameters
    ----------
    system
        As in ``levels``.
    intervals
        Whether means have 95% intervals.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> ev = evaluate(h, ["sheep", "cow", "cow"], {"A": ["cow", "cow", "animal"]}, ["F_H"])
    >>> [row[:2] for row in ev.hits("A").rows]
    [('all', 1), ('some', 0), ('none', 2)]
    """
    require_inputs(ev)
    chosen = choose_systems(ev, system)
    rows: list[tuple[Any, ...]] = []
    values: list[FloatArray | BucketSums] = []
    stored = None if ev.counted is None else ev.counted.hits
    for k, group in enumerate(HIT_GROUPS):
        for system in chosen:
            groups = count_error_kinds(ev, system).groups
            number = int(np.count_nonzero(groups == k) if stored is None else groups[k])
            if number or group != HIT_GROUPS[-1]:
                if stored is None:
                    columns = [np.where(groups == k, ev.per_instance(system, name), math.nan) for name in ev.measures]
                    means = [*map(mean, columns)]
                    values += columns
                else:
                    means = [of[k].mean() for of in stored[system]]
                    values += [of[k] for of in stored[system]]
                rows.append((group, *([system] if len(chosen) > 1 else []), number, *means))
    head = ["hit", *(["system"] if len(chosen) > 1 else []), "instances", *ev.measures]
    notes = ["hit: how many of the true classes of an instance were predicted; means over these instances"]
    if intervals:
        drawn = [Interval.of(column) for column in shared_bootstrap(ev).means(values).T]
        many = len(ev.measures)
        rows = [(*row, *drawn[k * many : (k + 1) * many]) for k, row in enumerate(rows)]
        head += [f"{name} 95%" for name in ev.measures]
        notes.append(bootstrap_note(resampling_units(ev)))
    return Table(head, rows, [*notes, *dropped_notes(ev.facts)])


def diagnosis_headline(ev: Results, system: str) -> str:
    """How many true classes a system hits, its most frequent error, and the level at which it is worst."""
    (_, _, hits), *wrong = errors(ev, system, intervals=False).rows
    true = hits + sum(each[2] for each in wrong)
    said = f"{system} hits {hits:,} of {plural(true, 'true class', 'true classes')}"
    if number := sum(each[1] for each in wrong):
        most = max(each[1] for each in wrong)
        first, *others = (kind for kind, times, _ in wrong if times == most)
        if number == 1:
            said += f"; its only wrong class is of the kind {first!r}"
        elif others:
            kinds = join_words(map(repr, (first, *others)))
            said += f"; of its {number:,} wrong classes {most:,} each {'is' if most == 1 else 'are'} {kinds}"
        else:
            said += f"; {most:,} of its {number:,} wrong classes {'is' if most == 1 else 'are'} of the kind {first!r}"
        if above := ev.inputs is not None and _count_above_hits(ev, system):
            said += f" (ancestors of hits: {above:,})"
    scored = [(f, level) for level, *_, f in levels(ev, system, intervals=False).rows if not math.isnan(f)]
    if len(scored) > 1 and min(scored)[0] < 1:
        f, level = min(scored)
        said += f". It is worst at level {level} (F {format_number(f)})"
    return f"{said}."


def _count_above_hits(ev: Results, system: str) -> int:
    """How many wrong classes are ancestors of a true class that is predicted."""
    number = 0
    for _, batch in iter_batches(require_inputs(ev), system):
        hit = classify_errors(batch)[1] == 0
        rows = entry_rows(batch.true.ptr)[hit]
        hits = replace(batch.true, ptr=row_pointers(rows, len(batch)), classes=batch.true.classes[hit])
        number += int((_relate(batch, hits)[0] == 1).sum())
    return number
