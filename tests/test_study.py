"""Studies in TOML files, and the commands that carry them out."""

from __future__ import annotations

import json
import os
import pickle
import re
import resource
import subprocess
import sys
from dataclasses import MISSING, fields, replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from hemlp import Evaluation, Hierarchy, evaluate, examples, information_content, measure, metrics
from hemlp.cli.main import commands
from hemlp.errors import Advice, HemlpError, InvalidOption
from hemlp.measures import scoring
from hemlp.measures.catalogue import NAMED
from hemlp.measures.invariants import INVARIANTS
from hemlp.optimize.program import Status
from hemlp.problems.lca.model import LcaModel
from hemlp.run import study as studies
from hemlp.run.file_options import FileOptions, Tuning
from hemlp.run.gate import Gate
from hemlp.run.study import EVALUATE_OPTIONS, HIERARCHY_OPTIONS, MEASURES, Outputs, Study
from hemlp.run.study_keys import KEYS, TABLES, resolve_paths

FOLDER = examples.DATA / "mesh_mini"
FILES = [str(FOLDER / name) for name in ("hierarchy.txt", "gold.txt", "pred_knn30.txt")]
STUDY = f"""
hierarchy = "{FOLDER / "hierarchy.txt"}"
true = "{FOLDER / "gold.txt"}"
measures = ["F", "F_LCA"]

[systems]
knn = "{FOLDER / "pred_knn30.txt"}"
svm = "{FOLDER / "pred_svm_ovr_freq60.txt"}"

[[measure]]
name = "lenient"
predicted = [1, 1]
true = [0, "ALL"]
default_cost = 5

[options]
workers = 2
names = "{FOLDER / "names.tsv"}"

[tests]
compare = [["knn", "svm"]]
significance = ["F_LCA"]
kendall = 20

[outputs]
json = "out.json"
table = "out.md"
per_instance = "rows"
html = "out.html"
"""


def run(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hemlp", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_a_study_is_one_file(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    out = run("run", str(tmp_path / "study.toml"))
    assert out.returncode == 0, out.stderr
    for words in ("lenient ↓", "knn and svm", "p Wilcoxon", "all pairs of systems by F_LCA", "p (Holm)", "Kendall"):
        assert words in out.stdout
    kept = Evaluation.from_json(tmp_path / "out.json")
    assert kept.measures == ["F", "F_LCA", "lenient"]
    assert f"{kept.mean('svm', 'lenient'):.4f}" in (tmp_path / "out.md").read_text()
    assert (tmp_path / "rows" / "knn.csv").exists()
    assert "<title>" in (tmp_path / "out.html").read_text()
    with pytest.raises(HemlpError, match="read from a file"):
        kept.explain("knn", 0)
    again = run("evaluate", *FILES, "--json", "-", "-m", "F", "--kendall", "0")
    assert json.loads(again.stdout)["systems"]["pred_knn30"]["F"] == kept.mean("knn", "F")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("measures =", "measure_names ="), "the file has no 'measure_names'"),
        (("true =", "gold ="), "the file has no 'gold'"),
        (("workers", "wokers"), "did you mean 'workers'"),
        (("kendall = 20", "kendall = -1"), "kendall = -1 is not a number"),
        (("kendall", "kendal"), "did you mean 'kendall'"),
        (("kendall = 20", 'sided = "both"'), "sided='both' is not one of"),
        (("kendall = 20", "sided = 2"), "sided=2 is not one of"),
        (('compare = [["knn", "svm"]]', 'compare = [["knn", "smv"]]'), "no system 'smv'"),
        (('compare = [["knn", "svm"]]', 'compare = [["knn", "knn"]]'), "two different systems"),
        (('significance = ["F_LCA"]', 'significance = ["F_LAC"]'), "F_LAC is not a measure of this run"),
        (('table = "out.md"', 'table = "out.pdf"'), "tables are written as"),
        (('json = "out.json"', 'json = "out.md"'), "two results would be written"),
        (('json = "out.json"', "json = 3"), "json = 3 is not a path"),
        (("kendall = 20", "floor = true"), "floor = True is not a file, 'folds' or 'gold'"),
        (("[systems]", "[[systems]]"), "systems is not a table"),
        (("workers = 2", "workers = 2\nresume = 5"), "resume = 5 is not a path"),
        (('compare = [["knn", "svm"]]', "compare = 5"), "compare = 5 is not a list of pairs"),
        (('compare = [["knn", "svm"]]', "compare = [5]"), "is not a list of pairs"),
        (('significance = ["F_LCA"]', "significance = 5"), "is not a list of measures"),
        (('measures = ["F", "F_LCA"]', "measures = [5]"), "not a list of measures"),
        (('name = "lenient"', 'name = "y"\npredicted = [1, 1]\n[[measure]]\nname = "y"'), "have the same name"),
        (("[options]", "[options"), "not a TOML file"),
        (("default_cost = 5", "default_cots = 5"), "default_cots'; did you mean 'default_cost'"),
        (("workers = 2", 'workers = 2\nignore = "no.tsv"'), "study.toml: cannot read .*no.tsv: no such file"),
        (('table = "out.md"', 'table = ""'), "table = '' is not a path"),
        (('json = "out.json"', 'json = "study.toml/no/folder.json"'), "cannot write"),
    ],
)
def test_mistakes_in_a_study_are_found_before_any_work(tmp_path, monkeypatch, change, words):
    monkeypatch.setattr("hemlp.run.study.read_hierarchy", lambda *a, **k: pytest.fail("worked"))
    assert change[0] in STUDY
    (tmp_path / "study.toml").write_text(STUDY.replace(*change, 1))
    with pytest.raises(HemlpError, match=words.replace("[", r"\[")):
        Study.read(tmp_path / "study.toml").run()


