"""What is said under a table where a number could mislead, and errors that must not be left out."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from hemlp import Hierarchy, evaluate, measure
from hemlp.run.gate import Gate

FOREST = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("s", "t"), ("s", "u")])
TREE = Hierarchy.from_edges([("top", "r"), ("top", "s"), *[("r", "a"), ("r", "b"), ("a", "c"), ("s", "t"), ("s", "u")]])


def test_measures_of_lca_graphs_over_several_roots():
    """A miss across roots is above 0, and the table says why; one root, or no such measure, needs no word."""
    miss = {"A": ["t", "c"]}
    ev = evaluate(FOREST, ["c", "c"], miss, ["F_H", "P_LCA", "F_LCA"])
    assert ev.per_instance("A", "F_LCA")[0] > 0 == ev.per_instance("A", "F_H")[0]
    (note,) = [each for each in ev.table().notes if "roots" in each]
    assert note.startswith("P_LCA, F_LCA: the hierarchy has 2 roots")
    for h, measures in ((TREE, ["F_LCA"]), (FOREST, ["F_H"])):
        assert not [each for each in evaluate(h, ["c", "c"], miss, measures).table().notes if "roots" in each]


def test_isolated_labels():
    """An invented label earns more than no label by F_LCA if it is isolated; a note names the systems."""
    systems = {"A": ["yeti", "c"], "B": [[], "c"]}
    ev = evaluate(TREE, ["c", "c"], systems, ["F_LCA"], unknown="isolate")
    assert ev.mean("A", "F_LCA") > ev.mean("B", "F_LCA")
    (note,) = [each for each in ev.table().notes if "isolated meets" in each]
    assert "(A)" in note
    dropped = evaluate(TREE, ["c", "c"], systems, ["F_LCA"], unknown="drop")
    assert dropped.mean("A", "F_LCA") == dropped.mean("B", "F_LCA")
    assert not [each for each in dropped.table().notes if "isolated meets" in each]


def test_infinite_means():
    ev = evaluate(FOREST, ["c", "c", "t"], {"A": ["t", "b", "t"], "B": ["b", "b", "u"]}, ["distance"])
    assert ev.mean("A", "distance") == np.inf
    (note,) = [each for each in ev.table().notes if "infinite" in each]
    assert note.startswith("A, distance: infinite on 1 instance, ")
    assert note.endswith("the mean of the others is 1.0000")


def test_a_gate_that_passes_calls_nothing_worse():
    good, bad = (evaluate(TREE, ["c", "b"], {"A": pred}, ["F_H"]) for pred in (["c", "b"], ["c", "t"]))
    for before, now, passes in ((good, good, True), (bad, good, True), (good, bad, False)):
        drops = Gate(before).compare(now)
        assert (not drops.failed) == passes
        assert ("worse" in str(drops.table())) == (not passes)


@pytest.mark.parametrize("name", ["GIE", "GIE(default_cost=0.5)", "MGIA"])
def test_confusions_hold_every_error_of_one_label_a_side(name):
    """Across roots, too, where it costs less to pair both with nobody; the costs are those of the measure."""
    rng = np.random.default_rng(3)
    classes = sorted(FOREST)
    true, pred = rng.choice(classes, (2, 60)).tolist()
    ev = evaluate(FOREST, true, {"A": pred}, [name])
    errors = Counter((t, p) for t, p in zip(true, pred, strict=True) if t != p)
    rows = ev.confusions("A", name).rows
    assert {(t, p): number for t, p, number, *_ in rows} == errors
    each = measure(name)
    for t, p, number, cost, _ in rows:
        assert cost == pytest.approx(number * each.score(FOREST, [t], [p])["error"])
    assert not [note for note in ev.confusions("A", name).notes if "without a partner" in note]


def test_with_several_labels_nobody_is_paired_by_force():
    ev = evaluate(FOREST, [["c", "b"], ["c"]], {"A": [["t"], ["t", "u"]]}, ["GIE"])
    assert ev.confusions("A").rows == []
    assert [note for note in ev.confusions("A").notes if "partner" in note] == [
        "3 predicted classes have no partner: cost 15", "3 true classes have no partner: cost 15"
    ]  # fmt: skip
