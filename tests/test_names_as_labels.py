"""Names, synonyms and full paths of classes are labels wherever labels are read."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hemlp import Evaluation, Hierarchy, LabelSets, ScoredSets, evaluate, examples, measure
from hemlp.errors import AmbiguousLabel, UnknownLabel
from hemlp.instances.batch import Batch

SHOP = Hierarchy.of(
    {"id": [1, 2, 3, 4, 5], "parent": [None, 1, 1, 2, 3], "name": ["Garden", "Tools", "Pots", "Rakes", "Rakes"]}
)


@pytest.mark.parametrize(
    ("text", "label"),
    [("Garden", 1), ("Pots", 3), ("Garden > Tools > Rakes", 4), ("Garden/Pots/Rakes", 5), ("Garden::Tools", 2)],
)
def test_a_name_or_a_full_path_is_its_class(text, label):
    assert SHOP.labels[SHOP.id(text)] == label
    assert text in SHOP
    assert Batch.of(SHOP, [[text]], [[label]]).true[0].tolist() == [SHOP.id(label)]


@pytest.mark.parametrize("text", ["Tools > Rakes", "Garden > Rakes", "Pots > Garden", "Garden > Tools >", "Rakez"])
def test_a_path_that_is_not_full_is_unknown(text):
    assert text not in SHOP
    with pytest.raises(UnknownLabel):
        SHOP.id(text)


def test_a_name_of_several_classes_is_an_error_that_lists_them():
    with pytest.raises(AmbiguousLabel, match="name of 2 classes: 4, 5") as caught:
        SHOP.id("Rakes")
    assert caught.value.near == (4, 5)
    for policy in ("error", "drop", "isolate"):  # whatever is done about unknown labels
        with pytest.raises(AmbiguousLabel, match="predictions, row 2: 'Rakes'"):
            Batch.of(SHOP, [[1], [2]], [[1], ["Rakes"]], unknown=policy, unknown_true=policy)


def test_an_id_wins_over_a_name_and_a_name_over_a_synonym():
    h = Hierarchy.from_edges([("a", "b"), ("a", "c")]).with_names({"c": "b", "a": "top"})
    assert h.labels[h.id("b")] == "b"
    h = replace(h, synonyms=(("top", "b"), ("root", "a"), ("leaf", "b"), ("leaf", "c")))
    assert h.labels[h.id("top")] == "a"
    assert h.labels[h.id("root")] == "a"
    with pytest.raises(AmbiguousLabel):
        h.id("leaf")


def test_near_matches_over_names():
    with pytest.raises(UnknownLabel, match="did you mean 'Garden'"):
        SHOP.id("Gardn")


def test_labels_by_name_score_as_labels_do_and_are_counted(tmp_path):
    mesh = examples.mesh_mini()
    times = Counter(mesh.names.values())
    unique = {label: name for label, name in mesh.names.items() if times[name] == 1 and name not in mesh.hierarchy}
    read = 0

    def by_name(sets):
        nonlocal read
        rows = [[unique.get(label, label) for label in row] for row in sets]
        read += sum(label in unique for row in sets for label in row)
        return rows

    system = next(iter(mesh.systems))
    plain = evaluate(mesh.hierarchy, mesh.true, {system: mesh.systems[system]}, ["F_H", "GIE", "F_LCA"])
    sides = by_name(mesh.true), by_name(mesh.systems[system])
    named = evaluate(mesh.hierarchy, sides[0], {system: sides[1]}, ["F_H", "GIE", "F_LCA"], names=mesh.names)
    for name in plain.measures:
        assert plain.per_instance(system, name).tobytes() == named.per_instance(system, name).tobytes()
    assert named.facts[system]["labels read by name"] == read > 1000
    assert "labels read by name" not in plain.facts[system]
    assert any(f"{read:,} labels read by the names of classes" in note for note in named.table().notes)
    assert plain.summary()["signature"] == named.summary()["signature"]
    named.to_json(tmp_path / "named.json")
    assert Evaluation.from_json(tmp_path / "named.json").facts[system]["labels read by name"] == read


def test_counts_follow_the_instances_of_a_batch():
    batch = Batch.of(SHOP, [["Garden"], [2], ["Pots", "Tools"]], [[1], ["Tools"], [3]])
    assert batch.true.named_counts.tolist() == [1, 0, 2]
    assert batch[2].true.named_counts.tolist() == [2]
    assert batch[2].pred.named_counts.tolist() == [0]
    joined = Batch.concatenate([batch[:2], Batch.of(SHOP, [[1]], [[2]])])
    assert joined.true.named_counts.tolist() == [1, 0, 0]
    assert joined.true.missing_rows is None


def test_words_of_a_name_with_spaces_are_not_labels(tmp_path):
    h = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("r", "3")]).with_names(
        {"1": "garden", "2": "rakes", "3": "garden rakes"}
    )
    assert float(measure("F").score(h, ["garden", "rakes"], ["1", "2"])) == 1
    (tmp_path / "gold.txt").write_text("garden rakes\n")
    with pytest.raises(UnknownLabel, match="looks like a piece of 'garden rakes'"):
        Batch.of(h, LabelSets.of(str(tmp_path / "gold.txt")), [["3"]])


def test_scored_predictions_by_name():
    scores = ScoredSets.of([{"Pots": 0.9, "Garden > Tools > Rakes": 0.4}])
    assert evaluate(SHOP, [[3]], {"a": scores.at(0.5)}, ["F"]).mean("a", "F") == 1
    assert evaluate(SHOP, [[3, 4]], {"a": scores.at(0.3)}, ["F"]).mean("a", "F") == 1


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.data())
def test_every_full_path_leads_to_its_class(parents, data):
    """Of random trees whose names are not unique: a path leads to the classes at its end, by enumeration."""
    parents = [None, *(min(p, k) for k, p in enumerate(parents))]
    names = [data.draw(st.sampled_from("AB")) for _ in parents]
    h = Hierarchy.of({"id": list(range(len(parents))), "parent": parents, "name": names})

    def path(c):
        return (*(() if parents[c] is None else path(parents[c])), names[c])

    for c in range(len(parents)):
        if parents[c] is None:
            continue  # a name alone is no path
        same = [d for d in range(len(parents)) if path(d) == path(c)]
        numbers = h.numbers([" > ".join(path(c))])
        assert np.array_equal(numbers, [c] if len(same) == 1 else [-2])
