"""The gallery of new measures: on the paper's cases, by other solvers, and what it prints."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from hemlp import PairMeasure, examples

SCRIPT = Path(__file__).parent.parent / "scripts" / "new_measure.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("new_measure", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_eight_measures_on_the_cases(script):
    values = {
        row[0]: dict(zip(script.bench().columns[1:], map(float, row[1:]), strict=True)) for row in script.bench().rows
    }
    assert values.keys() == {case.name for case in examples.cases()}
    assert list(values["2a"])[1:] == list(script.WORDS)
    assert len(script.WORDS) == 8
    case = values["2a"]  # one true class, the right prediction, and one beside it at distance 2
    assert (case["GIE"], case["patient"], case["lenient"], case["crowded"]) == (5, 2, 2, 3)


def test_other_solvers_say_the_same(script):
    for case in examples.cases():
        for name, each in script.gallery(script.content_of(case.hierarchy)).items():
            found = each.score(case.hierarchy, case.true, case.pred)
            if isinstance(each, PairMeasure):
                assert found == pytest.approx(each.score(case.hierarchy, case.true, case.pred, solver="milp")), name


def test_it_prints_all(script, capsys):
    script.main()
    out = capsys.readouterr().out
    for words in (*script.WORDS.values(), "the paper's cases", "200 MEDLINE documents", "(iii)  Σ_i x_ij + v_j"):
        assert words in out
