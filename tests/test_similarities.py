"""Costs by common ancestors: against enumerated values, their definitions, and nxontology."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hemlp.hierarchy.structure
from hemlp import ALL, Batch, Bounds, Hierarchy, JiangConrath, LcaHeight, Lin, PairMeasure, Resnik, WuPalmer, measure
from hemlp.costs import MatrixCost
from hemlp.errors import InvalidCost, InvalidOption, NoTextForm
from hemlp.measures.factory import write_measures
from hemlp.testing import check_measure
from tests import oracle
from tests.graphs import graph, labelled, up
from tests.test_more_sets import corpus_batch, weights

ONE = Bounds((1, 1), (1, 1))
H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])


def defined(g, u, v, content, lengths=None):
    """All five, by their definitions over common ancestors; the similarities first."""
    weight = None if lengths is None else "weight"
    above_u, above_v = up(g, u, weight), up(g, v, weight)
    common = above_u.keys() & above_v.keys()

    def depth(c):
        return min(d for a, d in up(g, c, weight).items() if not list(g.predecessors(a)))

    def height(c):
        return max((height(d) + (g.edges[c, d].get("weight", 1)) for d in g.successors(c)), default=0)

    shared = max((content[a] for a in common), default=None)
    total = content[u] + content[v]
    similar = 0 if shared is None else 2 * shared / total if total else float(u == v)
    deep = [(2 * (1 + depth(a)), above_u[a] + above_v[a]) for a in common]
    return {
        "resnik": shared or 0,
        "lin": similar,
        "jiang_conrath": math.inf if shared is None else total - 2 * shared,
        "wu_palmer": max((d / (d + way) for d, way in deep), default=0),
        "lca_height": min(map(height, common), default=math.inf),
    }


def monotone_contents(data, g):
    """Numbers that never fall downwards."""
    content = {}
    for c in list(nx.topological_sort(g)):
        above = max((content[a] for a in g.predecessors(c)), default=0)
        content[c] = above + data.draw(st.sampled_from([0, 0, 1, 0.5, 3]))
    return content


@pytest.mark.parametrize("many", [1_000, 1])
@settings(max_examples=60)
@given(labelled(9), st.data())
def test_definitions(many, case, data):
    """Also with hubs: a class with more than ``many`` parents stops lists."""
    labels, edges = case
    g = graph(labels, edges)
    content = monotone_contents(data, g)
    weighted = data.draw(st.booleans())
    for edge in g.edges:
        g.edges[edge]["weight"] = data.draw(st.sampled_from([1, 2, 0.5])) if weighted else 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hemlp.hierarchy.structure, "MANY_PARENTS", many)
        given_edges = [(*e, g.edges[e]["weight"]) for e in edges] if weighted and edges else edges
        h = Hierarchy.from_edges(given_edges, classes=labels)
        costs = {
            "resnik": Resnik(content, normalized=True), "lin": Lin(content), "jiang_conrath": JiangConrath(content),
            "wu_palmer": WuPalmer(), "lca_height": LcaHeight(),
        }  # fmt: skip
        batch = Batch.of(h, [set(labels)], [set(labels)])
        pairs = hemlp.problems.pairing.pairs.Pairs.of(batch)
        found = {name: cost.pair_costs(batch, pairs).reshape(len(h), len(h)) for name, cost in costs.items()}
    for i, u in enumerate(h.labels):
        for j, v in enumerate(h.labels):
            meant = defined(g, u, v, content, weighted or None)
            meant["resnik"] = meant["resnik"] / (max(content.values()) or 1)
            for name, values in found.items():
                expected = 1 - meant[name] if name in ("resnik", "lin", "wu_palmer") else meant[name]
                assert values[i, j] == pytest.approx(expected, rel=1e-12, abs=1e-12), (name, u, v)


def test_values_of_the_corpora():
    for row in oracle.corpora():
        _, batch = corpus_batch(row)
        content = weights(row, "ic")
        measures = {
            "GIE(jiang_conrath, D=3)": measure("GIE", cost=JiangConrath(content), default_cost=3),
            "GIE(lca_height, D=3)": measure("GIE", cost=LcaHeight(), default_cost=3),
        }
        for name, m in measures.items():
            for value, expected in zip(m.score(batch).values, row["values"], strict=True):
                assert oracle.same(value, expected[name]), (name, row["edges"])


def test_texts_and_signatures():
    assert str(measure("GIE", cost=LcaHeight(), default_cost=3)) == "GIE(default_cost=3, cost='lca_height')"
    assert measure("GIE(cost='wu_palmer')") == measure("GIE", cost=WuPalmer())
    content = dict.fromkeys(H, 1.0)
    m, same, other = (measure("GIE", cost=Lin(w)) for w in (content, dict(content), {**content, "cow": 2.0}))
    assert m.signature == same.signature != other.signature
    assert m == same != other
    assert hash(m) == hash(same)
    with pytest.raises(NoTextForm):
        write_measures([m])
    with pytest.raises(InvalidOption, match="cost='lin' needs the information content"):
        measure("GIE", cost="lin").score(H, ["sheep"], ["cow"])
    assert measure("BMA", cost=Lin(content)).display_name == "BMA(cost='lin')"
    assert "custom" in str(measure("BMA", cost=Lin(content)))
    with pytest.raises(InvalidOption, match="Lin needs weights"):
        Lin(None)
    with pytest.raises(InvalidOption, match="horizon counts edges"):
        measure("GIE", cost="wu_palmer", horizon=2)
    for cost in ("wu_palmer", "lca_height"):
        check_measure(measure("GIE", cost=cost), count=6)
        check_measure(PairMeasure("mine", Bounds((0, 2), (1, ALL)), cost=cost, default_cost=1), count=6)


def test_what_is_no_cost_is_refused():
    content = dict.fromkeys(H, 1.0)
    raw = measure("GIE", cost=Resnik(content))
    with pytest.raises(InvalidCost, match="not between 0 and 1.*normalized=True"):
        raw.score(H, ["sheep"], ["cow"])
    assert measure("GIE", cost=Resnik(content, normalized=True)).score(H, ["sheep"], ["cow"]) == 0
    with pytest.raises(InvalidCost, match="'cow' and 'sheep' is 1.2, above 1: an ancestor"):
        measure("GIE", cost=Lin({**content, "animal": 0.5, "mammal": 3, "cow": 4})).score(H, ["sheep"], ["cow"])
    with pytest.raises(InvalidCost, match="at least 0"):
        measure("GIE", cost=JiangConrath({**content, "mammal": 3})).score(H, ["sheep"], ["cow"])
    with pytest.raises(InvalidOption, match="no value for the class 'bird'"):
        measure("GIE", cost=Lin({c: 1.0 for c in H if c != "bird"})).score(H, ["sheep"], ["cow"])


def test_without_a_common_ancestor():
    h = Hierarchy.from_edges([("a", "b")], classes=["z"])
    content = dict.fromkeys(h, 1.0)
    assert Lin(content).between(h, "a", "z") == WuPalmer().between(h, "a", "z") == 1
    assert JiangConrath(content).between(h, "a", "z") == LcaHeight().between(h, "a", "z") == math.inf
    nothing = dict.fromkeys(h, 0.0)
    assert (Lin(nothing).between(h, "a", "a"), Lin(nothing).between(h, "a", "b")) == (0, 1)
    assert Resnik(nothing, normalized=True).between(h, "a", "a") == 1


def test_a_cost_is_what_a_table_of_it_would_be():
    table = MatrixCost(H.labels, [[WuPalmer().between(H, u, v) for v in H] for u in H])
    for true, pred in ((["sheep", "bird"], ["cow"]), (["mammal"], ["animal", "sheep"])):
        assert measure("GIE", cost=table).score(H, true, pred) == measure("GIE", cost="wu_palmer").score(H, true, pred)


def test_similarities_by_nxontology():
    """On random trees, with contents that grow downwards."""
    nxontology = pytest.importorskip("nxontology", reason="nxontology is not installed: NOT compared")
    rng = np.random.default_rng(1)
    for _ in range(10):
        edges = [(int(rng.integers(0, c)), c) for c in range(1, 15)]
        o = nxontology.NXOntology()
        for c in range(15):
            o.add_node(c)
        for parent, child in edges:
            o.add_edge(parent, child)
        h = Hierarchy.from_edges(edges)
        content = {c: float(o.node_info(c).intrinsic_ic_sanchez) for c in h}
        for u in h:
            for v in h:
                theirs = o.similarity(u, v, ic_metric="intrinsic_ic_sanchez")
                assert 1 - Lin(content).between(h, u, v) == pytest.approx(theirs.lin, abs=1e-12)
                shared = (content[u] + content[v] - JiangConrath(content).between(h, u, v)) / 2
                assert shared == pytest.approx(theirs.resnik, abs=1e-12)


def test_the_best_ancestor_can_lie_beyond_a_hub(monkeypatch):
    """Deeper than the hub, and in no list: found by the way through the gate; also where it weighs most."""
    monkeypatch.setattr(hemlp.hierarchy.structure, "MANY_PARENTS", 1)
    chain = ["top", *(f"c{i}" for i in range(6)), "hub"]
    edges = [*itertools.pairwise(chain), ("root", "hub"), ("hub", "u"), ("hub", "v"), ("c2", "w"), ("w", "hub")]
    h = Hierarchy.from_edges(edges)
    assert h.hub == h.id("hub")
    g = graph(list(h), edges)
    content = dict.fromkeys(h, 0.25) | {"u": 1.0, "v": 1.0, "c5": 0.75}
    for first, second in itertools.product(("u", "v", "hub", "c5", "w", "root"), repeat=2):
        meant = defined(g, first, second, content)
        assert 1 - WuPalmer().between(h, first, second) == pytest.approx(meant["wu_palmer"]), (first, second)
        resnik = 1 - Resnik(content, normalized=True).between(h, first, second)
        assert resnik == pytest.approx(meant["resnik"]), (first, second)
    assert 1 - WuPalmer().between(h, "u", "v") == pytest.approx(14 / 18)
    assert 1 - Lin(content).between(h, "u", "v") == 0.75
