"""Scores that merge: any cut, order and tree of merges leaves the same bytes, and the evaluation of all instances."""

from __future__ import annotations

import hashlib
import json
import math
import pickle
import random
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from hemlp import ALL, Bounds, Hierarchy, PairMeasure, Plan, ScoredSets, Tally, evaluate, measure
from hemlp.analysis.diagnosis import class_sums
from hemlp.analysis.diagnosis.measure_facts import MeasureFacts
from hemlp.analysis.statistics import permutation, resampling
from hemlp.errors import (
    HemlpError,
    InstancesNotKept,
    InvalidLabelSets,
    InvalidOption,
    InvalidScores,
    InvalidTally,
    MisalignedSides,
    UndefinedScore,
    UnknownLabel,
)
from hemlp.kernels.text.lexicon import learn_texts
from hemlp.kernels.text.sha256 import last_words
from hemlp.measures import scoring
from hemlp.results import merged_sums
from hemlp.results.exact_sums import UNIT, exact_square_sum
from hemlp.results.merged_sums import MeasureSums, PairSums
from hemlp.run import tally_bytes

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")

H = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("b", "e"), ("d", "f"), ("s", "g"), ("s", "h")]
)
CLASSES = sorted(H)
SYSTEMS = ["A", "B", "C"]
MEASURES = ["F_H", "MGIA", "F_LCA", "TIE"]  # TIE is infinite across the two roots, and undefined without labels


def rows_of(rng: random.Random, size: int) -> list[dict]:
    """Random instances, some without labels."""

    def some() -> list[str]:
        return rng.sample(CLASSES, rng.choice([0, 1, 1, 1, 2, 3]))

    return [{"id": f"d{k}é", "true": some(), **{system: some() for system in SYSTEMS}} for k in range(size)]


def table_of(rows: list[dict]):
    lists = pa.list_(pa.string())
    return pa.Table.from_pylist(rows, pa.schema([("id", pa.string()), *((c, lists) for c in ("true", *SYSTEMS))]))


def evaluated(rows: list[dict], measures=MEASURES):
    columns = {name: {row["id"]: row[name] for row in rows} for name in ("true", *SYSTEMS)}
    return evaluate(H, columns.pop("true"), columns, measures, undefined="nan")


def assert_same(found, wanted, measures=MEASURES) -> None:
    """Everything that an evaluation says of its systems, to the bit."""
    assert str(found.table(verbose=True)) == str(wanted.table(verbose=True))
    for name in measures:
        for system in SYSTEMS:
            assert repr(found.mean(system, name)) == repr(wanted.mean(system, name))
            assert repr(found.interval(system, name)) == repr(wanted.interval(system, name))
            assert found.status(system, name) == wanted.status(system, name)
        assert found.ranks(name) == wanted.ranks(name)
        assert found.groups(name) == wanted.groups(name)
        assert found.ranks(name, test="sign", sided="one", ranks="chained") == wanted.ranks(
            name, test="sign", sided="one", ranks="chained"
        )
    assert repr(found.significance().rows) == repr(wanted.significance().rows)
    assert repr(found.compare("A", "B").rows) == repr(wanted.compare("A", "B").rows)
    assert str(found.kendall(resamples=20)) == str(wanted.kendall(resamples=20))
    assert found.facts == wanted.facts


def assert_same_diagnosis(found, wanted) -> None:
    """Levels, kinds, classes and worst instances, intervals included."""
    assert str(found.levels(["A", "B"])) == str(wanted.levels(["A", "B"]))
    assert str(found.errors("C")) == str(wanted.errors("C"))
    assert repr(found.hits(["A", "B"]).rows) == repr(wanted.hits(["A", "B"]).rows)
    for on in ("closures", "labels"):
        assert str(found.classes(on=on)) == str(wanted.classes(on=on))
    for name in ("F_H", "TIE"):
        assert repr(found.worst("B", name).rows) == repr(wanted.worst("B", name).rows)


