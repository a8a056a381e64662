"""Costs of errors by Problem 1: by class, and by confusion (a true class paired with another predicted one).

Each class of a pair takes half of its cost, and a class that is paired with a default class takes all of it, so the
costs of the classes add up to the error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hemlp.analysis.diagnosis.class_pairs import ClassPairs, find_pair_measure, iter_class_pairs
from hemlp.analysis.diagnosis.system_batches import (
    SystemChoice,
    add_values,
    align_classes,
    choose_systems,
    class_table,
    name_cell,
    order_by_value,
    system_heads,
)
from hemlp.arrays import FloatArray
from hemlp.hierarchy.labels import Label
from hemlp.hierarchy.reach import flat_lists
from hemlp.results.inputs import dropped_notes
from hemlp.results.results import Results, cache_per_evaluation, require_inputs
from hemlp.text.tables import Table, plural

EXAMPLES = 3
"""Instances that are named of each confusion."""


class InstanceNumbers(tuple[int, ...]):
    """Numbers of instances from 0; as text they count from 1, as the rows of a file do."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(str(row + 1) for row in self)


@cache_per_evaluation
def class_costs(ev: Results, system: str, measure: str) -> tuple[FloatArray, int]:
    """The cost of each class as a predicted and as a true one (sides × classes), and the number of instances."""
    inputs = require_inputs(ev)
    size = len(inputs.hierarchies[system])
    sums, instances = np.zeros((2, size, 2)), 0
    for part in iter_class_pairs(inputs, system, find_pair_measure(ev, measure)):
        instances += part.instances
        shares = np.where((part.predicted < 0) | (part.true < 0), part.costs, part.costs / 2)
        for side, classes in enumerate((part.predicted, part.true)):
            there = classes >= 0
            real = classes[there]
            add_values(flat_lists(size, real), np.arange(real.size + 1), real, shares[there], sums[side])
    total: FloatArray = sums.sum(axis=2)
    return total, instances


def _undefined_note(ev: Results, system: str, instances: int, whose: str) -> list[str]:
    """A note on instances without a pairing."""
    number = int(ev.facts[system]["instances"]) - instances
    note = f"{whose}the measure is undefined on {plural(number, 'instance')}, which cost nothing here"
    return [note] if number else []


def costs(ev: Results, system: SystemChoice = None, measure: str = "GIE") -> Table:
    """By class: its part of the error, half of the cost of each of its pairs; the greatest cost first.

    Parameters
    ----------
    system
        As in ``levels``; of several systems, the greatest difference comes first.
    measure
        A pair-based measure, of the evaluation or any other.

    Returns
    -------
    Table
        With the columns class, predicted (its cost as a predicted class), true, cost (both) and share. The costs add
        up to the error over all instances. ``branches`` has the same by branch.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> ev = evaluate(h, ["sheep", ["cow", "sheep"]], {"A": ["cow", "cow"]}, ["GIE"])
    >>> ev.costs("A").rows
    [('sheep', 0.0, 6.0, 6.0, 0.8571428571428571), ('cow', 1.0, 0.0, 1.0, 0.14285714285714285)]
    """
    inputs, chosen, name = require_inputs(ev), choose_systems(ev, system), str(find_pair_measure(ev, measure))
    labels, places = align_classes(inputs, chosen)
    by_system, notes = [], []
    for system, place in zip(chosen, places, strict=True):
        of_classes, instances = class_costs(ev, system, measure)
        by_system.append(np.where(place >= 0, of_classes[:, place], 0.0))
        whose = f"{system}: " if len(chosen) > 1 else ""
        notes.append(f"{whose}total {math.fsum(of_classes.ravel().tolist()):.10g}, the sum of all errors")
        notes += _undefined_note(ev, system, instances, whose)
    both = np.array([of.sum(axis=0) for of in by_system])
    rows, occurs = order_by_value(both), np.any(both, axis=0)
    rows = rows[occurs[rows]]
    head, columns = ["class", "predicted", "true"], [of[rows].tolist() for of in by_system[0]]
    first = f"cost: a class bears half of the cost of each of its pairs by {name}"
    if len(chosen) > 1:
        head, columns = ["class"], []
        first += "; first where the systems differ most"
    for of, cost in zip(by_system, both, strict=True):
        columns += [cost[rows].tolist(), (cost[rows] / (math.fsum(of.ravel().tolist()) or 1.0)).tolist()]
    return class_table(ev, [*head, *system_heads(chosen, "cost", "share")], labels, rows, columns, [first, *notes])


class Confusion(NamedTuple):
    """Two paired classes: the number of pairs, their total cost, and their first instances."""

    true: int
    predicted: int
    pairs: int
    cost: float
    instances: InstanceNumbers


