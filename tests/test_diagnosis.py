"""Where the errors are: every table against the words of its definition, on small random hierarchies."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from hemlp import Batch, Evaluation, Hierarchy, PairMeasure, evaluate, measure
from hemlp.analysis.diagnosis.error_costs import prefer_hits
from hemlp.analysis.diagnosis.error_kinds import ERROR_KINDS, diagnosis_headline
from hemlp.cli.main import commands
from hemlp.errors import InvalidOption
from hemlp.hierarchy.class_names import read_names
from hemlp.problems.pairing.bounds import ALL, Bounds
from hemlp.problems.pairing.pairs import Pairs
from tests import oracle
from tests.graphs import graph, labelled

PLAIN = ["F_H", "GIE", "MGIA"]


@st.composite
def corpora(draw, most=9):
    labels, edges = draw(labelled(most))
    sets = st.lists(st.sets(st.sampled_from(labels), max_size=4), min_size=1, max_size=5)
    true = draw(sets)
    pred = [draw(st.sets(st.sampled_from(labels), max_size=4)) for _ in true]
    return labels, edges, true, pred


def evaluated(corpus, measures=PLAIN, with_hub=False):
    """``with_hub``: lists of ancestors stop at the class with most parents."""
    labels, edges, true, pred = corpus
    h = Hierarchy.from_edges(edges, classes=labels)
    if with_hub and edges:
        h.__dict__["hub"] = int(np.diff(h.parent_ptr).argmax())
    return evaluate(h, true, {"A": pred}, measures)


def closure(g, labels):
    return set(labels).union(*(nx.ancestors(g, label) for label in labels))


def depth(g, c):
    return min(nx.shortest_path_length(g, a, c) for a in [c, *nx.ancestors(g, c)] if not g.in_degree(a))


def ratio(part, whole, same):
    return part / whole if whole else float(same)


def ratios(true, predicted, common):
    same = true == predicted == common
    return ratio(common, predicted, same), ratio(common, true, same), ratio(2 * common, true + predicted, same)


# ---- by level and class


@pytest.mark.uncompiled
@settings(max_examples=60)
@given(corpora(), st.booleans())
def test_classes_and_levels(corpus, with_hub):
    labels, edges, true, pred = corpus
    g, ev = graph(labels, edges), evaluated(corpus, with_hub=with_hub)
    for on in ("closures", "labels"):
        sides = [[closure(g, s) if on == "closures" else s for s in side] for side in (true, pred)]
        expected = {}
        for c in labels:
            t, p = ([c in s for s in side] for side in sides)
            expected[c] = sum(t), sum(p), sum(map(all, zip(t, p, strict=True)))
        table = ev.classes("A", on=on, intervals=False)
        assert table.columns == ["class", "true", "predicted", "common", "P", "R", "F"]
        assert {row[0]: row[1:4] for row in table.rows} == {c: n for c, n in expected.items() if any(n)}
        assert all(row[4:] == ratios(*row[1:4]) for row in table.rows)
        lost = [row[1] + row[2] - 2 * row[3] for row in table.rows]
        assert lost == sorted(lost, reverse=True)
        if on == "closures":
            sums = Counter()
            for c, numbers in expected.items():
                sums.update({(depth(g, c), k): number for k, number in enumerate(numbers)})
            found = {(row[0], k): number for row in ev.levels("A").rows for k, number in enumerate(row[1:4])}
            assert {key: number for key, number in found.items() if number} == {k: n for k, n in sums.items() if n}
    rows = ev.levels("A", intervals=False).rows
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    assert all(row[4:] == ratios(*row[1:4]) for row in rows)
    lost = sum(row[1] + row[2] - 2 * row[3] for row in rows)
    assert lost == sum(len(closure(g, t) ^ closure(g, p)) for t, p in zip(true, pred, strict=True))


def test_reference_corpora():
    """Levels, classes and kinds of 80 corpora, counted independently."""
    for row in oracle.corpora():
        h = Hierarchy.from_edges(row["edges"], classes=range(row["classes"]))
        ev = evaluate(h, list(map(set, row["true"])), {"A": list(map(set, row["pred"]))}, ["F_H"])
        for table, expected in ((ev.levels("A"), row["levels"]), (ev.classes("A"), row["by_class"])):
            found = {str(key): [true, predicted, common] for key, true, predicted, common, *_ in table.rows}
            assert found == {key: numbers for key, numbers in expected.items() if any(numbers)}
        kinds = [Counter(k for value in row["values"] for k in value["kinds"][side]) for side in ("predicted", "true")]
        assert [each[:3] for each in ev.errors("A").rows] == [(k, kinds[0][k], kinds[1][k]) for k in ERROR_KINDS]


# ---- by kind


def kind(g, c, others, general):
    """Word by word; ``general``: whether c is too general (a predicted class) or was answered (a true one)."""
    above = any(c in nx.ancestors(g, o) for o in others)
    below = any(c in nx.descendants(g, o) for o in others)
    if c in others:
        return "hit"
    if above if general else below:
        return "too general"
    if below if general else above:
        return "too specific"
    if any(set(g.predecessors(c)) & set(g.predecessors(o)) for o in others):
        return "sibling"
    if any(g.in_degree(a) for o in others for a in nx.ancestors(g, c) & nx.ancestors(g, o)):
        return "same branch"
    return "elsewhere"


@pytest.mark.uncompiled
@settings(max_examples=80)
@given(corpora(), st.booleans())
def test_kinds(corpus, with_hub):
    labels, edges, true, pred = corpus
    g, ev = graph(labels, edges), evaluated(corpus, ["F_H"], with_hub)
    pairs = list(zip(true, pred, strict=True))
    predicted = Counter(kind(g, c, t, True) for t, p in pairs for c in p)
    answered = Counter(kind(g, c, p, False) for t, p in pairs for c in t)
    kinds = ["hit", "too general", "too specific", "sibling", "same branch", "elsewhere"]
    table = ev.errors("A", intervals=False)
    assert table.columns == ["kind", "predicted", "true"]
    assert table.rows == [(k, predicted[k], answered[k]) for k in kinds]
    groups = [
        "no true class" if not t else "all" if t <= p else "some" if t & p else "none" for t, p in pairs
    ]  # fmt: skip
    f = ev.per_instance("A", "F_H")
    for name, number, mean in ev.hits("A", intervals=False).rows:
        among = np.array(groups) == name
        assert number == among.sum()
        assert math.isnan(mean) if not number else math.isclose(mean, f[among].mean())
    assert sum(row[1] for row in ev.hits("A").rows) == len(pairs)


@pytest.mark.uncompiled
def test_a_common_ancestor_beyond_the_hub():
    """The list of p stops at the hub, and t does not reach the hub: they meet in m, and p and w only in a root."""
    edges = [("r", "m"), ("m", "hub"), ("s", "hub"), ("hub", "p"), ("m", "u"), ("u", "t"), ("s", "v"), ("v", "w")]
    labels = sorted({end for edge in edges for end in edge})
    for sides in ([{"t"}], [{"p"}]), ([{"p"}], [{"t"}]):
        for with_hub in (False, True):
            found = evaluated((labels, edges, *sides), ["F_H"], with_hub)
            assert ("same branch", 1, 1) in found.errors("A", intervals=False).rows
            other = [[{"w"} if row == {"t"} else row for row in side] for side in sides]
            found = evaluated((labels, edges, *other), ["F_H"], with_hub)
            assert ("elsewhere", 1, 1) in found.errors("A", intervals=False).rows


# ---- by branch


@pytest.mark.uncompiled
@settings(max_examples=60)
@given(corpora(), st.sampled_from(PLAIN), st.booleans())
def test_branches(corpus, name, with_hub):
    labels, edges, true, pred = corpus
    g, ev = graph(labels, edges), evaluated(corpus, with_hub=with_hub)
    table = ev.branches("A", name, intervals=False)
    assert table.columns == ["branch", "instances", "mean", "share"]
    found = {row[0]: row[1:] for row in table.rows}
    values = ev.per_instance("A", name)
    if name == "F_H":
        lost = Counter(c for t, p in zip(true, pred, strict=True) for c in closure(g, t) ^ closure(g, p))
    else:
        lost = {row[0]: row[3] for row in ev.costs("A", name).rows}
    total = math.fsum(lost.values())
    for b in labels:
        there = [b in closure(g, t) for t in true]
        below = math.fsum(lost.get(c, 0) for c in {b, *nx.descendants(g, b)})
        if not any(there) and not below:
            assert b not in found
            continue
        instances, mean, share = found[b]
        assert instances == sum(there)
        assert math.isnan(mean) if not instances else math.isclose(mean, math.fsum(values[there]) / instances)
        assert math.isnan(share) if not total else math.isclose(share, below / total, rel_tol=1e-12)
    shares = [row[3] for row in table.rows]
    assert not total or shares == sorted(shares, reverse=True)
    for level in (0, 1):
        some = ev.branches("A", name, level=level, intervals=False).rows
        assert repr(some) == repr([row for row in table.rows if depth(g, row[0]) == level])


def test_means_of_branches_leave_out_what_is_undefined_and_keep_what_is_infinite():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x")])
    true, pred = [["x"], ["a"], ["b"], ["b"]], [["x"], ["a", "b"], ["b"], ["x"]]
    ev = evaluate(h, true, {"A": pred}, ["TIE"], undefined="nan")
    found = {row[0]: row[1:3] for row in ev.branches("A", "TIE").rows}
    assert found == {"r": (4, 1.0), "b": (2, 1.5), "a": (2, 0.0)} | {"x": (1, 0.0)}
    assert "undefined on 1 instance" in " ".join(ev.branches("A", "TIE").notes)
    scores = ev.scores["A"]["TIE"]
    scores.columns["TIE"][2] = math.inf
    rows = replace(ev).branches("A", "TIE").rows  # of another evaluation: what one has computed it keeps
    found = {row[0]: row[2] for row in rows}
    assert found["r"] == found["b"] == math.inf
    assert all(math.isnan(row[4].low) for row in rows if row[0] in "rb")
    assert found["a"] == 0.0


# ---- by pairs


def cheapest(g, true, pred, default):
    """GIE's error by trying every pairing."""
    if not true:
        return Fraction(default) * len(pred)
    first, *rest = true
    ways = [default + cheapest(g, rest, pred, default)]
    for p in pred:
        up = [dict(nx.single_source_shortest_path_length(g.reverse(), c)) for c in (first, p)]
        common = [up[0][a] + up[1][a] for a in up[0].keys() & up[1].keys()]
        if common:
            ways.append(min(common) + cheapest(g, rest, [c for c in pred if c != p], default))
    return min(ways)


