"""Diagnosis by level: both ancestor closures restricted to the classes of one depth, summed over instances.

An instance has several classes of a level, which are not independent: the intervals of P, R and F come from resamples
of the instances, the same ones that the means have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hemlp.analysis.diagnosis.class_counts import RATIOS, count_classes, count_columns, ratios
from hemlp.analysis.diagnosis.system_batches import (
    SystemChoice,
    as_implied,
    as_sides,
    choose_systems,
    iter_batches,
    system_heads,
)
from hemlp.analysis.statistics.intervals import bootstrap_note, resample_sums, resampling_units
from hemlp.arrays import FloatArray, IntArray
from hemlp.results.inputs import dropped_notes
from hemlp.results.results import Results, require_inputs
from hemlp.text.tables import Interval, Table


def levels(ev: Results, system: SystemChoice = None, *, intervals: bool = True) -> Table:
    """By level: both ancestor closures restricted to the classes of one depth, summed over instances.

    Parameters
    ----------
    system
        The name of a system; of several, or of all (None), the table has F and loss side by side, and of two the
        difference of F.
    intervals
        Whether P, R, F and differences have 95% intervals, from the resamples that all means share.

    Returns
    -------
    Table
        With the columns level, true, predicted, common, P, R and F, and their intervals (``P 95%``).

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "bird"), ("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
    >>> ev = evaluate(h, ["sheep", "cow", "bird"], {"A": ["cow", "cow", "cow"]}, ["F_H"])
    >>> print(ev.levels("A", intervals=False))
    level  true  predicted  common       P       R       F
    0         3          3       3  1.0000  1.0000  1.0000
    1         3          3       2  0.6667  0.6667  0.6667
    2         2          3       1  0.3333  0.5000  0.4000
    <BLANKLINE>
    level: the fewest edges up to a root
    """
    chosen = choose_systems(ev, system)
    counts = level_counts(ev, chosen)
    rows = np.flatnonzero(counts.any(axis=(0, 2)))
    head, columns = count_columns(chosen, counts[:, rows])
    notes = ["level: the fewest edges up to a root"]
    if len(chosen) > 1:
        notes.append("lost: classes that are true or predicted, but not both")
    if intervals:
        drawn = resample_ratios(ev, chosen, rows)
        wanted = [of[2] for of in drawn] if len(chosen) > 1 else list(drawn[0])
        head += system_heads(chosen, "F 95%") if len(chosen) > 1 else [f"{name} 95%" for name in RATIOS]
        columns += map(bootstrap_intervals, wanted)
        notes.append(bootstrap_note(resampling_units(ev)))
    if intervals and len(chosen) == 2:
        first, second = (np.array(columns[k]) for k in (1, 3))
        head += ["difference", "difference 95%"]
        columns += [(first - second).tolist(), bootstrap_intervals(wanted[0] - wanted[1])]
        notes.append(f"difference: F of {chosen[0]} minus F of {chosen[1]}, in the same resamples")
    cells = [(level, *values) for level, *values in zip(rows.tolist(), *columns, strict=True)]
    return Table(["level", *head], cells, [*notes, *dropped_notes(ev.facts)])


def level_counts(ev: Results, systems: Sequence[str]) -> IntArray:
    """Sums over instances of predicted, true and common classes: systems × levels × 3."""
    counts = np.zeros((len(systems), _number_of_levels(ev), 3), np.int64)
    for of, system in zip(counts, systems, strict=True):
        np.add.at(of, require_inputs(ev).hierarchies[system].unit_depths, count_classes(ev, system, "closures"))
    return counts


def resample_ratios(ev: Results, systems: Sequence[str], levels: IntArray) -> list[tuple[FloatArray, ...]]:
    """Of each system P, R and F of some levels in each resample of the instances: resamples × levels."""
    sums = resample_sums(ev, "levels", systems, _level_counts)
    return [ratios(of.reshape(len(of), -1, 3)[:, levels]) for of in sums]


def _number_of_levels(ev: Results) -> int:
    """The number of levels."""
    return 1 + max(int(h.unit_depths.max()) for h in require_inputs(ev).hierarchies.values())


def _level_counts(ev: Results, system: str) -> Iterator[IntArray]:
    """For each instance the numbers of its classes, level by level: predicted, true and common ones."""
    from hemlp.kernels.closure.census import count_groups

    inputs, number = require_inputs(ev), _number_of_levels(ev)
    h = inputs.hierarchies[system]
    for _, batch in iter_batches(inputs, system):
        lists = h.upward.lists(np.concatenate([side.classes for side in batch.sides]))
        counts = count_groups(as_sides(batch, lists.row), as_implied(lists), h.unit_depths, number)
        yield counts.reshape(len(batch), -1)


def bootstrap_intervals(drawn: FloatArray) -> list[Interval]:
    """The bootstrap interval of each column of resamples × rows."""
    return [Interval.of(column) for column in drawn.T]
