"""Nothing is read as what it is not: what looks like label sets or a hierarchy, and is something else, is refused."""

from __future__ import annotations

import io
import subprocess
import sys
from collections import Counter, OrderedDict
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import hemlp
from hemlp import Batch, Hierarchy, LabelSets, evaluate, examples, measure, metrics, read_hierarchy
from hemlp.cli.main import commands
from hemlp.errors import (
    EmptyHierarchy,
    FileFormatError,
    InvalidHierarchy,
    InvalidLabel,
    InvalidLabelSets,
    InvalidOption,
    MisalignedSides,
    RunMismatch,
    UnknownLabel,
    UpsideDown,
)
from hemlp.instances.label_files import LabelFile, read_labels
from tests import oracle

H = Hierarchy.from_edges([("root", "A"), ("root", "B"), ("A", "a1"), ("A", "a2"), ("B", "b1")])
TWO_ROOTS = Hierarchy.from_edges([("A", "a1"), ("A", "a2"), ("B", "b1")])
NUMBERS = Hierarchy.from_edges([(0, 1), (0, 2), (1, 3)])


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hemlp", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


# ---- scores

SCORED = {
    "dicts": ([{"a1": 0.99, "a2": 0.01}], r"row 1: \{'a1': 0.99.* maps labels to scores.*\.at\(0.5\)"),
    "dicts of integers": ([["a1"], {"a1": 1, "a2": 0}], "row 2: .* maps labels to scores"),
    "dicts of numpy": ([{"a1": np.float32(0.5)}], "maps labels to scores"),
    "counters": ([Counter(["a1", "a1"])], "maps labels to scores"),
    "ordered dicts": ([OrderedDict(a1=0.5)], "maps labels to scores"),
    "mapping to dicts": ({"d1": {"a1": 0.99}}, "row 1: .* maps labels to scores"),
    "dicts of something else": ([{"id": "d1", "labels": ["a1"]}], "is a dict, not a label set: give a list"),
    "empty dicts": ([{}], "is a dict, not a label set"),
    "pairs": ([[("a1", 0.99), ("a2", 0.01)]], r"\('a1', 0.99\) looks like a label and its score.*\.at\(0.5\)"),
    "lists of pairs": ([[["a1", 1], ["a2", 0]]], "looks like a label and its score"),
    "one pair a row": ([("a1", 0.99), ("a2", 0.5)], r"row 1: \['a1', 0.99\] looks like a label and its score"),
    "mapping to pairs": ({"d1": [("a1", 0.9)]}, "looks like a label and its score"),
    "rows of numbers": ([[0.1, 0.9]], "holds no labels but numbers: apply a threshold.*labels="),
    "rows of booleans": ([[True, False]], "holds no labels but numbers"),
    "rows of numpy's booleans": ([np.array([True, False])], "holds no labels but numbers"),
}


@pytest.mark.parametrize("kind", SCORED)
def test_scores_are_no_labels(kind):
    data, words = SCORED[kind]
    with pytest.raises(InvalidLabelSets, match=words):
        LabelSets.of(data)
    rows = list(data.values()) if isinstance(data, dict) else data
    for call in (
        lambda: Batch.of(H, ["a1"] * len(rows), rows),
        lambda: evaluate(H, rows, ["a1"] * len(rows), ["F"]),
        lambda: metrics.f_score(["a1"] * len(rows), rows, hierarchy=H),
        lambda: hemlp.measure("F").score(H, rows[-1], ["a1"]),
    ):
        with pytest.raises(InvalidLabelSets, match=r"looks like|maps labels|is a dict|no labels but"):
            call()


@pytest.mark.parametrize("several", [[["a1"], ["a1"]], LabelSets.of([["a1"], ["a1"]])])
def test_several_instances_are_a_batch(several):
    with pytest.raises(InvalidLabel, match="of several make a batch"):
        hemlp.measure("F").score(H, several, several)


def table(name: str) -> dict[str, list]:
    return {"id": ["d1", "d1", "d2"], "label": ["a1", "a2", "b1"], name: [0.99, 0.01, 0.5]}


@pytest.mark.parametrize("name", ["score", "Score", "confidence", "prob", "y_proba", "probability", "weight", "rank"])
def test_frames_with_scores(name):
    named = {"id": "id", "label": "label"}
    for make in (dict, pd.DataFrame, pl.DataFrame):
        with pytest.raises(InvalidLabelSets, match=f"'{name}' looks like scores.*threshold.*alone"):
            LabelSets.of(make(table(name)), **named)
        with pytest.raises(InvalidLabelSets, match=f"'{name}' looks like scores: keep the rows above a threshold"):
            LabelSets.of(make(table(name)))
    kept = pd.DataFrame(table(name))
    made = LabelSets.of(kept.loc[kept[name] >= 0.5, ["id", "label"]], **named)
    assert dict(zip(made.ids, made, strict=True)) == {"d1": ("a1",), "d2": ("b1",)}
    assert len(LabelSets.of(pd.DataFrame(table("length")), **named)) == 2  # named columns leave others out


