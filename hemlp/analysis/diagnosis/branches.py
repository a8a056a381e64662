"""By branch: a class with all that is below it.

A branch b has the instances whose true closure holds b, the mean of a measure over them, and a share of what is lost in
all instances: of the symmetric difference of ancestor closures (SDL) the nodes that are b or below it, and of a
pair-based error what the classes cost that are. On a DAG branches overlap: their shares can add up to more than 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.analysis.diagnosis.blocks import (
    Systems,
    aligned,
    chosen_systems,
    implied,
    inputs_of,
    labelled,
    name_column,
    parts,
)
from hemlp.analysis.diagnosis.census import counted, lost
from hemlp.analysis.diagnosis.error_costs import class_costs
from hemlp.analysis.statistics.cache import once
from hemlp.analysis.statistics.differences import differences
from hemlp.analysis.statistics.direct import exactly_added, of_mean
from hemlp.analysis.statistics.direct import intervals as made
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.reach import ROOM
from hemlp.measures.instance_scores import mean
from hemlp.measures.pair_measure import PairMeasure
from hemlp.options import check_known
from hemlp.text.tables import Table
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.results.evaluation import Evaluation
    from hemlp.run.inputs import Inputs


@dataclass(frozen=True, eq=False)
class Branches:
    """Of each class of a hierarchy: how many ``instances`` are in its branch, the ``means`` over them (nan: none).

    ``lows`` and ``highs``: the ends of their intervals. ``shares`` of the loss that falls in the branch.
    """

    instances: IntArray
    means: FloatArray
    lows: FloatArray
    highs: FloatArray
    shares: FloatArray


def branches(ev: Evaluation, systems: Systems, measure: str | None, level: int | None, intervals: bool) -> Table:
    """One row a branch that has an instance or a loss, what loses most first."""
    inputs = inputs_of(ev)
    name = ev.measures[0] if measure is None else measure
    check_known("measure", name, ev.measures)
    if level is not None and (isinstance(level, bool) or not isinstance(level, int) or level < 0):
        raise InvalidOption(f"level={level!r} is not a number of edges from a root, of at least 0")
    chosen = chosen_systems(ev, systems)
    labels, places = aligned(inputs, chosen)
    found = [placed(branches_of(ev, system, name), place) for system, place in zip(chosen, places, strict=True)]
    met = np.any([(of.instances > 0) | (of.shares > 0) for of in found], axis=0)
    if level is not None:
        depths = [_taken(inputs.hierarchies[s].unit_depths, place, -1) for s, place in zip(chosen, places, strict=True)]
        met &= np.any([of == level for of in depths], axis=0)
    rows = _order(found, np.flatnonzero(met))
    head, columns = ["instances"], [found[0].instances[rows].tolist()]
    for system, of in zip(chosen, found, strict=True):
        head += [f"{system} {what}" if len(chosen) > 1 else what for what in ("mean", "share")]
        columns += [of.means[rows].tolist(), of.shares[rows].tolist()]
    if intervals:
        for system, of in zip(chosen, found, strict=True):
            head.append(f"{system} mean 95%" if len(chosen) > 1 else "mean 95%")
            columns.append(made(of.lows[rows], of.highs[rows]))
    if intervals and len(chosen) == 2:
        gaps = [_taken(of, places[0], math.nan)[rows] for of in _differences(ev, chosen[0], chosen[1], name)]
        head += ["difference", "difference 95%"]
        columns += [gaps[0].tolist(), made(gaps[1], gaps[2])]
    table = labelled(inputs, labels, rows, columns)
    return Table(["branch", *name_column(inputs), *head], table, _notes(ev, chosen, name, intervals))


def _notes(ev: Evaluation, chosen: list[str], name: str, intervals: bool) -> list[str]:
    inputs = inputs_of(ev)
    pairs = isinstance(inputs.measures[name], PairMeasure)
    loss = f"the error of {name}, by the classes that cost it" if pairs else "SDL, by classes that are on one side only"
    notes = [f"mean of {name} over the instances that have a true class in the branch; share of {loss}"]
    if any((np.diff(inputs.hierarchies[system].parent_ptr) > 1).any() for system in chosen):
        notes.append("branches overlap where classes have several parents: shares need not add up to 1")
    for system in chosen:
        if undefined := ev.scores[system][name].undefined:
            notes.append(f"{system}, {name}: undefined on {many(undefined, 'instance')}, without a mean or a share")
    if len(chosen) > 1:
        notes.append(
            "first the branches that make the greatest difference: instances times the difference of the means"
        )
    if intervals:
        notes.append("in brackets 95% intervals: Student's, from the spread over the instances of a branch")
    if intervals and len(chosen) == 2:
        notes.append(f"difference: the mean of {chosen[0]} − {chosen[1]}, instance by instance")
    return notes


def _taken(values: Any, places: IntArray, missing: float) -> Any:
    """The values of some classes, and what stands for those that are not there."""
    return np.where(places >= 0, values[places], missing)


def placed(of: Branches, places: IntArray) -> Branches:
    """The branches in another order; one that is not there has no instance, and no loss."""
    means, lows, highs = (_taken(values, places, math.nan) for values in (of.means, of.lows, of.highs))
    return Branches(_taken(of.instances, places, 0), means, lows, highs, _taken(of.shares, places, 0.0))


def _order(found: list[Branches], rows: IntArray) -> IntArray:
    """One system: the largest share first. Several: instances times the difference of means, the largest first."""
    means = np.array([np.where(np.isfinite(of.means[rows]), of.means[rows], math.nan) for of in found])
    there = (~np.isnan(means)).sum(axis=0) > 1
    spread = np.zeros(rows.size)
    spread[there] = np.nanmax(means[:, there], axis=0) - np.nanmin(means[:, there], axis=0)
    shares = np.array([np.nan_to_num(of.shares[rows]) for of in found]).max(axis=0)
    return rows[np.lexsort((-shares, -spread * found[0].instances[rows]))]


@once
def branches_of(ev: Evaluation, system: str, measure: str) -> Branches:
    """All branches of one system."""
    inputs = inputs_of(ev)
    h, counts = inputs.hierarchies[system], counted(ev, system, "closures")
    if isinstance(inputs.measures[measure], PairMeasure):
        loss = class_costs(ev, system, measure)[0].sum(axis=0)
    else:
        loss = lost(counts).astype(np.float64)
    below, total = _below(h, loss), math.fsum(loss.tolist())
    of_means = _means(inputs, system, ev.per_instance(system, measure), counts[:, 1], inputs.measures[measure].range)
    shares = below / total if total else np.where(counts[:, 1] > 0, math.nan, 0.0)
    return Branches(counts[:, 1], *of_means, shares)


@once
def _differences(ev: Evaluation, first: str, second: str, measure: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of each branch of the first of two systems the mean of the paired differences, and the ends of its interval."""
    gaps = differences(ev.per_instance(first, measure), ev.per_instance(second, measure))
    low, high = inputs_of(ev).measures[measure].range
    limits = low - high, high - low
    return _means(inputs_of(ev), first, gaps, counted(ev, first, "closures")[:, 1], limits)


