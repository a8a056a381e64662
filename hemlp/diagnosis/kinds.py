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

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import IntArray
from hemlp.diagnosis.reading import Systems, chosen_systems, implied, inputs_of, parts
from hemlp.instances.batch import Batch
from hemlp.measures.scores import mean
from hemlp.text.tables import Table

if TYPE_CHECKING:
    from hemlp.evaluation.inputs import Inputs
    from hemlp.evaluation.result import Evaluation

KINDS = ("hit", "too general", "too specific", "sibling", "same branch", "elsewhere")
"""In the order of the numbers that compiled code gives them."""
GROUPS = ("all", "some", "none", "no true class")
"""How many of the true classes of an instance were hit."""


@dataclass(frozen=True, eq=False)
class Found:
    """How many predicted and true classes are of each kind, and for each instance which of ``GROUPS`` it belongs to."""

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


def kinds_of(inputs: Inputs, system: str) -> Found:
    """Look at all classes of both sides once."""
    predicted, true = (np.zeros(len(KINDS), np.int64) for _ in "pt")
    groups = []
    for _, batch in parts(inputs, system):
        of_pred, of_true = kinds_in(batch)
        predicted += np.bincount(of_pred, minlength=len(KINDS))
        true += np.bincount(of_true, minlength=len(KINDS))
        sizes = np.diff(batch.true.ptr)
        hits = np.bincount(np.repeat(np.arange(len(batch)), sizes)[of_true == 0], minlength=len(batch))
        groups.append(np.select([sizes == 0, hits == sizes, hits > 0], [3, 0, 1], 2))
    return Found(predicted, true, np.concatenate(groups))


def errors(ev: Evaluation, systems: Systems) -> Table:
    """Numbers of predicted and true classes, kind by kind."""
    inputs = inputs_of(ev)
    found = {system: kinds_of(inputs, system) for system in chosen_systems(ev, systems)}
    columns = (
        ["predicted", "true"] if len(found) == 1 else [f"{s} {side}" for s in found for side in ("predicted", "true")]
    )
    sides = [side.tolist() for of in found.values() for side in (of.predicted, of.true)]
    rows = [(kind, *(side[k] for side in sides)) for k, kind in enumerate(KINDS)]
    return Table(
        ["kind", *columns], rows, ["predicted: what a class is to the true ones; true: how a class was answered"]
    )


def hits(ev: Evaluation, systems: Systems) -> Table:
    """Instances by whether all, some or none of their true classes were hit, with the means of all measures."""
    inputs = inputs_of(ev)
    chosen = chosen_systems(ev, systems)
    groups = {system: kinds_of(inputs, system).groups for system in chosen}
    rows = []
    for k, group in enumerate(GROUPS):
        for system, of in groups.items():
            number = int((of == k).sum())
            if number or group != GROUPS[-1]:
                means = _means(ev, system, of == k) if number else dict.fromkeys(ev.measures, float("nan"))
                rows.append((group, *([system] if len(chosen) > 1 else []), number, *means.values()))
    head = ["hit", *(["system"] if len(chosen) > 1 else []), "instances", *ev.measures]
    return Table(head, rows, ["hit: how many of the true classes of an instance were predicted, with the means there"])


def _means(ev: Evaluation, system: str, among: IntArray) -> Mapping[str, float]:
    return {name: mean(ev.per_instance(system, name)[among]) for name in ev.measures}
