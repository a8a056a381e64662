"""What a hostile newcomer found once: each stays mended."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from hemlp import (
    ALL,
    Batch,
    Bounds,
    Hierarchy,
    LabelSets,
    PairMeasure,
    SetMeasure,
    Status,
    measure,
    read_hierarchy,
    read_labels,
    read_measures,
    write_measures,
)
from hemlp.costs import MatrixCost
from hemlp.errors import (
    CyclicHierarchy,
    FileFormatError,
    HemlpError,
    InvalidCost,
    InvalidLabel,
    InvalidOption,
    InvalidSolution,
    NoTextForm,
    UnknownLabel,
)
from tests.test_pairing import H, Wrong, by_cbc

ONE = Bounds((1, 1), (1, 1))


def test_input_matrices_are_never_changed():
    scores = sp.csr_matrix(np.array([[0.9, 0.2, 0.7, 0], [0.1, 0.3, 0, 0.8]]))
    before = scores.toarray()
    pred = sp.csr_matrix(((scores.data > 0.5).astype(int), scores.indices, scores.indptr), shape=scores.shape)
    made = LabelSets.of(pred, labels=["animal", "mammal", "sheep", "cow"])
    assert list(made) == [("animal", "sheep"), ("cow",)]
    assert (scores.toarray() == before).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: PairMeasure("GIE", Bounds((1, 2), (1, ALL)), default_cost=5),
        lambda: SetMeasure("F_H", "descendants"),
        lambda: PairMeasure("F_H", ONE),
        lambda: read_measures("[[measure]]\nname = 'GIE'\npredicted = [1, 2]\n"),
        *(
            lambda name=name: PairMeasure(name, ONE)
            for name in ("error", "true", "common", "lcas", "ALL", "custom", "if")
        ),
        lambda: PairMeasure(5, ONE),
    ],
)
def test_names_that_belong_to_something_else_are_refused(make):
    with pytest.raises(InvalidOption):
        make()
    assert PairMeasure("GIE", ONE, default_cost=4) == measure("GIE", default_cost=4)


def test_no_default_class_for_some():
    m = PairMeasure("q", Bounds((1, ALL), (1, ALL)), default_cost={"cow": None, "sheep": 2, "mammal": 1})
    for solver in (None, "flow", "pulp"):
        assert m.score(H, ["sheep"], ["cow", "mammal"], solver=solver) == 3


def test_free_defaults_do_not_break_upper_bounds():
    g = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    for bounds in (Bounds((1, 2), (1, 1)), Bounds((1, ALL), (1, ALL))):
        for default in ((0, None), 0, (0, 1), (None, 0)):
            model = PairMeasure("m", bounds, default_cost=default).model(g, ["a", "b"], ["r"])
            solution = model.solve()
            assert solution.status is Status.OPTIMAL
            assert model.check(solution, solution.duals())
            assert solution.objective == model.solve("milp").objective


def test_costs_of_ones_own():
    class Fixed:
        def __init__(self, value):
            self.value = value

        def pair_costs(self, batch, pairs):
            return np.full(pairs.ptr[-1], self.value)

    assert measure("GIE", cost=Fixed(3.0)).score(H, ["cow"], ["sheep"]) == 3
    assert str(measure("GIE", cost=Fixed(3.0))) == "GIE(cost='custom')"
    with pytest.raises(NoTextForm):
        write_measures([measure("GIE", cost=Fixed(3.0))])
    for bad in (-4.0, math.nan):
        with pytest.raises(InvalidCost, match="predicting 'sheep' for 'cow'"):
            measure("GIE", cost=Fixed(bad)).score(H, ["cow"], ["sheep"])
    with pytest.raises(InvalidOption, match="unit lengths"):
        measure("GIE", cost=Fixed(1.0), horizon=2)
    with pytest.raises(InvalidCost):
        MatrixCost(["a", "a"], [[0, 1], [1, 0]])
    with pytest.raises(InvalidCost):
        MatrixCost(["a"], [["far"]])


def test_bytes_and_strings_are_not_taken_apart():
    h = Hierarchy.from_edges([(1, 97), (97, 98), (1, 99)])
    with pytest.raises(InvalidLabel, match="decode"):
        measure("GIE").score(h, b"ab", [97])
    for bad in (
        lambda: Hierarchy.from_edges([b"ab"]),
        lambda: Hierarchy.from_parents({"x": b"ab"}),
        lambda: Hierarchy.from_edges([], classes="animal"),
        lambda: h.with_isolated("dog"),
    ):
        with pytest.raises(HemlpError):
            bad()
    assert Hierarchy.from_parents({2: np.int64(1), 1: None}) == Hierarchy.from_edges([(1, 2)])


def test_remarks_in_csv_files(tmp_path):
    file = tmp_path / "h.csv"
    file.write_text('"#1",x\n# note, "old\na,b\n# end"\n   \nc,d\n')
    assert set(read_hierarchy(file)) == {"#1", "x", "a", "b", "c", "d"}
    tabs = tmp_path / "h.tsv"
    tabs.write_text("parent\tchild\tweight\na\tb\t2\n")
    assert read_hierarchy(tabs).distance("a", "b") == 2
    labels = tmp_path / "y.csv"
    labels.write_text("id,label\n1,a\n   \n,b\n")
    with pytest.raises(FileFormatError, match="line 4: no instance id"):
        read_labels(labels)


def test_texts_are_read_in_full_or_not_at_all():
    for text in (
        "GIE(**{'default_cost': 3})",
        "PairMeasure('x')",
        "PairMeasure('x', 3)",
        "GIE(cost='undirected', distance='undirected')",
    ):
        with pytest.raises(HemlpError):
            measure(text)
    for value in (None, 5):
        with pytest.raises(HemlpError):
            measure(value)
    for text in (
        "[[measures]]\nname='GIE'",
        "measure=1",
        "[measure]\nname='GIE'",
        "[[measure]]\nx=1",
        "[[measure]]\nname='a'\naugment='none'\nz=1",
    ):
        with pytest.raises(HemlpError):
            read_measures(text)
    plain = PairMeasure("custom_gie", ONE, default_cost=(None, 3))
    assert read_measures(write_measures(plain)) == [plain]


def test_numbers_of_numpy_are_numbers():
    m = measure("GIE", default_cost=np.float64(4.5), max_distance=np.int64(3), horizon=np.int32(2))
    assert measure(str(m)) == m == measure("GIE", default_cost=4.5, max_distance=3, horizon=2)
    assert measure("GIE", default_cost=5.0).signature == measure("GIE").signature
    assert Bounds((np.int64(1), 2), (1, 1)) == Bounds((1, 2), (1, 1))
    for value in (10**400, "x", True):
        with pytest.raises(InvalidOption):
            measure("GIE", default_cost=value)
    with pytest.raises(HemlpError):
        Bounds((1, 10**30), (1, 1))
    for bad in ((5,), (5, 3, 2)):
        with pytest.raises(InvalidOption, match="a pair"):
            measure("GIE", default_cost=bad)
    hash(PairMeasure("m", ONE, default_cost={"a": 1}))


def test_limits_stand_in_the_signature_and_are_checked():
    batch = Batch.of(H, ["cow"], ["sheep"])
    assert measure("F_LCA").score(batch, time_limit=9).signature.endswith("|time_limit:9")
    for bad in (-1, math.nan, "x"):
        with pytest.raises(InvalidOption, match="time_limit"):
            measure("F_LCA").score(batch, time_limit=bad)


def test_weights_and_levels_do_not_mix():
    h = Hierarchy.from_edges([("r", "a", 10), ("r", "b", 1)])
    for m in (measure("TIE", cost="shortest_path(decay=0.5)"), measure("F_H", horizon=2)):
        with pytest.raises(InvalidOption, match="edge weights"):
            m.score(h, ["a"], ["b"])


def test_a_strangers_solution_is_checked():
    class Nobody(Wrong):
        def solve(self, model, time_limit):
            solution = model.solve("flow")
            return type(solution)(model, solution.statuses, *(x * 0 == 1 for x in (solution.chosen,)),
                                  tuple(taken * 0 for taken in solution.to_default))  # fmt: skip

    with pytest.raises(InvalidSolution):
        measure("GIE").score(H, ["cow"], ["sheep"], solver=Nobody())
    for bad in (5, Wrong):
        with pytest.raises(HemlpError, match="no solver"):
            measure("GIE").score(H, ["cow"], ["sheep"], solver=bad)


def test_frames_that_could_be_misread():
    twice = pd.DataFrame([["a", "b"]], columns=["l", "l"])
    with pytest.raises(HemlpError, match="several times"):
        LabelSets.of(twice, label="l")
    with pytest.raises(HemlpError, match="Hierarchy.of"):
        Hierarchy.from_edges(pl.DataFrame({"p": ["a", "b"], "c": ["b", "c"]}))
    masked = np.ma.masked_array([[1, 1]], mask=[[0, 1]])
    for bad, options in (
        (masked, {"labels": ["a", "b"]}), (np.eye(2), {"labels": {"a", "b"}}), ([[1, 2], [3]], {"labels": ["a"]}),
        (5, {}), (None, {}), (np.array("sheep"), {}), ([["x"]], {"labels": ["a"]}),
    ):  # fmt: skip
        with pytest.raises(HemlpError):
            LabelSets.of(bad, **options)
    with pytest.raises(HemlpError, match="cannot read x"):
        Batch.of("x", [], [])


def test_obo_details(tmp_path):
    file = tmp_path / "x.obo"
    file.write_text(
        "[Term]\nid: X:1\n\n[Term]\nid: X:2\nalt_id: X:22\nis_a: X:1\n\n"
        "[Term]\nid: X:4\nis_obsolete: true\nreplaced_by: X:22\n"
    )
    h = read_hierarchy(file, classes=["Z"])
    assert h.roots == {"X:1", "Z"}
    assert h.aliases["X:4"] == "X:2"
    with pytest.raises(InvalidOption, match="one string"):
        read_hierarchy(file, relations="is_a")


def test_isolated_labels_keep_hamming_in_its_range():
    batch = Batch.of(H, [["a", "b", "c"]], [["d", "e", "f", "g"]], unknown="isolate")
    assert measure("hamming").score(batch).values.tolist() == [7 / 11]


def test_mps_is_read_by_cbc_and_pulp(tmp_path):
    import pulp

    for name, true, pred, optimum in (("GIE", ["sheep"], ["cow"], 2), ("MGIA", ["sheep", "animal"], ["cow"], 4)):
        model = measure(name).model(H, true, pred)
        file = tmp_path / "m.mps"
        file.write_text(model.to_mps())
        _, problem = pulp.LpProblem.fromMPS(str(file))
        problem.solve(pulp.COIN_CMD(path=pulp.apis.PULP_CBC_CMD.pulp_cbc_path, msg=False))
        assert problem.objective.value() == optimum
        command = [pulp.apis.PULP_CBC_CMD.pulp_cbc_path, "m.mps", "solve", "solution", "out.txt"]
        subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
        first = (tmp_path / "out.txt").read_text().splitlines()[0]
        assert first.startswith("Optimal")
        assert float(first.rpartition(" ")[2]) == by_cbc(model.to_lp(), tmp_path) == optimum


def test_scores_and_errors_cross_processes():
    score = measure("MGIA").score(H, ["cow"], ["sheep"])
    for again in (pickle.loads(pickle.dumps(score)), copy.copy(score), copy.deepcopy(score)):
        assert (again, again["error"], again.status, again.signature) == (score, 2, "optimal", score.signature)
    with pytest.raises(UnknownLabel) as unknown:
        H.id("cov")
    again = pickle.loads(pickle.dumps(unknown.value))
    assert (str(again), again.near, again.label) == (str(unknown.value), ("cow",), "cov")
    with pytest.raises(CyclicHierarchy) as cyclic:
        Hierarchy.from_edges([(1, 1)])
    assert pickle.loads(pickle.dumps(cyclic.value)).cycle == (1,)
    with pytest.raises(HemlpError, match="no column 'nope'"):
        score["nope"]


@pytest.mark.parametrize("bad", [[5], [None], [{1, 2}], None, [("a",)], [("a", "b", "c", "d")]])
def test_edges_that_are_none(bad):
    with pytest.raises(HemlpError):
        Hierarchy.from_edges(bad)


@pytest.mark.parametrize("sep", ["||", "", "\n"])
def test_separators_are_one_character(tmp_path, sep):
    file = tmp_path / "h.txt"
    file.write_text("a b\n")
    for read in (read_hierarchy, read_labels):
        with pytest.raises(InvalidOption, match="one character"):
            read(file, sep=sep)
        with pytest.raises(InvalidOption, match="not the path"):
            read(None)


def test_batches_are_cut_by_numbers_and_slices():
    batch = Batch.of(H, ["cow", "sheep"], ["cow", "cow"])
    assert len(batch[np.int64(1)]) == 1
    with pytest.raises(IndexError, match="take"):
        batch[[0, 1]]
    assert "0 instances" in str(measure("F_LCA").model(batch[:0]))


def test_a_terminal_without_greek_letters():
    out = subprocess.run(
        [sys.executable, "-m", "hemlp", "cases", "2a"], env={**__import__("os").environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True, check=False,
    )  # fmt: skip
    assert (out.returncode, b"case 2a" in out.stdout) == (0, True)


def test_empty_files_compare_to_nothing(tmp_path):
    (tmp_path / "h.txt").write_text("a b\n")
    (tmp_path / "y.txt").write_text("")
    files = [str(tmp_path / name) for name in ("h.txt", "y.txt", "y.txt")]
    command = [sys.executable, "-m", "hemlp", "compare-exact", *files, "--json", str(tmp_path / "o.json")]
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    assert out.returncode == 0, out.stderr
    assert "NaN" not in (tmp_path / "o.json").read_text()
