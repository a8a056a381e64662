"""Measures of the greatest scores (F_H@5) wherever a measure is taken, and how scores were cut, in the notes."""

from __future__ import annotations

import json
import math
import pickle

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner

from hemlp import (
    Batch,
    Evaluation,
    Hierarchy,
    LabelSets,
    RankedMeasure,
    ScoredSets,
    curve,
    evaluate,
    measure,
    metrics,
    ranked,
    read_measures,
    tune,
    write_measures,
)
from hemlp.analysis.scored.tuned_rule import Tuned
from hemlp.cli.main import commands
from hemlp.errors import HemlpError, InvalidOption, MisalignedSides, UncutScores, UnknownMeasure, UnscoredPredictions
from hemlp.run.study import Study
from hemlp.testing import check_measure
from tests.scored import World, gold_sets, world

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
GOLD = {"a": ["sheep"], "b": ["cow", "bird"], "c": ["bird"]}
SCORES = {"a": {"sheep": 0.9, "cow": 0.4}, "b": {"cow": 0.8, "sheep": 0.3, "bird": 0.3}, "c": {"sheep": 0.6}}
SETS = LabelSets.of(GOLD, rows="sets")


def greatest(w: World, name: str, k: int) -> list[str]:
    row = w.scores.get(name, {})
    return sorted(row, key=lambda c: (-row[c], c))[:k]


def aligned(w: World) -> ScoredSets:
    return ScoredSets.of(w.scores).take(w.gold)


def height(h: Hierarchy, c: str) -> int:
    graph = nx.DiGraph([(p, x) for x in h.labels for p in h.parents(x)])
    graph.add_nodes_from(h.labels)
    return nx.dag_longest_path_length(graph.subgraph({c, *h.descendants(c)}))


def distance(w: World, gold: list[str], first: list[str]) -> float:
    """The mean height of the lowest common ancestor with the nearest true class."""
    if not gold or not first:
        return math.nan
    each = [min((height(w.h, a) for t in gold for a in w.closed([p]) & w.closed([t])), default=math.inf) for p in first]
    return sum(each) / len(each)


# ---- values


@pytest.mark.parametrize("seed", range(12))
def test_evaluations_by_the_greatest_scores_are_their_definition(seed):
    w = world(seed)
    names = ["F_H@1", "P@2", "R@2", "F_LCA@2", "GIE@3", "F_H(top=True)@2", "distance@3"]
    ev = evaluate(w.h, gold_sets(w), {"A": aligned(w)}, names, undefined="nan", chunk=2)
    for name in names:
        text, k = name.split("@")
        wanted = []
        for i, gold in w.gold.items():
            first = greatest(w, i, int(k))
            each = distance(w, gold, first) if text == "distance" else float(measure(text).score(w.h, gold, first))
            wanted.append(each)
        assert ev.per_instance("A", name).tolist() == pytest.approx(wanted, nan_ok=True)
        defined = [v for v in wanted if not math.isnan(v)]
        assert ev.mean("A", name) == pytest.approx(
            math.fsum(defined) / len(defined) if defined else math.nan, nan_ok=True
        )
        assert f"{text.partition('(')[0]}@{k}|" in ev.scores["A"][name].signature
    other = ranked(w.h, gold_sets(w), aligned(w), names, undefined="nan")
    for name in names:
        assert np.array_equal(other.per_instance(name), ev.per_instance("A", name), equal_nan=True)


@pytest.mark.parametrize("seed", range(8))
def test_sets_and_greatest_scores_in_one_run(seed):
    w = world(seed, empty_gold=False)
    s = aligned(w)
    both = evaluate(w.h, gold_sets(w), {"A": s.at(0.3)}, ["F_H", "F_H@2"], workers=1)
    for name, each in (("F_H", s.at(0.3)), ("F_H@2", s)):
        assert both.per_instance("A", name).tolist() == evaluate(w.h, gold_sets(w), {"A": each}, [name]).per_instance(
            "A", name
        ).tolist()  # fmt: skip


