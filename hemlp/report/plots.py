"""Plots of an evaluation by matplotlib: each function returns a Figure."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.analysis.statistics.comparable import comparable
from hemlp.analysis.statistics.exact_greedy import SAME, ExactGreedy
from hemlp.errors import InvalidOption, MissingDependency
from hemlp.escaping import printable
from hemlp.io.files import write_bytes
from hemlp.measures.instance_scores import mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hemlp.analysis.ranking_sensitivity import Sensitivities
    from hemlp.results.evaluation import Evaluation
    from hemlp.run.sweep import Sweep

COLOURS = ("#1b5e91", "#a85a12", "#2e6b34", "#7a3b8f", "#b02a37", "#00737a", "#6b5b00", "#5c5c5c")
MARKERS = "osD^vP*X"


def check_plots() -> None:
    """Say what to install where matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingDependency("plots need matplotlib: pip install 'hemlp[plot]'") from None


def _figure(width: float, height: float) -> tuple[Figure, Any]:
    check_plots()
    from hemlp.report.figures import Plot

    figure = Plot(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def plain(text: str) -> str:
    """A text in which $ is no mathematics, on one line."""
    return printable(text).replace("$", r"\$")


def _look(k: int) -> dict[str, str]:
    return {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[(k + k // len(COLOURS)) % len(MARKERS)]}


def rank_chart(ev: Evaluation) -> Figure:
    """Places by mean over measures, one line per system; systems of one place stand side by side on it."""
    figure, axes = _figure(max(5.0, 1.1 * len(ev.measures) + 2.5), max(3.0, 0.45 * len(ev.systems) + 1.2))
    at = {name: ev.ranks(name) for name in ev.measures}
    for k, system in enumerate(ev.systems):
        xs, ys = [], []
        for m, name in enumerate(ev.measures):
            rank = at[name][system]
            tied = [other for other in ev.systems if at[name][other] == rank]
            xs.append(m + 0.13 * (tied.index(system) - (len(tied) - 1) / 2))
            ys.append(math.nan if rank is None else rank)
        axes.plot(xs, ys, label=plain(system), linewidth=1.6, markersize=8, **_look(k))
    axes.set_xticks(range(len(ev.measures)), list(map(plain, ev.measures)), rotation=20 if len(ev.measures) > 5 else 0)
    axes.set_yticks(range(1, len(ev.systems) + 1))
    axes.invert_yaxis()
    axes.set_ylabel("place by mean (1 is best)")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return figure


def sensitivity_chart(found: Sensitivities, most: float) -> Figure:
    """The mean of each system over the default cost D up to ``most``, with dots where two systems change places."""
    figure, axes = _figure(7.0, 4.2)
    for k, (name, each) in enumerate(found.systems.items()):
        bends = [float(d) for d in each.breakpoints if d < most]
        at = np.unique([*np.linspace(most / 400, most, 400), *bends])
        line = [float(each(float(d))) for d in at]
        axes.plot(at, line, label=plain(name), linewidth=1.6, color=COLOURS[k % len(COLOURS)])
    for d, below, _ in found.flips:
        if d < most:
            axes.plot(float(d), float(found.systems[below](d)), "o", color="black", markersize=4, zorder=3)
    axes.axvline(found.chosen, color="#999999", linewidth=0.8, linestyle=":")
    axes.set_xlim(0, most)
    axes.set_xlabel("default cost D (dots: two systems change places; dotted: as evaluated)")
    axes.set_ylabel(plain(f"mean {found.measure}"))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return figure


def sweep_chart(found: Sweep) -> Figure:
    """Means over the only number that varies; or the places of all systems (rows) at all points (columns)."""
    if found.axis is not None:
        figure, axes = _figure(7.0, 4.2)
        xs = [point[found.axis] for point in found.points]
        for k, name in enumerate(found.systems):
            axes.plot(xs, found.means[:, k], label=plain(name), linewidth=1.6, markersize=6, **_look(k))
        axes.set_xlabel(plain(found.axis))
        axes.set_ylabel(plain(f"mean {found.measure}"))
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        return figure
    places = found.places.T
    figure, axes = _figure(max(4.0, 0.5 * len(found) + 2.5), max(2.6, 0.4 * len(found.systems) + 2.0))
    axes.imshow(places, cmap="YlGnBu_r", vmin=1, vmax=max(2, len(found.systems)), aspect="auto")
    for (row, column), place in np.ndenumerate(places):
        axes.text(column, row, f"{place:.0f}", ha="center", va="center", fontsize=9, color="#c0392b")
    axes.set_yticks(range(len(found.systems)), list(map(plain, found.systems)))
    axes.set_xticks(range(len(found)), list(map(plain, found.evaluation.measures)), rotation=60, ha="right", fontsize=8)
    axes.set_title(plain(f"places by mean {found.measure}"), fontsize=10)
    return figure


def kendall_heat_map(ev: Evaluation) -> Figure:
    """Kendall's τ-b between all pairs of measures."""
    taus = ev.kendall_matrix()
    size = max(3.6, 0.75 * len(ev.measures) + 1.4)
    figure, axes = _figure(size + 0.8, size)
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


def distribution(ev: Evaluation, measure: str) -> Figure:
    """How many instances score how much, one row of bars a system."""
    values = [ev.per_instance(system, measure) for system in ev.systems]
    found = np.concatenate([v[np.isfinite(v)] for v in values])
    infinite = sum(int(np.isinf(v).sum()) for v in values)
    figure, axes = _figure(7.0, max(2.4, 0.55 * len(ev.systems) + 1.2))
    low, high = (float(found.min()), float(found.max())) if found.size else (0.0, 1.0)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    edges = np.linspace(low, high if high > low else low + 1, 26)
    for k, column in enumerate(values):
        counts, _ = np.histogram(column[np.isfinite(column)], edges)
        heights = 0.85 * counts / max(1, int(counts.max()))
        axes.bar(edges[:-1], heights, np.diff(edges), bottom=len(values) - 1 - k, align="edge", color=_look(k)["color"])
    axes.set_yticks([len(values) - 1 - k for k in range(len(values))], list(map(plain, ev.systems)))
    left_out = f"; {infinite:,} infinite ones are not shown" if infinite else ""
    axes.set_xlabel(f"{plain(measure)} of an instance (each row to its own scale{left_out})")
    return figure


def score_by_depth(ev: Evaluation, measure: str) -> Figure:
    """Mean score of the instances on which all systems are defined against the depth of their deepest true class."""
    if ev.inputs is None:
        raise InvalidOption("depths need the data, which an evaluation that was read from a file does not have")
    figure, axes = _figure(7.0, 3.6)
    for k, (system, values) in enumerate(zip(ev.systems, comparable(ev, measure), strict=True)):
        deepest = np.full(len(values), -1)
        for start, batch in ev.inputs.blocks(system):
            depths = batch.hierarchy.unit_depths[batch.true.classes]
            np.maximum.at(deepest, start + np.repeat(np.arange(len(batch)), np.diff(batch.true.ptr)), depths)
        usable = ~np.isnan(values) & (deepest >= 0)
        at = np.unique(deepest[usable])
        means = [mean(values[usable & (deepest == depth)]) for depth in at]
        axes.plot(at, means, label=plain(system), linewidth=1.4, markersize=5, **_look(k))
    axes.set_xlabel("depth of the deepest true class of an instance")
    axes.set_ylabel(f"mean {plain(measure)}")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return figure


def exact_minus_greedy(gaps: Sequence[tuple[str, ExactGreedy]]) -> Figure:
    """Differences of exact and greedy F_LCA, of (system, comparison) pairs, where there are any."""
    figure, axes = _figure(7.0, max(2.2, 0.5 * len(gaps) + 1.2))
    differences = [gap.difference for _, gap in gaps]
    reach = max([0.05, *(float(np.abs(d).max(initial=0)) for d in differences)])
    for k, ((_, gap), column) in enumerate(zip(gaps, differences, strict=True)):
        differing = column[np.abs(column) > SAME]
        row = len(gaps) - 1 - k
        spread = (np.arange(differing.size) % 5 - 2) * 0.08
        axes.scatter(differing, row + spread, s=16, color=_look(k)["color"], alpha=0.7)
        axes.text(
            reach * 1.08, row, f"{differing.size} of {len(gap.rows)} differ", va="center", fontsize=9, clip_on=False
        )  # fmt: skip
    axes.axvline(0, color="#888888", linewidth=0.8)
    axes.set_xlim(-1.04 * reach, 1.04 * reach)
    axes.set_ylim(-0.6, len(gaps) - 0.4)
    axes.set_yticks([len(gaps) - 1 - k for k in range(len(gaps))], [plain(system) for system, _ in gaps])
    axes.set_xlabel("F_LCA exact − greedy, instances that differ")
    return figure


def save(figure: Figure, path: str | PathLike[str]) -> None:
    """Write a figure in the format that the ending of the file's name says."""
    ending = Path(path).suffix.removeprefix(".").lower()
    known = figure.canvas.get_supported_filetypes()
    if ending not in known:
        raise InvalidOption(f"{fspath(path)}: figures are written as .{', .'.join(known)}")
    image = io.BytesIO()
    figure.savefig(image, format=ending)
    write_bytes(path, image.getvalue())


def svg(figure: Figure, name: str) -> str:
    """A figure as an SVG element for a page; ``name`` keeps its ids apart from those of others."""
    from hemlp.report.figures import svg as written

    return written(figure, name)
