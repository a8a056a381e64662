"""What errors cost by Problem 1: class by class, and by which class is taken for which.

The cost of a pair goes half to each of its ends, that of a default class to the class that went there, so the costs of
the classes add up to the error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.diagnosis.pairs import Paired, pair_measure, paired
from hemlp.diagnosis.reading import implied, inputs_of, name_column, named
from hemlp.hierarchy.reach import flat_lists
from hemlp.measures.pairs import PairMeasure
from hemlp.options import check_known
from hemlp.text.tables import Table
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.evaluation.inputs import Inputs
    from hemlp.evaluation.result import Evaluation

EXAMPLES = 3
"""Instances that are named of each confusion."""


class Instances(tuple[int, ...]):
    """Numbers of instances from 0; as text they count from 1, as the rows of a file do."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(str(row + 1) for row in self)


def class_costs(inputs: Inputs, system: str, measure: PairMeasure) -> tuple[FloatArray, int]:
    """What each class costs as a predicted and as a true one (sides × classes), over how many instances."""
    from hemlp.kernels.census import add_up
    from hemlp.kernels.records import Rows

    size = len(inputs.hierarchies[system])
    sums, instances = np.zeros((2, size, 2)), 0
    for part in paired(inputs, system, measure):
        instances += part.instances
        shares = np.where((part.predicted < 0) | (part.true < 0), part.costs, part.costs / 2)
        for side, classes in enumerate((part.predicted, part.true)):
            there = classes >= 0
            lists = flat_lists(size, classes[there])
            ones = Rows(np.arange(int(there.sum()) + 1), lists.row[classes[there]])
            add_up(ones, implied(lists), shares[there], sums[side])
    total: FloatArray = sums.sum(axis=2)
    return total, instances


def _left_out(ev: Evaluation, system: str, instances: int) -> list[str]:
    """A note of instances that have no pairing."""
    number = int(ev.facts[system]["instances"]) - instances
    return [f"the measure is undefined on {many(number, 'instance')}, which cost nothing here"] if number else []


def costs(ev: Evaluation, system: str, measure: str) -> Table:
    """What each class costs: as a predicted class, as a true one, and together; the dearest first."""
    inputs, chosen = inputs_of(ev), pair_measure(ev, measure)
    check_known("system", system, ev.systems)
    labels = inputs.hierarchies[system].labels
    (predicted, true), instances = class_costs(inputs, system, chosen)
    both = predicted + true
    total = math.fsum([*predicted.tolist(), *true.tolist()])
    rows = []
    for c in np.argsort(-both, kind="stable")[: np.count_nonzero(both)].tolist():
        of = float(predicted[c]), float(true[c]), float(both[c])
        rows.append((labels[c], *named(inputs, labels[c]), *of, of[2] / total))
    notes = [
        f"half of the cost of each pair of {chosen} that a class is in; in all {total:.10g}, the sum of all errors"
    ]
    notes += _left_out(ev, system, instances)
    return Table(["class", *name_column(inputs), "predicted", "true", "cost", "share"], rows, notes)


class Confusion(NamedTuple):
    """Two classes that are paired: how often, at which cost in all, and in which instances first."""

    true: int
    predicted: int
    pairs: int
    cost: float
    instances: Instances


def confused(found: Paired, size: int, most: int | None = None) -> Iterator[Confusion]:
    """Pairs of two of ``size`` classes that cost something, what costs most over all instances first."""
    real = (found.predicted >= 0) & (found.true >= 0) & (found.costs > 0)
    keys = found.true[real].astype(np.int64) * size + found.predicted[real]
    order = np.argsort(keys, kind="stable")
    distinct, first, number = np.unique(keys[order], return_index=True, return_counts=True)
    sums = np.bincount(np.repeat(np.arange(distinct.size), number), found.costs[real][order], distinct.size)
    instances = found.rows[real][order]
    for k in np.lexsort((distinct, -number, -sums))[:most].tolist():
        where = sorted(set(instances[first[k] : first[k] + number[k]].tolist()))[:EXAMPLES]
        yield Confusion(*divmod(int(distinct[k]), size), int(number[k]), float(sums[k]), Instances(where))


def confusions(ev: Evaluation, system: str, measure: str) -> Table:
    """Which true class is answered by which other one: the pairs that cost most over all instances first."""
    inputs, chosen = inputs_of(ev), pair_measure(ev, measure)
    check_known("system", system, ev.systems)
    labels = inputs.hierarchies[system].labels
    found = Paired.joined(paired(inputs, system, chosen))
    made: list[tuple[Any, ...]] = []
    for confusion in confused(found, len(labels)):
        t, p = labels[confusion.true], labels[confusion.predicted]
        ends = (t, *named(inputs, t), p, *named(inputs, p))
        made.append((*ends, confusion.pairs, confusion.cost, confusion.instances))
    columns = ["true", "predicted"] if inputs.names is None else ["true", "true name", "predicted", "predicted name"]
    notes = [f"pairs of {chosen} that cost something, with their first instances"]
    for side, word in ((found.true, "predicted"), (found.predicted, "true")):
        if alone := int(np.count_nonzero(side < 0)):
            cost = math.fsum(found.costs[side < 0].tolist())
            notes.append(
                f"beside them {many(alone, f'{word} class', f'{word} classes')} without a partner: {cost:.10g}"
            )
    notes += _left_out(ev, system, found.instances)
    return Table([*columns, "pairs", "cost", "instances"], made, notes)
