"""Capacities of pairs, default classes and totals, prices of units, weights of classes: against their definitions."""

from __future__ import annotations

import itertools
import math
import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hemlp import (
    ALL,
    Batch,
    Bounds,
    Hierarchy,
    PairMeasure,
    PairScore,
    Status,
    measure,
    priced,
    read_measures,
    write_measures,
)
from hemlp.bounds import by_class, by_leaf, by_level, by_pair, forbid, force
from hemlp.errors import InfeasibleModel, InvalidBounds, InvalidCost, InvalidOption, InvalidSolution, UnknownLabel
from hemlp.optimize.expressions import Expression
from hemlp.optimize.solutions import Claim
from hemlp.solvers.registry import accepting_solvers, named_solver
from hemlp.testing import check_measure, check_solver, random_instances

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
ONE = Bounds((1, 1), (1, 1))


# ---- the definitions, enumerated


def parts(capacity):
    """(lower, upper), each, below, above."""
    if isinstance(capacity, tuple):
        return capacity, (), None, None
    return capacity.bounds, capacity.each, capacity.below, capacity.above


def cost_of(capacity, count, size):
    """What ``count`` units cost in a place; infinite where a hard bound is broken."""
    (lower, upper), each, below, above = parts(capacity)
    lower = size if lower is ALL else lower
    upper = max(lower, size) if upper is ALL else upper
    cost = sum(each[min(k, len(each) - 1)] for k in range(count)) if each else 0
    if count < lower:
        cost += math.inf if below is None else below * (lower - count)
    if count > upper:
        cost += math.inf if above is None else above * (count - upper)
    return cost


def upper_of(capacity, size):
    (lower, upper), *_ = parts(capacity)
    return max(size if lower is ALL else lower, size) if upper is ALL else upper


UNLIMITED = 3
"""More often no pair of two classes a side is of any use, with bounds up to 2."""


def enumerated(h, true, pred, bounds, default, pair_of=None, kappa=None):
    """The least cost over all x, u and v; infinite if there is none. ``default``: of predicted and of true classes."""
    true, pred = sorted(set(true)), sorted(set(pred))
    kappa = {(p, t): h.distance(p, t) if kappa is None else kappa(p, t) for p in pred for t in true}
    sides = [(pred, bounds.predicted, len(true)), (true, bounds.true, len(pred))]
    most = [upper_of(capacity, size) for _, capacity, size in sides]
    pair_of = pair_of or (lambda p, t: bounds.pair)
    limits = {}
    for pair in kappa:
        (lower, upper), *_ = parts(pair_of(*pair))
        upper = max(lower, UNLIMITED) if upper is ALL else upper
        limits[pair] = range(lower, upper + 1)
        if math.isinf(kappa[pair]):
            if lower > 0:
                return math.inf
            limits[pair] = range(1)
    to_default = [[range(most[side] + 1 if default[side] is not None else 1)] * len(sides[side][0]) for side in (0, 1)]
    best = math.inf
    for counts in itertools.product(*limits.values()):
        x = dict(zip(limits, counts, strict=True))
        cost = cost_of(bounds.total, sum(counts), sum(max(of, default=0) for of in limits.values()))
        for pair, count in x.items():
            each = parts(pair_of(*pair))[1]
            cost += count * kappa[pair] if count else 0
            cost += sum(each[min(k, len(each) - 1)] for k in range(count)) if each else 0
        if cost >= best:
            continue
        for side, (labels, capacity, size) in enumerate(sides):
            degree = [sum(count for pair, count in x.items() if pair[side] == c) for c in labels]
            room = sum(most[side] for _ in labels) if default[side] is not None else 0
            cost += min(
                sum(cost_of(capacity, d + u, size) for d, u in zip(degree, taken, strict=True))
                + cost_of(bounds.defaults[side], sum(taken), room)
                + (sum(taken) * default[side] if sum(taken) else 0)
                for taken in itertools.product(*to_default[side])
            )
        best = min(best, cost)
    return best


CLASSES = [
    (1, 1), (0, 1), (1, 2), (1, ALL), (0, ALL), priced((1, 1), above=1), priced((1, 2), below=2),
    priced((2, 2), below=3), priced((1, 1), below=1.5, above=0.5), priced((0, ALL), each=(0, 1)),
    priced((1, ALL), each=(0.5, 1, 3)), priced((1, 1), each=(0, 2), above=1), priced((2, 2), each=(0, 1), below=0.5),
    priced((1, 2), each=4, below=1, above=2),
]  # fmt: skip
PAIRS = [(0, 1), (0, 1), (0, 2), (0, ALL), priced((0, 2), each=(0, 1.5)), (1, 1), (0, 0)]
LIMITS = [
    (0, ALL), (0, ALL), (0, ALL), (0, 0), (0, 1), (1, ALL), (1, 2), priced((0, 1), above=1),
    priced((0, ALL), each=(0, 2)), priced((2, 2), below=1, above=1),
]  # fmt: skip
COSTS = [None, 3, 0.5, (None, 2), (1, None)]


