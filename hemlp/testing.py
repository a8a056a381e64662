"""Conformance: is a solver or a measure, ours or anybody's, what it claims to be? And is a system still what it was?

    >>> from hemlp import measure
    >>> check_measure(measure("GIE"))
    >>> check_solver("closed_forms")

``check_solver`` runs a solver on generated models of every kind that it accepts, and proves what it claims. What a
measure promises is checked by ``check_measure`` on generated instances, with its text form, runs and explanations.
Both raise ``AssertionError``, or ``InvalidSolution`` where a claim about a solution is false. ``assert_no_drop`` is for
tests of classifiers: it compares an evaluation with a stored one.
"""

from __future__ import annotations

import math
import pickle
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from hemlp.analysis.decision.belief import Belief
from hemlp.analysis.decision.models import decision_model
from hemlp.analysis.explain.explain import explain
from hemlp.analysis.properties.check import properties
from hemlp.errors import HemlpError, NoTextForm
from hemlp.examples import case
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.measures.base import Measure
from hemlp.measures.factory import measure, read_measures, write_measures
from hemlp.measures.invariants import broken_invariants, score_or_nan
from hemlp.measures.pair_measure import PairMeasure
from hemlp.optimize.model import Model
from hemlp.optimize.plan import check_result, run_plan
from hemlp.optimize.program import LinearProgram, ProgramResult, Status
from hemlp.problems.closure.variants import PrefixModel
from hemlp.problems.pairing.bounds import ALL, Bounds
from hemlp.problems.pairing.capacities import by_pair, priced
from hemlp.run.evaluate import evaluate
from hemlp.run.evaluation import Evaluation
from hemlp.run.gate import Gate
from hemlp.solvers.registry import ProgramSolver, Solver, as_solver, is_exact, named_solver

Instance = tuple[Hierarchy, list[Label], list[Label]]
MEASURES = (
    "GIE", "MGIA", "SunLim", "MGIA(pairing='nearest')", "F_H", "F_H(horizon=2)", "F_De", "F_Tol", "F", "F_LCA",
    "F_LCA(horizon=2)", "F_LCA(method='extended')", "transport", "BMA",
)  # fmt: skip
DECISIONS = ("SDL", "F_H", "GIE", "F(beta=2)", "SDL(top=True)", "accuracy", "F_H(top=True)")
"""Measures whose best answer is proved."""
RULES: tuple[dict[str, Any], ...] = (
    {"total": (0, 2)},
    {"predicted": priced((1, 1), below=2, above=1)},
    {"true": priced((1, ALL), each=(0, 1, 3)), "pair": (0, 2)},
    {"defaults": ((0, 1), priced((0, 1), above=2))},
    {"pair": by_pair(lambda p, t: (int(p == 1), 1)), "total": priced((1, 1), below=4, each=(0, 0.5), above=0.25)},
)
"""Rules beyond bounds of classes."""
_TIGHT = [(0, 1), (0, 2), (2, 3), (0, 3), (1, 3), (3, 4), (1, 4), (0, 4), (1, 5), (3, 5), (3, 6), (4, 7), (0, 7)]
HARD: tuple[Instance, ...] = (
    (Hierarchy.from_edges(_TIGHT), [6, 1, 5, 3], [3, 4, 7, 1]),
    (case("6").hierarchy, [*case("6").true], [*case("6").pred]),
)
"""Instances on which good graphs are easily taken for the best."""


def _require(holds: object, message: str) -> None:
    """An assertion that ``python -O`` keeps."""
    if not holds:
        raise AssertionError(message)


