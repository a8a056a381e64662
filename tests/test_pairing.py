"""Problem 1: models, solvers and certificates must agree with each other and with enumeration."""

from __future__ import annotations

import math
import pickle
import re
import subprocess
import threading
import time
from dataclasses import replace
from itertools import chain, product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hemlp import ALL, Batch, Bounds, Hierarchy, PairMeasure, Status, examples, measure
from hemlp.errors import (
    InfeasibleModel,
    InvalidBounds,
    InvalidSolution,
    MissingDependency,
    NoSolver,
    UndefinedScore,
    UnsolvedModel,
)
from hemlp.problems.pairing.solution import Prices
from hemlp.solvers.registry import SOLVERS, accepting_solvers, named_solver
from tests import oracle
from tests.graphs import labelled

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
LARGE = {"max_examples": 150}

# ---- against enumeration


def enumerated(model) -> float:
    """The least cost of the only instance over all sets of pairs; infinite if none keeps the bounds."""
    exists = [int(k) for k in range(model.kappa.size) if math.isfinite(model.kappa[k]) and model.serves[k]]
    at_p, at_t = model.ends
    best = math.inf
    for picks in product((0, 1), repeat=len(exists)):
        cost, deg_p, deg_t = 0.0, *([0] * half.lower.size for half in model.halves)
        for k, picked in zip(exists, picks, strict=True):
            if picked:
                cost += model.kappa[k]
                deg_p[at_p[k]] += bool(model.serves[k] & 1)
                deg_t[at_t[k]] += bool(model.serves[k] & 2)
        for degrees, half in zip((deg_p, deg_t), model.halves, strict=True):
            for d, low, high, price in zip(degrees, half.lower, half.upper, half.default, strict=True):
                missing = max(0, low - d)
                cost += math.inf if d > high or (missing and math.isinf(price)) else missing * price if missing else 0
        best = min(best, cost)
    return best


@st.composite
def models(draw):
    labels, edges = draw(labelled(9))
    h = Hierarchy.from_edges(edges, classes=labels)
    sides = st.lists(st.sampled_from(labels), max_size=3, unique=True)
    bound = st.sampled_from([(0, 1), (1, 1), (1, 2), (1, ALL), (0, ALL), (ALL, ALL), (2, 3), (2, ALL)])
    number = st.sampled_from([0, 1, 2, 5, 0.5])
    default = st.one_of(
        st.just(5), st.just(5), number, st.none(), st.tuples(number, st.one_of(st.none(), number)),
        st.fixed_dictionaries(dict.fromkeys(labels, number)),
    )  # fmt: skip
    m = PairMeasure(
        "tried",
        Bounds(draw(bound), draw(bound)),
        cost=draw(st.sampled_from(["shortest_path", "undirected", "shortest_path(decay=0.5)"])),
        default_cost=draw(default),
        max_distance=draw(st.sampled_from([None, None, 2])),
    )
    return m.model(h, draw(sides), draw(sides))


def agreed(model) -> Status:
    """All accepting solvers agree as they are, every solution is checked, and every optimum is proved by prices."""
    found = {solver.name: solver.solve(model, None) for solver in accepting_solvers(model)}
    assert {"augmenting", "cpsat", "flow", "milp", "pulp", "networkx"} <= found.keys()
    statuses = {solution.status for solution in found.values()}
    assert len(statuses) == 1, found
    status = statuses.pop()
    if status is Status.OPTIMAL:
        for solution in found.values():
            assert model.check(solution)
            assert model.check(solution, solution.duals())
        assert len({solution.objective for solution in found.values()}) == 1, found
    return status


@settings(**LARGE)
@given(models())
def test_every_solver_agrees_with_enumeration(model):
    expected = enumerated(model)
    if agreed(model) is Status.OPTIMAL:
        assert model.solve().objective == expected
    else:
        assert expected == math.inf
        assert model.check(model.solve())
        assert model.verify(model.solve())
        error = model.infeasibility(0, 7)
        assert error.row == 7
        side = model.batch.pred if error.side == "predicted" else model.batch.true
        assert set(error.labels) <= {model.batch.hierarchy.labels[c] for c in side.classes}
        assert all(repr(label) in str(error) for label in error.labels)


