"""Set-based measures: closures against networkx, against linear programs, and against scikit-learn."""

from __future__ import annotations

import math
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, jaccard_score, precision_score, recall_score

from hemlp import TOP, Batch, Hierarchy, SetMeasure, SetScore, examples, information_content, measure
from hemlp.errors import InvalidOption, InvalidSolution, NoTextForm
from hemlp.measures.catalogue import NAMED
from hemlp.measures.factory import read_measures, write_measures
from hemlp.measures.invariants import INVARIANTS, broken_invariants
from hemlp.problems.closure.variants import PrefixModel, TolerantModel
from hemlp.solvers.registry import accepting_solvers
from hemlp.testing import random_instances
from tests import oracle
from tests.graphs import graph, labelled, up, usable

SET_NAMES = [
    name
    for name, named in NAMED.items()
    if isinstance(named.template, SetMeasure) and named.template.augment.name != "lca" and not named.needed
]
H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])


@st.composite
def instances(draw, most=10):
    labels, edges = draw(labelled(most))
    sides = [draw(st.lists(st.sampled_from(labels), max_size=4, unique=True)) for _ in "tp"]
    return graph(labels, edges), Hierarchy.from_edges(edges, classes=labels), *sides


def closure(g, labels, augment, horizon=None):
    grow = {"ancestors": nx.ancestors, "tolerant": nx.ancestors, "descendants": nx.descendants}
    if augment == "none":
        return set(labels)
    if horizon is not None:
        return {a for c in labels for a, d in up(g, c).items() if d < horizon}
    return set(labels).union(*(grow[augment](g, c) for c in labels))


def augmented(g, true, pred, augment, top, horizon):
    """The two augmented sets by plain definitions."""
    sides = [closure(g, labels, augment, horizon) for labels in (pred, true)]
    if augment == "tolerant":
        sides = [
            {c for c in one if c in other or not (parents := set(g.predecessors(c))) or parents & other}
            for one, other in (sides, sides[::-1])
        ]
    if top or horizon:
        sides = [side | {TOP} if side else side for side in sides]
    return sides


OPTIONS = [
    ("ancestors", False, None), ("ancestors", True, None), ("ancestors", False, 1), ("ancestors", False, 2),
    ("ancestors", True, 3), ("descendants", False, None), ("tolerant", False, None), ("none", False, None),
]  # fmt: skip


@pytest.mark.uncompiled
@given(instances())
def test_sets_and_scores_by_plain_definitions(case):
    g, h, true, pred = case
    for augment, top, horizon in OPTIONS:
        predicted, expected = augmented(g, true, pred, augment, top, horizon)
        one = SetMeasure("m", augment, top=top, horizon=horizon)
        assert one.model(h, true, pred).solve("closures").sets == (predicted, expected)
        p, t, common = len(predicted), len(expected), len(predicted & expected)
        values = {
            "P": common / p if p else float(p == t),
            "R": common / t if t else float(p == t),
            "F": 2 * common / (p + t) if p + t else 1.0,
            "jaccard": common / len(predicted | expected) if p + t else 1.0,
            "exact": float(predicted == expected),
            "difference": len(predicted ^ expected),
            "hamming": len(predicted ^ expected) / len(h),
        }
        for score, value in values.items():
            m = SetMeasure("m", augment, score=score, top=top, horizon=horizon)
            assert m.score(h, true, pred) == pytest.approx(value, abs=1e-15)


@settings(max_examples=40)
@given(instances())
def test_every_solver_agrees_and_check_certifies(case):
    _, h, true, pred = case
    for augment, top, horizon in OPTIONS:
        model = SetMeasure("m", augment, top=top, horizon=horizon).model(h, true, pred)
        found = {s.name: model.solve(s) for s in accepting_solvers(model) if s.name != "pulp" or horizon in (None, 2)}
        assert {"closures", "cpsat", "milp"} <= found.keys()
        for solution in found.values():
            assert model.check(solution)
            assert solution.status == "optimal"
            assert solution.sets == found["closures"].sets
            assert solution.objective == found["closures"].objective
            assert solution.objective == model.program().objective(_values(model, solution))


def _values(model, solution):
    """The variables of the program that the solution is."""
    _, nodes, marks = solution.closures
    members = dict(zip(nodes.tolist(), marks.tolist(), strict=True))
    universe = model.universe(0)
    values = [bool(members.get(node, 0) & bit) for bit in (1, 2) for node in universe]
    if isinstance(model, TolerantModel):
        values += [node in kept for kept in solution.kept() for node in universe]
    return values


