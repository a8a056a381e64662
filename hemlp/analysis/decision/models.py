"""From a measure and a belief to the model of the decision: by a theorem where there is one, else by a pool."""

from __future__ import annotations

import math
from typing import Any, TypeGuard

import numpy as np

from hemlp.analysis.decision.pools import compares_sets, pool_model
from hemlp.arrays import FloatArray, IntArray, row_places, row_sums, sorted_distinct
from hemlp.hierarchy.dag import Hierarchy
from hemlp.measures.base import Measure
from hemlp.measures.factory import measure as as_measure
from hemlp.measures.pair_measure import PairMeasure, pairs_classes
from hemlp.measures.set_measure import SetMeasure
from hemlp.problems.decision.exact import LinearDecision, PairDecision, RatioDecision, candidates
from hemlp.problems.decision.model import DecisionModel
from hemlp.problems.decision.scenarios import Scenarios, Votes, batch_of, side_of
from hemlp.problems.pairing.bounds import Bounds
from hemlp.problems.pairing.costs import ShortestPath

SLOPES = {"difference": 2, "hamming": 2, "ICM": 3}
"""a of the scores that are linear in the answer."""
PAIRS = Bounds((1, 1), (1, 1))


def decision_model(own: Measure, scenarios: Scenarios, at_least: int) -> DecisionModel:
    """The model of a batch: exact where there is a theorem, else a pool."""
    if is_linear(own):
        return linear_model(own, scenarios.hierarchy, scenarios.votes(own.augment.name == "none"), at_least)
    if is_ratio(own):
        top, flat = bool(own.augment.options.get("top")), own.augment.name == "none"
        return RatioDecision(str(own), scenarios.hierarchy, at_least, True, scenarios, own.beta, top, flat)
    if _pairs_one_to_one(own):
        return pair_model(own, scenarios, at_least)
    others = () if compares_sets(own) and own.scoring == "exact" else map(as_measure, ("SDL", "ICM", "F_H", "F", "GIE"))
    best = [decision_model(other, scenarios, at_least).solve().answers for other in others]
    return pool_model(own, scenarios, best, at_least)


def is_linear(own: Measure) -> TypeGuard[SetMeasure]:
    """Whether it is a sum over the classes of the answer."""
    return compares_sets(own) and own.scoring in SLOPES


def is_ratio(own: Measure) -> TypeGuard[SetMeasure]:
    """Whether it is F_β with uniform weights."""
    return compares_sets(own) and own.scoring == "F" and own.weights is None


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
