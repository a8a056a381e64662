"""Studies in TOML files, and the commands that carry them out."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from hemlp import Evaluation, examples
from hemlp.cli import commands, in_options
from hemlp.errors import HemlpError
from hemlp.study import Study

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
        (('compare = [["knn", "svm"]]', 'compare = [["knn", "smv"]]'), "no system 'smv'"),
        (('compare = [["knn", "svm"]]', 'compare = [["knn", "knn"]]'), "two different systems"),
        (('significance = ["F_LCA"]', 'significance = ["F_LAC"]'), "F_LAC is not measured in this run"),
        (('table = "out.md"', 'table = "out.pdf"'), "tables are written as"),
        (('json = "out.json"', 'json = "out.md"'), "two results would be written"),
        (('json = "out.json"', "json = 3"), "json = 3 is not a path"),
        (("[systems]", "[[systems]]"), "systems is not a table"),
        (("workers = 2", "workers = 2\nresume = 5"), "resume = 5 is not a path"),
        (('compare = [["knn", "svm"]]', "compare = 5"), "compare = 5 is not a list of pairs"),
        (('compare = [["knn", "svm"]]', "compare = [5]"), "is not a list of pairs"),
        (('significance = ["F_LCA"]', "significance = 5"), "is not a list of measures"),
        (('measures = ["F", "F_LCA"]', "measures = [5]"), "not a list of measures"),
        (('name = "lenient"', 'name = "y"\npredicted = [1, 1]\n[[measure]]\nname = "y"'), "have the same name"),
        (("[options]", "[options"), "not a TOML file"),
        (("default_cost = 5", "default_cots = 5"), "default_cots"),
        (('json = "out.json"', 'json = "no/such/folder.json"'), "cannot write"),
    ],
)
def test_mistakes_in_a_study_are_found_before_any_work(tmp_path, monkeypatch, change, words):
    monkeypatch.setattr("hemlp.study.read_hierarchy", lambda *a, **k: pytest.fail("worked"))
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
    assert (out.returncode, "would be written over" in out.stderr) == (2, True)
    assert gold.read_text() == Path(FILES[1]).read_text()


def test_several_drawings_of_one_measure_have_files_of_their_own(tmp_path):
    options = ["-m", "F_H", "-m", "F_H(horizon=2)", "-m", "F_H(top=True)"]
    assert run("explain", *FILES, *options, "--svg", str(tmp_path / "o.svg")).returncode == 0
    assert len(list(tmp_path.glob("o-F_H*.svg"))) == 3


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
    assert out.returncode == 0
    assert out.stdout.lower().startswith("\\")
    assert "Minimize" in out.stdout
    assert "source" in svg.read_text()
    assert "ROWS" in run("model", *FILES, "-m", "F_LCA", "--stage", "ratio", "--mps").stdout
    assert "there is no row 201" in run("model", *FILES, "--row", "201").stderr


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
        (("explain", *FILES, "--row", "999"), 2, "no row 999: there are 200"),
        (("explain", *FILES, "--names", FILES[1]), 2, "no tab"),
        (("run", "no.toml"), 2, "no such file"),
        (("compare-exact", *FILES, "--sample", "0"), 2, "sample=0"),
        (("compare-exact", *FILES, "--json", "/no/such.json"), 1, "cannot write"),
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
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))  # noqa: E731
    out = run("evaluate", *FILES, "-m", "F", "--json", str(tmp_path / "e.json"), preexec_fn=limit)
    assert out.returncode == 1, out.stderr
    assert "cannot write" in out.stderr
    assert "Traceback" not in out.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["e.json"]
    assert (tmp_path / "e.json").read_text() == "older"


def test_compiled_code_that_cannot_be_kept_is_no_obstacle(tmp_path):
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))  # noqa: E731
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    out = run("evaluate", *FILES, "-m", "F", preexec_fn=limit, env=environment)
    assert out.returncode == 0, out.stderr
    assert "cannot be kept" in out.stderr


def test_no_write_permission_is_found_before_any_work(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o500)
    out = run("evaluate", *FILES, "--json", str(tmp_path / "e.json"))
    assert out.returncode == 1
    assert "permission denied" in out.stderr.lower()


def test_advice_is_in_the_words_of_the_command_line():
    advice = in_options("Choose undefined='nan', or unknown='drop'; workers=0 is no number")
    assert advice == "Choose --undefined nan, or --unknown drop; --workers 0 is no number"


def test_every_option_has_an_example():
    for name, command in commands.commands.items():
        assert f"Example: hemlp {name}" in (command.help or ""), name
        for option in command.params:
            if option.param_type_name == "option" and not getattr(option, "is_flag", False):
                assert any(flag in (option.help or "") for flag in option.opts), (name, option.name)