def test_scores_of_unknown_classes_are_dropped_before_the_greatest_are_taken():
    s = ScoredSets.of([{"yeti": 0.9, "sheep": 0.5, "cow": 0.4}])
    with pytest.raises(HemlpError, match="yeti"):
        evaluate(H, [["sheep"]], {"A": s}, ["P@1"])
    assert evaluate(H, [["sheep"]], {"A": s}, ["P@1"], unknown="drop").mean("A", "P@1") == 1
    assert evaluate(H, [["sheep"]], {"A": s}, ["P@1"], unknown="isolate").mean("A", "P@1") == 0
    two = ScoredSets.of([{"yeti": 0.9, "sheep": 0.5}, {"cow": 0.4}])
    both = evaluate(H, [["sheep"], ["yeti"]], {"A": two}, ["P@1"], unknown="drop", unknown_true="isolate")
    assert both.per_instance("A", "P@1").tolist() == [1, 0]
    assert ranked(H, [["sheep"], ["yeti"]], two, "P@1", unknown="drop", unknown_true="isolate").mean("P@1") == 0.5
    # what is below the cut is nobody's prediction, and is not looked up
    assert (
        evaluate(H, [["sheep"]], {"A": ScoredSets.of([{"yeti": 0.1, "sheep": 0.5}]).at(0.3)}, ["F"]).mean("A", "F") == 1
    )


def test_two_names_of_one_class_are_one():
    h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")], aliases={"ewe": "sheep"})
    s = ScoredSets.of([{"ewe": 0.9, "cow": 0.5, "sheep": 0.4}], repeated="max")
    assert evaluate(h, [["cow", "sheep"]], {"A": s}, ["R@2"]).mean("A", "R@2") == 1
    with pytest.raises(HemlpError, match="names of one class"):
        evaluate(h, [["cow"]], {"A": ScoredSets.of([{"ewe": 0.9, "sheep": 0.4}])}, ["R@2"])


def test_the_distance_of_sets():
    assert measure("distance").score(H, ["sheep"], ["cow", "bird"]) == 1.5
    apart = Hierarchy.from_edges([("a", "b"), ("c", "d")])
    assert measure("distance").score(apart, ["b"], ["b", "d"]) == math.inf
    assert measure("distance(cost='shortest_path')").score(H, ["sheep"], ["cow"]) == 2
    with pytest.raises(HemlpError, match="a side is empty"):
        measure("distance").score(H, ["sheep"], [])
    model = measure("distance@2").model(H, ["sheep", "bird"], {"cow": 0.9, "sheep": 0.5, "bird": 0.1})
    assert model.solve(solver="milp").objective == model.solve().objective == 1


# ---- texts


@pytest.mark.parametrize("text", ["F_H@5", "F_H(beta=2)@3", "distance@1", "SetMeasure('near', augment='ancestors')@2"])
def test_texts_of_the_greatest_scores_read_back(text):
    m = measure(text)
    assert isinstance(m, RankedMeasure)
    assert measure(str(m)) == m == read_measures(write_measures([m]))[0] == pickle.loads(pickle.dumps(m))
    assert hash(measure(str(m))) == hash(m)
    assert m.name.endswith(f"@{m.k}")
    assert m.signature.startswith(m.name + "|")
    assert measure("F_H@3", beta=2) == measure("F_H(beta=2)@3") == measure("F_H@3").changed(beta=2)


def test_what_is_no_text_of_the_greatest_scores():
    for bad in ("F_H@0", "@5", "F_H@x", "F_H@", "F_H@2@3", "F_H@-1", "nothing@5", "F_H@2.5"):
        with pytest.raises(UnknownMeasure):
            measure(bad)
    with pytest.raises(UnknownMeasure):
        RankedMeasure(measure("F_H"), 0)
    with pytest.raises(InvalidOption):
        RankedMeasure(measure("F_H@2"), 2)
    for function in (curve, tune):
        with pytest.raises(InvalidOption, match="uses the greatest scores and no threshold"):
            function(H, SETS, SCORES, measure("F_H@2") if function is tune else ["F_H@2"])


# ---- where there are no scores, or no cut


def test_label_sets_have_no_greatest_scores():
    with pytest.raises(UnscoredPredictions, match=r"F_H@2 needs scores, but A has none: give hemlp.ScoredSets"):
        evaluate(H, [["sheep"]], {"A": [["cow"]]}, ["F_H", "F_H@2"])
    with pytest.raises(UnscoredPredictions):
        evaluate(H, [["sheep"]], {"A": LabelSets.of([["cow"]])}, ["F_H@2"])
    with pytest.raises(UnscoredPredictions):
        measure("F_H@2").score(Batch.of(H, [["sheep"]], [["cow"]]))
    with pytest.raises(HemlpError, match="score"):
        measure("F_H@2").score(H, ["sheep"], ["cow"])
    with pytest.raises(InvalidOption):
        measure("F_H@2").score(H, ["sheep"], None)


