"""Evaluation runs and comparisons of systems."""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
from dataclasses import fields, replace
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import hemlp
import hemlp.report.outputs
from hemlp import ALL, Batch, Bounds, Evaluation, Hierarchy, PairMeasure, SetMeasure, evaluate, examples, measure
from hemlp.analysis.statistics.significance_tests import kendall
from hemlp.errors import (
    FileFormatError,
    HemlpError,
    InfeasibleModel,
    InvalidOption,
    MisalignedSides,
    UndefinedScore,
    UnwritableFile,
)
from hemlp.measures import scoring
from hemlp.optimize.program import Status
from hemlp.solvers.search import LcaSearch

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
LOOSE = PairMeasure("loose", Bounds(predicted=(1, 2), true=(1, ALL)), default_cost=5)
NAMES = ["GIE", "MGIA", "F_H", "SDL", "F_LCA", "MGIA(default_cost=4)"]
FOLDER = examples.DATA / "mesh_mini"


@pytest.fixture(scope="module")
def mini() -> Evaluation:
    example = examples.mesh_mini()
    return evaluate(example.hierarchy, example.true, example.systems, [*NAMES, LOOSE, "F"])


# ---- statistics

floats = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=40)


def test_sides_of_a_test_are_checked(mini):
    for wrong in (lambda: mini.ranks("F", sided="three"), lambda: mini.compare("knn30", "prior_top8", sided=2)):
        with pytest.raises(InvalidOption, match="sided="):
            wrong()


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.data())
def test_kendall_is_scipys(first, data):
    second = data.draw(st.lists(st.sampled_from([0.1, 0.2, 0.3]), min_size=len(first), max_size=len(first)))
    expected = scipy.stats.kendalltau(first, second).statistic
    assert kendall(first, second) == pytest.approx(expected, nan_ok=True)


# ---- evaluations


def test_scores_are_those_of_the_measures(mini):
    example = examples.mesh_mini()
    assert mini.systems == list(example.systems)
    assert mini.measures == [*NAMES, "loose", "F"]
    for name, pred in example.systems.items():
        batch = Batch.of(example.hierarchy, example.true, pred)
        for text in [*NAMES, LOOSE]:
            key = text if isinstance(text, str) else text.name
            scores = measure(text).score(batch)
            assert mini.per_instance(name, key).tolist() == scores.values.tolist()
            assert mini.mean(name, key) == scores.mean()
        assert (
            mini.per_instance(name, "F_LCA", column="P_LCA").tolist() == measure("P_LCA").score(batch).values.tolist()
        )
        assert mini.status(name, "F_LCA") == {"optimal": 200}
    assert mini.fallbacks == 0


@pytest.mark.parametrize(("workers", "chunk"), [(2, 20_000), (5, 7), (1, 1), (3, 64)])
def test_workers_and_chunks_do_not_change_anything(mini, workers, chunk):
    """To the bit, with weights that are no integers, too."""
    example = examples.mesh_mini()
    weights = dict(zip(example.hierarchy, np.random.default_rng(0).random(len(example.hierarchy)), strict=True))
    count = 40 if chunk == 1 else 200
    true, systems = [*example.true][:count], {name: [*example.systems[name]][:count] for name in mini.systems[:2]}
    measures = [*NAMES, LOOSE, measure("F_H", weights=weights), "GIE(cost='shortest_path(decay=0.7)')"]
    options = {"workers": workers, "chunk": chunk}
    whole = evaluate(example.hierarchy, true, systems, measures)
    assert evaluate(example.hierarchy, true, systems, measures, **options).to_dict() == whole.to_dict()


