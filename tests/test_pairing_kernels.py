"""The compiled loops of Problem 1 by themselves, against plain words."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, linprog

from hemlp import ALL, Batch, Bounds, Hierarchy, PairMeasure, Status
from hemlp.arrays import plain_sum
from hemlp.errors import InvalidSolution
from hemlp.kernels.flow.certificate import BROKEN, PROVED, WIDE, cheapest
from hemlp.kernels.flow.closed_forms import best_matches, best_pairings
from hemlp.kernels.flow.pairing import Chosen, Pairing
from hemlp.kernels.flow.transport import prove_transports, transport
from hemlp.measures.pair_scores import PairFacts
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
    batch = Batch.of(h, true, pred)
    facts = PairFacts(batch, np.zeros(len(batch)), batch.pred.sizes, batch.true.sizes, 1.0)
    assert facts.common.tolist() == expected


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


# ---- transports and best matches


def dense(kappa: np.ndarray, masses: tuple[np.ndarray, np.ndarray]) -> Pairing:
    """One instance with these costs and masses."""
    height, width = kappa.shape
    ptr = np.array([0, height]), np.array([0, width]), np.array([0, kappa.size])
    none = np.full(height, math.inf), np.full(width, math.inf)
    serves = np.full(kappa.size, 3, np.uint8)
    return Pairing(ptr, kappa.ravel().copy(), serves, none, (masses[0], masses[0]), (masses[1], masses[1]))


def random_transport(rng: np.random.Generator) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Few or many ties, pairs that do not exist, equal and different masses, some of them 0."""
    height, width = rng.integers(1, 14, 2).tolist()
    kappa = rng.integers(0, rng.choice([3, 20]), (height, width)).astype(float)
    kappa[rng.random(kappa.shape) < rng.choice([0, 0, 0.3, 0.7])] = math.inf
    kappa *= rng.choice([1.0, 0.1])
    if rng.random() < 0.5:
        units = math.lcm(height, width)
        return kappa, (np.full(height, units // height), np.full(width, units // width))
    moved = rng.integers(0, 4, kappa.shape) * (rng.random(kappa.shape) < 0.4)
    return kappa, (moved.sum(axis=1), moved.sum(axis=0))


def test_transports_against_a_linear_program():
    rng = np.random.default_rng(8)
    met = set()
    for _ in range(120):
        kappa, masses = random_transport(rng)
        (height, width), given = kappa.shape, dense(kappa, masses)
        flow, prices = np.zeros(kappa.size, np.int64), (np.zeros(height), np.zeros(width))
        feasible = transport(given, flow, *prices)
        exists = np.isfinite(kappa)
        rows = np.kron(np.eye(height), np.ones(width)), np.kron(np.ones(height), np.eye(width))
        bounds = [(0, None if there else 0) for there in exists.ravel()]
        costs = np.where(exists, kappa, 0).ravel()
        best = linprog(costs, A_eq=np.vstack(rows), b_eq=np.concatenate(masses), bounds=bounds)
        assert feasible[0] == (best.status == 0)
        met.add((bool(feasible[0]), bool(exists.all())))
        if not feasible[0]:
            assert not flow.any()
            continue
        assert (flow >= 0).all()
        assert not flow[~exists.ravel()].any()
        assert (flow.reshape(kappa.shape).sum(axis=1) == masses[0]).all()
        assert (flow.reshape(kappa.shape).sum(axis=0) == masses[1]).all()
        assert flow @ costs == pytest.approx(best.fun, rel=1e-9, abs=1e-9)
        assert prices[0] @ masses[0] + prices[1] @ masses[1] == pytest.approx(best.fun, rel=1e-9, abs=1e-9)
        if (kappa == np.floor(kappa))[exists].all():
            assert prove_transports(given, feasible, flow, *prices)[0]
    assert met >= {(True, True), (True, False), (False, False)}


def test_what_does_not_prove_a_transport():
    kappa, masses = np.array([[1.0, 4.0], [2.0, 3.0]]), (np.array([2, 2]), np.array([2, 2]))
    given, asked = dense(kappa, masses), np.array([True])
    flow, prices = np.zeros(4, np.int64), (np.zeros(2), np.zeros(2))
    assert transport(given, flow, *prices)[0]
    assert flow.tolist() == [2, 0, 0, 2]
    assert prove_transports(given, asked, flow, *prices)[0]
    assert not prove_transports(given, ~asked, flow, *prices)[0]
    for wrong in ([0, 2, 2, 0], [1, 1, 1, 1], [2, 0, 0, 1], [3, -1, -1, 3], [1, 0, 0, 2], [2, 0, 0, 0]):
        assert not prove_transports(given, asked, np.array(wrong), *prices)[0], wrong
    for change in ([1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 0, 1], [0.1, 0, -0.1, 0]):
        moved = np.concatenate(prices) + change
        assert not prove_transports(given, asked, flow, moved[:2].copy(), moved[2:].copy())[0], change


def test_best_matches_are_minima_that_prove_themselves():
    """Costs of many digits, ties, pairs that do not exist, and default classes."""
    rng = np.random.default_rng(3)
    for number in range(60):
        height, width = rng.integers(0, 7, 2).tolist()
        kappa = rng.integers(0, 5, (height, width)) / 3
        kappa[rng.random(kappa.shape) < 0.2] = math.inf
        side = number % 2
        defaults = np.full(height, math.inf), np.full(width, math.inf)
        defaults[side][:] = math.inf if number % 3 else 0.5
        own = (height, width) if side == 0 else (width, height)
        needs = rng.integers(0, 2, own[0])
        free = np.zeros(own[1], np.int64), np.full(own[1], own[0])
        bounds = [(needs, np.ones(own[0], np.int64)), free]
        ptr = np.array([0, height]), np.array([0, width]), np.array([0, kappa.size])
        serves = np.full(kappa.size, 3, np.uint8)
        given = Pairing(ptr, kappa.ravel().copy(), serves, defaults, *(bounds if side == 0 else bounds[::-1]))
        taken = np.zeros(height, np.int64), np.zeros(width, np.int64)
        prices = np.zeros(height), np.zeros(width)
        chosen = Chosen(np.zeros(kappa.size, np.bool_), taken, prices)
        feasible = best_matches(given, side, chosen)
        least = np.minimum(kappa.min(axis=1 - side, initial=math.inf), defaults[side])
        assert feasible[0] == np.isfinite(least[needs > 0]).all()
        if feasible[0]:
            pairs = np.asarray(chosen.pairs).reshape(kappa.shape)
            assert (pairs.sum(axis=1 - side) + taken[side] == needs).all()
            best = np.where(pairs, kappa, 0).sum(axis=1 - side) + np.where(taken[side], defaults[side], 0)
            assert best.tolist() == np.where(needs > 0, least, 0).tolist()
            assert prices[side].tolist() == np.where(needs > 0, least, 0).tolist()
            assert cheapest(given, feasible, chosen)[0] == PROVED