def draw(rng, options):
    return options[int(rng.integers(len(options)))]


def random_measure(rng):
    """Rules of all kinds, two or three at a time."""
    bounds = Bounds(
        draw(rng, CLASSES), draw(rng, CLASSES), pair=draw(rng, PAIRS) if rng.random() < 0.5 else (0, 1),
        defaults=(draw(rng, LIMITS), draw(rng, LIMITS)), total=draw(rng, LIMITS) if rng.random() < 0.5 else (0, ALL),
    )  # fmt: skip
    return PairMeasure("tried", bounds, default_cost=draw(rng, COSTS))


def small(instances):
    return [(h, true[:2], pred[:2]) for h, true, pred in instances]


def both(default):
    return default if isinstance(default, tuple) else (default, default)


@pytest.mark.uncompiled
def test_all_rules_by_enumeration():
    rng = np.random.default_rng(3)
    seen = {True: 0, False: 0}
    for number, (h, true, pred) in enumerate(small(random_instances(120, seed=5))):
        m = random_measure(rng)
        expected = enumerated(h, true, pred, m.bounds, both(m.default_cost))
        value = float(m.score(h, true, pred, undefined="nan", verify=True))
        assert (math.isnan(value) and math.isinf(expected)) or value == pytest.approx(expected, abs=1e-12), (number, m)
        seen[math.isinf(expected)] += 1
    assert min(seen.values()) > 20


SOFT_AND_HARD = [
    (0, 0), (1, 1), (2, 2), (0, ALL), priced((0, 0), above=1), priced((1, 1), above=0.5),
    priced((2, 2), below=4, above=1), priced((1, 1), each=(0, 1), above=2),
]  # fmt: skip


@pytest.mark.parametrize("total", [(0, ALL), priced((2, 3), below=7)])
@pytest.mark.parametrize("predicted", SOFT_AND_HARD)
def test_all_is_no_limit_of_a_pair(predicted, total):
    """By enumeration, whether bounds of classes are soft or hard; and a larger cap never costs more."""
    h = Hierarchy.from_edges([(0, 1), (0, 2)])
    for true in SOFT_AND_HARD:
        for labels, others in (([1], [1]), ([1], [2]), ([1], [1, 2])):
            values = []
            for cap in ((0, 1), (0, 2), (0, 3), (0, ALL)):
                m = PairMeasure("m", Bounds(predicted, true, pair=cap, total=total), default_cost=5)
                value = float(m.score(h, labels, others, undefined="nan", verify=True))
                assert (value if value == value else math.inf) == enumerated(h, labels, others, m.bounds, (5, 5)), m
                values.append(math.inf if math.isnan(value) else value)
            assert values == sorted(values, reverse=True)
            assert values[3] == values[2]


def test_what_all_of_a_pair_is_in_the_program():
    """The least of the hard bounds of its classes; a soft one is none."""
    h, soft = Hierarchy.from_edges([(0, 1), (0, 2)]), priced((1, 4), above=1)
    for first, second, most in (
        ((1, 2), (0, 3), 2), (soft, (0, 3), 3), ((1, 2), soft, 2), (soft, priced((0, 6), above=2), 6),
        (by_leaf(soft, (0, 1)), (0, 7), 7),
    ):  # fmt: skip
        bounds = Bounds(first, second, pair=(0, ALL))
        model = PairMeasure("m", bounds, default_cost=5).model(h, [1], [2])
        assert [v.upper for v in model.program().variables if v.name == "x_0_0"] == [most]
        assert f"0 <= x_0_0 <= {most}" in model.to_lp()


def test_every_solver_finds_the_same():
    rng = np.random.default_rng(8)
    solvers = set()
    for h, true, pred in random_instances(25, seed=9):
        m = random_measure(rng)
        try:
            model = m.model(h, true, pred)
        except InfeasibleModel:
            continue
        usual = model.solve(verify=True)
        for solver in accepting_solvers(model):
            found = model.solve(solver.name, verify=True)
            assert found.status is usual.status, (solver.name, m)
            assert found.objective == pytest.approx(usual.objective, nan_ok=True), (solver.name, m)
            solvers.add(solver.name)
    assert solvers >= {"augmenting", "flow", "networkx", "cpsat", "milp", "pulp"}


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 4))
def test_batches_score_like_single_instances(seed, height, width):
    rng = np.random.default_rng(seed)
    m = random_measure(rng)
    sizes = [rng.integers(0, most + 1, 4) for most in (height, width)]
    sides = [[rng.choice(5, size, replace=False).tolist() for size in of] for of in sizes]
    h = Hierarchy.from_edges([(0, 1), (1, 2), (1, 3), (0, 4)])
    batch = Batch.of(h, *[[set(s) for s in side] for side in sides])
    scores = m.score(batch, undefined="nan")
    for k in range(4):
        one = m.score(h, sides[0][k], sides[1][k], undefined="nan", solver="milp")
        assert scores.values[k] == pytest.approx(float(one), nan_ok=True)