@pytest.mark.parametrize("name", ["y.csv", "y.tsv"])
def test_files_with_further_columns(tmp_path, name):
    sep = "," if name == "y.csv" else "\t"
    for column, advice in (("score", "'score' looks like scores: keep the rows above a threshold"), ("split", "")):
        file = write(tmp_path, name, f"id,label,{column}\nd1,a1,0.99\nd1,a2,0.01\n".replace(",", sep))
        with pytest.raises(
            FileFormatError, match=rf"line 1: .* columns \['{column}'\].*{advice}.*choose id='id' and label='label'"
        ):
            read_labels(file)
        assert list(read_labels(file, id="id", label="label")) == [("a1", "a2")]
        with pytest.raises(FileFormatError, match="further columns|there are the columns"):
            read_labels(file, id="id")
    file = write(tmp_path, name, "id,label,label\nd1,a1,a2\n".replace(",", sep))
    with pytest.raises(FileFormatError, match="column 'label' occurs 2 times"):
        read_labels(file, id="id", label="label")
    file = write(tmp_path, name, ",id,label\n0,d1,a1\n".replace(",", sep))
    with pytest.raises(FileFormatError, match=r"there are the columns \[''\]"):
        read_labels(file)


def test_headers_that_say_something_else(tmp_path):
    for name, content, words in (
        ("y.tsv", "d1\ta1\t0.9\n", "holds scores, in lines of id, class and score: .*hemlp.read_scores"),
        ("y.csv", "d1,a1\nd2,a2\n", "the first line of such a file names its columns"),
        ("y.csv", "ID,Label\nd1,a1\n", "no column 'id'.*did you mean 'ID'"),
        ("y.csv", "name;label\nd1;a1\n", r"no column 'id'; the columns are \['name', 'label'\]"),
        ("y.csv", "", "y.csv is empty: the first line of such a file names its columns"),
    ):
        with pytest.raises(FileFormatError, match=words):
            read_labels(write(tmp_path, name, content))
    assert list(read_labels(write(tmp_path, "y.csv", "id;label\nd1;a1\n"))) == [("a1",)]
    with pytest.raises(InvalidOption, match=r"y\.txt: names for ids and labels are those of columns in .csv"):
        read_labels(write(tmp_path, "y.txt", "a1\n"), id="id", label="label")


def test_cells_keep_what_stands_between_quotes(tmp_path):
    file = write(tmp_path, "y.csv", '\ufeffid, label\nd1 ,"heart\n\nattack"\nd2, " a1 "\n')
    assert dict(zip(read_labels(file).ids, read_labels(file), strict=True)) == {
        "d1": ("heart\n\nattack",),
        "d2": ("a1",),
    }
    bad = write(tmp_path, "y.csv", 'id,label\nd1,"heart\nattack"\nd2,x\n')
    with pytest.raises(UnknownLabel, match="line 4"):
        Batch.of(Hierarchy.from_edges([("root", "heart\nattack")]), read_labels(bad), read_labels(bad))


def test_other_formats_are_no_label_files(tmp_path):
    for name in ("y.owl", "y.ttl.gz", "y.yaml"):
        for read in (read_labels, LabelFile):
            with pytest.raises(FileFormatError, match="is not a label file: write one instance per line"):
                read(write(tmp_path, name, '{"id": 1, "labels": ["a1"]}\n'))


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("a1:0.99", "it looks like 'a1' with a score"),
        ("a1=1", "it looks like 'a1' with a score"),
        ("a1 (0.5)", "it looks like 'a1' with a score"),
        ("a1\t.5", "it looks like 'a1' with a score"),
        ("a1:1e-05", "it looks like 'a1' with a score"),
        ("a1 a2", "several labels in one string: split it"),
        ("a1, a2,b1", "several labels in one string: split it"),
        ("a1;a2", "several labels in one string: split it"),
        ("A > a1", "but not from a root: give the whole path, or its last class alone"),
        ("A/a1", "but not from a root: give the whole path, or its last class alone"),
        ("nan", "a missing value that was turned into a string"),
        ("<NA>", "a missing value that was turned into a string"),
        ("None", "a missing value that was turned into a string"),
        ("A1", "did you mean 'a1'"),
    ],
)
def test_unknown_labels_that_hold_more_than_a_label(label, words):
    with pytest.raises(UnknownLabel, match=words):
        Batch.of(H, ["a1"], [label])


@pytest.mark.parametrize("unknown", ["error", "drop"])
def test_several_numbers_in_one_string_are_no_score(unknown):
    h = Hierarchy.from_edges([("1", "112"), ("1", "121")])
    with pytest.raises(InvalidLabelSets if unknown == "drop" else UnknownLabel, match="several labels in one string"):
        Batch.of(h, [["112"]], [["112,121"]], unknown=unknown)


def test_a_class_that_looks_like_a_score_is_a_class():
    h = Hierarchy.from_edges([("a1", "a1:0.99"), ("a1", "a1 b"), ("a1", "nan")])
    assert len(Batch.of(h, ["a1:0.99", "a1 b", "nan"], ["a1", "a1", "a1"])) == 3


# ---- paths

LISTS = {
    "lists": [["root", "A", "a1"], ["root", "B"]],
    "tuples": [("root", "A", "a1")],
    "one level": [["root", "A"]],
    "a series": pd.Series([["root", "A", "a1"]]),
    "ids": {"d1": ["root", "A", "a1"], "d2": ["root", "A", "a2"]},
    "single classes between": [["root", "A", "a1"], ["a2"], [], ["root"]],
    "without the only root": [["A", "a1"], ["B", "b1"]],
    "padded with the last class": [["root", "A", "A"], ["root", "B", "b1"]],
    "from the bottom up": [["a1", "A", "root"], ["B", "root"]],
    "no paths": [["a1", "b1"], ["root", "a1"]],
    "sets": [{"root", "A", "a1"}, frozenset(["root", "A"])],
}


