"""Plots of an evaluation by matplotlib."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from hemlp import Evaluation, evaluate, examples
from hemlp.analysis.statistics.exact_greedy import compare_exact_greedy
from hemlp.errors import InvalidOption, MissingDependency
from hemlp.report import plots


@pytest.fixture(scope="module")
def mini() -> Evaluation:
    example = examples.mesh_mini()
    return evaluate(
        example.hierarchy, example.true, example.systems, ["accuracy", "F", "GIE", "F_LCA"], names=example.names
    )


def test_every_plot_is_drawn(mini):
    example = examples.mesh_mini()
    gap = compare_exact_greedy(example.hierarchy, example.true, example.systems["knn30"], sample=40)
    figures = [
        plots.rank_chart(mini),
        plots.kendall_heat_map(mini),
        plots.distribution(mini, "F_LCA"),
        plots.distribution(mini, "GIE"),
        plots.score_by_depth(mini, "F_LCA"),
        plots.exact_minus_greedy([("knn30", gap)]),
    ]
    for k, figure in enumerate(figures):
        ET.fromstring(plots.svg(figure, str(k)))
    assert plots.svg(plots.rank_chart(mini), "a") == plots.svg(plots.rank_chart(mini), "a")


def test_ties_stand_side_by_side(mini):
    """All five systems share rank 1 by accuracy: five points, none on another."""
    lines = plots.rank_chart(mini).axes[0].get_lines()
    points = {(line.get_xdata()[0], line.get_ydata()[0]) for line in lines}
    assert len(points) == 5
    assert {y for _, y in points} == {1}


def test_scores_by_depth_are_means(mini):
    batch = mini.inputs.take("knn30", range(200))
    deepest = np.array([batch.hierarchy.unit_depths[batch.true[i]].max(initial=-1) for i in range(len(batch))])
    (line,) = [
        each for each in plots.score_by_depth(mini, "F_LCA").axes[0].get_lines() if each.get_label() == "knn30"
    ]  # fmt: skip
    for depth, value in zip(line.get_xdata(), line.get_ydata(), strict=True):
        assert value == pytest.approx(mini.per_instance("knn30", "F_LCA")[deepest == depth].mean())


def test_plots_say_what_is_missing(mini, monkeypatch, tmp_path):
    mini.to_json(tmp_path / "e.json")
    with pytest.raises(InvalidOption, match="read from a file"):
        plots.score_by_depth(Evaluation.from_json(tmp_path / "e.json"), "F_LCA")
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingDependency, match="hemlp\\[plot\\]"):
        plots.rank_chart(mini)
