"""`hemlp cafa`, and weights from files."""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from hemlp import Hierarchy, cafa, read_scores, read_weights
from hemlp.cli.main import commands
from hemlp.errors import FileFormatError, HemlpError
from hemlp.instances.score_files import as_gold

EDGES = "animal mammal\nmammal sheep\nmammal cow\nanimal bird\n"
GOLD = "a\tsheep\nb\tcow\nb\tbird\nc\tbird\n"
SCORES = "a\tsheep\t0.9\na\tcow\t0.4\nb\tcow\t0.8\nb\tsheep\t0.3\nc\tsheep\t0.62\n"
WEIGHTS = {"animal": 0.0, "mammal": 0.5, "sheep": 1.0, "cow": 2.0, "bird": 1.5}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.txt").write_text(EDGES)
    (tmp_path / "gold.tsv").write_text(GOLD)
    (tmp_path / "s.tsv").write_text(SCORES)
    (tmp_path / "t.tsv").write_text(SCORES.replace("0.9", "0.1"))
    (tmp_path / "ia.tsv").write_text("".join(f"{c}\t{w}\n" for c, w in WEIGHTS.items()))
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(commands, ["cafa", *arguments])
    if isinstance(done.exception, HemlpError):
        return done.exception.exit_code, str(done.exception)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


