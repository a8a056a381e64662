"""Optimal pairs of classes (Problem 1) over all instances of a system, and what they cost: by class, and by confusion.

Pairings of least cost need not be unique: of these, one that pairs a class with itself wherever that costs no more.
Each class of a pair takes half of its cost, and a class that is paired with a default class takes all of it, so the
costs of the classes add up to the error. A confusion is a true class paired with another predicted one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.diagnosis import class_sums
from hemlp.analysis.diagnosis.class_sums import ClassSums, Key, digits_of, sums_of
from hemlp.analysis.diagnosis.measure_facts import PLAIN_ALONE
from hemlp.analysis.diagnosis.system_batches import (
    SystemChoice,
    align_classes,
    choose_systems,
    class_table,
    iter_batches,
    name_cell,
    order_by_value,
    system_heads,
)  # fmt: skip
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.instances.sides import PRED, TRUE
from hemlp.measures.factory import measure as made
from hemlp.measures.pair_measure import PairMeasure, pairs_classes
from hemlp.optimize.program import Status
from hemlp.problems.pairing.build_model import plain_pairing
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.results.inputs import Inputs, dropped_notes
from hemlp.results.results import Results, cache_per_evaluation, require_inputs
from hemlp.text.tables import Table, plural

EXAMPLES = 3
"""Instances that are named of each confusion."""


@dataclass(frozen=True, eq=False)
class ClassPairs:
    """Pairs of some instances: the number of the instance, and the class of each side, -1 for a default class.

    ``costs`` of the pairs; one with a default class that is taken several times costs so many times as much.
    ``single``: whether the instance has one class a side. ``instances``: how many have a pairing.
    """

    rows: IntArray
    predicted: IntArray
    true: IntArray
    costs: FloatArray
    single: NDArray[np.bool_]
    instances: int

    @classmethod
    def concatenate(cls, parts: Iterable[ClassPairs]) -> ClassPairs:
        """Concatenate pairs of consecutive instances."""
        no = np.empty(0, np.int64)
        parts = [cls(no, no, no, np.empty(0), np.empty(0, np.bool_), 0), *parts]
        columns = zip(*((part.rows, part.predicted, part.true, part.costs, part.single) for part in parts), strict=True)
        rows, predicted, true, costs, single = map(np.concatenate, columns)
        return cls(rows, predicted, true, costs, single, sum(part.instances for part in parts))

    def among(self, rows: IntArray) -> ClassPairs:
        """The pairs of some instances, whose numbers ascend; ``instances`` as it was."""
        place = np.minimum(np.searchsorted(rows, self.rows), len(rows) - 1)
        return self._select(rows[place] == self.rows)

    def _select(self, here: NDArray[np.bool_]) -> ClassPairs:
        ends = self.predicted[here], self.true[here]
        return ClassPairs(self.rows[here], *ends, self.costs[here], self.single[here], self.instances)

    def with_certain_pairs(self) -> ClassPairs:
        """With one pair in place of two default classes where an instance has one class on each side: the pair is
        certain there, even if two default classes cost less, as across roots."""
        alone = self.single & ((self.predicted < 0) | (self.true < 0))
        lone, rest = self._select(alone), self._select(~alone)
        order = np.lexsort((lone.predicted < 0, lone.rows))  # of each instance the predicted class first
        both = lone.rows[order[:-1]] == lone.rows[order[1:]]
        first, second = order[:-1][both], order[1:][both]
        certain = ClassPairs(
            lone.rows[first], lone.predicted[first], lone.true[second], lone.costs[first] + lone.costs[second],
            lone.single[first], 0,
        )  # fmt: skip
        others = np.ones(lone.rows.size, np.bool_)
        others[first] = others[second] = False
        return replace(ClassPairs.concatenate([rest, certain, lone._select(others)]), instances=self.instances)


@cache_per_evaluation
def pairing_text(ev: Results, measure: str) -> str:
    """The text of a pair-based measure."""
    return str(find_pair_measure(ev, measure))


def find_pair_measure(ev: Results, name: str) -> PairMeasure:
    """A pair-based measure that was evaluated, or any by its text."""
    inputs = require_inputs(ev)
    measure = inputs.measures.get(name) or made(name)
    if not pairs_classes(measure):
        raise pairs_nothing(name, [each for each, of in inputs.measures.items() if pairs_classes(of)])
    return measure


def pairs_nothing(name: str, others: Sequence[str]) -> InvalidOption:
    """The error that a measure is not pair-based, with others that are."""
    return InvalidOption(f"{name} pairs no classes: give a pair-based measure, {' or '.join(others) or 'such as GIE'}")


def iter_class_pairs(inputs: Inputs, system: str, measure: PairMeasure) -> Iterator[ClassPairs]:
    """All pairs of optimal pairings, part by part; instances on which the measure is undefined have none."""
    for start, batch in iter_batches(inputs, system):
        yield find_class_pairs(batch, measure, start)


def find_class_pairs(batch: Batch, measure: PairMeasure, start: int = 0) -> ClassPairs:
    """The pairs of a batch, whose first instance has the number ``start``."""
    rows = measure._defined_rows(batch, "nan", start)
    if not rows.size:
        return ClassPairs.concatenate([])
    model = plain_pairing(measure.model(batch.take(rows)), PLAIN_ALONE)
    solution = prefer_hits(model, model.solve())
    solved = solution.statuses <= Status.FEASIBLE
    pairs = np.flatnonzero(solution.chosen)
    row = np.searchsorted(model.pairs.ptr, pairs, side="right") - 1
    pairs, row = pairs[solved[row]], row[solved[row]]
    ends = [model.halves[side].side.classes[model.ends[side][pairs]] for side in (PRED, TRUE)]
    blocks = [(start + rows[row], *ends, model.kappa[pairs])]
    for side, half in enumerate(model.halves):
        taken = solution.to_default[side]
        at = np.flatnonzero(taken)
        row = np.searchsorted(half.side.ptr, at, side="right") - 1
        at, row = at[solved[row]], row[solved[row]]
        ends = [half.side.classes[at], np.full(at.size, -1)]
        blocks.append((start + rows[row], *(ends if side == PRED else ends[::-1]), half.default[at] * taken[at]))
    whole = [np.concatenate(column) for column in zip(*blocks, strict=True)]
    sizes = [np.diff(side.ptr)[whole[0] - start] for side in batch.sides]
    single = (sizes[PRED] == 1) & (sizes[TRUE] == 1)
    return ClassPairs(whole[0], whole[1], whole[2], whole[3], single, int(solved.sum()))


def prefer_hits(model: PairingModel, solution: PairingSolution) -> PairingSolution:
    """A pairing of the same cost in which more classes are paired with themselves, where they have one pair each.

    If c is on both sides, and is paired there with t and here with p, then (c, c) and (p, t) cost the same or more.
    """
    ends = model.ends
    classes = [half.side.classes[ends[side]] for side, half in enumerate(model.halves)]
    degrees = [model.degrees(solution, side) for side in (PRED, TRUE)]
    single = [(half.upper == 1) & (degree == 1) for half, degree in zip(model.halves, degrees, strict=True)]
    odd = (classes[PRED] == classes[TRUE]) & ~solution.chosen & np.isfinite(model.kappa) & (model.serves == 3)
    odd &= single[PRED][ends[PRED]] & single[TRUE][ends[TRUE]]
    if not odd.any():
        return solution
    chosen, to_default = solution.chosen.copy(), (solution.to_default[PRED].copy(), solution.to_default[TRUE].copy())
    for k in np.flatnonzero(odd).tolist():
        _exchange(model, chosen, to_default, k)
    return replace(solution, chosen=chosen, to_default=to_default)


def _exchange(model: PairingModel, chosen: Any, to_default: tuple[Any, Any], k: int) -> None:
    """Choose the pair ``k`` of a class with itself if the partners that it had can be paired for the same cost."""
    row = int(np.searchsorted(model.pairs.ptr, k, side="right")) - 1
    first, width = int(model.pairs.ptr[row]), int(np.diff(model.halves[TRUE].side.ptr)[row])
    i, j = divmod(k - first, width)
    grid = chosen[model.pairs.place(row, row + 1)].reshape(-1, width)
    kappa = model.kappa[model.pairs.place(row, row + 1)].reshape(-1, width)
    at = [half.place(row, row + 1) for half in model.halves]
    default = [half.default[place] for half, place in zip(model.halves, at, strict=True)]
    taken = [of[place] for of, place in zip(to_default, at, strict=True)]
    t, p = (int(of.argmax()) if of.any() else None for of in (grid[i], grid[:, j]))

    def link(predicted: int | None, true: int | None) -> tuple[float, Any, Any]:
        """The cost of a pair, None for a default class, and the array and place that say whether it is chosen."""
        if predicted is None:
            return (0.0, None, None) if true is None else (default[TRUE][true], taken[TRUE], true)
        return (default[PRED][predicted], taken[PRED], predicted) if true is None else (
            kappa[predicted, true], grid, (predicted, true)
        )  # fmt: skip

    before, after = [link(i, t), link(p, j)], [link(i, j), link(p, t)]
    if grid[i, j] or after[0][0] + after[1][0] != before[0][0] + before[1][0]:
        return
    for value, links in ((0, before), (1, after)):
        for _, array, place in links:
            if array is not None:
                array[place] = value


class InstanceNumbers(tuple[int, ...]):
    """Numbers of instances from 0; as text they count from 1, as the rows of a file do."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(str(row + 1) for row in self)


