"""The compiled loops of Problem 1 by themselves, against plain words."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from hemlp import ALL, Batch, Bounds, Hierarchy, PairMeasure, Status
from hemlp.arrays import plain_sum
from hemlp.errors import InvalidSolution
from hemlp.kernels.flow.certificate import cheapest
from hemlp.kernels.flow.closed_forms import best_pairings
from hemlp.kernels.flow.negative_cycles import BROKEN, PROVED, WIDE
from hemlp.kernels.flow.pairing import Chosen
from hemlp.measures.pair_scores import count_common_classes
from hemlp.optimize.program import ProgramResult
from hemlp.optimize.solutions import Claim
from hemlp.problems.pairing.costs import ShortestPath
from hemlp.problems.pairing.pairs import Pairs, given_data
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.solvers.registry import named_solver

pytestmark = pytest.mark.uncompiled
ONE, COVER = Bounds((1, 1), (1, 1)), Bounds((1, ALL), (1, ALL))


def random_dag(rng: np.random.Generator, size: int, weighted: bool) -> Hierarchy:
    """Two roots at least, and up to three parents a class."""
    edges = {(int(rng.integers(max(0, c - 12), c)), c) for c in range(2, size) for _ in range(3)}
    h = Hierarchy.from_edges(sorted(edges), classes=range(size))
    return h.with_weights({edge: float(rng.integers(1, 9)) / 8 for edge in edges}) if weighted else h


def plain_distance(h: Hierarchy, u: int, v: int) -> float:
    """Least sum of two ways up, by the lists of both."""
    ups = [dict(zip(*h.up_distances([c])[0], strict=True)) for c in (u, v)]
    return min((ups[0][a] + ups[1][a] for a in ups[0].keys() & ups[1].keys()), default=math.inf)


@pytest.mark.parametrize("weighted", [False, True])
def test_distances_of_few_and_of_many_classes(weighted):
    """More than sixteen true classes are measured in several blocks."""
    rng = np.random.default_rng(5)
    h = random_dag(rng, 60, weighted)
    sizes = [(0, 3), (3, 0), (1, 1), (5, 16), (2, 17), (4, 40), (40, 33)]
    true, pred = (
        [sorted(rng.choice(60, size, replace=False).tolist()) for size in of] for of in zip(*sizes, strict=True)
    )
    batch = Batch.of(h, true, pred)
    kappa = ShortestPath().pair_costs(batch, Pairs.of(batch))
    ends = [pair for t, p in zip(true, pred, strict=True) for pair in product(p, t)]
    assert kappa.tolist() == [plain_distance(h, *pair) for pair in ends]
    assert np.isinf(kappa).any()


def random_model(rng: np.random.Generator, bounds: Bounds, height: int, width: int, kind: str):
    """One instance with costs that are whole, decimal, or few and partly missing."""
    h = Hierarchy.from_edges([], classes=range(height + width))
    values = {
        "whole": rng.integers(0, 30, (height, width)).astype(float),
        "decimal": rng.random((height, width)) * 3,
        "missing": rng.choice([0.0, 1.0, 2.0, math.inf], (height, width)),
    }[kind]
    m = PairMeasure("tried", bounds, cost=lambda p, t: values[p, t - height], default_cost=float(rng.integers(1, 12)))
    return m.model(h, range(height, height + width), range(height)), values


@pytest.mark.parametrize("kind", ["whole", "decimal", "missing"])
@pytest.mark.parametrize("cover", [False, True])
def test_closed_forms_save_most_and_their_prices_prove_it(cover, kind):
    rng = np.random.default_rng(11)
    for _ in range(60):
        height, width = (int(n) for n in rng.integers(0, 9, 2))
        model, values = random_model(rng, COVER if cover else ONE, height, width, kind)
        pairs, prices = np.zeros(height * width, np.bool_), (np.zeros(height), np.zeros(width))
        defaults = np.zeros(height, np.int64), np.zeros(width, np.int64)
        assert best_pairings(given_data(model), cover, Chosen(pairs, defaults, prices)).all()
        alone = [half.default.copy() for half in model.halves]
        if cover:
            alone = [np.minimum(of, values.min(1 - side, initial=math.inf)) for side, of in enumerate(alone)]
        saved = np.maximum(0.0, alone[0][:, None] + alone[1][None, :] - values)
        rows, columns = linear_sum_assignment(saved, maximize=True)
        least = alone[0].sum() + alone[1].sum() - saved[rows, columns].sum()
        cost = values.ravel()[pairs].sum() + sum(
            (d * h.default).sum() for d, h in zip(defaults, model.halves, strict=True)
        )
        assert cost == pytest.approx(least, rel=1e-12)
        assert sum(of.sum() for of in prices) == pytest.approx(least, rel=1e-12)
        assert (prices[0][:, None] + prices[1][None, :] <= values + 1e-12).all()
        assert all((of <= half.default + 1e-12).all() for of, half in zip(prices, model.halves, strict=True))


def test_large_assignments():
    rng = np.random.default_rng(2)
    for height, width in ((70, 70), (40, 90), (90, 40)):
        for kind in ("whole", "decimal"):
            model, values = random_model(rng, ONE, height, width, kind)
            saved = np.maximum(0.0, 2 * model.halves[0].default[0] - values)
            rows, columns = linear_sum_assignment(saved, maximize=True)
            least = model.halves[0].default[0] * (height + width) - saved[rows, columns].sum()
            assert model.solve("closed_forms").objective == pytest.approx(least, rel=1e-12)


# ---- certificates


DEFAULT = Claim(named_solver("augmenting"), asked=False)


def certified(model, pairs, defaults, prices):
    """What the certificate makes of a pairing, and its verdict."""
    chosen = Chosen(pairs, defaults, prices)
    verdict = int(cheapest(given_data(model), np.ones(1, np.bool_), chosen)[0])
    statuses = np.array([Status.OPTIMAL], np.int8)
    return verdict, PairingSolution(model, statuses, pairs, defaults)


@pytest.mark.parametrize("kind", ["whole", "decimal", "missing"])
def test_a_pairing_is_improved_to_the_least_cost_whatever_its_prices_are(kind):
    rng = np.random.default_rng(23)
    hints = (
        np.zeros,
        lambda n: rng.integers(-9, 9, n) / 4,
        lambda n: rng.normal(size=n) * 10.0 ** rng.integers(-9, 30),
        lambda n: np.full(n, math.nan),
        lambda n: np.full(n, math.inf),
    )
    for _ in range(40):
        height, width = (int(n) for n in rng.integers(1, 6, 2))
        model, _ = random_model(rng, Bounds((1, 2), (0, 3)), height, width, kind)
        for hint in hints:
            nobody = np.ones(height, np.int64), np.zeros(width, np.int64)
            verdict, solution = certified(
                model, np.zeros(height * width, np.bool_), nobody, (hint(height), hint(width))
            )
            assert verdict == PROVED
            assert model.verify(solution)


def test_prices_that_do_not_fit_prove_nothing():
    """The shortest way to say PROVED is not taken for a pairing that is not of least cost."""
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(200):
        model, _ = random_model(rng, ONE, 2, 2, "whole")
        first, second = (np.array(of, np.bool_) for of in ([1, 0, 0, 1], [0, 1, 1, 0]))
        nobody = np.zeros(2, np.int64), np.zeros(2, np.int64)
        prices = tuple(rng.integers(-3, 12, 2).astype(float) for _ in "pt")
        for pairs in (first, second):
            before = pairs.copy()
            verdict, solution = certified(model, pairs, tuple(d.copy() for d in nobody), prices)
            assert verdict == PROVED
            assert model.verify(solution)
            wrong += not (before == pairs).all()
    assert wrong > 100


def test_broken_bounds_are_seen():
    model, _ = random_model(np.random.default_rng(0), ONE, 2, 2, "whole")
    none, zero = np.zeros(2, np.int64), (np.zeros(2), np.zeros(2))
    one = np.ones(2, np.int64)
    for pairs, defaults in (
        ([1, 1, 0, 0], (none, none)), ([0, 0, 0, 0], (none, none)), ([1, 0, 0, 1], (one, one)),
        ([0, 0, 0, 0], (-one, one)), ([0, 0, 0, 0], (2 * one, one)),
    ):  # fmt: skip
        verdict, _ = certified(model, np.array(pairs, np.bool_), tuple(d.copy() for d in defaults), zero)
        assert verdict == BROKEN
    missing, _ = random_model(np.random.default_rng(0), ONE, 1, 1, "missing")
    gone = replace(missing, kappa=np.array([math.inf]))
    assert (
        certified(gone, np.array([True]), (none[:1].copy(), none[:1].copy()), (none[:1] * 1.0, none[:1] * 1.0))[0]
        == BROKEN
    )


@pytest.mark.parametrize(("apart", "verdict"), [(2.0**-30, PROVED), (2.0**-60, WIDE), (2.0**-400, WIDE)])
def test_costs_far_apart_are_left_to_slower_code(apart, verdict):
    """Floats of 53 digits each are added up without rounding as long as two floats can hold all digits."""
    one, third = 1 / 3, apart / 3
    h = Hierarchy.from_edges([], classes=range(4))
    table = {(0, 2): one, (0, 3): one + third, (1, 2): one, (1, 3): third}
    m = PairMeasure("tried", ONE, cost=lambda p, t: table[p, t], default_cost=9.0)
    model = m.model(h, [2, 3], [0, 1])
    nobody = np.zeros(2, np.int64), np.zeros(2, np.int64)
    found, solution = certified(model, np.array([0, 1, 1, 0], np.bool_), nobody, (np.zeros(2), np.zeros(2)))
    assert found == verdict
    if verdict == PROVED:
        assert solution.chosen.tolist() == [True, False, False, True]
    given = model.solution(ProgramResult(Status.FEASIBLE, np.array([0, 1, 1, 0, 0, 0, 0, 0.0])))
    improved = model.certify(given, DEFAULT)
    assert model.verify(improved)
    assert improved.chosen.tolist() == [True, False, False, True]


# ---- sums


def test_costs_are_added_up_without_loss():
    """Ten times 0.1 is 1, in any order, though floats added one by one say otherwise; and infinite costs stay so."""
    h = Hierarchy.from_edges([], classes=range(11))
    m = PairMeasure("tried", Bounds((0, ALL), (1, 1)), cost=lambda p, t: 0.1)
    model = m.model(h, range(1, 11), [0])
    assert model.solve().objective == 1.0 != plain_sum([0.1] * 10)
    assert replace(model, kappa=np.full(10, math.inf)).costs(model.solve()).tolist() == [math.inf]


def test_solutions_of_another_size_are_refused():
    """Compiled code would read beyond the end of arrays."""
    model, _ = random_model(np.random.default_rng(0), ONE, 2, 2, "whole")
    short = replace(model.solve(), chosen=np.zeros(3, np.bool_))
    for use in (model.costs, model.check, model.verify, lambda s: model.certify(s, DEFAULT)):
        with pytest.raises(InvalidSolution, match="3 values where 4 are needed"):
            use(short)


def test_common_classes():
    rng = np.random.default_rng(1)
    h = Hierarchy.from_edges([], classes=range(12))
    true, pred = ([sorted(rng.choice(12, n, replace=False).tolist()) for n in rng.integers(0, 9, 50)] for _ in "tp")
    expected = [len(set(t) & set(p)) for t, p in zip(true, pred, strict=True)]
    assert count_common_classes(Batch.of(h, true, pred)).tolist() == expected


PRICES = (-4.0, 0.0, 1.0, 3.0, 4.0, 5.0)


@pytest.mark.parametrize("bounds", [((0, 1), (1, 1)), ((1, 1), (1, 1)), ((0, 2), (1, 2)), ((1, 2), (0, 2))], ids=str)
@pytest.mark.parametrize("default", [None, 3.0])
def test_no_prices_whatever_prove_a_pairing_that_is_not_of_least_cost(bounds, default):
    """All prices of two predicted and a true class, beside every pairing that keeps the bounds."""
    m = PairMeasure("tried", Bounds(*bounds), cost=lambda p, t: [5.0, 1.0][p], default_cost=default)
    one = m.model(Hierarchy.from_edges([], classes=range(3)), [2], [0, 1])
    prices = np.array(list(product(PRICES, repeat=3)))
    size = len(prices)
    model = m.model(Batch.of(one.batch.hierarchy, [[2]] * size, [[0, 1]] * size))
    for values in product((0, 1), (0, 1), *[(0, 1, 2)] * (3 if default else 0)):
        worse = one.solution(ProgramResult(Status.FEASIBLE, np.array(values, np.float64)))
        try:
            one.check(worse)
        except InvalidSolution:
            continue
        taken = np.tile(worse.to_default[0], size), np.tile(worse.to_default[1], size)
        chosen = np.tile(worse.chosen, size)
        hints = prices[:, :2].ravel().copy(), prices[:, 2].copy()
        verdicts = cheapest(given_data(model), np.ones(size, np.bool_), Chosen(chosen, taken, hints))
        assert (verdicts == PROVED).all()
        solution = PairingSolution(model, np.zeros(size, np.int8), chosen, taken)
        assert set(model.costs(solution)) == {one.solve().objective}


def test_the_last_digit_of_a_cost_counts():
    """Two pairings that differ by less than what sums of costs could hold in one float."""
    third = 1 / 3
    table = {(0, 2): third, (0, 3): np.nextafter(third, 1), (1, 2): third, (1, 3): third}
    m = PairMeasure("tried", ONE, cost=lambda p, t: table[p, t], default_cost=1e6)
    model = m.model(Hierarchy.from_edges([], classes=range(4)), [2, 3], [0, 1])
    nobody = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for price in (0.0, third / 2, third):
        prices = np.full(2, price), np.full(2, third - price)
        found, solution = certified(model, np.array([0, 1, 1, 0], np.bool_), nobody, prices)
        assert found == PROVED
        assert solution.chosen.tolist() == [True, False, False, True]


def test_a_pair_that_saves_a_little_is_seen():
    """Both classes are at their default, at prices that say so; a pair that costs less is taken at once."""
    for less in (1.0, 2.0**-20, 2.0**-40):
        m = PairMeasure("tried", ONE, cost=lambda p, t, cost=10.0 - less: cost, default_cost=5)
        model = m.model(Hierarchy.from_edges([], classes=range(2)), [1], [0])
        defaults, prices = (np.ones(1, np.int64), np.ones(1, np.int64)), (np.full(1, 5.0), np.full(1, 5.0))
        found, solution = certified(model, np.zeros(1, np.bool_), defaults, prices)
        assert found == PROVED
        assert solution.chosen.tolist() == [True]


def test_many_near_ties_are_settled():
    """On a tree with lengths, exchanging partners changes a cost by no more than rounding, in very many ways."""
    rng = np.random.default_rng(6)
    h = Hierarchy.from_edges([(int(rng.integers(max(0, c - 9), c)), c) for c in range(1, 81)])
    for bounds in (ONE, Bounds((1, 2), (1, 2))):
        m = PairMeasure("tried", bounds, cost="shortest_path(decay=0.99)", default_cost=40.5)
        model = m.model(h, range(1, 41), range(41, 81))
        pairs = np.eye(40, dtype=np.bool_).ravel()
        nobody = np.zeros(40, np.int64), np.zeros(40, np.int64)
        for prices in ((np.zeros(40), np.zeros(40)), model.solve().hints):
            found, solution = certified(model, pairs.copy(), tuple(of.copy() for of in nobody), prices)
            assert found == PROVED
            assert model.verify(solution)
            assert solution.objective == model.solve().objective
