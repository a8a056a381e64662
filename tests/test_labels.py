from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_matrix, csc_array, csr_array

from hemlp import Batch, Hierarchy, LabelSets
from hemlp.errors import InvalidLabel, InvalidLabelSets, InvalidOption, MisalignedSides, UnknownLabel

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")], aliases={"ox": "cow"})
ROWS = [("sheep",), ("cow", "sheep"), (), ("mammal",)]
IDS = ["d1", "d2", "d3", "d4"]


def sets(labels: LabelSets) -> list[frozenset]:
    return [frozenset(row) for row in labels]


def columns():
    return {"doc": ["d1", "d2", "d3", "d2", "d4"], "topic": ["sheep", "cow", None, "sheep", "mammal"], "x": range(5)}


MATRIX = np.array([[0, 1, 0], [1, 1, 0], [0, 0, 0], [0, 0, 1]])
INPUTS = {
    "lists": (ROWS, {}),
    "sets and single labels": (["sheep", {"cow", "sheep"}, frozenset(), ["mammal"]], {}),
    "arrays": ([np.array(row, dtype=str) for row in ROWS], {}),
    "generator": ((row for row in ROWS), {}),
    "object array": (np.array([list(r) for r in ROWS], dtype=object), {}),
    "series": (pd.Series([list(r) for r in ROWS]), {}),
    "mapping": (dict(zip(IDS, ROWS, strict=True)), {}),
    "dense": (MATRIX, {"labels": ["cow", "sheep", "mammal"]}),
    "dense bool": (MATRIX.astype(bool), {"labels": np.array(["cow", "sheep", "mammal"])}),
    "nested lists": (MATRIX.tolist(), {"labels": ["cow", "sheep", "mammal"]}),
    "csr": (csr_array(MATRIX), {"labels": ["cow", "sheep", "mammal"]}),
    "csc": (csc_array(MATRIX), {"labels": ["cow", "sheep", "mammal"]}),
    "coo matrix": (coo_matrix(MATRIX), {"labels": ["cow", "sheep", "mammal"]}),
    "dict of columns": (columns(), {"id": "doc", "label": "topic"}),
    "pandas": (pd.DataFrame(columns()), {"id": "doc", "label": "topic"}),
    "polars": (pl.DataFrame(columns()), {"id": "doc", "label": "topic"}),
    "label sets": (LabelSets.of(ROWS), {}),
}


@pytest.mark.parametrize("kind", INPUTS)
def test_every_input_gives_the_same_sets(kind):
    data, options = INPUTS[kind]
    made = LabelSets.of(data, **options)
    assert len(made) == 4
    assert sets(made) == [frozenset(row) for row in ROWS]
    assert made.ids == (tuple(IDS) if kind in ("mapping", "dict of columns", "pandas", "polars") else None)
    assert made[-1] == ("mammal",)
    with pytest.raises(IndexError):
        made[4]


def test_columns_without_ids_are_one_label_an_instance():
    made = LabelSets.of(pd.DataFrame({"y": ["cow", None, "sheep"]}), label="y")
    assert list(made) == [("cow",), (), ("sheep",)]
    assert list(LabelSets.of(pd.DataFrame({"y": pd.array([1, None], "Int64")}), label="y")) == [(1,), ()]
    assert list(LabelSets.of(np.array(["cow", "sheep"]))) == [("cow",), ("sheep",)]
    assert list(LabelSets.of(np.array([3, 4]))) == [(3,), (4,)]
    assert [type(row[0]) for row in LabelSets.of(np.array([3, 4]))] == [int, int]


@pytest.mark.parametrize(
    ("data", "options", "error", "words"),
    [
        ("sheep", {}, InvalidLabelSets, "one string"),
        (b"sheep", {}, InvalidLabelSets, "one string"),
        ([["sheep"], [True]], {}, InvalidLabel, "row 2: True is not a label"),
        ([["sheep"], 1.0], {}, InvalidLabel, "row 2: 1.0 is not a label"),
        ([["sheep"], None], {}, InvalidLabel, "row 2: None is not a label"),
        ([[1, True]], {}, InvalidLabel, "row 1: True"),
        ([[b"x"]], {}, InvalidLabel, "decode"),
        (np.array([[0, 1]]), {}, InvalidLabelSets, "needs labels="),
        (csr_array(MATRIX), {}, InvalidLabelSets, "needs labels="),
        (MATRIX, {"labels": ["a", "b"]}, InvalidLabelSets, r"shape \(4, 3\) does not fit 2 labels"),
        (MATRIX, {"labels": ["a", "b", "a"]}, InvalidLabelSets, "twice"),
        (MATRIX * 0.7, {"labels": ["a", "b", "c"]}, InvalidLabelSets, "0.7: only 0 and 1"),
        (pd.DataFrame(columns()), {}, InvalidLabelSets, r"columns are \['doc', 'topic', 'x'\]"),
        (pd.DataFrame(columns()), {"id": "doc"}, InvalidLabelSets, "without label="),
        (pd.DataFrame(columns()), {"id": "doc", "label": "tpic"}, InvalidLabelSets, "no column 'tpic'"),
        ({"i": [1], "l": ["a", "b"]}, {"id": "i", "label": "l"}, InvalidLabelSets, "1 rows, column 'l' 2"),
        (pd.DataFrame({"i": [1, 2], "l": [1, None]}), {"id": "i", "label": "l"}, InvalidLabel, "line 1: 1.0.*floats"),
    ],
)  # fmt: skip
def test_bad_label_sets(data, options, error, words):
    with pytest.raises(error, match=words):
        LabelSets.of(data, **options)


