"""Layered layout of a small graph: places of boxes, arrows and curves, from the roots down.

Layers that are too wide are folded into several rows; boxes never overlap. An arrow across several layers has a
waypoint in each layer between (Sugiyama et al. 1981), so that no box hides it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from hemlp.arrays import plain_sum
from hemlp.escaping import printable

CHARACTER, LINE, PADDING = 6.7, 15.0, 9.0
"""Width of a character, height of a line and room inside a box, in pixels."""
BOLD = 1.3
"""How much wider a character of the title is."""
GAP, ROW_GAP, LAYER_GAP = 14.0, 14.0, 52.0
MAX_ROW_WIDTH, MAX_NAME_LENGTH = 1500.0, 26
"""Width of a row, and characters of a name that are shown."""
LABEL_POSITIONS = sorted((k / 40 for k in range(4, 37)), key=lambda t: abs(t - 0.5))
"""Positions of a label along its line, the middle first."""


@dataclass(frozen=True)
class NodeStyle:
    """How a kind of node looks. ``corner``: how far the corners of its box are cut off, negative for rounded ones."""

    label: str
    fill: str
    line: str
    corner: float = 0.0
    dashed: bool = False
    double: bool = False


NODE_STYLES = {
    "true": NodeStyle("true class", "#dbe9f6", "#1b5e91"),
    "predicted": NodeStyle("predicted class", "#fde6cf", "#a85a12", corner=-11),
    "both": NodeStyle("true and predicted", "#d9efd9", "#2e6b34", corner=8, double=True),
    "shared": NodeStyle("ancestor on both sides", "#eaf6e6", "#4f8a4f", corner=8),
    "true_side": NodeStyle("ancestor of true classes", "#f1f6fb", "#7f9fb8"),
    "predicted_side": NodeStyle("ancestor of predicted classes", "#fef4ea", "#c39a6b", corner=-11),
    "other": NodeStyle("other class", "#f4f4f4", "#9a9a9a"),
    "dropped": NodeStyle("dropped as distant", "#ffffff", "#a0a0a0", dashed=True),
    "default": NodeStyle("default class", "#ffffff", "#555555", corner=-11, dashed=True),
    "lca": NodeStyle("chosen lowest common ancestor", "#fff3b8", "#8a6d00", corner=8, double=True),
}


@dataclass
class Box:
    """A node: its ``text`` and role; ``title`` is shown on pointing. Its centre and size come from the layout."""

    key: Any
    text: str
    role: str
    title: str = ""
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = LINE + 2 * PADDING - 4

    def outline(self) -> list[tuple[float, float]]:
        """Corners, for boxes that are not rounded."""
        w, h, c = self.width / 2, self.height / 2, min(max(NODE_STYLES[self.role].corner, 0.0), self.height / 3)
        cut = [(-w + c, -h), (w - c, -h), (w, -h + c), (w, h - c), (w - c, h), (-w + c, h), (-w, h - c), (-w, -h + c)]
        return [(self.x + dx, self.y + dy) for dx, dy in cut]


@dataclass(frozen=True)
class PairCurve:
    """A pair, drawn as a curved line between two boxes with a word in its middle."""

    first: Any
    second: Any
    text: str


@dataclass
class Layout:
    """Boxes, arrows (child, parent, kind: "plain", "true", "predicted", "shared" or "hidden") and curves.

    ``arrow_labels``: what stands on an arrow (child, parent). ``explained``: whether a legend names the roles.
    """

    title: str
    boxes: dict[Any, Box] = field(default_factory=dict)
    arrows: list[tuple[Any, Any, str]] = field(default_factory=list)
    curves: list[PairCurve] = field(default_factory=list)
    arrow_labels: dict[tuple[Any, Any], str] = field(default_factory=dict)
    explained: bool = True
    waypoints: dict[tuple[Any, Any], list[Box]] = field(default_factory=dict, init=False)

    def add(self, key: Any, text: str, role: str) -> None:
        """A node; the first role that is given stays."""
        if key not in self.boxes:
            self.boxes[key] = make_box(text, role, key)

    # ---- layout

    def lay_out(self) -> tuple[float, float]:
        """Place all boxes; the width and height of the whole."""
        rows = [row for layer in self._layers() for row in _fold(layer)]
        width = max([plain_sum(box.width for box in row) + GAP * (len(row) - 1) for _, row in rows] or [0.0]) + 2 * GAP
        width = max(width, BOLD * text_width(self.title) + 2 * GAP, min(MAX_ROW_WIDTH, self._legend_width()), 320.0)
        y = 44.0
        for first, row in rows:
            y += (LAYER_GAP if first else ROW_GAP) + row[0].height
            x = (width - plain_sum(box.width for box in row) - GAP * (len(row) - 1)) / 2
            for box in row:
                box.x, box.y = x + box.width / 2, y - box.height / 2
                x += box.width + GAP
        placed = {box.key: box for _, row in rows for box in row}
        above, below = _neighbours(placed, self._links())
        for sweep in range(8):  # towards what a box is joined to, as far as its row has room
            near = above if sweep % 2 == 0 else below
            for _, row in rows if sweep % 2 == 0 else rows[::-1]:
                wanted = [_mean_or([placed[n].x for n in near[box.key]], box.x) for box in row]
                _place_row(row, wanted, width)
        points = [point for curve in self.curves for point in self.curve_points(curve)]  # curves lie within them
        left = max([0.0, *(GAP - x for x, _ in points)])
        right = max([0.0, *(x + GAP - width for x, _ in points)])
        for box in placed.values():
            box.x += left
        return left + width + right, max([y + LAYER_GAP, *(below + GAP for _, below in points)])

    def _links(self) -> list[tuple[Any, Any]]:
        """Lower and upper ends of all arrows, cut at their waypoints."""
        links: list[tuple[Any, Any]] = []
        for child, parent in dict.fromkeys((child, parent) for child, parent, _ in self.arrows):
            keys = [child, *(box.key for box in self.waypoints.get((child, parent), ())), parent]
            links += pairwise(keys)
        return links

    def _layers(self) -> list[list[Box]]:
        """Boxes by their depth; what no arrow joins to anything stands below all others."""
        self.waypoints.clear()
        above, below = _neighbours(self.boxes, self._links())
        joined = {end for child, parent, kind in self.arrows if kind != "hidden" for end in (child, parent)}
        depth: dict[Any, int] = {}
        pending = {key: len(above[key]) for key in self.boxes}
        ready = [key for key in self.boxes if not pending[key]]
        for key in ready:  # parents before children
            depth[key] = max((depth[parent] + 1 for parent in above[key]), default=0)
            for child in below[key]:
                pending[child] -= 1
                if not pending[child]:
                    ready.append(child)
        for key in ready:  # what has no parent in the picture stands just above its children
            if not above[key] and below[key]:
                depth[key] = min(depth[child] for child in below[key]) - 1
        last = max((depth[key] for key in joined), default=-1) + 1
        apart = {key for key in ready if key not in joined and not any(parent in joined for parent in above[key])}
        depth = {key: d + last * (key in apart) for key, d in depth.items()}
        layers: list[list[Any]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
        for key in ready:
            layers[depth[key]].append(key)
        boxes = dict(self.boxes)
        for child, parent, kind in self.arrows:
            if kind != "hidden" and depth[child] > depth[parent] + 1:
                between = range(depth[child] - 1, depth[parent], -1)
                way = [Box((child, parent, d), "", "other", width=GAP) for d in between]
                self.waypoints[child, parent] = way
                boxes |= {box.key: box for box in way}
                for d, box in zip(between, way, strict=True):
                    layers[d].append(box.key)
        above, below = _neighbours(boxes, self._links())
        partners: dict[Any, list[Any]] = {}
        for curve in self.curves:
            partners.setdefault(curve.first, []).append(curve.second)
            partners.setdefault(curve.second, []).append(curve.first)
        for sweep in range(6):  # boxes near the middle of what they are joined to
            place = {key: _relative_position(k, layer) for layer in layers for k, key in enumerate(layer)}
            near = above if sweep % 2 == 0 else below
            for layer in layers if sweep % 2 == 0 else layers[::-1]:
                middle = {
                    key: _mean_or([place[n] for n in (*near[key], *partners.get(key, ()))], place[key]) for key in layer
                }
                layer.sort(key=middle.__getitem__)
                place |= {key: _relative_position(k, layer) for k, key in enumerate(layer)}
        return [[boxes[key] for key in layer] for layer in layers if layer]

    def curve_points(self, curve: PairCurve) -> tuple[tuple[float, float], ...]:
        """Four points of a cubic curve: hanging below two boxes of one row, swinging out beside boxes of several."""
        a, b = self.boxes[curve.first], self.boxes[curve.second]
        if abs(a.y - b.y) < 1:
            a, b = (a, b) if a.x <= b.x else (b, a)
            drop = 26 + min(46.0, abs(a.x - b.x) / 12)
            start, end = (a.x + a.width / 5, a.y + a.height / 2), (b.x - b.width / 5, b.y + b.height / 2)
            return start, (start[0], start[1] + drop), (end[0], end[1] + drop), end
        a, b = (a, b) if a.y < b.y else (b, a)
        if b.role == "default":
            start, end = (a.x, a.y + a.height / 2), (b.x, b.y - b.height / 2)
            return start, (start[0], (start[1] + end[1]) / 2), (end[0], (start[1] + end[1]) / 2), end
        side = 1 if b.x >= a.x else -1
        start, end = (a.x + side * a.width / 2, a.y), (b.x + side * b.width / 2, b.y)
        out = max(start[0] * side, end[0] * side) * side + side * (30 + abs(a.y - b.y) / 6)
        return start, (out, a.y), (out, b.y), end

    def arrow_points(self, child: Any, parent: Any) -> tuple[tuple[float, float], ...]:
        """From the top of a box to the bottom of the one above it: a point, then three for each cubic curve."""
        boxes = [self.boxes[child], *self.waypoints.get((child, parent), ()), self.boxes[parent]]
        points = [(boxes[0].x, boxes[0].y - boxes[0].height / 2)]
        for a, b in pairwise(boxes):
            top, bottom = a.y - a.height / 2, b.y + b.height / 2
            middle = (top + bottom) / 2
            points += [(a.x, middle), (b.x, middle), (b.x, bottom)]
            if b is not boxes[-1]:  # straight through a waypoint
                points += [(b.x, bottom), (b.x, b.y - b.height / 2), (b.x, b.y - b.height / 2)]
        return tuple(points)

    def place_labels(self) -> list[tuple[float, float, str]]:
        """The words of curves and arrows, each at a place along its line where nothing else is."""
        occupied = [(box.x, box.y, box.width, box.height) for box in self.boxes.values()]
        labels = []
        lines = [(self.curve_points(curve), curve.text) for curve in self.curves]
        for ends, text in self.arrow_labels.items():
            points = self.arrow_points(*ends)
            middle = len(points) // 6 * 3
            lines.append((points[middle : middle + 4], text))
        for points, text in lines:
            width = text_width(text) + 4
            best = None
            for t in LABEL_POSITIONS:
                x, y = bezier_point(points, t)
                covered = sum(
                    abs(x - tx) < (width + w) / 2 and abs(y - ty) < (LINE + h) / 2 - 2 for tx, ty, w, h in occupied
                )
                if best is None or covered < best[0]:
                    best = covered, x, y
                if not covered:
                    break
            assert best is not None
            occupied.append((best[1], best[2], width, LINE))
            labels.append((best[1], best[2], text))
        return labels

    def legend(self) -> list[tuple[str, float]]:
        """The roles in use, and the room that each takes."""
        used = {box.role for box in self.boxes.values() if self.explained}
        return [(name, 40 + text_width(role.label)) for name, role in NODE_STYLES.items() if name in used]

    def _legend_width(self) -> float:
        return plain_sum(room for _, room in self.legend()) + 2 * GAP


def _neighbours(boxes: Iterable[Any], links: Iterable[tuple[Any, Any]]) -> tuple[dict[Any, list[Any]], ...]:
    """What each box is joined to above it and below it."""
    above: dict[Any, list[Any]] = {key: [] for key in boxes}
    below: dict[Any, list[Any]] = {key: [] for key in boxes}
    for lower, upper in links:
        above[lower].append(upper)
        below[upper].append(lower)
    return above, below


def make_box(text: str, role: str, key: Any = None) -> Box:
    """A box that is as wide as its text needs; long ones are cut, and shown on pointing."""
    text = printable(text)
    short = text if len(text) <= MAX_NAME_LENGTH else text[: MAX_NAME_LENGTH - 1].rstrip() + "…"
    return Box(key, short, role, text, width=max(34.0, text_width(short) + 2 * PADDING))


def text_width(text: str) -> float:
    """Rough width of a text; letters of the far east are twice as wide."""
    return plain_sum(CHARACTER * (2 if ord(character) > 0x2E7F else 1) for character in text)


def _fold(layer: Sequence[Box]) -> list[tuple[bool, list[Box]]]:
    """A layer as rows that are not too wide; the first of them is marked."""
    rows: list[list[Box]] = [[]]
    filled = 0.0
    for box in layer:
        if rows[-1] and filled + box.width > MAX_ROW_WIDTH:
            rows.append([])
            filled = 0.0
        rows[-1].append(box)
        filled += box.width + GAP
    return [(k == 0, row) for k, row in enumerate(rows)]


def _relative_position(k: int, layer: Sequence[Any]) -> float:
    """How far along its layer a box is, from 0 to 1."""
    return k / (len(layer) - 1) if len(layer) > 1 else 0.5


def _place_row(row: Sequence[Box], wanted: Sequence[float], width: float) -> None:
    """Move boxes towards their wanted places, keeping their order, the gaps and the borders of the picture.

    Half-way between pushing everything to the right and everything to the left, then back inside the borders.
    """
    rightwards = _push_apart(row, wanted, 1, -math.inf)
    leftwards = _push_apart(row, wanted, -1, math.inf)
    middle = [(a + b) / 2 for a, b in zip(rightwards, leftwards, strict=True)]
    for box, x in zip(row, _push_apart(row, _push_apart(row, middle, 1, 0.0), -1, width), strict=True):
        box.x = x


def _push_apart(row: Sequence[Box], places: Sequence[float], way: int, border: float) -> list[float]:
    """The places with gaps between the boxes, each pushed by the one before it; ``way`` 1: to the right, -1: left."""
    centres = list(places)
    edge = border
    for k in range(len(row))[::way]:
        nearest = edge + way * (GAP + row[k].width / 2)
        centres[k] = max(centres[k], nearest) if way > 0 else min(centres[k], nearest)
        edge = centres[k] + way * row[k].width / 2
    return centres


def _mean_or(places: Sequence[float], otherwise: float) -> float:
    return plain_sum(places) / len(places) if places else otherwise


def bezier_weights(t: float) -> tuple[float, float, float, float]:
    """What the four points of a cubic curve weigh at t, from 0 to 1."""
    return (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3


def bezier_point(points: Sequence[tuple[float, float]], t: float) -> tuple[float, float]:
    """A point of a cubic curve, at t from 0 to 1."""
    (a, b, c, d), ((ax, ay), (bx, by), (cx, cy), (dx, dy)) = bezier_weights(t), points
    return a * ax + b * bx + c * cx + d * dx, a * ay + b * by + c * cy + d * dy
