"""The instances that a page lists: all, or for a large run the worst of each system and a random sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.diagnosis.error_costs import ClassPairs
from hemlp.analysis.diagnosis.error_kinds import classify_errors
from hemlp.arrays import IntArray, row_pointers
from hemlp.escaping import printable
from hemlp.optimize.program import Status
from hemlp.report.page_data import Nodes, narrow
from hemlp.results.results import Results, require_inputs
from hemlp.text.tables import plural

if TYPE_CHECKING:
    from hemlp.instances.batch import Side

MOST = 100_000
"""Instances of all systems together that a page lists at most."""
WORST = 100
"""Of a large run the worst instances of each system that are listed in any case, if there is room."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Numbers of the sampled instances, ascending, out of ``size``; ``worst``: how many are the worst of a system."""

    rows: IntArray
    size: int
    worst: int = 0

    @property
    def whole(self) -> bool:
        """Whether the sample has all instances."""
        return len(self.rows) == self.size

    def note(self, leader: str) -> str:
        """A note on which instances are listed."""
        if self.whole:
            return f"All {plural(self.size, 'instance')} of each system."
        return (
            f"A sample: {len(self.rows):,} of {plural(self.size, 'instance')}, the {self.worst} worst of each system "
            f"by {leader} and others at random. Everything above is about all instances; searches here see the sample."
        )


def draw_sample(ev: Results, leader: str, most: int, among: Sample | None = None) -> Sample:
    """All instances if all systems together have at most ``most``, else a sample of that size.

    ``among``: instances of another sample only.
    """
    size = int(ev.facts[ev.systems[0]]["instances"])
    rows = np.arange(size) if among is None else among.rows
    room = max(1, most // len(ev.systems))
    if len(rows) <= room:
        return Sample(rows, size) if among is None else among
    worst = min(WORST, room // (2 * len(ev.systems)))
    chosen = np.zeros(len(rows), np.bool_)
    for system in ev.systems:
        values = ev.per_instance(system, leader)[rows]
        signed = values if ev.greater_is_better[leader] else -values
        chosen[np.argsort(signed, kind="stable")[:worst]] = True
    others = np.flatnonzero(~chosen)
    number = room - int(chosen.sum())
    chosen[np.random.default_rng(0).choice(others, number, replace=False)] = True
    return Sample(rows[chosen], size, worst)


def instance_data(
    ev: Results, sample: Sample, nodes: Nodes, pairs: Mapping[str, ClassPairs]
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Ids and arrays: true and predicted classes with their kinds, scores, statuses, and pairs with a cost."""
    inputs = require_inputs(ev)
    arrays: dict[str, NDArray[Any]] = {}
    texts: dict[str, Any] = {}
    if not sample.whole:
        arrays["rows"] = narrow(sample.rows)
    for s, system in enumerate(ev.systems):
        batch = inputs.take(system, sample.rows.tolist())
        number = nodes.add(batch.hierarchy, [batch.pred.classes, batch.true.classes])
        if s == 0:
            texts["ids"] = None if batch.ids is None else [printable(str(each)) for each in batch.ids]
            arrays |= {"truePtr": narrow(batch.true.ptr), "true": narrow(number[batch.true.classes])}
        of_pred, of_true = classify_errors(batch)
        arrays |= {
            f"predPtr{s}": narrow(batch.pred.ptr),
            f"pred{s}": narrow(number[batch.pred.classes]),
            f"predKind{s}": of_pred,
            f"trueKind{s}": of_true,
        }
        if system in pairs:
            arrays |= _pair_arrays(pairs[system], sample, batch.pred, batch.true, s)
        for m, measure in enumerate(ev.measures):
            arrays[f"value{s}_{m}"] = ev.per_instance(system, measure)[sample.rows]
            scores = ev.scores[system][measure]
            unproved = scores.statuses[sample.rows] != Status.OPTIMAL
            unproved &= ~np.isnan(arrays[f"value{s}_{m}"])
            if scores.exact and unproved.any():
                arrays[f"unproved{s}_{m}"] = unproved.astype(np.uint8)
    return texts, arrays


def _pair_arrays(pairs: ClassPairs, sample: Sample, pred: Side, true: Side, s: int) -> dict[str, NDArray[Any]]:
    """The pairs of each instance: positions of both ends among its classes from 1, 0 for a default class, and the cost.

    A class that is paired with itself for nothing is left out.
    """
    kept = pairs.among(sample.rows)
    at = np.flatnonzero((kept.predicted != kept.true) | (kept.costs > 0))
    at = at[np.argsort(kept.rows[at], kind="stable")]
    row = np.searchsorted(sample.rows, kept.rows[at])
    return {
        f"pairPtr{s}": narrow(row_pointers(row, len(sample.rows))),
        f"pairPred{s}": narrow(_positions(pred, row, kept.predicted[at])),
        f"pairTrue{s}": narrow(_positions(true, row, kept.true[at])),
        f"pairCost{s}": kept.costs[at].astype(np.float64),
    }


def _positions(side: Side, row: IntArray, classes: IntArray) -> IntArray:
    """The position of each class among the sorted classes of its instance, from 1; 0 for no class."""
    size = int(max(side.classes.max(initial=0), classes.max(initial=0))) + 1
    keys = np.repeat(np.arange(len(side)), np.diff(side.ptr)) * size + side.classes
    positions = np.searchsorted(keys, row * size + classes) - side.ptr[row] + 1
    return np.where(classes < 0, 0, positions)
