"""Measures with constraints of their own: random ones against enumeration, and everywhere that measures go."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from hemlp import Batch, Bounds, Hierarchy, PairMeasure, RankedMeasure, evaluate, measure, sweep
from hemlp.errors import InfeasibleModel, InvalidOption, NoTextForm, UnknownMeasure, UnsolvedModel
from hemlp.measures.factory import write_measures
from hemlp.optimize.program import ProgramResult, Status
from hemlp.solvers import ProgramSolver
from hemlp.testing import check_measure, random_instances
from tests.test_changed_models import least, small

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
GIE = measure("GIE")
TRUE, PRED = [["sheep", "cow"], ["bird"], ["cow"]], [["cow", "bird"], ["bird"], ["sheep"]]


def one_pair(model):
    """At most one pair in all, and never a cow for a sheep."""
    return [(model.x[:, :].sum() <= 1).named("budget"), model.x["sheep", "cow"] == 0]


ONE = GIE.with_constraints(one_pair, name="one")


def random_constraints(seed):
    """Constraints that depend on the instance alone, so that each call makes the same."""

    def constraints(model):
        rng = np.random.default_rng([seed, len(model.x.predicted), len(model.x.true)])
        variables = [*model.x, *(model.x[p, None] for p in model.x.predicted)]
        for _ in range(int(rng.integers(1, 4))):
            e = sum(int(c) * v for c, v in zip(rng.integers(-2, 3, len(variables)), variables, strict=True)) + 0 * sum(
                variables
            )
            low = int(rng.integers(-2, 2))
            yield [e <= low, e >= low, e == low, e.between(low, low + 1)][int(rng.integers(0, 4))] if variables else ()

    return lambda model: [each for each in constraints(model) if not isinstance(each, tuple)]


@pytest.mark.parametrize("seed", range(4))
def test_random_constraints_by_enumeration(seed):
    base = [GIE, PairMeasure("loose", Bounds((0, 2), (1, 2)), default_cost=3)][seed % 2]
    mine = base.with_constraints(random_constraints(seed), name="mine")
    statuses = []
    for h, true, pred in random_instances(40, seed=seed):
        model = mine.model(h, true, pred)
        if not small(model):
            continue
        best, score = least(model.program()), mine.score(h, true, pred, undefined="nan")
        statuses.append(score.status)
        assert (None if math.isnan(score) else float(score)) == best
        assert score.status == (Status.OPTIMAL if best is not None else Status.INFEASIBLE)
    assert {"optimal", "infeasible"} == set(statuses)


def test_batches_are_scored_instance_by_instance():
    batch = Batch.of(H, TRUE, PRED)
    scores = ONE.score(batch, verify=True)
    assert scores.values.tolist() == [10.0, 0.0, 10.0]
    assert scores.values.tolist() == [float(ONE.score(H, t, p)) for t, p in zip(TRUE, PRED, strict=True)]
    for solver in ("milp", "cpsat", "pulp"):
        assert ONE.score(batch, solver=solver).values.tolist() == scores.values.tolist()
    assert ONE.score(Batch.of(H, [], [])).values.tolist() == []
    model = ONE.model(batch)
    assert "budget_high" in model.to_lp() or "budget_2_high" in model.to_lp()
    total = model.program().objective(np.concatenate([model[i].base.values(model[i].solve()) for i in range(3)]))
    assert total == scores.values.sum()


def test_everywhere_that_measures_go():
    ev = evaluate(H, TRUE, {"A": PRED, "B": TRUE}, [ONE, "GIE"])
    assert ev.per_instance("A", "one").tolist() == [10.0, 0.0, 10.0]
    assert ev.per_instance("A", "GIE").tolist() == [3.0, 0.0, 2.0]
    assert ev.status("A", "one") == {"optimal": 3}
    explained = str(ev.explain("A", 0))
    assert "one" in explained
    grid = sweep(H, TRUE, {"A": PRED}, ONE, default_cost=[1, 5])
    assert len(grid) == 2
    check_measure(GIE.with_constraints(lambda model: model.x[:, :].sum() <= 1, name="few"), random_instances(8))


def test_identity():
    assert "custom" in str(ONE)
    assert ONE.signature != GIE.with_constraints(lambda model: [], name="one").signature
    assert ONE.signature.count("|hemlp:") == 1
    with pytest.raises(NoTextForm):
        write_measures([ONE])
    with pytest.raises(NoTextForm):
        measure(str(ONE))
    assert GIE.with_constraints(one_pair).name == "GIE_constrained"
    with pytest.raises(InvalidOption, match="function"):
        GIE.with_constraints([1])
    with pytest.raises(InvalidOption, match="pairings and transports"):
        measure("F_H").with_constraints(one_pair).score(H, ["cow"], ["cow"])


def test_what_has_no_solution_or_is_not_solved_is_named():
    never = GIE.with_constraints(lambda model: [model.x[:, :].sum() >= 99], name="never")
    with pytest.raises(InfeasibleModel, match=r"instance 1: no solution keeps the rows that were added: \[\w+ ~ \w+\]"):
        never.score(Batch.of(H, TRUE, PRED))
    assert np.isnan(never.score(Batch.of(H, TRUE, PRED), undefined="nan").values).all()

    class Idle(ProgramSolver):
        name = "idle"

        def solve_program(self, program, time_limit=None, work_limit=None):
            return ProgramResult(Status.UNSOLVED)

    with pytest.raises(UnsolvedModel, match="idle"):
        ONE.score(Batch.of(H, TRUE, PRED), solver=Idle())


def test_on_the_command_line_by_import_path_and_never_from_a_file(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from hemlp.cli.main import commands

    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.txt").write_text("animal mammal\nmammal sheep\nmammal cow\nanimal bird\n")
    (tmp_path / "g.txt").write_text("sheep cow\nbird\n")
    (tmp_path / "p.txt").write_text("cow bird\nbird\n")
    (tmp_path / "mine_of_test.py").write_text(
        "from hemlp import measure\n"
        "one = measure('GIE').with_constraints(lambda m: [m.x[:, :].sum() <= 1], name='one')\nnone = 3\n"
    )
    files = ["evaluate", "h.txt", "g.txt", "p.txt"]
    done = CliRunner().invoke(commands, [*files, "-m", "mine_of_test:one,GIE"])
    assert done.exit_code == 0, done.output
    assert "one" in done.output
    shown = CliRunner().invoke(commands, ["model", *files[1:], "--row", "1", "-m", "mine_of_test:one"])
    assert shown.exit_code == 0, shown.output
    assert "Minimize" in shown.output
    for wrong in ("mine_of_test:two", "no_such_module:one", "mine_of_test:none"):
        assert CliRunner().invoke(commands, [*files, "-m", wrong]).exit_code != 0
    (tmp_path / "study.toml").write_text(
        'hierarchy = "h.txt"\ntrue = "g.txt"\nmeasures = ["mine_of_test:one"]\n[systems]\np = "p.txt"\n'
    )
    assert CliRunner().invoke(commands, ["run", "study.toml"]).exit_code != 0
    with pytest.raises(UnknownMeasure):
        measure("mine_of_test:one")


def test_sums_of_many_ways_are_the_same():
    model = GIE.model(H, TRUE[0], PRED[0])
    x = model.x
    by_hand = sum(x[p, t] for p, t in itertools.product(x.predicted, x.true))
    for other in (x[:, :].sum(), sum(x), sum(x[p, :].sum() for p in x.predicted), sum(x[:, t].sum() for t in x.true)):
        assert other.terms == by_hand.terms


def test_measures_that_read_their_model_and_those_of_ranks():
    """The distance looks at the classes of the model without the constraints."""
    other = measure("distance").with_constraints(lambda model: [model.x["cow", "sheep"] == 0], name="other")
    assert other.score(H, ["sheep", "bird"], ["cow"]) == 2
    ranked = measure("distance@1").measure.with_constraints(lambda model: [], name="ranked")
    assert RankedMeasure(ranked, 1).score(H, ["sheep"], {"cow": 0.9, "bird": 0.1})["error"] == 1
    with pytest.raises(InvalidOption, match="not to JointModel"):
        measure("BMA").with_constraints(lambda model: []).score(H, ["sheep"], ["cow"])


def test_what_is_not_linear_is_named():
    x = GIE.model(H, TRUE[0], PRED[0]).x
    first, second = x["cow", "cow"], x["bird", "cow"]
    assert str(first / 2 <= 1) == str(0.5 * first <= 1)
    cases = {
        "a product or quotient of two expressions is not linear": [lambda: first * second, lambda: first / second],
        "powers, absolute values": [lambda: first**2, lambda: abs(first), lambda: 1 / first],
        "cannot be divided by 0": [lambda: first / 0],
        "!= is not linear": [lambda: first != 1, lambda: first != second],
        "a strict inequality need not have an optimum: write <=": [lambda: first < 1, lambda: first > 1],
        "several pairs at once are not an expression: write .sum()": [lambda: x["cow", :] <= 1, lambda: x[:, :] >= 1],
    }
    for message, wrong in cases.items():
        for each in wrong:
            with pytest.raises(InvalidOption, match=message):
                each()


def test_names_and_words_of_rows_are_shown():
    model = GIE.model(H, ["sheep"], ["cow"])
    thrice = model.with_constraints((model.x["cow", "sheep"] >= 3).named("thrice"))
    assert "3 ≤ [cow ~ sheep]    (thrice)\n" in str(thrice)
    assert ("thrice", "3 \\le x_{\\text{cow},\\text{sheep}}") in [
        (line.rule, line.formula) for line in thrice.algebra().lines
    ]
    assert r"added: thrice: [cow ~ sheep] >= 3" in str(thrice.infeasibility(0, 1))
    with pytest.raises(InvalidOption, match="an integer program, not a flow network"):
        thrice.to_networkx()
    for limit in (-1, math.nan):
        with pytest.raises(InvalidOption, match="time_limit"):
            model.solve(time_limit=limit)


def test_properties_take_import_paths(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from hemlp.cli.main import commands

    monkeypatch.chdir(tmp_path)
    text = "from hemlp import *\nloose = PairMeasure('loose', Bounds((1, 2), (1, ALL)), default_cost=5)\n"
    (tmp_path / "loose_measure.py").write_text(text)
    outcome = CliRunner().invoke(
        commands, ["properties", "loose_measure:loose", "--classes", "2", "--labels", "1", "--random", "0"]
    )
    assert outcome.exit_code == 0, outcome.output
    assert "loose" in outcome.output
