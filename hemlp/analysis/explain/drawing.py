"""Drawings of a small part of a hierarchy, as SVG, or as PNG by matplotlib.

Roles are distinguished by shape as well as by colour.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from os import PathLike
from typing import Any

from hemlp.analysis.explain.layout import GAP, NODE_STYLES, Box, Layout
from hemlp.errors import MissingDependency
from hemlp.escaping import markup, printable
from hemlp.io.files import write_bytes
from hemlp.text.tables import plural


class Picture(Layout):
    """A layout that can be written."""

    def to_svg(self, *, style: bool = True) -> str:
        """As SVG; ``style=False`` leaves the style sheet out, for pages that have it already."""
        width, height = self.lay_out()
        lines = [svg_start(self.title, width, height + 30, self.describe())]
        if style:
            lines.append(f"<style>{STYLE}</style>")
        lines.append(f'<text class="head" x="{width / 2:.0f}" y="26">{markup(self.title)}</text>')
        for child, parent, kind in self._visible_arrows():
            lines.append(f'<path class="edge {kind}" d="{svg_curve(self.arrow_points(child, parent))}"/>')
        lines += [f'<path class="pair" d="{svg_curve(self.curve_points(curve))}"/>' for curve in self.curves]
        lines += map(svg_box, self.boxes.values())
        for x, y, text in self.place_labels():
            lines.append(f'<text class="cost" x="{x:.1f}" y="{y + 4:.1f}">{markup(text)}</text>')
        x = GAP
        for name, room in self.legend():
            shape = svg_shape(Box(None, "", name, x=x + 10, y=height + 14, width=20, height=14))
            text = f'x="{x + 26:.1f}" y="{height + 18:.1f}">{markup(NODE_STYLES[name].label)}</text>'
            lines += [f'<g class="{name}">{shape}</g>', f'<text class="legend" {text}']
            x += room
        return "\n".join([*lines, "</svg>"]) + "\n"

    def describe(self) -> str:
        """In words: what is in which role, and what is paired."""
        by_role: dict[str, list[str]] = {}
        for box in self.boxes.values():
            by_role.setdefault(NODE_STYLES[box.role].label, []).append(box.title)
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
            raise MissingDependency("PNG drawings need matplotlib: pip install 'hemlp[plot]'") from None
        width, height = self.lay_out()
        height += 30
        figure = Figure(figsize=(width / 100, height / 100))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, width), ylim=(height, 0))
        axes.axis("off")
        point = 72 / 100
        head: dict[str, Any] = {"ha": "center", "fontsize": 13 * point, "weight": "bold", "parse_math": False}
        axes.text(width / 2, 26, printable(self.title), **head)
        for child, parent, kind in self._visible_arrows():
            colour, thick = EDGE_STYLES[kind]
            points = self.arrow_points(child, parent)
            line = Line(points, [Line.MOVETO] + [Line.CURVE4] * (len(points) - 1))
            axes.add_patch(PathPatch(line, fill=False, ec=colour, lw=thick * point, zorder=1))
        legend_boxes, x = [], GAP
        for name, room in self.legend():
            legend_boxes.append(Box(None, "", name, x=x + 10, y=height - 16, width=20, height=14))
            axes.text(x + 26, height - 12, NODE_STYLES[name].label, fontsize=11 * point)
            x += room
        for box in [*self.boxes.values(), *legend_boxes]:
            role = NODE_STYLES[box.role]
            look: dict[str, Any] = {"fc": role.fill, "ec": role.line, "ls": "--" if role.dashed else "-", "zorder": 2}
            look["lw"] = (2.4 if role.double else 1.2) * point
            if role.corner < 0:
                corner = (box.x - box.width / 2, box.y - box.height / 2)
                round_ = f"round,pad=0,rounding_size={min(-role.corner, box.height / 2)}"
                axes.add_patch(FancyBboxPatch(corner, box.width, box.height, boxstyle=round_, **look))
            else:
                axes.add_patch(Polygon(box.outline(), closed=True, **look))
            axes.text(box.x, box.y + 4, box.text, ha="center", fontsize=11 * point, zorder=3, parse_math=False)
        for curve in self.curves:
            line = Line(self.curve_points(curve), [Line.MOVETO, *[Line.CURVE4] * 3])
            axes.add_patch(PathPatch(line, fill=False, ec="#7a3b8f", lw=1.6 * point, zorder=1.5))
        for x, y, text in self.place_labels():
            axes.text(
                x, y + 4, text, ha="center", fontsize=11 * point, color="#7a3b8f", weight="bold", zorder=4,
                bbox={"fc": "white", "ec": "none", "pad": 0.6},
            )  # fmt: skip
        image = io.BytesIO()
        figure.savefig(image, format="png", dpi=dots, metadata={"Software": None})
        write_bytes(path, image.getvalue())


EDGE_STYLES = {
    "plain": ("#b9b9b9", 1.2), "true": ("#1b5e91", 2.2), "predicted": ("#a85a12", 2.2), "shared": ("#2e6b34", 3.0),
}  # fmt: skip
STYLE = (
    "svg.hemlp{background:var(--paper,#fff);max-width:100%;height:auto}"
    "svg.hemlp text{font:12px system-ui,'DejaVu Sans',sans-serif;text-anchor:middle;fill:#1c1c1c}"
    "svg.hemlp text.head{font-weight:600;font-size:14px;fill:var(--ink,#1c1c1c)}"
    "svg.hemlp text.legend{text-anchor:start;font-size:11px;fill:var(--ink,#1c1c1c)}"
    "svg.hemlp text.cost{font-weight:600;fill:#7a3b8f;stroke:#fff;stroke-width:3px;paint-order:stroke}"
    "svg.hemlp path{fill:none}svg.hemlp path.pair{stroke:#7a3b8f;stroke-width:1.6}"
    + "".join(f"svg.hemlp path.edge.{kind}{{stroke:{c};stroke-width:{w}}}" for kind, (c, w) in EDGE_STYLES.items())
    + "".join(
        f"svg.hemlp g.{name} .box{{fill:{role.fill};stroke:{role.line};stroke-width:{2.4 if role.double else 1.2}"
        + (";stroke-dasharray:4 3" if role.dashed else "") + "}"
        for name, role in NODE_STYLES.items()
    )
)  # fmt: skip
"""The style sheet of all drawings."""


def svg_start(title: str, width: float, height: float, description: str) -> str:
    """The beginning of a drawing, with what it shows in words."""
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    words = f"<title>{markup(title)}</title><desc>{markup(description)}</desc>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" class="hemlp" {size} role="img">{words}'


def svg_box(box: Box) -> str:
    """A box with its text."""
    shape = f'<g class="{box.role}"><title>{markup(box.title)}</title>{svg_shape(box)}'
    return f'{shape}\n<text x="{box.x:.1f}" y="{box.y + 4:.1f}">{markup(box.text)}</text></g>'


def svg_shape(box: Box) -> str:
    """The outline of a box in SVG."""
    corner = NODE_STYLES[box.role].corner
    if corner > 0:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in box.outline())
        return f'<polygon class="box" points="{points}"/>'
    x, y = box.x - box.width / 2, box.y - box.height / 2
    rounded = f' rx="{min(-corner, box.height / 2):.1f}"' if corner < 0 else ""
    return f'<rect class="box" x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"{rounded}/>'


def svg_curve(points: Sequence[tuple[float, float]]) -> str:
    """Cubic Bézier curves in SVG, one after the other."""
    (ax, ay), *rest = points
    return f"M{ax:.1f} {ay:.1f}C" + " ".join(f"{x:.1f} {y:.1f}" for x, y in rest)