def test_class_rules_can_have_prices():
    bounds = Bounds(by_leaf(priced((1, 1), above=1), (0, ALL)), by_level((0, ALL), priced((1, ALL), each=(0, 2))))
    m = PairMeasure("mixed", bounds, default_cost=4)
    check_measure(m, count=8)
    hard = PairMeasure("hard", Bounds(by_leaf((1, 1), (0, ALL)), (1, 1)), default_cost=4)
    soft = PairMeasure("soft", Bounds(by_leaf(priced((1, 1), above=1), (0, ALL)), (1, 1)), default_cost=4)
    assert hard.score(H, ["cow", "bird"], ["cow"]) == 4
    assert soft.score(H, ["cow", "sheep"], ["cow"]) == 3  # one pair too many, at 1, and the way of 2
    function = PairMeasure("asked", Bounds(by_class(lambda c: priced((1, 1), above=1)), (1, 1)), default_cost=4)
    assert function.score(H, ["cow", "sheep"], ["cow"]) == 3
    assert function.model(H, ["cow"], ["cow"]).arcs is not None
    plain = PairMeasure("asked", Bounds(by_class(lambda c: (1, 1)), (1, 1)), default_cost=4)
    assert plain.model(H, ["cow"], ["cow"]).arcs is None


# ---- one word at a time, by hand


def score(bounds, true, pred, default=5, **options):
    return float(PairMeasure("m", bounds, default_cost=default, **options).score(H, true, pred, verify=True))


def test_a_pair_can_be_chosen_more_than_once():
    two = (2, 2)
    assert score(Bounds(two, two), ["cow"], ["sheep"]) == 2 + 5 + 5
    assert score(Bounds(two, two, pair=(0, 2)), ["cow"], ["sheep"]) == 4
    assert score(Bounds(two, two, pair=(0, ALL)), ["cow"], ["sheep"]) == 4
    assert score(Bounds(two, two, pair=priced((0, 2), each=(0, 7))), ["cow"], ["sheep"]) == 2 + 2 + 7


def test_default_classes_take_so_many():
    assert score(ONE, ["cow"], ["bird", "mammal"]) == 1 + 5
    assert score(Bounds((1, ALL), (1, ALL), defaults=(0, 0)), ["cow"], ["bird"]) == score(
        Bounds((1, ALL), (1, ALL)), ["cow"], ["bird"], None
    )
    with pytest.raises(
        InfeasibleModel, match=r"at least 2 for true cow, true sheep, and at most 1 for default for true"
    ):
        score(Bounds((0, 1), (1, 1), defaults=(0, 1)), ["cow", "sheep"], [])
    assert score(Bounds((0, 1), (1, 1), defaults=((0, 0), (0, 2))), ["cow", "sheep"], []) == 10
    assert score(Bounds((0, 1), (1, 1), defaults=priced((0, 1), above=3)), ["cow", "sheep"], []) == 13


def test_the_number_of_pairs_is_limited():
    assert score(ONE, ["cow", "sheep"], ["cow", "sheep"]) == 0
    assert score(Bounds((1, 1), (1, 1), total=(0, 1)), ["cow", "sheep"], ["cow", "sheep"]) == 10
    assert score(Bounds((1, 1), (1, 1), total=(0, 0)), ["cow"], ["cow"]) == 10
    assert score(Bounds((1, 1), (1, 1), total=(1, ALL)), ["cow"], ["bird"], 1) == 3
    assert score(Bounds((1, 1), (1, 1), total=priced((0, 1), above=1)), ["cow", "sheep"], ["cow", "sheep"]) == 1
    with pytest.raises(InfeasibleModel, match="at least 2 for all pairs, and at most 1 for"):
        score(Bounds((1, 1), (1, 1), total=(2, ALL)), ["cow"], ["cow"])


