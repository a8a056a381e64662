"""The permutation test against all signs and scipy, effect sizes, and corrections over measures and systems."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hemlp import Hierarchy, evaluate, examples
from hemlp.errors import InvalidOption
from hemlp.statistics import permutation
from hemlp.statistics.permutation import effect_size, permutation_test
from hemlp.statistics.tests import holm

QUARTERS = st.integers(-8, 8).map(lambda k: k / 4)


@settings(max_examples=100)
@given(st.lists(st.tuples(QUARTERS, QUARTERS), min_size=1, max_size=9))
def test_all_signs_are_tried(pairs):
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    gaps = [a - b for a, b in pairs if a != b]
    sums = [abs(sum(s * g for s, g in zip(signs, gaps, strict=True))) for signs in product((1, -1), repeat=len(gaps))]
    assert permutation_test(first, second) == sum(total >= abs(sum(gaps)) for total in sums) / len(sums)
    assert permutation_test(first, second) == permutation_test(second, first)


def test_signs_are_drawn_and_then_normal():
    """Draws, all signs (by scipy) and the normal distribution agree, as far as draws can."""
    rng = np.random.default_rng(0)
    for shift in (0.0, 0.1, 0.2):
        first = rng.normal(shift, 1, 400)
        second = np.zeros(400)
        drawn = permutation_test(first, second)
        normal = math.erfc(abs(first.sum()) / math.sqrt(2 * (first @ first)))
        found = stats.permutation_test(
            (first, second), lambda a, b: (a - b).mean(), permutation_type="samples", n_resamples=9_999, rng=1
        ).pvalue
        assert abs(drawn - found) < 0.02
        assert abs(drawn - normal) < 0.02
    assert drawn == permutation_test(first, second)


def test_the_normal_distribution_takes_over(monkeypatch):
    rng = np.random.default_rng(1)
    first, second = rng.normal(0.15, 1, 200), np.zeros(200)
    drawn = permutation_test(first, second)
    monkeypatch.setattr(permutation, "DRAWN_UP_TO", 100)
    assert permutation_test(first, second) != drawn
    assert math.isclose(permutation_test(first, second), drawn, abs_tol=0.02)
    monkeypatch.setattr(permutation, "DRAWN_UP_TO", 20_000)
    monkeypatch.setattr(permutation, "BITS", 1)  # one draw at a time is as good
    assert math.isclose(permutation_test(first, second), drawn, abs_tol=0.02)


def test_nothing_to_permute():
    one = np.array([0.5, math.nan, 1.0])
    assert permutation_test(one, one) == 1.0
    assert permutation_test(one, np.array([0.5, 3.0, 1.0])) == 1.0  # undefined on one side is no difference
    assert math.isnan(permutation_test(one, np.array([0.5, 3.0, math.inf])))
    assert permutation_test(np.full(30, 1e300), np.full(30, -1e300)) == 1 / 10_000
    assert permutation_test(np.full(30, 1e-300), np.zeros(30)) == 1 / 10_000


@settings(max_examples=60)
@given(st.lists(st.tuples(QUARTERS, QUARTERS), min_size=2, max_size=12))
def test_effect_sizes(pairs):
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    gaps = first - second
    found = effect_size(first, second)
    if not gaps.any():
        assert found == 0
    elif np.ptp(gaps) == 0:
        assert found == math.copysign(math.inf, gaps[0])
    else:
        assert math.isclose(found, gaps.mean() / gaps.std(ddof=1), abs_tol=1e-12)
    assert effect_size(second, first) == -found
    assert math.isnan(effect_size(first[:1], second[:1]))


def test_tables_hold_them_and_correct_for_all():
    data = examples.mesh_mini()
    systems = {name: data.systems[name] for name in ("knn30", "prior_top8", "lexical_match")}
    ev = evaluate(data.hierarchy, data.true, systems, ["F", "F_H", "GIE"])
    table = ev.compare("knn30", "lexical_match")
    assert table.columns[6:] == ["p sign", "p Wilcoxon", "p permutation", "effect", "p (Holm)"]
    for row in table.rows:
        values = [ev.per_instance(system, row[0]) for system in ("knn30", "lexical_match")]
        assert row[8:10] == [f"{permutation_test(*values):.3g}", f"{effect_size(*values):+.2f}"]
    raw, corrected = ([float(row[k]) for row in table.rows] for k in (6, 10))
    assert np.allclose(corrected, holm(raw), rtol=0.01)
    assert "p (Holm): of the sign tests, corrected for 3 measures" in table.notes
    several = ev.significance(["F", "F_H"])
    assert several.columns[:3] == ["measure", "better", "worse"]
    assert len(several.rows) == 6
    raw, corrected = ([float(row[several.columns.index(of)]) for row in several.rows] for of in ("p", "p (Holm)"))
    assert np.allclose(corrected, holm(raw), rtol=0.01)
    assert "p (Holm): corrected for 6 tests; effect: Cohen's d of the paired differences" in several.notes
    alone = [row for name in ("F", "F_H") for row in ev.significance(name).rows]
    assert [row[1:7] for row in several.rows] == [row[:6] for row in alone]
    assert len(ev.significance().rows) == 9
    with pytest.raises(InvalidOption, match="no measure 'SDL'"):
        ev.significance(["F", "SDL"])


def test_equal_systems_in_several_measures():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    ev = evaluate(h, ["a"], {"A": ["b"], "B": ["b"]}, ["F", "GIE"])
    assert "A and B are equal on average by GIE: neither is better" in ev.significance().notes
    assert ev.compare("A", "B").rows[0][8] == "1"
