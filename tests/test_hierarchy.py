from __future__ import annotations

import math
import os
import pickle
import random
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hemlp import TOP, Hierarchy, measure
from hemlp.errors import (
    CyclicHierarchy,
    EmptyHierarchy,
    InvalidHierarchy,
    InvalidLabel,
    InvalidOption,
    InvalidWeight,
    UnknownLabel,
)
from hemlp.hierarchy import labelled_structure
from hemlp.metrics import Metric
from tests.graphs import cyclic, distance, graph, labelled, ladder, shapes, up

pytestmark = pytest.mark.uncompiled
ANIMALS = [("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")]


@given(labelled())
def test_structure_is_that_of_networkx(case):
    labels, edges = case
    h, g = Hierarchy.from_edges(edges, classes=labels), graph(labels, edges)
    assert len(h) == len(g)
    assert set(h) == set(g) == {c for c in labels if c in h}
    assert h.roots == {c for c in g if g.in_degree(c) == 0}
    assert h.leaves == {c for c in g if g.out_degree(c) == 0}
    for c in g:
        assert h.parents(c) == set(g.predecessors(c))
        assert h.children(c) == set(g.successors(c))
        assert h.ancestors(c) == nx.ancestors(g, c)
        assert h.descendants(c) == nx.descendants(g, c)
        assert h.depth(c) == min(d for a, d in up(g, c).items() if g.in_degree(a) == 0)


@given(labelled())
def test_distances_and_lcas_are_those_of_networkx(case):
    labels, edges = case
    h, g = Hierarchy.from_edges(edges, classes=labels), graph(labels, edges)
    for u in g:
        for v in g:
            best, nearest = distance(g, u, v)
            assert h.distance(u, v) == best
            assert h.lca(u, v) == (nearest or {TOP})
            assert h.up(u, v) == up(g, u).get(v, math.inf)


def test_distances_of_many_pairs_are_those_of_single_ones():
    # u-v is 3 (v is above u), and 4 by way of a
    h = Hierarchy.from_edges([("a", "x"), ("x", "u"), ("a", "y"), ("y", "v"), ("v", "q"), ("q", "p"), ("p", "u")])
    assert h.distance("u", "v") == h.distance("v", "u") == 3
    rng = np.random.default_rng(7)
    for _ in range(60):
        children = rng.integers(1, 40, 60)
        parents = np.maximum(children - rng.integers(1, 4, 60) ** 2, 0)
        h = Hierarchy.from_edges(zip(parents, children, strict=True))
        us, vs = np.indices((len(h), len(h))).reshape(2, -1)
        assert h.distances(us, vs).tolist() == [h._meet(u, v)[0] for u, v in zip(us, vs, strict=True)]


@given(labelled(), st.integers(0, 4), st.integers(1, 400))
def test_up_distances_of_a_batch(case, farthest, memory):
    labels, edges = case
    h, g = Hierarchy.from_edges(edges, classes=labels), graph(labels, edges)
    wanted = np.arange(len(h))[::-1]
    parts = list(h.up_distance_chunks(wanted, memory=memory, farthest=farthest))
    assert np.concatenate([part.classes for part in parts]).tolist() == wanted.tolist()
    for part in parts:
        assert len(part) == 1 or part.ancestors.size * 24 <= memory
        for i, c in enumerate(part.classes):
            ancestors, distances = part[i]
            assert sorted(distances) == list(distances)
            assert {h.labels[a]: d for a, d in zip(ancestors, distances, strict=True)} == {
                a: d for a, d in up(g, h.labels[c]).items() if d <= farthest
            }