@settings(max_examples=40)
@given(corpora(7), st.sampled_from([1, 2, 5]))
def test_costs_add_up_to_the_error(corpus, default):
    labels, edges, true, pred = corpus
    g, name = graph(labels, edges), f"GIE(default_cost={default})"
    ev = evaluated(corpus, [name])
    table, pairs = ev.costs("A", name), ev.confusions("A", name)
    error = sum(cheapest(g, list(t), list(p), default) for t, p in zip(true, pred, strict=True))
    assert sum(Fraction(row[3]) for row in table.rows) == error == sum(map(Fraction, ev.per_instance("A", name)))
    assert all(row[3] == row[1] + row[2] and math.isclose(row[4], row[3] / error) for row in table.rows)
    assert [row[3] for row in table.rows] == sorted((row[3] for row in table.rows), reverse=True)
    # pairs of two classes, and classes that have none
    alone = [note for note in pairs.notes if "no partner" in note]
    left = sum(Fraction(note.rpartition("cost ")[2]) for note in alone)
    assert sum(Fraction(row[3]) for row in pairs.rows) + left == error
    for t, p, number, cost, rows in pairs.rows:
        assert len(rows) == min(number, 3)
        assert all(t in true[row] and p in pred[row] for row in rows)
        assert t != p
        assert cost == number * min(ev.inputs.given.distance(t, p), 2 * default)  # a certain pair may cost two defaults


