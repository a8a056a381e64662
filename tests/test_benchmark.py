"""The benchmark's own parts: C and kernels agree, and ratios are those of the right things."""

from __future__ import annotations

import shutil
import sys

import numpy as np
import pytest

from hemlp import Batch, examples
from tests.processes import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import benchmark
import floors

sys.path.pop(0)

FLOORS = (floors.tally_floor, floors.distances_floor, floors.pairing_floor)
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


@pytest.fixture
def few(monkeypatch):
    example = examples.mesh_mini()
    batch = Batch.of(example.hierarchy, example.true, next(iter(example.systems.values())))
    monkeypatch.setattr(floors, "ten_thousand", lambda: batch)


@needs_compiler
@pytest.mark.parametrize("floor", FLOORS)
def test_plain_c_and_kernels_agree(few, floor):
    """A contender is only made where all results are equal."""
    assert list(floor()()) == ["C", "C, any processor", "hemlp"]


@needs_compiler
@pytest.mark.parametrize("floor", FLOORS)
def test_plain_c_that_is_wrong_is_refused(few, floor, monkeypatch, tmp_path):
    text = floors.SOURCE.read_text()
    for right, wrong in (
        ("both += seen", "both -= seen"),
        ("(up[k] + above", "(1 + up[k] + above"),
        ("= alone *", "= 1 + alone *"),
    ):
        assert right in text
        text = text.replace(right, wrong)
    monkeypatch.setattr(floors, "SOURCE", tmp_path / "floors.c")
    floors.SOURCE.write_text(text)
    with pytest.raises(AssertionError):
        floor()


@pytest.mark.parametrize("floor", FLOORS)
def test_without_a_compiler_only_kernels_are_measured(few, floor, monkeypatch, capsys):
    monkeypatch.setattr(floors.shutil, "which", lambda name: None)
    assert list(floor()()) == ["hemlp"]
    assert "no C compiler" in capsys.readouterr().err


def test_ratios_are_to_the_first_contender_or_to_the_first_part():
    figures = {
        "a": {"seconds": 2.0, "parts": {"C": 1.0, "hemlp": 3.0}},
        "b": {"seconds": 5.0, "parts": {"C": 2.0, "hemlp": 1.0}},
    }
    assert benchmark.ratios("sets", figures) == {"a": 1, "b": 2.5}
    assert benchmark.ratios("floors", figures) == {"a: C": 1, "a: hemlp": 3, "b: C": 1, "b: hemlp": 0.5}


def test_the_least_time_of_each_is_taken(monkeypatch):
    clock = iter(np.cumsum([0, 3, 0, 1, 0, 2, 0, 4]).tolist())
    monkeypatch.setattr(floors.time, "process_time", lambda: next(clock))
    assert floors.least_seconds({"a": list, "b": list}, 2) == {"a": 2, "b": 1}
