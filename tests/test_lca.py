"""Problem 2: exact against enumeration, solvers against each other, greedy against exact."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hemlp import TOP, Batch, Hierarchy, compare_exact_greedy, examples, measure
from hemlp.errors import InvalidOption, InvalidSolution
from hemlp.measures.invariants import broken_invariants
from hemlp.measures.scoring import score_together
from hemlp.optimize.plan import Budget, run_plan
from hemlp.optimize.program import ProgramResult, Status
from hemlp.problems.lca.graphs import InstanceSolution
from hemlp.problems.lca.programs import upper_bound
from hemlp.problems.lca.solution import LcaSolution
from hemlp.solvers.registry import accepting_solvers, named_solver
from tests import oracle
from tests.graphs import graph, labelled, ladder
from tests.lca_enumeration import Instance

F = measure("F_LCA")


def random_instance(rng, forest=False):
    """A DAG of at most ten classes, sparse or dense, and two small label sets."""
    n = int(rng.integers(3, 11))
    most = int(rng.integers(1, 4))
    edges = []
    for c in range(1, n):
        count = rng.integers(0 if forest else 1, most + 1)
        edges += [(int(p), c) for p in rng.choice(c, min(c, count), replace=False)]
    names = rng.permutation(n)
    edges = [(int(names[p]), int(names[c])) for p, c in edges]
    sides = [
        rng.choice(n, rng.integers(0 if rng.random() < 0.1 else 1, min(4, n + 1)), replace=False).tolist() for _ in "tp"
    ]
    return list(range(n)), edges, *sides


@pytest.mark.parametrize("seed", range(8))
def test_exact_is_the_best_of_all_solutions(seed):
    """2,400 random instances; also: greedy is feasible and never above exact with as few LCAs, bounds hold."""
    rng = np.random.default_rng(seed)
    for k in range(300):
        labels, edges, true, pred = random_instance(rng, forest=seed % 2 == 1)
        horizon = int(rng.integers(1, 5)) if k % 3 == 0 else None
        reference = Instance(graph(labels, edges), true, pred, horizon)
        h = Hierarchy.from_edges(edges, classes=labels)
        exact, greedy, extended = (
            measure("F_LCA", method=method, horizon=horizon).model(h, true, pred)
            for method in ("exact", "greedy", "extended")
        )
        solution = exact.solve()
        (predicted, expected, common), lcas = solution.sums[0], solution.lcas[0]
        case = (edges, true, pred, horizon)
        if reference.true and reference.pred:
            p, r, f, z = reference.solve()
            assert (common / predicted, common / expected, solution.objective, lcas) == (p, r, f, z), case
            merged = exact.solve("search(states=4)")  # what has more is left to programs
            assert (merged.sums.tolist(), merged.lcas.tolist()) == (solution.sums.tolist(), solution.lcas.tolist()), (
                case
            )
            assert exact.check(merged)
            sides = [{TOP if isinstance(v, str) else v for v in side} for side in reference.extended()]
            assert extended.solve().sets == tuple(sides), case
            fast = greedy.solve()
            assert greedy.check(fast)
            assert (*fast.sums[0], fast.lcas[0]) == reference.greedy(), case
            assert fast.objective <= fast.bounds[0] + 1e-12
            if fast.lcas[0] == lcas:
                assert fast.objective <= solution.objective + 1e-12, case
            assert solution.objective <= float(upper_bound(exact.facts[0])) + 1e-12, case
        assert solution.status is Status.OPTIMAL
        assert exact.check(solution)


@pytest.mark.uncompiled
def test_oracle():
    checked = 0
    for row in oracle.rows():
        h, values = oracle.hierarchy(row), row["values"]
        score = measure("F_LCA", horizon=row["horizon"]).score(h, row["true"], row["pred"])
        for key in ("F_LCA", "P_LCA", "R_LCA", "lcas"):
            if key in values:
                assert oracle.same(score[key], values[key]), (key, row)
                checked += 1
        if "F_LCA_ex" in values:
            wide = measure("F_LCA", horizon=row["horizon"], method="extended")
            assert oracle.same(wide.score(h, row["true"], row["pred"]), values["F_LCA_ex"]), row
    assert checked > 1900


@pytest.mark.uncompiled
def test_the_papers_dag():
    case = examples.case("dag")
    assert F.score(case.hierarchy, case.true, case.pred) == 0.5
    assert measure("F_LCA", method="extended").score(case.hierarchy, case.true, case.pred) == 0.6
    for solver in ("cpsat", "milp", "pulp"):  # at F = 0 no node costs anything
        assert measure("F_LCA", method="extended").score(case.hierarchy, case.true, case.pred, solver=solver) == 0.6
    solution = F.model(case.hierarchy, case.true, case.pred).solve()
    assert solution.chosen_lcas == {"3", "3.2.1"}
    assert solution.sets == ({"3", "3.1", "3.2.1", "3.2.2"}, {"3", "2.1", "3.2.1", "3.3"})
    assert ("true", ("2.1", "3")) in solution.paths


@pytest.mark.uncompiled
def test_examples_of_the_rules():
    """Where F falls when a correct class is added; where an ancestor is not the LCA; siblings of two parents."""
    h = Hierarchy.from_edges([(0, 1), (0, 5), (1, 2), (2, 3), (2, 4), (3, 6), (4, 7)])
    assert F.score(h, [6, 7], [6, 5]) == pytest.approx(2 / 3)
    assert F.score(h, [6, 7], [6, 5, 7]) == pytest.approx(3 / 5)
    short = Hierarchy.from_edges([(0, 1), (1, 2), (2, 3), (0, 3)])
    links = F.model(short, [1], [3]).facts[0].links
    assert {link.lca for side in links for link in side} == {0, 1}
    twins = Hierarchy.from_edges([(1, 2), (1, 3), (2, 4), (3, 4), (2, 5), (3, 5)])
    assert F.score(twins, [4], [5]) == 0.5
    a, b = examples.case("8a"), examples.case("8b")
    for name in ("P_LCA", "R_LCA", "F_LCA"):
        assert measure(name, horizon=2).score(a.hierarchy, a.true, a.pred) == measure(name).score(
            b.hierarchy, b.true, b.pred
        )


@settings(max_examples=40)
@given(labelled(9), st.data())
def test_every_solver_agrees_and_verifies(case, data):
    labels, edges = case
    h = Hierarchy.from_edges(edges, classes=labels)
    true, pred = (data.draw(st.lists(st.sampled_from(labels), max_size=3, unique=True)) for _ in "tp")
    horizon = data.draw(st.sampled_from([None, None, 1, 2, 3, 50]))
    model = measure("F_LCA", horizon=horizon).model(h, true, pred)
    found = {solver.name: model.solve(solver) for solver in accepting_solvers(model)}
    assert model.check(found.pop("greedy"))
    assert found.keys() == {"search", "cpsat", "milp", "portfolio", "pulp"}
    for solution in found.values():
        assert solution.status is Status.OPTIMAL
        assert model.check(solution)
        assert solution.sums.tolist() == found["cpsat"].sums.tolist()
        assert solution.lcas.tolist() == found["cpsat"].lcas.tolist()
    assert model.verify(found["cpsat"], "milp")
    assert model.verify(found["milp"], "cpsat")
    if horizon == 50:
        assert solution.sums.tolist() == F.model(h, true, pred).solve().sums.tolist()
    for m in (F, measure("P_LCA"), measure("R_LCA"), measure("F_LCA", method="extended"), measure("F_LCA", horizon=2)):
        assert broken_invariants(m, h, true, pred) == []


def test_solvers_on_medline(data):
    import hemlp

    h = hemlp.read_hierarchy(data / "mesh2016" / "mesh_hierarchy.txt")
    true = hemlp.read_labels(data / "medline_mesh" / "gold.txt")
    for file in sorted((data / "medline_mesh").glob("pred_*.txt")):
        batch = Batch.of(h, true, hemlp.read_labels(file)).take(np.arange(7, 5000, 1000))
        model = F.model(batch)
        first = model.solve("cpsat")
        assert model.check(first)
        for solver in ("milp", "pulp"):
            again = model.solve(solver)
            assert again.sums.tolist() == first.sums.tolist()
            assert again.lcas.tolist() == first.lcas.tolist()


def test_names_and_order_do_not_matter_on_real_data():
    example = examples.mesh_mini()
    h = example.hierarchy
    rng = np.random.default_rng(5)
    numbers = dict(zip(h, rng.permutation(len(h)).tolist(), strict=True))
    edges = list(zip(h.edges.parents.tolist(), h.edges.children.tolist(), strict=True))
    rng.shuffle(edges)
    other = Hierarchy.from_edges([(numbers[h.labels[p]], numbers[h.labels[c]]) for p, c in edges])
    for name, pred in example.systems.items():
        rows = range(0, 200, 20)
        sides = [[side[i] for i in rows] for side in (example.true, pred)]
        again = [[[numbers[c] for c in row][::-1] for row in side] for side in sides]
        for column in ("P_LCA", "R_LCA", "F_LCA", "lcas"):
            values = F.score(Batch.of(h, *sides))[column].tolist()
            assert F.score(Batch.of(other, *again))[column].tolist() == values, name


# ---- stages, exports, certificates


def test_stages_prove_the_optimum():
    case = examples.case("dag")
    model = F.model(case.hierarchy, case.true, case.pred)
    for solver in ("cpsat", "milp", "pulp"):
        solve = named_solver(solver).solve_program
        assert solve(model.stage("lcas"), None).values.sum() == 2
        ratio = model.stage("ratio")
        assert ratio.maximize
        assert ratio.objective(solve(ratio, None).values) == 0
        assert solve(model.stage("ties"), None).status is Status.OPTIMAL
    assert "z_0" in model.to_lp()
    assert model.to_lp(stage="ratio").startswith("\\ F_LCA: better than F = 1/2")
    assert "Maximize" in model.to_lp(stage="ratio")
    assert "opposite" in model.to_mps(stage="ratio")
    problem = model.to_pulp(stage="ratio")
    problem.solve(named_solver("pulp")._make(None))
    assert problem.objective.value() == 0
    assert "3.2.2 is linked" in str(model.stage("ratio"))
    with pytest.raises(InvalidOption, match="no stage 'rato'"):
        model.to_lp(stage="rato")
    with pytest.raises(InvalidOption, match="one program"):
        measure("F_H").model(case.hierarchy, case.true, case.pred).to_lp(stage="ratio")
    with pytest.raises(InvalidOption, match="for one instance"):
        F.model(Batch.of(case.hierarchy, [case.true] * 2, [case.pred] * 2)).to_lp()
    empty = F.model(case.hierarchy, [], case.pred)
    assert "Minimize" in empty.to_lp() + empty.to_lp(stage="ratio")


def test_exports_are_read_elsewhere(tmp_path):
    from tests.test_pairing import by_cbc, by_highs

    case = examples.case("4")
    model = F.model(case.hierarchy, case.true, case.pred)
    assert by_cbc(model.to_lp("lcas"), tmp_path) == by_highs(model.to_mps("lcas")) == 2
    assert by_cbc(model.to_lp("ratio"), tmp_path) == 0
    assert abs(by_highs(model.to_mps("ratio"))) == 0


def test_check_finds_what_is_wrong():
    case = examples.case("4")
    model = F.model(case.hierarchy, case.true, case.pred)
    found = model.solve().by_instance[0]
    graphs = found.graphs

    def broken(**changes):
        return LcaSolution.of(model, [replace(found, graphs=replace(graphs, **changes))])

    number = case.hierarchy.id
    a, b, c, t1, p1 = (number(x) for x in ("A", "B", "C", "T1", "P1"))
    with pytest.raises(InvalidSolution, match="do not reach exactly"):
        model.check(broken(lcas=graphs.lcas | {c}))
    with pytest.raises(InvalidSolution, match="do not reach exactly|lacks its own"):
        model.check(broken(paths=graphs.paths[1:]))
    with pytest.raises(InvalidSolution, match="twice"):
        model.check(broken(paths=graphs.paths + graphs.paths[:1]))
    with pytest.raises(InvalidSolution, match="child to parent"):
        model.check(broken(paths=((1, (t1, a)), *graphs.paths)))
    with pytest.raises(InvalidSolution, match="not shortest|not eligible"):
        model.check(broken(paths=((0, (p1, c)), *graphs.paths)))
    with pytest.raises(InvalidSolution, match="above its bound"):
        model.check(LcaSolution.of(model, [replace(found, bound=Fraction(1, 10))]))
    with pytest.raises(InvalidSolution, match="LCAs, not 1"):
        model.check(LcaSolution.of(model, [replace(found, fewest_lcas=1)]))
    assert b in graphs.lcas


def test_verify_catches_a_result_that_is_not_the_best():
    rng = np.random.default_rng(0)
    caught = 0
    for _ in range(400):
        labels, edges, true, pred = random_instance(rng)
        h = Hierarchy.from_edges(edges, classes=labels)
        greedy = measure("F_LCA", method="greedy").model(h, true, pred).solve()
        exact = F.model(h, true, pred)
        if greedy.objective < exact.solve().objective - 1e-9 and greedy.lcas[0] == exact.solve().lcas[0]:
            found = greedy.by_instance[0]
            lie = LcaSolution.of(exact, [InstanceSolution.of(found.graphs, Status.OPTIMAL, len(found.graphs.lcas))])
            with pytest.raises(InvalidSolution, match="are beaten by"):
                exact.verify(lie)
            caught += 1
    assert caught > 0


# ---- limits


def limited(model, stages):
    """Solve with a solver that gives up after so many programs."""
    left = [stages]
    solve = named_solver("cpsat").solve_program

    def give_up(program, time_limit, work_limit):
        left[0] -= 1
        return solve(program) if left[0] >= 0 else ProgramResult(Status.UNSOLVED, limited=True)

    return run_plan(model.plan(), Budget.of(None).spending(give_up))


def test_fallback_is_feasible_bounded_and_never_silent():
    rng = np.random.default_rng(2)
    for _ in range(60):
        labels, edges, true, pred = random_instance(rng)
        if not true or not pred:
            continue
        h = Hierarchy.from_edges(edges, classes=labels)
        model = F.model(h, true, pred)
        best = model.solve()
        for stages in (0, 1):
            fallback = limited(model, stages)
            assert fallback.status is Status.FEASIBLE
            assert model.check(fallback)
            assert fallback.objective <= fallback.bounds[0] + 1e-12
            assert best.objective <= fallback.bounds[0] + 1e-12
            assert fallback.by_instance[0].fewest_lcas <= best.lcas[0]
    scores = F.score(Batch.of(h, [true] * 3, [pred] * 3), solver="cpsat", time_limit=0)
    assert scores.status_counts() == {"feasible": 3}
    assert scores.undefined == 0
    assert measure("F_LCA", time_limit=0).score(h, true, pred, solver="cpsat").status == "feasible"
    assert F.score(h, [], pred, solver="cpsat", time_limit=0).status == "optimal"
    # what the search leaves to the programs falls back in the same way
    hard = model.solve("search(states=0)", time_limit=0.0)
    assert hard.status is Status.FEASIBLE
    assert model.check(hard)
    assert measure("F_LCA", time_limit=0).score(h, true, pred, solver="search(states=0)").status == "feasible"


def test_work_limits_are_deterministic():
    example = examples.mesh_mini()
    batch = Batch.of(example.hierarchy, example.true, example.systems["topdown_lcpn"])[:12]
    model = F.model(batch)
    first, second = (model.solve("search(states=0, work=0)") for _ in range(2))
    assert first.statuses.tolist() == second.statuses.tolist()
    assert first.sums.tolist() == second.sums.tolist()
    assert (first.statuses > 0).any()
    full = F.model(batch).solve()
    for low, true_f, high in zip(first.by_instance, full.by_instance, first.by_instance, strict=True):
        assert true_f.graphs.f <= high.bound
        assert low.graphs.order >= true_f.graphs.order


# ---- sizes, sharing, mistakes


def test_a_ladder_of_200_diamonds():
    h = Hierarchy.from_edges([*ladder(200), (600, "x"), (600, "y"), (0, "z")])
    assert F.score(h, ["x"], ["y"]) == 0.5
    assert F.score(h, ["x"], ["z"]) == pytest.approx(2 / 404)
    assert measure("F_LCA", method="greedy").score(h, ["x"], ["z"]) == pytest.approx(2 / 404)
    assert measure("F_LCA", method="extended").score(h, ["x"], ["z"]) == pytest.approx(2 / 604)
    lp = F.model(h, ["x"], ["z"]).to_lp("ratio")
    assert len(lp) < 1_000_000


def test_p_r_and_f_share_one_solution(monkeypatch):
    from hemlp.solvers.search import LcaSearch

    solved = []
    usual = LcaSearch.solve
    monkeypatch.setattr(LcaSearch, "solve", lambda self, *args: solved.append(1) or usual(self, *args))
    case = examples.case("4")
    batch = Batch.of(case.hierarchy, [case.true] * 2, [case.pred] * 2)
    p, r, f = score_together([measure(name) for name in ("P_LCA", "R_LCA", "F_LCA")], batch)
    assert len(solved) == 1
    assert (p.values[0], r.values[0], f.values[0]) == (0.4, pytest.approx(2 / 3), 0.5)
    assert f["P_LCA"].tolist() == p.values.tolist()
    other = score_together([measure("P_LCA"), measure("F_LCA", method="greedy")], batch)
    assert len(solved) == 2
    assert len(other) == 2


def test_mistakes():
    heavy = Hierarchy.from_edges([("a", "b", 2), ("a", "c", 1)])
    with pytest.raises(InvalidOption, match="has edge weights"):
        F.score(heavy, ["b"], ["c"])
    with pytest.raises(InvalidOption, match="no parameter 'weights'"):
        measure("F_LCA", weights={})
    with pytest.raises(InvalidOption, match="no parameter 'top'"):
        measure("F_LCA", top=True)
    with pytest.raises(InvalidOption, match="did you mean 'greedy'"):
        measure("F_LCA", method="gredy")
    with pytest.raises(InvalidOption, match="time_limit=-1"):
        measure("F_LCA", time_limit=-1)
    assert str(measure("F_LCA", method="greedy", horizon=3)) == "F_LCA(horizon=3, method='greedy')"


# ---- exact against greedy


def test_comparison_of_exact_and_greedy():
    example = examples.mesh_mini()
    whole = compare_exact_greedy(example.hierarchy, example.true, example.systems["prior_top8"], sample=25, seed=3)
    assert (np.diff(whole.rows) > 0).all()
    batch = Batch.of(example.hierarchy, example.true, example.systems["prior_top8"]).take(whole.rows)
    assert whole.exact.values.tolist() == F.score(batch).values.tolist()
    told = whole.to_dict()
    gaps = F.score(batch).values - measure("F_LCA", method="greedy").score(batch).values
    assert told["F differs"] == int((np.abs(gaps) > 1e-12).sum()) > 0
    assert told["instances"] == 25
    assert told["worst"][0]["row"] - 1 in whole.rows
    assert abs(whole.worst(1)[0][1]) == pytest.approx(np.abs(gaps).max())
    assert told["size of a difference"]["largest"] == pytest.approx(np.abs(gaps).max())
    assert f"row {told['worst'][0]['row']}: exact minus greedy" in str(whole)
    assert told["mean"]["extended"] == measure("F_LCA", method="extended").score(batch).mean()
    assert "ms per instance" not in str(whole)
    many = compare_exact_greedy(Hierarchy.from_edges([("a", "b"), ("a", "c")]), ["b"] * 1000, ["c"] * 1000)
    assert "ms per instance" in str(many)
    with pytest.raises(InvalidOption, match="sample=0"):
        compare_exact_greedy(example.hierarchy, example.true, example.true, sample=0)


def test_compare_exact_command(tmp_path):
    import json
    import subprocess
    import sys

    folder = examples.DATA / "mesh_mini"
    files = [str(folder / name) for name in ("hierarchy.txt", "gold.txt", "pred_knn30.txt")]
    command = [sys.executable, "-m", "hemlp", "compare-exact", *files, "--sample", "4"]
    out = subprocess.run([*command, "--json", str(tmp_path / "c.json")], capture_output=True, text=True, check=True)
    assert "4 instances; exact: 4 optimal" in out.stdout
    assert json.loads((tmp_path / "c.json").read_text())["instances"] == 4
    bad = subprocess.run(
        [*command, "--json", str(tmp_path / "c.json" / "c.json")], capture_output=True, text=True, check=False
    )
    assert (bad.returncode, "cannot write" in bad.stderr) == (1, True)
    files[1] = str(tmp_path / "absent.txt")
    bad = subprocess.run([*command[:4], *files], capture_output=True, text=True, check=False)
    assert (bad.returncode, bad.stderr.count("\n")) == (2, 1)


@pytest.mark.uncompiled
def test_definitions_for_a_batch_are_those_of_its_instances():
    rng = np.random.default_rng(9)
    labels, edges, *_ = random_instance(rng)
    h, g = Hierarchy.from_edges(edges, classes=labels), graph(labels, edges)
    sides = [[rng.choice(len(labels), rng.integers(0, 4), replace=False).tolist() for _ in range(40)] for _ in "tp"]
    facts = F.model(Batch.of(h, *sides)).facts
    for i, (true, pred) in enumerate(zip(*sides, strict=True)):
        reference = Instance(g, true, pred)
        assert {h.labels[c] for c in facts[i].classes[0]} == set(reference.pred)
        if reference.true and reference.pred:
            for side, own, others in ((0, reference.pred, reference.true), (1, reference.true, reference.pred)):
                eligible = {(c, TOP if isinstance(a, str) else a) for c, a in reference.eligible(own, others)}
                links = facts[i].links[side]
                found = {(h.labels[k.label], TOP if k.lca == len(h) else h.labels[k.lca]) for k in links}
                assert found == eligible
                for link in links:
                    if link.own:
                        lcas = {TOP if isinstance(a, str) else a for a in reference.own(h.labels[link.label], others)}
                        assert (TOP if link.lca == len(h) else h.labels[link.lca]) in lcas


def test_the_search_and_the_programs_agree_on_real_data():
    example = examples.mesh_mini()
    for name, pred in example.systems.items():
        batch = Batch.of(example.hierarchy, example.true, pred)
        model = F.model(batch)
        solution = model.solve()
        assert solution.statuses.max() == 0
        few = np.arange(3, 200, 25)
        assert model.check(solution)
        by_program = F.model(batch.take(few)).solve("cpsat")
        assert solution.sums[few].tolist() == by_program.sums.tolist(), name
        assert solution.lcas[few].tolist() == by_program.lcas.tolist()
        # sizes are those of the graphs that are given as proof
        for i in few:
            p, t = solution.detail(int(i)).nodes
            assert (len(p), len(t), len(p & t)) == tuple(solution.sums[i])


def test_what_is_too_much_for_the_search_goes_to_the_programs():
    example = examples.mesh_mini()
    batch = Batch.of(example.hierarchy, example.true, example.systems["topdown_lcpn"])[:20]
    usual = F.model(batch).solve()
    for limit in (0, 1, 2, 10):
        again = F.model(batch).solve(f"search(states={limit})")
        assert again.sums.tolist() == usual.sums.tolist()
        assert again.lcas.tolist() == usual.lcas.tolist()
        assert again.bounds.tolist() == usual.bounds.tolist()


def test_programs_of_later_stages_are_those_of_a_given_incumbent_and_need_one(monkeypatch):
    h = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("c", "e")])
    model = measure("F_LCA").model(h, ["d"], ["e", "b"])
    incumbent = model.solve().by_instance[0]
    later = {name: str(model.stage(name)) for name in ("ratio", "ties")}
    monkeypatch.setattr(type(model), "solve", None)
    for name, words in later.items():
        assert str(model.program(name, incumbent)) == words
        with pytest.raises(InvalidOption, match=f"stage {name} needs an incumbent"):
            model.program(name)