@given(labelled(), st.randoms(use_true_random=False))
def test_weighted_distances(case, rng):
    labels, edges = case
    edges = list(dict.fromkeys(edges))
    weights = {edge: rng.choice([0, 0.25, 1, 2, 7]) for edge in edges}
    h = Hierarchy.from_edges([(p, c, weights[p, c]) for p, c in edges], classes=labels)
    g = graph(labels, [])
    g.add_weighted_edges_from((p, c, weights[p, c]) for p, c in edges)
    assert h.weighted == bool(edges)
    for u in g:
        assert h.depth(u) == min(d for a, d in up(g, u, "weight").items() if g.in_degree(a) == 0)
        for v in g:
            from_u, from_v = up(g, u, "weight"), up(g, v, "weight")
            sums = {a: from_u[a] + from_v[a] for a in from_u.keys() & from_v.keys()}
            assert h.distance(u, v) == min(sums.values(), default=math.inf)
            assert h.up(u, v) == from_u.get(v, math.inf)
    for farthest in range(4):  # edges, however long
        found = h.up_distances(range(len(h)), farthest=farthest)
        for u, (ancestors, distances) in zip(h.labels, found, strict=True):
            near = {a for a, steps in up(g, u).items() if steps <= farthest}
            assert sorted(distances) == list(distances)
            assert {h.labels[a]: d for a, d in zip(ancestors, distances, strict=True)} == {
                a: d for a, d in up(g, u, "weight").items() if a in near
            }
    plain = Hierarchy.from_edges(edges, classes=labels)
    if edges:
        assert plain.with_weights(weights) == h != plain
        assert Hierarchy.from_networkx(g, weight="weight") == h
        assert h.unit_depths.tolist() == plain.unit_depths.tolist() == plain.depths.tolist()


@given(labelled(), st.randoms(use_true_random=False))
def test_order_of_edges_does_not_matter_and_names_only_name(case, rng):
    labels, edges = case
    h = Hierarchy.from_edges(edges, classes=labels)
    shuffled = edges + edges[:2]
    rng.shuffle(shuffled)
    again = Hierarchy.from_edges(shuffled, classes=labels[::-1])
    assert again == h
    assert hash(again) == hash(h)
    assert again.content_hash == h.content_hash
    assert again.parent_idx.tolist() == h.parent_idx.tolist()
    renamed = {c: f"new {i}" for i, c in enumerate(rng.sample(labels, len(labels)))}
    other = Hierarchy.from_edges([(renamed[p], renamed[c]) for p, c in edges], classes=renamed.values())
    for u in labels:
        assert other.ancestors(renamed[u]) == {renamed[a] for a in h.ancestors(u)}
        for v in labels:
            assert other.distance(renamed[u], renamed[v]) == h.distance(u, v)


@given(labelled())
def test_all_makers_agree(case):
    labels, edges = case
    h = Hierarchy.from_edges(edges, classes=labels)
    g = graph(labels, edges)
    assert Hierarchy.from_networkx(g) == h
    assert Hierarchy.from_parents({c: list(g.predecessors(c)) for c in g}) == h
    paths = [[c] for c in g] + [
        path for root in h.roots for leaf in h.leaves if root != leaf for path in nx.all_simple_paths(g, root, leaf)
    ]
    assert Hierarchy.from_paths(paths, same_names="join") == h
    assert pickle.loads(pickle.dumps(h)) == h


def test_makers_take_what_their_users_have():
    h = Hierarchy.from_edges(ANIMALS)
    assert Hierarchy.from_parents({"sheep": "mammal", "cow": ["mammal"], "mammal": ("animal",), "animal": None}) == h
    assert Hierarchy.from_paths(np.array([["animal", "mammal", "sheep"], ["animal", "mammal", "cow"]])) == h
    assert Hierarchy.from_paths([["animal", "mammal", "sheep", ""], ["animal", "mammal", "cow"]]) == h
    assert Hierarchy.from_networkx(nx.MultiDiGraph(ANIMALS + ANIMALS)) == h
    assert Hierarchy.from_edges(np.array(ANIMALS)) == h
    assert Hierarchy.from_edges([(np.int64(1), np.int32(2))]) == Hierarchy.from_edges([(1, 2)])


def test_hash_tells_contents_apart_and_is_the_same_in_every_process():
    others = [
        Hierarchy.from_edges(ANIMALS),
        Hierarchy.from_edges(ANIMALS, classes=["plant"]),
        Hierarchy.from_edges(ANIMALS[:2], classes=["cow"]),
        Hierarchy.from_edges(ANIMALS, aliases={"bovine": "cow"}),
        Hierarchy.from_edges(ANIMALS, aliases={"bovine": "sheep"}),
        Hierarchy.from_edges([(p, c, 1) for p, c in ANIMALS]),
        Hierarchy.from_edges([(p, c, 2) for p, c in ANIMALS]),
        Hierarchy.from_edges([(1, 2)]),
        Hierarchy.from_edges([("1", 2)]),
        Hierarchy.from_edges([("1", "2")]),
    ]
    assert len({h.content_hash for h in others}) == len(set(others)) == len(others)
    code = f"import hemlp; print(hemlp.Hierarchy.from_edges({ANIMALS[::-1]!r}).content_hash)"
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        out = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
        assert out.stdout.strip() == others[0].content_hash