@settings(max_examples=12, deadline=None, phases=[Phase.generate])
@given(st.integers(1, 40), st.randoms(use_true_random=False), st.sampled_from([1, 8, 1000]), st.booleans())
def test_any_cut_order_and_tree_leaves_the_same_bytes(size, rng, bucketed_from, few):
    """``bucketed_from``: instances are dropped always, somewhere on the way, or never."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampling, "BUCKETED_FROM", bucketed_from)
        for module in (merged_sums, tally_bytes):
            patch.setattr(module, "MOST_DIFFERENCES", 1000 if few else 5)
        rows = rows_of(rng, size)
        plan = Plan(H, MEASURES, SYSTEMS, undefined="nan", diagnosis=True)
        whole = plan.score(table_of(rows)).tally
        shuffled = rng.sample(rows, size)
        cuts = sorted(rng.choices(range(size + 1), k=rng.randrange(5)))
        parts = [plan.score(table_of(shuffled[a:b])).tally for a, b in zip([0, *cuts], [*cuts, size], strict=True)]
        while len(parts) > 1:
            first, second = (parts.pop(rng.randrange(len(parts))) for _ in range(2))
            if rng.random() < 0.5:
                first = Tally.from_bytes(first.to_bytes())
            parts.append(first.merge(second))
        assert parts[0].to_bytes() == whole.to_bytes()
        if few:
            found, wanted = Tally.from_bytes(whole.to_bytes()).finish(hierarchy=H), evaluated(rows)
            assert_same(found, wanted)
            if size % 2:
                assert_same_diagnosis(found, wanted)


CUSTOM = {
    "F_H": "F_H", "TIE": "TIE", "SunLim": "SunLim", "near": measure("MGIA", pairing="nearest"),
    "thirds": measure("GIE", cost="wu_palmer", default_cost=1 / 3),
    "up": PairMeasure("up", Bounds(predicted=(1, 1), true=(0, ALL)), cost="lca_height", pairing="nearest"),
    "weighted": measure("simGIC", weights={label: 1 / (k + 3) for k, label in enumerate(CLASSES)}),
}  # fmt: skip
"""Losses by pairs and by nodes, fractions, undefined and infinite scores, and no text for what is weighted."""


def told(table) -> str:
    """A table with all digits."""
    return repr((table.columns, table.rows, table.notes))


@settings(max_examples=15, deadline=None, phases=[Phase.generate])
@given(st.integers(1, 25), st.integers(1, 3), st.randoms(use_true_random=False), st.sampled_from([1, 8, 1000]))
def test_branches_and_costs_of_any_cut_and_order_are_those_of_evaluate(size, number, rng, bucketed_from):
    """Of every measure, to the bit; of two systems with their differences."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampling, "BUCKETED_FROM", bucketed_from)
        patch.setattr(scoring, "INSTANCES_AT_ONCE", rng.choice([3, 1000]))
        rows, systems = rows_of(rng, size), SYSTEMS[:number]
        plan = Plan(H, CUSTOM, systems, undefined="nan", diagnosis=True)
        shuffled = rng.sample(rows, size)
        cuts = sorted(rng.choices(range(size + 1), k=rng.randrange(4)))
        parts = [plan.score(table_of(shuffled[a:b])).tally for a, b in zip([0, *cuts], [*cuts, size], strict=True)]
        rng.shuffle(parts)
        merged = reduce(Tally.merge, parts).to_bytes()
        assert merged == plan.score(table_of(rows)).tally.to_bytes()
        found = Tally.from_bytes(merged).finish(hierarchy=H)
    columns = {name: {row["id"]: row[name] for row in rows} for name in ("true", *systems)}
    wanted = evaluate(H, columns.pop("true"), columns, CUSTOM, undefined="nan")
    chosen = [*systems, None] if number < 3 else systems
    chosen += [["B", "A"]] if number == 2 else []
    for name in CUSTOM:
        for system in chosen:
            assert told(found.branches(system, name)) == told(wanted.branches(system, name))
        plain = [told(ev.branches(None, name, intervals=False)) for ev in (found, wanted)]
        assert plain[0] == plain[1]
    for on in ("closures", "labels"):
        for system in chosen:
            assert told(found.classes(system, on=on)) == told(wanted.classes(system, on=on))
    for name in ("TIE", "SunLim", "thirds", "near"):
        assert told(found.costs(None, name)) == told(wanted.costs(None, name))


def test_sums_that_cancel_are_not_there():
    """Differences of the same class that add up to 0 leave the bytes of instances that do not differ."""
    rows = [{"id": k, "true": ["f"], "A": [a], "B": [b]} for k, (a, b) in enumerate([("f", "d"), ("d", "f")])]
    plan = Plan(H, ["F_H"], ["A", "B"], diagnosis=True)
    tables = [pa.Table.from_pylist(some) for some in (rows, rows[:1], rows[1:])]
    whole, first, second = (plan.score(table).tally for table in tables)
    assert any(key[:2] == (0, 1) and key[3] == class_sums.SCORES for key in first.classes.sums)
    assert not any(key[:2] == (0, 1) and key[3] == class_sums.SCORES for key in whole.classes.sums)
    assert first.merge(second).to_bytes() == whole.to_bytes()


LIES_OF_SUMS = [
    ((0, 2, 0, 0, -1), 1, "no such sum"), ((1, 0, 0, 0, -1), 1, "no such sum"), ((0, 0, 3, 0, -1), 1, "no such sum"),
    ((0, 0, 0, 9, 0), 1, "no such sum"), ((0, 0, 0, 0, 83), 1, "no such sum"),
    ((0, 0, 0, class_sums.SCORES, 0), 2**40, "sums contradict"), ((0, 0, 0, class_sums.SQUARES, 0), -(2**40), "sums"),
    ((0, 0, 0, class_sums.ABOVE, 0), 99, "sums contradict"), ((0, 0, 0, class_sums.BELOW, 0), -1, "sums contradict"),
    ((0, 0, 0, class_sums.UNDEFINED, 1), 1, "sums contradict"),
    ((0, 0, 0, class_sums.PREDICTED, 0), 1, "costs contradict"), ((0, 1, 1, class_sums.TRUE, 0), 1, "costs"),
    ((0, 0, 1, class_sums.TRUE, 0), 1, "costs contradict"), ((0, 1, 0, class_sums.CLOSURES, 0), 99, "differences"),
    ((0, 1, 0, class_sums.LABELS, 1), 1, "differences"), ((0, 1, 1, class_sums.LABELS, 0), 1, "differences"),
    ((0, 0, 0, class_sums.LABELS, 0), 1, "differences"), ((0, 1, 0, class_sums.CLOSURES, 0), -1, "differences"),
]  # fmt: skip
"""Keys of sums by class, what they are made, and what is said."""


