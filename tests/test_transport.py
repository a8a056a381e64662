"""Transport from its definition, in fractions: masses that add up, and pairs of classes that have no way."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hemlp import Batch, Hierarchy, evaluate, measure
from hemlp.errors import InfeasibleModel, UndefinedScore
from hemlp.optimize.program import Status
from hemlp.problems.pairing.build_model import MOST, weighted_marginals
from hemlp.solvers.registry import accepting_solvers

FLAT = Hierarchy.from_edges([("r", c) for c in "abcdefgh"])
decimals = st.builds(lambda n, d: n / 10**d, st.integers(1, 10**6), st.integers(0, 9))
"""Positive decimals of few digits, as people write them."""
weights = st.one_of(decimals, st.floats(1e-300, 1e300), st.floats(1e-3, 1e3), st.just(5e-324))


def masses_of(h, true, pred, values):
    batch = Batch.of(h, [true], [pred])
    return weighted_marginals(batch, np.array([values[label] for label in h.labels]))


@settings(max_examples=400)
@given(st.lists(weights, min_size=8, max_size=8), st.integers(1, 4), st.integers(1, 4))
@example([0.3, 0.3, 2.7, 1.0, 1.0, 1.0, 1.0, 1.0], 3, 1)
def test_masses_add_up(values, m, n):
    """Whatever the weights are, both sides have the same units, and no mass is off by more than one of them."""
    given_weights = dict(zip("abcdefgh", values, strict=True), r=1.0)
    pred, true = list("abcdefgh")[:m], list("abcdefgh")[4 : 4 + n]
    units, masses = masses_of(FLAT, true, pred, given_weights)
    for side, own in zip((pred, true), masses, strict=True):
        assert own.sum() == units[0] <= MOST
        assert (own >= 0).all()
        exact = [Fraction(repr(given_weights[c])) for c in side]
        for mass, share in zip(own.tolist(), exact, strict=True):
            assert abs(mass - share / sum(exact) * int(units[0])) <= (0 if units[0] < MOST else 1.001)


@given(st.lists(st.integers(1, 9999), min_size=4, max_size=4), st.integers(0, 12))
def test_decimals_of_few_digits_are_exact(numbers, digits):
    values = dict(zip("abcd", (Fraction(n, 10**digits) for n in numbers), strict=True))
    floats = {c: float(values[c]) if c in values else 1.0 for c in FLAT}
    units, masses = masses_of(FLAT, ["a", "b"], ["c", "d"], floats)
    for side, own in zip(("cd", "ab"), masses, strict=True):
        total = sum(values[c] for c in side)
        assert [Fraction(int(mass), int(units[0])) for mass in own] == [values[c] / total for c in side]


def test_masses_do_not_depend_on_other_instances():
    values = {"r": 1.0, "a": 0.3, "b": math.pi, **dict.fromkeys("cdefgh", 0.7)}
    own = measure("transport", weights=values)
    true, pred = [["a", "c"], ["b", "c"]], [["d"], ["a", "b"]]
    together = own.model(Batch.of(FLAT, true, pred))
    for i in range(2):
        alone = own.model(FLAT, true[i], pred[i])
        assert alone.units[0] == together.units[i]
        assert [half.lower.tolist() for half in alone.halves] == [half.lower.tolist() for half in together[i].halves]
    assert together.units.tolist() == [10, MOST]


# ---- the optimum, by trying every basis of the linear program


def least_cost(costs, supply, demand):
    """The least cost of moving supply to demand, in fractions; None if it cannot be moved. ``costs``: {(i, j): κ}."""
    cells, (m, n), best = list(costs), (len(supply), len(demand)), None
    sizes = range(1, min(m + n - 1, len(cells)) + 1)  # fewer than m + n - 1 where not all classes are connected
    for basis in itertools.chain.from_iterable(itertools.combinations(cells, size) for size in sizes):
        flow = _basic_flow(basis, list(supply), list(demand))
        if flow is not None:
            cost = sum(Fraction(costs[cell]) * amount for cell, amount in flow.items())
            best = cost if best is None else min(best, cost)
    return best


def _basic_flow(basis, supply, demand):
    """The only flow along the cells of a forest: a line with one cell left says what it carries; None if none fits."""
    left, open_cells, flow = (supply, demand), set(basis), {}
    while open_cells:
        lines = [(side, k) for side in (0, 1) for k in range(len(left[side]))]
        ending = {line: [c for c in open_cells if c[line[0]] == line[1]] for line in lines}
        line = next((line for line in lines if len(ending[line]) == 1), None)
        if line is None:
            return None  # a cycle: no basis
        cell = ending[line][0]
        flow[cell] = left[line[0]][line[1]]
        for side in (0, 1):
            left[side][cell[side]] -= flow[cell]
        open_cells.remove(cell)
    fits = all(v >= 0 for v in flow.values()) and not any(map(any, left))
    return flow if fits else None


def expected(h, true, pred, values=None):
    sides = []
    for labels in (pred, true):
        own = [Fraction(1) if values is None else Fraction(repr(float(values[c]))) for c in labels]
        sides.append([weight / sum(own) for weight in own])
    costs = {(i, j): h.distance(p, t) for i, p in enumerate(pred) for j, t in enumerate(true)}
    return least_cost({cell: int(cost) for cell, cost in costs.items() if math.isfinite(cost)}, *sides)


forests = st.integers(4, 8).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=2), min_size=n, max_size=n).map(
        lambda parents: Hierarchy.from_edges(
            sorted({(p, c) for c, of in enumerate(parents) for p in of if p < c}), classes=range(n)
        )
    )
)


@settings(max_examples=150)
@given(forests, st.data(), st.booleans())
def test_transport_over_several_roots_by_enumeration(h, data, weighed):
    some = st.sets(st.sampled_from(sorted(h)), min_size=1, max_size=3).map(sorted)
    true, pred = data.draw(some), data.draw(some)
    values = {c: data.draw(decimals) for c in h} if weighed else None
    best = expected(h, true, pred, values)
    own = measure("transport", weights=values)
    if best is None:
        with pytest.raises(InfeasibleModel, match="of the true mass"):
            own.score(h, true, pred)
        assert math.isnan(own.score(h, true, pred, undefined="nan"))
    else:
        assert float(own.score(h, true, pred, verify=True)) == pytest.approx(float(best), rel=1e-12, abs=1e-13)


TWO_ROOTS = Hierarchy.from_edges([("A", "a"), ("A", "b"), ("B", "x"), ("B", "y"), ("A", "both"), ("B", "both")])


@pytest.mark.parametrize(("true", "pred", "value"), [
    ("a x", "a x", 0.0),
    ("a x", "b y", 2.0),
    ("a x", "both", 2.0),
    ("a", "a both", 1.0),
    ("a x y", "b both", None),  # b has half of the mass, and a takes a third
])  # fmt: skip
def test_transport_over_two_roots(true, pred, value):
    assert expected(TWO_ROOTS, true.split(), pred.split()) == value
    model = measure("transport").model(TWO_ROOTS, true.split(), pred.split())
    for solver in accepting_solvers(model):
        found = model.solve(solver.name, verify=True)
        assert found.status is (Status.OPTIMAL if value is not None else Status.INFEASIBLE)
        assert found.objective == (value if value is not None else pytest.approx(math.nan, nan_ok=True))


def test_what_cannot_be_moved_is_named():
    with pytest.raises(InfeasibleModel, match=r"'a', 'b' is 0.6667 and reaches only 0.5 of .* \('A'\)") as caught:
        measure("transport").score(TWO_ROOTS, true=["A", "x"], pred=["a", "b", "y"])
    assert caught.value.labels == ("a", "b")
    with pytest.raises(InfeasibleModel, match="'a' is 1 and reaches only 0 of the true mass: other"):
        measure("transport").score(TWO_ROOTS, true=["x"], pred=["a"])
    with pytest.raises(UndefinedScore, match="one side is empty"):
        measure("transport").score(TWO_ROOTS, true=[], pred=["a"])
    weighed = measure("transport", weights={**dict.fromkeys(TWO_ROOTS, 1), "x": 0})
    assert weighed.score(TWO_ROOTS, true=["a", "x"], pred=["b"]) == 2.0  # nothing lies on x


def test_only_infeasible_instances_leave_the_mean():
    true, pred = [["a", "x"], ["a"], ["a", "x"]], [["a", "x"], ["x"], ["b", "x"]]
    ev = evaluate(TWO_ROOTS, true, {"s": pred}, ["transport"], undefined="nan")
    assert np.array_equal(ev.per_instance("s", "transport"), [0, math.nan, 1], equal_nan=True)
    assert ev.mean("s", "transport") == 0.5
