"""Diagnosis by branch: a class with all its descendants.

A branch b has the instances whose true closure holds b, the mean of a measure over them, and a share of the loss of
all instances: of the symmetric difference of ancestor closures (SDL) the nodes that are b or below it, and of a
pair-based error what the classes cost that are. On a DAG branches overlap: their shares can add up to more than 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hemlp.analysis.diagnosis import class_sums
from hemlp.analysis.diagnosis.class_counts import class_loss, count_classes
from hemlp.analysis.diagnosis.class_sums import ClassSums, Key, digits_of, moments_of, numbers_of_scores, sums_of
from hemlp.analysis.diagnosis.error_costs import class_costs
from hemlp.analysis.diagnosis.measure_facts import PAIRS, SDL, measure_facts
from hemlp.analysis.diagnosis.system_batches import (
    SystemChoice,
    align_classes,
    choose_systems,
    class_table,
    iter_batches,
    system_heads,
)  # fmt: skip
from hemlp.analysis.statistics.differences import subtract_scores
from hemlp.analysis.statistics.interval_formulas import as_intervals, student_interval
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.reach import ROOM
from hemlp.instances.batch import Batch
from hemlp.options import check_known
from hemlp.results.results import Results, cache_per_evaluation, require_inputs
from hemlp.text.tables import Table, plural


@dataclass(frozen=True, eq=False)
class BranchStatistics:
    """For each class the number of ``instances`` in its branch, the ``means`` over them with the ends of their
    intervals (``lows``, ``highs``), nan without instances, and the ``shares`` of the loss in the branch."""

    instances: IntArray
    means: FloatArray
    lows: FloatArray
    highs: FloatArray
    shares: FloatArray


def branches(
    ev: Results, system: SystemChoice = None, measure: str | None = None, *, level: int | None = None,
    intervals: bool = True,
) -> Table:  # fmt: skip
    """By branch: the instances with a true class there, the mean over them, and the share of the loss there.

    The loss is the error of a pair-based measure whose bounds are all on classes, by the classes that cost it, and for
    all other measures SDL, by the classes that are on one side only.

    Parameters
    ----------
    system
        As in ``levels``; of several systems, branches come first that make the greatest difference between means.
    measure
        A measure of the evaluation, by default the first.
    level
        Only branches of this depth; 0 for the roots.
    intervals
        Whether means have 95% intervals, Student's over the instances of the branch, and two systems also the mean of
        their paired differences.

    Returns
    -------
    Table
        With the columns branch, instances, mean, share and ``mean 95%``; name follows branch if there are names.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "bird"), ("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
    >>> ev = evaluate(h, ["sheep", "cow", "bird"], {"A": ["cow", "cow", "cow"]}, ["F_H"])
    >>> [row[:2] + row[3:] for row in ev.branches("A", "F_H", level=1, intervals=False).rows]
    [('mammal', 2, 0.8), ('bird', 1, 0.2)]
    """
    inputs = require_inputs(ev)
    name = ev.measures[0] if measure is None else measure
    check_known("measure", name, ev.measures)
    if level is not None and (isinstance(level, bool) or not isinstance(level, int) or level < 0):
        raise InvalidOption(f"level={level!r} is not a level: levels are integers of at least 0")
    chosen = choose_systems(ev, system)
    labels, places = align_classes(inputs, chosen)
    by_system = list(zip(chosen, places, strict=True))
    statistics = [reorder_branches(compute_branches(ev, system, name), place) for system, place in by_system]
    occurs = np.any([(of.instances > 0) | (of.shares > 0) for of in statistics], axis=0)
    if level is not None:
        depths = [_take_or(inputs.hierarchies[system].unit_depths, place, -1) for system, place in by_system]
        occurs &= np.any([of == level for of in depths], axis=0)
    rows = _order_branches(statistics, np.flatnonzero(occurs))
    head, columns = ["branch", "instances", *system_heads(chosen, "mean", "share")], [statistics[0].instances[rows]]
    columns += [values[rows] for of in statistics for values in (of.means, of.shares)]
    cells: list[Any] = [column.tolist() for column in columns]
    if intervals:
        head += system_heads(chosen, "mean 95%")
        cells += [as_intervals(of.lows[rows], of.highs[rows]) for of in statistics]
    if intervals and len(chosen) == 2:
        gaps = [_take_or(of, places[0], math.nan)[rows] for of in branch_means(ev, chosen[0], chosen[1], name)]
        head += ["difference", "difference 95%"]
        cells += [gaps[0].tolist(), as_intervals(gaps[1], gaps[2])]
    return class_table(ev, head, labels, rows, cells, _notes(ev, chosen, name, intervals))


def loss_of(ev: Results, name: str) -> str:
    """Of what branches have shares: the error of a measure whose pairs are counted, else SDL."""
    return name if measure_facts(ev, name).loss == PAIRS else SDL


def words_of_loss(ev: Results, name: str) -> str:
    """The same in a note."""
    pairs = loss_of(ev, name) != SDL
    return f"the error of {name}, by the classes that cost it" if pairs else "SDL, the classes on one side only"


def _notes(ev: Results, chosen: list[str], name: str, intervals: bool) -> list[str]:
    inputs = require_inputs(ev)
    loss = words_of_loss(ev, name)
    notes = [f"mean of {name} over the instances that have a true class in the branch; share: of {loss}"]
    if any((np.diff(inputs.hierarchies[system].parent_ptr) > 1).any() for system in chosen):
        notes.append("branches overlap where classes have several parents: shares need not add up to 1")
    for system in chosen:
        if undefined := ev.scores[system][name].undefined:
            notes.append(f"{system}, {name}: undefined on {plural(undefined, 'instance')}, without a mean or a share")
    if len(chosen) > 1:
        notes.append("sorted by how much difference a branch makes: instances times the difference of the means")
    if intervals:
        notes.append("in brackets 95% intervals: Student's, from the spread over the instances of a branch")
    if intervals and len(chosen) == 2:
        notes.append(f"difference: the mean of {chosen[0]} − {chosen[1]}, instance by instance")
    return notes


def _take_or(values: Any, places: IntArray, missing: float) -> Any:
    """The values at some places; ``missing`` where the place is negative."""
    return np.where(places >= 0, values[places], missing)


def reorder_branches(of: BranchStatistics, places: IntArray) -> BranchStatistics:
    """The branches in another order; a missing one has no instances and no loss."""
    means, lows, highs = (_take_or(values, places, math.nan) for values in (of.means, of.lows, of.highs))
    return BranchStatistics(_take_or(of.instances, places, 0), means, lows, highs, _take_or(of.shares, places, 0.0))


def _order_branches(statistics: list[BranchStatistics], rows: IntArray) -> IntArray:
    """One system: the largest share first. Several: instances times the difference of means, the largest first."""
    means = np.array([np.where(np.isfinite(of.means[rows]), of.means[rows], math.nan) for of in statistics])
    there = (~np.isnan(means)).sum(axis=0) > 1
    spread = np.zeros(rows.size)
    spread[there] = np.nanmax(means[:, there], axis=0) - np.nanmin(means[:, there], axis=0)
    shares = np.array([np.nan_to_num(of.shares[rows]) for of in statistics]).max(axis=0)
    return rows[np.lexsort((-shares, -spread * statistics[0].instances[rows]))]


@cache_per_evaluation
def compute_branches(ev: Results, system: str, measure: str) -> BranchStatistics:
    """All branches of one system."""
    h, counts = require_inputs(ev).hierarchies[system], count_classes(ev, system, "closures")
    if measure_facts(ev, measure).loss == PAIRS:
        loss = class_costs(ev, system, measure)[0].sum(axis=0)
    else:
        loss = class_loss(counts).astype(np.float64)
    below, total = _sum_descendants(h, loss), math.fsum(loss.tolist())
    shares = below / total if total else np.where(counts[:, 1] > 0, math.nan, 0.0)
    return BranchStatistics(counts[:, 1], *branch_means(ev, system, None, measure), shares)


@cache_per_evaluation
def branch_means(
    ev: Results, system: str, baseline: str | None, measure: str
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of each branch the mean of the scores, or of the paired differences from a baseline, and its interval's ends."""
    inputs, scores = require_inputs(ev), ev.per_instance(system, measure)
    if baseline is not None:
        scores = subtract_scores(scores, ev.per_instance(baseline, measure))
    columns = sum_by_branch(inputs.hierarchies[system], iter_batches(inputs, system), {(): scores})
    return means_of(ev, columns, system, baseline, measure)


def sum_by_branch(
    h: Hierarchy, batches: Iterable[tuple[int, Batch]], scores: Mapping[Key, FloatArray]
) -> dict[Key, IntArray]:
    """Exact sums of scores, by what their keys begin with, over the instances whose true closure has a class."""
    sums = ClassSums(len(h))
    for start, batch in batches:
        true = batch.true
        numbers: dict[Key, IntArray] = {}
        for of, values in scores.items():
            found = numbers_of_scores(values[start : start + len(batch)])
            numbers |= {(*of, *key): column for key, column in found.items()}
        sums.add(h.upward.lists(true.classes), true.ptr, true.classes, numbers)
    return sums.columns


def means_of(
    ev: Results, columns: Mapping[Key, IntArray], system: str, baseline: str | None, measure: str
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The same of exact sums; nan without instances that have a score."""
    of = measure_facts(ev, measure)
    limits = (of.low, of.high) if baseline is None else (of.low - of.high, of.high - of.low)
    means, variances, number = moments_of(columns, count_classes(ev, system, "closures")[:, 1])
    return means, *student_interval(means, variances, number, limits)


def _sum_descendants(h: Hierarchy, values: FloatArray) -> FloatArray:
    """For each class the sum of the values of itself and its descendants, rounded once."""
    sums = ClassSums(len(h))
    some = np.flatnonzero(values).astype(np.int32)
    step = max(1, int(ROOM / max(1.0, h.upward.mean_length)))
    for start in range(0, some.size, step):
        classes = some[start : start + step]
        digits = digits_of(class_sums.SCORES, values[classes])
        sums.add(h.upward.lists(classes), np.arange(classes.size + 1), classes, digits)
    return sums_of(sums.columns, class_sums.SCORES, len(h))