def test_scores_that_are_not_cut_are_no_label_sets():
    s = ScoredSets.of(SCORES)
    with pytest.raises(UncutScores, match=r"F_H needs label sets, but A has scores: .*s.at\(0.3\)"):
        evaluate(H, SETS, {"A": s}, ["F_H", "F_H@2"])
    with pytest.raises(UncutScores):
        measure("F_H").score(Batch.of(H, SETS, s))
    ev = evaluate(H, SETS, {"A": s}, ["F_H@2"])
    for question in (ev.levels, ev.classes, ev.errors, ev.hits):
        with pytest.raises(UncutScores):
            question("A")
    with pytest.raises(HemlpError, match="scores"):
        evaluate(H, s, {"A": s}, ["F_H@2"])
    assert ev.cuts == {"A": "scores that are not cut: labels are all scored classes"}


# ---- everywhere


def test_results_hold_the_greatest_scores_as_any_measure(tmp_path):
    s = ScoredSets.of(SCORES)
    ev = evaluate(H, SETS, {"A": s.at(0.5), "B": s.top(2)}, ["F_H", "F_H@2", "distance@1"], resume=tmp_path / "run")
    again = evaluate(H, SETS, {"A": s.at(0.5), "B": s.top(2)}, ["F_H", "F_H@2", "distance@1"], resume=tmp_path / "run")
    assert again.table() == ev.table()
    assert ev.mean("B", "F_H") == ev.mean("A", "F_H@2") == ev.mean("B", "F_H@2")
    assert ev.mean("A", "F_H@2", "micro") == evaluate(H, SETS, {"B": s.top(2)}, ["F_H"]).mean("B", "F_H", "micro")
    assert ev.mean("A", "distance@1", "where_wrong") == 2
    ev.to_json(tmp_path / "ev.json")
    back = Evaluation.from_json(tmp_path / "ev.json")
    assert back.per_instance("A", "F_H@2").tolist() == ev.per_instance("A", "F_H@2").tolist()
    assert back.mean("A", "F_H@2", "micro") == ev.mean("A", "F_H@2", "micro")
    assert (back.cuts, back.ids) == (ev.cuts, ("a", "b", "c"))
    assert ev.to_columns()["id"][:4] == ["a", "b", "c", "a"]
    explained = ev.explain("A", id="b", measures=["F_H@2"]).parts[0]
    assert explained.values["F_H@2"] == ev.per_instance("A", "F_H@2")[1]
    uncut = evaluate(H, SETS, {"A": s}, ["F_H@1", "P@2"])
    assert "sheep" not in str(uncut.explain("A", id="b", measures=["P@2"]).to_dict()["predicted"])
    uncut.to_html(tmp_path / "page.html")
    assert "scores that are not cut" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_metrics_take_scores_for_the_greatest_ones():
    metric = metrics.Metric("F_H@1", hierarchy=H)
    metric.update([["sheep"], ["bird"]], [{"sheep": 0.9, "cow": 0.1}, {"sheep": 0.6}])
    assert metric.compute() == pytest.approx((1 + 2 / 5) / 2)
    table = metrics.Metric("P@1", hierarchy=H, labels=["sheep", "cow", "bird"])
    table.update([[1, 0, 0], [0, 1, 1]], [[0.9, 0.1, 0.0], [0.1, 0.2, 0.3]])
    assert table.compute() == 1
    micro = metrics.Metric("P@2", hierarchy=H, average="micro")
    micro.update([["sheep"], ["bird"]], [{"sheep": 0.9, "cow": 0.1}, {"sheep": 0.6}])
    assert micro.compute() == pytest.approx(1 / 3)


def test_conformance_of_a_measure_of_the_greatest_scores_needs_scores():
    with pytest.raises(HemlpError, match="score"):
        check_measure(measure("F_H@2"), count=2)


# ---- the command line, and how scores were cut


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.txt").write_text("animal mammal\nmammal sheep\nmammal cow\nanimal bird\n")
    (tmp_path / "gold.tsv").write_text("".join(f"{i}\t{c}\n" for i, row in GOLD.items() for c in row))
    lines = "".join(f"{i}\t{c}\t{v}\n" for i, row in SCORES.items() for c, v in row.items())
    (tmp_path / "s.tsv").write_text(lines)
    (tmp_path / "dev.tsv").write_text(lines.replace("0.9", "0.95"))
    (tmp_path / "labels.csv").write_text("id,label\n" + "".join(f"{i},{c}\n" for i, row in GOLD.items() for c in row))
    return tmp_path


def run(*arguments: str):
    return CliRunner().invoke(commands, arguments, catch_exceptions=True)


