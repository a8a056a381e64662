"""Feedback in plain words: of explanations, and of metrics that are called."""

from __future__ import annotations

import pickle
import re
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hemlp import Batch, Hierarchy, evaluate
from hemlp.analysis.diagnosis.error_kinds import ERROR_KINDS, classify_errors
from hemlp.analysis.explain.explanation import Explanation
from hemlp.errors import InvalidOption, UnknownLabel
from hemlp.metrics import Metric, f_h_score
from tests.graphs import distance, graph, shapes

SHOP = Hierarchy.of(
    {"Garden": {"Tools": ["Spades", "Rakes", "Hoes"], "Pots": {}}, "Kitchen": {"Pans": {}}, "Toys": {"Games": {}}}
)
RAKES, SPADES = "Garden > Tools > Rakes", "Garden > Tools > Spades"


@pytest.mark.parametrize(
    ("true", "pred", "words"),
    [
        ("Rakes", "Rakes", f"all right: {RAKES}"),
        ("Rakes", "Spades", f"predicted {SPADES}, true {RAKES}: sibling, right branch"),
        ("Rakes", "Garden", f"predicted Garden, true {RAKES}: too general, right branch"),
        ("Tools", "Rakes", f"predicted {RAKES}, true Garden > Tools: too specific, right branch"),
        ("Rakes", "Pots", f"predicted Garden > Pots, true {RAKES}: right branch"),
        ("Rakes", "Pans", f"predicted Kitchen > Pans: wrong branch; missing {RAKES}"),
        ("Rakes", [], f"nothing predicted; missing {RAKES}"),
        ([], "Rakes", f"no class is true; predicted {RAKES}: wrong"),
        ([], [], "no class is true; nothing predicted"),
        (["Rakes", "Pans"], ["Rakes"], f"right: {RAKES}; missing Kitchen > Pans"),
        (["Rakes", "Hoes"], ["Hoes", "Spades"],  # the sibling that was missed
         f"right: Garden > Tools > Hoes; predicted {SPADES}, true {RAKES}: sibling, right branch"),
        ("Rakes", ["Rakes", "Hoes"], f"right: {RAKES}; predicted Garden > Tools > Hoes: sibling, right branch"),
        ("Rakes", ["Rakes", "Tools"],
         f"right: {RAKES}; predicted Garden > Tools, true {RAKES}: too general, right branch"),
    ],
)  # fmt: skip
def test_what_is_said(true, pred, words):
    score = Metric("F_H", hierarchy=SHOP)(true, pred)
    assert score.feedback == score["feedback"] == words
    assert score == score["score"] == f_h_score([true], [pred], hierarchy=SHOP)
    assert pickle.loads(pickle.dumps(score)).feedback == words
    assert evaluate(SHOP, [true], [pred], ["GIE", "F_LCA"]).explain("system", 0).feedback() == words


def test_children_of_the_only_root_are_branches():
    h = Hierarchy.of({"animal": {"mammal": ["sheep"], "bird": ["hen"]}})
    metric = Metric("F_H", hierarchy=h)
    assert metric("mammal", "bird").feedback == "predicted animal > bird, true animal > mammal: sibling"
    assert (
        metric("sheep", "hen").feedback
        == "predicted animal > bird > hen: wrong branch; missing animal > mammal > sheep"
    )
    assert metric("sheep", "animal").feedback == "predicted animal, true animal > mammal > sheep: too general"


def test_the_nearest_class_by_the_shortest_path():
    """Of two true classes the nearer one, which the alphabet puts last; of two paths the shorter one, just so."""
    edges = [("r", "s"), ("s", "t"), ("t", "y"), ("s", "z"), ("r", "b"), ("b", "a"), ("other", "x")]
    nearer = Metric("F_H", hierarchy=edges)(["a", "z"], ["y"])
    assert nearer.feedback == "predicted r > s > t > y, true r > s > z: right branch; missing r > b > a"
    deep = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("b", "c"), ("r", "z"), ("z", "c"), ("x", "y")])
    assert Metric("F_H", hierarchy=deep)("c", []).feedback == "nothing predicted; missing r > z > c"


def test_labels_that_are_no_classes():
    assert Metric("F_H", hierarchy=SHOP, unknown="isolate")("Rakes", ["Axes", "Rakes"]).feedback == (
        f"right: {RAKES}; predicted Axes: no class of the hierarchy"
    )
    drop = Metric("F_H", hierarchy=SHOP, unknown="drop")
    left_out = "1 predicted label left out: no class of the hierarchy"
    assert drop("Rakes", ["Axes", "Rakes"]).feedback == f"right: {RAKES}; {left_out}"
    assert drop("Rakes", ["Axes"]).feedback == f"{left_out}; missing {RAKES}"
    with pytest.raises(UnknownLabel):
        Metric("F_H", hierarchy=SHOP)("Rakes", "Axes")


