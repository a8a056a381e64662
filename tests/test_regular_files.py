"""Short ways through files and data without anything odd: what comes out is what the long ways and plain Python say."""

from __future__ import annotations

import csv
import io
import json
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hemlp import HemlpError, LabelSets, ScoredSets, read_hierarchy, read_labels, read_scores
from hemlp.hierarchy.formats import obo
from hemlp.instances.formats import json_labels, label_lists, score_lists, score_tables
from hemlp.kernels.text.label_sets import code_objects, code_rows

LONG_WAYS = (
    (score_tables, "_regular"), (score_tables, "_code_triples"), (score_lists, "_from_dicts"),
    (json_labels, "_from_objects"), (json_labels, "code_lists"), (label_lists, "code_lists"), (obo, "_read_regular"),
)  # fmt: skip
CELLS = st.sampled_from(["a", "b", "GO:1", "é", "\u2028x", "x" * 40, "1", "", " a ", '"a"', '"a ""b"', '"a,b"', 'a"'])
NUMBERS = st.sampled_from(["0.5", "1", "1e-3", " .25", "", "nan", "inf", "x", "1_0", '"0.5"', "0." + "3" * 30])
ENDS = st.sampled_from(["\n", "\r\n"])


def facts(made):
    """All that can be told apart."""
    if not isinstance(made, LabelSets | ScoredSets):
        return made.content_hash, dict(made.names), dict(made.aliases), dict(made.namespaces)
    lines = None if made.lines is None else made.lines.tolist()
    values = made.values.tolist() if isinstance(made, ScoredSets) else None
    return made.vocabulary, made.ptr.tolist(), made.codes.tolist(), made.codes.dtype, made.ids, lines, values


def outcome(make):
    """The facts, or the error and its message."""
    try:
        return facts(make())
    except HemlpError as error:
        return type(error), str(error)


def both(make):
    """By short ways, and by long ones."""
    short = outcome(make)
    with ExitStack() as stack:
        for module, name in LONG_WAYS:
            stack.enter_context(patch.object(module, name, lambda *_: None))
        assert outcome(make) == short
    return short


def both_from_file(text: str, name: str, read):
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(text.encode())
        return both(lambda: read(path))


@settings(max_examples=80)
@given(st.lists(st.tuples(CELLS, CELLS, NUMBERS), max_size=5), ENDS, st.sampled_from(["", "\ufeff"]), st.data())
def test_tables_of_scores(rows, end, mark, data):
    lines = ["id,label,score", *map(",".join, rows)]
    lines.insert(data.draw(st.integers(1, len(lines))), data.draw(st.sampled_from(["", "a,b", "d,e,0.25", " "])))
    found = both_from_file(mark + end.join(lines), "s.csv", read_scores)
    if isinstance(found[0], tuple):
        plain = [
            [cell.strip() for cell in row]
            for row in csv.reader(io.StringIO("\n".join(lines[1:])), skipinitialspace=True)
        ]
        wanted = {}
        for key, label, score in (row for row in plain if any(row)):
            wanted.setdefault(key, {}).update({label: float(score)} if label else {})
        labels, ptr, codes, _, ids, _, values = found
        parts = [range(ptr[k], ptr[k + 1]) for k in range(len(ids))]
        assert {i: {labels[codes[k]]: values[k] for k in of} for i, of in zip(ids, parts, strict=True)} == wanted


def test_tables_of_scores_with_an_oddity_are_read(tmp_path):
    for text in ("id,label,score\nd1,a,0.5\n\nd2,b,1\n", 'id,score,label\nd1,"0.5","a, b"\n', "score,id,label\n1,d,\n"):
        both_from_file(text, "s.csv", read_scores)
    both_from_file("label\tscore\tid\na\t0.5\td1\nb\t0.25\td1\n", "s.tsv", read_scores)


VALUES = st.one_of(
    st.sampled_from(["a", "b", "", "1", 1, 2, None, True, 1.0, 10**30, "é" * 9]),
    st.lists(st.sampled_from("ab"), max_size=2),
)


@settings(max_examples=80)
@given(st.lists(st.one_of(st.lists(VALUES, max_size=4), VALUES), max_size=5))
def test_lists_of_anything(rows):
    both(lambda: LabelSets.of(rows))
    both(lambda: LabelSets.of({f"i{k}": row for k, row in enumerate(rows)}, rows="sets"))
    both_from_file(json.dumps(rows), "y.json", read_labels)
    both_from_file("\n".join(map(json.dumps, rows)), "y.jsonl", read_labels)
    both_from_file(json.dumps({f"i{k}": row for k, row in enumerate(rows)}), "y.json", read_labels)
    objects = [
        {"id": k if row == [] else f"i{len(row) if isinstance(row, list) else k}", "labels": row}
        for k, row in enumerate(rows)
    ]
    both_from_file("\r\n".join(map(json.dumps, objects)), "y.jsonl", read_labels)


