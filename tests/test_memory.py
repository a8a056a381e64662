"""Memory: what an instance needs is known before it is scored, and too much is refused by name, with the figure."""

from __future__ import annotations

import base64
import tracemalloc
import zlib

import numpy as np
import pytest
from click.testing import CliRunner

from hemlp import ALL, Batch, Bounds, Hierarchy, LabelSets, PairMeasure, evaluate, measure, read_labels
from hemlp.cli.main import commands
from hemlp.errors import FileFormatError, OutOfMemory
from hemlp.measures import scoring
from hemlp.problems.pairing.capacities import priced
from hemlp.processes.free_memory import available_memory, format_bytes
from tests import hungry

ONE = Bounds((1, 1), (1, 1))
MEASURES = [
    *(measure(name) for name in ("GIE", "MGIA", "SunLim", "matched_F", "BMA", "distance", "F_LCA", "F_LCA(horizon=4)")),
    *(measure(name) for name in ("MGIA(pairing='nearest')", "GIE(cost='wu_palmer')", "GIE(max_distance=3)", "F_H")),
    measure("F_LCA(method='extended')"),
    measure("GIE(default_cost=0.3)"),
    PairMeasure("loose", Bounds((1, 2), (1, ALL)), default_cost=5),
    PairMeasure("soft", Bounds(priced((0, 1), above=1), (1, 1)), default_cost=5),
    PairMeasure("own", ONE, cost=lambda predicted, true: float(predicted != true), default_cost=5),
]


