"""The content of the page of `hemlp play`: a small taxonomy, an instance and a measure, and their scores and pictures.

The page sends its whole state and gets the whole answer; it computes nothing itself.

    >>> state = {"edges": [["a", "b"], ["a", "c"]], "true": ["b"], "pred": ["c"], "measure": {"text": "GIE"}}
    >>> answer = Board.read(state).answer()
    >>> answer["score"], answer["pairs"]
    (2.0, [['c', 'b', 2.0]])
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hemlp.analysis.explain.drawing import Picture, svg_curve, svg_shape
from hemlp.analysis.explain.explain import explain
from hemlp.analysis.explain.explanation import Explanation
from hemlp.analysis.explain.layout import NODE_STYLES, Box
from hemlp.analysis.explain.network import network_picture
from hemlp.analysis.explain.parts import LcaPart, PairingPart, Scene
from hemlp.analysis.properties.losses import complete
from hemlp.errors import HemlpError, InvalidOption
from hemlp.escaping import json_number
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import label_order
from hemlp.instances.batch import Batch
from hemlp.measures.base import Measure
from hemlp.measures.catalogue import NAMED
from hemlp.measures.factory import measure, write_measures
from hemlp.measures.pair_measure import PairMeasure
from hemlp.measures.scoring import score_together
from hemlp.optimize.program import Status
from hemlp.problems.pairing.bounds import ALL, Bounds
from hemlp.problems.pairing.costs import cost_text
from hemlp.text.tables import plural

MAX_CLASSES = 200
"""Classes of a taxonomy."""
LONGEST = 200
"""Characters of a label."""
ROLES = {(1, 1): "both", (1, 0): "true", (0, 1): "predicted", (0, 0): "other"}
MEASURES = {name: measure(name) for name in NAMED}


@dataclass(frozen=True, eq=False)
class Board:
    """A taxonomy, an instance and a measure; ``names``: of classes that have a name beside their label."""

    hierarchy: Hierarchy
    true: tuple[str, ...]
    pred: tuple[str, ...]
    measure: Measure
    names: Mapping[Any, str] = field(default_factory=dict)

    @classmethod
    def read(cls, state: Any) -> Board:
        """From the state that the page sends."""
        if not isinstance(state, Mapping):
            raise InvalidOption("the state is an object with classes, edges, true, pred and measure")
        classes, true, pred = (_texts(state.get(key, []), key) for key in ("classes", "true", "pred"))
        edges = _edges(state.get("edges", []))
        if len({*classes, *(end for edge in edges for end in edge[:2])}) > MAX_CLASSES:
            raise InvalidOption(f"more than {MAX_CLASSES} classes: choose an instance with fewer")
        h = Hierarchy.from_edges(edges, classes=classes)
        for label in (*true, *pred):
            h.id(label)
        names = state.get("names") or {}
        _texts(list(names.values()) if isinstance(names, Mapping) else None, "names")
        return cls(h, true, pred, read_measure(state.get("measure")), names)

    @cached_property
    def batch(self) -> Batch:
        """The instance as a batch of one."""
        return Batch.of(self.hierarchy, [list(self.true)], [list(self.pred)], rows="sets")

    def answer(self) -> dict[str, Any]:
        """Everything that the page shows, as plain values."""
        own = complete(self.measure, self.hierarchy)
        values = self._values()
        wanted = {} if values[0]["why"] else {"own": own}
        lcas = {"exact": MEASURES["F_LCA"], "greedy": measure("F_LCA", method="greedy")}
        explanation = explain(self.batch, {**wanted, **lcas}, names=self.names)
        parts = {name: part for part in explanation.parts for name in part.values}
        pairing = parts.get("own")
        pairs, prices = (pairing.pairs, pairing.prices) if isinstance(pairing, PairingPart) else ((), {})
        network, program = self._model(own, values[0]["why"])
        return {
            "taxonomy": self._taxonomy([(p.predicted, p.true, p.cost) for p in pairs]),
            "measure": describe_measure(self.measure),
            "score": values[0]["value"],
            "status": values[0]["status"],
            "undefined": values[0]["why"],
            "pairs": [[p.predicted, p.true, p.cost] for p in pairs],
            "prices": [[side, self.names.get(c, c), price] for side, of in prices.items() for c, price in of.items()],
            "network": network,
            "lca": self._lca(explanation, {name: parts[name] for name in lcas}),
            "program": program,
            "values": values,
            "sensitivity": self._sensitivity(own),
            "copy": self._copies(values[0]["value"], own),
        }

    def _taxonomy(self, pairs: Sequence[tuple[Any, Any, float]]) -> dict[str, Any]:
        """Positions of boxes, arrows and pairs of the taxonomy, and the picture as SVG."""
        picture, edges = Picture(self.measure.display_name), labelled_edges(self.hierarchy)
        for label in sorted(self.hierarchy.labels, key=label_order):
            picture.add(label, self.names.get(label, str(label)), ROLES[label in self.true, label in self.pred])
        picture.arrows += [(child, parent, "plain") for parent, child, *_ in edges]
        picture.arrow_labels |= {(child, parent): f"{length[0]:g}" for parent, child, *length in edges if length}
        for k, (predicted, true, cost) in enumerate(pairs):
            if predicted != true:
                picture.add_pair(k, predicted, true, f"{cost:g}")
        svg = picture.to_svg()  # this computes the layout
        points = [point for curve in picture.curves for point in picture.curve_points(curve)]
        points += [point for p, c, *_ in edges for point in picture.arrow_points(c, p)]
        points += [(b.x + k * b.width / 2, b.y + k * b.height) for b in picture.boxes.values() for k in (-1, 1)]
        (left, right), (top, below) = ((min(of), max(of)) for of in zip(*points, strict=True))
        return {
            "frame": [left - 10, top, right - left + 20, below - top],
            "boxes": [
                {"label": b.key if isinstance(b.key, str) else None, "text": b.text, "title": b.title, "role": b.role,
                 "x": b.x, "y": b.y, "shape": svg_shape(b)}
                for b in picture.boxes.values()
            ],
            "edges": [[p, c, svg_curve(picture.arrow_points(c, p))] for p, c, *_ in edges],
            "curves": [svg_curve(picture.curve_points(curve)) for curve in picture.curves],
            "costs": [[x, y, text] for x, y, text in picture.place_labels()],
            "svg": svg,
        }  # fmt: skip

    def _model(self, own: Measure, reason: str) -> tuple[str, dict[str, str]]:
        """The flow network as SVG ("": none), and the program as algebra and LP."""
        try:
            model = own.model(self.batch)
            program = {"algebra": str(model.algebra()), "lp": model.to_lp()}
        except HemlpError as error:
            return "", {"algebra": str(error), "lp": ""}
        try:
            return network_picture(model, self.names).to_svg() if not reason else "", program
        except InvalidOption:  # several pairings, or too many arcs
            return "", program

    def _lca(self, explanation: Explanation, parts: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The graphs, all in the layout that has room for each of them."""
        drawn = {name: part for name, part in parts.items() if isinstance(part, LcaPart)}
        nodes = frozenset[Any]().union(*(part.predicted | part.true for part in drawn.values()))
        answers = []
        for name, part in parts.items():
            why = getattr(part, "reason", "")
            answers.append({"name": name, "title": f"{name}: {why}", "svg": "", "F": None, "why": why})
            if name in drawn:
                title = f"{name}: F_LCA = {part.values[name]:.4g}, {plural(len(part.lcas), 'LCA')}"
                picture = part.picture(Scene(title, self.hierarchy, *explanation.sides, explanation.name, nodes))
                picture.explained = False  # the page has one legend
                answers[-1] |= {"title": title, "svg": picture.to_svg(), "F": part.values[name]}
        return answers

    def _values(self) -> list[dict[str, Any]]:
        """The chosen measure, then all other named ones, each with its value or the reason why it has none."""
        asked = [self.measure, *(each for name, each in MEASURES.items() if name != str(self.measure))]
        whole = [complete(each, self.hierarchy) for each in asked]
        try:
            values = [float(scores.values[0]) for scores in score_together(whole, self.batch, undefined="nan")]
        except HemlpError:  # one measure rejects this hierarchy: score each by itself
            values = [math.nan] * len(whole)
        rows = []
        for k, (each, full, value) in enumerate(zip(asked, whole, values, strict=True)):
            alone = k == 0 or math.isnan(value)
            row = _score(full, self.batch) if alone else {"value": json_number(value), "why": ""}
            note = "" if full is each else "with weights from a corpus that has each class once"
            rows.append({"name": each.display_name, "better": each.greater_is_better, "note": note, **row})
        return rows

    def _sensitivity(self, own: Measure) -> list[list[float]]:
        """(D, error) at each breakpoint, from 0 to beyond the last; [] without a single default cost."""
        if not isinstance(own, PairMeasure) or not isinstance(own.default_cost, int | float):
            return []
        try:
            curve = own.sensitivity(self.hierarchy, self.true, self.pred)
        except HemlpError:
            return []
        bends = [float(d) for d in curve.breakpoints]
        far = max([10.0, float(own.default_cost), *(1.25 * d for d in bends)])
        return [[d, float(curve.total(d))] for d in sorted({0.0, *bends, far})]

    def _copies(self, value: float | str | None, own: Measure) -> dict[str, str]:
        """The measure as Python, TOML and on the command line, and the instance as a test."""
        weights = f", weights={dict(own.fields['weights'])!r}" if own is not self.measure else ""
        python = f"hemlp.measure({str(self.measure)!r}{weights})"
        quoted = re.sub(r'([\\"$`])', r"\\\1", str(self.measure))
        score = f"{python}.score(h, true={list(self.true)!r}, pred={list(self.pred)!r})"
        h = self.hierarchy
        made = f"hemlp.Hierarchy.from_edges({labelled_edges(h)!r}, classes={list(h.labels)!r})"
        expected = f"float({value!r})" if isinstance(value, str) else repr(value)
        check = f"assert float({score}) == pytest.approx({expected})"
        if value is None:
            check = f"with pytest.raises(hemlp.HemlpError):\n        {score}"
        return {
            "Python": python,
            "TOML": write_measures([self.measure]),
            "Command line": f'hemlp evaluate HIERARCHY TRUE PRED -m "{quoted}"',
            "Test case": f"import hemlp\nimport pytest\n\n\ndef test_instance():\n    h = {made}\n    {check}\n",
        }


