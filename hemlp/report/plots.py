"""Plots of an evaluation by matplotlib: each function returns a Figure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hemlp.analysis.statistics.correlations import kendall_matrix
from hemlp.analysis.statistics.evaluation_verdicts import common_scores, ranks
from hemlp.analysis.statistics.intervals import interval
from hemlp.errors import InvalidOption
from hemlp.io.figures import line_style, new_figure, plain, save, svg
from hemlp.measures.instance_scores import mean
from hemlp.results.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["distribution", "kendall_heat_map", "mean_chart", "rank_chart", "save", "score_by_depth", "svg"]


def mean_chart(ev: Results) -> Figure:
    """Draw the mean of each system with its 95% interval, one panel per measure, as a figure of matplotlib.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> figure = evaluate(h, ["sheep", "cow"], {"A": ["cow", "cow"]}, ["F_H", "GIE"]).plot()
    >>> [axes.get_title() for axes in figure.axes]
    ['F_H ↑', 'GIE ↓']
    """
    figure, panels = new_figure(2.6, 0.35 * len(ev.systems) + 1.0, panels=len(ev.measures))
    for m, (name, axes) in enumerate(zip(ev.measures, panels, strict=True)):
        for k, system in enumerate(ev.systems):
            low, high = interval(ev, system, name)
            axes.plot([low, high], [k, k], color=line_style(k)["color"], linewidth=1.6)
            axes.plot([ev.mean(system, name)], [k], markersize=7, **line_style(k))
        axes.set_title(plain(f"{name} {'↑' if ev.greater_is_better[name] else '↓'}"), fontsize=10)
        axes.set_yticks(range(len(ev.systems)), list(map(plain, ev.systems)) if m % 4 == 0 else [])
        axes.set_ylim(len(ev.systems) - 0.5, -0.5)
    return figure


def rank_chart(ev: Results) -> Figure:
    """Draw ranks by mean over measures, one line per system; tied systems stand side by side."""
    figure, axes = new_figure(max(5.0, 1.1 * len(ev.measures) + 2.5), max(3.0, 0.45 * len(ev.systems) + 1.2))
    at = {name: ranks(ev, name) for name in ev.measures}
    for k, system in enumerate(ev.systems):
        xs, ys = [], []
        for m, name in enumerate(ev.measures):
            rank = at[name][system]
            tied = [other for other in ev.systems if at[name][other] == rank]
            xs.append(m + 0.13 * (tied.index(system) - (len(tied) - 1) / 2))
            ys.append(math.nan if rank is None else rank)
        axes.plot(xs, ys, label=plain(system), linewidth=1.6, markersize=8, **line_style(k))
    axes.set_xticks(range(len(ev.measures)), list(map(plain, ev.measures)), rotation=20 if len(ev.measures) > 5 else 0)
    axes.invert_yaxis()
    axes.set(yticks=range(1, len(ev.systems) + 1), ylabel="place by mean (1 is best)")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return figure


def kendall_heat_map(ev: Results) -> Figure:
    """Kendall's τ-b between all pairs of measures."""
    taus = kendall_matrix(ev)
    size = max(3.6, 0.75 * len(ev.measures) + 1.4)
    figure, axes = new_figure(size + 0.8, size)
    image = axes.imshow(taus, vmin=-1, vmax=1, cmap="PuOr")
    axes.set_xticks(range(len(ev.measures)), list(map(plain, ev.measures)), rotation=40, ha="right")
    axes.set_yticks(range(len(ev.measures)), list(map(plain, ev.measures)))
    for i in range(len(ev.measures)):
        for j in range(len(ev.measures)):
            value = taus[i, j]
            text = "n/a" if math.isnan(value) else f"{value:.2f}"
            axes.text(j, i, text, ha="center", va="center", color="white" if abs(value) > 0.7 else "black", fontsize=9)
    figure.colorbar(image, ax=axes, shrink=0.8, label="Kendall's τ-b")
    return figure


def distribution(ev: Results, measure: str) -> Figure:
    """Draw a histogram of the scores of instances, one row per system."""
    values = [ev.per_instance(system, measure) for system in ev.systems]
    finite = np.concatenate([v[np.isfinite(v)] for v in values])
    infinite = sum(int(np.isinf(v).sum()) for v in values)
    figure, axes = new_figure(7.0, max(2.4, 0.55 * len(ev.systems) + 1.2))
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    edges = np.linspace(low, high if high > low else low + 1, 26)
    for k, column in enumerate(values):
        counts, _ = np.histogram(column[np.isfinite(column)], edges)
        heights = 0.85 * counts / max(1, int(counts.max()))
        axes.bar(
            edges[:-1], heights, np.diff(edges), bottom=len(values) - 1 - k, align="edge", color=line_style(k)["color"]
        )
    axes.set_yticks([len(values) - 1 - k for k in range(len(values))], list(map(plain, ev.systems)))
    left_out = f"; {infinite:,} infinite ones are not shown" if infinite else ""
    axes.set_xlabel(f"{plain(measure)} of an instance (each row to its own scale{left_out})")
    return figure


def score_by_depth(ev: Results, measure: str) -> Figure:
    """Mean score of the instances on which all systems are defined against the depth of their deepest true class."""
    if ev.inputs is None:
        raise InvalidOption("depths need the data, which an evaluation that was read from a file does not have")
    figure, axes = new_figure(7.0, 3.6)
    for k, (system, values) in enumerate(zip(ev.systems, common_scores(ev, measure), strict=True)):
        deepest = np.full(len(values), -1)
        for start, batch in ev.inputs.blocks(system):
            depths = batch.hierarchy.unit_depths[batch.true.classes]
            np.maximum.at(deepest, start + np.repeat(np.arange(len(batch)), np.diff(batch.true.ptr)), depths)
        usable = ~np.isnan(values) & (deepest >= 0)
        at = np.unique(deepest[usable])
        means = [mean(values[usable & (deepest == depth)]) for depth in at]
        axes.plot(at, means, label=plain(system), linewidth=1.4, markersize=5, **line_style(k))
    axes.set(xlabel="depth of the deepest true class of an instance", ylabel=f"mean {plain(measure)}")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return figure
