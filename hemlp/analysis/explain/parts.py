"""Parts of an explanation, one per model: pairs, transport plans, LCA graphs, closures; their tables and drawings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

from hemlp.analysis.explain.drawing import Picture
from hemlp.escaping import json_number
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import TOP, Label, Top
from hemlp.text.display import join_labels
from hemlp.text.tables import Table, plural

Node = Label | Top
Nodes = frozenset[Node]
NameFunction = Callable[[Node], str]
MAX_NAMES = 200
"""Names that are listed; the data (``to_dict``) always has all."""


class Scene(NamedTuple):
    """What a part needs for its drawing: the predicted and true classes of the instance, and names of classes.

    ``beside``: further nodes of a drawing of LCA graphs, so that two have one layout.
    """

    title: str
    hierarchy: Hierarchy
    predicted: set[Label]
    true: set[Label]
    name: NameFunction
    beside: Nodes = frozenset()

    def add(
        self, picture: Picture, nodes: Iterable[Any], role: Callable[[Any], str] = lambda node: "other", mark: str = ""
    ) -> None:
        """Add nodes in the order of their labels; classes of the instance have roles of their own."""
        for node in sorted(nodes, key=str):
            side = "predicted" if node in self.predicted else "true" if node in self.true else role(node)
            picture.add(node, self.name(node), "both" if node in self.predicted and node in self.true else side, mark)

    def connect(self, picture: Picture) -> Picture:
        """Add the edges of the hierarchy between boxes that no arrow joins yet, and those from roots to ⊤."""
        drawn = {(child, parent) for child, parent, _ in picture.arrows}
        labels = [key for key in picture.boxes if key is not TOP]
        for label in labels:
            for parent in sorted(self.hierarchy.parents(label), key=str):
                if parent in picture.boxes and (label, parent) not in drawn:
                    picture.arrows.append((label, parent, "plain"))
        if TOP in picture.boxes and not any(parent is TOP for _, parent, _ in picture.arrows):
            tops = [label for label in labels if not self.hierarchy.parents(label) & picture.boxes.keys()]
            picture.arrows += [(label, TOP, "plain") for label in tops]
        return picture


@dataclass(frozen=True)
class Pair:
    """A pair of Problem 1, None for a default class. ``path``: from the predicted class up and down to the true one."""

    predicted: Label | None
    true: Label | None
    cost: float
    path: tuple[Label, ...] = ()


@dataclass(frozen=True)
class PairingPart:
    """The optimal pairs, and the price (dual value) of each class, which need not be unique.

    ``masses``: of a transport plan those of the pairs, whose costs are for them. ``other_costs``: where a model has
    some, each with its reason. ``group_prices``: dual values of other bounds.
    """

    values: Mapping[str, float]
    pairs: tuple[Pair, ...]
    prices: Mapping[str, Mapping[Label, float]]
    error: float
    masses: tuple[float, ...] | None = None
    other_costs: tuple[tuple[str, float], ...] | None = None
    group_prices: tuple[tuple[str, float], ...] = ()

    def tables(self, name: NameFunction) -> Iterator[Table]:
        """The pairs or moves, then prices and other costs."""
        ends = [["default class" if c is None else name(c) for c in (p.predicted, p.true)] for p in self.pairs]
        paths = [" → ".join(map(name, p.path)) for p in self.pairs]
        if self.masses is not None:
            moves = [
                [*both, f"{mass:.4g}", f"{p.cost:.4g}", path]
                for both, mass, p, path in zip(ends, self.masses, self.pairs, paths, strict=True)
                if p.predicted is not None and p.true is not None
            ]
            yield Table(["predicted", "true", "mass", "cost", "path"], moves, [f"total cost {self.error:.6g}"])
            return
        rows = [[*both, f"{p.cost:g}", path] for both, p, path in zip(ends, self.pairs, paths, strict=True)]
        yield Table(["predicted", "true", "cost", "path"], rows, [f"total cost {self.error:g}"])
        priced = [[side, name(c), f"{value:g}"] for side, of in self.prices.items() for c, value in of.items()]
        if priced:
            notes = [
                "price (dual value): change of the least cost per unit of the binding bound of the class,",
                "positive for a lower bound, negative for an upper; its range, in Python: measure.prices()",
            ]
            yield Table(["side", "class", "price"], priced, notes)
        for head, of in ((["group", "price"], self.group_prices), (["other costs", "cost"], self.other_costs)):
            if of:
                yield Table(head, [[what, f"{value:g}"] for what, value in of])

    def picture(self, scene: Scene) -> Picture:
        """Classes and paths, pairs as curves with their costs."""
        picture = Picture(scene.title)
        same = {p.predicted for p in self.pairs if p.predicted == p.true and p.cost == 0}
        for c in sorted(scene.predicted & scene.true & same, key=str):
            picture.add(c, scene.name(c), "both", ": 0")
        scene.add(picture, scene.predicted | scene.true)
        for pair in self.pairs:
            for node in pair.path:
                picture.add(node, scene.name(node), "other")
        scene.connect(picture)
        for k, pair in enumerate(self.pairs):
            if pair.predicted not in same or pair.predicted != pair.true:
                picture.add_pair(k, pair.predicted, pair.true, f"{pair.cost:.4g}")
        return picture

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        plain: dict[str, Any] = {
            "kind": "pairs" if self.masses is None else "transport",
            "values": json_values(self.values),
            "error": json_number(self.error),
            "pairs": [asdict(pair) for pair in self.pairs],
            "prices": {side: [[c, value] for c, value in of.items()] for side, of in self.prices.items()},
        }
        if self.masses is not None:
            plain["masses"] = list(self.masses)
        if self.other_costs is not None:
            plain["prices_of_rules"] = [list(each) for each in self.other_costs]
            plain["prices_of_groups"] = [list(each) for each in self.group_prices]
        return plain


@dataclass(frozen=True)
class LcaPart:
    """Minimal LCA graphs: chosen LCAs, paths (side, from the class up to the LCA), both node sets.

    ``left_out``: classes with a descendant on their own side, which stands for them. ``greedy``: the result of
    Algorithm 1, where that differs.
    """

    values: Mapping[str, float]
    status: str
    lcas: Nodes
    paths: tuple[tuple[str, tuple[Node, ...]], ...]
    predicted: Nodes
    true: Nodes
    left_out: Nodes = frozenset()
    greedy: LcaPart | None = None

    @property
    def shared(self) -> Nodes:
        """The nodes of both graphs."""
        return self.predicted & self.true

    def tables(self, name: NameFunction) -> Iterator[Table]:
        """LCAs and paths; then those of the greedy solution where it differs."""
        rows = [
            [side, " → ".join(map(name, path))] for side, path in sorted(self.paths, key=lambda p: (p[0], str(p[1])))
        ]
        notes = [
            f"chosen LCAs: {join_names(self.lcas, name)}",
            f"{plural(len(self.predicted), 'node')} on the predicted side, {len(self.true)} on the true side, "
            f"{len(self.shared)} shared: {join_names(self.shared, name)}",
            f"status {self.status}",
        ]
        if self.left_out:
            notes.append(f"left out, because a descendant is on the same side: {join_names(self.left_out, name)}")
        if not self.paths and self.predicted != self.true:
            notes.append("one side is empty: there is nothing to join")
        yield Table(["side", "path to the LCA"], rows, notes)
        if self.greedy is not None:
            (first, *_) = self.greedy.tables(name)
            values = ", ".join(f"{k} {v:.4g}" for k, v in self.greedy.values.items())
            yield replace(first, notes=[f"the greedy approximation differs: {values}", *first.notes])

    def picture(self, scene: Scene) -> Picture:
        """Both graphs, the paths highlighted."""

        def role(node: Any) -> str:
            here = node in self.predicted | self.true
            return "lca" if node in self.lcas else _side_role(node, self.predicted, self.true) if here else "other"

        picture = Picture(scene.title)
        scene.add(picture, self.left_out - self.predicted - self.true, mark=" (left out)")
        scene.add(picture, self.predicted | self.true | scene.predicted | scene.true | scene.beside, role)
        for a in self.lcas:
            picture.boxes[a].ring = "lca" if picture.boxes[a].role != "lca" else ""
        sides: dict[tuple[Node, Node], set[str]] = {}
        for side, path in self.paths:
            for low, high in pairwise(path):
                sides.setdefault((low, high), set()).add(side)
        picture.arrows += [(*ends, "shared" if len(of) == 2 else min(of)) for ends, of in sides.items()]
        scene.connect(picture).arrows.sort(key=lambda arrow: (str(arrow[0]), str(arrow[1])))
        return picture

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        sets = {name: sorted_labels(getattr(self, name)) for name in ("predicted", "true", "shared", "left_out")}
        return {
            "kind": "graphs",
            "values": json_values(self.values),
            "status": self.status,
            "lcas": sorted_labels(self.lcas),
            "paths": [{"side": side, "path": [_json_label(node) for node in path]} for side, path in self.paths],
            **sets,
            "greedy": None if self.greedy is None else self.greedy.to_dict(),
        }


@dataclass(frozen=True)
class SetPart:
    """The two augmented sets; ``dropped``: what a tolerant measure left out; ``implied``: what was added to labels."""

    values: Mapping[str, float]
    predicted: Nodes
    true: Nodes
    dropped: Nodes = frozenset()
    implied: str = "ancestor"

    def tables(self, name: NameFunction) -> Iterator[Table]:
        """Shared classes, and classes on one side only."""
        sets = {
            "shared": self.predicted & self.true,
            "predicted only": self.predicted - self.true,
            "true only": self.true - self.predicted,
            **({"dropped": self.dropped} if self.dropped else {}),
        }
        yield Table(["set", "classes", "which"], [[k, str(len(of)), join_names(of, name)] for k, of in sets.items()])

    def picture(self, scene: Scene) -> Picture:
        """Both closures."""

        def role(node: Any) -> str:
            return "dropped" if node in self.dropped else _side_role(node, self.predicted, self.true)

        picture = Picture(scene.title, implied=self.implied)
        scene.add(picture, self.predicted | self.true | self.dropped, role)
        return scene.connect(picture)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        sets = {name: sorted_labels(getattr(self, name)) for name in ("predicted", "true", "dropped")}
        return {"kind": "sets", "values": json_values(self.values), **sets}


@dataclass(frozen=True)
class UndefinedPart:
    """A measure that is undefined on the instance, or has no solution, with the reason."""

    values: Mapping[str, float]
    reason: str

    def tables(self, name: NameFunction) -> Iterator[Table]:
        """The reason."""
        yield Table(["undefined"], [], lead=[self.reason])

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"kind": "undefined", "values": json_values(self.values), "reason": self.reason}


@dataclass(frozen=True)
class JointPart:
    """The parts of several models, by their names."""

    values: Mapping[str, float]
    parts: Mapping[str, Part]

    def tables(self, name: NameFunction) -> Iterator[Table]:
        """The tables of all models, each with the name of its model as a note."""
        for model, part in self.parts.items():
            for table in part.tables(name):
                yield replace(table, notes=[f"model {model!r}", *table.notes])

    def picture(self, scene: Scene) -> Picture:
        """All models in one drawing."""
        picture = Picture(scene.title)
        for part in self.parts.values():
            if not isinstance(part, UndefinedPart):
                drawn = part.picture(scene)
                picture.boxes |= {key: box for key, box in drawn.boxes.items() if key not in picture.boxes}
                picture.arrows += [arrow for arrow in drawn.arrows if arrow not in picture.arrows]
                picture.curves += [curve for curve in drawn.curves if curve not in picture.curves]
        return picture

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        parts = {name: part.to_dict() for name, part in self.parts.items()}
        return {"kind": "several", "values": json_values(self.values), "parts": parts}


Part = PairingPart | LcaPart | SetPart | UndefinedPart | JointPart


def _side_role(node: Node, predicted: Nodes, true: Nodes) -> str:
    return "true_side" if node not in predicted else "shared" if node in true else "predicted_side"


def join_names(nodes: Iterable[Node], name: NameFunction) -> str:
    """Names in order; of very many the first, and the number of others."""
    names = sorted(map(name, nodes))
    more = f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else ""
    return (join_labels(names[:MAX_NAMES]) or "none") + more


def _json_label(node: Node) -> Label:
    return "⊤" if node is TOP else node  # type: ignore[return-value]


def sorted_labels(nodes: Iterable[Node]) -> list[Label]:
    """Labels in order, for JSON."""
    return sorted((_json_label(node) for node in nodes), key=str)


def json_values(values: Mapping[str, float]) -> dict[str, float | str | None]:
    """Values of measures, for JSON."""
    return {name: json_number(value) for name, value in values.items()}