# ---- cycles


def broken_by_definition(labels, edges):
    """Section 1 of the rules, by recursion: depth-first from the roots, then from the smallest class not yet seen."""
    children = {c: sorted({b for a, b in edges if a == c}) for c in labels}
    roots = [c for c in sorted(labels) if not any(b == c != a for a, b in edges)]
    seen, dropped = set(), set()

    def visit(c, path):
        seen.add(c)
        for child in children[c]:
            if child in path:
                dropped.add((c, child))
            elif child not in seen:
                visit(child, [*path, child])

    for start in [*roots, *sorted(labels)]:
        if start not in seen:
            visit(start, [start])
    return dropped


@given(cyclic(), st.randoms(use_true_random=False))
def test_cycle_policies(case, rng):
    labels, edges = case
    g = graph(labels, edges)
    shuffled = rng.sample(edges, len(edges))

    broken = Hierarchy.from_edges(shuffled, classes=labels, cycles="break")
    assert set(broken.dropped_edges) == broken_by_definition(labels, edges)
    assert broken == Hierarchy.from_edges(set(edges) - set(broken.dropped_edges), classes=labels)

    condensed = Hierarchy.from_edges(shuffled, classes=labels, cycles="condense")
    components = list(nx.strongly_connected_components(g))
    assert len(condensed) == len(components)
    head = {c: min(component) for component in components for c in component}
    assert dict(condensed.aliases) == {c: head[c] for c in labels if head[c] != c}
    merged = graph(set(head.values()), [(head[p], head[c]) for p, c in edges if head[p] != head[c]])
    for u in labels:
        assert condensed.ancestors(u) == nx.ancestors(merged, head[u])
        for v in labels:
            assert condensed.distance(u, v) == distance(merged, head[u], head[v])[0]

    if nx.is_directed_acyclic_graph(g):
        plain = Hierarchy.from_edges(edges, classes=labels)
        assert plain == broken == condensed
    else:
        with pytest.raises(CyclicHierarchy) as caught:
            Hierarchy.from_edges(shuffled, classes=labels)
        cycle = caught.value.cycle
        assert all(g.has_edge(a, b) for a, b in zip(cycle, (*cycle[1:], cycle[0]), strict=True))
        assert all(repr(label) in str(caught.value) for label in cycle)


@given(shapes())
def test_the_order_has_parents_first(case):
    n, edges = case
    h = Hierarchy.from_edges(edges, classes=range(n))
    place = {c: i for i, c in enumerate(h.order.tolist())}
    assert sorted(place) == list(range(n))
    assert all(place[p] < place[c] for p, c in edges)


def test_messages_about_cycles():
    with pytest.raises(CyclicHierarchy, match=r"'a' → 'b' → 'a'.*cycles='condense'.*cycles='break'"):
        Hierarchy.from_edges([("a", "b"), ("b", "a")])
    with pytest.raises(CyclicHierarchy, match="'a' is its own parent"):
        Hierarchy.from_edges([("r", "a"), ("a", "a")])
    with pytest.raises(CyclicHierarchy, match=r"\(90 more\)") as caught:
        Hierarchy.from_edges([(i, (i + 1) % 100) for i in range(100)])
    assert len(caught.value.cycle) == 100
    with pytest.raises(InvalidOption, match="did you mean 'condense'"):
        Hierarchy.from_edges(ANIMALS, cycles="condensed")


def test_an_alias_follows_its_class_into_a_merger():
    h = Hierarchy.from_edges([("a", "b"), ("b", "a"), ("b", "c")], aliases={"B": "b"}, cycles="condense")
    assert h.parents("c") == {"a"}
    assert "B" in h
    assert h.distance("B", "c") == 1
    weighted = Hierarchy.from_edges([("a", "b", 9), ("b", "a", 9), ("a", "c", 3), ("b", "c", 2)], cycles="condense")
    assert weighted.distance("a", "c") == 2


# ---- odd and bad input