def test_names_paths_as_labels_and_greatest_scores():
    named = Hierarchy.from_edges([("t", "1"), ("t", "2")]).with_names({"t": "Tools", "1": "Rakes"})
    words = "predicted Tools > 2, true Tools > Rakes (1): sibling"
    assert Metric("F_LCA", hierarchy=named)("Rakes", "2").feedback == words
    apart = Hierarchy.of(["Tools > Other", "Toys > Other"], same_names="apart")
    assert Metric("F", hierarchy=apart)(["Tools > Other"], []).feedback == "nothing predicted; missing Tools > Other"
    best = Metric("F_H@1", hierarchy=SHOP)("Rakes", {"Rakes": 0.2, "Spades": 0.9})
    assert best == pytest.approx(2 / 3)
    assert best.feedback == f"predicted {SPADES}, true {RAKES}: sibling, right branch"


def test_errors_are_no_scores_and_nothing_is_kept():
    with pytest.raises(InvalidOption, match="less is better"):
        Metric("GIE", hierarchy=SHOP)("Rakes", "Rakes")
    metric = Metric("F_H", hierarchy=SHOP)
    metric("Rakes", "Spades")
    assert len(metric) == 0


def relation(g: nx.DiGraph, p: str, t: str) -> str:
    """By the definitions, from ancestors of networkx alone."""
    above, up = nx.ancestors(g, p) | {p}, nx.ancestors(g, t) | {t}
    roots = [c for c in g if g.in_degree(c) == 0]
    branch = bool((above & up) - set(roots if len(roots) == 1 else ()))
    for words, holds in (("too general", p in up), ("too specific", t in above)):
        if holds:
            return words + ", right branch" * branch
    if set(g.predecessors(p)) & set(g.predecessors(t)):
        return "sibling" + ", right branch" * branch
    return "right branch" if branch else "wrong branch"


@settings(deadline=None)
@given(shapes(9), st.data())
def test_feedback_by_its_definition(shape, data):
    """Each class is spoken of once; what is said holds of the nearest, and no relation that goes before it does."""
    n, edges = shape
    names = [f"c{i}" for i in range(n)]
    g = graph(names, [(names[p], names[c]) for p, c in edges])
    true, pred = (data.draw(st.sets(st.sampled_from(names), max_size=4)) for _ in range(2))
    h = Hierarchy.from_edges(g.edges, classes=names)
    batch = Batch.of(h, [sorted(true)], [sorted(pred)])
    text = Explanation(batch, 0, ()).feedback()
    kinds = dict(zip(batch.pred.classes.tolist(), classify_errors(batch)[0].tolist(), strict=True))
    roots = {c for c in names if g.in_degree(c) == 0}

    def last(path: str) -> str:
        way = path.split(" > ")
        assert way[0] in roots
        assert all(g.has_edge(*step) for step in pairwise(way))
        assert len(way) == 1 + min(nx.shortest_path_length(g, r, way[-1]) for r in roots if nx.has_path(g, r, way[-1]))
        return way[-1]

    spoken: dict[str, list[str]] = {"right": [], "wrong": [], "partner": [], "missing": []}
    order = ["too general", "too specific", "sibling", "right branch", "wrong branch"]
    for part in text.split("; "):
        if said := re.fullmatch(r"predicted (.*?)(?:, true (.*))?: (.*)", part):
            p, words = last(said[1]), said[3]
            spoken["wrong"].append(p)
            first = words.split(", ")[0]
            assert not true or order.index(first) == min(order.index(relation(g, p, t).split(", ")[0]) for t in true)
            assert ERROR_KINDS[kinds[h.id(p)]] == first or first in ("right branch", "wrong branch", "wrong")
            alike = [t for t in true if relation(g, p, t).split(", ")[0] == first]
            missed = [t for t in alike if t not in pred] or alike
            if said[2]:
                t = last(said[2])
                spoken["partner"].append(t)
                assert relation(g, p, t) == words
                assert t in missed
                assert distance(g, p, t)[0] == min(distance(g, p, other)[0] for other in missed)
            elif true:
                assert first == "wrong branch" or set(alike) <= pred
        elif said := re.fullmatch(r"(?:all )?right: (.*)|missing (.*)", part):
            spoken["right" if said[1] else "missing"] += [last(path) for path in (said[1] or said[2]).split(", ")]
        else:
            assert part == (
                "no class is true" if not true and part[0] == "n" and "true" in part else "nothing predicted"
            )
    assert sorted(spoken["right"]) == sorted(true & pred)
    assert sorted(spoken["wrong"]) == sorted(pred - true)
    assert sorted(spoken["missing"]) == sorted(true - pred - set(spoken["partner"]))
    assert ("all right" in text) == (true == pred != set())
