"""By class: in how many true closures, predicted closures and both a class is.

T, P and C are numbers of instances. Then P = C / P, R = C / T, F = 2C / (P + T), and what is lost is T + P − 2C: what
is on one side only. P, R and C / (C + lost) = F / (2 − F) are proportions of instances, with Wilson's intervals. Of two
systems d instances have the class in one prediction only, and the first loses k of them: the difference of what is lost
is 2k − d, and the interval of k / d is that of the sign test.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hemlp.analysis.diagnosis.blocks import (
    Systems,
    aligned,
    chosen_systems,
    first_by,
    implied,
    inputs_of,
    joint,
    labelled,
    name_column,
    of_both,
    parts,
)
from hemlp.analysis.statistics.cache import once
from hemlp.analysis.statistics.direct import intervals as made
from hemlp.analysis.statistics.direct import proportion
from hemlp.arrays import FloatArray, IntArray
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.hierarchy.reach import flat_lists
from hemlp.instances.batch import Batch
from hemlp.options import check_choice
from hemlp.text.tables import Table

if TYPE_CHECKING:
    from hemlp.results.evaluation import Evaluation

On = Literal["closures", "labels"]
"""Whether a label stands for its ancestors, too, or for itself alone."""
RATIOS = ("P", "R", "F")


def lost(counts: Any) -> Any:
    """What is on one side only, of counts (… × 3) of predicted, true and common."""
    return counts[..., 0] + counts[..., 1] - 2 * counts[..., 2]


def ratios(counts: IntArray | FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P, R and F of counts (… × 3); nan where there is nothing to divide by."""
    predicted, true, common = np.moveaxis(counts, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return common / predicted, common / true, 2 * common / (predicted + true)


def settled(counts: IntArray) -> list[list[float]]:
    """P, R and F; 0 / 0 is 1 where both sides are the same, and else 0."""
    same = (lost(counts) == 0).astype(np.float64)
    return [np.where(np.isnan(each), same, each).tolist() for each in ratios(counts)]


@once
def counted(ev: Evaluation, system: str, on: On) -> IntArray:
    """For each class of the hierarchy the numbers of predicted and true sets, and of both, that hold it."""
    inputs = inputs_of(ev)
    return _count(inputs.hierarchies[system], (batch for _, batch in parts(inputs, system)), on)


def _count(h: Hierarchy, batches: Iterable[Batch], on: On) -> IntArray:
    from hemlp.kernels.closure.census import count
    from hemlp.kernels.records import Sides

    counts = np.zeros((len(h), 3), np.int64)
    for batch in batches:
        pred, true = batch.sides
        classes = np.concatenate([pred.classes, true.classes])
        lists = flat_lists(len(h), classes) if on == "labels" else h.upward.lists(classes)
        count(Sides(pred.ptr, lists.row[pred.classes], true.ptr, lists.row[true.classes]), implied(lists), counts)
    return counts


@once
def _differing(ev: Evaluation, first: str, second: str, on: On) -> IntArray:
    """In how many instances a class is in the prediction of one of two systems only, in the order of ``aligned``."""
    inputs = inputs_of(ev)
    h = joint(inputs, first, second)
    found: IntArray = lost(_count(h, of_both(inputs, first, second), on))
    return found[h.numbers(aligned(inputs, (first, second))[0])]


def classes(ev: Evaluation, systems: Systems, on: On, intervals: bool) -> Table:
    """One row a class that is true or predicted anywhere, what loses most first."""
    check_choice("on", on, ("closures", "labels"))
    inputs, chosen = inputs_of(ev), chosen_systems(ev, systems)
    labels, counts = class_counts(ev, chosen, on)
    rows = met_classes(counts)
    head, columns = columns_of(chosen, counts[:, rows])
    notes = ["each label with its ancestors" if on == "closures" else "labels as they are, without their ancestors"]
    notes[0] += "; first " + (
        "what is lost most" if len(chosen) == 1 else "where the systems differ most in what is lost"
    )
    if len(chosen) > 1:
        notes.append("lost: what is true or predicted, and not both")
    if intervals:
        for name, (low, high) in _wilson(chosen, counts[:, rows]):
            head.append(f"{name} 95%")
            columns.append(made(low, high))
        notes.append("in brackets 95% intervals: Wilson's of P, R and C / (C + lost), which is F / (2 − F)")
    if intervals and len(chosen) == 2:
        gap = lost(counts[0, rows]) - lost(counts[1, rows])
        head += ["difference", "difference 95%"]
        columns += [gap.tolist(), _of_gap(gap, _differing(ev, chosen[0], chosen[1], on)[rows])]
        notes.append(f"difference: what {chosen[0]} loses more than {chosen[1]}, with the interval of a sign test")
    return Table(["class", *name_column(inputs), *head], labelled(inputs, labels, rows, columns), notes)


def class_counts(ev: Evaluation, systems: Sequence[str], on: On) -> tuple[Sequence[Label], IntArray]:
    """The classes of all systems, and their counts: systems × classes × 3, 0 where a system has no such class."""
    labels, places = aligned(inputs_of(ev), systems)
    found = [
        np.where((place >= 0)[:, None], counted(ev, system, on)[place], 0)
        for system, place in zip(systems, places, strict=True)
    ]
    return labels, np.stack(found)


def met_classes(counts: IntArray) -> IntArray:
    """The rows of classes (systems × rows × 3) that are true or predicted anywhere, what loses most first."""
    order = first_by(lost(counts))
    met: Any = counts.any(axis=(0, 2))
    rows: IntArray = order[met[order]]
    return rows


def columns_of(systems: list[str], counts: IntArray) -> tuple[list[str], list[list[Any]]]:
    """All counts and ratios of one system, or F and what is lost of several (systems × rows × 3) side by side."""
    true = counts[0, :, 1].tolist()
    if len(systems) == 1:
        shown = [counts[0, :, k].tolist() for k in (0, 2)]
        return ["true", "predicted", "common", *RATIOS], [true, *shown, *settled(counts[0])]
    several = [each for of in counts for each in (settled(of)[2], lost(of).tolist())]
    return ["true", *(f"{system} {what}" for system in systems for what in ("F", "lost"))], [true, *several]


def f_ends(counts: IntArray) -> tuple[FloatArray, FloatArray]:
    """The ends of Wilson's intervals of F = 2q / (1 + q), of counts (… × 3), by those of q = C / (C + lost)."""
    common = counts[..., 2]
    low, high = proportion(common, common + lost(counts))
    return 2 * low / (1 + low), 2 * high / (1 + high)


def _wilson(systems: list[str], counts: IntArray) -> list[tuple[str, tuple[FloatArray, FloatArray]]]:
    """The intervals of P, R and F of one system, or of F of several."""
    found = []
    for system, of in zip(systems, counts, strict=True):
        predicted, true, common = of.T
        f = f_ends(of)
        if len(systems) == 1:
            found += [("P", proportion(common, predicted)), ("R", proportion(common, true)), ("F", f)]
        else:
            found.append((f"{system} F", f))
    return found


def _of_gap(gap: IntArray, differing: IntArray) -> list[Any]:
    """2k − d from the interval of k / d, outward to tenths; from 0 to 0 where the systems say the same."""
    low, high = ((2 * end - 1) * differing for end in proportion((differing + gap) / 2, differing))
    ends = np.floor(10 * low) / 10, np.ceil(10 * high) / 10
    return made(*(np.where(differing == 0, 0.0, end) for end in ends))