def test_check_refuses_sets_that_are_no_closures():
    model = measure("F_H").model(H, ["sheep"], ["cow"])
    good = model.solve()
    ptr, nodes, members = good.closures
    less = replace(good, made=(ptr, nodes, np.where(nodes == H.id("animal"), 1, members).astype(np.uint8)))
    with pytest.raises(InvalidSolution, match="the true set is not the closure, see 'animal'"):
        model.check(less)
    with pytest.raises(InvalidSolution, match="the weights of the sets are wrong"):
        model.check(replace(good, sums=good.sums + 1))


def test_the_model_prints_and_exports():
    model = measure("F_H").model(H, ["mammal"], ["cow"])
    nodes = ("animal", "cow", "mammal")
    *goal, last = [f"[{side} {node}]" for side in ("predicted", "true") for node in nodes]
    assert str(model).splitlines() == [
        f"minimize  {' + '.join(goal)}",
        f"    + {last}",
        "subject to",
        "  0 ≤ [predicted mammal] - [predicted cow]    (predicted: cow implies mammal)",
        "  0 ≤ [predicted animal] - [predicted mammal]    (predicted: mammal implies animal)",
        "  0 ≤ [true mammal] - [true cow]    (true: cow implies mammal)",
        "  0 ≤ [true animal] - [true mammal]    (true: mammal implies animal)",
        "with integers 0 ≤ [predicted animal], [predicted mammal], [true animal], [true cow] ≤ 1",
        "with integers 1 ≤ [predicted cow], [true mammal] ≤ 1",
    ]
    assert "z_t_2" in model.to_lp()
    assert "ENDATA" in model.to_mps()
    problem = model.to_pulp()
    assert len(problem.variables()) == 6


def test_oracle():
    checked = 0
    for row in oracle.rows():
        h = oracle.hierarchy(row)
        for key, expected in row["values"].items():
            name = key.removesuffix("_top")
            if name in SET_NAMES:
                options = {"top": True} if key != name else {}
                if name in ("P_H", "R_H", "F_H", "SDL"):
                    options["horizon"] = row["horizon"]
                assert oracle.same(measure(name, **options).score(h, row["true"], row["pred"]), expected), (key, row)
                checked += 1
    assert checked > 4500


def test_horizon_turns_case_8a_into_8b():
    a, b = examples.case("8a"), examples.case("8b")
    for name in ("GIE", "MGIA", "SunLim", "P_H", "R_H", "F_H", "SDL"):
        cut = measure(name, horizon=2).score(a.hierarchy, a.true, a.pred)
        assert cut == measure(name).score(b.hierarchy, b.true, b.pred), name


@given(instances())
def test_a_large_horizon_is_top(case):
    _, h, true, pred = case
    for name in ("P_H", "R_H", "F_H", "SDL"):
        value = measure(name, top=True).score(h, true, pred)
        assert measure(name, horizon=99).score(h, true, pred) == value
        assert measure(name, horizon=99, top=True).score(h, true, pred) == value


def indicators(h, rows):
    matrix = np.zeros((len(rows), len(h)), int)
    for i, row in enumerate(rows):
        for c in row:
            matrix[i, [h.id(a) for a in {c, *h.ancestors(c)}]] = 1
    return matrix


def test_scikit_learn_on_expanded_indicators():
    example = examples.mesh_mini()
    h = example.hierarchy
    for name in ("knn30", "svm_ovr_freq60"):
        rows = [i for i in range(200) if len(example.systems[name][i])]
        true, pred = ([labels[i] for i in rows] for labels in (example.true, example.systems[name]))
        batch = Batch.of(h, true, pred)
        y, z = indicators(h, true), indicators(h, pred)
        for ours, theirs in (("P_H", precision_score), ("R_H", recall_score), ("F_H", f1_score)):
            scores = measure(ours).score(batch)
            assert scores.mean() == pytest.approx(theirs(y, z, average="samples"), rel=1e-12)
            micro = theirs(y, z, average="micro")
            assert measure(ours).micro_average(scores) == pytest.approx(micro, rel=1e-12)
        flat = [np.zeros_like(y) for _ in "yz"]
        for matrix, labels in zip(flat, (true, pred), strict=True):
            for i, row in enumerate(labels):
                matrix[i, [h.id(c) for c in row]] = 1
        for ours, theirs in (("P", precision_score), ("F", f1_score), ("jaccard", jaccard_score)):
            value = theirs(*flat, average="samples", zero_division=0)
            assert measure(ours).score(batch).mean() == pytest.approx(value, rel=1e-12)
        assert measure("accuracy").score(batch).mean() == (flat[0] == flat[1]).all(1).mean()
        assert measure("hamming").score(batch).mean() == pytest.approx((flat[0] != flat[1]).mean())