def test_pairs_are_forbidden_or_forced():
    no = forbid(("cow", "cow"), ("cow", "sheep"))
    assert score(Bounds((1, 1), (1, 1), pair=no), ["cow"], ["cow"]) == 10
    assert PairMeasure("m", Bounds((1, 1), (1, 1), pair=no)).model(H, ["bird"], ["cow"]).arcs is None
    assert score(Bounds((1, 1), (1, 1), pair=force(("cow", "bird"))), ["cow", "bird"], ["cow"]) == 3 + 5
    assert score(Bounds((1, 1), (1, 1), pair=force(("cow", "bird"))), ["cow"], ["cow"]) == 0  # bird is not there
    by = by_pair({("cow", "cow"): (0, 0)}, others=(0, 1))
    assert score(Bounds((1, 1), (1, 1), pair=by), ["cow"], ["cow"]) == 10
    far = by_pair(lambda p, t: (0, int(H.distance(p, t) < 3)))
    assert score(Bounds((1, 1), (1, 1), pair=far), ["cow"], ["bird"]) == 10
    assert score(ONE, ["cow"], ["bird"], max_distance=2) == 10


def test_forced_pairs_that_cannot_be():
    two = force(("cow", "bird"), ("cow", "sheep"))
    m = PairMeasure("m", Bounds((1, 1), (1, 1), pair=two), default_cost=5)
    with pytest.raises(InfeasibleModel) as error:
        m.score(H, ["bird", "sheep"], ["cow"])
    assert "at least 2 for cow ~ bird, cow ~ sheep, and at most 1 for predicted cow" in str(error.value)
    assert set(error.value.labels) == {"cow", "bird", "sheep"}
    apart = Hierarchy.from_edges([("a", "b"), ("c", "d")])
    m = PairMeasure("m", Bounds((1, 1), (1, 1), pair=force(("b", "d"))), default_cost=5)
    with pytest.raises(InfeasibleModel, match=r"instance 2: the pair 'b' ~ 'd' is forced, but does not exist"):
        m.score(Batch.of(apart, ["b", "d"], ["b", "b"]))
    scores = m.score(Batch.of(apart, ["b", "d"], ["b", "b"]), undefined="nan")
    assert scores.values[0] == 0
    assert math.isnan(scores.values[1])
    with pytest.raises(UnknownLabel):
        PairMeasure("m", Bounds((1, 1), (1, 1), pair=forbid(("cow", "cwo"))), default_cost=5).score(H, ["cow"], ["cow"])


def test_weights_of_classes():
    weights = {"animal": 1, "mammal": 1, "sheep": 3, "cow": 1, "bird": 0}
    assert score(ONE, ["sheep"], ["cow"], weights=weights) == 2 * (3 + 1) / 2
    assert score(ONE, ["sheep"], [], weights=weights) == 15
    assert score(ONE, ["bird"], [], weights=weights) == 0
    assert PairMeasure("m", ONE, weights=weights).model(H, ["bird"], ["cow"]).arcs is None
    rng = np.random.default_rng(2)
    for h, true, pred in small(random_instances(30, seed=3)):
        own = {c: float(rng.integers(0, 4)) for c in h}
        got = PairMeasure("m", ONE, default_cost=2, weights=own).score(h, true, pred, verify=True)
        best = math.inf
        for size in range(min(len(true), len(pred)) + 1):
            for left in itertools.permutations(pred, size):
                for right in itertools.combinations(true, size):
                    paired = sum(h.distance(p, t) * (own[p] + own[t]) / 2 for p, t in zip(left, right, strict=True))
                    rest = sum(own[c] * 2 for c in [*(set(pred) - set(left)), *(set(true) - set(right))])
                    best = min(best, paired + rest if not math.isnan(paired) else math.inf)
        assert got == pytest.approx(best)
    with pytest.raises(InvalidOption, match="weights has no value"):
        score(ONE, ["sheep"], ["cow"], weights={"cow": 1})
    with pytest.raises(InvalidOption, match="weights map classes"):
        score(ONE, ["sheep"], ["cow"], weights=3)


# ---- errors, texts, promises


def test_what_is_refused():
    with pytest.raises(InvalidCost, match=r"falls from 3 to 1: .* costs that do not fall; .*with_constraints"):
        priced((1, ALL), each=(0, 3, 1))
    for bad in ({"each": -1}, {"below": -1}, {"above": math.inf}, {"each": (0, math.nan)}):
        with pytest.raises((InvalidCost, InvalidOption)):
            priced((1, 1), **bad)
    with pytest.raises(InvalidBounds, match="bounds of a pair are hard"):
        Bounds((1, 1), (1, 1), pair=priced((0, 1), above=1))
    wrong = ("total", (ALL, ALL)), ("defaults", (ALL, ALL)), ("pair", (ALL, ALL)), ("total", (3, 1)), ("total", 3)
    for place, bad in (*wrong, ("total", {"cow": 1}), ("pair", ({"cow": 1}, 2)), ("defaults", 1)):
        with pytest.raises(InvalidBounds):
            Bounds((1, 1), (1, 1), **{place: bad})
    with pytest.raises(InvalidBounds, match="names no pair"):
        forbid()
    with pytest.raises(InvalidBounds, match=r"pairs are \(predicted, true\)"):
        force("cow")
    with pytest.raises(InvalidBounds, match="function or a mapping"):
        by_pair(3)
    with pytest.raises(InvalidOption, match="needs bounds of classes alone"):
        PairMeasure("m", Bounds((1, ALL), (1, ALL), total=(0, 1)), default_cost=5, score="accuracy")
    with pytest.raises(InvalidOption, match="default costs of their own"):
        PairMeasure("m", ONE, default_cost=5, weights=dict.fromkeys(H, 1.0)).sensitivity(H, ["cow"], ["cow"])