def test_own_measures_may_stand_anywhere_among_the_others(tmp_path):
    text = STUDY.replace('measures = ["F", "F_LCA"]', 'measures = ["lenient", "F_LCA", "MGIA"]')
    text += '\n[[measure]]\nname = "MGIA"\ndefault_cost = 4\n'
    (tmp_path / "study.toml").write_text(text)
    names = [str(each) for each in Study.read(tmp_path / "study.toml").measures]
    assert [name.partition("(")[0] for name in names] == ["PairMeasure", "F_LCA", "MGIA", "MGIA"]
    assert names[-1] == "MGIA(default_cost=4)"


@pytest.mark.parametrize("output", ["--json", "--table"])
def test_no_input_is_written_over(tmp_path, output):
    gold = tmp_path / "gold.txt"
    gold.write_text(Path(FILES[1]).read_text())
    out = run("evaluate", FILES[0], str(gold), FILES[2], output, str(gold))
    assert (out.returncode, "would be overwritten" in out.stderr) == (2, True)
    assert gold.read_text() == Path(FILES[1]).read_text()


def test_no_command_writes_over_what_it_reads(tmp_path):
    """Whatever is read: scores, weights, measures, names, thresholds, development data, the study itself."""
    files = {"h.txt": "r a\nr b\n", "g.csv": "id,label\n1,a\n2,b\n", "p.csv": "id,label\n1,a\n2,a\n",
             "s.tsv": "1\ta\t.5\n2\tb\t.4\n", "w.tsv": "r\t1\na\t1\nb\t1\n", "n.tsv": "a\tA\n",
             "m.toml": "[[measure]]\nname = 'x'\npredicted = [1, 1]\ntrue = [0, 'ALL']\ndefault_cost = 5\n",
             "t.json": "{}", "dev.csv": "id,label\n1,a\n2,b\n", "dev.tsv": "1\ta\t.5\n2\tb\t.4\n"}  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    evaluated = ["evaluate", "h.txt", "g.csv", "p.csv", "-m", "F_H"]
    for arguments, file in (
        ([*evaluated, "-m", "m.toml", "--json"], "m.toml"),
        ([*evaluated, "-m", "simGIC", "--weights", "simGIC=w.tsv", "--html"], "w.tsv"),
        ([*evaluated, "--names=n.tsv", "--table"], "n.tsv"),
        ([*evaluated, "x=s.tsv@t.json", "--json"], "t.json"),
        (["tune", "h.txt", "g.csv", "s.tsv", "--json"], "s.tsv"),
        (["curve", "h.txt", "g.csv", "s.tsv", "--csv"], "g.csv"),
        (["cafa", "h.txt", "g.csv", "x=s.tsv", "--csv"], "s.tsv"),
        (["explain", "h.txt", "g.csv", "p.csv", "--svg"], str(tmp_path / "g.csv")),
        (["compare-exact", "h.txt", "g.csv", "p.csv", "--json"], "./h.txt"),
    ):
        out = run(*arguments, file, cwd=tmp_path)
        assert (out.returncode, "would be overwritten" in out.stderr) == (2, True), arguments
    study = "hierarchy = 'h.txt'\ntrue = 'g.csv'\nmeasures = ['F_H']\nsystems.s = 's.tsv@tuned'\n[tuning]\n"
    tuning = "true = 'dev.csv'\nsystems.s = 'dev.tsv'\nleast = 1\n[outputs]\njson = "
    for name in ("dev.csv", "dev.tsv", "s.toml"):
        (tmp_path / "s.toml").write_text(f"{study}{tuning}'{name}'\n")
        with pytest.raises(HemlpError, match=f"{name} is read by this run"):
            Study.read(tmp_path / "s.toml").check()
    assert {name: (tmp_path / name).read_text() for name in files} == files


