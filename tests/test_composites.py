"""Measures of best matches, matched precision and recall, and transport: against enumerated values and brute force."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog

import hemlp
from hemlp import (
    Batch,
    Hierarchy,
    JiangConrath,
    Lin,
    MatchScore,
    PairMeasure,
    PairScore,
    WuPalmer,
    evaluate,
    examples,
    measure,
    metrics,
)
from hemlp.costs import MatrixCost
from hemlp.errors import InfeasibleModel, InvalidCost, InvalidOption, InvalidSolution, UndefinedScore
from hemlp.measures.catalogue import NAMED
from hemlp.measures.factory import read_measures, write_measures
from hemlp.optimize.program import ProgramResult, Status
from hemlp.optimize.solutions import Claim
from hemlp.problems.pairing.bounds import ALL, COVER, EACH, ONE_TO_ONE, Bounds
from hemlp.solvers.registry import SOLVERS, accepting_solvers, named_solver
from hemlp.testing import check_measure, check_solver, random_instances
from tests import oracle
from tests.test_more_sets import corpus_batch, weights

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
MATCHES = ("BMA", "funSimAvg", "funSimMax", "matched_P", "matched_R", "matched_F")


def test_values_of_the_corpora():
    for row in oracle.corpora():
        _, batch = corpus_batch(row)
        for text, cost in (("lin", Lin(weights(row, "ic"))), ("wu_palmer", WuPalmer())):
            for name in MATCHES:
                values = measure(name, cost=cost).score(batch).values
                for value, expected in zip(values, row["values"], strict=True):
                    if f"{name}({text})" in expected:
                        assert oracle.same(value, expected[f"{name}({text})"]), (name, text, row["edges"])
        values = measure("transport").score(batch, undefined="nan").values
        for i, (value, expected) in enumerate(zip(values, row["values"], strict=True)):
            if "transport" in expected and expected["transport"] is None:  # some pair of classes has no finite cost
                labels = itertools.product(row["pred"][i], row["true"][i])
                assert any(math.isinf(batch.hierarchy.distance(p, t)) for p, t in labels)
            elif "transport" in expected:
                assert oracle.same(value, expected["transport"])
            else:
                assert math.isnan(value) == (bool(row["true"][i]) != bool(row["pred"][i]))


def similarities(h, true, pred):
    return np.array([[1 - WuPalmer().between(h, p, t) for t in true] for p in pred]).reshape(len(pred), len(true))


def test_definitions():
    for h, true, pred in random_instances(40, seed=5):
        s = similarities(h, true, pred)
        found = {name: float(measure(name).score(h, true, pred)) for name in MATCHES}
        m, n = len(pred), len(true)
        if not m or not n:
            assert set(found.values()) == {float(m == n)}
            continue
        e_p, e_t = (1 - s.max(axis=1)).sum(), (1 - s.max(axis=0)).sum()
        rows, columns = linear_sum_assignment(-s)
        total = s[rows, columns].sum()
        expected = {
            "BMA": 1 - (e_p + e_t) / (m + n), "funSimAvg": 1 - (e_p / m + e_t / n) / 2,
            "funSimMax": 1 - min(e_p / m, e_t / n), "matched_P": total / m, "matched_R": total / n,
            "matched_F": 2 * total / (m + n),
        }  # fmt: skip
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("cost", ["shortest_path", "shortest_path(decay=0.3)", "wu_palmer"])
def test_transport_is_the_least_cost_of_a_linear_program(cost):
    m = measure("transport", cost=cost)
    for h, true, pred in random_instances(25, seed=9):
        if not true or not pred:
            continue
        kappa = np.array([[m.cost.between(h, p, t) for t in true] for p in pred])
        rows = np.kron(np.eye(len(pred)), np.ones(len(true))), np.kron(np.ones(len(pred)), np.eye(len(true)))
        equal = np.concatenate([np.full(len(pred), 1 / len(pred)), np.full(len(true), 1 / len(true))])
        upper = [(0, None if math.isfinite(c) else 0) for c in kappa.ravel()]
        best = linprog(np.where(np.isfinite(kappa), kappa, 0).ravel(), A_eq=np.vstack(rows), b_eq=equal, bounds=upper)
        solution = m.model(h, true, pred).solve(verify=True)
        if best.status == 2:
            assert solution.status is Status.INFEASIBLE
        else:
            assert solution.objective == pytest.approx(best.fun, abs=1e-9)
        value = float(m.score(h, true, pred, undefined="nan"))
        assert value == pytest.approx(solution.objective, nan_ok=True)


def test_transport_on_a_tree_is_unifrac():
    """Σ over edges of |mass below on one side − on the other|."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        edges = [(int(rng.integers(0, c)), c) for c in range(1, 12)]
        h = Hierarchy.from_edges(edges)
        true, pred = (rng.choice(12, int(rng.integers(1, 6)), replace=False).tolist() for _ in "tp")
        total = 0.0
        for _, child in edges:
            below = {child, *h.descendants(child)}
            total += abs(len(below & set(true)) / len(true) - len(below & set(pred)) / len(pred))
        assert float(measure("transport").score(h, true, pred)) == pytest.approx(total, rel=1e-12)


