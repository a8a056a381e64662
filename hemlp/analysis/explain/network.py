"""A drawing of the flow network of Problem 1, as in the paper: source, predicted classes, true classes, sink.

The label of an arc has its bounds [lower; upper] and its cost; arcs with flow in an optimal solution are highlighted,
with their flow φ. Of many arcs only these have labels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hemlp.analysis.explain import layout
from hemlp.analysis.explain.drawing import svg_box, svg_curve, svg_label, svg_start
from hemlp.analysis.explain.explanation import Explanation
from hemlp.analysis.explain.layout import GAP, Box, Curve, Point, make_box, text_width
from hemlp.errors import InvalidOption
from hemlp.escaping import markup
from hemlp.hierarchy.labels import Label
from hemlp.optimize.program import Status
from hemlp.problems.pairing.model import PairingModel

MAX_ARCS, MAX_LABELS = 600, 40
"""Arcs that are drawn; and of how many each has its label, and not only those with flow."""
KEY = "[lower; upper] cost, φ = flow; DP, DT: the default classes"
ROW_HEIGHT, LEFT_MARGIN, TOP_MARGIN, LONG_ARC = 78.0, 70.0, 96.0, 520.0
"""Height of a row; where the source is, and the first row; how far back an arc goes below everything."""
MARKER = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="9" markerHeight="9" '
    'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#777"/></marker></defs>'
)


@dataclass(frozen=True)
class NetworkArc:
    """An arc between two nodes, its label, and its flow (None without a solution)."""

    tail: int
    head: int
    words: str
    flow: int | None


@dataclass(frozen=True)
class NetworkPicture:
    """A drawing of a flow network: its nodes as boxes with positions, and its arcs.

    Examples
    --------
    >>> from hemlp import Hierarchy, measure, network_picture
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> picture = network_picture(measure("GIE").model(h, true=["sheep"], pred=["cow"]))
    >>> [arc.words for arc in picture.arcs][-1]
    '[0; 2], φ = 1'
    >>> picture.to_svg().startswith("<svg")
    True
    """

    title: str
    boxes: tuple[Box, ...]
    heads: tuple[tuple[Point, str], ...]
    arcs: tuple[NetworkArc, ...]

    def to_svg(self) -> str:
        """As SVG."""
        paths = list(self._paths())
        every = len(self.arcs) <= MAX_LABELS or not any(arc.flow for arc in self.arcs)
        labelled = [(arc, path) for arc, path in zip(self.arcs, paths, strict=True) if every or arc.flow]
        labels = _place_labels(self.boxes, labelled)
        key = KEY if every else f"{KEY}; arcs without flow have no label"
        lowest = [layout.bezier_point(path, k / 8)[1] for path in paths for k in range(9)]
        foot = max([*lowest, *(box.y + box.height / 2 for box in self.boxes), *(y + 9 for _, y in labels)]) + GAP
        width = max(*(box.x + box.width / 2 for box in self.boxes), layout.LARGE * text_width(self.title)) + 2 * GAP
        lines = [svg_start(self.title, width, foot + GAP, self.describe()), MARKER]
        for arc, path in sorted(zip(self.arcs, paths, strict=True), key=lambda each: bool(each[0].flow)):
            kind = "shared" if arc.flow else "plain"
            lines.append(f'<path class="edge {kind}" marker-end="url(#tip)" d="{svg_curve(path)}"/>')
        lines += map(svg_box, self.boxes)
        lines += [f'<text class="head" x="{x:.1f}" y="{y:.1f}">{markup(text)}</text>' for (x, y), text in self.heads]
        lines += [svg_label(x, y, arc.words) for (arc, _), (x, y) in zip(labelled, labels, strict=True)]
        lines.append(f'<text class="legend" x="{GAP:g}" y="{foot:.1f}">{key}</text>')
        return "\n".join([*lines, "</svg>"]) + "\n"

    def describe(self) -> str:
        """In words: the arcs with their labels."""
        names = [box.title or "node" for box in self.boxes]
        return "; ".join(f"{names[arc.tail]} → {names[arc.head]}: {arc.words}" for arc in self.arcs)

    def _paths(self) -> Iterator[Curve]:
        """Parallel arcs bend away from each other; an arc that goes far back passes below everything."""
        parallel: defaultdict[frozenset[int], int] = defaultdict(int)
        low = max(box.y for box in self.boxes)
        deep = low + ROW_HEIGHT + (low - self.boxes[0].y) / 2  # so that it passes below DP and DT, too
        for arc in self.arcs:
            tail, head = self.boxes[arc.tail], self.boxes[arc.head]
            if tail.x - head.x > LONG_ARC:
                deep += 44.0
                start, end = (tail.x, tail.y + tail.height / 2), (head.x, head.y + head.height / 2)
                yield start, (tail.x, deep), (head.x, deep), end
            else:
                key = frozenset((arc.tail, arc.head))
                yield _arc_path(tail, head, parallel[key])
                parallel[key] += 1


def _arc_path(tail: Box, head: Box, before: int) -> Curve:
    """A line to a neighbouring column, bent where ``before`` others go the same way."""
    sign = 1 if head.x >= tail.x else -1
    bend = 26.0 * ((before + 1) // 2) * (1 if before % 2 else -1)
    start, end = (tail.x + sign * tail.width / 2, tail.y), (head.x - sign * head.width / 2, head.y)
    third, rise = (end[0] - start[0]) / 3, (end[1] - start[1]) / 3
    return start, (start[0] + third, start[1] + rise + bend), (end[0] - third, end[1] - rise + bend), end


def _place_labels(boxes: tuple[Box, ...], arcs: list[tuple[NetworkArc, Curve]]) -> list[Point]:
    """A free position for the label of each arc, near its two ends in turn; else the nearest above or below."""
    occupied = np.array([*((box.x, box.y, box.width, box.height) for box in boxes), *[(0.0,) * 4] * len(arcs)])
    orders = [sorted(layout.LABEL_POSITIONS, key=lambda t, wanted=wanted: abs(t - wanted)) for wanted in (0.3, 0.7)]  # type: ignore[misc]
    weights = [np.array([layout.bezier_weights(t) for t in order]) for order in orders]
    steps = np.array([6.0 * ((k + 1) // 2) * (1 if k % 2 else -1) for k in range(400)])
    for number, (arc, path) in enumerate(arcs, len(boxes)):
        size = np.array([layout.BOLD * text_width(arc.words), 18.0])
        along = weights[(number - len(boxes)) % 2] @ np.array(path)
        tried = np.concatenate([along, along[0] + np.outer(steps, (0, 1))])
        gaps = abs(tried[:, None] - occupied[:number, :2])
        free = ~(gaps <= (size + occupied[:number, 2:]) / 2).all(axis=2).any(axis=1)
        occupied[number] = *tried[np.argmax(free)], *size
    return [(x, y) for x, y, *_ in occupied[len(boxes) :].tolist()]


def network_picture(model: Any, names: Mapping[Label, str] | None = None) -> NetworkPicture:
    """The flow network of Problem 1 of one instance as the paper draws it, with an optimal flow.

    Parameters
    ----------
    model
        What ``model`` of a pair-based measure makes of one instance.
    names
        Readable names of classes.

    Returns
    -------
    NetworkPicture
        ``to_svg()`` writes it.

    Raises
    ------
    InvalidOption
        If the model has no such network, several instances, or too many arcs to be seen.

    Examples
    --------
    >>> from hemlp import Hierarchy, measure
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> [box.text for box in network_picture(measure("GIE").model(h, ["sheep"], ["cow"])).boxes]
    ['source', 'sink', 'DP', 'DT', 'cow', 'sheep']
    """
    if not isinstance(model, PairingModel):
        raise InvalidOption(
            f"{getattr(model, 'title', 'the model')} has no flow network; measures of one pairing have one"
        )
    if len(model) != 1:
        raise InvalidOption("a flow network is drawn of one instance: take model[i]")
    solution: Any = model.solve()
    solved = solution.status in (Status.OPTIMAL, Status.FEASIBLE)
    network = model.circulation
    flow = model.flow(solution) if solved else [0] * network.cost.size
    if network.cost.size > MAX_ARCS:
        raise InvalidOption(f"{network.cost.size:,} arcs are too many to draw ({MAX_ARCS} at most)")
    columns = zip(network.tail, network.head, network.lower, network.upper, network.cost, flow, strict=True)
    arcs = tuple(
        NetworkArc(int(tail), int(head), _arc_label(low, high, cost, amount), int(amount) if solved else None)
        for tail, head, low, high, cost, amount in columns
    )
    explanation = Explanation(model.batch, 0, (), names=names)
    classes = [[explanation.name(model.batch.hierarchy.labels[c]) for c in side.classes] for side in model.batch.sides]
    boxes, heads = _place_nodes(classes, int(network.nodes[0]), arcs)
    outcome = f"least cost {solution.objective:g}" if solved else "no pairing keeps all bounds"
    return NetworkPicture(f"{model.title}: {outcome}", boxes, heads, arcs)


def _arc_label(lower: Any, upper: Any, cost: Any, flow: Any) -> str:
    price = f" {cost:g}" if cost else ""
    return f"[{lower}; {upper}]{price}" + (f", φ = {flow}" if flow else "")


def _place_nodes(
    classes: list[list[str]], size: int, arcs: tuple[NetworkArc, ...]
) -> tuple[tuple[Box, ...], tuple[tuple[Point, str], ...]]:
    """Nodes in columns: source, predicted classes and DP, true classes and DT, sink; then others between those."""
    predicted, true = (
        [make_box(name, role) for name in of] for of, role in zip(classes, ("predicted", "true"), strict=True)
    )
    defaults = make_box("DP", "default"), make_box("DT", "default")
    wide = [max(box.width for box in (*of, end)) for of, end in zip((predicted, true), defaults, strict=True)]
    room = 230.0 if size == 4 + len(predicted) + len(true) else 400.0  # nodes of their own stand there, too
    x_p = LEFT_MARGIN + room + wide[0] / 2
    x_t = x_p + wide[0] / 2 + 400.0 + wide[1] / 2
    x_sink = x_t + wide[1] / 2 + room
    most = max(len(predicted), len(true)) + 1
    for x, column in ((x_p, [*predicted, defaults[0]]), (x_t, [*true, defaults[1]])):
        for k, box in enumerate(column):
            box.x, box.y = x, TOP_MARGIN + ROW_HEIGHT * (k if box is not column[-1] else most - 1)
    middle = TOP_MARGIN + ROW_HEIGHT * (most - 1) / 2
    ends = make_box("source", "other"), make_box("sink", "other")
    for box, x in zip(ends, (LEFT_MARGIN, x_sink), strict=True):
        box.x, box.y = x, middle
    boxes = [*ends, *defaults, *predicted, *true]
    boxes += _place_extra_nodes(boxes, size, arcs)
    heads = ((x_p, TOP_MARGIN - 34), f"M = {len(predicted)}"), ((x_t, TOP_MARGIN - 34), f"N = {len(true)}")
    return tuple(boxes), heads


def _place_extra_nodes(boxes: list[Box], size: int, arcs: tuple[NetworkArc, ...]) -> list[Box]:
    """Nodes that places or pairs have of their own: near the class that they belong to."""
    nodes: list[Box] = []
    used: set[Point] = set()
    for node in range(len(boxes), size):
        ends = {end for arc in arcs if node in (arc.tail, arc.head) for end in (arc.tail, arc.head)} - {node}
        near = [boxes[end] for end in sorted(ends) if end < len(boxes)]
        close = next((box for box in near if box.role in ("predicted", "true", "default")), near[0])
        other = next((box for box in near if box is not close), close)
        box = make_box("", "other")
        box.width, box.height = 16.0, 16.0
        box.x, box.y = close.x + (other.x - close.x) * 0.55, close.y + (other.y - close.y) * 0.1
        while (box.x, box.y) in used:
            box.y += 20.0
        used.add((box.x, box.y))
        nodes.append(box)
    return nodes