def test_several_drawings_of_one_measure_have_files_of_their_own(tmp_path):
    options = ["-m", "F_H", "-m", "F_H(horizon=2)", "-m", "F_H(top=True)"]
    several = run("explain", *FILES, *options, "--svg", str(tmp_path / "o.svg"))
    assert several.returncode == 0
    drawn = list(tmp_path.glob("o-F_H*.svg"))
    assert len(drawn) == 3
    assert {*several.stderr.splitlines()} == {f"written: {file}" for file in drawn}
    assert run("explain", *FILES, "-m", "F_H", "--svg", str(tmp_path / "o.svg")).stderr == ""  # called as asked


def test_results_are_written_before_they_are_shown(tmp_path):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "hemlp", "evaluate", *FILES, "-m", "F", "--json", str(tmp_path / "e.json")],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert (tmp_path / "e.json").exists()


def test_explain_command(tmp_path):
    svg, png = tmp_path / "why.svg", tmp_path / "why.png"
    options = ["--row", "17", "-m", "GIE", "-m", "F_LCA", "--names", str(FOLDER / "names.tsv")]
    out = run("explain", *FILES, *options, "--svg", str(svg), "--png", str(png))
    assert out.returncode == 0, out.stderr
    assert "pred_knn30, instance 17" in out.stdout
    assert "chosen LCAs" in out.stdout
    assert {file.name for file in tmp_path.iterdir()} == {
        "why-GIE.svg", "why-F_LCA.svg", "why-GIE.png", "why-F_LCA.png"
    }  # fmt: skip
    told = json.loads(run("explain", *FILES, *options, "--json", "-").stdout)
    assert told["instance"] == 17
    assert [part["kind"] for part in told["parts"]] == ["pairs", "graphs"]


def test_model_command(tmp_path):
    svg = tmp_path / "net.svg"
    out = run("model", *FILES, "--row", "3", "-m", "MGIA", "--svg", str(svg))
    assert (out.returncode, out.stdout) == (0, "")
    assert "source" in svg.read_text()
    out = run("model", *FILES, "--row", "3", "-m", "MGIA")
    assert out.returncode == 0
    assert out.stdout.lower().startswith("\\")
    assert "Minimize" in out.stdout
    assert "ROWS" in run("model", *FILES, "-m", "F_LCA", "--stage", "ratio", "--mps").stdout
    assert "--row 201: the files have 200 rows" in run("model", *FILES, "--row", "201").stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("evaluate", *FILES, "--json", "/dev/full"), 1, "no space left"),
        (("evaluate", *FILES, "--per-instance", "/dev/null/rows"), 1, "cannot write"),
        (("evaluate", *FILES, "--json", "x.txt", "--table", "x.txt"), 2, "two results would be written"),
        (("evaluate", *FILES, "-m", "F", "-m", "F"), 2, "asked for twice"),
        (("evaluate", *FILES, "-m", "F_LCA(method=greedy)"), 2, "in quotes: 'greedy'"),
        (("evaluate", *FILES[:2], f"={FILES[2]}"), 2, "names no system"),
        (("evaluate", *FILES[:2], f"a/b={FILES[2]}", "--per-instance", "rows"), 2, "cannot be the name of a file"),
        (("evaluate", *FILES, "--memory", "9" * 400), 2, "is not a size"),
        (("evaluate", *FILES, "-m", f"F_H(top={'-' * 5000}1)"), 2, "cannot read the measure"),
        (("evaluate", *FILES, "--resume", "x" * 300), 1, "file name too long"),
        (("evaluate", *FILES, "-m", "TIE"), 2, "--undefined nan"),
        (("evaluate", *FILES, "-m", "MGIA(default_cots=4)"), 2, "did you mean 'default_cost'"),
        (("evaluate", "/dev/null", *FILES[1:]), 2, "no class"),
        (("evaluate", FILES[0], "/dev/null", "/dev/null"), 2, "no instance"),
        (("evaluate", str(FOLDER), *FILES[1:]), 2, "is a directory"),
        (("evaluate", *FILES, "--compare", "a", "b"), 2, "no system 'a'"),
        (("explain", *FILES, "--row", "999"), 2, "--row 999: the files have 200 rows"),
        (("explain", *FILES, "--names", FILES[1]), 2, "expected a tab"),
        (("run", "no.toml"), 2, "no such file"),
        (("compare-exact", *FILES, "--sample", "0"), 2, "0 is not in the range"),
        (("compare-exact", *FILES, "--json", f"{FILES[0]}/such.json"), 1, "cannot write"),
    ],
)
def test_bad_input_has_a_name_and_a_code(tmp_path, arguments, code, words):
    out = run(*arguments, cwd=tmp_path)
    assert out.returncode == code, out.stderr
    assert words in out.stderr.lower()
    assert "Traceback" not in out.stderr


