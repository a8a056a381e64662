"""A threshold per group of classes (a level, or one class), by coordinate search: one after the other, while better."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.scored.aligned_scores import AlignedScores
from hemlp.analysis.scored.step_scores import ScoringOptions, score_steps
from hemlp.analysis.scored.threshold_steps import TIE_TOLERANCE, ThresholdSteps, best_index
from hemlp.arrays import FloatArray, IntArray, row_pointers, sorted_distinct
from hemlp.errors import Advice, InvalidOption
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Side
from hemlp.kernels.records import Rows
from hemlp.measures.base import Measure
from hemlp.processes.progress import Progress

ROUNDS = 10
"""At most so many rounds over all groups."""
SmallGroups = Literal["error", "shared"]
Grouping = Literal["level", "class"]


def group_of_class(data: AlignedScores, by: Grouping) -> IntArray:
    """The group of each class."""
    h = data.hierarchy
    return h.unit_depths.astype(np.int64) if by == "level" else np.arange(len(h))


def count_set_members(data: AlignedScores, by: Grouping, shared: float) -> float:
    """The number of predicted classes in all sets of one round: those of the group, and others above ``shared``."""
    keys = np.sort(data.rows * len(data.hierarchy) + group_of_class(data, by)[data.classes])
    begin = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if keys.size else keys
    sizes = np.diff(np.append(begin, keys.size)).astype(np.float64)
    beside = np.count_nonzero(data.values >= shared) / len(data)
    return float(np.sum(sizes * (sizes + 1) / 2) + keys.size * beside)


@dataclass(frozen=True)
class GroupTuner:
    """Chooses thresholds of groups. ``least``, ``few`` as of ``hemlp.tune``."""

    measure: Measure
    by: Grouping
    least: int
    few: SmallGroups
    options: ScoringOptions

    def choose(self, data: AlignedScores, shared: float) -> dict[Label, float]:
        """The thresholds of the classes that do not use the shared one."""
        groups = group_of_class(data, self.by)
        thresholds = np.full(int(groups.max()) + 1, shared)
        of_entry = groups[data.classes]
        entries = np.argsort(of_entry, kind="stable")
        begin = row_pointers(of_entry[entries], len(thresholds))
        of_group = {g: entries[begin[g] : begin[g + 1]] for g in self.supported_groups(data)}
        rows, predicted = data.rows, data.values >= shared
        nothing = Side(np.zeros(len(data) + 1, np.int64), np.empty(0, np.int32))
        data = replace(data, batch=replace(data.batch, pred=nothing))  # steps have predictions of their own
        with Progress(ROUNDS * len(of_group), "choosing thresholds") as bar:
            for _ in range(ROUNDS):
                changed = False
                for g, own in of_group.items():
                    better = self._improve(data, rows, own, predicted, thresholds[g])
                    if better is not None:
                        thresholds[g], changed = better, True
                        predicted[own] = data.values[own] >= better
                    bar.advance(1, f"thresholds by {self.by}")
                if not changed:
                    break
        return {
            label: float(thresholds[groups[k]])
            for label, k in data.hierarchy.ids.items()
            if thresholds[groups[k]] != shared
        }

    def _improve(
        self, data: AlignedScores, rows: IntArray, own: IntArray, predicted: NDArray[np.bool_], now: float
    ) -> float | None:
        """A threshold of the entries ``own`` that is better than ``now``, with all other predictions fixed."""
        affected = sorted_distinct(rows[own])
        place = np.full(len(data), -1)
        place[affected] = np.arange(affected.size)
        rest = predicted.copy()
        rest[own] = False
        others = np.flatnonzero(rest)
        others = others[place[rows[others]] >= 0]
        both = np.concatenate([others, own])
        fixed = np.concatenate([np.full(others.size, math.inf), data.values[own]])  # the others are always there
        order = np.lexsort((-fixed, rows[both]))
        part = replace(
            data, batch=data.batch.take(affected), ptr=row_pointers(place[rows[both[order]]], affected.size),
            classes=data.classes[both[order]], values=fixed[order], raw_scores=None,
        )  # fmt: skip
        grid = np.append(sorted_distinct(data.values[own]), math.inf)
        steps = ThresholdSteps.over(part, grid)
        (of,) = score_steps([self.measure], part, steps, self.options)
        means = steps.means(of.values)[0][::-1]
        before = means[np.searchsorted(grid, now)]
        best = best_index(means, self.measure.greater_is_better)
        gain = means[best] - before if self.measure.greater_is_better else before - means[best]
        return None if gain <= TIE_TOLERANCE * max(1.0, abs(before)) else float(grid[best])

    def supported_groups(self, data: AlignedScores) -> list[int]:
        """The groups of scored classes that are true in enough instances."""
        from hemlp.kernels.ranking.sweep import reached

        h, groups = data.hierarchy, group_of_class(data, self.by)
        size = int(groups.max()) + 1
        ptr, nodes, _ = reached(Rows(h.parent_ptr, h.parent_idx), data.true)
        keys = sorted_distinct(np.repeat(np.arange(len(data)), np.diff(ptr)) * size + groups[nodes])
        counts = np.bincount(keys % size, minlength=size)
        scored = sorted_distinct(groups[data.classes])
        lacking = scored[counts[scored] < self.least]
        if lacking.size and self.few == "error":
            first = int(lacking[0])
            name = f"level {first}" if self.by == "level" else f"the class {h.labels[first]!r}"
            raise InvalidOption(
                f"too little data for a threshold per {self.by}: {lacking.size:,} of {scored.size:,} are true in fewer "
                f"than {self.least} instances, {name} in {counts[first]}"
            ).with_advice(Advice("few", "shared", "to let them keep the one threshold of all"))
        return [int(g) for g in scored if counts[g] >= self.least]

    def values(self, data: AlignedScores, shared: float, own: Mapping[Label, float]) -> FloatArray:
        """The measure on each instance at thresholds of classes."""
        least = np.array([own.get(label, shared) for label in data.hierarchy.labels])
        kept = data.values >= least[data.classes]
        keys = np.sort(data.rows[kept] * len(data.hierarchy) + data.classes[kept])
        rows, classes = np.divmod(keys, len(data.hierarchy))
        batch = replace(data.batch, pred=Side(row_pointers(rows, len(data)), classes.astype(np.int32)))
        return self.measure.score(
            batch, undefined=self.options.undefined, solver=self.options.solver, time_limit=self.options.time_limit
        ).values
