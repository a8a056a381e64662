"""Which answers of a pool can be the best one: upper bounds on their scores, and a race that scores few of them.

Bounds on the score of an answer A, both sides reduced to their most specific classes, with a true set T:

- LCA graphs. G_t lies in the closure of T and G_p in that of A (⊤ aside), so both share at most c = |closure(T) ∩
  closure(A)| nodes, and ⊤ where there are several roots. A class outside the closure of the other side climbs to its
  LCA, which is inside. Up to there its path has no choice as long as nodes have one parent, so these nodes are in one
  graph alone: a of A and b of T. P, R and F grow with what both graphs share, and F ≤ 2c / (2c + a + b).
- MGIA. In an edge cover each class of a side is in a pair of its own or alone, so the error is at least what the
  nearest classes, or the default classes, of one side cost together.
- Best matches. Both sums of least costs are what they are, but for the order of their terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, entry_rows, row_pointers, sorted_distinct, split
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch, Side
from hemlp.measures.base import Measure
from hemlp.measures.pair_measure import PairMeasure
from hemlp.measures.pair_scores import MatchFacts
from hemlp.measures.set_measure import SetFacts, SetMeasure
from hemlp.problems.decision.scenarios import Scenarios, batch_of, closures_of, most_specific_classes, side_of
from hemlp.problems.lca.model import GraphModel
from hemlp.problems.lca.prefix_bounds import bound_prefixes
from hemlp.problems.pairing.bounds import COVER
from hemlp.problems.pairing.pairs import Pairs

SMALL = 25_000
"""Pairs of answer and scenario that are scored without a race."""
AT_ONCE = 500_000
"""Pairs that race together."""
CELLS = 4_000_000
"""Answers times classes whose bounds are computed at once."""
FIRST, LAPS = 20, 10
"""Answers that race first; and parts of the scenarios after each of which answers drop out."""
SLACK = 1e-9
"""By how much rounding may lower a bound."""
Bound = Callable[[Side], FloatArray]
"""From answers to what they score at most: answers × scenarios."""


def contenders(own: Measure, scenarios: Scenarios, pool: Side, owner: IntArray) -> NDArray[np.bool_]:
    """The answers of a pool that can be the best of their instance, where there are too many to score them all."""
    kept = np.ones(len(pool), np.bool_)
    for row in range(len(scenarios)):
        begin, end = np.searchsorted(owner, (row, row + 1))
        one, answers = scenarios.part(row, row + 1), pool.part(begin, end)
        bound = _bound(own, one, answers) if len(answers) * len(one.sets) > SMALL else None
        if bound is not None:
            kept[begin:end] = _race(own, one, answers, bound)
    return kept


def _race(own: Measure, one: Scenarios, answers: Side, bound: Bound) -> NDArray[np.bool_]:
    """Answers whose expected value is not below the best, tried in the order of their bounds."""
    share, size, best = one.mass / one.total[0], max(1, CELLS // len(one.hierarchy)), -math.inf
    parts = (answers.part(k, min(k + size, len(answers))) for k in range(0, len(answers), size))
    most = np.concatenate([bound(part) @ share for part in parts])
    order, begin, width = np.argsort(-most, kind="stable"), 0, FIRST
    while begin < order.size and most[order[begin]] >= best - SLACK:
        rows = order[begin : begin + width]
        rows = rows[most[rows] >= best - SLACK]
        begin, width = begin + width, max(FIRST, min(2 * width, AT_ONCE // share.size))
        part = answers.take(rows)
        upper = bound(part)
        for score in _closer_bounds, _scores:
            _lower(upper, score, own, one, part, best)
        most[rows] = upper @ share
        best = max(best, float(most[rows].max()))
    kept: NDArray[np.bool_] = most >= best - SLACK
    return kept


def _lower(upper: FloatArray, score: Any, own: Measure, one: Scenarios, answers: Side, best: float) -> None:
    """Replace bounds by scores, or by closer bounds, but for answers that fall below the best on the way."""
    share, alive = one.mass / one.total[0], np.arange(len(answers))
    for lap in np.array_split(np.argsort(-(upper.mean(axis=0) * share), kind="stable"), LAPS):
        alive = alive[upper[alive] @ share >= best - SLACK]
        true, pred = one.sets.take(np.tile(lap, alive.size)), answers.take(np.repeat(alive, lap.size))
        found = score(own, batch_of(one.hierarchy, true, pred))
        if found is not None:
            upper[np.ix_(alive, lap)] = found.reshape(alive.size, lap.size)


def _scores(own: Measure, batch: Batch) -> FloatArray:
    return own.score(batch).values


def _bound(own: Measure, one: Scenarios, answers: Side) -> Bound | None:
    """The bound of a measure, if there is one that is cheaper than the score."""
    if isinstance(own, SetMeasure) and own.augment.name == "lca" and own.scoring in ("P", "R", "F"):
        return _bound_of_graphs(own, one)
    if isinstance(own, PairMeasure) and own.bounds == COVER and own.defined == "always":
        return _bound_of_pairs(own, one, answers) if own.scoring in ("accuracy", *MATCHES) else None
    return None


# ---- LCA graphs


def _bound_of_graphs(own: SetMeasure, one: Scenarios) -> Bound:
    """2c / (2c + a + b) of F, and the like of P and R; with a horizon only the classes themselves are counted alone."""
    h, climb = one.hierarchy, own.augment.options.get("horizon") is None
    tops = int(not climb or np.count_nonzero(np.diff(h.parent_ptr) == 0) > 1)
    missing = _forced(h, one.sets, climb)

    def bound(answers: Side) -> FloatArray:
        closed, extra = closures_of(h, answers), _forced(h, answers, climb)
        both = (answers.sizes > 0)[:, None] & (one.sets.sizes > 0)
        common = _shared(h, closed, one.closures) + tops * both
        alone = extra.sizes[:, None] - _shared(h, extra, one.closures)
        missed = missing.sizes - _shared(h, closed, missing)
        return _of_sizes(own, h, common + alone, common + missed, common)

    return bound


def _of_sizes(own: SetMeasure, h: Hierarchy, pred: FloatArray, true: FloatArray, common: FloatArray) -> FloatArray:
    return own._scorer.function(SetFacts(pred, true, common, (pred == common) & (true == common), len(h)))


def _closer_bounds(own: Measure, batch: Batch) -> FloatArray | None:
    """Of LCA graphs what bounds each pair by the heights of its LCAs, where that is known."""
    if not isinstance(own, SetMeasure):
        return None
    model, pred = own.model(batch), batch.pred
    assert isinstance(model, GraphModel)
    sizes = bound_prefixes(model, (pred.ptr, pred.classes), (np.arange(len(pred) + 1), pred.sizes))
    return None if sizes is None else _of_sizes(own, batch.hierarchy, *sizes.T)


def _forced(h: Hierarchy, side: Side, climb: bool) -> Side:
    """The most specific classes of each row, and what is above them as long as nodes have one parent."""
    side = most_specific_classes(h, side)
    rows, nodes = entry_rows(side.ptr), side.classes.astype(np.int64)
    keys = [rows * len(h) + nodes]
    while climb and nodes.size:
        one = h.parent_ptr[nodes + 1] - h.parent_ptr[nodes] == 1
        rows, nodes = rows[one], h.parent_idx[h.parent_ptr[nodes[one]]].astype(np.int64)
        keys.append(rows * len(h) + nodes)
    owners, classes = split(sorted_distinct(np.sort(np.concatenate(keys))), len(h))
    return Side(row_pointers(owners, len(side)), classes)


def _shared(h: Hierarchy, left: Side, right: Side) -> FloatArray:
    """How many classes each row of one side shares with each row of the other."""
    from scipy.sparse import csr_array

    table = np.zeros((len(h), len(left)), np.float32)  # counts are exact
    table[left.classes, entry_rows(left.ptr)] = 1
    sparse = csr_array((np.ones(right.classes.size, np.float32), right.classes, right.ptr), (len(right), len(h)))
    shared: FloatArray = (sparse @ table).T.astype(np.float64)
    return shared


# ---- pairs


MATCHES = ("BMA", "funSimAvg", "funSimMax")


def _bound_of_pairs(own: PairMeasure, one: Scenarios, answers: Side) -> Bound:
    """1 − error / (|P △ T| · D) of MGIA, or the score of best matches."""
    from scipy.sparse import csr_array

    h, matches = one.hierarchy, own.scoring in MATCHES
    most = 1.0 if matches else float(cast(float, own.default_cost))
    nodes, truths = (sorted_distinct(np.sort(side.classes)) for side in (answers, one.sets))
    batch = batch_of(h, side_of([truths]), side_of([nodes]))
    kappa = np.minimum(own._kappa(batch, Pairs.of(batch)).reshape(nodes.size, truths.size), most)
    meant = [np.searchsorted(truths, labels) for labels in map(one.sets.__getitem__, range(len(one.sets)))]
    near = np.stack([kappa[:, labels].min(axis=1, initial=most) for labels in meant], axis=1)

    def table(side: Side, names: IntArray) -> Any:
        at = np.searchsorted(names, side.classes)
        return csr_array((np.ones(at.size), at, side.ptr), (len(side), names.size))

    def bound(part: Side) -> FloatArray:
        inside, sizes = table(part, nodes), (part.sizes[:, None], one.sets.sizes)
        places = (np.searchsorted(nodes, labels) for labels in map(part.__getitem__, range(len(part))))
        far = np.stack([kappa[labels].min(axis=0, initial=most) for labels in places])
        errors = inside @ near, (table(one.sets, truths) @ far.T).T
        if matches:
            return own._scorer.values(MatchFacts(batch, np.add(*errors), *sizes, math.nan, *errors))
        apart = np.add(*sizes) - 2 * _shared(h, part, one.sets)
        values: FloatArray = 1 - np.maximum(*errors) / (np.maximum(apart, 1) * most)
        return values

    return bound