# ---- batches


def classes(batch: Batch, side: str) -> list[set]:
    return [{batch.hierarchy.labels[c] for c in getattr(batch, side)[i]} for i in range(len(batch))]


@given(st.lists(st.lists(st.sampled_from(["sheep", "cow", "ox", "mammal", "animal"])), max_size=6), st.data())
def test_sides_are_sets_of_classes_sorted_and_each_once(rows, data):
    other = data.draw(st.permutations(rows))
    batch = Batch.of(H, LabelSets.of(rows, rows="sets"), LabelSets.of(other, rows="sets"))
    ox = {"ox": "cow"}
    assert classes(batch, "true") == [{ox.get(c, c) for c in row} for row in rows]
    assert classes(batch, "pred") == [{ox.get(c, c) for c in row} for row in other]
    for i in range(len(batch)):
        assert (np.diff(batch.true[i]) > 0).all()


def test_alignment_by_id():
    true = {"a": ["cow"], "b": ["sheep"], "c": []}
    pred = {"c": ["animal"], "a": ["sheep"], "b": []}
    batch = Batch.of(H, true, pred)
    assert batch.ids == ("a", "b", "c")
    assert classes(batch, "pred") == [{"sheep"}, set(), {"animal"}]
    less = {"c": ["animal"], "d": ["cow"]}
    with pytest.raises(MisalignedSides, match="predictions lacks instance 'a' and 1 more.*missing='empty'"):
        Batch.of(H, true, less)
    for missing in ("error", "empty"):
        with pytest.raises(MisalignedSides, match="predictions lacks instance 'a' and 2 more: .* no id in common$"):
            Batch.of(H, true, {"d": ["cow"], "e": []}, missing=missing)
    with pytest.raises(MisalignedSides, match="true labels lacks instance 'd';"):
        Batch.of(H, true, pred | {"d": []})
    batch = Batch.of(H, true, less, missing="empty")
    assert batch.ids == ("a", "b", "c", "d")
    assert (batch.true.missing, batch.pred.missing) == (1, 2)
    assert classes(batch, "true") == [{"cow"}, {"sheep"}, set(), set()]
    assert classes(batch, "pred") == [set(), set(), {"animal"}, {"cow"}]
    with pytest.raises(MisalignedSides, match="so they cannot be matched: add ids to"):
        Batch.of(H, true, [["cow"], ["cow"], []])


def test_row_counts_must_agree():
    with pytest.raises(MisalignedSides, match="true labels has 2 rows and predictions has 3"):
        Batch.of(H, [["cow"], []], [["cow"], [], []])


def test_unknown_labels_are_an_error_with_the_row_from_one():
    true = [["cow"]] * 17
    with pytest.raises(UnknownLabel) as caught:
        Batch.of(H, true, [*true[:16], ["cow", "shep"]])
    assert str(caught.value).startswith(
        "predictions, row 17: label 'shep' is not in the hierarchy; did you mean 'sheep'?"
    )
    with pytest.raises(UnknownLabel, match=r"true labels, row 2 \(instance 'b'\): label 'x'.*\(2 more"):
        Batch.of(H, {"a": ["cow"], "b": ["x", "y", "x"]}, {"a": [], "b": []})
    with pytest.raises(UnknownLabel, match="row 1: label 12"):
        Batch.of(Hierarchy.from_edges([("1", "12")]), [["12"]], [12])