def test_the_command_line_takes_the_greatest_scores(files):
    wanted = evaluate(H, SETS, {"A": ScoredSets.of(SCORES)}, ["F_H@2", "distance@2"])
    done = run(
        "evaluate",
        "h.txt",
        "gold.tsv",
        "A=s.tsv",
        "-m",
        "F_H@2,distance@2",
        "--json",
        "out.json",
        "--per-instance",
        "rows",
    )
    assert done.exit_code == 0, done.exception
    data = json.loads((files / "out.json").read_text())
    assert data["systems"]["A"] == {name: wanted.mean("A", name) for name in ("F_H@2", "distance@2")}
    assert data["ids"] == ["a", "b", "c"]
    assert (files / "rows" / "A.csv").read_text().startswith("id,F_H@2,distance@2,F_H@2.predicted")
    mixed = run("evaluate", "h.txt", "gold.tsv", "A=s.tsv@0.5", "-m", "F_H,F_H@2")
    assert f"{wanted.mean('A', 'F_H@2'):.4f}" in mixed.output
    assert isinstance(
        run("evaluate", "h.txt", "gold.tsv", "labels.csv", "-m", "F_H,F_H@2").exception, UnscoredPredictions
    )
    assert isinstance(run("evaluate", "h.txt", "gold.tsv", "labels.csv", "-m", "F_H@2").exception, HemlpError)
    assert run("explain", "h.txt", "gold.tsv", "s.tsv", "-m", "F_H@2", "--id", "b").exit_code == 0
    assert "instance 2 (b)" in run("explain", "h.txt", "gold.tsv", "s.tsv", "-m", "F_H@2", "--id", "b").output
    assert "Minimize" in run("model", "h.txt", "gold.tsv", "s.tsv", "-m", "GIE@2", "--id", "b").output
    assert isinstance(run("explain", "h.txt", "gold.tsv", "s.tsv@0.5", "--id", "bb").exception, InvalidOption)
    assert isinstance(
        run("explain", "h.txt", "gold.tsv", "s.tsv@0.5", "--id", "b", "--row", "1").exception, InvalidOption
    )


def test_a_study_takes_the_greatest_scores(files):
    (files / "study.toml").write_text(
        'hierarchy = "h.txt"\ntrue = "gold.tsv"\nmeasures = ["F_H@2", "near@1"]\n[systems]\nA = "s.tsv"\n'
        '[[measure]]\nname = "near"\naugment = "ancestors"\nhorizon = 1\n'
        '[[measure]]\nname = "P"\nat = 2\n'
    )
    ev = Study.read("study.toml").run()
    assert ev.measures == ["F_H@2", "near@1", "P@2"]
    near = evaluate(H, SETS, {"A": ScoredSets.of(SCORES)}, ["SetMeasure('near', augment='ancestors', horizon=1)@1"])
    assert ev.mean("A", "near@1") == near.mean("A", near.measures[0])


def cut_note(ev: Evaluation, tmp_path) -> str:
    """The note of A's cut, which has to be wherever notes are."""
    note = f"A: {ev.cuts['A']}"
    assert note in ev.notes()
    assert note in str(ev).replace("\n  ", " ")  # which are wrapped there
    assert note in ev.table().notes
    assert ev.cuts["A"] in ev.table().to_markdown().replace("\\", "")
    assert ev.cuts["A"].split(",")[0].split("≥")[0][:20] in ev.table().to_latex().replace("\\", "")
    ev.to_json(tmp_path / "note.json")
    assert Evaluation.from_json(tmp_path / "note.json").notes() == ev.notes()
    ev.to_html(tmp_path / "note.html")
    assert ev.cuts["A"] in (tmp_path / "note.html").read_text(encoding="utf-8")
    return ev.cuts["A"]


def test_notes_say_how_scores_were_cut(tmp_path):
    shifted = {name: {label: value + 0.01 for label, value in row.items()} for name, row in SCORES.items()}
    s, dev = ScoredSets.of(SCORES), ScoredSets.of(shifted, source="dev.tsv")
    other = tune(H, SETS, dev, "F_H", by="all")
    same = tune(H, SETS, s, "F_LCA", by="all")
    folds = tune(H, SETS, s, "F_H", folds=3)
    wanted = {
        "classes whose score is at least 0.3": s.at(0.3),
        "classes whose score is at least the threshold of the class": s.at({}, default=0.3),
        "the 2 greatest scores of an instance": s.top(2),
        "the greatest score of an instance": s.top(1),
        f"threshold {other.threshold!r}, tuned by F_H on 3 instances of dev.tsv ({other.value:.4f} there)": s.at(other),
        f"threshold {same.threshold!r}, tuned by F_LCA on 3 instances of the scores ({same.value:.4f} there), the data "
        "that is evaluated: optimistic": s.at(same),
    }  # fmt: skip
    for words, sets in wanted.items():
        assert cut_note(evaluate(H, SETS, {"A": sets}, ["F_H"]), tmp_path) == words
    note = cut_note(evaluate(H, SETS, {"A": s.at(folds)}, ["F_H"]), tmp_path)
    assert "tuned by F_H, cross-validated in 3 folds of 3 instances" in note
    assert "optimistic" not in note
    assert evaluate(H, SETS, {"A": GOLD}, ["F_H"]).cuts == {}


