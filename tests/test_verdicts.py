"""Verdicts on systems: the oracle, plain definitions, exact signs, letters, and invariance to the unit of scores."""

from __future__ import annotations

import csv
import json
import math
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
import scipy.stats
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import hemlp
from hemlp import Hierarchy, evaluate, examples
from hemlp.analysis.statistics import letter_display as letters_module
from hemlp.analysis.statistics.differences import PairedDifferences, subtract_scores
from hemlp.analysis.statistics.letter_display import compact_letter_display, rank_means
from hemlp.analysis.statistics.permutation import effect_size, permutation_tests
from hemlp.analysis.statistics.significance_tests import holm, kendall, sign_test, wilcoxon
from hemlp.cli.main import commands
from hemlp.errors import InvalidOption, InvalidScores
from hemlp.measures.instance_scores import mean
from hemlp.stats import verdicts
from tests.oracle import DATA

SCALES = (1.0, 1 / 3, 1 / 7, 0.1)
TREE = Hierarchy.from_edges([(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)])
QUARTERS = st.integers(-8, 8).map(lambda k: k / 4)
THIRDS = st.sampled_from([0, 1 / 3, 1 / 2, 2 / 3, 1, 0.2, 0.4])


def d(first, second) -> PairedDifferences:
    return PairedDifferences.of(np.array(first, float), np.array(second, float))


def permutation_test(first, second) -> float:
    return permutation_tests([d(first, second)])[0]


