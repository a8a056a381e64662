"""The best of a pool of answers, for measures without a theorem, and expected values by the measure itself.

The pool: ∅, every scenario, the best answers for SDL, ICM, F_H, F and GIE, and every size of the sweep of F_H. For
F_LCA, where large answers are hard instances, more than POOL pairs with scenarios are thinned: the scenarios nearest to
the votes, and sizes that grow geometrically.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, entry_rows, pointers, row_pointers, row_sums, sorted_distinct
from hemlp.errors import UndefinedScore
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Side
from hemlp.measures.base import Measure
from hemlp.measures.pair_measure import PairMeasure
from hemlp.measures.set_measure import SetFacts, SetMeasure
from hemlp.problems.closure.model import ClosureModel
from hemlp.problems.closure.variants import TolerantModel
from hemlp.problems.decision.model import PoolDecision, closure, roots
from hemlp.problems.decision.scenarios import Scenarios, batch_of, closures_of, most_specific_classes, side_of
from hemlp.problems.pairing.bounds import COVER
from hemlp.problems.pairing.pairs import Pairs

AT_ONCE = 100_000
"""Pairs of answer and scenario that a measure scores at once."""
POOL, FEWEST = 20_000, 20
"""Pairs of scenarios with sizes of a sweep, or with each other, that a pool has; of both at least the fewest."""


def compares_sets(own: Measure) -> TypeGuard[SetMeasure]:
    """Whether it compares closures of ancestors, or labels, without a horizon."""
    if not isinstance(own, SetMeasure) or own.augment.name not in ("ancestors", "none"):
        return False
    return own.augment.options.get("horizon") is None


def pool_model(own: Measure, scenarios: Scenarios, best: Sequence[Side], at_least: int) -> PoolDecision:
    """The pool of each instance; ``best``: the answers for other measures, none where a scenario is best."""
    h, size = scenarios.hierarchy, len(scenarios)
    kind, limits = own.augment.name if isinstance(own, SetMeasure) else "", np.full(size, math.nan)
    flat, hard = kind != "ancestors", kind == "lca"
    sides = [side_of([[]] * size), *best]
    owners = [np.arange(size)] * len(sides)
    for row in range(size):
        made = [scenarios.sets.take(_likely_scenarios(scenarios, row, not hard))]
        if best:
            made.append(_sweep_answers(scenarios, row, hard))
        if best and compares_sets(own) and own.scoring == "F":
            sweep = Sweep(scenarios, row, own._weights(h), own.beta, flat)
            made.append(sweep.sets() if flat else most_specific_classes(h, sweep.sets()))
            limits[row] = sweep.limit()
        sides += made
        owners += [np.full(len(side), row) for side in made]
    pool, owner = Side.concatenate(sides), np.concatenate(owners)
    pool = pool if flat else most_specific_classes(h, pool)
    if at_least:
        kept = pool.sizes > 0
        poor = np.setdiff1d(np.arange(size), owner[kept])
        pool = Side.concatenate([pool.take(np.flatnonzero(kept)), side_of([roots(h, flat)[:1]] * poor.size)])
        owner = np.concatenate([owner[kept], poor])
    same = batch_of(h, Side(np.arange(len(pool) + 1), owner.astype(np.int32)), pool).first_duplicates()
    kept = same == np.arange(same.size)
    pool, owner = pool.take(np.flatnonzero(kept)), owner[kept]
    whole = pool if flat else closures_of(h, pool)
    keys = [(row, int(whole.sizes[k]), sorted(whole[k].tolist())) for k, row in enumerate(owner.tolist())]
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    pool, owner = pool.take(order), owner[order]
    counts = np.bincount(owner, minlength=size)
    if isinstance(own, PairMeasure) and own.scoring == "accuracy" and own.bounds == COVER:
        there = np.flatnonzero(_contenders(own, scenarios, pool, owner))
        pool, owner = pool.take(there), owner[there]
    first, values = row_pointers(owner, size), expected_values(own, scenarios, pool, owner)
    lost = np.isnan(values)
    if lost.any() and (row_sums((~lost).astype(np.float64), first) == 0).any():
        raise UndefinedScore(f"{own.display_name} is undefined for every answer of the pool of an instance")
    values[lost] = -math.inf if own.greater_is_better else math.inf
    model = PoolDecision(str(own), h, at_least, own.greater_is_better, first, pool, values, limits, counts)
    chosen = np.array([model.best(row) for row in range(size)], np.int64)
    if isinstance(own, SetMeasure) and own.weights is not None:
        values[chosen] = expected_values(own, scenarios, pool.take(chosen), np.arange(size))
    if not best:
        limits[:] = values[chosen]
    return model


def _contenders(own: PairMeasure, scenarios: Scenarios, pool: Side, owner: IntArray) -> NDArray[np.bool_]:
    """Answers that can be best, where there are many: the others are bounded below those of the greatest bounds.

    In an edge cover each class of a side is in a pair of its own or alone, so the error is at least what the nearest
    classes, or the default classes, of one side cost together.
    """
    h, kept, most = scenarios.hierarchy, np.ones(len(pool), np.bool_), float(cast(float, own.default_cost))
    for row in range(len(scenarios)):
        begin, end = np.searchsorted(owner, (row, row + 1))
        one, answers = scenarios.part(row, row + 1), pool.part(begin, end)
        if len(answers) * len(one.sets) <= AT_ONCE // 4:
            continue
        nodes, truths = (sorted_distinct(side.classes) for side in (answers, one.sets))
        batch = batch_of(h, side_of([truths]), side_of([nodes]))
        kappa = np.minimum(own._kappa(batch, Pairs.of(batch)).reshape(nodes.size, truths.size), most)
        inside, meant = (
            np.array([np.isin(names, own_side[k]) for k in range(len(own_side))], np.float64)
            for names, own_side in ((nodes, answers), (truths, one.sets))
        )
        near = np.stack([kappa[:, there > 0].min(axis=1, initial=most) for there in meant], axis=1)
        far = np.stack([kappa[there > 0].min(axis=0, initial=most) for there in inside]) @ meant.T
        common = inside[:, np.isin(nodes, truths)] @ meant[:, np.isin(truths, nodes)].T
        apart = answers.sizes[:, None] + one.sets.sizes - 2 * common
        bound = (1 - np.maximum(inside @ near, far) / (np.maximum(apart, 1) * most)) @ one.mass / one.total[0]
        first = np.argsort(-bound)[:FEWEST]
        best = expected_values(own, one, answers.take(first), np.zeros(first.size, np.int64)).max()
        kept[begin:end] = bound >= best - 1e-9
    return kept


def _sweep_answers(scenarios: Scenarios, row: int, thin: bool) -> Side:
    """The sizes of the sweep; of too many that are thinned, none with over twice the labels of a scenario."""
    sweep = Sweep(scenarios, row, thin=thin)
    answers = most_specific_classes(scenarios.hierarchy, sweep.sets())
    most = 2 * int(scenarios.part(row, row + 1).sets.sizes.max(initial=0))
    return answers.take(np.flatnonzero(answers.sizes <= most)) if sweep.thinned else answers


def _likely_scenarios(scenarios: Scenarios, row: int, every: bool) -> IntArray:
    """The places of an instance's scenarios; of too many those with the greatest 2·E|A ∩ T| / (|A| + E|T|)."""
    places = np.arange(scenarios.first[row], scenarios.first[row + 1])
    most = max(FEWEST, POOL // max(1, len(places)))
    if every or len(places) <= most:
        return places
    one = scenarios.part(row, row + 1)
    votes, sets = one.votes(), one.closures
    common = row_sums(votes.shares[np.searchsorted(votes.nodes, sets.classes)], sets.ptr)
    near = common / (sets.sizes + votes.shares.sum())
    return np.sort(places[np.argsort(-np.round(near, 12), kind="stable")[:most]])


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
        self, scenarios: Scenarios, row: int, weights: FloatArray | None = None, beta: float = 1, flat: bool = False,
        thin: bool = False,
    ) -> None:  # fmt: skip
        h = scenarios.hierarchy
        sets = scenarios.sets if flat else scenarios.closures
        truths = [sets[k].tolist() for k in range(scenarios.first[row], scenarios.first[row + 1])]
        mass = scenarios.mass[scenarios.first[row] : scenarios.first[row + 1]] / scenarios.total[row]
        self.nodes = np.array(sorted(set().union(*truths)), np.int64)
        inside = np.array([np.isin(self.nodes, truth) for truth in truths]).reshape(len(truths), -1).T
        self.weights = np.ones(self.nodes.size) if weights is None else weights[self.nodes]
        sizes = inside.T @ self.weights
        self.weightless = float(mass[sizes == 0].sum())
        self.inside, self.sizes = inside[:, sizes > 0].astype(np.float64), beta**2 * sizes[sizes > 0]
        self.mass = mass[sizes > 0] * (1 + beta**2)
        self.above = np.array([0 if flat else len(closure(h, [v])) for v in self.nodes.tolist()], np.int64)
        heavy = np.lexsort((self.nodes, self.above, -np.round(inside @ mass, 12)))
        grid = np.unique(np.concatenate([[0.0], np.cumsum(self.weights[heavy])]))
        most = max(FEWEST, POOL // max(1, len(truths)))
        self.thinned = thin and len(grid) > most + 1
        if self.thinned:  # 0, and whole numbers that grow geometrically, to the last
            steps = np.geomspace(1, len(grid) - 1, most).round().astype(np.int64)
            grid = grid[np.unique(np.concatenate([[0], steps]))]
        self.grid = grid

    def _worths(self, x: float) -> FloatArray:
        worths: FloatArray = self.inside @ (self.mass / (self.sizes + x))
        return worths

    def sets(self) -> Side:
        """For each x the first nodes that weigh no more than it."""
        found = []
        for x in self.grid[1:].tolist():
            worth = self._worths(x)
            order = np.lexsort((self.nodes, self.above, -np.round(worth / max(worth.max(initial=0), 1e-300), 12)))
            found.append(np.sort(self.nodes[order[np.cumsum(self.weights[order]) <= x * (1 + 1e-12)]]))
        return side_of(found)

    def limit(self) -> float:
        """What no set is above."""
        most = self.weightless
        for x, after in zip(self.grid.tolist(), self.grid[1:].tolist(), strict=False):
            worth = self._worths(x)
            order = np.argsort(-worth, kind="stable")
            room = np.clip(after - (np.cumsum(self.weights[order]) - self.weights[order]), 0.0, self.weights[order])
            most = max(most, float(room @ worth[order]))
        return min(1.0, most * (1 + 1e-12))
