"""Optimal pairs of classes (Problem 1) over all instances of a system.

Pairings of least cost need not be unique: of these, one that pairs a class with itself wherever that costs no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.diagnosis.system_batches import iter_batches
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption
from hemlp.instances.sides import PRED, TRUE
from hemlp.measures.factory import measure as made
from hemlp.measures.pair_measure import PairMeasure, pairs_classes
from hemlp.optimize.program import Status
from hemlp.problems.pairing.build_model import plain_pairing
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.results.inputs import Inputs
from hemlp.results.results import Results, require_inputs


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


def find_pair_measure(ev: Results, name: str) -> PairMeasure:
    """A pair-based measure that was evaluated, or any by its text."""
    inputs = require_inputs(ev)
    measure = inputs.measures.get(name) or made(name)
    if not pairs_classes(measure):
        pairs = [each for each, of in inputs.measures.items() if pairs_classes(of)]
        raise InvalidOption(
            f"{name} pairs no classes: give a pair-based measure, {' or '.join(pairs) or 'such as GIE'}"
        )
    return measure


def iter_class_pairs(inputs: Inputs, system: str, measure: PairMeasure) -> Iterator[ClassPairs]:
    """All pairs of optimal pairings, part by part; instances on which the measure is undefined have none."""
    for start, batch in iter_batches(inputs, system):
        rows = measure._defined_rows(batch, "nan", start)
        if not rows.size:
            continue
        model = plain_pairing(measure.model(batch.take(rows)), "counting pairs over all instances")
        solution = prefer_hits(model, model.solve())
        solved = solution.statuses <= Status.FEASIBLE
        pairs = np.flatnonzero(solution.chosen)
        blocks = [_chosen_pairs(model, pairs, solved, start + rows)]
        for side, half in enumerate(model.halves):
            taken = solution.to_default[side]
            at = np.flatnonzero(taken)
            row = np.searchsorted(half.side.ptr, at, side="right") - 1
            nobody = np.full(at.size, -1)
            ends = (half.side.classes[at], nobody) if side == PRED else (nobody, half.side.classes[at])
            keep = solved[row]
            costs = half.default[at] * taken[at]
            blocks.append((start + rows[row][keep], ends[0][keep], ends[1][keep], costs[keep]))
        whole = [np.concatenate(column) for column in zip(*blocks, strict=True)]
        sizes = [np.diff(side.ptr)[whole[0] - start] for side in batch.sides]
        single = (sizes[PRED] == 1) & (sizes[TRUE] == 1)
        yield ClassPairs(whole[0], whole[1], whole[2], whole[3], single, int(solved.sum()))


def _chosen_pairs(model: PairingModel, pairs: IntArray, solved: Any, rows: IntArray) -> tuple[Any, ...]:
    row = np.searchsorted(model.pairs.ptr, pairs, side="right") - 1
    pairs, row = pairs[solved[row]], row[solved[row]]
    predicted, true = (model.halves[side].side.classes[model.ends[side][pairs]] for side in (PRED, TRUE))
    return rows[row], predicted, true, model.kappa[pairs]


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
