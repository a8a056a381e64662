"""Problem 2 part by part: every rung of the ladder against the programs of the whole, and against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from hemlp import Batch, Hierarchy, measure
from hemlp.errors import InvalidOption
from hemlp.optimize.program import ProgramResult, Status
from hemlp.problems.lca.parts import ByParts
from tests.graphs import graph
from tests.lca_enumeration import Instance
from tests.test_lca import random_instance

F = measure("F_LCA")


def joined_instance(rng, count):
    """Several small instances side by side, sometimes below one root: what does not touch falls into parts."""
    edges, sides, first = [], ([], []), 0
    for _ in range(count):
        labels, own, *own_sides = random_instance(rng, forest=bool(rng.integers(2)))
        edges += [(first + p, first + c) for p, c in own]
        for side, of_own in zip(sides, own_sides, strict=True):
            side += [first + c for c in of_own]
        first += len(labels)
    if rng.random() < 0.5:
        tops = set(range(first)) - {c for _, c in edges}
        edges += [(first, c) for c in tops]
        first += 1
    return list(range(first)), edges, *sides


def layered_instance(rng):
    """A DAG in layers, each class below one to three of the layer above: many shortest paths that share nodes."""
    layers = [[0]]
    edges = []
    for _ in range(int(rng.integers(3, 6))):
        start = layers[-1][-1] + 1
        layers.append(list(range(start, start + int(rng.integers(3, 8)))))
        for c in layers[-1]:
            count = min(len(layers[-2]), int(rng.integers(1, 4)))
            edges += [(int(p), c) for p in rng.choice(layers[-2], count, replace=False)]
    labels = list(range(layers[-1][-1] + 1))
    sides = [rng.choice(labels[1:], int(rng.integers(1, 7)), replace=False).tolist() for _ in "tp"]
    return labels, edges, *sides


def order_of(solution):
    """What has to be equal, since it is unique."""
    return solution.sums.tolist(), solution.lcas.tolist(), solution.bounds.tolist()


def agree(instance, programs):
    labels, edges, true, pred = instance
    model = F.model(Hierarchy.from_edges(edges, classes=labels), true, pred)
    best = model.solve()
    assert best.statuses.tolist() == [Status.OPTIMAL]
    assert model.check(best)
    for solver in programs:
        other = model.solve(solver)
        assert order_of(other) == order_of(best), (solver, edges, true, pred)
        assert model.check(other)


@pytest.mark.parametrize("seed", range(3))
def test_every_rung_finds_the_same(seed):
    rng = np.random.default_rng(seed)
    for k in range(12):
        agree(joined_instance(rng, 1 + k % 5), ("search(states=1)", "search(states=3)", "search(states=0)", "cpsat"))
        agree(layered_instance(rng), ("search(states=1)", "search(states=8)", "cpsat"))


@pytest.mark.parametrize("seed", [0, 4])
def test_a_batch_is_solved_as_each_instance_alone(seed):
    """Nothing is left of an instance, or of a part, when the next is solved; in seed 4 several parts have ties."""
    rng = np.random.default_rng(seed)
    edges, instances, first = [], [], 0
    for _ in range(12):
        labels, own, *sides = layered_instance(rng)
        edges += [(first + p, first + c) for p, c in own]
        instances.append([[first + c for c in side] for side in sides])
        first += len(labels)
    for several in (rng.choice(12, 8, replace=False) for _ in range(24)):
        instances.append([[c for k in several for c in instances[k][side]] for side in range(2)])
    h = Hierarchy.from_edges(edges, classes=range(first))
    model = F.model(Batch.of(h, *([each[side] for each in instances] for side in range(2))))
    together = model.solve()
    assert model.check(together)
    for i in range(len(instances)):
        assert model[i].solve().sums.tolist() == together.sums[i : i + 1].tolist()
    for i in range(12, 18):
        assert order_of(model[i].solve("search(states=0)")) == order_of(model[i].solve())


def copied_instance(rng, most):
    """A random instance in which some classes, perhaps with a child, have many copies; not all copies are perfect."""
    labels, edges, *sides = random_instance(rng, forest=bool(rng.integers(2)))
    for _ in range(int(rng.integers(1, 3))):
        copied = [int(rng.integers(len(labels)))]
        copied += [c for p, c in edges if p == copied[0]][: int(rng.integers(2))]
        around = [edge for edge in edges if {*copied} & {*edge}]
        for _ in range(int(rng.integers(1, most))):
            copy = {c: len(labels) + k for k, c in enumerate(copied)}
            labels = [*labels, *copy.values()]
            kept = [(copy.get(p, p), copy.get(c, c)) for p, c in around if rng.random() < 0.9]
            edges = sorted({*edges, *kept})
    return labels, edges, *sides


def is_enumerated(labels, edges, true, pred, horizon):
    reference = Instance(graph(labels, edges), true, pred, horizon)
    if reference.true and reference.pred:
        model = measure("F_LCA", horizon=horizon).model(Hierarchy.from_edges(edges, classes=labels), true, pred)
        solution = model.solve()
        predicted, expected, common = solution.sums[0]
        found = common / predicted, common / expected, solution.objective, solution.lcas[0]
        assert found == reference.solve(), (edges, true, pred, horizon)
        assert model.check(solution)


@pytest.mark.parametrize("seed", range(4))
def test_lcas_that_are_alike(monkeypatch, seed):
    """Against enumeration, which knows nothing of twins; they are looked for in every group."""
    monkeypatch.setattr("hemlp.kernels.lca.hitting_set.FEW", 0)
    rng = np.random.default_rng(300 + seed)
    for k in range(120):
        labels, edges, true, pred = copied_instance(rng, 4)
        is_enumerated(labels, edges, true[:3], pred[:3], 3 if k % 4 == 0 else None)


SHARING = {
    "parents": ([(f"p{i}", c) for i in range(90) for c in "ab"], "a", "b"),
    "a root": ([e for i in range(90) for e in (("r", f"p{i}"), (f"p{i}", "a"), (f"p{i}", "b"))], "a", "b"),
    "several classes": ([(f"p{i}", c) for i in range(90) for c in "abcde"], "abc", "de"),
    "two families": ([(f"{f}{i}", c) for i in range(90) for f, c in ("pa", "pb", "pc", "qc", "qd", "qe")], "acd", "be"),
    "ladders": ([e for i in range(90) for c in "ab" for e in ((f"p{i}", f"{c}{i}"), (f"{c}{i}", c))], "a", "b"),
    "ways on": ([("r", "c"), *(e for i in range(90) for e in (("r", i), (i, "a"), (i, "b")))], "a", "bc"),
}  # fmt: skip


@pytest.mark.parametrize(("edges", "true", "pred"), SHARING.values(), ids=SHARING)
@pytest.mark.parametrize("horizon", [None, 2])
def test_many_shared_parents_are_searched(edges, true, pred, horizon):
    """No program is needed, and all programs find the same."""
    model = measure("F_LCA", horizon=horizon).model(Hierarchy.from_edges(edges), list(true), list(pred))
    best = model.solve()
    assert best.steps.tolist() == [1]
    assert order_of(model.solve("cpsat")) == order_of(best)
    assert model.check(best)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_every_rung_finds_the_same_on_many(seed):
    rng = np.random.default_rng(1000 + seed)
    for k in range(400):
        agree(joined_instance(rng, 1 + k % 7), ("search(states=1)", "search(states=5)", "cpsat", "milp"))
        agree(layered_instance(rng), ("search(states=1)", "search(states=5)", "cpsat", "milp"))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100))
def test_enumeration_of_a_hundred_thousand(seed):
    rng = np.random.default_rng(5000 + seed)
    for k in range(1000):
        labels, edges, true, pred = random_instance(rng, forest=k % 2 == 1)
        horizon = int(rng.integers(1, 5)) if k % 3 == 0 else None
        is_enumerated(labels, edges, true, pred, horizon)


def test_what_is_not_proved_has_the_bound_of_its_parts():
    """Programs that are never solved: the choice keeps all rules, and the bound is above the best."""
    rng = np.random.default_rng(3)
    bounded = 0
    for _ in range(60):
        labels, edges, true, pred = joined_instance(rng, 3)
        model = F.model(Hierarchy.from_edges(edges, classes=labels), true, pred)
        if not (true and pred):
            continue
        parts = ByParts.of(model.facts, 1)
        plan = parts.plan()
        try:
            next(plan)
            while True:
                plan.send(ProgramResult(Status.UNSOLVED))
        except StopIteration as ended:
            proved, bound = ended.value
        assert model.solve().objective <= float(bound) + 1e-12, (edges, true, pred)
        limited = model.solve("search(states=1, work=0)")
        assert model.check(limited)
        assert model.solve().objective <= limited.bounds[0] + 1e-12
        assert limited.bounds[0] <= 1
        bounded += not proved
    assert bounded > 3


@pytest.mark.parametrize(
    ("edges", "true", "pred"),
    [
        ([(3, 4), (0, 2), (4, 2), (2, 5), (0, 5), (4, 5)], [0, 1, 3], [1, 2, 3]),
        ([(2, 4), (2, 1), (1, 5), (4, 3), (3, 0), (2, 0), (6, 2)], [4, 5], [0, 5, 3]),
        ([(1, 3), (1, 5), (5, 0), (3, 0), (1, 0), (0, 2), (1, 2), (2, 4), (5, 4), (4, 6), (7, 1)], [2, 6, 0], [1, 3]),
    ],
)
def test_ties_of_parts_that_the_search_never_finished(monkeypatch, edges, true, pred):
    """What programs chose for a part is not taken for its only best choice: others may make the sides more equal."""
    monkeypatch.setattr("hemlp.kernels.lca.stepwise.solve_part", lambda *_: False)
    agree((range(8), edges, true, pred), ("search(programs='at once')",))


@pytest.mark.parametrize(
    "options", ["states=-1", "states=1.5", "states='x'", "states=None", "states=10000000000", "work=-1"]
)
def test_a_search_without_sense_is_refused(options):
    model = F.model(Hierarchy.from_edges([(0, 1), (0, 2)]), [1], [2])
    with pytest.raises(InvalidOption, match=options.partition("=")[0]):
        model.solve(f"search({options})")


def test_all_best_choices_of_a_part():
    """The differences of sizes, and a path for each, against what is unique."""
    from itertools import product

    from hemlp.kernels.lca.search import Search
    from hemlp.kernels.lca.stepwise import begin, counts, differences, solve_part, take_difference

    rng, several = np.random.default_rng(8), 0
    for _ in range(100):
        labels, edges, true, pred = layered_instance(rng)
        model = F.model(Hierarchy.from_edges(edges, classes=labels), true, pred)
        if not all(model.facts[0].classes):
            continue
        search = Search(model.facts, len(labels), 10_000)
        leaders, best = begin(search), model.solve()
        predicted, expected, common = best.sums[0].astype(int).tolist()
        f = np.array([2 * common, predicted + expected]) // np.gcd(2 * common, predicted + expected)
        sure = int(search.base[0]) - int(search.base[1])
        lists = []
        for leader in leaders:
            assert solve_part(search, leader, *f.tolist())
            lists.append(differences(search, leader))
            for d in lists[-1]:
                take_difference(search, leader, *f.tolist(), d)
                assert counts(search, leader)[2] == d
        sums = {sure + sum(each) for each in product(*lists)}
        assert min(sums, key=lambda d: (abs(d), d)) == predicted - expected
        several += any(len(each) > 1 for each in lists)
    assert several


@pytest.mark.parametrize("seed", [17, 26, 81, 134])
def test_another_order_needs_fewer_states(seed):
    rng = np.random.default_rng(seed)
    level, edges = np.sort(rng.integers(0, 12, 300)), []
    for c in range(300):
        near = np.flatnonzero(level < level[c])[-60:]
        if len(near):
            edges += [(int(p), c) for p in rng.choice(near, min(len(near), rng.choice([1, 1, 2, 3])), replace=False)]
    h, labels = Hierarchy.from_edges(edges), int(rng.integers(25, 60))
    classes = [h.labels[c] for c in rng.choice(len(h), 2 * labels, replace=False)]
    model = measure("F_LCA").model(h, classes[:labels], classes[labels:])
    few, many = model.solve("search(states=12, programs='never')"), model.solve("search(programs='never')")
    assert few.status is many.status is Status.OPTIMAL  # the first order has more than 12 states
    assert few.sums.tolist() == many.sums.tolist()
    assert model.check(few)
