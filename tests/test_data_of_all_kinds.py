"""Label sets in every shape that people have, given to ``evaluate`` as they are."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from pyarrow import parquet
from scipy.sparse import csr_array

from hemlp import Batch, Hierarchy, LabelSets, ScoredSets, curve, evaluate, metrics, read_labels
from hemlp.errors import FileFormatError, InvalidLabelSets, InvalidOption, MisalignedSides, UnknownLabel, UnreadableFile

EDGES = [("r", "A"), ("A", "x"), ("A", "y"), ("r", "B")]
H = Hierarchy.from_edges(EDGES)
TRUE, PRED = [["x"], ["B", "y"], ["A"]], [["y"], ["B"], []]
BY_ID = dict(zip("123", PRED, strict=True))
LONG = {"id": ["1", "2", "3"], "label": ["y", "B", None]}
LISTS = {"id": ["1", "2", "3"], "labels": PRED}
CLASSES = ["A", "B", "x", "y"]
MATRIX = [[0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0]]
WANTED = evaluate(H, TRUE, {"s": PRED}, ["F_H", "GIE"])


def same(found):
    """Whether an evaluation has the scores of the one that was made from lists."""
    return all(
        found.per_instance(system, name).tolist() == WANTED.per_instance("s", name).tolist()
        for system in found.systems
        for name in ("F_H", "GIE")
    )


FILES = {
    "p.txt": "y\nB\n\n",
    "p.csv": "id,label\n1,y\n2,B\n3,\n",
    "semi.csv": "id;label\n1;y\n2;B\n3;\n",
    "p.jsonl": '["y"]\n"B"\n[]\n',
    "id.jsonl.gz": '{"id": 1, "labels": ["y"]}\n{"id": 2, "labels": ["B"]}\n{"id": 3, "labels": []}\n',
    "text.ndjson": '{"id": 1, "label": "y", "text": "?"}\n{"id": 2, "label": "B"}\n{"id": 3, "label": null}\n',
    "p.json": json.dumps(BY_ID),
    "rows.json": json.dumps(PRED),
}
FRAMES = {
    "pandas": pandas.DataFrame(LONG),
    "polars": polars.DataFrame(LONG),
    "arrow": pyarrow.table(LONG),
    "lists": pandas.DataFrame(LISTS),
    "lists of polars": polars.DataFrame(LISTS),
    "lists of arrow": pyarrow.table(LISTS),
    "labels alone": pandas.DataFrame({"labels": PRED}),
}


def write(folder, name, content):
    path = folder / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    return path


@pytest.mark.parametrize("name", FILES)
def test_label_files(tmp_path, name):
    path = write(tmp_path, name, FILES[name])
    sets = read_labels(path)
    true = TRUE if sets.ids is None else dict(zip(sets.ids, TRUE, strict=True))
    assert list(map(list, sets)) == PRED
    assert same(evaluate(H, true, {"s": path, "t": str(path)}, ["F_H", "GIE"]))
    assert list(map(list, LabelSets.of(path))) == PRED


@pytest.mark.parametrize("name", FRAMES)
def test_frames(name):
    true = TRUE if name == "labels alone" else dict(zip("123", TRUE, strict=True))
    assert same(evaluate(H, true, {"s": FRAMES[name]}, ["F_H", "GIE"]))


def test_paths_everywhere(tmp_path):
    h = write(tmp_path, "h.json", json.dumps({"r": {"A": {"x": {}, "y": {}}, "B": {}}}))
    gold = write(tmp_path, "gold.csv", "id,label\n1,x\n2,B\n2,y\n3,A\n")
    a = write(tmp_path, "a.jsonl", FILES["id.jsonl.gz"])
    found = evaluate(h, str(gold), {"A": a, "B": FRAMES["pandas"]}, ["F_H", "GIE"])
    assert same(found)
    lines, empty = write(tmp_path, "p.txt", FILES["p.txt"]), write(tmp_path, "g.txt", "x\nB y\nA\n")
    assert same(evaluate(EDGES, empty, lines, ["F_H", "GIE"], memory="2GB"))
    assert same(evaluate(EDGES, gold, a, ["F_H", "GIE"], memory="2GB"))
    assert Batch.of(h, gold, a).pred.classes.tolist() == [H.id("y"), H.id("B")]
    assert curve({"r": {"x": {}}}, ["x"], [{"x": 0.5}], ["F_H"]).best("F_H") == (0.5, 1.0)


def test_columns_by_name(tmp_path):
    true = pandas.DataFrame({"doc": ["1", "2", "2", "3"], "class": ["x", "B", "y", "A"], "text": list("abcd")})
    pred = write(tmp_path, "p.csv", "doc,class\n1,y\n2,B\n3,\n")
    assert same(evaluate(H, true, {"s": pred}, ["F_H", "GIE"], id="doc", label="class"))
    with pytest.raises(
        InvalidLabelSets, match=r"has the columns id and label, or needs label=.*'doc', 'class', 'text'"
    ):
        evaluate(H, true, {"s": BY_ID}, ["F_H"])


def test_matrices_and_codes():
    for data in (MATRIX, np.array(MATRIX), csr_array(np.array(MATRIX)), pandas.DataFrame(MATRIX)):
        assert same(evaluate(H, LabelSets.of(TRUE), {"s": data}, ["F_H", "GIE"], labels=CLASSES))
    codes = [3, 1, 0]
    wanted = [("y",), ("B",), ("A",)]
    for one in (codes, np.array(codes), pandas.Series(codes), polars.Series(codes), [[3], [1], [0]]):
        assert list(LabelSets.of(one, labels=CLASSES)) == wanted
    assert list(LabelSets.of([[3, 1], [], {0}], labels=CLASSES)) == [("y", "B"), (), ("A",)]
    assert list(LabelSets.of([[1, 0], [1, 1]], labels=["a", "b"])) == [("a",), ("a", "b")]
    with pytest.raises(InvalidLabelSets, match="row 2: the code 4 counts none of the 4 labels"):
        LabelSets.of([0, 4], labels=CLASSES)
    with pytest.raises(InvalidLabelSets, match="the code -1 counts none"):
        LabelSets.of([0, -1], labels=CLASSES)
    with pytest.raises(InvalidLabelSets, match=r"shape \(2, 2\) does not fit 4 labels"):
        LabelSets.of([[0, 1], [1, 1]], labels=CLASSES)
    with pytest.raises(InvalidLabelSets, match="holds 3: only 0 and 1"):
        LabelSets.of([[0, 1, 3, 2]], labels=CLASSES)
    with pytest.raises(InvalidLabelSets, match="does not fit 4 labels"):
        LabelSets.of([0.0, 1.0], labels=CLASSES)


def test_parquet(tmp_path):
    for name, columns in (("long", LONG), ("lists", LISTS)):
        parquet.write_table(pyarrow.table(columns), tmp_path / f"{name}.parquet")
        sets = read_labels(tmp_path / f"{name}.parquet")
        assert (sets.ids, list(map(list, sets))) == (("1", "2", "3"), PRED)
    parquet.write_table(pyarrow.table({"id": [7], "label": [12]}), tmp_path / "n.parquet")
    assert (read_labels(tmp_path / "n.parquet").ids, list(read_labels(tmp_path / "n.parquet"))) == (("7",), [("12",)])
    parquet.write_table(pyarrow.table({"id": ["7"], "label": ["x"], "score": [0.5]}), tmp_path / "s.parquet")
    with pytest.raises(FileFormatError, match=r"there are the columns \['score'\]"):
        read_labels(tmp_path / "s.parquet")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("p.jsonl", '["x"]\n\n["y"]\n', r"line 2: a blank line; an instance without labels is \[\]"),
        ("p.jsonl", '["x"]\n["y"\n', "line 2: not JSON"),
        ("p.jsonl", '["x", 0.5]\n', "line 1: '0.5' is not|UnknownLabel"),
        ("p.jsonl", '["x", null]\n', "line 1: None is not a label"),
        ("p.jsonl", '["x", true]\n', "line 1: True is not a label"),
        ("p.jsonl", '{"id": 1, "pred": "x"}\n', r"line 1: no field 'labels' among \['id', 'pred'\]"),
        ("p.jsonl", '{"id": 1, "label": "x", "score": 0.5}\n', "'score' looks like scores.*hemlp.read_scores"),
        (
            "p.jsonl",
            '{"id": 1, "labels": ["x"], "predicted": ["y"]}\n',
            "line 1: 'labels' and 'predicted' both look like",
        ),
        ("p.jsonl", '{"id": 1, "label": "x", "labels": ["y"]}\n', "line 1: 'labels' and 'label' both look like labels"),
        ("p.json", '[{"id": 1, "labels": ["x"], "y_true": ["y"]}]', "element 1: 'labels' and 'y_true' both look like"),
        ("p.jsonl", '{"id": 1, "labels": {"x": 0.5}}\n', "line 1: {'x': '0.5'} is not a label"),
        ("p.jsonl", '{"id": 1, "labels": ["x"]}\n{"labels": ["x"]}\n', "line 2: some instances have an id"),
        (
            "p.jsonl",
            '{"id": 1, "labels": ["x"]}\n{"id": 1, "labels": ["y"]}\n',
            "line 2: there is an instance '1' already",
        ),
        ("p.json", '{"1": ["x"], "1": ["y"]}', "'1' occurs twice"),
        ("p.json", "3", "neither a list of instances nor an object"),
        ("p.parquet", "x", "not a Parquet file"),
        ("p.yaml", "x", "is not a label file"),
        ("p.gaf", "!gaf-version: 2.1\n", "has no annotation"),
    ],
)
def test_bad_label_files(tmp_path, name, content, words):
    if "0.5]" in content:  # a number is a label like any other in a file, which the hierarchy does not have
        with pytest.raises(UnknownLabel, match="label '0.5'"):
            evaluate(H, ["x"], write(tmp_path, name, content), ["F_H"])
        return
    with pytest.raises(FileFormatError, match=words):
        read_labels(write(tmp_path, name, content))


def test_other_mistakes(tmp_path):
    with pytest.raises(InvalidLabelSets, match="several rows with lists"):
        LabelSets.of(pandas.DataFrame({"id": [1, 1], "labels": [["x"], ["y"]]}))
    with pytest.raises(InvalidOption, match="labels= is for data in memory"):
        LabelSets.of(write(tmp_path, "p.txt", "x\n"), labels=["x"])
    with pytest.raises(UnreadableFile):
        LabelSets.of(tmp_path / "none.txt")
    with pytest.raises(MisalignedSides):
        evaluate(H, ["x"], write(tmp_path, "p.txt", "x\ny\n"), ["F_H"])
    sets = read_labels(write(tmp_path, "odd", '["x"]\n'), format="jsonl")
    assert list(sets) == [("x",)]


class Tensor:
    """An array of another library: it has ndim, dtype and tolist, its rows are tensors, and numpy cannot read it."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.ndim, self.dtype, self.shape = self.values.ndim, f"torch.{self.values.dtype}", self.values.shape

    def tolist(self):
        return self.values.tolist()

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return map(Tensor, self.values)

    def __array__(self, *_, **__):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")