def test_like_instances_are_solved_once_and_scored_all(monkeypatch):
    solved = []
    usual = LcaSearch.solve
    monkeypatch.setattr(LcaSearch, "solve", lambda self, model, *a: solved.append(len(model)) or usual(self, model, *a))
    true, pred = [["sheep"], ["cow"], ["sheep"], [], ["cow", "sheep"]] * 3, [["cow"], ["sheep"], ["cow"], [], []] * 3
    values = evaluate(H, true, pred, ["F_LCA"]).per_instance("system", "F_LCA").tolist()
    assert values == [measure("F_LCA").score(H, t, p) for t, p in zip(true, pred, strict=True)]
    assert solved[0] == 4


@given(st.lists(st.lists(st.integers(0, 3), max_size=3), max_size=30))
def test_first_equal_rows(rows):
    from hemlp.kernels.text.label_sets import first_equal

    ends = np.cumsum([len(row) for row in rows]).astype(np.int64)
    begins = ends - np.array([len(row) for row in rows], np.int64)
    found = first_equal(begins, ends, np.array([v for row in rows for v in row], np.int32))
    assert found.tolist() == [rows.index(row) for row in rows]


def test_an_undefined_instance_is_found_before_any_work(monkeypatch):
    monkeypatch.setattr("hemlp.run.workers.score_together", lambda *a, **k: pytest.fail("worked"))
    with pytest.raises(UndefinedScore, match="^system: instance 4: TIE"):
        evaluate(H, ["cow"] * 5, ["cow", "cow", "cow", ["cow", "sheep"], "cow"], ["TIE"], chunk=2)


def test_an_infeasible_instance_keeps_its_number_in_every_chunk():
    close = PairMeasure("close", Bounds((1, 1), (1, 1)), max_distance=1)
    with pytest.raises(InfeasibleModel, match="^system: close: instance 4.*undefined='nan'"):
        evaluate(H, ["cow"] * 5, ["cow", "mammal", "cow", "sheep", "cow"], [close], chunk=2)


def test_progress_appears_after_a_second(monkeypatch, capfd):
    monkeypatch.setattr("hemlp.processes.progress.Progress.patience", 0.0)
    evaluate(H, ["cow"] * 3, ["cow"] * 3, ["F_H"], chunk=1, progress=True)
    shown = capfd.readouterr()
    assert "3/3" in shown.err
    assert "/s" in shown.err
    assert not shown.out
    evaluate(H, ["cow"] * 3, ["cow"] * 3, ["F_H"], chunk=1)
    assert capfd.readouterr() == ("", "")


def test_ranks_and_tables(mini):
    ranked = mini.ranks("F")
    order = sorted(mini.systems, key=lambda s: -mini.mean(s, "F"))
    assert [ranked[system] for system in order] == [1, 2, 3, 4, 5]
    table = mini.table()
    text = str(table)
    assert "GIE ↓" in text
    assert f"{mini.mean('knn30', 'F_H'):.4f} (1)" in text
    assert "hierarchy:923c1aff1be54a05" in text
    assert "\n\n| system | GIE ↓ |" in table.to_markdown()
    assert r"svm\_ovr\_freq60" in table.to_latex()
    assert "<td>knn30</td>" in mini._repr_html_()
    assert str(mini) == text


def test_kendall_and_comparisons(mini):
    means = {m: [mini.mean(s, m) for s in mini.systems] for m in ("F_H", "GIE")}
    tau = scipy.stats.kendalltau(means["F_H"], [-x for x in means["GIE"]]).statistic
    row = next(row for row in mini.kendall().rows if row[0] == "F_H")
    assert float(row[1]) == pytest.approx(tau, abs=5e-4)
    assert "[" in mini.kendall(resamples=20).rows[2][1]
    compared = {row[0]: row for row in mini.compare("knn30", "prior_top8").rows}
    assert compared["GIE"][1] == compared["F_H"][1] == "knn30"
    assert compared["GIE"][2] < 0
    assert len(mini.significance("MGIA").rows) == 10
    ahead = [row for row in mini.significance("GIE").rows if {"knn30", "prior_top8"} == set(row[1:3])]
    assert ahead[0][1] == "knn30"