@settings(**LARGE)
@given(labelled(9), st.data())
def test_measures_by_the_compiled_forms(case, data):
    labels, edges = case
    h = Hierarchy.from_edges(edges, classes=labels)
    true, pred = (data.draw(st.lists(st.sampled_from(labels), max_size=3, unique=True)) for _ in "tp")
    default = data.draw(st.sampled_from([1, 2, 5, 0.1, math.pi]))
    other = data.draw(st.sampled_from(["milp", "milp", "milp", "pulp"]))
    for m in (
        measure("GIE", default_cost=default),
        measure("MGIA", default_cost=default),
        measure("MGIA", default_cost=default, pairing="nearest"),
        measure("GIE", default_cost=default, cost="shortest_path(decay=0.7)"),
    ):
        model = m.model(h, true, pred)
        solution = model.solve("closed_forms")
        assert solution.objective == pytest.approx(enumerated(model), rel=1e-12)
        assert model.check(solution, solution.duals())
        assert model.solve(other).objective == pytest.approx(solution.objective, rel=1e-9)


@pytest.mark.uncompiled
def test_nearest_is_what_its_words_say():
    """Each class takes one of its nearest, or the default where that is farther than D_max; ties as is cheapest."""
    rng = np.random.default_rng(3)
    for _ in range(150):
        children = np.arange(1, 9)
        h = Hierarchy.from_edges([(int(rng.integers(0, c)), int(c)) for c in children])
        true, pred = (rng.choice(9, rng.integers(0, 4), replace=False).tolist() for _ in "tp")
        d_max = int(rng.integers(1, 5))
        choices = []
        for own, others, mirrored in ((pred, true, False), (true, pred, True)):
            for c in own:
                near = min((h.distance(c, o) for o in others), default=math.inf)
                takes = [(o, c) if mirrored else (c, o) for o in others if h.distance(c, o) == near]
                choices.append(takes if near <= d_max else [None])
        best = min(
            sum(h.distance(*pair) for pair in set(pick) - {None}) + d_max * pick.count(None)
            for pick in product(*choices)
        )
        score = measure("MGIA", default_cost=d_max, pairing="nearest").score(h, true, pred)
        assert score["error"] == best
        assert score["error"] >= measure("MGIA", default_cost=d_max).score(h, true, pred)["error"]


@pytest.mark.parametrize(
    ("bounds", "default"),
    [
        (Bounds((1, 1), (1, 1)), 5),
        (Bounds((1, ALL), (1, ALL)), 4),
        (Bounds((1, ALL), (1, ALL)), None),
        (Bounds((1, 2), (0, ALL)), 3),
        (Bounds((1, 2), (2, 3)), 0.5),
        (Bounds((0, 1), (1, 2)), None),
    ],
    ids=str,
)
def test_hundreds_of_instances(bounds, default):
    rng = np.random.default_rng(11)
    edges = [(int(p), c) for c in range(1, 60) for p in rng.integers(max(0, c - 9), c, rng.integers(0, 4))]
    h = Hierarchy.from_edges(edges, classes=range(60))
    sides = [[rng.choice(60, size, replace=False).tolist() for size in rng.integers(0, 7, 150)] for _ in "tp"]
    model = PairMeasure("many", bounds, default_cost=default).model(Batch.of(h, *sides))
    found = {solver.name: model.solve(solver) for solver in accepting_solvers(model)}
    assert len(found) >= 5
    first = found["flow"]
    for solution in found.values():
        assert model.check(solution)
        assert solution.statuses.tolist() == first.statuses.tolist()
        assert np.array_equal(solution.objectives, first.objectives, equal_nan=True)
        for k in range(0, 150, 3):
            if solution[k].status is Status.OPTIMAL:
                assert model[k].check(solution[k], solution[k].duals())


