"""What errors cost by Problem 1: class by class, and by which class is taken for which.

The cost of a pair goes half to each of its ends, that of a default class to the class that went there, so the costs of
the classes add up to the error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.diagnosis.pairs import pair_measure, paired
from hemlp.diagnosis.reading import Systems, aligned, chosen_systems, implied, inputs_of, name_column, named
from hemlp.hierarchy.reach import flat_lists
from hemlp.statistics.once import once
from hemlp.text.tables import Table
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.evaluation.result import Evaluation

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
    from hemlp.kernels.census import add_up
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


def _left_out(ev: Evaluation, system: str, instances: int, of: str) -> list[str]:
    """A note of instances that have no pairing."""
    number = int(ev.facts[system]["instances"]) - instances
    return [f"{of}the measure is undefined on {many(number, 'instance')}, which cost nothing here"] if number else []


def _first_by(values: FloatArray) -> IntArray:
    """What is greatest first, or of several systems (systems × rows) that in which they differ most."""
    greatest, least = values.max(axis=0), values.min(axis=0)
    return np.lexsort((-greatest, least - greatest if len(values) > 1 else 0 * greatest))


def costs(ev: Evaluation, systems: Systems, measure: str) -> Table:
    """What each class costs: as a predicted class, as a true one, and together; the dearest first."""
    inputs, chosen, name = inputs_of(ev), chosen_systems(ev, systems), str(pair_measure(ev, measure))
    labels, places = aligned(inputs, chosen)
    found, notes = [], []
    for system, place in zip(chosen, places, strict=True):
        of_classes, instances = class_costs(ev, system, measure)
        found.append(np.where(place >= 0, of_classes[:, place], 0.0))
        of = f"{system}: " if len(chosen) > 1 else ""
        total = math.fsum(of_classes.ravel().tolist())
        notes.append(f"{of}in all {total:.10g}, the sum of all errors")
        notes += _left_out(ev, system, instances, of)
    both = np.array([of.sum(axis=0) for of in found])
    rows = _first_by(both)
    rows = rows[both.any(axis=0)[rows]]
    head, columns = ["predicted", "true", "cost", "share"], [of[rows].tolist() for of in found[0]]
    if len(chosen) > 1:
        head, columns = [f"{system} {what}" for system in chosen for what in ("cost", "share")], []
    for of, cost in zip(found, both, strict=True):
        columns += [cost[rows].tolist(), (cost[rows] / (math.fsum(of.ravel().tolist()) or 1.0)).tolist()]
    texts = [(labels[c], *named(inputs, labels[c])) for c in rows.tolist()]
    made = [(*text, *values) for text, *values in zip(texts, *columns, strict=True)]
    first = f"half of the cost of each pair of {name} that a class is in"
    if len(chosen) > 1:
        first += "; first where the systems differ most"
    return Table(["class", *name_column(inputs), *head], made, [first, *notes])


@dataclass(frozen=True, eq=False)
class Confused:
    """Pairs of different classes, each with how often it is there, what it costs, and where it is first."""

    keys: IntArray
    numbers: IntArray
    costs: FloatArray
    first: list[Instances]
    notes: tuple[str, ...]


@once
def confused(ev: Evaluation, system: str, measure: str) -> Confused:
    """All pairs of a system that cost something; their keys are true · classes + predicted."""
    size = len(inputs_of(ev).hierarchies[system])
    found = list(paired(inputs_of(ev), system, pair_measure(ev, measure)))
    rows, predicted, true, paid = (
        np.concatenate([getattr(part, name) for part in found] or [np.empty(0, np.int64)])
        for name in ("rows", "predicted", "true", "costs")
    )
    real = (predicted >= 0) & (true >= 0) & (paid > 0)
    keys = true[real].astype(np.int64) * size + predicted[real]
    order = np.argsort(keys, kind="stable")
    distinct, start, number = np.unique(keys[order], return_index=True, return_counts=True)
    sums = np.bincount(np.repeat(np.arange(distinct.size), number), paid[real][order], distinct.size)
    where = rows[real][order]
    first = [
        Instances(sorted(set(where[at : at + many].tolist()))[:EXAMPLES])
        for at, many in zip(start.tolist(), number.tolist(), strict=True)
    ]
    notes = []
    for side, word in ((true, "predicted"), (predicted, "true")):
        if alone := int(np.count_nonzero(side < 0)):
            cost = math.fsum(paid[side < 0].tolist())
            notes.append(
                f"beside them {many(alone, f'{word} class', f'{word} classes')} without a partner: {cost:.10g}"
            )
    notes += _left_out(ev, system, sum(part.instances for part in found), "")
    return Confused(distinct, number, sums, first, tuple(notes))


def confusions(ev: Evaluation, systems: Systems, measure: str) -> Table:
    """Which true class is answered by which other one: the pairs that cost most over all instances first."""
    inputs, chosen, name = inputs_of(ev), chosen_systems(ev, systems), str(pair_measure(ev, measure))
    labels, places = aligned(inputs, chosen)
    found = {system: confused(ev, system, measure) for system in chosen}
    keys = [_renumbered(of.keys, place, len(labels)) for of, place in zip(found.values(), places, strict=True)]
    distinct = np.unique(np.concatenate(keys))
    at = [np.searchsorted(distinct, each) for each in keys]
    numbers, sums = np.zeros((len(chosen), distinct.size), np.int64), np.zeros((len(chosen), distinct.size))
    where = [dict(zip(at[k].tolist(), of.first, strict=True)) for k, of in enumerate(found.values())]
    for k, of in enumerate(found.values()):
        numbers[k, at[k]], sums[k, at[k]] = of.numbers, of.costs
    spread = sums.max(axis=0) - sums.min(axis=0) if len(chosen) > 1 else sums[0]
    made: list[tuple[Any, ...]] = []
    for k in np.lexsort((distinct, -numbers.max(axis=0), -sums.max(axis=0), -spread)).tolist():
        t, p = (labels[c] for c in divmod(int(distinct[k]), len(labels)))
        of_systems = (value for s in range(len(chosen)) for value in (int(numbers[s, k]), float(sums[s, k])))
        ends = (t, *named(inputs, t), p, *named(inputs, p))
        made.append((*ends, *of_systems, *(each.get(k, Instances()) for each in where)))
    columns = ["true", "predicted"] if inputs.names is None else ["true", "true name", "predicted", "predicted name"]
    head, notes = ["pairs", "cost", "instances"], [f"pairs of {name} that cost something, with their first instances"]
    if len(chosen) > 1:
        head = [f"{system} {what}" for system in chosen for what in ("pairs", "cost")]
        head += [f"{system} instances" for system in chosen]
        notes[0] += "; first where the systems differ most"
    for system, of in found.items():
        notes += [f"{system}: {note}" if len(chosen) > 1 else note for note in of.notes]
    return Table([*columns, *head], made, notes)


def _renumbered(keys: IntArray, places: IntArray, size: int) -> IntArray:
    """Keys of a system by the numbers that all systems share; ``places``: the number in the system of each of those."""
    there = np.flatnonzero(places >= 0)
    new = np.empty(there.size, np.int64)
    new[places[there]] = there
    found: IntArray = new[keys // there.size] * size + new[keys % there.size]
    return found