def test_json_and_frames(mini, tmp_path):
    mini.to_json(tmp_path / "e.json")
    again = Evaluation.from_json(tmp_path / "e.json")
    assert again.to_dict() == mini.to_dict()
    assert str(again) == str(mini)
    data = json.loads((tmp_path / "e.json").read_text())
    assert data["systems"]["knn30"]["F_LCA"] == mini.mean("knn30", "F_LCA")
    assert data["status"]["knn30"]["F_LCA"] == {"optimal": 200}
    frame = mini.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert isinstance(mini.to_frame("polars"), pl.DataFrame)
    means = frame.groupby(["system", "measure"])["value"].mean()
    assert means["knn30", "F_H"] == pytest.approx(mini.mean("knn30", "F_H"))
    with pytest.raises(UnwritableFile):
        mini.to_json(tmp_path / "e.json" / "e.json")
    (tmp_path / "bad.json").write_text('{"instances": 5}')
    with pytest.raises(FileFormatError):
        Evaluation.from_json(tmp_path / "bad.json")


def test_undefined_values_are_counted_and_null(tmp_path):
    ev = evaluate(H, [["cow"], ["cow", "sheep"]], {"A": ["sheep", "cow"]}, ["TIE", "F"], undefined="nan")
    assert ev.mean("A", "TIE") == 2
    assert ev.status("A", "TIE") == {"optimal": 1, "infeasible": 1}
    assert "undefined on 1 instance, which is left out" in str(ev)
    ev.to_json(tmp_path / "e.json")
    data = json.loads((tmp_path / "e.json").read_text())
    assert data["instances"]["A"]["TIE"]["columns"]["TIE"] == [2.0, None]
    assert math.isnan(Evaluation.from_json(tmp_path / "e.json").per_instance("A", "TIE")[1])
    with pytest.raises(UndefinedScore):
        evaluate(H, [["cow"], ["cow", "sheep"]], {"A": ["sheep", "cow"]}, ["TIE"])


TREE = Hierarchy.from_edges([(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)])


def test_comparisons_are_on_the_instances_that_both_systems_have():
    """By its own mean A is worse (2 and 1), by what it shares with B by 3; so the interval says, and so the gain."""
    systems = {"A": [[3]] * 3 + [[5]] * 3, "B": [[3, 4]] * 3 + [[1]] * 3}
    ev = evaluate(TREE, [[3]] * 6, systems, ["TIE", "F"], undefined="nan")
    compared = ev.compare("A", "B")
    row = compared.to_frame().iloc[0]
    assert row[["measure", "better", "difference", "difference 95% low", "difference 95% high"]].tolist() == [
        *("TIE", "B", 3, 3, 3)
    ]
    assert row[["p", "p (Holm)", "p Wilcoxon", "p sign"]].tolist() == [0.25] * 4
    assert (row["won"], row["effect"]) == ("3 of 3", math.inf)
    assert ev.compare("B", "A").to_frame()["difference"][0] == -3
    assert ev.compare("A", "B", sided="one").to_frame()["p sign"][0] == 0.125
    assert "TIE: on the 3 of 6 instances on which both systems are defined" in compared.notes
    assert "sign test two-sided" in "".join(compared.notes)
    assert "sign test one-sided" in "".join(ev.compare("A", "B", sided="one").notes)
    (tested,) = ev.significance("TIE").rows
    assert tested[:4] == ["TIE", "B", "A", -3]


def unlike(rng: np.random.Generator, rows: int, systems: int) -> Evaluation:
    """Systems that are defined on different instances."""
    pool = [[c] for c in TREE] * 3 + [[3, 4], []]
    made = {f"s{k}": [pool[rng.integers(len(pool))] for _ in range(rows)] for k in range(systems)}
    true = [[int(rng.integers(7))] for _ in range(rows)]
    return evaluate(TREE, true, made, ["TIE", "SunLim", "F_H"], undefined="nan")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sided", ["two", "one"])
