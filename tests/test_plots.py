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
        gap.plot(),
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
    with pytest.raises(MissingDependency, match="pip install matplotlib"):
        plots.rank_chart(mini)


def test_an_evaluation_draws_its_means_with_intervals(mini):
    """A panel for each measure, with a line from low to high and a marker at the mean for each system."""
    figure = mini.plot()
    assert [axes.get_title() for axes in figure.axes] == ["accuracy ↑", "F ↑", "GIE ↓", "F_LCA ↑"]
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == list(mini.systems)
    for measure, axes in zip(mini.measures, figure.axes, strict=True):
        drawn = [list(line.get_xdata()) for line in axes.get_lines()]
        expected = [[[*mini.interval(s, measure)], [mini.mean(s, measure)]] for s in mini.systems]
        assert drawn == [line for pair in expected for line in pair]
        rows = {float(y) for line in axes.get_lines() for y in line.get_ydata()}
        assert rows == set(range(len(mini.systems)))
        assert axes.get_ylim()[0] > axes.get_ylim()[1], "the first system stands on top"


def test_many_measures_stand_in_rows_of_four():
    ev = evaluate([("a", "b"), ("a", "c")], ["b", "c"], {"$x": ["b", "b"]}, ["F", "P", "R", "F_H", "P_H"])
    places = [axes.get_position() for axes in ev.plot().axes]
    assert len(places) == 5
    assert places[0].y0 == places[3].y0 > places[4].y0
    ET.fromstring(ev.plot()._repr_svg_())


def test_what_has_a_picture_draws_itself(mini, tmp_path):
    example = examples.mesh_mini()
    gap = compare_exact_greedy(example.hierarchy, example.true, example.systems["knn30"], sample=40)
    (points,) = gap.plot().axes[0].collections
    assert sorted(points.get_offsets()[:, 0]) == pytest.approx(sorted(d for d in gap.difference if abs(d) > 1e-12))
    found = mini.sensitivity("GIE")
    assert not any(line.get_clip_on() for line in found.plot().axes[0].get_lines()[: len(found.systems)])
    assert {text.get_text() for text in found.plot().axes[0].get_legend().get_texts()} == set(mini.systems)
    assert found.plot(tmp_path / "d.svg").axes
    assert (tmp_path / "d.svg").stat().st_size > 1000


def test_a_plot_has_a_text_alternative(mini, tmp_path):
    """What the axes show, and the names of the systems, as the title of an SVG element and in the data of a file."""
    root = ET.fromstring(plots.svg(plots.rank_chart(mini), "alt"))
    assert root.get("role") == "img"
    assert root.find("{*}title").text == "place by mean (1 is best): " + ", ".join(mini.systems)
    mini.sensitivity("GIE").plot(tmp_path / "d.png")
    assert b"mean GIE, default cost D" in (tmp_path / "d.png").read_bytes()
