"""Lists that stop at a hub give what full lists give: on small hierarchies, by making any class with parents one."""

from __future__ import annotations

import os

import numpy as np
import pytest

from hemlp import Batch, Hierarchy, evaluate, examples, measure, read_hierarchy, read_labels
from hemlp.measures.scoring import score_together
from tests import test_lca, test_links, test_pairing, test_sets
from tests.graphs import graph
from tests.lca_enumeration import Instance

NAMES = ["GIE", "MGIA", "MGIA(max_distance=4)", "F_H", "SDL", "F_De", "F_Tol", "SDL_Tol", "F_LCA", "F_LCA(horizon=3)"]


@pytest.fixture
def hubs(monkeypatch):
    """The class with most parents is a hub in every hierarchy made from now on."""
    monkeypatch.setattr("hemlp.hierarchy.structure.MANY_PARENTS", 0)
    assert Hierarchy.from_edges([(0, 1), (1, 2), (0, 2)]).hub == 2


def funnel(rng):
    """Roots and classes in their midst above one class, classes below it, and ways around it."""
    roots, middle, below = int(rng.integers(2, 5)), int(rng.integers(0, 4)), int(rng.integers(2, 5))
    hub = roots + middle
    edges = [(int(rng.integers(roots)), roots + k) for k in range(middle)]
    edges += [(p, hub) for p in range(hub) if rng.random() < 0.8] or [(0, hub)]
    n = hub + 1
    for _ in range(below):
        parents = {hub if rng.random() < 0.6 else int(rng.integers(n)) for _ in range(int(rng.integers(1, 3)))}
        edges += [(p, n) for p in parents]
        n += 1
    names = rng.permutation(n).tolist()
    edges = sorted({(names[p], names[c]) for p, c in edges})
    sides = [rng.choice(n, rng.integers(1, 4), replace=False).tolist() for _ in "tp"]
    return list(range(n)), edges, *sides


@pytest.mark.uncompiled
@pytest.mark.parametrize("seed", range(6))
def test_minimal_graphs_by_enumeration(hubs, seed):
    rng = np.random.default_rng(seed)
    through = 0
    for _ in range(150 if os.environ.get("HEMLP_UNCOMPILED") != "1" else 30):
        labels, edges, true, pred = funnel(rng)
        reference = Instance(graph(labels, edges), true, pred)
        h = Hierarchy.from_edges(edges, classes=labels)
        case = (edges, true, pred)
        exact, greedy, wide = (measure("F_LCA", method=m).model(h, true, pred) for m in ("exact", "greedy", "extended"))
        solution = exact.solve()
        predicted, expected, common = solution.sums[0]
        assert (common / predicted, common / expected, solution.objective, solution.lcas[0]) == reference.solve(), case
        assert exact.check(solution)
        assert exact.solve("search(states=2000)").sums.tolist() == solution.sums.tolist(), case
        found = greedy.solve()
        assert (*found.sums[0], found.lcas[0]) == reference.greedy(), case
        assert [len(side) for side in wide.solve().sets] == [len(side) for side in reference.extended()], case
        through += h.hub in {node for side in exact.facts[0].links for link in side for node in link.nodes[1:-1]}
    assert through > 4


@pytest.mark.uncompiled
def test_twins_beyond_the_hub_are_kept_as_often_as_they_can_be_used(hubs):
    """Two classes are linked to ⊤ through one with thirty parents: two ways are kept, and all of them for G_ex."""
    edges = [*((f"r{k:02}", "hub") for k in range(30)), *(("hub", c) for c in "abcd"), ("far", "x"), ("far", "y")]
    h = Hierarchy.from_edges(edges)
    model = measure("F_LCA").model(h, ["a", "b"], ["x", "y"])
    links = [link for link in model.facts[0].links[1] if link.lca == len(h)]
    assert [len(link.nodes) for link in links] == [2 + 2 + 1] * 2
    assert measure("F_LCA", method="extended").score(h, ["a", "b"], ["x", "y"])["true"] == 2 + 1 + 30 + 1
    assert model.solve().objective == 2 * 1 / (5 + 4)


@pytest.mark.parametrize("seed", range(2))
def test_any_dag(hubs, seed):
    """What is asserted on all DAGs holds with a hub in each of them."""
    test_lca.test_exact_is_the_best_of_all_solutions(seed)


