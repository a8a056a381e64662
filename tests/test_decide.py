"""Decisions: reference values, enumeration in exact fractions, programs against the fast ways, risks and floors."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from hemlp import Hierarchy, LabelSets, decide, measure
from tests.decide_by_enumeration import enumerate_best, random_world

ROWS = [json.loads(line) for line in (Path(__file__).parent / "data/decide.jsonl").read_text().splitlines()]
CASES = (
    ("SDL", {}), ("SDL", {"top": True}), ("SDL", {"weights": True}), ("ICM", {"weights": True}),
    ("F_H", {}), ("F_H", {"beta": 2}), ("F_H", {"top": True}), ("F_H", {"beta": 0.5, "top": True}), ("F", {}),
    ("F", {"beta": 2}), ("accuracy", {}), ("GIE", {"default": 5}), ("GIE", {"default": 2}), ("GIE", {"default": 1.5}),
)  # fmt: skip


def sets(rows):
    return LabelSets.of(rows, rows="sets")


def as_systems(scenarios):
    systems = {str(k): sets([list(labels)]) for k, (_, labels) in enumerate(scenarios)}
    return systems, {str(k): q for k, (q, _) in enumerate(scenarios)}


def made(name, options, weights):
    names = {"default": "default_cost"}
    given = {names.get(key, key): value for key, value in options.items()}
    if "weights" in given:
        given["weights"] = dict(enumerate(weights))
    return measure(name, **given)


def compare_with_enumeration(seed, count, cases=CASES, per_world=4):
    """The number of comparisons; every one is equal, values and sets."""
    rng, done = np.random.default_rng(seed), 0
    for _ in range(count):
        world, scenarios, weights = random_world(rng)
        h = Hierarchy.from_edges(world.edges, classes=range(world.size))
        systems, masses = as_systems(scenarios)
        for k in rng.choice(len(cases), min(per_world, len(cases)), replace=False):
            name, options = cases[int(k)]
            at_least = int(rng.integers(0, 2))
            plain = {key: weights if key == "weights" else value for key, value in options.items()}
            wanted, answer = enumerate_best(world, scenarios, name, at_least, **plain)
            d = decide(h, systems, made(name, options, weights), weights=masses, at_least=at_least)
            where = f"{name} {options} at_least={at_least}: {world.edges} {scenarios} {weights}"
            assert d.expected[0] == pytest.approx(float(wanted), rel=1e-12, abs=1e-12), where
            assert tuple(sorted(d.sets[0])) == answer, where
            assert d.status == {"optimal": 1}, where
            done += 1
    return done


def test_enumeration_in_exact_fractions_gives_the_same_values_and_sets():
    assert compare_with_enumeration(seed=1, count=120) == 480


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_reference_values(row):
    r = ROWS[row]
    h = Hierarchy.from_edges([tuple(edge) for edge in r["edges"]], classes=range(r["classes"]))
    own = {int(k): v for k, v in r["weights"].items()}
    measures = {
        "SDL": measure("SDL"), "SDL_weighted": measure("SDL", weights=own), "ICM": measure("ICM", weights=own),
        "F_H": measure("F_H"), "F_H(beta=2)": measure("F_H(beta=2)"), "F": measure("F"),
        "accuracy": measure("accuracy"), "GIE(D=5)": measure("GIE"), "GIE(D=2)": measure("GIE(default_cost=2)"),
    }  # fmt: skip
    systems, masses = as_systems([(Fraction(*q), labels) for q, labels in r["scenarios"]])
    for at_least, key in ((0, "values"), (1, "at_least_1")):
        for name, wanted in r[key].items():
            d = decide(h, systems, measures[name], weights=masses, at_least=at_least)
            assert d.expected[0] == pytest.approx(wanted["expected"], abs=1e-12), (name, key)
            assert sorted(d.sets[0]) == sorted(wanted["set"]), (name, key)
