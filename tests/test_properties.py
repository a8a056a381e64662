"""Properties of measures: against an enumeration written from the definitions, and a table of reference."""

from __future__ import annotations

import importlib.util
import json
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import hemlp
from hemlp import ALL, Bounds, Hierarchy, PairMeasure, SetMeasure, measure
from hemlp.analysis.properties.catalogue import BY_NAME, PROPERTIES, THEOREMS, proofs
from hemlp.analysis.properties.check import Tally, check_properties, search
from hemlp.analysis.properties.counterexamples import SENTENCES, Disagreement
from hemlp.analysis.properties.losses import Shape, Variant, numbered, random_shape, shapes_of, shapes_up_to
from hemlp.errors import InvalidOption, InvalidSolution
from hemlp.measures.catalogue import NAMED
from hemlp.testing import check_measure
from tests import property_enumeration as plain

NAMES = "names do not matter"
WITHOUT_NAMES = [each for each in PROPERTIES if each.name != NAMES]
TABLE = json.loads((Path(__file__).parent / "data" / "properties.json").read_text(encoding="utf-8"))


def witness_of(found) -> object:
    """As the references have it: a class, an edge or nothing."""
    return found.witness.edge or () if isinstance(found.witness, Variant) else found.witness


# ---- hierarchies up to isomorphism


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_shapes_are_those_of_a_plain_enumeration(n):
    assert [(shape.edges, shape.kind) for shape in shapes_of(n)] == [
        (edges, plain.kind(n, edges)) for edges in plain.hierarchies(n)
    ]


def test_shapes_of_the_reference():
    trees = [shape for shape in shapes_of(5) if shape.kind == 0]
    ours = [{"n": s.size, "kind": s.kind, "edges": [*map(list, s.edges)]} for s in [*shapes_up_to(4), *trees]]
    assert ours == TABLE["hierarchies"]


def test_numbers_of_shapes():
    """Unlabelled acyclic digraphs (OEIS A003087)."""
    assert [len(shapes_of(n)) for n in range(1, 7)] == [1, 2, 6, 31, 302, 5984]


def test_every_numbering_of_a_shape_leads_to_one():
    rng = np.random.default_rng(5)
    for _ in range(30):
        shape = random_shape(rng, 5)
        to = rng.permutation(5)
        moved = Shape(5, tuple(sorted((int(to[p]), int(to[c])) for p, c in shape.edges)))
        assert numbered(moved) == shape
        assert shape in shapes_of(5)


def test_neighbours_are_on_ways_that_go_up_and_then_down():
    """1 and 2 meet in 0, and have the child 3: the way through 3 is none."""
    shape = Shape(4, ((0, 1), (0, 2), (1, 3), (2, 3)))
    assert (1, 2, 0) in shape.steps_nearer
    assert (1, 2, 3) not in shape.steps_nearer


# ---- against the enumeration


@pytest.mark.parametrize("name", plain.MEASURES)
def test_small_sizes_against_a_plain_enumeration(name):
    (tallies,) = search([measure(name)], shapes_up_to(3), 2, WITHOUT_NAMES, exhaustive=True)
    for each, tally in tallies.items():
        cases, violations, first = plain.enumerate_property(each, plain.MEASURES[name], 3, 2)
        assert (tally.cases, tally.violations) == (cases, violations), each
        assert (tally.first is None) == (first is None), each
        if first is not None:
            n, edges, sets, witness, values = first
            found = tally.first
            assert (found.shape, found.sets) == (Shape(n, edges), sets), each
            assert (witness_of(found) if found.witness is not None else ()) == witness, each
            assert found.values == pytest.approx([float(value) for value in values]), each


# ---- against the table


class Connected(PairMeasure):
    """The table leaves out every instance with two classes that have no common ancestor."""

    def _undefined(self, batch):
        bad, reason = super()._undefined(batch)
        lone = measure("SunLim").score(batch, undefined="nan").values
        return bad | np.isnan(lone), reason


@cache
def reference_tallies() -> dict[str, dict[str, Tally]]:
    trees = [shape for shape in shapes_of(5) if shape.kind == 0]
    connected = Connected("transport_of_trees", Bounds((1, 1), (1, 1)), pairing="transport", defined="both")
    measures = [connected if name == "transport" else measure(name) for name in TABLE["table"]]
    found = search(measures, [*shapes_up_to(4), *trees], 3, WITHOUT_NAMES, exhaustive=True)
    return dict(zip(TABLE["table"], found, strict=True))