@pytest.mark.parametrize(
    "text",
    [
        '["a"] ["b"]',
        '{"id": "i", "labels": ["a"], "id": "j"}',
        '["a"',
        ' ["a"] ',
        '["a"],',
        '{"": ["a"]}',
        '[["a", ""]]',
    ],
)
def test_odd_json(text):
    for name in ("y.jsonl", "y.json"):
        both_from_file(f'{text}\n["b"]\n', name, read_labels)
        both_from_file(text, name, read_labels)


@settings(max_examples=60)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["a", "b", "", 1, None]),
            st.sampled_from([0.5, 1, True, None, float("nan"), 10**400, "x"]),
            max_size=3,
        ),
        max_size=4,
    )
)
def test_scores_by_instance(rows):
    both(lambda: ScoredSets.of(rows))
    both(lambda: ScoredSets.of(dict(enumerate(rows))))


TRIPLES = st.tuples(
    st.sampled_from(["d1", "d2", ""]),
    st.sampled_from(["a", "b", None]),
    st.sampled_from([0.5, 1.0, 0.0, float("nan"), float("inf")]),
)


@settings(max_examples=60)
@given(st.lists(TRIPLES, max_size=5))
def test_frames_of_scores(triples):
    columns = {name: [row[k] for row in triples] for k, name in enumerate(("id", "label", "score"))}
    kinds = {"id": polars.String, "label": polars.String, "score": polars.Float64}
    for frame in (
        columns, pandas.DataFrame(columns, dtype=object), pandas.DataFrame(columns),
        pyarrow.table(columns), polars.DataFrame(columns, schema=kinds),
    ):  # fmt: skip
        both(lambda frame=frame: ScoredSets.of(frame, id="id", label="label", score="score"))


TAGS = st.sampled_from(["id", "name", "is_a", "alt_id", "replaced_by", "relationship", "namespace"])
TEXTS = st.sampled_from(["X:1", "X:2 ! two", "X:3", "part_of X:1", 'é {a="b"} ! c', "X\u00a0:4", " ", "a\\nb"])
OTHERS = st.sampled_from(
    ["[Term]", "[Typedef]", "[Term] ", "[Term] ! a: b", "", " ", "\t", "! x", "no tag", "def: x: y"]
)
FLAGS = st.sampled_from(["is_obsolete: true", "is_obsolete: false", "id:X:5", "name : x"])
STANZAS = st.lists(st.one_of(OTHERS, st.builds("{}: {}".format, TAGS, TEXTS), FLAGS), max_size=9)


@settings(max_examples=150)
@given(st.lists(st.tuples(st.sampled_from(["X:1", "X:2", "X:3"]), STANZAS), min_size=1, max_size=4), ENDS)
def test_ontologies(stanzas, end):
    lines = ["format-version: 1.2"]
    for name, rest in stanzas:
        lines += ["", "[Term]", f"id: {name} ! x", "is_a: X:0", *rest]
    both_from_file(end.join(lines), "x.obo", lambda path: read_hierarchy(path, cycles="condense", relations=("is_a",)))


@pytest.mark.uncompiled
def test_codes_of_rows():
    rows = [["b", "a"], (), ("a", None, 1), {"b": 0, "1": 0}]
    labels, codes = code_rows(rows, 7)
    assert (labels, codes.tolist(), codes.dtype) == (["b", "a", 1, "1"], [0, 1, 1, -1, 2, 0, 3], np.int32)
    assert all(code_rows([[1, odd]], 2) is None for odd in (True, 1.0, np.int64(1), [], b"a"))


@pytest.mark.uncompiled
def test_codes_of_objects():
    rows = [{"id": "x", "labels": ["b", "a"]}, {"labels": [], "id": "y"}, {"id": "z", "labels": ["a"] * 2_000}]
    ids, lengths, labels, codes = code_objects(iter(rows), "id", "labels")
    assert (ids, lengths, labels) == (["x", "y", "z"], [2, 0, 2_000], ["b", "a"])
    assert codes.tolist() == [0, 1] + [1] * 2_000
    for odd in ([], {"id": "x"}, {"id": 1, "labels": []}, {"id": "x", "labels": "a"}, {"id": "x", "labels": [1]}):
        assert code_objects([*rows, odd], "id", "labels") is None
    assert code_objects([rows[0] | {"score": "1"}], "id", "labels") is None