@pytest.mark.uncompiled
def test_oracle_by_every_solver():
    check_oracle(["closed_forms", "flow", "cpsat", "milp", "networkx"])


def check_oracle(solvers):
    """All solvers see all kinds of instances, a few of them each time; PuLP starts a process for each: fewer."""
    rows = oracle.rows()
    hierarchies = [oracle.hierarchy(row) for row in rows]
    for name, key, options in (
        ("GIE", "GIE", {}),
        ("MGIA", "MGIA", {}),
        ("MGIA", "MGIA_union", {"normalizer": "union"}),
        ("MGIA", "MGIA_nearest_error", {"pairing": "nearest"}),
        ("SunLim", "SunLim", {}),
        ("TIE", "TIE", {}),
    ):
        for number, row in enumerate(rows):
            if key not in row["values"]:
                continue
            if name not in ("SunLim", "TIE"):
                options["default_cost"] = row["D_max"]
            m = measure(name, horizon=row["horizon"], **options)
            other = "pulp" if "milp" in solvers and number % 40 == 7 else solvers[number % len(solvers)]
            for solver in (None, other):
                score = m.score(hierarchies[number], row["true"], row["pred"], undefined="nan", solver=solver)
                value = score["error"] if key.endswith("error") else float(score)
                assert oracle.same(value, row["values"][key]), (key, number, solver)
                if key == "MGIA":
                    assert score["error"] == row["values"]["MGIA_error"]


def test_batches_give_what_single_instances_give():
    rows = [row for row in oracle.rows() if row["horizon"] is None and len(row["edges"]) > 4][:60]
    tagged = [[(f"{k} {p}", f"{k} {c}") for p, c in row["edges"]] for k, row in enumerate(rows)]
    h = Hierarchy.from_edges(chain.from_iterable(tagged))
    sides = [
        [[f"{k} {c}" for c in row[side] if f"{k} {c}" in h] for k, row in enumerate(rows)] for side in ("true", "pred")
    ]
    batch = Batch.of(h, *sides)
    for m in (measure("GIE"), measure("MGIA"), measure("MGIA", pairing="nearest"), measure("SunLim")):
        whole = m.score(batch, undefined="nan")
        assert whole.undefined == np.isnan(whole.values).sum() >= m._undefined(batch)[0].sum()
        for solver in accepting_solvers(m.model(batch)):
            if m.name == "SunLim":
                continue
            again = m.score(batch, solver=solver, undefined="nan")
            assert again["error"].tolist() == whole["error"].tolist(), solver.name
            model = m.model(batch)
            solution = model.solve(solver)
            assert model.check(solution)
            assert model[3].check(solution[3], solution[3].duals())
        for k in range(0, len(batch), 7):
            one = m.score(h, *(side[k] for side in sides), undefined="nan")
            assert oracle.same(one, None if math.isnan(whole.values[k]) else whole.values[k])
            assert m.model(batch)[k].to_lp() == m.model(h, sides[0][k], sides[1][k]).to_lp()


# ---- certificates


class Wrong:
    """A solver that sends everybody to the default class."""

    name = "wrong"

    def available(self):
        return None

    def accepts(self, model):
        return True

    def solve(self, model, time_limit):
        solution = model.solve("closed_forms")
        return replace(
            solution, chosen=np.zeros_like(solution.chosen), to_default=tuple(map(np.ones_like, solution.to_default))
        )


