"""Layered layout of a small graph: the positions of boxes, arrows and curves, from the roots down.

Layers that are too wide are folded; boxes never overlap. An arrow across several layers has a waypoint in each between
(Sugiyama et al. 1981), so that no box hides it. Boxes that arrows join stay together, so that other parts do not cross.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from hemlp.arrays import plain_sum
from hemlp.escaping import printable

LINE, PADDING = 15.0, 9.0
"""Height of a line and room inside a box, in pixels."""
WIDTHS = {**dict.fromkeys(" !'(),./:;I[]fijlrt|", 4.7), **dict.fromkeys("%@MWmw…", 11.0)}
"""Widths of narrow and wide letters; others are 7.3 wide, those of the far east 13.4."""
BOLD, LARGE = 1.15, 1.35
"""How much wider a bold letter and a letter of the title are."""
GAP, ROW_GAP, LAYER_GAP = 14.0, 14.0, 52.0
MAX_ROW_WIDTH, MAX_NAME_LENGTH = 1500.0, 26
"""Width of a row, and characters of a name that are shown."""
LABEL_POSITIONS = sorted((k / 40 for k in range(4, 37)), key=lambda t: abs(t - 0.5))
"""Positions of a label along its line, the middle first."""
Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]
"""The four points of a cubic Bézier curve."""


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
    """A node; ``title`` is shown on pointing, and ``ring`` is a role around its own. The layout places and sizes it."""

    key: Any
    text: str
    role: str
    title: str = ""
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = LINE + 2 * PADDING - 4
    ring: str = ""

    def outlines(self) -> list[Box]:
        """The ring, if there is one, and the box itself."""
        around = replace(self, text="", role=self.ring, width=self.width + 8, height=self.height + 8)
        return [around, self] if self.ring else [self]

    def outline(self) -> list[Point]:
        """Corners, for boxes that are not rounded."""
        w, h, c = self.width / 2, self.height / 2, min(max(NODE_STYLES[self.role].corner, 0.0), self.height / 3)
        cut = [(-w + c, -h), (w - c, -h), (w, -h + c), (w, h - c), (w - c, h), (-w + c, h), (-w, h - c), (-w, -h + c)]
        return [(self.x + dx, self.y + dy) for dx, dy in cut]

    def covers(self, x: float, y: float) -> bool:
        """Whether a point is in the box, or just beside it."""
        return abs(x - self.x) <= self.width / 2 + 2 and abs(y - self.y) <= self.height / 2 + 2


@dataclass(frozen=True)
class PairCurve:
    """A pair, drawn as a curve between two boxes with a text on it."""

    first: Any
    second: Any
    text: str


@dataclass
class Layout:
    """Boxes, arrows (child, parent, kind: "plain", "true", "predicted", "shared" or "hidden") and curves.

    ``arrow_labels``: texts on arrows (child, parent). ``explained``: whether a legend names the roles; ``implied``:
    what it calls the classes that others bring along, "ancestor" or "descendant".
    """

    title: str
    boxes: dict[Any, Box] = field(default_factory=dict)
    arrows: list[tuple[Any, Any, str]] = field(default_factory=list)
    curves: list[PairCurve] = field(default_factory=list)
    arrow_labels: dict[tuple[Any, Any], str] = field(default_factory=dict)
    explained: bool = True
    implied: str = "ancestor"
    waypoints: dict[tuple[Any, Any], list[Box]] = field(default_factory=dict, init=False)
    _routes: dict[PairCurve, int] = field(default_factory=dict, init=False)

    def add(self, key: Any, text: str, role: str, mark: str = "") -> None:
        """Add a node; the first role that is given stays. ``mark`` follows the text, and is never shortened."""
        if key not in self.boxes:
            self.boxes[key] = make_box(text, role, key, mark)

    def add_pair(self, number: int, predicted: Any, true: Any, text: str) -> None:
        """Add a pair as a curve between boxes; None is a default class, with a box of its own for this ``number``."""
        default = ("default", number)
        first, second = (default if end is None else end for end in (predicted, true))
        if default in (first, second):
            self.add(default, "default", "default")
            self.arrows.append((default, second if first == default else first, "hidden"))
        self.curves.append(PairCurve(first, second, text))

    def lay_out(self) -> tuple[float, float]:
        """Place all boxes; the width and height of the whole."""
        rows = [row for layer in self._layers() for row in _fold(layer)]
        widths = [plain_sum(box.width + GAP for box in row) + GAP for _, row in rows]
        legend = plain_sum(room for _, room in self._legend_roles()) + 2 * GAP
        width = max([320.0, *widths, LARGE * text_width(self.title) + 2 * GAP, min(MAX_ROW_WIDTH, legend)])
        y = 0.0
        for first, row in rows:
            y += (LAYER_GAP if first else ROW_GAP) + row[0].height
            x = (width - plain_sum(box.width + GAP for box in row) + GAP) / 2
            for box in row:
                box.x, box.y = x + box.width / 2, y - box.height / 2
                x += box.width + GAP
        placed = {box.key: box for _, row in rows for box in row}
        above, below = _neighbours(placed, self._links())
        for sweep in range(8):  # towards the neighbours of a box, as far as its row has room
            near = above if sweep % 2 == 0 else below
            for _, row in rows if sweep % 2 == 0 else rows[::-1]:
                wanted = [_mean_or([placed[n].x for n in near[box.key]], box.x) for box in row]
                _place_row(row, wanted, width)
        self._routes.clear()
        points = [point for curve in self.curves for point in self.curve_points(curve)]  # curves lie within them
        left = max([0.0, *(GAP - x for x, _ in points)])
        right = max([0.0, *(x + GAP - width for x, _ in points)])
        for box in placed.values():
            box.x += left
        return left + width + right, max([y + 2 * GAP, *(below + GAP for _, below in points)])

    def _links(self) -> list[tuple[Any, Any]]:
        """Lower and upper ends of all arrows, cut at their waypoints."""
        links: list[tuple[Any, Any]] = []
        for child, parent in dict.fromkeys((child, parent) for child, parent, _ in self.arrows):
            links += pairwise([child, *(box.key for box in self.waypoints.get((child, parent), ())), parent])
        return links

    def _layers(self) -> list[list[Box]]:
        """Boxes and waypoints by depth, in an order in which neighbours are near each other."""
        self.waypoints.clear()
        depth = self._depths()
        layers: list[list[Any]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
        for key, d in depth.items():
            layers[d].append(key)
        boxes = dict(self.boxes)
        for child, parent, kind in self.arrows:
            if kind != "hidden" and depth[child] > depth[parent] + 1:
                between = range(depth[child] - 1, depth[parent], -1)
                self.waypoints[child, parent] = [Box((child, parent, d), "", "other", width=GAP) for d in between]
                for d, box in zip(between, self.waypoints[child, parent], strict=True):
                    boxes[box.key] = box
                    layers[d].append(box.key)
        above, below = _neighbours(boxes, self._links())
        part = _components(above, below)
        partners: dict[Any, list[Any]] = {}
        for curve in self.curves:
            partners.setdefault(curve.first, []).append(curve.second)
            partners.setdefault(curve.second, []).append(curve.first)
        for sweep in range(6):  # barycentres; parts stay apart
            position = {key: x for layer in layers for key, x in _positions(layer)}
            members: dict[int, list[float]] = {}
            for key, number in part.items():
                members.setdefault(number, []).extend(position[n] for n in partners.get(key, (key,)))
            near = above if sweep % 2 == 0 else below
            for layer in layers if sweep % 2 == 0 else layers[::-1]:
                order = {
                    key: (
                        _mean_or(members[part[key]], 0.5),
                        part[key],
                        _mean_or([position[n] for n in (*near[key], *partners.get(key, ()))], position[key]),
                    )
                    for key in layer
                }
                layer.sort(key=order.__getitem__)
                position.update(_positions(layer))
        return [[boxes[key] for key in layer] for layer in layers if layer]

    def _depths(self) -> dict[Any, int]:
        """The layer of each box, parents first; boxes without a visible arrow are below others, many pairs by side."""
        above, below = _neighbours(self.boxes, self._links())
        joined = {end for child, parent, kind in self.arrows if kind != "hidden" for end in (child, parent)}
        depth: dict[Any, int] = {}
        pending = {key: len(above[key]) for key in self.boxes}
        ready = [key for key in self.boxes if not pending[key]]
        for key in ready:
            depth[key] = max((depth[parent] + 1 for parent in above[key]), default=0)
            for child in below[key]:
                pending[child] -= 1
                if not pending[child]:
                    ready.append(child)
        for key in ready:  # a root stands just above its children
            if not above[key] and below[key]:
                depth[key] = min(depth[child] for child in below[key]) - 1
        last = max((depth[key] for key in joined), default=-1) + 1
        apart = {key for key in ready if key not in joined and not any(parent in joined for parent in above[key])}
        paired = {end for curve in self.curves for end in (curve.first, curve.second) if not depth[end]} & apart
        many = len(paired) > 5 and "default" not in {box.role for box in self.boxes.values()}
        down = {k: last + (many and k in paired) * {"both": 1, "true": 2}.get(self.boxes[k].role, 0) for k in apart}
        return {key: d + down.get(key, 0) for key, d in depth.items()}

    def curve_points(self, curve: PairCurve) -> Curve:
        """The points of a pair's curve, on the route that passes behind the fewest boxes."""
        a, b = sorted((self.boxes[curve.first], self.boxes[curve.second]), key=lambda box: (box.y, box.x))
        routes = list(_curve_routes(a, b))
        if curve not in self._routes:
            others = [box for box in self.boxes.values() if box is not a and box is not b]
            hidden = [
                sum(box.covers(*bezier_point(route, k / 12)) for k in range(1, 12) for box in others)
                for route in (routes if len(routes) > 1 else ())
            ]
            self._routes[curve] = hidden.index(min(hidden)) if hidden else 0
        return routes[self._routes[curve]]

    def arrow_points(self, child: Any, parent: Any) -> tuple[Point, ...]:
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
        """The texts of curves and arrows, each at a free position along its line."""
        lines: list[tuple[Sequence[Point], str]] = [(self.curve_points(curve), curve.text) for curve in self.curves]
        for ends, text in self.arrow_labels.items():
            arrow = self.arrow_points(*ends)
            middle = len(arrow) // 6 * 3
            lines.append((arrow[middle : middle + 4], text))
        occupied = [(box.x, box.y, box.width, box.height) for box in self.boxes.values()]
        labels = []
        for points, text in lines:
            width, tried = BOLD * text_width(text) + 4, []
            for t in LABEL_POSITIONS:
                x, y = bezier_point(points, t)
                covered = sum(
                    abs(x - tx) < (width + w) / 2 and abs(y - ty) < (LINE + h) / 2 - 2 for tx, ty, w, h in occupied
                )
                tried.append((covered, x, y))
                if not covered:
                    break
            _, x, y = min(tried, key=lambda each: each[0])
            occupied.append((x, y, width, LINE))
            labels.append((x, y, text))
        return labels

    def _legend_roles(self) -> list[tuple[str, float]]:
        """The roles in use, and the room that each takes."""
        used = {each.role for box in self.boxes.values() for each in box.outlines() if self.explained}
        return [(name, 40 + text_width(self.role_text(name))) for name in NODE_STYLES if name in used]

    def role_text(self, role: str) -> str:
        """What a role is called in the legend and in words."""
        label = NODE_STYLES[role].label
        return label if role == "lca" else label.replace("ancestor", self.implied)

    def legend(self, y: float) -> Iterator[tuple[Box, str]]:
        """A small box for each role in use, at this height, and the text beside it."""
        x = GAP + 10
        for name, room in self._legend_roles():
            yield Box(None, "", name, x=x, y=y, width=20, height=14), self.role_text(name)
            x += room


