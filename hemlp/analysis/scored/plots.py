"""Plots of curves by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hemlp.analysis.scored.threshold_steps import best_index
from hemlp.io.figures import COLOURS, new_figure, plain
from hemlp.text.tables import plural

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hemlp.analysis.scored.cafa import Cafa
    from hemlp.analysis.scored.curve import Curve


def curve_plot(c: Curve, band: bool) -> Figure:
    """Each measure over the threshold, with its best point; the value at a threshold holds down to the next one."""
    figure, axes = new_figure(7.0, 3.8)
    for k, name in enumerate(c.measures):
        colour = COLOURS[k % len(COLOURS)]
        best = c.best(name)
        label = f"{plain(name)}: best {best.value:.3f} at {best.threshold:.3g} (optimistic)"
        axes.step(c.thresholds, c[name], where="pre", color=colour, linewidth=1.3, label=label)
        axes.plot([best.threshold], [best.value], "o", color=colour, markersize=5)
        if band:
            at, low, high = c.band(name)
            some = len(at) < len(c.thresholds)  # steps between these would be wider than those of the curve
            axes.fill_between(at, low, high, step=None if some else "pre", color=colour, alpha=0.15, linewidth=0)
    axes.set(xlabel=f"threshold ({c.kind})", ylabel=f"mean over {plural(c.instances, 'instance')}")
    axes.legend(frameon=False, fontsize=9, title="shaded: 95% intervals" if band else None, title_fontsize=9)
    return figure


def cafa_plot(q: Cafa) -> Figure:
    """Mean precision against mean recall, with the point where F is greatest."""
    figure, axes = new_figure(4.8, 4.2)
    axes.step(q.recall[::-1], q.precision[::-1], where="pre", color=COLOURS[0], linewidth=1.3)
    k = best_index(q.f, True)
    label = f"Fmax {q.fmax:.3f} at {q.fmax_threshold:.3g} (optimistic)"
    axes.plot([q.recall[k]], [q.precision[k]], "o", color=COLOURS[1], markersize=6, label=label)
    axes.set(xlabel="mean recall", ylabel="mean precision", xlim=(0, 1), ylim=(0, 1))
    axes.legend(frameon=False, fontsize=9)
    return figure