def test_ranks_and_correlations_are_over_the_instances_that_all_systems_have(seed, sided):
    """Computed again from the per-instance scores, with pandas and scipy."""
    ev = unlike(np.random.default_rng(seed), 120, 4)
    alternative = {"two": "two-sided", "one": "greater"}[sided]
    oriented = {}
    for name, better in ev.greater_is_better.items():
        frame = pd.DataFrame({system: ev.per_instance(system, name) for system in ev.systems}).dropna()
        means = frame.mean() * (1 if better else -1)
        oriented[name] = means
        order = list(means.sort_values(ascending=False).index)
        found, expected = ev.ranks(name, test="sign", sided=sided, ranks="chained"), {order[0]: 1}
        for place, (above, below) in enumerate(pairwise(order), 2):
            gain = (frame[above] - frame[below]) * (1 if better else -1)
            won, lost = int((gain > 0).sum()), int((gain < 0).sum())
            z = (won - lost) / math.sqrt(won + lost)
            p = scipy.stats.norm.sf(abs(z)) * 2 if sided == "two" else scipy.stats.norm.sf(z)
            if won + lost <= 12:
                p = scipy.stats.binomtest(won, won + lost, alternative=alternative).pvalue
            expected[below] = place if p < 0.05 and won > lost else expected[above]
        assert found == expected
        assert ev.ranks(name) == {system: int((means > means[system]).sum()) + 1 for system in ev.systems}
        columns = {system: frame[system].to_numpy() for system in ev.systems}
        assert ev.groups(name) == hemlp.stats.verdicts(columns, better).groups
        note = [text for text in ev.notes() if text.startswith(f"{name}: each mean is over")]
        assert len(note) == (len(frame) < 120)
        for text in note:
            assert (
                f"places, letters and correlations are over the {len(frame)} instances on which all systems are" in text
            )
            assert all(f"{system} {frame[system].mean():.4f}" in text for system in ev.systems)
    for i, first in enumerate(ev.measures):
        for j, second in enumerate(ev.measures):
            tau = scipy.stats.kendalltau(oriented[first], oriented[second]).statistic
            assert ev.kendall_matrix()[i, j] == pytest.approx(tau)


def test_systems_without_a_common_instance_have_no_ranks():
    ev = evaluate(TREE, [[3], [3]], {"A": [[3], []], "B": [[], [4]], "C": [[], []]}, ["TIE", "F"], undefined="nan")
    assert ev.ranks("TIE") == {"A": None, "B": None, "C": None}
    assert "TIE: no ranks, for there is no instance on which all systems are defined" in ev.notes()
    assert [row[1] for row in ev.table(intervals=False).rows] == ["0.0000", "2.0000", "undefined"]
    none = ev.compare("A", "B").to_frame().iloc[0]
    assert (none["better"], none["p"], none["remark"]) == ("neither", 1, "")
    assert math.isnan(none["difference"])
    assert ev.groups("TIE") == dict.fromkeys("ABC", ("a",))
    assert len(ev.significance("TIE").rows) == 3
    assert math.isnan(ev.kendall_matrix()[0, 1])
    alone = evaluate(TREE, [[3], [3]], {"A": [[3], [4]], "B": [[4], [4]], "C": [[], []]}, ["TIE"], undefined="nan")
    assert alone.ranks("TIE") == {"A": 1, "B": 2, "C": None}
    assert [row[1] for row in alone.table(intervals=False).rows] == ["1.0000 (1) a", "2.0000 (2) a", "undefined"]
    assert not [note for note in alone.notes() if "each mean" in note]


def test_every_table_says_how_many_sides_its_test_has(mini):
    assert "paired permutation test of the mean" in "\n".join(mini.table().notes)
    for sided in ("two", "one"):
        for table in (
            mini.table(test="sign", sided=sided),
            mini.compare("knn30", "prior_top8", sided=sided),
            mini.significance("F", sided=sided),
        ):
            assert f"{sided}-sided" in "\n".join(table.notes)
    two, one = (mini.significance("F", sided=sided).to_frame() for sided in ("two", "one"))
    for both, papers in zip(two["p sign"], one["p sign"], strict=True):
        assert both == pytest.approx(min(1, 2 * papers)) or papers > 0.5
    assert mini.ranks("F_H") != mini.ranks("F_H", sided="one", ranks="chained")