def _curve_routes(a: Box, b: Box) -> Iterator[Curve]:
    """Hanging below two boxes of one row; from one row to a lower one swinging out to a side, or straight down."""
    if abs(a.y - b.y) < 1:
        drop = 26 + min(46.0, abs(a.x - b.x) / 12)
        start, end = (a.x + a.width / 5, a.y + a.height / 2), (b.x - b.width / 5, b.y + b.height / 2)
        yield start, (start[0], start[1] + drop), (end[0], end[1] + drop), end
        return
    if b.role != "default":
        for side in (1, -1) if b.x >= a.x else (-1, 1):
            start, end = (a.x + side * a.width / 2, a.y), (b.x + side * b.width / 2, b.y)
            out = side * (max(start[0] * side, end[0] * side) + 30 + abs(a.y - b.y) / 6)
            yield start, (out, a.y), (out, b.y), end
    start, end = (a.x, a.y + a.height / 2), (b.x, b.y - b.height / 2)
    middle = (start[1] + end[1]) / 2
    yield start, (start[0], middle), (end[0], middle), end


def _neighbours(boxes: Iterable[Any], links: Iterable[tuple[Any, Any]]) -> tuple[dict[Any, list[Any]], ...]:
    """The neighbours of each box above it and below it."""
    above: dict[Any, list[Any]] = {key: [] for key in boxes}
    below: dict[Any, list[Any]] = {key: [] for key in above}
    for lower, upper in links:
        above[lower].append(upper)
        below[upper].append(lower)
    return above, below


