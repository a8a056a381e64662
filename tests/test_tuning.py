"""Thresholds chosen on development data."""

from __future__ import annotations

import math
import random
from itertools import product

import numpy as np
import pytest

from hemlp import Hierarchy, ScoredSets, Tuned, curve, evaluate, measure, tune
from hemlp.errors import FileFormatError, HemlpError, InvalidOption, MisalignedSides
from tests.scored import gold_sets, mean_at, world

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])


@pytest.mark.parametrize("seed", range(12))
def test_one_threshold_is_the_best_of_the_curve(seed):
    w = world(seed)
    name = ["F_H", "F_LCA", "GIE"][seed % 3]
    t = tune(w.h, gold_sets(w), w.scores, name, by="all")
    values = {threshold: mean_at(w, name, threshold) for threshold in w.distinct()}
    assert t.value == pytest.approx(values[t.threshold])
    best = max if measure(name).greater_is_better else min
    assert t.value == pytest.approx(best(values.values()))
    ev = evaluate(w.h, gold_sets(w), {"A": ScoredSets.of(w.scores).take(w.gold).at(t)}, [name])
    assert ev.mean("A", name) == pytest.approx(t.value)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("by", ["level", "class"])
def test_thresholds_of_levels_and_classes(seed, by):
    """They are applied as they were found, are never worse than one for all, and no single change is better."""
    w = world(seed, most=6)
    name = ["F_H", "GIE"][seed % 2]
    better = 1 if measure(name).greater_is_better else -1
    one = tune(w.h, gold_sets(w), w.scores, name, by="all")
    t = tune(w.h, gold_sets(w), w.scores, name, by=by, least=1, few="shared")
    s = ScoredSets.of(w.scores).take(w.gold)

    def value(thresholds):
        kept = [[c for c, v in s[k].items() if v >= thresholds[c]] for k in range(len(s))]
        return float(
            np.mean([float(measure(name).score(w.h, w.gold[i], p)) for i, p in zip(w.gold, kept, strict=True)])
        )

    own = {c: t.thresholds.get(c, t.threshold) for c in w.h.labels}
    assert value(own) == pytest.approx(t.value)
    assert list(map(set, s.at(t))) == [{c for c, v in row.items() if v >= own[c]} for row in s]
    assert better * t.value >= better * one.value - 1e-12
    seen = {c for labels in w.gold.values() for c in w.closed(labels)}
    if by == "level":
        groups = [[c for c in w.h.labels if w.h.depth(c) == d] for d in {w.h.depth(c) for c in seen}]
        assert all(len({own[c] for c in group}) == 1 for group in groups)
    else:
        groups = [[c] for c in seen]
    for group, threshold in product(groups, [*w.distinct(), math.inf]):
        assert better * value(own | dict.fromkeys(group, threshold)) <= better * t.value + 1e-12


def test_too_little_data_is_refused():
    gold = [["sheep"]] * 25 + [["cow"]] * 3
    s = [{"sheep": 0.9, "cow": 0.3}] * 28
    with pytest.raises(InvalidOption, match=r"1 of 2 are true in fewer than 20 .* the class 'cow' in 3.*few='shared'"):
        tune(H, gold, s, "F_H", by="class")
    t = tune(H, gold, s, "F_H", by="class", few="shared")
    assert "cow" not in t.thresholds
    assert tune(H, gold, s, "F_H", by="class", least=3).instances == 28
    with pytest.raises(InvalidOption, match="level 2 in 5"):
        tune(H, gold[:5], [{"cow": 0.5}] * 5, "F_H", by="level")
    assert tune(H, gold, s, "F_H", by="level").by == "level"