def sum_costs(parts: Iterable[ClassPairs], size: int) -> tuple[dict[Key, IntArray], int]:
    """Exact sums of what pairs cost the classes on both sides, and the number of instances."""
    sums, instances = ClassSums(size), 0
    for pairs in parts:
        instances += pairs.instances
        shares = np.where((pairs.predicted < 0) | (pairs.true < 0), pairs.costs, pairs.costs / 2)
        for what, classes in ((class_sums.PREDICTED, pairs.predicted), (class_sums.TRUE, pairs.true)):
            there = classes >= 0
            sums.add_each(classes[there], digits_of(what, shares[there]))
    return sums.columns, instances


def costs_of(columns: Mapping[Key, IntArray], size: int) -> FloatArray:
    """The cost of each class as a predicted and as a true one (sides × classes), each rounded once."""
    return np.array([sums_of(columns, what, size) for what in (class_sums.PREDICTED, class_sums.TRUE)])


@cache_per_evaluation
def class_costs(ev: Results, system: str, measure: str) -> tuple[FloatArray, int]:
    """The cost of each class as a predicted and as a true one (sides × classes), and the number of instances."""
    inputs = require_inputs(ev)
    size = len(inputs.hierarchies[system])
    columns, instances = sum_costs(iter_class_pairs(inputs, system, find_pair_measure(ev, measure)), size)
    return costs_of(columns, size), instances


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
    inputs, chosen, name = require_inputs(ev), choose_systems(ev, system), pairing_text(ev, measure)
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
