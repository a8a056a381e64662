"""Per-instance results as Parquet: the same cells as in the CSV files, in one table."""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from hemlp import Bounds, Evaluation, Hierarchy, PairMeasure, PairScore, SetMeasure, evaluate, examples
from hemlp.errors import InvalidOption, MissingDependency, UnwritableFile
from hemlp.instances.label_files import LabelFile
from hemlp.report import parquet as writing
from hemlp.report.outputs import write_per_instance
from hemlp.run.study import Outputs, Study
from hemlp.version import __version__

pq = pytest.importorskip("pyarrow.parquet")
H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
MEASURES = ["F_LCA", "MGIA", "F_H", "TIE"]
FOLDER = examples.DATA / "mesh_mini"


@pytest.fixture(scope="module")
def mini() -> Evaluation:
    example = examples.mesh_mini()
    return evaluate(example.hierarchy, example.true, example.systems, MEASURES, undefined="nan")


def test_cells_are_those_of_the_csv_files(mini, tmp_path):
    mini.to_parquet(tmp_path / "rows.parquet")
    write_per_instance(mini, tmp_path)
    frame = pd.read_parquet(tmp_path / "rows.parquet")
    assert frame["system"].tolist() == [system for system in mini.systems for _ in range(200)]
    assert frame["instance"].tolist() == list(range(200)) * len(mini.systems)
    for system in mini.systems:
        with (tmp_path / f"{system}.csv").open(newline="") as file:
            head, *rows = csv.reader(file)
        own = frame[frame["system"] == system]
        assert list(frame.columns) == ["system", "instance", *head]
        for name, cells in zip(head, zip(*rows, strict=True), strict=True):
            if name.endswith(".status"):
                assert own[name].tolist() == list(cells)
            else:
                expected = [float(cell) if cell else math.nan for cell in cells]
                assert np.array_equal(own[name].to_numpy(), expected, equal_nan=True)
    assert frame["TIE"].isna().any()


def test_undefined_values_are_null_and_infinite_ones_infinite(tmp_path):
    rule = PairScore(lambda facts: np.where(facts.error == 0, math.inf, facts.error))
    odd = PairMeasure("odd", Bounds((1, 1), (1, 1)), default_cost=5, score=rule)
    systems = {"A": [["cow"], ["sheep", "cow"]], "B": ["cow", "sheep"]}
    ev = evaluate(H, ["cow", "sheep"], systems, [odd, "TIE"], undefined="nan")
    ev.to_parquet(tmp_path / "rows.parquet")
    table = pq.read_table(tmp_path / "rows.parquet")
    assert table["TIE"].to_pylist() == [0, None, 0, 0]
    assert table["TIE.status"].to_pylist() == ["optimal", "infeasible", "optimal", "optimal"]
    assert table["odd"].to_pylist()[0] == math.inf
    assert table["odd"].to_pylist() == [each if each == each else None for each in ev.to_frame()["value"][[0, 1, 4, 5]]]
    assert pl.read_parquet(tmp_path / "rows.parquet")["TIE"].null_count() == 1


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["d1", "=d2", "d 3"], ["d1", "=d2", "d 3"]),
        ([7, -8, 9], [7, -8, 9]),
        ([7, "b", 9], ["7", "b", "9"]),
        ([2**70, 1, 2], [str(2**70), "1", "2"]),
        (["a", "b\ud800", "c"], ["a", "b\\ud800", "c"]),
    ],
)
def test_ids_keep_what_they_are(tmp_path, ids, expected):
    labels = dict(zip(ids, ["cow", "sheep", "cow"], strict=True))
    evaluate(H, labels, {"A\ud800": labels}, ["F"]).to_parquet(tmp_path / "rows.parquet")
    table = pq.read_table(tmp_path / "rows.parquet")
    assert table["id"].to_pylist() == expected
    assert table["system"].to_pylist() == ["A\\ud800"] * 3


def test_signatures_are_in_the_metadata(mini, tmp_path):
    mini.to_parquet(tmp_path / "rows.parquet")
    told = json.loads(pq.read_schema(tmp_path / "rows.parquet").metadata[b"hemlp"])
    assert told == {"version": __version__, "signature": mini.summary()["signature"]}


def test_files_are_written_in_parts_from_memory_folders_and_json(mini, tmp_path, monkeypatch):
    example = examples.mesh_mini()
    mini.to_parquet(tmp_path / "whole.parquet")
    whole = pq.read_table(tmp_path / "whole.parquet")
    systems = {name: LabelFile(FOLDER / f"pred_{name}.txt") for name in mini.systems}
    true = LabelFile(FOLDER / "gold.txt")
    stored = evaluate(example.hierarchy, true, systems, MEASURES, undefined="nan", memory="2GB", chunk=70)
    mini.to_json(tmp_path / "e.json")
    monkeypatch.setattr(writing, "ROWS", 30)
    for name, ev in (("memory", mini), ("folder", stored), ("json", Evaluation.from_json(tmp_path / "e.json"))):
        ev.to_parquet(tmp_path / f"{name}.parquet")
        assert pq.read_table(tmp_path / f"{name}.parquet").equals(whole)
        parts = pq.ParquetFile(tmp_path / f"{name}.parquet").metadata
        assert max(parts.row_group(k).num_rows for k in range(parts.num_row_groups)) == 30


def test_two_columns_of_one_name_are_refused(tmp_path):
    for name in ("system", "instance"):
        ev = evaluate(H, ["cow"], ["cow"], ["F", SetMeasure(name, "ancestors")])
        with pytest.raises(InvalidOption, match=f"two columns .* {name!r}"):
            ev.to_parquet(tmp_path / "rows.parquet")
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written(mini, tmp_path):
    (tmp_path / "no").write_text("a file is no folder")
    with pytest.raises(UnwritableFile):
        mini.to_parquet(tmp_path / "no" / "rows.parquet")


def test_without_pyarrow_there_is_advice_before_any_work(mini, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingDependency, match="pip install pyarrow"):
        mini.to_parquet(tmp_path / "rows.parquet")
    assert not list(tmp_path.iterdir())
    study = Study("no.txt", "no.txt", {"A": "no.txt"}, outputs=Outputs(parquet=str(tmp_path / "rows.parquet")))
    with pytest.raises(MissingDependency):
        study.run()


def test_command_line_and_study(mini, tmp_path):
    files = [str(FOLDER / name) for name in ("hierarchy.txt", "gold.txt", "pred_knn30.txt")]
    command = [sys.executable, "-m", "hemlp", "evaluate", *files, "-m", "F_H", "--parquet", "rows.parquet"]
    out = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert out.returncode == 0, out.stderr
    frame = pd.read_parquet(tmp_path / "rows.parquet")
    assert frame["F_H"].tolist() == mini.per_instance("knn30", "F_H").tolist()
    lines = [f"hierarchy = {files[0]!r}", f"true = {files[1]!r}", f"systems = {{pred_knn30 = {files[2]!r}}}"]
    (tmp_path / "study.toml").write_text("\n".join([*lines, "[outputs]", "parquet = 'again.parquet'"]))
    Study.read(tmp_path / "study.toml").write(mini)
    assert len(pd.read_parquet(tmp_path / "again.parquet")) == 200 * len(mini.systems)
    command[-1] = files[1]
    out = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert out.returncode == 2
    assert "would be overwritten" in out.stderr
