"""Figures that show themselves in notebooks, also where nobody has set up matplotlib for them."""

from __future__ import annotations

from matplotlib.figure import Figure

from hemlp.io.figures import svg


class Plot(Figure):
    """A figure of matplotlib. Its last expression in a cell is shown as SVG."""

    def _repr_svg_(self) -> str:
        return svg(self, "plot")