def test_bytes_that_are_not_utf8_are_located(tmp_path):
    (tmp_path / "gold.txt").write_bytes(b"D000818\nD0008\xff8\n")
    out = run("evaluate", FILES[0], str(tmp_path / "gold.txt"), FILES[2])
    assert out.returncode == 2
    assert "gold.txt, line 2" in out.stderr


def test_a_full_disk_leaves_the_older_file_and_no_other(tmp_path):
    """A limit on the size of files stands for a disk that fills up while a result is written."""
    (tmp_path / "e.json").write_text("older")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))  # noqa: E731
    out = run("evaluate", *FILES, "-m", "F", "--json", str(tmp_path / "e.json"), preexec_fn=limit)
    assert out.returncode == 1, out.stderr
    assert "cannot write" in out.stderr
    assert "Traceback" not in out.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["e.json"]
    assert (tmp_path / "e.json").read_text() == "older"


def test_no_write_permission_is_found_before_any_work(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o500)
    out = run("evaluate", *FILES, "--json", str(tmp_path / "e.json"))
    assert out.returncode == 1
    assert "permission denied" in out.stderr.lower()


@pytest.fixture
def troubled(tmp_path, monkeypatch):
    """Files of an input with a cycle, an unknown label, a missing instance, and one on which TIE is undefined."""
    for name, text in {
        "cycle.txt": "a b\nb a\na c\n",
        "tree.txt": "a b\na c\n",
        "gold.txt": "b\nb c\n",
        "strange.txt": "b\nx\n",
        "fine.txt": "b\nc\n",
        "gold.csv": "id,label\n1,b\n2,c\n",
        "short.csv": "id,label\n1,b\n",
    }.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


TROUBLES = [
    (("cycle.txt", "gold.txt", "fine.txt"), "cycles", ["condense", "break"]),
    (("tree.txt", "gold.txt", "strange.txt"), "unknown", ["drop", "isolate"]),
    (("tree.txt", "gold.csv", "short.csv"), "missing", ["empty"]),
]


def invoked(*arguments: str) -> tuple[int, str]:
    """Exit code and message of a command in this process."""
    result = CliRunner().invoke(commands, arguments)
    error = result.exception
    return (error.exit_code, str(error)) if isinstance(error, HemlpError) else (result.exit_code, result.output)


@pytest.mark.parametrize(("files", "option", "values"), TROUBLES)
@pytest.mark.parametrize("command", ["evaluate", "explain", "model", "compare-exact"])
def test_commands_advise_options_that_they_have(troubled, command, files, option, values):
    code, message = invoked(command, *files)
    assert code == 2
    assert all(f"--{option} {value} to " in message for value in values), message
    assert f"{option}=" not in message
    assert invoked(command, *files, f"--{option}", values[0])[0] == 0


