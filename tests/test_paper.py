"""The paper's case tables."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from hemlp import examples
from hemlp.errors import InvalidOption
from hemlp.measures.catalogue import NAMED
from hemlp.paper import ERRATA, agrees, compare_case, draw_tree, marks
from tests import oracle


def test_ours_are_the_reference_values():
    expected = {row["case"]: row["by_definition"] for row in json.loads((oracle.DATA / "cases.json").read_text())}
    for case in examples.cases():
        for line in compare_case(case):
            assert oracle.same(line.ours, expected[case.name][line.value])


def test_differences_are_exactly_the_errata():
    found = {(case.name, line.value) for case in examples.cases() for line in compare_case(case) if line.reason}
    assert found == {(case, value) for case, value in ERRATA if value.removesuffix("_error") in NAMED}


def test_cases_by_name():
    assert examples.case("2a").pred == ["TP", "P1"]
    with pytest.raises(InvalidOption, match="no case '5'"):
        examples.case("5")


def test_agreement_is_to_two_digits():
    assert agrees(0.66, 2 / 3)
    assert agrees(0.166, 1 / 6)
    assert agrees("6 + Max", 11)
    assert not agrees(0.49, 0.5)
    assert not agrees(0, 1 / 3)
    assert not agrees("6 + Max", 10)


def test_the_figure_in_words():
    case = examples.case("3a")
    assert draw_tree(case.hierarchy, marks(case)) == (
        "A\n   B\n      P1 (predicted)\n      T1 (true)\n   C\n      P1 (predicted)"
    )


def test_command():
    out = subprocess.run(
        [sys.executable, "-m", "hemlp", "cases", "2a", "9c"], capture_output=True, text=True, check=True
    ).stdout
    assert out.startswith("case 2a\nA\n   B\n")
    assert "  α = β = 1: TP takes TP" in out
    assert out.count("why they differ") == 2
    assert out.endswith("\nMGIA_error: the total cost of the pairs of MGIA\n")
    bad = subprocess.run([sys.executable, "-m", "hemlp", "cases", "5"], capture_output=True, text=True, check=False)
    assert bad.returncode == 2
    assert bad.stderr.startswith("hemlp: the paper has no case '5'")
