"""Intervals of few instances and extreme values: within the range of the measure, and equal wherever they are shown."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from hemlp import Evaluation, Hierarchy, evaluate, measure
from hemlp.cli.main import commands
from hemlp.measures.catalogue import NAMED
from hemlp.text.tables import Interval, format_number
from tests.test_page import unpacked

EDGES = [("r", "a"), ("r", "b"), ("a", "x"), ("a", "y"), ("b", "z")]
TREE = Hierarchy.from_edges(EDGES)
CASES = [
    ([["x"]], [["x"]], [["z"]]),
    ([["x"], ["x"]], [["x"], ["z"]], [["z"], ["x"]]),
    ([["x"], ["y", "z"]], [["x"], ["b"]], [["z"], ["x", "y", "z"]]),
    ([["x"], ["y"], ["x", "y", "z"]], [["x"], ["y"], ["r"]], [["b"], ["a"], ["z"]]),
    ([["x"], ["x"], ["x"], ["z"]], [["x"], ["x"], ["x"], ["z"]], [["z"], ["z"], ["z"], ["x"]]),
]
"""True labels and those of two systems: of one instance, half right, perfect, all wrong."""
WEIGHTS = {"weights": {"r": 0.1, "a": 0.5, "b": 1.5, "x": 3.0, "y": 0.25, "z": 1.0}}


def made(name: str, case: tuple) -> Evaluation:
    given = measure(name, **(WEIGHTS if name in ("ICM", "simGIC") else {}))
    return evaluate(TREE, case[0], {"A": case[1], "B": case[2]}, [given], undefined="nan")


def intervals_in(table, column: str) -> list[Interval]:
    k = table.columns.index(column)
    return [row[k] for row in table.rows]


def check(found: list[Interval], low: float, high: float) -> None:
    for each in found:
        assert math.isnan(each.low) == math.isnan(each.high)
        assert math.isnan(each.low) or low <= each.low <= each.high <= high


@pytest.mark.parametrize("name", NAMED)
def test_no_interval_leaves_the_range_of_its_measure(name):
    for case in CASES:
        ev = made(name, case)
        called, (low, high) = ev.measures[0], ev.inputs.measures[ev.measures[0]].range
        check([ev.interval(system, called, level=level) for system in "AB" for level in (0.5, 0.95)], low, high)
        check(intervals_in(ev.hits(), f"{called} 95%"), low, high)
        for system in "AB":
            check(intervals_in(ev.branches(), f"{system} mean 95%"), low, high)
            assert intervals_in(ev.branches(system), "mean 95%") != []
            check(intervals_in(ev.levels(), f"{system} F 95%") + intervals_in(ev.classes(), f"{system} F 95%"), 0, 1)
            for ratio in "PRF":
                check([*intervals_in(ev.levels(system), f"{ratio} 95%"),
                       *intervals_in(ev.classes(system), f"{ratio} 95%")], 0, 1)  # fmt: skip
        check(intervals_in(ev.branches(), "difference 95%"), low - high, high - low)
        check(intervals_in(ev.levels(), "difference 95%"), -1, 1)


def brackets(text: str) -> list[str]:
    """What stands in small brackets in a part of a page."""
    return re.findall(r"<small>\[(.*?)\]</small>", text)


def between(found: list[Interval]) -> list[str]:
    return [f"{format_number(low)}, {format_number(high)}" for low, high in found if not math.isnan(low)]


@pytest.mark.parametrize("name", ["F_H", "GIE", "MGIA", "ICM", "F"])
@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_page_shows_the_intervals_of_the_tables(tmp_path, name, case):
    ev = made(name, CASES[case])
    ev.to_html(tmp_path / "e.html")
    text = (tmp_path / "e.html").read_text(encoding="utf-8")
    assert "±" not in re.sub("<script.*?</script>", "", text, flags=re.DOTALL)
    parts = dict(re.findall(r"<section id='(\w+)'(.*?)</section>", text, re.DOTALL))
    assert brackets(parts["result"]) == between([ev.interval(system, ev.measures[0]) for system in "AB"])
    levels = (intervals_in(ev.levels(), f"{system} F 95%") for system in "AB")
    assert brackets(parts["levels"]) == between([each for row in zip(*levels, strict=True) for each in row])
    classes = (intervals_in(ev.classes(on="labels"), f"{system} F 95%") for system in "AB")
    assert brackets(parts["classes"]) == between([each for row in zip(*classes, strict=True) for each in row])
    data = unpacked(text)
    table = ev.branches()
    rows = {row[0]: row for row in table.rows}
    frame = table.to_frame().set_index("branch")
    assert {data["labels"][node] for node in data["branch"]} == set(rows)
    for b, node in enumerate(data["branch"]):
        label = data["labels"][node]
        for s, system in enumerate("AB"):
            ends = [data[f"branch{end}{s}"][b] for end in ("Low", "High")]
            in_row = tuple(rows[label][table.columns.index(f"{system} mean 95%")])
            in_frame = [frame.loc[label, f"{system} mean 95% {end}"] for end in ("low", "high")]
            assert np.array_equal(ends, in_row, equal_nan=True)
            assert np.array_equal(ends, in_frame, equal_nan=True)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_command_line_prints_the_intervals_of_the_tables(tmp_path, case):
    sides = dict(zip(("true", "A", "B"), CASES[case], strict=True))
    (tmp_path / "h.txt").write_text("".join(f"{a} {b}\n" for a, b in EDGES))
    for name, rows in sides.items():
        (tmp_path / name).write_text("".join(" ".join(row) + "\n" for row in rows))
    files = [str(tmp_path / "h.txt"), str(tmp_path / "true"), *(f"{name}={tmp_path / name}" for name in "AB")]
    ev = made("F_H", CASES[case])
    told = CliRunner().invoke(commands, ["diagnose", *files, "-m", "F_H", "--level", "1", "--format", "markdown", "-q"])
    assert told.exit_code == 0, told.output
    branches = ev.branches(None, "F_H", level=1)
    branches = replace(branches, columns=[head.replace("share", "share of SDL") for head in branches.columns])
    for table in (ev.hits(), ev.levels(), branches, ev.classes()):
        for line in table.to_markdown().splitlines()[: len(table.rows) + 2]:
            assert line in told.output
    written = tmp_path / "e.json"
    options = ["-m", "F_H", "--table", str(tmp_path / "t.md"), "--json", str(written)]
    told = CliRunner().invoke(commands, ["evaluate", *files, *options])
    assert told.exit_code == 0, told.output
    again = Evaluation.from_json(written)
    for system in "AB":
        interval = ev.interval(system, "F_H")
        assert again.interval(system, "F_H") == interval
        shown = interval.bracket().replace("[", "\\[")
        assert shown in (tmp_path / "t.md").read_text(encoding="utf-8")
