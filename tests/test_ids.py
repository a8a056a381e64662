"""Names of instances stay with the results: in CSV, JSON, Parquet and frames, in explanations and comparisons."""

from __future__ import annotations

import csv
import json

import pytest

from hemlp import Evaluation, Hierarchy, compare_exact_greedy, evaluate, examples, ranked
from hemlp.report.outputs import write_per_instance

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
IDS = ["doc 2", "doc,1", "ü"]
GOLD = dict(zip(IDS, (["sheep"], ["cow"], []), strict=True))
PRED = dict(zip(reversed(IDS), (["sheep"], ["cow"], ["mammal"]), strict=True))


@pytest.fixture
def results(tmp_path):
    """The evaluation, and the same from its file."""
    ev = evaluate(H, GOLD, {"A": PRED, "B": GOLD}, ["F_H", "GIE"])
    ev.to_json(tmp_path / "ev.json")
    return [ev, Evaluation.from_json(tmp_path / "ev.json")]


def test_ids_are_in_every_file(results, tmp_path):
    assert json.loads((tmp_path / "ev.json").read_text(encoding="utf-8"))["ids"] == IDS
    for ev in results:
        assert list(ev.ids) == IDS
        write_per_instance(ev, tmp_path)
        with (tmp_path / "A.csv").open(newline="", encoding="utf-8") as file:
            assert [row["id"] for row in csv.DictReader(file)] == IDS
        columns = ev.to_columns()
        assert columns["id"] == IDS * 4
        values = {i: v for s, m, i, v in zip(*(columns[k] for k in ("system", "measure", "id", "value")), strict=True)
                  if (s, m) == ("A", "F_H")}  # fmt: skip
        assert values == dict(zip(IDS, ev.per_instance("A", "F_H").tolist(), strict=True))
        assert ev.summary()["ids"] == IDS
        again = json.loads("".join(ev.json_pieces()))
        assert again["ids"] == IDS


def test_ids_are_in_frames_and_parquet(results, tmp_path):
    pd = pytest.importorskip("pandas", reason="pandas is not installed: frames are NOT checked")
    for ev in results:
        assert ev.to_frame()["id"].tolist() == IDS * 4
        pytest.importorskip("pyarrow", reason="pyarrow is not installed: Parquet is NOT checked")
        ev.to_parquet(tmp_path / "ev.parquet")
        assert pd.read_parquet(tmp_path / "ev.parquet")["id"].tolist() == IDS * 2
    r = ranked(H, GOLD, {name: {"cow": 0.5} for name in IDS}, ["F_H@1"])
    assert r.to_frame()["id"].tolist() == IDS


def test_an_instance_is_explained_by_its_id(results):
    ev, stored = results
    assert str(ev.explain("A", id="doc,1")) == str(ev.explain("A", 1))
    assert ev.explain("A", id="ü").to_dict()["id"] == "ü"
    with pytest.raises(Exception, match="was read from a file"):
        stored.explain("A", id="ü")


def test_a_file_whose_ids_do_not_fit_is_refused(results, tmp_path):
    data = json.loads((tmp_path / "ev.json").read_text(encoding="utf-8"))
    for ids in (IDS[:2], [*IDS[:2], "doc 2"], ["a", "b", 1.5], "abc", [True, "a", "b"]):
        (tmp_path / "bad.json").write_text(json.dumps({**data, "ids": ids}))
        with pytest.raises(Exception, match="ids"):
            Evaluation.from_json(tmp_path / "bad.json")
    without = evaluate(H, [["cow"]], {"A": [["cow"]]}, ["F_H"])
    assert without.ids is None
    assert "id" not in without.to_columns()
    assert "ids" not in without.summary()


def test_comparisons_of_methods_name_their_worst():
    mesh = examples.mesh_mini()
    names = [f"doc{k}" for k in range(len(mesh.true))]
    true, pred = (dict(zip(names, side, strict=True)) for side in (mesh.true, mesh.systems["prior_top8"]))
    found = compare_exact_greedy(mesh.hierarchy, true, pred, sample=60, seed=1)
    worst = found.to_dict()["worst"]
    assert worst
    assert all(each["id"] == f"doc{each['row'] - 1}" for each in worst)
    assert f"({worst[0]['id']})" in str(found)
