"""Bootstrap resamples by counts, against means of rows that are drawn one by one."""

from __future__ import annotations

import gc
import math
import weakref
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from hemlp import Evaluation, Hierarchy, evaluate, examples
from hemlp.analysis.statistics import evaluation_verdicts, resampling
from hemlp.analysis.statistics.intervals import shared_bootstrap
from hemlp.analysis.statistics.resampling import BLOCK, Bootstrap, Units
from hemlp.analysis.statistics.significance_tests import kendall, kendall_taus
from hemlp.errors import InvalidOption
from hemlp.measures import instance_scores
from hemlp.measures.instance_scores import Scores
from hemlp.text.tables import Interval, quantiles

TREE = Hierarchy.from_edges([(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)])


@pytest.fixture(scope="module")
def mini() -> Evaluation:
    example = examples.mesh_mini()
    return evaluate(example.hierarchy, example.true, example.systems, ["GIE", "F_H", "SDL", "F"])


def unlike_systems(rows: int, systems: int) -> Evaluation:
    """Systems that are defined on different instances."""
    rng = np.random.default_rng(1)
    pool = [[c] for c in TREE] * 3 + [[3, 4], []] * 2
    made = {f"s{k}": [pool[rng.integers(len(pool))] for _ in range(rows)] for k in range(systems)}
    true = [[int(rng.integers(7))] for _ in range(rows)]
    return evaluate(TREE, true, made, ["TIE", "SunLim", "F_H"], undefined="nan")


@pytest.fixture(scope="module")
def unlike() -> Evaluation:
    """With more instances than a block of a draw has."""
    return unlike_systems(BLOCK + 276, 3)


def rows_of(draw: Bootstrap) -> np.ndarray:
    """The instances of each resample, one by one: resamples × draws."""
    counts = np.zeros((draw.resamples, draw.units.number), int)
    for resamples, units, found in draw.counts():
        counts[resamples, units] += found.astype(int)
    return np.array([np.repeat(np.arange(draw.units.size), row) for row in counts[:, draw.units.members]])


