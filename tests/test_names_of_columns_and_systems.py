"""Names of columns, systems and measures: what is no text is refused by name, and no two become one silently."""

from __future__ import annotations

import enum

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from scipy.sparse import csr_array

import hemlp
from hemlp import Hierarchy, LabelSets, Plan, ScoredSets, evaluate
from hemlp.errors import (
    FileFormatError,
    InvalidLabel,
    InvalidLabelSets,
    InvalidOption,
    InvalidScores,
    UnknownMeasure,
    UnwritableFile,
)
from hemlp.hierarchy.hierarchy_files import write_hierarchy
from hemlp.io.files import write_text

H = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
GOLD, OTHER = [["a"], ["c"]], [["b"], ["c"]]


@pytest.mark.parametrize("make", [dict, pandas.DataFrame])
def test_bytes_name_no_column(make):
    """b"id" is not "id": such columns were left out or, in Arrow, became texts."""
    refused = pytest.raises(InvalidLabel, match="bytes")
    with refused:
        LabelSets.of(make({b"id": [1, 1], "label": ["a", "b"]}), label="label")
    with refused:
        LabelSets.of(make({b"id": [1, 1], b"label": ["a", "b"]}), id=b"id", label=b"label")
    with refused:
        LabelSets.of(make({"id": [1, 1], "label": ["a", "b"], b"score": [0.1, 0.9]}), id="id", label="label")
    with refused:
        ScoredSets.of(make({b"id": [1], "label": ["a"], "score": [0.5]}), label="label")
    with refused:
        Hierarchy.of(
            make({"parent": ["r", "r"], "child": ["a", "b"], b"weight": [1, 2]}), parent="parent", child="child"
        )
    with refused:
        evaluate(H, {1: ["a"]}, {"A": make({b"id": [1], b"label": ["a"]})}, ["F_H"])


def test_scores_beside_labels_are_seen_whatever_names_them():
    frame = pandas.DataFrame({("x", "id"): [1, 1], ("x", "label"): ["a", "b"], ("x", "score"): [0.1, 0.9]})
    with pytest.raises(InvalidLabelSets, match="looks like scores"):
        LabelSets.of(frame, id=("x", "id"), label=("x", "label"))


@pytest.mark.parametrize("of", [LabelSets.of, ScoredSets.of])
def test_labels_contradict_a_frame(of):
    """Columns were renamed silently where one of them alone had another name."""
    for columns in ([b"a", b"b"], ["a", "b"], ["a", "other"]):
        with pytest.raises((InvalidLabel, InvalidLabelSets, InvalidScores), match="bytes|another order"):
            of(pandas.DataFrame([[1, 0], [0, 1]], columns=columns), labels=["b", "a"])
    made = of(pandas.DataFrame([[1, 0], [0, 1]], columns=["one", "two"]), labels=["b", "a"])
    assert [next(iter(row)) for row in made] == ["b", "a"]


def _broken(*texts: bytes) -> pyarrow.Array:
    """Texts of Arrow that are not UTF-8."""
    ends = np.cumsum([0, *map(len, texts)]).astype(np.int32)
    buffers = [None, pyarrow.py_buffer(ends.tobytes()), pyarrow.py_buffer(b"".join(texts))]
    return pyarrow.Array.from_buffers(pyarrow.string(), len(texts), buffers)


