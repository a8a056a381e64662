"""Measures as specifications: names, parameters, text, costs, scores."""

from __future__ import annotations

import math
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hemlp
from hemlp import ALL, Batch, Bounds, Hierarchy, MatrixCost, PairMeasure, PairScore, SetMeasure, ShortestPath, measure
from hemlp.errors import InvalidCost, InvalidOption, NoTextForm, UnknownMeasure
from hemlp.measures import NAMED, read_measures, write_measures
from hemlp.scoring import score_together
from tests.graphs import graph, labelled

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
LOOSE = PairMeasure("loose", Bounds(predicted=(1, 2), true=(1, ALL)), cost="shortest_path", default_cost=5)
TEXTS = [
    *NAMED, "MGIA(default_cost=4)", "GIE(default_cost=2.5, horizon=3)", "MGIA(normalizer='union', pairing='nearest')",
    "SunLim(cost='undirected')", "TIE(cost='shortest_path(decay=0.75)')", "GIE(max_distance=3)",
    "PairMeasure('loose', bounds=Bounds(predicted=(1, 2), true=(1, ALL)), default_cost=5)",
    "PairMeasure('m', bounds=Bounds(predicted=(0, ALL), true=(1, 1)), cost='undirected', default_cost=(1, None))",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_text_parses_back_to_an_equal_measure(text):
    m = measure(text)
    assert measure(str(m)) == m
    assert str(measure(str(m))) == str(m)
    assert hash(measure(str(m))) == hash(m)
    if "(1, None)" not in text:
        assert read_measures(write_measures([m])) == [m]
    assert pickle.loads(pickle.dumps(m)) == m


def test_text_is_short_and_parameters_are_complete():
    assert str(measure("MGIA", default_cost=5)) == "MGIA"
    assert str(measure("MGIA", default_cost=4)) == "MGIA(default_cost=4)"
    assert measure("MGIA(default_cost=4)") == measure("MGIA", default_cost=4) != measure("MGIA")
    assert measure("GIE", distance="undirected") == measure("GIE", cost="undirected")
    assert measure("MGIA").parameters == {
        "default_cost": 5, "cost": "shortest_path", "max_distance": None, "horizon": None, "pairing": "optimal",
        "normalizer": "difference",
    }  # fmt: skip
    assert LOOSE.parameters["bounds"] == LOOSE.bounds
    assert measure(LOOSE) is LOOSE
    assert write_measures([measure("GIE(horizon=2)"), LOOSE]) == (
        '[[measure]]\nname = "GIE"\nhorizon = 2\n\n'
        '[[measure]]\nname = "loose"\ncost = "shortest_path"\ndefault_cost = 5\nscore = "error"\npairing = "optimal"\n'
        'defined = "always"\npredicted = [1, 2]\ntrue = [1, "ALL"]\n'
    )


@pytest.mark.parametrize(
    "custom",
    [
        PairMeasure("mine", Bounds((1, 1), (1, 1)), cost=lambda p, t: 1.0),
        PairMeasure("mine", Bounds((1, 1), (1, 1)), cost=MatrixCost(["a"], [[0]])),
        PairMeasure("mine", Bounds((1, 1), (1, 1)), score=PairScore(lambda facts: -facts.error)),
        PairMeasure("mine", Bounds(({"a": 1}, 1), (1, 1))),
        PairMeasure("mine", Bounds((1, 1), (1, 1)), default_cost={"a": 1}),
        measure("SunLim", cost=MatrixCost(["a"], [[1]], similarity=True)),
    ],
)
def test_functions_and_matrices_have_no_text_form(custom):
    assert "custom" in str(custom)
    with pytest.raises(NoTextForm):
        write_measures([custom])
    with pytest.raises((NoTextForm, UnknownMeasure, InvalidOption)):
        measure(str(custom))


def test_signatures_hold_all_that_matters():
    score = measure("MGIA", default_cost=4).score(H, ["cow"], ["sheep"])
    assert score.signature == (
        "MGIA|default_cost:4,cost:shortest_path,max_distance:None,horizon:None,pairing:optimal,normalizer:difference"
        f"|hemlp:{hemlp.__version__}|hierarchy:{H.content_hash[:16]}|unknown:error|missing:error"
    )
    for solver in ("pulp", "flow"):
        assert measure("MGIA", default_cost=4).score(H, ["cow"], ["sheep"], solver=solver).signature == score.signature
    batch = Batch.of(H, [["cow", "dragon"]], ["cow"], unknown="isolate")
    assert f"hierarchy:{H.content_hash[:16]}|unknown:isolate" in measure("GIE").score(batch).signature


def test_mistakes_are_named():
    for text, words in (
        ("MGAI", "no measure 'MGAI'.*did you mean 'MGIA'"),
        ("mgia", "did you mean 'MGIA'"),
        ("GIE(", "cannot read"),
        ("GIE(5)", "name its parameters"),
        ("GIE.x", "cannot read"),
        ("GIE(default_cost=__import__('os'))", "cannot read"),
    ):
        with pytest.raises(UnknownMeasure, match=words):
            measure(text)
    for options, words in (
        ({"defualt_cost": 4}, "no parameter 'defualt_cost'.*did you mean 'default_cost'"),
        ({"normalizer": "unoin"}, "did you mean 'union'"),
        ({"pairing": "x"}, "pairing='x'"),
        ({"default_cost": 0}, "above 0"),
        ({"default_cost": None}, "above 0"),
        ({"default_cost": -1}, "default_cost=-1"),
        ({"default_cost": math.nan}, "default_cost=nan"),
        ({"default_cost": math.inf}, "infinite"),
        ({"default_cost": "5"}, "default_cost='5'"),
        ({"horizon": 0}, "horizon=0"),
        ({"horizon": 1.5}, "horizon=1.5"),
        ({"horizon": 2, "cost": "shortest_path(decay=0.5)"}, "unit lengths"),
        ({"max_distance": -1}, "max_distance=-1"),
        ({"cost": "far"}, "cost='far'"),
        ({"cost": 3}, "cost=3"),
    ):
        with pytest.raises(InvalidOption, match=words):
            measure("MGIA", **options)
    with pytest.raises(InvalidOption, match="no parameter 'normalizer'"):
        measure("GIE", normalizer="union")
    with pytest.raises(InvalidOption, match="takes no further"):
        measure(LOOSE, horizon=1)
    with pytest.raises(InvalidOption, match="nearest"):
        PairMeasure("x", Bounds((1, 1), (1, 1)), default_cost=1, pairing="nearest")
    with pytest.raises(InvalidOption, match="word of letters"):
        PairMeasure("my measure", Bounds((1, 1), (1, 1)))
    with pytest.raises(InvalidOption, match="an empty prediction is"):
        measure("GIE").score(H, ["cow"], None)
    heavy = Hierarchy.from_edges([("animal", "cow", 2), ("animal", "sheep", 2)])
    with pytest.raises(InvalidOption, match="has edge weights"):
        measure("GIE", horizon=2).score(heavy, ["cow"], ["sheep"])
    with pytest.raises(InvalidOption, match="undefined='maybe'"):
        measure("GIE").score(H, ["cow"], ["cow"], undefined="maybe")
    with pytest.raises(UnknownMeasure, match="TOML"):
        read_measures("[[measure")


# ---- costs


@given(labelled(10), st.sampled_from([0.5, 0.75, 2.0]), st.data())
def test_costs_are_those_of_networkx(case, decay, data):
    labels, edges = case
    h, g = Hierarchy.from_edges(edges, classes=labels), graph(labels, edges)
    for p, c in g.edges:
        g.edges[p, c]["w"] = decay ** h.depth(c)
    us, vs = (data.draw(st.lists(st.sampled_from(labels), unique=True, max_size=4)) for _ in "uv")
    free, decaying = g.to_undirected(), g.reverse()
    model = measure("SunLim", cost="undirected").model(h, vs, us)
    slow = measure("SunLim", cost=ShortestPath(undirected=True, decay=decay)).model(h, vs, us)
    weighted = measure("SunLim", cost=ShortestPath(decay=decay)).model(h, vs, us)
    at_p, at_t = model.ends
    for k, (i, j) in enumerate(zip(at_p, at_t, strict=True)):
        u, v = h.labels[model.batch.pred.classes[i]], h.labels[model.batch.true.classes[j]]
        linked = nx.has_path(free, u, v)
        assert model.kappa[k] == (nx.shortest_path_length(free, u, v) if linked else math.inf)
        expected = nx.shortest_path_length(free, u, v, weight="w") if linked else math.inf
        assert slow.kappa[k] == pytest.approx(expected)
        up_u, up_v = (dict(nx.single_source_dijkstra_path_length(decaying, x, weight="w")) for x in (u, v))
        expected = min((up_u[a] + up_v[a] for a in up_u.keys() & up_v.keys()), default=math.inf)
        assert weighted.kappa[k] == pytest.approx(expected)


def test_costs_do_not_depend_on_the_memory_for_ancestors(monkeypatch):
    example = hemlp.examples.mesh_mini()
    batch = Batch.of(example.hierarchy, example.true, example.systems["knn30"])
    usual = measure("GIE").model(batch).kappa
    monkeypatch.setattr("hemlp.reach.ROOM", 1000)
    assert np.array_equal(measure("GIE").model(batch).kappa, usual)
    monkeypatch.setattr("hemlp.scoring.PAIRS_AT_ONCE", 500)
    chunked = measure("GIE").score(batch)
    monkeypatch.undo()
    assert chunked.values.tolist() == measure("GIE").score(batch).values.tolist()


def test_weights_of_the_hierarchy_are_used():
    h = Hierarchy.from_edges([("animal", "mammal", 4), ("mammal", "sheep", 0.5), ("mammal", "cow", 1)])
    assert measure("TIE").score(h, "sheep", "cow") == 1.5
    assert measure("TIE").score(h, "animal", "cow") == 5


def test_weights_of_a_cost():
    h = Hierarchy.from_edges([("animal", "mammal", 4), ("mammal", "sheep", 0.5), ("mammal", "cow", 1)])
    plain = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
    uniform = measure("GIE", cost="shortest_path(weights=uniform)", horizon=1)
    assert measure(str(uniform)) == uniform
    assert uniform.score(h, ["cow"], ["sheep"]) == 2
    lengths = {("animal", "mammal"): 4, ("mammal", "sheep"): 0.5, ("mammal", "cow"): 1}
    mapped = measure("GIE", cost=ShortestPath(weights=lengths))
    assert mapped.score(plain, ["cow"], ["sheep"]) == measure("GIE").score(h, ["cow"], ["sheep"]) == 1.5
    assert "custom" in str(mapped)
    assert hash(mapped) == hash(measure("GIE", cost=ShortestPath(weights=lengths)))
    with pytest.raises(InvalidOption, match="unit lengths"):
        measure("GIE", cost=ShortestPath(weights=lengths), horizon=2)
    for bad in ({"decay": 0.5, "weights": "uniform"}, {"weights": "even"}):
        with pytest.raises(InvalidOption):
            ShortestPath(**bad)


def test_functions_and_matrices_as_costs():
    mine = PairMeasure("mine", Bounds((1, 1), (1, 1)), cost=lambda p, t: abs(len(p) - len(t)), default_cost=9)
    assert mine.score(H, ["sheep"], ["cow"]) == 2
    labels = ["animal", "cow", "mammal", "sheep"]
    similar = np.eye(4)
    similar[1, 3] = 0.25  # predicted cow, true sheep
    sim = measure("SunLim", cost=MatrixCost(labels, similar, similarity=True))
    assert sim.score(H, ["sheep"], ["cow"]) == 0.75
    assert sim.score(H, ["cow"], ["sheep"]) == 1
    assert sim.score(H, ["cow", "sheep"], ["cow"]) == 0.75
    with pytest.raises(InvalidCost, match="no row for the class 'mammal'"):
        measure("SunLim", cost=MatrixCost(["cow"], [[0]])).score(H, ["mammal"], ["cow"])
    with pytest.raises(InvalidCost, match=r"shape \(1, 2\) does not fit 1"):
        MatrixCost(["cow"], [[0, 1]])
    for bad in (-1.0, math.nan):
        with pytest.raises(InvalidCost, match="predicting 'cow' for 'sheep'"):
            measure("SunLim", cost=MatrixCost(labels, np.full((4, 4), bad))).score(H, ["sheep"], ["cow"])
        with pytest.raises(InvalidCost, match="predicting 'cow' for 'sheep'"):
            PairMeasure("bad", Bounds((1, 1), (1, 1)), cost=lambda p, t, bad=bad: bad).score(H, ["sheep"], ["cow"])
    with pytest.raises(InvalidCost, match="is nan"):
        PairMeasure("bad", Bounds((1, 1), (1, 1)), cost=lambda p, t: "far").score(H, ["sheep"], ["cow"])
    with pytest.raises(InvalidCost, match="without the class 'cow'"):
        PairMeasure("part", Bounds((1, 1), (1, 1)), default_cost={"sheep": 1}).score(H, ["sheep"], ["cow"])


def test_the_cap_comes_before_the_cut():
    chain = Hierarchy.from_edges([(i, i + 1) for i in range(9)])
    assert measure("GIE", horizon=2).score(chain, [0], [9]) == 4
    assert measure("GIE", horizon=2, max_distance=4).score(chain, [0], [9]) == 4
    assert measure("GIE", horizon=2, max_distance=3).score(chain, [0], [9]) == 10
    assert measure("GIE", max_distance=3).score(chain, [0], [3]) == 3


# ---- scores


def test_scores_are_floats_with_more_to_tell():
    score = measure("MGIA", default_cost=5).score(H, true=["sheep"], pred=["cow", "mammal"])
    assert (score, float(score), score["error"], score["MGIA"], score.status) == (0.8, 0.8, 3, 0.8, "optimal")
    assert measure("MGIA").score(H, "sheep", "sheep") == 1
    assert measure("MGIA").score(H, [], []) == 1
    assert measure("MGIA").score(H, [], ["cow", "sheep"]) == 0
    assert measure("GIE").score(H, [], ["cow", "sheep"]) == 10
    half = PairMeasure("half", Bounds((1, 1), (1, 1)), default_cost=5, score=PairScore(lambda f: f.error / 2))
    assert (half.score(H, ["cow"], ["sheep"]), half.greater_is_better, half.range) == (1, False, (0, math.inf))


def test_the_papers_remark_on_the_normalizer():
    case = Hierarchy.from_edges([("A", "B"), ("A", "C"), ("B", "D"), ("B", "E"), ("D", "P1"), ("D", "TP")])
    for normalizer, alone, with_correct in (("difference", 0.8, 0.6), ("union", 0.8, 0.8)):
        m = measure("MGIA", normalizer=normalizer)
        assert m.score(case, ["TP"], ["P1"]) == pytest.approx(alone)
        assert m.score(case, ["TP"], ["P1", "TP"]) == pytest.approx(with_correct)


def test_backends_can_be_imported_in_both_orders():
    import subprocess
    import sys

    body = "import hemlp\nh = hemlp.Hierarchy.from_edges([('a', 'b'), ('a', 'c')])\n"
    body += "m = hemlp.measure('GIE').model(h, ['b'], ['c'])\n"
    for first, second in (("pulp", "cpsat"), ("cpsat", "pulp"), ("pulp", "milp"), ("milp", "pulp")):
        code = body + f"print(m.solve('{first}').objective, m.solve('{second}').objective)"
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert out.stdout == "2.0 2.0\n", out.stderr


def test_measures_of_one_model_and_one_name_keep_their_own_scores():
    h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
    batch = Batch.of(h, [["sheep", "mammal"]], [["cow", "mammal"]])
    both = [measure("MGIA"), measure("MGIA", normalizer="union")]
    both += [SetMeasure("mine", "ancestors", score=score) for score in ("P", "jaccard")]
    apart = [each.score(batch).values[0] for each in both]
    assert [scores.values[0] for scores in score_together(both, batch)] == apart
    assert len(set(apart)) == 4