@pytest.mark.parametrize("name", TABLE["table"])
def test_table_of_reference(name):
    for each in WITHOUT_NAMES:
        tally, wanted = reference_tallies()[name][each.name], TABLE["table"][name][each.name]
        assert (tally.cases, tally.violations) == (wanted["cases"], wanted["violations"]), each.name
        assert (tally.first is None) == ("first" not in wanted), each.name
        if tally.first is not None:
            first, found = wanted["first"], tally.first
            assert [*map(list, found.shape.edges)] == first["edges"], each.name
            assert [*map(list, found.sets)] == first["sets"], each.name
            witness = [] if found.witness is None else witness_of(found)
            assert list(np.atleast_1d(witness)) == first["witness"], each.name
            assert found.values == pytest.approx([float(Fraction(v)) for v in first["values"]], abs=1e-12), each.name


# ---- what is expected of the named measures


@pytest.mark.parametrize(
    ("name", "classes", "edges", "true", "pred", "other", "scores"),
    [
        ("GIE", 2, "0>1", (0,), (1,), (0, 1), (1, 5)),
        ("MGIA", 2, "0>1", (0,), (1,), (0, 1), (0.9, 0.8)),
        ("F_LCA", 4, "0>1,3 1>2 2>3", (1, 3), (0,), (0, 1), (2 / 3, 0.5)),
        ("matched_F", 3, "0>1,2", (0, 1), (1, 2), (0, 1, 2), (5 / 6, 0.8)),
        ("transport", 4, "0>1,2 1>3", (0, 3), (2, 3), (0, 2, 3), (0.5, 2 / 3)),
    ],
)
def test_a_hit_can_hurt(name, classes, edges, true, pred, other, scores):
    (found,) = check_properties([measure(name)], classes, 3, [BY_NAME["a hit never hurts"]])
    example = found.refuted["a hit never hurts"]
    assert (len(example.hierarchy), str(example.shape)) == (classes, edges)
    assert (example.true, example.pred, example.other) == (true, pred, other)
    assert example.scores == pytest.approx(scores)
    assert example.witness in set(true) - set(pred)
    (before,) = check_properties([measure(name)], classes - 1, 3, [BY_NAME["a hit never hurts"]])
    assert not before.refuted


@pytest.mark.parametrize("name", ["F_H", "SDL", "F", "jaccard", "MGIA(normalizer='union')", "BMA"])
def test_a_hit_does_not_hurt_others(name):
    (found,) = check_properties([measure(name)], 4, 3, [BY_NAME["a hit never hurts"]])
    assert not found.refuted
    assert found.verdict("a hit never hurts") == "none found"


def test_triangles():
    names = ["GIE", "transport", "MGIA", "F_H", "F_LCA", "BMA", "SDL", "jaccard"]
    every = check_properties([measure(name) for name in names], 4, 3, [BY_NAME["triangle"]])
    on_trees = {name: "triangle" in found.on_trees.refuted for name, found in zip(names, every, strict=True)}
    assert [name for name, refuted in on_trees.items() if not refuted] == ["GIE", "transport", "SDL", "jaccard"]
    assert every[0].on_trees.proved == {"triangle": "GOSPA"}
    at_all = {name for name, found in zip(names, every, strict=True) if found.refuted}
    assert at_all == {"GIE", "transport", "MGIA", "F_H", "F_LCA", "BMA"}


@pytest.mark.parametrize("name", ["GIE", "transport"])
def test_distances_of_a_dag_with_one_root_are_no_metric(name):
    """0>1 0>2 1>3 2>4 3>4: from 3 to 2 through 4 it is shorter."""
    shape = Shape(5, ((0, 1), (0, 2), (1, 3), (2, 4), (3, 4)))
    (found,) = search([measure(name)], [shape], 1, [BY_NAME["triangle"]])
    assert found["triangle"].first.sets == ((2,), (4,), (3,))
    assert found["triangle"].first.values == (1, 1, 3)


# ---- verdicts