def test_arrow_that_is_not_utf_8():
    good, bad = pyarrow.array(["a", "b"]), _broken(b"a", b"\xff")
    plan = Plan(H, ["F_H"], ["A"])
    refused = pytest.raises(InvalidLabel, match=r"is not UTF-8: b'\\xff")
    for names in ([b"id", b"\xff"], [b"\xff", b"label"]):
        table = pyarrow.Table.from_arrays([good, good], names=names)
        for read in (LabelSets.of, ScoredSets.of, Hierarchy.of, plan.score):
            with refused:
                read(table)
    for id, label in ((good, bad), (bad, good)):
        tables = pyarrow.table({"id": id, "label": label}), pyarrow.table({"id": id, "label": label, "score": [1, 2]})
        for table, read in zip(tables, (LabelSets.of, ScoredSets.of), strict=True):
            with refused:
                read(table)
    with refused:
        Hierarchy.of(pyarrow.table({"parent": good, "child": bad}))
    lists, broken = (pyarrow.ListArray.from_arrays([0, 1, 2], each) for each in (good, bad))
    for columns in ({"id": bad, "true": good, "A": good}, {"id": good, "true": lists, "A": broken}):
        with refused:
            plan.score(pyarrow.table(columns))


@pytest.mark.parametrize("column", ["id", "true", "A"])
@pytest.mark.parametrize("values", [[1, "b"], [["a"], "b"], [object(), "b"], [2**70, 1]])
def test_frames_that_become_no_arrow_table(column, values):
    with pytest.raises(InvalidLabelSets):
        Plan(H, ["F_H"], ["A"]).score(pandas.DataFrame({"id": ["1", "2"], "true": "a", "A": "b", column: values}))
    with pytest.raises(InvalidLabel, match="bytes"):
        Plan(H, ["F_H"], ["A"]).score(pandas.DataFrame({"id": ["1"], "true": ["a"], b"A": ["b"]}))


class Name(enum.StrEnum):
    A = "A"
    B = "B"


@pytest.mark.parametrize("how", [{}, {"memory": "2GB"}, {"resume": True}])
@pytest.mark.parametrize("names", [("A", "B"), (np.str_("A"), np.str_("B")), (Name.A, Name.B), ("\ud800", "é")])
def test_names_that_are_texts(names, how, tmp_path):
    """Of any type of text; a run folder could not begin with a name that has no UTF-8."""
    how = {"resume": tmp_path} if "resume" in how else how
    for _ in range(2):
        ev = evaluate(H, GOLD, dict(zip(names, (GOLD, OTHER), strict=True)), ["F_H"], **how)
        assert {*map(type, ev.systems)} == {str}
        assert [ev.mean(str(name), "F_H") for name in names] == [1.0, 0.75]


