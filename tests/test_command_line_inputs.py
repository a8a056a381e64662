"""What the command line takes: measures from files, changed studies, standard input, matrices, new folders."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from hemlp import Evaluation, LabelSets, evaluate, measure, read_labels, read_measures, write_measures
from hemlp.cli.main import commands
from hemlp.errors import FileFormatError, HemlpError, UnknownMeasure, UnreadableFile
from hemlp.run.study import Study
from tests.processes import ROOT

EDGES = "animal mammal\nmammal sheep\nmammal cow\nanimal bird\n"
GOLD = {"a": ["sheep"], "b": ["cow", "bird"], "c": []}
PRED = {"a": ["cow"], "b": ["cow"], "c": ["bird"]}


def table(sets: dict[str, list[str]]) -> str:
    return "id,label\n" + "".join(f"{i},{c}\n" for i, row in sets.items() for c in row or [""])


def matrix(sets: dict[str, list[str]], sep: str = ",", names: tuple[str, ...] = ("sheep", "cow", "bird")) -> str:
    rows = [[i, *(str(int(c in row)) for c in names)] for i, row in sets.items()]
    return "".join(sep.join(row) + "\n" for row in [["id", *names], *rows])


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.txt").write_text(EDGES)
    (tmp_path / "gold.csv").write_text(table(GOLD))
    (tmp_path / "pred.csv").write_text(table(PRED))
    (tmp_path / "mine.toml").write_text(write_measures([measure("F_H(horizon=1)"), measure("GIE(default_cost=3)")]))
    (tmp_path / "one.toml").write_text(
        '[[measure]]\nname = "mild"\npredicted = [0, 1]\ntrue = [1, 1]\ndefault_cost = 2\n'
    )
    return tmp_path


def run(*arguments: str, input: str | bytes | None = None) -> tuple[int, str]:
    done = CliRunner().invoke(commands, arguments, input=input)
    if isinstance(done.exception, HemlpError):
        return done.exception.exit_code, str(done.exception)
    return done.exit_code, done.output


WANTED = evaluate(
    [line.split() for line in EDGES.splitlines()],
    LabelSets.of(GOLD, rows="sets"),
    {"pred": LabelSets.of(PRED, rows="sets")},
    ["F_H", "GIE", "F_H(horizon=1)", "GIE(default_cost=3)"],
)


# ---- measures


def test_measures_of_a_file_and_between_commas(files):
    code, out = run("evaluate", "h.txt", "gold.csv", "pred.csv", "-m", "mine.toml", "-m", "F_H,GIE", "--json", "x.json")
    assert code == 0, out
    found = Evaluation.from_json("x.json")
    assert found.measures == ["F_H(horizon=1)", "GIE(default_cost=3)", "F_H", "GIE"]
    for name in found.measures:
        assert found.mean("pred", name) == WANTED.mean("pred", name)
    code, out = run("evaluate", "h.txt", "gold.csv", "pred.csv", "-m", "one.toml")
    assert (code, "mild ↓" in out) == (0, True)
    assert run("diagnose", "h.txt", "gold.csv", "pred.csv", "-m", "one.toml")[0] == 0
    assert run("model", "h.txt", "gold.csv", "pred.csv", "-m", "one.toml")[0] == 0
    assert run("explain", "h.txt", "gold.csv", "pred.csv", "-m", "one.toml", "--id", "b")[0] == 0
    for command, words in (
        (("model", "h.txt", "gold.csv", "pred.csv", "-m", "mine.toml"), "mine.toml holds 2 measures: -m takes one"),
        (("evaluate", "h.txt", "gold.csv", "pred.csv", "-m", "no.toml"), "cannot read no.toml"),
        (("evaluate", "h.txt", "gold.csv", "pred.csv", "-m", "mine.toml,F_H(horizon=1)"), "is asked for twice"),
    ):
        code, out = run(*command)
        assert (code, words in out) == (2, True), out


def test_measures_are_read_from_a_path_or_a_text(files):
    text = (files / "mine.toml").read_text()
    assert read_measures(text) == read_measures("mine.toml") == read_measures(files / "mine.toml")
    assert read_measures('[[measure]]\nname = "F_H"') == [measure("F_H")]
    with pytest.raises(UnreadableFile, match=r"cannot read no\.toml"):
        read_measures("no.toml")
    (files / "bad.toml").write_text("[measure]\n")
    with pytest.raises(UnknownMeasure):
        read_measures("bad.toml")
    (files / "other.toml").write_text("x = 1\n")
    with pytest.raises(UnknownMeasure, match=r"other\.toml"):
        read_measures("other.toml")


# ---- studies


def test_a_study_is_changed_on_the_command_line(files):
    (files / "sub").mkdir()
    (files / "sub" / "study.toml").write_text(
        'hierarchy = "../h.txt"\ntrue = "../gold.csv"\nmeasures = ["F_H"]\n[systems]\nold = "../none.csv"\n'
        "[options]\nworkers = 1\n"
    )
    code, out = run(
        "run", "sub/study.toml", "--set", "systems.old=../pred.csv", "--set", 'measures=["GIE", "F_H"]',
        "--set", "options.undefined=nan", "--set", "outputs.json=deep/down/x.json", "--set", "outputs.digits=2",
        "--set", 'systems."new one"=../gold.csv',
    )  # fmt: skip
    assert code == 0, out
    found = Evaluation.from_json("sub/deep/down/x.json")
    assert (found.systems, found.measures) == (["old", "new one"], ["GIE", "F_H"])
    assert found.mean("old", "GIE") == WANTED.mean("pred", "GIE")
    assert Study.read("sub/study.toml", ["options.undefined=nan"]).options["undefined"] == "nan"
    for change, words in (
        ("nothing=1", "the file has no 'nothing'"),
        ("options.wokers=1", "did you mean 'workers'"),
        ("measures", "is not KEY=VALUE"),
        ("=3", "is not KEY=VALUE"),
        ("a b=3", "is not KEY=VALUE"),
        ("measures=F_H", "is not a list of measures"),
        ("systems=x", "systems is not a table"),
        ("options.workers=many", "workers"),
        ("true=1\nhierarchy=2", "is not KEY=VALUE"),
        ("gate={}", "leave it out (hemlp run --set gate=)"),
        ("gate=", "--set gate= leaves out what the file does not have"),
        ("options.worker=", "did you mean 'workers'"),
        ("true.x=", "leaves out what the file does not have"),
        ("true=", "true is missing"),
    ):
        code, out = run("run", "sub/study.toml", "--set", "systems.old=../pred.csv", "--set", change)
        assert (code, words in out) == (2, True), out


def test_a_change_takes_the_place_of_what_was_there_or_leaves_it_out(files):
    (files / "study.toml").write_text(
        'hierarchy = "h.txt"\ntrue = "gold.csv"\nmeasures = ["F_H"]\n[systems]\nold = "pred.csv"\nnew = "none.csv"\n'
        '[options]\nworkers = 2\nunknown = "drop"\n[gate]\nbaseline = "none.json"\n'
    )
    assert run("run", "study.toml", "--set", "systems.new=")[0] == 2  # without its baseline
    code, out = run("run", "study.toml", "--set", "gate=", "--set", "systems.new=")
    assert code == 0, out
    study = Study.read("study.toml", ["gate = ", 'systems={ other = "pred.csv" }', "options.workers="])
    assert (study.gate, list(study.systems), study.options) == (None, ["other"], {"unknown": "drop"})
    assert Study.read("study.toml", ["options={}"]).options == {}


# ---- folders


def test_folders_of_results_are_made(files):
    code, out = run(
        "evaluate", "h.txt", "gold.csv", "pred.csv", "-m", "F_H,GIE", "--json", "a/b/x.json", "--html", "c/x.html",
        "--table", "d/x.md", "--per-instance", "e/f", "--resume", "g/h",
    )  # fmt: skip
    assert code == 0, out
    for name in ("a/b/x.json", "c/x.html", "d/x.md", "e/f/pred.csv", "g/h/run.json"):
        assert (files / name).exists()
    assert run("sensitivity", "h.txt", "gold.csv", "pred.csv", "--plot", "i/x.svg", "--json", "i/j/x.json")[0] == 0
    assert (
        run("explain", "h.txt", "gold.csv", "pred.csv", "--svg", "k/x.svg", "--json", "l/x.json", "-m", "GIE")[0] == 0
    )
    assert run("convert", "h.txt", "m/n/h.tsv")[0] == 0
    for name in ("i/x.svg", "i/j/x.json", "k/x.svg", "l/x.json", "m/n/h.tsv"):
        assert (files / name).exists()
    code, out = run("evaluate", "h.txt", "gold.csv", "pred.csv", "--json", "gold.csv/x.json")
    assert (code, "cannot write to gold.csv/x.json: not a directory" in out) == (1, True)
    code, out = run("sensitivity", "h.txt", "gold.csv", "pred.csv", "--plot", "x.txt")
    assert (code, "figures are written as" in out) == (2, True)


# ---- matrices


def test_matrices_are_label_files(files):
    wanted = LabelSets.of(GOLD, rows="sets")
    (files / "m.csv").write_text(matrix(GOLD))
    (files / "m.tsv").write_text(matrix(GOLD, "\t").replace("\t1", "\t1.0"))
    (files / "m.txt").write_text(matrix(GOLD, ";"))
    (files / "bare.csv").write_text("\n".join(line.partition(",")[2] for line in matrix(GOLD).splitlines()))
    (files / "doc.csv").write_text(matrix(GOLD).replace("id", "doc", 1))
    for found in (
        read_labels("m.csv"), read_labels("m.csv", format="matrix"), read_labels("m.tsv"),
        read_labels("m.txt", format="matrix", sep=";"), read_labels("doc.csv", id="doc"),
    ):  # fmt: skip
        assert found.ids == wanted.ids
        assert [set(row) for row in found] == [set(row) for row in wanted]
    bare = read_labels("bare.csv", format="matrix")
    assert (bare.ids, [set(row) for row in bare]) == (None, [set(row) for row in wanted])
    (files / "p.csv").write_text(matrix(PRED))
    code, out = run("evaluate", "h.txt", "m.csv", "pred=p.csv", "-m", "GIE", "--format", "matrix", "--json", "x.json")
    assert code == 0, out
    assert Evaluation.from_json("x.json").mean("pred", "GIE") == WANTED.mean("pred", "GIE")
    assert run("evaluate", "h.txt", "m.csv", "gold.csv", "-m", "GIE")[0] == 0
    assert read_labels("m.csv").place(1).startswith("m.csv, line 3 (instance 'b')")


def test_matrices_of_parquet(files):
    pa = pytest.importorskip("pyarrow", reason="pyarrow reads Parquet: NOT checked")
    from pyarrow import parquet

    wanted = LabelSets.of(GOLD, rows="sets")
    for kind in (int, float, bool):
        columns = {c: [kind(c in row) for row in GOLD.values()] for c in ("sheep", "cow", "bird")}
        parquet.write_table(pa.table({"id": list(GOLD), **columns}), "m.parquet")
        for found in (read_labels("m.parquet"), read_labels("m.parquet", format="matrix")):
            assert found.ids == wanted.ids
            assert [set(row) for row in found] == [set(row) for row in wanted]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("id,cow,bird\na,1,2\n", {"format": "matrix"}, "line 2, column 'bird': '2' is neither 0 nor 1"),
        ("id,cow,bird\na,1,\n", {"format": "matrix"}, "'' is neither"),
        ("id,cow,bird\na,1\n", {"format": "matrix"}, "2 cells, the header has 3"),
        ("id,cow,cow\na,1,0\n", {"format": "matrix"}, "a class of its own"),
        ("id,cow,\na,1,0\n", {"format": "matrix"}, "a class of its own"),
        ("id,cow,bird\na,1,0\na,0,0\n", {"format": "matrix"}, "the instance 'a' has several rows"),
        ("id,cow,bird\na,1,0\n", {"format": "matrix", "id": "doc"}, "no column 'doc'"),
        ("id,cow,bird\na,1,7\n", {}, "no column 'label'"),  # what could be something else is not taken for a matrix
        ("id,class\na,1\n", {}, "no column 'label'"),
        ("id,cow\na,1\n", {}, "no column 'label'"),
        ("id,true,pred\na,1,0\n", {}, "no column 'label'"),
        ("doc,cow,bird\na,1,0\n", {}, "no column 'id'"),
    ],
)  # fmt: skip
def test_what_is_no_matrix(files, text, options, words):
    (files / "m.csv").write_text(text)
    with pytest.raises(FileFormatError) as error:
        read_labels("m.csv", **options)
    assert words in str(error.value)


def test_columns_that_are_no_classes_are_unknown_labels(files):
    (files / "m.csv").write_text("id,cow,age\na,1,1\nb,0,0\nc,0,1\n")
    code, out = run("evaluate", "h.txt", "gold.csv", "m.csv", "-m", "F_H")
    assert (code, "'age'" in out) == (2, True)


# ---- standard input, JSON lines and Parquet


def piped(*arguments: str, input: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hemlp", *arguments], input=input, capture_output=True, text=True, check=False
    )


def test_standard_input_is_a_file_of_any_command(files):
    (files / "rows.txt").write_text("sheep\ncow bird\n\n")
    out = piped("evaluate", "h.txt", "rows.txt", "knn=-", "-m", "F_H", input="cow\ncow\nbird\n")
    assert (out.returncode, "knn" in out.stdout) == (0, True), out.stderr
    assert f"{WANTED.mean('pred', 'F_H'):.4f}" in out.stdout
    lines = "".join(json.dumps({"id": i, "labels": row}) + "\n" for i, row in PRED.items())
    out = piped("evaluate", "h.txt", "gold.csv", "-", "-m", "F_H", "--format", "jsonl", input=lines)
    assert out.returncode == 2  # the format is that of all label files
    (files / "gold.jsonl").write_text("".join(json.dumps({"id": i, "labels": row}) + "\n" for i, row in GOLD.items()))
    out = piped("evaluate", "h.txt", "gold.jsonl", "-", "-m", "F_H", "--format", "jsonl", input=lines)
    assert f"{WANTED.mean('pred', 'F_H'):.4f}" in out.stdout, out.stderr
    for command in ("diagnose", "model"):
        assert piped(command, "h.txt", "rows.txt", "-", input="cow\ncow\nbird\n").returncode == 0
    (files / "g.tsv").write_text("a\tcow\n")
    assert piped("curve", "h.txt", "g.tsv", "-", input="a\tcow\t0.5\n").returncode == 0
    assert piped("evaluate", "h.txt", "g.tsv", "x=-@0.3", "-m", "F_H", input="a\tcow\t0.5\n").returncode == 0
    assert piped("check", "-", "gold.csv", input=EDGES).returncode == 0
    assert run("evaluate", "-", "gold.csv", "-") == (
        2,
        "standard input (-) can be read only once: give files for the others",
    )


def test_parquet_and_json_lines_on_the_command_line(files):
    pa = pytest.importorskip("pyarrow", reason="pyarrow reads Parquet: NOT checked")
    from pyarrow import parquet

    parquet.write_table(pa.table({"id": list(GOLD), "labels": list(GOLD.values())}), "gold.parquet")
    (files / "pred.jsonl").write_text("".join(json.dumps({"id": i, "labels": row}) + "\n" for i, row in PRED.items()))
    code, out = run(
        "evaluate", "h.txt", "gold.parquet", "pred.jsonl", "-m", "F_H", "--per-instance", "rows", "--digits", "9"
    )
    assert (code, f"{WANTED.mean('pred', 'F_H'):.9f}" in out) == (0, True), out
    lines = (files / "rows" / "pred.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["id", "a", "b", "c"]
    assert np.allclose([float(line.split(",")[1]) for line in lines[1:]], WANTED.per_instance("pred", "F_H"))


# ---- shells


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_what_is_typed(shell):
    code = "import sys; sys.argv = ['hemlp']; from hemlp.cli.main import main; main()"
    given = {**os.environ, "PYTHONPATH": str(ROOT), "_HEMLP_COMPLETE": f"{shell}_source"}
    out = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=False)
    assert out.returncode == 0, out.stderr
    assert "_HEMLP_COMPLETE" in out.stdout
    words = {"COMP_WORDS": "hemlp evaluate -m F_H,F_L", "COMP_CWORD": "3"}
    if shell == "fish":
        words["COMP_CWORD"] = "F_H,F_L"
    given |= {**words, "_HEMLP_COMPLETE": f"{shell}_complete"}
    out = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=False)
    assert "F_H,F_LCA" in out.stdout
    assert "_HEMLP_COMPLETE=bash_source" in run("--help")[1]


def test_a_model_that_cannot_be_drawn_prints_nothing(files):
    asked = "model", "h.txt", "gold.csv", "pred.csv", "--svg", "net.svg", "-m"
    done = CliRunner().invoke(commands, [*asked, "F_LCA"])
    assert isinstance(done.exception, HemlpError)
    assert done.output == ""
    assert "F_LCA has no flow network" in str(done.exception)
    assert CliRunner().invoke(commands, [*asked, "GIE"]).output == ""
    assert (files / "net.svg").read_text().startswith("<svg")


# ---- names that no file can have

TOO_LONG = "x" * 5000
MINE = ("evaluate", "h.txt", "gold.csv", "pred.csv", "-m", "F_H")
STUDY = 'hierarchy = "h.txt"\ntrue = "gold.csv"\nmeasures = ["F_H"]\n[systems]\nA = "pred.csv"\n'


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "h.txt", "gold.csv", TOO_LONG), ("evaluate", "h.txt", "gold.csv", f"A={TOO_LONG}@0.3"),
        ("evaluate", "h.txt", TOO_LONG, "pred.csv"), ("evaluate", TOO_LONG, "gold.csv", "pred.csv"),
        *((*MINE, option, TOO_LONG) for option in ("--json", "--html", "--per-instance", "--resume", "--names")),
        (*MINE, "--weights", f"F_H={TOO_LONG}"), ("run", TOO_LONG), ("curve", "h.txt", "gold.csv", TOO_LONG),
        *(("run", "study.toml", "--set", f"{key}={TOO_LONG}") for key in
          ("hierarchy", "true", "systems.A", "options.names", "options.resume", "outputs.json", "gate.baseline")),
        ("run", "study.toml", "--set", f"systems.A={TOO_LONG}@0.3"),
    ],
    ids=lambda arguments: " ".join(word[:16] for word in arguments),
)  # fmt: skip
def test_names_that_are_too_long(files, arguments):
    """Even to ask whether there is such a file is an error of the system; it must come out by name."""
    (files / "study.toml").write_text(STUDY)
    done = CliRunner().invoke(commands, arguments)
    assert isinstance(done.exception, HemlpError | SystemExit)
    assert done.exit_code
    assert not isinstance(done.exception, HemlpError) or TOO_LONG[:500] in str(done.exception)


def test_labels_of_a_text_that_is_too_long():
    with pytest.raises(HemlpError):
        LabelSets.of(TOO_LONG)