def random_instances(count: int, seed: int = 0) -> Iterator[Instance]:
    """``count`` small DAGs, trees and forests with two label sets each, some of them empty."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        size, most = int(rng.integers(2, 11)), int(rng.integers(1, 4))
        least = int(rng.integers(0, 2))
        edges = [
            (int(parent), child)
            for child in range(1, size)
            for parent in rng.choice(child, min(child, int(rng.integers(least, most + 1))), replace=False)
        ]
        sides = [rng.choice(size, min(size, int(rng.integers(0, 4))), replace=False).tolist() for _ in range(2)]
        yield Hierarchy.from_edges(edges, classes=range(size)), sides[0], sides[1]


def random_models(count: int, seed: int = 0) -> Iterator[Model[Any]]:
    """Models of all kinds, of ``count`` instances, one each: pairings with many bounds and costs, transports, closures,
    LCA graphs, decisions. The first are LCA graphs on which Algorithm 1 is not optimal.
    """
    for h, true, pred in HARD:
        yield measure("F_LCA").model(h, true, pred)
    rng = np.random.default_rng(seed + 1)
    pairs: list[tuple[Any, Any]] = [(0, 1), (1, 1), (1, 2), (1, ALL), (0, ALL), (2, 3), (ALL, ALL)]
    defaults: list[float | None] = [5, 5, 0, 0.1, None]
    for number, (h, true, pred) in enumerate(random_instances(count, seed)):
        first, second = (pairs[int(k)] for k in rng.integers(0, len(pairs), 2))
        cost = ["shortest_path", "undirected", "shortest_path(decay=0.3)"][number % 3]
        default = defaults[int(rng.integers(0, len(defaults)))]
        yield PairMeasure("random", Bounds(first, second), cost=cost, default_cost=default).model(h, true, pred)
        rules = Bounds(**{"predicted": first, "true": second, **RULES[number % len(RULES)]})
        ruled = PairMeasure("ruled", rules, cost=cost, default_cost=default)
        if number % 5 == 0:
            yield _prefixes(h, true, pred)
        if number % 2 == 0:
            yield _decision(number // 2, h, true, pred)
        for each in (ruled, measure(MEASURES[number % len(MEASURES)])):
            try:
                model = each.model(h, true, pred)
            except HemlpError:
                continue
            yield model


def _decision(number: int, h: Hierarchy, true: list[Label], pred: list[Label]) -> Model[Any]:
    """The best answer, where one system says one thing and two say another."""
    answers: dict[str, Any] = {"A": [set(true)], "B": [set(pred)], "C": [set(true) | set(pred[:1])]}
    scenarios = Belief.systems(answers, {"B": 2}).scenarios(h)
    return decision_model(measure(DECISIONS[number % len(DECISIONS)]), scenarios, number % 2)


def _prefixes(h: Hierarchy, true: list[Label], pred: list[Label]) -> Model[Any]:
    """The closures of one prefix of the predicted classes as a ranking."""
    model: Any = measure("F_H").model(h, true, pred)
    side = model.batch.pred
    return PrefixModel(model, (side.ptr, side.classes), (np.array([0, 1]), np.array([len(pred) // 2], np.int32)))


def check_solver(solver: str | Solver, models: Sequence[Model[Any]] | None = None, *, count: int = 60) -> None:
    """Raise unless a solver solves all ``models`` that it accepts, and what it claims of them is true.

    What it calls optimal or infeasible is proved once more; what it calls feasible keeps all rules. All of that is
    checked as the solver returned it, before anything is certified; of a solver of programs, each program of each plan.

    Parameters
    ----------
    solver
        A name, or an object.
    models
        What to solve; by default ``count`` generated instances, of which each makes one or two models.
    count
        How many instances are generated.

    Raises
    ------
    AssertionError
        If the solver does not keep the contract of ``hemlp.solvers.registry.Solver``, or accepts none of the models,
        so that nothing was checked.
    InvalidSolution
        If a solution is not what it claims to be.

    Examples
    --------
    >>> check_solver("flow", count=5)
    """
    who = as_solver(solver)
    _require(isinstance(who.name, str), "a solver needs a name")
    missing = who.available()
    _require(missing is None, f"{who.name} cannot be used: {missing}")
    accepted = 0
    for model in models if models is not None else random_models(count):
        if not who.accepts(model):
            continue
        accepted += 1
        where = f"{who.name} on {model}"
        if isinstance(who, ProgramSolver) and is_exact(who):
            _check_programs(who, model, where)
        solution = who.solve(model, None)
        _require(len(solution.statuses) == len(model), f"{where}: one status per instance is needed")
        statuses = {Status(code) for code in solution.statuses}
        _require(Status.UNSOLVED not in statuses, f"{where}: not solved, without any limit")
        if is_exact(who):
            _require(Status.FEASIBLE not in statuses, f"{where}: not solved to the end, without any limit")
        model.verify(solution)
        again, default = model.solve(who), model.solve()
        if is_exact(who):
            _require(again.statuses.tolist() == solution.statuses.tolist(), f"{where}: its claims are not proved")
            same = Status.INFEASIBLE in statuses or math.isclose(again.objective, default.objective, rel_tol=1e-9)
            _require(same, f"{where}: another optimum")
        limited = model.solve(who, time_limit=600)
        _require(limited.statuses.tolist() == again.statuses.tolist(), f"{where}: a long limit changes the status")
    _require(accepted, f"{who.name} accepts none of the models")


def _check_programs(who: ProgramSolver, model: Model[Any], where: str) -> None:
    """Raise unless another solver comes to the same in each program of the plan of a model."""
    judge: Any = named_solver("milp" if who.name != "milp" else "cpsat")
    judge = judge if judge.accepts(model) else named_solver("milp")

    def solve(program: LinearProgram) -> ProgramResult:
        result, best = check_result(program, who.solve_program(program)), judge.solve_program(program)
        place = f"{where}, the program {program.name!r}"
        _require(result.status is best.status, f"{place}: {result.status}, where {judge.name} says {best.status}")
        if best.values is None or result.values is None:
            return result
        value, wanted = program.objective(result.values), program.objective(best.values)
        _require(math.isclose(value, wanted, rel_tol=1e-9), f"{place}: {value:g}, where {judge.name} finds {wanted:g}")
        beyond = (result.bound - wanted) * (1 if program.maximize else -1)
        _require(not beyond < -1e-6 * max(1, abs(wanted)), f"{place}: the bound {result.bound:g} excludes {wanted:g}")
        return result

    run_plan(model.plan(), solve)


def check_measure(each: Measure, instances: Sequence[Instance] | None = None, *, count: int = 25) -> None:
    """Raise unless a measure keeps its promises and works wherever measures do.

    On each instance: invariants, single scores and batches alike, models that can be written down and solved,
    explanations. Then its text form and TOML, and a run with a folder. Where no instances are given, declared
    invariants that are properties are checked on all hierarchies of up to three classes, too.

    Parameters
    ----------
    each
        The measure.
    instances
        (hierarchy, true, predicted) each; by default ``count`` generated ones.
    count
        How many instances are generated.

    Raises
    ------
    AssertionError
        That says what is broken, and where.

    Examples
    --------
    >>> from hemlp import SetMeasure
    >>> check_measure(SetMeasure("near", "ancestors", horizon=2), count=5)
    """
    given = list(instances if instances is not None else random_instances(count))
    _require(each.columns[0] == each.name, "columns begin with the name of the measure")
    _require(isinstance(each.greater_is_better, bool), "greater_is_better is True or False")
    _require(each.range[0] < each.range[1], "the range is (least, greatest)")
    for h, true, pred in given:
        _check_instance(each, h, true, pred)
    _check_text(each)
    for promise, example in (properties(each, classes=3, labels=2).broken if instances is None else {}).items():
        raise AssertionError(f"{each} is not {promise}: {example}")
    h, true, pred = given[0]
    with tempfile.TemporaryDirectory() as folder:
        sides: tuple[Any, Any] = [set(true)] * 3, [set(pred)] * 3
        runs = [None, folder, folder] if "custom" not in each.serializable_fields().values() else [None]
        for resume in runs:
            result = evaluate(h, *sides, [each], undefined="nan", chunk=2, resume=resume)
            values = result.per_instance("system", result.measures[0])
            _require(
                np.array_equal(values, np.full(3, score_or_nan(each, h, true, pred)), equal_nan=True), "a run differs"
            )


def assert_no_drop(
    ev: Evaluation,
    baseline: str | PathLike[str] | Evaluation,
    max_drop: Mapping[str, float] | None = None,
    *,
    significant: bool = False,
) -> None:
    """Raise where a measure of a system is worse than in a stored evaluation, by more than is allowed.

    Parameters
    ----------
    ev
        The evaluation of now.
    baseline
        A file that ``Evaluation.to_json`` wrote, or an evaluation, with the same systems on the same instances.
    max_drop
        How much each measure may be worse on average, a number of at least 0; measures that it does not name do not
        matter. By default none of the evaluated measures may be worse at all.
    significant
        A drop counts only where the 95% interval of the paired difference does not reach 0.

    Raises
    ------
    AssertionError
        With a table of the changes, and the instances that got worst.
    IncomparableBaseline
        If the baseline lacks a system or measure, or was made with other parameters, labels or another hierarchy.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> before = evaluate(h, ["sheep", "cow"], {"A": ["sheep", "animal"]}, ["F_H"])
    >>> assert_no_drop(evaluate(h, ["sheep", "cow"], {"A": ["sheep", "cow"]}, ["F_H"]), before, {"F_H": 0.01})
    """
    drops = Gate(baseline, {} if max_drop is None else max_drop, significant).compare(ev)
    _require(not drops.failed, f"worse than {drops.gate.name}\n{drops}")


def _check_instance(each: Measure, h: Hierarchy, true: list[Label], pred: list[Label]) -> None:
    where = f"{each} on true {true}, predicted {pred}"
    broken = broken_invariants(each, h, true, pred)
    _require(not broken, f"{where}: {', '.join(broken)}")
    value = score_or_nan(each, h, true, pred)
    sides = [(true, pred), (pred, true), (true, true), (true, pred)]  # alike ones are solved once, others are not
    several = each.score(Batch.of(h, *([set(of[k]) for of in sides] for k in (0, 1))), undefined="nan")
    single = [score_or_nan(each, h, *of) for of in sides]
    _require(np.array_equal(several.values, single, equal_nan=True), f"{where}: a batch scores differently")
    _require(tuple(several.columns) == each.columns, f"{where}: columns are {tuple(several.columns)}")
    batch = Batch.of(h, [set(true)], [set(pred)])
    part = explain(batch, {each.name: each}).parts[0]
    shown = next(iter(part.values.values()))
    _require(shown == value or (math.isnan(shown) and math.isnan(value)), f"{where}: the explanation says {shown}")
    if math.isnan(value):
        return
    model = each.model(batch)
    _require(model.to_lp().rstrip().endswith("End"), f"{where}: no LP file")
    solution = model.solve(verify=True)
    _require(float(each.evaluate(model, solution)) == value, f"{where}: evaluate differs from score")


def _check_text(each: Measure) -> None:
    copy = pickle.loads(pickle.dumps(each)) if "custom" not in each.serializable_fields().values() else each
    _require(copy == each, "a copy that was sent to another process is not the same")
    _require(copy.signature == each.signature, "the signature changes in another process")
    if "custom" in each.serializable_fields().values():
        _require("custom" in str(each), "the text of a measure that has no text form says custom")
        try:
            write_measures([each])
        except NoTextForm:
            return
        raise AssertionError("a measure that has no text form was written to TOML")
    _require(measure(str(each)) == each, f"{each} does not read back")
    _require(read_measures(write_measures([each])) == [each], f"{each} does not come back from TOML")
