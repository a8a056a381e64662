"""What resamples draw: instances in the order of their ids, and buckets of many; no order and no cut changes it."""

from __future__ import annotations

import hashlib
import json
import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from hemlp import Evaluation, Hierarchy, cafa, curve, evaluate
from hemlp.analysis.statistics import comparisons, intervals, resampling
from hemlp.analysis.statistics.intervals import ScoreColumn, difference_intervals, resample_means, shared_bootstrap
from hemlp.analysis.statistics.resampling import BUCKETS, Bootstrap, Units, assign_buckets
from hemlp.analysis.statistics.verdicts import Procedure
from hemlp.results.exact_sums import UNIT, BucketSums
from hemlp.run.gate import Gate
from hemlp.text.tables import Interval, quantiles

TREE = Hierarchy.from_edges([(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)])
MEASURES = ["F_H", "TIE", "SDL"]
IDS = st.lists(st.one_of(st.integers(-50, 10**20), st.text(min_size=1)), min_size=1, max_size=40, unique=True)


# ---- the order of ids


@given(IDS)
def test_instances_are_in_the_order_of_their_ids_as_utf8(ids):
    found = [name for _, name in sorted(zip(Units(len(ids), ids).members.tolist(), ids, strict=True))]
    texts = [str(name).encode("utf-8", "surrogatepass") for name in found]
    assert texts == sorted(texts)
    turned = ids[::-1]
    assert Units(len(ids), turned).members.tolist() == Units(len(ids), ids).members.tolist()[::-1]


@given(st.lists(st.one_of(st.integers(), st.text(min_size=1)), max_size=20))
def test_buckets_are_by_sha256(ids):
    expected = [
        int.from_bytes(hashlib.sha256(str(name).encode("utf-8", "surrogatepass")).digest(), "big") % BUCKETS
        for name in ids
    ]
    assert assign_buckets(ids).tolist() == expected


def test_buckets_of_rows_without_ids_are_by_their_number_from_1(monkeypatch):
    monkeypatch.setattr(resampling, "BUCKETED_FROM", 3)
    assert Units(3).members.tolist() == Units(3, ["1", "2", "3"]).members.tolist() == assign_buckets([1, 2, 3]).tolist()
    assert Units(2).members.tolist() == [0, 1]


def test_buckets_are_drawn_from_100_000_instances_on():
    assert [Units(size).in_buckets for size in (1, 99_999, 100_000, 10**6)] == [False, False, True, True]
    assert Bootstrap(Units(100_000)).signature.endswith("|buckets:4096")
    assert "buckets" not in Bootstrap(Units(99_999)).signature


# ---- the bootstrap, plainly


def reference(values: dict, resamples: int = 1000) -> tuple[float, float]:
    """The interval of a mean of up to 1,024 instances, id → score, as it is defined: draw, add, divide, cut off."""
    names = sorted(values, key=lambda name: str(name).encode())
    rng = np.random.default_rng([0, 0])
    rng.binomial(np.full(resamples, len(names)), 1.0)
    drawn = rng.integers(0, len(names), resamples * len(names), dtype=np.uint16).reshape(resamples, -1)
    means = []
    for row in drawn.tolist():
        scores = [score for score in (values[names[k]] for k in row) if not math.isnan(score)]
        if scores:
            means.append(math.fsum(scores) / len(scores))
    ordered = np.sort(means)
    return float(quantiles(ordered, (1 - 0.95) / 2)), float(quantiles(ordered, (1 + 0.95) / 2))


@pytest.mark.parametrize("seed", range(6))
def test_intervals_are_those_of_the_plain_bootstrap(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 120))
    names = [int(k) if seed % 2 else f"é{k}" for k in rng.permutation(10**4)[:size]]
    ev = evaluation(names, rng)
    for system in ev.systems:
        for name in ev.measures:
            scores = dict(zip(ev.ids, ev.per_instance(system, name).tolist(), strict=True))
            if not all(map(math.isnan, scores.values())):
                assert tuple(ev.interval(system, name)) == reference(scores)
    first, second = (dict(zip(ev.ids, ev.per_instance(s, "TIE").tolist(), strict=True)) for s in ("A", "B"))
    gaps = {name: first[name] - second[name] for name in ev.ids}
    if not all(map(math.isnan, gaps.values())):
        (found,) = difference_intervals(ev, "A", "B", ("TIE",))
        assert tuple(found) == pytest.approx(reference(gaps), abs=1e-15)


