"""The best of a pool of answers, for measures without a theorem, and expected values by the measure itself.

The pool: ∅, every scenario, the best answers for SDL, ICM, F_H, F and GIE, and every size of the sweep of F_H.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

import numpy as np

from hemlp.analysis.decision.contenders import contenders
from hemlp.arrays import FloatArray, IntArray, entry_rows, pointers, row_pointers, row_sums, sorted_distinct
from hemlp.errors import UndefinedScore
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Side
from hemlp.measures.base import Measure
from hemlp.measures.set_measure import SetFacts, SetMeasure
from hemlp.problems.closure.model import ClosureModel
from hemlp.problems.closure.variants import TolerantModel
from hemlp.problems.decision.model import PoolDecision, closure, roots
from hemlp.problems.decision.scenarios import Scenarios, batch_of, closures_of, most_specific_classes, side_of

AT_ONCE = 100_000
"""Pairs of answer and scenario that a measure scores at once."""
STEPS = 100
"""Sizes of a sweep that are made at once."""


def compares_sets(own: Measure) -> TypeGuard[SetMeasure]:
    """Whether it compares closures of ancestors, or labels, without a horizon."""
    if not isinstance(own, SetMeasure) or own.augment.name not in ("ancestors", "none"):
        return False
    return own.augment.options.get("horizon") is None


def pool_model(own: Measure, scenarios: Scenarios, best: Sequence[Side], at_least: int) -> PoolDecision:
    """The pool of each instance; ``best``: the answers for other measures, none where a scenario is best."""
    h, size = scenarios.hierarchy, len(scenarios)
    kind, limits = own.augment.name if isinstance(own, SetMeasure) else "", np.full(size, math.nan)
    flat = kind != "ancestors"
    sides = [side_of([[]] * size), *best]
    owners = [np.arange(size)] * len(sides)
    for row in range(size):
        made = [scenarios.sets.part(*scenarios.first[row : row + 2])]
        if best:
            made += [most_specific_classes(h, part) for part in Sweep(scenarios, row).sets()]
        if best and compares_sets(own) and own.scoring == "F":
            sweep = Sweep(scenarios, row, own._weights(h), own.beta, flat)
            made += [part if flat else most_specific_classes(h, part) for part in sweep.sets()]
            limits[row] = sweep.limit()
        sides += made
        owners += [np.full(len(side), row) for side in made]
    pool, owner = Side.concatenate(sides), np.concatenate(owners)
    pool = pool if flat else most_specific_classes(h, pool)
    if compares_sets(own) and own.weights is not None:
        light = _without_weightless(h, pool, own._weights(h), flat)
        pool, owner = Side.concatenate([pool, light]), np.concatenate([owner, owner])
    if at_least:
        kept = pool.sizes > 0
        poor = np.setdiff1d(np.arange(size), owner[kept])
        pool = Side.concatenate([pool.take(np.flatnonzero(kept)), side_of([roots(h, flat)[:1]] * poor.size)])
        owner = np.concatenate([owner[kept], poor])
    same = batch_of(h, Side(np.arange(len(pool) + 1), owner.astype(np.int32)), pool).first_duplicates()
    kept = same == np.arange(same.size)
    pool, owner = pool.take(np.flatnonzero(kept)), owner[kept]
    whole = pool if flat else closures_of(h, pool)
    texts = (
        np.sort(whole[k]).astype(">i4").tobytes() for k in range(len(whole))
    )  # in the order of lists of equal length
    keys = list(zip(owner.tolist(), whole.sizes.tolist(), texts, strict=True))
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    pool, owner = pool.take(order), owner[order]
    counts = np.bincount(owner, minlength=size)
    there = np.flatnonzero(contenders(own, scenarios, pool, owner))
    pool, owner = pool.take(there), owner[there]
    first, values = row_pointers(owner, size), expected_values(own, scenarios, pool, owner)
    lost = np.isnan(values)
    if lost.any() and (row_sums((~lost).astype(np.float64), first) == 0).any():
        raise UndefinedScore(
            f"{own.display_name} is undefined for every answer of the pool of an instance: take a measure that is "
            f"defined everywhere, such as F_H or GIE"
        )
    values[lost] = -math.inf if own.greater_is_better else math.inf
    model = PoolDecision(str(own), h, at_least, own.greater_is_better, first, pool, values, limits, counts)
    chosen = np.array([model.best(row) for row in range(size)], np.int64)
    if isinstance(own, SetMeasure) and own.weights is not None:
        values[chosen] = expected_values(own, scenarios, pool.take(chosen), np.arange(size))
    if not best:
        limits[:] = values[chosen]
    return model


def _without_weightless(h: Hierarchy, pool: Side, weights: FloatArray, flat: bool) -> Side:
    """Answers without classes of weight 0, but for those above others: they score the same, and are smaller."""
    whole = pool if flat else closures_of(h, pool)
    kept = weights[whole.classes] > 0
    light = Side(row_pointers(entry_rows(whole.ptr)[kept], len(whole)), whole.classes[kept])
    return light if flat else most_specific_classes(h, light)


def expected_values(own: Measure, scenarios: Scenarios, answers: Side, rows: IntArray) -> FloatArray:
    """E[m] of answers, each for the scenarios of its row; nan where it is undefined.

    Pools, which have several answers per row, are scored by counts where they can be: sums of weights are the measure's
    own but for the order of their terms. One answer per row is scored by the measure itself.
    """
    number = np.diff(scenarios.first)[rows]
    ptr, values, start = pointers(number), np.empty(len(rows)), 0
    augmented = _augmented(own, scenarios.hierarchy, scenarios.sets) if len(rows) > len(scenarios) else None
    while start < len(rows):
        stop = max(start + 1, int(np.searchsorted(ptr, ptr[start] + AT_ONCE, side="right")) - 1)
        part, counts = rows[start:stop], number[start:stop]
        scored = np.empty(0)
        places = np.concatenate([np.arange(scenarios.first[r], scenarios.first[r + 1]) for r in part.tolist()])
        if isinstance(own, SetMeasure) and augmented is not None:
            scored = _scores_by_counts(own, scenarios, augmented, answers.part(start, stop), part)
        else:
            pred = answers.take(np.repeat(np.arange(start, stop), counts))
            batch = batch_of(scenarios.hierarchy, scenarios.sets.take(places), pred)
            scored = own.score(batch, undefined="nan").values
        values[start:stop] = row_sums(scored * scenarios.mass[places], pointers(counts)) / scenarios.total[part]
        start = stop
    return values


def _augmented(own: Measure, h: Hierarchy, side: Side) -> Side | None:
    """Augmented sets, where each is made of its own classes alone."""
    if type(own) is not SetMeasure:
        return None
    model = own.model(batch_of(h, side_of([[]] * len(side)), side))
    if not isinstance(model, ClosureModel) or isinstance(model, TolerantModel):
        return None
    ptr, nodes, _ = model.closures()
    return Side(ptr, nodes)


def _scores_by_counts(own: SetMeasure, scenarios: Scenarios, true: Side, answers: Side, rows: IntArray) -> FloatArray:
    """Scores of answers with all scenarios of their rows: what they share is a product of matrices."""
    h, found = scenarios.hierarchy, []
    weights, pred = own._weights(h), _augmented(own, h, answers)
    assert pred is not None
    place = np.full(len(h) + 1, -1)
    for row in sorted_distinct(rows).tolist():
        begin, end = np.searchsorted(rows, (row, row + 1))
        truth, mine = true.part(*scenarios.first[row : row + 2]), pred.part(begin, end)
        nodes = sorted_distinct(truth.classes)
        place[nodes] = np.arange(nodes.size)
        tables = []
        for side in (mine, truth):
            table, at = np.zeros((len(side), nodes.size)), place[side.classes]
            table[entry_rows(side.ptr)[at >= 0], at[at >= 0]] = 1.0
            tables.append(table)
        place[nodes] = -1
        shared = tables[0] @ tables[1].T
        common = shared if own.weights is None else (tables[0] * weights[nodes]) @ tables[1].T
        sums = [row_sums(weights[side.classes], side.ptr) for side in (mine, truth)]
        equal = (shared == mine.sizes[:, None]) & (shared == truth.sizes)
        p, t = (each.ravel() for each in np.broadcast_arrays(sums[0][:, None], sums[1]))
        found.append(own._scorer.function(SetFacts(p, t, common.ravel(), equal.ravel(), len(h))))
    return np.concatenate(found)


def best_scenarios(own: Measure, scenarios: Scenarios) -> Side:
    """Of each instance the scenario with the best expected value."""
    values = expected_values(own, scenarios, scenarios.sets, entry_rows(scenarios.first))
    limits = np.full(len(scenarios), math.nan)
    pool = PoolDecision(
        "",
        scenarios.hierarchy,
        0,
        own.greater_is_better,
        scenarios.first,
        scenarios.sets,
        values,
        limits,
        np.diff(scenarios.first),
    )
    return pool.solve().answers


class Sweep:
    """Sets ordered by w_v(x) = Σ_k q_k (1+β²) [v ∈ T_k] / (β²·|T_k| + x), of one instance, with weights of classes.

    ``limit``: of sets that weigh more than x and at most x', F_β is at most the fractional knapsack of capacity x' with
    the worths at x, which are no less than those at the set's own weight. The greatest of these bounds over
    neighbouring x and x' holds for all sets; sets that weigh nothing score at most where the truth weighs nothing.
    """

    def __init__(
        self, scenarios: Scenarios, row: int, weights: FloatArray | None = None, beta: float = 1, flat: bool = False
    ) -> None:
        h = scenarios.hierarchy
        sets = scenarios.sets if flat else scenarios.closures
        truths = [sets[k].tolist() for k in range(scenarios.first[row], scenarios.first[row + 1])]
        mass = scenarios.mass[scenarios.first[row] : scenarios.first[row + 1]] / scenarios.total[row]
        self.nodes = np.array(sorted(set().union(*truths)), np.int64)
        inside = np.array([np.isin(self.nodes, truth) for truth in truths]).reshape(len(truths), -1).T
        self.weights = np.ones(self.nodes.size) if weights is None else weights[self.nodes]
        sizes = inside.T @ self.weights
        self.weightless = float(mass[sizes == 0].sum())
        alike: dict[tuple[float, float], Any] = {}
        for size, share, column in zip(sizes.tolist(), mass.tolist(), inside.T, strict=True):
            if size > 0:
                alike[size, share] = alike.get((size, share), 0.0) + column
        self.inside = np.array([*alike.values()], np.float64).reshape(len(alike), self.nodes.size).T
        self.sizes, self.mass = np.array([*alike]).reshape(-1, 2).T * [[beta**2], [1 + beta**2]]
        self.above = np.array([0 if flat else len(closure(h, [v])) for v in self.nodes.tolist()], np.int64)
        heavy = np.lexsort((self.nodes, self.above, -np.round(inside @ mass, 12)))
        self.grid = np.unique(np.concatenate([[0.0], np.cumsum(self.weights[heavy])]))

    def _worths(self, x: Any) -> FloatArray:
        worths: FloatArray = self.inside @ (self.mass / (self.sizes + x)).T
        return worths

    def sets(self) -> Iterator[Side]:
        """For each x the first nodes that weigh no more than it, some x at a time."""
        for begin in range(1, self.grid.size, STEPS):
            xs, found = self.grid[begin : begin + STEPS], []
            for x, worth in zip(xs.tolist(), self._worths(xs[:, None]).T, strict=True):
                order = np.lexsort((self.nodes, self.above, -np.round(worth / max(worth.max(initial=0), 1e-300), 12)))
                found.append(np.sort(self.nodes[order[np.cumsum(self.weights[order]) <= x * (1 + 1e-12)]]))
            yield side_of(found)

    def limit(self) -> float:
        """What no set is above."""
        most = self.weightless
        for x, after in zip(self.grid.tolist(), self.grid[1:].tolist(), strict=False):
            worth = self._worths(x)
            order = np.argsort(-worth, kind="stable")
            room = np.clip(after - (np.cumsum(self.weights[order]) - self.weights[order]), 0.0, self.weights[order])
            most = max(most, float(room @ worth[order]))
        return min(1.0, most * (1 + 1e-12))