@cache
def oracle() -> list[dict]:
    return [json.loads(line) for line in (DATA / "verdicts.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("number", range(30))
def test_oracle(number, scale):
    row = oracle()[number]
    scores = {s: [math.nan if x is None else x * scale for x in column] for s, column in row["scores"].items()}
    v = verdicts(scores, row["greater_is_better"])
    assert v.ranks == row["ranks"]
    assert {system: "".join(of) for system, of in v.groups.items()} == row["letters"]
    separated = {frozenset(pair) for pair in row["separated"]}
    assert {frozenset(pair) for pair in v.pairs if v.separated(*pair)} == separated
    for key, p in row["p"].items():
        pair = tuple(key.split("|"))
        k, n, p_sign = row["sign"][key]
        assert v.sign[pair][:2] == (k, n)
        assert v.sign[pair].p == pytest.approx(p_sign, rel=1e-9)
        assert v.wilcoxon[pair] == pytest.approx(row["wilcoxon"][key], rel=1e-9)
        if p is not None:
            assert v.p[pair] == v.p[pair[::-1]] == pytest.approx(p, rel=1e-9)
        else:
            low, high = row["p_all_signs_low_high"][key][1:]
            assert v.p[pair] < high + 1e-9
            assert v.p[pair] > low - 1e-9 or v.p[pair] == normal_p(scores, *pair)  # smaller where no draw is a hit
    exact = [p for p in row["p"].values() if p is not None]
    if len(exact) == len(row["p"]):
        assert list(v.holm.values()) == pytest.approx(list(row["holm"].values()), rel=1e-9)


def normal_p(scores, first, second) -> float:
    values = d(scores[first], scores[second]).values
    return pytest.approx(math.erfc(abs(values.sum()) / math.sqrt(2 * values @ values)), rel=1e-9)


# ---- tests of pairs against their definitions, in exact fractions


@settings(max_examples=150)
@given(st.lists(st.tuples(THIRDS, THIRDS), min_size=1, max_size=8), st.sampled_from(SCALES))
def test_permutation_and_wilcoxon_over_all_signs(pairs, scale):
    """Scores are rounded fractions; the reference has the fractions themselves."""
    exact = [(Fraction(a).limit_denominator(10) - Fraction(b).limit_denominator(10)) for a, b in pairs]
    gaps = [gap for gap in exact if gap]
    order = sorted(abs(gap) for gap in gaps)
    rank = {size: Fraction(sum(k + 1 for k, o in enumerate(order) if o == size), order.count(size)) for size in order}
    ranks = [rank[abs(gap)] if gap > 0 else -rank[abs(gap)] for gap in gaps]

    def p(terms) -> float:
        signed = [
            sum(s * abs(t) for s, t in zip(signs, terms, strict=True)) for signs in product((1, -1), repeat=len(terms))
        ]
        return sum(abs(total) >= abs(sum(terms)) for total in signed) / len(signed)

    first, second = (np.array(side, float) * scale for side in zip(*pairs, strict=True))
    assert permutation_test(first, second) == permutation_test(second, first) == p(gaps)
    assert wilcoxon(d(first, second)) == wilcoxon(d(second, first)) == pytest.approx(p(ranks), rel=1e-12)
    assert d(first, second).wins == sum(gap > 0 for gap in gaps)
    assert (d(first, second).mean == 0) == (sum(exact) == 0)


def test_differences_of_equal_size_are_tied_in_any_unit():
    first, second = np.array([1] * 30 + [1 / 3] * 30), np.full(60, 2 / 3)
    for scale in (1, 3, 1 / 7):
        assert wilcoxon(d(first * scale, second * scale)) == 1
        assert permutation_test(first * scale, second * scale) == 1
        assert verdicts({"A": first * scale, "B": second * scale}).better("A", "B") is None


@pytest.mark.parametrize("size", [40, 51, 300, 1500])
def test_statistics_do_not_depend_on_the_unit(size):
    """Of scores with denominators up to 12, all tests and verdicts."""
    rng = np.random.default_rng(size)
    scores = {name: rng.integers(0, 13, size) / rng.integers(12, 14, size) for name in "ABCD"}
    scores["D"] = np.minimum(1, scores["A"] + 0.1)
    plain = verdicts(scores)
    for scale in SCALES:
        scaled = verdicts({name: column * scale for name, column in scores.items()})
        assert (scaled.ranks, scaled.groups) == (plain.ranks, plain.groups)
        for pair in plain.pairs:
            assert scaled.sign[pair] == plain.sign[pair]
            assert scaled.wilcoxon[pair] == pytest.approx(plain.wilcoxon[pair], rel=1e-9)
            assert scaled.p[pair] == pytest.approx(plain.p[pair], rel=1e-9)


@pytest.mark.parametrize("size", [8, 40, 51, 300, 4000])
def test_wilcoxon_is_scipys(size):
    """Exact without ties; with them beyond 50, where scipy approximates as we do."""
    rng = np.random.default_rng(size)
    for first in (rng.normal(0.1, 1, size), rng.integers(-3, 5, size) / 4):
        ties = np.unique(np.abs(first)).size < size or (first == 0).any()
        if ties and np.count_nonzero(first) <= 50:
            continue
        method = "exact" if size <= 50 else "asymptotic"
        expected = scipy.stats.wilcoxon(first[first != 0], method=method).pvalue
        assert wilcoxon(d(first, np.zeros(size))) == pytest.approx(expected, rel=1e-9)


@given(st.integers(0, 60), st.data())
def test_sign_test_is_the_papers_by_name_and_two_sided_by_default(n, data):
    k = data.draw(st.integers(0, n))
    test, papers = sign_test(k, n), sign_test(k, n, "one")
    assert test[:2] == papers[:2] == (k, n)
    if n > 12:
        z = (k - 0.5 * n) / (0.5 * math.sqrt(n))
        assert test.z == pytest.approx(z)
        assert papers.p == pytest.approx(scipy.stats.norm.sf(z), rel=1e-9)
        assert test.p == pytest.approx(2 * scipy.stats.norm.sf(abs(z)), rel=1e-9)
    elif n:
        assert papers.p == pytest.approx(scipy.stats.binomtest(k, n, 0.5, alternative="greater").pvalue)
        assert test.p == pytest.approx(scipy.stats.binomtest(k, n, 0.5).pvalue)
    else:
        assert test.p == papers.p == 1


def test_signs_are_drawn_and_then_normal():
    """Draws, all signs (by scipy) and the normal distribution agree, as far as draws can."""
    rng = np.random.default_rng(0)
    for shift in (0.0, 0.1, 0.2):
        first, second = rng.normal(shift, 1, 400), np.zeros(400)
        drawn = permutation_test(first, second)
        normal = math.erfc(abs(first.sum()) / math.sqrt(2 * (first @ first)))
        expected = scipy.stats.permutation_test(
            (first, second), lambda a, b: (a - b).mean(), permutation_type="samples", n_resamples=9_999, rng=1
        ).pvalue
        assert abs(drawn - expected) < 0.02
        assert abs(drawn - normal) < 0.02
        order = rng.permutation(400)
        assert drawn == permutation_test(first[order], second[order]) == permutation_test(second, first)
        assert round(drawn * 10_000) == pytest.approx(drawn * 10_000)
    large = rng.normal(0.05, 1, 1001)
    assert permutation_test(large, np.zeros(1001)) == pytest.approx(
        math.erfc(abs(large.sum()) / math.sqrt(2 * (large @ large))), rel=1e-12
    )


def test_pairs_are_tested_as_if_alone():
    """However many are tested at once, of whatever sizes."""
    rng = np.random.default_rng(3)
    pairs = [d(rng.normal(0.1, 1, n), np.zeros(n)) for n in (0, 1, 5, 12, 13, 20, 500, 1000, 1001, 3)]
    assert permutation_tests(pairs) == [permutation_tests([each])[0] for each in pairs]


def test_without_a_hit_the_normal_p_is_smaller():
    assert permutation_test(np.full(30, 1e300), np.full(30, -1e300)) == pytest.approx(math.erfc(math.sqrt(15)))
    assert permutation_test(np.full(30, 1e-300), np.zeros(30)) == pytest.approx(math.erfc(math.sqrt(15)))
    far = np.full(13, 1.0)  # erfc(√6.5) = .0003: no draw is as far, and 1 / 10,000 is smaller
    assert permutation_test(far, np.zeros(13)) in ((1 + k) / 10_000 for k in range(20))


def test_undefined_and_infinite():
    one = np.array([0.5, math.nan, 1.0])
    assert permutation_test(one, one) == 1.0
    assert permutation_test(one, [0.5, 3.0, 1.0]) == 1.0  # undefined on one side is no difference
    assert math.isnan(permutation_test(one, [0.5, 3.0, math.inf]))
    inf = np.array([math.inf, -math.inf, math.inf, 1.0])
    assert subtract_scores(inf, inf).tolist() == [0, 0, 0, 0]
    assert d(inf, inf[::-1]).values.size == 4
    assert d(inf[[0, 3]], inf[[3, 3]]).mean == math.inf
    assert math.isnan(d(inf, np.ones(4)).mean)
    assert d(np.full(9, 1.7e308), np.full(9, -1.0)).mean == pytest.approx(1.7e308)
    assert wilcoxon(d(inf, inf)) == 1
    assert wilcoxon(d([math.inf] * 3, [0] * 3)) == 0.25
    v = verdicts({"A": [math.inf, 1.0], "B": [1.0, 1.0], "C": [2.0, 2.0]})
    assert math.isnan(v.p["A", "B"])
    assert v.holm["A", "B"] == 1
    assert v.ranks == {"A": 1, "B": 3, "C": 2}
    assert kendall([1.0, math.inf, math.inf, -math.inf], [2.0, 3.0, 3.0, 1.0]) == 1


def test_means_of_differences_are_exact():
    a, b = np.array([0.1, 0.2, 0.3, math.nan, 1.0]), np.array([0.3, 0.1, 0.2, 5.0, math.nan])
    assert d(a, b).mean == 0  # 0.1 − 0.3 and so on are rounded, their sum is not
    assert d(a[:2], b[:2]).mean == pytest.approx(-0.05)
    assert math.isnan(d(a[3:], b[3:]).mean)


def test_large_evaluations_use_a_tolerance_that_parts_know():
    """From 100,000 instances on scores are equal within 1e-12 · max(1, |first|, |second|)."""
    first, second = np.zeros(100_000), np.zeros(100_000)
    first[0], second[0] = 1e6, 1e6 * (1 + 5e-13)
    first[1], first[2] = 5e-13, 5e-12
    assert d(first, second).values.tolist() == [5e-12]
    assert d(first[:10], second[:10]).values.tolist() == []  # below, by the greatest score


@settings(max_examples=60)
@given(st.lists(st.tuples(QUARTERS, QUARTERS), min_size=2, max_size=12))
def test_effect_sizes(pairs):
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    gaps = first - second
    size = effect_size(d(first, second))
    if not gaps.any():
        assert size == 0
    elif np.ptp(gaps) == 0:
        assert size == math.copysign(math.inf, gaps[0])
    else:
        assert size == pytest.approx(gaps.mean() / gaps.std(ddof=1), abs=1e-12)
    assert effect_size(d(second, first)) == -size
    assert math.isnan(effect_size(d(first[:1], second[:1])))


def test_holm():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1, 1]
    assert holm([]) == []


# ---- places and letters


def test_places():
    assert rank_means([0.5, 0.9, 0.8, math.nan, 0.7], True) == [4, 1, 2, None, 3]
    assert rank_means([0.5, 0.9, 0.8, math.nan, 0.7], False) == [1, 4, 3, None, 2]
    assert rank_means([1 / 3, 1 - 2 / 3, 0.25], True) == [1, 1, 3]
    assert rank_means([math.inf, math.inf, 1.0], False) == [2, 2, 1]
    assert rank_means([], True) == []


@settings(max_examples=150)
@given(st.integers(1, 7), st.data())
def test_letters_are_exactly_true_and_none_is_idle(size, data):
    pairs = list(combinations(range(size), 2))
    separated = set(data.draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else set()
    display = compact_letter_display(size, lambda i, j: (min(i, j), max(i, j)) in separated)
    assert all(display)
    for i, j in pairs:
        assert bool(set(display[i]) & set(display[j])) == ((i, j) not in separated)
    names = sorted({letter for of in display for letter in of})
    assert names == [chr(ord("a") + k) for k in range(len(names))]
    members = {letter: {k for k in range(size) if letter in display[k]} for letter in names}
    for letter in names:  # each joins a pair, or marks a system, that no other does
        others = [members[other] for other in names if other != letter]
        own = [pair for pair in combinations(sorted(members[letter]), 2) if not any({*pair} <= o for o in others)]
        assert own or any(not any(k in o for o in others) for k in members[letter])
        # and is as large as it can be
        assert all(
            any((min(k, m), max(k, m)) in separated for m in members[letter]) for k in {*range(size)} - members[letter]
        )
    order = [sorted(members[letter]) for letter in names]
    assert order == sorted(order)


def letters_by_definition(size, separated) -> list[tuple[str, ...]]:
    """Every set of systems tried; then, from the last letter to the first, those that join and mark nothing alone."""
    together = [
        set(each) for n in range(1, size + 1) for each in combinations(range(size), n)
        if not any(pair in separated for pair in combinations(each, 2))
    ]  # fmt: skip
    groups = sorted(sorted(each) for each in together if not any(each < other for other in together))
    for group in groups[::-1]:
        rest = [other for other in groups if other != group]
        joined = all(any({*pair} <= {*other} for other in rest) for pair in combinations(group, 2))
        if joined and all(any(k in other for other in rest) for k in group):
            groups = rest
    return [tuple("abcdefghijklmnopqrstuvwxyz"[g] for g, of in enumerate(groups) if k in of) for k in range(size)]


def test_letters_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    pairs = list(combinations(range(7), 2))
    graphs = [{pair for pair in pairs if rng.random() < share} for share in (0.1, 0.2, 0.35, 0.5) * 30]
    graphs += [{(0, 3), (1, 4), (2, 5)}, {(0, 1), (2, 3), (4, 5)}]  # eight groups, of which which ones go depends
    for separated in graphs:
        display = compact_letter_display(7, lambda i, j, of=separated: (min(i, j), max(i, j)) in of)
        assert display == letters_by_definition(7, separated)


def test_too_many_groups_have_no_letters(monkeypatch):
    apart = {(2 * k, 2 * k + 1) for k in range(5)}  # every choice of one of each of five pairs is a group
    assert len(set().union(*compact_letter_display(10, lambda i, j: (i, j) in apart))) <= 32
    monkeypatch.setattr(letters_module, "MAX_GROUPS", 31)
    assert compact_letter_display(10, lambda i, j: (i, j) in apart) == [()] * 10


def test_few_systems_have_no_letters():
    assert verdicts({"A": [1, 2], "B": [3, 4]}).groups == {"A": (), "B": ()}
    assert verdicts({"A": [1, 2]}).ranks == {"A": 1}


def test_wrong_scores_are_named():
    for scores, words in (
        ({}, "there are no systems"),
        ([[1], [2]], "by the name of their system"),
        ({"A": [1, 2], "B": [1]}, "A 2, B 1"),
        ({"A": ["x"]}, "scores of A are not numbers"),
        ({"A": [[1, 2]]}, "scores of A are not one number per instance"),
    ):
        with pytest.raises(InvalidOption, match=words):
            verdicts(scores)
    for options, words in (({"sided": "three"}, "sided="), ({"test": "t"}, "test="), ({"ranks": "x"}, "ranks="),
                           ({"test": "permutation", "sided": "one"}, "sign test")):  # fmt: skip
        with pytest.raises(InvalidOption, match=words):
            verdicts({"A": [1], "B": [2]}, **options)


# ---- evaluations


MINI = examples.mesh_mini()


@pytest.fixture(scope="module")
def mini():
    return evaluate(MINI.hierarchy, MINI.true, MINI.systems, ["F", "GIE", "F_H", "F_LCA"])


def test_tables_show_places_and_letters_of_the_test_of_the_mean(mini):
    for name, better in mini.greater_is_better.items():
        v = verdicts({s: mini.per_instance(s, name) for s in mini.systems}, better)
        assert mini.ranks(name) == v.ranks
        assert mini.groups(name) == v.groups
        column = mini.table(intervals=False).columns.index(f"{name} {'↑' if better else '↓'}")
        for row in mini.table(intervals=False).rows:
            assert row[column].endswith(f" ({v.ranks[row[0]]}) {''.join(v.groups[row[0]])}")
        marks = {mini.systems[i]: how for (i, j), how in mini.table().emphasis.items() if j == column}
        best = next(s for s in mini.systems if v.ranks[s] == 1)
        equal = {s for s in mini.systems if s != best and not v.separated(s, best)}
        assert marks == {best: "best", **dict.fromkeys(equal, "equal")}
    assert mini.groups("F_H")["topdown_lcpn"] != mini.groups("F_H")["svm_ovr_freq60"]  # p = 3e-6 after Holm
    notes = mini.table(intervals=False).notes
    assert notes[0] == "200 instances; (place) by mean; same letter: no significant difference"
    assert notes[1] == "paired permutation test of the mean, corrected by Holm for 10 pairs, level 0.05"
    chained = mini.table(sided="one", ranks="chained", intervals=False).notes
    assert chained[0].startswith("200 instances; (rank): a system shares the rank of the one above unless that is")
    assert chained[1].startswith("one-sided sign test")


def test_every_p_value_stands_beside_the_system_that_it_speaks_for():
    """A is better on ten instances by much, B on thirty by little."""
    true = [[3]] * 40
    ev = evaluate(TREE, true, {"A": [[3]] * 10 + [[0]] * 30, "B": [[5]] * 10 + [[1]] * 30}, ["TIE"])
    assert ev.mean("A", "TIE") < ev.mean("B", "TIE")
    for names in (("A", "B"), ("B", "A")):
        row = ev.compare(*names).to_frame().iloc[0]
        assert row["better"] == "A"
        assert row["difference"] == (-0.25 if names[0] == "A" else 0.25)
        assert row["difference 95% low"] < row["difference"] < row["difference 95% high"]
        assert (row["sign favours"], row["won"]) == ("B", "30 of 40")
        assert row["p sign"] == pytest.approx(2 * scipy.stats.norm.sf(20 / math.sqrt(40)))
        assert row["remark"] == "A wins fewer instances, but by more"
        values = [ev.per_instance(s, "TIE") for s in ("A", "B")]
        assert row["p"] == permutation_test(*values) == row["p (Holm)"]
        assert row["p Wilcoxon"] == pytest.approx(scipy.stats.wilcoxon(*values, method="approx").pvalue, abs=0.01)
    assert ev.ranks("TIE") == {"A": 1, "B": 2}
    one = ev.compare("A", "B", sided="one").to_frame().iloc[0]  # the paper's: wins of the better mean
    assert (one["won"], one["sign favours"]) == ("10 of 40", "A")
    assert one["p sign"] == one["p"] > 0.99
    assert ev.ranks("TIE", sided="one", ranks="chained") == {"A": 1, "B": 1}
    assert ev.ranks("TIE", test="sign", ranks="chained") == {"A": 1, "B": 1}  # it speaks for B


def test_wilcoxon_that_favours_the_other_system_is_said():
    """A wins four instances by 1 and one by 20, B wins four by 3."""
    chain = Hierarchy.from_edges([(k, k + 1) for k in range(20)])
    a, b = [[1]] * 4 + [[0]] + [[5]] * 4, [[2]] * 4 + [[20]] + [[2]] * 4
    row = evaluate(chain, [[0]] * 9, {"A": a, "B": b}, ["TIE"]).compare("A", "B").to_frame().iloc[0]
    assert row[["better", "sign favours", "Wilcoxon favours"]].tolist() == ["A", "A", "B"]
    assert row["remark"] == "A has the better mean, B the greater sum of ranks"


def test_equal_systems_are_not_called_better():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    ev = evaluate(h, ["a"], {"A": ["b"], "B": ["b"]}, ["F", "GIE"])
    frame = ev.compare("A", "B").to_frame()
    assert frame["better"].tolist() == frame["sign favours"].tolist() == ["neither"] * 2
    assert frame["p"].tolist() == [1, 1]
    assert frame["remark"].tolist() == ["", ""]
    assert ev.significance("F").rows[0][1:3] == ["neither", "A, B"]


def test_one_system_has_nothing_to_be_compared_with(mini):
    h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    one = evaluate(h, ["b", "c"], ["b", "b"], ["F", "F_H"])
    assert str(one.significance()) == "Tests compare two systems, and there is only one."
    for few in (one, evaluate(h, ["b"], {"A": ["b"], "B": ["c"]}, ["F"])):
        assert str(few.kendall()).startswith("Kendall's τ compares how two measures rank two systems or more.\n")
    assert not mini.kendall().lead
    assert not mini.significance().lead


def test_significance_corrects_the_pairs_of_each_measure(mini):
    frame = mini.significance(["F", "GIE"]).to_frame()
    assert len(frame) == 20
    for name, part in frame.groupby("measure"):
        assert part["p (Holm)"].tolist() == pytest.approx(holm(part["p"].tolist()), rel=1e-9)
        v = verdicts({s: mini.per_instance(s, name) for s in mini.systems}, mini.greater_is_better[name])
        for _, row in part.iterrows():
            assert row["better"] == v.better(row["better"], row["worse"])
            assert (row["difference"] > 0) == mini.greater_is_better[name]
            assert (row["significant"] == "yes") == v.separated(row["better"], row["worse"])
            assert row["p"] == v.p[row["better"], row["worse"]]
    pair = mini.compare("knn30", "lexical_match").to_frame().set_index("measure")
    of = frame[(frame["measure"] == "F") & (frame["worse"] == "lexical_match") & (frame["better"] == "knn30")].iloc[0]
    assert pair.loc["F", "p (Holm)"] == of["p (Holm)"]
    assert mini.significance().rows[0][0] == "F"
    assert len(mini.significance().rows) == 40
    with pytest.raises(InvalidOption, match="no measure 'SDL'"):
        mini.significance(["F", "SDL"])


def test_too_few_instances_are_noted():
    true = [[3]] * 5
    systems = {"A": [[3]] * 5, "B": [[5]] * 5, "C": [[5]] * 4 + [[3]]}
    ev = evaluate(TREE, true, systems, ["F"])
    assert (
        "F: too few instances differ to separate A and B (5 differ), A and C (4 differ), B and C (1 differ)"
        in ev.notes()
    )
    ev = evaluate(TREE, true * 3, {name: rows * 3 for name, rows in systems.items()}, ["F"])
    assert "F: too few instances differ to separate B and C (3 differ)" in ev.notes()
    assert ev.groups("F") == {"A": ("a",), "B": ("b",), "C": ("b",)}


def test_two_systems_have_their_p_below_the_table():
    ev = evaluate(TREE, [[3]] * 6, {"A": [[3]] * 6, "B": [[5]] * 6}, ["F", "F_H"])
    assert ev.table(intervals=False).notes[:2] == [
        "6 instances; (place) by mean", "p, paired permutation test of the mean: F .031, F_H .031"
    ]  # fmt: skip


def test_p_values_have_one_format_everywhere(mini, tmp_path):
    """Three decimals or <.001, and frames have the numbers themselves."""
    names = ["knn30", "topdown_lcpn"]
    two = evaluate(MINI.hierarchy, MINI.true, {name: MINI.systems[name] for name in names}, ["F", "F_LCA"])
    assert "F <.001, F_LCA .066" in "".join(two.notes())
    assert "(p = .066)" in two.table().lead[0]
    compared = two.compare(*names)
    p = compared.columns.index("p")
    assert [row[p : p + 2] for row in compared.cells] == [["<.001"] * 2, [".066"] * 2]
    assert compared.numeric[p]
    assert two.significance().cells[1][p + 1] == ".066"
    assert "&lt;.001 | &lt;.001" in compared.to_markdown()
    assert r"\textless{}.001 & \textless{}.001" in compared.to_latex()
    assert compared.to_frame()["p"].tolist() == [row[p] for row in compared.rows]
    assert 0 < compared.rows[0][p] < 1e-9 < 0.0655 < compared.rows[1][p] < 0.0665
    two.to_html(tmp_path / "e.html")
    page = (tmp_path / "e.html").read_text()
    assert "&lt;.001</span>" in page
    assert "no: p = .066; would need" in page


def test_verdicts_in_json(mini, tmp_path):
    mini.to_json(tmp_path / "e.json")
    data = json.loads((tmp_path / "e.json").read_text())["verdicts"]
    for name in mini.measures:
        assert data[name]["ranks"] == mini.ranks(name)
        assert {s: tuple(of) for s, of in data[name]["groups"].items()} == mini.groups(name)
        for each in data[name]["pairs"]:
            row = mini.compare(*each["systems"]).to_frame().set_index("measure").loc[name]
            assert (each["better"], each["p"], each["p (Holm)"]) == (row["better"], row["p"], row["p (Holm)"])
    again = hemlp.Evaluation.from_json(tmp_path / "e.json")
    assert str(again.table()) == str(mini.table())


def test_the_table_as_csv(mini, tmp_path):
    """By a study: one row per system and measure, with the numbers of the table."""
    files = examples.DATA / "mesh_mini"
    (tmp_path / "study.toml").write_text(
        f'hierarchy = "{files / "hierarchy.txt"}"\ntrue = "{files / "gold.txt"}"\nmeasures = ["F", "GIE"]\n'
        f'[systems]\n' + "".join(f'{s} = "{files / f"pred_{s}.txt"}"\n' for s in mini.systems)
        + '[outputs]\ntable = "t.csv"\n'
    )  # fmt: skip
    assert CliRunner().invoke(commands, ["run", str(tmp_path / "study.toml")]).exit_code == 0
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))
    assert [(row["system"], row["measure"]) for row in rows] == [(s, m) for m in ("F", "GIE") for s in mini.systems]
    for row in rows:
        assert float(row["mean"]) == mini.mean(row["system"], row["measure"])
        assert (float(row["low"]), float(row["high"])) == tuple(mini.interval(row["system"], row["measure"]))
        assert int(row["place"]) == mini.ranks(row["measure"])[row["system"]]
        assert row["letters"] == "".join(mini.groups(row["measure"])[row["system"]])


@pytest.mark.parametrize("test", ["p", "holm", "wilcoxon", "sign", "permutation"])
@pytest.mark.parametrize("size", [2, 100_000])
def test_scores_that_differ_by_more_than_a_float_can_hold_are_refused(test, size):
    for first in ([1e308] * size, [1e308] + [0.0] * (size - 1)):
        with pytest.raises(InvalidScores, match=r"1e\+308 and -1e\+308 of an instance differ .*: scale all scores"):
            getattr(verdicts({"A": first, "B": np.negative(first)}), test)


def test_a_mean_with_an_infinite_score_is_infinite_however_large_the_others_are():
    large = [1e308, 1e308, 1e308]
    assert mean(np.array([*large, math.inf])) == math.inf
    assert mean(np.array([-math.inf, *large])) == -math.inf
    assert math.isnan(mean(np.array([*large, math.inf, -math.inf])))


def test_the_effect_of_the_largest_differences_does_not_overflow():
    d = np.array([1.0, 0.0, 3.0, 1.0])
    large = effect_size(PairedDifferences.of(d * 2.0**1020, np.zeros(4)))
    assert large == effect_size(PairedDifferences.of(d, np.zeros(4)))