TEXTS = [
    Bounds(priced((1, 1), below=2, above=0.5), (1, ALL), total=(0, 3)),
    Bounds(by_leaf(priced((1, 1), each=(0, 1)), (0, ALL)), (1, 1), pair=(0, ALL)),
    Bounds((1, 1), (1, 1), pair=force((1, "x y, 'z'"), ("a", 2)), defaults=((0, 1), priced((0, ALL), each=2))),
    Bounds((1, 1), (1, 1), pair=forbid((2, 3)), defaults=(0, 2)),
]


@pytest.mark.parametrize("bounds", TEXTS, ids=str)
def test_texts_read_back(bounds):
    m = PairMeasure("m", bounds, default_cost=5)
    assert measure(str(m)) == m
    assert read_measures(write_measures([m])) == [m]
    assert pickle.loads(pickle.dumps(m)) == m
    assert repr(bounds) in m.signature
    assert m.signature != PairMeasure("m", ONE, default_cost=5).signature


def test_what_is_usual_is_not_said():
    assert repr(Bounds((1, 1), (1, 1), pair=(0, 1), defaults=(0, ALL), total=(0, ALL))) == repr(ONE)
    assert "weights" not in PairMeasure("m", ONE).signature
    assert "weights:custom" in PairMeasure("m", ONE, weights=dict.fromkeys(H, 1.0)).signature


@pytest.mark.parametrize(
    "bounds",
    [
        Bounds((1, 1), (1, 1), total=(0, 2)),
        Bounds((1, 1), (1, 1), total=priced((1, 2), below=1, above=1)),
        Bounds(priced((1, 1), below=2, above=1), priced((1, 1), below=2, above=1)),
        Bounds(priced((1, ALL), each=(0, 1)), (1, ALL), pair=(0, 2)),
        Bounds((1, 1), (1, 2), pair=by_pair(lambda p, t: (0, int(p != 1)))),
        Bounds((1, 1), (1, 2), defaults=((0, 1), priced((0, 1), above=2))),
    ],
    ids=["budget", "soft budget", "soft", "rising", "by function", "defaults"],
)
def test_measures_keep_their_promises(bounds):
    check_measure(PairMeasure("ruled", bounds, default_cost=3), count=8)


def test_promises():
    def promises(bounds, **options):
        return PairMeasure("m", bounds, default_cost=5, **options).invariants

    assert promises(ONE) >= {"names", "monotone", "symmetric", "best_if_equal", "best_only_if_equal"}
    assert promises(Bounds((1, 1), (1, 1), total=(0, 2))) == {"range", "names", "monotone", "symmetric"}
    assert "symmetric" not in promises(Bounds((1, 1), (1, 1), defaults=((0, 1), (0, 2))))
    assert promises(Bounds((1, 1), (1, 1), pair=forbid(("a", "b")))) == {"range"}
    assert promises(ONE, weights={}) == {"range", "symmetric", "best_if_equal"}
    lenient = PairMeasure("m", Bounds(by_level((0, 1), (1, 1)), (1, 1)), default_cost=1)
    assert "monotone" not in lenient.invariants  # a root that needs nobody costs less than its child
    check_measure(lenient, count=3)


def test_scores_of_ones_own():
    per = PairScore(lambda f: f.error / np.maximum(f.true, 1))
    assert score(Bounds((1, 1), (1, 1), total=(0, 1)), ["cow", "sheep"], ["cow", "sheep"], score=per) == 5


# ---- what is written down, proofs, changed models


def ruled_model():
    bounds = Bounds(priced((1, 1), below=2, above=1), priced((1, ALL), each=(0, 1)), pair=(0, 2), total=(1, 2))
    return PairMeasure("m", bounds, default_cost=5).model(H, ["cow", "sheep"], ["cow", "bird"])


def test_files_say_all_rules():
    model = ruled_model()
    lp = model.to_lp()
    for text in ("p_0_missing", "p_0_beyond", "t_1_unit2", "total_low", "total_high", "0 <= x_0_0 <= 2", "t_0_each"):
        assert text in lp, text
    assert "true cow: its units" in lp
    names = [v.name for v in model.program().variables]
    assert len(set(names)) == len(names)
    assert "total_high" in model.to_mps()
    assert r"\text" in model.to_latex()
    assert "x1" in model.to_opb()
    graph = model.to_networkx()
    assert graph.is_multigraph()
    assert graph.has_edge("sink", "source")
    assert graph.edges["sink", "source", max(graph["sink"]["source"])]["upper"] == 2


