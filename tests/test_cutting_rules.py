"""Rules that cut scores: each kind against its definition, the comparison of kinds, and what a search skips."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hemlp import Hierarchy, ScoredSets, Tuned, curve, evaluate, measure, tune
from hemlp.analysis.scored import prefix_scores, threshold_search
from hemlp.analysis.scored.cutting_rules import RULE_KINDS
from hemlp.errors import FileFormatError
from tests.scored import gold_sets, world

PREFIX_KINDS = ["all", "top", "nonempty", "capped"]
H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])


def cut(row, threshold, at_least, at_most):
    """The predicted classes of one instance, word by word."""
    order = sorted(row, key=lambda c: (-row[c], c))
    n = sum(score >= threshold for score in row.values())
    return set(order[: min(max(n, at_least), at_most)])


def mean_of(w, name, *rule):
    rows = {i: w.scores.get(i, {}) for i in w.gold}
    values = [float(measure(name).score(w.h, w.gold[i], sorted(cut(rows[i], *rule)))) for i in w.gold]
    return math.fsum(values) / len(values)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("by", PREFIX_KINDS)
def test_a_rule_is_the_best_of_its_kind(seed, by):
    w = world(seed)
    name = ["F_H", "F_LCA", "GIE"][seed % 3]
    t = tune(w.h, gold_sets(w), w.scores, name, by=by)
    numbers = range(1, 10)
    family = {
        "all": product(w.distinct(), [0], [99]),
        "top": product([-math.inf], [0], numbers),
        "nonempty": product(w.distinct(), [1], [99]),
        "capped": product(w.distinct(), [0, 1], numbers),
    }[by]
    best = max if measure(name).greater_is_better else min
    assert t.value == pytest.approx(best(mean_of(w, name, *rule) for rule in family))
    own = (-math.inf if by == "top" else t.threshold, t.at_least, t.at_most or 99)
    s = ScoredSets.of(w.scores).take(w.gold)
    assert list(map(set, s.at(t))) == [cut(row, *own) for row in s]
    ev = evaluate(w.h, gold_sets(w), {"A": s.at(t)}, [name])
    assert ev.mean("A", name) == pytest.approx(t.value)


def animals(size, seed, spoilt=0.3):
    rng = np.random.default_rng(seed)
    classes = ["sheep", "cow", "bird"]
    gold = {f"i{k}": classes[rng.integers(3)] for k in range(size)}
    return gold, {
        i: {c: float(rng.random() * 0.5 + (c == label) * (rng.random() > spoilt) * 0.4) for c in classes}
        for i, label in gold.items()
    }


@pytest.mark.parametrize("name", ["F_H", "GIE"])
def test_kinds_are_compared_on_instances_that_they_were_not_chosen_on(name):
    gold, s = animals(60, 1)
    t = tune(H, gold, s, name, least=5, seed=2)
    assert [each.by for each in t.compared] == list(RULE_KINDS)
    for each in t.compared:
        alone = {"by": each.by, "least": 5, "few": "shared", "seed": 2}
        assert each.value == pytest.approx(tune(H, gold, s, name, **alone).value)
        assert each.validated == pytest.approx(tune(H, gold, s, name, folds=5, **alone).value)
        assert each.value_interval.low <= each.value <= each.value_interval.high
    better = 1 if measure(name).greater_is_better else -1
    best = max(t.compared, key=lambda each: better * each.validated)
    assert (t.by, t.value) == (best.by, best.value)
    for each in t.compared:
        assert each.difference == pytest.approx(each.validated - best.validated)
    table = t.candidates.to_frame()
    assert list(table["parameter"]) == [each.parameter for each in t.compared]
    assert t.candidates.lead == [t.recommendation]


def test_the_simplest_of_equal_rules_is_recommended():
    gold = {f"i{k}": ["sheep", "cow"][k % 2] for k in range(50)}
    t = tune(H, gold, {i: {gold[i]: 0.9, "bird": 0.1} for i in gold}, "F_H")
    assert len({each.validated for each in t.compared}) == 1
    assert (t.by, t.threshold) == ("all", 0.9)


def test_the_greatest_scores_are_recommended_where_no_threshold_fits():
    """Scores of another scale for each instance: what is great here is small there."""
    rng = np.random.default_rng(0)
    gold = {f"i{k}": ["sheep", "cow", "bird"][k % 3] for k in range(90)}
    scales = dict(zip(gold, 10.0 ** rng.uniform(-6, 0, 90), strict=True))
    s = {i: {c: float(scales[i] * (0.9 if c == label else 0.1)) for c in ("sheep", "cow", "bird")}
         for i, label in gold.items()}  # fmt: skip
    t = tune(H, gold, s, "F_LCA")
    assert (t.by, t.at_most, t.value) == ("top", 1, 1.0)
    one = tune(H, gold, s, "F_LCA", by="all")
    assert one.value < 0.9
    assert t.threshold == one.threshold  # for comparison
    words = t.recommendation
    assert words.startswith("Recommended: top 1 (F_LCA 1.0000 [1.0000, 1.0000], cross-validated 1.0000 [")
    assert f"the best single threshold, {one.threshold:g}, gives {one.value:.4f}" in words
    assert "chosen on these 90 instances, so 1.0000 is optimistic" in words
    assert list(ScoredSets.of([{"cow": 0.001, "bird": 0.0001}]).at(t)) == [("cow",)]
    assert "top 1, tuned by F_LCA on 90 instances" in str(ScoredSets.of(s).at(t).cut)


def test_a_simpler_rule_that_is_not_told_apart_is_named():
    gold, s = animals(60, 6, 0.5)
    t = tune(H, gold, s, "F_H", least=5)
    simpler = [each for each in t.compared if list(RULE_KINDS).index(each.by) < list(RULE_KINDS).index(t.by)]
    alike = [each for each in simpler if each.difference_interval.low <= 0 <= each.difference_interval.high]
    assert alike
    words = f"{RULE_KINDS[alike[0].by]}, {alike[0].parameter}, is simpler, not significantly different (difference "
    assert words in t.recommendation
    gold, s = animals(20, 0, 0.5)  # here the simpler rule is the single threshold, which is named in any case
    words = tune(H, gold, s, "F_H", least=5).recommendation
    assert words.count("threshold") == 1
    assert re.search(r"the best single threshold, [^;]*\), simpler and not significantly different; chosen on", words)


def test_everything_is_chosen_within_the_folds():
    """The rule of a fold, kind included, does not depend on the instances of that fold."""
    gold, s = animals(40, 3)
    t = tune(H, gold, s, "F_H", folds=4, least=5)
    assert (t.by, len(t.folds)) == ("best", 4)
    inside = [i for i in gold if t.fold_of[i] == 0]
    other = {i: "bird" if i in inside else label for i, label in gold.items()}
    again = tune(H, other, s, "F_H", folds=4, least=5)
    assert again.folds[0].to_dict() == t.folds[0].to_dict()
    sets = ScoredSets.of(s)
    for k, each in enumerate(t.folds):
        rows = [i for i in gold if t.fold_of[i] == k]
        assert list(sets.take(rows).at(replace(each, data=None))) == list(sets.take(rows).at(t))
    ev = evaluate(H, gold, {"A": sets.at(t)}, ["F_H"])
    assert ev.mean("A", "F_H") == pytest.approx(t.value)
    assert "cross-validated" in t.recommendation
    assert "optimistic" not in t.recommendation


def test_unknown_classes_and_other_names_count_as_in_the_cut():
    h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    gold = {f"i{k}": ["sheep", "cow"][k % 2] for k in range(8)}
    s = ScoredSets.of({i: {"unicorn": 0.9, gold[i]: 0.5, "animal": 0.5} for i in gold})
    for by in PREFIX_KINDS:
        t = tune(h, gold, s, "F_H", by=by, unknown="drop")
        ev = evaluate(h, gold, {"A": s.at(t)}, ["F_H"], unknown="drop")
        assert ev.mean("A", "F_H") == t.value
    assert tune(h, gold, s, "F_H", by="top", unknown="drop").at_most == 3  # the unicorn is one of them
    strange = {**gold, "i0": ["sheep", "unicorn"]}  # known as a true label, and yet left out of the predictions
    two = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow"), ("sheep", "ovis"), ("ovis", "sheep")],
                               cycles="condense")  # fmt: skip
    named = ScoredSets.of({i: {"sheep": 0.9, "cow": 0.5, "ovis": 0.5, "animal": 0.3} for i in gold}, repeated="max")
    for by, policies in product(PREFIX_KINDS, [{"unknown": "drop", "unknown_true": "isolate"}, {}]):
        data = (h, strange, s) if policies else (two, gold, named)
        t = tune(*data, "F_H", by=by, **policies)
        ev = evaluate(data[0], data[1], {"A": data[2].at(t)}, ["F_H"], **policies)
        assert ev.mean("A", "F_H") == pytest.approx(t.value, abs=1e-15)


def test_little_data_is_no_error():
    lone = tune(H, ["cow"], [{"cow": 0.5}], "F_H")
    assert (lone.by, lone.value) == ("all", 1.0)
    assert math.isnan(lone.compared[0].validated)
    assert [note.split(" (by")[0] for note in lone.notes] == [RULE_KINDS["level"], RULE_KINDS["class"]]
    assert "no class is true in 20 instances" in lone.notes[1]
    half = tune(H, ["cow", "sheep"], [{"cow": 0.5}, {}], "F_H")  # without the first nothing can be chosen
    assert half.value == 0.5
    skipped = tune(H, ["cow", []], [{"cow": 0.5}, {}], "TIE", undefined="nan")
    assert "defined everywhere" in skipped.notes[0]


def test_files_hold_every_kind(tmp_path):
    gold, s = animals(40, 4)
    for options in ({}, {"folds": 3}, *({"by": by} for by in PREFIX_KINDS), {"by": "class", "least": 2}):
        t = tune(H, gold, s, "F_H", **options)
        t.to_json(tmp_path / "t.json")
        again = Tuned.from_json(tmp_path / "t.json")
        assert again.to_dict() == t.to_dict()
        assert (repr(again), again.recommendation) == (repr(t), t.recommendation)
        assert list(ScoredSets.of(s).at(again)) == list(ScoredSets.of(s).at(t))
    old = {
        "hemlp": "tuned", "measure": "F_H", "by": "class", "threshold": 0.4, "value": 0.9, "instances": 2,
        "source": "dev.tsv", "thresholds": [["cow", None], ["bird", 0.1]], "folds": [], "fold_of": [], "data": None,
        "rows": None,
    }  # fmt: skip
    (tmp_path / "old.json").write_text(json.dumps(old))
    t = Tuned.from_json(tmp_path / "old.json")
    assert list(ScoredSets.of([{"sheep": 0.4, "cow": 0.9, "bird": 0.2}]).at(t)) == [("sheep", "bird")]


@pytest.mark.parametrize(
    "change",
    [{"by": "best"}, {"by": "other"}, {"at_most": 0}, {"at_most": "3"}, {"at_least": 2}, {"at_most": None},
     {"candidates": [{"by": "all"}]}, {"candidates": 3}, {"notes": 5}],
)  # fmt: skip
def test_a_damaged_file_is_refused(change, tmp_path):
    made = tune(H, *animals(10, 5), "F_H", by="top").to_dict()
    (tmp_path / "t.json").write_text(json.dumps(made | change))
    with pytest.raises(FileFormatError, match="does not hold thresholds"):
        Tuned.from_json(tmp_path / "t.json")


# ---- fewer thresholds than there are scores


def probabilities(size=120, classes=60, seed=0):
    """A matrix of probabilities, nearly all of them tiny."""
    rng = np.random.default_rng(seed)
    names = [f"c{k}" for k in range(classes)]
    h = Hierarchy.from_edges([(names[(k - 1) // 4], names[k]) for k in range(1, classes)])
    logits = rng.normal(size=(size, classes)) * 3
    gold = []
    for row in logits:
        true = rng.choice(np.arange(classes // 4, classes), 1 + (rng.random() < 0.3), replace=False)
        row[true] += 4 + 10 * rng.random(len(true))
        gold.append([names[k] for k in true])
    odds = np.exp(logits)
    return h, gold, ScoredSets.of(odds / odds.sum(axis=1, keepdims=True), labels=names)


UNBOUNDED = "F_LCA(horizon=50)"
"""F_LCA by another name: with a horizon there are no bounds that spare solving."""


@pytest.mark.parametrize("points", [2, 5, 20, 100])
def test_points_cost_no_quality(points):
    h, gold, s = probabilities()
    assert np.mean(s.values < 0.001) > 0.7
    full, few = (curve(h, gold, s, ["F_H", UNBOUNDED, "SDL"], points=each) for each in (None, points))
    for name in ("F_H", "SDL"):  # swept, so exactly the best of all
        assert few.best(name) == full.best(name)
    for name in ("F_H", UNBOUNDED):
        t = tune(h, gold, s, name, by="all", points=points)
        assert t.value == pytest.approx(full.best(name).value, abs=1e-12)
        tried = int(t.notes[0].split(": ")[1].split(" of ")[0]) if t.notes else len(full.thresholds)
        assert (tried < len(full.thresholds)) == (name == UNBOUNDED)
    assert few.best(UNBOUNDED).value == pytest.approx(full.best(UNBOUNDED).value, abs=1e-12)
    assert len(few.thresholds) < 600
    tried, every = len(few.thresholds), len(full.thresholds)
    words = (
        f"{UNBOUNDED}: {tried:,} of {every:,} distinct scores were tried, up to the neighbours of the best one; among "
        f"the {every - tried:,} that were skipped elsewhere"
    )
    assert any(note.startswith(words) for note in few.table().notes)
    assert np.array_equal(few[UNBOUNDED], full[UNBOUNDED][np.searchsorted(full.thresholds, few.thresholds)])


def test_what_is_skipped_is_said_everywhere(monkeypatch, tmp_path):
    """Also where nobody asked for points, and there is too much to be scored."""
    h, gold, s = probabilities()
    monkeypatch.setattr(prefix_scores, "MAX_CLASSES_SCORED", 1000)
    t = tune(h, gold, s, UNBOUNDED, by="all")
    assert "distinct scores were tried" in t.notes[0]
    t.to_json(tmp_path / "t.json")
    for text in (repr(t), t.recommendation, str(t.candidates), (tmp_path / "t.json").read_text(encoding="utf-8")):
        assert "were skipped elsewhere" in text
    t = tune(h, gold, s, UNBOUNDED)
    assert "the greatest scores: 1 to " in " ".join(t.notes)
    for name in ("F_H", "F_LCA"):
        assert tune(h, gold, s, name, by="all").notes == ()


def test_points_are_dense_where_few_classes_are_predicted():
    scores = np.random.default_rng(0).random(100_000) ** 20
    distinct = np.sort(scores)
    for points in (50, 200):
        indices = threshold_search.spread_thresholds(scores, distinct, points)
        predicted = len(scores) - indices[::-1]
        assert (predicted[0], predicted[-1], len(indices) <= points) == (1, 100_000, True)
        assert (predicted[1:] / predicted[:-1])[predicted[1:] > 100].max() < 100_000 ** (1.1 / (points - 1))


@given(st.lists(st.integers(0, 30), min_size=2, max_size=200), st.integers(2, 9), st.booleans())
@settings(deadline=None)
def test_a_refined_search_ends_between_tried_neighbours(values, points, greater):
    every = np.array(values, float)
    asked = []

    def means(indices):
        asked.extend(indices.tolist())
        return every[indices]

    start = threshold_search.spread_thresholds(np.arange(len(every)), np.arange(len(every)), points)
    found = threshold_search.refine_search(means, start, len(every), points, greater)
    assert sorted(asked) == found.indices.tolist()  # each once
    assert np.array_equal(found.values, every[found.indices])
    place = found.indices[found.best]
    assert every[place] == (max if greater else min)(found.values)
    assert {k for k in (place - 1, place, place + 1) if 0 <= k < len(every)} <= set(asked)
    assert bool(found.skipped_note) == (len(asked) < len(every))
