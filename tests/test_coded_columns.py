"""Columns whose values are looked at once give what each value, looked at by itself, gives."""

from __future__ import annotations

import random

import pandas
import polars
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from hemlp import LabelSets
from hemlp.errors import HemlpError
from hemlp.instances.formats import label_pairs
from hemlp.io.frames import code_column

VALUES = st.one_of(st.sampled_from(["a", "b", "1", " a", ""]), st.none(), st.integers(0, 2), st.booleans(), st.floats())
TEXTS = st.sampled_from(["a", "b", "c", "1"])


def outcome(data, **options):
    """All that is read, or the error."""
    try:
        sets = LabelSets.of(data, **options)
    except HemlpError as error:
        return type(error), str(error)
    return sets.vocabulary, sets.ptr.tolist(), sets.codes.tolist(), sets.ids, [*map(type, sets.vocabulary)]


def both(data, **options):
    """With short ways, and without."""
    found = outcome(data, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_pairs, "_code_pairs", lambda *_: None)
        assert outcome(data, **options) == found
    return found


@settings(max_examples=60)
@given(st.lists(st.tuples(VALUES, VALUES), max_size=6))
def test_lists_and_series_of_anything(pairs):
    columns = {"id": [i for i, _ in pairs], "label": [v for _, v in pairs]}
    both(columns, id="id", label="label")
    both(pandas.DataFrame({name: pandas.Series(of, dtype=object) for name, of in columns.items()}))


@settings(max_examples=60)
@given(st.lists(st.tuples(TEXTS, st.one_of(TEXTS, st.none())), max_size=8))
def test_frames_of_all_kinds_agree(pairs):
    columns = {"id": [i for i, _ in pairs], "label": [v for _, v in pairs]}
    wanted = both(columns, id="id", label="label")
    schema = pyarrow.schema([("id", pyarrow.string()), ("label", pyarrow.string())])
    table = pyarrow.table(columns, schema=schema)
    halves = pyarrow.concat_tables([table.slice(0, len(pairs) // 2), table.slice(len(pairs) // 2)])
    coded = table.set_column(1, "label", table.column(1).dictionary_encode())
    frame = pandas.DataFrame(columns, dtype=object)
    categories = pandas.Categorical(columns["label"], ["c", "b", "a", "1", "unused"])
    series = {
        "id": polars.Series(columns["id"], dtype=polars.String),
        "label": polars.Series(columns["label"], dtype=polars.String),
    }
    for data in (
        table,
        halves,
        coded,
        frame,
        frame.astype("string"),
        frame.assign(label=categories),
        polars.DataFrame(series),
    ):
        assert both(data) == wanted


def test_parquet_in_several_groups(tmp_path):
    ids, labels = [f"i{k // 3}" for k in range(300)], [f"c{k * 7 % 31}" if k % 5 else None for k in range(300)]
    wanted = both({"id": ids, "label": labels}, id="id", label="label")
    for size, use in ((300, True), (40, True), (40, False), (40, ["label"])):
        parquet.write_table(
            pyarrow.table({"id": ids, "label": labels}), tmp_path / "x.parquet", size, use_dictionary=use
        )
        assert both(tmp_path / "x.parquet") == wanted
    numbers = [k % 7 for k in range(300)]
    parquet.write_table(pyarrow.table({"id": numbers, "label": numbers}), tmp_path / "x.parquet", 40)
    assert both(tmp_path / "x.parquet")[3] == tuple(map(str, range(7)))


@pytest.mark.parametrize("seed", range(12))
def test_texts_of_arrow_are_coded_as_a_dict_would(seed):
    pyarrow, rng = pytest.importorskip("pyarrow"), random.Random(seed)
    several = ["two\nlines"] if seed % 3 == 0 else []
    pool = ["", "a", "bb", "é", "eight by", "longer than eight", "longer than sixteen letters", *several]
    words = [rng.choice(pool) for _ in range(rng.randint(1, 60))]
    start = rng.randint(0, len(words))
    for kind in (pyarrow.string(), pyarrow.large_string()):
        whole = pyarrow.array(words, kind)
        part = whole.slice(start)
        for column, texts in (
            (whole, words), (part, words[start:]), (pyarrow.chunked_array([whole, part]), words + words[start:]),
        ):  # fmt: skip
            distinct, codes = code_column(column)
            assert distinct == list(dict.fromkeys(texts))
            assert [distinct[code] for code in codes] == texts
    distinct, codes = code_column(pyarrow.array(["b", None, "a", "b"]))
    assert (distinct, codes.tolist()) == (["b", "a"], [0, -1, 1, 0])
