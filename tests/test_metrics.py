"""The measures as scikit-learn's users know them."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from hemlp import Batch, Hierarchy, examples, measure, metrics
from hemlp.errors import InvalidOption
from hemlp.measures.named import NAMED

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
TRUE, PRED = ["sheep", "cow", "bird"], ["cow", "cow", "mammal"]


@pytest.mark.parametrize("name", NAMED)
def test_every_measure_has_a_function(name):
    needed = {key: dict.fromkeys(H, 1.0) for key in NAMED[name].needed}
    m = measure(name, **needed)
    function = partial(getattr(metrics, f"{name.lower()}_{'score' if m.greater_is_better else 'loss'}"), **needed)
    scores = m.score(Batch.of(H, TRUE, PRED))
    assert function(TRUE, PRED, hierarchy=H) == scores.mean()
    assert function(TRUE, PRED, hierarchy=H, average=None).tolist() == scores.values.tolist()
    weights = [1, 0, 3]
    assert function(TRUE, PRED, hierarchy=H, sample_weight=weights) == pytest.approx(
        np.average(scores.values, weights=weights)
    )
    function = function.func
    assert pickle.loads(pickle.dumps(function)) is function
    assert function.__doc__.startswith(name)
    assert function.__name__ in metrics.__all__


def test_matrices_parameters_and_averages():
    labels = ["sheep", "cow", "bird", "mammal"]
    y, z = np.array([[1, 0, 0, 0], [0, 1, 1, 0]]), np.array([[0, 1, 0, 0], [0, 1, 0, 1]])
    batch = Batch.of(H, [["sheep"], ["cow", "bird"]], [["cow"], ["cow", "mammal"]])
    assert metrics.f_h_score(y, z, hierarchy=H, labels=labels) == measure("F_H").score(batch).mean()
    micro = measure("F_H").micro_average(measure("F_H").score(batch))
    assert metrics.f_h_score(y, z, hierarchy=H, labels=labels, average="micro") == micro
    assert (
        metrics.gie_loss(TRUE, PRED, hierarchy=H, default_cost=1)
        == measure("GIE", default_cost=1).score(Batch.of(H, TRUE, PRED)).mean()
    )
    for options in ({"average": "macro"}, {"sample_weight": [1, 2]}, {"sample_weight": [0, 0, 0]}, {"horizont": 2}):
        with pytest.raises(InvalidOption):
            metrics.f_h_score(TRUE, PRED, hierarchy=H, **options)
    with pytest.raises(InvalidOption, match="average='micro'"):
        metrics.gie_loss(TRUE, PRED, hierarchy=H, average="micro")
    with pytest.raises(AttributeError, match="f_lca_score"):
        _ = metrics.f_score_lca


def test_scorers_in_a_grid_search():
    rng = np.random.default_rng(0)
    y = np.array(["sheep", "cow", "bird"] * 20)
    x = np.array([{"sheep": 0.0, "cow": 0.3, "bird": 5.0}[c] for c in y])[:, None] + rng.normal(0, 0.3, (60, 1))
    scorer = make_scorer(metrics.f_lca_score, hierarchy=H)
    loss = make_scorer(metrics.gie_loss, greater_is_better=False, hierarchy=H)
    search = GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 5]}, scoring={"f": scorer, "gie": loss}, refit="f", cv=3, n_jobs=2
    )
    search.fit(x, y)
    assert 0.5 < search.best_score_ <= 1
    assert (search.cv_results_["mean_test_gie"] <= 0).all()
    dummy = DummyClassifier(strategy="most_frequent").fit(x, y)
    assert scorer(dummy, x, y) < search.best_score_
    assert pickle.loads(pickle.dumps(scorer))(dummy, x, y) == scorer(dummy, x, y)


def test_real_data():
    example = examples.mesh_mini()
    value = metrics.f_lca_score(example.true, example.systems["knn30"], hierarchy=example.hierarchy)
    batch = Batch.of(example.hierarchy, example.true, example.systems["knn30"])
    assert value == measure("F_LCA").score(batch).mean()