def test_a_wrong_solver_is_caught(monkeypatch):
    model = measure("GIE").model(H, ["sheep"], ["cow"])
    lowered = model.solve(Wrong())
    assert (lowered.objective, lowered.status, lowered.bounds.tolist()) == (10, "feasible", [2])
    assert (lowered.found_by, lowered.proved_by) == ("wrong", "")
    with pytest.raises(InvalidSolution, match="instance 1: not optimal.* costs 8 less"):
        model.solve(Wrong(), verify=True)
    wrong = Wrong().solve(model, None)
    assert (wrong.objective, wrong.status) == (10, "optimal")
    assert model.check(wrong)
    with pytest.raises(InvalidSolution, match="cycle of negative cost"):
        wrong.duals()
    with pytest.raises(InvalidSolution, match="prove 2.0 and not the cost 10.0"):
        model.check(wrong, model.solve().duals())
    with pytest.raises(InvalidSolution, match="prove"):
        model.check(model.solve(), Prices(np.array([9.0]), np.array([0.0])))
    monkeypatch.setattr(type(named_solver("flow")), "solve", Wrong.solve)
    with pytest.raises((AssertionError, InvalidSolution)):
        agreed(model)


def test_check_finds_broken_bounds():
    model = measure("GIE").model(H, ["sheep", "mammal"], ["cow"])
    good = model.solve()
    nobody = good.to_default[0], good.to_default[1] * 0
    with pytest.raises(
        InvalidSolution, match=r"predicted class 'cow' has 2 pairs \(0 with the default\); its bounds are 1 and 1"
    ):
        model.check(replace(good, chosen=np.ones_like(good.chosen), to_default=nobody))
    with pytest.raises(InvalidSolution, match="true class 'sheep' has 0 pairs"):
        model.check(replace(good, to_default=nobody))
    none = measure("TIE").model(Hierarchy.from_edges([], classes=["a", "b"]), "a", "b")
    with pytest.raises(InvalidSolution, match="does not exist"):
        none.check(replace(none.solve(), chosen=np.ones(1, bool), statuses=np.zeros(1, np.int8)))


def test_verify_proves_optima_again():
    example = examples.mesh_mini()
    batch = Batch.of(example.hierarchy, example.true, example.systems["knn30"])[:15]
    for name in ("GIE", "MGIA", "F_H", "F_Tol", "F_LCA", "MGIA(pairing='nearest')"):
        m = measure(name)
        assert m.score(batch, verify=True).values.tolist() == m.score(batch).values.tolist()
    model = measure("GIE").model(batch)
    solution = model.solve()
    everybody = tuple(taken * 0 + 1 for taken in solution.to_default)
    worse = replace(solution, chosen=solution.chosen * False, to_default=everybody)
    with pytest.raises(InvalidSolution):
        model.verify(worse)
    assert model[:1].solve(verify=True).objective == solution.objectives[0]


def test_prices_are_not_unique():
    model = measure("GIE").model(H, ["sheep"], ["cow"])
    solution = model.solve()
    assert model.check(solution, Prices(np.array([1.0]), np.array([1.0])))
    assert model.check(solution, Prices(np.array([5.0]), np.array([-3.0])))
    with pytest.raises(InvalidSolution, match="prove"):
        model.check(solution, Prices(np.array([5.0]), np.array([-3.0 - 1e-9])))
    both = PairMeasure("m", Bounds((0, 1), (0, 1))).model(H, ["sheep"], ["cow"])
    nothing = both.solve("flow")
    assert nothing.objective == 0
    with pytest.raises(InvalidSolution, match="prove -1.0 and not the cost 0.0"):
        both.check(nothing, Prices(np.array([0.0]), np.array([-1.0])))


def test_prices_read_as_prices():
    crowded = PairMeasure("two", Bounds((2, 2), (0, ALL)), default_cost=(5, None)).model(H, ["cow", "sheep"], ["cow"])
    priced = crowded.solve("flow").duals()
    assert crowded.check(crowded.solve("flow"), priced)
    assert all(price < 0 for price in priced.pairs.values())
    solution = measure("GIE").model(H, ["sheep"], ["cow", "mammal"]).solve()
    assert solution.objective == 6
    assert solution.model.dual_bound(solution.duals()) == 6
    assert solution.named_pairs() == [("mammal", "sheep", 1.0), ("cow", None, 5.0)]


# ---- explicit models, printed and exported