def large(labels, small=0, classes=6_000):
    """A DAG, and ``small`` instances of one label a side before one of many."""
    rng = np.random.default_rng(labels)
    edges = {(int(rng.integers(c)), c) for c in [*range(1, classes), *rng.integers(2, classes, classes // 3).tolist()]}
    sides = [[[c] for c in range(1, 1 + small)] + [rng.choice(classes, labels, replace=False).tolist()] for _ in "tp"]
    return Hierarchy.from_edges(sorted(edges)), *(LabelSets.of(side, rows="sets") for side in sides)


@pytest.mark.parametrize("each", MEASURES, ids=str)
def test_the_estimate_is_what_is_really_taken(each):
    for labels in (200, 350) if each.name in ("BMA", "soft", "loose", "own") else (400, 1000):
        batch = Batch.of(*large(labels))
        tracemalloc.start()
        try:
            each.score(batch)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak / 2 < each.bytes_needed(batch)[0] < 2 * peak


def test_a_batch_that_counts_as_small_needs_no_more_than_is_always_there():
    chain = Hierarchy.from_edges((c, c + 1) for c in range(300))
    batches = [Batch.of(chain, [[*range(300, 300 - n, -1)]], [[*range(m)]]) for n, m in np.ndindex(60, 60)]
    small = [batch for batch in batches if scoring.is_small(batch)]
    assert 100 < len(small) < len(batches)
    whole = Batch.concatenate(small)
    assert all(each.bytes_needed(whole).max() < scoring.ALWAYS_THERE for each in MEASURES)


@pytest.mark.parametrize("options", [{}, {"workers": 2}, {"chunk": 1}])
def test_an_instance_beyond_the_limit_is_refused_before_any_is_scored(monkeypatch, options):
    h, true, pred = large(3000, small=4)
    monkeypatch.setattr(
        "hemlp.run.evaluate.score_chunks", lambda *arguments, **options: pytest.fail("something is scored")
    )
    with pytest.raises(
        OutOfMemory, match="^a: instance 5 has 3,000 predicted and 3,000 true classes, for which GIE needs"
    ) as e:
        evaluate(h, true, {"a": pred}, ["F_H", "GIE"], memory="400MB", **options)
    assert f"about {format_bytes(measure('GIE').bytes_needed(Batch.of(h, true, pred))[4])}" in str(e.value)


def test_the_command_line_names_it(tmp_path):
    h, true, pred = large(3000)
    files = [tmp_path / name for name in ("h.txt", "gold.txt", "a.txt")]
    files[0].write_text("".join(f"{p} {c}\n" for p, c in zip(h.edges.parents, h.edges.children, strict=True)))
    for file, side in zip(files[1:], (true, pred), strict=True):
        file.write_text("".join(" ".join(map(str, row)) + "\n" for row in side))
    result = CliRunner().invoke(commands, ["evaluate", *map(str, files), "-m", "GIE", "--memory", "400MB"])
    assert isinstance(result.exception, OutOfMemory)
    assert result.exception.exit_code == 1
    assert "3,000 true classes, for which GIE needs about" in str(result.exception)
    assert "choose --memory" not in str(result.exception)


def test_what_the_machine_does_not_have_is_refused(monkeypatch):
    h, true, pred = large(400)
    assert measure("GIE").score(Batch.of(h, true, pred)).values[0] > 0
    monkeypatch.setattr(scoring, "available_memory", lambda: 2.0**20)
    with pytest.raises(OutOfMemory, match=r"GIE needs about 3\.\d MB, and 1\.0 MB are free: leave"):
        measure("GIE").score(Batch.of(h, true, pred))
    assert measure("F_H").score(Batch.of(h, true, pred)).values[0] > 0
    forced = PairMeasure("forced", Bounds((1, 1), (1, 1), pair=(1, 1)), default_cost=5)
    for each in (measure("transport"), forced):  # whether they are defined is a question about pairs
        with pytest.raises(OutOfMemory, match=f"for which {each.name} needs about"):
            each.score(Batch.of(h, true, pred))
    lonely = measure("TIE").score(Batch.of(h, true, pred), undefined="nan")
    assert np.isnan(lonely.values).all()  # what is not scored needs nothing


def test_an_allocation_that_fails_is_named():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    full = PairMeasure("full", ONE, cost=hungry.needs_too_much, default_cost=5)
    for options in ({}, {"workers": 2}, {"memory": "400MB"}):
        with pytest.raises(OutOfMemory, match=r"instance 1 has 1 predicted and 1 true classes, for which full needs"):
            evaluate(h, ["a", "b"], {"s": ["b", "b"]}, [full], **options)
    with pytest.raises(OutOfMemory, match="for which full needs"):
        full.score(h, ["a"], ["b"])


def test_what_is_not_scoring_is_named_too(monkeypatch):
    def full(self, *arguments):
        raise MemoryError

    monkeypatch.setattr("hemlp.results.inputs.Inputs.check", full)
    h = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    with pytest.raises(OutOfMemory, match="^out of memory; choose memory='SIZE' to"):
        evaluate(h, ["a"], {"s": ["b"]})
    with pytest.raises(
        OutOfMemory, match="^out of memory, with a limit of 400MB: the hierarchy, the labels or the results"
    ):
        evaluate(h, ["a"], {"s": ["b"]}, memory="400MB")


def test_instances_that_fit_one_by_one_are_scored_in_parts(monkeypatch):
    h, true, pred = large(500)
    several = [LabelSets.of([row for row in side for _ in range(4)] + [[1]], rows="sets") for side in (true, pred)]
    several = [LabelSets.of([[*row, k] for k, row in enumerate(map(list, side))], rows="sets") for side in several]
    batch, each = Batch.of(h, *several), measure("GIE")
    sizes, model = [], PairMeasure.model
    monkeypatch.setattr(PairMeasure, "model", lambda self, part: sizes.append(len(part)) or model(self, part))
    room = 2.5 * each.bytes_needed(batch).max()
    whole, parts = (scoring.score_together([each], batch, room=limit)[0] for limit in (None, room))
    assert sizes == [5, 2, 3]
    assert whole.values.tolist() == parts.values.tolist()


def test_free_memory_is_known():
    assert available_memory() > 2**20
    assert format_bytes(9.55 * 2**30) == "9.6 GB"
    assert format_bytes(1) == "0.1 MB"


# ---- Parquet is read batch by batch

SETS = {f"d{k}": [f"c{c}" for c in range(1, 40) if (c * k) % 7 == 1] for k in range(25)}
TABLES = {
    "pairs": {
        "id": [name for name, labels in SETS.items() for _ in labels or [None]],
        "label": [label for labels in SETS.values() for label in labels or [None]],
    },
    "lists": {"id": list(SETS), "labels": list(SETS.values())},
    "lists alone": {"labels": [*SETS.values(), None]},
    "matrix": {
        "id": list(SETS),
        **{f"c{c}": [int(f"c{c}" in labels) for labels in SETS.values()] for c in range(1, 40)},
    },
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_parquet_is_never_read_as_a_whole(monkeypatch, tmp_path, table):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "gold.parquet"
    parquet.write_table(arrow.table(table), file, row_group_size=10)
    plain = list(read_labels(file))
    expected = list(SETS.values()) if "id" in table else [*SETS.values(), []]
    assert list(map(list, plain)) == expected
    read = []
    batches = parquet.ParquetFile.iter_batches

    def spied(self, size, columns):
        for batch in batches(self, size, columns=columns):
            read.append((batch.num_rows, batch.num_columns))
            yield batch

    for reader in (parquet.read_table, parquet.ParquetFile.read, parquet.ParquetFile.read_row_groups):
        owner = parquet if reader is parquet.read_table else parquet.ParquetFile
        monkeypatch.setattr(owner, reader.__name__, lambda *arguments, **options: pytest.fail("the whole is read"))
    monkeypatch.setattr("pathlib.Path.read_bytes", lambda self: pytest.fail("the whole is read"))
    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", spied)
    monkeypatch.setattr("hemlp.io.parquet_files.BATCH", 4)
    monkeypatch.setattr("hemlp.io.parquet_files.CODED_BATCH", 4)
    assert list(read_labels(file)) == plain
    assert {columns for _, columns in read} == {1}
    assert max(rows for rows, _ in read) == 4

    h = Hierarchy.from_edges([(f"c{c // 3}", f"c{c}") for c in range(1, 40)])
    streamed, whole = (
        evaluate(h, file, {"s": file}, ["F_LCA", "GIE"], **options) for options in ({"memory": "1GB"}, {})
    )
    assert streamed.to_dict() == whole.to_dict()


def test_parquet_that_is_damaged_or_says_something_twice(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "gold.parquet"
    parquet.write_table(arrow.table(TABLES["pairs"]), file, compression="none")
    data = bytearray(file.read_bytes())
    data[4:40] = b"\xff" * 36
    file.write_bytes(data)
    with pytest.raises(FileFormatError, match="gold.parquet is a damaged Parquet file"):
        read_labels(file)
    file.write_bytes(data[:-9])
    with pytest.raises(FileFormatError, match="gold.parquet is not a Parquet file"):
        read_labels(file)
    twice = arrow.table([["a"], ["b"], ["c"]], names=["id", "label", "label"])
    parquet.write_table(twice, file)
    with pytest.raises(FileFormatError, match="the column 'label' occurs 2 times"):
        read_labels(file)


ROWS_THAT_CONTRADICT = (
    "c-m!>PfG$p6u{r?+F;?qq*-=g4|}jB!Yl<NLW8GiR9dbe(s5I<KZa(85FI=A0XlT-&?kyML?5Czvtm{c=Dj!X&u`u^Q^!U|M8t})"
    "t7ISnu#{u~kWnftKqQ2f5?sV-ac3LWSk`8l<z>n)x&~>^m>Hqgb&;-8jUtG;Nr}#&r%XE-YcrS-jE?yQGpWcnsYC;pk|EGAlOQ58"
    "p97oUwJ*9ifrx;Jts1s**;$3ELsfda&=1bL{b|JF(vc|-UPVmifXAh(7KX*GN9&1sc`rIYzD%j>3Ij;R$>gb>OAk1aJaA@=@Cc20"
    "W!4+>KA88+{?7iNmYC737i#vR*1G}Hv18b1oVIquYuTS{Q%SCeBtC|6j5xt!4=ad0Ea?;$i-<Mlln@Vf;KyR<hMv|ZR|MT5r(7xP"
    "poWxjCQTK*J8K>F&(*f}pz3`r`ig&m*v9=SY}VvA^?V07KPsvbDcHXb`Tlf@LIG@d7>sW3yW@@aaJUhSMuUm#?zwJuJH3_8$P_)9"
    "dbKb5XLb66-{Gxw(f"
)
"""A Parquet file of a few bytes changed: a column has other rows than the file says. Packed."""


def test_parquet_whose_columns_have_other_rows_than_it_says(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "t.parquet").write_bytes(zlib.decompress(base64.b85decode(ROWS_THAT_CONTRADICT)))
    with pytest.raises(FileFormatError, match="damaged Parquet file: 'id' does not have 3 rows"):
        read_labels(tmp_path / "t.parquet")