def test_data_that_thresholds_were_chosen_on_is_known_again(tmp_path):
    s = ScoredSets.of(SCORES)
    turned = ScoredSets.of({name: dict(reversed(row.items())) for name, row in reversed(SCORES.items())})
    t = tune(H, SETS, s, "F_H")
    t.to_json(tmp_path / "t.json")
    back = Tuned.from_json(tmp_path / "t.json")
    for each in (t, back):
        assert "optimistic" in str(turned.at(each).cut)
        assert "optimistic" in str(s.take([*GOLD, "without scores"]).at(each).cut)
        for part, words in (
            ({**SCORES, "d": {"cow": 0.1}}, "3 of which are evaluated, too: optimistic"),
            ({"a": SCORES["a"], "b": {"cow": 0.123}}, "1 of which is evaluated, too: optimistic"),
            ({name: {**row, "cow": 0.123} for name, row in SCORES.items()}, "there)"),
            ({f"another {name}": row for name, row in list(SCORES.items())[1:]}, "there)"),
        ):
            assert str(ScoredSets.of(part).at(each).cut).endswith(words)
        assert str(ScoredSets.of(list(SCORES.values())[1:]).at(each).cut).endswith("there)")  # without ids: who knows?
    bare = tune(H, list(GOLD.values()), list(SCORES.values()), "F_H")
    assert bare.rows is None
    assert "optimistic" in str(ScoredSets.of(list(SCORES.values())).at(bare).cut)
    assert str(ScoredSets.of(SCORES).take(["a", "b"]).at(bare).cut).endswith("there)")
    old = json.loads((tmp_path / "t.json").read_text())
    del old["data"], old["rows"]
    (tmp_path / "old.json").write_text(json.dumps(old))
    assert Tuned.from_json(tmp_path / "old.json").data is None


def test_runs_of_files_say_how_scores_were_cut(files):
    done = run(
        "evaluate", "h.txt", "gold.tsv", "A=s.tsv@tuned", "B=s.tsv@0.5", "-m", "F_H", "--dev-true", "gold.tsv",
        "--dev", "A=dev.tsv", "--resume", "folder", "--table", "t.md", "--tune-by", "F_LCA",
    )  # fmt: skip
    assert done.exit_code == 0, done.exception
    told = "top 2, tuned by F_LCA on 3 instances of dev.tsv (0.7333 there), 2 of which are evaluated, too: optimistic\n"
    assert told in done.output.replace("\n  ", " ")
    assert "B: classes whose score is at least 0.5" in (files / "t.md").read_text()
    assert "tuned by F_LCA on 3 instances of dev.tsv" in (files / "folder" / "run.json").read_text()
    same = run(
        "evaluate", "h.txt", "gold.tsv", "A=s.tsv@tuned", "-m", "F_H", "--dev-true", "gold.tsv", "--dev", "A=s.tsv"
    )
    assert "the data that is evaluated: optimistic" in same.output.replace("\n  ", " ")
    (files / "study.toml").write_text(
        'hierarchy = "h.txt"\ntrue = "gold.tsv"\nmeasures = ["F_H"]\n[systems]\nA = "s.tsv@tuned"\n'
        '[tuning]\nmeasure = "F_LCA"\nfolds = 3\n'
    )
    folded = run("run", "study.toml").output.replace("\n  ", " ")
    assert "tuned by F_LCA, cross-validated in 3 folds of 3 instances of" in folded
    folder = run(
        "evaluate",
        "h.txt",
        "gold.tsv",
        "A=s.tsv@tuned",
        "B=s.tsv@0.5",
        "-m",
        "F_H",
        "--folds",
        "3",
        "--resume",
        "folder",
    )
    assert isinstance(folder.exception, HemlpError)


def test_scores_of_other_instances_stay_an_error():
    with pytest.raises(MisalignedSides):
        evaluate(H, SETS, {"A": ScoredSets.of({"x": {"cow": 1.0}})}, ["F_H@2"])
