"""Choosing thresholds on development data: one for all classes, one a level, or one a class."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from hemlp.arrays import FloatArray, IntArray, row_pointers
from hemlp.errors import Advice, InvalidOption, InvalidScores
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Side, UnknownPolicy
from hemlp.instances.sets import Rows as RowsOf
from hemlp.kernels.records import Rows
from hemlp.measures.base import Measure
from hemlp.measures.scores import mean
from hemlp.measures.scoring import UndefinedPolicy
from hemlp.options import check_choice
from hemlp.programs.registry import Solver
from hemlp.scores.aligned import Aligned
from hemlp.scores.best import SAME, best_index
from hemlp.scores.curve import chosen_thresholds, curve_of, of_thresholds
from hemlp.scores.stepping import Solving, step_values
from hemlp.scores.steps import Steps
from hemlp.scores.tuned import By, Tuned

ROUNDS = 10
"""How often all thresholds are gone through at most."""
Few = Literal["error", "shared"]


def tune(
    hierarchy: Hierarchy,
    true: Any,
    scores: Any,
    measure: str | Measure,
    *,
    by: By = "all",
    folds: int | None = None,
    thresholds: Any = None,
    points: int | None = None,
    least: int = 20,
    few: Few = "error",
    seed: int = 0,
    unknown: UnknownPolicy = "error",
    unknown_true: UnknownPolicy | None = None,
    rows: RowsOf | None = None,
    undefined: UndefinedPolicy = "error",
    solver: str | Solver | None = None,
    time_limit: float | None = None,
) -> Tuned:
    """Choose thresholds by a measure on development data; ``s_test.at(t)`` applies them to other data.

    One threshold for all classes is the best there is. One a level or a class is found from there by changing one after
    the other while the mean gets better: never worse than one for all, but not proved to be the best.

    Parameters
    ----------
    hierarchy
        What both sides speak of.
    true, scores
        Of the development data, as of ``hemlp.curve``.
    measure
        What is to be best.
    by
        "all": one threshold; "level": one for the classes of each depth; "class": one for each class.
    folds
        Where there is no other data: choose thresholds for each of so many parts on the other parts; ``s.at(t)`` is
        then for the same data, and ``t.value`` is cross-validated.
    thresholds, points
        Candidates of the one threshold, as of ``hemlp.curve``; by default every distinct score.
    least
        How many instances a level or a class must be true in (with its descendants) for a threshold of its own.
    few
        What is done where it is true in fewer: an "error", or it keeps the one threshold ("shared").
    seed
        Of the folds.
    unknown, unknown_true, rows, undefined, solver, time_limit
        As of ``hemlp.evaluate``.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> s = {"a": {"sheep": 0.9}, "b": {"cow": 0.4, "sheep": 0.2}}
    >>> tune(h, {"a": "sheep", "b": "cow"}, s, "F_LCA").threshold
    0.4
    """
    check_choice("by", by, ("all", "level", "class"))
    check_choice("few", few, ("error", "shared"))
    for option, number, smallest in (("folds", folds, 2), ("least", least, 1)):
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < smallest):
            raise InvalidOption(f"{option}={number!r} is not an integer of at least {smallest}")
    data = Aligned.of(hierarchy, true, scores, unknown, unknown_true, rows)
    if by != "all" and undefined != "error":
        raise InvalidOption(
            f"thresholds by {by} need a measure that is defined everywhere: undefined values are for one threshold"
        ).advised(Advice("by", "all", "for that"))
    task = Task(of_thresholds(measure), by, thresholds, points, least, few, Solving(undefined, solver, time_limit))
    if folds is None:
        return task.tuned(data)
    return _by_folds(task, data, folds, seed)


@dataclass(frozen=True)
class Task:
    """What is tuned, and how."""

    measure: Measure
    by: By
    thresholds: Any
    points: int | None
    least: int
    few: Few
    solving: Solving

    def tuned(self, data: Aligned) -> Tuned:
        """Thresholds chosen on all of the data."""
        if not data.values.size:
            raise InvalidScores("no instance of the gold has a score: there is no threshold to choose")
        grid, kind = chosen_thresholds(data, self.thresholds, self.points)
        c = curve_of(data, {"m": self.measure}, grid, kind, self.solving)
        threshold, value = c.best("m")
        own: dict[Label, float] = {}
        if self.by != "all":
            h = data.hierarchy
            groups = h.unit_depths.astype(np.int64) if self.by == "level" else np.arange(len(h))
            of_group = self._own_thresholds(data, groups, threshold)
            value = mean(self.held(data, of_group[groups]))
            own = {label: float(of_group[groups[k]]) for label, k in h.ids.items() if of_group[groups[k]] != threshold}
        source = data.source or "the scores"
        found = Tuned(str(self.measure), self.by, threshold, value, len(data), source, own)
        given = data.given
        return found if given is None else replace(found, data=given.fingerprint, rows=given.row_digests)

    def held(self, data: Aligned, least: FloatArray) -> FloatArray:
        """The measure on each instance at thresholds of classes."""
        kept = data.values >= least[data.classes]
        keys = np.sort(data.rows[kept] * len(data.hierarchy) + data.classes[kept])
        rows, classes = np.divmod(keys, len(data.hierarchy))
        batch = replace(data.batch, pred=Side(row_pointers(rows, len(data)), classes.astype(np.int32)))
        return self.measure.score(
            batch, undefined=self.solving.undefined, solver=self.solving.solver, time_limit=self.solving.time_limit
        ).values

    def _own_thresholds(self, data: Aligned, groups: IntArray, shared: float) -> FloatArray:
        """A threshold for each group of classes, one changed after the other while that is better."""
        found = np.full(int(groups.max()) + 1, shared)
        chosen = self._groups_with_data(data, groups)
        rows = data.rows
        of_entry = groups[data.classes]
        order = np.lexsort((rows, of_entry))
        begin = row_pointers(of_entry[order], len(found))
        affected = {g: np.unique(rows[order[begin[g] : begin[g + 1]]]) for g in chosen}
        for _ in range(ROUNDS):
            changes = [self._improved(data.take(affected[g]), groups, found, g) for g in chosen]
            if not any(changes):
                break
        return found

    def _improved(self, data: Aligned, groups: IntArray, found: FloatArray, g: int) -> bool:
        """Choose the threshold of one group, the others as they are; whether that is better than before."""
        of_entry = groups[data.classes]
        own = of_entry == g
        kept = own | (data.values >= found[of_entry])
        fixed = np.where(own, data.values, math.inf)[kept]  # what others predict is there at every threshold
        rows, classes = data.rows[kept], data.classes[kept]
        order = np.lexsort((-fixed, rows))
        part = replace(data, ptr=row_pointers(rows, len(data)), classes=classes[order], values=fixed[order])
        grid = np.append(np.unique(data.values[own]), math.inf)
        steps = Steps.over(part, grid)
        (of,) = step_values([self.measure], part, steps, self.solving)
        means = steps.means(of.values)[0][::-1]
        better = self.measure.greater_is_better
        now = means[np.searchsorted(grid, found[g])]
        best = best_index(means, better)
        gain = means[best] - now if better else now - means[best]
        if gain <= SAME * max(1.0, abs(now)):
            return False
        found[g] = grid[best]
        return True

    def _groups_with_data(self, data: Aligned, groups: IntArray) -> list[int]:
        """The groups of scored classes that are true in enough instances."""
        from hemlp.kernels.sweep import reached

        h = data.hierarchy
        ptr, nodes, _ = reached(Rows(h.parent_ptr, h.parent_idx), data.true)
        keys = np.unique(np.repeat(np.arange(len(data)), np.diff(ptr)) * (int(groups.max()) + 1) + groups[nodes])
        counts = np.bincount(keys % (int(groups.max()) + 1), minlength=int(groups.max()) + 1)
        scored = np.unique(groups[data.classes])
        lacking = scored[counts[scored] < self.least]
        if lacking.size and self.few == "error":
            name: Callable[[int], str] = (
                (lambda g: f"level {g}") if self.by == "level" else (lambda g: f"the class {h.labels[g]!r}")
            )
            first = int(lacking[0])
            raise InvalidOption(
                f"too little data for a threshold a {self.by}: {lacking.size:,} of {scored.size:,} have fewer than "
                f"{self.least} instances in which they are true, {name(first)} has {counts[first]}"
            ).advised(Advice("few", "shared", "to let them keep the one threshold of all"))
        return [int(g) for g in scored if counts[g] >= self.least]


def _by_folds(task: Task, data: Aligned, folds: int, seed: int) -> Tuned:
    """Thresholds for each part chosen on the other parts."""
    if folds > len(data):
        raise InvalidOption(f"{folds} folds: there are {len(data):,} instances only")
    fold = np.empty(len(data), np.int64)
    fold[np.random.default_rng(seed).permutation(len(data))] = np.arange(len(data)) % folds
    chosen, values = [], np.empty(len(data))
    for k in range(folds):
        others, own = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        each = task.tuned(data.take(others))
        least = np.array([each.thresholds.get(label, each.threshold) for label in data.hierarchy.labels])
        values[own] = task.held(data.take(own), least)
        chosen.append(each)
    names: Any = range(len(data)) if data.batch.ids is None else data.batch.ids
    middle = float(np.median([each.threshold for each in chosen]))
    return Tuned(str(task.measure), task.by, middle, mean(values), len(data), data.source or "the scores", {},
                 tuple(chosen), dict(zip(names, fold.tolist(), strict=True)))  # fmt: skip