@pytest.mark.parametrize(("key", "value", "words"), LIES_OF_SUMS)
def test_sums_that_lie_are_refused(key, value, words):
    rows = rows_of(random.Random(21), 6)
    tally = Plan(H, ["F_H", "GIE", "MGIA"], ["A", "B"], diagnosis=True).score(table_of(rows)).tally
    sums = {**tally.classes.sums, key: np.full(len(tally.classes.numbers), value)}
    with pytest.raises(InvalidTally, match=f"not a tally: .*{words}"):
        Tally.from_bytes(replace(tally, classes=replace(tally.classes, sums=sums)).to_bytes())


VALUES = st.one_of(st.sampled_from([0.0, 1 / 3, 2 / 3, 1.0, math.nan, math.inf, -math.inf]), st.floats())


@given(st.lists(st.tuples(VALUES, VALUES, st.integers(0, 2)), min_size=1, max_size=12))
def test_sums_are_those_of_fractions(rows):
    """Of columns, common means and pairs: against plain sums over the instances."""
    values = np.array([[row[k] for row in rows] for k in (0, 1)])
    sums = MeasureSums.of(("A", "B"), values, np.array([row[2] for row in rows]), 3)
    somewhere = [k for k in (0, 1) if not np.isnan(values[k]).all()]
    for k, system in enumerate("AB"):
        for common in (False, True):
            needed = somewhere if common else [k]
            column = [row[k] for row in rows if not any(math.isnan(row[j]) for j in (*needed, k))]
            if not any(map(math.isinf, column)):
                exact = sum(map(Fraction, column))
                wanted = float(exact / len(column)) if column else math.nan
                assert sums.mean(system, common) == pytest.approx(wanted, rel=1e-15, nan_ok=True)
    both = [(a, b) for a, b, _ in rows if math.isfinite(a) and math.isfinite(b)]
    gaps = [a - b for a, b in both if abs(a - b) > 1e-12 * max(1, abs(a), abs(b))]
    if all(map(math.isfinite, gaps)):
        pair, _, _, instances = sums.pair("A", "B")
        assert pair.number == len(gaps)
        assert pair.wins == sum(gap > 0 for gap in gaps)
        assert Fraction(pair.total, 2**UNIT) == sum(map(Fraction, gaps))
        assert Fraction(pair.squares, 4**UNIT) == sum(Fraction(gap) ** 2 for gap in gaps)
        assert instances == sum(not (math.isnan(a) or math.isnan(b)) for a, b, _ in rows)
        assert sums.pair("B", "A")[0].turned() == pair


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), max_size=9), st.integers(0, 9))
def test_sums_of_pairs_merge_in_every_field(rows, cut):
    def made(some):
        first, second = (np.array([row[k] for row in some]) for k in (0, 1))
        return PairSums.of(first, second)

    assert made(rows[:cut]) + made(rows[cut:]) == made(rows[cut:]) + made(rows[:cut]) == made(rows)
    assert made(rows).turned() == made([row[::-1] for row in rows])


def test_squares_are_exact_where_doubles_would_leave_their_range():
    values = [5e-324, 1e-200, 1e200, -1e300, 1 / 3, 0.0]
    assert Fraction(exact_square_sum(np.array(values)), 4**UNIT) == sum(Fraction(each) ** 2 for each in values)


@given(st.lists(st.binary(max_size=140), min_size=1), st.lists(st.binary(max_size=140)))
def test_texts_are_hashed_and_numbered_as_by_python(known, others):
    def column(texts):
        return b"".join(texts), np.cumsum([0, *map(len, texts)]).astype(np.int64)

    ends = [int.from_bytes(hashlib.sha256(text).digest()[-4:], "big") for text in known]
    assert last_words(*column(known)).tolist() == ends
    distinct = list(dict.fromkeys(known))
    numbers, codes = learn_texts(*column(known))
    assert codes.tolist() == [distinct.index(text) for text in known]
    wanted = [distinct.index(text) if text in distinct else -1 for text in known + others]
    assert learn_texts(*column(known + others), numbers)[1].tolist() == wanted


def test_buckets_are_those_of_the_specification(monkeypatch):
    monkeypatch.setattr(resampling, "BUCKETED_FROM", 1)
    rows = [
        {**row, "id": name} for row, name in zip(rows_of(random.Random(1), 3), ["1", "é", "PMID:12345"], strict=True)
    ]
    tally = Plan(H, ["F_H"], SYSTEMS).score(table_of(rows)).tally
    (pattern,) = tally.buckets.sums[0].patterns.values()
    assert np.flatnonzero(pattern.counts).tolist() == [607, 2891, 3148]
    assert int.from_bytes(hashlib.sha256(b"1").digest(), "big") % 4096 == 2891


# ---- tables


