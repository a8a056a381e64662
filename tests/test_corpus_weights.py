"""Weights of classes from a corpus: hemlp ic, --corpus, all pairs of instances, CAFA's Naive baseline and files."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

import hemlp
from hemlp import Batch, Hierarchy, LabelSets, Lin, evaluate, measure, read_weights, similarities
from hemlp.cli.main import commands
from hemlp.errors import AmbiguousLabel, HemlpError, InvalidOption

H = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("a", "d")]).with_names({"d": "Dogs"})
CORPUS = {"1": ["c"], "2": ["a", "d"], "3": ["r"], "4": ["a"]}


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(commands, arguments)
    error = done.exception
    return (error.exit_code, str(error)) if isinstance(error, HemlpError) else (done.exit_code, done.output)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.tsv").write_text("child\tparent\tname\nr\t\t\na\tr\t\nb\tr\t\nc\ta\t\nc\tb\t\nd\ta\tDogs\n")
    (tmp_path / "corpus.tsv").write_text("".join(f"{k}\t{label}\n" for k, row in CORPUS.items() for label in row))
    (tmp_path / "gold.tsv").write_text("x\tc\ny\tDogs\n")
    (tmp_path / "pred.tsv").write_text("x\tb\ny\tc\n")
    return tmp_path


def plain_content(counts: dict[str, int], size: int, unseen: float) -> dict[str, float]:
    return {c: -math.log(n / size) if n else unseen for c, n in counts.items()}


COUNTS = {"r": 4, "a": 3, "b": 1, "c": 1, "d": 1}


def test_ic_writes_what_weights_takes(files):
    assert run("ic", "h.tsv", "corpus.tsv", "-o", "ic.tsv")[0] == 0
    assert read_weights("ic.tsv") == pytest.approx(plain_content(COUNTS, 4, 0))
    code, out = run("evaluate", "h.tsv", "gold.tsv", "p=pred.tsv", "-m", "simGIC", "--weights", "ic.tsv")
    assert code == 0
    by_hand = [math.log(4) / (math.log(4) * 2 + math.log(4 / 3)), math.log(4 / 3) / (3 * math.log(4) + math.log(4 / 3))]
    assert f"{np.mean(by_hand):.4f}" in out
    assert run("ic", "h.tsv", "corpus.tsv", "--ia", "-o", "ia.csv")[0] == 0
    accretion = {"r": 0, "a": -math.log2(3 / 4), "b": 2, "c": 0, "d": -math.log2(1 / 3)}
    assert read_weights("ia.csv") == pytest.approx(accretion)


def test_classes_that_no_instance_has(files):
    assert run("ic", "h.tsv", "gold.tsv", "-o", "ic.tsv")[0] == 0
    (files / "some.tsv").write_text("1\ta\n2\ta\n3\tr\n")
    assert run("ic", "h.tsv", "some.tsv", "-o", "ic.tsv")[0] == 0
    expected = plain_content({"r": 3, "a": 2, "b": 0, "c": 0, "d": 0}, 3, math.log(3))  # as if one had it
    assert read_weights("ic.tsv") == pytest.approx(expected)
    assert run("ic", "h.tsv", "some.tsv", "--unseen", "7", "-o", "ic.tsv")[0] == 0
    assert read_weights("ic.tsv")["b"] == 7
    assert run("ic", "h.tsv", "some.tsv", "--ia", "-o", "ic.tsv")[0] == 0
    assert read_weights("ic.tsv")["b"] == 0
    code, message = run("ic", "h.tsv", "absent.tsv")
    assert (code, "no such file" in message) == (2, True)


def test_a_cost_from_a_corpus(files):
    text = "BMA(cost='lin')"
    code, out = run("evaluate", "h.tsv", "gold.tsv", "p=pred.tsv", "-m", text, "--corpus", "corpus.tsv")
    assert code == 0, out
    digest = hemlp.read_labels("corpus.tsv").digest[:16]
    assert f"BMA|cost:lin(corpus='{digest}')|hemlp" in out
    assert text in out
    content = plain_content(COUNTS, 4, 0)
    known = measure("BMA", cost=Lin(content))
    sides = {"x": "c", "y": "d"}, {"x": "b", "y": "c"}
    assert f"{known.score(Batch.of(H, *sides)).mean():.4f}" in out
    with pytest.warns(UserWarning, match="from the 2 instances that are scored"):
        ev = evaluate(H, sides[0], {"p": sides[1]}, [text, "BMA(cost='resnik(normalized=True)')"])
    own = measure("BMA", cost=Lin(hemlp.information_content(H, sides[0], unseen=math.log(2))))
    assert ev.mean("p", text) == own.score(Batch.of(H, *sides)).mean()
    assert ev.measures[0] == text


def test_every_command_with_measures_takes_a_corpus(files):
    """What it prints is what Python says of the cost with the weights of the corpus."""
    (files / "s.tsv").write_text("x\tb\t0.5\ny\tc\t0.5\n")
    content = plain_content(COUNTS, 4, 0)
    sides = {"x": "c", "y": "d"}, {"x": "b", "y": "c"}
    corpus = "--corpus", "corpus.tsv"
    value = measure("BMA", cost=Lin(content)).score(Batch.of(H, *sides)).mean()
    for command in (["curve"], ["tune", "--by", "all"]):
        code, out = run(*command, "h.tsv", "gold.tsv", "s.tsv", "-m", "BMA(cost='lin')", *corpus)
        assert code == 0, out
        assert f"{value:.4f}" in out
    code, out = run("model", "h.tsv", "gold.tsv", "pred.tsv", "--row", "2", "-m", "GIE(cost='lin')", *corpus)
    assert code == 0, out
    program = measure("GIE", cost=Lin(content)).model(H, true=["d"], pred=["c"]).to_lp()
    assert out.splitlines()[-8:] == program.splitlines()[-8:]
    code, out = run("sensitivity", "h.tsv", "gold.tsv", "p=pred.tsv", "g=gold.tsv", "-m", "GIE(cost='lin')", *corpus)
    assert code == 0, out
    error = measure("GIE", cost=Lin(content)).score(Batch.of(H, *sides)).mean()
    assert f"p {error:.4f}" in out
    with pytest.warns(UserWarning, match="from the 2 instances that are scored"):
        assert run("curve", "h.tsv", "gold.tsv", "s.tsv", "-m", "BMA(cost='lin')")[0] == 0


def test_two_corpora_are_two_costs():
    true, systems, corpora = ["c", "d"], {"p": ["b", "a"]}, (CORPUS, ["c", "d", "b"])
    one, other = (evaluate(H, true, systems, ["BMA(cost='lin')"], corpus=corpus) for corpus in corpora)
    assert one.mean("p", "BMA(cost='lin')") != other.mean("p", "BMA(cost='lin')")
    both = {}
    for k, corpus in enumerate(corpora):
        content = hemlp.information_content(H, corpus, unseen=math.log(len(corpus)))
        both[str(k)] = measure("BMA", cost=Lin(content, corpus=LabelSets.of(corpus).digest[:16]))
    ev = evaluate(H, true, systems, both)
    assert [ev.mean("p", k) for k in both] == [each.mean("p", "BMA(cost='lin')") for each in (one, other)]


def test_measures_that_need_weights_take_them_from_a_corpus_alone():
    with pytest.raises(InvalidOption, match="simGIC needs weights"):
        evaluate(H, ["c"], {"p": ["b"]}, ["simGIC"])
    ev = evaluate(H, ["c"], {"p": ["b"]}, ["simGIC", "ICM"], corpus=CORPUS)
    content = plain_content(COUNTS, 4, 0)
    accretion = hemlp.information_accretion(H, CORPUS)
    assert ev.mean("p", "simGIC") == measure("simGIC", weights=content).score(H, ["c"], ["b"])
    assert ev.mean("p", "ICM") == measure("ICM", weights=accretion).score(H, ["c"], ["b"])
    dropped = evaluate(H, [["c", "?"]], {"p": ["b"]}, ["GIE(cost='jiang_conrath')"], corpus=CORPUS, unknown_true="drop")
    assert dropped.mean("p", "GIE(cost='jiang_conrath')") == measure(
        "GIE", cost=hemlp.JiangConrath(content)
    ).score(H, ["c"], ["b"])  # fmt: skip


def test_weights_by_name(files):
    content = plain_content(COUNTS, 4, 0)
    named = {"Dogs" if c == "d" else c: w for c, w in content.items()}
    assert measure("simGIC", weights=named).score(H, ["d"], ["c"]) == measure("simGIC", weights=content).score(
        H, ["d"], ["c"]
    )
    with pytest.raises(InvalidOption, match="'d' has two weights"):  # also where every class has one by its label
        measure("simGIC", weights={**content, "Dogs": content["d"] + 1}).score(H, ["d"], ["c"])
    del named["a"]
    with pytest.raises(InvalidOption, match="'d' has two weights"):
        measure("simGIC", weights={**named, "r > a > d": 5.0}).score(H, ["d"], ["c"])
    twins = Hierarchy.from_edges([("r", "a"), ("r", "b")]).with_names({"a": "X", "b": "X"})
    with pytest.raises(AmbiguousLabel, match="weights: 'X' is the name of 2 classes"):
        measure("simGIC", weights={"r": 1.0, "X": 2.0}).score(twins, ["a"], ["b"])


@pytest.mark.parametrize("seed", range(6))
def test_all_pairs_are_the_scores_of_each_pair(seed):
    rng = np.random.default_rng(seed)
    h = _random_hierarchy(rng)
    sets = [rng.choice(len(h), rng.integers(0, 4), replace=False).tolist() for _ in range(9)]
    rows = [[h.labels[c] for c in each] for each in [*sets, *sets[:3]]]
    for name in ("simUI", "F_H", "P_H", "SDL", "MGIA", "F_LCA", "BMA"):
        each = measure(name)
        expected = [[float(each.score(h, true=a, pred=b, undefined="nan")) for b in rows] for a in rows]
        assert np.array_equal(similarities(h, rows, name), expected, equal_nan=True), name


def _random_hierarchy(rng: np.random.Generator) -> Hierarchy:
    return Hierarchy.from_edges([(int(rng.integers(0, k)), k) for k in range(1, 12) for _ in range(1 + (k % 3 == 0))])


def test_all_pairs_in_small_parts(monkeypatch):
    rows = [["a"], ["b", "c"], [], ["d"], ["a"], ["c", "d"]]
    whole = {name: similarities(H, rows, name) for name in ("F_H", "P_H")}
    monkeypatch.setattr("hemlp.analysis.similarity_matrix.LABELS_AT_ONCE", 1)
    for name, values in whole.items():
        assert np.array_equal(similarities(H, rows, name), values)
    with pytest.warns(UserWarning, match="from the 6 instances"):
        assert similarities(H, rows, "BMA(cost='lin')").shape == (6, 6)
    assert np.asarray(measure("F_H").score(Batch.of(H, rows, rows))).tolist() == [1.0] * 6
    assert np.array(measure("F_H").score(Batch.of(H, rows, rows)), np.float32).dtype == np.float32


def test_the_naive_baseline_and_the_files_of_cafaeval(files):
    (files / "two.tsv").write_text("child\tparent\nr\t\na\tr\nb\tr\nz\t\ny\tz\n")
    (files / "g.tsv").write_text("1\ta\n1\ty\n2\tb\n")
    (files / "s.tsv").write_text("1\ta\t0.9\n1\ty\t0.4\n2\ta\t0.55\n")
    (files / "w.tsv").write_text("r\t0\na\t1\nb\t2\nz\t0\ny\t3\n")
    arguments = ["cafa", "two.tsv", "g.tsv", "A=s.tsv", "--weights", "w.tsv", "--out", "res", "--naive", "g.tsv"]
    code, out = run(*arguments, "--no-intervals")
    assert code == 0, out
    assert "naive" in out
    h = hemlp.read_hierarchy("two.tsv")
    assert hemlp.naive_scores(h, hemlp.read_labels("g.tsv"), ["p"])[0] == {
        "r": 1.0,
        "a": 0.5,
        "b": 0.5,
        "y": 0.5,
        "z": 0.5,
    }
    tables = {}
    for path in (files / "res").iterdir():
        with path.open(newline="") as file:
            tables[path.name] = list(csv.DictReader(file, delimiter="\t"))
    assert set(tables) == {
        "evaluation_all.tsv",
        *(f"evaluation_best_{m}{w}.tsv" for m in ("f", "s", "f_micro") for w in ("", "_w")),
    }
    grid = np.arange(0.01, 1, 0.01)
    for ns, gold in (("r", {"1": ["a"], "2": ["b"]}), ("z", {"1": ["y"]})):
        part = Hierarchy.from_edges([("r", "a"), ("r", "b")] if ns == "r" else [("z", "y")])
        scores = {"1": {"a": 0.9}, "2": {"a": 0.55}} if ns == "r" else {"1": {"y": 0.4}}
        q = hemlp.cafa(part, gold, scores, thresholds=grid)
        rows = [row for row in tables["evaluation_all.tsv"] if (row["filename"], row["ns"]) == ("A", ns)]
        assert [float(row["f"]) for row in rows] == q.f.tolist()
        assert [float(row["tau"]) for row in rows] == pytest.approx(q.thresholds.tolist())
        best = next(row for row in tables["evaluation_best_f.tsv"] if (row["filename"], row["ns"]) == ("A", ns))
        assert (float(best["f"]), float(best["tau"])) == (q.fmax, pytest.approx(q.fmax_threshold))
    (files / "plain.txt").write_text("a\nb\n")
    (files / "plain_scores.txt").write_text("a:0.5\nb:0.5\n")
    assert "with ids" in run("cafa", "two.tsv", "plain.txt", "plain_scores.txt", "--out", "res")[1]
    assert "with ids" in run("cafa", "two.tsv", "plain.txt", "plain_scores.txt", "--naive", "g.tsv")[1]


def test_the_files_are_those_of_cafaeval(data, tmp_path, monkeypatch):
    """Best rows on CAFA 2, as cafaeval 1.3 found them."""
    folder = data / "cafa2" / "mfo"
    monkeypatch.chdir(tmp_path)
    ids, gold = (hemlp.read_labels(folder / name) for name in ("ids.txt.gz", "gold.txt.gz"))
    lines = [f"{key}\t{label}\n" for (key,), row in zip(ids, gold, strict=True) for label in row]
    (tmp_path / "gold.tsv").write_text("".join(lines))
    arguments = ["cafa", str(folder / "hierarchy.txt.gz"), "gold.tsv", f"blast={folder / 'scored_blast.tsv.gz'}"]
    options = ["--weights", str(folder / "ia.tsv.gz"), "--unseen", "0", "--out", "res", "--no-intervals"]
    assert run(*arguments, *options)[0] == 0
    theirs = json.loads((folder / "cafaeval.json").read_text())
    for metric in ("f", "f_w", "s", "f_micro", "f_micro_w"):
        expected = theirs[f"blast.tsv|norm=cafa|ia=yes|{metric}"]
        with (tmp_path / "res" / f"evaluation_best_{metric}.tsv").open(newline="") as file:
            (row,) = csv.DictReader(file, delimiter="\t")
        assert list(row) == ["filename", *expected]
        assert {k: float(v) for k, v in row.items() if k not in ("filename", "ns")} == pytest.approx(
            {k: v for k, v in expected.items() if k != "ns"}, rel=1e-12
        )


def test_a_class_that_the_corpus_lacks_counts_as_one_of_a_single_instance():
    ev = evaluate(H, ["a"], {"p": ["c"]}, ["BMA(cost='lin')"], corpus=["a", "a", "r"])
    above, below = math.log(3 / 2), math.log(3)
    assert ev.mean("p", "BMA(cost='lin')") == pytest.approx(2 * above / (above + below))
