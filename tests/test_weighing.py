"""Weights of classes on the command line, and measures of one's own there."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from hemlp import Hierarchy, measure
from hemlp.cli.main import commands
from hemlp.errors import FileFormatError, InvalidOption
from hemlp.hierarchy.class_weights import read_weights

WEIGHTS = {"animal": 1.0, "mammal": 0.5, "sheep": 2.0, "cow": 4.0}
H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.txt").write_text("animal mammal\nmammal sheep\nmammal cow\n")
    (tmp_path / "gold.txt").write_text("sheep\n")
    (tmp_path / "a.txt").write_text("cow\n")
    (tmp_path / "w.tsv").write_text("".join(f"{label}\t{weight}\n" for label, weight in WEIGHTS.items()) + "\n")
    return ["h.txt", "gold.txt", "a.txt"]


def means(files, *options):
    result = CliRunner().invoke(commands, ["evaluate", *files, *options, "--json", "-"], catch_exceptions=False)
    return json.loads(result.output[result.output.index("{") :])["systems"]["a"]


def test_weights_for_all_that_take_them_or_for_one(files):
    weighed = {name: float(measure(name, weights=WEIGHTS).score(H, ["sheep"], ["cow"])) for name in ("simGIC", "F_H")}
    assert means(files, "-m", "simGIC,F_H,GIE", "--weights", "w.tsv") == {**weighed, "GIE": 2.0}
    one = means(files, "-m", "simGIC,F_H", "--weights", "simGIC=w.tsv")
    assert one == {"simGIC": weighed["simGIC"], "F_H": float(measure("F_H").score(H, ["sheep"], ["cow"]))}
    assert one["F_H"] != weighed["F_H"]
    shown = CliRunner().invoke(commands, ["explain", *files, "-m", "simGIC", "--weights", "w.tsv"])
    assert f"simGIC {weighed['simGIC']:.4g}" in shown.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-m", "GIE", "--weights", "w.tsv"], "none of GIE takes weights"),
        (
            ["-m", "BMA(cost='lin')", "--weights", "w.tsv"],
            "takes weights; information content comes from a corpus: --corpus FILE",
        ),
        (["-m", "F_H", "--weights", "simGIC=w.tsv"], "simGIC is not among the measures"),
        (["-m", "F_H,GIE", "--weights", "GIE=w.tsv"], "GIE takes no weights"),
        (["-m", "F_H", "--weights", "w.tsv", "--weights", "w.tsv"], "there are weights of all already"),
        (["-m", "F_H", "--weights", "F_H=w.tsv", "--weights", "F_H=w.tsv"], "there are weights of F_H already"),
    ],
)
def test_weights_that_nobody_takes(files, options, words):
    with pytest.raises(InvalidOption, match=words):
        means(files, *options)


@pytest.mark.parametrize("line", ["cow 3", "cow\tx", "cow\t-1", "cow\tinf", "cow\tnan", "cow\t1\ncow\t2"])
def test_files_that_are_no_weights(tmp_path, line):
    (tmp_path / "w.tsv").write_text(f"sheep\t1\n{line}\n")
    with pytest.raises(FileFormatError, match=r"line [23]"):
        read_weights(tmp_path / "w.tsv")


def test_measures_with_brackets_within_brackets(files):
    own = "PairMeasure('m', Bounds(predicted=(1, 1), true=(1, 1), total=(0, 0)), default_cost=5)"
    assert means(files, "-m", f"F_H,{own}") == {"F_H": pytest.approx(2 / 3), own: 10.0}


@pytest.mark.parametrize(
    ("weights", "words"), [(["s=1_0"], "is not NAME=WEIGHT"), (["s=1", "s=2"], "s has a weight already, 1")]
)
def test_weights_of_systems(files, weights, words):
    """Of two the later one counted, and 1_0 was 10."""
    options = [word for each in weights for word in ("--weights", each)]
    with pytest.raises(InvalidOption, match=words):
        CliRunner().invoke(commands, ["decide", files[0], files[2], *options], catch_exceptions=False)