def test_a_model_prints_itself():
    text = str(measure("MGIA").model(H, ["sheep"], ["cow", "mammal"]))
    assert text == (
        "minimize  2 [cow ~ sheep] + [mammal ~ sheep] + 5 [cow ~ default] + 5 [mammal ~ default]\n"
        "    + 5 [default ~ sheep]\n"
        "subject to\n"
        "  [cow ~ sheep] + [cow ~ default] = 1    (predicted cow)\n"
        "  [mammal ~ sheep] + [mammal ~ default] = 1    (predicted mammal)\n"
        "  1 ≤ [cow ~ sheep] + [mammal ~ sheep] + [default ~ sheep] ≤ 2    (true sheep)\n"
        "with integers 0 ≤ [cow ~ sheep], [mammal ~ sheep], [cow ~ default], [mammal ~ default] ≤ 1\n"
        "with integers 0 ≤ [default ~ sheep] ≤ 2"
    )
    assert "2,000 instances" in str(measure("GIE").model(Batch.of(H, ["cow"] * 2000, ["cow"] * 2000)))


def by_cbc(text: str, folder: Path) -> float | None:
    """The optimum of an LP text, read and solved by CBC on its own."""
    import pulp

    (folder / "model.lp").write_text(text)
    command = [pulp.apis.PULP_CBC_CMD.pulp_cbc_path, "model.lp", "solve", "solution", "out.txt"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    first = (folder / "out.txt").read_text().splitlines()[0]
    return float(first.rpartition(" ")[2]) if first.startswith("Optimal") else None


def by_highs(text: str) -> float | None:
    """The optimum of an MPS text, read by OR-Tools and solved by HiGHS."""
    from ortools.linear_solver.python import model_builder

    model = model_builder.Model()
    assert model.import_from_mps_string(text)
    solver = model_builder.Solver("highs")
    status = solver.solve(model)
    return solver.objective_value if status == model_builder.SolveStatus.OPTIMAL else None


@settings(max_examples=150)
@given(models())
@example(measure("TIE").model(Hierarchy.from_edges([], classes=["a", "b"]), "a", "b"))
@example(measure("GIE").model(H, [], []))
def test_exports_have_the_same_optimum(tmp_path_factory, model):
    solution = model.solve()
    expected = solution.objective if solution.status is Status.OPTIMAL else None
    for text in (model.to_lp(), model.to_mps()):
        assert max(map(len, text.splitlines())) <= 255
        assert text.isascii()
    assert by_cbc(model.to_lp(), tmp_path_factory.getbasetemp()) == pytest.approx(expected, abs=1e-9)
    assert by_highs(model.to_mps()) == pytest.approx(expected, abs=1e-9)
    problem = model.to_pulp()
    problem.solve(named_solver("pulp")._make(None))
    assert (problem.sol_status == 1) == (expected is not None)
    graph = model.to_networkx()
    assert graph.has_edge("sink", "source")
    if expected is not None:
        assert (problem.objective.value() or 0.0) == pytest.approx(expected, abs=1e-9)
        if all(float(d["cost"]).is_integer() for _, _, d in graph.edges(data=True)):
            nx.set_edge_attributes(graph, {(a, b): int(d["cost"]) for a, b, d in graph.edges(data=True)}, "weight")
            assert nx.min_cost_flow_cost(graph) == expected


def test_the_network_is_the_papers():
    graph = measure("MGIA").model(H, ["sheep", "cow"], ["mammal"]).to_networkx()
    assert set(graph) == {"source", "sink", "DP", "DT", "P_0", "T_0", "T_1"}
    capacity = {(a, b): (d["lower"], d["upper"], d["cost"]) for a, b, d in graph.edges(data=True)}
    assert capacity == {
        ("source", "P_0"): (1, 2, 0), ("source", "DP"): (0, 2, 0), ("P_0", "T_0"): (0, 1, 1), ("P_0", "T_1"): (0, 1, 1),
        ("P_0", "DT"): (0, 2, 5), ("DP", "T_0"): (0, 1, 5), ("DP", "T_1"): (0, 1, 5), ("T_0", "sink"): (1, 1, 0),
        ("T_1", "sink"): (1, 1, 0), ("DT", "sink"): (0, 2, 0), ("sink", "source"): (0, 4, 0),
    }  # fmt: skip
    assert graph.nodes["P_0"]["label"] == "mammal"


def test_labels_stand_in_comments_only():
    names = ["a b", "x" * 300, "-1", "é\n\\end", "subject to"]
    h = Hierarchy.from_edges([(names[0], n) for n in names[1:]])
    text = measure("GIE").model(h, names[1:3], names[3:]).to_lp()
    body = [line for line in text.splitlines() if not line.startswith("\\")]
    assert re.findall(r"\b[a-z]+_[\d_]+\b", "\n".join(body))
    assert not any("a b" in line or "xxx" in line for line in body)
    assert "\\ x_0_0: subject to ~ -1" in text


# ---- solvers


PAIRING_SOLVERS = ["closed_forms", "augmenting", "flow", "cpsat", "milp", "portfolio", "pulp", "networkx"]


def test_registry():
    model = measure("GIE").model(H, ["sheep"], ["cow"])
    assert [s.name for s in accepting_solvers(model)] == PAIRING_SOLVERS
    odd = measure("GIE", default_cost=0.1).model(H, ["sheep"], ["cow"])
    assert [s.name for s in accepting_solvers(odd)] == ["closed_forms", "augmenting", "milp", "pulp"]
    with pytest.raises(NoSolver, match="no solver 'plup'.*did you mean 'pulp'"):
        model.solve("plup")
    with pytest.raises(NoSolver, match="no solver 'HiGHS': it is called 'milp'"):
        model.solve("HiGHS")
    with pytest.raises(NoSolver, match="there are 'closed_forms', 'augmenting', 'milp', 'pulp'$"):
        odd.solve("none")  # only those that accept the model
    with pytest.raises(
        NoSolver, match="'flow' does not accept .* integers of at most 40 bits; with 0.1 they are not; these do: .*milp"
    ):
        odd.solve("flow")
    with pytest.raises(NoSolver, match="'closed_forms' does not accept"):
        PairMeasure("two", Bounds((1, 2), (1, 1)), default_cost=1).model(H, ["sheep"], ["cow", "mammal"]).solve(
            "closed_forms"
        )


def test_a_missing_backend_says_what_to_install(monkeypatch):
    monkeypatch.setattr("hemlp.optimize.plan.find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match="'flow' cannot be used: pip install ortools"):
        measure("GIE").model(H, ["sheep"], ["cow"]).solve("flow")
    assert measure("GIE").model(H, ["sheep"], ["cow"]).solve().objective == 2


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_keeps_a_time_limit(name):
    batch = Batch.of(H, [["sheep"], ["cow"]], [["cow"], ["cow"]])
    for m in (measure("GIE"), measure("F_H"), measure("F_Tol")):
        model = m.model(batch)
        if name in [solver.name for solver in accepting_solvers(model)]:
            assert [str(Status(k)) for k in model.solve(name, time_limit=600).statuses] == ["optimal"] * 2
            assert [str(Status(k)) for k in model.solve(name, time_limit=0).statuses] == ["unsolved"] * 2
            with pytest.raises(UnsolvedModel, match=f"instance 1 was not solved: {name} reached a limit or failed"):
                m.score(batch, solver=name, time_limit=0)


def test_a_limit_ends_a_solver_that_has_none(monkeypatch):
    """A network simplex that never ends is left behind, and so is compiled code."""
    ended = threading.Event()

    def endless(graph):
        try:
            while True:
                time.sleep(0.01)
        finally:
            ended.set()

    monkeypatch.setattr(nx, "network_simplex", endless)
    solution = measure("GIE").model(H, ["sheep"], ["cow"]).solve("networkx", time_limit=0.05)
    assert solution.status is Status.UNSOLVED
    assert ended.wait(60)


# ---- what has no value


def test_infeasible_and_undefined_name_instance_class_and_bound():
    apart = Hierarchy.from_edges([("a", "b"), ("c", "d")])
    strict = PairMeasure("strict", Bounds((1, 1), (1, 1)))
    with pytest.raises(InfeasibleModel, match="instance 2: the predicted class 'd' needs at least 1 pair ") as caught:
        strict.score(Batch.of(apart, ["a", "b"], ["b", "d"]))
    assert (caught.value.row, caught.value.side, caught.value.label) == (2, "predicted", "d")
    with pytest.raises(InfeasibleModel, match="the predicted classes 'a', 'b' together need at least 2 pairs"):
        strict.score(apart, ["a"], ["b", "a"])
    with pytest.raises(UndefinedScore, match="instance 3: TIE is undefined.*2 true and 1 predicted"):
        measure("TIE").score(Batch.of(apart, ["a", "a", ["a", "b"]], ["b", "a", "a"]))
    with pytest.raises(UndefinedScore, match="SunLim is undefined, one side is empty"):
        measure("SunLim").score(apart, [], ["a"])
    with pytest.raises(UndefinedScore):
        measure("TIE").score(apart, [], [])
    assert measure("SunLim").score(apart, [], []) == 0
    scores = strict.score(Batch.of(apart, ["a", "b", []], ["b", "d", []]), undefined="nan")
    assert scores.values.tolist()[::2] == [1.0, 0.0]
    assert math.isnan(scores.values[1])
    assert (scores.undefined, scores.mean(), scores.status_counts()) == (1, 0.5, {"optimal": 2, "infeasible": 1})
    assert math.isnan(measure("TIE").score(Batch.of(apart, [[]], [[]]), undefined="nan").mean())


def test_bad_bounds():
    for bad, words in (((2, 1), "at least 2 and at most 1"), ((-1, 1), "-1"), ((1.5, 2), "1.5"), ((True, 1), "True")):
        with pytest.raises(InvalidBounds, match=words):
            Bounds(bad, (1, 1))
    with pytest.raises(InvalidBounds, match="not a pair"):
        Bounds(1, (1, 1))
    sometimes = PairMeasure("x", Bounds((ALL, 2), (0, ALL)), default_cost=1)
    with pytest.raises(InfeasibleModel, match="the predicted class 'cow' has the lower bound 3 and the upper bound 2"):
        sometimes.model(H, ["sheep", "mammal", "cow"], ["cow"])
    batch = Batch.of(H, [["cow"], ["sheep", "mammal", "cow"], []], [["cow"], ["cow"], []])
    with pytest.raises(InfeasibleModel, match="^x: instance 2: the predicted class 'cow'.*undefined='nan'"):
        sometimes.score(batch)
    scores = sometimes.score(batch, undefined="nan")
    assert (scores.values[0], math.isnan(scores.values[1]), scores.values[2], scores.undefined) == (0, True, 0, 1)
    with pytest.raises(InvalidBounds, match="a mapping without the class 'cow'"):
        PairMeasure("x", Bounds(({"sheep": 1}, ALL), (0, ALL))).model(H, ["sheep"], ["cow"])


def test_bounds_by_class():
    once = PairMeasure("x", Bounds((1, {"cow": 1, "mammal": 2}), (1, ALL)), default_cost=5)
    solution = once.model(H, ["sheep", "cow"], ["cow", "mammal"]).solve()
    assert sorted(solution.named_pairs()) == [("cow", "cow", 0.0), ("mammal", "sheep", 1.0)]
    with pytest.raises(ValueError, match="for one instance"):
        _ = measure("GIE").model(Batch.of(H, ["cow"] * 2, ["cow"] * 2)).solve().objective


def test_models_and_solutions_that_were_solved_can_be_pickled():
    model = measure("GIE").model(H, ["sheep", "mammal"], ["cow"])
    solution = model.solve()
    sent = pickle.loads(pickle.dumps((model, solution)))
    assert [each.objectives.tolist() for each in (sent[0].solve(), sent[1])] == [solution.objectives.tolist()] * 2