@settings(max_examples=60)
@given(corpora(7))
def test_a_class_on_both_sides_is_paired_with_itself(corpus):
    """GIE's cost is a metric, so there is always such a pairing of least cost."""
    ev = evaluated(corpus, ["GIE"])
    model = measure("GIE").model(ev.inputs.take("A", range(len(corpus[2]))))
    solution = prefer_hits(model, model.solve())
    assert model.check(solution)
    assert model.costs(solution).tolist() == ev.per_instance("A", "GIE").tolist()
    predicted, true = (half.side.classes[ends] for half, ends in zip(model.halves, model.ends, strict=True))
    assert solution.chosen[predicted == true].all()


def test_hits_take_the_place_of_other_pairs_of_the_same_cost():
    """By hand: on the chain b - a - c the pairs (a, c), (b, a) cost what (a, a), (b, c) cost."""
    h = Hierarchy.from_edges([("b", "a"), ("a", "c")])
    model = measure("GIE").model(Batch.of(h, [["a", "c"]], [["a", "b"]]))
    other = model.solve()
    ends = Pairs.of(model.batch).ends(model.batch)
    crossed = model.batch.pred.classes[ends[0]] != model.batch.true.classes[ends[1]]
    crossed &= (model.batch.pred.classes[ends[0]] == h.id("a")) | (model.batch.true.classes[ends[1]] == h.id("a"))
    other.chosen[:] = crossed
    assert model.check(other)
    changed = prefer_hits(model, other)
    assert model.check(changed)
    assert changed.chosen.tolist() == (~crossed).tolist()


