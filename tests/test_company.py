"""A measure gives what it gives alone: values, statuses, signatures and refusals depend on no other."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from click.testing import CliRunner

from hemlp import (
    Batch,
    Evaluation,
    Hierarchy,
    Lin,
    PairMeasure,
    PairScore,
    ScoredSets,
    SetMeasure,
    SetScore,
    curve,
    evaluate,
    information_content,
    measure,
)
from hemlp.analysis.explain.explain import explain
from hemlp.cli.main import commands
from hemlp.errors import HemlpError, InvalidOption
from hemlp.measures.catalogue import NAMED
from hemlp.measures.scoring import score_together
from hemlp.metrics import Metric
from hemlp.problems.pairing.bounds import ALL, Bounds
from hemlp.run.study import Study

EDGES = [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("c", "e"), ("s", "t"), ("s", "u")]
H = Hierarchy.from_edges(EDGES)
TRUE = [["e"], ["c", "d"], ["t"], ["d"], [], ["r"]]
PRED = [["d"], ["d", "b"], ["c", "u"], ["d"], [], ["e", "t"]]
SCORED = ScoredSets.of([{label: 1 - k / 10 for k, label in enumerate(row)} for row in PRED])
WEIGHTS = {label: 1 + k / 7 for k, label in enumerate(H)}
IC = information_content(H, TRUE, unseen=3.0)
LIN = Lin(IC)
CHOICES = {
    "weights": (WEIGHTS, dict(WEIGHTS), IC),
    "horizon": (1, 2),
    "top": (True,),
    "beta": (2,),
    "default_cost": (0.5, 3),
    "method": ("greedy", "extended"),
    "cost": ("lca_height", LIN),
    "normalizer": ("union",),
    "pairing": ("nearest",),
    "max_distance": (2,),
    "time_limit": (60,),
}
"""Of each parameter some values beside the usual one."""
REFUSING = [measure("simGIC"), measure("ICM"), measure("ICM", horizon=1), measure("matched_F", cost="lca_height")]
"""Without weights, or with a cost that is no share of 1."""
LIKE = [
    measure("GIE", default_cost=0.5, cost="lca_height"),  # the pairing of matched_F, but for its limit of costs
    measure("GIE", default_cost=0.5, cost=LIN),
    SetMeasure("own_jaccard", "ancestors", score="jaccard"),
    SetMeasure("own_score", "ancestors", score=SetScore(lambda f: f.ratio(f.common, f.true + 1))),
    SetMeasure("never", "ancestors", score=SetScore(lambda f: np.where(f.equal, 1.0, np.nan))),
    PairMeasure("own_error", Bounds((1, 1), (1, 1)), default_cost=5, score=PairScore(lambda f: f.error / 2)),
    PairMeasure("soft", Bounds((1, ALL), (0, 2)), default_cost=5),
]
"""Measures that nearly are others."""


def named() -> list:
    """All named measures, each also with other values of each parameter."""
    made = []
    for name, known in NAMED.items():
        usual = dict.fromkeys(known.needed, WEIGHTS)
        values = [{}, *({key: value} for key in known.parameters for value in CHOICES[key])]
        made += [measure(name, **usual | chosen) for chosen in values]
    return made


ALL_OF_THEM = [*named(), *LIKE, *REFUSING]


def found(scores) -> list:
    """All that scores say, to the bit."""
    columns = [(name, values.tobytes()) for name, values in scores.columns.items()]
    return [scores.name, columns, scores.statuses.tobytes(), scores.signature, scores.undefined, scores.exact]


def alone(each, batch, undefined):
    """The scores of a measure by itself, or its refusal."""
    try:
        return found(*score_together([each], batch, undefined=undefined))
    except HemlpError as error:
        return type(error), str(error)


def check_pair(pair, single, batch, undefined):
    """Two measures give both what each gives, or the refusal of one of them."""
    refusals = [each for each in single if isinstance(each, tuple)]
    try:
        together = [found(scores) for scores in score_together(pair, batch, undefined=undefined)]
    except HemlpError as error:
        together = type(error), str(error)
    assert together in refusals if refusals else together == single


BATCH = Batch.of(H, TRUE, PRED)


@pytest.fixture(scope="module")
def singles():
    """What each measure gives alone, where undefined scores are nan and where they are refused."""
    return {undefined: [alone(each, BATCH, undefined) for each in ALL_OF_THEM] for undefined in ("nan", "error")}


def check_pairs(numbers, singles, undefined):
    for i, j in numbers:
        pair = [ALL_OF_THEM[i], ALL_OF_THEM[j]]
        check_pair(pair, [singles[undefined][i], singles[undefined][j]], BATCH, undefined)


@pytest.mark.parametrize("undefined", ["nan", "error"])
def test_a_refusal_does_not_depend_on_company(singles, undefined):
    """Each measure that refuses stands once before and once after every other one."""
    refusing = [k for k, each in enumerate(singles["nan"]) if isinstance(each, tuple)]
    assert len(refusing) >= 8
    pairs = [pair for i in refusing for j in range(len(ALL_OF_THEM)) for pair in ((i, j), (j, i)) if i != j]
    check_pairs(pairs, singles, undefined)


def test_all_measures_together_in_many_orders(singles):
    """Every ordered pair, in the company of all others."""
    scoring = [k for k, each in enumerate(singles["nan"]) if not isinstance(each, tuple)]
    random = np.random.default_rng(1)
    for order in (scoring, scoring[::-1], *(random.permutation(scoring) for _ in range(8))):
        together = score_together([ALL_OF_THEM[k] for k in order], BATCH, undefined="nan")
        assert [found(scores) for scores in together] == [singles["nan"][k] for k in order]


def test_every_ordered_pair_of_usual_measures(singles):
    first = {each.name: k for k, each in reversed(list(enumerate(named())))}
    check_pairs(itertools.permutations(first.values(), 2), singles, "nan")


@pytest.mark.long
@pytest.mark.parametrize("undefined", ["nan", "error"])
def test_every_ordered_pair(singles, undefined):
    check_pairs(itertools.permutations(range(len(ALL_OF_THEM)), 2), singles, undefined)


def test_weighted_edges_are_refused_in_company():
    """A horizon counts edges: what refuses weighted edges alone refuses them behind a measure that does not."""
    batch = Batch.of(Hierarchy.from_edges([(*edge, 2.0) for edge in EDGES]), TRUE, PRED)
    for names in itertools.permutations(["F_H", "F_H(horizon=2)", "GIE", "GIE(horizon=2)", "SDL"], 2):
        pair = [*map(measure, names)]
        check_pair(pair, [alone(each, batch, "nan") for each in pair], batch, "nan")


def test_the_greatest_scores_in_company():
    """Measures of one k share a model as the measures themselves do, and refuse as they do."""
    batch = Batch.of(H, TRUE, SCORED)
    texts = ["F_H@1", "simGIC@1", "simUI@1", "F_H@2", "F_LCA@2", "P_LCA@2", "F_LCA@1", "distance@2", "ICM@2", "GIE@2"]
    for names in itertools.permutations(texts, 2):
        pair = [*map(measure, names)]
        check_pair(pair, [alone(each, batch, "nan") for each in pair], batch, "nan")


@dataclass(frozen=True, init=False)
class Shifted(SetMeasure):
    """A child with a model of its own: the weights of all classes are shifted, by what its key does not say."""

    shift = 0.0

    def shifted(self, by):
        self.__dict__["shift"] = by
        return self

    def _weights(self, h):
        return super()._weights(h) + self.shift


def test_children_of_a_class_share_no_model():
    pair = [Shifted("one", "ancestors").shifted(1), Shifted("two", "ancestors").shifted(5)]
    for each in (pair, pair[::-1]):
        check_pair(each, [alone(one, BATCH, "nan") for one in each], BATCH, "nan")


# ---- wherever measures are asked for

ASKED = ["F_H", "simGIC", "P_LCA", "F_LCA(method='greedy')", "R_LCA(horizon=2)", "matched_F(cost='lca_height')",
         "GIE(cost='lca_height', default_cost=0.5)", "simUI(top=True)", "MGIA(normalizer='union')", "ICM"]  # fmt: skip


def outcome(run, *arguments):
    """What comes of a run: what it returns, or its refusal."""
    try:
        return run(*arguments)
    except HemlpError as error:
        return type(error), str(error)


def same_in_company(run):
    """``run(measures) → {measure: value}``: of every ordered pair what each gives alone, or the refusal of one."""
    single = {name: outcome(run, [name]) for name in ASKED}
    assert sum(isinstance(each, tuple) for each in single.values()) >= 3
    for pair in itertools.permutations(ASKED, 2):
        together = outcome(run, list(pair))
        refusals = [single[name] for name in pair if isinstance(single[name], tuple)]
        if refusals:
            assert together in refusals, pair
        else:
            assert together == {name: single[name][name] for name in pair}, pair


def evaluated(ev):
    return {name: found(scores) for name, scores in ev.scores["A"].items()}


def test_evaluate():
    same_in_company(lambda names: evaluated(evaluate(H, TRUE, {"A": PRED}, names, undefined="nan")))


def test_names_of_ones_own():
    for names in (("F_H", "simUI"), ("P_LCA", "R_LCA")):
        swapped = dict(zip(names, names[::-1], strict=True))
        ev = evaluated(evaluate(H, TRUE, {"A": PRED}, swapped, undefined="nan"))
        single = {of: evaluated(evaluate(H, TRUE, {"A": PRED}, [of], undefined="nan"))[of] for of in names}
        assert ev == {name: single[of] for name, of in swapped.items()}


def test_chunks_workers_folders_and_files(tmp_path):
    """All texts together, in any order, are what they are alone."""
    texts = list(dict.fromkeys(each for each in map(str, named()) if "custom" not in each))
    texts = [text for text in texts if not isinstance(alone(measure(text), BATCH, "nan"), tuple)]
    single = {text: evaluated(evaluate(H, TRUE, {"A": PRED}, [text], undefined="nan"))[text] for text in texts}
    for order, options in (
        (texts, {"chunk": 2}),
        (texts[::-1], {"chunk": 4, "workers": 2}),
        (texts, {"chunk": 3, "resume": tmp_path / "run"}),
        (texts[::-1], {"memory": "2GB"}),
    ):
        ev = evaluate(H, TRUE, {"A": PRED}, order, undefined="nan", **options)
        assert evaluated(ev) == single
        ev.to_json(tmp_path / "ev.json")
        assert evaluated(Evaluation.from_json(tmp_path / "ev.json")) == single


@pytest.fixture
def files(tmp_path):
    (tmp_path / "h.csv").write_text("parent,child\n" + "".join(f"{a},{b}\n" for a, b in EDGES))
    for name, sets in (("gold", TRUE), ("A", PRED)):
        (tmp_path / f"{name}.txt").write_text("".join(" ".join(row) + "\n" for row in sets))
    return tmp_path


def test_studies(files):
    def run(names):
        listed = ", ".join(f'"{name}"' for name in names)
        lines = [f"measures = [{listed}]", "hierarchy = 'h.csv'", "true = 'gold.txt'", "systems.A = 'A.txt'"]
        (files / "study.toml").write_text("\n".join([*lines, "options.undefined = 'nan'"]))
        return evaluated(Study.read(files / "study.toml").run())

    same_in_company(run)


def test_the_command_line(files):
    paths = [str(files / name) for name in ("h.csv", "gold.txt", "A.txt")]

    def run(names):
        out = files / "out.json"
        asked = [word for name in names for word in ("-m", name)]
        result = CliRunner().invoke(commands, ["evaluate", *paths, *asked, "--undefined", "nan", "--json", str(out)])
        if isinstance(result.exception, HemlpError):
            raise result.exception
        assert result.exit_code == 0
        return evaluated(Evaluation.from_json(out))

    same_in_company(run)


def test_metrics_and_explanations():
    """A function of its own, a metric, and what is explained beside others."""
    batch = Batch.of(H, TRUE, PRED)
    for name, other in itertools.permutations(["F_H", "simUI", "SDL", "P_LCA", "F_LCA", "funSimAvg", "BMA"], 2):
        both = {each: Metric(each, hierarchy=H, average=None) for each in (name, other)}
        for metric in both.values():
            metric.update(TRUE, PRED)
        (scores,) = score_together([measure(other)], batch)
        assert both[other].compute().tobytes() == scores.values.tobytes()
        shown = explain(batch, {each: measure(each) for each in (name, other)}, 1)
        assert {k: v for part in shown.parts for k, v in part.values.items()}[other] == scores.values[1]
    for name in ("simGIC", "ICM"):
        with pytest.raises(InvalidOption, match="needs weights"):
            Metric(name, hierarchy=H).update(TRUE, PRED)
        with pytest.raises(InvalidOption, match="needs weights"):
            curve(H, TRUE, SCORED, ["F_H", name])
        for asked in (["F_H", name], [name, "F_H"], [name]):
            with pytest.raises(InvalidOption, match="needs weights"):
                explain(batch, {each: measure(each) for each in asked}, 1)
