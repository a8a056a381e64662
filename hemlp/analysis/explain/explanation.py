"""The explanation of one instance, part by part (pairs, LCA graphs, closures), as tables, plain data and drawings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from hemlp.analysis.explain.drawing import Picture
from hemlp.analysis.explain.layout import PairCurve
from hemlp.analysis.explain.notebook import notebook_elements
from hemlp.errors import InvalidOption
from hemlp.escaping import json_number, printable
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import TOP, Label, Top
from hemlp.instances.batch import Batch
from hemlp.text.display import HtmlDisplay
from hemlp.text.tables import Table

if TYPE_CHECKING:
    from hemlp.analysis.explain.joint_parts import JointPart

Node = Label | Top
NameFunction = Callable[[Node], str]
TOP_NAME = "⊤ (above all roots)"
MAX_NAMES, MAX_BOXES = 200, 600
"""Names that are listed, and boxes that are drawn; the data (``to_dict``) always has all."""


@dataclass(frozen=True)
class Pair:
    """A pair of Problem 1, None for a default class. ``path``: from the predicted class up and down to the true one."""

    predicted: Label | None
    true: Label | None
    cost: float
    path: tuple[Label, ...] = ()


@dataclass(frozen=True)
class PairingPart:
    """The optimal pairs, and a price of each class: what it adds to the cost (there may be other prices)."""

    values: Mapping[str, float]
    pairs: tuple[Pair, ...]
    prices: Mapping[str, Mapping[Label, float]]
    error: float

    def tables(self, name: NameFunction) -> Iterator[Table]:
        """Pairs, then prices."""
        rows = []
        for p in self.pairs:
            ends = ("default class" if end is None else name(end) for end in (p.predicted, p.true))
            rows.append([*ends, f"{p.cost:g}", _join_path(p.path, name)])
        yield Table(["predicted", "true", "cost", "path"], rows, [f"together {self.error:g}"])
        priced = [[side, name(c), f"{value:g}"] for side, of in self.prices.items() for c, value in of.items()]
        if priced:
            notes = [
                "a price: what its bounds make a class add to the least cost (below 0: save); one of several proofs"
            ]
            yield Table(["side", "class", "a price"], priced, notes)

    def picture(self, title: str, h: Hierarchy, sides: tuple[set[Label], set[Label]], name: NameFunction) -> Picture:
        """Classes and paths, pairs as curves with their costs."""
        picture = Picture(title)
        same = {p.predicted for p in self.pairs if p.predicted == p.true and p.cost == 0}
        for c in sorted(sides[0] | sides[1], key=str):
            picture.add(c, f"{name(c)}: 0" if c in same else name(c), _class_role(c, sides))
        for pair in self.pairs:
            for node in pair.path:
                picture.add(node, name(node), "other")
        _connect(picture, h)
        for k, pair in enumerate(self.pairs):
            ends: list[Any] = [("default", k) if end is None else end for end in (pair.predicted, pair.true)]
            for end, other in (ends, ends[::-1]):
                if end == ("default", k):
                    picture.add(end, "default", "default")
                    picture.arrows.append((end, other, "hidden"))
            if pair.predicted not in same or pair.predicted != pair.true:
                picture.curves.append(PairCurve(ends[0], ends[1], f"{pair.cost:g}"))
        return picture

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "kind": "pairs",
            "values": json_values(self.values),
            "error": json_number(self.error),
            "pairs": [asdict(pair) for pair in self.pairs],
            "prices": {side: [[c, value] for c, value in of.items()] for side, of in self.prices.items()},
        }  # fmt: skip


@dataclass(frozen=True)
class LcaPart:
    """Minimal LCA graphs: chosen LCAs, paths (side, from the class up to the LCA), both node sets.

    ``left_out``: classes that have a descendant on their own side, which stands for them. ``greedy``: what Algorithm 1
    finds, where that differs.
    """

    values: Mapping[str, float]
    status: str
    lcas: frozenset[Node]
    paths: tuple[tuple[str, tuple[Node, ...]], ...]
    predicted: frozenset[Node]
    true: frozenset[Node]
    left_out: frozenset[Node] = frozenset()
    greedy: LcaPart | None = None

    @property
    def shared(self) -> frozenset[Node]:
        """What is in both graphs."""
        return self.predicted & self.true

    def tables(self, name: NameFunction) -> Iterator[Table]:
        """LCAs and paths; then the same of the greedy solution where it differs."""
        rows = [[side, _join_path(path, name)] for side, path in sorted(self.paths, key=lambda p: (p[0], str(p[1])))]
        notes = [
            f"chosen LCAs: {_join_names(self.lcas, name)}",
            f"{len(self.predicted)} nodes on the predicted side, {len(self.true)} on the true side, "
            f"{len(self.shared)} shared: {_join_names(self.shared, name)}",
            f"status {self.status}",
        ]
        if self.left_out:
            notes.append(f"left out, having a descendant on their own side: {_join_names(self.left_out, name)}")
        if not self.paths and self.predicted != self.true:
            notes.append("one side is empty: there is nothing to join")
        yield Table(["side", "path to the LCA"], rows, notes)
        if self.greedy is not None:
            (first, *_) = self.greedy.tables(name)
            values = ", ".join(f"{k} {v:.4g}" for k, v in self.greedy.values.items())
            yield replace(first, notes=[f"the greedy approximation differs: {values}", *first.notes])

    def picture(self, title: str, h: Hierarchy, sides: tuple[set[Label], set[Label]], name: NameFunction) -> Picture:
        """Both graphs, the paths highlighted."""
        picture = Picture(title)
        for a in sorted(self.lcas, key=str):
            picture.add(a, name(a), "both" if a in sides[0] and a in sides[1] else "lca")
        for node in sorted(self.predicted | self.true, key=str):
            side = "shared" if node in self.shared else "predicted_side" if node in self.predicted else "true_side"
            role = _class_role(node, sides) if node in sides[0] or node in sides[1] else side
            picture.add(node, name(node), role)
        for c in sorted(sides[0] | sides[1], key=str):  # classes that have a descendant beside them
            picture.add(c, name(c), _class_role(c, sides))
        drawn: dict[tuple[Node, Node], set[str]] = {}
        for side, path in self.paths:
            for low, high in pairwise(path):
                drawn.setdefault((low, high), set()).add(side)
        picture.arrows += [(*ends, "shared" if len(of) == 2 else of.copy().pop()) for ends, of in drawn.items()]
        _connect(picture, h)
        return picture

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "kind": "graphs",
            "values": json_values(self.values),
            "status": self.status,
            "lcas": _sorted_labels(self.lcas),
            "paths": [{"side": side, "path": [_json_label(node) for node in path]} for side, path in self.paths],
            "predicted": _sorted_labels(self.predicted),
            "true": _sorted_labels(self.true),
            "shared": _sorted_labels(self.shared),
            "left_out": _sorted_labels(self.left_out),
            "greedy": None if self.greedy is None else self.greedy.to_dict(),
        }


@dataclass(frozen=True)
class SetPart:
    """The two augmented sets; ``dropped``: what a tolerant measure left out."""

    values: Mapping[str, float]
    predicted: frozenset[Node]
    true: frozenset[Node]
    dropped: frozenset[Node] = frozenset()

    def tables(self, name: NameFunction) -> Iterator[Table]:
        """What is shared, and what is on one side only."""
        rows = [
            ["shared", str(len(self.predicted & self.true)), _join_names(self.predicted & self.true, name)],
            ["predicted only", str(len(self.predicted - self.true)), _join_names(self.predicted - self.true, name)],
            ["true only", str(len(self.true - self.predicted)), _join_names(self.true - self.predicted, name)],
        ]
        if self.dropped:
            rows.append(["dropped", str(len(self.dropped)), _join_names(self.dropped, name)])
        yield Table(["set", "classes", "which"], rows)

    def picture(self, title: str, h: Hierarchy, sides: tuple[set[Label], set[Label]], name: NameFunction) -> Picture:
        """Both closures."""
        picture = Picture(title)
        for node in sorted(self.predicted | self.true | self.dropped, key=str):
            if node in sides[0] or node in sides[1]:
                role = _class_role(node, sides)
            elif node in self.dropped:
                role = "dropped"
            else:
                both = node in self.predicted and node in self.true
                role = "shared" if both else "predicted_side" if node in self.predicted else "true_side"
            picture.add(node, name(node), role)
        _connect(picture, h)
        return picture

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "kind": "sets",
            "values": json_values(self.values),
            "predicted": _sorted_labels(self.predicted),
            "true": _sorted_labels(self.true),
            "dropped": _sorted_labels(self.dropped),
        }


@dataclass(frozen=True)
class UndefinedPart:
    """A measure that is undefined on the instance, or has no solution, with the reason."""

    values: Mapping[str, float]
    reason: str

    def tables(self, name: NameFunction) -> Iterator[Table]:
        """Nothing but the reason."""
        yield Table(["undefined"], [[self.reason]])

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"kind": "undefined", "values": json_values(self.values), "reason": self.reason}


Part: TypeAlias = "PairingPart | LcaPart | SetPart | UndefinedPart | JointPart"


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(HtmlDisplay):
    """One instance: its classes, and a part for each kind of model that was asked for.

    ``row`` counts from 0. ``names`` gives readable names of classes. ``firsts``: for each part how many of the greatest
    scores it is of, None where it is of predicted sets.
    """

    batch: Batch
    row: int
    parts: tuple[Part, ...]
    system: str = ""
    names: Mapping[Label, str] | None = None
    firsts: tuple[int | None, ...] = ()

    @cached_property
    def sides_by_k(self) -> dict[int | None, tuple[set[Label], set[Label]]]:
        """The predicted and the true classes; where a part is of the k greatest scores, those by k."""
        labels = self.batch.hierarchy.labels
        depths = sorted(set(self.firsts), key=lambda k: k or 0) or [None]
        batches = {k: self.batch if k is None else self.batch.first(k) for k in depths}
        return {k: ({labels[c] for c in of.pred[0]}, {labels[c] for c in of.true[0]}) for k, of in batches.items()}

    @property
    def sides(self) -> tuple[set[Label], set[Label]]:
        """The predicted and the true classes; where all parts are of greatest scores, the most of these."""
        return self.sides_by_k.get(None) or [*self.sides_by_k.values()][-1]

    def name(self, node: Node) -> str:
        """The name of a node, or its label."""
        if node is TOP:
            return TOP_NAME
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
        sides = {"predicted" if k is None else f"predicted @{k}": of[0] for k, of in self.sides_by_k.items()}
        sides["true"] = self.sides[1]
        classes = [[side, _join_names(of, self.full_name)] for side, of in sides.items()]
        sections = [(self.title, [Table(["side", "classes"], classes)])]
        for part in self.parts:
            values = ", ".join(f"{k} {'undefined' if math.isnan(v) else f'{v:.4g}'}" for k, v in part.values.items())
            sections.append((values, list(part.tables(self.full_name))))
        return sections

    def __repr__(self) -> str:
        return f"Explanation({printable('; '.join(title for title, _ in self.sections()))})"

    def _html_parts(self) -> Iterator[Table | str]:
        return notebook_elements(self)

    def __str__(self) -> str:
        sections = self.sections()
        return "\n".join("\n".join([printable(title), *(f"{each}\n" for each in tables)]) for title, tables in sections)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        greatest = {str(k): _sorted_labels(of) for k, (of, _) in self.sides_by_k.items() if k}
        return {
            "system": self.system,
            "instance": self.row + 1,
            "id": None if self.batch.ids is None else self.batch.ids[0],
            "predicted": _sorted_labels(self.sides[0]),
            "true": _sorted_labels(self.sides[1]),
            **({"greatest": greatest} if greatest else {}),
            "parts": [part.to_dict() for part in self.parts],
        }

    def feedback(self) -> str:
        """What is right, wrong and missing, in plain words and full paths, whatever the measure.

        Examples
        --------
        >>> from hemlp import evaluate
        >>> ev = evaluate(["Tools > Spades", "Tools > Rakes", "Toys"], ["Rakes"], ["Spades"], ["F_H"])
        >>> ev.explain("system", 0).feedback()
        'predicted Tools > Spades, true Tools > Rakes: sibling, right branch'
        """
        from hemlp.analysis.explain.feedback import feedback

        return feedback(self)

    def picture(self, part: int = 0) -> Picture:
        """A drawing of one part: ``picture().to_svg()``, ``picture(1).to_png("file.png")``."""
        if isinstance(part, bool) or not isinstance(part, int) or not -len(self.parts) <= part < len(self.parts):
            raise InvalidOption(f"there is no part {part!r:.80}: they are numbered from 0 to {len(self.parts) - 1}")
        chosen = self.parts[part]
        if isinstance(chosen, UndefinedPart):
            raise InvalidOption(f"there is nothing to draw: {chosen.reason}")
        values = ", ".join(f"{name} {value:.3g}" for name, value in chosen.values.items())
        sides = self.sides_by_k[self.firsts[part] if self.firsts else None]
        picture = chosen.picture(f"{self.title}: {values}", self.batch.hierarchy, sides, self.name)
        if len(picture.boxes) > MAX_BOXES:
            raise InvalidOption(f"{len(picture.boxes):,} classes are too many to draw ({MAX_BOXES} at most)")
        return picture


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


def _join_path(path: Sequence[Node], name: NameFunction) -> str:
    return " → ".join(map(name, path))


def _join_names(nodes: Any, name: NameFunction) -> str:
    """Names in order; of very many the first, and how many more there are."""
    names = sorted(map(name, nodes))
    more = f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else ""
    return (", ".join(names[:MAX_NAMES]) or "none") + more


def _json_label(node: Node) -> Label:
    return "⊤" if node is TOP else node  # type: ignore[return-value]


def _sorted_labels(nodes: Any) -> list[Label]:
    return sorted((_json_label(node) for node in nodes), key=str)


def json_values(values: Mapping[str, float]) -> dict[str, float | str | None]:
    """Values of measures, as JSON has them."""
    return {name: json_number(value) for name, value in values.items()}
