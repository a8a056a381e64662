"""The least cost as a function of the default cost: against enumeration of all pairings, and on real documents."""

from __future__ import annotations

import itertools
import json
import math
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from hemlp import (
    ALL,
    Batch,
    Bounds,
    Hierarchy,
    Lin,
    PairMeasure,
    PairScore,
    ScoredSets,
    evaluate,
    examples,
    measure,
    read_hierarchy,
    read_labels,
)  # fmt: skip
from hemlp.cli.main import commands
from hemlp.errors import InvalidOption
from hemlp.measures.default_cost_sensitivity import Sensitivity, crossings
from hemlp.run.evaluation import Evaluation
from hemlp.testing import random_instances
from tests import oracle
from tests.test_more_sets import corpus_batch

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
SIDES = [(0, 1), (1, 1), (1, 2), (1, ALL), (0, ALL), (2, 3), (ALL, ALL)]


def bound(value, size, least=0):
    return max(least, size) if value is ALL else value


def all_lines(h, true, pred, bounds):
    """(cost of the pairs, default pairs) of every pairing that keeps the bounds, with as few defaults as possible."""
    kappa = [[h.distance(p, t) for t in true] for p in pred]
    sizes = len(true), len(pred)
    (ap, bp), (at, bt) = (
        (bound(a, n), bound(b, n, bound(a, n)))
        for (a, b), n in zip((bounds.predicted, bounds.true), sizes, strict=True)
    )
    pairs = [(i, j) for i in range(len(pred)) for j in range(len(true)) if math.isfinite(kappa[i][j])]
    lines = set()
    for chosen in itertools.product((0, 1), repeat=len(pairs)):
        taken = list(itertools.compress(pairs, chosen))
        rows = [sum(i == r for i, _ in taken) for r in range(len(pred))]
        columns = [sum(j == c for _, j in taken) for c in range(len(true))]
        if max(rows, default=0) > bp or max(columns, default=0) > bt:
            continue
        defaults = sum(max(0, ap - n) for n in rows) + sum(max(0, at - n) for n in columns)
        lines.add((sum(Fraction(kappa[i][j]) for i, j in taken), defaults))
    return lines


def breakpoints_of(lines):
    """Where the least of all lines bends, D > 0: by looking at every place where two lines meet."""

    def least(d):
        return min(c + k * d for c, k in lines)

    places = sorted({(c2 - c1) / (k1 - k2) for (c1, k1) in lines for (c2, k2) in lines if k1 != k2})
    found = []
    for d in (d for d in places if d > 0):
        step = min([abs(d - other) for other in places if other != d] + [d]) / 2
        if least(d) - least(d - step) != least(d + step) - least(d):
            found.append(d)
    return found


def test_breakpoints_by_enumeration():
    rng = np.random.default_rng(0)
    seen = 0
    for h, true, pred in random_instances(120, seed=11):
        first, second = (SIDES[int(k)] for k in rng.integers(0, len(SIDES), 2))
        bounds = Bounds(first, second)
        found = PairMeasure("any_bounds", bounds, default_cost=5).sensitivity(h, true, pred)
        lines = all_lines(h, true, pred, bounds)
        assert list(found.breakpoints) == breakpoints_of(lines)
        for d in (Fraction(1, 7), 1, 2.5, 5, 1000):
            assert found(d) == min(c + k * Fraction(d) for c, k in lines)
        seen += len(found.breakpoints)
    assert seen > 60


def test_breakpoints_of_the_corpora():
    m = measure("GIE")
    for row in oracle.corpora():
        h, batch = corpus_batch(row)
        everywhere = set()
        for true, pred, expected in zip(row["true"], row["pred"], row["values"], strict=True):
            found = m.sensitivity(h, true, pred)
            assert found.breakpoints == tuple(Fraction(*pair) for pair in expected["GIE_breakpoints"])
            everywhere |= set(found.breakpoints)
        mean = m.sensitivity(batch)
        assert set(mean.breakpoints) == everywhere
        for d in (0.25, 1, 3, 7.5):
            assert float(mean(d)) == pytest.approx(m.changed(default_cost=d).score(batch).mean(), rel=1e-12)


