"""Pools of answers: bounds hold for every answer and scenario, and a race finds what scoring the whole pool finds."""

from __future__ import annotations

import numpy as np
import pytest

from hemlp import Belief, Hierarchy, LabelSets, decide, measure
from hemlp.analysis.decision import contenders
from hemlp.instances.batch import Side
from hemlp.problems.decision.scenarios import batch_of, side_of

TEXTS = (
    "F_LCA", "P_LCA", "R_LCA", "F_LCA(method='greedy')", "F_LCA(horizon=2)", "MGIA", "MGIA(default_cost=2)",
    "MGIA(pairing='nearest')", "MGIA(horizon=2)", "MGIA(max_distance=3)", "BMA(cost='wu_palmer')",
    "funSimAvg(cost='wu_palmer')", "funSimMax(cost='wu_palmer')",
)  # fmt: skip


def random_corpus(rng):
    """A hierarchy with one to three roots, trees among them, and label sets, some of them empty or with ancestors."""
    size, roots, parents = (int(rng.integers(*limits)) for limits in ((3, 25), (1, 4), (2, 4)))
    names = rng.permutation(size)
    edges = [
        (int(names[p]), int(names[c]))
        for c in range(roots, size)
        for p in rng.choice(c, min(c, int(rng.integers(1, parents))), replace=False)
    ]
    h = Hierarchy.from_edges(edges, classes=range(size))
    sets = [rng.choice(size, min(size, int(rng.integers(0, 6))), replace=False).tolist() for _ in range(8)]
    drawn = [sets[k] for k in rng.integers(0, len(sets), 20)]  # some are likelier than others
    return h, Belief.corpus(LabelSets.of(drawn, rows="sets"))


@pytest.mark.parametrize("text", TEXTS)
def test_no_score_is_above_its_bound(text):
    rng, own, tight, pairs = np.random.default_rng(21), measure(text), 0, 0
    for _ in range(25):
        h, belief = random_corpus(rng)
        one = belief.scenarios(h)
        every = np.arange(len(h))
        answers = Side.concatenate([one.sets, side_of([rng.choice(every, rng.integers(0, len(h))) for _ in range(6)])])
        answers = side_of([np.unique(answers[k]) for k in range(len(answers))])
        upper = contenders._bound(own, one, answers)(answers)
        true = one.sets.take(np.tile(np.arange(len(one.sets)), len(answers)))
        batch = batch_of(h, true, answers.take(np.repeat(np.arange(len(answers)), len(one.sets))))
        scored, closer = own.score(batch).values.reshape(upper.shape), contenders._closer_bounds(own, batch)
        assert (scored <= upper + 1e-12).all()
        if closer is not None:
            assert (scored <= closer.reshape(upper.shape) + 1e-12).all()
            assert (closer.reshape(upper.shape) <= upper + 1e-12).all()
        tight, pairs = tight + np.count_nonzero(upper < scored + 1e-9), pairs + upper.size
    assert tight > pairs / 5


@pytest.mark.parametrize("text", TEXTS)
def test_a_race_finds_what_the_whole_pool_has(text, monkeypatch):
    rng, own, left, pool = np.random.default_rng(22), measure(text), 0, 0
    for name, value in {"FIRST": 2, "LAPS": 3, "AT_ONCE": 30}.items():
        monkeypatch.setattr(contenders, name, value)
    for k in range(16):
        h, belief = random_corpus(rng)
        monkeypatch.setattr(contenders, "SMALL", 10**9)
        whole = decide(h, belief, own, at_least=k % 2)
        assert whole.candidates[0] == len(whole.model(0).pool)
        monkeypatch.setattr(contenders, "SMALL", 0)
        few = decide(h, belief, own, at_least=k % 2)
        assert (list(few.sets), few.expected.tolist()) == (list(whole.sets), whole.expected.tolist())
        assert few.candidates.tolist() == whole.candidates.tolist()
        left, pool = left + len(few.model(0).pool), pool + int(few.candidates[0])
    assert left < pool / 3


def test_a_measure_without_a_bound_scores_its_whole_pool(monkeypatch):
    monkeypatch.setattr(contenders, "SMALL", 0)
    h, belief = random_corpus(np.random.default_rng(23))
    for text in ("F_De", "F_LCA(method='extended')", "F_Tol"):
        d = decide(h, belief, text, at_least=1)
        assert d.candidates[0] == len(d.model(0).pool)