@pytest.mark.parametrize("system", ["topdown_lcpn", "svm_ovr_freq60"])
def test_batches_of_any_size_give_the_same(monkeypatch, system):
    example = examples.mesh_mini()
    batch = Batch.of(example.hierarchy, example.true, example.systems[system])
    usual = {name: measure(name).score(batch).values.tolist() for name in SET_NAMES}
    monkeypatch.setattr("hemlp.measures.scoring.PAIRS_AT_ONCE", 1000)
    assert {name: measure(name).score(batch).values.tolist() for name in SET_NAMES} == usual
    model = measure("F_H").model(batch)
    solution = model.solve()
    assert solution.made is None
    assert model[:20].check(model[:20].solve())
    assert solution[7].sets == model[7].solve().sets


# ---- weights


def test_weights_replace_counts():
    weights = {"animal": 0.0, "mammal": 1.0, "sheep": 2.0, "cow": 4.0}
    score = measure("F_H", weights=weights).score(H, ["sheep"], ["cow"])
    assert (score["predicted"], score["true"], score["common"]) == (5, 3, 1)
    assert score == 2 / 8
    assert measure("SDL", weights=weights).score(H, ["sheep"], ["cow"]) == 6
    assert measure("P_De", weights=weights).score(H, ["cow"], ["mammal"]) == 4 / 7
    assert measure("jaccard", weights=weights).score(H, ["cow", "sheep"], ["cow"]) == 4 / 6
    # ⊤ weighs 1 if uniform, else 0; nothing but zero weights on unequal sets is 0, on equal sets 1
    assert measure("F_H", weights=weights, top=True).score(H, ["sheep"], ["cow"]) == 2 / 8
    assert measure("F_H", weights=dict.fromkeys(H, 0.0)).score(H, ["sheep"], ["cow"]) == 0
    assert measure("F_H", weights=dict.fromkeys(H, 0.0)).score(H, ["sheep"], ["sheep"]) == 1
    with pytest.raises(InvalidOption, match="no value for the class 'sheep'"):
        measure("F_H", weights={"animal": 1, "mammal": 1, "cow": 1}).score(H, ["sheep"], ["cow"])
    with pytest.raises(InvalidOption, match="weight of 'cow'=nan"):
        measure("F_H", weights=weights | {"cow": math.nan}).score(H, ["sheep"], ["cow"])
    with pytest.raises(NoTextForm):
        write_measures([measure("F_H", weights=weights)])


def test_information_content():
    corpus = [["sheep"], ["cow"], ["mammal"], []]
    weights = information_content(H, corpus)
    assert weights == {
        "animal": -math.log(3 / 4), "mammal": -math.log(3 / 4), "sheep": -math.log(1 / 4), "cow": -math.log(1 / 4)
    }  # fmt: skip
    with pytest.raises(InvalidOption, match="'cow' is in no closure"):
        information_content(H, ["sheep"])
    assert information_content(H, ["sheep"], unseen=7.5) == {"animal": 0, "cow": 7.5, "mammal": 0, "sheep": 0}


# ---- a measure of one's own, mistakes


def test_own_set_measures():
    mine = SetMeasure("mine", "ancestors", score="jaccard", top=True)
    assert mine.score(H, ["sheep"], ["cow"]) == 3 / 5
    assert measure(str(mine)) == mine
    assert read_measures(write_measures([mine, measure("F_H(horizon=3)")])) == [mine, measure("F_H", horizon=3)]
    odd = SetMeasure("odd", "none", score=SetScore(lambda f: f.common, range=(0, math.inf)))
    assert odd.score(H, ["sheep", "cow"], ["cow"]) == 1
    assert "custom" in str(odd)


def test_set_mistakes():
    for options, words in (
        ({"name": "x y", "augment": "none"}, "word of letters"),
        ({"name": "x", "augment": "parents"}, "augment='parents'"),
        ({"name": "x", "augment": "none", "score": "G"}, "score='G'"),
        ({"name": "x", "augment": "descendants", "horizon": 2}, "has no option"),
        ({"name": "x", "augment": "tolerant", "top": True}, "has no option"),
        ({"name": "x", "augment": "ancestors", "top": 1}, "top=1"),
        ({"name": "x", "augment": "tolerant", "weights": {}}, "weights map classes"),
    ):
        with pytest.raises(InvalidOption, match=words):
            SetMeasure(**options)
    for name in ("F_De", "F_Tol", "F"):
        with pytest.raises(InvalidOption, match="no parameter 'horizon'"):
            measure(name, horizon=2)
    with pytest.raises(InvalidOption, match="no micro average"):
        measure("SDL").micro_average(measure("SDL").score(Batch.of(H, ["cow"], ["cow"])))


def test_empty_sides():
    for name in SET_NAMES:
        m = measure(name)
        best = m.range[1] if m.greater_is_better else 0
        assert m.score(H, [], []) == best
        if m.range == (0, 1) and m.greater_is_better:
            assert m.score(H, [], ["cow"]) == m.score(H, ["cow"], []) == 0
    assert measure("SDL", top=True).score(H, [], ["cow"]) == 4


# ---- invariants


