"""Solvers that are broken in one way each, against every kind of model and every stage of its plan.

Each must end unsolved, feasible with a bound that is right, or in InvalidSolution; never optimal with a wrong value,
and never with somebody else's solution under its own name.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from functools import cache
from inspect import isabstract

import numpy as np
import pytest

import hemlp.optimize.model
from hemlp import Batch, Bounds, Hierarchy, PairMeasure, evaluate, examples, measure, priced
from hemlp.analysis.decision.belief import Belief
from hemlp.analysis.decision.models import decision_model
from hemlp.errors import HemlpError, InvalidOption, InvalidSolution, UnsolvedModel
from hemlp.optimize.expressions import Expression
from hemlp.optimize.plan import check_result, run_plan
from hemlp.optimize.program import LinearProgram, Row, Variable
from hemlp.problems.closure.variants import PrefixModel
from hemlp.problems.lca.graphs import InstanceSolution
from hemlp.problems.lca.programs import GraphProgram
from hemlp.problems.lca.solution import LcaSolution
from hemlp.solvers import ProgramResult, ProgramSolver, Status
from hemlp.solvers.greedy import GreedyModel
from hemlp.solvers.registry import SOLVERS, named_solver
from hemlp.testing import HARD, check_solver
from tests.test_drills import Siblings

H = Hierarchy.from_edges(
    [
        ("r", "a"),
        ("r", "b"),
        ("a", "c"),
        ("a", "d"),
        ("b", "d"),
        ("b", "e"),
        ("c", "f"),
        ("d", "f"),
        ("d", "g"),
        ("e", "h"),
    ]
)
TRUE, PRED = ["f", "e", "g"], ["c", "h", "b"]
MEASURES = {
    "pairing": measure("GIE"),
    "cover": measure("MGIA"),
    "all pairs": measure("TIE"),
    "decimals": measure("GIE", cost="shortest_path(decay=0.3)", default_cost=0.1),
    "rules": PairMeasure("ruled", Bounds(priced((1, 1), below=2, above=1), (1, 1), total=(0, 2)), default_cost=5),
    "transport": measure("transport"),
    "joint": measure("BMA"),
    "closure": measure("F_H"),
    "horizon": measure("F_H", horizon=2),
    "descendants": measure("F_De"),
    "nothing added": measure("F"),
    "tolerant": measure("F_Tol"),
    "extended": measure("F_LCA", method="extended"),
}
MODELS = {name: each.model(H, TRUE, PRED) for name, each in MEASURES.items()}
MODELS["rows"] = MODELS["pairing"].with_rows(Expression({"x_0_0": 1.0, "x_1_1": 1.0}) <= 1)
MODELS["constraints"] = measure("MGIA").with_constraints(lambda m: [m.x[:, :].sum() <= 4]).model(H, TRUE, PRED)
MODELS["implied"] = hemlp.SetMeasure("F_siblings", Siblings()).model(H, TRUE, PRED)
MODELS["prefixes"] = PrefixModel(
    MODELS["closure"],
    (MODELS["closure"].batch.pred.ptr, MODELS["closure"].batch.pred.classes),
    (np.array([0, 1]), np.array([2], np.int32)),
)
MODELS |= {f"lca {k}": measure("F_LCA").model(*instance) for k, instance in enumerate(HARD)}
ANSWERS = Belief.systems({"A": [set(TRUE)], "B": [set(PRED)], "C": [{*TRUE, PRED[0]}]}, {"B": 2}).scenarios(H)
MODELS |= {f"decision {name}": decision_model(measure(name), ANSWERS, 1) for name in ("SDL", "F_H", "GIE", "accuracy")}
HONEST = named_solver("milp")
UNIT = 0.01
"""Less than the least difference of two costs, and far more than rounding."""


class Saboteur(ProgramSolver):
    """Does what it likes with the result of HiGHS, in every program or in that of one name; ``lied``: it was wrong."""

    def __init__(self, only=None):
        self.only, self.lied = only, False

    def available(self):
        return None

    def solve_program(self, program, time_limit=None, work_limit=None):
        honest = HONEST.solve_program(program)
        if self.only not in (None, program.name) or honest.values is None:
            return honest
        changed = self.change(program, honest)
        self.lied |= not is_true(program, changed, program.objective(honest.values))
        return changed


def is_true(program, result, best):
    """Whether a result is optimal and says so, with a bound that holds."""
    try:
        values = check_result(program, result).values
    except InvalidSolution:
        return False
    right = values is not None and result.status is Status.OPTIMAL and abs(program.objective(values) - best) < 1e-9
    return right and not (result.bound < best if program.maximize else result.bound > best)


class Lazy(Saboteur):
    """Solves nothing."""

    name = "lazy"

    def change(self, program, honest):
        return ProgramResult(Status.UNSOLVED)


class Contrary(Saboteur):
    """Maximizes what is to be minimized."""

    name = "contrary"

    def change(self, program, honest):
        return HONEST.solve_program(replace(program, maximize=not program.maximize))


class Worse(Saboteur):
    """Finds something that keeps all rows and is worse by a unit at least, if there is any, and says ``status``."""

    name = "worse"
    status = Status.OPTIMAL

    def change(self, program, honest):
        best = program.objective(honest.values)
        terms = [(k, v.cost) for k, v in enumerate(program.variables) if v.cost]
        sides = (-math.inf, best - UNIT) if program.maximize else (best + UNIT, math.inf)
        worse = HONEST.solve_program(replace(program, rows=[*program.rows, Row("worse", *sides, terms)]))
        if worse.values is None:
            return honest
        return ProgramResult(self.status, worse.values, program.objective(worse.values))


class Modest(Worse):
    """The same, and says that it is feasible, with a bound that is wrong."""

    name = "modest"
    status = Status.FEASIBLE


class Off(Saboteur):
    """One variable is off by one."""

    name = "off"

    def change(self, program, honest):
        values = honest.values.copy()
        values[0] += 1 if values[0] < 1 else -1
        return replace(honest, values=values)


class Half(Off):
    """One variable is off by a half."""

    name = "half"

    def change(self, program, honest):
        return replace(honest, values=honest.values + 0.5 * (np.arange(honest.values.size) == 0))


class Short(Saboteur):
    """Forgets a variable."""

    name = "short"

    def change(self, program, honest):
        return replace(honest, values=honest.values[:-1])


class Empty(Saboteur):
    """Says that it is optimal, and not what."""

    name = "empty"

    def change(self, program, honest):
        return ProgramResult(Status.OPTIMAL)


class Denying(Saboteur):
    """Says that there is no solution."""

    name = "denying"

    def change(self, program, honest):
        return ProgramResult(Status.INFEASIBLE)


class Proud(Saboteur):
    """Finds the best, and a bound that is better than the best."""

    name = "proud"

    def change(self, program, honest):
        beyond = program.objective(honest.values) + (-5 if program.maximize else 5)
        return ProgramResult(Status.FEASIBLE, honest.values, beyond)


SABOTEURS = (Lazy, Contrary, Worse, Modest, Off, Half, Short, Empty, Denying, Proud)


def test_every_kind_of_model_is_here():
    """But for greedy graphs, which are not meant to be optimal: they have a test of their own below."""

    def kinds(of):
        return {of} | {kind for child in of.__subclasses__() for kind in kinds(child)}

    ours = {kind for kind in kinds(hemlp.optimize.model.Model) if kind.__module__.startswith("hemlp.")}
    optimized = {kind for kind in ours if not isabstract(kind) and kind is not GreedyModel}
    assert {type(model) for model in MODELS.values()} == optimized


@pytest.mark.parametrize("saboteur", SABOTEURS, ids=lambda of: of.name)
def test_models_of_greedy_graphs_are_certified_like_those_of_minimal_ones(saboteur):
    for k, instance in enumerate(HARD):
        model = measure("F_LCA", method="greedy").model(*instance)
        assert type(model) is GreedyModel
        assert model.solve().found_by[0] == "greedy"
        for only in stages(f"lca {k}"):
            with suppress(InvalidSolution):
                assert_honest(MODELS[f"lca {k}"], model.solve(saboteur(only)), saboteur.name)


def optimum(model):
    solution = model.solve()
    assert solution.status is Status.OPTIMAL
    return solution


@cache
def stages(kind):
    """Of the plan of a model: None for all programs, and the name of each."""
    asked = {None: None}
    run_plan(MODELS[kind].plan(), lambda program: asked.update({program.name: None}) or HONEST.solve_program(program))
    return tuple(asked)


def assert_honest(model, solution, name):
    """What is said of a solution of the only instance is true, and whose it is."""
    best = optimum(model)
    if solution.status is Status.UNSOLVED:
        assert math.isnan(solution.objective)
        assert (solution.found_by, solution.proved_by) == ("", "")
        return
    assert solution.status in (Status.OPTIMAL, Status.FEASIBLE)
    assert model.check(solution)
    assert set(str(solution.found_by[0]).split(", ")) <= {name, "greedy", f"{name}+improvement"}
    if solution.status is Status.OPTIMAL:
        assert solution.objective == pytest.approx(best.objective, rel=1e-12)
        assert name not in str(solution.proved_by[0])
        assert solution.proved_by[0]
    else:
        assert solution.proved_by[0] == ""
        greater = hasattr(solution, "lcas") or getattr(model, "greater_is_better", False)
        bound, sign = float(solution.bounds[0]), 1 if greater else -1
        assert sign * (bound - best.objective) >= -1e-9
        assert sign * (bound - solution.objective) >= -1e-9


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("saboteur", SABOTEURS, ids=lambda of: of.name)
def test_no_sabotage_is_optimal(saboteur, kind):
    model = MODELS[kind]
    for only in stages(kind):
        who = saboteur(only)
        try:
            solution = model.solve(who)
        except InvalidSolution:
            continue
        assert_honest(model, solution, who.name)


@pytest.mark.parametrize("kind", MODELS)
def test_who_solves_nothing_leaves_everything_unsolved(kind, monkeypatch):
    model = MODELS[kind]
    monkeypatch.setitem(SOLVERS, "lazy", f"{__name__}:Lazy")
    for who in (Lazy(), "lazy"):
        for limit in (None, 600):
            solution = model.solve(who, limit)
            assert solution.status is Status.UNSOLVED
            assert_honest(model, solution, "lazy")
    with pytest.raises((AssertionError, HemlpError)):
        check_solver(Lazy(), [model])


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("saboteur", SABOTEURS, ids=lambda of: of.name)
def test_check_solver_sees_every_sabotage(saboteur, kind):
    """Of every stage, also where Algorithm 1 would make up for it."""
    for only in stages(kind):
        who = saboteur(only)
        try:
            check_solver(who, [MODELS[kind]])
        except (AssertionError, HemlpError):
            assert who.lied
        else:
            assert not who.lied


def test_every_saboteur_lies_about_every_kind():
    """Else nothing was tested above: only what leaves no choice has nothing worse."""
    for saboteur in SABOTEURS:
        for kind, model in MODELS.items():
            lied = []
            for only in stages(kind):
                who = saboteur(only)
                with suppress(InvalidSolution):
                    model.solve(who)
                lied.append(who.lied)
            free = saboteur in (Contrary, Worse, Modest) and kind in ("all pairs", "extended", "nothing added")
            assert any(lied) or free, (saboteur.name, kind)


@pytest.mark.parametrize("value", [0.5, 2.0, -1.0, math.nan, math.inf])
def test_values_of_no_integer_within_the_bounds_are_refused(value):
    program = LinearProgram("one", [Variable("x", 0, 1, 1.0, "it")], [])
    assert check_result(program, ProgramResult(Status.OPTIMAL, np.array([1 - 1e-9]))).values.tolist() == [1.0]
    with pytest.raises(InvalidSolution, match=r"one: x \(it\) is .*, not of integers from 0 to 1"):
        check_result(program, ProgramResult(Status.OPTIMAL, np.array([value])))


# ---- solvers of whole models


class Model(Saboteur):
    """Changes the solution of a model, of which the last instance is wrong."""

    name = "model"

    def __init__(self, change):
        super().__init__()
        self.changed = change

    def change(self, program, honest):
        return honest

    def solve(self, model, time_limit):
        ones = [model[i] for i in range(len(model))]
        return model.joined([super(Model, self).solve(one, None) for one in ones[:-1]] + [self.changed(ones[-1])])


def nothing(model):
    return run_plan(model.plan(), lambda program: ProgramResult(Status.UNSOLVED))


def renamed(status):
    def change(model):
        solution = run_plan(model.plan(), HONEST.solve_program)
        if hasattr(solution, "by_instance"):
            return LcaSolution.of(model, [replace(found, status=status) for found in solution.by_instance])
        return replace(solution, statuses=np.full(1, status, np.int8))

    return change


def dearest(model):
    """The worst that keeps all rows, as the optimum."""
    return run_plan(model.plan(), lambda program: HONEST.solve_program(replace(program, maximize=True)))


CHANGES = {"nothing": nothing, "infeasible": renamed(Status.INFEASIBLE), "unsolved": renamed(Status.UNSOLVED)}
COSTS = ("pairing", "cover", "decimals", "rules", "transport")


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", MEASURES)
def test_a_solver_of_models_that_fails_on_one_instance(kind, change):
    model = MEASURES[kind].model(Batch.of(H, [TRUE, PRED, TRUE], [PRED, TRUE, PRED]))
    usual = model.solve()
    try:
        solution = model.solve(Model(CHANGES[change]))
    except InvalidSolution:
        assert change != "nothing"
        return
    assert [Status(k) for k in solution.statuses] == [Status.OPTIMAL, Status.OPTIMAL, Status.UNSOLVED]
    assert solution.found_by.tolist()[2] == solution.proved_by.tolist()[2] == ""
    assert [solution[i].objective for i in (0, 1)] == [usual[i].objective for i in (0, 1)]


@pytest.mark.parametrize("kind", COSTS)
def test_a_dear_solution_is_feasible_and_the_others_stay_optimal(kind):
    model = MEASURES[kind].model(Batch.of(H, [TRUE, TRUE], [PRED, PRED]))
    usual, solution = model.solve(), model.solve(Model(dearest))
    assert [Status(k) for k in solution.statuses] == [Status.OPTIMAL, Status.FEASIBLE]
    assert solution.objectives[1] > usual.objectives[1]
    assert solution.bounds.tolist() == [usual.objectives[0], usual.objectives[1]]
    assert (solution.found_by.tolist(), solution.proved_by.tolist()) == (["model", "model"], ["certificate", ""])
    assert (solution[1].found_by, solution[1].bounds) == ("model", usual.objectives[1])
    assert np.isnan(solution.lower.get(0, math.nan))


@pytest.mark.parametrize("change", [dearest, renamed(Status.INFEASIBLE)])
def test_a_strangers_claim_about_rows_of_ones_own_is_another_solvers(change):
    model = MODELS["rows"]
    solution = model.solve(Model(change))
    assert_honest(model, solution, "model")
    assert solution.status is (Status.FEASIBLE if change is dearest else Status.UNSOLVED)
    impossible = MODELS["pairing"].with_rows(Expression({"x_0_0": 1.0, "u_0": 1.0}) == 2)
    denied = impossible.solve(Denying())
    assert (denied.status, denied.found_by, denied.proved_by) == (Status.INFEASIBLE, "", "cpsat")


def claimed_optimal(model, graphs):
    """What a stranger who calls these graphs optimal gets."""
    claim = InstanceSolution.of(graphs, Status.OPTIMAL, len(graphs.lcas))
    solution = model.solve(Model(lambda one: LcaSolution.of(one, [claim])))
    assert_honest(model, solution, "model")
    return solution


def test_greedy_graphs_that_are_called_optimal_are_feasible():
    for k, (h, true, pred) in enumerate(HARD):
        model = MODELS[f"lca {k}"]
        greedy = measure("F_LCA").model(h, true, pred).solve("greedy").by_instance[0].graphs
        solution = claimed_optimal(model, greedy)
        assert solution.status is Status.FEASIBLE
        assert solution.by_instance[0].fewest_lcas == optimum(model).lcas[0]


def test_graphs_with_more_lcas_are_feasible_though_their_f_is_better():
    """Fewer LCAs come first, so F of the best graphs bounds only those that have as few."""
    model = MODELS["lca 0"]
    best = optimum(model).by_instance[0]
    builder = GraphProgram(model.facts[0], model.label, "one LCA more", best.lcas + 1)
    graphs = builder.read(HONEST.solve_program(builder.ratio(best.f)).values)
    assert graphs.f > best.f
    solution = claimed_optimal(model, graphs)
    assert (solution.status, solution.by_instance[0].fewest_lcas) == (Status.FEASIBLE, best.lcas)


# ---- evaluations, and who is named where nothing is wrong


def test_an_evaluation_by_a_solver_that_fails_ends_by_name():
    names = ["GIE", "MGIA", "transport", "BMA", "F_H", "F_Tol", "F_LCA", "F_LCA(method='extended')", "matched_F"]
    for name in names:
        with pytest.raises(UnsolvedModel, match="instance 1 was not solved: lazy reached a limit or failed; more time"):
            evaluate(H, [TRUE], {"A": [PRED]}, [name], solver=Lazy())
    ev = evaluate(H, [TRUE, TRUE], {"A": [PRED, TRUE]}, names, solver=Lazy(), undefined="nan")
    for name in ev.measures:
        assert np.isnan(ev.per_instance("A", name)).all()
        assert ev.status("A", name) == {"unsolved": 2}
        assert f"A, {name}: not solved on 2 instances, which are left out" in str(ev.table())


def test_a_limit_leaves_the_graphs_to_greedy_and_says_so():
    model = MODELS["lca 0"]
    for solver in ("milp", "cpsat", "search(states=0)", Model(lambda one: one.solve("milp", 0))):
        limited = model.solve(solver, time_limit=0)
        assert (limited.status, limited.found_by, limited.proved_by) == (Status.FEASIBLE, "greedy", "")
        assert limited.objective <= optimum(model).objective <= limited.bounds[0] < 1
        assert repr(limited) == f"LcaSolution(feasible, objective {limited.objective:g}, found by greedy)"
    with pytest.raises(UnsolvedModel, match="not solved: milp reached a limit"):
        measure("GIE").score(H, TRUE, PRED, solver="milp", time_limit=0)


def test_solutions_name_who_found_and_who_proved_them():
    example = examples.mesh_mini()
    batch = Batch.of(example.hierarchy, example.true, example.systems["knn30"])[:20]
    told = {
        "GIE": ("closed_forms", "certificate"), "F_H": ("closures", "closures"), "F_LCA": ("search", "search"),
        "F_LCA(method='greedy')": ("greedy", ""), "F_LCA(method='extended')": ("extended", "extended"),
    }  # fmt: skip
    for name, (found, proved) in told.items():
        solution = measure(name).model(batch).solve()
        assert set(solution.found_by) == {found}
        assert solution.proved_by[0] == proved
        assert (solution[3].found_by, solution[3].proved_by[0]) == (found, proved)
    assert MODELS["transport"].solve().found_by == "transport"
    assert MODELS["rules"].solve().found_by == "augmenting"
    assert MODELS["rows"].solve("milp").proved_by == "milp"
    assert MODELS["closure"].solve("milp").proved_by == "verify"
    assert MODELS["lca 0"].solve("search(states=0)").found_by == "portfolio"
    assert MODELS["lca 0"].solve("milp").found_by == "milp"
    both = measure("funSimAvg").model(H, TRUE, PRED).solve()
    assert both.found_by[0]
    assert both.proved_by[0]


def test_rounding_is_improved_and_named():
    """0.1 + 0.2 costs more than 0.3 by one bit: a solver in floats may take either, and the sum is the same."""
    cost = {("a", "c"): 0.1, ("b", "d"): 0.2, ("a", "d"): 0.3, ("b", "c"): 0.0}
    h = Hierarchy.from_edges([("r", x) for x in "abcd"])
    model = PairMeasure("m", Bounds((1, 1), (1, 1)), cost=lambda p, t: cost[p, t], default_cost=5).model(
        h, ["c", "d"], ["a", "b"]
    )
    assert 0.1 + 0.2 > 0.3
    dear = [k for k, v in enumerate(model.program().variables) if v.name in ("x_0_0", "x_1_1")]
    values = np.isin(np.arange(len(model.program().variables)), dear).astype(float)
    solution = model.solve(Model(lambda one: one.solution(ProgramResult(Status.OPTIMAL, values))))
    assert (solution.found_by, solution.proved_by) == ("model+improvement", "certificate")
    assert solution.objective == model.solve().objective == 0.3


def test_a_named_solver_can_disagree(monkeypatch):
    """model.solve("pulp").objective == model.solve().objective is no tautology."""
    pulp, model = type(named_solver("pulp")), MODELS["pairing"]
    assert model.solve("pulp").objective == model.solve().objective
    for saboteur, status in ((Lazy(), Status.UNSOLVED), (Worse(), Status.FEASIBLE)):
        monkeypatch.setattr(
            pulp, "solve_program", lambda self, program, *limits, to=saboteur: to.solve_program(program)
        )
        wrong = model.solve("pulp")
        assert wrong.status is status
        assert wrong.objective != model.solve().objective


def test_no_other_solver_takes_the_place_of_greedy():
    """Its optimum would have the signature of the greedy method."""
    h = Hierarchy.from_edges([(0, 1), (0, 2), (1, 2), (0, 3), (2, 3), (1, 4), (1, 5), (3, 5)])
    sides = [[1, 2, 4]], [[1, 3]]
    greedy = "F_LCA(method='greedy')"
    assert evaluate(h, *sides, [greedy]).mean("system", greedy) == pytest.approx(4 / 7)
    assert evaluate(h, *sides, [greedy], solver="greedy").mean("system", greedy) == pytest.approx(4 / 7)
    for solver in ("milp", "search"):
        assert evaluate(h, *sides, ["F_LCA"], solver=solver).mean("system", "F_LCA") == pytest.approx(2 / 3)
        with pytest.raises(InvalidOption, match="method='greedy' is what greedy finds"):
            evaluate(h, *sides, ["F_LCA", greedy], solver=solver)


def test_a_solver_that_returns_nothing():
    class Nothing:
        name = "nothing"

        def available(self):
            return None

        def accepts(self, model):
            return True

        def solve(self, model, time_limit):
            return None

    for name in ("GIE", "F_H", "F_LCA", "transport"):
        with pytest.raises(InvalidSolution, match="'nothing' returned NoneType, not a solution"):
            measure(name).score(Hierarchy.from_edges([(0, 1)]), [1], [0], solver=Nothing())
