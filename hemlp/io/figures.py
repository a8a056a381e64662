"""Figures of matplotlib, which is loaded where one is drawn: colours, axes without a frame, SVG and image files."""

from __future__ import annotations

import io
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hemlp.errors import InvalidOption, MissingDependency
from hemlp.escaping import markup, printable
from hemlp.io.files import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#1b5e91", "#a85a12", "#2e6b34", "#7a3b8f", "#b02a37", "#00737a", "#6b5b00", "#5c5c5c")
MARKERS = "osD^vP*X"


def new_figure(width: float, height: float, panels: int | None = None) -> tuple[Figure, Any]:
    """An empty figure, in inches, and its axes; or a list of panels of this size, at most four beside each other."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingDependency("plots need matplotlib: pip install matplotlib") from None
    from hemlp.io.notebook_figure import Plot

    rows, columns = -(-(panels or 1) // 4), min(panels or 1, 4)
    figure = Plot(figsize=(width * columns + (panels is not None), height * rows), layout="constrained")
    axes = [figure.add_subplot(rows, columns, k + 1) for k in range(panels or 1)]
    for each in axes:
        each.spines[["top", "right"]].set_visible(False)
    return figure, axes[0] if panels is None else axes


def line_style(k: int) -> dict[str, str]:
    """Colour and marker of the k-th line."""
    return {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[(k + k // len(COLOURS)) % len(MARKERS)]}


def plain(text: str) -> str:
    """A text on one line, in which $ does not start mathematics."""
    return printable(text).replace("$", r"\$")


def save(figure: Figure, path: str | PathLike[str] | None) -> Figure:
    """Write a figure, if a file is given, in the format of its suffix."""
    if path is None:
        return figure
    ending = Path(path).suffix.removeprefix(".").lower()
    known = figure.canvas.get_supported_filetypes()
    if ending not in known:
        raise InvalidOption(f"{fspath(path)}: figures are written as .{', .'.join(known)}")
    image = io.BytesIO()
    figure.savefig(
        image, format=ending, metadata={"Title": describe(figure)} if ending in ("svg", "png", "pdf") else {}
    )
    write_bytes(path, image.getvalue())
    return figure


def describe(figure: Figure) -> str:
    """A figure in words, for readers who cannot see it: titles and labels of its axes, and the names in its legend."""
    words = []
    for axes in figure.axes:
        legend = axes.get_legend()
        names = legend.get_texts() if legend is not None else axes.get_yticklabels()
        labels = filter(None, (axes.get_title(), axes.get_ylabel(), axes.get_xlabel()))
        words.append(f"{', '.join(labels)}: {', '.join(text.get_text() for text in names)}")
    return "; ".join(words).replace(r"\$", "$")


def svg(figure: Figure, name: str) -> str:
    """A figure as an SVG element for a page; ``name`` keeps its ids apart from those of others."""
    import matplotlib as mpl

    text = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    start, rest = text.getvalue().partition("<svg")[2].split(">", 1)
    return f'<svg role="img"{start}><title>{markup(describe(figure))}</title>{rest}'