def test_verdicts_and_numbers_of_cases():
    found = hemlp.properties("GIE", classes=3, exhaustive=True)
    assert found.verdict("triangle") == "refuted"
    assert found.verdict("symmetric") == "proved"
    assert found.verdict("nearer is never worse") == "none found"
    assert found.words("nearer is never worse") == "none up to 3 classes and 3 labels"
    assert found.cases["perfect"] == 2 + 2 * 4 + 6 * 8
    assert found.cases["symmetric"] == 1 + 2 * 6 + 6 * 28
    assert found.violations["triangle"] == 2
    assert hemlp.properties("GIE", classes=3).violations is None
    alone = hemlp.properties("TIE", classes=3)
    assert alone.verdict("a hit never hurts") == "no case"


def test_search_ends_with_the_hierarchy_that_refutes():
    """So cases are those of smaller hierarchies, and of that one."""
    found = hemlp.properties("GIE", classes=4)
    assert found.cases["a hit never hurts"] == 1 + 8
    assert found.cases["nearer is never worse"] > hemlp.properties("GIE", classes=3).cases["nearer is never worse"]


@pytest.mark.parametrize(
    ("each", "on_trees", "everywhere"),
    [
        ("GIE", True, False),
        ("GIE(cost='undirected')", True, True),
        ("GIE(horizon=2)", True, False),
        ("GIE(max_distance=3)", False, False),
        ("GIE(default_cost=0)", False, False),
        ("GIE(cost='wu_palmer', default_cost=1)", False, False),
        ("MGIA", False, False),
        ("TIE", False, False),
    ],
)
def test_gospa_is_claimed_where_it_holds(each, on_trees, everywhere):
    assert [proofs(measure(each), trees).get("triangle") is not None for trees in (True, False)] == [
        on_trees, everywhere
    ]  # fmt: skip


def test_what_is_proved_is_not_refuted():
    """The search goes over what is proved, too, and would say so."""
    loose = PairMeasure("loose", Bounds((1, 2), (1, 2)), default_cost=3)
    given = [measure("GIE(cost='undirected')"), measure("GIE(horizon=2)"), measure("MGIA(pairing='nearest')"), loose]
    for found in check_properties(given, 4, 2, [BY_NAME["symmetric"], BY_NAME["triangle"]]):
        assert found.proved["symmetric"]
        assert not found.proved.keys() & found.refuted.keys()


def test_symmetry_is_claimed_of_symmetric_costs_and_bounds_alone():
    one_sided = PairMeasure("one_sided", Bounds((1, 2), (1, ALL)), default_cost=5)
    two_defaults = PairMeasure("two_defaults", Bounds((1, 1), (1, 1)), default_cost=(1, 2))
    for each in (one_sided, two_defaults, measure("F_H"), measure("matched_P")):
        assert "symmetric" not in proofs(each, trees=True)
    for found in check_properties([one_sided, two_defaults], 3, 3, [BY_NAME["symmetric"]]):
        assert found.verdict("symmetric") == "refuted"


class Lopsided(SetMeasure):
    """Says that it is symmetric, and is not."""

    @property
    def invariants(self):
        return super().invariants | {"symmetric"}


def test_a_theorem_that_is_refuted_is_an_error(monkeypatch):
    claimed = {"symmetric": THEOREMS[-1]}
    monkeypatch.setattr("hemlp.analysis.properties.check.proofs", lambda measure, trees: claimed)
    with pytest.raises(InvalidSolution, match="theorem symmetric bounds and costs"):
        hemlp.properties("R_H", classes=2)


def test_counter_examples_are_scored_again():
    example = hemlp.properties("F_LCA", classes=2).refuted["only perfect"]
    example.verify("cpsat")
    wrong = replace(example, values=(0.25,))
    with pytest.raises(InvalidSolution, match="milp gives 0 instead of 0.25"):
        wrong.verify()


def test_wrong_scores_of_a_batch_do_not_pass(monkeypatch):
    monkeypatch.setattr("hemlp.analysis.properties.losses.as_losses", lambda measure, table: 2 * table)
    with pytest.raises(InvalidSolution, match="milp gives"):
        hemlp.properties("GIE", classes=2)
    other = {"milp": (0.0, 1.0)}
    monkeypatch.setattr(Disagreement, "_scores", lambda self, each, solver=None: other.get(solver, (1.0, 0.0)))
    with pytest.raises(InvalidSolution, match="by milp"):
        hemlp.counterexample("GIE", "F_H")


def test_all_counter_examples_hold_by_other_solvers():
    """Also those of weights, of greedy graphs (which are their own solver) and of measures of several models."""
    names = ["ICM", "simGIC", "BMA", "transport", "F_Tol", "distance", "F_LCA(method='greedy')", "SunLim"]
    for found in check_properties([measure(name) for name in names], 3, 2):
        for example in found.refuted.values():
            example.verify("pulp")