@pytest.mark.parametrize("kind", LISTS)
def test_lists_are_sets_whatever_they_hold(kind):
    """The reading does not depend on values: paths are sets, too, until rows="paths" says otherwise."""
    rows = LISTS[kind]
    plain = [set(row) for row in (rows.values() if isinstance(rows, dict) else rows)]
    batches = [Batch.of(H, rows, rows), Batch.of(H, rows, rows, rows="sets")]
    for batch in (*batches, Batch.of(H, LabelSets.of(rows, rows="sets"), rows)):
        assert [{H.labels[c] for c in batch.true[i]} for i in range(len(batch))] == plain
        assert [{H.labels[c] for c in batch.pred[i]} for i in range(len(batch))] == plain
    assert evaluate(H, rows, {"s": rows}, ["F"]).mean("s", "F") == 1


@given(st.lists(st.lists(st.sampled_from(sorted(H)), max_size=4), min_size=1, max_size=6), st.data())
def test_what_works_on_all_rows_works_on_each_part(rows, data):
    """Scores of parts of the rows are those of the whole, in every function that takes lists of labels."""
    cut = data.draw(st.integers(0, len(rows)))
    f = measure("F")
    whole = f.score(Batch.of(H, rows, rows[::-1])).values.tolist()
    parts = [slice(0, cut), slice(cut, None)]
    assert [v for p in parts for v in f.score(Batch.of(H, rows[p], rows[::-1][p])).values.tolist()] == whole
    scored = [dict.fromkeys(row, 0.5) for row in rows[::-1]]
    for part in parts:
        if rows[part]:
            assert metrics.f_score(rows[part], rows[::-1][part], hierarchy=H, average=None).tolist() == whole[part]
            if any(scored[part]):
                assert len(hemlp.curve(H, rows[part], scored[part], ["F"]).thresholds) == 1
            assert hemlp.compare_exact_greedy(H, rows[part], rows[::-1][part]).difference.size == len(rows[part])


def test_corpora_of_lists():
    """Random corpora, some of which are all paths by accident: [[0, 1], [3]] is read as [[0, 1], [2, 3]] is."""
    for row in oracle.corpora():
        h = Hierarchy.from_edges(row["edges"], classes=range(row["classes"]))
        assert len(Batch.of(h, row["true"], row["pred"])) == len(row["true"])


@pytest.mark.parametrize("dtype", [str, object])
def test_arrays_of_labels_need_a_word(dtype):
    """An array of two dimensions can be sets (the best five labels) or paths, whatever it holds."""
    single = ["a1"] * 2
    for values in ([["root", "A", "a1"], ["root", "B", "b1"]], [["a1", "b1"], ["a2", "A"]]):
        array = np.array(values, dtype=dtype)
        for call in (
            lambda array=array: LabelSets.of(array),
            lambda array=array: Batch.of(H, single, array),
            lambda array=array: evaluate(H, single, {"s": array}, ["F"]),
            lambda array=array: metrics.f_score(single, array, hierarchy=H),
        ):
            with pytest.raises(InvalidLabelSets, match="say rows='sets' .* or rows='paths'"):
                call()
        assert list(LabelSets.of(array, rows="sets")) == [tuple(row) for row in values]
    paths = np.array([["root", "A", "a1"], ["root", "B", ""]], dtype=dtype)
    for found in (Batch.of(H, paths, paths, rows="paths"), Batch.of(H, LabelSets.of(paths, rows="paths"), ["a1", "B"])):
        assert [[H.labels[c] for c in found.true[i]] for i in range(2)] == [["a1"], ["B"]]
    assert evaluate(H, paths, {"s": paths}, ["F", "hamming"], rows="paths").mean("s", "F") == 1


def test_several_paths_an_instance():
    """A third dimension, or lists of lists: hiclass's multi-label form."""
    lists = [[["root", "A", "a1"], ["root", "B", "b1"]], [["root", "A", ""], ["", "", ""]], [["", "", ""]] * 2]
    expected = [["a1", "b1"], ["A"], []]
    for rows in (lists, np.array(lists), np.array(lists, dtype=object)):
        batch = Batch.of(H, rows, LabelSets.of(expected, rows="sets"), rows="paths")
        assert [[H.labels[c] for c in batch.true[i]] for i in range(3)] == expected
        assert metrics.f_score(rows, rows, hierarchy=H, rows="paths") == 1
    with pytest.raises(InvalidLabelSets, match="row 1: not a path, 'A' is not a parent of 'b1'"):
        Batch.of(H, [[["root", "A", "b1"], ["root"]]], ["a1"], rows="paths")
    with pytest.raises(InvalidLabelSets, match="say rows='sets' .*two dimensions"):
        LabelSets.of(np.array(lists), rows="sets")


def test_paths_of_names_in_several_places():
    h = Hierarchy.of(["Garden > Other", "House > Other", "Other > Garden"], same_names="apart")
    rows = [["Garden", "Other"], ["House", "Other"], ["House"], ["Other", "Garden"], ["Other"], ["Garden", "House"]]
    batch = Batch.of(h, rows[:5], rows[:5], rows="paths")
    labels = ["Garden > Other", "House > Other", "House", "Other > Garden", "Other"]
    assert [h.labels[int(c)] for c in batch.true.classes] == labels
    with pytest.raises(InvalidLabelSets, match="row 6: not a path"):
        Batch.of(h, rows, rows, rows="paths")


