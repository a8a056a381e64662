"""The links of Problem 2 by plain definitions, in blocks and as a whole, and the two ways to search parts."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

from hemlp import Batch, Hierarchy, measure
from hemlp.kernels.lca.search import draw_graphs, search
from hemlp.problems.lca.links import LinkSource
from tests.test_exact import joined_instance, layered_instance

F = measure("F_LCA")


def plain_graph(h):
    """Upward edges between numbers of classes; a root has one to ⊤."""
    g = nx.DiGraph((int(c), int(p)) for p, c in zip(h.edges.parents, h.edges.children, strict=True))
    g.add_nodes_from(range(len(h)))
    g.add_edges_from([(c, len(h)) for c in list(g) if g.out_degree(c) == 0])
    return g


def check_paths(model, h):
    """Every link has all its shortest paths, from the LCA down, and no other node or edge."""
    g = plain_graph(h)
    links = [link for i in range(len(model)) for side in model.facts[i].links for link in side]
    for link in links:
        paths = list(nx.all_shortest_paths(g, link.label, link.lca))
        assert len(paths[0]) - 1 == link.length
        assert sorted(link.nodes.tolist()) == sorted(set().union(*paths))
        assert set(link.edges) == {edge for path in paths for edge in pairwise(path)}
        assert (link.nodes[0], link.nodes[-1]) == (link.lca, link.label)
        place = {node: k for k, node in enumerate(link.nodes.tolist())}
        lower = [place[node] for node in link.lower.tolist()]
        assert lower == sorted(lower)
        assert all(place[up] < place[low] for low, up in link.edges)
    return links


def batch_of(rng, h, size, most):
    sides = [
        [rng.choice(h.labels, int(rng.integers(0, most)), replace=False).tolist() for _ in range(size)] for _ in "tp"
    ]
    return Batch.of(h, *sides)


@pytest.mark.uncompiled
@pytest.mark.parametrize("seed", range(4))
def test_paths_of_links(seed):
    rng = np.random.default_rng(seed)
    for instance in (joined_instance(rng, 3), layered_instance(rng)):
        h = Hierarchy.from_edges(instance[1], classes=instance[0])
        assert check_paths(F.model(batch_of(rng, h, 12, min(7, len(h)))), h)


def test_paths_of_classes_with_many_ancestors():
    """Lists that are too long to be kept with what is below each of their nodes."""
    rng = np.random.default_rng(1)
    wide = [(f"m{k}", "a") for k in range(150)] + [(f"m{k}", "b") for k in range(100, 200)]
    tops = [(f"t{rng.integers(60)}", f"m{k}") for k in range(200) for _ in range(3)]
    h = Hierarchy.from_edges([*set(wide + tops), *(("b", f"c{k}") for k in range(3)), ("a", "c0"), ("t3", "e")])
    assert len(h.ancestors("c0")) > 256
    batch = Batch.of(h, [["c0"], ["c1", "e"], ["c0", "e"], ["a"]], [["e"], ["c0"], ["c2"], ["c2", "b"]])
    links = check_paths(F.model(batch), h)
    assert {len(link.nodes) == link.length + 1 for link in links} == {True, False}


def check_own(model, h):
    """LCA(class, other side): all common ancestors that attain the least distance, ⊤ only where two have no other."""
    g = plain_graph(h)
    up = {c: nx.single_source_shortest_path_length(g, c) for c in range(len(h))}
    for i in range(len(model)):
        sides = model.facts[i].classes
        for side in (0, 1):
            for c in sides[side] if sides[1 - side] else ():
                both = {o: up[c].keys() & up[o].keys() for o in sides[1 - side]}
                shared = {o: common - {len(h)} or common for o, common in both.items()}
                ways = [(up[c][a] + up[o][a], a) for o, common in shared.items() for a in common]
                own = {link.lca for link in model.facts[i].links[side] if link.label == c and link.own}
                assert own == {a for length, a in ways if length == min(ways)[0]}, (h.edges, sides, c)


@pytest.mark.uncompiled
def test_more_labels_than_lanes():
    """Distances are found for sixteen true classes at a time."""
    rng = np.random.default_rng(5)
    edges = [(int(p), c) for c in range(1, 120) for p in set(rng.integers(max(0, c // 3 - 3), max(1, c // 2), 2))]
    h = Hierarchy.from_edges(edges)
    batch = Batch.of(h, *([rng.choice(h.labels, size, replace=False).tolist() for size in (40, 17, 30)] for _ in "tp"))
    model = F.model(batch)
    check_paths(model, h)
    check_own(model, h)


@pytest.mark.uncompiled
@pytest.mark.parametrize("seed", range(4))
def test_own_lcas(seed):
    rng = np.random.default_rng(seed)
    for _ in range(6):
        size = int(rng.integers(8, 40))
        lower = rng.integers(1, size, 2 * size)
        edges = set(
            zip(
                (lower * rng.random(2 * size) ** rng.choice([0.3, 1.0])).astype(int).tolist(),
                lower.tolist(),
                strict=True,
            )
        )
        h = Hierarchy.from_edges(sorted(edges), classes=list(range(size)))
        check_own(F.model(batch_of(rng, h, 20, min(8, size))), h)


@pytest.mark.uncompiled
@pytest.mark.parametrize("horizon", [None, 2])
@pytest.mark.parametrize("seed", range(3))
def test_trying_all_and_going_step_by_step_agree(seed, horizon):
    """Where nothing is drawn, small parts are tried out; where graphs are drawn, all parts are gone through in steps.

    One reads links in blocks, by numbers of each instance, the other as a whole.
    """
    rng = np.random.default_rng(seed)
    for instance in (joined_instance(rng, 4), layered_instance(rng), layered_instance(rng)):
        h = Hierarchy.from_edges(instance[1], classes=instance[0])
        model = measure("F_LCA", horizon=horizon).model(batch_of(rng, h, 40, min(8, len(h))))
        whole = draw_graphs(model.facts, len(h), 20_000)[0][:, :5].tolist()
        for most in (1, 7, 64):
            blocks = LinkSource.of(model.batch, most, horizon).blocks()
            assert search(blocks, len(h), 20_000)[:, :5].tolist() == whole


def test_instances_of_very_different_sizes_in_one_batch():
    """What the search keeps for one instance has room for a larger one later."""
    rng = np.random.default_rng(2)
    _, edges, *_ = layered_instance(rng)
    first = 1 + max(c for _, c in edges)
    edges += [(int(p), c) for c in range(first, first + 300) for p in rng.integers(0, c, 2)]
    h = Hierarchy.from_edges(edges)
    sides = [[rng.choice(h.labels, size, replace=False).tolist() for size in (1, 2, 60, 3, 90)] for _ in "tp"]
    model = F.model(Batch.of(h, *sides))
    alone = [F.model(h, *(side[i] for side in sides)).solve().sums[0].tolist() for i in range(5)]
    assert model.solve().sums.tolist() == alone
    assert search(LinkSource.of(model.batch, 1).blocks(), len(h), 20_000)[:, 2:5].tolist() == alone
