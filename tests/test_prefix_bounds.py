"""Bounds on LCA graphs of prefixes, and the search for the best threshold that they shorten."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from hemlp import Hierarchy, ScoredSets, curve, measure, tune
from hemlp.analysis.scored import threshold_search
from hemlp.analysis.scored.aligned_scores import AlignedScores
from hemlp.analysis.scored.cutting_rules import CuttingRule
from hemlp.analysis.scored.prefix_scores import PrefixScores
from hemlp.analysis.scored.step_scores import ScoringOptions
from hemlp.instances.batch import Batch
from hemlp.measures.instance_scores import mean
from hemlp.problems.lca.prefix_bounds import bound_prefixes


def random_case(seed: int, instances: int = 6) -> tuple[Hierarchy, list[list[int]], list[dict[int, float]]]:
    """A DAG with one root or two, gold and scores; some scores are tied."""
    draw = random.Random(seed)
    size, roots = draw.randint(5, 14), draw.choice([1, 1, 2])
    edges = {(draw.randrange(c), c) for c in range(roots, size)}
    edges |= {(a, b) for a, b in (sorted(draw.sample(range(size), 2)) for _ in range(size)) if b >= roots}
    h = Hierarchy.from_edges(sorted(edges))
    labels = list(h.labels)
    gold = [draw.sample(labels, draw.randint(0, min(4, len(labels)))) for _ in range(instances)]
    scored = [draw.sample(labels, draw.randint(0, len(labels))) for _ in range(instances)]
    return h, gold, [{c: round(draw.random(), 1 + seed % 2) for c in row} for row in scored]


def check_bounds(seed: int) -> None:
    """No prefix scores more than its bound, by P, R or F, with minimal and with extended graphs."""
    h, gold, scores = random_case(seed)
    data = AlignedScores.of(h, gold, ScoredSets.of(scores))
    true, predicted = [], []
    for i, row in enumerate(gold):
        ranked = [h.labels[c] for c in data.classes[data.ptr[i] : data.ptr[i + 1]]]
        for n in range(len(ranked) + 1):
            true.append(row)
            predicted.append(ranked[:n])
    batch = Batch.of(h, true, predicted)
    for method in ("exact", "greedy", "extended"):
        for name in ("P_LCA", "R_LCA", "F_LCA"):
            which = measure(name, method=method)
            prefixes = PrefixScores(data, {"m": which}, ScoringOptions())
            bounds = prefixes.bounds("m")
            assert bounds is not None
            assert (bounds.values >= which.score(batch).values).all()
            for i in range(len(gold)):
                own = slice(bounds.begin[i], bounds.begin[i + 1])
                assert bounds.of_shorter[own].tolist() == np.maximum.accumulate(bounds.values[own]).tolist()
                assert bounds.of_longer[own].tolist() == np.maximum.accumulate(bounds.values[own][::-1])[::-1].tolist()


@pytest.mark.parametrize("part", range(4))
def test_no_prefix_beats_its_bound(part: int) -> None:
    for seed in range(12 * part, 12 * part + 12):
        check_bounds(seed)


@pytest.mark.uncompiled
def test_no_prefix_beats_its_bound_uncompiled() -> None:
    check_bounds(1)


def test_bounds_count_what_cannot_be_shared() -> None:
    h = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("b", "y"), ("y", "z")])
    data = AlignedScores.of(h, ["x"], ScoredSets.of([{"x": 0.9, "z": 0.5}]))
    model = measure("F_LCA").model(data.batch)
    sizes = bound_prefixes(model, (data.ptr, data.classes), (np.array([0, 3]), np.array([0, 1, 2])))
    # nothing: x, a and r are true alone; x: both are equal; x and z: x and r may be shared, z, y and b never are
    assert sizes is not None
    assert sizes.tolist() == [[0, 3, 0], [1, 1, 1], [5, 2, 2]]


def test_a_horizon_has_no_bounds() -> None:
    h, gold, scores = random_case(0)
    data = AlignedScores.of(h, gold, ScoredSets.of(scores))
    prefixes = PrefixScores(data, {"m": measure("F_LCA", horizon=2), "h": measure("F_H")}, ScoringOptions())
    assert prefixes.bounds("m") is None
    assert prefixes.bounds("h") is None


def best_of_all(h: Hierarchy, gold: list[list[int]], s: ScoredSets, rules: list[CuttingRule]) -> CuttingRule:
    """By scoring each rule: the first of the best ones."""
    batches = [Batch.of(h, gold, s.at(rule.threshold) if rule.by == "all" else s.top(rule.at_most)) for rule in rules]
    values = [mean(measure("F_LCA").score(batch).values) for batch in batches]
    best = max(values)
    return next(rule for rule, value in zip(rules, values, strict=True) if math.isclose(value, best, rel_tol=1e-12))


@pytest.mark.parametrize("seed", range(100, 112))
def test_branch_and_bound_finds_the_best_threshold(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threshold_search, "MIN_POINTS", 2)
    h, gold, scores = random_case(seed, 8)
    s = ScoredSets.of(scores)
    thresholds = [CuttingRule("all", float(t)) for t in np.unique(s.values)]
    chosen = tune(h, gold, s, "F_LCA", by="all")
    assert chosen.threshold == best_of_all(h, gold, s, thresholds).threshold
    numbers = [CuttingRule("top", 0.0, at_most=k) for k in range(1, int(np.diff(s.ptr).max()) + 1)]
    assert tune(h, gold, s, "F_LCA", by="top").at_most == best_of_all(h, gold, s, numbers).at_most
    exact, some = curve(h, gold, s, "F_LCA"), curve(h, gold, s, "F_LCA", points=3)
    assert exact.best("F_LCA").threshold == chosen.threshold == some.best("F_LCA").threshold


@pytest.mark.parametrize("by", ["nonempty", "capped", "best"])
def test_bounds_change_no_choice(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(200, 206):
        h, gold, scores = random_case(seed, 8)
        chosen = tune(h, gold, scores, "F_LCA", by=by)
        with monkeypatch.context() as without:
            without.setattr(PrefixScores, "bounds", lambda self, name: None)
            plain = tune(h, gold, scores, "F_LCA", by=by)
        assert (chosen.threshold, chosen.at_least, chosen.at_most, chosen.value) == (
            plain.threshold, plain.at_least, plain.at_most, plain.value,
        )  # fmt: skip