def test_paths_in_files(tmp_path):
    (tmp_path / "p.txt").write_text("root A a1\n\nroot B\n")
    (tmp_path / "p.jsonl").write_text('["root", "A", "a1"]\n[]\n["root", "B"]\n')
    (tmp_path / "p.csv").write_text("id,label\n1,root\n1,A\n")
    for name in ("p.txt", "p.jsonl"):
        for batch in (Batch.of(H, tmp_path / name, [["a1"], [], ["B"]], rows="paths"),
                      Batch.of(H, read_labels(tmp_path / name, rows="paths"), [[], [], []])):  # fmt: skip
            assert [[H.labels[c] for c in batch.true[i]] for i in range(3)] == [["a1"], [], ["B"]]
        for options in ({}, {"memory": "2GB"}):
            ev = evaluate(H, tmp_path / name, {"s": tmp_path / name}, ["hamming"], rows="paths", **options)
            assert ev.facts["s"]["predictions an instance"] == pytest.approx(2 / 3)
    with pytest.raises(InvalidOption, match="p.csv: rows='paths' is for files with a list of labels"):
        read_labels(tmp_path / "p.csv", rows="paths")


def test_one_instance_is_a_set_and_never_a_path():
    assert hemlp.measure("F").score(H, ["root", "A", "a1"], ["root", "A", "a2"]) == pytest.approx(2 / 3)


def test_real_labels_are_no_paths(data):
    example = examples.mesh_mini()
    for side in (example.true, *example.systems.values()):
        assert len(Batch.of(example.hierarchy, list(side), list(side))) == 200
    folder = data / "go2019_human"
    h, gold = read_hierarchy(folder / "hierarchy.txt.gz"), list(read_labels(folder / "gold.txt.gz"))
    assert len(Batch.of(h, gold, gold)) == len(gold)


def test_paths_are_read_by_their_last_class():
    paths = [["root", "A", "a1"], ["root", "B", ""], ["", "", ""], ["B", "b1"], "a2"]
    labels = [["a1"], ["B"], [], ["b1"], ["a2"]]
    batch = Batch.of(H, LabelSets.of(paths, rows="paths"), labels)
    assert [[H.labels[c] for c in batch.true[i]] for i in range(5)] == labels
    array = np.array([["root", "A", "a1"], ["root", "B", ""]])
    assert metrics.f_score(array, [["a1"], ["B"]], hierarchy=H, rows="paths") == 1
    ids = LabelSets.of({"d1": ("root", "A")}, rows="paths")
    assert evaluate(H, ids, {"s": {"d1": "A"}}, ["F"]).mean("s", "F") == 1
    aliased = Hierarchy.from_edges([("root", "A"), ("A", "a1")], aliases={"letter": "A"})
    assert len(Batch.of(aliased, LabelSets.of([["root", "letter", "a1"]], rows="paths"), ["a1"])) == 1
    again = LabelSets.of(LabelSets.of([["root", "A"]]), rows="paths")
    assert Batch.of(H, again, ["A"]).true.classes.size == 1


def test_paths_that_are_none():
    def read(*rows, **options):
        return Batch.of(H, ["a1"] * len(rows), LabelSets.of(list(rows), rows="paths"), **options)

    with pytest.raises(InvalidLabelSets, match="row 2: not a path, 'B' is not a parent of 'a1'"):
        read(["root"], ["root", "B", "a1"])
    with pytest.raises(UnknownLabel, match="row 1: in a path, label 'X' is not in the hierarchy"):
        read(["root", "X", "a1"], unknown="drop")
    with pytest.raises(UnknownLabel, match="row 1: label 'X'"):
        read(["root", "A", "X"])
    assert read(["root", "A", "X"], unknown="drop").pred.emptied == 1
    with pytest.raises(InvalidLabelSets, match="row 1: the path .* has a gap"):
        read(["root", "", "a1"])
    with pytest.raises(InvalidLabelSets, match="is a set, which has no order"):
        read({"root", "A"})
    with pytest.raises(InvalidOption, match="rows='path' is not one of 'sets', 'paths'"):
        LabelSets.of([["root"]], rows="path")
    for options in ({"labels": ["a"]}, {"id": "i", "label": "l"}):
        with pytest.raises(InvalidOption, match="rows='paths' is for lists of labels"):
            LabelSets.of([[1]], rows="paths", **options)


def test_padding_is_no_label():
    for rows in ([["root", "A", "a1"], ["root", "B", ""]], [["root", "B", ""]], [[""]], ["a1", ""]):
        with pytest.raises(InvalidLabelSets, match="holds an empty string.*rows='paths'"):
            LabelSets.of(rows)
    with pytest.raises(InvalidLabel, match=r"row 1: None is not a label.*leave missing values out"):
        LabelSets.of([["root", "B", None]])
    with pytest.raises(InvalidLabel, match="'' is not a label"):
        LabelSets.of({"i": [1], "l": [""]}, id="i", label="l")


def test_a_run_folder_tells_sets_from_paths(tmp_path):
    rows = [["root", "A", "a1"]]
    as_sets, as_paths = (LabelSets.of(rows, rows=kind) for kind in ("sets", "paths"))
    assert evaluate(H, as_sets, [["a1"]], ["F"], resume=tmp_path / "run").mean("system", "F") == 0.5
    with pytest.raises(RunMismatch):
        evaluate(H, as_paths, [["a1"]], ["F"], resume=tmp_path / "run")


# ---- other things that can be gone through


