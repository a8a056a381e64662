"""F_β, ICM, simUI and simGIC: against enumerated values, against their definitions, and against PyEvALL."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hemlp import (
    Batch,
    Hierarchy,
    LabelSets,
    SetMeasure,
    evaluate,
    information_accretion,
    information_content,
    measure,
    metrics,
)
from hemlp.errors import InvalidOption, NoTextForm
from hemlp.measures.factory import read_measures, write_measures
from hemlp.testing import check_measure
from tests import oracle
from tests.graphs import graph, labelled, up

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
CORPORA = oracle.corpora()


def corpus_batch(row):
    h = Hierarchy.from_edges(row["edges"], classes=range(row["classes"]))
    return h, Batch.of(h, [set(s) for s in row["true"]], [set(s) for s in row["pred"]])


def weights(row, key):
    return {int(label): value for label, value in row[key].items()}


def test_values_of_the_corpora():
    for row in CORPORA:
        _, batch = corpus_batch(row)
        measures = {
            "F_H(beta=0.5)": measure("F_H", beta=0.5),
            "F_H(beta=2)": measure("F_H", beta=2),
            "ICM": measure("ICM", weights=weights(row, "ia")),
            "ICM_smoothed": measure("ICM", weights=weights(row, "ia_smoothed")),
            "simUI": measure("simUI"),
            "simGIC": measure("simGIC", weights=weights(row, "ic")),
        }
        for name, m in measures.items():
            for value, expected in zip(m.score(batch).values, row["values"], strict=True):
                assert oracle.same(value, expected[name]), (name, row["edges"])


@settings(max_examples=40)
@given(labelled(8), st.data())
def test_definitions(case, data):
    labels, edges = case
    true, pred = (data.draw(st.lists(st.sampled_from(labels), max_size=3, unique=True)) for _ in "tp")
    weigh = {label: data.draw(st.integers(0, 5)) for label in labels}
    g, h = graph(labels, edges), Hierarchy.from_edges(edges, classes=labels)
    t, p = ({a for c in side for a in up(g, c)} for side in (true, pred))
    heavy = {name: sum(weigh[c] for c in of) for name, of in (("P", p), ("T", t), ("C", p & t))}
    beta = data.draw(st.sampled_from([0, 0.5, 1, 2, 10]))
    below = beta**2 * heavy["T"] + heavy["P"]
    f = (1 + beta**2) * heavy["C"] / below if below else float(t == p)
    assert math.isclose(measure("F_H", beta=beta, weights=weigh).score(h, true, pred), f, rel_tol=1e-12)
    icm = 3 * heavy["C"] - heavy["P"] - heavy["T"]
    assert measure("ICM", weights=weigh).score(h, true, pred) == icm
    union = heavy["P"] + heavy["T"] - heavy["C"]
    assert measure("simGIC", weights=weigh).score(h, true, pred) == (heavy["C"] / union if union else t == p)
    assert measure("simUI").score(h, true, pred) == (len(t & p) / len(t | p) if t | p else 1)


def test_beta():
    m = measure("F_H", beta=2)
    assert m == measure("F_H(beta=2.0)") != measure("F_H")
    assert str(m) == "F_H(beta=2)"
    assert read_measures(write_measures([m])) == [m]
    assert "beta:2" in m.signature
    assert hash(m) != hash(measure("F_H"))
    assert m.score(H, ["sheep"], ["mammal"]) == 5 * 2 / (4 * 3 + 2)
    assert "symmetric" not in m.invariants
    batch = Batch.of(H, [["sheep"], ["bird"]], [["mammal"], ["bird", "cow"]])
    assert m.micro_average(m.score(batch)) == 5 * 4 / (4 * 5 + 6)
    assert metrics.f_h_score(["sheep"], ["mammal"], hierarchy=H, beta=2) == m.score(H, ["sheep"], ["mammal"])
    ev = evaluate(H, [["sheep"]], {"A": [["mammal"]]}, ["F_H", "F_H(beta=2)"])
    assert ev.mean("A", "F_H(beta=2)") < ev.mean("A", "F_H")
    for name in ("F", "F_De"):
        check_measure(measure(name, beta=0.5), count=5)


@pytest.mark.parametrize("name", ["F_LCA", "P_LCA"])
def test_lca_graphs_have_no_beta(name):
    with pytest.raises(InvalidOption, match="no parameter 'beta': its graphs are chosen by F"):
        measure(name, beta=2)


def test_what_has_no_beta():
    with pytest.raises(InvalidOption, match="no beta: its graphs are chosen by F"):
        SetMeasure("mine", "lca", beta=2)
    with pytest.raises(InvalidOption, match="belongs to score='F'"):
        SetMeasure("mine", "ancestors", score="P", beta=2)
    for beta in (-1, "two", math.nan, 1e200, math.inf):
        with pytest.raises(InvalidOption):
            measure("F_H", beta=beta)
    with pytest.raises(InvalidOption, match="no parameter 'beta'"):
        measure("P_H", beta=2)


@pytest.mark.parametrize(("name", "what"), [("ICM", "information_accretion"), ("simGIC", "information_content")])
def test_weights_are_needed(name, what):
    with pytest.raises(InvalidOption, match=f"{name} needs weights.*{what}"):
        measure(name).score(H, ["sheep"], ["cow"])
    with pytest.raises(InvalidOption, match="needs weights"):
        evaluate(H, [["sheep"]], {"A": [["cow"]]}, [name])
    weigh = dict.fromkeys(H, 2.0)
    m, other = measure(name, weights=weigh), measure(name, weights={**weigh, "cow": 1})
    assert m.signature != other.signature
    assert m.signature == measure(name, weights=dict(weigh)).signature
    with pytest.raises(NoTextForm):
        write_measures([m])
    with pytest.raises(InvalidOption, match="no value for the class 'bird'"):
        measure(name, weights={"animal": 1}).score(H, ["sheep"], ["cow"])


def test_icm_and_its_normalised_average():
    icm = measure("ICM", weights=dict.fromkeys(H, 1.0))
    assert icm.range == (-math.inf, math.inf)
    assert icm.greater_is_better
    assert "unbeaten_if_equal" in icm.invariants
    scores = icm.score(Batch.of(H, [["sheep"], ["bird"]], [["sheep"], ["cow"]]))
    assert scores.values.tolist() == [3, 3 - 3 - 2]
    assert icm.normalised_average(scores) == (0.5 + 2.5) / 5
    assert icm.score(H, [], []) == 0
    with pytest.raises(InvalidOption, match="scores of ICM"):
        measure("F_H").normalised_average(measure("F_H").score(Batch.of(H, ["sheep"], ["cow"])))
    with pytest.raises(InvalidOption, match="weigh nothing"):
        icm.normalised_average(icm.score(Batch.of(H, [[]], [["cow"]])))


@pytest.mark.filterwarnings("ignore")  # theirs
def test_icm_by_pyevall(tmp_path):
    """On a tree whose classes the true labels all have, with the contents that PyEvALL takes from those."""
    pyevall = pytest.importorskip("pyevall.evaluation", reason="PyEvALL is not installed: NOT compared")
    from pyevall.utils.utils import PyEvALLUtils

    h = Hierarchy.from_edges([("A", "x"), ("A", "y"), ("B", "z")])
    true = [["x"], ["x", "z"], ["B"], ["y"], ["z"]]
    pred = [["x"], ["y", "z"], ["z"], ["x", "B"], ["A"]]
    for name, rows in (("gold", true), ("pred", pred)):
        cases = [{"test_case": "T", "id": str(i), "value": row} for i, row in enumerate(rows)]
        (tmp_path / f"{name}.json").write_text(json.dumps(cases))
    parameters = {PyEvALLUtils.PARAM_HIERARCHY: {"A": ["x", "y"], "B": ["z"]}}
    files = str(tmp_path / "pred.json"), str(tmp_path / "gold.json")
    theirs = pyevall.PyEvALLEvaluation().evaluate(*files, ["ICM", "ICMNorm"], **parameters).report["metrics"]
    content = information_content(h, true)
    icm = measure("ICM", weights={c: (content[c] - sum(content[a] for a in h.parents(c))) / math.log(2) for c in h})
    scores = icm.score(Batch.of(h, true, pred))
    assert scores.mean() == pytest.approx(theirs["ICM"]["results"]["average_per_test_case"], rel=1e-12)
    normalised = theirs["ICMNorm"]["results"]["average_per_test_case"]
    assert icm.normalised_average(scores) == pytest.approx(normalised, rel=1e-12)


def test_a_corpus_of_paths_is_one_of_their_last_classes():
    h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
    paths = [["animal", "mammal", "sheep"], ["animal", "mammal", "cow"], ["animal", "mammal"]]
    ends = [["sheep"], ["cow"], ["mammal"]]
    assert information_accretion(h, paths) == information_accretion(h, ends)


@pytest.mark.parametrize("seed", range(30))
def test_information_accretion_is_its_definition(seed):
    """−log₂ of the share of the instances with the class among those with all its parents, whatever the graph."""
    rng = np.random.default_rng(seed)
    edges = [(p, c) for c in range(7) for p in range(c) if rng.random() < 0.4]
    g = graph(list(range(7)), edges)
    corpus = [rng.choice(7, rng.integers(0, 3), replace=False).tolist() for _ in range(8)]
    closures = [{a for c in row for a in up(g, c)} for row in corpus]
    h = Hierarchy.from_edges(edges, classes=range(7))
    found = information_accretion(h, LabelSets.of(corpus, rows="sets"), unseen=9)
    for c in range(7):
        with_parents = [closure for closure in closures if closure >= set(g.predecessors(c))]
        with_class = sum(c in closure for closure in closures)
        assert found[c] == pytest.approx(-math.log2(with_class / len(with_parents)) if with_class else 9, abs=1e-12)


def test_weights_below_0_are_refused():
    for weight in (-0.5, -1, -1e-300, -math.inf):
        with pytest.raises(InvalidOption, match="the weight of 'cow'"):
            measure("F_H", weights={**dict.fromkeys(H, 1.0), "cow": weight}).score(H, ["sheep"], ["cow"])
