"""Problem 1 with any bounds by successive shortest paths: against enumeration and the other solvers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hemlp import ALL, Batch, Bounds, Hierarchy, PairMeasure, Status, measure
from hemlp.problems.pairing.proof import is_short
from hemlp.solvers.registry import named_solver
from hemlp.testing import check_solver
from tests.test_pairing import enumerated
from tests.test_proofs import exact_cost, least_cost

BOUNDS = [(0, 1), (1, 1), (1, 2), (1, ALL), (0, ALL), (2, 3), (3, 3), (0, 0), (2, ALL), (ALL, ALL)]


def by_class(rng: np.random.Generator, classes: range) -> tuple[dict[int, object], dict[int, object]]:
    """Bounds of each class of its own."""
    lower = {c: int(rng.integers(0, 3)) for c in classes}
    return lower, {c: ALL if rng.random() < 0.2 else lower[c] + int(rng.integers(0, 3)) for c in classes}


def random_model(rng: np.random.Generator, height: int, width: int, *, few: bool = False):
    """Bounds of all kinds; default classes that some, all or none have; costs that are whole, decimal or infinite."""
    classes = range(height + width + 1)
    h = Hierarchy.from_edges([], classes=classes)
    values = [
        rng.integers(0, 9, (height, width)).astype(float),
        rng.random((height, width)),
        rng.integers(0, 9, (height, width)) / 8 * 10.0 ** rng.integers(-6, 6, (height, width)),
    ][int(rng.integers(3))]
    values[rng.random((height, width)) < rng.choice([0.0, 0.3])] = math.inf
    kinds = BOUNDS[:5] if few else BOUNDS
    predicted, true = (
        by_class(rng, classes) if rng.random() < 0.3 else kinds[int(rng.integers(len(kinds)))] for _ in range(2)
    )
    costs = [None, 2.0, 0.1, {c: None if rng.random() < 0.5 else float(rng.random()) for c in classes}]
    default = tuple(costs[int(rng.integers(len(costs)))] for _ in range(2))
    m = PairMeasure("tried", Bounds(predicted, true), cost=lambda p, t: values[p, t - height], default_cost=default)
    return m.model(h, range(height, height + width), range(height))


@pytest.mark.uncompiled
def test_any_bounds_by_enumeration():
    rng = np.random.default_rng(7)
    seen = {Status.OPTIMAL: 0, Status.INFEASIBLE: 0}
    for number in range(250):
        model = random_model(rng, *(int(n) for n in rng.integers(0, 4, 2)))
        solution = model.solve("augmenting")
        best = least_cost(model)
        assert (solution.status is Status.OPTIMAL) == (best is not None), number
        assert model.check(solution)
        if best is None:
            assert is_short(model.circulation, solution.cuts[0])
        else:
            assert exact_cost(model, solution) == best
            assert model.solve().objective == solution.objective == pytest.approx(enumerated(model), rel=1e-12)
        seen[solution.status] += 1
    assert min(seen.values()) > 50


@pytest.mark.uncompiled
def test_what_it_finds_is_of_least_cost_before_it_is_certified():
    """Costs that are whole are added up without rounding, so its own prices are the proof."""
    rng = np.random.default_rng(8)
    for _ in range(150):
        height, width = (int(n) for n in rng.integers(1, 5, 2))
        values = rng.integers(0, 9, (height, width)).astype(float)
        lower = [int(n) for n in rng.integers(0, 3, 2)]
        bounds = Bounds(*((low, low + int(rng.integers(0, 3))) for low in lower))
        m = PairMeasure("tried", bounds, cost=lambda p, t, of=values, h=height: of[p, t - h], default_cost=4)
        model = m.model(
            Hierarchy.from_edges([], classes=range(height + width)), range(height, height + width), range(height)
        )
        solution = named_solver("augmenting").solve(model, None)
        assert model.verify(solution)
        predicted, true = solution.hints
        paid = np.minimum(0.0, values - predicted[:, None] - true[None, :]).sum()
        for half, prices in zip(model.halves, solution.hints, strict=True):
            paid += (np.where(prices > 0, half.lower, half.upper) * prices).sum()
            paid += (np.minimum(0.0, half.default - prices) * half.upper).sum()
        assert paid == solution.objective


def test_larger_instances_as_other_solvers_have_them():
    rng = np.random.default_rng(9)
    solved = 0
    for number in range(60):
        model = random_model(rng, *(int(n) for n in rng.integers(4, 15, 2)), few=number % 3 == 0)
        solution, other = model.solve("augmenting"), model.solve("milp")
        assert solution.status is other.status
        assert model.verify(solution)
        if solution.status is Status.OPTIMAL:
            solved += 1
            assert exact_cost(model, solution) == exact_cost(model, other)
    assert 10 < solved < 55


@pytest.mark.uncompiled
def test_nearest_serves_one_end_only():
    rng = np.random.default_rng(10)
    h = Hierarchy.from_edges([(int(rng.integers(0, c)), c) for c in range(1, 40)])
    sides = [[rng.choice(40, n, replace=False).tolist() for n in rng.integers(0, 6, 30)] for _ in "tp"]
    batch = Batch.of(h, *sides)
    for default in (5, 1.7, 0.3):
        model = measure("MGIA", pairing="nearest", default_cost=default).model(batch)
        assert (model.serves != 3).any()
        solution = model.solve("augmenting")
        assert model.verify(solution)
        assert solution.objectives.tolist() == model.solve("closed_forms").objectives.tolist()


def test_bounds_far_beyond_what_there_is():
    """Bounds of thousands go to the default class, or cannot be kept."""
    h = Hierarchy.from_edges([(0, 1), (0, 2)])
    many = Bounds((1000, 2**31 - 1), (0, ALL))
    assert PairMeasure("many", many, default_cost=0.25).score(h, [1], [2]) == 250
    model = PairMeasure("many", many).model(h, [1], [2])
    assert model.solve("augmenting").status is Status.INFEASIBLE


def test_statuses_and_pairs_of_a_batch_stand_where_they_belong():
    rng = np.random.default_rng(12)
    h = Hierarchy.from_edges([(int(rng.integers(0, c)), c) for c in range(1, 30)])
    sides = [[rng.choice(30, n, replace=False).tolist() for n in rng.integers(0, 6, 80)] for _ in "tp"]
    m = PairMeasure("some", Bounds((1, 2), (0, 2)), max_distance=4)
    model = m.model(Batch.of(h, *sides))
    whole = model.solve("augmenting")
    assert {Status(code) for code in whole.statuses} == {Status.OPTIMAL, Status.INFEASIBLE}
    for k in range(80):
        one = model[k].solve("augmenting")
        assert one.status is whole[k].status
        if one.status is Status.OPTIMAL:
            assert one.objective == whole.objectives[k]
            assert model[k].check(whole[k])


@pytest.mark.uncompiled
def test_it_is_what_solvers_are():
    check_solver("augmenting", count=25)