def rank_confusions(pairs: ClassPairs, size: int, most: int | None = None) -> Iterator[Confusion]:
    """Pairs of two of ``size`` classes that cost something, the greatest total cost first."""
    pairs = pairs.with_certain_pairs()
    real = (pairs.predicted >= 0) & (pairs.true >= 0) & (pairs.costs > 0)
    keys = pairs.true[real].astype(np.int64) * size + pairs.predicted[real]
    order = np.argsort(keys, kind="stable")
    distinct, first, number = np.unique(keys[order], return_index=True, return_counts=True)
    sums = np.bincount(np.repeat(np.arange(distinct.size), number), pairs.costs[real][order], distinct.size)
    instances = pairs.rows[real][order]
    for k in np.lexsort((distinct, -number, -sums))[:most].tolist():
        where = sorted(set(instances[first[k] : first[k] + number[k]].tolist()))[:EXAMPLES]
        yield Confusion(*divmod(int(distinct[k]), size), int(number[k]), float(sums[k]), InstanceNumbers(where))


@cache_per_evaluation
def _confusions_by_label(
    ev: Results, system: str, measure: str
) -> tuple[dict[tuple[Label, Label], Confusion], list[str]]:
    """Confusions by their labels (true, predicted), and notes on classes without a partner."""
    labels = require_inputs(ev).hierarchies[system].labels
    pairs = ClassPairs.concatenate(iter_class_pairs(require_inputs(ev), system, find_pair_measure(ev, measure)))
    confusions = {(labels[each.true], labels[each.predicted]): each for each in rank_confusions(pairs, len(labels))}
    pairs = pairs.with_certain_pairs()
    notes = []
    for side, word in ((pairs.true, "predicted"), (pairs.predicted, "true")):
        if alone := int(np.count_nonzero(side < 0)):
            cost = math.fsum(pairs.costs[side < 0].tolist())
            have = "has" if alone == 1 else "have"
            notes.append(f"{plural(alone, f'{word} class', f'{word} classes')} {have} no partner: cost {cost:.10g}")
    return confusions, [*notes, *_undefined_note(ev, system, pairs.instances, "")]


def confusions(ev: Results, system: SystemChoice = None, measure: str = "GIE") -> Table:
    """Pairs of a true class and another predicted one (Problem 1): the greatest cost first.

    Where an instance has one class on each side, they are a pair even if two default classes cost less.

    Parameters
    ----------
    system
        As in ``levels``; of several systems, the greatest difference comes first.
    measure
        A pair-based measure, of the evaluation or any other.

    Returns
    -------
    Table
        With the columns true, predicted, pairs (their number), cost (their sum) and instances (the first ones,
        counted from 0; as text from 1), and names if there are any. Notes count classes without a partner.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> ev = evaluate(h, ["sheep", "cow", "sheep"], {"A": ["cow", "cow", "cow"]}, ["F_H"])
    >>> ev.confusions("A").rows
    [('sheep', 'cow', 2, 4.0, (0, 2))]
    """
    inputs, chosen, name = require_inputs(ev), choose_systems(ev, system), str(find_pair_measure(ev, measure))
    by_system = {system: _confusions_by_label(ev, system, measure) for system in chosen}
    none = Confusion(-1, -1, 0, 0.0, InstanceNumbers())
    keys = dict.fromkeys(key for pairs, _ in by_system.values() for key in pairs)
    rows = {key: [pairs.get(key, none) for pairs, _ in by_system.values()] for key in keys}

    def order(key: tuple[Label, Label]) -> tuple[float, float]:
        costs = [each.cost for each in rows[key]]
        return min(costs) - max(costs), -max(costs)

    cells: list[tuple[Any, ...]] = []
    for t, p in sorted(rows, key=order) if len(chosen) > 1 else rows:
        values = (value for each in rows[t, p] for value in (each.pairs, each.cost))
        where = (each.instances for each in rows[t, p])
        cells.append((t, *name_cell(inputs, t), p, *name_cell(inputs, p), *values, *where))
    columns = ["true", "predicted"] if inputs.names is None else ["true", "true name", "predicted", "predicted name"]
    head = system_heads(chosen, "pairs", "cost") + system_heads(chosen, "instances")
    notes = [f"pairs of {name} that cost something, with their first instances"]
    if len(chosen) > 1:
        notes[0] += "; first where the systems differ most"
    for system, (_, system_notes) in by_system.items():
        notes += [f"{system}: {note}" if len(chosen) > 1 else note for note in system_notes]
    return Table([*columns, *head], cells, [*notes, *dropped_notes(ev.facts)])