def test_tensors():
    codes = LabelSets.of(Tensor([0, 1, 2]), labels=["x", "y", "z"])
    assert list(codes) == [("x",), ("y",), ("z",)]
    assert list(LabelSets.of(Tensor([0, 1]), labels=["x", "y"])) == [("x",), ("y",)]
    assert list(LabelSets.of(Tensor([[0, 1], [1, 1]]), labels=["x", "y"])) == [("y",), ("x", "y")]
    assert list(LabelSets.of([Tensor([0, 2]), Tensor([1])], labels=["x", "y", "z"])) == [("x", "z"), ("y",)]
    assert list(LabelSets.of(Tensor([3, 1]))) == [(3,), (1,)]
    with pytest.raises(InvalidLabelSets, match="a matrix needs labels="):
        LabelSets.of(Tensor([[0, 1], [1, 1]]))
    with pytest.raises(InvalidLabelSets, match="does not fit 2 labels"):
        LabelSets.of(Tensor([[0, 1, 1]]), labels=["x", "y"])
    scores = ScoredSets.of(Tensor([[0.5, 0.25]]), labels=["x", "y"])
    assert list(scores) == [{"x": 0.5, "y": 0.25}]
    assert metrics.f_score(Tensor([0, 1]), Tensor([0, 0]), hierarchy=H, labels=["x", "y"]) == 0.5