@pytest.mark.parametrize(
    ("files", "option", "values"), [*TROUBLES, (("tree.txt", "gold.txt", "fine.txt"), "undefined", ["nan"])]
)
def test_a_study_is_advised_to_change_its_file(troubled, files, option, values):
    name = "TIE" if option == "undefined" else "F_H"
    text = f'hierarchy = "{files[0]}"\ntrue = "{files[1]}"\nmeasures = ["{name}"]\n[systems]\nA = "{files[2]}"\n'
    (troubled / "study.toml").write_text(text)
    code, message = invoked("run", "study.toml")
    assert code == 2
    assert "--" not in message
    assert all(f'{option} = "{value}" under [options]' in message for value in values), message
    (troubled / "study.toml").write_text(text + f'[options]\n{option} = "{values[0]}"\n')
    assert invoked("run", "study.toml")[0] == 0


@pytest.mark.parametrize("command", ["model", "explain"])
def test_no_command_advises_what_it_does_not_have(troubled, command):
    _, message = invoked(command, "tree.txt", "gold.txt", "fine.txt", "--row", "2", "-m", "TIE")
    assert "TIE is undefined" in message or command == "model"
    assert "undefined=" not in message
    assert "--undefined" not in message


def test_advice_reaches_the_shell(troubled):
    out = run("evaluate", "tree.txt", "gold.txt", "strange.txt", cwd=troubled)
    assert out.returncode == 2
    advice = "choose --unknown drop to leave such labels out, or --unknown isolate to make each a class"
    assert advice in out.stderr
    assert len(out.stderr.splitlines()) == 1


def test_functions_advise_arguments_that_they_have():
    h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    with pytest.raises(HemlpError, match=r"choose unknown='drop' to .*, or unknown='isolate' to"):
        evaluate(h, ["b"], ["x"], ["F_H"])
    with pytest.raises(HemlpError, match=r"choose Batch.of\(..., unknown='drop'\) to"):
        measure("F_H").score(h, ["b"], ["x"])
    with pytest.raises(HemlpError, match="choose undefined='nan' to leave such instances out$"):
        measure("TIE").score(h, ["b", "c"], ["b"])
    with pytest.raises(HemlpError, match="choose unknown='drop' to .*, or unknown='isolate' to"):
        metrics.f_h_score(["b"], ["x"], hierarchy=h)
    missing = {"1": "b", "2": "b"}, {"1": "b"}
    for wrong in (lambda: metrics.f_h_score(*missing, hierarchy=h), lambda: information_content(h, [["x"]])):
        with pytest.raises(HemlpError) as caught:
            wrong()
        assert "choose" not in str(caught.value)
    with pytest.raises(HemlpError) as caught:
        metrics.tie_loss([["b", "c"]], [["b"]], hierarchy=h)
    assert "choose" not in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value.with_advice(Advice("x", "y", "to go on"))))
    assert str(again).endswith("; choose x='y' to go on")


def test_out_of_memory_advises_a_limit_where_there_is_one(monkeypatch, troubled):
    def full(*arguments, **options):
        raise MemoryError

    monkeypatch.setattr("hemlp.run.study.evaluate", full)
    monkeypatch.setattr("hemlp.compare_exact_greedy", full)
    (troubled / "study.toml").write_text('hierarchy = "tree.txt"\ntrue = "gold.txt"\n[systems]\nA = "fine.txt"\n')
    files = ["tree.txt", "gold.txt", "fine.txt"]
    for arguments, words in (
        (["evaluate", *files], "out of memory; choose --memory SIZE to"),
        (["run", "study.toml"], 'out of memory; choose memory = "SIZE" under [options] to'),
        (["compare-exact", *files], "out of memory"),
    ):
        error = CliRunner().invoke(commands, arguments).exception
        assert isinstance(error, HemlpError)
        assert str(error).startswith(words)
        assert ("choose" in str(error)) == ("choose" in words)


# ---- what is not proved, and the measures


@pytest.fixture
def cut(monkeypatch):
    """Every exact F_LCA reaches a limit."""
    usual = scoring.solve

    def solve(model, *arguments, **options):
        solution = usual(model, *arguments, **options)
        unproved = np.full(len(solution.statuses), Status.FEASIBLE, np.int8)
        return replace(solution, statuses=unproved) if isinstance(model, LcaModel) else solution

    monkeypatch.setattr(scoring, "solve", solve)