def test_a_class_is_not_paired_with_itself_where_that_costs_more():
    costs = {("c", "c"): 0, ("c", "t"): 1, ("p", "c"): 1, ("p", "t"): 10}
    odd = PairMeasure("odd", Bounds((1, 1), (1, 1)), cost=lambda p, t: costs[p, t], default_cost=20)
    h = Hierarchy.from_edges([("r", "c"), ("r", "p"), ("r", "t")])
    ev = evaluate(h, [["c", "t"]], {"A": [["c", "p"]]}, [odd])
    assert ev.confusions("A", "odd").rows == [("c", "p", 1, 1.0, (0,)), ("t", "c", 1, 1.0, (0,))]


def test_costs_of_measures_with_several_pairs_a_class():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("a", "y")])
    wide = PairMeasure("wide", Bounds((1, ALL), (2, ALL)), default_cost=3)
    ev = evaluate(h, [["x"]], {"A": [["y"]]}, ["SunLim", wide])
    assert ev.costs("A", "SunLim").rows == [("x", 0.0, 1.0, 1.0, 0.5), ("y", 1.0, 0.0, 1.0, 0.5)]
    assert ev.costs("A", "wide").rows == [("x", 0.0, 4.0, 4.0, 0.8), ("y", 1.0, 0.0, 1.0, 0.2)]
    assert ev.mean("A", "wide") == 5.0


def test_instances_without_a_pairing_are_told():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b")], classes=["z"])
    ev = evaluate(h, [["a"], ["a"], ["a"]], {"A": [["b"], ["z"], ["a", "b"]]}, ["TIE"], undefined="nan")
    for table in (ev.costs("A", "TIE"), ev.confusions("A", "TIE")):
        assert table.notes[-1] == "the measure is undefined on 2 instances, which cost nothing here"
    assert ev.confusions("A", "TIE").rows == [("a", "b", 1, 2.0, (0,))]
    assert str(ev.confusions("A", "TIE").rows[0][4]) == "1"


# ---- several systems, names, and where there are no labels


@pytest.fixture(scope="module")
def three():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("a", "y"), ("b", "z")])
    true = [["x"], ["y"], ["z"], ["z"]]
    systems = {"A": [["x"], ["x"], ["z"], ["z"]], "B": [["x"], ["y"], ["a"], []], "C": true}
    return evaluate(h, true, systems, ["F_H", "GIE"], names={"x": "X-ray", "z": "Zoo"})