def test_cross_validation_chooses_without_the_instances_that_it_measures():
    rng = random.Random(4)
    gold = {f"i{k}": rng.choice(["sheep", "cow"]) for k in range(23)}
    s = {i: {c: round(rng.random() + (c == gold[i]) * 0.4, 2) for c in ("sheep", "cow")} for i in gold}
    t = tune(H, gold, s, "F_H", by="all", folds=4, seed=3)
    assert len(t.folds) == 4
    values = []
    for i in gold:
        others = [j for j in gold if t.fold_of[j] != t.fold_of[i]]
        chosen = curve(H, {j: gold[j] for j in others}, {j: s[j] for j in others}, "F_H").best("F_H").threshold
        assert chosen == t.folds[t.fold_of[i]].threshold
        labels = [c for c, v in s[i].items() if v >= chosen]
        values.append(float(measure("F_H").score(H, [gold[i]], labels)))
        assert set(ScoredSets.of({i: s[i]}).at(t)[0]) == set(labels)
    assert t.value == pytest.approx(np.mean(values))
    assert sorted(map(list(t.fold_of.values()).count, range(4))) == [5, 6, 6, 6]
    assert "cross-validated" in repr(t)
    assert "optimistic" not in repr(t)
    with pytest.raises(MisalignedSides, match="'new' is in no fold"):
        ScoredSets.of({"new": {"cow": 0.5}}).at(t)
    with pytest.raises(InvalidOption, match="99 folds"):
        tune(H, gold, s, "F_H", folds=99)
    bare = tune(H, list(gold.values()), list(s.values()), "F_H", by="all", folds=4, seed=3)
    assert bare.value == t.value
    assert len(ScoredSets.of(list(s.values())).at(bare)) == 23


def test_words_of_thresholds_hold_all_that_are_used():
    gold = {f"i{k}": ("sheep", "cow")[k % 2] for k in range(8)}
    s = ScoredSets.of(
        {i: {"sheep": 0.9 - 0.1 * (gold[i] == "cow"), "cow": 0.3 - 0.1 * (gold[i] == "sheep")} for i in gold}
    )
    single, several = (tune(H, gold, s, "F", by="class", least=1, folds=folds) for folds in (None, 2))
    used = {v for each in several.folds for v in (each.threshold, *each.thresholds.values())}
    assert len(used) > 1
    assert several.rule(s).startswith(f"threshold {min(used)!r} to {max(used)!r} by class, tuned by F, cross-validated")
    assert repr(single).startswith("Tuned(0.3 and 1 other by class by F, ")
    alike = tune(H, gold, ScoredSets.of({i: {gold[i]: 0.5} for i in gold}), "F", by="class", least=1)
    assert repr(alike).startswith("Tuned(0.5 by class by F, ")


def test_what_was_tuned_says_on_what(tmp_path):
    path = tmp_path / "dev.tsv"
    path.write_text("a\tsheep\t0.9\nb\tcow\t0.4\n")
    t = tune(H, {"a": "sheep", "b": "cow"}, path, "F_LCA", by="all")
    assert repr(t) == f"Tuned(0.4 by F_LCA, chosen on 2 instances of {path}: 1.0000 there, optimistic)"
    by_class = tune(H, {"a": "sheep", "b": "cow"}, path, "F_LCA", by="class", least=1)
    for each in (t, by_class, tune(H, {"a": "sheep", "b": "cow"}, path, "F_H", folds=2)):
        each.to_json(tmp_path / "t.json")
        again = Tuned.from_json(tmp_path / "t.json")
        assert again.to_dict() == each.to_dict()
        assert repr(again) == repr(each)
    (tmp_path / "t.json").write_text("{}")
    with pytest.raises(FileFormatError, match="does not hold thresholds"):
        Tuned.from_json(tmp_path / "t.json")


def test_a_class_that_is_never_right_is_never_predicted(tmp_path):
    gold = [["sheep"]] * 3
    t = tune(H, gold, [{"sheep": 0.5, "cow": 0.7}] * 3, "F_H", by="class", least=1, few="shared")
    assert t.threshold == 0.5  # cow is true nowhere, and keeps the one threshold
    both = [["sheep"], ["sheep"], ["cow", "sheep"]]
    t = tune(H, both, [{"sheep": 0.5, "cow": 0.7}, {"sheep": 0.5, "cow": 0.7}, {"sheep": 0.5, "cow": 0.6}], "F_H",
             by="class", least=1)  # fmt: skip
    assert math.isinf(t.thresholds["cow"])
    t.to_json(tmp_path / "t.json")
    assert list(ScoredSets.of([{"sheep": 0.5, "cow": 0.9}]).at(Tuned.from_json(tmp_path / "t.json"))) == [("sheep",)]


@pytest.mark.parametrize(
    ("options", "words"),
    [({"by": "node"}, "by='node'"), ({"few": "x"}, "few='x'"), ({"folds": 1}, "folds=1"), ({"least": 0}, "least=0"),
     ({"by": "class", "undefined": "nan"}, "by='all'"), ({"thresholds": [0.5], "points": 3}, "give one of them")],
)  # fmt: skip
def test_options_that_tune_does_not_have(options, words):
    with pytest.raises(HemlpError) as caught:
        tune(H, ["sheep"], [{"sheep": 0.5}], "F_H", **options)
    assert words in str(caught.value)
