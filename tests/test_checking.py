"""hemlp check and hemlp convert; measures between commas, standard input and columns on the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from hemlp import Hierarchy, read_hierarchy
from hemlp.cli.main import commands
from hemlp.errors import FileFormatError, HemlpError
from hemlp.hierarchy.hierarchy_files import write_hierarchy


def run(*args, **options):
    return CliRunner().invoke(commands, [*map(str, args)], **options)


def piped(text, *args):
    command = [sys.executable, "-m", "hemlp", *map(str, args)]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "h.csv").write_text('id,parent,name\nr,,Root\nA,r,"a, b"\nx,A,\ny,A,\nB,r,\nz,B,\nz,A,\n')
    (tmp_path / "g.txt").write_text("x\nB y\nA x x\n")
    (tmp_path / "p.jsonl").write_text('["y"]\n["Yy"]\n["Q"]\n["x"]\n')
    return tmp_path


def test_check(folder, monkeypatch):
    result = run("check", folder / "h.csv")
    assert result.exit_code == 0
    assert result.output.startswith("A hierarchy of 6 classes: no problem was found.\n\n")
    facts = {line[:30].strip(): line[30:].strip() for line in result.output.splitlines()}
    wanted = {"classes": 6, "edges": 6, "roots": 1, "leaves": 3, "greatest depth": 2, "classes with several parents": 1}
    wanted |= {"most parents of a class": 2, "classes with a name": 2, "edges with lengths": "no"}
    assert {key: facts[key] for key in wanted} == {key: str(value) for key, value in wanted.items()}

    monkeypatch.chdir(folder)  # short names: the table has one part
    result = run("check", "h.csv", "g.txt", "p.jsonl")
    assert result.exit_code == 2
    table = [line for line in result.output.splitlines() if line.startswith(("instances", "labels", "unknown", "dist"))]
    counts = {" ".join(line.split()[:-2]): line.split()[-2:] for line in table[1:]}
    assert counts["instances"] == ["3", "4"]
    assert counts["labels repeated in an instance"] == ["1", "0"]
    assert counts["labels with a descendant in the instance"] == ["1", "0"]
    assert counts["labels of inner classes"] == ["2", "0"]
    assert counts["unknown labels"] == ["0", "2"]
    assert "label 'Yy' is not in the hierarchy; did you mean 'y'? (1 time, first in" in result.output
    assert "p.jsonl, line 2)" in result.output
    assert "has 4 instances and" in result.output


def test_a_file_without_an_instance_is_not_ready(folder):
    (folder / "empty.txt").write_text("")
    (folder / "ids.csv").write_text("id,label\nd1,x\n")
    result = run("check", folder / "h.csv", folder / "empty.txt")
    assert (result.exit_code, "empty.txt holds no instance" in result.output) == (2, True)
    result = run("evaluate", folder / "h.csv", folder / "ids.csv", folder / "empty.txt")
    assert re.search(r"empty.txt holds no instance, unlike .*ids.csv", str(result.exception))


def test_a_hierarchy_in_the_place_of_labels_is_named(folder):
    (folder / "copy.csv").write_text((folder / "h.csv").read_text())
    result = run("evaluate", folder / "copy.csv", folder / "h.csv", folder / "g.txt")
    assert re.search("h.csv, line 1: no column 'label'.*: it looks like a hierarchy", str(result.exception))


def test_a_label_file_is_no_hierarchy(folder):
    (folder / "ids.csv").write_text("id,label\nd1,x\nd2,y\n")
    error = run("check", folder / "ids.csv").exception
    assert "ids.csv, line 1: the columns id and label are those of a label file" in str(error)
    (folder / "chain.csv").write_text("id,label\nlabel,x\n")  # these are classes
    assert run("check", folder / "chain.csv").exit_code == 0


def test_check_of_ids_and_cycles(folder):
    gold, pred = folder / "g.csv", folder / "p.csv"
    gold.write_text("id,label\n1,x\n2,y\n")
    pred.write_text("doc;class\n1;x\n3;y\n")
    assert run("check", folder / "h.csv", gold).exit_code == 0
    result = run("check", folder / "h.csv", pred, "--id", "doc", "--label", "class", "--sep", ";")
    assert result.exit_code == 0
    pred.write_text("id,label\n1,x\n3,y\n")
    result = run("check", folder / "h.csv", gold, pred)
    assert f"1 instance of {gold} missing in {pred}: 2" in result.output
    assert f"1 instance of {pred} missing in {gold}: 3" in result.output
    result = piped("a b\nb c\nc a\n", "check", "-")
    assert result.returncode == 2
    assert "the hierarchy has cycles: 'c' → 'a' closes one; without 1 edge there would be none" in result.stdout


def test_convert(folder):
    h = read_hierarchy(folder / "h.csv")
    for name in ("o.csv", "o.tsv", "o.txt"):
        assert run("convert", folder / "h.csv", folder / name).exit_code == 0
        again = read_hierarchy(folder / name)
        assert (again, again.names) == (h, {"r": "Root", "A": "a, b"})
    result = piped(json.dumps({"r": {"A": {}, "B": {}}}), "convert", "-", "-")
    assert result.stdout == "child\tparent\nA\tr\nB\tr\nr\t\n"
    assert "Hierarchy(3 classes, 2 edges, 1 root)" in result.stderr
    (folder / "same.txt").write_text("r > A > o\nr > B > o\n")
    assert isinstance(run("convert", folder / "same.txt", "-").exception, HemlpError)
    apart = read_hierarchy(folder / "same.txt", same_names="apart")
    for name in ("o.csv", "o.tsv", "o.txt"):
        assert run("convert", folder / "same.txt", folder / name, "--same-names", "apart").exit_code == 0
        assert read_hierarchy(folder / name) == apart
    assert apart.parents("r > A > o") == {"r > A"}


def test_what_is_written_can_be_read(tmp_path):
    """Lengths, classes without edges, and labels that no table could hold."""
    h = Hierarchy.from_edges([("a", "b", 0.1), ("a", "c, d", 2)], classes=["alone"])
    for name in ("h.csv", "h.tsv"):
        write_hierarchy(h, tmp_path / name)
        assert read_hierarchy(tmp_path / name) == h
    for label in ("#5", "with\ttab", " blank", "two\nlines"):
        with pytest.raises(FileFormatError, match="h.tsv"):
            write_hierarchy(Hierarchy.from_edges([("a", label)]), tmp_path / "h.tsv")
        assert read_hierarchy(tmp_path / "h.tsv") == h
    quoted = Hierarchy.from_edges([("a", "two\nlines"), ("a", 'with "quotes"')])
    write_hierarchy(quoted, tmp_path / "h.csv")
    assert read_hierarchy(tmp_path / "h.csv") == quoted


def test_evaluate_with_commas_columns_and_standard_input(folder):
    gold, pred = folder / "g.csv", folder / "p.csv"
    gold.write_text("doc;class\n1;x\n2;y\n")
    pred.write_text("doc;class\n1;x\n2;x\n")
    columns = ("--id", "doc", "--label", "class", "--sep", ";", "-q")
    result = run("evaluate", folder / "h.csv", gold, pred, "-m", "F_H,MGIA(default_cost=4),P", "-m", "R", *columns)
    assert result.exit_code == 0, result.output
    assert [word for word in result.output.splitlines()[0].split() if word != "↑"] == [
        "system", "F_H", "MGIA(default_cost=4)", "P", "R", "labels",
    ]  # fmt: skip
    lines = piped("x\ny\nx\n", "evaluate", folder / "h.csv", folder / "g.txt", "mine=-", "-m", "F_H", "-q")
    assert lines.returncode == 0, lines.stderr
    assert lines.stdout.splitlines()[1].startswith("mine")
    twice = piped("x\n", "evaluate", folder / "h.csv", "-", "-", "-m", "F_H")
    assert twice.returncode == 2
    assert "standard input (-) can be read only once" in twice.stderr
    odd = piped('["x"]\n["y"]\n["x"]\n', "evaluate", folder / "h.csv", folder / "g.txt", "-", "--format", "jsonl")
    assert odd.returncode == 2
    assert "g.txt, line 1: not JSON" in odd.stderr
