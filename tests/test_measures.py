"""Measures as specifications: names, parameters, text, costs, scores."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import pickle
import re
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hemlp
from hemlp import ALL, Batch, Bounds, Hierarchy, PairMeasure, PairScore, SetMeasure, SetScore, ShortestPath, measure
from hemlp.costs import MatrixCost
from hemlp.errors import InvalidCost, InvalidOption, NoTextForm, UnknownMeasure
from hemlp.measures.base import Measure
from hemlp.measures.factory import NAMED, read_measures, write_measures
from hemlp.measures.fingerprints import fingerprint
from hemlp.measures.naming import measure_called
from hemlp.measures.pair_scores import PAIR_SCORES
from hemlp.measures.scoring import score_together
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


# ---- custom parts in signatures

TABLE = {"cow": 1.0}


def looked_up(p, t):
    return TABLE["cow"]


def constant(value):
    return lambda p, t: value


def with_default(p, t, scale=1.0):
    return scale


class Scaled:
    """A cost of a user's own."""

    unit = False

    def __init__(self, scale):
        self.scale = scale

    def pair_costs(self, batch, pairs):
        return np.full(pairs.ptr[-1], self.scale)

    def cost(self, p, t):
        return self.scale


class Doubled(Scaled):
    def pair_costs(self, batch, pairs):
        return 2 * super().pair_costs(batch, pairs)


def remade(value):
    """A class that differs from others of its name by a value that its method takes along."""

    class Own(Scaled):
        def pair_costs(self, batch, pairs):
            return np.full(pairs.ptr[-1], value)

    return Own(1.0)


COSTS = [
    lambda: constant(1.0), lambda: constant(2.0), lambda: constant("2.0"), lambda: (lambda p, t: 1.0),
    lambda: (lambda p, t: 2.0), lambda: (lambda t, p: 1.0), lambda: with_default, lambda: looked_up,
    lambda: (lambda p, t, scale=2.0: scale), lambda: (lambda p, t, *, scale=2.0: scale), lambda: (lambda p, t: len(p)),
    lambda: (lambda p, t: len(t)), lambda: functools.partial(with_default, scale=3.0),
    lambda: functools.partial(with_default, scale=4.0), lambda: Scaled(1.0), lambda: Scaled(2.0), lambda: Doubled(1.0),
    lambda: Scaled(1.5).cost, lambda: Scaled(2.5).cost, lambda: remade(1.0), lambda: remade(2.0),
    lambda: functools.lru_cache(constant(7.0)), lambda: functools.lru_cache(constant(8.0)), lambda: max, lambda: min,
    lambda: MatrixCost(["a", "b"], [[0, 1], [1, 0]]), lambda: MatrixCost(["a", "b"], [[0, 1], [2, 0]]),
    lambda: MatrixCost(["b", "a"], [[0, 1], [1, 0]]), lambda: MatrixCost(["a", "b"], [[0, 1], [1, 0]], similarity=True),
    lambda: ShortestPath(weights={("a", "b"): 1}), lambda: ShortestPath(weights={("a", "b"): 2}),
    lambda: ShortestPath(weights={("a", "b"): 1}, undirected=True), lambda: {"a": 1}.get, lambda: {"a": 2}.get,
]  # fmt: skip
WEIGHTS = [{"a": 1, "b": 2}, {"a": 2, "b": 1}, {"a": 1}, {1: 1, 2: 2}, {"1": 1, "2": 2}, {"a": 1, "b": 2.5}]
BOUNDS = [{"a": 1}, {"a": 2}, {"b": 1}, {"a": ALL}]
SCORES = [
    PairScore(lambda f: f.error), PairScore(lambda f: 2 * f.error), PairScore(lambda f: f.error, True),
    PairScore(lambda f: f.error, range=(0.0, 1.0)), PAIR_SCORES["accuracy"], PAIR_SCORES["accuracy_union"],
]  # fmt: skip