@pytest.mark.parametrize("resamples", [-1, 1.5, "x", None, True])
def test_numbers_of_resamples_are_checked(mini, resamples):
    with pytest.raises(InvalidOption, match="resamples="):
        mini.kendall(resamples)


def test_measures_and_systems_are_checked_everywhere(mini):
    for wrong in (
        lambda: mini.ranks("nope"),
        lambda: mini.significance("nope"),
        lambda: mini.compare("knn30", "nope"),
        lambda: mini.status("nope", "F"),
    ):
        with pytest.raises(InvalidOption, match="there is no (measure|system) 'nope'"):
            wrong()


# ---- what is proved


class Cut(hemlp.problems.lca.model.LcaModel):
    """A model whose solver reaches a limit on every instance."""


@pytest.fixture
def limited(monkeypatch):
    """No claim about a Cut is proved."""
    usual = scoring.solve

    def solve(model, *arguments, **options):
        solution = usual(model, *arguments, **options)
        unproved = np.full(len(solution.statuses), Status.FEASIBLE, np.int8)
        return replace(solution, statuses=unproved) if isinstance(model, Cut) else solution

    monkeypatch.setattr(scoring, "solve", solve)


class Limited(SetMeasure):
    """F_LCA that is never proved."""

    def model(self, data, true=None, pred=None):
        usual = super().model(data, true, pred)
        return Cut(*(getattr(usual, each.name) for each in fields(usual) if each.init))

    @property
    def _model_key(self):
        return id(self)


@pytest.mark.parametrize("kept", ["memory", "json", "folder"])
def test_what_is_not_proved_is_noted_whatever_its_name(limited, tmp_path, kept):
    """An approximation that was chosen is not a fallback; a name with the word greedy in it chooses nothing."""
    greedy = SetMeasure("mine", "lca", method="greedy")
    measures = [Limited("less_greedy", "lca"), greedy, "F_LCA(method='greedy')", "F_LCA", "F_H"]
    options = {"memory": "2GB"} if kept == "folder" else {}
    ev = evaluate(H, ["cow", "sheep"], {"A": ["sheep", "cow"]}, measures, **options)
    assert (ev.stored is not None) == (kept == "folder")
    if kept == "json":
        ev.to_json(tmp_path / "e.json")
        ev = Evaluation.from_json(tmp_path / "e.json")
    assert [note for note in ev.notes() if "proved" in note] == ["A, less_greedy: not proved optimal on 2 instances"]
    assert ev.fallbacks == 2
    assert {name: scores.exact for name, scores in ev.scores["A"].items()} == {
        "less_greedy": True, "mine": False, "F_LCA(method='greedy')": False, "F_LCA": True, "F_H": True
    }  # fmt: skip
    assert ev.status("A", "mine") == {"feasible": 2}
    assert ev.summary()["exact"]["mine"] is False


def test_mistakes():
    good = {"A": ["cow"], "B": ["sheep"]}
    for options, words in (
        ({"measures": ["F_H", "F_H"]}, "asked for twice"),
        ({"measures": []}, "at least one"),
        ({"workers": 0}, "workers=0"),
        ({"measures": ["F_HH"]}, "did you mean"),
    ):
        with pytest.raises(HemlpError, match=words):
            evaluate(H, ["cow"], good, **options)
    ev = evaluate(H, ["cow"], good, ["F_H"])
    with pytest.raises(InvalidOption, match="no system 'C'"):
        ev.per_instance("C", "F_H")
    with pytest.raises(InvalidOption, match="no measure 'F_h'.*did you mean 'F_H'"):
        ev.mean("A", "F_h")
    with pytest.raises(InvalidOption, match="no column 'x'"):
        ev.per_instance("A", "F_H", column="x")
    with pytest.raises(MisalignedSides, match="predictions of B has 2"):
        evaluate(H, ["cow"], {"A": ["cow"], "B": ["cow", "cow"]})
    assert evaluate(H, ["cow"], ["cow"], "F_H").systems == ["system"]


