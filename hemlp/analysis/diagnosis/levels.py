"""By level: both ancestor closures restricted to the classes of one depth, summed over instances.

An instance has several classes of a level, which stand or fall together: P, R and F of a level have intervals by
resamples of the instances, the same ones that the means have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hemlp.analysis.diagnosis.blocks import Systems, chosen_systems, implied, inputs_of, parts
from hemlp.analysis.diagnosis.census import RATIOS, columns_of, counted, ratios
from hemlp.analysis.statistics.intervals import resampled_note, resampled_sums, units_of
from hemlp.arrays import FloatArray, IntArray
from hemlp.text.intervals import Interval
from hemlp.text.tables import Table

if TYPE_CHECKING:
    from hemlp.results.evaluation import Evaluation


def levels(ev: Evaluation, systems: Systems, intervals: bool) -> Table:
    """One row a level that has a true or predicted class."""
    chosen = chosen_systems(ev, systems)
    counts = level_counts(ev, chosen)
    rows = np.flatnonzero(counts.any(axis=(0, 2)))
    head, columns = columns_of(chosen, counts[:, rows])
    notes = ["level: the fewest edges up to a root"]
    if len(chosen) > 1:
        notes.append("lost: what is true or predicted, and not both")
    if intervals:
        drawn = resampled_ratios(ev, chosen, rows)
        wanted = [(f"{system} F", of[2]) for system, of in zip(chosen, drawn, strict=True)]
        if len(chosen) == 1:
            wanted = list(zip(RATIOS, drawn[0], strict=True))
        head += [f"{name} 95%" for name, _ in wanted]
        columns += [intervals_of(values) for _, values in wanted]
        notes.append(resampled_note(units_of(ev)))
    if intervals and len(chosen) == 2:
        first, second = (np.array(columns[k]) for k in (1, 3))
        head += ["difference", "difference 95%"]
        columns += [(first - second).tolist(), intervals_of(wanted[0][1] - wanted[1][1])]
        notes.append(f"difference: F of {chosen[0]} less that of {chosen[1]}, in the same resamples")
    made = [(level, *values) for level, *values in zip(rows.tolist(), *columns, strict=True)]
    return Table(["level", *head], made, notes)


def level_counts(ev: Evaluation, systems: Sequence[str]) -> IntArray:
    """Sums over instances of predicted, true and common classes: systems × levels × 3."""
    counts = np.zeros((len(systems), _number(ev), 3), np.int64)
    for of, system in zip(counts, systems, strict=True):
        np.add.at(of, inputs_of(ev).hierarchies[system].unit_depths, counted(ev, system, "closures"))
    return counts


def resampled_ratios(ev: Evaluation, systems: Sequence[str], levels: IntArray) -> list[tuple[FloatArray, ...]]:
    """Of each system P, R and F of some levels in each resample of the instances: resamples × levels."""
    sums = resampled_sums(ev, "levels", systems, _by_instance)
    return [ratios(of.reshape(len(of), -1, 3)[:, levels]) for of in sums]


def _number(ev: Evaluation) -> int:
    """How many levels there are."""
    return 1 + max(int(h.unit_depths.max()) for h in inputs_of(ev).hierarchies.values())


def _by_instance(ev: Evaluation, system: str) -> Iterator[IntArray]:
    """For each instance the numbers of its classes, level by level: predicted, true and common ones."""
    from hemlp.kernels.closure.census import count_groups
    from hemlp.kernels.records import Sides

    inputs, number = inputs_of(ev), _number(ev)
    h = inputs.hierarchies[system]
    for _, batch in parts(inputs, system):
        pred, true = batch.sides
        lists = h.upward.lists(np.concatenate([pred.classes, true.classes]))
        sides = Sides(pred.ptr, lists.row[pred.classes], true.ptr, lists.row[true.classes])
        yield count_groups(sides, implied(lists), h.unit_depths, number).reshape(len(batch), -1)


def intervals_of(drawn: FloatArray) -> list[Interval]:
    """Of each column of resamples × rows."""
    return [Interval.of(column) for column in drawn.T]
