"""Intervals of diagnosing tables, against resamples that are drawn row by row and against scipy's closed forms."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from hemlp import Evaluation, Hierarchy, evaluate, examples
from hemlp.analysis.diagnosis.class_sums import ClassSums, moments_of, numbers_of_scores
from hemlp.analysis.statistics.interval_formulas import student_interval, wilson_interval
from hemlp.analysis.statistics.intervals import shared_bootstrap
from hemlp.analysis.statistics.resampling import BLOCK, Bootstrap, Units
from hemlp.kernels.closure import census
from hemlp.text.tables import Interval

A, B = "svm_ovr_freq60", "topdown_lcpn"


@pytest.fixture(scope="module")
def mini() -> Evaluation:
    data = examples.mesh_mini()
    return evaluate(data.hierarchy, data.true, {name: data.systems[name] for name in (A, B)}, ["F_H", "GIE"])


@pytest.fixture(scope="module")
def drawn(mini) -> np.ndarray:
    """How often each of 200 instances is in each resample."""
    counts, draw = np.zeros((1000, 200)), shared_bootstrap(mini)
    for resamples, instances, found in draw.counts():
        counts[resamples, instances] = found
    return counts[:, draw.units.members]


def closures(ev: Evaluation, system: str) -> tuple[list[set[str]], list[set[str]]]:
    """Predicted and true closures of each instance."""
    h = ev.inputs.hierarchies[system]
    ((_, batch),) = ev.inputs.blocks(system)
    closed = lambda side, i: {a for c in side[i] for a in (h.labels[c], *h.ancestors(h.labels[c]))}  # noqa: E731
    sides = [[closed(side, i) for i in range(len(batch))] for side in batch.sides]
    return sides[0], sides[1]


def quantiles(values: np.ndarray) -> tuple[float, float]:
    return tuple(np.quantile(values[~np.isnan(values)], [0.025, 0.975]))


# ---- levels and kinds: resamples


def by_level(ev, system, level):
    h = ev.inputs.hierarchies[system]
    there = {label for label, depth in zip(h.labels, h.unit_depths, strict=True) if depth == level}
    rows = [(len(p & there), len(t & there), len(p & t & there)) for p, t in zip(*closures(ev, system), strict=True)]
    return np.array(rows, float)


@pytest.mark.parametrize("level", [0, 2, 9, 13])
def test_levels_are_resampled_by_instance(mini, drawn, level):
    with np.errstate(invalid="ignore"):
        sums = [drawn @ by_level(mini, system, level) for system in (A, B)]
        ratios = [(s[:, 2] / s[:, 0], s[:, 2] / s[:, 1], 2 * s[:, 2] / (s[:, 0] + s[:, 1])) for s in sums]
    table = mini.levels(A)
    assert table.columns[-3:] == ["P 95%", "R 95%", "F 95%"]
    row = table.rows[level]
    for interval, values in zip(row[-3:], ratios[0], strict=True):
        assert tuple(interval) == pytest.approx(quantiles(values), abs=1e-12)
    both = mini.levels()
    assert both.columns[-4:] == [f"{A} F 95%", f"{B} F 95%", "difference", "difference 95%"]
    row = both.rows[level]
    assert row[-2] == row[2] - row[4]
    assert tuple(row[-4]) == tuple(table.rows[level][-1])
    assert tuple(row[-1]) == pytest.approx(quantiles(ratios[0][2] - ratios[1][2]), abs=1e-12)


def test_kinds_are_resampled_by_instance(mini, drawn):
    from hemlp.analysis.diagnosis.error_kinds import ERROR_KINDS, count_error_kinds

    found = [count_error_kinds(mini, system) for system in (A, B)]
    sums = [drawn @ side for of in found for side in (of.predicted, of.true)]
    one, both = mini.errors(A), mini.errors([A, B])
    assert one.columns == ["kind", "predicted", "true", "predicted 95%", "true 95%"]
    for k in range(len(ERROR_KINDS)):
        for of_side, side in enumerate(("predicted", "true")):
            low, high = quantiles(sums[of_side][:, k])
            interval = one.rows[k][one.columns.index(f"{side} 95%")]
            assert tuple(interval) == (math.floor(low), math.ceil(high))
            low, high = quantiles(sums[of_side][:, k] - sums[of_side + 2][:, k])
            assert tuple(both.rows[k][both.columns.index(f"difference {side} 95%")]) == (
                math.floor(low), math.ceil(high)
            )  # fmt: skip
            counts = [both.rows[k][both.columns.index(f"{system} {side}")] for system in (A, B)]
            assert both.rows[k][both.columns.index(f"difference {side}")] == counts[0] - counts[1]


def test_means_of_groups_are_resampled_within_them(mini, drawn):
    from hemlp.analysis.diagnosis.error_kinds import HIT_GROUPS, count_error_kinds

    groups, values = count_error_kinds(mini, A).groups, mini.per_instance(A, "GIE")
    table = mini.hits(A)
    assert table.columns == ["hit", "instances", "F_H", "GIE", "F_H 95%", "GIE 95%"]
    for row in table.rows:
        among = groups == HIT_GROUPS.index(row[0])
        if not row[1]:
            assert math.isnan(row[-1].low)
            continue
        with np.errstate(invalid="ignore"):
            means = drawn[:, among] @ values[among] / drawn[:, among].sum(axis=1)
        assert tuple(row[-1]) == pytest.approx(quantiles(means), abs=1e-9)


@pytest.mark.uncompiled
def test_classes_of_groups_are_counted_instance_by_instance():
    """Also beyond the gate, where lists of ancestors end."""
    edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (3, 5), (2, 6), (6, 7), (4, 8)]
    rng = np.random.default_rng(0)
    sides = [[[int(c) for c in rng.choice(9, rng.integers(4), replace=False)] for _ in range(30)] for _ in "tp"]
    for gate in (None, 3):
        h = Hierarchy.from_edges(edges)
        if gate is not None:
            h.__dict__["gate"] = h.id(gate)
        ev = evaluate(h, sides[0], {A: sides[1]}, ["F_H"])
        from hemlp.analysis.diagnosis.class_counts import _level_counts

        found = np.concatenate(list(_level_counts(ev, A))).reshape(30, -1, 3)
        assert found.shape[1] == h.unit_depths.max() + 1
        for level in range(found.shape[1]):
            assert found[:, level].tolist() == by_level(ev, A, level).tolist()


def test_sums_of_resamples_do_not_depend_on_how_the_rows_come():
    rng = np.random.default_rng(3)
    for most in (9, 10**6):
        values = rng.integers(0, most, (2 * BLOCK + 99, 3))
        draw = Bootstrap(Units(len(values)), 40)
        expected = np.zeros((40, 3))
        for resamples, instances, counts in draw.counts():
            expected[resamples] += counts @ values[instances]
        for cuts in ([], [5, 6, 6, 2000], [BLOCK], [BLOCK + 1]):
            for found in draw.sums([iter(np.split(values, cuts)), [values]]):
                assert (found == expected).all()


# ---- classes: proportions of instances


def test_proportions_have_wilsons_intervals():
    for total in (1, 2, 7, 50, 4000):
        for hits in {0, 1, total // 3, total}:
            found = [float(end) for end in wilson_interval(np.array(float(hits)), np.array(float(total)))]
            expected = scipy.stats.binomtest(hits, total).proportion_ci(method="wilson")
            assert found == pytest.approx([expected.low, expected.high], abs=1e-12)
    assert np.isnan(wilson_interval(np.zeros(1), np.zeros(1))).all()


@pytest.mark.parametrize("on", ["closures", "labels"])
def test_classes_have_intervals_of_proportions(mini, on):
    predicted, true = closures(mini, A)
    other = closures(mini, B)[0]
    if on == "labels":
        h = mini.inputs.hierarchies[A]
        sides = [next(iter(mini.inputs.blocks(s)))[1].sides for s in (A, B)]
        predicted, true, other = (
            [{h.labels[c] for c in side[i]} for i in range(200)] for side in (*sides[0], sides[1][0])
        )
    table, both = mini.classes(A, on=on), mini.classes(on=on)
    assert table.columns[-3:] == ["P 95%", "R 95%", "F 95%"]
    for row in table.rows[:40]:
        _, t, p, c, *_ = row
        ends = [scipy.stats.binomtest(c, n).proportion_ci(method="wilson") if n else None for n in (p, t, t + p - c)]
        expected = [(e.low, e.high) if e else None for e in ends]
        expected[2] = tuple(2 * g / (1 + g) for g in expected[2])
        for interval, value in zip(row[-3:], expected, strict=True):
            assert math.isnan(interval.low) if value is None else tuple(interval) == pytest.approx(value, abs=1e-12)
    for row in both.rows[:40]:
        label, gap, interval = row[0], row[-2], row[-1]
        outcomes = [
            ((label in p) != (label in t)) - ((label in q) != (label in t))
            for p, q, t in zip(predicted, other, true, strict=True)
        ]
        worse, differing = outcomes.count(1), len(outcomes) - outcomes.count(0)
        assert gap == sum(outcomes)
        ends = scipy.stats.binomtest(worse, differing).proportion_ci(method="wilson")
        low, high = ((2 * end - 1) * differing for end in (ends.low, ends.high))
        assert interval.low <= low + 1e-9 < interval.low + 0.1 + 1e-8
        assert interval.high - 0.1 - 1e-8 < high - 1e-9 <= interval.high
    same = [row for row in both.rows if row[-2] == 0 and tuple(row[-1]) == (0.0, 0.0)]
    assert same


def test_systems_with_classes_of_their_own_are_compared_by_label():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    true = [["a"], ["b"], ["a"]]
    systems = {"A": [["a"], ["new"], ["b"]], "B": [["Odd"], ["new"], ["a"]]}
    ev = evaluate(h, true, systems, ["F_H", "GIE"], unknown="isolate")
    rows = {row[0]: row for row in ev.classes(on="labels").rows}
    assert {label: (row[3], row[5], row[-2]) for label, row in rows.items()} == {
        "a": (1, 1, 0), "b": (2, 1, 1), "new": (1, 1, 0), "Odd": (0, 1, -1)
    }  # fmt: skip
    assert tuple(rows["new"][-1]) == (0.0, 0.0)  # both say it, always
    assert rows["a"][-1].low < 0 < rows["a"][-1].high  # each is wrong once where the other is right
    alone = {system: {row[0]: row for row in ev.costs(system).rows} for system in "AB"}
    for label, *values in ev.costs().rows:
        for k, system in enumerate("AB"):
            expected = alone[system].get(label, (label, 0.0, 0.0, 0.0, 0.0))
            assert tuple(values[2 * k : 2 * k + 2]) == expected[3:]
    pairs = {system: {row[:2]: row[2:] for row in ev.confusions(system).rows} for system in "AB"}
    found = {row[:2]: row[2:] for row in ev.confusions().rows}
    assert found.keys() == pairs["A"].keys() | pairs["B"].keys()
    for key, (a, a_cost, b, b_cost, a_rows, b_rows) in found.items():
        assert (a, a_cost, a_rows) == pairs["A"].get(key, (0, 0.0, ()))
        assert (b, b_cost, b_rows) == pairs["B"].get(key, (0, 0.0, ()))
    means = {row[0]: row[2] for row in ev.branches(None, "F_H").rows}
    assert means["a"] == pytest.approx(np.mean(ev.per_instance("A", "F_H")[[0, 2]]))


# ---- branches: means over some instances


def test_branches_have_students_intervals(mini):
    true = closures(mini, A)[1]
    values = [mini.per_instance(system, "GIE") for system in (A, B)]
    one, both = mini.branches(A, "GIE"), mini.branches(None, "GIE")
    assert both.columns[-4:] == [f"{A} mean 95%", f"{B} mean 95%", "difference", "difference 95%"]
    for table, of in ((one, values[0]), (both, values[0] - values[1])):
        for row in table.rows[:60]:
            here = of[[row[0] in t for t in true]]
            interval = row[-1]
            if here.size < 2:
                assert math.isnan(interval.low)
                continue
            if table is both:
                assert row[-2] == pytest.approx(here.mean())
            low, high = scipy.stats.t.interval(0.95, here.size - 1, here.mean(), scipy.stats.sem(here) or 1e-300)
            assert tuple(interval) == pytest.approx((max(low, 0.0) if table is one else low, high), abs=1e-9)


def test_differences_of_branches_are_on_what_both_have():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x")])
    true = [["a"], ["x"], ["a"], ["x"], ["b"]]
    systems = {"A": [["a"], ["a"], ["b"], ["x"], ["b"]], "B": [["b"], ["x"], ["a", "b"], ["r"], []]}
    ev = evaluate(h, true, systems, ["TIE"], undefined="nan")
    rows = {row[0]: row for row in ev.branches().rows}
    a, b = (ev.per_instance(system, "TIE") for system in "AB")
    shared = [0, 1, 3]
    assert rows["a"][-2] == pytest.approx((a - b)[shared].mean())
    expected = scipy.stats.t.interval(0.95, 2, (a - b)[shared].mean(), scipy.stats.sem((a - b)[shared]))
    assert tuple(rows["a"][-1]) == pytest.approx(expected)
    assert math.isnan(rows["b"][-2])


def test_intervals_of_means_do_not_leave_the_range_of_a_measure():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    systems = {"A": [["a"], ["b"]], "B": [["b"], ["a"]]}
    (row,) = [row for row in evaluate(h, ["a", "a"], systems, ["F"]).branches().rows if row[0] == "a"]
    assert [tuple(interval) for interval in (row[-4], row[-1])] == [(0.0, 1.0), (-1.0, 1.0)]


def test_intervals_of_means_need_two_values():
    none = student_interval(np.zeros(2), np.zeros(2), np.array([0, 1]), (0.0, 1.0))
    assert np.isnan(none).all()
    ends = student_interval(np.array([3.0]), np.array([8.0]), np.array([2]), (-math.inf, math.inf))
    width = scipy.stats.t.ppf(0.975, 1) * 2
    assert np.ravel(ends).tolist() == pytest.approx([3 - width, 3 + width])


SCORES = st.one_of(
    st.sampled_from([0.0, 1 / 3, 2 / 3, 1.0, -7.0, 5e-324, 2.0**-1022, 1e300, math.nan, math.inf, -math.inf]),
    st.floats(width=64),
)


@pytest.mark.uncompiled
@settings(max_examples=60)
@given(st.lists(st.tuples(SCORES, st.booleans()), max_size=8), st.integers(0, 8), st.randoms(use_true_random=False))
def test_moments_of_branches_are_those_of_fractions(rows, cut, random):
    """A class and one below it: every order and cut, values of any size."""
    h = Hierarchy.from_edges([("r", "a")])

    def added(parts):
        sums = ClassSums(2)
        for part in parts:
            classes = np.array([h.id("r" if inner else "a") for _, inner in part], np.int32)
            numbers = numbers_of_scores(np.array([value for value, _ in part]))
            sums.add(h.upward.lists(classes), np.arange(len(part) + 1), classes, numbers)
        return sums.columns

    columns = added([rows])
    shuffled = random.sample(rows, len(rows))
    others = added([shuffled[:cut], shuffled[cut:]])
    assert {key: of.tolist() for key, of in others.items()} == {key: of.tolist() for key, of in columns.items()}
    instances = np.zeros(2, np.int64)
    instances[[h.id("r"), h.id("a")]] = len(rows), sum(not inner for _, inner in rows)
    means, variances, number = moments_of(columns, instances)
    for label in "ra":
        c = h.id(label)
        scores = [value for value, inner in rows if (label == "r" or not inner) and not math.isnan(value)]
        assert number[c] == len(scores)
        finite = [Fraction(value) for value in scores if math.isfinite(value)]
        if not scores or len(finite) < len(scores):
            wanted = sum(value for value in scores if math.isinf(value)) if scores else math.nan
            assert repr(float(means[c])) == repr(float(wanted))
            continue
        try:
            wanted = math.fsum(scores) / len(scores)
        except OverflowError:
            wanted = float(sum(finite) / len(scores))
        assert means[c] == wanted
        if len(scores) == 1:
            assert math.isnan(variances[c])
            continue
        middle = sum(finite) / len(finite)
        exact = sum((value - middle) ** 2 for value in finite) / (len(finite) - 1)
        try:
            assert variances[c] == float(exact)
        except OverflowError:
            assert variances[c] == math.inf


# ---- what all of them share


def test_tables_are_computed_once(mini, monkeypatch):
    asked = [
        lambda: mini.levels(), lambda: mini.classes(), lambda: mini.branches(None, "GIE"), lambda: mini.errors(),
        lambda: mini.hits(A), lambda: mini.costs(), lambda: mini.confusions(),
    ]  # fmt: skip
    before = [str(ask()) for ask in asked]

    def never(*_: object) -> None:
        raise AssertionError("computed again")

    for name in ("count", "count_groups", "add_up"):
        monkeypatch.setattr(census, name, never)
    monkeypatch.setattr("hemlp.kernels.closure.census.kinds", never)
    monkeypatch.setattr("hemlp.analysis.diagnosis.error_costs.iter_class_pairs", never)
    assert [str(ask()) for ask in asked] == before


def test_an_interval_has_no_width_where_there_is_none():
    shown = [str(Interval(0.5, 0.75, 0.9)), str(Interval(math.nan, math.nan))]
    assert shown == ["0.5000 to 0.7500 (90%)", "undefined (95%)"]