def customs():
    one = Bounds((1, 1), (1, 1))
    return [
        *(PairMeasure("mine", one, cost=cost()) for cost in COSTS),
        *(SetMeasure("mine", "ancestors", weights=weights) for weights in WEIGHTS),
        *(PairMeasure("mine", Bounds((bound, 3), (1, 1))) for bound in BOUNDS),
        *(PairMeasure("mine", Bounds((0, bound), (1, 1))) for bound in BOUNDS),
        *(
            PairMeasure("mine", one, default_cost=default)
            for default in (*WEIGHTS, (WEIGHTS[0], None), (None, WEIGHTS[0]))
        ),
        *(PairMeasure("mine", one, default_cost=5, score=score) for score in SCORES),
        *(SetMeasure("mine", "none", score=SetScore(rule)) for rule in (lambda f: f.common, lambda f: f.true)),
    ]


def test_different_custom_parts_have_different_signatures_and_equal_ones_the_same():
    first, again = ([each.signature for each in customs()] for _ in range(2))
    assert len(set(first)) == len(first)
    assert first == again
    assert all("custom" in str(each) for each in customs())
    pickled = pickle.loads(pickle.dumps(PairMeasure("mine", Bounds((1, 1), (1, 1)), cost=Scaled(1.0))))
    assert pickled.signature in first


def test_numbers_count_by_their_value_in_fingerprints():
    for value in (1, 1.0, np.float64(1), np.int32(1)):
        assert fingerprint({"a": value}) == fingerprint({"a": 1})
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint({"a": 0.1}) != fingerprint({"a": 0.2})


def test_a_function_is_known_by_what_it_takes_along(monkeypatch):
    made = measure("GIE", cost=looked_up)
    before = made.signature
    assert "cost:custom looked_up#" in before
    monkeypatch.setitem(TABLE, "cow", 2.0)
    assert made.signature != before
    monkeypatch.undo()
    assert made.signature == before


def test_a_signature_follows_weights_that_change():
    weights = {"a": 1.0}
    for made in (measure("SDL", weights=weights), measure("transport", weights=weights)):
        before, weights["a"] = made.signature, weights["a"] + 1
        assert made.signature != before


def test_what_an_object_keeps_of_its_contents_is_no_content():
    class Kept:
        def __init__(self, value):
            self.value = value

        @functools.cached_property
        def square(self):
            return self.value**2

    first = Kept(3)
    before = fingerprint(first)
    assert first.square == 9
    assert fingerprint(first) == before != fingerprint(Kept(-3))
    bounds = Bounds(({"a": 1}, 1), (1, 1))
    before = fingerprint(bounds)
    assert bounds.custom
    assert not bounds.further
    assert fingerprint(bounds) == before


@dataclass(frozen=True, eq=False)
class Shared(Measure):
    """How many labels both sides share, divided by ``divisor``: a measure of a class of its own."""

    name: str
    divisor: float = 1

    columns = property(lambda self: (self.name,))
    _scorer = property(lambda self: SetScore(lambda facts: facts.common, range=(0.0, math.inf)))
    invariants = property(lambda self: frozenset({"symmetric"}))

    def model(self, data, true=None, pred=None):
        return measure("F").model(data, true, pred)

    def _compute_columns(self, model, solution):
        return {self.name: solution.sums[:, 2] / self.divisor}


def test_a_measure_of_ones_own_is_a_frozen_dataclass():
    one, half = Shared("one"), Shared("half", 2)
    assert half.score(H, ["sheep", "cow"], ["cow"]) == 0.5
    assert (half.fields, half.parameters) == ({"name": "half", "divisor": 2}, {"divisor": 2})
    assert (str(one), str(half)) == ("Shared('one')", "Shared('half', divisor=2)")
    assert measure(str(half)) == half == half.changed(divisor=2.0) != half.changed(divisor=3)
    assert hash(measure(str(half))) == hash(half)
    assert half.signature.startswith("half|divisor:2|custom Shared#")
    assert read_measures(write_measures([half])) == [half]
    assert pickle.loads(pickle.dumps(half)) == half
    with pytest.raises(dataclasses.FrozenInstanceError):
        half.divisor = 3


def test_what_cannot_be_read_is_never_the_same():
    first, second = (PairMeasure("mine", Bounds((1, 1), (1, 1)), cost=constant(threading.Lock())) for _ in "ab")
    assert first.signature == first.signature != second.signature
    ring = []
    ring.append(ring)
    assert measure("GIE", cost=constant(ring)).signature != measure("GIE", cost=constant([[]])).signature