@pytest.mark.parametrize("names", [(1, 2), (("x", 1), "B"), (None, "B"), ("1", 1), (b"A", b"B"), (1.5, 2.5)])
@pytest.mark.parametrize("make", [list, lambda rows: dict(enumerate(rows)), np.array, LabelSets.of])
def test_systems_whose_names_are_no_texts(names, make, tmp_path):
    """They were read as one system whose instances have these ids."""
    systems = dict(zip(names, map(make, (GOLD, OTHER)), strict=True))
    with pytest.raises(InvalidOption, match="name of a system is a text"):
        evaluate(H, make(GOLD), systems, ["F_H"], resume=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_system_of_integer_ids_stays_one():
    assert evaluate(H, {1: ["a"], 2: ["c"]}, {1: ["b"], 2: ["c"]}, ["F_H"]).mean("system", "F_H") == 0.75
    paths = {1: [["r", "a"]], 2: [["r", "a", "c"]]}
    assert evaluate(H, paths, paths, ["F_H"], rows="paths").mean("system", "F_H") == 1


def test_two_names_that_become_one():
    """The second took the place of the first."""
    for ask in (
        lambda: evaluate(H, GOLD, OTHER, {1: "F_H", "1": "SDL"}),
        lambda: hemlp.decide(H, {1: GOLD, "1": OTHER}, "F_H"),
        lambda: hemlp.agreement(H, {1: GOLD, "1": OTHER}),
    ):
        with pytest.raises(InvalidOption, match="have one name: 1, '1'"):
            ask()
    with pytest.raises(UnknownMeasure, match="b'F_H' is neither"):
        evaluate(H, GOLD, OTHER, [b"F_H"])


def test_annotators_whose_ids_differ_in_type():
    """Their annotations were of different instances, and counted as missing."""
    sides = {"A": {"1": ["a"]}, "B": {1: ["a"]}, "C": {1: ["b"]}}
    with pytest.raises(InvalidLabelSets, match=r"1 \(an integer\)"):
        hemlp.agreement(H, sides)


@pytest.mark.parametrize("kind", [polars.String, polars.Categorical, polars.Enum(["a", "b"])])
def test_frames_of_polars_stay_readable(kind):
    """Categories are numbered without a sign."""
    frame = polars.DataFrame({"id": ["1", "2"], "label": polars.Series(["a", "b"], dtype=kind)})
    assert list(LabelSets.of(frame)) == [("a",), ("b",)]
    frame = frame.rename({"label": "true"}).with_columns(A=polars.col("true"))
    assert Plan(H, ["F"], ["A"]).score(frame).tally.finish().mean("A", "F") == 1
    lists = frame.with_columns(polars.col("A").reshape((-1, 1)).arr.to_list())
    assert Plan(H, ["F"], ["A"]).score(lists).tally.finish().mean("A", "F") == 1


@pytest.mark.parametrize("at", ["0_5", "\u0663", "nan", ""])
def test_cuts_of_columns_are_numbers_as_in_files(at):
    scores = pyarrow.array([[{"label": "a", "score": 0.5}]])
    with pytest.raises(InvalidOption, match="scores in tables are cut at a number"):
        Plan(H, ["F_H"], [f"A@{at}"]).score(pyarrow.table({"id": [1], "true": [["a"]], "A": scores}))


@pytest.mark.parametrize(
    "matrix",
    [
        np.array([[1 + 1j, 0]]), csr_array(np.array([[1 + 1j, 0]])), [["1", "0"]], np.array([["1", 0]], object),
        np.array([[1, None]], object), np.array([[1, 0]], "timedelta64[D]"), pandas.DataFrame({"a": ["1"], "b": ["0"]}),
    ],
)  # fmt: skip
def test_matrices_hold_numbers(matrix):
    """Imaginary parts went, None became 0, and texts and times numbers."""
    for of in (LabelSets.of, ScoredSets.of):
        with pytest.raises((InvalidLabelSets, InvalidScores), match="matrix of numbers"):
            of(matrix, labels=["a", "b"])


def test_sums_of_sparse_scores_do_not_overflow():
    twice = csr_array((np.array([100, 100], np.int8), np.array([0, 0]), np.array([0, 2])), shape=(1, 2))
    assert list(ScoredSets.of(twice, labels=["a", "b"])) == [{"a": 200.0}]


def test_a_single_line_of_scores_is_no_heading(tmp_path):
    """Of a matrix without instances: its score is no number."""
    (tmp_path / "s.tsv").write_text("d1\ta\t0,5\n")
    with pytest.raises(FileFormatError, match="decimal comma"):
        hemlp.read_scores(tmp_path / "s.tsv")


def test_workers_are_a_number():
    with pytest.raises(InvalidOption, match="workers=None is not an integer"):
        evaluate(H, GOLD, {"A": OTHER}, ["F_H"], workers=None)


def test_labels_that_have_no_utf_8(tmp_path):
    """JSON can hold half a sign; Arrow and files in UTF-8 cannot."""
    h = Hierarchy.from_edges([("r", "\ud800"), ("r", "z")])
    table = pyarrow.table({"id": [1], "true": [["z"]], "A": [["r"]]})
    assert Plan(h, ["F_H"], ["A"]).score(table).tally.finish().mean("A", "F_H") == 2 / 3
    with pytest.raises(FileFormatError, match="would not be read as it was written"):
        write_hierarchy(h, tmp_path / "h.csv")
    for broken in (lambda: "a\ud800", lambda: iter(["a", "\ud800"])):
        with pytest.raises(UnwritableFile, match="has no UTF-8"):
            write_text(tmp_path / "t.txt", broken())
    assert not [*tmp_path.iterdir()]