def _components(above: dict[Any, list[Any]], below: dict[Any, list[Any]]) -> dict[Any, int]:
    """The number of the connected component of each box."""
    component: dict[Any, int] = {}
    for number, start in enumerate(above):
        pending = [start] if start not in component else []
        while pending:
            key = pending.pop()
            if key not in component:
                component[key] = number
                pending += above[key] + below[key]
    return component


def make_box(text: str, role: str, key: Any = None, mark: str = "") -> Box:
    """A box as wide as its text; a long text is shortened, and shown in full on pointing."""
    text = printable(text)
    short = (text if len(text) <= MAX_NAME_LENGTH else text[: MAX_NAME_LENGTH - 1].rstrip() + "…") + mark
    return Box(key, short, role, text + mark, width=max(34.0, text_width(short) + 2 * PADDING))


def text_width(text: str) -> float:
    """Rough width of a text."""
    return plain_sum(13.4 if ord(letter) > 0x2E7F else WIDTHS.get(letter, 7.3) for letter in text)


def _fold(layer: Sequence[Box]) -> list[tuple[bool, list[Box]]]:
    """A layer as rows that are not too wide; the first of them is marked."""
    rows, filled = list[list[Box]]([[]]), 0.0
    for box in layer:
        if rows[-1] and filled + box.width > MAX_ROW_WIDTH:
            rows.append([])
            filled = 0.0
        rows[-1].append(box)
        filled += box.width + GAP
    return [(k == 0, row) for k, row in enumerate(rows)]


