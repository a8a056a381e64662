"""Drawings of a small part of a hierarchy, as SVG, or as PNG by matplotlib.

Roles are distinguished by shape as well as by colour.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from os import PathLike
from typing import Any

from hemlp.analysis.explain.layout import BOLD, LINE, NODE_STYLES, Box, Layout, Point, text_width
from hemlp.errors import MissingDependency
from hemlp.escaping import markup, printable
from hemlp.io.files import write_bytes
from hemlp.text.tables import plural

PAIR_COLOUR = "#7a3b8f"
EDGE_STYLES = {
    "plain": ("#b9b9b9", 1.2), "true": ("#1b5e91", 2.2), "predicted": ("#a85a12", 2.2), "shared": ("#2e6b34", 3.0),
}  # fmt: skip
STYLE = (
    "svg.hemlp{background:#fff;background:var(--paper,#fff);max-width:100%;height:auto}"
    "svg.hemlp text{font:12px system-ui,'DejaVu Sans',sans-serif;text-anchor:middle;fill:#1c1c1c}"
    "svg.hemlp text.head{font-weight:600;font-size:14px;fill:var(--ink,#1c1c1c)}"
    "svg.hemlp text.legend{text-anchor:start;font-size:11px;fill:var(--ink,#1c1c1c)}"
    f"svg.hemlp rect.back{{fill:#fff;fill:var(--paper,#fff)}}svg.hemlp text.cost{{font-weight:600;fill:{PAIR_COLOUR}}}"
    f"svg.hemlp path{{fill:none}}svg.hemlp path.pair{{stroke:{PAIR_COLOUR};stroke-width:1.6}}"
    + "".join(f"svg.hemlp path.edge.{kind}{{stroke:{c};stroke-width:{w}}}" for kind, (c, w) in EDGE_STYLES.items())
    + "".join(
        f"svg.hemlp g.{name} .box{{fill:{role.fill};stroke:{role.line};stroke-width:{2.4 if role.double else 1.2}"
        + (";stroke-dasharray:4 3" if role.dashed else "") + "}"
        for name, role in NODE_STYLES.items()
    )
)  # fmt: skip
"""The style sheet of all drawings; a viewer that knows no variables skips what has some, so a colour stands before."""


class Picture(Layout):
    """A layout that can be written as SVG or PNG."""

    def to_svg(self, *, style: bool = True) -> str:
        """As SVG; ``style=False`` leaves the style sheet out, for pages that have it already."""
        width, height = self.lay_out()
        lines = [svg_start(self.title, width, height + 30, self.describe(), style)]
        for child, parent, kind in self._visible_arrows():
            lines.append(f'<path class="edge {kind}" d="{svg_curve(self.arrow_points(child, parent))}"/>')
        lines += [f'<path class="pair" d="{svg_curve(self.curve_points(curve))}"/>' for curve in self.curves]
        lines += map(svg_box, self.boxes.values())
        lines += [svg_label(*label) for label in self.place_labels()]
        for box, text in self.legend(height + 14):
            lines.append(f'<g class="{box.role}">{svg_shape(box)}</g>')
            lines.append(f'<text class="legend" x="{box.x + 16:.1f}" y="{box.y + 4:.1f}">{markup(text)}</text>')
        return "\n".join([*lines, "</svg>"]) + "\n"

    def describe(self) -> str:
        """In words: the boxes of each role, and the pairs."""
        by_role: dict[str, list[str]] = {}
        for box in self.boxes.values():
            for each in box.outlines():
                by_role.setdefault(self.role_text(each.role), []).append(box.title)
        parts = [f"{role}: {', '.join(names)}" for role, names in by_role.items()]
        parts += [f"{self.boxes[c.first].title} – {self.boxes[c.second].title}: {c.text}" for c in self.curves]
        return "; ".join(parts)

    def __repr__(self) -> str:
        return f"Picture({self.title!r}, {plural(len(self.boxes), 'box', 'boxes')})"

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _visible_arrows(self) -> list[tuple[Any, Any, str]]:
        """Visible arrows, highlighted ones last so that they are drawn on top."""
        return sorted((a for a in self.arrows if a[2] != "hidden"), key=lambda arrow: arrow[2] != "plain")

    def to_png(self, path: str | PathLike[str], *, dots: int = 110) -> None:
        """Draw to a PNG file, by matplotlib."""
        try:
            from matplotlib.figure import Figure
            from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon
            from matplotlib.path import Path as Line
        except ImportError:
            raise MissingDependency("PNG drawings need matplotlib: pip install matplotlib") from None
        width, height = self.lay_out()
        figure = Figure(figsize=(width / 100, height / 100 + 0.3))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, width), ylim=(height + 30, 0))
        axes.axis("off")
        point = 72 / 100

        def draw_line(points: Sequence[Point], colour: str, thick: float, order: float) -> None:
            line = Line(points, [Line.MOVETO] + [Line.CURVE4] * (len(points) - 1))
            axes.add_patch(PathPatch(line, fill=False, ec=colour, lw=thick * point, zorder=order))

        def write(x: float, y: float, text: str, size: float = 11, **look: Any) -> None:
            axes.text(x, y, text, fontsize=size * point, parse_math=False, **look)

        write(width / 2, 26, printable(self.title), 13, ha="center", weight="bold")
        for child, parent, kind in self._visible_arrows():
            draw_line(self.arrow_points(child, parent), *EDGE_STYLES[kind], 1)
        for curve in self.curves:
            draw_line(self.curve_points(curve), PAIR_COLOUR, 1.6, 1.5)
        legend = list(self.legend(height + 14))
        whole = [*self.boxes.values(), *(box for box, _ in legend)]
        for box in (each for one in whole for each in one.outlines()):
            role = NODE_STYLES[box.role]
            look: dict[str, Any] = {"fc": role.fill, "ec": role.line, "ls": "--" if role.dashed else "-", "zorder": 2}
            look["lw"] = (2.4 if role.double else 1.2) * point
            if role.corner < 0:
                corner = (box.x - box.width / 2, box.y - box.height / 2)
                rounding = f"round,pad=0,rounding_size={min(-role.corner, box.height / 2)}"
                axes.add_patch(FancyBboxPatch(corner, box.width, box.height, boxstyle=rounding, **look))
            else:
                axes.add_patch(Polygon(box.outline(), closed=True, **look))
            write(box.x, box.y + 4, box.text, ha="center", zorder=3)
        for box, text in legend:
            write(box.x + 16, box.y + 4, text)
        back = {"fc": "white", "ec": "none", "pad": 0.6}
        for x, y, text in self.place_labels():
            write(x, y + 4, text, ha="center", color=PAIR_COLOUR, weight="bold", zorder=4, bbox=back)
        image = io.BytesIO()
        words = {"Software": None, "Title": printable(self.title), "Description": self.describe()}
        figure.savefig(image, format="png", dpi=dots, metadata=words)
        write_bytes(path, image.getvalue())


def svg_start(title: str, width: float, height: float, description: str, style: bool = True) -> str:
    """The beginning of a drawing: its title and description for screen readers, its style sheet and its head."""
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    words = f"<title>{markup(title)}</title><desc>{markup(description)}</desc>"
    sheet = f"\n<style>{STYLE}</style>" if style else ""
    head = f'<text class="head" x="{width / 2:.0f}" y="26">{markup(title)}</text>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" class="hemlp" {size} role="img">{words}{sheet}\n{head}'


def svg_box(box: Box) -> str:
    """A box with its text."""
    ring = "".join(f'<g class="{each.role}">{svg_shape(each)}</g>\n' for each in box.outlines()[:-1])
    shape = f'<g class="{box.role}"><title>{markup(box.title)}</title>{svg_shape(box)}'
    return f'{ring}{shape}\n<text x="{box.x:.1f}" y="{box.y + 4:.1f}">{markup(box.text)}</text></g>'


def svg_label(x: float, y: float, text: str) -> str:
    """The text of a line, on a patch that covers the line."""
    wide = BOLD * text_width(text)
    back = f'<rect class="back" x="{x - wide / 2:.1f}" y="{y - LINE / 2:.1f}" width="{wide:.1f}" height="{LINE:g}"/>'
    return f'{back}<text class="cost" x="{x:.1f}" y="{y + 4:.1f}">{markup(text)}</text>'


def svg_shape(box: Box) -> str:
    """The outline of a box in SVG."""
    corner = NODE_STYLES[box.role].corner
    if corner > 0:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in box.outline())
        return f'<polygon class="box" points="{points}"/>'
    x, y = box.x - box.width / 2, box.y - box.height / 2
    rounded = f' rx="{min(-corner, box.height / 2):.1f}"' if corner < 0 else ""
    return f'<rect class="box" x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"{rounded}/>'


def svg_curve(points: Sequence[Point]) -> str:
    """Cubic Bézier curves in SVG, one after the other."""
    (ax, ay), *rest = points
    return f"M{ax:.1f} {ay:.1f}C" + " ".join(f"{x:.1f} {y:.1f}" for x, y in rest)
