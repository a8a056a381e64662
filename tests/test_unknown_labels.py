"""Dropping unknown labels: that of true ones is a choice of its own, which is counted and shown beside every mean."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import hemlp
from hemlp import Batch, Hierarchy, compare_exact_greedy, evaluate, read_labels
from hemlp.errors import InvalidLabelSets, RunMismatch, UnknownLabel
from hemlp.instances.label_files import LabelFile
from hemlp.run.study import Study

H = Hierarchy.from_edges([("root", "A"), ("root", "B"), ("A", "a1"), ("A", "a2"), ("B", "b1")])


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content)
    return path


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hemlp", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


TRUE = [["a1", "unicorn"], ["griffin"], ["b1"]]
SYSTEMS = {"one": [["a1"], [], ["b1"]], "two": [["a2", "dragon"], ["dragon"], ["b1"]]}


def test_dropped_true_labels_stand_beside_every_mean(tmp_path):
    ev = evaluate(H, TRUE, SYSTEMS, ["F", "F_LCA"], unknown="drop", unknown_true="drop")
    facts = ev.facts["two"]
    assert [facts[k] for k in ("true labels dropped", "true labels isolated", "true sets emptied")] == [2, 0, 1]
    assert [facts[k] for k in ("predicted labels dropped", "predicted labels isolated", "predictions emptied")] == [
        2,
        0,
        1,
    ]
    assert (facts["unknown labels"], facts["empty predictions"]) == (4, 1)
    made = ev.table()
    assert made.columns[-1] == "true labels dropped"
    assert [row[-1] for row in made.rows] == ["2 (1 left empty)", "2 (1 left empty)"]
    for text in (str(made), made.to_markdown(), made.to_latex(), made._repr_html_()):
        assert "true labels dropped" in text
        assert text.count("2 (1 left empty)") == 2
    assert "one: 2 unknown labels (true labels dropped: 2; true sets emptied: 1)" in ev.notes()
    assert any("predicted labels dropped: 2; predictions emptied: 1; true labels" in note for note in ev.notes())
    assert all("|unknown:drop|unknown_true:drop|missing:error" in ev.scores["one"][m].signature for m in ev.measures)
    for other in (ev.compare("one", "two"), ev.significance("F"), ev.kendall()):
        assert other.notes[-1] == "true labels dropped: one 2 (1 left empty), two 2 (1 left empty)"
    ev.to_json(tmp_path / "e.json")
    assert json.loads((tmp_path / "e.json").read_text())["facts"]["one"]["true labels dropped"] == 2
    assert hemlp.Evaluation.from_json(tmp_path / "e.json").table() == made
    ev.to_html(tmp_path / "e.html")
    page = (tmp_path / "e.html").read_text()
    assert page.count(">2 (1 left empty)</td>") == 2
    assert "true labels dropped</button>" in page


def test_nothing_is_said_where_nothing_was_dropped():
    for true, options in (([["a1"], [], ["b1"]], {"unknown": "drop", "unknown_true": "drop"}),
                          (TRUE, {"unknown": "isolate"})):  # fmt: skip
        ev = evaluate(H, true, SYSTEMS, ["F"], **options)
        assert ev.table().columns[-1] == "labels"
        assert "dropped" not in str(ev.compare("one", "two"))
    assert ev.facts["two"]["true labels isolated"] == ev.facts["two"]["predicted labels isolated"] == 2
    assert ev.facts["two"]["true sets emptied"] == ev.facts["two"]["predictions emptied"] == 0


@pytest.mark.parametrize("unknown", ["drop", "isolate"])
@pytest.mark.parametrize("unknown_true", ["drop", "isolate"])
def test_streamed_files_count_the_same(tmp_path, monkeypatch, unknown, unknown_true):
    monkeypatch.setattr("hemlp.results.inputs.BLOCK", 2)
    gold, pred = (
        [["a1", "unicorn"], ["griffin"], ["b1"], ["dragon"], []] * 2,
        [["a1"], [], ["unicorn"], ["dragon"], ["A"]] * 2,
    )
    files = [
        write(tmp_path, n, "".join(" ".join(row) + "\n" for row in rows))
        for n, rows in (("g.txt", gold), ("p.txt", pred))
    ]
    options = {"unknown": unknown, "unknown_true": unknown_true}
    whole = evaluate(H, gold, pred, ["F", "hamming"], **options)
    streamed = evaluate(H, LabelFile(files[0]), LabelFile(files[1]), ["F", "hamming"], chunk=3, **options)
    assert streamed.to_dict() == whole.to_dict()
    assert whole.facts["system"][f"true labels {'dropped' if unknown_true == 'drop' else 'isolated'}"] == 6
    with pytest.raises(UnknownLabel, match=r"g\.txt, row 1: label 'unicorn'"):
        evaluate(H, LabelFile(files[0]), LabelFile(files[1]), ["F"], unknown=unknown, unknown_true="error")


def test_a_run_folder_belongs_to_one_choice(tmp_path):
    evaluate(H, TRUE, SYSTEMS, ["F"], unknown="drop", unknown_true="drop", resume=tmp_path / "run")
    evaluate(H, TRUE, SYSTEMS, ["F"], unknown="drop", unknown_true="drop", resume=tmp_path / "run")
    with pytest.raises(RunMismatch, match="options"):
        evaluate(H, TRUE, SYSTEMS, ["F"], unknown="drop", unknown_true="isolate", resume=tmp_path / "run")
    clean = [["a1"], [], ["b1"]]
    evaluate(H, clean, SYSTEMS, ["F"], unknown="drop", resume=tmp_path / "other")
    evaluate(H, clean, SYSTEMS, ["F"], unknown="drop", unknown_true="error", resume=tmp_path / "other")
    with pytest.raises(RunMismatch, match="options"):
        evaluate(H, clean, SYSTEMS, ["F"], unknown="drop", unknown_true="drop", resume=tmp_path / "other")


def test_exact_against_greedy_says_what_was_dropped():
    with pytest.raises(UnknownLabel, match="unknown_true='drop'"):
        compare_exact_greedy(H, TRUE, SYSTEMS["two"], unknown="drop")
    gap = compare_exact_greedy(H, TRUE, SYSTEMS["two"], unknown="drop", unknown_true="drop")
    assert "2 unknown true labels, 1 true sets emptied" in str(gap)
    assert "2 unknown predicted labels, 1 predictions emptied" in str(gap)
    assert [gap.to_dict()[k] for k in ("unknown true labels", "true sets emptied")] == [2, 1]
    clean = compare_exact_greedy(H, ["a1"], ["a2"])
    assert "unknown" not in str(clean)


# ---- the command line


def test_the_command_line_drops_true_labels_only_if_told_to(tmp_path):
    h = write(tmp_path, "h.tsv", "all\tNew York\nall\tBoston\n")
    torn = write(tmp_path, "torn.txt", "New York\nBoston\n")
    out = run("evaluate", h, torn, f"s={torn}", "-m", "F", "--unknown", "drop")
    assert (out.returncode, out.stdout) == (2, "")
    assert "torn.txt, row 1: label 'New' is not in the hierarchy, but 'New York' is" in out.stderr
    gold, pred = (
        write(tmp_path, "gold.txt", "Boston Atlantis\nAtlantis\n"),
        write(tmp_path, "pred.txt", "Boston\nEldorado\n"),
    )
    out = run("evaluate", h, gold, pred, "-m", "F", "--unknown", "drop")
    assert (out.returncode, out.stdout) == (2, "")
    assert "gold.txt, row 1: label 'Atlantis' is not in the hierarchy" in out.stderr
    assert "choose --unknown-true isolate to" in out.stderr
    assert "or --unknown-true drop to leave such true labels out of every score" in out.stderr
    out = run(
        "evaluate",
        h,
        gold,
        pred,
        "-m",
        "F",
        "--unknown",
        "drop",
        "--unknown-true",
        "drop",
        "--json",
        tmp_path / "e.json",
    )
    assert out.returncode == 0, out.stderr
    assert "2 (1 left empty)" in out.stdout
    assert json.loads((tmp_path / "e.json").read_text())["facts"]["pred"]["true sets emptied"] == 1
    streamed = run(
        "evaluate", h, gold, pred, "-m", "F", "--unknown", "drop", "--unknown-true", "drop", "--memory", "2GB"
    )
    assert streamed.stdout == out.stdout
    out = run("evaluate", h, h, pred)
    assert (out.returncode, "is given as the hierarchy and as labels" in out.stderr) == (2, True)


@pytest.mark.parametrize("command", ["explain", "model", "compare-exact"])
def test_every_command_has_the_choice(tmp_path, command):
    h = write(tmp_path, "h.txt", "all Boston\nall York\n")
    gold, pred = write(tmp_path, "gold.txt", "Boston Atlantis\n"), write(tmp_path, "pred.txt", "York\n")
    out = run(command, h, gold, pred, "--unknown", "drop")
    assert (out.returncode, "--unknown-true drop" in out.stderr) == (2, True)
    assert run(command, h, gold, pred, "--unknown-true", "drop").returncode == 0


def test_a_study_has_the_choice(tmp_path):
    write(tmp_path, "h.txt", "all Boston\n")
    write(tmp_path, "gold.txt", "Boston Atlantis\n")
    study = 'hierarchy = "h.txt"\ntrue = "gold.txt"\nmeasures = ["F"]\n[systems]\ns = "gold.txt"\n[options]\n'
    study += 'unknown = "drop"\n'
    with pytest.raises(UnknownLabel, match="gold.txt, row 1: label 'Atlantis'"):
        Study.read(write(tmp_path, "study.toml", study)).run()
    ev = Study.read(write(tmp_path, "study.toml", study + 'unknown_true = "drop"\n')).run()
    assert ev.facts["s"]["true labels dropped"] == 1


def test_when_every_true_label_is_dropped_nothing_is_scored():
    """Both sides would be empty, and perfect."""
    h = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    with pytest.raises(InvalidLabelSets, match="none of the 2 true labels is in the hierarchy"):
        evaluate(h, [["x"], ["y"]], {"s": [["x"], ["y"]]}, ["F_H"], unknown="drop", unknown_true="drop")
    assert evaluate(h, [["x"], ["a"]], {"s": [["a"], ["a"]]}, ["F_H"], unknown_true="drop").mean("s", "F_H") == 0.5


def test_instances_without_any_label_are_noted():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    ev = evaluate(h, [["a"], [], ["b"], []], {"s": [["b"], [], ["b"], ["a"]], "t": [["a"]] * 4}, ["F_H"])
    assert "s: 1 instance has neither true nor predicted labels, which counts as perfect" in ev.notes()
    assert not [note for note in ev.notes() if note.startswith("t: ")]


def test_codes_a_table_and_an_ambiguous_name():
    go = Hierarchy.from_edges([("GO:0008150", "GO:0009987"), ("GO:0008150", "GO:0040007")])
    for label, near in (("GO:0009988", []), ("go:0009987", ["GO:0009987"]), ("GO_0009987", ["GO:0009987"])):
        with pytest.raises(UnknownLabel) as caught:
            Batch.of(go, [["GO:0009987"]], [[label]])
        assert list(caught.value.near) == near
    h = Hierarchy.of({"id": [1, 2, 3, 4], "parent": [None, 1, 1, 2], "name": ["E", "C", "P", "P"]})
    with pytest.raises(UnknownLabel, match="'P' is the name of 2 classes: .*, or a path: 'E > P'"):
        Batch.of(h, [["C"]], [["P"]])


def test_a_table_in_a_text_file(tmp_path):
    (tmp_path / "g.txt").write_text("sku,category\n1,cow\n")
    h = Hierarchy.from_edges([("animal", "cow")])
    with pytest.raises(UnknownLabel, match=r"looks like a table: name the file .csv .*format='table'"):
        Batch.of(h, read_labels(tmp_path / "g.txt"), [["cow"], ["cow"]])


def test_the_gold_standard_is_looked_up_once(monkeypatch):
    asked = []
    given = Hierarchy.look_up
    monkeypatch.setattr(Hierarchy, "look_up", lambda h, labels: (asked.append(tuple(labels)), given(h, labels))[1])
    h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    systems = {"A": [["cow"], ["cow"]], "B": [["sheep"], ["animal"]], "C": [["yeti"], ["animal"]]}
    ev = evaluate(h, [["sheep", "griffin"], ["cow"]], systems, ["F_H"], unknown="drop", unknown_true="drop")
    assert asked.count(("sheep", "griffin", "cow")) == 1
    assert {name: facts["true labels dropped"] for name, facts in ev.facts.items()} == {"A": 1, "B": 1, "C": 1}
    alone = [
        evaluate(h, [["sheep", "griffin"], ["cow"]], labels, ["F_H"], unknown="drop", unknown_true="drop")
        for labels in systems.values()
    ]
    assert [ev.mean(name, "F_H") for name in systems] == [each.mean("system", "F_H") for each in alone]


@pytest.mark.parametrize("unknown", ["drop", "isolate"])
@pytest.mark.parametrize(("label", "other"), [("1", 1), (1, "1")])
def test_labels_of_another_type_are_no_unknown_ones(unknown, label, other):
    """A side of integers was dropped as a whole, and scored 0."""
    h = Hierarchy.from_edges([("root", label), ("root", "b")])
    with pytest.raises(InvalidLabelSets, match=f"{other!r} is unknown, and looks like the class {label!r} .* convert"):
        evaluate(h, [[label]], [[other]], ["F"], unknown=unknown)
    assert evaluate(h, [[label]], [[other]], ["F"], unknown=unknown, rows="sets").mean("system", "F") == 0


def test_accents_that_are_signs_of_their_own():
    with pytest.raises(UnknownLabel, match="is not in the hierarchy, but '\xe9' is, .*normalize both sides to NFC"):
        evaluate(Hierarchy.from_edges([("root", "\xe9")]), [["\xe9"]], [["e\u0301"]], ["F"])


@pytest.mark.parametrize("label", ["e\u0301", "\xe9 ", "\ufeff\xe9", "\xe9\u200b", '"\xe9"', "\xe9,", "['\xe9']"])
@pytest.mark.parametrize("unknown", ["drop", "isolate"])
def test_classes_in_other_signs_are_no_unknown_labels(unknown, label):
    """Byte order marks, quotes and commas made a label unknown, and unknown labels were left out."""
    h = Hierarchy.from_edges([("root", "\xe9"), ("root", "b")])
    with pytest.raises(InvalidLabelSets, match="looks like the class '\xe9' in other signs: clean one side"):
        evaluate(h, [["\xe9"]], [[label]], ["F"], unknown=unknown)
    assert evaluate(h, [["\xe9"]], [[label]], ["F"], unknown=unknown, rows="sets").mean("system", "F") == 0
