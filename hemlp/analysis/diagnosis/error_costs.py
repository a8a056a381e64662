"""What errors cost by Problem 1: class by class, and by which class is taken for which.

The cost of a pair goes half to each of its ends, that of a default class to the class that went there, so the costs of
the classes add up to the error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hemlp.analysis.diagnosis.blocks import (
    Systems,
    aligned,
    chosen_systems,
    first_by,
    implied,
    inputs_of,
    labelled,
    name_column,
    named,
)
from hemlp.analysis.diagnosis.paired_classes import Paired, pair_measure, paired
from hemlp.analysis.statistics.cache import once
from hemlp.arrays import FloatArray
from hemlp.hierarchy.labels import Label
from hemlp.hierarchy.reach import flat_lists
from hemlp.text.tables import Table
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.results.evaluation import Evaluation

EXAMPLES = 3
"""Instances that are named of each confusion."""


class Instances(tuple[int, ...]):
    """Numbers of instances from 0; as text they count from 1, as the rows of a file do."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(str(row + 1) for row in self)


@once
def class_costs(ev: Evaluation, system: str, measure: str) -> tuple[FloatArray, int]:
    """What each class costs as a predicted and as a true one (sides × classes), over how many instances."""
    from hemlp.kernels.closure.census import add_up
    from hemlp.kernels.records import Rows

    inputs = inputs_of(ev)
    size = len(inputs.hierarchies[system])
    sums, instances = np.zeros((2, size, 2)), 0
    for part in paired(inputs, system, pair_measure(ev, measure)):
        instances += part.instances
        shares = np.where((part.predicted < 0) | (part.true < 0), part.costs, part.costs / 2)
        for side, classes in enumerate((part.predicted, part.true)):
            there = classes >= 0
            lists = flat_lists(size, classes[there])
            ones = Rows(np.arange(int(there.sum()) + 1), lists.row[classes[there]])
            add_up(ones, implied(lists), shares[there], sums[side])
    total: FloatArray = sums.sum(axis=2)
    return total, instances


def _left_out(ev: Evaluation, system: str, instances: int, whose: str) -> list[str]:
    """A note of instances that have no pairing."""
    number = int(ev.facts[system]["instances"]) - instances
    return [f"{whose}the measure is undefined on {many(number, 'instance')}, which cost nothing here"] if number else []


def costs(ev: Evaluation, systems: Systems, measure: str) -> Table:
    """What each class costs: as a predicted class, as a true one, and together; the dearest first."""
    inputs, chosen, name = inputs_of(ev), chosen_systems(ev, systems), str(pair_measure(ev, measure))
    labels, places = aligned(inputs, chosen)
    found, notes = [], []
    for system, place in zip(chosen, places, strict=True):
        of_classes, instances = class_costs(ev, system, measure)
        found.append(np.where(place >= 0, of_classes[:, place], 0.0))
        whose = f"{system}: " if len(chosen) > 1 else ""
        total = math.fsum(of_classes.ravel().tolist())
        notes.append(f"{whose}in all {total:.10g}, the sum of all errors")
        notes += _left_out(ev, system, instances, whose)
    both = np.array([of.sum(axis=0) for of in found])
    rows = first_by(both)
    some: Any = both.any(axis=0)
    rows = rows[some[rows]]
    head, columns = ["predicted", "true", "cost", "share"], [of[rows].tolist() for of in found[0]]
    if len(chosen) > 1:
        head, columns = [f"{system} {what}" for system in chosen for what in ("cost", "share")], []
    for of, cost in zip(found, both, strict=True):
        columns += [cost[rows].tolist(), (cost[rows] / (math.fsum(of.ravel().tolist()) or 1.0)).tolist()]
    first = f"half of the cost of each pair of {name} that a class is in"
    if len(chosen) > 1:
        first += "; first where the systems differ most"
    made = labelled(inputs, labels, rows, columns)
    return Table(["class", *name_column(inputs), *head], made, [first, *notes])


