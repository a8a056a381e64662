"""By branch: a class with all that is below it.

A branch b has the instances whose true closure holds b, the mean of a measure over them, and a share of what is lost in
all instances: of the symmetric difference of ancestor closures (SDL) the nodes that are b or below it, and of a
pair-based error what the classes cost that are. On a DAG branches overlap: their shares can add up to more than 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.diagnosis.census import counted
from hemlp.diagnosis.costs import class_costs
from hemlp.diagnosis.reading import Systems, chosen_systems, implied, inputs_of, name_column, named, parts
from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.hierarchy.reach import ROOM
from hemlp.measures.pairs import PairMeasure
from hemlp.options import check_known
from hemlp.text.tables import Table
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.evaluation.inputs import Inputs
    from hemlp.evaluation.result import Evaluation


@dataclass(frozen=True)
class Branch:
    """How many instances are in a branch, the mean over them (nan: none), and the share of the loss in the branch."""

    instances: int = 0
    mean: float = math.nan
    share: float = 0.0


def branches(ev: Evaluation, systems: Systems, measure: str | None, level: int | None) -> Table:
    """One row a branch that has an instance or a loss, what loses most first."""
    inputs = inputs_of(ev)
    name = ev.measures[0] if measure is None else measure
    check_known("measure", name, ev.measures)
    if level is not None and (isinstance(level, bool) or not isinstance(level, int) or level < 0):
        raise InvalidOption(f"level={level!r} is not a number of edges from a root, of at least 0")
    found = {system: branches_of(ev, system, name, level) for system in chosen_systems(ev, systems)}
    pairs = isinstance(inputs.measures[name], PairMeasure)
    loss = f"the error of {name}, by the classes that cost it" if pairs else "SDL, by classes that are on one side only"
    notes = [f"mean of {name} over the instances that have a true class in the branch; share of {loss}"]
    if any((np.diff(inputs.hierarchies[system].parent_ptr) > 1).any() for system in found):
        notes.append("branches overlap where classes have several parents: shares need not add up to 1")
    for system in found:
        if undefined := ev.scores[system][name].undefined:
            notes.append(f"{system}, {name}: undefined on {many(undefined, 'instance')}, without a mean or a share")
    keys = sorted(dict.fromkeys(key for of in found.values() for key in of), key=_order(found))
    columns, rows = ["mean", "share"], []
    if len(found) > 1:
        columns = [f"{system} {what}" for system in found for what in ("mean", "share")]
        notes.append(
            "first the branches that make the greatest difference: instances times the difference of the means"
        )
    for key in keys:
        of_systems = [of.get(key, Branch()) for of in found.values()]
        values = (value for of in of_systems for value in (of.mean, of.share))
        rows.append((key, *named(inputs, key), of_systems[0].instances, *values))
    return Table(["branch", *name_column(inputs), "instances", *columns], rows, notes)


def _order(found: Mapping[str, Mapping[Label, Branch]]) -> Any:
    """One system: the largest share first. Several: instances times the difference of means, the largest first."""

    def order(key: Label) -> tuple[float, float]:
        of = [each.get(key, Branch()) for each in found.values()]
        means = [each.mean for each in of if math.isfinite(each.mean)]
        spread = max(means) - min(means) if len(means) > 1 else 0.0
        shares = [0.0 if math.isnan(each.share) else each.share for each in of]
        return -spread * of[0].instances, -max(shares)

    return order


def branches_of(ev: Evaluation, system: str, measure: str, level: int | None) -> dict[Label, Branch]:
    """All branches of one system that have an instance or a loss."""
    h, instances, means, shares = branch_values(ev, system, measure)
    met = (instances > 0) | (np.nan_to_num(shares) > 0)
    if level is not None:
        met &= h.unit_depths == level
    return {
        h.labels[c]: Branch(int(instances[c]), float(means[c]), float(shares[c])) for c in np.flatnonzero(met).tolist()
    }


def branch_values(ev: Evaluation, system: str, measure: str) -> tuple[Hierarchy, IntArray, FloatArray, FloatArray]:
    """For each class of the system's hierarchy the instances in its branch, their mean and the share of the loss."""
    inputs = inputs_of(ev)
    h, counts = counted(inputs, system)
    made = inputs.measures[measure]
    if isinstance(made, PairMeasure):
        loss = class_costs(inputs, system, made)[0].sum(axis=0)
    else:
        loss = (counts[:, 0] + counts[:, 1] - 2 * counts[:, 2]).astype(np.float64)
    below, total = _below(h, loss), math.fsum(loss.tolist())
    means = _means(inputs, system, ev.per_instance(system, measure), counts[:, 1])
    return h, counts[:, 1], means, below / total if total else np.full(len(h), math.nan)


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


def _means(inputs: Inputs, system: str, values: FloatArray, instances: IntArray) -> FloatArray:
    """For each class the mean over its ``instances`` whose value is defined; nan where there is none."""
    sums = _over_true(inputs, system, np.where(np.isfinite(values), values, 0.0))
    number = instances - _over_true(inputs, system, np.isnan(values) * 1.0) if np.isnan(values).any() else instances
    with np.errstate(invalid="ignore"):
        means: FloatArray = np.where(number > 0, sums / np.maximum(number, 1), math.nan)
        for limit in (math.inf, -math.inf):
            if (values == limit).any():
                means[_over_true(inputs, system, (values == limit) * 1.0) > 0] += limit
    return means


def _over_true(inputs: Inputs, system: str, values: FloatArray) -> FloatArray:
    """For each class the sum of the values of the instances whose true closure holds it."""
    from hemlp.kernels.census import add_up
    from hemlp.kernels.records import Rows

    h = inputs.hierarchies[system]
    sums = np.zeros((len(h), 2))
    for start, batch in parts(inputs, system):
        lists = h.upward.lists(batch.true.classes)
        sets = Rows(batch.true.ptr, lists.row[batch.true.classes])
        add_up(sets, implied(lists), values[start : start + len(batch)], sums)
    total: FloatArray = sums.sum(axis=1)
    return total