# ---- the command line


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "hemlp", *arguments], capture_output=True, text=True, check=False)


def test_evaluate_command(tmp_path, mini):
    files = [str(FOLDER / name) for name in ("hierarchy.txt", "gold.txt", "pred_knn30.txt")]
    other = f"svm={FOLDER / 'pred_svm_ovr_freq60.txt'}"
    out = run(
        "evaluate", *files, other, "-m", "F_LCA", "-m", "MGIA(default_cost=4)",
        "--per-instance", str(tmp_path / "rows"), "--json", str(tmp_path / "e.json"), "--workers", "2",
    )  # fmt: skip
    assert out.returncode == 0
    assert not [line for line in out.stderr.splitlines() if not line.startswith("compiling")]
    assert f"{mini.mean('knn30', 'F_LCA'):.4f}" in out.stdout
    assert "\x1b" not in out.stdout
    with (tmp_path / "rows" / "svm.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 200
    assert [float(row["F_LCA"]) for row in rows] == mini.per_instance("svm_ovr_freq60", "F_LCA").tolist()
    assert float(rows[3]["MGIA(default_cost=4).error"]) >= 0
    assert rows[0]["F_LCA.status"] == "optimal"
    assert (tmp_path / "rows" / "pred_knn30.csv").exists()
    assert json.loads((tmp_path / "e.json").read_text())["systems"]["svm"]["F_LCA"] == mini.mean(
        "svm_ovr_freq60", "F_LCA"
    )


def test_bad_input_on_the_command_line(tmp_path):
    h, gold, pred = (str(FOLDER / name) for name in ("hierarchy.txt", "gold.txt", "pred_knn30.txt"))
    short = tmp_path / "short.txt"
    short.write_text("D000818\n")
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("D000818\n" * 199 + "D00081\n")
    for arguments, code, words in (
        ((h, gold, str(short)), 2, "has 200 rows and"),
        ((h, gold, str(wrong)), 2, "wrong.txt, row 200: label 'D00081'"),
        ((h, gold, pred, pred), 2, "two systems are called 'pred_knn30'"),
        ((h, gold, pred, "-m", "F_HH"), 2, "did you mean 'F_H'"),
        ((h, gold, pred, "-m", "TIE"), 2, "TIE is undefined"),
        ((h, gold, str(tmp_path)), 2, "is a directory"),
        ((h, gold, str(tmp_path / "none.txt")), 2, "no such file"),
        ((h, gold, pred, "--json", f"{gold}/x.json"), 1, "cannot write"),
        ((h, gold, pred, "--unknown", "dorp"), 2, "'dorp' is not one of"),
    ):
        out = run("evaluate", *arguments)
        assert (out.returncode, words in out.stderr, "Traceback" in out.stderr) == (code, True, False), out.stderr
        assert out.stdout == ""
    fine = run("evaluate", h, gold, str(wrong), "--unknown", "drop", "-m", "F")
    assert fine.returncode == 0
    assert "1 unknown label (" in fine.stdout
    assert hemlp.__version__ in run("--version").stdout


def test_systems_with_different_ids_are_compared_on_the_same_instances(tmp_path):
    """Missing instances are empty; all systems have the same rows, in the same order, and files name them."""
    gold = {"d1": ["sheep"], "d2": ["cow"], "d5": ["mammal"]}
    systems = {"s1": {"d0": ["cow", "sheep"], "d1": ["sheep"]}, "s2": {"d0": [], "d5": ["mammal"], "d2": ["cow"]}}
    with pytest.raises(MisalignedSides, match="lacks instance"):
        evaluate(H, gold, systems, ["F"])
    ev = evaluate(H, gold, systems, ["F"], missing="empty")
    assert ev.inputs.ids == ("d1", "d2", "d5", "d0")
    assert ev.per_instance("s1", "F").tolist() == [1, 0, 0, 0]
    assert ev.per_instance("s2", "F").tolist() == [0, 1, 1, 1]
    for name, pred in systems.items():
        assert evaluate(H, gold, {name: pred}, ["F"], missing="empty").mean(name, "F") == ev.mean(name, "F")
    hemlp.report.outputs.write_per_instance(ev, tmp_path)
    with (tmp_path / "s2.csv").open() as file:
        assert [(row["id"], row["F"]) for row in csv.DictReader(file)][2:] == [("d5", "1.0"), ("d0", "1.0")]
    assert repr(ev) == "Evaluation(2 systems, 1 measure, 4 instances)"
    assert ev.explain("s2", 2).title == "s2, instance 3 (d5)"
    with pytest.raises(MisalignedSides, match="true labels and s1 both lack the instance 'd9'"):
        evaluate(H, gold, {**systems, "s3": {"d9": ["cow"]}}, ["F"], missing="empty")


def test_weights_never_leave_the_range():
    rng = np.random.default_rng(0)
    h = Hierarchy.from_edges([(int(rng.integers(c)), c) for c in range(1, 9)])
    for _ in range(300):
        weights = dict(zip(h, rng.random(9), strict=True))
        true, pred = (rng.choice(9, 3).tolist() for _ in "tp")
        assert measure("SDL", weights=weights).score(h, true, pred) >= 0
        assert all(measure(name, weights=weights).score(h, true, pred) <= 1 for name in ("P_H", "R_H", "F_H"))
    with pytest.raises(InvalidOption, match="infinite"):
        measure("SDL", weights=dict.fromkeys(h, 1e308)).score(h, [1], [2])


def test_large_default_costs_do_not_overflow():
    h = Hierarchy.from_edges([("a", "b"), ("c", "d"), ("e", "f")])
    for cost in (4e18, 1e19, 1e300):
        assert measure("MGIA", default_cost=cost).score(h, ["b"], ["d", "f"]) == 0


def test_contradictory_bounds_name_the_row_of_the_data():
    two = PairMeasure("two", Bounds((0, ALL), (ALL, 1)), default_cost=5)
    with pytest.raises(InfeasibleModel, match="instance 25"):
        evaluate(H, ["cow"] * 30, ["cow"] * 24 + [["cow", "sheep"]] + ["cow"] * 5, [two], chunk=10)


def test_a_subclass_of_a_cost_is_a_cost_of_its_own():
    class Double(hemlp.ShortestPath):
        def pair_costs(self, batch, pairs):
            return 2 * super().pair_costs(batch, pairs)

    double = measure("GIE", cost=Double())
    assert "custom" in str(double)
    ev = evaluate(H, ["cow"], ["sheep"], ["GIE", double])
    assert [ev.per_instance("system", name).tolist() for name in ev.measures] == [[2.0], [4.0]]


@pytest.mark.parametrize("name", ["F_H", "F_LCA", "GIE"])
def test_a_horizon_beyond_everything(name):
    far, large = measure(name, horizon=10**23), measure(name, horizon=50)
    assert far.score(H, ["cow"], ["sheep"]) == large.score(H, ["cow"], ["sheep"])


def test_a_missing_instance_is_told_with_its_system():
    cut = hemlp.ScoredSets.of({"x": {"sheep": 0.9}}).at(0.5)
    with pytest.raises(MisalignedSides, match="predictions of B lacks instance 'y'"):
        evaluate(H, {"x": ["sheep"], "y": ["cow"]}, {"A": {"x": ["sheep"], "y": ["cow"]}, "B": cut}, ["F_H"])