def test_files_are_solved_by_others(tmp_path):
    import pulp

    model = ruled_model()
    problem = model.to_pulp()
    problem.solve(pulp.COIN_CMD(path=pulp.apis.PULP_CBC_CMD.pulp_cbc_path, msg=False))
    assert pulp.value(problem.objective) == pytest.approx(model.solve().objective)


def test_programs_have_the_optimum_of_the_flow():
    rng = np.random.default_rng(12)
    for h, true, pred in random_instances(30, seed=2):
        try:
            model = random_measure(rng).model(h, true, pred)
        except InfeasibleModel:
            continue
        if model.arcs is None:
            continue
        solution = model.solve()
        if solution.status is not Status.OPTIMAL:
            continue
        program, values = model.program(), model.values(solution)
        assert program.objective(values) == pytest.approx(solution.objective)
        for row in program.rows:
            assert row.lower <= sum(c * values[i] for i, c in row.terms) <= row.upper, row
        for variable, value in zip(program.variables, values, strict=True):
            assert variable.lower <= value <= variable.upper


def test_wrong_flows_are_noticed():
    model = ruled_model()
    best = model.solve()
    assert model.check(best)
    assert model.verify(best)
    worse = best.flow.copy()
    worse[:] = model.with_cost_values(model.cost_values.max() - model.cost_values).solve().flow
    claimed = model.solution_of(best.statuses, worse)
    assert model.check(claimed)
    with pytest.raises(InvalidSolution, match="not optimal"):
        model.verify(claimed)
    lowered = model.certify(claimed, Claim(named_solver("flow")))
    assert (lowered.status, lowered.objective) == (Status.FEASIBLE, claimed.objective)
    assert lowered.bounds.tolist() == [best.objective]
    assert model.certify(claimed, Claim(named_solver("flow"), asked=False)).objective == best.objective
    for change in (1, 10):
        broken = best.flow.copy()
        broken[0] += change
        with pytest.raises(InvalidSolution):
            model.check(model.solution_of(best.statuses, broken))
    with pytest.raises(InvalidSolution, match="its bounds are"):
        model.check(model.solution_of(best.statuses, 3 * best.flow))
    with pytest.raises(InvalidSolution, match="has one"):
        model.verify(model.solution_of(np.array([2], np.int8), best.flow))
    with pytest.raises(InvalidSolution, match="without a reason"):
        model.check(model.solution_of(np.array([2], np.int8), best.flow))
    with pytest.raises(InvalidSolution, match="values where"):
        model.check(replace(best, flow=best.flow[1:]))


def test_rows_and_costs_can_be_added():
    m = PairMeasure("m", Bounds((1, 1), (1, 1), total=(0, 1)), default_cost=5)
    model = m.model(H, ["cow", "sheep"], ["cow", "sheep"])
    changed = model.with_rows(*(Expression({name: 1.0}) <= 0 for name in ("x_0_0", "x_1_1")))
    assert changed.solve().objective == 12
    assert m.evaluate(changed, changed.solve(verify=True)) == 12
    assert model.with_costs({"x_0_0": 1}).solve().objective == 10


def test_solvers_conform():
    rng = np.random.default_rng(1)
    models = []
    for h, true, pred in random_instances(12, seed=4):
        try:
            models.append(random_measure(rng).model(h, true, pred))
        except InfeasibleModel:
            continue
    for solver in ("augmenting", "flow", "networkx", "milp"):
        check_solver(solver, [model for model in models if model.arcs is not None])


def test_explanations_show_what_is_paid():
    from hemlp.analysis.explain.explain import explain

    m = PairMeasure("m", Bounds(priced((1, 1), below=2), (1, 1)), default_cost=5)
    found = explain(Batch.of(H, [{"cow"}], [{"cow", "bird"}]), {"m": m})
    assert "predicted bird: missing" in str(found)
    assert "total cost 2" in str(found)
    assert found.to_dict()["parts"][0]["prices_of_rules"] == [["predicted bird: missing", 2.0]]


def test_explanations_show_the_dual_values_of_groups():
    from hemlp.analysis.explain.explain import explain

    m = PairMeasure("m", Bounds((1, 1), (1, 1), total=(0, 1)), default_cost=5)
    found = explain(Batch.of(H, [{"cow", "bird"}], [{"cow", "bird"}]), {"m": m})
    assert found.to_dict()["parts"][0]["prices_of_groups"] == [["all pairs", -10.0]]
    assert "all pairs" in str(found)


# ---- as a function of the default cost, and prices