def test_things_without_rows(tmp_path):
    file = write(tmp_path, "gold.txt", "a1\n")
    for data, words in (
        ("no such file.txt", "is one string, and no file of that name can be read.*the path of a label file"),
        (io.StringIO("a1\n"), "is a file that is open: give its path"),
        ({"a1", "a2"}, r"is a set, which has no order: give a list with one label set per instance"),
        (frozenset(["a1"]), "is a set, which has no order"),
        (bytearray(b"a1"), "one string"),
        (5, "holds no label sets"),
    ):
        with pytest.raises(InvalidLabelSets, match=words):
            evaluate(H, data, ["a1"], ["F"])
    with file.open() as opened, pytest.raises(InvalidLabelSets, match="is a file"):
        LabelSets.of(opened)
    for row in (bytearray(b"\x01"), memoryview(b"\x01"), b"\x01"):
        with pytest.raises(InvalidLabel, match="row 1: .* is not a label"):
            Batch.of(NUMBERS, [row], [[1]])


def test_tables_without_their_columns():
    columns = {"id": ["d1", "d2"], "label": ["a1", "a2"]}
    for call in (
        lambda: LabelSets.of(columns),
        lambda: evaluate(H, ["a1", "a2"], columns, ["F"], unknown="drop"),
        lambda: evaluate(H, columns, {"s": columns}, ["F"], unknown="isolate"),
    ):
        with pytest.raises(InvalidLabelSets, match=r"looks like columns, not like instances.*id='id', label='label'"):
            call()
    with pytest.raises(InvalidLabelSets, match=r"LabelSets.of\(frame, id=..., label=...\); its columns are"):
        evaluate(H, pd.DataFrame({**columns, "more": [1, 2]}), ["a1", "a2"], ["F"])
    for make in (dict, pd.DataFrame, pl.DataFrame):
        with pytest.raises(InvalidLabelSets, match="column 'id' would be left out: say id='id'"):
            LabelSets.of(make(columns), label="label")
    assert list(LabelSets.of({"i": [1], "l": [["a1", "a2"]]}, id="i", label="l")) == [("a1", "a2")]


def test_matrices_without_their_columns():
    for rows in ([[0, 1, 0], [1, 0, 0]], [[0, 1], [1, 1]], ((0, 1, 1), (0, 0, 0)), [np.array([0, 1, 0])]):
        with pytest.raises(InvalidLabelSets, match="look like a 0/1 matrix, which needs labels=.*rows='sets'"):
            LabelSets.of(rows)
        assert len(Batch.of(NUMBERS, LabelSets.of(rows, rows="sets"), [[1]] * len(rows))) == len(rows)
    for rows in ([[0, 1], [1, 0]], [[0, 0], [0]], [[0, 0]], [[0, 1, 2], [1, 0, 0]], [["0", "1", "0"]]):
        assert len(LabelSets.of(rows)) == len(rows)
    with pytest.raises(InvalidLabelSets, match="if its numbers are classes, give lists"):
        LabelSets.of(np.array([[1, 2], [3, 1]]))
    frame = pd.DataFrame({"a1": [1], "a2": [0]})
    with pytest.raises(InvalidLabelSets, match="in another order than the frame itself"):
        LabelSets.of(frame, labels=["a2", "a1"])
    assert list(LabelSets.of(frame, labels=["a1", "a2"])) == [("a1",)]
    assert list(LabelSets.of(frame, labels=["b1", "B"])) == [("b1",)]
    assert list(LabelSets.of(pd.DataFrame([[1, 0]]), labels=[1, 0])) == [(1,)]
    assert list(LabelSets.of(csr_array([[1, 0]]), labels=[1, 0])) == [(1,)]


# ---- instances


def test_ids_of_two_types():
    with pytest.raises(InvalidLabelSets, match=r"instance 1 \(an integer\) and an instance '1' \(a string\): convert"):
        LabelSets.of({1: ["a1"], "1": ["a2"]})
    with pytest.raises(InvalidLabelSets, match="convert the ids to one type"):
        LabelSets.of({"i": ["1", 1], "l": ["a1", "a2"]}, id="i", label="l")
    for missing in ("error", "empty"):
        with pytest.raises(MisalignedSides, match="predictions lacks instance 1 but has '1': convert the ids"):
            Batch.of(H, {1: ["a1"], 2: ["a2"]}, {"1": ["a1"], 2: ["a2"]}, missing=missing)
    with pytest.raises(InvalidLabel, match=r"instance id: \('d', 1\) is not a label"):
        LabelSets.of({("d", 1): ["a1"]})


def test_sides_without_a_common_instance():
    with pytest.raises(MisalignedSides, match="predictions lacks instance 'x'.*no id in common"):
        Batch.of(H, {"x": ["a1"]}, {"y": ["a1"]}, missing="empty")
    assert Batch.of(H, {"x": ["a1"]}, {}, missing="empty").pred.missing == 1


def test_series_in_different_orders():
    true = pd.Series(["a1", "a2", "b1"], index=["d1", "d2", "d3"])
    pred = true.loc[["d3", "d1", "d2"]]
    for call in (
        lambda: Batch.of(H, true, pred),
        lambda: metrics.f_score(true, pred, hierarchy=H),
        lambda: evaluate(H, true, {"s": pred}, ["F"]),
    ):
        with pytest.raises(MisalignedSides, match=r"same index in different orders: give both as dict\(series\)"):
            call()
    assert metrics.f_score(dict(true), dict(pred), hierarchy=H) == 1
    assert metrics.f_score(true, pred.tolist(), hierarchy=H) == 0
    assert metrics.f_score(true, true.copy(), hierarchy=H) == 1
    assert (
        metrics.f_score(true, pd.Series(["a1", "a2", "b1"]), hierarchy=H) == 1
    )  # rows of a sample, as in scikit-learn


