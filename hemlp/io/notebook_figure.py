"""Figures that show themselves in notebooks, without any setup of matplotlib."""

from __future__ import annotations

from matplotlib.figure import Figure

from hemlp.io.figures import svg


class Plot(Figure):
    """A figure of matplotlib that a notebook shows as SVG."""

    def _repr_svg_(self) -> str:
        return svg(self, "plot")
