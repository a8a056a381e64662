"""What a stranger adds, each in one place: a set measure, a solver, a cost, an augmentation with a model of its own, an
input format. The checklists of CONTRIBUTING.md are about these."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest

from hemlp import (
    Augmentation,
    Bounds,
    Hierarchy,
    PairMeasure,
    SetMeasure,
    SetScore,
    evaluate,
    measure,
    read_hierarchy,
    read_measures,
    write_measures,
)
from hemlp.costs import Cost
from hemlp.errors import CyclicHierarchy, FileFormatError, InvalidOption, RunMismatch, UnknownMeasure
from hemlp.hierarchy.formats.hierarchy_data import HierarchyData
from hemlp.hierarchy.hierarchy_files import FORMATS
from hemlp.io.text import decode
from hemlp.measures.augmentations import Implied
from hemlp.measures.set_measure import SET_SCORES
from hemlp.solvers.registry import SOLVERS, ProgramSolver
from hemlp.testing import check_measure, check_solver, random_instances

H = Hierarchy.from_edges(
    [("animal", "mammal"), ("animal", "bird"), ("mammal", "sheep"), ("mammal", "cow"), ("bird", "owl")]
)
TRUE, PRED = [["sheep"], ["owl"], ["cow", "owl"]], [["cow"], ["owl"], ["bird"]]


def works_everywhere(each, tmp_path):
    """Conformance, evaluate, explain, text, TOML, and a run folder that goes on."""
    check_measure(each, count=12)
    assert measure(str(each)) == each
    assert read_measures(write_measures([each])) == [each]
    ev = evaluate(H, TRUE, {"A": PRED}, [each, "F_H"], resume=tmp_path / "run", chunk=2)
    by_text = evaluate(H, TRUE, {"A": PRED}, [str(each)])
    assert by_text.mean("A", str(each)) == ev.mean("A", ev.measures[0])
    assert each.name in str(ev.explain("A", 0))
    resumed = evaluate(H, TRUE, {"A": PRED}, [each, "F_H"], resume=tmp_path / "run")
    assert resumed.per_instance("A", ev.measures[0]).tolist() == ev.per_instance("A", ev.measures[0]).tolist()
    assert [float(each.score(H, t, p)) for t, p in zip(TRUE, PRED, strict=True)] == ev.per_instance(
        "A", ev.measures[0]
    ).tolist()


# ---- (a) a set measure: a score that is known by name, or a class of its own


class Halved(SetMeasure):
    """Half of what the score says."""

    @property
    def invariants(self):
        return frozenset({"range"})

    def _compute_columns(self, model, solution):
        columns = super()._compute_columns(model, solution)
        return columns | {self.name: columns[self.name] / 2}


def f2(facts):
    return facts.ratio(5 * facts.common, 4 * facts.true + facts.predicted)


def test_a_score_of_a_strangers(tmp_path, monkeypatch):
    monkeypatch.setitem(SET_SCORES, "F2", SetScore(f2, counts=True))
    each = SetMeasure("F2_H", "ancestors", score="F2")
    works_everywhere(each, tmp_path)
    assert each.score(H, ["sheep"], ["mammal"]) == 5 * 2 / (4 * 3 + 2)
    assert "f2#" in each.signature


def test_a_set_measure_of_a_strangers(tmp_path):
    each = Halved("half", "ancestors", horizon=3)
    works_everywhere(each, tmp_path)
    assert str(each) == "Halved('half', augment='ancestors', horizon=3)"
    assert 'kind = "Halved"' in write_measures([each])
    assert each.score(H, ["sheep"], ["sheep"]) == 0.5


def test_a_kind_of_measure_that_nobody_defined_is_named():
    with pytest.raises(UnknownMeasure, match="no class of measures 'Thirded': import what defines it"):
        read_measures('[[measure]]\nname = "third"\nkind = "Thirded"\naugment = "ancestors"\n')


def test_two_classes_of_one_name_are_not_mixed_up():
    def defined():
        class Twice(SetMeasure):
            pass

        return Twice

    def defined_again():
        class Twice(SetMeasure):
            pass

        return Twice

    kinds = defined(), defined_again()
    assert kinds[0] is not kinds[1]
    with pytest.raises(UnknownMeasure, match="several classes of measures called Twice"):
        measure("Twice('mine', augment='none')")


# ---- (b) a solver


class Stubborn(ProgramSolver):
    """Passes every program on to HiGHS, and counts them."""

    name = "stubborn"
    solved = 0

    def solve_program(self, program, time_limit=None, work_limit=None):
        from hemlp.solvers.ortools import Highs

        Stubborn.solved += 1
        return Highs().solve_program(program, time_limit, work_limit)


def test_a_solver_of_a_strangers(tmp_path, monkeypatch):
    monkeypatch.setitem(SOLVERS, "stubborn", f"{__name__}:Stubborn")
    for who in ("stubborn", Stubborn()):
        before = Stubborn.solved
        check_solver(who, count=12)
        ev = evaluate(H, TRUE, {"A": PRED}, ["F_H", "MGIA", "F_LCA"], solver=who, resume=tmp_path / "run")
        usual = evaluate(H, TRUE, {"A": PRED}, ["F_H", "MGIA", "F_LCA"])
        for name in ev.measures:
            assert ev.per_instance("A", name).tolist() == usual.per_instance("A", name).tolist()
        assert Stubborn.solved > before
        model = measure("MGIA").model(H, ["sheep"], ["cow"])
        assert model.solve(who).objective == model.solve().objective


# ---- (c) a cost


@dataclass(frozen=True)
class Levels(Cost):
    """How many levels two classes are apart, in units of ``unit_cost``."""

    unit_cost: float = 1.0

    name = "levels"

    def pair_costs(self, batch, pairs):
        at_pred, at_true = pairs.ends(batch)
        depths = batch.hierarchy.depths
        apart = np.abs(depths[batch.pred.classes[at_pred]] - depths[batch.true.classes[at_true]])
        return self.unit_cost * apart


def test_a_cost_of_a_strangers(tmp_path):
    each = PairMeasure("levels_apart", Bounds((1, 1), (1, 1)), cost=Levels(unit_cost=0.5), default_cost=5)
    works_everywhere(each, tmp_path)
    assert each.serializable_fields()["cost"] == "levels(unit_cost=0.5)"
    assert measure("GIE", cost="levels").score(H, ["sheep"], ["animal"]) == 2
    assert "custom Levels#" in each.signature


def test_a_run_is_not_resumed_with_another_cost_of_the_same_name(tmp_path):
    def defined(factor):
        @dataclass(frozen=True)
        class Apart(Cost):
            name = "apart"

            def pair_costs(self, batch, pairs):
                return np.full(int(pairs.ptr[-1]), factor)

        return PairMeasure("apart_cost", Bounds((1, 1), (1, 1)), cost=Apart(), default_cost=5)

    first, second = defined(1.0), defined(2.0)
    assert str(first) == str(second)
    assert first.signature != second.signature
    evaluate(H, TRUE, {"A": PRED}, [first], resume=tmp_path)
    with pytest.raises(RunMismatch):
        evaluate(H, TRUE, {"A": PRED}, [second], resume=tmp_path)


def test_a_name_that_is_taken_is_refused():
    with pytest.raises(InvalidOption, match="there is a cost 'undirected' already"):
        type("Mine", (Cost,), {"name": "undirected"})
    with pytest.raises(InvalidOption, match="there is an augmentation 'ancestors' already"):
        type("Mine", (Augmentation,), {"name": "ancestors"})


# ---- (d) an augmentation


@dataclass(frozen=True)
class Siblings(Implied):
    """A set and the siblings of its classes."""

    name = "siblings"

    def implied(self, hierarchy, label):
        return {other for parent in hierarchy.parents(label) for other in hierarchy.children(parent)}


def test_an_augmentation_of_a_strangers(tmp_path):
    each = SetMeasure("F_siblings", "siblings")
    works_everywhere(each, tmp_path)
    assert each.score(H, ["sheep"], ["cow"]) == 1
    assert each.score(H, ["sheep"], ["owl"]) == 0
    assert "custom Siblings#" in each.signature
    precision = SetMeasure("P_siblings", Siblings(), score="P")
    check_measure(precision, random_instances(5))
    for solver in ("cpsat", "milp", "pulp"):
        check_solver(solver, [each.model(H, t, p) for t, p in zip(TRUE, PRED, strict=True)])


# ---- (e) an input format


def read_nested(source):
    """JSON: nested objects from the roots down."""
    edges, classes = [], []

    def walk(tree):
        for label, below in tree.items():
            classes.append(label)
            edges.extend((label, child) for child in below)
            walk(below)

    try:
        walk(json.loads(decode(source.data, source.name)))
    except (ValueError, AttributeError) as error:
        raise FileFormatError(f"{source.name} is not nested objects in JSON: {error}") from None
    return HierarchyData.of(edges, classes)


def test_an_input_format_of_a_strangers(tmp_path, monkeypatch):
    monkeypatch.setitem(FORMATS, ".nested", read_nested)
    path = tmp_path / "animals.nested"
    path.write_text('{"animal": {"mammal": {"sheep": {}, "cow": {}}, "bird": {"owl": {}}}}')
    assert read_hierarchy(path) == H
    assert "moth" in read_hierarchy(path, classes=["moth"])
    path.write_text('{"animal": {"mammal": {"animal": {}}}}')
    with pytest.raises(CyclicHierarchy, match="animals.nested"):
        read_hierarchy(path)
    path.write_text("animal mammal")
    with pytest.raises(FileFormatError, match="animals.nested is not nested objects"):
        read_hierarchy(path)
