"""Averages by name against their definitions, and signatures that are read back."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hemlp import Evaluation, Hierarchy, PairMeasure, SetMeasure, SetScore, evaluate, measure
from hemlp.errors import InvalidOption, UndefinedScore
from hemlp.measures.factory import Signature, difference, restore_measure
from hemlp.problems.pairing.bounds import Bounds
from tests.graphs import graph
from tests.test_diagnosis import closure, corpora


def harmonic(p, r):
    return 2 * p * r / (p + r) if p + r else 0.0


def quotient(part, whole, same):
    return part / whole if whole else float(same)


@settings(max_examples=60)
@given(corpora(), st.booleans())
def test_averages_of_closures(corpus, weighted):
    labels, edges, true, pred = corpus
    g = graph(labels, edges)
    weight = {c: (k % 3) / 2 if weighted else 1.0 for k, c in enumerate(labels)}
    measures = {s: SetMeasure(f"w{s}", "ancestors", score=s, weights=weight) for s in "PRF"} if weighted else None
    asked = list(measures.values()) if weighted else ["P_H", "R_H", "F_H"]
    ev = evaluate(Hierarchy.from_edges(edges, classes=labels), true, {"A": pred}, asked)
    sides = [(closure(g, p), closure(g, t)) for t, p in zip(true, pred, strict=True)]

    def size(nodes):
        return math.fsum(weight[c] for c in nodes)

    sizes = [(size(p), size(t), size(p & t)) for p, t in sides]
    precision = [quotient(c, p, a == b) for (a, b), (p, _, c) in zip(sides, sizes, strict=True)]
    recall = [quotient(c, t, a == b) for (a, b), (_, t, c) in zip(sides, sizes, strict=True)]
    covered = [x for x, (p, _, _) in zip(precision, sizes, strict=True) if p > 0]
    mean_p, mean_r = math.fsum(precision) / len(precision), math.fsum(recall) / len(recall)
    p, t, c = (math.fsum(column) for column in zip(*sizes, strict=True))
    same = p == t == c
    expected = {
        "micro": [quotient(c, p, same), quotient(c, t, same), quotient(2 * c, p + t, same)],
        "of_means": [mean_p, mean_r, harmonic(mean_p, mean_r)],
    }
    if covered:
        cafa_p = math.fsum(covered) / len(covered)
        expected["cafa"] = [cafa_p, mean_r, harmonic(cafa_p, mean_r)]
    for average, values in expected.items():
        for name, value in zip(ev.measures, values, strict=True):
            assert math.isclose(ev.mean("A", name, average), value, rel_tol=1e-12, abs_tol=1e-12), (average, name)
    if not covered:
        with pytest.raises(UndefinedScore, match="no instance has a prediction"):
            ev.mean("A", ev.measures[2], "cafa")


@settings(max_examples=40)
@given(corpora(), st.sampled_from(["F_H", "SDL", "accuracy", "GIE", "MGIA", "F_LCA"]))
def test_where_wrong(corpus, name):
    labels, edges, true, pred = corpus
    ev = evaluate(Hierarchy.from_edges(edges, classes=labels), true, {"A": pred}, [name])
    best = 1 if ev.greater_is_better[name] else 0
    wrong = [value for value in ev.per_instance("A", name).tolist() if value != best]
    if wrong:
        assert ev.mean("A", name, "where_wrong") == math.fsum(wrong) / len(wrong)
    else:
        with pytest.raises(UndefinedScore, match="no instance is wrong"):
            ev.mean("A", name, "where_wrong")


def test_mistake_severity():
    """TIE over the mistakes alone, whatever is undefined."""
    h = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("a", "y")])
    ev = evaluate(h, ["x", "x", "x", "x"], {"A": [["x"], ["y"], ["b"], []]}, ["TIE"], undefined="nan")
    assert ev.mean("A", "TIE", "where_wrong") == (2 + 3) / 2
    assert ev.mean("A", "TIE") == (0 + 2 + 3) / 3


def test_averages_that_a_measure_does_not_have():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    endless = SetMeasure(
        "endless", "none", score=SetScore(lambda f: f.common - f.predicted, range=(-math.inf, math.inf))
    )
    ev = evaluate(h, ["a"], {"A": ["b"]}, ["GIE", "SDL", "F", "F_LCA", "accuracy", endless])
    for name, average in [("GIE", "micro"), ("GIE", "of_means"), ("GIE", "cafa"), ("SDL", "micro"), ("SDL", "of_means"),
                          ("accuracy", "micro"), ("F", "cafa"), ("F_LCA", "cafa"), ("endless", "where_wrong"),
                          ("endless", "cafa")]:  # fmt: skip
        with pytest.raises(InvalidOption, match=f"{name} has no (average '{average}'|micro average)"):
            ev.mean("A", name, average)
    with pytest.raises(InvalidOption, match="average='macro'"):
        ev.mean("A", "F", "macro")
    assert ev.mean("A", "F_LCA", "of_means") == ev.mean("A", "F_LCA", "micro") == 0.5


def test_nothing_to_average():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    hollow = SetMeasure("hollow", "none", score=SetScore(lambda f: f.common * math.nan, counts=True, of_means=harmonic))
    ev = evaluate(h, [["a", "b"]], {"A": ["b"]}, ["TIE", hollow], undefined="nan")
    assert math.isnan(ev.mean("A", "TIE"))
    with pytest.raises(UndefinedScore, match="no instance is wrong"):
        ev.mean("A", "TIE", "where_wrong")
    for average in ("micro", "of_means"):
        with pytest.raises(UndefinedScore, match="undefined on all instances"):
            ev.mean("A", "hollow", average)


def test_averages_of_a_stored_evaluation(tmp_path):
    h = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x")])
    mine = PairMeasure("mine", Bounds((1, 1), (1, 1)), default_cost=2)
    names = ["F_H", "F_H(horizon=2)", "GIE", mine]
    ev = evaluate(h, [["a"], ["x"], ["b"]], {"A": [["b"], ["a", "x"], []]}, names)
    ev.to_json(tmp_path / "e.json")
    stored = Evaluation.from_json(tmp_path / "e.json")
    for name in ("F_H", "F_H(horizon=2)"):
        for average in ("mean", "micro", "of_means", "where_wrong", "cafa"):
            assert stored.mean("A", name, average) == ev.mean("A", name, average)
    assert stored.mean("A", "GIE", "where_wrong") == ev.mean("A", "GIE", "where_wrong")
    with pytest.raises(InvalidOption, match="mine cannot be rebuilt from the file"):
        stored.mean("A", "mine", "where_wrong")


# ---- signatures


@pytest.mark.parametrize("text", ["F_H(horizon=2)", "MGIA(default_cost=4,normalizer='union')", "F_LCA", "accuracy",
                                  "GIE(cost='shortest_path(decay=0.3)')",
                                  "PairMeasure('mine', Bounds((1, 2), (1, ALL)), default_cost=(1, 2))"])  # fmt: skip
def test_signatures_are_read_back(text):
    made = measure(text)
    read = Signature.read(made.signature + "|hierarchy:abc|unknown:error|missing:error")
    assert read.measure == made.name
    assert read.parameters == {key: str(value) for key, value in made.parameters.items()}
    assert read.circumstances == {"hierarchy": "abc", "unknown": "error", "missing": "error"}
    assert restore_measure(text, made.signature + "|hierarchy:abc") == made


def test_what_keeps_scores_from_being_compared():
    new = "F_H|top:False,horizon:None,weights:None|hemlp:9.0|hierarchy:abc|unknown:error"
    assert difference(new, new) is None
    assert difference(new.replace("9.0", "0.1"), new) is None
    assert difference(new.replace(",weights:None", ""), new) is None  # not yet invented
    assert difference(new, new.replace("weights:None", "weights:custom 12")) == "weights was None and is custom 12"
    assert difference(new.replace("abc", "abd"), new) == "hierarchy was abd and is abc"
    assert difference(new.replace("|unknown:error", ""), new) == "unknown was not given and is error"
    assert difference(new.replace("top:False", "top:True"), new) == "top was True and is False"
    assert difference(new.replace("top:", "old:3,top:"), new) == "old was 3 and is not a parameter any more"
    assert difference(new.replace("F_H", "F_De"), new) == "the measure was F_De and is F_H"
    assert "of your own" in difference(new.replace("|hemlp", "|custom 1|hemlp"), new)
    with pytest.raises(InvalidOption, match="is not a signature"):
        Signature.read("nonsense")
