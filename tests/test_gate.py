"""A run against a stored one: what is worse, what cannot be compared, and how the command line says so."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hemlp import Evaluation, Hierarchy, SetMeasure, SetScore, evaluate
from hemlp.cli import main
from hemlp.errors import IncomparableBaseline, InvalidOption
from hemlp.instances.label_files import LabelFile
from hemlp.results.results import gold_of
from hemlp.run.gate import Gate
from hemlp.testing import assert_no_drop

H = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("a", "y"), ("b", "z")])
LEAVES = ["x", "y", "z"]
TRUE = ["x", "y", "z", "x", "y", "z", "x", "y"]
GOOD = ["x", "y", "z", "x", "y", "z", "x", "x"]
BAD = ["y", "y", "a", "x", "y", "z", "z", "x"]


def run(pred, measures=("F_H", "GIE"), **options):
    return evaluate(H, TRUE, {"s": pred}, list(measures), **options)


# ---- what is worse


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(LEAVES), min_size=8, max_size=8),
    st.lists(st.sampled_from(LEAVES), min_size=8, max_size=8),
    st.sampled_from([0, 0.1, 0.25, 1]),
)
def test_worse_is_what_the_means_say(old, new, allowed):
    before, now = run(old), run(new)
    drops = Gate(before, {"F_H": allowed, "GIE": allowed}).compare(now)
    gaps = {
        "F_H": before.mean("s", "F_H") - now.mean("s", "F_H"),
        "GIE": now.mean("s", "GIE") - before.mean("s", "GIE"),
    }
    for change in drops.changes:
        assert math.isclose(change.drop, gaps[change.measure], abs_tol=1e-12)
        low, high = change.interval
        assert low - 1e-12 <= change.difference <= high + 1e-12
    assert {each.measure for each in drops.failed} == {name for name, gap in gaps.items() if gap > allowed + 1e-12}
    strict = Gate(before, {"F_H": allowed, "GIE": allowed}, significant=True).compare(now).failed
    for each in drops.failed:
        low, high = each.interval
        assert (each in strict) == (high < 0 if each.measure == "F_H" else low > 0)


def test_a_drop_of_just_what_is_allowed_is_no_drop():
    """0.75 − 0.74 is above 0.01 in floats."""
    exact = SetScore(lambda f: np.where(f.equal, 0.75, 0.74))
    own = SetMeasure("own", "none", score=exact)
    before, now = (evaluate(H, ["x"], {"s": [pred]}, [own]) for pred in ("x", "y"))
    assert before.mean("s", "own") - now.mean("s", "own") > 0.01
    assert not Gate(before, {"own": 0.01}).compare(now).failed
    assert Gate(before, {"own": 0.0099}).compare(now).failed


def test_nothing_is_allowed_where_nothing_is_said():
    assert_no_drop(run(GOOD), run(GOOD))
    assert_no_drop(run(TRUE), run(GOOD))
    with pytest.raises(AssertionError, match="worse than the baseline") as error:
        assert_no_drop(run(GOOD), run(TRUE))
    told = str(error.value)
    assert re.search(r"s +F_H +1\.0000 +0\.9583 +-0\.0417 .* +0 +worse", told)
    assert re.search(r"s +GIE +0\.0000 +0\.2500 +\+0\.2500 .* +0 +worse", told)
    assert re.search(r"where it got worst\nrow +before +now\n8 +1\.0000 +0\.6667", told)


def test_what_matters_is_chosen():
    assert_no_drop(run(BAD), run(GOOD), {"F_H": 0.5})
    with pytest.raises(AssertionError):
        assert_no_drop(run(BAD), run(GOOD), {"F_H": 0.5, "GIE": 0.5})


def test_significance_is_asked_for():
    """One instance of eight says little: resamples without it have no difference."""
    with pytest.raises(AssertionError):
        assert_no_drop(run(GOOD), run(TRUE))
    assert_no_drop(run(GOOD), run(TRUE), significant=True)
    passed = Gate(run(TRUE), significant=True).compare(run(GOOD))
    assert passed.sentence == "Passed: no drop from the baseline beyond what is allowed is significant."
    assert [row[-1] for row in passed.table().rows] == ["ok (not significant)"] * 2
    better = Gate(run(GOOD), significant=True).compare(run(TRUE))
    assert better.sentence.startswith("Passed: no measure is worse than the baseline by more than allowed.")
    assert [row[-1] for row in better.table().rows] == ["ok"] * 2
    with pytest.raises(AssertionError, match="does not reach 0"):
        assert_no_drop(run(["b"] * 8), run(TRUE), significant=True)


def test_undefined_where_it_was_defined_is_worse():
    before = run(GOOD, ["TIE"])
    now = run([["x"], ["y"], ["z"], ["x"], ["y"], ["z"], ["x"], ["x", "z"]], ["TIE"], undefined="nan")
    assert now.mean("s", "TIE") < before.mean("s", "TIE")
    drops = Gate(before).compare(now)
    assert [each.lost for each in drops.failed] == [1]
    assert "undefined on 1 instance on which it was defined" in str(drops)
    assert drops.worst_rows(drops.failed[0]) == [7]
    assert not Gate(now).compare(before).failed  # the other way round it is compared on seven


def test_worst_instances_come_first():
    drops = Gate(run(TRUE)).compare(run(BAD))
    by = {each.measure: each for each in drops.failed}
    assert drops.worst_rows(by["GIE"]) == [6, 2, 0, 7]
    assert drops.worst_rows(by["GIE"], 2) == [6, 2]
    ids = [f"d{k}" for k in range(8)]
    named = evaluate(H, dict(zip(ids, TRUE, strict=True)), {"s": dict(zip(ids, BAD, strict=True))}, ["GIE"])
    assert Gate(run(TRUE, ["GIE"])).compare(named).worst(by["GIE"]).rows[0][:2] == ["7", "d6"]


# ---- what cannot be compared


def test_baselines_that_are_of_something_else(tmp_path):
    base = run(GOOD)
    for ev, words in [
        (evaluate(H, TRUE, {"t": GOOD}, ["F_H"]), "has no system 't'; it has s"),
        (run(GOOD, ["SDL"]), "has no measure 'SDL'; it has F_H, GIE"),
        (evaluate(H, TRUE[:7], {"s": GOOD[:7]}, ["F_H"]), "has 8 instances, and this run 7"),
        (evaluate(H, ["r", *TRUE[1:]], {"s": GOOD}, ["F_H"]), "other true labels: by F_H, row 1 weighed 3"),
        (evaluate(Hierarchy.from_edges([*H_EDGES, ("r", "new")]), TRUE, {"s": GOOD}, ["GIE"]), "by GIE: hierarchy was"),
        (run(GOOD, ["F_H"], unknown="drop"), "by F_H: unknown was error and is drop"),
    ]:  # fmt: skip
        with pytest.raises(IncomparableBaseline, match=re.escape(words)):
            assert_no_drop(ev, base)
    base.to_json(tmp_path / "b.json")
    with pytest.raises(IncomparableBaseline, match="the baseline .*b.json has no measure"):
        assert_no_drop(run(GOOD, ["SDL"]), tmp_path / "b.json")
    nowhere = run([[]] * 8, ["TIE"], undefined="nan")
    with pytest.raises(IncomparableBaseline, match="no instance on which TIE of s is defined"):
        assert_no_drop(nowhere, run(GOOD, ["TIE"]))


def test_a_change_between_infinite_scores_that_has_no_mean_is_told_as_such():
    apart = Hierarchy.from_edges([("a", "x"), ("b", "z")])
    first, second = (evaluate(apart, ["x", "z"], {"s": [end, end]}, ["distance"]) for end in ("x", "z"))
    with pytest.raises(IncomparableBaseline, match="distance of s was infinite on instances on which it is finite now"):
        assert_no_drop(first, second)
    assert_no_drop(first, first)
    with pytest.raises(AssertionError, match="worse"):
        assert_no_drop(first, evaluate(apart, ["x", "z"], {"s": ["x", "z"]}, ["distance"]))


H_EDGES = [("r", "a"), ("r", "b"), ("a", "x"), ("a", "y"), ("b", "z")]


def test_other_true_labels_are_refused(tmp_path):
    """Also where closures weigh the same, and no score tells; the order within a row says nothing."""
    swapped = ["y", "x", *TRUE[2:]]
    for measures in (["F_H"], ["GIE"], ["F_LCA"]):
        before = evaluate(H, swapped, {"s": GOOD}, measures)
        before.to_json(tmp_path / "old.json")
        for baseline in (before, tmp_path / "old.json"):
            with pytest.raises(IncomparableBaseline, match="has other true labels, or in other rows: score"):
                Gate(baseline).compare(run(GOOD, measures))
    pairs = [["x", "y"], ["z"]]
    one, other = (evaluate(H, [row[::step] for row in pairs], {"s": pairs}, ["F_H"]) for step in (1, -1))
    assert not Gate(one).compare(other).failed
    cuts = [[["x", "y"], ["z"]], [["x"], ["y", "z"]], [["y"], ["x", "z"]], [["x", "z"], ["y"]], [["z"], ["x", "y"]]]
    assert len({gold_of(evaluate(H, cut, {"s": pairs}, ["F_H"])) for cut in cuts}) == len(cuts)


def test_other_instances_are_refused():
    def named(ids):
        return evaluate(H, dict(zip(ids, ["x"] * 3, strict=True)), {"s": dict.fromkeys(ids, "x")}, ["F_H"])

    assert not Gate(named("abc")).compare(named("abc")).failed
    for ids in ("abd", "bac"):
        with pytest.raises(IncomparableBaseline, match="has other instances, or in another order"):
            Gate(named("abc")).compare(named(ids))
    assert not Gate(named("abc")).compare(evaluate(H, ["x"] * 3, {"s": ["x"] * 3}, ["F_H"])).failed


def test_digests_do_not_depend_on_how_labels_are_read(tmp_path, monkeypatch):
    (tmp_path / "gold.txt").write_text("".join(f"{label}\n" for label in TRUE))
    found = {gold_of(run(GOOD)), gold_of(evaluate(H, TRUE, {"s": GOOD}, ["F_H"], workers=2, chunk=3))}
    for block in (3, 20_000):
        monkeypatch.setattr("hemlp.results.inputs.BLOCK", block)
        file = LabelFile(tmp_path / "gold.txt")
        found.add(gold_of(evaluate(H, file, {"s": file}, ["F_H"], resume=tmp_path / "run", chunk=2)))
        found.add(gold_of(evaluate(H, file, {"s": file}, ["F_H"])))
    more = Hierarchy.from_edges([("r", "c"), *((p, c) for p, c in zip("rraab", "abxyz", strict=True))])
    found.add(gold_of(evaluate(more, TRUE, {"s": GOOD}, ["F_H"])))
    assert len(found) == 1


def test_a_baseline_without_digests_says_so(tmp_path):
    before = run(GOOD)
    data = before.to_dict()
    assert data.pop("gold") == {"labels": gold_of(before).labels, "ids": None}
    (tmp_path / "old.json").write_text(json.dumps(data))
    told = str(Gate(tmp_path / "old.json").compare(run(GOOD)))
    assert "the baseline has no digest of its true labels" in told
    assert "digest" not in str(Gate(before).compare(run(GOOD)))


def test_measures_under_one_name_that_mean_something_else():
    def lenient(cost):
        from hemlp import Bounds, PairMeasure

        return PairMeasure("lenient", Bounds((1, 1), (0, 1)), default_cost=cost)

    with pytest.raises(IncomparableBaseline, match="by lenient: default_cost was 3 and is 4"):
        assert_no_drop(run(GOOD, [lenient(4)]), run(GOOD, [lenient(3)]))


def test_older_versions_count_as_long_as_they_mean_the_same(tmp_path):
    file = tmp_path / "b.json"
    run(GOOD).to_json(file)
    data = json.loads(file.read_text())
    data["hemlp"] = "0.1.0"
    text = data["signature"]["F_H"]
    data["signature"]["F_H"] = re.sub(r"\|hemlp:[^|]+", "|hemlp:0.1.0", text).replace(",weights:None", "")
    file.write_text(json.dumps(data))
    assert_no_drop(run(GOOD), file, {"F_H": 0})
    data["signature"]["F_H"] = text.replace("top:False", "top:True")
    file.write_text(json.dumps(data))
    with pytest.raises(IncomparableBaseline, match="top was True and is False"):
        assert_no_drop(run(GOOD), file, {"F_H": 0})


@pytest.mark.parametrize(
    ("max_drop", "words"),
    [
        ({"F_L": 0.1}, "F_L is not evaluated, but F_H, GIE; did you mean 'F_H'?"),
        ({"F_H": -0.1}, "F_H = -0.1 is not a number of at least 0"),
        ({"F_H": math.nan}, "F_H = nan is not a number"),
        ({"F_H": "0.1"}, "F_H = '0.1' is not a number"),
        ({"F_H": True}, "F_H = True is not a number"),
    ],
)
def test_drops_that_mean_nothing(max_drop, words):
    with pytest.raises(InvalidOption, match=re.escape(words)):
        assert_no_drop(run(GOOD), run(GOOD), max_drop)


def test_stored_runs_are_compared_without_labels(tmp_path):
    run(GOOD).to_json(tmp_path / "a.json")
    run(TRUE).to_json(tmp_path / "b.json")
    with pytest.raises(AssertionError, match="where it got worst"):
        assert_no_drop(Evaluation.from_json(tmp_path / "a.json"), tmp_path / "b.json")


# ---- the command line and studies


@dataclass
class Ended:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def hemlp(tmp_path, monkeypatch, capsys):
    """The command line, in this process, in a folder with files."""
    (tmp_path / "h.txt").write_text("".join(f"{a} {b}\n" for a, b in H_EDGES))
    for name, side in (("gold", TRUE), ("good", GOOD), ("bad", BAD)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{label}\n" for label in side))
    monkeypatch.chdir(tmp_path)

    def ended(*arguments):
        monkeypatch.setattr("sys.argv", ["hemlp", *arguments])
        code = main._run_command()
        return Ended(code, *capsys.readouterr())

    base = ended("evaluate", "h.txt", "gold.txt", "s=good.txt", "-m", "F_H", "-m", "GIE", "--json", "b.json")
    assert base.returncode == 0, base.stderr
    return ended


def gated(hemlp, pred, *options, measures=("F_H", "GIE")):
    asked = [word for name in measures for word in ("-m", name)]
    return hemlp("evaluate", "h.txt", "gold.txt", f"s={pred}.txt", *asked, "--baseline", "b.json", *options)


def test_the_command_ends_with_code_4(hemlp):
    fine = gated(hemlp, "good", "--max-drop", "F_H=0.01")
    assert fine.returncode == 0, fine.stderr
    assert re.search(r"s +F_H +0\.9583 +0\.9583 +\+0\.0000 .* 0\.01 +ok", fine.stdout)
    worse = gated(hemlp, "bad", "--max-drop", "F_H=0.01", "--max-drop", "GIE=9")
    assert worse.returncode == 4
    assert (worse.stderr, len(worse.stdout.splitlines()) <= 10) == ("", True)
    verdict = re.match(
        r"Failed: F_H of s is worse than the baseline b\.json by (0\.\d+), but only 0\.01 is allowed\.\n", worse.stdout
    )
    assert float(verdict[1]) == round(
        float(np.mean(run(GOOD).per_instance("s", "F_H") - run(BAD).per_instance("s", "F_H"))), 4
    )
    assert "s, F_H: worst rows 7, " in worse.stdout
    assert fine.stdout.startswith(
        "Passed: F_H is not worse than the baseline b.json by more than allowed. --max-drop does not limit GIE.\n"
    )
    assert gated(hemlp, "good").stdout.startswith("Passed: no measure is worse than the baseline b.json by more than ")
    assert gated(hemlp, "bad", "--max-drop", "F_H=0.01", "--significant").returncode == 4
    assert gated(hemlp, "bad", "--max-drop", "F_H=0.5").returncode == 0


def test_a_gate_beside_json_on_the_output(hemlp):
    worse = gated(hemlp, "bad", "--json", "-")
    assert worse.returncode == 4
    assert json.loads(worse.stdout)["systems"]["s"]
    assert worse.stderr.startswith("Failed: GIE of s is worse than the baseline b.json by ")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--max-drop", "F_H"], "--max-drop F_H is not MEASURE=NUMBER"),
        (["--max-drop", "F_H=much"], "--max-drop F_H=much is not MEASURE=NUMBER"),
        (["--max-drop", "=1"], "--max-drop =1 is not MEASURE=NUMBER"),
        (["--max-drop", "F_H=1_0"], "--max-drop F_H=1_0 is not MEASURE=NUMBER"),
        (["--max-drop", "F_H=0.1", "--max-drop", "F_H=0.2"], "--max-drop F_H=0.2: F_H has a limit already, 0.1"),
        (["--max-drop", "SDL=1"], "SDL is not evaluated, but F_H, GIE"),
        (["--max-drop", "F_H=nan"], "F_H = nan is not a number"),
        (["-m", "SDL"], "has no measure 'SDL'"),
        (["--unknown", "drop"], "unknown was error and is drop"),
        (["--json", "b.json"], "b.json is read by this run and would be overwritten"),
        (["--baseline", "h.txt"], "h.txt"),
        (["--baseline", "nothing.json"], "cannot read nothing.json"),
    ],
)
def test_what_the_command_cannot_compare_is_code_2(hemlp, options, words):
    before = Path("b.json").read_bytes()
    ended = gated(hemlp, "good", *options)
    assert (ended.returncode, words in ended.stderr) == (2, True), ended.stderr
    assert Path("b.json").read_bytes() == before


def test_a_gate_needs_a_baseline(hemlp):
    ended = hemlp("evaluate", "h.txt", "gold.txt", "s=good.txt", "--max-drop", "F_H=1")
    assert (ended.returncode, "add --baseline FILE" in ended.stderr) == (2, True)


def test_measures_with_parameters(hemlp):
    name = "MGIA(default_cost=4)"
    base = hemlp("evaluate", "h.txt", "gold.txt", "s=good.txt", "-m", name, "--json", "m.json")
    assert base.returncode == 0
    ended = gated(hemlp, "bad", "--baseline", "m.json", "--max-drop", f"{name}=0.01", measures=[name])
    assert (ended.returncode, f"Failed: {name} of s" in ended.stdout) == (4, True), ended.stdout


def test_a_study_with_a_gate(hemlp):
    study = 'hierarchy = "h.txt"\ntrue = "gold.txt"\nmeasures = ["F_H"]\n[systems]\ns = "bad.txt"\n'
    study += '[gate]\nbaseline = "b.json"\n'
    Path("s.toml").write_text(study)
    assert hemlp("run", "s.toml").returncode == 4
    Path("s.toml").write_text(study + "max_drop = { F_H = 0.5 }\n")
    assert hemlp("run", "s.toml").returncode == 0
    for wrong, words in [
        ("max_drop = 3", "[gate] has"),
        ("maxdrop = 3", "no 'maxdrop'"),
        ("significant = 1", "[gate] has"),
    ]:
        Path("s.toml").write_text(study + wrong + "\n")
        ended = hemlp("run", "s.toml")
        assert (ended.returncode, words in ended.stderr) == (2, True), ended.stderr