def test_every_form_of_a_column_says_the_same():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rows = rows_of(random.Random(2), 30)
    plan = Plan(H, MEASURES, SYSTEMS, undefined="nan")
    lists = table_of(rows)
    wanted = plan.score(lists)
    large = pa.large_list(pa.large_string())
    coded = pa.list_(pa.dictionary(pa.int32(), pa.string()))
    texts = pa.table({"id": lists["id"], **{c: [" ".join(row[c]) for row in rows] for c in ("true", *SYSTEMS)}})
    forms = {
        "record batch": lists.combine_chunks().to_batches()[0],
        "chunks": pa.concat_tables([lists.slice(0, 7), lists.slice(7, 0), lists.slice(7)]),
        "large lists": lists.cast(pa.schema([("id", pa.large_string()), *((c, large) for c in ("true", *SYSTEMS))])),
        "coded labels": lists.cast(pa.schema([("id", pa.string()), *((c, coded) for c in ("true", *SYSTEMS))])),
        "coded ids": lists.set_column(0, "id", lists["id"].dictionary_encode()),
        "texts": texts,
        "coded texts": pa.table({c: texts[c].dictionary_encode() for c in texts.column_names}),
        "pandas": pandas.DataFrame({c: lists[c].to_pylist() for c in lists.column_names}),
        "polars": polars.from_arrow(lists),
        "more columns": lists.append_column("note", pa.nulls(30)),
    }  # fmt: skip
    distinct = pa.array([["a"], ["c", "f"], []], pa.list_(pa.string()))
    for name, form in forms.items():
        part = plan.score(form)
        assert part.tally == wanted.tally, name
        assert part.table.select(["F_H"]) == wanted.table.select(["F_H"]), name
    numbers = [k % 3 for k in range(30)]
    whole = {c: distinct.take(pa.array(numbers)) for c in ("true", *SYSTEMS)}
    of_lists = {c: pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32()), distinct) for c in ("true", *SYSTEMS)}
    first, second = (plan.score(pa.table({"id": lists["id"], **columns})).tally for columns in (whole, of_lists))
    assert first == second
    assert wanted.table.num_rows == 90
    values = evaluated(rows).per_instance("B", "MGIA")
    assert np.array_equal(
        [row["MGIA"] for row in wanted.table.to_pylist() if row["system"] == "B"],
        [None if math.isnan(value) else value for value in values.tolist()],
    )


def test_cuts_of_scores_are_a_curve_on_a_grid(tmp_path):
    """Those of ``evaluate``, of a table and of a dataset."""
    rng = random.Random(31)
    rows = [{**row, "A": {c: rng.randrange(9) / 8 for c in row["A"]}} for row in rows_of(rng, 30)]
    ids = [row["id"] for row in rows]
    scores = ScoredSets.of({row["id"]: row["A"] for row in rows})
    grid = [f"A@{at}" for at in ("0.25", "0.5", "1")]
    wanted = evaluate(
        H, {row["id"]: row["true"] for row in rows}, {name: scores.at(float(name[2:])) for name in grid}, ["F_H", "GIE"]
    )
    pairs = [[{"label": label, "score": score} for label, score in row["A"].items()] for row in rows]
    kind = pa.list_(pa.struct([("label", pa.string()), ("score", pa.float64())]))
    table = pa.table({"id": ids, "true": [row["true"] for row in rows], "A": pa.array(pairs, kind)})
    plan = Plan(H, ["F_H", "GIE"], grid)
    tally = plan.score(table.slice(0, 11)).tally.merge(plan.score(table.slice(11)).tally)
    pa.parquet.write_table(table, tmp_path / "p.parquet", row_group_size=7)
    for found in (tally.finish(), evaluate(H, str(tmp_path), grid, ["F_H", "GIE"])):
        assert repr(found.table(verbose=True).rows) == repr(wanted.table(verbose=True).rows)
        assert repr(found.significance().rows) == repr(wanted.significance().rows)
    for wrong, words in (
        ([*pairs[:2], [{"label": "a", "score": 0.5}, {"label": "a", "score": 0.25}]], "row 3: .* is a second score"),
        ([[{"label": "a", "score": math.nan}]], "row 1: nan of 'a' is no score"),
    ):  # fmt: skip
        part = table.slice(0, len(wrong)).set_column(2, "A", pa.array(wrong, kind))
        with pytest.raises(InvalidScores, match=words):
            plan.score(part)
    fields = [("label", pa.string_view()), ("score", pa.float32())]
    other = table.set_column(2, "A", pa.array(pairs, pa.large_list(pa.struct(fields))))  # as frames of polars have them
    assert plan.score(other).tally == plan.score(table).tally
    for field, words in ((pa.string(), "numbers, not string"), (pa.date32(), "numbers, not date32")):
        wrong = pa.nulls(30, pa.list_(pa.struct([("label", pa.string()), ("score", field)])))
        with pytest.raises(InvalidScores, match=words):
            plan.score(table.set_column(2, "A", wrong))
    with pytest.raises(InvalidLabelSets, match="strings or integers, not list"):
        Plan(H, ["F_H"], ["A"]).score(table.set_column(2, "A", pa.array([[["a"]]] * 30)))
    for system, words in (("A@top5", "cut at a number"), ("true@0.5", "with the fields label and score")):
        with pytest.raises(HemlpError, match=words):
            Plan(H, ["F_H"], [system]).score(table)