def directly(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The mean of the drawn values, nan left out, for each resample: with sums that are rounded once."""
    found = []
    for row in rows:
        drawn = values[row][~np.isnan(values[row])]
        found.append(math.fsum(drawn) / drawn.size if drawn.size else math.nan)
    return np.array(found)


@pytest.mark.parametrize("size", [1, 2, 50, BLOCK, BLOCK + 1, 3 * BLOCK + 7])
def test_every_resample_has_as_many_draws_as_there_are_instances(size):
    draw = Bootstrap(Units(size), 30, seed=4)
    rows = rows_of(draw)
    assert rows.shape == (30, size)
    assert (rows == rows_of(draw)).all()
    assert size == 1 or (rows != rows_of(replace(draw, seed=5))).any()


def test_resamples_are_multinomial():
    """Counts have the mean 1, the variance 1 − 1/n and the covariance −1/n, also between instances of two blocks."""
    size, number = BLOCK + 200, 6000
    rows = rows_of(Bootstrap(Units(size), number))
    counts = np.array([np.bincount(row, minlength=size) for row in rows])
    assert counts.mean(axis=0) == pytest.approx(np.ones(size), abs=5.5 / math.sqrt(number))
    assert counts.var(axis=0).mean() == pytest.approx(1 - 1 / size, rel=0.01)
    blocks = np.stack([counts[:, :BLOCK].sum(axis=1), counts[:, BLOCK:].sum(axis=1)])
    expected = BLOCK * (size - BLOCK) / size
    assert np.cov(blocks) == pytest.approx(expected * np.array([[1, -1], [-1, 1]]), rel=0.06)
    first = np.bincount(counts[:, [0, 1, BLOCK]].ravel(), minlength=5)[:5] / (3 * number)
    assert first == pytest.approx(scipy.stats.binom.pmf(range(5), size, 1 / size), abs=0.02)


def test_means_of_resamples_are_those_of_the_drawn_rows():
    """For values of every kind: undefined here and there or everywhere, whole, tiny, huge, and of both signs."""
    rng = np.random.default_rng(0)
    size = 2 * BLOCK + 300
    ratios = rng.integers(0, 40, size) / rng.integers(1, 60, size)
    columns = [
        ratios,
        np.where(rng.random(size) < 0.4, math.nan, ratios),
        np.where(np.arange(size) == 1500, 0.1, math.nan),  # not in every resample
        np.full(size, math.nan),
        np.full(size, 0.3),
        rng.integers(0, 100, size).astype(float),
        rng.normal(size=size) * 1e-300,
        rng.normal(size=size) * 1e300,
        np.zeros(size),
        np.where(rng.random(size) < 0.5, 1e8, -1e8) + ratios,
    ]
    draw = Bootstrap(Units(size), 50)
    rows = rows_of(draw)
    means = draw.means(columns)
    for column, found in zip(columns, means.T, strict=True):
        expected = directly(column, rows)
        assert (np.isnan(found) == np.isnan(expected)).all()
        assert found == pytest.approx(expected, rel=1e-14, abs=1e-320, nan_ok=True)
    assert 0 < np.isnan(means[:, 2]).sum() < 50
    assert (means[:, 4] == 0.3).all()
    assert (np.diff(np.sort(rows, axis=1), axis=1) >= 0).all()


def test_infinite_values_count_where_they_were_drawn():
    values = np.array([math.inf, 1.0, 2.0, -math.inf, 3.0])
    draw = Bootstrap(Units(5), 200)
    rows = rows_of(draw)
    found = draw.means([values])[:, 0]
    up, down = (rows == 0).any(axis=1), (rows == 3).any(axis=1)
    assert np.isnan(found[up & down]).all()
    assert (found[up & ~down] == math.inf).all()
    assert (found[down & ~up] == -math.inf).all()
    neither = ~up & ~down
    assert found[neither] == pytest.approx(values[rows[neither]].mean(axis=1))
    assert {len(found[up & down]) > 0, neither.any()} == {True}


def test_means_depend_on_neither_company_nor_order_nor_room(monkeypatch):
    """To the bit."""
    rng = np.random.default_rng(3)
    columns = list(rng.random((17, BLOCK + 76)) ** 3)
    draw = Bootstrap(Units(BLOCK + 76), 300)
    together = draw.means(columns)
    assert (draw.means(columns[::-1]) == together[:, ::-1]).all()
    assert (np.concatenate([draw.means([column]) for column in columns], axis=1) == together).all()
    monkeypatch.setattr(resampling, "VALUES_AT_ONCE", 2 * draw.units.number)
    assert (draw.means(iter(columns)) == together).all()


def test_many_resamples_are_made_in_parts(monkeypatch):
    monkeypatch.setattr(resampling, "RESAMPLES", 40)
    draw = Bootstrap(Units(30), 100)
    rows = rows_of(draw)
    values = np.random.default_rng(0).random(30)
    assert draw.means([values])[:, 0] == pytest.approx(directly(values, rows))
    assert len({row.tobytes() for row in rows}) == 100


# ---- of an evaluation


def test_intervals_of_means_are_quantiles_of_a_direct_bootstrap(unlike):
    rows = rows_of(Bootstrap(Units(len(unlike.per_instance("s0", "F_H")))))
    for name in unlike.measures:
        for system in unlike.systems:
            drawn = directly(unlike.per_instance(system, name), rows)
            low, high = unlike.interval(system, name)
            assert (low, high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), rel=1e-12)
            narrow = unlike.interval(system, name, level=0.5)
            assert tuple(narrow) == pytest.approx(np.quantile(drawn, [0.25, 0.75]), rel=1e-12)
            assert low < narrow.low < unlike.mean(system, name) < narrow.high < high
            assert (narrow.low, narrow.high, narrow.level) == (*narrow, 0.5)


def test_intervals_of_differences_are_paired_on_what_both_systems_have(unlike):
    rows = rows_of(Bootstrap(Units(len(unlike.per_instance("s0", "F_H")))))
    for first, second in (("s0", "s1"), ("s2", "s0")):
        table = unlike.compare(first, second)
        for name, row in zip(unlike.measures, table.rows, strict=True):
            gain = unlike.per_instance(first, name) - unlike.per_instance(second, name)
            low, high = np.quantile(directly(gain, rows), [0.025, 0.975])
            assert tuple(row[3]) == pytest.approx((low, high), rel=1e-12)


def test_intervals_do_not_depend_on_the_order_of_systems_and_measures(unlike):
    turned = Evaluation(
        {system: dict(reversed(scores.items())) for system, scores in reversed(unlike.scores.items())},
        dict(reversed(unlike.greater_is_better.items())),
        unlike.facts,
    )
    assert turned.compare("s0", "s1").rows == unlike.compare("s0", "s1").rows[::-1]
    for name in unlike.measures:
        assert turned.interval("s1", name) == unlike.interval("s1", name)


def scored(**columns: list[float]) -> Evaluation:
    """An evaluation by one measure, of systems with these scores."""
    scores, facts = {}, {}
    for system, values in columns.items():
        column = np.array(values, np.float64)
        missing = np.isnan(column)
        scores[system] = {"m": Scores("m", {"m": column}, np.where(missing, 2, 0).astype(np.int8), "m", missing.sum())}
        facts[system] = {"instances": len(values), "predictions an instance": 1.0, "unknown labels": 0,
                         "missing instances": 0}  # fmt: skip
    return Evaluation(scores, {"m": True}, facts)


@pytest.mark.parametrize("size", [1, 2, 3, 40, 41, 1000])
def test_quantiles_are_those_of_numpy(size):
    rng = np.random.default_rng(size)
    for values in (rng.normal(size=size), rng.integers(0, 3, size).astype(np.float64), 1e9 * rng.random(size)):
        for q in (0, 0.025, 0.05, 0.25, 0.5, 0.6, 0.975, 1, *rng.random(20)):
            assert float(quantiles(np.sort(values), q)) == pytest.approx(
                float(np.quantile(values, q)), rel=1e-15, abs=0
            )


def test_intervals_of_what_has_none():
    ev = scored(nothing=[math.nan] * 4, infinite=[math.inf, 1, 2, 3], same=[math.inf, 1, 2, 3], one=[1, 1, 1, 1])
    for system in ("nothing", "infinite"):
        assert all(map(math.isnan, ev.interval(system, "m")))
    assert str(ev.interval("nothing", "m")) == "undefined (95%)"
    assert tuple(ev.interval("one", "m")) == (1, 1)
    assert ev.compare("infinite", "same").rows[0][1:4] == ["neither", 0, Interval(0, 0)]
    with pytest.raises(InvalidOption, match="two different systems"):
        ev.compare("same", "same")
    assert all(map(math.isnan, ev.compare("infinite", "one").rows[0][3]))
    assert all(map(math.isnan, ev.compare("nothing", "one").rows[0][3]))


def test_equal_sums_have_no_difference():
    """0.1 + 0.2 and 0.3 in other places: in a resample that holds all of them alike the difference is 0, not 1e-17."""
    a, b = [0.1, 0.7, 0.2, 0.4] * 30, [0.2, 0.4, 0.1, 0.7] * 30
    ev = scored(a=a, b=b, c=b)
    assert ev.compare("b", "c").rows[0][3] == Interval(0, 0)
    low, high = ev.compare("a", "b").rows[0][3]
    assert low < 0 < high


@pytest.mark.parametrize("level", [0, 1, 1.5, -0.1, "x", None, True, math.nan])
def test_levels_are_checked(mini, level):
    with pytest.raises(InvalidOption, match="level="):
        mini.interval("knn30", "F", level=level)


def test_intervals_are_of_known_systems_and_measures(mini):
    for system, name in (("nope", "F"), ("knn30", "nope")):
        with pytest.raises(InvalidOption, match="there is no (measure|system) 'nope'"):
            mini.interval(system, name)


def test_an_interval_cannot_be_changed():
    interval = Interval(0.25, 0.5)
    with pytest.raises(AttributeError):
        interval.low = 0.0  # type: ignore[misc]
    assert interval == Interval(0.25, 0.5, 0.95)


# ---- correlations


def test_intervals_of_kendall_by_resampling_one_by_one(mini):
    """Means of the resampled rows, τ-b by scipy, and the values at 2.5% and 97.5%."""
    draws = []
    for rows in rows_of(shared_bootstrap(mini, 60, seed=3)):
        means = [
            [math.fsum(mini.per_instance(system, name)[rows]) * (1 if better else -1) for system in mini.systems]
            for name, better in mini.greater_is_better.items()
        ]
        draws.append([[scipy.stats.kendalltau(a, b).statistic for b in means] for a in means])
    low, high = np.quantile(draws, [0.025, 0.975], axis=0, method="inverted_cdf")
    table = mini.kendall(resamples=60, seed=3)
    for i, row in enumerate(table.rows):
        for j in range(i):
            assert f"[{low[i, j]:.3f}, {high[i, j]:.3f}]" in row[1 + j]


def test_resampled_correlations_are_over_the_instances_that_all_systems_have():
    ev = unlike_systems(80, 5)
    frames = {
        name: pd.DataFrame({system: ev.per_instance(system, name) for system in ev.systems}).dropna()
        * (1 if better else -1)
        for name, better in ev.greater_is_better.items()
    }
    draws = []
    for rows in rows_of(Bootstrap(Units(80), 40)):
        means = [frame.loc[rows[np.isin(rows, frame.index)]].mean() for frame in frames.values()]
        draws.append([[scipy.stats.kendalltau(a, b).statistic for b in means] for a in means])
    low, high = np.quantile(np.nan_to_num(draws), [0.025, 0.975], axis=0, method="inverted_cdf")
    table = ev.kendall(40)
    for i, j in ((1, 0), (2, 0), (2, 1)):
        assert f"[{low[i, j]:.3f}, {high[i, j]:.3f}]" in table.rows[i][1 + j]
    assert any(note.startswith("TIE: each mean is over") for note in table.notes)


def tau_b(first: np.ndarray, second: np.ndarray) -> float:
    if len(first) < 2:
        return math.nan
    return scipy.stats.kendalltau(*(np.where(np.isinf(values), 9, values) for values in (first, second))).statistic


def test_correlations_of_many_tables_are_those_of_each():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 4, (30, 5, 6)).astype(float)
    scores[rng.random(scores.shape) < 0.15] = math.nan
    scores[rng.random(scores.shape) < 0.05] = math.inf
    found = kendall_taus(scores)
    for table, taus in zip(scores, found, strict=True):
        for i, first in enumerate(table):
            for j, second in enumerate(table):
                both = ~np.isnan(first) & ~np.isnan(second)
                assert taus[i, j] == pytest.approx(tau_b(first[both], second[both]), nan_ok=True)
                assert kendall(first, second) == pytest.approx(taus[i, j], nan_ok=True)


# ---- computed once


def test_means_ranks_and_resamples_are_computed_once(mini, monkeypatch):
    ev = Evaluation(mini.scores, mini.greater_is_better, mini.facts)
    pair = ev.systems[:2]

    def told():
        return str(ev.table()), ev.notes(), str(ev.kendall(30)), ev.interval("knn30", "F")

    first, compared = told(), str(ev.compare(*pair))
    for owner, name in ((instance_scores, "mean"), (evaluation_verdicts, "mean"), (Bootstrap, "counts")):
        monkeypatch.setattr(owner, name, lambda *a, **k: pytest.fail("computed again"))
    assert str(ev.compare(*pair)) == compared
    for test in ("summarize_pairs", "sign_test", "wilcoxon"):
        monkeypatch.setattr(f"hemlp.analysis.statistics.verdicts.{test}", lambda *a, **k: pytest.fail("tested again"))
    assert told() == first
    ev.ranks("F")["knn30"] = 99
    ev.notes().clear()
    assert told() == first
    assert ev.summary()["systems"]["knn30"]["F"] == ev.mean("knn30", "F")


def test_a_second_pair_draws_for_all_of_them(unlike, monkeypatch):
    ev = Evaluation(unlike.scores, unlike.greater_is_better, unlike.facts)
    usual, draws = Bootstrap.counts, []
    monkeypatch.setattr(Bootstrap, "counts", lambda self: draws.append(self) or usual(self))
    pairs = [("s0", "s1"), ("s2", "s0"), ("s0", "s2"), ("s1", "s2"), ("s1", "s0")]
    tables = [ev.compare(*pair) for pair in pairs]
    assert len(draws) == 2
    for pair, table in zip(pairs, tables, strict=True):
        assert table.rows == Evaluation(ev.scores, ev.greater_is_better, ev.facts).compare(*pair).rows


def test_what_is_kept_goes_with_the_evaluation():
    ev = scored(a=[0.5, 1.0], b=[0.5, 0.5])
    assert ev.interval("a", "m").level == 0.95
    assert ev.table()
    gone = weakref.ref(ev)
    del ev
    gc.collect()
    assert gone() is None
    other = scored(a=[0.0, 0.0], b=[0.5, 0.5])
    assert other.mean("a", "m") == 0
    assert tuple(other.interval("a", "m")) == (0, 0)


@pytest.mark.parametrize("size", [5, 1000, BLOCK, BLOCK + 1, 3 * BLOCK, 2 * BLOCK + 1000])
def test_draws_are_those_of_the_generator_itself(size):
    """Counted in plain Python from what ``rng.integers`` gives, with odd numbers of draws in a block, too."""
    number, seed = 2 * resampling.ROWS_AT_ONCE + 3, 6
    expected = np.zeros((number, size), int)
    rng, left = np.random.default_rng([seed, 0]), np.full(number, size)
    for start in range(0, size, BLOCK):
        width = min(BLOCK, size - start)
        here = rng.binomial(left, width / (size - start))
        left -= here
        drawn = iter(rng.integers(0, width, here.sum(), dtype=np.uint16).tolist())
        for resample, times in enumerate(here.tolist()):
            for _ in range(times):
                expected[resample, start + next(drawn)] += 1
    found = np.zeros((number, size), int)
    for resamples, units, counts in Bootstrap(Units(size), number, seed).counts():
        found[resamples, units] = counts
    assert (found == expected).all()