def test_every_measure_declares_invariants_that_are_known():
    for named in NAMED.values():
        assert named.template.invariants
        assert named.template.invariants <= INVARIANTS.keys()
        assert "names" in named.template.invariants


@settings(max_examples=15)
@given(instances())
def test_invariants_hold(case):
    _, h, true, pred = case
    variants = [measure("MGIA", pairing="nearest"), measure("MGIA", normalizer="union"), measure("F_H", horizon=2)]
    for m in [*map(usable, NAMED), *variants]:
        assert broken_invariants(m, h, true, pred) == [], m


class Liar(SetMeasure):
    promises = frozenset()

    @property
    def invariants(self):
        return self.promises


@pytest.mark.parametrize(
    ("score", "promise"),
    [
        ("P", "symmetric"), ("P", "best_only_if_equal"), ("P", "mirrors P"), ("F", "mirrors R"),
        ("F", "best_only_if_equal"),
        (SetScore(lambda f: f.true), "range"), (SetScore(lambda f: 1 - f.common), "best_if_equal"),
        (SetScore(lambda f: f.predicted), "monotone"), ("F", "nice"),
    ],
)  # fmt: skip
def test_a_false_promise_is_found(score, promise, monkeypatch):
    liar = Liar("liar", "ancestors", score=score)
    monkeypatch.setattr(Liar, "promises", frozenset([promise]))
    cases = [(["cow"], ["sheep"]), (["cow"], ["cow", "mammal"]), (["cow"], ["mammal"])]
    assert any(broken_invariants(liar, H, *case) for case in cases)
    monkeypatch.setattr(Liar, "promises", frozenset())
    assert broken_invariants(liar, H, ["cow"], ["cow"]) == ["declares no invariant"]


def test_a_measure_that_depends_on_names_is_found():
    from hemlp import Bounds, PairMeasure

    class Honest(PairMeasure):
        @property
        def invariants(self):
            return frozenset(["names"])

    m = Honest("m", Bounds((1, 1), (1, 1)), default_cost=5, cost=lambda p, t: float(str(p) < str(t)))
    assert broken_invariants(m, H, ["cow"], ["sheep"]) == ["names"]


def test_prefixes_of_rankings_are_closures():
    """One sweep, the lists of closures and a solver of programs come to the same for every prefix."""
    rng = np.random.default_rng(5)
    for h, true, pred in random_instances(30, seed=9):
        ranked = rng.permutation(len(h))[: len(pred) + 2].astype(np.int32)
        for name in ("F_H", "F_H(top=True)", "F_De", "F"):
            base = measure(name).model(h, true, pred)
            sizes = np.arange(len(ranked) + 1, dtype=np.int32)
            model = PrefixModel(base, (np.array([0, len(ranked)]), ranked), (np.array([0, len(sizes)]), sizes))
            swept, listed = model.solve(verify=True), model.expanded.solve("closures")
            assert swept.found_by.tolist() == ["prefixes"] * len(sizes)
            assert (swept.sums.tolist(), swept.equal.tolist()) == (listed.sums.tolist(), listed.equal.tolist())
            assert model.solve("milp").sums.tolist() == listed.sums.tolist()


def test_prefixes_without_what_does_not_count():
    """The sweep, programs and the definition agree, and a wrong weight is seen."""
    h = Hierarchy.from_edges([(0, 1), (0, 2), (1, 3), (1, 4), (2, 4), (2, 5)])
    closures = measure("F_H").model(Batch.of(h, [[3, 5], [4]], [[3, 4, 5], [2, 3]]))
    ranked = np.array([0, 3, 5]), np.array([4, 3, 5, 2, 3], np.int32)
    sizes = np.array([0, 3, 5]), np.array([0, 1, 3, 1, 2], np.int32)
    hidden = np.array([0, 2, 3]), np.array([0, 4, 1], np.int32)
    model = PrefixModel(closures, ranked, sizes, hidden)
    above = {0: {0}, 1: {0, 1}, 2: {0, 2}, 3: {0, 1, 3}, 4: {0, 1, 2, 4}, 5: {0, 2, 5}}

    def closed(classes, without):
        return set().union(*(above[c] for c in classes)) - without

    cases = [([], 0), ([4], 0), ([4, 3, 5], 0), ([2], 1), ([2, 3], 1)]
    sides = [(closed(p, ({0, 4}, {1})[i]), closed(([3, 5], [4])[i], ({0, 4}, {1})[i])) for p, i in cases]
    expected = [[len(p), len(t), len(p & t)] for p, t in sides]
    for solver in (None, "milp"):
        solution = model.solve(solver)
        assert solution.sums.tolist() == expected
        assert solution.equal.tolist() == [p == t for p, t in sides]
        assert model.check(solution)
    with pytest.raises(InvalidSolution, match="does not count"):
        model.check(replace(solution, sums=solution.sums + 1))