def test_a_duckdb_relation_is_a_table():
    duckdb = pytest.importorskip("duckdb")
    table = table_of(rows_of(random.Random(2), 30))
    plan = Plan(H, MEASURES, SYSTEMS, undefined="nan")
    relation = duckdb.connect().from_arrow(table)
    assert plan.score(relation).tally == plan.score(table).tally


def test_rows_without_ids_are_named_by_their_number(monkeypatch):
    rows = rows_of(random.Random(3), 25)
    bare = table_of(rows).drop_columns(["id"])
    plan = Plan(H, MEASURES, SYSTEMS, undefined="nan")
    columns = {name: [row[name] for row in rows] for name in ("true", *SYSTEMS)}
    for bucketed_from in (1000, 20):
        monkeypatch.setattr(resampling, "BUCKETED_FROM", bucketed_from)
        parts = [plan.score(bare.slice(a, 10), first_row=a).tally for a in (20, 0, 10)]
        systems = {name: columns[name] for name in SYSTEMS}
        assert_same(
            reduce(Tally.merge, parts).finish(), evaluate(H, columns["true"], systems, MEASURES, undefined="nan")
        )


def test_integers_are_ids_by_their_digits(monkeypatch):
    rows = [{**row, "id": k * 7} for k, row in enumerate(rows_of(random.Random(4), 25))]
    table = pa.table({name: [row[name] for row in rows] for name in rows[0]})
    plan = Plan(H, MEASURES, SYSTEMS, undefined="nan")
    assert_same(plan.score(table.slice(9)).tally.merge(plan.score(table.slice(0, 9)).tally).finish(), evaluated(rows))
    texts = table.set_column(0, "id", table["id"].cast(pa.string()))
    with pytest.raises(InvalidTally, match="different ids: 'integer' and 'text'"):
        plan.score(table).tally.merge(plan.score(texts).tally)
    assert Tally.from_bytes(plan.score(table).tally.to_bytes()).finish().ids == tuple(
        sorted((k * 7 for k in range(25)), key=str)
    )


def test_missing_and_unknown_labels_are_counted_as_by_evaluate():
    rows = rows_of(random.Random(5), 12)
    rows[3]["A"], rows[4]["B"], rows[5]["true"] = None, ["yeti", "a"], None
    plan = Plan(H, ["F_H"], SYSTEMS, unknown="drop", missing="empty")
    columns = {name: {row["id"]: row[name] for row in rows if row[name] is not None} for name in ("true", *SYSTEMS)}
    true = columns.pop("true")
    wanted = evaluate(H, true, columns, ["F_H"], unknown="drop", missing="empty")
    parts = [plan.score(table_of(rows[a : a + 4])).tally for a in (0, 4, 8)]
    assert_same(reduce(Tally.merge, parts).finish(), wanted, ["F_H"])


def test_errors_name_the_part_the_row_and_the_id():
    rows = rows_of(random.Random(6), 6)
    plan = Plan(H, ["F_H"], SYSTEMS)

    def score(change: dict, **options):
        changed = [dict(row) for row in rows]
        changed[2] |= {"true": ["a"], "A": ["a"], "B": ["a"], "C": ["a"], **change}
        for row in changed:
            for name in ("true", *SYSTEMS):
                row[name] = row[name] if row[name] is None else row[name] or ["a"]
        return plan.score(table_of(changed), part="p7.parquet", **options)

    score({})
    with pytest.raises(UnknownLabel, match=r"p7.parquet, column 'B', row 3 \(instance 'd2é'\).*yeti"):
        score({"B": ["a", "yeti"]})
    with pytest.raises(InvalidLabelSets, match="p7.parquet, column 'C', row 3: None is not a label"):
        score({"C": [None]})
    with pytest.raises(InvalidLabelSets, match="p7.parquet, column 'C', row 3: '' is not a label"):
        score({"C": ["a", ""]})
    with pytest.raises(MisalignedSides, match="p7.parquet, column 'A' lacks instance 'd2é'"):
        score({"A": None})
    with pytest.raises(InvalidLabelSets, match="p7.parquet, row 3: no instance id"):
        score({"id": None})
    with pytest.raises(InvalidLabelSets, match="p7.parquet: the instance 'd1é' has several rows"):
        score({"id": "d1é"})
    strict = Plan(H, ["TIE"], SYSTEMS)
    rows[4]["true"] = []
    with pytest.raises(UndefinedScore, match=r"part, row \d \(instance 'd\dé'\): "):
        strict.score(table_of(rows), part="part")
    for wrong, words in ((table_of(rows).drop_columns(["B"]), "one column 'B'"), (7, "int is not an Arrow table")):
        with pytest.raises(HemlpError, match=words):
            plan.score(wrong)
    with pytest.raises(InvalidLabelSets, match="labels are lists or texts, not double"):
        plan.score(table_of(rows).set_column(1, "true", pa.array([1.0] * 6)))
    with pytest.raises(InvalidLabelSets, match="row 2: a text has several lines"):
        plan.score(table_of(rows).set_column(1, "true", pa.array(["a", "a\nb"] + ["a"] * 4)))