def test_what_was_used_up_is_no_perfect_score():
    rows = iter([["a1"]])
    with pytest.raises(MisalignedSides, match="has 1 row and predictions has 0"):
        Batch.of(H, rows, rows)
    for call in (
        lambda: metrics.f_score(rows, rows, hierarchy=H),
        lambda: evaluate(H, rows, rows, ["F"]),
        lambda: hemlp.information_content(H, rows, unseen=0.0),
    ):
        with pytest.raises(InvalidLabelSets, match=r"holds? no instance"):
            call()


# ---- labels with spaces

CITIES = Hierarchy.from_edges([("all", "New York"), ("all", "Boston"), ("all", "Science Fiction"), ("all", "Science"),
                               ("all", "Fiction")])  # fmt: skip


@pytest.mark.parametrize("policies", [{}, {"unknown": "drop"}, {"unknown": "isolate"},
                                      {"unknown": "drop", "unknown_true": "drop"}])  # fmt: skip
def test_labels_that_were_torn_apart(tmp_path, policies):
    cities = write(tmp_path, "cities.txt", "Boston\nNew York\n")
    genres = write(tmp_path, "genres.txt", "Boston\nScience Fiction\n")
    for read in (read_labels, LabelFile):
        for file, words in (
            (cities, r"'New' .*'New York'"),
            (genres, r"'Science' looks like a piece of 'Science Fiction'"),
        ):
            with pytest.raises(UnknownLabel, match=rf"row 2: .*{words}.*cannot be separated by spaces.*\.csv.*sep=','"):
                evaluate(CITIES, read(file), read(file), ["F"], **policies)
    with pytest.raises(UnknownLabel, match="'New York'"):
        Batch.of(CITIES, [["New", "York"]], [["Boston"]], **policies)
    assert len(Batch.of(CITIES, [["Science", "Fiction"]], [["Boston"]], **policies)) == 1
    fine = write(tmp_path, "fine.txt", "New York, Boston\nScience Fiction\n")
    assert evaluate(CITIES, read_labels(fine, sep=","), read_labels(fine, sep=","), ["F"]).mean("system", "F") == 1


def test_ids_and_scores_are_not_dropped_as_unknown_labels(tmp_path):
    lines = [f"d{i} a1 0.{i}" for i in range(1, 7)]
    file = write(tmp_path, "p.txt", "\n".join([*lines, ""]) + "\n")
    gold = [["a1"]] * 6 + [[]]
    for unknown in ("drop", "isolate"):
        for pred in (read_labels(file), [line.split() for line in lines] + [[]]):
            with pytest.raises(InvalidLabelSets, match=r"row 1: every row begins .*'d1' here.*look like instance ids"):
                Batch.of(H, gold, pred, unknown=unknown)
        invented = [[f"x{i}", "a1"] for i in range(7)]
        with pytest.raises(InvalidLabelSets, match="look like instance ids.*; choose rows='sets' if it does hold"):
            Batch.of(H, gold, invented, unknown=unknown)
        assert len(Batch.of(H, gold, invented, unknown=unknown, rows="sets")) == 7
        for rows in ([["a1", "0.9"], ["a2", ".25"], []], [["a1", "1.0"]], [["9e-05", "a1"]]):
            with pytest.raises(InvalidLabelSets, match=r"looks like a score.*apply a threshold first, and give labels"):
                Batch.of(H, [["a1"]] * len(rows), rows, unknown=unknown)
        with pytest.raises(InvalidLabelSets, match="row 2: 'a1:0.9' looks like a score"):
            Batch.of(H, ["a1", "a1"], [["a1"], ["a1:0.9"]], unknown=unknown)
        for rows in (
            [[f"x{i}"] for i in range(9)],  # unknown labels, and nothing else
            [["x1", "a1"], ["x2", "a1"]],  # two rows say little
            [["x1", "a1"]] * 9,
            [["a1", "x1"], ["a2", "x2"], ["A", "x3"], ["B", "x4"], ["b1", "x5"]],
            {f"d{i}": [f"x{i}", "a1"] for i in range(9)},  # ids are there already
            [["a1", "250.01"], ["0.5"], ["a1"]],
            [["a1", "1"], ["a1", "0"]],
        ):
            true = dict.fromkeys(rows, "a1") if isinstance(rows, dict) else ["a1"] * len(rows)
            assert len(Batch.of(H, true, rows, unknown=unknown)) == len(rows)
    with pytest.raises(InvalidOption, match="its keys are the ids of instances: give {name: predictions}"):
        evaluate(H, {"d1": ["a1"], "d2": ["a2"]}, {"d1": ["a1"], "d2": ["a2"]}, ["F"])


def test_names_of_systems_may_be_ids_of_instances(tmp_path):
    """Where predictions are label sets or scores, or on the command line, a name is a name."""
    gold, sets = {"d1": ["a1"], "d2": ["a2"]}, LabelSets.of({"d1": ["a1"], "d2": ["a2"]})
    assert evaluate(H, gold, {"d1": sets}, ["F"]).mean("d1", "F") == 1
    scores = hemlp.ScoredSets.of({"d1": {"a1": 0.5}, "d2": {}})
    assert evaluate(H, gold, {"d1": scores}, ["F@1"]).mean("d1", "F@1") == 0.5
    h, labels = write(tmp_path, "h.txt", "all a\nall b\n"), write(tmp_path, "y.csv", "id,label\nd1,a\nd2,b\n")
    pred = write(tmp_path, "p.csv", "id,label\nd1,a\nd2,a\n")
    assert "F of d1 is 0.5000" in run("evaluate", h, labels, f"d1={pred}", "-m", "F", "--no-intervals").stdout
    assert run("evaluate", h, labels, f"d1={pred}", f"d2={pred}", "-m", "F", "--memory", "1GB").returncode == 0