def test_odd_but_good_input():
    one = Hierarchy.from_edges([], classes=["only"])
    assert (len(one), one.roots, one.leaves, one.distance("only", "only")) == (1, {"only"}, {"only"}, 0)
    assert one.lca("only", "only") == {"only"}
    two = Hierarchy.from_edges([("a", "b"), ("a", "b")], classes=["alone"])
    assert two.distance("alone", "b") == math.inf
    assert two.lca("alone", "b") == {TOP}
    assert two.roots == {"a", "alone"}
    mixed = Hierarchy.from_edges([(12, "12"), (2, 12)])
    assert list(mixed) == [2, 12, "12"]
    assert True not in Hierarchy.from_edges([(0, 1)])
    assert 1.0 not in Hierarchy.from_edges([(0, 1)])
    assert np.int64(1) in Hierarchy.from_edges([(0, 1)])


def test_bad_input_has_named_errors():
    for empty in (
        lambda: Hierarchy.from_edges([]),
        lambda: Hierarchy.from_paths([]),
        lambda: Hierarchy.from_parents({}),
    ):
        with pytest.raises(EmptyHierarchy, match="no class"):
            empty()
    for bad in (True, 1.5, None, b"x", np.float64(1), np.bool_(True), ("a",)):
        with pytest.raises(InvalidLabel, match="edge 2.*strings or integers"):
            Hierarchy.from_edges([("a", "b"), ("a", bad)])
    with pytest.raises(InvalidHierarchy, match="edge 1 is 'ab'"):
        Hierarchy.from_edges(["ab"])
    with pytest.raises(InvalidHierarchy, match="edge 1"):
        Hierarchy.from_edges([("a", "b", 1, 2)])
    for weight in (-1, math.nan, math.inf, None, "heavy", "1_0", "\u0663", True, 10**400):
        with pytest.raises(InvalidWeight, match="edge 1, 'a' → 'b'"):
            Hierarchy.from_edges([("a", "b", weight)])
    with pytest.raises(InvalidWeight, match="all edges or none"):
        Hierarchy.from_edges([("a", "b", 1), ("a", "c")])
    with pytest.raises(InvalidWeight, match="occurs twice, with the weights 1 and 2"):
        Hierarchy.from_edges([("a", "b", 1), ("a", "b", 2)])
    with pytest.raises(InvalidWeight, match="'mammal' → 'cow' has no weight"):
        Hierarchy.from_edges(ANIMALS).with_weights({("animal", "mammal"): 1, ("mammal", "sheep"): 1})
    with pytest.raises(InvalidHierarchy, match="undirected"):
        Hierarchy.from_networkx(nx.Graph(ANIMALS))
    with pytest.raises(InvalidHierarchy, match="path 1 .* gap"):
        Hierarchy.from_paths([["a", "", "b"]])
    with pytest.raises(InvalidHierarchy, match="path 1 is the string"):
        Hierarchy.from_paths(["ab"])
    with pytest.raises(InvalidHierarchy, match="'cow' cannot be an alias"):
        Hierarchy.from_edges(ANIMALS, aliases={"cow": "sheep"})
    with pytest.raises(InvalidHierarchy, match="alias of 'goat'"):
        Hierarchy.from_edges(ANIMALS, aliases={"kid": "goat"})


def test_unknown_labels_come_with_what_was_meant():
    h = Hierarchy.from_edges([*ANIMALS, ("animal", 12)])
    with pytest.raises(UnknownLabel, match=r"'shep' is not in the hierarchy; did you mean 'sheep'\?") as caught:
        h.distance("shep", "cow")
    assert (caught.value.label, caught.value.near) == ("shep", ("sheep",))
    with pytest.raises(UnknownLabel, match="did you mean 'cow'"):
        h.ancestors("COW")
    with pytest.raises(UnknownLabel, match=r"label '12' \(a string\) .* but 12 \(an integer\) is"):
        h.depth("12")
    with pytest.raises(UnknownLabel, match=r"label 12 \(an integer\) .* but '12' \(a string\) is"):
        Hierarchy.from_edges([("1", "12")]).depth(12)
    with pytest.raises(UnknownLabel, match="'zebra' is not in the hierarchy$"):
        h.id("zebra")


def test_with_isolated_adds_only_what_is_new():
    h = Hierarchy.from_edges(ANIMALS, aliases={"bovine": "cow"})
    assert h.with_isolated(["cow", "bovine"]) is h
    more = h.with_isolated(["zebra", 3])
    assert list(more) == [3, "animal", "cow", "mammal", "sheep", "zebra"]
    assert more.roots == {3, "animal", "zebra"}
    assert more.distance("bovine", "sheep") == 2


