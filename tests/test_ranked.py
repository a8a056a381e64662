"""Ranked measures, average precision, and whether scores fit the hierarchy."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest

from hemlp import Hierarchy, LabelSets, ScoredSets, average_precision, cafa, consistency, measure, ranked, reliability
from hemlp.errors import InvalidOption, InvalidScores, UnknownMeasure
from tests.scored import World, gold_sets, world

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])


def greatest(w: World, name: str, k: int) -> list[str]:
    row = w.scores.get(name, {})
    return sorted(row, key=lambda c: (-row[c], c))[:k]


def height(h: Hierarchy, c: str) -> int:
    graph = nx.DiGraph([(p, x) for x in h.labels for p in h.parents(x)])
    graph.add_nodes_from(h.labels)
    return nx.dag_longest_path_length(graph.subgraph({c, *h.descendants(c)}))


@pytest.mark.parametrize("seed", range(15))
def test_measures_of_the_greatest_scores(seed):
    w = world(seed)
    for k in (1, 2, 4):
        names = [f"F_H@{k}", f"P@{k}", f"R@{k}", f"F_LCA@{k}", f"F_H(top=True)@{k}"]
        r = ranked(w.h, gold_sets(w), w.scores, names)
        for name in names:
            each = measure(name.rpartition("@")[0])
            wanted = [float(each.score(w.h, w.gold[i], greatest(w, i, k))) for i in w.gold]
            assert r.per_instance(name).tolist() == pytest.approx(wanted)
            assert r.mean(name) == pytest.approx(math.fsum(wanted) / len(wanted))


@pytest.mark.parametrize("seed", range(15))
def test_the_distance_is_the_mean_height_of_lowest_common_ancestors(seed):
    w = world(seed)
    found = ranked(w.h, gold_sets(w), w.scores, "distance@3").per_instance("distance@3")
    for k, (name, gold) in enumerate(w.gold.items()):
        first = greatest(w, name, 3)
        if not first or not gold:
            assert math.isnan(found[k])
            continue
        heights = [
            min((height(w.h, a) for t in gold for a in w.closed([p]) & w.closed([t])), default=math.inf) for p in first
        ]
        assert found[k] == pytest.approx(sum(heights) / len(heights))


def test_ranked_says_what_it_did():
    r = ranked(H, ["sheep", "cow"], [{"sheep": 0.9}, {}], ["distance@1", "F_H@1"])
    assert r.notes[1:] == ("distance@1: undefined on 1 instance, which is left out",)
    assert r.greater_is_better == {"distance@1": False, "F_H@1": True}
    assert "F_H@1" in str(r)
    for bad in ("F_H", "F_H@0", "@5", "F_H@x", "nothing@5", 5):
        with pytest.raises(UnknownMeasure):
            ranked(H, ["sheep"], [{"sheep": 0.5}], [bad])


@pytest.mark.parametrize("seed", range(25))
def test_average_precision_is_its_definition(seed):
    w = world(seed)
    a = average_precision(w.h, gold_sets(w), w.scores)
    pairs = {(i, c): max((v for x, v in w.scores.get(i, {}).items() if c in w.closed([x])), default=None)
             for i in w.gold for c in w.h.labels}  # fmt: skip

    def area(keys):
        positive = {key for key in keys if key[1] in w.closed(w.gold[key[0]])}
        if not positive:
            return None
        total = before = 0.0
        for t in sorted({pairs[key] for key in keys if pairs[key] is not None}, reverse=True):
            found = {key for key in keys if pairs[key] is not None and pairs[key] >= t}
            recall = len(found & positive) / len(positive)
            total, before = total + (recall - before) * len(found & positive) / len(found), recall
        return total

    wanted = {c: area([(i, c) for i in w.gold]) for c in w.h.labels}
    for c, value in wanted.items():
        assert math.isnan(a[c]) if value is None else a[c] == pytest.approx(value)
        assert a.support[w.h.id(c)] == sum(c in w.closed(w.gold[i]) for i in w.gold)
    known = [value for value in wanted.values() if value is not None]
    if not known:
        assert math.isnan(a.mean)
        return
    assert a.mean == pytest.approx(sum(known) / len(known))
    assert a.micro == pytest.approx(area(list(pairs)))
    assert a.micro == pytest.approx(cafa(w.h, gold_sets(w), w.scores).area_micro)
    assert [row[1] for row in a.rows] == sorted((row[1] for row in a.rows), reverse=True)
    assert len(a.table(2).rows) <= 2


@pytest.mark.parametrize("seed", range(20))
def test_consistency_counts_children_above_their_parents(seed):
    w = world(seed)
    found = consistency(w.h, w.scores)
    wanted: dict[int, list[int]] = {}
    worst = 0.0
    for row in w.scores.values():
        for c, value in row.items():
            for p in w.h.parents(c):
                counts = wanted.setdefault(w.h.depth(c), [0, 0, 0])
                counts[0] += p in row
                counts[1] += p in row and value > row[p]
                worst = max(worst, value - row[p] if p in row else 0.0)
            if w.h.parents(c) - row.keys():
                wanted[w.h.depth(c)][2] += 1
    assert {level: [*rest] for level, *rest in found.rows} == wanted
    assert bool(found) == (worst == 0)
    if not found:
        assert found.worst[0].gap == pytest.approx(worst)
    assert consistency(w.h, ScoredSets.of(w.scores).propagate(w.h))


def test_consistency_shows_its_worst():
    found = consistency(H, {"x": {"mammal": 0.5, "sheep": 0.75, "cow": 0.9}})
    assert (found.worst[0].instance, found.worst[0].child, found.worst[0].parent) == ("x", "cow", "mammal")
    assert "'cow' above 'mammal'" in str(found.table())
    assert found.table().rows == [["1", "0", "0", "n/a", "1"], ["2", "2", "2", "1.0000", "0"]]
    assert consistency(H, [{}])


@pytest.mark.parametrize("seed", range(15))
def test_reliability_counts_what_is_true(seed):
    w = world(seed)
    scores = {i: {c: min(1.0, abs(v) / 2) for c, v in row.items()} for i, row in w.scores.items()}
    found = reliability(w.h, gold_sets(w), scores, bins=4)
    wanted: dict[tuple[int, int], list[tuple[float, bool]]] = {}
    for name, gold in w.gold.items():
        for c, value in scores.get(name, {}).items():
            wanted.setdefault((w.h.depth(c), min(3, int(value * 4))), []).append((value, c in w.closed(gold)))
    assert [(row[0], round(row[1] * 4)) for row in found.rows] == sorted(wanted)
    for row, key in zip(found.rows, sorted(wanted), strict=True):
        assert row[3:] == pytest.approx((len(wanted[key]), *np.mean(wanted[key], axis=0)))
    total = sum(len(v) * abs(np.mean(v, axis=0)[0] - np.mean(v, axis=0)[1]) for v in wanted.values())
    assert found.error() == pytest.approx(total / sum(map(len, wanted.values())))


def test_reliability_needs_probabilities():
    with pytest.raises(InvalidScores, match="between 0 and 1"):
        reliability(H, ["sheep"], [{"sheep": 1.5}])
    assert reliability(H, ["sheep"], [{"sheep": 1 + 4e-15, "cow": -1e-18}]).rows[0][3] == 1
    with pytest.raises(InvalidOption, match="bins"):
        reliability(H, ["sheep"], [{"sheep": 0.5}], bins=0)
    with pytest.raises(InvalidOption, match="no scores at level 7"):
        reliability(H, ["sheep"], [{"sheep": 0.5}]).error(7)
    assert "expected calibration error" in str(reliability(H, LabelSets.of(["sheep"]), [{"sheep": 1.0}]).table())
