"""Figures that show themselves in notebooks, also where nobody has set up matplotlib for them."""

from __future__ import annotations

import io

import matplotlib as mpl
from matplotlib.figure import Figure


class Plot(Figure):
    """A figure of matplotlib. Its last expression in a cell is shown as SVG."""

    def _repr_svg_(self) -> str:
        return svg(self, "plot")


def svg(figure: Figure, name: str) -> str:
    """A figure as an SVG element for a page; ``name`` keeps its ids apart from those of others."""
    text = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    found = text.getvalue()
    return found[found.index("<svg") :]