@settings(max_examples=25)
@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_transport_by_enumeration(m, n, data):
    """Tables of small costs, some infinite; all ways to move units are tried where they are few."""
    labels = [f"p{i}" for i in range(m)] + [f"t{j}" for j in range(n)]
    table = np.full((m + n, m + n), np.inf)
    table[:m, m:] = [[data.draw(st.sampled_from([0, 1, 2, 3.5, math.inf])) for _ in range(n)] for _ in range(m)]
    h = Hierarchy.from_edges([], classes=labels)
    each = PairMeasure("moved", ONE_TO_ONE, cost=MatrixCost(labels, table), pairing="transport", defined="both")
    model = each.model(h, labels[m:], labels[:m])
    units = math.lcm(m, n)
    best = math.inf
    if units <= 6:
        slots = [j for j in range(n) for _ in range(units // n)]
        senders = [i for i in range(m) for _ in range(units // m)]
        for order in set(itertools.permutations(slots)):
            best = min(best, sum(table[i, m + j] for i, j in zip(senders, order, strict=True)) / units)
        solution = model.solve(verify=True)
        assert (solution.objective if solution.status is Status.OPTIMAL else math.inf) == pytest.approx(best)
    statuses = {}
    for solver in accepting_solvers(model):
        solution = model.solve(solver.name)
        statuses[solver.name] = solution.status, solution.objective
        model.verify(solver.solve(model, None))
    assert len(set(map(str, statuses.values()))) == 1, statuses


def test_all_solvers_agree_on_what_is_made_of_several_models():
    for h, true, pred in random_instances(8, seed=2):
        for name in ("BMA", "transport"):
            model = measure(name).model(h, true, pred)
            usual = model.solve(verify=True)
            for solver in ("milp", "pulp"):
                other = model.solve(solver)
                assert other.statuses.tolist() == usual.statuses.tolist()
                assert other.objective == pytest.approx(usual.objective, rel=1e-9, nan_ok=True)
    for name in ("milp", "transport", "flow", "networkx"):
        check_solver(name, [measure("transport").model(*instance) for instance in random_instances(12)])
    check_solver("milp", [measure("BMA").model(*instance) for instance in random_instances(6)])


def test_independent_choices():
    """The solver for (0, ALL) on one side, with and without default classes, by whom everything else is checked."""
    models = []
    for number, (h, true, pred) in enumerate(random_instances(40, seed=4)):
        default = [None, 5, 1, 0][number % 4]
        sides = [((1, 1), (0, ALL)), ((0, ALL), (1, 2)), ((0, ALL), (0, ALL)), ((1, ALL), (0, ALL))][number % 3]
        models.append(PairMeasure("one_sided", Bounds(*sides), default_cost=default).model(h, true, pred))
    check_solver("independent", models)
    assert all(named_solver("independent").accepts(model) for model in models)
    assert not named_solver("independent").accepts(measure("GIE").model(H, ["cow"], ["sheep"]))
    assert list(SOLVERS).index("independent") < list(SOLVERS).index("flow")


def test_a_transport_that_is_not_the_cheapest_is_found_out():
    model = measure("transport").model(H, ["sheep", "bird"], ["bird", "sheep"])
    solution = model.solve()
    assert solution.objective == 0
    wrong = model.solution(ProgramResult(Status.OPTIMAL, 1 - model.values(solution)))
    assert model.check(wrong)
    with pytest.raises(InvalidSolution, match="not optimal"):
        model.verify(wrong)
    lowered = model.certify(wrong, Claim(named_solver("flow")))
    assert (lowered.status, lowered.objective, lowered.bounds.tolist()) == (Status.FEASIBLE, wrong.objective, [0.0])
    assert model.certify(wrong, Claim(named_solver("flow"), asked=False)).found_by == "flow+improvement"
    with pytest.raises(InvalidSolution, match="has 0 units; its bounds are 1 and 1"):
        model.check(model.solution(ProgramResult(Status.OPTIMAL, 0 * model.values(solution))))
    with pytest.raises(InvalidSolution, match="is -1; its bounds are 0 and 1"):
        model.check(model.solution(ProgramResult(Status.OPTIMAL, model.values(solution) - 1)))
    with pytest.raises(InvalidSolution, match="not what its arc carries"):
        model.check(replace(solution, chosen=solution.chosen / 2))
    with pytest.raises(InvalidSolution, match="not what its arc carries"):
        model.certify(replace(solution, chosen=solution.chosen / 2), Claim(named_solver("flow")))
    infeasible = replace(solution, statuses=np.array([Status.INFEASIBLE], np.int8))
    with pytest.raises(InvalidSolution, match="has one"):
        model.verify(infeasible)
    assert model.certify(infeasible, Claim(named_solver("flow"))).status is Status.UNSOLVED


def test_transport_where_it_is_undefined():
    h = Hierarchy.from_edges([("a", "b")], classes=["z"])
    with pytest.raises(UndefinedScore, match="one side is empty"):
        measure("transport").score(h, [], ["a"])
    with pytest.raises(InfeasibleModel, match="no finite cost, as without a common ancestor"):
        measure("transport").score(h, ["z"], ["a"])
    assert measure("transport").score(h, ["z", "b"], ["z", "a"]) == 0.5
    assert measure("transport").score(h, [], []) == 0
    assert measure("transport").model(h, [], ["a"]).solve().status is Status.INFEASIBLE


def test_a_cost_above_one_is_no_similarity():
    content = dict.fromkeys(H, 3.0)
    for name in MATCHES:
        with pytest.raises(InvalidCost, match=f"^{name}: the cost has to be 1 minus a similarity"):
            measure(name, cost="shortest_path").score(H, ["sheep"], ["cow"])
    with pytest.raises(InvalidCost, match="1 minus a similarity"):
        measure("BMA", cost=JiangConrath({**content, "animal": 0, "mammal": 1})).score(H, ["sheep"], ["cow"])
    with pytest.raises(InvalidOption, match="needs the bounds"):
        PairMeasure("mine", Bounds((1, 1), (1, 1)), cost="wu_palmer", default_cost=1, score="matched_F")


def test_texts_columns_and_functions():
    own = PairMeasure("own", COVER, cost="wu_palmer", pairing="nearest", score="funSimMax")
    moved = PairMeasure("moved", ONE_TO_ONE, cost="undirected", pairing="transport", defined="both")
    near = PairMeasure("near", EACH[1], pairing="nearest", defined="nonempty")
    for m in (own, moved, near, measure("BMA"), measure("matched_P")):
        assert measure(str(m)) == m
        assert read_measures(write_measures([m])) == [m]
        check_measure(m, count=4)
    score = measure("matched_F").score(H, ["sheep", "bird"], ["cow"])
    assert score["matched_P"] == measure("matched_P").score(H, ["sheep", "bird"], ["cow"])
    assert score["matched_R"] == measure("matched_R").score(H, ["sheep", "bird"], ["cow"])
    assert metrics.bma_score(["sheep"], ["cow"], hierarchy=H) == pytest.approx(2 / 3)
    assert metrics.transport_loss(["sheep"], ["cow"], hierarchy=H) == 2
    ev = evaluate(H, [["sheep"], ["bird"]], {"A": [["cow"], ["bird"]]}, ["BMA", "matched_F", "transport", own])
    assert ev.mean("A", "transport") == 1
    said = str(ev.explain("A", 0, "BMA"))
    assert "model 'true'" in said
    assert "price" not in said  # each class has a pair of its own, and that cost alone
    assert "price" not in str(evaluate(H, [["sheep"]], {"A": [["cow"]]}, ["distance"]).explain("A", 0))
    ev.explain("A", 0).picture(0).to_svg()
    assert ev.explain("A", 0).to_dict()["parts"][0]["kind"] == "several"
    lin = Lin({"animal": 0, "mammal": 1, "sheep": 2, "cow": 2, "bird": 1})
    assert measure("BMA", cost=lin).signature != measure("BMA", cost=Lin({**lin.weights, "cow": 3})).signature
    total = MatchScore(lambda f: f.predicted_error + f.true_error, False, (0, math.inf))
    worst = own.changed(name="worst", score=total)
    assert worst.score(H, [], []) == 0
    assert worst.score(H, [], ["cow"]) == math.inf
    check_measure(worst, count=4)
    assert "custom" in str(worst)
    uneven = PairScore(lambda f: f.error / (1 + f.true))
    check_measure(PairMeasure("uneven", Bounds((1, 1), (1, 1)), default_cost=5, score=uneven), count=4)


def test_the_classes_of_before_make_the_same_measures():
    def former(name):
        with pytest.warns(DeprecationWarning, match=f"^hemlp.{name} makes a PairMeasure"):
            return getattr(hemlp, name)

    made = {
        "BMA": former("MatchMeasure")("best"), "funSimMax": former("MatchMeasure")("best", score="funSimMax"),
        "distance": former("NearestMeasure")("near"), "transport": former("TransportMeasure")("moved"),
    }  # fmt: skip
    for name, each in made.items():
        assert NAMED[name].describes(each)
        assert each.score(H, ["sheep", "bird"], ["cow"]) == measure(name).score(H, ["sheep", "bird"], ["cow"])
    own = MatchScore(lambda f: 1 - np.maximum(*f.means()))
    assert former("MatchMeasure")("own", score=own).score(H, ["sheep"], []) == 0
    assert measure("TransportMeasure('moved', cost='undirected')").pairing == "transport"


@pytest.mark.parametrize(
    ("bounds", "options"),
    [
        (ONE_TO_ONE, {"score": "BMA"}),
        (COVER, {"score": "BMA"}),
        (COVER, {"score": "BMA", "pairing": "nearest", "default_cost": 1}),
        (COVER, {"score": "BMA", "pairing": "nearest", "max_distance": 0.5}),
        (EACH[0], {"score": "BMA", "pairing": "nearest"}),
        (EACH[0], {"pairing": "nearest", "default_cost": 5}),
        (EACH[0], {"pairing": "nearest", "weights": {}}),
        (ONE_TO_ONE, {"pairing": "nearest"}),
        (COVER, {"pairing": "transport"}),
        (ONE_TO_ONE, {"pairing": "transport", "default_cost": 5}),
        (ONE_TO_ONE, {"pairing": "transport", "score": "mean"}),
        (ONE_TO_ONE, {"pairing": "transport", "default_cost": 5, "score": "accuracy"}),
        (ONE_TO_ONE, {"defined": "never"}),
    ],
)
def test_options_that_do_not_fit_together(bounds, options):
    with pytest.raises(InvalidOption):
        PairMeasure("mine", bounds, cost="wu_palmer", **options)


def test_each_class_of_one_side():
    """A class without a finite cost makes the error infinite, whichever side chooses."""
    h = Hierarchy.from_edges([("a", "b"), ("a", "c")], classes=["z"])
    for side, each in enumerate(EACH):
        near = PairMeasure("near", each, pairing="nearest", defined="nonempty")
        one, other = (["b", "z"], ["c"])[:: 1 if side == 1 else -1]
        assert near.score(h, true=one, pred=other)["error"] == math.inf
        assert near.score(h, true=other, pred=one)["error"] == 2
        assert near.changed(max_distance=1).score(h, true=["b"], pred=["c"]) == math.inf
        with pytest.raises(UndefinedScore, match="a side is empty"):
            near.score(h, [], ["a"])
        with pytest.raises(InvalidOption, match="no prices of classes"):
            near.prices(h, ["b"], ["c"])


def test_what_is_not_one_pairing_is_diagnosed_by_another_measure():
    ev = evaluate(H, [["sheep"], ["bird"]], {"A": [["cow"], ["bird"]]}, ["BMA", "transport", "distance"])
    for name in ev.measures:
        with pytest.raises(InvalidOption, match=f"{name} pairs no classes"):
            ev.confusions("A", name)
        with pytest.raises(InvalidOption, match="has no default cost"):
            ev.sensitivity(name)
        assert "share: of SDL" in "".join(ev.branches("A", name).notes)
        with pytest.raises(InvalidOption, match="no prices of classes"):
            measure(name).prices(H, ["sheep"], ["cow"])


class Strange:
    """A cost that is no child of Cost."""

    def pair_costs(self, batch, pairs):
        return np.full(int(pairs.ptr[-1]), 0.5)


def test_a_cost_of_any_class():
    for m in (measure("BMA", cost=Strange()), measure("transport", cost=Strange()), measure("GIE", cost=Strange())):
        assert m.invariants == {"range"}
        assert m.score(H, ["sheep"], ["cow"]) == 0.5


def test_a_part_is_written_alone():
    model = measure("BMA").model(H, ["sheep", "bird"], ["cow"])
    assert set(model.parts) == {"predicted", "true"}
    assert "predicted_x_0_0" in model.to_lp()
    assert " x_0_0" in model.to_lp(stage="true")
    assert "predicted_x" not in model.to_lp(stage="true")
    with pytest.raises(InvalidOption, match="no part 'other'"):
        model.to_lp(stage="other")
    by_milp = measure("BMA").evaluate(model, model.solve("milp"))
    assert by_milp == pytest.approx(float(measure("BMA").score(H, ["sheep", "bird"], ["cow"])))


def test_real_documents():
    """On many labels: both bounds of transport, and matches one to one never above best matches."""
    example = examples.mesh_mini()
    batch = Batch.of(example.hierarchy, example.true, next(iter(example.systems.values())))
    best, matched = (measure(name).score(batch).values for name in ("BMA", "matched_F"))
    assert (matched <= best + 1e-12).all()
    moved = measure("transport").score(batch, undefined="nan").values
    assert np.nanmin(moved) >= 0


# ---- transport by weights of classes


def weights_of(rng, h, kind):
    values = {
        "even": lambda: 3.0, "whole": lambda: float(rng.integers(0, 5)), "any": lambda: float(rng.random() ** 3),
        "wide": lambda: float(10.0 ** rng.integers(-9, 9)), "decimal": lambda: float(rng.choice([0.3, 2.7, 1.15])),
    }[kind]  # fmt: skip
    return {c: values() for c in h}


def shares(labels, weights):
    total = sum(weights[c] for c in labels)
    return {c: weights[c] / total for c in labels}


@pytest.mark.parametrize("kind", ["even", "whole", "any", "wide", "decimal"])
def test_weighed_transport_on_a_tree_is_unifrac(kind):
    rng = np.random.default_rng(6)
    h = Hierarchy.from_edges([(int(rng.integers(0, c)), c) for c in range(1, 12)])
    for _ in range(15):
        weights = weights_of(rng, h, kind)
        true, pred = (rng.choice(12, int(rng.integers(1, 5)), replace=False).tolist() for _ in range(2))
        if not all(sum(weights[c] for c in side) for side in (true, pred)):
            with pytest.raises(UndefinedScore, match="weigh nothing"):
                measure("transport", weights=weights).score(h, true, pred)
            continue
        mass = shares(pred, weights), shares(true, weights)
        below = {c: [sum(m for d, m in of.items() if d == c or c in h.ancestors(d)) for of in mass] for c in h}
        expected = sum(abs(first - second) for c, (first, second) in below.items() if h.parents(c))
        found = measure("transport", weights=weights).score(h, true, pred, verify=True)
        assert float(found) == pytest.approx(expected, rel=1e-12, abs=1e-12)
        if kind == "even":
            assert float(found) == float(measure("transport").score(h, true, pred))


def test_weighed_transport_by_all_solvers():
    rng = np.random.default_rng(1)
    for h, true, pred in random_instances(10, seed=11):
        kind = ("whole", "any")[int(rng.integers(2))]
        model = measure("transport", weights=weights_of(rng, h, kind)).model(h, true, pred)
        usual = model.solve(verify=True)
        assert named_solver("pulp").accepts(model) == (model.units[0] <= 1e9)  # CBC would round what it reads
        for solver in accepting_solvers(model):
            found = model.solve(solver.name, verify=True)
            assert found.status is usual.status
            assert found.objective == pytest.approx(usual.objective, nan_ok=True)


def test_weights_of_transport():
    weights = {"animal": 1, "mammal": 0, "sheep": 3, "cow": 1, "bird": 2}
    own = measure("transport", weights=weights)
    assert own.score(H, ["sheep", "cow"], ["cow"]) == 1.5  # three quarters move by 2
    model = own.model(H, ["sheep", "cow"], ["cow", "mammal"])
    assert [half.lower.tolist() for half in model.halves] == [[4, 0], [1, 3]]
    assert own.invariants == {"range", "symmetric", "best_if_equal"}
    assert "weights:custom" in own.signature
    check_measure(measure("transport", weights={c: 1.0 + c for c in range(12)}), count=10)
    with pytest.raises(InvalidOption, match="weights map"):
        measure("transport", weights=3)
    wide = measure("transport", weights=dict.fromkeys(H, 1.0) | {"cow": 1e-30}).model(H, ["cow", "bird"], ["bird"])
    assert [half.lower.sum() for half in wide.halves] == [wide.units[0]] * 2


def test_a_status_equals_its_name_and_its_code_and_no_other():
    for status in Status:
        assert status == str(status) == str(Status(int(status)))
        for other in Status:
            unequal = [status != str(other), status != int(other), status != other]
            assert unequal == [status is not other] * 3


def test_the_status_of_a_joint_model_is_that_of_its_worst_part():
    """One part that is infeasible makes the whole so, though nothing is known of the other; and costs are added."""
    h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow"), ("animal", "dog")])
    solution = measure("BMA").model(h, ["sheep", "dog"], ["cow"]).solve()
    assert solution.objective == solution.objectives[0] == sum(part.objective for part in solution.parts.values())
    for first, second in itertools.product(Status, repeat=2):
        statuses = zip(solution.parts.items(), (first, second), strict=True)
        parts = {k: replace(of, statuses=np.array([s], np.int8)) for (k, of), s in statuses}
        found = replace(solution, parts=parts).status
        assert found is (Status.INFEASIBLE if Status.INFEASIBLE in (first, second) else max(first, second))