# ---- hierarchies


def test_nested_dicts_and_other_things_that_are_no_parents():
    for nested in ({"root": {"A": {"a1": {}}}}, {"A": "root", "B": {}}, {"A": OrderedDict()}):
        with pytest.raises(InvalidHierarchy, match=r"nested dicts go from parent to child.*Hierarchy.of"):
            Hierarchy.from_parents(nested)
    for other in (pd.DataFrame({"A": ["root"]}), [("A", "root")], "A"):
        with pytest.raises(InvalidHierarchy, match="is not a mapping child → parents"):
            Hierarchy.from_parents(other)
    for parent in ("", float("nan"), [None], 1.0):
        with pytest.raises(InvalidLabel, match="the parent of 'A': .*a root has the parent None"):
            Hierarchy.from_parents({"A": parent})
    assert Hierarchy.from_parents(pd.Series({"A": "root"})) == Hierarchy.from_edges([("root", "A")])


def test_things_that_are_no_edges():
    with pytest.raises(InvalidHierarchy, match="not a dict: Hierarchy.from_parents.*weight in edges.items"):
        Hierarchy.from_edges({("root", "A"): 0.5})
    with pytest.raises(InvalidHierarchy, match="edge 1 is {'parent'"):
        Hierarchy.from_edges([{"parent": "root", "child": "A"}])
    with pytest.raises(InvalidLabel, match="edge 1.*'' is not a label"):
        Hierarchy.from_edges([("", "root")])
    with pytest.raises(InvalidHierarchy, match="'A ' and 'A' differ only in the spaces around them"):
        Hierarchy.from_edges([("root", "A "), ("A", "a1")])
    with pytest.raises(InvalidHierarchy, match="dict is not a networkx graph"):
        Hierarchy.from_networkx({"root": ["A"]})
    with pytest.raises(InvalidHierarchy, match="aliases= is a mapping name → class, not list"):
        Hierarchy.from_edges([("root", "A")], aliases=[("letter", "A")])
    assert Hierarchy.from_edges(nx.DiGraph([("root", "A")]).edges()) == Hierarchy.from_edges([("root", "A")])


def test_a_name_in_two_places_of_the_paths():
    for paths, words in (
        ([["El", "Other"], ["Ga", "Other"]], r"'Other' occurs .*: path 1 \(El > Other\) and path 2 \(Ga > Other\)"),
        ([["El"], ["Ga", "x", "El"]], r"path 1 \(El\) and path 2 \(Ga > x > El\)"),
        ([["Ga", "El"], ["El", "x"]], r"path 1 \(Ga > El\) and path 2 \(El\)"),
        ([["El", "x", "Other"], ["El", "Other"]], "'Other' occurs in two places"),
        ([["El", "Ga", "El"]], r"'El' occurs twice in path 1 \(El > Ga > El\)"),
        ([["El", "El"]], r"'El' occurs twice in path 1 \(El > El\)"),
        (np.array([["El", "Other"], ["Ga", "Other"]]), "'Other' occurs in two places"),
        ([[1, 3], [2, 3]], r"3 occurs in two places: path 1 \(1 > 3\)"),
    ):  # fmt: skip
        with pytest.raises(InvalidHierarchy, match=f"{words}.*same_names='join'.*same_names='apart'"):
            Hierarchy.from_paths(paths)
    paths = [["El", "Other"], ["Ga", "Other", ""], ["El", "Other"], ["Ga"]]
    joined = Hierarchy.from_paths(paths, same_names="join")
    assert joined == Hierarchy.from_edges([("El", "Other"), ("Ga", "Other")])
    apart = Hierarchy.from_paths(paths, same_names="apart")
    assert apart == Hierarchy.from_edges([("El", "El > Other"), ("Ga", "Ga > Other")])
    deep = Hierarchy.from_paths([["El", "Other", "x"], ["Ga", "Other", "x"]], same_names="apart")
    assert deep.leaves == {"El > Other > x", "Ga > Other > x"}
    assert Hierarchy.from_paths([["El", "x"], ["El", "y"], ["Ga"]]).roots == {"El", "Ga"}
    with pytest.raises(InvalidOption, match="same_names='keep'"):
        Hierarchy.from_paths(paths, same_names="keep")
    with pytest.raises(InvalidHierarchy, match="path 1: 'A > B' contains ' > '"):
        Hierarchy.from_paths([["A > B", "C"]], same_names="apart")
    assert "A > B" in Hierarchy.from_paths([["A > B", "C"]])


