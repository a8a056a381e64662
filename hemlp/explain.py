"""Why one instance scores what it scores: pairs with their paths and prices, minimal LCA graphs, closures.

>>> from hemlp import Batch, Hierarchy, measure
>>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
>>> explanation = explain(Batch.of(h, [["sheep"]], [["cow"]]), {"GIE": measure("GIE")})
>>> explanation.parts[0].pairs[0].path
('cow', 'mammal', 'sheep')
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from hemlp.augment import ClosureModel
from hemlp.costs import ShortestPath
from hemlp.drawing import Curve, Picture
from hemlp.errors import HemlpError, InvalidOption
from hemlp.hierarchy import Hierarchy
from hemlp.labels import Batch
from hemlp.lca_model import LcaModel, LcaSolution
from hemlp.pairing import PairingModel
from hemlp.scoring import Measure, score_together
from hemlp.tables import Table
from hemlp.vocabulary import TOP, Label, Top

Node = Label | Top
Names = Callable[[Node], str]
TOP_WORDS = "⊤ (above all roots)"


@dataclass(frozen=True)
class Pair:
    """A pair of Problem 1, None for a default class. ``path``: from the predicted class up and down to the true one."""

    predicted: Label | None
    true: Label | None
    cost: float
    path: tuple[Label, ...] = ()


@dataclass(frozen=True)
class Pairing:
    """The optimal pairs, and a price of each class: what it adds to the cost (there may be other prices)."""

    values: Mapping[str, float]
    pairs: tuple[Pair, ...]
    prices: Mapping[str, Mapping[Label, float]]
    error: float

    def tables(self, name: Names) -> Iterator[Table]:
        """Pairs, then prices."""
        rows = [
            [_or_default(p.predicted, name), _or_default(p.true, name), f"{p.cost:g}", _path(p.path, name)]
            for p in self.pairs
        ]
        yield Table(["predicted", "true", "cost", "path"], rows, [f"together {self.error:g}"])
        priced = [[side, name(c), f"{value:g}"] for side, of in self.prices.items() for c, value in of.items()]
        if priced:
            yield Table(["side", "class", "a price"], priced)

    def picture(self, title: str, h: Hierarchy, sides: tuple[set[Label], set[Label]], name: Names) -> Picture:
        """Classes and paths, pairs as curves with their costs."""
        made = Picture(title)
        same = {p.predicted for p in self.pairs if p.predicted == p.true and p.cost == 0}
        for c in sorted(sides[0] | sides[1], key=str):
            made.add(c, f"{name(c)}: 0" if c in same else name(c), _class_role(c, sides))
        for pair in self.pairs:
            for node in pair.path:
                made.add(node, name(node), "other")
        _connect(made, h)
        for k, pair in enumerate(self.pairs):
            ends: list[Any] = [("default", k) if end is None else end for end in (pair.predicted, pair.true)]
            for end, other in (ends, ends[::-1]):
                if end == ("default", k):
                    made.add(end, "default", "default")
                    made.arrows.append((end, other, "hidden"))
            if pair.predicted not in same or pair.predicted != pair.true:
                made.curves.append(Curve(ends[0], ends[1], f"{pair.cost:g}"))
        return made

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "kind": "pairs",
            "values": _plain(self.values),
            "error": self.error,
            "pairs": [asdict(pair) for pair in self.pairs],
            "prices": {side: [[c, value] for c, value in of.items()] for side, of in self.prices.items()},
        }  # fmt: skip


@dataclass(frozen=True)
class Graphs:
    """Minimal LCA graphs: chosen LCAs, paths (side, from the class up to the LCA), both node sets.

    ``greedy``: what Algorithm 1 finds, where that differs.
    """

    values: Mapping[str, float]
    status: str
    lcas: frozenset[Node]
    paths: tuple[tuple[str, tuple[Node, ...]], ...]
    predicted: frozenset[Node]
    true: frozenset[Node]
    greedy: Graphs | None = None

    @property
    def shared(self) -> frozenset[Node]:
        """What is in both graphs."""
        return self.predicted & self.true

    def tables(self, name: Names) -> Iterator[Table]:
        """LCAs and paths; then the same of the greedy solution where it differs."""
        rows = [[side, _path(path, name)] for side, path in sorted(self.paths, key=lambda p: (p[0], str(p[1])))]
        notes = [
            f"chosen LCAs: {_listed(self.lcas, name)}",
            f"{len(self.predicted)} nodes on the predicted side, {len(self.true)} on the true side, "
            f"{len(self.shared)} shared: {_listed(self.shared, name)}",
            f"status {self.status}",
        ]
        yield Table(["side", "path to the LCA"], rows, notes)
        if self.greedy is not None:
            (first, *_) = self.greedy.tables(name)
            values = ", ".join(f"{k} {v:.4g}" for k, v in self.greedy.values.items())
            yield replace(first, notes=[f"the greedy approximation differs: {values}", *first.notes])

    def picture(self, title: str, h: Hierarchy, sides: tuple[set[Label], set[Label]], name: Names) -> Picture:
        """Both graphs, the paths highlighted."""
        made = Picture(title)
        for a in sorted(self.lcas, key=str):
            made.add(a, name(a), "both" if a in sides[0] and a in sides[1] else "lca")
        for node in sorted(self.predicted | self.true, key=str):
            side = "shared" if node in self.shared else "predicted_side" if node in self.predicted else "true_side"
            role = _class_role(node, sides) if node in sides[0] or node in sides[1] else side
            made.add(node, name(node), role)
        for c in sorted(sides[0] | sides[1], key=str):  # classes that have a descendant beside them
            made.add(c, name(c), _class_role(c, sides))
        drawn: dict[tuple[Node, Node], set[str]] = {}
        for side, path in self.paths:
            for low, high in pairwise(path):
                drawn.setdefault((low, high), set()).add(side)
        made.arrows += [(*ends, "shared" if len(of) == 2 else of.copy().pop()) for ends, of in drawn.items()]
        _connect(made, h)
        return made

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "kind": "graphs",
            "values": _plain(self.values),
            "status": self.status,
            "lcas": _names(self.lcas),
            "paths": [{"side": side, "path": [_text(node) for node in path]} for side, path in self.paths],
            "predicted": _names(self.predicted),
            "true": _names(self.true),
            "shared": _names(self.shared),
            "greedy": None if self.greedy is None else self.greedy.to_dict(),
        }


@dataclass(frozen=True)
class Sets:
    """The two augmented sets; ``dropped``: what a tolerant measure left out."""

    values: Mapping[str, float]
    predicted: frozenset[Node]
    true: frozenset[Node]
    dropped: frozenset[Node] = frozenset()

    def tables(self, name: Names) -> Iterator[Table]:
        """What is shared, and what is on one side only."""
        rows = [
            ["shared", str(len(self.predicted & self.true)), _listed(self.predicted & self.true, name)],
            ["predicted only", str(len(self.predicted - self.true)), _listed(self.predicted - self.true, name)],
            ["true only", str(len(self.true - self.predicted)), _listed(self.true - self.predicted, name)],
        ]
        if self.dropped:
            rows.append(["dropped", str(len(self.dropped)), _listed(self.dropped, name)])
        yield Table(["set", "classes", "which"], rows)

    def picture(self, title: str, h: Hierarchy, sides: tuple[set[Label], set[Label]], name: Names) -> Picture:
        """Both closures."""
        made = Picture(title)
        for node in sorted(self.predicted | self.true | self.dropped, key=str):
            if node in sides[0] or node in sides[1]:
                role = _class_role(node, sides)
            elif node in self.dropped:
                role = "dropped"
            else:
                both = node in self.predicted and node in self.true
                role = "shared" if both else "predicted_side" if node in self.predicted else "true_side"
            made.add(node, name(node), role)
        _connect(made, h)
        return made

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "kind": "sets",
            "values": _plain(self.values),
            "predicted": _names(self.predicted),
            "true": _names(self.true),
            "dropped": _names(self.dropped),
        }


@dataclass(frozen=True)
class Unexplained:
    """A measure that is undefined on the instance, or has no solution, with the reason."""

    values: Mapping[str, float]
    reason: str

    def tables(self, name: Names) -> Iterator[Table]:
        """Nothing but the reason."""
        yield Table(["undefined"], [[self.reason]])

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"kind": "undefined", "values": _plain(self.values), "reason": self.reason}


Part = Pairing | Graphs | Sets | Unexplained


@dataclass(frozen=True, eq=False)
class Explanation:
    """One instance: its classes, and a part for each kind of model that was asked for.

    ``row`` counts from 0. ``names`` gives readable names of classes.
    """

    batch: Batch
    row: int
    parts: tuple[Part, ...]
    system: str = ""
    names: Mapping[Label, str] | None = None

    @cached_property
    def sides(self) -> tuple[set[Label], set[Label]]:
        """The predicted and the true classes."""
        labels = self.batch.hierarchy.labels
        return {labels[c] for c in self.batch.pred[0]}, {labels[c] for c in self.batch.true[0]}

    def name(self, node: Node) -> str:
        """What a node is called: its name, or its label."""
        if node is TOP:
            return TOP_WORDS
        return str(node) if self.names is None else self.names.get(node, str(node))  # type: ignore[arg-type]

    @property
    def title(self) -> str:
        """Which instance this is."""
        ids = self.batch.ids
        which = f"instance {self.row + 1}" + ("" if ids is None else f" ({ids[0]})")
        return f"{self.system}, {which}" if self.system else which

    def full_name(self, node: Node) -> str:
        """Its name and its label, where the two differ."""
        name = self.name(node)
        return name if node is TOP or name == str(node) else f"{name} ({node})"

    def sections(self) -> list[tuple[str, list[Table]]]:
        """Title and tables: the classes first, then part by part."""
        classes = [
            [side, _listed(of, self.full_name)]
            for side, of in zip(("predicted", "true"), (self.sides[0], self.sides[1]), strict=True)
        ]
        found = [(self.title, [Table(["side", "classes"], classes)])]
        for part in self.parts:
            values = ", ".join(f"{k} {'undefined' if math.isnan(v) else f'{v:.4g}'}" for k, v in part.values.items())
            found.append((values, list(part.tables(self.full_name))))
        return found

    def __str__(self) -> str:
        blocks = ["\n".join([title, *(f"{table}\n" for table in tables)]) for title, tables in self.sections()]
        return "\n".join(blocks)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "system": self.system,
            "instance": self.row + 1,
            "id": None if self.batch.ids is None else self.batch.ids[0],
            "predicted": _names(self.sides[0]),
            "true": _names(self.sides[1]),
            "parts": [part.to_dict() for part in self.parts],
        }

    def picture(self, part: int = 0) -> Picture:
        """A drawing of one part: ``picture().to_svg()``, ``picture(1).to_png("file.png")``."""
        chosen = self.parts[part]
        if isinstance(chosen, Unexplained):
            raise InvalidOption(f"there is nothing to draw: {chosen.reason}")
        values = ", ".join(f"{name} {value:.3g}" for name, value in chosen.values.items())
        return chosen.picture(f"{self.title}: {values}", self.batch.hierarchy, self.sides, self.name)


def explain(
    batch: Batch,
    measures: Mapping[str, Measure],
    row: int = 0,
    *,
    system: str = "",
    names: Mapping[Label, str] | None = None,
) -> Explanation:
    """Explain instance ``row`` of a batch; measures that share a model are explained together."""
    one = batch[row]
    groups: dict[Any, list[str]] = {}
    for name, each in measures.items():
        groups.setdefault(each.model_key, []).append(name)
    parts = tuple(_part(one, {name: measures[name] for name in members}) for members in groups.values())
    return Explanation(one, range(len(batch))[row], parts, system, names)


def _part(one: Batch, measures: Mapping[str, Measure]) -> Part:
    scores = score_together(list(measures.values()), one, undefined="nan")
    values = {name: float(score.values[0]) for name, score in zip(measures, scores, strict=True)}
    leader = next(iter(measures.values()))
    try:
        leader.score(one)  # says why, where it is undefined
        model = leader.model(one)
        solution = model.solve()
    except HemlpError as error:
        return Unexplained(values, str(error).removeprefix("instance 1: "))
    if isinstance(model, PairingModel):
        return _pairing(model, solution, values, getattr(leader, "cost", None))
    if isinstance(model, LcaModel):
        return _graphs(model, solution, values)
    assert isinstance(model, ClosureModel)
    dropped = frozenset(model._label(int(node)) for node in solution.nodes[(solution.members & 4) > 0])
    predicted, true = solution.sets
    return Sets(values, predicted, true, dropped)


def _pairing(model: PairingModel, solution: Any, values: Mapping[str, float], cost: Any) -> Pairing:
    h = model.batch.hierarchy
    measured = cost.lengths(h) if isinstance(cost, ShortestPath) and not cost.undirected else None
    pairs = tuple(
        Pair(p, t, c, shortest_path(measured, p, t) if measured is not None and p is not None and t is not None else ())
        for p, t, c in solution.named_pairs()
    )
    prices = solution.duals()
    labels = h.labels
    return Pairing(
        values,
        pairs,
        {
            side: {labels[c]: float(price) + 0.0 for c, price in zip(of.classes, found, strict=True)}
            for side, of, found in (
                ("predicted", model.batch.pred, prices.predicted),
                ("true", model.batch.true, prices.true),
            )
        },
        solution.objective,
    )


def network_picture(model: Any, names: Mapping[Label, str] | None = None) -> Picture:
    """The flow network of Problem 1 of one instance, from source to sink, with its optimal flow highlighted."""
    if not isinstance(model, PairingModel) or len(model) != 1:
        raise InvalidOption("a flow network is drawn of one instance of a pair-based measure")
    solution = model.solve()
    network, flow = model.network(solution)
    explanation = Explanation(model.batch, 0, (), names=names)
    made = Picture(f"{model.title}: least cost {solution.objective:g}")
    fixed = [
        ("source", "other"),
        ("sink", "other"),
        ("default for true", "default"),
        ("default for predicted", "default"),
    ]
    labels = model.batch.hierarchy.labels
    words = fixed + [(explanation.name(labels[c]), "predicted") for c in model.batch.pred.classes]
    words += [(explanation.name(labels[c]), "true") for c in model.batch.true.classes]
    words += [("nearest", "other")] * (network.size - len(words))
    for node, (text, role) in enumerate(words):
        made.add(node, text, role)
    arcs = zip(network.tails, network.heads, network.costs, flow, strict=True)
    for tail, head, cost, amount in arcs:
        if (tail, head) != (1, 0):  # what returns from the sink to the source is the flow itself
            made.arrows.append((int(head), int(tail), "shared" if amount else "plain"))
            if amount and cost:
                made.arrow_words[int(head), int(tail)] = f"{cost:g}" if amount == 1 else f"{amount}·{cost:g}"
    return made


def shortest_path(h: Hierarchy, u: Label, v: Label) -> tuple[Label, ...]:
    """A shortest path from u up to a common ancestor and down to v, () without one; ties go to the smallest labels."""
    up = h.up_distances([h.id(u), h.id(v)])
    from_u, from_v = (dict(zip(*(part.tolist() for part in up[k]), strict=True)) for k in (0, 1))
    common = from_u.keys() & from_v.keys()
    if not common:
        return ()
    top = min(common, key=lambda a: (from_u[a] + from_v[a], a))
    there, back = (_climb(h, top, distances) for distances in (from_u, from_v))
    return tuple(h.labels[c] for c in [*there, *back[::-1][1:]])


def _climb(h: Hierarchy, top: int, distances: Mapping[int, float]) -> list[int]:
    """A shortest way up to ``top``, from its distances; found from the top down."""
    way = [top]
    while distances[way[-1]] > 0 or distances.keys() != {way[-1]}:
        node = way[-1]
        below = [
            (int(h.child_idx[e]), 1.0 if h.edges.weights is None else float(h.edges.weights[e]))
            for e in range(h.child_ptr[node], h.child_ptr[node + 1])
        ]
        nearer = [
            child
            for child, length in below
            if child in distances and math.isclose(distances[child] + length, distances[node], rel_tol=1e-9)
        ]
        if not nearer:
            break
        way.append(min(nearer))
    return way[::-1]


def _graphs(model: LcaModel, solution: LcaSolution, values: Mapping[str, float]) -> Graphs:
    def made(found: LcaSolution, of: Mapping[str, float]) -> Graphs:
        predicted, true = found.sets
        return Graphs(of, str(found.status), found.chosen_lcas, tuple(found.paths), predicted, true)

    result = made(solution, values)
    if model.method != "exact" or not result.lcas:
        return result
    greedy = replace(model, method="greedy").solve()
    if np.array_equal(greedy.sums, solution.sums) and greedy.lcas[0] == solution.lcas[0]:
        return result
    return replace(result, greedy=made(greedy, {"F_LCA": greedy.objective}))


def _connect(picture: Picture, h: Hierarchy) -> None:
    """Arrows for all edges of the hierarchy between the boxes that have none yet, and from roots to ⊤."""
    drawn = {(child, parent) for child, parent, _ in picture.arrows}
    labels = [key for key in picture.boxes if key is not TOP]
    for label in labels:
        for parent in sorted(h.parents(label), key=str):
            if parent in picture.boxes and (label, parent) not in drawn:
                picture.arrows.append((label, parent, "plain"))
    if TOP in picture.boxes and not any(parent is TOP for _, parent, _ in picture.arrows):
        tops = [label for label in labels if not h.parents(label) & picture.boxes.keys()]
        picture.arrows += [(label, TOP, "plain") for label in tops]


def _class_role(node: Node, sides: tuple[set[Label], set[Label]]) -> str:
    predicted, true = node in sides[0], node in sides[1]
    return "both" if predicted and true else "predicted" if predicted else "true"


def _or_default(label: Label | None, name: Names) -> str:
    return "default class" if label is None else name(label)


def _path(path: Sequence[Node], name: Names) -> str:
    return " → ".join(map(name, path))


def _listed(nodes: Any, name: Names) -> str:
    return ", ".join(sorted(map(name, nodes))) or "none"


def _text(node: Node) -> Label:
    return "⊤" if node is TOP else node  # type: ignore[return-value]


def _names(nodes: Any) -> list[Label]:
    return sorted((_text(node) for node in nodes), key=str)


def _plain(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: None if math.isnan(value) else value for name, value in values.items()}