def test_several_systems_stand_side_by_side(three):
    table = three.levels(intervals=False)
    assert table.columns == ["level", "true", "A F", "A lost", "B F", "B lost", "C F", "C lost"]
    alone = {name: {row[0]: row for row in three.levels(name).rows} for name in "ABC"}
    for level, true, *values in table.rows:
        for k, name in enumerate("ABC"):
            row = alone[name][level]
            assert (true, values[2 * k]) == (row[1], row[6])
            assert values[2 * k + 1] == row[1] + row[2] - 2 * row[3]
    table = three.classes(["A", "B"], intervals=False)
    spread = [abs(row[4] - row[6]) for row in table.rows]
    assert spread == sorted(spread, reverse=True)
    assert table.rows[0][:2] == ("b", "")
    assert {row[0] for row in table.rows} == {"r", "a", "b", "x", "y", "z"}
    assert three.errors(["A", "B"], intervals=False).columns == [
        "kind",
        "A predicted",
        "A true",
        "B predicted",
        "B true",
    ]
    assert three.hits(["A", "C"], intervals=False).columns == ["hit", "system", "instances", "F_H", "GIE"]
    table = three.branches(["A", "B"], "F_H", intervals=False)
    assert table.columns == ["branch", "name", "instances", "A mean", "A share", "B mean", "B share"]
    difference = [row[2] * abs(row[3] - row[5]) for row in table.rows]
    assert difference == sorted(difference, reverse=True)


def test_names_stand_beside_labels(three):
    assert three.classes("A").columns[:2] == ["class", "name"]
    names = {row[0]: row[1] for row in three.classes("A").rows}
    assert names == {"r": "", "a": "", "b": "", "x": "X-ray", "y": "", "z": "Zoo"}
    assert three.confusions("A").columns[:4] == ["true", "true name", "predicted", "predicted name"]
    assert three.confusions("A").rows == [("y", "", "x", "X-ray", 1, 2.0, (1,))]
    assert three.costs("A").rows[0][:2] == ("x", "X-ray")


def test_a_perfect_system_has_no_loss_to_share(three):
    assert all(math.isnan(row[4]) and row[3] == 1.0 for row in three.branches("C", "F_H").rows)
    assert three.confusions("C").rows == []
    assert three.costs("C").rows == []


def test_tables_as_frames_and_texts(three):
    for library in ("pandas", "polars"):
        frame = three.classes("A").to_frame(library)
        plain = three.classes("A", intervals=False).columns
        assert list(frame.columns) == [*plain, *(f"{r} 95% {end}" for r in "PRF" for end in ("low", "high"))]
        assert frame["F"].to_list() == [row[7] for row in three.classes("A").rows]
    assert "| a |" in three.classes("A").to_markdown()
    assert r"\begin{tabular}" in three.errors("A").to_latex()
    assert "undefined" in str(three.branches("C", "F_H"))


def test_what_cannot_be_answered_is_an_error(three, tmp_path):
    three.to_json(tmp_path / "e.json")
    stored = Evaluation.from_json(tmp_path / "e.json")
    for ask in ("levels", "classes", "branches", "errors", "hits", "confusions", "costs"):
        with pytest.raises(InvalidOption, match="does not hold its labels"):
            getattr(stored, ask)("A")
        with pytest.raises(InvalidOption, match="no system 'D'"):
            getattr(three, ask)("D")
    with pytest.raises(InvalidOption, match="different systems"):
        three.levels(["A", "A"])
    with pytest.raises(InvalidOption, match="different systems"):
        three.levels([])
    with pytest.raises(InvalidOption, match="on='sets'"):
        three.classes("A", on="sets")
    with pytest.raises(InvalidOption, match="no measure 'SDL'"):
        three.branches("A", "SDL")
    with pytest.raises(InvalidOption, match="level=-1"):
        three.branches("A", "F_H", level=-1)
    with pytest.raises(InvalidOption, match="F_H pairs no classes"):
        three.costs("A", "F_H")