# ---- exact sums of buckets

FLOATS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(0, 1),
    st.sampled_from([0.1, -0.0, 5e-324, -5e-324, 2.2e-308, 1e308, -1e308, 1.7e308]),
)


@given(st.lists(st.tuples(FLOATS, st.integers(0, 3)), max_size=30), st.randoms(), st.integers(0, 30))
def test_sums_of_buckets_are_exact_and_add_up(rows, random, cut):
    def made(some):
        values, members = ([row[k] for row in some] for k in (0, 1))
        return BucketSums.of(np.array(values, np.float64), np.array(members, np.int64), 4)

    whole = made(rows)
    for bucket in range(4):
        here = [value for value, member in rows if member == bucket]
        finite = [Fraction(value) for value in here if math.isfinite(value)]
        assert Fraction(whole.sums[bucket], 2**UNIT) == sum(finite)
        assert whole.counts[bucket] == sum(not math.isnan(value) for value in here)
        assert whole.infinite[:, bucket].tolist() == [here.count(math.inf), here.count(-math.inf)]
    turned = random.sample(rows, len(rows))
    parts = made(turned[cut:]) + made(turned[:cut])
    assert parts.sums == whole.sums
    assert parts.counts.tolist() == whole.counts.tolist()
    assert parts.infinite.tolist() == whole.infinite.tolist()


def test_means_of_buckets_are_those_of_the_drawn_instances(monkeypatch):
    """With undefined and infinite values, tiny and huge ones: each against sums of fractions."""
    monkeypatch.setattr(resampling, "BUCKETED_FROM", 50)
    rng = np.random.default_rng(1)
    draw = Bootstrap(Units(300, [f"d{k}" for k in range(300)]), 20)
    columns = [
        rng.random(300), np.where(rng.random(300) < 0.3, math.nan, rng.random(300)), rng.normal(size=300) * 1e-300,
        rng.normal(size=300) * 1e290, np.zeros(300), np.full(300, math.nan), np.full(300, 1.0),
        np.where(np.arange(300) == 7, math.inf, 0.5), -rng.integers(0, 9, 300).astype(float),
    ]  # fmt: skip
    counts = np.zeros((20, BUCKETS), int)
    for resamples, there, found in draw.counts():
        counts[resamples, there] = found
    assert (counts.sum(axis=1) == BUCKETS).all()
    means = draw.means(columns)
    for k, column in enumerate(columns):
        for times, mean in zip(counts[:, draw.units.members].tolist(), means[:, k].tolist(), strict=True):
            drawn = [(n, value) for n, value in zip(times, column.tolist(), strict=True) if n and not math.isnan(value)]
            if any(math.isinf(value) for _, value in drawn) or not drawn:
                assert mean == math.inf if drawn else math.isnan(mean)
                continue
            total = float(sum(n * Fraction(value) for n, value in drawn))
            assert mean == total / sum(n for n, _ in drawn)


def test_buckets_say_what_instances_say():
    """Standard errors vary by 1.1%, and by 2.5% with 1,000 resamples: 24 of them by 0.6% on average."""
    rng = np.random.default_rng(4)
    size = 100_000
    columns = [*rng.random((8, size)), *(rng.random((8, size)) < 0.1).astype(float), *rng.exponential(size=(8, size))]
    means = Bootstrap(Units(size)).means(columns)
    ratios = means.std(axis=0) / (np.std(columns, axis=1) / math.sqrt(size))
    assert ratios == pytest.approx(np.ones(24), abs=0.11)
    assert ratios.mean() == pytest.approx(1, abs=0.02)
    assert means.mean(axis=0) == pytest.approx(np.mean(columns, axis=1), rel=1e-3)


@pytest.mark.parametrize(("size", "many"), [(150, 10**6), (3000, 1000)])
def test_intervals_cover_the_truth(monkeypatch, size, many):
    """In 95 of 100 cases; 400 of them vary by 1.1."""
    monkeypatch.setattr(resampling, "BUCKETED_FROM", many)
    monkeypatch.setattr(resampling, "BUCKETS", 512)
    columns = np.random.default_rng(9).beta(2, 5, (400, size))
    found = [Interval.of(drawn) for drawn in Bootstrap(Units(size)).means(columns).T]
    assert sum(low <= 2 / 7 <= high for low, high in found) / 400 == pytest.approx(0.945, abs=0.035)