@pytest.mark.parametrize(
    ("paths", "error", "words"),
    [
        ([["A", None]], InvalidLabel, "path 1: None is not a label.*pad short paths with empty strings"),
        ([["A"], ["A", float("nan")]], InvalidLabel, "path 2: nan is not a label.*pad short paths with empty strings"),
        ([["A", pd.NA]], InvalidLabel, "path 1: <NA> is not a label"),
        ([["A", 1.0]], InvalidLabel, "path 1: 1.0 is not a label"),
        ([["A", " B"]], InvalidHierarchy, "path 1: ' B' has spaces around it"),
        ([["A", "B\n"]], InvalidHierarchy, "has spaces around it"),
        ([["A", "", "B"]], InvalidHierarchy, "path 1 .* gap"),
        (["A > B"], InvalidHierarchy, r"path 1 is the string 'A > B'.*split\(' > '\)"),
        (["A", "B"], InvalidHierarchy, "path 1 is the string 'A'"),
        ([{"A", "B"}], InvalidHierarchy, "path 1 is .*from the root down"),
        ([{"A": "B"}], InvalidHierarchy, "path 1 is .*from the root down"),
        ([5], InvalidHierarchy, "path 1 is 5"),
        (pd.DataFrame({"level": ["A"]}), InvalidHierarchy, r"DataFrame is not a list of paths.*values.tolist\(\)"),
        ({"A": ["B"]}, InvalidHierarchy, "dict is not a list of paths"),
        ("A", InvalidHierarchy, "str is not a list of paths"),
        ([["", ""]], EmptyHierarchy, "no class"),
    ],
)  # fmt: skip
def test_paths_that_are_no_paths(paths, error, words):
    with pytest.raises(error, match=words):
        Hierarchy.from_paths(paths)


def test_columns_of_edge_files(tmp_path):
    for name, content, words in (
        ("h.csv", "source,target\na,b\nb,c\n", "line 1: 'source' and 'target' look like the names of the columns"),
        ("h.txt", "parent_id child_id\na b\n", "line 1: 'parent_id' and 'child_id' look like the names"),
        ("h.tsv", "Subclass\tSuperclass\na\tb\n", "'Subclass' and 'Superclass' look like the names"),
        ("h.csv", "parent,child,length\na,b,3\n", "line 1: the column 'length' would be ignored; call it weight"),
        ("h.csv", "parent,child,relation\na,b,is_a\n", "the column 'relation' would be ignored"),
        ("h.csv", "parent,child,weight,score\na,b,3,1\n", "the column 'score' would be ignored"),
    ):
        with pytest.raises(FileFormatError, match=words):
            read_hierarchy(write(tmp_path, name, content))
    assert read_hierarchy(write(tmp_path, "h.txt", "from to\nto x\n")).leaves == {"x"}
    assert read_hierarchy(write(tmp_path, "h.csv", "source,target\na,source\n")).roots == {"a"}


def test_a_hierarchy_that_stands_on_its_head(tmp_path):
    edges = [(f"child {i}", f"parent {i % 100}") for i in range(1000)] + [(f"parent {i}", "root") for i in range(100)]
    with pytest.warns(UpsideDown, match="1,000 roots and 1 leaf: edges go from parent to child"):
        Hierarchy.from_edges(edges)
    file = write(tmp_path, "h.tsv", "parent\tchild\n" + "".join(f"{p}\t{c}\n" for p, c in edges))
    said = run("check", file).stdout
    assert said.startswith("A hierarchy of 1,101 classes: 1 doubt, listed at the end.")
    first = (
        "Look at the direction of the edges first. The hierarchy has 1,000 roots and 1 leaf: edges go from parent to"
    )
    assert first in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= 100
    assert said.endswith("Ready, if that is right.\n")
    assert len(Hierarchy.from_edges([(parent, child) for child, parent in edges]).leaves) == 1000
    assert len(Hierarchy.from_edges(edges[1:]).roots) == 999  # a few may be meant
    assert len(Hierarchy.from_edges([(i, "gate") for i in range(5000)]).roots) == 5000  # and so may one class below all


# ---- the command line


def test_scored_files_on_the_command_line(tmp_path):
    h = write(tmp_path, "h.txt", "all a\nall b\n")
    gold, pred = (
        write(tmp_path, "gold.csv", "id,label\nd1,a\n"),
        write(tmp_path, "pred.csv", "id,label,score\nd1,a,0.9\nd1,b,0.1\n"),
    )
    out = run("evaluate", h, gold, pred, "-m", "F")
    assert (out.returncode, out.stdout) == (2, "")
    assert "above a threshold first (FILE@0.5 on the command line); choose --id id" in out.stderr
    assert "Traceback" not in out.stderr


def test_paths_on_the_command_line_and_in_studies(tmp_path):
    (tmp_path / "h.txt").write_text("root A\nroot B\nA a1\nA a2\nB b1\n")
    (tmp_path / "p.txt").write_text("root A a1\nroot B\n")
    (tmp_path / "q.txt").write_text("root A a2\nroot B\n")
    (tmp_path / "s.toml").write_text(
        "hierarchy = 'h.txt'\ntrue = 'p.txt'\nmeasures = ['F']\nsystems.q = 'q.txt'\noptions.rows = 'paths'\n"
    )
    paths = [str(tmp_path / name) for name in ("h.txt", "p.txt", "q.txt")]
    for arguments, mean in (
        (["evaluate", *paths, "-m", "F"], "0.8333"),
        (["evaluate", *paths, "-m", "F", "--rows", "paths"], "0.5000"),
        (["run", str(tmp_path / "s.toml")], "0.5000"),
        (["check", *paths, "--rows", "paths"], "q.txt"),
        (["diagnose", *paths, "-m", "F", "--label-rows", "paths", "--rows", "5"], "0.5000"),
    ):
        found = CliRunner().invoke(commands, arguments)
        assert found.exit_code == 0, found.output
        assert mean in found.output
