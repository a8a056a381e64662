"""Deciding: thresholds and a compiled sweep for sets, a search over submodular savings for pairs, and pools."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hemlp.arrays import FloatArray, IntArray, entry_rows, row_pointers, row_sums, split
from hemlp.instances.batch import Side
from hemlp.problems.decision.exact import LinearDecision, PairDecision, RatioDecision
from hemlp.problems.decision.model import EQUAL, DecisionSolution, PoolDecision, roots
from hemlp.problems.decision.scenarios import most_specific_classes
from hemlp.solvers.registry import BaseSolver

FEW, JOIN, ROUNDS = 8, 15, 20
"""Candidates that are searched without a relaxation, that join one at once, and how often they do."""
NEAR = 60
"""Candidates that a climb tries where relaxations were too large."""


class ConsensusSets(BaseSolver):
    """Accepts linear measures of sets, F_β, and pools."""

    name = "consensus"
    kinds = (LinearDecision, RatioDecision, PoolDecision)

    def solve_batch(self, model: LinearDecision | RatioDecision | PoolDecision) -> DecisionSolution:
        """The best answer of each instance."""
        if isinstance(model, LinearDecision):
            return _by_thresholds(model)
        if isinstance(model, RatioDecision):
            return _by_sweep(model)
        chosen = np.array([model.best(row) for row in range(len(model))], np.int64)
        return model.solution(model.pool.take(chosen), model.values[chosen])


def _by_thresholds(model: LinearDecision) -> DecisionSolution:
    """P is the closure of {v: μ_v > 0, a·m_v > 1}; where that is empty perhaps a root, for ⊤ or at_least."""
    votes, h = model.votes, model.hierarchy
    rows = entry_rows(votes.ptr)
    total, weights = votes.total[rows], model.weights[votes.nodes]
    gain = model.slope * votes.mass - total
    kept = (weights > 0) & (gain > (0 if votes.exact else EQUAL * total))
    keys, sums = rows[kept] * len(h) + votes.nodes[kept], row_sums(weights * np.maximum(gain, 0.0), votes.ptr)
    if model.at_least or model.top:
        full = np.isin(np.arange(len(model)), rows[kept])
        alone = {row: _best_root(model, row) for row in np.flatnonzero(~full).tolist()}
        extra = {row: root for row, root in alone.items() if root is not None}
        keys = np.sort(np.concatenate([keys, np.array([row * len(h) + v for row, (v, _) in extra.items()], np.int64)]))
        for row in [*np.flatnonzero(full).tolist(), *extra]:
            sums[row] = model.worth_of_top(row) + (extra[row][1] if row in extra else sums[row])
    side = _side(keys, model)
    sign = 1.0 if model.greater_is_better else -1.0
    return model.solution(side, sign * (sums - model.truth) / votes.total + 0.0)


def _side(keys: IntArray, model: LinearDecision | RatioDecision) -> Side:
    """From sorted keys row · classes + class to answers; of closures the most specific classes."""
    h = model.hierarchy
    owners, classes = split(keys, len(h))
    side = Side(row_pointers(owners, len(model)), classes)
    return side if model.flat else most_specific_classes(h, side)


def _best_root(model: LinearDecision, row: int) -> tuple[int, float] | None:
    """The root of greatest worth, and that, if there has to be one, or if it is better than ∅ with ⊤ above it."""
    first, mass, total = roots(model.hierarchy, model.flat), model.votes.of_row(row), float(model.votes.total[row])
    worth = model.weights[first] * (model.slope * np.array([mass.get(v, 0.0) for v in first.tolist()]) - total)
    best = float(worth.max())
    if not model.at_least and best + model.worth_of_top(row) <= EQUAL * total:
        return None
    at = int(np.argmax(worth >= best - EQUAL * abs(best)))
    return int(first[at]), float(worth[at])


def _by_sweep(model: RatioDecision) -> DecisionSolution:
    """All sizes by compiled code; where floats leave a tie of exact masses open, by fractions."""
    from hemlp.kernels.ranking.consensus import Consensus, best_sets
    from hemlp.kernels.records import Rows

    own, h = model.scenarios, model.hierarchy
    sets = own.sets if model.flat else own.closures
    above = (np.zeros(len(h) + 1, np.int64), np.empty(0, np.int32)) if model.flat else (h.parent_ptr, h.parent_idx)
    base = int(sets.sizes.max(initial=0)) + 1
    keys, size_of = np.unique(entry_rows(own.first) * base + sets.sizes, return_inverse=True)
    owners, sizes = keys // base, (keys % base).astype(np.float64)
    size_ptr = row_pointers(owners, len(model))
    places = (size_of - size_ptr[entry_rows(own.first)]).astype(np.int32)
    task = Consensus(own.first, Rows(sets.ptr, sets.classes), own.mass, (size_ptr, sizes, places), Rows(*above))
    values, close, ptr, nodes = best_sets(task, model.beta**2, model.top, model.at_least)
    rows = entry_rows(ptr)
    again = {int(row): model.exact_answer(int(row)) for row in np.flatnonzero(close)} if own.exact else {}
    if model.at_least:
        again |= {int(row): roots(h, model.flat)[:1].tolist() for row in np.flatnonzero(np.diff(ptr) == 0)}
    fixed = np.isin(rows, list(again))
    changed = np.array([row * len(h) + v for row, answer in again.items() for v in answer], np.int64)
    keys = np.sort(np.concatenate([rows[~fixed] * len(h) + nodes[~fixed], changed]))
    return model.solution(_side(keys, model), values / own.total)


@dataclass(frozen=True)
class SubsetSearch(BaseSolver):
    """Accepts one-to-one pairs: prices of a relaxation leave few candidates, and a search over subsets settles those.

    A class whose saving beside all others is above its cost is in every best answer, one whose saving beside those that
    are in is not above it is in none; what these rules leave is tried both ways.

    ``nodes``: subproblems of an instance; ``pairs`` of classes in its relaxations, of which the first is always solved.
    Beyond them the answer is the best that is known, with a bound.
    """

    nodes: int = 500
    pairs: int = 600_000

    name = "subsets"
    kinds = (PairDecision,)

    def solve_batch(self, model: PairDecision) -> DecisionSolution:
        """The cheapest set of each instance; of equal ones the smallest, then the least labels."""
        found = [_Search(model, row, self.nodes, self.pairs).run() for row in range(len(model))]
        answers = [model.pairing.batch.pred[row][own].tolist() for row, (own, _, _) in enumerate(found)]
        values = np.array([value for _, value, _ in found])
        return model.solution(answers, values, np.array([bound for _, _, bound in found]))


class _Search:
    """The answer of one instance. Costs are masses; ``slack``: what is equal."""

    def __init__(self, model: PairDecision, row: int, nodes: int, pairs: int) -> None:
        from hemlp.kernels.ranking.consensus import Savings, saved

        kappa, pred, true, sets, mass = model.data(row)
        saving = np.maximum(pred[:, None] + true[None, :] - kappa, 0.0)
        self.savings, self.mass = [saving[:, own] for own in sets], np.ascontiguousarray(mass)
        widths = np.array([own.size for own in sets], np.int64)
        values = np.concatenate([np.zeros(0), *(own.ravel() for own in self.savings)])
        given = Savings(pred.size, widths, values, self.mass)
        self.total = float(model.scenarios.total[row])
        self.alone, self.left, self.pairs, self.least = pred * self.total, nodes, pairs, model.at_least
        self.truth = math.fsum(float(weight) * float(true[own].sum()) for own, weight in zip(sets, mass, strict=True))
        self.slack = EQUAL * max(self.truth, float(self.alone.max(initial=0.0)))
        self.saved = lru_cache(maxsize=None)(lambda chosen: saved(given, np.array(sorted(chosen), np.int64)))
        self.best: tuple[float, int, list[int]] | None = None
        self.bound = math.inf

    def run(self) -> tuple[IntArray, float, float]:
        """Places of the chosen candidates, their expected cost, and what no set is below."""
        everybody = frozenset(range(self.alone.size))
        if self.least and self.alone.size == 1:  # a candidate that has to be there, whatever it costs
            self.best = self.cost(everybody), 1, [0]
        elif self.alone.size <= FEW:
            self.search(frozenset(), everybody)
        else:
            rounded, reduced, most, limited = self.relax()
            self.offer(self.cost(rounded), rounded)
            assert self.best is not None
            proved = self.truth - most
            if limited:
                self.climb(rounded, sorted({*rounded, *np.argsort(-reduced, kind="stable")[:NEAR].tolist()}))
                return self.found(proved)
            gap = most - (self.truth - self.best[0]) + 1e-9 * max(1.0, self.truth)
            forced = frozenset(np.flatnonzero(reduced > gap).tolist())
            self.search(forced, frozenset(np.flatnonzero(reduced >= -gap).tolist()) - forced)
            if self.best[0] - proved <= 1e-9 * max(1.0, self.truth):  # ties are all that the search left open
                self.bound = self.best[0]
            return self.found(max(min(self.bound, self.best[0]), proved))
        return self.found(self.bound)

    def found(self, bound: float) -> tuple[IntArray, float, float]:
        """The best set with its expected cost, and the bound as such a cost."""
        assert self.best is not None
        cost, _, chosen = self.best
        return np.array(chosen, np.int64), cost / self.total, min(bound, cost) / self.total

    def climb(self, chosen: frozenset[int], near: list[int]) -> None:
        """Take the best class in or out of a set as long as that pays."""
        cost = math.inf
        while (best := self.cost(chosen)) < cost - self.slack:
            self.offer(best, chosen)
            cost, chosen = best, min((chosen ^ {c} for c in near), key=self.cost)

    def relax(self) -> tuple[frozenset[int], FloatArray, float, bool]:
        """A set, reduced costs of all candidates, what no set saves more than, and whether a limit came first.

        With prices π ≥ 0 of the classes of scenarios no set saves more than Σ π + Σ_c max(0, r_c), whoever found them,
        where r_c = Σ_k max_t (mass_k s_ct − π_kt)⁺ − d_p[c]. Candidates join as they are needed (column generation).
        """
        heavy = [weight * own for weight, own in zip(self.mass, self.savings, strict=True)]

        def reduce(prices: list[FloatArray]) -> FloatArray:
            left = self.alone * -1.0
            for own, each in zip(heavy, prices, strict=True):
                left += np.maximum(own - each, 0.0).max(axis=1, initial=0.0)
            return left

        prices = [np.zeros(own.shape[1]) for own in heavy]
        reduced, active, chosen, limited = reduce(prices), np.empty(0, np.int64), np.empty(0), False
        for _ in range(ROUNDS):
            new = np.setdiff1d(np.argsort(-reduced, kind="stable")[:JOIN], active)
            new = new[reduced[new] > 1e-7 * self.total]
            if not new.size:
                break
            active = np.concatenate([active, new])
            self.pairs -= sum(int(np.count_nonzero(own[active])) for own in heavy)
            limited = active.size > JOIN and self.pairs < 0
            if limited:
                active = active[: chosen.size]
                break
            chosen, prices = _relaxation([own[active] for own in heavy], self.alone[active])
            reduced = reduce(prices)
        most = math.fsum(float(each.sum()) for each in prices) + float(np.maximum(reduced, 0.0).sum())
        return frozenset(active[chosen > 0.5].tolist()), reduced, most, limited

    def cost(self, chosen: frozenset[int]) -> float:
        """What a set costs."""
        return self.truth + float(self.alone[list(chosen)].sum()) - self.saved(chosen)

    def search(self, inside: frozenset[int], free: frozenset[int]) -> None:
        """The best of all sets between ``inside`` and that with ``free``."""
        changed = True
        while changed:
            base, whole = self.saved(inside), inside | free
            gains = {c: self.saved(inside | {c}) - base - float(self.alone[c]) for c in free}
            dropped = frozenset(c for c, gain in gains.items() if gain <= self.slack)
            free -= dropped
            whole -= dropped
            most = self.saved(whole)
            forced = frozenset(c for c in free if most - self.saved(whole - {c}) - float(self.alone[c]) > self.slack)
            inside, free = inside | forced, free - forced
            changed = bool(forced or dropped) and bool(free)
        cost = self.cost(inside)
        if not free:
            self.offer(cost, inside)
            return
        lower = cost - math.fsum(gains[c] for c in free)
        if self.best is not None and lower > self.best[0] + self.slack:
            return
        if self.left <= 0:
            self.bound = min(self.bound, lower)
            self.offer(cost, inside)
            return
        self.left -= 1
        split_at = max(sorted(free), key=lambda c: gains[c])
        self.search(inside | {split_at}, free - {split_at})
        self.search(inside, free - {split_at})

    def offer(self, cost: float, chosen: frozenset[int]) -> None:
        """Keep a set if it is cheaper than the best, or as cheap and smaller, or as small and of lesser labels."""
        own = sorted(chosen)
        if self.best is None or cost < self.best[0] - self.slack:
            self.best = cost, len(own), own
        elif cost <= self.best[0] + self.slack and (len(own), own) < self.best[1:]:
            self.best = self.best[0], len(own), own


def _relaxation(heavy: list[FloatArray], alone: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
    """max Σ heavy x − Σ alone y with Σ_t x_kct ≤ y_c ≤ 1 and Σ_c x_kct ≤ 1: y, and the prices of the latter."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    size, costs, rows, columns = alone.size, [alone], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    first, place = size, 0
    for own in heavy:
        c, t = np.nonzero(own > 0)
        x = first + np.arange(c.size)
        rows += [place + c, place + np.arange(size), place + size + t]
        columns += [x, np.arange(size), x]
        costs.append(-own[c, t])
        first, place = first + c.size, place + size + own.shape[1]
    signs = np.ones(sum(each.size for each in rows))
    at = np.concatenate(columns)
    signs[at < size] = -1.0
    limits = np.concatenate([np.concatenate([np.zeros(size), np.ones(own.shape[1])]) for own in heavy])
    matrix = csr_array((signs, (np.concatenate(rows), at)), shape=(place, first))
    found = linprog(np.concatenate(costs), matrix, limits, bounds=(0, 1), method="highs")
    duals = np.maximum(-found.ineqlin.marginals, 0.0)
    ends = np.cumsum([size + own.shape[1] for own in heavy])
    return found.x[:size], [duals[end - own.shape[1] : end] for end, own in zip(ends, heavy, strict=True)]