# ---- orders and cuts of whole evaluations


def evaluation(names, rng, **options) -> Evaluation:
    pool = [[c] for c in TREE] * 2 + [[3, 4], [5, 6], []]
    sides = [{name: pool[rng.integers(len(pool))] for name in names} for _ in range(3)]
    true = {name: labels or [0] for name, labels in sides[0].items()}
    return evaluate(TREE, true, {"A": sides[1], "B": sides[2]}, MEASURES, undefined="nan", **options)


def told(ev: Evaluation) -> list:
    """Every interval of an evaluation."""
    tables = [
        ev.hits(),
        ev.levels(),
        ev.levels("A"),
        ev.errors(),
        ev.classes(),
        *(ev.branches(None, m) for m in MEASURES),
    ]
    found: list = [
        ev.interval(system, name, level=level) for system in "AB" for name in MEASURES for level in (0.95, 0.5)
    ]
    found += [difference_intervals(ev, *pair, tuple(MEASURES)) for pair in (("A", "B"), ("B", "A"))]
    found += [
        each.tolist()
        for each in resample_means(ev, shared_bootstrap(ev, 40, 3), [ScoreColumn("SDL", "A", common=True)])
    ]
    for table in tables:
        places = [k for k, name in enumerate(table.columns) if name.endswith("95%")]
        found += sorted(str([row[0], *(row[k] for k in places)]) for row in table.rows)
    return json.loads(json.dumps([str(each) if isinstance(each, Interval) else repr(each) for each in found]))


def turned(ev: Evaluation, random, **options) -> Evaluation:
    """The same instances in another order."""
    names = random.sample(ev.ids, len(ev.ids))
    inputs = ev.inputs
    sides = []
    for side in (inputs.true, *inputs.systems.values()):
        rows = dict(zip(side.ids, side, strict=True))
        sides.append({name: rows[name] for name in names})
    return evaluate(TREE, sides[0], dict(zip("AB", sides[1:], strict=True)), MEASURES, undefined="nan", **options)


@pytest.mark.parametrize("many", [10**6, 30])
@pytest.mark.parametrize("text", [True, False])
@settings(max_examples=4, deadline=None, phases=[Phase.generate])
@given(st.randoms(use_true_random=False), st.integers(0, 10**6))
def test_no_order_and_no_cut_changes_an_interval(many, text, random, seed):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(resampling, "BUCKETED_FROM", many)
        patched.setattr(resampling, "BUCKETS", 64)
        names = [f"é{k % 13}.{k}" if text else 7 * k for k in range(40)]
        ev = evaluation(names, np.random.default_rng(seed))
        expected = told(ev)
        assert told(turned(ev, random)) == expected
        assert told(turned(ev, random, chunk=7)) == expected


@pytest.mark.parametrize("many", [10**6, 30])
def test_files_have_the_intervals_of_what_was_written(tmp_path, monkeypatch, many):
    monkeypatch.setattr(resampling, "BUCKETED_FROM", many)
    ev = evaluation([f"d{k}" for k in range(60)], np.random.default_rng(2))
    ev.to_json(tmp_path / "e.json")
    again = Evaluation.from_json(tmp_path / "e.json")
    for system in "AB":
        for name in MEASURES:
            assert again.interval(system, name) == ev.interval(system, name)
    assert str(again.compare("A", "B")) == str(ev.compare("A", "B"))
    assert str(again.kendall(30)) == str(ev.kendall(30))
    assert str(Gate(again).compare(ev).table()) == str(Gate(ev).compare(again).table())
    written = json.loads((tmp_path / "e.json").read_text(encoding="utf-8"))
    assert ("resampling" in written) == (many == 30)