def test_a_deep_hierarchy_needs_no_recursion():
    deep = 3000 if os.environ.get("HEMLP_UNCOMPILED") == "1" else 200_000
    edges = [(i, i + 1) for i in range(deep)]
    random.Random(1).shuffle(edges)
    h = Hierarchy.from_edges(edges)
    assert h.depth(deep) == deep
    assert h.distance(0, deep) == deep
    rungs = 200
    tall = Hierarchy.from_edges(ladder(rungs))
    assert tall.distance(3 * rungs, 0) == 2 * rungs
    assert tall.lca(3 * rungs - 1, 3 * rungs - 2) == {3 * rungs - 3}


def test_break_and_condense_on_a_large_cyclic_hierarchy(data):
    from hemlp import read_hierarchy

    file = data / "union_cyclic" / "union_hierarchy.txt.gz"
    with pytest.raises(CyclicHierarchy, match=r"union_hierarchy\.txt\.gz: the hierarchy has a cycle"):
        read_hierarchy(file)
    condensed = read_hierarchy(file, cycles="condense")
    assert len(condensed) + len(condensed.aliases) == 475_482
    broken = read_hierarchy(file, cycles="break")
    assert len(broken) == 475_482
    assert broken.edges.parents.size + len(broken.dropped_edges) == 694_905


def test_distances_on_mesh_agree_with_ancestor_lists(data):
    from hemlp import read_hierarchy

    h = read_hierarchy(data / "mesh2016" / "mesh_hierarchy.txt")
    assert (len(h), h.edges.parents.size, len(h.roots)) == (27_900, 37_796, 1)
    rng = np.random.default_rng(0)
    us, vs = rng.integers(0, len(h), (2, 2000))
    fast = h.distances(us, vs)
    assert fast.tolist() == [h._meet(u, v)[0] for u, v in zip(us, vs, strict=True)]


@cache
def quaternary(size):
    """A tree in which each class has four children."""
    children = np.arange(1, size)
    return Hierarchy.from_codes([str(k) for k in range(size)], (children - 1) // 4, children)


@pytest.mark.parametrize("name", ["F_H", "GIE", "MGIA", "BMA", "transport", "F_LCA", "accuracy"])
def test_one_instance_takes_no_memory_of_the_length_of_the_hierarchy(name):
    """After the first call; by bytes, not by time."""
    scores, peaks = [], []
    for h in map(quaternary, (1_000, 100_000)):
        true, pred = ["730", "731", "90"], ["729", "85", "733"]
        metric, m = Metric(name, hierarchy=h), measure(name)
        for _ in range(2):
            metric.update([true], [pred])
            scores.append(m.score(h, true, pred))
        tracemalloc.start()
        metric.update([true], [pred])
        m.score(h, true, pred)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert metric.compute() == pytest.approx(scores[-1], rel=1e-15)
    assert len(set(scores)) == 1
    assert peaks[1] - peaks[0] < 40_000


def test_searches_of_several_threads_do_not_share_what_they_keep():
    h, m = quaternary(1_000), measure("F_H")
    labels = np.random.default_rng(0).integers(0, 1_000, (200, 6)).astype(str).tolist()
    alone = [m.score(h, row[:3], row[3:]) for row in labels]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda row: m.score(h, row[:3], row[3:]), labels)) == alone


def test_many_labels_are_looked_up_as_few_are(monkeypatch):
    rng = random.Random(1)
    words = sorted({"".join(rng.choices("aé€😀\ud800\n 1", k=rng.randint(1, 12))).strip() or "-" for _ in range(2_000)})
    aliases = dict(zip(words[1_000:1_200], words[:200], strict=True))
    named = {words[3]: "the third", words[4]: "twice", words[5]: "twice"}
    asked = [*rng.choices(words, k=3_000), "the third", "twice"]
    for further in ([], [(words[0], 1), (words[1], 15)]):
        h = Hierarchy.from_edges([("top", word) for word in words[:1_000]] + further, aliases=aliases).with_names(named)
        for each in (h, pickle.loads(pickle.dumps(h))):
            for labels in (asked, [*asked, 1, 7]):
                few = [each.look_up(labels[k : k + 1])[0][0] for k in range(len(labels))]
                with monkeypatch.context() as patch:
                    patch.setattr(labelled_structure, "MANY", 100)
                    many, of_names = each.look_up(labels)
                assert many.tolist() == few
                assert many.dtype == np.int32
                assert min(few) == labelled_structure.AMBIGUOUS
                assert few.count(-1) > 500
                assert of_names.sum() == 2
