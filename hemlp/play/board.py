"""What the page of `hemlp play` shows: a small taxonomy, one instance and one measure, and all that follows from them.

The page sends its whole state, and gets the whole answer: nothing is computed by the page itself.

    >>> state = {"edges": [["a", "b"], ["a", "c"]], "true": ["b"], "pred": ["c"], "measure": {"text": "GIE"}}
    >>> answer = Board.read(state).answer()
    >>> answer["score"], answer["pairs"]
    (2.0, [['c', 'b', 2.0]])
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hemlp.analysis.explain.drawing import Picture, svg_curve
from hemlp.analysis.explain.explain import explain
from hemlp.analysis.explain.explanation import Explanation, LcaPart, PairingPart
from hemlp.analysis.explain.layout import PairCurve
from hemlp.analysis.explain.network import network_picture
from hemlp.analysis.properties.losses import complete
from hemlp.errors import HemlpError, InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import label_order
from hemlp.instances.batch import Batch
from hemlp.measures.base import Measure
from hemlp.measures.catalogue import NAMED
from hemlp.measures.factory import measure, write_measures
from hemlp.measures.pair_measure import PairMeasure
from hemlp.optimize.program import Status
from hemlp.problems.pairing.bounds import ALL, Bounds

MAX_CLASSES = 200
"""Classes of a taxonomy that can be played with."""
LONGEST = 200
"""Characters of a label."""
Measured = tuple[str, Measure]


@dataclass(frozen=True, eq=False)
class Board:
    """A taxonomy, an instance, and a measure."""

    hierarchy: Hierarchy
    true: tuple[str, ...]
    pred: tuple[str, ...]
    measure: Measure

    @classmethod
    def read(cls, state: Any) -> Board:
        """From what the page sends; what is wrong with it is a named error."""
        if not isinstance(state, Mapping):
            raise InvalidOption("the state is an object with classes, edges, true, pred and measure")
        classes, true, pred = (_texts(state.get(key, []), key) for key in ("classes", "true", "pred"))
        edges = state.get("edges", [])
        if not isinstance(edges, list) or not all(isinstance(edge, list) and len(edge) == 2 for edge in edges):
            raise InvalidOption("edges are pairs of a parent and a child")
        pairs = [_texts(edge, "edges") for edge in edges]
        if len({*classes, *(end for pair in pairs for end in pair)}) > MAX_CLASSES:
            raise InvalidOption(f"more than {MAX_CLASSES} classes: choose an instance of fewer")
        h = Hierarchy.from_edges(pairs, classes=classes)
        for side in (true, pred):
            for label in side:
                h.id(label)
        return cls(h, true, pred, read_measure(state.get("measure")))

    @cached_property
    def edges(self) -> list[tuple[str, str]]:
        """(parent, child) of all edges."""
        ends = zip(self.hierarchy.edges.parents.tolist(), self.hierarchy.edges.children.tolist(), strict=True)
        return [(str(self.hierarchy.labels[parent]), str(self.hierarchy.labels[child])) for parent, child in ends]

    @cached_property
    def batch(self) -> Batch:
        """The instance."""
        return Batch.of(self.hierarchy, [list(self.true)], [list(self.pred)], rows="sets")

    def answer(self) -> dict[str, Any]:
        """All that the page shows, as plain values."""
        own = complete(self.measure, self.hierarchy)
        score, status, reason = _score(own, self.batch)
        greedy = measure("F_LCA", method="greedy")
        wanted = {"own": own} if reason == "" else {}
        explanation = explain(self.batch, {**wanted, "exact": measure("F_LCA"), "greedy": greedy})
        parts = {name: part for part in explanation.parts for name in part.values}
        pairing = parts.get("own")
        pairs = pairing.pairs if isinstance(pairing, PairingPart) else ()
        prices = pairing.prices if isinstance(pairing, PairingPart) else {}
        return {
            "taxonomy": self._taxonomy([(p.predicted, p.true, p.cost) for p in pairs]),
            "measure": describe_measure(self.measure),
            "score": score,
            "status": status,
            "undefined": reason,
            "pairs": [[p.predicted, p.true, p.cost] for p in pairs],
            "prices": [[side, label, price] for side, of in prices.items() for label, price in of.items()],
            "network": self._network(own, reason),
            "lca": [self._lca(explanation, parts[name], name) for name in ("exact", "greedy")],
            "program": self._program(own),
            "values": self._values(own, score, reason),
            "sensitivity": self._sensitivity(own),
            "copy": self._copies(),
        }

    def _taxonomy(self, pairs: Sequence[tuple[Any, Any, float]]) -> dict[str, Any]:
        """Boxes, arrows and pairs of the whole taxonomy, where they are drawn."""
        picture = Picture("")
        roles = {(1, 1): "both", (1, 0): "true", (0, 1): "predicted", (0, 0): "other"}
        for label in sorted(self.hierarchy.labels, key=label_order):
            picture.add(label, str(label), roles[label in self.true, label in self.pred])
        picture.arrows += [(child, parent, "plain") for parent, child in self.edges]
        for k, (predicted, true, cost) in enumerate(pairs):
            first, second = (("default", k) if end is None else end for end in (predicted, true))
            for end, other in ((first, second), (second, first)):
                if end == ("default", k):
                    picture.add(end, "default", "default")
                    picture.arrows.append((end, other, "hidden"))
            if first != second:
                picture.curves.append(PairCurve(first, second, f"{cost:g}"))
        width, height = picture.lay_out()
        boxes = [
            {"label": b.key if isinstance(b.key, str) else None, "text": b.text, "title": b.title, "role": b.role,
             "x": b.x, "y": b.y, "width": b.width, "height": b.height}
            for b in picture.boxes.values()
        ]  # fmt: skip
        return {
            "width": width,
            "height": height,
            "boxes": boxes,
            "edges": [[p, c, svg_curve(picture.arrow_points(c, p))] for p, c in self.edges],
            "curves": [svg_curve(picture.curve_points(curve)) for curve in picture.curves],
            "costs": [[x, y, text] for x, y, text in picture.place_labels()],
        }

    def _network(self, own: Measure, reason: str) -> str:
        if not isinstance(own, PairMeasure) or reason:
            return ""
        try:
            return network_picture(own.model(self.batch)).to_svg()
        except InvalidOption:  # one that is made of several pairings, or one with too many arcs
            return ""

    def _lca(self, explanation: Explanation, part: Any, name: str) -> dict[str, Any]:
        if not isinstance(part, LcaPart):
            return {"name": name, "svg": "", "F": None, "lcas": 0}
        picture = part.picture(name, self.hierarchy, explanation.sides, explanation.name)
        return {"name": name, "svg": picture.to_svg(style=False), "F": part.values[name], "lcas": len(part.lcas)}

    def _program(self, own: Measure) -> dict[str, str]:
        try:
            model = own.model(self.batch)
            return {"algebra": str(model.algebra()), "lp": model.to_lp()}
        except HemlpError as error:
            return {"algebra": str(error), "lp": ""}

    def _values(self, own: Measure, score: float | None, reason: str) -> list[dict[str, Any]]:
        """The measure that is played with, then all named ones."""
        rows = [{"name": own.display_name, "value": score, "better": own.greater_is_better, "why": reason}]
        for name in NAMED:
            each = complete(measure(name), self.hierarchy)
            value, _, why = _score(each, self.batch)
            rows.append({"name": name, "value": value, "better": each.greater_is_better, "why": why})
        return rows

    def _sensitivity(self, own: Measure) -> list[list[float]]:
        """(D, error) where the error bends, from 0 on to beyond the last bend; [] without one default cost."""
        if not isinstance(own, PairMeasure) or not isinstance(own.default_cost, int | float):
            return []
        try:
            curve = own.sensitivity(self.hierarchy, self.true, self.pred)
        except HemlpError:
            return []
        bends = [float(d) for d in curve.breakpoints]
        far = max([10.0, float(own.default_cost) * 1.5, *(1.5 * d for d in bends)])
        return [[d, float(curve.total(d))] for d in sorted({0.0, *bends, far})]

    def _copies(self) -> dict[str, str]:
        """The measure as Python, TOML and on the command line, and the instance as a test."""
        value = _score(complete(self.measure, self.hierarchy), self.batch)[0]
        quoted = str(self.measure).replace("\\", "\\\\").replace('"', '\\"')
        return {
            "python": f'hemlp.measure("{quoted}")',
            "toml": write_measures([self.measure]),
            "command": f'hemlp evaluate HIERARCHY TRUE PRED -m "{quoted}"',
            "test": (
                f"h = Hierarchy.from_edges({self.edges!r}, classes={list(self.hierarchy.labels)!r})\n"
                f'score = hemlp.measure("{quoted}").score(h, true={list(self.true)!r}, pred={list(self.pred)!r})\n'
                f"assert float(score) == pytest.approx({value!r})"
            ),
        }


def read_measure(given: Any) -> Measure:
    """A measure from its text, or from bounds that were chosen by sliders."""
    if not isinstance(given, Mapping):
        raise InvalidOption("measure is an object: a text, or bounds with a cost and default costs")
    if "text" in given:
        return measure(str(given["text"])[:2000])
    bounds: dict[str, Any] = {}
    for side in ("predicted", "true"):
        pair = given.get(side)
        if not isinstance(pair, list) or len(pair) != 2:
            raise InvalidOption(f"{side} is a pair of bounds, lower and upper")
        bounds[side] = tuple(ALL if each == "ALL" else each for each in pair)
    options = {
        key: given[key] for key in ("cost", "default_cost", "max_distance", "horizon") if given.get(key) is not None
    }
    return PairMeasure(str(given.get("name") or "mine")[:LONGEST], Bounds(**bounds), **options)


def describe_measure(own: Measure) -> dict[str, Any]:
    """A measure as its text, and as sliders where bounds and plain costs say all of it."""
    text: dict[str, Any] = {"text": str(own), "name": own.display_name}
    if not isinstance(own, PairMeasure) or own.bounds != Bounds(own.bounds.predicted, own.bounds.true):
        return text
    sides = own.bounds.predicted, own.bounds.true
    if not all(isinstance(side, tuple) and all(b is ALL or isinstance(b, int) for b in side) for side in sides):
        return text
    shown = [["ALL" if bound is ALL else bound for bound in side] for side in sides]  # type: ignore[union-attr]
    return text | {
        "predicted": shown[0], "true": shown[1], "default_cost": own.default_cost, "horizon": own.horizon,
        "max_distance": own.max_distance, "cost": getattr(own.cost, "name", None),
    }  # fmt: skip


def _score(own: Measure, batch: Batch) -> tuple[float | None, str, str]:
    """The score of an instance and its status, or the reason why it has none."""
    try:
        score = own.score(batch)
    except HemlpError as error:
        return None, "undefined", str(error)
    value = float(score.values[0])
    return (None, "undefined", "undefined") if math.isnan(value) else (value, str(Status(int(score.statuses[0]))), "")


def _texts(values: Any, key: str) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(each, str) and 0 < len(each) <= LONGEST for each in values):
        raise InvalidOption(f"{key} holds labels: texts of 1 to {LONGEST} characters")
    return tuple(dict.fromkeys(values))