def test_unknown_labels_can_be_dropped_or_isolated_and_are_counted():
    true, pred = [["cow", "x"], ["y"]], [["cow", "y", "x"], []]
    dropped = Batch.of(H, true, pred, unknown="drop", unknown_true="drop")
    assert (dropped.true.unknown, dropped.pred.unknown) == (2, 2)
    assert dropped.hierarchy is H
    assert classes(dropped, "true") == [{"cow"}, set()]
    assert classes(dropped, "pred") == [{"cow"}, set()]
    alone = Batch.of(H, true, pred, unknown="isolate")
    assert (alone.true.unknown, alone.pred.unknown) == (2, 2)
    assert classes(alone, "true") == [{"cow", "x"}, {"y"}]
    assert classes(alone, "pred") == [{"cow", "x", "y"}, set()]
    assert alone.hierarchy.ancestors("x") == alone.hierarchy.descendants("x") == set()
    with pytest.raises(InvalidOption, match="unknown='dorp'.*did you mean 'drop'"):
        Batch.of(H, true, pred, unknown="dorp")
    with pytest.raises(InvalidOption, match="unknown_true='empty'"):
        Batch.of(H, true, pred, unknown_true="empty")
    with pytest.raises(InvalidOption, match="missing"):
        Batch.of(H, true, pred, missing="drop")


def test_columns_of_a_matrix_that_no_instance_uses_may_be_unknown():
    pred = LabelSets.of(np.array([[1, 0]]), labels=["cow", "dragon"])
    assert classes(Batch.of(H, [["cow"]], pred), "pred") == [{"cow"}]


# what happens to a true label that is unknown, and to a predicted one
CHOICES = {
    ("error", None): ("error", "error"),
    ("drop", None): ("error", "drop"),
    ("isolate", None): ("isolate", "isolate"),
} | {
    (unknown, true): (true, unknown)
    for unknown in ("error", "drop", "isolate")
    for true in ("error", "drop", "isolate")
}  # fmt: skip


@pytest.mark.parametrize(("unknown", "unknown_true"), CHOICES)
def test_unknown_true_labels_are_a_choice_of_their_own(unknown, unknown_true):
    of_true, of_pred = CHOICES[unknown, unknown_true]
    kept = {"drop": set(), "isolate": {"x"}}
    options = {"unknown": unknown, "unknown_true": unknown_true}
    for true, pred, policy in (["x"], ["cow"], of_true), (["cow"], ["x"], of_pred), (["x"], ["x"], None):
        if policy == "error" or (policy is None and "error" in (of_true, of_pred)):
            with pytest.raises(UnknownLabel, match="label 'x'"):
                Batch.of(H, [true], [pred], **options)
            continue
        batch = Batch.of(H, [true], [pred], **options)
        assert classes(batch, "true") == [kept[of_true] if true == ["x"] else {"cow"}]
        assert classes(batch, "pred") == [kept[of_pred] if pred == ["x"] else {"cow"}]
        assert (batch.true.unknown, batch.pred.unknown) == (true.count("x"), pred.count("x"))
        assert batch.true.emptied == (true == ["x"] and of_true == "drop")
        assert batch.pred.emptied == (pred == ["x"] and of_pred == "drop")
        said = f"|unknown_true:{of_true}" if CHOICES[unknown, None][0] != of_true else ""
        assert batch.policies == f"unknown:{unknown}{said}|missing:error"
        assert batch.given is H


def test_advice_about_unknown_labels_speaks_of_their_side():
    with pytest.raises(UnknownLabel, match=r"predictions, row 1: .*Choose unknown='drop' .*, or unknown='isolate'"):
        Batch.of(H, ["cow"], ["x"])
    words = (
        r"true labels, row 1: .*Choose unknown_true='isolate' .*, or unknown_true='drop' to leave such true labels out"
    )
    for unknown in ("error", "drop"):
        with pytest.raises(UnknownLabel, match=words):
            Batch.of(H, ["x"], ["cow"], unknown=unknown)


def test_parts_of_a_batch_keep_their_counts():
    true = {"a": ["x"], "b": ["cow", "x", "y"], "c": [], "d": ["sheep"]}
    pred = {"a": ["x", "x"], "b": ["y"], "c": ["cow"], "e": ["cow"]}
    batch = Batch.of(H, true, pred, unknown="drop", unknown_true="drop", missing="empty")

    def counts(part):
        return [(side.unknown, side.emptied, side.missing) for side in (part.true, part.pred)]

    assert counts(batch) == [(3, 1, 1), (3, 2, 1)]
    assert counts(batch[:1]) == [(1, 1, 0), (2, 1, 0)]
    assert counts(batch[1:3]) == [(2, 0, 0), (1, 1, 0)]
    assert counts(batch[4]) == [(0, 0, 1), (0, 0, 0)]
    assert counts(batch.take(np.array([3, 0, 0]))) == [(2, 2, 0), (4, 2, 1)]
    assert counts(Batch.concatenate([batch[:2], batch[2:]])) == counts(batch)
    plain = Batch.of(H, ["cow"], ["cow"])
    assert counts(Batch.concatenate([plain, plain])) == [(0, 0, 0), (0, 0, 0)]
    assert counts(plain[0]) == [(0, 0, 0), (0, 0, 0)]
