"""The sentence above a table says what the table shows, and nothing that a test does not."""

from __future__ import annotations

import re

import numpy as np
import pytest

from hemlp import Hierarchy, evaluate, examples
from hemlp.analysis.statistics.verdicts import verdicts

H = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("a", "y"), ("b", "z")])
TRUE = ["x", "y", "z"] * 10
RIGHT, NEAR = TRUE, ["y", "x", "z"] * 10
WILD = ["z", "z", "x"] * 10


def lead(systems, measures, true=TRUE):
    return " ".join(evaluate(H, true, systems, measures).table().lead)


def test_one_system():
    assert lead({"s": RIGHT}, ["F_H"]) == "F_H of s is 1.0000 [1.0000, 1.0000] on 30 instances."
    assert lead({"s": WILD}, ["F", "F_H"]).endswith("F is 0 for every system.")
    few = evaluate(H, ["x"] * 3, {"s": [["x"], [], ["y"]]}, ["TIE"], undefined="nan")
    assert few.table().lead[0].endswith("on 2 of 3 instances.")
    none = evaluate(H, ["x"] * 3, {"s": [[]] * 3}, ["TIE"], undefined="nan")
    assert none.table().lead[0] == "TIE of s is undefined on 3 instances."


def test_the_winner_is_named_and_its_lead_judged():
    said = lead({"wild": WILD, "near": NEAR, "right": RIGHT}, ["F_H", "GIE"])
    assert said == "right is best by both measures. Its lead over the next system is significant by each measure."
    few = TRUE[:3]
    said = lead({"wild": WILD[:3], "right": RIGHT[:3]}, ["F_H"], few)
    assert re.fullmatch(r"right is best by F_H\. Its lead over wild is not significant \(p = \.250\)\.", said)


def test_equal_systems():
    assert lead({"a": RIGHT, "b": RIGHT}, ["F_H"]) == "The best systems are equal by F_H."
    few = Hierarchy.from_edges([("r", "a"), ("a", "x"), ("a", "y"), ("r", "b")])
    told = evaluate(few, ["x"] * 30, {"near": ["y"] * 30, "wild": ["b"] * 30}, ["F_H", "accuracy"]).table().lead
    assert " ".join(told) == (
        "near is best by F_H; the best systems are equal by accuracy. The lead of near over wild is significant. "
        "accuracy is 0 for every system."
    )


@pytest.mark.parametrize("names", [["F_H"], ["F_H", "F_LCA", "F", "GIE"], ["MGIA", "SDL", "accuracy"]])
def test_what_is_said_of_real_systems_follows_from_their_scores(names):
    """From the scores alone: the best mean by each measure, and whether the permutation test separates it."""
    e = examples.mesh_mini()
    ev = evaluate(e.hierarchy, e.true, e.systems, names)
    first, *others = ev.table().lead
    told = {
        name: system
        for system, by in re.findall(r"(\w+)(?: is best)? by ([\w, ]+?)[;.]", first)
        for name in re.split(r", | and ", by)
    }
    doubtful = set(re.findall(r"(\w+) \(p = ", first))
    for name in names:
        means = {
            s: float(np.mean(ev.per_instance(s, name))) * (1 if ev.greater_is_better[name] else -1) for s in ev.systems
        }
        order = sorted(means, key=means.get)
        if means[order[-1]] == means[order[-2]]:
            assert name in first.partition("equal by")[2]
            continue
        assert told[name] == order[-1]
        v = verdicts({s: ev.per_instance(s, name) for s in ev.systems}, ev.greater_is_better[name])
        assert (name in doubtful) == (v.holm[order[-1], order[-2]] >= 0.05)
    assert others == (["accuracy is 0 for every system."] if "accuracy" in names else [])


def test_a_comparison_names_the_system_that_each_difference_favours():
    ev = evaluate(H, TRUE, {"wild": WILD, "near": NEAR}, ["F_H", "accuracy"])
    assert ev.compare("wild", "near").lead == ["near is significantly better by F_H and accuracy."]
    ev = evaluate(H, TRUE[:3], {"wild": WILD[:3], "right": RIGHT[:3]}, ["F_H"])
    assert ev.compare("wild", "right").lead == ["The difference by F_H is not significant."]