def test_a_plan_says_what_is_wrong():
    for systems, options, words in (
        ([], {}, "at least one system"), (["A", "A"], {}, "different names"), (["id"], {}, "different names"),
        (["A"], {"unknown": "isolate"}, "with_isolated"), (["A"], {"undefined": "x"}, "undefined='x'"),
    ):  # fmt: skip
        with pytest.raises(InvalidOption, match=words):
            Plan(H, ["F_H"], systems, **options)
    with pytest.raises(HemlpError):
        Plan(H, ["F_H@5"], ["A"]).score(pa.table({"id": ["x"], "true": ["a"], "A": ["a"]}))


def test_an_id_that_is_met_twice_is_an_error():
    rows = rows_of(random.Random(7), 9)
    plan = Plan(H, ["F_H"], SYSTEMS)
    first, second = plan.score(table_of(rows[:5])).tally, plan.score(table_of(rows[4:])).tally
    with pytest.raises(InvalidLabelSets, match="the instance 'd4é' is met twice"):
        first.merge(second)
    other = Plan(H, ["F_H"], SYSTEMS, missing="empty").score(table_of(rows[5:])).tally
    for wrong, words in (
        (other, "different measures"), (Plan(H, ["P_H"], SYSTEMS).score(table_of(rows)).tally, "different measures"),
        (7, "with another tally, not with int"),
    ):  # fmt: skip
        with pytest.raises(InvalidTally, match=words):
            first.merge(wrong)


def test_what_needs_instances_is_refused_by_name(monkeypatch):
    rows = rows_of(random.Random(8), 40)
    plan = Plan(H, ["F_H", "MGIA"], SYSTEMS)
    kept = plan.score(table_of(rows)).tally.finish()
    assert len(kept.per_instance("A", "F_H")) == 40
    assert kept.mean("A", "F_H", "micro") == evaluated(rows).mean("A", "F_H", "micro")
    monkeypatch.setattr(resampling, "BUCKETED_FROM", 30)
    permutation._packed_signs()
    monkeypatch.setattr(merged_sums, "MOST_DIFFERENCES", 13)
    monkeypatch.setattr(permutation, "SAMPLED_UP_TO", 13)
    ev = plan.score(table_of(rows)).tally.finish()
    assert ev.mean("A", "F_H", "micro") == kept.mean("A", "F_H", "micro")
    for ask in (
        lambda: ev.per_instance("A", "F_H"), lambda: ev.per_instance("A", "F_H", "common"), ev.to_columns, ev.to_dict,
        lambda: kept.per_instance("A", "F_H", "common"), lambda: ev.mean("A", "F_H", "where_wrong"),
        lambda: ev.scores["A"]["F_H"].statuses[0], lambda: len(ev.scores["A"]["F_H"].statuses),
    ):  # fmt: skip
        with pytest.raises(InstancesNotKept, match="per-instance tables that Plan.score returns"):
            ask()
    pair = ev.compare("A", "B").to_frame().iloc[0]
    assert math.isnan(pair["p Wilcoxon"])
    assert pair["Wilcoxon favours"] == "needs instances"
    wanted = evaluated(rows).compare("A", "B").to_frame().iloc[0]
    assert (pair["difference"], pair["p sign"]) == (wanted["difference"], wanted["p sign"])


def closure(label: str) -> set[str]:
    return {label}.union(*map(closure, H.parents(label)))


@pytest.mark.parametrize("bucketed_from", [5, 1000])
def test_diagnosis_is_counted_by_its_definition(monkeypatch, bucketed_from):
    """Against plain sets, of levels, classes and hits."""
    monkeypatch.setattr(resampling, "BUCKETED_FROM", bucketed_from)
    rows = rows_of(random.Random(16), 30)
    plan = Plan(H, ["F_H"], SYSTEMS, diagnosis=True)
    parts = [plan.score(table_of(rows[a : a + 11])).tally for a in (11, 0, 22)]
    ev = reduce(Tally.merge, parts).finish()
    sides = [{name: set().union(*map(closure, row[name])) for name in ("true", "A")} for row in rows]
    depth = {label: min(len(path) for path in paths(label)) for label in CLASSES}
    for level, true, predicted, common, *_ in ev.levels("A").rows:
        here = {label for label in CLASSES if depth[label] == level}
        sizes = [(len(of["true"] & here), len(of["A"] & here), len(of["true"] & of["A"] & here)) for of in sides]
        assert (true, predicted, common) == tuple(map(sum, zip(*sizes, strict=True)))
    for label, true, predicted, common, *_ in ev.classes("A").rows:
        held = [(label in of["true"], label in of["A"], label in of["true"] & of["A"]) for of in sides]
        assert (true, predicted, common) == tuple(map(sum, zip(*held, strict=True)))
    assert ev.errors("A").rows[0][1] == sum(len({*row["true"]} & {*row["A"]}) for row in rows)
    scores = {row["id"]: value for row, value in zip(rows, evaluated(rows).per_instance("A", "F_H"), strict=True)}
    assert [value for _, value in ev.worst("A", "F_H", 7).rows] == sorted(scores.values())[:7]
    assert all(scores[name] == value for name, value in ev.worst("A", "F_H").rows)