def test_codes_are_read_by_their_form():
    """Lists as long as labels are a matrix, others codes, whatever they hold; rows="sets" makes all of them codes."""
    labels = ["x", "y", "z", "w"]
    for rows in ([[0, 1], [1, 0]], [[0, 1], [2, 3]], [[0], [1]], [[1], [3]], [[0, 1], []]):
        assert list(LabelSets.of(rows, labels=labels)) == [tuple(labels[k] for k in row) for row in rows]
    assert list(LabelSets.of([[0, 1, 0, 0]], labels=labels)) == [("y",)]
    assert list(LabelSets.of([[0, 1], [1, 0]], labels=["x", "y"], rows="sets")) == [("x", "y"), ("y", "x")]
    for rows in ([[0, 0, 1], [0, 1, 0]], [[0, 2, 0, 1]]):
        with pytest.raises(InvalidLabelSets, match="does not fit 4 labels|only 0 and 1 are allowed"):
            LabelSets.of(rows, labels=labels)


class Query:
    """A relation of DuckDB, as far as its columns are concerned."""

    def __init__(self, **columns):
        self.table = pyarrow.table(columns)

    @property
    def columns(self):
        return self.table.column_names

    def fetch_arrow_table(self):
        return self.table


def test_queries():
    """What is not computed yet: lazy frames of polars, relations of DuckDB."""
    for make in (lambda **columns: polars.DataFrame(columns).lazy(), Query):
        h = Hierarchy.of(make(parent=["r", "r"], child=["x", "y"]))
        gold, scored = make(id=["a", "b"], label=["x", "y"]), make(id=["a", "b"], label=["x", "x"], score=[0.9, 0.2])
        assert list(LabelSets.of(gold)) == [("x",), ("y",)]
        assert list(LabelSets.of(make(doc=[1, 1], term=["x", "y"]), id="doc", label="term")) == [("x", "y")]
        assert ScoredSets.of(scored).ids == ("a", "b")
        assert evaluate(h, gold, {"s": gold}, ["F_H"]).mean("s", "F_H") == 1
        assert evaluate(h, gold, {"s": scored}, ["F_H@1"]).mean("s", "F_H@1") == 0.75
        other = make(doc=["a", "b"], term=["x", "y"])
        assert evaluate(h, other, {"s": other}, ["F_H"], id="doc", label="term").mean("s", "F_H") == 1
