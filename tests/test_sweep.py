"""Sweeps: every point is an evaluation of its own, and one table and one picture tell of all."""

from __future__ import annotations

import numpy as np
import pytest

from hemlp import ALL, Bounds, Hierarchy, Lin, PairMeasure, WuPalmer, evaluate, examples, measure, sweep
from hemlp.errors import InvalidOption

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
TRUE = [["sheep"], ["cow", "bird"], []]
SYSTEMS = {"A": [["cow"], ["cow"], []], "B": [["bird", "sheep"], ["bird", "cow"], ["animal"]]}


def test_every_point_is_an_evaluation():
    found = sweep(H, TRUE, SYSTEMS, "GIE", default_cost=[1, 2.5, 5], cost=["shortest_path", "wu_palmer"])
    assert len(found) == 6
    for point, row in zip(found.points, found.means, strict=True):
        alone = measure("GIE", **point)
        ev = evaluate(H, TRUE, SYSTEMS, {"it": alone})
        assert row.tolist() == [ev.mean(system, "it") for system in SYSTEMS]
        assert found.at(**point) == dict(zip(SYSTEMS, row, strict=True))
    assert found.axis is None
    assert sum(found.leaders.values()) >= 6


def test_places_and_the_table():
    found = sweep(H, TRUE, {**SYSTEMS, "C": SYSTEMS["A"]}, "F_H", beta=[0.5, 1, 2])
    for row, means in zip(found.places, found.means, strict=True):
        assert row.tolist() == [1 + sum(other > mean for other in means) for mean in means]
    assert found.axis == "beta"
    assert found.table().columns == ["beta", "A", "B", "C"]
    assert found.table().notes[0].endswith("best: A at 3 of 3, C at 3 of 3 (tied at 3)")
    assert "F_H: means, places and 95% intervals" in str(found)
    plain, whole = found.table(intervals=False), found.table()
    assert "F_H: means and places" in plain.notes[0]
    for name, with_them, without in zip(found.evaluation.measures, whole.rows, plain.rows, strict=True):
        for system, cell, bare in zip(found.systems, with_them[1:], without[1:], strict=True):
            low, high = found.evaluation.interval(system, name)
            assert cell == f"{bare} [{low:.4f}, {high:.4f}]"
    worst_first = sweep(H, TRUE, SYSTEMS, "SDL", top=[False, True])
    assert worst_first.places[0].tolist() == [1 + (worst_first.means[0] < m).sum() for m in worst_first.means[0]]


def test_bounds_costs_and_functions_of_a_measure_of_ones_own():
    mine = PairMeasure("mine", Bounds((1, 1), (1, 1)), default_cost=5)
    content = dict.fromkeys(H, 1.0)
    costs = [WuPalmer(), Lin(content), lambda p, t: float(p != t), lambda p, t: 2 * float(p != t)]
    found = sweep(H, TRUE, SYSTEMS, mine, bounds=[Bounds((1, 1), (1, 1)), Bounds((1, ALL), (1, ALL))], cost=costs)
    assert len(set(found.evaluation.measures)) == len(found) == 8
    assert found.means[3, 0] != found.means[2, 0]
    assert any("Lin" in name for name in found.evaluation.measures)


def test_pictures(tmp_path):
    example = examples.mesh_mini()
    lines = sweep(example.hierarchy, example.true, example.systems, "MGIA", default_cost=[1, 3, 5])
    lines.plot(tmp_path / "lines.svg")
    cells = sweep(H, TRUE, SYSTEMS, "GIE", default_cost=[1, 5], horizon=[None, 1])
    cells.plot(tmp_path / "cells.svg")
    assert all("<svg" in (tmp_path / name).read_text() for name in ("lines.svg", "cells.svg"))
    assert np.isfinite(lines.means).all()


def test_options_and_refusals():
    found = sweep(H, TRUE, SYSTEMS, "TIE", max_distance=[None, 1], options={"undefined": "nan"})
    assert found.evaluation.scores["A"][found.evaluation.measures[0]].undefined == 2
    for grid, reason in (
        ({}, "needs parameters"), ({"default_cost": 3}, "list of values"), ({"default_cost": []}, "list of values"),
        ({"cost": "shortest_path"}, "list of values"), ({"bounds": [1]}, "no parameter 'bounds'"),
    ):  # fmt: skip
        with pytest.raises(InvalidOption, match=reason):
            sweep(H, TRUE, SYSTEMS, "GIE", **grid)
    with pytest.raises(InvalidOption, match="no point"):
        found.at(max_distance=7)


def test_measures_by_names_of_ones_own():
    ev = evaluate(H, TRUE, SYSTEMS, {"near": "F_H(horizon=2)", "far": measure("F_H")})
    assert ev.measures == ["near", "far"]
    assert ev.mean("A", "near") == evaluate(H, TRUE, SYSTEMS, ["F_H(horizon=2)"]).mean("A", "F_H(horizon=2)")
