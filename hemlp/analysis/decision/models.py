"""From a measure and a belief to the model of the decision: by a theorem where there is one, else by a pool.

The pool: ∅, every scenario, the best answers for SDL, ICM, F_H, F and GIE, and every size of the sweep of F_H. For
F_LCA, where large answers are hard instances, more than POOL pairs with scenarios are thinned: the scenarios nearest to
the votes, and sizes that grow geometrically.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from hemlp.arrays import FloatArray, IntArray, entry_rows, pointers, row_places, row_sums, sorted_distinct
from hemlp.errors import UndefinedScore
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Side
from hemlp.measures.base import Measure
from hemlp.measures.factory import measure as as_measure
from hemlp.measures.pair_measure import PairMeasure, pairs_classes
from hemlp.measures.set_measure import SetMeasure
from hemlp.problems.decision.model import DecisionModel, PoolDecision, closure, roots, specific_classes
from hemlp.problems.decision.pairs import PairDecision, candidates
from hemlp.problems.decision.scenarios import Scenarios, Votes, batch_of
from hemlp.problems.decision.sets import LinearDecision, RatioDecision
from hemlp.problems.pairing.bounds import Bounds
from hemlp.problems.pairing.costs import ShortestPath

SLOPES = {"difference": 2, "hamming": 2, "ICM": 3}
"""a of the scores that are linear in the answer."""
PAIRS = Bounds((1, 1), (1, 1))
AT_ONCE = 100_000
"""Pairs of answer and scenario that a measure scores at once."""
POOL, FEWEST = 20_000, 20
"""Pairs of scenarios with sizes of a sweep, or with each other, that a pool has; of both at least the fewest."""


def decision_model(own: Measure, scenarios: Scenarios, at_least: int) -> DecisionModel:
    """The model of a batch: exact where there is a theorem, else a pool."""
    if is_linear(own):
        return linear_model(own, scenarios.hierarchy, scenarios.votes(own.augment.name == "none"), at_least)
    if is_ratio(own):
        top, flat = bool(own.augment.options.get("top")), own.augment.name == "none"
        return RatioDecision(str(own), scenarios.hierarchy, at_least, True, scenarios, own.beta, top, flat)
    return pair_model(own, scenarios, at_least) if _pairs_one_to_one(own) else _pool_model(own, scenarios, at_least)


def _is_set_measure(own: Measure) -> TypeGuard[SetMeasure]:
    """Whether it compares closures of ancestors, or labels, without a horizon."""
    if not isinstance(own, SetMeasure) or own.augment.name not in ("ancestors", "none"):
        return False
    return own.augment.options.get("horizon") is None


def is_linear(own: Measure) -> TypeGuard[SetMeasure]:
    """Whether it is a sum over the classes of the answer."""
    return _is_set_measure(own) and own.scoring in SLOPES


def is_ratio(own: Measure) -> TypeGuard[SetMeasure]:
    """Whether it is F_β with uniform weights."""
    return _is_set_measure(own) and own.scoring == "F" and own.weights is None


def _pairs_one_to_one(own: Measure) -> TypeGuard[PairMeasure]:
    if not pairs_classes(own) or own.bounds != PAIRS or own.scoring != "error" or own.pairing != "optimal":
        return False
    given = own.default_cost if isinstance(own.default_cost, tuple) else (own.default_cost,)
    return None not in given and own.horizon is None and own.defined == "always"


def linear_model(own: Any, h: Hierarchy, votes: Votes, at_least: int) -> LinearDecision:
    """SDL, ICM and their like, of any belief."""
    weights: FloatArray = own._weights(h) / (len(h) if own.scoring == "hamming" else 1)
    top, flat = bool(own.augment.options.get("top")), own.augment.name == "none"
    truth = row_sums(weights[votes.nodes] * votes.mass, votes.ptr) + (weights[-1] * votes.some if top else 0.0)
    return LinearDecision(
        str(own), h, at_least, own.greater_is_better, votes, weights, SLOPES[own.scoring], truth, top, flat
    )


def pair_model(own: PairMeasure, scenarios: Scenarios, at_least: int) -> PairDecision:
    """One-to-one pairs, with the candidates that can be needed."""
    h, cost = scenarios.hierarchy, own.cost
    radius = own.default_cost if isinstance(own.default_cost, int | float) else None
    local = isinstance(cost, ShortestPath) and not cost.undirected and cost.decay is None
    local = local and cost.weights in (None, "uniform") and own.weights is None and not h.weighted
    unions, near = [], []
    for row in range(len(scenarios)):
        begin, end = scenarios.sets.ptr[scenarios.first[row : row + 2]]
        unions.append(sorted_distinct(np.sort(scenarios.sets.classes[begin:end])))
        if not local or radius is None:
            near.append(np.arange(len(h)))
            continue
        near.append(_near_classes(h, unions[-1], math.ceil(radius)))
        if at_least and len(near[-1]) < len(h):  # all classes that are far cost the same: the least label
            near[-1] = np.union1d(near[-1], np.setdiff1d(np.arange(len(near[-1]) + 1), near[-1])[:1])
    for reduced in (False, True):
        pairing = own.model(batch_of(h, side_of(unions), side_of(near)))
        model = PairDecision(str(own), h, at_least, False, pairing, scenarios)
        near = near if reduced else [classes[candidates(model, row)] for row, classes in enumerate(near)]
    return model


def _near_classes(h: Hierarchy, classes: IntArray, radius: int) -> IntArray:
    """The classes whose distance to one of ``classes`` is below ``radius``."""
    up = down = classes.astype(np.int64)
    seen_up, seen = up, up
    for _ in range(1, radius):
        up = np.setdiff1d(h.parent_idx[row_places(h.parent_ptr, up)], seen_up)
        seen_up = np.union1d(seen_up, up)
        down = np.union1d(np.setdiff1d(h.child_idx[row_places(h.child_ptr, down)], seen), up)
        seen = np.union1d(seen, down)
    return seen


def side_of(rows: list[Any]) -> Side:
    """Rows of classes as a side."""
    classes = [np.asarray(row, np.int32) for row in rows]
    return Side(pointers([row.size for row in classes]), np.concatenate([np.empty(0, np.int32), *classes]))


def _pool_model(own: Measure, scenarios: Scenarios, at_least: int) -> PoolDecision:
    h, exact = scenarios.hierarchy, _is_set_measure(own) and own.scoring == "exact" and own.augment.name == "none"
    closures = isinstance(own, SetMeasure) and own.augment.name == "ancestors"
    hard = isinstance(own, SetMeasure) and own.augment.name == "lca"
    weighted = _is_set_measure(own) and own.scoring == "F"
    made: Any = own
    limits = np.full(len(scenarios), math.nan)
    others = () if exact else map(as_measure, ("SDL", "ICM", "F_H", "F", "GIE"))
    best = [decision_model(other, scenarios, at_least).solve().answers for other in others]
    pools = []
    for row in range(len(scenarios)):
        pool = {
            (),
            *(tuple(scenarios.sets[k].tolist()) for k in _likely_scenarios(scenarios, row, not hard)),
            *(tuple(own[row].tolist()) for own in best),
        }
        if not exact:
            pool |= _sweep_answers(scenarios, row, hard)
        if weighted:
            sweep = Sweep(scenarios, row, made._weights(h), made.beta, not closures)
            pool |= {tuple(specific_classes(h, nodes, not closures)) for nodes in sweep.sets()}
            limits[row] = sweep.limit()
        pool = {tuple(specific_classes(h, answer, not closures)) for answer in pool}
        if at_least:
            pool = pool - {()} or {(int(roots(h, not closures)[0]),)}
        sizes = {each: sorted(closure(h, each, not closures)) for each in pool}
        pools.append(sorted(pool, key=lambda each: (len(sizes[each]), sizes[each])))
    side, first = side_of([each for pool in pools for each in pool]), pointers([len(pool) for pool in pools])
    values = expected_values(own, scenarios, side, entry_rows(first))
    lost = np.isnan(values)
    if lost.any() and (row_sums((~lost).astype(np.float64), first) == 0).any():
        raise UndefinedScore(f"{own.display_name} is undefined for every answer of the pool of an instance")
    values[lost] = -math.inf if own.greater_is_better else math.inf
    model = PoolDecision(str(own), h, at_least, own.greater_is_better, first, side, values, limits)
    if exact:
        model = replace(model, limits=np.array([model.values[model.best(row)] for row in range(len(model))]))
    return model


def _sweep_answers(scenarios: Scenarios, row: int, thin: bool) -> set[tuple[int, ...]]:
    """The sizes of the sweep; of too many that are thinned, none with over twice the labels of a scenario."""
    sweep = Sweep(scenarios, row, thin=thin)
    answers = {tuple(specific_classes(scenarios.hierarchy, nodes)) for nodes in sweep.sets()}
    if sweep.thinned:
        most = 2 * int(scenarios.part(row, row + 1).sets.sizes.max(initial=0))
        answers = {answer for answer in answers if len(answer) <= most}
    return answers


def _likely_scenarios(scenarios: Scenarios, row: int, every: bool) -> Iterable[int]:
    """The places of an instance's scenarios; of too many those with the greatest 2·E|A ∩ T| / (|A| + E|T|)."""
    places = range(scenarios.first[row], scenarios.first[row + 1])
    most = max(FEWEST, POOL // max(1, len(places)))
    if every or len(places) <= most:
        return places
    one = scenarios.part(row, row + 1)
    votes, sets = one.votes(), one.closures
    common = row_sums(votes.shares[np.searchsorted(votes.nodes, sets.classes)], sets.ptr)
    near = common / (sets.sizes + votes.shares.sum())
    return sorted((np.argsort(-np.round(near, 12), kind="stable")[:most] + places.start).tolist())


def expected_values(own: Measure, scenarios: Scenarios, answers: Side, rows: IntArray) -> FloatArray:
    """E[m] of answers, each for the scenarios of its row, by the measure itself; nan where it is undefined."""
    number = np.diff(scenarios.first)[rows]
    ptr, values, start = pointers(number), np.empty(len(rows)), 0
    while start < len(rows):
        stop = max(start + 1, int(np.searchsorted(ptr, ptr[start] + AT_ONCE, side="right")) - 1)
        part, counts = rows[start:stop], number[start:stop]
        places = np.concatenate([np.arange(scenarios.first[r], scenarios.first[r + 1]) for r in part.tolist()])
        pred = answers.take(np.repeat(np.arange(start, stop), counts))
        batch = batch_of(scenarios.hierarchy, scenarios.sets.take(places), pred)
        scored = own.score(batch, undefined="nan").values * scenarios.mass[places]
        values[start:stop] = row_sums(scored, pointers(counts)) / scenarios.total[part]
        start = stop
    return values


def best_scenarios(own: Measure, scenarios: Scenarios) -> Side:
    """Of each instance the scenario with the best expected value."""
    values = expected_values(own, scenarios, scenarios.sets, entry_rows(scenarios.first))
    limits = np.full(len(scenarios), math.nan)
    pool = PoolDecision(
        "", scenarios.hierarchy, 0, own.greater_is_better, scenarios.first, scenarios.sets, values, limits
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

    def _steps(self) -> Iterator[tuple[float, FloatArray, IntArray, FloatArray]]:
        """For neighbouring x and x': x', the worths at x, the order by those at x', and the weights in that order."""
        for x, after in zip(self.grid, self.grid[1:], strict=False):
            upper, own = (self.inside @ (self.mass / (self.sizes + at)) for at in (x, after))
            order = np.lexsort((self.nodes, self.above, -np.round(own / max(own.max(initial=0), 1e-300), 12)))
            yield float(after), upper, order, np.cumsum(self.weights[order])

    def sets(self) -> Iterator[list[int]]:
        """For each x the first nodes that weigh no more than it."""
        for after, _, order, heavy in self._steps():
            yield self.nodes[order[heavy <= after * (1 + 1e-12)]].tolist()

    def limit(self) -> float:
        """What no set is above."""
        most = self.weightless
        for after, upper, _, _ in self._steps():
            order = np.argsort(-upper, kind="stable")
            room = np.clip(after - (np.cumsum(self.weights[order]) - self.weights[order]), 0.0, self.weights[order])
            most = max(most, float(room @ upper[order]))
        return min(1.0, most * (1 + 1e-12))