def paths(label: str) -> list[list[str]]:
    """From a class up to each root, without the class itself."""
    return [[above, *rest] for above in H.parents(label) for rest in paths(above)] or [[]]


def test_what_needs_labels_is_refused_by_name(monkeypatch):
    rows = rows_of(random.Random(17), 30)
    plan = Plan(H, ["F_H", "GIE"], SYSTEMS, diagnosis=True)
    tally = plan.score(table_of(rows)).tally
    ev = Tally.from_bytes(tally.to_bytes()).finish(hierarchy=H)
    for ask in (
        lambda: ev.explain("A", 0), lambda: ev.costs("A", "MGIA"),
        lambda: ev.confusions("A"), lambda: ev.consistency("A"),
    ):  # fmt: skip
        with pytest.raises(InstancesNotKept, match=r"Evaluation.open"):
            ask()
    for ask in (lambda: ev.branches(["A", "C"], "F_H"), lambda: ev.classes(["A", "C"])):
        with pytest.raises(InstancesNotKept, match="plan A and C alone, or leave the intervals out"):
            ask()
    with pytest.raises(InvalidOption, match="F_H pairs no classes: give a pair-based measure, GIE$"):
        ev.costs("A", "F_H")
    with pytest.raises(InvalidOption, match="diagnosis=True"):
        Plan(H, ["F_H"], SYSTEMS).score(table_of(rows)).tally.finish().levels("A")
    with pytest.raises(InvalidOption, match="not the hierarchy of the tally"):
        tally.finish(hierarchy=Hierarchy.from_edges([("a", "b")]))
    with pytest.raises(InvalidTally, match="different counting"):
        tally.merge(Plan(H, ["F_H", "GIE"], SYSTEMS).score(table_of(rows_of(random.Random(18), 3))).tally)
    monkeypatch.setattr(resampling, "BUCKETED_FROM", 3)
    with pytest.raises(InstancesNotKept, match="per-instance tables"):
        plan.score(table_of(rows)).tally.finish().worst("A", "F_H", 21)
    with pytest.raises(InvalidOption, match="number=0"):
        ev.worst("A", "F_H", 0)


# ---- bytes


def test_damaged_bytes_are_refused(monkeypatch):
    """Cuts, bits that flip and bytes added are errors by name; with a right checksum, or the same tally."""
    rng = random.Random(9)
    rows = rows_of(rng, 6)
    plan = Plan(H, ["F_H", "TIE"], ["A", "B"], undefined="nan", diagnosis=True)
    kept = plan.score(table_of(rows)).tally.to_bytes()
    monkeypatch.setattr(resampling, "BUCKETED_FROM", 3)
    monkeypatch.setattr("hemlp.run.tally.BUCKETS", 4)
    monkeypatch.setattr(resampling, "BUCKETS", 4)
    monkeypatch.setattr(tally_bytes, "BUCKETS", 4)
    dropped = plan.score(table_of(rows)).tally.to_bytes()
    for data, limit in ((dropped, 3), (kept, 100)):
        monkeypatch.setattr(resampling, "BUCKETED_FROM", limit)
        assert Tally.from_bytes(data).to_bytes() == data
        end = data.index(b"\n", 20)
        for place in rng.sample(range(len(data)), 150) + list(range(end, min(end + 150, len(data)))):
            for wrong in (data[:place], data[:place] + b"\x00" + data[place:],
                          data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]):  # fmt: skip
                with pytest.raises(InvalidTally, match="damaged|another version"):
                    Tally.from_bytes(wrong)
                lie = wrong[:-32] + hashlib.sha256(wrong[:-32]).digest()  # somebody wrote a checksum of it
                try:
                    assert Tally.from_bytes(lie).to_bytes() == lie
                except InvalidTally:
                    continue
    for wrong in (b"", b"hemlp tally 2\n{}\n", dropped + b"\n", "text", None, b"hemlp tally 9\n" + b"[" * 9999 + b"\n"):
        with pytest.raises(InvalidTally, match="these bytes are not a tally"):
            Tally.from_bytes(wrong)


FACTS = {"text": "F_H", "low": 0.0, "high": 1.0, "loss": "SDL"}
LIES = {
    "systems": ["A", "A"], "systems ": [], "systems  ": "AB", "ids": "names", "roots": -1, "policies": {},
    "policies unknown": "skip", "policies unknown ": {}, "measures 0": {}, "measures 0 columns": [],
    "measures 0 columns ": ["F_H"], "measures 0 exact": 1, "measures 0 name": None, "measures": [],
    "counting": 7, "counting ": {}, "counting  ": {"hierarchy": "x", "levels": 0, "classes": 1, "measures": [FACTS]},
}  # fmt: skip
"""Places in a head, and what is wrong there."""


