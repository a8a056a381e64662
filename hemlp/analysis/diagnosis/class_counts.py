"""Diagnosis by class and by level: how many instances have a class in their true closure, predicted closure, or both.

T, P and C are these numbers. Then precision is C / P, recall C / T, F = 2C / (P + T), and the loss T + P − 2C counts
instances with the class on one side only. Precision, recall and C / (C + loss) = F / (2 − F) are proportions with
Wilson's intervals. Of two systems, d instances have the class in one prediction only, and the first loses k of them:
the difference of the losses is 2k − d, and the interval of k / d is that of the sign test. An instance has several
classes of a level, which are not independent: the intervals of levels come from resamples of the instances, the same
ones that the means have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from hemlp.analysis.diagnosis.system_batches import (
    SystemChoice,
    align_classes,
    as_implied,
    as_sides,
    choose_systems,
    class_table,
    iter_batches,
    iter_prediction_pairs,
    joint_hierarchy,
    order_by_value,
    system_heads,
)  # fmt: skip
from hemlp.analysis.statistics.interval_formulas import as_intervals, wilson_interval
from hemlp.analysis.statistics.intervals import resample_sums, resampling_units
from hemlp.analysis.statistics.resampling import bootstrap_note
from hemlp.arrays import FloatArray, IntArray
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.hierarchy.reach import flat_lists
from hemlp.instances.batch import Batch
from hemlp.options import check_choice
from hemlp.results.inputs import dropped_notes
from hemlp.results.results import Results, cache_per_evaluation, require_inputs
from hemlp.text.tables import Interval, Table

CountBasis = Literal["closures", "labels"]
"""Whether a label counts for its ancestors, too, or for itself alone."""
RATIOS = ("P", "R", "F")


def class_loss(counts: Any) -> Any:
    """The loss, predicted + true − 2 common, of counts (… × 3)."""
    return counts[..., 0] + counts[..., 1] - 2 * counts[..., 2]


def ratios(counts: IntArray | FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P, R and F of counts (… × 3); nan where there is nothing to divide by."""
    predicted, true, common = np.moveaxis(counts, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return common / predicted, common / true, 2 * common / (predicted + true)


def ratios_with_zero_division(counts: IntArray) -> list[list[float]]:
    """P, R and F; 0 / 0 is 1 where both sides are the same, and else 0."""
    same = (class_loss(counts) == 0).astype(np.float64)
    return [np.where(np.isnan(each), same, each).tolist() for each in ratios(counts)]


@cache_per_evaluation
def count_classes(ev: Results, system: str, on: CountBasis) -> IntArray:
    """For each class of the hierarchy the numbers of predicted sets, true sets, and both, that hold it."""
    inputs = require_inputs(ev)
    return count_sides(inputs.hierarchies[system], (batch for _, batch in iter_batches(inputs, system)), on)


def count_sides(h: Hierarchy, batches: Iterable[Batch], on: CountBasis) -> IntArray:
    """For each class how many sets of the first side, of the second side, and of both hold it."""
    from hemlp.kernels.closure.census import count

    counts = np.zeros((len(h), 3), np.int64)
    for batch in batches:
        classes = np.concatenate([side.classes for side in batch.sides])
        lists = flat_lists(len(h), classes) if on == "labels" else h.upward.lists(classes)
        count(as_sides(batch, lists.row), as_implied(lists), counts)
    return counts


@cache_per_evaluation
def count_differing(ev: Results, first: str, second: str, on: CountBasis) -> IntArray:
    """In how many instances only one of two systems predicts a class, in the order of ``align_classes``."""
    inputs = require_inputs(ev)
    h = joint_hierarchy(inputs, first, second)
    counts: IntArray = class_loss(count_sides(h, iter_prediction_pairs(inputs, first, second), on))
    return counts[h.numbers(align_classes(inputs, (first, second))[0])]


def classes(ev: Results, system: SystemChoice = None, *, on: CountBasis = "closures", intervals: bool = True) -> Table:
    """By class: in how many instances it is true, predicted, and both; the greatest loss first.

    Parameters
    ----------
    system
        As in ``levels``; of several systems, classes come first whose losses differ most.
    on
        "closures": a class counts wherever one of its descendants is given; "labels": only where it is given itself.
    intervals
        Whether P, R and F have 95% intervals, Wilson's for proportions of instances, and two systems also the
        difference of their losses, with the interval of a sign test.

    Returns
    -------
    Table
        With the columns class, true, predicted, common, P, R and F, and their intervals; name follows class if there
        are names.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> ev = evaluate(h, ["sheep", "cow", "cow"], {"A": ["cow", "cow", "animal"]}, ["F_H"])
    >>> [row[:4] for row in ev.classes("A", on="labels").rows]
    [('cow', 2, 2, 1), ('animal', 0, 1, 0), ('sheep', 1, 0, 0)]
    """
    check_choice("on", on, ("closures", "labels"))
    chosen = choose_systems(ev, system)
    labels, counts = stack_class_counts(ev, chosen, on)
    rows = occurring_classes(counts)
    head, columns = count_columns(chosen, counts[:, rows])
    notes = ["each label counts with its ancestors" if on == "closures" else "labels as given, without their ancestors"]
    notes[0] += (
        "; common: on both sides; greatest loss first"
        if len(chosen) == 1
        else "; greatest difference of the losses first"
    )
    if len(chosen) > 1:
        notes.append("lost: classes that are true or predicted, but not both")
    if intervals:
        for name, (low, high) in _wilson_intervals(chosen, counts[:, rows]):
            head.append(f"{name} 95%")
            columns.append(as_intervals(low, high))
        notes.append("in brackets 95% intervals: Wilson's, for F by its share common / (common + lost)")
    if intervals and len(chosen) == 2:
        gap = class_loss(counts[0, rows]) - class_loss(counts[1, rows])
        head += ["difference", "difference 95%"]
        columns += [gap.tolist(), _gap_intervals(gap, count_differing(ev, chosen[0], chosen[1], on)[rows])]
        notes.append(f"difference: what {chosen[0]} loses more than {chosen[1]}, with the interval of a sign test")
    return class_table(ev, ["class", *head], labels, rows, columns, notes)


def stack_class_counts(ev: Results, systems: Sequence[str], on: CountBasis) -> tuple[Sequence[Label], IntArray]:
    """The classes of all systems, and their counts: systems × classes × 3, 0 where a system has no such class."""
    labels, places = align_classes(require_inputs(ev), systems)
    counts = [
        np.where((place >= 0)[:, None], count_classes(ev, system, on)[place], 0)
        for system, place in zip(systems, places, strict=True)
    ]
    return labels, np.stack(counts)


def occurring_classes(counts: IntArray) -> IntArray:
    """The rows of classes (systems × rows × 3) that are true or predicted anywhere, the greatest loss first."""
    order, occurs = order_by_value(class_loss(counts)), np.any(counts, axis=(0, 2))
    rows: IntArray = order[occurs[order]]
    return rows


def count_columns(systems: list[str], counts: IntArray) -> tuple[list[str], list[list[Any]]]:
    """All counts and ratios of one system, or F and loss of several (systems × rows × 3) side by side."""
    true = counts[0, :, 1].tolist()
    if len(systems) == 1:
        counted = [counts[0, :, k].tolist() for k in (0, 2)]
        return ["true", "predicted", "common", *RATIOS], [true, *counted, *ratios_with_zero_division(counts[0])]
    by_system = [each for of in counts for each in (ratios_with_zero_division(of)[2], class_loss(of).tolist())]
    return ["true", *system_heads(systems, "F", "lost")], [true, *by_system]


def f_intervals(counts: IntArray) -> tuple[FloatArray, FloatArray]:
    """The ends of Wilson's intervals of F = 2q / (1 + q), of counts (… × 3), by those of q = C / (C + lost)."""
    common = counts[..., 2]
    low, high = wilson_interval(common, common + class_loss(counts))
    return 2 * low / (1 + low), 2 * high / (1 + high)


def _wilson_intervals(systems: list[str], counts: IntArray) -> list[tuple[str, tuple[FloatArray, FloatArray]]]:
    """The intervals of P, R and F of one system, or of F of several."""
    if len(systems) > 1:
        return [(f"{system} F", f_intervals(of)) for system, of in zip(systems, counts, strict=True)]
    predicted, true, common = counts[0].T
    p, r = wilson_interval(common, predicted), wilson_interval(common, true)
    return [("P", p), ("R", r), ("F", f_intervals(counts[0]))]


def _gap_intervals(gap: IntArray, differing: IntArray) -> list[Any]:
    """2k − d from the interval of k / d, outward to tenths; from 0 to 0 where the predictions are the same."""
    low, high = ((2 * end - 1) * differing for end in wilson_interval((differing + gap) / 2, differing))
    ends = np.floor(10 * low) / 10, np.ceil(10 * high) / 10
    return as_intervals(*(np.where(differing == 0, 0.0, end) for end in ends))


# ---- by level


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
    level: the fewest edges up to a root; each label counts with its ancestors; common: on both sides
    """
    chosen = choose_systems(ev, system)
    counts = level_counts(ev, chosen)
    rows = np.flatnonzero(counts.any(axis=(0, 2)))
    head, columns = count_columns(chosen, counts[:, rows])
    notes = ["level: the fewest edges up to a root; each label counts with its ancestors"]
    if len(chosen) > 1:
        notes.append("lost: classes that are true or predicted, but not both")
    else:
        notes[0] += "; common: on both sides"
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