@pytest.mark.parametrize(
    ("measure", "strict", "code"),
    [("F_LCA", True, 3), ("F_LCA", False, 0), ("F_LCA(method='greedy')", True, 0), ("F_H", True, 0)],
)
def test_fallbacks_warn_and_are_an_error_if_asked(cut, troubled, measure, strict, code):
    study = f'hierarchy = "tree.txt"\ntrue = "gold.txt"\nmeasures = ["{measure}"]\n[systems]\nfine = "fine.txt"\n'
    (troubled / "study.toml").write_text(study)
    for arguments in (["evaluate", "tree.txt", "gold.txt", "fine.txt", "-m", measure], ["run", "study.toml"]):
        result = CliRunner().invoke(commands, [*arguments, *(["--strict"] if strict else [])])
        assert result.exit_code == code
        fell = measure == "F_LCA"
        assert ("2 scores are not proved optimal" in result.stderr) == fell
        assert ("fine, F_LCA: not proved optimal on 2 instances" in result.stdout) == fell
        assert "hemlp:" in result.stdout


def test_proved_scores_are_no_fallbacks(troubled):
    result = CliRunner().invoke(commands, ["evaluate", "tree.txt", "gold.txt", "fine.txt", "-m", "F_LCA", "--strict"])
    assert (result.exit_code, result.stderr) == (0, "")
    assert "proved" not in result.stdout


def test_measures_command():
    listed = CliRunner().invoke(commands, ["measures"])
    assert listed.exit_code == 0
    assert [line.split()[0] for line in listed.stdout.splitlines()] == list(NAMED)
    for name, named in NAMED.items():
        told = CliRunner().invoke(commands, ["measures", name]).stdout
        better = "greater" if named.template.greater_is_better else "less"
        assert told.startswith(f"{name:10} {NAMED[name].title}; ")
        assert f"{better} is better" in told.splitlines()[0]
        assert "use it for: " in told
        assert all(f"  parameter {key} = " in told for key in named.parameters)
        assert all(INVARIANTS[promise].words in told for promise in named.template.invariants)
    assert "parameter default_cost = 4" in CliRunner().invoke(commands, ["measures", "MGIA(default_cost=4)"]).stdout
    own = "PairMeasure('mine', bounds=Bounds(predicted=(1, 1), true=(0, ALL)))"
    assert own in CliRunner().invoke(commands, ["measures", own]).stdout
    assert "did you mean 'F_H'" in invoked("measures", "F_HH")[1]


@pytest.mark.parametrize("sided", ["two", "one"])
def test_the_sides_of_the_sign_test_can_be_chosen(tmp_path, sided):
    """By an option and in a study, in all that is shown and written."""
    others = [f"{name}={FOLDER / f'pred_{name}.txt'}" for name in ("svm_ovr_freq60", "lexical_match", "topdown_lcpn")]
    options = ["-m", "F_H", "--compare", "svm_ovr_freq60", "lexical_match", "--significance", "F_H"]
    files = ["--html", str(tmp_path / "r.html"), "--table", str(tmp_path / "t.md")]
    out = CliRunner().invoke(commands, ["evaluate", *FILES, *others, *options, *files, "--sided", sided])
    text = STUDY.replace("kendall = 20", f'sided = "{sided}"').replace('"rows"', f'"{tmp_path / "rows"}"')
    (tmp_path / "study.toml").write_text(text)
    again = CliRunner().invoke(commands, ["run", str(tmp_path / "study.toml")])
    for shown in (out.stdout, again.stdout, (tmp_path / "t.md").read_text(), (tmp_path / "out.html").read_text()):
        assert ("paired permutation test of the mean" in shown) == (sided == "two")
        assert ("one-sided sign test" in shown) == (sided == "one")
    ranks = dict(re.findall(r"^(\w+) +[\d.]+ \((\d)\)", out.stdout, re.M))
    assert sorted(ranks.values()) == ["1", "2", "3", "4"]
    page = (tmp_path / "r.html").read_text()
    cells = r"<td[^>]*>(\w+)</td><td[^>]*><span[^>]*>[\d.]+</span> <span class='rank'>\((\d)\)"
    assert dict(re.findall(cells, page)) == ranks


def test_no_two_options_of_a_command_have_one_flag():
    for name, command in commands.commands.items():
        for said in (
            [flag for option in command.params for flag in option.opts],
            [each.name for each in command.params],
        ):
            assert len(said) == len(set(said)), name