def test_tables_do_not_depend_on_how_a_run_was_made(tmp_path, monkeypatch):
    """In memory, from a run folder, by workers, and from files that are read block by block."""
    from hemlp.instances.label_files import LabelFile

    rng = np.random.default_rng(0)
    h = Hierarchy.from_edges([(f"c{int(rng.integers(k))}", f"c{k}") for k in range(1, 40)])
    sides = [[[f"c{c}" for c in rng.choice(40, 3, replace=False)] for _ in range(90)] for _ in "tpq"]
    for name, side in zip("tpq", sides, strict=True):
        (tmp_path / f"{name}.txt").write_text("".join(" ".join(row) + "\n" for row in side))
    files = [LabelFile(tmp_path / f"{name}.txt") for name in "tpq"]
    runs = [
        evaluate(h, [set(row) for row in sides[0]], {"A": [set(row) for row in sides[1]], "B": sides[2]}, ["GIE"]),
        evaluate(h, files[0], {"A": files[1], "B": files[2]}, ["GIE"], resume=tmp_path / "run", chunk=20),
        evaluate(h, files[0], {"A": files[1], "B": files[2]}, ["GIE"], workers=2, chunk=20),
    ]
    monkeypatch.setattr("hemlp.results.inputs.BLOCK", 7)
    runs.append(evaluate(h, files[0], {"A": files[1], "B": files[2]}, ["GIE"]))
    names = ("levels", "classes", "branches", "errors", "hits", "costs", "confusions")
    asked = [[getattr(run, name)(system) for name in names for system in ("A", None)] for run in runs]
    for tables in asked[1:]:
        assert [repr(table.rows) for table in tables] == [repr(table.rows) for table in asked[0]]


def test_unknown_labels_count_as_the_policies_say():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    sides = [["a", "odd"], ["b"]], {"A": [["a", "new"], ["new"]]}
    ev = evaluate(h, *sides, ["F_H"], unknown="isolate")
    assert ("new", 0, 2, 0, 0.0, 0.0, 0.0) in ev.classes("A", intervals=False).rows
    assert ("odd", 1, 0, 0, 0.0, 0.0, 0.0) in ev.classes("A", intervals=False).rows
    assert ("elsewhere", 2, 2) in ev.errors("A", intervals=False).rows
    ev = evaluate(h, *sides, ["F_H"], unknown="drop", unknown_true="drop")
    assert {row[0] for row in ev.classes("A").rows} == {"r", "a", "b"}
    assert "true labels dropped" in ev.classes("A").notes[-1]


# ---- the command line


