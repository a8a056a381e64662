"""Models with further rows or other costs, and models for other tools: arrays, OPB, MathOpt, LaTeX."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction

import networkx
import numpy as np
import pytest
from ortools.math_opt.python import mathopt  # before PuLP, which may load highspy

import pulp  # isort: skip
from scipy.optimize import Bounds as Limits
from scipy.optimize import LinearConstraint, milp

from hemlp import ALL, Batch, Bounds, Hierarchy, PairMeasure, measure
from hemlp.errors import InfeasibleModel, InvalidOption, InvalidSolution, UnknownLabel
from hemlp.optimize.exports import to_opb
from hemlp.optimize.expressions import Expression
from hemlp.optimize.program import LinearProgram, Row, Status, Variable
from hemlp.solvers.registry import named_solver
from hemlp.testing import random_instances, random_models
from tests.test_pairing import by_cbc, by_highs

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])


def v(name):
    """A variable by its name in LP files."""
    return Expression({name: 1.0})


def least(program):
    """The least objective over all values of the variables, by trying them; None without any."""
    ranges = [range(int(v.lower), int(v.upper) + 1) for v in program.variables]
    best = None
    for values in itertools.product(*ranges):
        sums = (sum(c * values[i] for i, c in row.terms) for row in program.rows)
        if all(row.lower <= total <= row.upper for row, total in zip(program.rows, sums, strict=True)):
            cost = sum(v.cost * x for v, x in zip(program.variables, values, strict=True))
            best = cost if best is None else min(best, cost)
    return best


def small(model):
    return math.prod(int(v.upper - v.lower) + 1 for v in model.program().variables) <= 3000


def test_a_budget_of_pairs_by_enumeration():
    seen = 0
    for h, true, pred in random_instances(40, seed=8):
        model = measure("GIE").model(h, true, pred)
        pairs = model.x[:, :]
        if len(pairs) < 2 or not small(model):
            continue
        changed = model.with_constraints(sum(pairs) <= 1, pairs[0] >= 0)
        solution = changed.solve(verify=True)
        assert solution.objective == least(changed.program())
        assert measure("GIE").evaluate(changed, solution) == solution.objective >= model.solve().objective
        seen += 1
    assert seen > 5


def test_forced_and_forbidden_pairs():
    model = measure("GIE").model(H, ["sheep", "cow"], ["cow", "bird"])
    assert model.solve().objective == 3
    x = model.x
    assert model.with_rows(x["bird", "cow"] == 1).solve("milp").objective == 5
    assert model.with_rows(x["cow", "cow"] <= 0).with_rows(x["cow", "sheep"] == 0).solve().objective == 13
    for solver in ("cpsat", "milp", "pulp"):
        loose = model.with_rows(v("x_0_0") + 2 * v("x_0_1") - 0.5 * v("u_0") >= 1)
        assert loose.solve(solver).status is Status.OPTIMAL
    assert model.with_rows(0.1 * v("x_0_0") + 0.3 * v("u_0") >= 0.3).solve(verify=True).objective == 10
    impossible = model.with_rows(v("x_0_0") + v("u_0") == 2)
    assert impossible.solve().status is Status.INFEASIBLE
    assert isinstance(impossible.infeasibility(0, 1), InfeasibleModel)
    assert "[bird ~ cow] + [bird ~ default] = 2" in str(impossible.infeasibility(0, 1))
    with pytest.raises(InvalidSolution, match="does not hold"):
        model.with_rows(v("x_0_0") <= 0).check(model.with_rows(v("x_0_0") == 1).solve())
    moved = measure("transport").model(H, ["sheep", "cow"], ["cow", "bird"])
    assert moved.with_rows(v("x_1_0") == 0).solve(verify=True).objective == 2.5


def test_other_costs():
    model = measure("GIE").model(H, ["sheep", "cow"], ["cow", "bird"])
    changed = model.with_costs({"x_1_1": 0.5, "u_0": 1})
    assert changed.solve(verify=True).objective == least(changed.program())
    assert model.solve().objective == 3
    assert measure("GIE").evaluate(changed, changed.solve()) == changed.solve("flow").objective
    moved = measure("transport").model(H, ["sheep"], ["cow"]).with_costs({"x_0_0": 7})
    assert moved.solve().objective == 7


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda x: "x_0_0 <= 1", "is not a constraint"), (lambda x: x["cow", "cow"], "is not a constraint"),
        (lambda x: v("x_0_9") <= 1, "does not have.*did you mean"), (lambda x: v("x_0_0") <= math.inf, "finite number"),
        (lambda x: x["cow", "cow"] <= "1", "finite number"), (lambda x: x["cow", "cow"] * True, "finite number"),
        (lambda x: 1 <= x["cow", "cow"] <= 2, r"e.between\(low, high\)"),
        (lambda x: x["cow", "cow"].between(2, 1), "no number is between"),
        (lambda x: (x["cow", "cow"] <= 1).named("p_0"), "there is a row 'p_0' already"),
        (lambda x: (x["cow", "cow"] <= 1).named("a b"), "cannot name"),
        (lambda x: (x["cow", :][0] <= 1).named("e5"), "cannot"),
        (lambda x: [x["cow", "cow"] <= 1], r"with_constraints\(\*rows\)"), (lambda x: lambda m: None, "returned None"),
        (lambda x: lambda m: True, "returned True"), (lambda x: lambda m: m.x["cow", "cow"], "returned Expression"),
        (lambda x: x["cow"], "is not a pair"), (lambda x: x["cow", 0:1], "a colon alone"),
        (lambda x: x[None, None], "both default classes"),
    ],
)  # fmt: skip
def test_constraints_that_cannot_be_read(make, reason):
    model = measure("GIE").model(H, ["sheep", "cow"], ["cow"])
    with pytest.raises(InvalidOption, match=reason):
        model.with_constraints(make(model.x))


def test_labels_that_nobody_knows_are_refused_and_others_count_nothing():
    model = measure("GIE").model(H, ["sheep"], ["cow"])
    with pytest.raises(UnknownLabel):
        model.x["wolf", "sheep"]
    assert model.x["bird", "sheep"].terms == model.x["bird", :].sum().terms == {}
    assert model.with_constraints(model.x["bird", :].sum() <= 0).solve().objective == 2
    assert model.with_constraints(model.x["bird", :].sum() >= 1).solve().status is Status.INFEASIBLE


def test_what_cannot_be_changed():
    for name in ("F_H", "F_LCA", "BMA"):
        model = measure(name).model(H, ["sheep"], ["cow"])
        with pytest.raises(InvalidOption, match="pairings and transports"):
            model.with_rows(v("x_0_0") <= 1)
        with pytest.raises(InvalidOption, match="pairings and transports"):
            model.with_costs({"x_0_0": 1})
    model = measure("GIE").model(H, ["sheep"], ["cow"])
    for costs, reason in (({"x": 1}, "no variable"), ({"x_0_0": -1}, "at least 0"), ({"x_0_0": None}, "to forbid it")):
        with pytest.raises(InvalidOption, match=reason):
            model.with_costs(costs)


def test_arrays_say_the_same_program():
    for model in random_models(25, seed=3):
        arrays = model.to_arrays()
        program = model.program()
        assert arrays.matrix.shape == (len(program.rows), len(program.variables))
        if not program.variables or not program.rows:
            continue
        sign = -1 if arrays.maximize else 1
        rows = LinearConstraint(arrays.matrix, arrays.row_lower, arrays.row_upper)
        found = milp(sign * arrays.cost, constraints=rows, bounds=Limits(arrays.lower, arrays.upper), integrality=1)
        if type(model).__name__ == "PairingModel":
            solution = model.solve()
            if solution.status is Status.OPTIMAL:
                assert found.fun / arrays.scale == pytest.approx(solution.objective, abs=1e-9)
            else:
                assert found.status == 2


def read_opb(text):
    """The least value of the objective over all 0/1 values, and (offset, sign, scale) to get the objective back."""
    lines = [line for line in text.splitlines() if line]
    count = int(re.search(r"#variable= (\d+)", lines[0])[1])
    shift, sign, scale = re.search(r"objective is \((-?\d+) ([+-]) value\) / (\d+)", text).groups()
    goal, rows = [], []
    for line in lines:
        if line.startswith("*"):
            continue
        terms = [(int(c), int(x) - 1) for c, x in re.findall(r"([+-]?\d+) x(\d+)", line)]
        if line.startswith("min:"):
            goal = terms
        else:
            sense, side = re.search(r"(>=|=) (-?\d+) ;$", line).groups()
            rows.append((terms, sense, int(side)))
    best = None
    for bits in itertools.product((0, 1), repeat=count):
        sums = [(sum(c * bits[x] for c, x in terms), sense, side) for terms, sense, side in rows]
        if all(total == side if sense == "=" else total >= side for total, sense, side in sums):
            value = sum(c * bits[x] for c, x in goal)
            best = value if best is None else min(best, value)
    if best is None:
        return None
    return (int(shift) + (best if sign == "+" else -best)) / int(scale)


def test_opb_says_the_same_program():
    seen = 0
    for h, true, pred in random_instances(60, seed=12):
        wide = PairMeasure("wide", Bounds((2, 3), (1, ALL)), cost="shortest_path(decay=0.5)", default_cost=1.5)
        for each in (measure("GIE"), wide):
            model = each.model(h, true, pred)
            text = model.to_opb()
            if not 0 < int(re.search(r"#variable= (\d+)", text)[1]) <= 12:
                continue
            solution = model.solve()
            assert read_opb(text) == (solution.objective if solution.status is Status.OPTIMAL else None)
            seen += 1
    assert seen > 10
    closures = measure("F_H").model(H, ["sheep"], ["bird", "mammal"])  # classes that are given are fixed at 1
    assert read_opb(closures.to_opb()) == closures.solve().objective == 6
    ratio = measure("F_LCA").model(H, ["sheep", "bird"], ["cow"])
    ratio.solve()
    assert "min:" in ratio.to_opb(stage="lcas")


def test_mathopt_models():
    from ortools.math_opt.python import mathopt

    model = measure("GIE").model(H, ["sheep", "cow"], ["cow", "bird"])
    built = model.to_mathopt()
    result = mathopt.solve(built, mathopt.SolverType.HIGHS)
    assert result.objective_value() == pytest.approx(model.solve().objective)
    assert {v.name for v in built.variables()} == {v.name for v in model.program().variables}


def test_latex():
    text = measure("GIE").model(H, ["sheep"], ["cow"]).to_latex()
    assert text.splitlines() == [
        r"\begin{aligned}",
        r"\min\ & 2\,x_{0,0} + 5\,u_{0} + 5\,v_{0} \\",
        r"\text{s.t.}\ & x_{0,0} + u_{0} = 1 && \text{predicted cow} \\",
        r"& x_{0,0} + v_{0} = 1 && \text{true sheep} \\",
        r"& x_{0,0}, u_{0}, v_{0} \in \{0, 1\}",
        r"\end{aligned}",
    ]
    assert r"\ge" not in measure("F_H").model(H, ["sheep"], ["cow"]).to_latex()
    hostile = Hierarchy.from_edges([("a_b", "50% $x$")])
    assert r"50\% \$x\$" in measure("GIE").model(hostile, ["50% $x$"], ["a_b"]).to_latex()


def test_a_constraint_is_about_one_instance():
    batch = measure("GIE").model(Batch.of(H, [["sheep"]] * 2, [["cow"]] * 2))
    with pytest.raises(InvalidOption, match="about one instance"):
        batch.with_rows(v("x_0_0") <= 1)
    with pytest.raises(InvalidOption, match="one instance"):
        batch.x  # noqa: B018
    changed = batch[0].with_rows(v("x_0_0") <= 1)
    assert len(changed[0]) == len(changed[0:1]) == 1
    with pytest.raises(IndexError):
        changed[1]
    assert np.isfinite(changed.cost_values).all()


def test_variables_are_named_by_their_pairs():
    for what in ("GIE", "transport", PairMeasure("m", Bounds((1, 1), (1, 1), total=(0, 1)), default_cost=5)):
        model = measure(what).model(H, ["sheep", "cow"], ["cow", "bird"])
        notes = {v.name: v.note.replace("→", "~") for v in model.program().variables}
        for p, t in itertools.product(("cow", "bird"), ("sheep", "cow")):
            assert notes[model.variable(p, t)] == f"{p} ~ {t}"
    model = measure("GIE").model(H, ["sheep"], ["cow"])
    assert (model.variable("cow", None), model.variable(None, "sheep")) == ("u_0", "v_0")
    assert model.with_rows(v("x_0_0") <= 0).variable("cow", "sheep") == "x_0_0"
    assert model.with_costs({model.variable("cow", "sheep"): 1}).solve().objective == 1
    for pair, words in (((None, None), "both default"), (("bird", "sheep"), "'bird' is no predicted class")):
        with pytest.raises(InvalidOption, match=words):
            model.variable(*pair)
    with pytest.raises(InvalidOption, match="there is no default class for it"):
        measure("TIE").model(H, ["sheep"], ["cow"]).variable("cow", None)
    with pytest.raises(InvalidOption, match="no finite cost"):
        measure("GIE", max_distance=1).model(H, ["sheep"], ["cow"]).variable("cow", "sheep")
    with pytest.raises(InvalidOption, match="not in ClosureModel"):
        measure("F_H").model(H, ["sheep"], ["cow"]).variable("cow", "sheep")


def solved(problem):
    import pulp

    problem.solve(pulp.COIN_CMD(path=pulp.apis.PULP_CBC_CMD.pulp_cbc_path, msg=False))
    return problem


def test_problems_that_were_changed_in_pulp():
    gie = measure("GIE")
    model = gie.model(H, ["sheep", "cow"], ["cow", "bird"])
    assert gie.evaluate(model, solved(model.to_pulp())) == model.solve().objective == 3
    problem = model.to_pulp()
    x = problem.variablesDict()
    problem += x[model.variable("cow", "cow")] + x[model.variable("bird", "sheep")] <= 1
    score = gie.evaluate(model, solved(problem))
    assert (score, score.status) == (5, Status.FEASIBLE)
    ruled = PairMeasure("m", Bounds((1, 1), (1, 1), total=(0, 1)), default_cost=5)
    flow = ruled.model(H, ["sheep", "cow"], ["cow", "bird"])
    assert ruled.evaluate(flow, solved(flow.to_pulp())) == flow.solve().objective == 10
    moved = measure("transport").model(H, ["sheep", "cow"], ["cow", "bird"])
    assert measure("transport").evaluate(moved, solved(moved.to_pulp())) == moved.solve().objective
    with pytest.raises(InvalidSolution, match="holds no solution"):
        gie.evaluate(model, model.to_pulp())
    sides = ["sheep", "cow"], ["mammal"]
    with pytest.raises(InvalidSolution, match="'mammal' has 2 pairs"):  # as MGIA allows
        gie.evaluate(gie.model(H, *sides), solved(measure("MGIA").model(H, *sides).to_pulp()))
    graphs = measure("F_LCA").model(H, ["sheep"], ["cow"])
    with pytest.raises(InvalidOption, match="not LcaModel"):
        measure("F_LCA").evaluate(graphs, solved(graphs.to_pulp()))


@pytest.mark.parametrize("solver", ["milp", "cpsat", "portfolio", "pulp"])
def test_terms_of_one_variable_are_added_up(solver):
    row = Row("twice", 3, math.inf, [(0, 1.0), (1, 0.0), (0, 1.0)])
    program = LinearProgram("", [Variable("x", 0, 9, 1.0, ""), Variable("y", 0, 9, 1.0, "")], [row])
    result = named_solver(solver).solve_program(program)
    assert (result.status, list(result.values)) == (Status.OPTIMAL, [2, 0])


def test_ranges_and_names_of_rows():
    model = measure("GIE").model(H, ["sheep", "cow"], ["cow", "bird"])
    pairs = sum(model.x)
    for low, high in ((0, 0), (1, 1), (0, 1), (1, 2), (2, 4)):
        range_of = model.with_rows(pairs.between(low, high).named("budget"))
        apart = model.with_rows(pairs >= low, low <= pairs, pairs <= high, high >= pairs)
        assert range_of.solve(verify=True).objective == apart.solve().objective
        row = range_of.program().rows[-1]
        assert (row.name, row.lower, row.upper, len(row.terms)) == ("budget", low, high, 4)
    budget = (v("x_0_0") + v("x_0_1")).between(1, 2).named("budget")
    changed = model.with_rows(budget, v("x_1_1") == 0, (v("x_0_0") <= 1).named("of_mine"))
    assert " budget_low: x_0_0 + x_0_1 >= 1" in changed.to_lp()
    assert "(budget)   1 ≤ x_bird,cow + x_bird,sheep ≤ 2" in str(changed.algebra())
    assert "(added)    x_cow,sheep = 0" in str(changed.algebra())
    assert r"\text{(of\_mine)}" in changed.algebra().to_latex()
    with pytest.raises(InvalidOption, match="there is a row 'budget' already"):
        changed.with_rows(budget)
    assert [row.name for row in changed.with_rows(v("x_0_1") == 1).rows] == ["budget", "added_1", "of_mine", "added_3"]
    assert str(1 - 2 * v("x_0_0") + v("u_0") >= v("x_0_0")) == "- 3 x_0_0 + u_0 >= -1"


UNITS = [("sheep", "cow", "bird"), ("cow", "mammal")]
"""In sixths."""


def solved_elsewhere(model):
    """The objective of a model, as each export has it, by solvers that know nothing of hemlp."""
    arrays = model.to_arrays()
    rows = LinearConstraint(arrays.matrix, arrays.row_lower, arrays.row_upper)
    found = milp(
        arrays.cost, integrality=arrays.integrality, bounds=Limits(arrays.lower, arrays.upper), constraints=rows
    )
    yield "arrays", found.fun / arrays.scale
    problem = model.to_pulp()
    problem.solve(named_solver("pulp")._make(None))
    yield "pulp", pulp.value(problem.objective) / scale_of(problem.name.removeprefix("hemlp_"))
    made = model.to_mathopt()
    value = mathopt.solve(made, mathopt.SolverType.HIGHS).objective_value()
    yield "mathopt", value / scale_of(made.objective.name)
    graph = model.to_networkx()
    assert all(isinstance(data["weight"], int) for *_, data in graph.edges(data=True))
    yield "networkx", networkx.network_simplex(graph)[0] / graph.graph["scale"]


def scale_of(name):
    return float(name.removeprefix("obj_times_")) if "times" in name else 1


@pytest.mark.parametrize("cost", ["shortest_path", "shortest_path(decay=0.3)", "wu_palmer"])
@pytest.mark.parametrize("name", ["transport", "GIE"])
def test_exports_say_the_scale_of_the_objective(name, cost):
    model = measure(name, cost=cost).model(H, *map(list, UNITS))
    for tool, value in solved_elsewhere(model):
        assert value == pytest.approx(model.solve().objective, rel=1e-9), tool
    arrays = model.to_arrays()
    assert arrays.integrality.tolist() == [1] * arrays.cost.size
    scale = 6 if name == "transport" else 1
    assert arrays.scale == model.program().scale == scale
    for text in (model.to_lp(), model.to_mps(), model.to_opb(), str(model), model.to_latex(), str(model.algebra())):
        assert ("the objective is 6 times the cost" in text) == (scale == 6)
    for text in (model.to_lp(), model.to_mps()):
        assert ("obj_times_6" in text) == (scale == 6)


def test_instances_of_different_scales():
    batch = Batch.of(H, [["cow"], ["cow", "sheep"]], [["cow", "bird"], ["bird", "mammal", "cow"]])
    model = measure("transport").model(batch)
    assert math.isnan(model.program().scale)
    assert "obj_of_several_scales" in model.to_lp()
    assert math.isnan(model.to_networkx().graph["scale"])
    assert model[0].program().scale == 2


def test_decimal_costs_do_not_keep_a_network_simplex_busy():
    """Floats do: it turns in circles. Integers are exact, however many digits they have."""
    for h, true, pred in random_instances(20, seed=3):
        if true and pred:
            for each in (measure("transport", cost="shortest_path(decay=0.1)"), measure("GIE", default_cost=0.1)):
                model = each.model(h, true, pred)
                graph, solution = model.to_networkx(), model.solve()
                if solution.status is Status.INFEASIBLE:
                    continue
                value = Fraction(networkx.network_simplex(graph)[0], graph.graph["scale"])
                assert float(value) == pytest.approx(solution.objective, rel=1e-12)


def test_pulp_keeps_a_limit_of_work():
    """In subproblems, so that it ends where OR-Tools cannot be used and no time limit is given."""
    solver = named_solver("pulp")
    assert solver._make(None, 2.0).optionsDict["maxNodes"] == 201
    assert solver._make(None).optionsDict.get("maxNodes") is None
    program = measure("F_LCA").model(H, ["sheep", "bird"], ["cow"]).program()
    assert solver.solve_program(program, None, 1.0).status is Status.OPTIMAL


@pytest.mark.parametrize("maximize", [False, True])
def test_exports_keep_the_direction_of_the_objective(maximize, tmp_path):
    """OPB and MPS files know minima only: a maximum is written as the opposite, and can be got back."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        lower, costs = rng.integers(-1, 2, 3).tolist(), (rng.integers(-7, 8, 3) / 4).tolist()
        variables = [Variable(f"x{i}", lower[i], lower[i] + 2, costs[i], f"number {i}") for i in range(3)]
        terms = [(i, float(c)) for i, c in enumerate(rng.integers(-2, 3, 3).tolist()) if c]
        program = LinearProgram("tried", variables, [Row("r", -2, 3, terms)] if terms else [], maximize)
        values = [
            program.objective(x)
            for x in itertools.product(*(range(low, low + 3) for low in lower))
            if not terms or -2 <= sum(c * x[i] for i, c in terms) <= 3
        ]
        best = max(values) if maximize else min(values)
        assert read_opb(to_opb(program)) == best
        assert by_highs(program.to_mps()) == pytest.approx(-best if maximize else best, abs=1e-9)
        assert by_cbc(program.to_lp(), tmp_path) == pytest.approx(best, abs=1e-9)
