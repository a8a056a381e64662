"""Scored predictions: reading them, thresholds, the greatest few, and propagation."""

from __future__ import annotations

import gzip
import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from hemlp import Hierarchy, ScoredSets, read_scores
from hemlp.analysis.scored.aligned_scores import AlignedScores
from hemlp.errors import FileFormatError, HemlpError, InvalidOption, InvalidScores, UnknownLabel
from hemlp.kernels.ranking.by_score import by_score
from tests.scored import world

WANTED = {"P1": {"GO:1": 0.9, "GO:2": 0.25}, "P2": {"GO:2": 0.5}}
H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])


def by_id(s: ScoredSets):
    return dict(zip(s.ids, s, strict=True))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tsv", "P1\tGO:2\t0.25\nP2\tGO:2\t.5\nP1\tGO:1\t9e-1\n"),
        ("a.txt", "P1\tGO:1\t0.9\nP1\tGO:2\t0.25\n\nP2\tGO:2\t0.50"),
        ("a.txt", "P1 GO:1 0.9\nP1 GO:2 0.25\nP2 GO:2 0.50"),
        ("a.tsv", "P1 \t GO:2\t0.25 \r\nP2\tGO:2\t.5\r\nP1\tGO:1\t9e-1\r\n"),
        ("a.tsv", "id\tlabel\tscore\nP1\tGO:2\t0.25\nP2\tGO:2\t.5\nP1\tGO:1\t9e-1\n"),
        ("a.tsv", "score\tid\tclass\n0.25\tP1\tGO:2\n.5\tP2\tGO:2\n9e-1\tP1\tGO:1\n"),
        ("a.csv", "id,label,score\nP1,GO:2,0.25\nP2,GO:2,.5\nP1,GO:1,9e-1\n"),
        ("a.txt", "AUTHOR\tme\nMODEL\t1\nKEYWORDS\tx\nP1\tGO:1\t0.9\nP1\tGO:2\t0.25\nP2\tGO:2\t0.50\nEND\n"),
        ("a.jsonl", '{"id":"P1","scores":{"GO:1":0.9,"GO:2":0.25}}\n\n{"id":"P2","scores":[["GO:2",0.5]]}\n'),
        ("a.jsonl", '{"id":"P1","label":"GO:1","score":0.9}\n{"id":"P2","label":"GO:2","score":0.5}\n'
                    '{"id":"P1","label":"GO:2","score":0.25}\n'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("zipped", [False, True])
def test_files_with_ids(tmp_path, name, text, zipped):
    path = tmp_path / (name + (".gz" if zipped else ""))
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    assert by_id(read_scores(path)) == WANTED


def test_files_of_rows(tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text("GO:1:0.9 GO:2:0.25\n\nGO:2:1e-3\n")
    s = read_scores(path)
    assert s.ids is None
    assert list(s) == [{"GO:1": 0.9, "GO:2": 0.25}, {}, {"GO:2": 0.001}]


def test_names_with_spaces_and_columns_by_name(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("Homo sapiens\tbig cat\t0.5\n")
    assert by_id(read_scores(path)) == {"Homo sapiens": {"big cat": 0.5}}
    path.write_text("key\tterm\tprobability\tnote\nx\tbig cat\t0.5\tno\n")
    assert by_id(read_scores(path, id="key", label="term", score="probability")) == {"x": {"big cat": 0.5}}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.tsv", "P1\tx\t0.5\nP1\ty\tnan\n", "line 2 (instance 'P1'): the score of 'y' is missing"),
        ("a.tsv", "P1\tx\t0.5\nP1\ty\t-inf\n", "line 2 (instance 'P1'): the score of 'y' is infinite"),
        ("a.tsv", "P1\tx\t0.5\nP1\ty\t\n", "line 2: the score is missing"),
        ("a.tsv", "P1\tx\t0.5\nP1\ty\thigh\n", "line 2: the score is 'high', which is not a number"),
        ("a.tsv", "P1\tx\t0.5\nP1\ty\t1_0\n", "line 2: the score is '1_0'"),
        ("a.tsv", "P1\tx\t0.5\n\nP1\ty\n", "line 3: 2 cells instead of id, class and score"),
        ("a.tsv", "P1\tx\t0.5\n\tx\t0.5\n", "line 2: no instance id"),
        ("a.tsv", "P1\tx\t0.5\nP2\tx\t0.5\nP1\tx\t0.5\n", "'x' is scored twice (0.5 and 0.5)"),
        ("a.csv", "id,label,score\nP1,x,\n", "line 2: the score of 'x' is missing"),
        ("a.csv", "id,label,score\nP1,x,0.1\nP1,x,0.3\n", "line 2 (instance 'P1'): 'x' is scored twice (0.3 and 0.1)"),
        ("a.csv", "id,name,score\nP1,x,0.1\n", "no column 'label'"),
        ("a.tsv", "P1,x,0.1\n", "line 1: one cell: are these commas in place of tabs?"),
        ("a.tsv", "P1 x 0.1\n", "line 1: one cell: are these spaces in place of tabs?"),
        ("a.tsv", "P1\tx\t0,1\nP2\tx\t0,2\n", "'0,1' is not a number: is this a decimal comma"),
        ("a.tsv", "", "a.tsv is empty: a file of scores has lines id, class, score"),
        ("a.txt", "x:0.5 y\n", "line 1: 'y' is not class:score"),
        ("a.txt", "x:0.5\ny:0.5 z:inf\n", "line 2: the score of 'z' is infinite"),
        ("a.jsonl", '{"id":1,"scores":{"x":null}}\n', "line 1 (instance 1): the score of 'x' is missing"),
        (
            "a.jsonl",
            '{"id":1,"scores":{"x":"1"}}\n',
            "line 1 (instance 1): the score of 'x' is '1', which is not a number",
        ),
        ("a.jsonl", '{"id":1,"scores":{"x":1}}\n{"scores":{"x":1}}\n', "some lines have an id"),
        ("a.jsonl", '{"id":1,"scores":{"x":1}}\n{"id":1,"scores":{"y":1}}\n', "line 2: there is an instance 1"),
        ("a.jsonl", '{"id":1,"label":"x"}\n', "line 1: not {"),
        ("a.jsonl", "[1]\n", "line 1: not a JSON object"),
        ("a.parquet", "PAR1", "is a Parquet file, and scores are read from text"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, name, text, words):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(HemlpError) as caught:
        read_scores(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert isinstance(caught.value, InvalidScores | FileFormatError)


def test_repeated_scores_are_refused_or_the_greatest_counts(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("P1\tx\t0.2\nP1\ty\t0.3\nP1\tx\t0.7\n")
    with pytest.raises(InvalidScores, match="repeated='max' to take the greatest score"):
        read_scores(path)
    assert by_id(read_scores(path, repeated="max")) == {"P1": {"x": 0.7, "y": 0.3}}
    h = Hierarchy.from_edges([("r", "x")], aliases={"old": "x"})
    s = [{"x": 0.1, "old": 0.6}]
    with pytest.raises(InvalidScores, match="are names of one class"):
        AlignedScores.of(h, ["x"], s)
    data = AlignedScores.of(h, ["x"], ScoredSets.of(s, repeated="max"))
    assert data.values.tolist() == [0.6]


def test_data_in_memory():
    rows = [{"sheep": 0.9, "cow": 0.0}, {"sheep": 0.25, "cow": 0.5}]
    dense = np.array([[0.9, 0.0], [0.25, 0.5]])
    assert list(ScoredSets.of(dense, labels=["sheep", "cow"])) == [rows[0], {"cow": 0.5, "sheep": 0.25}]
    for kind in (csr_array, csr_matrix):
        stored = ScoredSets.of(kind(dense), labels=["sheep", "cow"])
        assert list(stored) == [{"sheep": 0.9}, {"cow": 0.5, "sheep": 0.25}]  # what is not stored has no score
    assert ScoredSets.of(dense, labels=np.array(["sheep", "cow"]), ids=["a", "b"]).ids == ("a", "b")
    pairs = [[("sheep", 0.9), ("cow", 0.0)], [("sheep", np.float32(0.25)), ("cow", 0.5)]]
    assert list(ScoredSets.of(pairs)) == list(ScoredSets.of(rows))
    assert by_id(ScoredSets.of({"a": rows[0], "b": rows[1]})) == {"a": rows[0], "b": rows[1]}
    columns = {"id": ["b", "a", "b", "a"], "label": ["sheep"] * 2 + ["cow"] * 2, "score": [0.25, 0.9, 0.5, 0.0]}
    assert by_id(ScoredSets.of(columns)) == {"a": rows[0], "b": rows[1]}
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(columns).rename(columns={"label": "term"})
    assert by_id(ScoredSets.of(frame, label="term")) == {"a": rows[0], "b": rows[1]}
    with pytest.raises(InvalidScores, match="no column 'label'"):
        ScoredSets.of(frame)


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        ([{"a": math.nan}], {}, "row 1: the score of 'a' is missing"),
        ([{"a": 1.0}, {"b": math.inf}], {}, "row 2: the score of 'b' is infinite"),
        ([{"a": None}], {}, "the score of 'a' is missing"),
        ([{"a": True}], {}, "is True, which is not a number"),
        (["a"], {}, "neither a mapping"),
        (np.eye(2), {}, "needs labels="),
        (np.eye(2), {"labels": ["a"]}, "does not fit 1 labels"),
        (np.eye(2), {"labels": ["a", "a"]}, "names a class twice"),
        (np.zeros((2, 2, 2)), {"labels": ["a", "b"]}, "3 dimensions"),
        (np.array([[1.0, math.nan]]), {"labels": ["a", "b"]}, "row 1: the score of 'b' is missing"),
        (np.eye(2), {"labels": ["a", "b"], "ids": ["x", "x"]}, "1 different ids"),
        ("scores.tsv", {}, "read_scores"),
    ],
)
def test_data_that_has_no_reading(data, options, words):
    with pytest.raises(HemlpError) as caught:
        ScoredSets.of(data, **options)
    assert words in str(caught.value)


def test_thresholds_are_compared_as_floats():
    s = ScoredSets.of([{"a": 0.3, "b": 0.1 + 0.2}])
    assert list(s.at(0.3)) == [("b", "a")]
    assert list(s.at(0.1 + 0.2)) == [("b",)]
    assert list(s.at(np.float64(0.3))) == [("b", "a")]
    for bad in (math.nan, math.inf, "0.3", True, None):
        with pytest.raises(InvalidOption):
            s.at(bad)


def test_thresholds_of_classes():
    s = ScoredSets.of([{"a": 0.3, "b": 0.2}, {"b": 0.9}])
    assert list(s.at({"a": 0.4, "b": 0.2})) == [("b",), ("b",)]
    with pytest.raises(InvalidOption, match="row 1: there is no threshold for 'b'"):
        s.at({"a": 0.1})
    assert list(s.at({"a": 0.1}, default=0.5)) == [("a",), ("b",)]
    with pytest.raises(InvalidOption, match="default="):
        s.at(0.5, default=0.5)


def test_the_greatest_few_with_ties_by_label():
    s = ScoredSets.of([{"b": 0.5, 10: 0.5, 9: 0.5, "a": 0.5, "z": 0.7}, {}])
    assert list(s.top(3)) == [("z", 9, 10), ()]
    assert list(s.top(9)) == [("z", 9, 10, "a", "b"), ()]
    for bad in (0, 1.5, True):
        with pytest.raises(InvalidOption):
            s.top(bad)


@pytest.mark.parametrize("seed", range(20))
def test_propagation_takes_the_maximum_and_changes_no_closure(seed):
    w = world(seed)
    s = ScoredSets.of(w.scores)
    p = s.propagate(w.h)
    for name, row in zip(p.ids, p, strict=True):
        own = w.scores[name]
        assert set(row) == w.closed(own)
        for label, score in row.items():
            assert score == max(v for c, v in own.items() if label in w.closed([c]))
    for t in {v for row in w.scores.values() for v in row.values()}:
        for before, after in zip(s.at(t), p.at(t), strict=True):
            assert set(after) == w.closed(before)


def test_unknown_classes_follow_the_policies_of_labels(tmp_path):
    path = tmp_path / "s.tsv"
    path.write_text("P1\tsheep\t0.5\nP1\tcoww\t0.4\n")
    with pytest.raises(UnknownLabel) as caught:
        read_scores(path).propagate(H)
    assert "line 2" in str(caught.value)
    assert caught.value.near == ("cow",)
    assert "Choose unknown='drop'" in str(caught.value)
    assert by_id(read_scores(path).propagate(H, unknown="drop")) == {
        "P1": dict.fromkeys(["animal", "mammal", "sheep"], 0.5)
    }
    data = AlignedScores.of(H, {"P1": "sheep"}, path, unknown="drop")
    assert data.notes == ["1 unknown scored class: unknown:drop|missing:error"]
    assert "coww" in read_scores(path).propagate(H, unknown="isolate")[0]


def test_the_instances_are_those_of_the_gold():
    s = ScoredSets.of({"a": {"sheep": 0.5}, "x": {"cow": 0.5}, "y": {"cow": 0.5}})
    data = AlignedScores.of(H, {"b": "cow", "a": "sheep"}, s)
    assert data.batch.ids == ("b", "a")
    assert (data.unscored, data.left_out, data.values.tolist()) == (1, 2, [0.5])
    with pytest.raises(HemlpError, match="no instance is in the gold"):
        AlignedScores.of(H, {"b": "cow"}, s)
    with pytest.raises(HemlpError, match="convert the ids to one type"):
        AlignedScores.of(H, {1: "cow", "a": "sheep"}, {"1": {"cow": 0.1}, "a": {"cow": 0.1}})
    with pytest.raises(HemlpError, match="so they cannot be matched: add ids to"):
        AlignedScores.of(H, ["cow"], s)
    with pytest.raises(HemlpError, match="has 2 rows"):
        AlignedScores.of(H, ["cow", "cow"], [{"cow": 0.5}])
    with pytest.raises(HemlpError, match="holds no instance"):
        AlignedScores.of(H, [], [])


def test_gold_as_cafa_writes_it(tmp_path):
    path = tmp_path / "gold.tsv"
    path.write_text("P1\tsheep\nP2\tcow\nP1\tcow\n")
    data = AlignedScores.of(H, path, {"P1": {"sheep": 0.5}})
    assert data.batch.ids == ("P1", "P2")
    assert [len(data.batch.true[k]) for k in range(2)] == [2, 1]
    path.write_text("id\tlabel\nP1\tsheep\n")
    assert AlignedScores.of(H, path, {"P1": {"sheep": 0.5}}).batch.ids == ("P1",)
    path.write_text("P1\tsheep\nP2\n")
    with pytest.raises(FileFormatError, match="line 2"):
        AlignedScores.of(H, path, {"P1": {"sheep": 0.5}})


def test_long_files_are_read_in_pieces(tmp_path):
    rows = [(f"protein{k // 7}", f"class{k % 7}", k % 100 / 100) for k in range(40_000)]
    lines = [f"{name}\t{label}\t{value}\n" for name, label, value in rows]
    (tmp_path / "s.tsv").write_text("".join(lines[:1000]) + "\n" + "".join(lines[1000:]))
    s = read_scores(tmp_path / "s.tsv")
    wanted: dict[str, dict[str, float]] = {}
    for name, label, value in rows:
        wanted.setdefault(name, {})[label] = value
    assert dict(zip(s.ids or (), s, strict=True)) == wanted
    assert s.lines is not None
    assert (s.lines.min(), s.lines.max()) == (1, 40_001)
    for bad, words in (("x\ty\n", "line 40002: 2 cells"), ("x\ty\tmuch\n", "line 40002: the score is 'much'"),
                       ("\ty\t1\n", "line 40002: no instance id"), (lines[5], "line 40002")):  # fmt: skip
        (tmp_path / "s.tsv").write_text("".join(lines[:1000]) + "\n" + "".join(lines[1000:]) + bad)
        with pytest.raises(HemlpError, match=words):
            read_scores(tmp_path / "s.tsv")


@pytest.mark.uncompiled
@pytest.mark.parametrize("kinds", [2, 5, 1000])
def test_entries_by_score(kinds):
    """Rows of all sizes, with ties: greatest score first, then by rank, and what is equal as it was."""
    rng = np.random.default_rng(kinds)
    sizes = [*range(40), 100, 333, 0, 1]
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    scores, codes = rng.integers(0, kinds, ptr[-1]) / kinds, rng.integers(0, kinds, ptr[-1]).astype(np.int32)
    order, ranks = np.arange(ptr[-1]), rng.permutation(kinds)
    by_score(ptr, order, scores, codes, ranks)
    for begin, end in pairwise(ptr.tolist()):
        assert order[begin:end].tolist() == sorted(range(begin, end), key=lambda k: (-scores[k], ranks[codes[k]]))