@pytest.mark.uncompiled
def test_two_classes_that_reach_an_lca_in_different_ways(hubs):
    """One predicted class has the true one in its own list, the other reaches it by way of the hub alone."""
    h = Hierarchy.from_edges([(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (2, 4)])
    assert h.hub == 2
    model = measure("F_LCA").model(h, [0], [3, 4])
    own = {(link.label, link.lca) for link in model.facts[0].links[0] if link.own}
    assert own == {(3, 0), (4, 0)}
    assert model.solve().sums.tolist() == [[4, 1, 1]]


@pytest.mark.parametrize("seed", range(6))
def test_own_lcas(hubs, seed):
    """LCAs beyond the hub, which several classes of both sides reach."""
    test_links.test_own_lcas(seed)


def test_sets_and_pairs_on_any_hierarchy(hubs):
    """The assertions of these tests hold with a hub in each hierarchy."""
    test_sets.test_sets_and_scores_by_plain_definitions()
    test_sets.test_oracle()
    test_pairing.check_oracle(["closed_forms", "flow"])
    test_lca.test_oracle()


@pytest.mark.parametrize("few", [0, 10**6])
def test_real_data_through_a_hub(monkeypatch, few):
    """Also: lists that are kept and grow from system to system, lists that never are, and lists that do not fit."""
    example = examples.mesh_mini()
    usual = evaluate(example.hierarchy, example.true, example.systems, NAMES)
    monkeypatch.setattr("hemlp.hierarchy.reach.FEW", few)
    for many, room in ((0, 2**25), (0, 30_000), (10**6, 30_000)):
        monkeypatch.setattr("hemlp.hierarchy.structure.MANY_PARENTS", many)
        monkeypatch.setattr("hemlp.hierarchy.reach.ROOM", room)
        h = examples.mesh_mini().hierarchy
        assert (h.hub is None) == (many > 0)
        again = evaluate(h, example.true, example.systems, NAMES)
        for system in usual.systems:
            for name in NAMES:
                for column in usual.scores[system][name].columns:
                    ours, theirs = (ev.per_instance(system, name, column) for ev in (usual, again))
                    assert np.array_equal(ours, theirs), (system, name, column)


def test_weighted_distances_through_a_hub(hubs):
    rng = np.random.default_rng(0)
    for _ in range(60):
        labels, edges, _, _ = funnel(rng)
        h = Hierarchy.from_edges([(p, c, float(rng.integers(0, 5))) for p, c in edges], classes=labels)
        classes = list(range(len(h)))
        batch = Batch.of(h, [classes], [classes])
        kappa = measure("GIE").model(batch).kappa.reshape(len(h), len(h))
        expected = [[h.distance(u, v) for v in labels] for u in labels]
        assert kappa.tolist() == expected


def test_real_data_with_a_hub(data):
    """The condensed union of ontologies: some instances by full searches, pair by pair and set by set."""
    folder = data / "union_cyclic"
    h = read_hierarchy(folder / "union_hierarchy.txt.gz", cycles="condense")
    assert len(h.parents(h.labels[h.hub])) > 30_000
    batch = Batch.of(h, *(read_labels(folder / f"synthetic_{f}.txt.gz") for f in ("gold", "pred_noisy")))
    rows = np.random.default_rng(0).choice(len(batch), 12, replace=False)
    part = batch.take(rows)
    gie, f_lca = measure("GIE").model(part), measure("F_LCA").model(part)
    at_pred, at_true = gie.pairs.ends(part)
    assert gie.kappa.tolist() == h.distances(part.pred.classes[at_pred], part.true.classes[at_true]).tolist()
    assert f_lca.check(f_lca.solve())
    for name in ("F_H", "F_De", "F_Tol"):
        model = measure(name).model(part)
        assert model.solve().sums.tolist() == model.counted(*model.closures()).sums.tolist()
    few = measure("F_LCA").model(part[:1])  # by definitions, with tens of thousands of ancestors: slow
    assert few.verify(few.solve())
    whole = score_together([measure("F_LCA")], batch[:5000])[0]
    assert whole.status_counts() == {"optimal": 5000}
