"""The measures as scikit-learn's users know them."""

from __future__ import annotations

import math
import pickle
from functools import partial

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from hemlp import Batch, Hierarchy, evaluate, examples, measure, metrics
from hemlp.errors import HemlpError, InvalidOption, UnknownLabel
from hemlp.measures.catalogue import NAMED

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


# ---- a metric that is fed batch by batch


def batches():
    """Three batches of label sets, with empty ones among them."""
    return [
        (["sheep", "cow"], ["cow", "cow"]),
        ([["bird"], []], [[], []]),
        ([["mammal"], [], ["cow", "bird"]], [["sheep"], ["cow"], ["cow"]]),
    ]


@pytest.mark.parametrize("name", ["F_LCA", "F_H", "GIE", "MGIA(default_cost=4)", "jaccard"])
@pytest.mark.parametrize("average", ["samples", None, "micro"])
def test_a_metric_in_parts_is_that_of_the_whole(name, average):
    whole = [[row for pair in batches() for row in pair[side]] for side in (0, 1)]
    metric = metrics.Metric(name, hierarchy=H, average=average)
    if average == "micro" and name in ("GIE", "MGIA(default_cost=4)"):
        metric.update(*whole)
        with pytest.raises(InvalidOption, match="average='micro'"):
            metric.compute()
        return
    scores = measure(name).score(Batch.of(H, *whole))
    wanted = {"samples": scores.mean, None: lambda: scores.values, "micro": lambda: measure(name).micro_average(scores)}
    for _ in range(2):
        for true, pred in batches():
            metric.update(true, pred)
        assert np.array_equal(metric.compute(), wanted[average]())
        assert len(metric) == 7
        metric.reset()
    parts = [metrics.Metric(name, hierarchy=H, average=average) for _ in batches()]
    for part, pair in zip(parts, batches(), strict=True):
        part.update(*pair)
    others = pickle.loads(pickle.dumps(parts[1:]))
    assert np.array_equal(parts[0].merge_state(others).compute(), wanted[average]())
    assert repr(parts[0]).endswith("7 instances)")


def test_a_metric_says_what_is_wrong():
    metric = metrics.Metric("F_H", hierarchy=H)
    with pytest.raises(HemlpError, match="has seen no instance: call update"):
        metric.compute()
    with pytest.raises(HemlpError, match="'yeti'"):
        metric.update(["sheep"], ["yeti"])
    assert len(metric) == 0
    for other in (metrics.Metric("F", hierarchy=H), metrics.Metric("F_H", hierarchy=[("a", "b")])):
        with pytest.raises(InvalidOption, match="only metrics of the same measure"):
            metric.merge_state([other])
    coded = metrics.Metric("F", hierarchy=H, labels=["sheep", "cow"])
    coded.update([0, 1], [[1, 0], [1, 0]])
    assert coded.compute() == 0.5


@pytest.mark.parametrize("average", ["samples", "micro"])
@pytest.mark.parametrize("value", [0, 1, np.nan])
def test_zero_division_is_that_of_scikit_learn(value, average):
    """Flat P, R, F and Jaccard, with empty sets on either side and on both."""
    from sklearn import metrics as theirs

    classes = ["bird", "cow", "sheep"]
    true = np.array([[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 1, 1]])
    pred = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0]])
    functions = {
        metrics.p_score: theirs.precision_score,
        metrics.r_score: theirs.recall_score,
        metrics.f_score: theirs.f1_score,
        metrics.jaccard_score: theirs.jaccard_score,
    }
    nothing = np.zeros_like(true)
    for ours, other in functions.items():
        if ours is metrics.jaccard_score and np.isnan(value):
            continue  # which scikit-learn does not offer
        for y in (pred, nothing):
            for x in (true, nothing):
                found = ours(x, y, hierarchy=H, labels=classes, average=average, zero_division=value)
                wanted = other(x, y, average=average, zero_division=value)
                assert found == pytest.approx(wanted, nan_ok=True), (ours.__name__, x, y)


def test_zero_division_by_convention_and_by_mistake():
    true, pred = [["bird"], [], []], [[], [], ["bird"]]
    assert metrics.p_score(true, pred, hierarchy=H, average=None).tolist() == [0, 1, 0]
    with pytest.warns(UserWarning, match="P is 0 / 0 on 2 instances, and 0 there"):
        found = metrics.p_score(true, pred, hierarchy=H, average=None, zero_division="warn")
    assert found.tolist() == [0, 0, 0]
    weighted = metrics.p_score(true, pred, hierarchy=H, zero_division=np.nan, sample_weight=[1, 2, 3])
    assert weighted == 0
    assert np.isnan(metrics.p_score(true, pred, hierarchy=H, zero_division=np.nan, sample_weight=[1, 2, 0]))
    metric = metrics.Metric("P_LCA", hierarchy=H, zero_division=1)
    metric.update(true, pred)
    assert metric.compute() == pytest.approx(2 / 3)
    with pytest.raises(InvalidOption, match="zero_division=0.5 is not 0, 1, nan or 'warn'"):
        metrics.p_score(true, pred, hierarchy=H, zero_division=0.5)
    with pytest.raises(InvalidOption, match="for ratios of two counts, which GIE is not"):
        metrics.gie_loss(true, pred, hierarchy=H, zero_division=0)