class Confusion(NamedTuple):
    """Two classes that are paired: how often, at which cost in all, and in which instances first."""

    true: int
    predicted: int
    pairs: int
    cost: float
    instances: Instances


def confused(found: Paired, size: int, most: int | None = None) -> Iterator[Confusion]:
    """Pairs of two of ``size`` classes that cost something, what costs most over all instances first."""
    found = found.with_certain_pairs()
    real = (found.predicted >= 0) & (found.true >= 0) & (found.costs > 0)
    keys = found.true[real].astype(np.int64) * size + found.predicted[real]
    order = np.argsort(keys, kind="stable")
    distinct, first, number = np.unique(keys[order], return_index=True, return_counts=True)
    sums = np.bincount(np.repeat(np.arange(distinct.size), number), found.costs[real][order], distinct.size)
    instances = found.rows[real][order]
    for k in np.lexsort((distinct, -number, -sums))[:most].tolist():
        where = sorted(set(instances[first[k] : first[k] + number[k]].tolist()))[:EXAMPLES]
        yield Confusion(*divmod(int(distinct[k]), size), int(number[k]), float(sums[k]), Instances(where))


@once
def _confused(ev: Evaluation, system: str, measure: str) -> tuple[dict[tuple[Label, Label], Confusion], list[str]]:
    """What is taken for what, by labels (true and predicted), and notes of what has no partner."""
    labels = inputs_of(ev).hierarchies[system].labels
    found = Paired.joined(paired(inputs_of(ev), system, pair_measure(ev, measure)))
    pairs = {(labels[each.true], labels[each.predicted]): each for each in confused(found, len(labels))}
    found = found.with_certain_pairs()
    notes = []
    for side, word in ((found.true, "predicted"), (found.predicted, "true")):
        if alone := int(np.count_nonzero(side < 0)):
            cost = math.fsum(found.costs[side < 0].tolist())
            notes.append(
                f"beside them {many(alone, f'{word} class', f'{word} classes')} without a partner: {cost:.10g}"
            )
    return pairs, [*notes, *_left_out(ev, system, found.instances, "")]


def confusions(ev: Evaluation, systems: Systems, measure: str) -> Table:
    """Which true class is answered by which other one: the pairs that cost most over all instances first."""
    inputs, chosen, name = inputs_of(ev), chosen_systems(ev, systems), str(pair_measure(ev, measure))
    found = {system: _confused(ev, system, measure) for system in chosen}
    none = Confusion(-1, -1, 0, 0.0, Instances())
    rows = {
        key: [pairs.get(key, none) for pairs, _ in found.values()]
        for key in dict.fromkeys(key for pairs, _ in found.values() for key in pairs)
    }

    def order(key: tuple[Label, Label]) -> tuple[float, float]:
        costs = [each.cost for each in rows[key]]
        return min(costs) - max(costs), -max(costs)

    made: list[tuple[Any, ...]] = []
    for t, p in sorted(rows, key=order) if len(chosen) > 1 else rows:
        values = (value for each in rows[t, p] for value in (each.pairs, each.cost))
        where = (each.instances for each in rows[t, p])
        made.append((t, *named(inputs, t), p, *named(inputs, p), *values, *where))
    columns = ["true", "predicted"] if inputs.names is None else ["true", "true name", "predicted", "predicted name"]
    head, notes = ["pairs", "cost", "instances"], [f"pairs of {name} that cost something, with their first instances"]
    if len(chosen) > 1:
        head = [f"{system} {what}" for system in chosen for what in ("pairs", "cost")]
        head += [f"{system} instances" for system in chosen]
        notes[0] += "; first where the systems differ most"
    for system, (_, told) in found.items():
        notes += [f"{system}: {note}" if len(chosen) > 1 else note for note in told]
    return Table([*columns, *head], made, notes)