def _positions(layer: Sequence[Any]) -> Iterator[tuple[Any, float]]:
    """How far along its layer each box is, from 0 to 1."""
    for k, key in enumerate(layer):
        yield key, k / (len(layer) - 1) if len(layer) > 1 else 0.5


def _place_row(row: Sequence[Box], wanted: Sequence[float], width: float) -> None:
    """Move boxes towards their wanted positions, keeping their order, the gaps and the borders of the picture.

    Half-way between pushing everything to the right and everything to the left, then back inside the borders.
    """
    rightwards = _push_apart(row, wanted, 1, -math.inf)
    leftwards = _push_apart(row, wanted, -1, math.inf)
    middle = [(a + b) / 2 for a, b in zip(rightwards, leftwards, strict=True)]
    for box, x in zip(row, _push_apart(row, _push_apart(row, middle, 1, 0.0), -1, width), strict=True):
        box.x = x


def _push_apart(row: Sequence[Box], centres: Sequence[float], way: int, border: float) -> list[float]:
    """The centres with gaps between the boxes, each pushed by the one before it; ``way`` 1: to the right, -1: left."""
    centres, edge = list(centres), border
    for k in range(len(row))[::way]:
        nearest = edge + way * (GAP + row[k].width / 2)
        centres[k] = max(centres[k], nearest) if way > 0 else min(centres[k], nearest)
        edge = centres[k] + way * row[k].width / 2
    return centres


def _mean_or(places: Sequence[float], otherwise: float) -> float:
    return plain_sum(places) / len(places) if places else otherwise


def bezier_weights(t: float) -> tuple[float, float, float, float]:
    """The weights of the four points of a cubic curve at t, from 0 to 1."""
    return (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3


def bezier_point(points: Sequence[Point], t: float) -> Point:
    """A point of a cubic curve, at t from 0 to 1."""
    (a, b, c, d), ((ax, ay), (bx, by), (cx, cy), (dx, dy)) = bezier_weights(t), points
    return a * ax + b * bx + c * cx + d * dx, a * ay + b * by + c * cy + d * dy