@pytest.mark.parametrize("norm", ["cafa", "pred", "gt"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grid", [None, "0.01,1,0.01"])
def test_the_command_says_what_the_function_does(files, norm, weighted, grid):
    options = ["--norm", norm, *(["--weights", "ia.tsv"] if weighted else []), *(["--grid", grid] if grid else [])]
    code, out = run("h.txt", "gold.tsv", "A=s.tsv", "B=t.tsv", *options, "--json", "x/c.json", "--csv", "c.csv")
    assert code == 0, out
    h = Hierarchy.from_edges([line.split() for line in EDGES.splitlines()])
    thresholds = np.arange(0.01, 1, 0.01) if grid else None
    data = json.loads((files / "x" / "c.json").read_text())["systems"]
    with (files / "c.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for name, scores in (("A", "s.tsv"), ("B", "t.tsv")):
        q = cafa(h, as_gold("gold.tsv"), read_scores(scores), WEIGHTS if weighted else None, norm, thresholds)
        assert data[name] == json.loads(json.dumps(q.to_dict()))
        for key in ("fmax", "fmax_threshold", "smin", "smin_threshold", "fmax_micro", "area_micro", "instances"):
            assert data[name][key] == getattr(q, key)
        assert data[name]["coverage_max"] == q.coverage.max()
        assert data[name]["curves"]["precision"] == q.precision.tolist()
        mine = [row for row in rows if row["system"] == name]
        assert [float(row["thresholds"]) for row in mine] == q.thresholds.tolist()
        assert [float(row["f"] or "nan") for row in mine] == pytest.approx(q.f.tolist(), nan_ok=True)
        assert f"{q.fmax:.4f}" in out
        assert q.signature in out.replace("|\n  ", "|")  # a long line is broken there
    assert "optimistic" in out
    alone = run("h.txt", "gold.tsv", "s.tsv", *options)[1]
    assert "system" not in alone
    assert json.loads(run("h.txt", "gold.tsv", "A=s.tsv", *options, "--json", "-")[1])["systems"]["A"] == data["A"]


def test_terms_and_what_is_known_already(files):
    (files / "terms.txt").write_text("sheep\ncow\n")
    (files / "known.tsv").write_text("a\tcow\nb\tcow\n")
    code, out = run("h.txt", "gold.tsv", "A=s.tsv", "--terms", "terms.txt", "--exclude", "known.tsv", "--json", "-")
    assert code == 0, out
    h = Hierarchy.from_edges([line.split() for line in EDGES.splitlines()])
    q = cafa(
        h,
        as_gold("gold.tsv"),
        read_scores("s.tsv"),
        terms=["sheep", "cow"],
        exclude={"a": ["cow"], "b": ["cow"], "c": []},
    )
    assert json.loads(out)["systems"]["A"]["fmax"] == q.fmax


def test_classes_without_weights(files):
    (files / "few.tsv").write_text("class\tweight\nsheep\t1\ncow\t2\n")
    code, out = run("h.txt", "gold.tsv", "s.tsv", "--weights", "few.tsv")
    assert code == 2
    assert "animal" in out
    code, out = run("h.txt", "gold.tsv", "A=s.tsv", "--weights", "few.tsv", "--unseen", "0", "--json", "-")
    h = Hierarchy.from_edges([line.split() for line in EDGES.splitlines()])
    q = cafa(h, as_gold("gold.tsv"), read_scores("s.tsv"), {**dict.fromkeys(h, 0.0), "sheep": 1.0, "cow": 2.0})
    assert json.loads(out)["systems"]["A"]["fmax"] == q.fmax
    assert run("h.txt", "gold.tsv", "s.tsv", "--unseen", "0")[0] == 2
    assert run("h.txt", "gold.tsv", "s.tsv", "--grid", "1,2") == (
        2,
        "--grid 1,2 is not FROM,TO,STEP, as in 0.01,1,0.01",
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cow\t1\ncow\t2\n", "line 2: the class 'cow' has a weight already"),
        ("cow\t1\nsheep\tmuch\n", "line 2"),
        ("cow\t1\nsheep 2\n", "expected a label, a tab and a weight of at least 0"),
        ("cow\t-1\nsheep\t2\n", "line 1"),
        ("cow\tinf\nsheep\t2\n", "line 1"),
        ("x\ty\ncow\tnan\n", "line 2"),
        ("x\ty\ncow\t1_0\n", "line 2"),
        ("x\ty\n\t1\n", "line 2"),
    ],
)
def test_what_is_wrong_with_weights(files, text, words):
    (files / "w.tsv").write_text(text)
    with pytest.raises(FileFormatError) as error:
        read_weights("w.tsv")
    assert words in str(error.value)


def test_weights_are_read(files):
    assert read_weights("ia.tsv") == WEIGHTS
    (files / "w.csv").write_text("class,weight\ncow,1.5\n\nsheep,0\n")
    assert read_weights("w.csv") == {"cow": 1.5, "sheep": 0.0}


def test_the_command_agrees_with_cafaeval(tmp_path):
    data = os.environ.get("HEMLP_DATA")
    if data is None or not Path(data, "cafa2").exists():
        pytest.skip("HEMLP_DATA has no cafa2: NOT compared with cafaeval")
    folder = Path(data, "cafa2", "cco")
    ids, rows = (
        gzip.decompress((folder / name).read_bytes()).decode().split("\n") for name in ("ids.txt.gz", "gold.txt.gz")
    )
    gold = tmp_path / "gold.tsv"
    gold.write_text("".join(f"{i}\t{c}\n" for i, row in zip(ids, rows, strict=False) for c in row.split()))
    given = [
        str(folder / "hierarchy.txt.gz"),
        str(gold),
        f"blast={folder / 'scored_blast.tsv.gz'}",
        "--grid",
        "0.01,1,0.01",
    ]
    theirs = json.loads((folder / "cafaeval.json").read_text())
    plain = json.loads(run(*given, "--json", "-")[1])["systems"]["blast"]
    weighted = json.loads(run(*given, "--weights", str(folder / "ia.tsv.gz"), "--json", "-")[1])["systems"]["blast"]
    best = theirs["blast.tsv|norm=cafa|ia=no|f"]
    assert (plain["fmax"], plain["fmax_threshold"]) == pytest.approx((best["f"], best["tau"]), abs=1e-9)
    assert plain["coverage_max"] == pytest.approx(best["cov_max"], abs=1e-9)
    best = theirs["blast.tsv|norm=cafa|ia=yes|f_w"]
    assert weighted["fmax"] == pytest.approx(best["f_w"], abs=1e-9)


def test_roots_together_and_cuts(files):
    (files / "two.txt").write_text("r a\ns b\n")
    (files / "g.tsv").write_text("p\ta\nq\tb\n")
    (files / "s.tsv").write_text("p\ta\t0.9\nq\tb\t0.8\n")
    code, out = run("two.txt", "g.tsv", "s.tsv", "--no-intervals")
    assert (code, "2 roots together; CAFA reports each: --out DIR, or all terms of one as --terms FILE" in out) == (
        0,
        True,
    )
    code, out = run("two.txt", "g.tsv", "s.tsv", "--no-intervals", "--out", "res")
    assert (code, "the thresholds are cafaeval's grid" in out) == (0, True)
    code, out = run("two.txt", "g.tsv", "s.tsv@0.5")
    assert (code, "s.tsv@0.5: all scores are needed here, without a cut-off: give s.tsv" in out) == (2, True)


OBO = """format-version: 1.2
default-namespace: gene_ontology

[Term]
id: B:1
name: biological_process
namespace: biological_process

[Term]
id: B:2
name: growth
namespace: biological_process
is_a: B:1

[Term]
id: B:3
name: cell growth
namespace: biological_process
alt_id: B:9
relationship: part_of B:2 ! within
relationship: regulates B:1

[Term]
id: M:1
name: molecular_function
namespace: molecular_function

[Term]
id: M:2
name: binding
namespace: molecular_function
is_a: M:1
relationship: part_of B:3 ! across

[Term]
id: M:3
name: catalysis
namespace: molecular_function
is_a: M:1
"""
THEIRS = """
biological_process 0.01 2 2 0 0.5 1 0.75 1 0 0.5 0.857142857142857 0.5 1 0.8 0.888888888888889
1 1.25 0 0.25 1 0.5 0.5 0 0.25 0.666666666666667 0.25 1 0.833333333333333 0.909090909090909 0.5
molecular_function 0.31 2 1 0 1 1 0.5 0.666666666666667 0 1 0.666666666666667 1 1 0.5 0.666666666666667
1 0.333333333333333 0 1.33333333333333 1 0.333333333333333 0.333333333333333 0 1.33333333333333 0.5 1.33333333333333
1 0.2 0.333333333333333 0.666666666666667
"""
"""Rows of cafaeval 1.3, without the name of the file: evaluation_best_f_w.tsv."""


def test_namespaces_and_parts_are_those_of_cafaeval(files):
    """A part_of within a namespace is followed, one across is not: coverage and true classes show both."""
    (files / "go.obo").write_text(OBO)
    (files / "gold.tsv").write_text("P1\tB:9\nP1\tM:2\nP2\tM:2\nP3\tB:2\nP4\tM:3\n")
    scores = ["P1 B:3 0.9", "P1 M:2 0.8", "P2 B:3 0.6", "P3 M:2 0.7", "P4 M:1 0.4", "P4 M:2 0.3", "P3 B:1 0.5"]
    (files / "p.tsv").write_text("".join(row.replace(" ", "\t") + "\n" for row in scores))
    (files / "ia.tsv").write_text("B:1\t0\nB:2\t0.5\nB:3\t2\nM:1\t0\nM:2\t1\nM:3\t3\n")
    given = ["go.obo", "gold.tsv", "p.tsv", "--weights", "ia.tsv", "--no-intervals", "--out", "out"]
    with pytest.warns(UserWarning, match="without the 1 edge between namespaces"):
        code, out = run(*given, "--relation", "is_a", "--relation", "part_of")
    assert (code, "2 namespaces together" in out, "Weighted Fmax is" in out) == (0, True, True)
    assert "weighted; CAFA's S and weighted Fmax are by information accretion (hemlp ic --ia)" in out
    lines = (files / "out" / "evaluation_best_f_w.tsv").read_text().splitlines()[1:]
    ours = [cell for line in lines for cell in line.split("\t")[1:]]
    assert len(ours) == len(THEIRS.split()) == 62
    for mine, theirs in zip(ours, THEIRS.split(), strict=True):
        assert mine == theirs or float(mine) == pytest.approx(float(theirs), abs=1e-12)
    assert [line.split("\t")[-1] for line in (files / "out" / "evaluation_best_f.tsv").read_text().splitlines()] == [
        "cov_max", "1.0", "0.6666666666666666",
    ]  # fmt: skip
