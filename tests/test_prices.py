"""Prices as ranges: against the linear program of all optimal dual solutions, and against absence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from hemlp import ALL, Bounds, Hierarchy, PairMeasure, measure
from hemlp.errors import InfeasibleModel, InvalidSolution
from hemlp.measures.dual_values import price_ranges
from hemlp.optimize.expressions import Expression
from hemlp.testing import random_instances

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
SIDES = [(0, 1), (1, 1), (1, 2), (1, ALL), (0, ALL), (2, 3)]


def ranges_by_programs(model, optimum):
    """Least and greatest y of each row over max Σ α y⁺ − β y⁻ − capacity w, y⁺ − y⁻ − w ≤ cost."""
    arrays = model.to_arrays()
    rows, variables = arrays.matrix.shape
    dense = arrays.matrix.toarray().T
    limits = np.hstack([dense, -dense, -np.eye(variables)])
    worth = np.concatenate([arrays.row_lower, -arrays.row_upper, -arrays.upper])
    found = []
    for r in range(rows):
        goal = np.zeros(2 * rows + variables)
        goal[r], goal[rows + r] = 1, -1
        ends = []
        for sign in (1, -1):
            best = linprog(sign * goal, A_ub=limits, b_ub=arrays.cost, A_eq=worth[None, :], b_eq=[optimum])
            ends.append(-sign * math.inf if best.status == 3 else sign * best.fun)
        found.append(tuple(ends))
    return found


def test_ranges_by_linear_programs():
    rng = np.random.default_rng(7)
    seen = 0
    for h, true, pred in random_instances(40, seed=21):
        first, second = (SIDES[int(k)] for k in rng.integers(0, len(SIDES), 2))
        model = PairMeasure("priced", Bounds(first, second), default_cost=3).model(h, true, pred)
        if not model.to_arrays().names:
            continue
        solution = model.solve()
        expected = ranges_by_programs(model, solution.objective)
        for row, (low, high) in zip(price_ranges(solution), expected, strict=True):
            assert row.least == pytest.approx(low, abs=1e-7)
            assert row.greatest == pytest.approx(high, abs=1e-7)
            seen += row.least < row.greatest
        one = solution.duals()
        for row, price in zip(price_ranges(solution), [*one.predicted, *one.true], strict=True):
            assert row.least - 1e-12 <= price <= row.greatest + 1e-12
    assert seen > 20


def test_absence():
    for name in ("GIE", "MGIA"):
        for h, true, pred in random_instances(25, seed=2):
            m = measure(name)
            found = m.prices(h, true, pred)
            assert found.error == m.score(h, true, pred)["error"]
            for row in found.rows:
                given = ("true", true), ("predicted", pred)
                sides = [[c for c in of if (row.side, row.label) != (side, c)] for side, of in given]
                assert row.without == m.score(h, *sides)["error"] - found.error
    assert "least cost 7" in str(measure("GIE").prices(H, ["sheep", "bird"], ["cow"]))


def test_refusals():
    with pytest.raises(InfeasibleModel):
        PairMeasure("alone", Bounds((1, 1), (1, 1))).prices(H, ["cow"], ["sheep", "bird"])
    only = PairMeasure("only", Bounds((1, 1), (1, 1))).prices(H, ["cow"], ["sheep"])
    assert all(math.isnan(row.without) for row in only.rows)
    model = measure("GIE").model(H, ["cow"], ["sheep"])
    worse = model.with_rows(Expression({"u_0": 1.0}) == 1).solve()
    with pytest.raises(InvalidSolution):
        price_ranges(worse)