def test_sensitivity_of_rules():
    rng = np.random.default_rng(21)
    bends = 0
    for h, true, pred in small(random_instances(40, seed=13)):
        m = random_measure(rng).changed(default_cost=1)
        if m.bounds.defaults != ((0, ALL), (0, ALL)) and rng.random() < 0.5:
            m = m.changed(bounds=replace(m.bounds, defaults=(0, ALL)))
        if math.isnan(float(m.score(h, true, pred, undefined="nan"))):
            with pytest.raises(InfeasibleModel):
                m.sensitivity(h, true, pred)
            continue
        found = m.sensitivity(h, true, pred)
        bends += len(found.breakpoints)
        assert found.exact
        for d in sorted({Fraction(k, 4) for k in range(1, 45, 3)} | set(found.breakpoints)):
            expected = m.changed(default_cost=float(d)).score(h, true, pred)
            assert float(found(d)) == pytest.approx(float(expected), abs=1e-12), (m, d)
    assert bends > 10


def test_sensitivity_where_one_side_has_no_default_class():
    m = PairMeasure("m", Bounds((1, 1), (0, 1), defaults=((0, ALL), (0, 0))), default_cost=5)
    assert m.sensitivity(H, ["cow"], ["bird"]).pieces == ((0, 1), (3, 0))
    assert m.sensitivity(H, ["cow", "bird"], []).pieces == ((0, 0),)
    with pytest.raises(InfeasibleModel):
        m.changed(bounds=Bounds((1, 1), (1, 1), defaults=((0, ALL), (0, 0)))).sensitivity(H, ["cow"], [])


def changed_bound(model, a, step):
    """The least cost if the place of arc a had to hold one unit more, or less."""
    arcs = model.arcs
    lower, upper = arcs.lower.copy(), arcs.upper.copy()
    lower[a] += step
    upper[a] += step
    solution = replace(model, arcs=replace(arcs, lower=lower, upper=upper)).solve()
    return solution.objective if solution.status is Status.OPTIMAL else math.inf


def test_prices_of_classes():
    rng = np.random.default_rng(17)
    seen = 0
    for h, true, pred in random_instances(30, seed=19):
        m = random_measure(rng)
        try:
            model = m.model(h, true, pred)
        except InfeasibleModel:
            continue
        solution = model.solve()
        if model.arcs is None or solution.status is not Status.OPTIMAL:
            continue
        found = {(row.side, row.label): row for row in m.prices(h, true, pred).rows}
        duals = solution.duals()
        arcs = model.arcs
        for side, (name, place, of) in enumerate((("predicted", 3, duals.predicted), ("true", 4, duals.true))):
            assert of.size == len(model.batch.sides[side].classes)
            for a in np.flatnonzero((arcs.group == place) & (arcs.role == 0)):
                k = int(max(arcs.first[a], arcs.second[a]))
                row = found[name, model.label(side, k)]
                assert row.least - 1e-12 <= of[k] <= row.greatest + 1e-12
                if arcs.lower[a] == arcs.upper[a]:  # then prices are what one unit more costs, or one less saves
                    rise = changed_bound(model, a, 1) - solution.objective
                    fall = solution.objective - changed_bound(model, a, -1) if arcs.lower[a] else -math.inf
                    assert row.greatest == pytest.approx(rise), (m, true, pred)
                    assert row.least == pytest.approx(fall)
                    seen += 1
    assert seen > 10


def test_what_has_no_room_at_all_is_told_by_name():
    h = Hierarchy.from_edges([("animal", "cow"), ("animal", "sheep")])
    closed = Bounds((0, ALL), priced((0, 0), above=2), defaults=((0, ALL), (1, ALL)))
    with pytest.raises(InfeasibleModel, match="at least 1 for default for true, and at most 0 for default ~ cow"):
        PairMeasure("closed", closed, default_cost=4).score(h, true=["cow"], pred=[])
    with pytest.raises(InfeasibleModel, match="at least 1 for all pairs, and there is nothing that could take it"):
        PairMeasure("some", Bounds((1, 1), (1, 1), total=(1, ALL)), default_cost=4).score(h, true=["cow"], pred=[])


# ---- dual values prove optima