TEXTS = [
    "MGIA", "MGIA(normalizer='union')", "GIE(cost='shortest_path(decay=0.5)')", "GIE(max_distance=2)", "GIE(horizon=1)",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_means_are_those_of_scores(text):
    m = measure(text)
    for h, true, pred in random_instances(15, seed=3):
        batch = Batch.of(h, [set(true), set(pred), set(true)], [set(pred), set(true), set(true)])
        found = m.sensitivity(batch)
        assert found.exact
        for d in (0.125, 1, 4, 100):
            assert float(found(d)) == pytest.approx(m.changed(default_cost=d).score(batch).mean(), rel=1e-12, abs=1e-12)


def test_costs_that_are_no_common_multiples():
    content = {c: math.log(2 + k) for k, c in enumerate(["animal", "bird", "mammal", "cow", "sheep"])}
    m = measure("GIE", cost=Lin(content))
    batch = Batch.of(H, [["sheep", "bird"], ["cow"]], [["cow"], ["bird", "sheep"]])
    found = m.sensitivity(batch)
    assert not found.exact
    assert all(isinstance(d, float) for d in found.breakpoints)
    for d in (0.01, 0.2, 0.3, 1, 9):
        assert found(d) == pytest.approx(m.changed(default_cost=d).score(batch).mean(), rel=1e-9)
    (single,) = m.sensitivity(H, ["sheep"], ["cow"]).breakpoints
    assert single == pytest.approx(m.cost.between(H, "cow", "sheep") / 2)


def line(*pieces, at=()):
    return Sensitivity(tuple(map(Fraction, at)), tuple((Fraction(c), Fraction(k)) for c, k in pieces), 1)


def test_crossings():
    assert crossings(line((0, 2)), line((3, 1))) == [(3, 0)]
    assert crossings(line((3, 1)), line((0, 2))) == [(3, 1)]
    assert crossings(line((0, 2)), line((0, 1))) == []
    assert crossings(line((1, 2)), line((1, 2))) == []
    bent = line((0, 3), (2, 1), at=[1])
    assert crossings(bent, line((0, 2))) == [(2, 1)]
    assert crossings(bent, line((1, 2))) == []  # they meet at 1, and go apart again
    flat = line((0, 2), (1, 1), (3, 0), at=[1, 2])
    assert crossings(flat, line((1, 1))) == []  # equal from 1 to 2, below before and after
    assert crossings(line((0, 2), (1, 1), at=[1]), line((1, 1), (3, 0), at=[2])) == [(1, 0)]  # equal from 1 to 2
    assert crossings(line((0, 2), (4, 0), at=[2]), line((1, 1))) == [(1, 0), (3, 1)]


def test_flips_by_looking_at_both_sides():
    example = examples.mesh_mini()
    ev = evaluate(example.hierarchy, example.true, example.systems, ["GIE", "MGIA", "F_H"])
    for name in ("GIE", "MGIA"):
        found = ev.sensitivity(name)
        for system in ev.systems:
            assert float(found.systems[system](5)) == pytest.approx(ev.mean(system, name), rel=1e-12)
        assert found.flips
        assert found.flips == sorted(found.flips)
        places = [0, *(d for d, _, _ in found.flips), found.flips[-1][0] * 2]
        for k, (d, below, above) in enumerate(found.flips):
            before, after = (found.order((d + places[k + step]) / 2) for step in (0, 2))
            assert before.index(below) < before.index(above)
            assert after.index(above) < after.index(below)
            assert found.systems[below](d) == found.systems[above](d)
        # between two flips nothing changes
        for low, high in itertools.pairwise(places):
            assert found.order(low + (high - low) / 3) == found.order(low + (high - low) * 2 / 3)
        at_five = found.order(5)
        assert [ev.mean(s, name) for s in at_five] == sorted(
            (ev.mean(s, name) for s in at_five), reverse=name == "MGIA"
        )


def test_refusals(tmp_path):
    batch = Batch.of(H, [["sheep"]], [["cow"]])
    for m in (
        measure("TIE"), measure("MGIA", pairing="nearest"), measure("GIE", default_cost=(1, 2)),
        measure("GIE", default_cost=dict.fromkeys(H, 2)),
    ):  # fmt: skip
        with pytest.raises(InvalidOption, match="has not one default cost"):
            m.sensitivity(batch)
    own = PairMeasure("own", Bounds((1, 1), (1, 1)), default_cost=1, score=PairScore(lambda f: f.error))
    for m in (own, measure("matched_F")):
        with pytest.raises(InvalidOption, match="only an error or an accuracy"):
            m.sensitivity(batch)
    for d in (-1, "five", math.nan, math.inf):
        with pytest.raises(InvalidOption, match="not a number of at least 0"):
            measure("GIE").sensitivity(batch)(d)
    assert measure("GIE").sensitivity(batch)(0) == measure("GIE", default_cost=0).score(batch).values[0] == 0
    with pytest.raises(InvalidOption, match="not a number above 0"):
        measure("MGIA").sensitivity(batch)(0)
    with pytest.raises(InvalidOption, match="the sensitivity of a measure with constraints"):
        measure("GIE").with_constraints(lambda model: [], name="freed").sensitivity(batch)
    ev = evaluate(H, [["sheep"]], {"A": [["cow"]]}, ["GIE", "F_H", "TIE"])
    with pytest.raises(InvalidOption, match="no default cost"):
        ev.sensitivity("F_H")
    with pytest.raises(InvalidOption, match="not one default cost"):
        ev.sensitivity("TIE")
    with pytest.raises(InvalidOption, match="no measure 'MGIA'"):
        ev.sensitivity("MGIA")
    ev.to_json(tmp_path / "ev.json")
    with pytest.raises(InvalidOption, match="read from a file"):
        Evaluation.from_json(tmp_path / "ev.json").sensitivity("GIE")


def test_the_command(tmp_path):
    (tmp_path / "h.txt").write_text("animal mammal\nmammal sheep\nmammal cow\nanimal bird\n")
    (tmp_path / "g.txt").write_text("sheep\nsheep\n")
    (tmp_path / "silent.txt").write_text("\n\n")
    (tmp_path / "bold.txt").write_text("bird\nsheep cow\n")
    files = [str(tmp_path / name) for name in ("h.txt", "g.txt", "silent.txt", "bold.txt")]
    out = ["--json", str(tmp_path / "f.json"), "--plot", str(tmp_path / "f.svg")]
    told = CliRunner().invoke(commands, ["sensitivity", *files, *out], catch_exceptions=False)
    assert told.exit_code == 0
    assert told.output.splitlines()[1].split() == ["3", "silent", "bold"]
    stored = json.loads((tmp_path / "f.json").read_text())
    assert stored["flips"] == [{"D": [3, 1], "below": "silent", "above": "bold"}]
    assert "<svg" in (tmp_path / "f.svg").read_text()
    assert "3" in str(measure("GIE").sensitivity(H, ["sheep"], ["bird"]))


@pytest.mark.parametrize("text", ["GIE", "MGIA"])
def test_one_system_has_lines_and_no_places(text):
    ev = evaluate(H, [["sheep"], ["sheep", "bird"]], {"only": [["bird"], ["cow"]]}, [f"{text}(default_cost=3)"])
    found = ev.sensitivity(ev.measures[0])
    table = found.table()
    starts = [Fraction(row[0].split(" = ")[0]) for row in table.rows]
    assert starts == [0, *found.systems["only"].breakpoints]
    assert len(starts) > 1
    for start in starts:
        d = start + Fraction(1, 100)
        _, cost, count = (Fraction(cell.split(" = ")[0]) for cell in table.rows[starts.index(start)])
        formula = 1 - cost / d - count if text == "MGIA" else cost + count * d
        assert found.systems["only"](d) == formula
    assert ("1 − cost / D − default pairs" if text == "MGIA" else "cost + default pairs · D") in str(table)
    assert f"{ev.mean('only', ev.measures[0]):.4f} at D = 3" in str(table)


def test_systems_that_never_change_places():
    ev = evaluate(H, [["sheep"]], {"A": [["sheep"]], "B": [["bird"]]}, ["GIE"])
    said = str(ev.sensitivity("GIE"))
    assert said.startswith("No two systems change places by GIE at any default cost D.\n\nD: ")
    assert "ahead below" not in said


def test_of_the_greatest_scores():
    s = {name: ScoredSets.of(rows) for name, rows in {
        "silent": [{}, {}], "bold": [{"bird": 0.9}, {"sheep": 0.9, "cow": 0.8, "bird": 0.1}],
    }.items()}  # fmt: skip
    gold = [["sheep"], ["sheep"]]
    found = evaluate(H, gold, {name: each.at(0.05) for name, each in s.items()}, ["GIE@2"]).sensitivity("GIE@2")
    wanted = evaluate(H, gold, {name: each.top(2) for name, each in s.items()}, ["GIE"]).sensitivity("GIE")
    assert (found.systems, found.flips, found.chosen) == (wanted.systems, wanted.flips, wanted.chosen)
    assert found.flips
    batch = Batch.of(H, gold, s["bold"])
    assert measure("GIE@2").sensitivity(batch) == wanted.systems["bold"]
    one = {"bird": 0.9, "cow": 0.1}
    assert measure("GIE@1").sensitivity(H, ["sheep"], one) == measure("GIE").sensitivity(H, ["sheep"], ["bird"])
    with pytest.raises(InvalidOption, match="F_H@2 has no default cost"):
        measure("F_H@2").sensitivity(batch)


def test_medline_documents():
    """By GIE svm is ahead of knn below D = 5.55, and behind above."""
    if "HEMLP_DATA" not in os.environ:
        pytest.skip("HEMLP_DATA is not set: NOT compared")
    data = Path(os.environ["HEMLP_DATA"])
    h = read_hierarchy(data / "mesh2016" / "mesh_hierarchy.txt", cycles="break")
    true = read_labels(data / "medline_mesh" / "gold.txt")
    systems = {name: read_labels(data / "medline_mesh" / f"pred_{name}.txt") for name in ("svm_ovr_freq60", "knn30")}
    ((d, below, above),) = evaluate(h, true, systems, ["GIE"]).sensitivity("GIE").flips
    assert (below, above, round(float(d), 2)) == ("svm_ovr_freq60", "knn30", 5.55)