def test_unknown_labels():
    """As of evaluate: an error, dropped, or isolated, with what each of them pays."""
    true, pred = [["cow"], ["sheep"]], [["yeti"], ["sheep", "yeti"]]
    for name in ("F_LCA", "F_H", "SDL", "hamming"):
        function = f"{name.lower()}_{'score' if measure(name).greater_is_better else 'loss'}"
        for options in ({"unknown": "drop"}, {"unknown": "isolate"}):
            wanted = evaluate(H, true, {"s": pred}, [name], **options).per_instance("s", name).tolist()
            call = getattr(metrics, function)
            assert call(true, pred, hierarchy=H, average=None, **options).tolist() == wanted
            if (name, options["unknown"]) != ("hamming", "isolate"):  # refused, see below
                metric = metrics.Metric(name, hierarchy=H, average=None, **options)
                metric.update(true, pred)
                assert metric.compute().tolist() == wanted
        with pytest.raises(UnknownLabel, match="'yeti'.*choose unknown='drop' .* or unknown='isolate'"):
            getattr(metrics, function)(true, pred, hierarchy=H)
        with pytest.raises(UnknownLabel, match="'yeti'.*choose unknown_true='isolate'"):
            getattr(metrics, function)(pred, true, hierarchy=H)
        assert getattr(metrics, function)(pred, pred, hierarchy=H, unknown="drop", unknown_true="drop") in (0, 1)
    with pytest.raises(InvalidOption, match="unknown='skip'"):
        metrics.f_score(true, pred, hierarchy=H, unknown="skip")
    # an invented label earns something from F_LCA where it is isolated, and nothing where it is dropped
    assert metrics.f_lca_score(["cow"], ["yeti"], hierarchy=H, unknown="isolate") > 0
    assert metrics.f_lca_score(["cow"], ["yeti"], hierarchy=H, unknown="drop") == 0
    one, other = (metrics.Metric("F_LCA", hierarchy=H, unknown=unknown) for unknown in ("drop", "isolate"))
    with pytest.raises(InvalidOption, match="choice of unknown= can be merged"):
        one.merge_state([other])


def test_a_metric_is_small_however_much_it_saw():
    """Its pickle has neither the hierarchy nor the scores, and merges to the same tally in any order."""
    large = Hierarchy.from_edges([("r", f"c{k}") for k in range(5000)])
    whole = metrics.Metric("F_H", hierarchy=large)
    parts = [metrics.Metric("F_H", hierarchy=large) for _ in range(3)]
    rng = np.random.default_rng(0)
    sizes = []
    for k in range(12):
        true, pred = ([f"c{c}" for c in rng.integers(0, 3, 500)] for _ in range(2))
        whole.update(true, pred)
        parts[k % 3].update(true, pred)
        sizes.append(len(pickle.dumps(whole)))
    assert max(sizes) < 3000
    assert sizes[-1] <= sizes[2] + 20
    sent = pickle.loads(pickle.dumps(parts))
    merged = sent[2].merge_state([sent[0], sent[1]])
    assert merged.tally.to_bytes() == whole.tally.to_bytes()
    assert merged.compute() == whole.compute() == parts[0].merge_state(parts[1:]).compute()
    with pytest.raises(InvalidOption, match="set metric.hierarchy = h"):
        merged.update(["c1"], ["c1"])
    merged.hierarchy = large
    merged.update(["c1"], ["c1"])
    assert len(merged) == 6001
    with pytest.raises(InvalidOption, match="average, zero_division"):
        merged.merge_state([metrics.Metric("F_H", hierarchy=large, zero_division=0)])


def gather(rank: int, file: str) -> float:
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
    metric = metrics.Metric("F_LCA", hierarchy=H)
    metric.update(*(list(batches())[rank]))
    seen: list = [None, None]
    dist.all_gather_object(seen, metric)
    dist.destroy_process_group()
    return metrics.Metric("F_LCA", hierarchy=H).merge_state(seen).compute()


def test_metrics_of_torch_processes_merge(tmp_path):
    pytest.importorskip("torch")
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        found = list(pool.map(gather, (0, 1), [str(tmp_path / "store")] * 2))
    metric = metrics.Metric("F_LCA", hierarchy=H)
    for pair in list(batches())[:2]:
        metric.update(*pair)
    assert found == [metric.compute()] * 2


def test_sample_weights_of_any_size():
    """The sum of large weights was infinite, and the mean 0."""
    for weight in (1e308, 5e-324):
        assert metrics.f_h_score(["sheep"] * 4, ["sheep"] * 4, hierarchy=H, sample_weight=[weight] * 4) == 1
    for wrong in ([math.inf, 1], "ab", [1j, 1]):
        with pytest.raises(InvalidOption, match="one finite number"):
            metrics.f_h_score(["sheep", "cow"], ["sheep", "cow"], hierarchy=H, sample_weight=wrong)


def test_hamming_of_unknown_labels_does_not_depend_on_batches():
    """Isolated classes of one batch were not those of another, and it divides by the number of classes."""
    with pytest.raises(InvalidOption, match="divides by the number of classes"):
        metrics.Metric("hamming", hierarchy=H, unknown="isolate")
    whole, cut = (metrics.Metric("hamming", hierarchy=H.with_isolated(["yeti"])) for _ in range(2))
    whole.update(TRUE, ["yeti", "cow", "mammal"])
    for true, pred in zip(TRUE, ["yeti", "cow", "mammal"], strict=True):
        cut.update([true], [pred])
    assert cut.compute() == whole.compute()