def test_dual_values_prove_optima_by_enumeration():
    """Of rules of all kinds: they prove the least cost of all pairings, no others prove more, and nothing worse."""
    rng = np.random.default_rng(31)
    named, worse, refused = set(), 0, 0
    for h, true, pred in small(random_instances(120, seed=33)):
        m = random_measure(rng)
        if m.bounds.pair == (1, 1) and math.isinf(max((h.distance(p, t) for p in pred for t in true), default=0)):
            continue  # a forced pair that does not exist is refused before
        model = m.model(h, true, pred)
        solution = model.solve()
        if solution.status is Status.INFEASIBLE:
            with pytest.raises(InvalidSolution, match="instance 1 is infeasible: there are no dual values"):
                solution.duals()
            continue
        least, duals = enumerated(h, true, pred, m.bounds, both(m.default_cost)), solution.duals()
        assert model.check(solution, duals), m
        assert model.dual_bound(duals) == pytest.approx(least, abs=1e-12)
        named |= duals.groups.keys()
        shift = float(rng.integers(1, 4))
        others = [replace(duals, predicted=duals.predicted + shift), replace(duals, true=duals.true - shift)]
        others += [replace(duals, groups=duals.groups | {name: of + shift}) for name, of in duals.groups.items()]
        for other in others:
            bound = model.dual_bound(other)
            assert bound <= least + 1e-12
            if bound < least - 1e-9:
                refused += 1
                with pytest.raises(InvalidSolution, match="the prices prove"):
                    model.check(solution, other)
        costs = model.cost_values
        changed = replace(model.with_cost_values(rng.permutation(costs)).solve(), model=model)
        if model.costs(changed)[0] > least + 1e-9:
            worse += 1
            with pytest.raises(InvalidSolution, match="the prices prove"):
                model.check(changed, duals)
    assert {"total", "DT", "DP", "total_each", "p_0_each", "t_0_each"} <= named
    assert min(worse, refused) > 10


def test_dual_values_of_several_instances_and_of_transports():
    limited = PairMeasure("m", Bounds((1, 1), (1, 1), total=(0, 1)), default_cost=5)
    batch = Batch.of(H, [["cow", "bird"], ["sheep"], ["cow", "sheep"]], [["sheep", "mammal"], ["cow"], ["bird", "cow"]])
    for m in (limited, measure("transport"), measure("MGIA(pairing='nearest')")):
        model = m.model(batch)
        solution = model.solve()
        assert model.check(solution, solution.duals())
        assert model.dual_bound(solution.duals()) == pytest.approx(solution.objectives.sum(), abs=1e-12)
    assert limited.model(batch).solve().duals().groups.keys() == {"total_0", "total_2"}


def test_prices_that_do_not_fit_are_refused():
    model = PairMeasure("m", Bounds((1, 1), (1, 1), total=(0, 1)), default_cost=5).model(H, ["cow"], ["sheep", "bird"])
    solution = model.solve()
    duals = solution.duals()
    with pytest.raises(InvalidSolution, match="1 price for 2 predicted classes"):
        model.check(solution, replace(duals, predicted=duals.predicted[:1]))
    with pytest.raises(InvalidSolution, match="a group 'sum', which the model does not have"):
        model.check(solution, replace(duals, groups={"sum": 1.0}))
    strict = PairMeasure("strict", ONE).model(H, ["cow"], ["sheep", "bird"])
    with pytest.raises(InvalidSolution, match="instance 1 is infeasible: no prices prove a cost"):
        strict.check(strict.solve(), duals)


def test_rows_of_your_own_have_no_dual_values():
    model = measure("GIE").model(H, ["sheep"], ["cow"])
    solution = model.with_constraints(model.x["cow", "sheep"] == 0).solve()
    assert solution.status is Status.OPTIMAL
    with pytest.raises(InvalidSolution, match="rows of your own: this is an integer program, not a flow"):
        solution.duals()


def test_dual_values_prove_an_optimum_where_no_row_of_your_own_binds():
    model = measure("GIE").model(H, ["sheep"], ["cow"])
    changed = model.with_constraints(model.x["cow", "sheep"] <= 1)
    solution = changed.solve()
    duals = solution.duals()
    assert changed.check(solution, duals)
    with pytest.raises(InvalidSolution, match="the prices prove"):
        changed.check(solution, replace(duals, true=duals.true - 1))


def test_the_reason_of_a_shortage_is_the_one_that_binds():
    roots = Hierarchy.from_edges([], classes=["a", "b"])
    cases = [
        (PairMeasure("m", Bounds((3, 3), (0, ALL))), H, r"can have 1 \(a pair counts once\)"),
        (PairMeasure("m", ONE), H, r"can have 1 \(the bounds of true classes\)"),
        (
            PairMeasure("m", replace(ONE, defaults=(0, 0)), default_cost=5),
            H,
            "take what is left, as far as its bounds let",
        ),
    ]
    for m, h, message in cases:
        with pytest.raises(InfeasibleModel, match=message):
            m.score(h, ["sheep"], ["cow", "bird"])
    with pytest.raises(InfeasibleModel, match=r"can have 0 \(pairs without a finite cost\)"):
        PairMeasure("m", ONE).score(roots, ["a"], ["b"])
    with pytest.raises(InfeasibleModel, match=r"can have 0 \(there is no true class\)"):
        PairMeasure("m", ONE).score(roots, [], ["b"])