def test_every_option_has_an_example():
    for name, command in commands.commands.items():
        assert f"Example: hemlp {name}" in (command.help or ""), name
        for option in command.params:
            if option.param_type_name == "option" and not getattr(option, "is_flag", False):
                assert any(flag in (option.help or "") for flag in option.opts), (name, option.name)


def test_files_of_tuning_are_texts(tmp_path):
    for value in ("1.5", "{ deeper = 1 }", "[1]"):
        text = f"{STUDY}\n[tuning]\nsystems = {{ knn = {value} }}\n"
        (tmp_path / "study.toml").write_text(text)
        with pytest.raises(InvalidOption, match=r"systems of \[tuning\] is not a table of files"):
            Study.read(tmp_path / "study.toml")


@pytest.mark.parametrize(
    ("table", "kind"), [("tests", studies.Tests), ("outputs", Outputs), ("tuning", Tuning), ("gate", Gate)]
)
def test_the_table_of_keys_says_what_the_code_takes(table, kind):
    assert list(KEYS[table]) == [each.name for each in fields(kind)]
    for each in fields(kind):
        assert KEYS[table][each.name].default == (None if each.default is MISSING else each.default)


def test_the_keys_of_options_are_those_that_are_read():
    read = (*HIERARCHY_OPTIONS, *EVALUATE_OPTIONS, *(each.name for each in fields(FileOptions)), "corpus", "names")
    assert tuple(KEYS["options"]) == read
    assert ", ".join(MEASURES) in KEYS[""]["measures"].help


@pytest.mark.parametrize(("table", "name"), [(table, name) for table in TABLES for name in KEYS[table]])
def test_a_value_of_another_kind_is_refused_by_the_name_of_its_key(tmp_path, table, name):
    """3.5 is of no kind but a number of seconds."""
    value = "-1" if name == "time_limit" else "3.5"
    baseline = 'baseline = "b.json"\n' if (table, name) == ("gate", "max_drop") else ""
    start = 'hierarchy = "h"\ntrue = "t"\n[systems]\nA = "a"\n'
    (tmp_path / "study.toml").write_text(f"{start}[{table}]\n{baseline}{name} = {value}\n")
    with pytest.raises(InvalidOption, match=rf"study.toml: (.*{name}.*( is not |neither)|.gate. has)"):
        Study.read(tmp_path / "study.toml")


def test_paths_are_relative_to_the_file_and_a_dash_is_standard_output():
    folder = Path("some", "where")
    assert resolve_paths("outputs", {"json": "-", "html": "x.html", "digits": 3}, folder) == {
        "json": "-", "html": str(folder / "x.html"), "digits": 3
    }  # fmt: skip
    assert resolve_paths("tuning", {"systems": {"A": "a"}, "by": "all"}, folder) == {
        "systems": {"A": str(folder / "a")}, "by": "all"
    }  # fmt: skip
    assert resolve_paths("gate", {"baseline": "-"}, folder)["baseline"] == str(folder / "-")


def test_what_python_gives_a_study_is_checked_by_the_same_table():
    for tests, outputs in ((studies.Tests(kendall=True), Outputs()), (studies.Tests(), Outputs(digits=18))):
        with pytest.raises(InvalidOption, match=r"(kendall|digits) = .* is not a number of"):
            Study(*FILES[:2], {"knn": FILES[2]}, ["F_H"], tests=tests, outputs=outputs).check()


def test_a_run_that_was_stopped_does_not_count_in_the_history(tmp_path, monkeypatch):
    from hemlp.run import study

    (tmp_path / "h.txt").write_text("animal sheep\nanimal cow\n")
    (tmp_path / "gold.txt").write_text("sheep\ncow\n")
    text = 'hierarchy = "h.txt"\ntrue = "gold.txt"\nmeasures = ["F_H"]\nsystems.a = "gold.txt"\n'
    (tmp_path / "s.toml").write_text(f'{text}tests.floor = "gold"\noutputs.history = "runs"\noutputs.table = "t.md"\n')
    monkeypatch.chdir(tmp_path)
    own = study.Study.read("s.toml")
    result = own.run(progress=False)

    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(study, "_compute_floors", stop)
        with pytest.raises(KeyboardInterrupt):
            own.write(result)
    assert not (tmp_path / "runs" / "history.jsonl").exists()
    own.write(result)
    assert len((tmp_path / "runs" / "history.jsonl").read_text().splitlines()) == 1
    assert "1 run" in (tmp_path / "t.md").read_text()