def test_a_measure_of_a_class_of_its_own_says_so():
    class Own(SetMeasure):
        pass

    class Other(SetMeasure):
        def _compute_columns(self, model, solution):
            return {name: values / 2 for name, values in super()._compute_columns(model, solution).items()}

    signatures = {kind("mine", "none").signature for kind in (SetMeasure, Own, Other)}
    assert len(signatures) == 3


def test_fingerprints_are_the_same_in_another_process(tmp_path):
    """With other hashes of strings, where sets and the like have another order."""
    code = "from tests.test_measures import customs; print([each.signature for each in customs()])"
    root = str(Path(__file__).parent.parent)
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, cwd=root, capture_output=True,
            text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert printed == {f"{[each.signature for each in customs()]}\n"}


def test_mistakes_are_named():
    for text, words in (
        ("MGAI", "no measure 'MGAI'.*did you mean 'MGIA'"),
        ("mgia", "did you mean MGIA"),
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
    monkeypatch.setattr("hemlp.hierarchy.reach.ROOM", 1000)
    assert np.array_equal(measure("GIE").model(batch).kappa, usual)
    monkeypatch.setattr("hemlp.measures.scoring.PAIRS_AT_ONCE", 500)
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
    with pytest.raises(InvalidCost, match="is 'far', which is no number"):
        PairMeasure("bad", Bounds((1, 1), (1, 1)), cost=lambda p, t: "far").score(H, ["sheep"], ["cow"])
    with pytest.raises(InvalidCost, match="without the class 'cow'"):
        PairMeasure("part", Bounds((1, 1), (1, 1)), default_cost={"sheep": 1}).score(H, ["sheep"], ["cow"])


@pytest.mark.parametrize(
    "function", [lambda f: 1.0, lambda f: f.error.sum(), lambda f: np.ones(7), lambda f: ["a", "b"]]
)
def test_a_score_is_an_array_of_numbers(function):
    """A sum over a batch would depend on where the data is cut."""
    own = PairMeasure("own", Bounds((1, 1), (1, 1)), default_cost=5, score=PairScore(function))
    with pytest.raises(InvalidOption, match="own: .* is not an array of numbers, one for each instance"):
        own.score(Batch.of(H, [["cow"], ["sheep"]], [["sheep"], ["sheep"]]))
    for make in (
        lambda: PairMeasure("own", Bounds((1, 1), (1, 1)), score=function),
        lambda: SetMeasure("own", "none", score=function),
    ):
        with pytest.raises(InvalidOption, match=r"a score of your own is score=\w+Score\(function\)"):
            make()


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


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("hF1", "F_H"), ("f1", "F"), ("hierarchical_f1", "F_H"), ("hierarchical f1", "F_H"), ("f_h", "F_H"),
        ("F-LCA", "F_LCA"), ("wu-palmer", "BMA(cost='wu_palmer')"), ("Wasserstein", "transport"),
        ("exact match", "accuracy"),
    ],
)  # fmt: skip
def test_names_of_elsewhere_lead_to_ours(text, name):
    with pytest.raises(UnknownMeasure, match=re.escape(f"did you mean {name}")):
        measure(text)
    measure(name)


def test_names_of_elsewhere_are_of_other_measures_only():
    for name in NAMED:
        assert measure_called(name) in (name, None)
    for other in ("macro f1", "micro F1"):  # averages over classes: nothing here is called so
        with pytest.raises(UnknownMeasure) as caught:
            measure(other)
        assert "did you mean" not in str(caught.value)
    with pytest.raises(InvalidOption, match="did you mean 'wu_palmer'"):
        measure("GIE", cost="Wu-Palmer")


def test_scores_are_an_array():
    h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    scores = measure("F_H").score(Batch.of(h, ["b", "c"], ["b", "b"]))
    assert np.asarray(scores).tolist() == scores.values.tolist() == [1, 0.5]
    assert np.array(scores, np.float32).dtype == np.float32
    taken = np.array(scores)
    taken[0] = 7
    assert scores.values[0] == 1
