"""Scored predictions on the command line and in studies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from hemlp import (
    Batch,
    Evaluation,
    Hierarchy,
    ScoredSets,
    Tuned,
    compare_exact_greedy,
    curve,
    evaluate,
    measure,
    read_hierarchy,
    read_scores,
    tune,
)
from hemlp.cli.main import commands
from hemlp.errors import HemlpError, InvalidLabelSets
from hemlp.instances.file_cuts import parse_cut
from hemlp.instances.score_files import as_gold
from hemlp.run.study import Study

GOLD = {"a": ["sheep"], "b": ["cow"], "c": ["mammal"], "d": ["cow", "sheep"]}
SCORES = {
    "a": {"sheep": 0.9, "cow": 0.4}, "b": {"cow": 0.7, "sheep": 0.6}, "c": {"sheep": 0.3, "mammal": 0.8},
    "d": {"cow": 0.5, "sheep": 0.45},
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.txt").write_text("animal mammal\nmammal sheep\nmammal cow\n")
    (tmp_path / "gold.tsv").write_text("".join(f"{i}\t{c}\n" for i, labels in GOLD.items() for c in labels))
    lines = "".join(f"{i}\t{c}\t{v}\n" for i, row in SCORES.items() for c, v in row.items())
    (tmp_path / "scores.tsv").write_text(lines)
    return tmp_path


def invoked(*arguments):
    result = CliRunner().invoke(commands, [*map(str, arguments)])
    if isinstance(result.exception, HemlpError):
        return result.exception.exit_code, str(result.exception)
    return result.exit_code, result.output


def test_systems_say_where_scores_are_cut(folder):
    tune(read_hierarchy("h.txt"), GOLD, SCORES, "F_H").to_json("t.json")
    cuts = ["x=scores.tsv@0.5", "scores.tsv@top1", "y=scores.tsv@t.json"]
    code, out = invoked("evaluate", "h.txt", "gold.tsv", *cuts, "-m", "F_H", "--json", "all.json")
    assert code == 0, out
    s, t = ScoredSets.of(SCORES), Tuned.from_json("t.json")
    wanted = evaluate(read_hierarchy("h.txt"), GOLD, {"x": s.at(0.5), "scores@top1": s.top(1), "y": s.at(t)}, ["F_H"])
    found = Evaluation.from_json("all.json")
    assert found.systems == ["x", "scores@top1", "y"]
    for system in found.systems:
        assert found.per_instance(system, "F_H").tolist() == wanted.per_instance(system, "F_H").tolist()


def test_thresholds_that_are_tuned_on_other_data_or_by_folds(folder):
    (folder / "dev.tsv").write_text("p\tsheep\t0.2\nq\tcow\t0.9\n")
    (folder / "dev_gold.tsv").write_text("p\tsheep\nq\tcow\n")
    given = ["k=scores.tsv@tuned", "--dev-true", "dev_gold.tsv", "--dev", "k=dev.tsv", "-m", "F_H"]
    code, out = invoked("evaluate", "h.txt", "gold.tsv", *given, "--json", "all.json")
    assert code == 0, out
    assert "k: top 1, tuned by F_H on 2 instances of dev.tsv (1.0000 there)" in out
    h = read_hierarchy("h.txt")
    wanted = evaluate(h, GOLD, {"k": ScoredSets.of(SCORES).top(1)}, ["F_H"])
    assert Evaluation.from_json("all.json").mean("k", "F_H") == wanted.mean("k", "F_H")
    (folder / "study.toml").write_text(
        'hierarchy = "h.txt"\ntrue = "gold.tsv"\nmeasures = ["SDL"]\n[systems]\nk = "scores.tsv@tuned"\n'
        '[tuning]\nmeasure = "F_H"\nfolds = 2\nseed = 5\n[outputs]\njson = "study.json"\n'
    )
    code, out = invoked("run", "study.toml")
    assert code == 0, out
    assert "cross-validated in 2 folds" in out.replace("\n  ", " ")
    t = tune(h, GOLD, SCORES, "F_H", folds=2, seed=5)
    wanted = evaluate(h, GOLD, {"k": ScoredSets.of(SCORES).at(t)}, ["SDL"])
    assert Evaluation.from_json("study.json").mean("k", "SDL") == wanted.mean("k", "SDL")
    assert Study.read("study.toml").run().mean("k", "SDL") == wanted.mean("k", "SDL")


def test_scores_of_other_instances_are_told(folder):
    with (folder / "scores.tsv").open("a") as file:
        file.write("stranger\tcow\t0.5\n")
    (folder / "gold.tsv").write_text((folder / "gold.tsv").read_text() + "e\tcow\n")
    with pytest.warns(UserWarning, match="instance") as told:
        code, out = invoked("evaluate", "h.txt", "gold.tsv", "scores.tsv@0.5", "-m", "F_H")
    assert code == 0, out
    assert "no scores for 1 instance of the true labels" in str(told[0].message)
    assert "1 scored instance without true labels, left out" in str(told[0].message)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["k=scores.tsv@tuned"], "or folds of the evaluated data (--folds 5; folds = 5); choose one"),
        (["k=scores.tsv@tuned", "--folds", "2", "--dev-true", "gold.tsv"], "choose one of the two"),
        (["k=scores.tsv@tuned", "--dev-true", "gold.tsv"], "there are no development scores of it"),
        (["k=scores.tsv@0.5", "--dev-true", "gold.tsv", "--dev", "x=scores.tsv"], "there is no system 'x'"),
        (["k=scores.tsv@0.5", "--folds", "2"], "no system is to be tuned: give scores as FILE@tuned"),
        (["k=scores.tsv@0.5", "--dev-true", "gold.tsv"], "no system is to be tuned"),
        (["k=scores.tsv@0.5", "--id", "x", "--label", "x"], "two of the columns of ids, labels and scores are 'x'"),
        (["k=scores.tsv@top" + "9" * 40], "scores are cut by @0.3"),
        (["k=scores.tsv@nan"], "a threshold is a finite number"),
        (["k=scores.tsv@top0"], "scores.tsv@top0: the number of classes"),
        (["k=scores.tsv@some"], "scores are cut by @0.3"),
        (["k=scores.tsv@0_5"], "scores are cut by @0.3"),
        (["k=scores.tsv@top1\u0663"], "scores are cut by @0.3"),
        (["k=scores.tsv@gold.json"], "cannot read gold.json"),
        (["k=scores.tsv"], "holds scores, in lines of id, class and score"),
    ],
)
def test_what_is_wrong_with_cuts(folder, arguments, words):
    code, out = invoked("evaluate", "h.txt", "gold.tsv", *arguments, "-m", "F_H")
    assert code == 2
    assert words in out


def test_every_command_of_one_system_takes_a_cut(folder):
    h, s = read_hierarchy("h.txt"), ScoredSets.of(SCORES)
    tune(h, GOLD, SCORES, "F_H").to_json("t.json")
    for cut, sets in (("0.5", s.at(0.5)), ("top1", s.top(1)), ("t.json", s.at(Tuned.from_json("t.json")))):
        code, out = invoked("compare-exact", "h.txt", "gold.tsv", f"scores.tsv@{cut}", "--json", "c.json")
        assert code == 0, out
        found, wanted = json.loads(Path("c.json").read_text()), compare_exact_greedy(h, GOLD, sets).to_dict()
        assert (found["mean"], found["status"]) == (wanted["mean"], wanted["status"])
        for each in ("GIE", "GIE@1"):
            code, out = invoked("model", "h.txt", "gold.tsv", f"scores.tsv@{cut}", "-m", each, "--row", "2")
            model = measure(each).model(Batch.of(h, GOLD, s if each == "GIE@1" else sets)[1])
            assert (code, out) == (0, model.to_lp())
    for command in ("compare-exact", "model"):
        code, out = invoked(command, "h.txt", "gold.tsv", "scores.tsv@tuned")
        assert code == 2
        assert "give scores.tsv@thresholds.json" in out


def test_a_file_whose_name_has_a_sign(folder):
    (folder / "odd@0.5").write_text("x")
    assert parse_cut("odd@0.5") is None
    assert parse_cut("more@0.5").file == "more"
    assert parse_cut("a@b/scores.tsv") is None


def test_curves_on_the_command_line(folder):
    code, out = invoked("curve", "h.txt", "gold.tsv", "scores.tsv", "-m", "F_H", "-m", "GIE", "--csv", "c.csv")
    assert code == 0, out
    assert "optimistic" in out
    assert "every distinct score" in out
    lines = (folder / "c.csv").read_text().splitlines()
    assert lines[0] == "threshold,F_H,GIE"
    assert len(lines) == 1 + len({v for row in SCORES.values() for v in row.values()})
    code, out = invoked("curve", "h.txt", "gold.tsv", "scores.tsv", "--grid", "0.1,1,0.2")
    assert code == 0, out
    assert "5 thresholds: a grid" in out
    for bad in ("0.1,1", "1,0,0.1", "0,1,0", "a,b,c", "0,nan,1"):
        code, out = invoked("curve", "h.txt", "gold.tsv", "scores.tsv", "--grid", bad)
        assert code == 2
        assert "FROM,TO,STEP" in out
    code, out = invoked("curve", "h.txt", "gold.tsv", "scores.tsv", "--grid", "0,1,1e-12")
    assert (code, "more than 10,000,000 thresholds" in out) == (2, True)
    code, out = invoked("curve", "h.txt", "gold.tsv", "scores.tsv", "--points", "2")
    assert "3 of 8 distinct scores" in out  # the best one is among them, too
    assert "F_H: the best of all distinct scores" in out
    for command in ("curve", "tune"):
        code, out = invoked(command, "h.txt", "gold.tsv", "scores.tsv", "--points", "2", "--grid", "0,1,0.1")
        assert (code, "--grid gives the thresholds, --points" in out) == (2, True)


def test_ranked_measures_on_the_command_line(folder):
    code, out = invoked("curve", "h.txt", "gold.tsv", "scores.tsv", "-m", "F_H@1", "-m", "distance@1")
    assert code == 0, out
    assert out.splitlines()[1].split()[:3] == ["F_H@1", "↑", "0.9643"]
    assert "threshold" not in out
    code, out = invoked("curve", "h.txt", "gold.tsv", "scores.tsv", "-m", "F_H@1", "-m", "SDL")
    assert "F_H@1" in out
    assert "best by" in out


def test_scores_that_are_not_cut_are_told_apart_from_labels(folder):
    (folder / "long.csv").write_text("id,label\na,sheep\nb,cow\nc,mammal\nd,cow\n")
    code, out = invoked("evaluate", "h.txt", "long.csv", "k=scores.tsv", "-m", "F_H")
    assert code == 2
    assert "give predictions with a cut-off, scores.tsv@0.5 or scores.tsv@top5" in out
    code, out = invoked("evaluate", "h.txt", "scores.tsv", "gold.tsv", "--evidence", "experimental")
    assert (code, "True labels have no scores: are the sides swapped?" in out) == (2, True)


def test_a_threshold_above_all_scores_is_noted(folder):
    with pytest.warns(UserWarning, match=r"no score reaches 5 \(the greatest is 0.9\).*best: scores.tsv@top5"):
        code, out = invoked("evaluate", "h.txt", "gold.tsv", "scores.tsv@5", "-m", "F_H")
    assert code == 0, out


def test_the_true_labels_as_a_system_and_scores_as_true_labels(folder):
    with pytest.warns(UserWarning, match="the true labels and gold are the same file, gold.tsv"):
        invoked("evaluate", "h.txt", "gold.tsv", "gold.tsv", "-m", "F_H")
    with pytest.warns(UserWarning, match="a and b are the same file, gold.tsv"):
        invoked("evaluate", "h.txt", "gold.tsv", "a=gold.tsv", "b=gold.tsv", "-m", "F_H")
    code, out = invoked("evaluate", "h.txt", "scores.tsv@0.5", "gold.tsv")
    assert (code, "are true labels and predictions swapped?" in out) == (2, True)


def test_check_agrees_with_evaluate_about_scores(folder):
    (folder / "more.tsv").write_text((folder / "gold.tsv").read_text() + "e\tcow\n")
    code, out = invoked("check", "h.txt", "more.tsv", "scores.tsv")
    assert code == 0
    assert "1 instance of more.tsv missing in scores.tsv: e; nothing is predicted for it" in out
    assert "Ready, with a cut-off: scores.tsv holds scores; give scores.tsv@0.5 or scores.tsv@top5.\n" in out
    assert out.endswith("`hemlp cafa`, `curve` and `tune` take scores as they are.\n")
    code, out = invoked("check", "h.txt", "more.tsv", "scores.tsv@0.5")
    assert (code, "Ready: no problem was found." in out) == (0, True)
    with pytest.warns(UserWarning, match="so nothing is predicted$"):
        code, out = invoked("evaluate", "h.txt", "more.tsv", "scores.tsv@0.5", "-m", "F_H")
    assert code == 0, out
    (folder / "other.tsv").write_text("a\tcow\nx\tcow\n")
    code, out = invoked("check", "h.txt", "other.tsv", "scores.tsv@0.5")
    assert (code, "3 instances of scores.tsv@0.5 missing in other.tsv" in out) == (2, True)


def test_tuning_on_the_command_line(folder):
    code, out = invoked("tune", "h.txt", "gold.tsv", "scores.tsv", "-m", "SDL", "--json", "t.json")
    assert code == 0, out
    t = tune(read_hierarchy("h.txt"), GOLD, read_scores("scores.tsv"), "SDL")
    assert out == f"{t.candidates}\n\n"
    assert t.recommendation in out.replace("\n", " ")
    assert json.loads((folder / "t.json").read_text()) == t.to_dict()
    code, out = invoked("tune", "h.txt", "gold.tsv", "scores.tsv", "--by", "top")
    assert out == f"{tune(read_hierarchy('h.txt'), GOLD, SCORES, 'F_H', by='top').recommendation}\n"
    code, out = invoked("tune", "h.txt", "gold.tsv", "scores.tsv", "--by", "class")
    assert code == 2
    assert "--few shared to let them keep the one threshold of all" in out


def test_a_curve_is_drawn(folder):
    pytest.importorskip("matplotlib")
    code, out = invoked("curve", "h.txt", "gold.tsv", "scores.tsv", "--svg", "c.svg")
    assert code == 0, out
    assert "optimistic" in (folder / "c.svg").read_text()


def test_the_page_has_curves_of_scored_systems(folder):
    cuts = ["x=scores.tsv@0.5", "scores.tsv@top1"]
    (folder / "plain.txt").write_text("sheep\ncow\ncow\ncow\n")
    (folder / "gold.txt").write_text("".join(" ".join(labels) + "\n" for labels in GOLD.values()))
    code, out = invoked("evaluate", "h.txt", "gold.tsv", *cuts, "-m", "F_H", "-m", "GIE", "--html", "r.html")
    assert code == 0, out
    page = (folder / "r.html").read_text()
    charts = json.loads(page.split("id='charts'>")[1].split("</script>")[0])
    h = read_hierarchy("h.txt")
    for k, name in enumerate(["F_H", "GIE"]):
        found = curve(h, GOLD, SCORES, [name])
        (series,) = charts[f"curve{k}"]["series"]
        assert series == {"name": "x, scores", "x": found.thresholds.tolist(), "y": found[name].tolist()}
        assert charts[f"curve{k}"]["dots"] == [list(found.best(name))]
        assert f"best {name} {found.best(name).value:.4f}, {found.interval(name)}, at the threshold" in page
    assert page.count("which is optimistic: chosen on the data that it is measured on") == 2
    code, out = invoked("evaluate", "h.txt", "gold.txt", "plain.txt", "-m", "F_H", "--html", "r.html")
    assert code == 0, out
    assert "id='curves'" not in (folder / "r.html").read_text()


def test_the_page_says_how_scores_were_cut(folder):
    """In a note a system, marked where it flatters; scores that were not cut have no label sets to look into."""
    h, s = read_hierarchy("h.txt"), read_scores("scores.tsv")
    t = tune(h, as_gold("gold.tsv"), s, "F_H")
    systems = {"fixed": s.at(0.5), "own": s.at(t), "first": s.top(1)}
    ev = evaluate(h, as_gold("gold.tsv"), systems, ["F_H", "F_H@2"])
    assert list(ev.cuts) == ["fixed", "own", "first"]
    assert "optimistic" in ev.cuts["own"]
    ev.to_html("r.html")
    page = (folder / "r.html").read_text()
    for system, words in ev.cuts.items():
        assert f"<li{' class=warning' if system == 'own' else ''}>{system}: {words}</li>" in page
    assert "<section id='instances'" in page
    evaluate(h, as_gold("gold.tsv"), {"whole": s}, ["F_H@2"]).to_html("r.html")
    page = (folder / "r.html").read_text()
    assert "<li>whole: scores that are not cut" in page
    assert "these are scores without a cut-off" in page
    assert "<section id='instances'" not in page


@pytest.mark.parametrize("name", ["F_H", "F_H@1"])
def test_true_labels_are_no_scores(name):
    s = ScoredSets.of([{"sheep": 0.5}])
    h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    with pytest.raises(InvalidLabelSets, match="true labels, row 1: .* maps labels to scores"):
        evaluate(h, s, s.at(0.3), [name])
