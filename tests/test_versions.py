"""The same labels on two versions of a taxonomy."""

from __future__ import annotations

import json
import math
import random

import pytest
from click.testing import CliRunner

from hemlp import Hierarchy, compare_versions, evaluate
from hemlp.cli.main import commands
from hemlp.errors import FileFormatError, UnknownLabel
from hemlp.run.versions import read_mapping

MEASURES = ["F_H", "GIE", "F_LCA"]


def random_tree(rng, size):
    return [(f"c{rng.randrange(k)}", f"c{k}") for k in range(1, size)]


def random_sets(rng, labels, number=15):
    return [rng.sample(labels, rng.randrange(0, 3)) for _ in range(number)]


def test_identity_and_renaming_give_0():
    rng = random.Random(1)
    edges = random_tree(rng, 12)
    labels = sorted({end for edge in edges for end in edge})
    true, pred = random_sets(rng, labels), random_sets(rng, labels)
    same = compare_versions(edges, edges, true, {"A": pred}, MEASURES)
    assert not same.moves
    other = {label: f"x{hash(label) % 97}_{label}" for label in labels[::2]}
    renamed = [tuple(other.get(end, end) for end in edge) for edge in edges]
    change = compare_versions(edges, renamed, true, {"A": pred}, MEASURES, mapping=other)
    assert {(move.label, *move.to) for move in change.moves} == set(other.items())
    assert {move.how for move in change.moves} == {"renamed"}
    for name in MEASURES:
        assert same.parts("A", name) == (0.0, 0.0)
        assert change.parts("A", name) == (0.0, 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_the_parts_add_up_to_the_difference_of_the_versions(seed):
    rng = random.Random(seed)
    old, new = random_tree(rng, 12), random_tree(rng, 9)
    labels = [f"c{k}" for k in range(12)]
    true, pred = random_sets(rng, labels), random_sets(rng, labels)
    change = compare_versions(old, new, true, {"A": pred}, MEASURES)
    h = Hierarchy.from_edges(old)

    def lowest(label):
        above = {a for a in h.ancestors(label) if int(a[1:]) < 9}
        return [a for a in above if not any(a in h.ancestors(b) for b in above)]

    def move(sets):
        return [[t for c in row for t in ([c] if int(c[1:]) < 9 else lowest(c))] for row in sets]

    before = evaluate(old, true, {"A": pred}, MEASURES, rows="sets")
    after = evaluate(new, move(true), {"A": move(pred)}, MEASURES, rows="sets")
    for name in MEASURES:
        assert sum(change.parts("A", name)) == pytest.approx(after.mean("A", name) - before.mean("A", name), abs=1e-12)
    kept_below = [*new, *(edge for edge in old if int(edge[1][1:]) >= 9)]
    orders = [
        (evaluate(old, move(true), {"A": move(pred)}, MEASURES, rows="sets"), before),
        (after, evaluate(kept_below, true, {"A": pred}, MEASURES, rows="sets")),
    ]
    for name in MEASURES:
        labels_part = math.fsum(first.mean("A", name) - second.mean("A", name) for first, second in orders) / 2
        assert change.parts("A", name)[0] == pytest.approx(labels_part, abs=1e-12)
    assert {m.label for m in change.moves} == {"c9", "c10", "c11"}


def test_aliases_mappings_and_what_is_lost(tmp_path):
    old = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("a", "y"), ("b", "z"), ("s", "t")])
    new = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "w")], aliases={"x": "b", "y": "w"})
    (tmp_path / "m.sssom.tsv").write_text(
        "#curie_map: {}\nsubject_id\tpredicate_id\tobject_id\nz\tskos:exactMatch\ta\nt\tskos:broadMatch\tr\n"
    )
    change = compare_versions(old, new, [["x"], ["t"]], {"A": [["y"], ["z", "z"]]}, mapping=tmp_path / "m.sssom.tsv")
    found = {move.label: (move.to, move.how) for move in change.moves}
    assert found == {
        "s": ((), "lost"), "t": ((), "lost"), "x": (("b",), "alias"), "y": (("w",), "renamed"),
        "z": (("a",), "mapping"),
    }  # fmt: skip
    assert [(row[0], row[3]) for row in change.moves_table().rows] == [("t", 1), ("x", 1), ("y", 1), ("z", 1)]
    assert "5 classes of the old version vanished" in change.table().notes[0]
    (tmp_path / "bad.tsv").write_text("a\tb\n")
    with pytest.raises(FileFormatError, match="subject_id"):
        read_mapping(tmp_path / "bad.tsv")
    with pytest.raises(UnknownLabel, match="yeti"):
        compare_versions(old, new, [["yeti"]], {"A": [["x"]]})


def test_the_command(tmp_path):
    for name, text in {
        "old.txt": "animal mammal\nmammal sheep\nmammal cow\n", "new.txt": "animal sheep\nanimal cow\n",
        "gold.txt": "sheep\nmammal\n", "a.txt": "cow\nanimal\n",
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("old.txt", "new.txt", "gold.txt", "a.txt")]
    outcome = CliRunner().invoke(commands, ["compare-versions", *files])
    assert outcome.exit_code == 0, outcome.output
    assert "1 class of the old version vanished: ancestors 1 (1 used)" in outcome.output
    outcome = CliRunner().invoke(commands, ["compare-versions", *files, "--json", "-"])
    (row,) = json.loads(outcome.stdout)["means"]
    assert row["difference"] == pytest.approx(row["labels"] + row["edges"])