def test_options():
    for options, message in [
        ({"classes": 10}, "classes=10 are too many"),
        ({"classes": 0}, "classes=0 is not a number of at least 1"),
        ({"labels": 1.5}, "labels=1.5 is not a whole number"),
        ({"random": -1}, "random=-1"),
    ]:
        with pytest.raises(InvalidOption, match=message):
            hemlp.properties("F_H", **options)


# ---- measures of one's own


def test_declared_invariants_are_checked():
    lopsided = Lopsided("lopsided", "ancestors", score="R")
    (found,) = check_properties([lopsided], 2, 2)
    assert str(found.broken["symmetric"].shape) == "0>1"
    instance = Hierarchy.from_edges([(0, 1)]), [1], [1]
    with pytest.raises(AssertionError, match="symmetric"):
        check_measure(lopsided, count=3)
    with pytest.raises(AssertionError, match=r"is not symmetric: 0>1"):
        _check_on_equal_sides(lopsided, instance)


def _check_on_equal_sides(each, instance):
    """Where no generated instance shows it, the search does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hemlp.testing.random_instances", lambda count, seed=0: [instance])
        check_measure(each)


def test_names_that_matter():
    """A cost of one's own that reads labels."""
    named = PairMeasure("named", Bounds((1, 1), (1, 1)), cost=lambda p, t: abs(p - t) * (1 + p), default_cost=5)
    example = hemlp.properties(named, classes=3).refuted[NAMES]
    assert (str(example.shape), example.true, example.pred) == ("0>1", (0,), (1,))
    assert example.values == (2, 1)
    assert [box.text for box in example.picture().boxes.values()] == ["0 → 1: T", "1 → 0: P"]
    assert example.sentence == (
        "named depends on names: on the hierarchy 0>1, d({0}, {1}) = 2, and 1 with the numbers 1, 0 for 0 … 1."
    )


class Sudden(SetMeasure):
    """A loss that counts predicted classes twice in hierarchies of more than five classes."""

    def _compute_columns(self, model, solution):
        columns = super()._compute_columns(model, solution)
        twice = len(model.batch.hierarchy) > 5
        return {**columns, self.name: columns[self.name] + twice * model.batch.pred.sizes * (columns[self.name] > 0)}


def test_random_search_beyond_small_hierarchies():
    sudden = Sudden("sudden", "none", score="difference")
    assert "symmetric" not in hemlp.properties(sudden, classes=4).refuted
    wanted = [BY_NAME["symmetric"], BY_NAME["perfect"]]
    found, again = (check_properties([sudden], 7, 1, wanted, random=3)[0] for _ in range(2))
    example = found.refuted["symmetric"]
    assert (len(example.hierarchy), example.shape.edges) == (6, ())  # nothing more can be taken away
    assert (example.true, example.pred) == ((), (0,))
    assert found.random == 3
    assert found.words("perfect") == "none up to 5 classes and 1 label, nor on 3 random hierarchies of up to 7"
    assert found.on_trees.words("perfect") == "none up to 5 classes and 1 label"
    assert again.to_dict() == found.to_dict()


def test_shapes_get_smaller_by_an_edge_or_a_class():
    chain = Shape(3, ((0, 1), (1, 2)))
    assert [str(shape) for shape in chain.smaller()] == ["0>1", "0 1", "0>1 2"]


# ---- two measures


def test_two_measures_that_disagree():
    found = hemlp.counterexample("F_LCA", "MGIA")
    assert str(found) == "0>1: true {1}, predicted {0} or {0,1}: F_LCA 0.667 < 1, MGIA 0.9 > 0.8"
    first, second = found.values.values()
    assert (first[0] - first[1]) * (second[0] - second[1]) < 0
    turned = hemlp.counterexample("MGIA", "F_LCA")
    assert (turned.shape, turned.true, turned.pred, turned.other) == (found.shape, found.true, found.pred, found.other)
    assert hemlp.counterexample("F_H", "simUI", classes=4) is None


def test_an_error_and_a_score_that_disagree():
    """GIE is better where it is less."""
    found = hemlp.counterexample("GIE", "F_H")
    gie, f_h = found.values["GIE"], found.values["F_H"]
    assert (gie[0] < gie[1]) == (f_h[0] < f_h[1])
    assert hemlp.counterexample("SDL", "hamming", classes=1) is None