def _below(h: Hierarchy, values: FloatArray) -> FloatArray:
    """For each class the sum of the values of itself and of all classes below it."""
    from hemlp.kernels.census import add_up
    from hemlp.kernels.records import Rows

    sums = np.zeros((len(h), 2))
    some = np.flatnonzero(values).astype(np.int32)
    step = max(1, int(ROOM / max(1.0, h.upward.mean_length)))
    for start in range(0, some.size, step):
        classes = some[start : start + step]
        lists = h.upward.lists(classes)
        alone = Rows(np.arange(classes.size + 1), lists.row[classes])
        add_up(alone, implied(lists), values[classes], sums)
    total: FloatArray = sums.sum(axis=1)
    return total


def _means(
    inputs: Inputs, system: str, values: FloatArray, instances: IntArray, limits: tuple[float, float]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """For each class the mean over its ``instances`` whose value is defined, nan where there is none; and its ends."""
    finite = np.isfinite(values)
    middle = mean(values[finite]) if finite.any() else 0.0
    near = np.where(finite, values - middle, 0.0)
    sums, squares = (_over_true(inputs, system, each) for each in (np.where(finite, values, 0.0), near**2))
    number = instances - _over_true(inputs, system, np.isnan(values) * 1.0) if np.isnan(values).any() else instances
    with np.errstate(invalid="ignore"):
        means: FloatArray = np.where(number > 0, sums / np.maximum(number, 1), math.nan)
        for limit in (math.inf, -math.inf):
            if (values == limit).any():
                means[_over_true(inputs, system, (values == limit) * 1.0) > 0] += limit
    return means, *of_mean(means, sums - number * middle, squares, number, limits)


def _over_true(inputs: Inputs, system: str, values: FloatArray) -> FloatArray:
    """For each class the sum of the values of the instances whose true closure holds it; no order changes it."""
    from hemlp.kernels.census import add_up
    from hemlp.kernels.records import Rows

    h = inputs.hierarchies[system]
    sums, values = np.zeros((len(h), 2)), exactly_added(values)
    for start, batch in parts(inputs, system):
        lists = h.upward.lists(batch.true.classes)
        sets = Rows(batch.true.ptr, lists.row[batch.true.classes])
        add_up(sets, implied(lists), values[start : start + len(batch)], sums)
    total: FloatArray = sums.sum(axis=1)
    return total
