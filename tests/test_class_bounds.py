"""Bounds by leaf, level and class: the model they make, their text, and the errors of rules that cannot hold."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from hemlp import ALL, Batch, Bounds, Hierarchy, PairMeasure, measure
from hemlp.bounds import by_class, by_leaf, by_level
from hemlp.errors import InfeasibleModel, InvalidBounds, NoTextForm
from hemlp.measures.factory import read_measures, write_measures
from hemlp.testing import check_measure, random_instances

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
LEAF = Bounds(predicted=(1, 2), true=by_leaf((1, 1), (1, ALL)))
LEVEL = Bounds(by_level((0, 1), (1, 1), (1, ALL)), (1, 1))


def test_bounds_of_each_class():
    model = PairMeasure("leafy", LEAF, default_cost=5).model(H, ["animal", "mammal", "cow"], ["sheep", "bird", "cow"])
    by_label = {model.label(1, k): (model.halves[1].lower[k], model.halves[1].upper[k]) for k in range(3)}
    assert by_label == {"animal": (1, 3), "mammal": (1, 3), "cow": (1, 1)}
    model = PairMeasure("levels_of", LEVEL, default_cost=5).model(H, ["cow"], ["animal", "mammal", "cow"])
    by_label = {model.label(0, k): (model.halves[0].lower[k], model.halves[0].upper[k]) for k in range(3)}
    assert by_label == {"animal": (0, 1), "mammal": (1, 1), "cow": (1, 1)}


def brute(h, true, pred, bounds_p, bounds_t, default):
    """The least cost over all pairings, with bounds (lower, upper) of each class."""
    kappa = {(p, t): h.distance(p, t) for p in pred for t in true}
    pairs = [pair for pair, cost in kappa.items() if math.isfinite(cost)]
    best = math.inf
    for chosen in itertools.product((0, 1), repeat=len(pairs)):
        taken = list(itertools.compress(pairs, chosen))
        cost = sum(kappa[pair] for pair in taken)
        for side, (labels, bounds) in enumerate(((pred, bounds_p), (true, bounds_t))):
            for c in labels:
                degree = sum(pair[side] == c for pair in taken)
                low, high = bounds(c)
                cost += math.inf if degree > high else max(0, low - degree) * default
        best = min(best, cost)
    return best


def test_least_costs_by_enumeration():
    rng = np.random.default_rng(4)
    pairs = [(0, 1), (1, 1), (1, 2), (0, 2), (2, 3)]
    for h, true, pred in random_instances(60, seed=6):
        one, two, three, four = (pairs[int(k)] for k in rng.integers(0, len(pairs), 4))
        depth = {c: h.depth(c) for c in h}

        def leafy(c, one=one, two=two, h=h):
            return one if c in h.leaves else two

        def level(c, three=three, four=four, depth=depth):
            return three if depth[c] == 0 else four

        expected = brute(h, true, pred, leafy, level, 3)
        for left in (by_leaf(one, two), by_class(leafy), by_class({c: leafy(c) for c in h})):
            each = PairMeasure("ruled", Bounds(left, by_level(three, four)), default_cost=3)
            assert each.score(h, true, pred, verify=True) == expected


def test_texts():
    for bounds in (LEAF, LEVEL):
        each = PairMeasure("ruled", bounds, default_cost=5)
        assert measure(str(each)) == each
        assert read_measures(write_measures([each])) == [each]
        assert hash(measure(str(each))) == hash(each)
        check_measure(each, count=6)
    assert str(LEAF) == "Bounds(predicted=(1, 2), true=by_leaf((1, 1), (1, ALL)))"
    own = PairMeasure("own", Bounds(by_class(lambda c: (1, len(c))), (1, 1)), default_cost=5)
    other = PairMeasure("own", Bounds(by_class(lambda c: (0, len(c))), (1, 1)), default_cost=5)
    assert own.signature != other.signature
    assert "custom" in str(own)
    with pytest.raises(NoTextForm):
        write_measures([own])
    check_measure(
        PairMeasure("own", Bounds(by_class(dict.fromkeys(range(11), (1, 1))), (1, 1)), default_cost=5), count=4
    )


def test_refusals():
    for make, reason in (
        (lambda: Bounds(by_leaf((2, 1), (1, 1)), (1, 1)), "at least 2 and at most 1"),
        (lambda: Bounds(by_level(), (1, 1)), "of no class at all"),
        (lambda: Bounds(by_level((1, "many")), (1, 1)), "'many' is not ALL or an integer"),
        (lambda: Bounds((1, "ALL"), (1, 1)), "'ALL' is not ALL .*; ALL is hemlp.ALL in Python"),
        (lambda: by_class(3), "a function or a mapping"),
        (lambda: Bounds(by_class({"cow": (1,)}), (1, 1)), "not a pair"),
    ):
        with pytest.raises(InvalidBounds, match=reason):
            make()
    with pytest.raises(InvalidBounds, match="the class 'sheep': at least 2 and at most 1 contradict"):
        PairMeasure("own", Bounds(by_class(lambda _: (2, 1)), (1, 1)), default_cost=5).score(H, ["cow"], ["sheep"])
    with pytest.raises(InvalidBounds, match="none for the class 'sheep'"):
        PairMeasure("own", Bounds(by_class({"cow": (1, 1)}), (1, 1)), default_cost=5).score(H, ["cow"], ["sheep"])
    with pytest.raises(InfeasibleModel, match="lower bound 2 and the upper bound 1"):
        PairMeasure("own", Bounds(by_leaf((ALL, 1), (0, 1)), (1, 1)), default_cost=5).score(
            H, ["cow", "bird"], ["sheep"]
        )


LIMITS = (0, 1, 2, ALL)
PAIRS = [(low, high) for low, high in itertools.product(LIMITS, LIMITS) if low is ALL or high is ALL or low <= high]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("other", [(1, 1), (ALL, 1)])
def test_bounds_that_are_consistent_never_contradict_themselves(pair, other):
    """Of all sizes of the other side; where they can, some size shows it."""
    h = Hierarchy.from_edges([("r", name) for name in "abc"])
    sides = [list("abc"[:size]) for size in range(4)]
    for predicted in (pair, by_leaf(pair, other), by_level(other, pair)):
        bounds = Bounds(predicted, (0, ALL))
        made = PairMeasure("tried", bounds, default_cost=5)
        batches = [Batch.of(h, [true], [pred]) for true, pred in itertools.product(sides, [["r"], ["a"]])]
        contradicted = any(made._bounds(batch)[1] is not None for batch in batches)
        assert bounds.consistent == (not contradicted)
    assert not Bounds(({"a": 1}, 1), (1, 1)).consistent
    assert not Bounds(by_class({"a": (1, 1)}), (1, 1)).consistent