def test_how_often_measures_disagree_on_data():
    h = Hierarchy.from_edges([(0, 1), (0, 2)])
    true = [[1], [1], [1], []]
    systems = {"A": [[0], [0], [1], []], "B": [[0, 1], [2], [0], [0]]}
    ev = hemlp.evaluate(h, true, systems, ["F_LCA", "MGIA", "SDL", "TIE"], undefined="nan")
    table = hemlp.counterexample("F_LCA", "MGIA").frequency(ev)
    assert table.rows == [["A", "B", 4, 1, 0.25]]
    assert table.columns == ["system", "other", "instances", "opposite", "share"]
    assert hemlp.counterexample("MGIA", "SDL").frequency(ev).rows == [["A", "B", 4, 1, 0.25]]
    assert hemlp.counterexample("TIE", "SDL", classes=4).frequency(ev).rows[0][2:] == [2, 0, 0.0]
    with pytest.raises(InvalidOption, match="there is no measure 'GIE'"):
        hemlp.counterexample("F_LCA", "GIE").frequency(ev)


# ---- words and pictures


def test_every_property_has_a_sentence():
    assert list(SENTENCES) == [each.name for each in PROPERTIES]


def test_words_and_pictures_of_counter_examples():
    seen = set()
    for found in check_properties([measure(name) for name in ("GIE", "SunLim", "R_H", "F_H", "F_LCA")], 4, 3):
        for name, example in found.refuted.items():
            seen.add(name)
            assert example.sentence.endswith(".")
            assert "{" not in example.sentence.replace("{0", "").replace("{1", "").replace("{2", "").replace("{3", "")
            svg = example.picture().to_svg()
            assert svg.count("<g class=") >= len(example.hierarchy)
    assert seen == {each.name for each in PROPERTIES} - {NAMES}


def test_a_picture_shows_what_is_changed():
    found = hemlp.properties("GIE", classes=4)
    texts = [box.text for box in found.refuted["edges never reverse"].picture().boxes.values()]
    assert texts == ["0: T P", "1: P′", "2: T", "3: P′", "new class"]
    texts = [box.text for box in found.refuted["triangle"].picture().boxes.values()]
    assert texts == ["0: A", "1: C", "2: B"]


def test_lines_of_a_table_are_not_too_long():
    for found in check_properties([measure(name) for name in ("F_LCA", "transport", "GIE")], 4, 3, exhaustive=True):
        assert max(map(len, str(found).splitlines())) <= 100
        assert len(found.table().rows) == len(PROPERTIES)


# ---- the page


@pytest.fixture(scope="module")
def page():
    """The module that makes it."""
    path = Path(hemlp.__file__).parents[1] / "docs" / "properties.py"
    spec = importlib.util.spec_from_file_location("properties_page", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_that_of_the_code(page):
    """As far as hierarchies of three classes show: what they refute is all that is refuted by so few classes."""
    rows = [line.strip("| ").split(" | ") for line in (page.DOCS / "properties.md").read_text("utf-8").splitlines()]
    shown = {row[0].partition("]")[0].strip("["): row[1:] for row in rows if len(row) == len(PROPERTIES) + 1}
    every = check_properties([measure(name) for name in (*NAMED, *page.FURTHER)], 3, page.LABELS)
    assert [*shown][2:] == [found.measure.display_name for found in every]
    for found in every:
        assert not found.broken
        for each, cell in zip(PROPERTIES, shown[found.measure.display_name], strict=True):
            size = int(cell.removeprefix("✗ ")[0]) if cell.startswith("✗") else 99
            assert (each.name in found.refuted) == (size <= 3), (found.measure, each.name)
            if size <= 3:
                assert len(found.refuted[each.name].hierarchy) == size
            assert (each.name in found.proved) == (cell == "proved")


def test_pictures_of_the_page_are_there_and_small(page):
    text = (page.DOCS / "properties.md").read_text("utf-8")
    files = set(re.findall(r"\]\((properties/[^)]*\.svg)\)", text))
    assert files == {f"properties/{file.name}" for file in (page.DOCS / "properties").iterdir()}
    for file in files:
        boxes = re.findall(r'<g class="\w+"><title>[^<]', (page.DOCS / file).read_text("utf-8"))
        assert 1 <= len(boxes) <= 6, file
