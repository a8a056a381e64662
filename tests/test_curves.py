"""Curves over the threshold, and CAFA's averages, against their definitions written down plainly."""

from __future__ import annotations

import gzip
import json
import math
import random

import numpy as np
import pytest

from hemlp import (
    Batch,
    Hierarchy,
    LabelSets,
    cafa,
    curve,
    information_accretion,
    measure,
    read_hierarchy,
    read_labels,
    read_scores,
)
from hemlp.analysis.scored.threshold_steps import ThresholdSteps
from hemlp.analysis.statistics.resampling import Bootstrap, Units
from hemlp.errors import InvalidOption, InvalidScores, NoSolver, UndefinedScore, UnknownLabel
from tests.scored import World, cafa_row, gold_sets, mean_at, world

COLUMNS = ("precision", "recall", "f", "mi", "ru", "s", "coverage", "covered")
COLUMNS += ("precision_micro", "recall_micro", "f_micro")
THEIRS = ("pr", "rc", "f", "mi", "ru", "s", "cov", "n", "pr_micro", "rc_micro", "f_micro")
H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])


def some_weights(w: World, seed: int) -> dict[str, float]:
    rng = random.Random(seed)
    return {c: rng.choice([0.0, 0.5, 1.25, 3.0]) for c in w.h.labels}


# ---- information accretion


@pytest.mark.parametrize("seed", range(30))
def test_information_accretion_is_its_definition(seed):
    w = world(seed)
    closures = [w.closed(labels) for labels in w.gold.values()]
    corpus = gold_sets(w)
    for smoothing, unseen in ((0, 0.5), (1, None), (0.5, 2.0)):
        found = information_accretion(w.h, corpus, smoothing=smoothing, unseen=unseen)
        for c in w.h.labels:
            n, whole = sum(c in s for s in closures), sum(w.h.parents(c) <= s for s in closures)
            wanted = unseen if n == 0 and unseen is not None else -math.log2((n + smoothing) / (whole + smoothing))
            assert found[c] == pytest.approx(wanted, abs=1e-12)
            assert str(found[c]) != "-0.0"


def test_classes_that_the_corpus_does_not_have_are_an_error():
    with pytest.raises(InvalidOption, match="'cow'.*give unseen="):
        information_accretion(H, ["sheep"])
    assert information_accretion(H, ["sheep"], unseen=7.0)["cow"] == 7.0
    for smoothing in (0, 1):
        with pytest.raises(InvalidOption, match="unseen=nan is not a number"):
            information_accretion(H, ["sheep"], unseen=float("nan"), smoothing=smoothing)


def test_many_classes_with_several_parents(monkeypatch):
    monkeypatch.setattr("hemlp.measures.information.CLASSES_AT_ONCE", 2)
    monkeypatch.setattr("hemlp.measures.information.NODES_AT_ONCE", 5)
    test_information_accretion_is_its_definition(3)
    test_information_accretion_is_its_definition(4)


# ---- CAFA's averages