def labelled_edges(h: Hierarchy) -> list[tuple[Any, ...]]:
    """All edges as (parent, child), or (parent, child, length)."""
    ends = ([str(h.labels[c]) for c in side.tolist()] for side in (h.edges.parents, h.edges.children))
    return list(zip(*ends, *([h.edges.weights.tolist()] if h.edges.weights is not None else []), strict=True))


def legend() -> list[list[str]]:
    """Name, shape and meaning of each role of a class."""
    boxes = [Box(None, "", name, x=12.0, y=9.0, width=20.0, height=14.0) for name in NODE_STYLES]
    return [[box.role, svg_shape(box), NODE_STYLES[box.role].label] for box in boxes]


def read_measure(given: Any) -> Measure:
    """A measure from its text, or from the bounds of the sliders."""
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
    keys = ("cost", "default_cost", "max_distance", "horizon", "score")
    options = {key: given[key] for key in keys if given.get(key) is not None}
    if isinstance(default := options.get("default_cost"), list):
        options["default_cost"] = tuple(default)
    return PairMeasure(str(given.get("name") or "mine")[:LONGEST], Bounds(**bounds), **options)


def describe_measure(own: Measure) -> dict[str, Any]:
    """A measure as its text, and as sliders if they can express it."""
    text: dict[str, Any] = {"text": str(own), "name": own.display_name, "named": str(own) in NAMED}
    if not isinstance(own, PairMeasure) or own.bounds != Bounds(own.bounds.predicted, own.bounds.true):
        return text
    sides = own.bounds.predicted, own.bounds.true
    plain = all(isinstance(side, tuple) and all(b is ALL or isinstance(b, int) for b in side) for side in sides)
    plain &= own.pairing == "optimal" and own.weights is None and isinstance(own.scoring, str)
    if not plain or cost_text(own.cost) == "custom":
        return text
    shown = [["ALL" if bound is ALL else bound for bound in side] for side in sides]  # type: ignore[union-attr]
    return text | {
        "predicted": shown[0], "true": shown[1], "default_cost": own.default_cost, "horizon": own.horizon,
        "max_distance": own.max_distance, "cost": cost_text(own.cost), "score": own.scoring,
    }  # fmt: skip


def _score(own: Measure, batch: Batch) -> dict[str, Any]:
    """The score of an instance with its status, or the reason why it has none."""
    try:
        score = own.score(batch)
    except HemlpError as error:
        return {"value": None, "status": "undefined", "why": str(error.with_advice()).rpartition("instance 1: ")[2]}
    return {"value": json_number(float(score.values[0])), "status": str(Status(int(score.statuses[0]))), "why": ""}


def _texts(values: Any, key: str) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(each, str) and 0 < len(each) <= LONGEST for each in values):
        raise InvalidOption(f"{key} holds labels: texts of 1 to {LONGEST} characters")
    return tuple(dict.fromkeys(values))


def _edges(given: Any) -> list[tuple[Any, ...]]:
    """Edges as (parent, child), or all with lengths if one has a length, 1 by default."""
    if not isinstance(given, list) or not all(isinstance(edge, list) and len(edge) in (2, 3) for edge in given):
        raise InvalidOption("edges are pairs of a parent and a child, or have a length as third value")
    unit = (1,) if any(len(edge) == 3 for edge in given) else ()
    _texts([end for edge in given for end in edge[:2]], "edges")
    return [(*edge[:2], *(edge[2:] or unit)) for edge in given]