def asked(*arguments):
    result = CliRunner().invoke(commands, ["diagnose", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def of_loss(table, loss="SDL"):
    """Branches as the command shows them: the heads of shares say of what."""
    return replace(table, columns=[f"{head} of {loss}" if head.endswith("share") else head for head in table.columns])


def test_the_first_sentence_is_wrapped(tmp_path):
    (tmp_path / "h.txt").write_text("r a\nr b\na x\na y\nb z\n")
    (tmp_path / "gold.txt").write_text("x\ny\nz\nz\n")
    (tmp_path / "A.txt").write_text("x\nx\nz\na\n")
    told = asked(tmp_path / "h.txt", tmp_path / "gold.txt", f"{'system ' * 14}A={tmp_path / 'A.txt'}", "-m", "GIE")
    lead = told.split("\n\n")[0].splitlines()
    assert len(lead) > 1
    assert max(map(len, lead)) <= 100
    assert " ".join(lead).startswith(f"{'system ' * 14}A hits 2 of 4 true classes; ")


def test_the_command_shows_all_tables(three, tmp_path):
    (tmp_path / "h.txt").write_text("r a\nr b\na x\na y\nb z\n")
    (tmp_path / "gold.txt").write_text("x\ny\nz\nz\n")
    (tmp_path / "A.txt").write_text("x\nx\nz\nz\n")
    (tmp_path / "B.txt").write_text("x\ny\na\n\n")
    (tmp_path / "n.tsv").write_text("x\tX-ray\nz\tZoo\n")
    files = [tmp_path / name for name in ("h.txt", "gold.txt", "A.txt")]
    told = asked(*files, "--names", tmp_path / "n.tsv", "-m", "GIE", "--rows", 2)
    tables = [
        three.errors("A"),
        three.levels("A"),
        three.classes("A").head(2),
        of_loss(three.branches("A", "GIE", level=1), "GIE"),
    ]
    tables += [three.confusions("A"), three.costs("A")]
    for table in tables:
        assert str(table) in told
    short = asked(*files, "--names", tmp_path / "n.tsv", "-m", "GIE", "--rows", 2, "--digits", 2)
    for table in [three.levels("A"), three.classes("A").head(2)]:
        assert str(replace(table, digits=2)) in short
        assert str(table) not in short
    quiet = asked(*files, "--names", tmp_path / "n.tsv", "-m", "GIE", "--rows", 2, "-q")
    for table in tables:
        assert str(replace(table, notes=[note for note in table.notes if "of 6 rows" in note])) in quiet
        assert not any(note in quiet for note in table.notes if "rows" not in note)
    assert "branches of level 1, by GIE\n" in told
    assert "share of GIE\n" in told
    assert "\nclasses, with their ancestors\n" in told
    assert str(three.classes("A", on="labels").head(1)) in asked(
        *files, "--names", tmp_path / "n.tsv", "--rows", 1, "--on", "labels"
    )
    both = asked(*files, tmp_path / "B.txt", "-m", "F_H", "--level", 0, "--names", tmp_path / "n.tsv")
    for table in (
        three.levels(["A", "B"]),
        of_loss(three.branches(["A", "B"], "F_H", level=0)),
        three.confusions(["A", "B"]),
    ):
        assert str(table) in both
    assert three.levels("A").to_markdown() in asked(*files, "--format", "markdown")
    assert r"\begin{tabular}" in asked(*files, "--format", "latex")
    plain = asked(*files, "--no-intervals")
    assert "95%" not in plain
    assert str(three.levels("A", intervals=False)) in plain


def test_terms_of_an_ontology_have_names(tmp_path):
    terms = [("T:1", "root", None), ("T:2", "left: one", "T:1"), ("T:3", "right", "T:1")]
    text = "format-version: 1.2\n\n" + "".join(
        f"[Term]\nid: {term}\nname: {name}\n{f'is_a: {parent} ! x' if parent else ''}\n\n"
        for term, name, parent in terms
    )
    (tmp_path / "o.obo").write_text(text + "[Typedef]\nid: part_of\nname: part of\n")
    assert read_names(tmp_path / "o.obo") == {"T:1": "root", "T:2": "left: one", "T:3": "right"}
    (tmp_path / "gold.txt").write_text("T:2\n")
    (tmp_path / "A.txt").write_text("T:3\n")
    told = asked(tmp_path / "o.obo", tmp_path / "gold.txt", tmp_path / "A.txt")
    assert "T:2   left: one  T:3        right" in told


GENERAL, ABOVE = "of the kind 'too general'", " (ancestors of hits: 1)"
THREE = "'too general', 'sibling' and 'elsewhere'"
CELLS = Hierarchy.from_edges([("all", "A"), ("A", "a"), ("a", "a1"), ("A", "b"), ("all", "B")])


@pytest.mark.parametrize(
    ("true", "pred", "hits", "wrong", "worst"),
    [
        ("a1", "a1 a A", "1 of 1 true class", f"2 of its 2 wrong classes are {GENERAL} (ancestors of hits: 2)", ""),
        ("a1", "a1 a", "1 of 1 true class", f"its only wrong class is {GENERAL}{ABOVE}", ""),
        ("a1 b", "a1 A", "1 of 2 true classes", f"its only wrong class is {GENERAL}{ABOVE}", "2 (F 0.6667)"),
        ("a1 b", "b a", "1 of 2 true classes", f"its only wrong class is {GENERAL}", "3 (F 0.0000)"),
        ("a", "A b B", "0 of 1 true class", f"of its 3 wrong classes 1 each is {THREE}", "2 (F 0.0000)"),
        ("a1", "a1", "1 of 1 true class", "", ""),
    ],
)  # fmt: skip
def test_the_first_sentence(true, pred, hits, wrong, worst):
    """Ancestors of hits are told apart, a tie names all kinds, and no level is worst where all are perfect."""
    said = diagnosis_headline(evaluate(CELLS, [true.split()], {"p": [pred.split()]}, ["F_H"]), "p")
    expected = f"p hits {hits}{'; ' * bool(wrong)}{wrong}{'. It is worst at level ' * bool(worst)}{worst}."
    assert said == expected