@pytest.mark.parametrize(("path", "value"), LIES.items())
def test_heads_that_lie_are_refused(path, value):
    data = Plan(H, ["F_H"], ["A", "B"]).score(table_of(rows_of(random.Random(10), 5))).tally.to_bytes()
    magic, line, body = data.split(b"\n", 2)
    said = place = json.loads(line)
    *path, last = (int(key) if key.isdigit() else key for key in path.split())
    for key in path:
        place = place[key]
    place[last] = value
    line = json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
    wrong = b"\n".join([magic, line, body[:-32]])
    with pytest.raises(InvalidTally, match="not a tally: (?!they are damaged)"):
        Tally.from_bytes(wrong + hashlib.sha256(wrong).digest())


@pytest.mark.parametrize("facts", [[FACTS, FACTS], [{**FACTS, "loss": "all"}], [{**FACTS, "low": math.nan}]])
def test_what_is_noted_of_measures_cannot_lie(facts):
    tally = Plan(H, ["F_H"], ["A"], diagnosis=True).score(table_of(rows_of(random.Random(10), 5))).tally
    noted = tuple(MeasureFacts(**each) for each in facts)
    counting = replace(tally.head.counting, measures=noted)
    with pytest.raises(InvalidTally, match="they know other things of measures"):
        Tally.from_bytes(replace(tally, head=replace(tally.head, counting=counting)).to_bytes())


def test_a_tally_of_nothing():
    plan = Plan(H, MEASURES, SYSTEMS, undefined="nan")
    rows = rows_of(random.Random(11), 5)
    numbered = table_of(rows).set_column(0, "id", pa.array(range(5)))
    assert plan.score(numbered.slice(0, 0)).tally.merge(plan.score(numbered).tally) == plan.score(numbered).tally
    nothing = plan.score(table_of([])).tally
    assert len(nothing) == 0
    assert Tally.from_bytes(nothing.to_bytes()) == nothing
    assert plan.score(table_of(rows)).tally.merge(nothing) == plan.score(table_of(rows)).tally
    with pytest.raises(InvalidTally, match="no instance"):
        nothing.finish()


# ---- engines


def score_bytes(plan: Plan, table) -> bytes:
    return plan.score(table).tally.to_bytes()


def merge_bytes(parts) -> bytes:
    return reduce(Tally.merge, map(Tally.from_bytes, parts)).to_bytes()


def test_engines_leave_the_same_bytes():
    """Threads, processes, and Dask and DuckDB where they are installed."""
    rows = rows_of(random.Random(12), 60)
    plan = Plan(H, MEASURES, SYSTEMS, undefined="nan", diagnosis=True)
    parts = [table_of(rows[a : a + 13]) for a in range(0, 60, 13)]
    wanted = score_bytes(plan, table_of(rows))
    with ThreadPoolExecutor(2) as pool:
        assert merge_bytes(pool.map(score_bytes, [plan] * 5, parts)) == wanted
    with ProcessPoolExecutor(2) as pool:
        assert merge_bytes(pool.map(score_bytes, [plan] * 5, parts[::-1])) == wanted
    assert len(pickle.dumps(plan)) < 20_000
    assert pickle.loads(pickle.dumps(plan.score(parts[0]).tally)) == plan.score(parts[0]).tally


def test_dask_leaves_the_same_bytes():
    dask = pytest.importorskip("dask")
    rows = rows_of(random.Random(13), 40)
    plan = Plan(H, MEASURES, SYSTEMS, undefined="nan", diagnosis=True)
    send = dask.delayed(plan)
    tasks = [dask.delayed(score_bytes)(send, table_of(rows[a : a + 9])) for a in range(0, 40, 9)]
    found = dask.compute(*tasks, scheduler="threads")
    assert merge_bytes(found) == score_bytes(plan, table_of(rows))


def test_parts_of_a_duckdb_join_leave_the_same_bytes():
    duckdb = pytest.importorskip("duckdb")
    rows = rows_of(random.Random(14), 40)
    plan = Plan(H, MEASURES, SYSTEMS, undefined="nan", diagnosis=True)
    table = table_of(rows)
    gold, predictions = table.select(["id", "true"]), table.select(["id", *SYSTEMS]).take(pa.array(range(39, -1, -1)))
    connection = duckdb.connect()
    connection.register("gold", gold)
    connection.register("predictions", predictions)
    relation = connection.sql("select * from gold join predictions using (id)")
    reader = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch  # the older name
    assert merge_bytes(score_bytes(plan, batch) for batch in reader(16)) == score_bytes(plan, table)


def test_scores_of_a_part_are_those_of_the_measure():
    """The table has every column of every measure, with statuses."""
    rows = rows_of(random.Random(15), 20)
    table = Plan(H, ["F_H", "F_LCA"], SYSTEMS).score(table_of(rows)).table
    ev = evaluated(rows, ["F_H", "F_LCA"])
    for system, name in [(s, m) for s in SYSTEMS for m in ("F_H", "F_LCA")]:
        of_system = table.filter(pa.compute.equal(table["system"].cast(pa.string()), system))
        assert of_system["id"].to_pylist() == [row["id"] for row in rows]
        for column in list(ev.scores[system][name].columns)[1:]:
            found = of_system[f"{name}.{column}"].to_numpy()
            assert np.array_equal(found, ev.per_instance(system, name, column), equal_nan=True)
    assert {*table["F_LCA.status"].to_pylist()} == {"optimal"}
    assert measure("F_H").name in table.column_names