@pytest.mark.parametrize("seed", range(40))
def test_cafa_is_its_definition_at_every_distinct_score_and_on_grids(seed):
    w = world(seed)
    weights = [None, some_weights(w, seed)][seed % 2]
    norm = ["cafa", "pred", "gt"][seed % 3]
    grid = [None, np.array([0.3, 0.1, -5.0, 9.0, 0.5, 0.3])][seed // 2 % 2]
    try:
        q = cafa(w.h, gold_sets(w), w.scores, weights=weights, norm=norm, thresholds=grid)
    except InvalidScores:
        assert all(cafa_row(w, t, weights, norm) is None for t in (w.distinct() if grid is None else grid))
        return
    wanted = [(t, cafa_row(w, t, weights, norm)) for t in (w.distinct() if grid is None else np.unique(grid))]
    wanted = [(t, row) for t, row in wanted if row is not None]
    assert q.thresholds.tolist() == [t for t, _ in wanted]
    for k, (_, row) in enumerate(wanted):
        for name in COLUMNS if row else ():
            assert getattr(q, name)[k] == pytest.approx(row[name], abs=1e-12), name
        if not row:  # norm="pred" and nothing that weighs anything is predicted
            assert math.isnan(q.s[k])
    if all(row for _, row in wanted):
        assert q.fmax == pytest.approx(max(row["f"] for _, row in wanted), abs=1e-12)
        assert q.smin == pytest.approx(min(row["s"] for _, row in wanted), abs=1e-12)
        assert q.fmax_micro == pytest.approx(max(row["f_micro"] for _, row in wanted), abs=1e-12)
        best = [t for t, row in wanted if row["f"] >= q.fmax - 1e-12]
        assert q.fmax_threshold == best[0]


@pytest.mark.parametrize("seed", range(40, 70))
def test_what_is_excluded_counts_neither_for_nor_against(seed):
    w = world(seed)
    rng = random.Random(seed)
    names = list(w.h.labels)
    terms = rng.choice([None, rng.sample(names, rng.randint(1, len(names)))])
    exclude = rng.choice([rng.sample(names, 1), {i: rng.sample(names, rng.randint(0, 2)) for i in list(w.gold)[::2]}])
    weights = rng.choice([None, some_weights(w, seed)])
    given = LabelSets.of(exclude, rows="sets") if isinstance(exclude, dict) else exclude
    rows = [(t, cafa_row(w, t, weights, "cafa", terms, exclude)) for t in w.distinct()]
    rows = [(t, row) for t, row in rows if row is not None]
    if not rows:
        with pytest.raises(InvalidScores, match="nothing is predicted"):
            cafa(w.h, gold_sets(w), w.scores, weights, exclude=given, terms=terms)
        return
    q = cafa(w.h, gold_sets(w), w.scores, weights, exclude=given, terms=terms)
    assert q.thresholds.tolist() == [t for t, _ in rows]
    for k, (_, row) in enumerate(rows):
        for name in COLUMNS:
            assert getattr(q, name)[k] == pytest.approx(row[name], abs=1e-12), name


def test_areas_go_by_steps():
    w = world(8, empty_gold=False)
    q = cafa(w.h, gold_sets(w), w.scores)
    for area, x, y in ((q.area, q.recall, q.precision), (q.area_micro, q.recall_micro, q.precision_micro)):
        total, before = 0.0, 0.0
        for k in range(len(x) - 1, -1, -1):
            total, before = total + (x[k] - before) * y[k], x[k]
        assert area == pytest.approx(total, abs=1e-12)
    with pytest.raises(InvalidOption, match="no area"):
        _ = cafa(w.h, gold_sets(w), w.scores, norm="pred").area


def test_every_f_of_the_table_is_made_of_the_p_and_r_beside_it():
    gold = {"a": ["sheep", "cow"], "b": ["sheep"], "c": ["bird"]}
    scores = {"a": {"sheep": 0.9, "cow": 0.4}, "b": {"bird": 0.8, "cow": 0.6}, "c": {"sheep": 0.7}}
    h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
    q = cafa(h, gold, scores)
    rows = {row[0]: [float(cell) for cell in row[2:5]] for row in q.table().rows}
    for name in ("Fmax", "Fmax micro"):
        value, p, r = rows[name]
        assert value == pytest.approx(2 * p * r / (p + r), abs=2e-4)
    assert rows["Fmax"][1:] != rows["Fmax micro"][1:]


def test_cafa_says_what_it_did():
    q = cafa(H, {"a": ["sheep"], "b": []}, {"a": {"sheep": 0.5}, "z": {"cow": 1.0}})
    assert q.notes == (
        "no scores for 1 of 2 instances: nothing is predicted there",
        "1 scored instance left out: not in the gold",
        "recall 0, without a true class that counts: 1 instance",
    )
    assert "optimistic" in repr(q)
    assert "optimistic" in str(q.table())
    assert q.to_columns()["f"] == q.f.tolist()
    with pytest.raises(InvalidScores, match="no instance of the gold has a score"):
        cafa(H, ["sheep"], [{}])
    with pytest.raises(InvalidScores, match="at any of the thresholds"):
        cafa(H, ["sheep"], [{"sheep": 0.5}], thresholds=[0.6])
    with pytest.raises(UnknownLabel, match="'shep'"):
        cafa(H, ["sheep"], [{"sheep": 0.5}], terms=["shep"])
    with pytest.raises(UnknownLabel, match="'shep'"):
        cafa(H, ["sheep"], [{"sheep": 0.5}], exclude=["shep"])
    with pytest.raises(InvalidOption, match="norm"):
        cafa(H, ["sheep"], [{"sheep": 0.5}], norm="mean")
    with pytest.raises(InvalidOption, match="weights has no value"):
        cafa(H, ["sheep"], [{"sheep": 0.5}], weights={"sheep": 1.0})


def cafa2(data, namespace):
    folder = data / "cafa2" / namespace
    ids = gzip.decompress((folder / "ids.txt.gz").read_bytes()).decode().split()
    gold = dict(zip(ids, read_labels(folder / "gold.txt.gz"), strict=True))
    return folder, read_hierarchy(folder / "hierarchy.txt.gz"), gold


@pytest.mark.parametrize("namespace", ["mfo", "cco"])
def test_the_numbers_of_cafaeval(data, namespace):
    folder, h, gold = cafa2(data, namespace)
    lines = gzip.decompress((folder / "ia.tsv.gz").read_bytes()).decode().split()
    ia = dict(zip(lines[::2], map(float, lines[1::2]), strict=True))
    scores, grid = read_scores(folder / "scored_blast.tsv.gz"), np.arange(0.01, 1, 0.01)
    found = {
        (norm, weighted): cafa(h, gold, scores, ia if weighted else None, norm, grid)
        for norm in ("cafa", "pred", "gt")
        for weighted in (False, True)
    }
    names = dict(zip(THEIRS, COLUMNS, strict=True))
    best = {"f": "fmax", "s": "smin", "f_micro": "fmax_micro"}
    for key, row in json.loads((folder / "cafaeval.json").read_text()).items():
        _, norm, _, by = key.split("|")
        for suffix in ("", "_w"):
            if f"f{suffix}" not in row:
                continue
            q = found[norm.removeprefix("norm="), bool(suffix)]
            (k,) = np.flatnonzero(q.thresholds == row["tau"])
            for theirs, ours in names.items():
                assert getattr(q, ours)[k] == pytest.approx(row[theirs + suffix], abs=1e-9), (key, theirs)
            if by.endswith("_w") == bool(suffix):
                name = best[by.removesuffix("_w")]
                assert getattr(q, name) == pytest.approx(row[by], abs=1e-9)
                assert getattr(q, f"{name}_threshold") == row["tau"]


# ---- curves of any measure


@pytest.mark.parametrize("seed", range(15))
def test_curves_are_the_measures_at_every_distinct_score(seed):
    w = world(seed)
    names = ["F_H", "P_H", "R_H", "SDL", "F", "hamming", "F_De", "F_H(top=True)"]
    names += [["F_LCA", "GIE"], ["MGIA", "F_H(horizon=2)"], ["F_Tol", "accuracy"]][seed % 3]
    c = curve(w.h, gold_sets(w), w.scores, names)
    assert c.exact
    assert c.thresholds.tolist() == w.distinct()
    for name in names:
        wanted = [mean_at(w, name, t) for t in w.distinct()]
        assert c[name].tolist() == pytest.approx(wanted, abs=1e-12), name
        best = max(wanted) if measure(name).greater_is_better else min(wanted)
        threshold, value = c.best(name)
        assert value == pytest.approx(best, abs=1e-12)
        assert threshold == next(t for t, v in zip(w.distinct(), wanted, strict=True) if abs(v - best) < 1e-10)
    for t in w.distinct():
        each = [float(measure("F_H").score(w.h, w.gold[i], sorted(w.predicted(i, t)))) for i in w.gold]
        assert c.per_instance("F_H", t).tolist() == pytest.approx(each, abs=1e-12)


@pytest.mark.parametrize("seed", range(25, 40))
def test_weighted_curves(seed):
    w = world(seed)
    weights = some_weights(w, seed)
    each = measure("F_H", weights=weights)
    c = curve(w.h, gold_sets(w), w.scores, each)
    for t, value in zip(c.thresholds, c["F_H(weights='custom')"], strict=True):
        values = [float(each.score(w.h, w.gold[i], sorted(w.predicted(i, t)))) for i in w.gold]
        assert value == pytest.approx(math.fsum(values) / len(values), abs=1e-12)


@pytest.mark.parametrize("seed", range(40, 55))
def test_curves_on_a_grid_and_with_fewer_points(seed):
    w = world(seed)
    grid = [0.3, 0.7, 0.1, 5.0, -3.0]
    c = curve(w.h, gold_sets(w), w.scores, ["F_H", "GIE"], thresholds=grid)
    assert (c.kind, c.exact) == ("a grid", False)
    for name in ("F_H", "GIE"):
        assert c[name].tolist() == pytest.approx([mean_at(w, name, t) for t in sorted(grid)], abs=1e-12)
    assert c.at("GIE", 0.3) == pytest.approx(mean_at(w, "GIE", 0.3))
    with pytest.raises(InvalidOption, match="not a threshold of this curve"):
        c.at("F_H", 0.31)
    few = curve(w.h, gold_sets(w), w.scores, ["F_H"], points=2)
    best = curve(w.h, gold_sets(w), w.scores, ["F_H"]).best("F_H")
    assert few.best("F_H") == best
    ends = {w.distinct()[0], w.distinct()[-1]}
    assert few.thresholds.tolist() == (w.distinct() if few.exact else sorted({*ends, best.threshold}))
    assert few["F_H"].tolist() == pytest.approx([mean_at(w, "F_H", t) for t in few.thresholds], abs=1e-12)
    assert few.exact == (len(w.distinct()) <= 2)
    assert (f"{len(few.thresholds)} of" in repr(few)) == (not few.exact)


def test_points_of_large_graphs_are_left_out_and_a_note_says_so(monkeypatch):
    monkeypatch.setattr("hemlp.analysis.scored.threshold_search.MANY", 1)
    left_out = 0
    for seed in range(40, 50):
        w = world(seed)
        few, every = (curve(w.h, gold_sets(w), w.scores, ["F_LCA"], points=points) for points in (5, None))
        assert few.best("F_LCA") == every.best("F_LCA")
        assert few["F_LCA"].tolist() == [every.at("F_LCA", t) for t in few.thresholds]
        crowded = [
            t
            for k, t in enumerate(few.thresholds)
            if few.steps.sizes[few.steps.steps_at(len(few.thresholds) - 1 - k)].mean() > 1
        ]
        assert few.exact or crowded in ([], [few.best("F_LCA").threshold])
        left_out += "left out" in " ".join(few.notes)
    assert left_out > 5


def test_a_curve_between_its_thresholds():
    c = curve(H, ["sheep", "cow"], [{"sheep": 0.9}, {"cow": 0.4}], "F_H")
    assert (c.at("F_H", 0.4), c.at("F_H", 0.41), c.at("F_H", -1)) == (1.0, 0.5, 1.0)
    with pytest.raises(InvalidOption, match="above the greatest"):
        c.at("F_H", 0.91)
    assert c.area("F_H") == pytest.approx(0.5 * 0.5)
    with pytest.raises(InvalidOption, match="'F_LCA'"):
        c.best("F_LCA")


def test_areas_against_recall():
    w = world(3, empty_gold=False)
    c = curve(w.h, gold_sets(w), w.scores, ["P_H", "R_H"])
    total, before = 0.0, 0.0
    for r, p in zip(c["R_H"][::-1], c["P_H"][::-1], strict=True):
        total, before = total + (r - before) * p, r
    assert c.area("P_H", "R_H") == pytest.approx(total)
    with pytest.raises(InvalidOption, match="does not grow"):
        curve(H, ["sheep"], [{"sheep": 0.9, "cow": 0.4}], ["P_H", "F_H"]).area("F_H", "P_H")


def test_measures_that_are_undefined_on_some_sets():
    gold, s = {"a": "sheep", "b": "cow"}, {"a": {"sheep": 0.9, "cow": 0.2}, "b": {"mammal": 0.5}}
    with pytest.raises(UndefinedScore, match=r"instance 'a', threshold 0\.2: TIE is undefined"):
        curve(H, gold, s, "TIE")
    c = curve(H, gold, s, "TIE", undefined="nan")
    assert c.thresholds.tolist() == [0.2, 0.5, 0.9]
    assert c["TIE"].tolist() == [1.0, 0.5, 0.0]
    assert c.defined["TIE"].tolist() == [1, 2, 1]
    assert any("undefined on up to 1 instances" in note for note in c.notes)
    one = curve(H, {"a": "sheep"}, {"a": {"sheep": 0.9}}, "TIE")  # the empty set is never the predicted one
    assert one["TIE"].tolist() == [0.0]


def test_signatures_say_what_was_computed():
    gold, s = ["sheep"], [{"sheep": 0.9, "cow": 0.4}]
    c = curve(H, gold, s, "F_LCA", solver="greedy")
    assert c.signature("F_LCA").endswith("solver:greedy")
    swept = curve(H, gold, s, "F_H")
    assert swept.signature("F_H") == measure("F_H").score(Batch.of(H, gold, ["cow"])).signature
    assert swept.signature("F_H") in str(swept.table()).replace("|\n  ", "|")  # a long line is broken there
    plain, weighted = cafa(H, gold, s), cafa(H, gold, s, dict.fromkeys(H.labels, 1.0))
    assert plain.signature != weighted.signature != cafa(H, gold, s, dict.fromkeys(H.labels, 2.0)).signature
    assert plain.signature == cafa(H, gold, s).signature != cafa(H, gold, s, terms=["sheep"]).signature


def test_a_solver_that_is_asked_for_is_asked():
    gold, s = ["sheep"], [{"sheep": 0.9, "cow": 0.4}]
    assert curve(H, gold, s, "F_H", solver="milp")["F_H"].tolist() == curve(H, gold, s, "F_H")["F_H"].tolist()
    with pytest.raises(NoSolver):
        curve(H, gold, s, "F_H", solver="greedy")


@pytest.mark.parametrize("limit", [1, 7])
def test_parts_of_steps_make_no_difference(monkeypatch, limit):
    monkeypatch.setattr("hemlp.analysis.scored.step_scores.CLASSES_AT_ONCE", limit)
    w = world(11)
    c = curve(w.h, gold_sets(w), w.scores, ["GIE"])
    assert c["GIE"].tolist() == pytest.approx([mean_at(w, "GIE", t) for t in w.distinct()])


def test_intervals_and_bands():
    w = world(5)
    c = curve(w.h, gold_sets(w), w.scores, ["F_H"])
    threshold, value = c.best("F_H")
    low, high = c.interval("F_H")
    assert low <= value <= high
    assert c.interval("F_H") == c.interval("F_H", threshold) != c.interval("F_H", c.thresholds[0], seed=1)
    at, lows, highs = c.band("F_H", points=3)
    k = list(at).index(c.thresholds[0])
    assert (lows[k], highs[k]) == pytest.approx(tuple(c.interval("F_H", c.thresholds[0])))


def test_a_best_on_the_same_data_is_called_optimistic():
    c = curve(H, ["sheep"], [{"sheep": 0.9}], ["F_H"])
    assert "optimistic" in repr(c.best("F_H"))
    assert "optimistic" in str(c)
    assert "optimistic" in str(c.table())
    assert tuple(c.best("F_H")) == (0.9, 1.0)
    pytest.importorskip("matplotlib")
    words = [text.get_text() for text in c.plot().axes[0].get_legend().get_texts()]
    assert "optimistic" in words[0]
    assert "optimistic" in cafa(H, ["sheep"], [{"sheep": 0.9}]).plot().axes[0].get_legend().get_texts()[0].get_text()
    pytest.importorskip("pandas")
    assert list(c.to_frame().columns) == ["threshold", "F_H"]


def test_what_is_large_and_goes_away_leaves_nothing_behind():
    steps = ThresholdSteps(
        np.array([0.9, 0.5, 0.1]), np.array([0, 3, 4]), np.zeros(4, np.int32), np.array([0, 1, 2, 0])
    )
    assert steps.sums(np.array([1e17, 0.25, 1e17, 1.0]))[:, 0].tolist() == [1e17 + 1.0, 1.25, 1e17 + 1.0]


def test_rounding_is_carried_along():
    """A mean after many steps is the mean of what is there, not of what rounding left over."""
    rng = random.Random(0)
    labels = [f"x{k}" for k in range(300)]
    h = Hierarchy.from_edges([("r", label) for label in labels])
    s = [{label: rng.random() for label in labels} for _ in range(20)]
    gold = [rng.sample(labels, 5) for _ in s]
    c = curve(h, gold, s, ["F_H"])
    for t in c.thresholds[::997]:
        batch = Batch.of(h, gold, [[k for k, v in row.items() if v >= t] for row in s])
        assert c.at("F_H", t) == pytest.approx(measure("F_H").score(batch).mean(), abs=1e-15)


def test_cafa2_takes_a_moment(data):
    folder, h, gold = cafa2(data, "cco")
    c = curve(h, gold, folder / "scored_blast.tsv.gz", ["F_H"])
    assert len(c.thresholds) == 4782
    assert c.best("F_H") == pytest.approx((0.4047, 0.28277528195185164))


# ---- intervals of the best values


@pytest.mark.parametrize("norm", ["cafa", "pred", "gt"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", [2, 3, 5, 8])
@pytest.mark.parametrize("room", [2**25, 40])  # also in many small groups
def test_the_best_values_of_resamples_are_those_of_their_data(monkeypatch, norm, weighted, seed, room):
    monkeypatch.setattr("hemlp.analysis.scored.cafa_averages.MAX_COUNTS", room)
    w = world(seed)
    names = list(w.gold)
    weights = {label: k % 3 for k, label in enumerate(w.h)} if weighted else None
    thresholds = None if norm != "gt" else [0.2, 0.4, 0.6]
    draw = Bootstrap(Units(len(names), names), 12, seed=5)
    counts = np.zeros((12, len(names)), np.int64)
    for resamples, units, drawn in draw.counts():
        counts[resamples, units] = drawn
    counts = counts[:, draw.units.members]
    found = cafa(w.h, gold_sets(w), w.scores, weights, norm, thresholds).parts.resample_best(draw)
    for r, row in enumerate(counts):
        copies = [(name, f"{name} again {k}") for name, times in zip(names, row, strict=True) for k in range(times)]
        gold = LabelSets.of({copy: w.gold[name] for name, copy in copies}, rows="sets")
        try:
            q = cafa(w.h, gold, {copy: w.scores.get(name, {}) for name, copy in copies}, weights, norm, thresholds)
        except InvalidScores:
            assert all(math.isnan(values[r]) for values in found.values())
            continue
        for name, values in found.items():
            assert values[r] == pytest.approx(getattr(q, name), rel=1e-12, nan_ok=True)


def test_intervals_of_the_best_values():
    w = world(3)
    q = cafa(w.h, gold_sets(w), w.scores)
    drawn = q.parts.resample_best(Bootstrap(q.parts.units))
    for name in ("fmax", "smin", "fmax_micro"):
        low, high = q.interval(name)
        assert (low, high) == tuple(np.nanquantile(drawn[name], [0.025, 0.975]))
        assert low <= getattr(q, name) <= high
        assert q.to_dict()[f"{name}_interval"] == [low, high]
        assert f"{name}_interval" not in q.to_dict(intervals=False)
    assert q.interval("fmax", level=0.5).high < q.interval("fmax").high
    assert f"{q.fmax:.4f}{q.interval().bracket()}" in str(q.table())
    assert "each with its own best threshold" in str(q.table())
    assert "[" not in str(q.table(intervals=False))
    for given in ({"level": 1.5}, {"best": "f"}):
        with pytest.raises(InvalidOption):
            q.interval(**given)