def test_what_is_drawn_is_said_wherever_intervals_are_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(resampling, "BUCKETED_FROM", 30)
    ev = evaluation(range(60), np.random.default_rng(2))
    ev.to_html(tmp_path / "e.html")
    scored = {name: {int(c): 0.5 + c / 20 for c in (1, 3, 5)} for name in range(60)}
    gold = {name: [name % 7] for name in range(60)}
    q, c = cafa(TREE, gold, scored), curve(TREE, gold, scored, ["F_H"])
    tables = [ev.table(), ev.compare(*ev.systems[:2]), ev.significance()]
    tables += [ev.hits(), ev.levels(), ev.errors(), ev.kendall(20), Gate(ev).compare(ev).table(), q.table(), c.table()]
    for text in [
        *map(str, tables),
        json.dumps(ev.to_dict()),
        json.dumps(q.to_dict()),
        (tmp_path / "e.html").read_text(),
    ]:
        assert "buckets:4096" in text
    monkeypatch.setattr(resampling, "BUCKETED_FROM", 10**6)
    assert "buckets" not in str(evaluation(range(60), np.random.default_rng(2)).levels())


@pytest.mark.parametrize("many", [10**6, 30])
@settings(max_examples=5, deadline=None, phases=[Phase.generate])
@given(st.randoms(use_true_random=False), st.integers(0, 10**6))
def test_no_order_changes_intervals_of_scored_predictions(many, random, seed):
    rng = np.random.default_rng(seed)
    names = [f"p{k}" for k in range(35)]
    gold = {name: [int(c) for c in rng.choice(7, 2, replace=False)] for name in names}
    scores = {name: {int(c): round(float(rng.random()), 2) for c in rng.choice(7, 3, replace=False)} for name in names}
    weights = dict(zip(TREE, rng.random(7).tolist(), strict=True))
    other = random.sample(names, len(names))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(resampling, "BUCKETED_FROM", many)
        patched.setattr(resampling, "BUCKETS", 64)
        found = []
        for order in (names, other):
            true, of = ({name: side[name] for name in order} for side in (gold, scores))
            q, c = cafa(TREE, true, of, weights), curve(TREE, true, of, ["F_H"])
            found.append(([q.interval(best) for best in ("fmax", "smin", "fmax_micro")], c.interval("F_H", 0.5)))
        assert found[0] == found[1]


# ---- all pairs of systems


def many_systems(number: int, undefined: bool) -> Evaluation:
    rng = np.random.default_rng(5)
    pool = [[c] for c in TREE] + ([[3, 4], []] if undefined else [])
    systems = {f"s{k}": [pool[j] for j in rng.integers(len(pool), size=50)] for k in range(number)}
    return evaluate(TREE, [[int(c)] for c in rng.integers(7, size=50)], systems, MEASURES, undefined="nan")


@pytest.mark.parametrize("undefined", [False, True])
def test_all_pairs_are_drawn_once_and_kept_in_little_room(monkeypatch, undefined):
    ev, number = many_systems(12, undefined), 12 * 11 // 2 * len(MEASURES)
    asked, drawn = [], []
    split, counts = intervals._split_pairs, Bootstrap.counts
    monkeypatch.setattr(
        intervals, "_split_pairs", lambda ev, pairs, name: asked.extend(pairs) or split(ev, pairs, name)
    )
    monkeypatch.setattr(Bootstrap, "counts", lambda self: drawn.append(self) or counts(self))
    pairs = list(comparisons.compare_all_pairs(ev, MEASURES, Procedure()))
    assert len(asked) <= 3 * number  # and not once for each pair of pairs
    assert len(drawn) == 1
    kept = intervals._cached_means(ev, shared_bootstrap(ev))
    assert all(column.baseline is None for column in kept)  # resamples of systems, and never those of pairs
    assert len(kept) <= 12 * len(MEASURES)
    again = many_systems(12, undefined)
    monkeypatch.setattr(intervals, "COLUMNS_AT_ONCE", 7)
    monkeypatch.setattr(resampling, "VALUES_AT_ONCE", 200)
    for each in pairs:
        assert difference_intervals(again, each.first, each.second, (each.measure,)) == (each.interval,)


@pytest.mark.parametrize("undefined", [False, True])
def test_intervals_of_differences_are_those_of_their_own_columns(undefined):
    """Sums are exact, and each mean is rounded twice: a difference of two of them by a few last bits of the means."""
    ev = many_systems(4, undefined)
    for first, second in combinations(ev.systems, 2):
        found = difference_intervals(ev, first, second, tuple(MEASURES))
        for name, interval in zip(MEASURES, found, strict=True):
            gaps = ev.per_instance(first, name) - ev.per_instance(second, name)
            low, high = Interval.of(shared_bootstrap(ev).means([gaps])[:, 0])
            assert tuple(interval) == pytest.approx((low, high), abs=4e-15)
