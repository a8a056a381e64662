"""The explanation of one instance, part by part, as text, tables, plain data and drawings; and feedback in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hemlp.analysis.explain.drawing import Picture
from hemlp.analysis.explain.parts import NameFunction, Node, Part, Scene, UndefinedPart, join_names, sorted_labels
from hemlp.errors import InvalidOption
from hemlp.escaping import markup, printable
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import TOP, Label
from hemlp.instances.batch import Batch
from hemlp.text.display import HtmlDisplay
from hemlp.text.tables import Table, plural

TOP_NAME = "⊤ (above all roots)"
MAX_BOXES = 600
"""Boxes that are drawn."""
NOTEBOOK_ROWS, NOTEBOOK_BOXES = 12, 120
"""Rows of a table and boxes of a drawing in a notebook; ``print`` and ``picture`` have all."""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(HtmlDisplay):
    """One instance: its classes, and a part for each kind of model that was asked for.

    ``row`` counts from 0. ``names`` gives readable names of classes. ``firsts``: for each part how many of the greatest
    scores it uses, None where it uses predicted sets.
    """

    batch: Batch
    row: int
    parts: tuple[Part, ...]
    system: str = ""
    names: Mapping[Label, str] | None = None
    firsts: tuple[int | None, ...] = ()

    @cached_property
    def sides_by_k(self) -> dict[int | None, tuple[set[Label], set[Label]]]:
        """The predicted and the true classes; for a part that uses the k greatest scores, those by k."""
        labels = self.batch.hierarchy.labels
        depths = sorted(set(self.firsts), key=lambda k: k or 0) or [None]
        batches = {k: self.batch if k is None else self.batch.first(k) for k in depths}
        return {k: ({labels[c] for c in of.pred[0]}, {labels[c] for c in of.true[0]}) for k, of in batches.items()}

    @property
    def sides(self) -> tuple[set[Label], set[Label]]:
        """The predicted and the true classes; where all parts use greatest scores, the longest list of these."""
        return self.sides_by_k.get(None) or [*self.sides_by_k.values()][-1]

    def name(self, node: Node) -> str:
        """The name of a node, or its label."""
        if node is TOP:
            return TOP_NAME
        return str(node) if self.names is None else self.names.get(node, str(node))  # type: ignore[arg-type]

    @property
    def title(self) -> str:
        """The system and the instance."""
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
        classes = [[side, join_names(of, self.full_name)] for side, of in sides.items()]
        sections = [(self.title, [Table(["side", "classes"], classes, self._dropped_labels())])]
        for part in self.parts:
            said = isinstance(part, UndefinedPart)  # by its reason
            shown = {k: "" if said else " undefined" if math.isnan(v) else f" {v:.4g}" for k, v in part.values.items()}
            values = ", ".join(f"{k}{v}" for k, v in shown.items())
            sections.append((values, list(part.tables(self.full_name))))
        return sections

    def _dropped_labels(self) -> list[str]:
        """Notes on labels of the instance that the hierarchy lacks and that were left out."""
        policies, batch = self.batch.policies.split("|"), self.batch
        sides = (("unknown:drop", "predicted", batch.pred), ("unknown_true:drop", "true", batch.true))
        return [
            f"{plural(side.unknown, f'{name} label')} dropped: not in the hierarchy"
            for policy, name, side in sides
            if policy in policies and side.unknown
        ]

    def __repr__(self) -> str:
        return f"Explanation({printable('; '.join(title for title, _ in self.sections()))})"

    def __str__(self) -> str:
        sections = self.sections()
        return "\n".join("\n".join([printable(title), *(f"{each}\n" for each in tables)]) for title, tables in sections)

    def _html_parts(self) -> Iterator[Table | str]:
        """In a notebook: the first rows of the tables, and the drawings."""
        for k, (title, tables) in enumerate(self.sections()):
            yield f"<p><b>{markup(title)}</b></p>" if k else ""
            yield from (table.head(NOTEBOOK_ROWS) for table in tables)
            if k:
                yield self._drawing_html(k - 1)

    def _drawing_html(self, part: int) -> str:
        """The drawing of a part, if there is one that is not too large; folded, but for the first."""
        try:
            picture = self.picture(part)
        except InvalidOption:
            return ""
        if len(picture.boxes) > NOTEBOOK_BOXES:
            return f"<p><small>a drawing of {len(picture.boxes):,} classes: explanation.picture({part})</small></p>"
        return f"<details{' open' * (part == 0)}><summary>drawing</summary>{picture.to_svg()}</details>"

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        greatest = {str(k): sorted_labels(of) for k, (of, _) in self.sides_by_k.items() if k}
        return {
            "system": self.system,
            "instance": self.row + 1,
            "id": None if self.batch.ids is None else self.batch.ids[0],
            "predicted": sorted_labels(self.sides[0]),
            "true": sorted_labels(self.sides[1]),
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
        return feedback(self.batch, *self.sides, self.name)

    def picture(self, part: int = 0) -> Picture:
        """A drawing of one part: ``picture().to_svg()``, ``picture(1).to_png("file.png")``."""
        if isinstance(part, bool) or not isinstance(part, int) or not -len(self.parts) <= part < len(self.parts):
            raise InvalidOption(f"there is no part {part!r:.80}: they are numbered from 0 to {len(self.parts) - 1}")
        chosen = self.parts[part]
        if isinstance(chosen, UndefinedPart):
            raise InvalidOption(f"there is nothing to draw: {chosen.reason}")
        values = ", ".join(f"{name} {value:.3g}" for name, value in chosen.values.items())
        sides = self.sides_by_k[self.firsts[part] if self.firsts else None]
        picture = chosen.picture(Scene(f"{self.title}: {values}", self.batch.hierarchy, *sides, self.name))
        if len(picture.boxes) > MAX_BOXES:
            raise InvalidOption(f"{len(picture.boxes):,} classes are too many to draw ({MAX_BOXES} at most)")
        return picture


# ---- feedback for people and for prompt optimisers


RELATIONS = ("too general", "too specific", "sibling", "right branch", "wrong branch")
"""Of a wrong class p to a true class t, the first that holds: p is an ancestor of t, p is a descendant of t, they share
a parent, they are in one branch, none of these. A branch is a root with what is below it, or, where there is only one
root, a child of that."""


def feedback(batch: Batch, predicted: set[Label], true: set[Label], name: NameFunction) -> str:
    """What is right, wrong and missing in one instance."""
    h = batch.given
    hits, nearest = predicted & true, {p: _nearest(h, p, predicted, true) for p in predicted - true}

    def join(classes: AbstractSet[Label]) -> str:
        return ", ".join(sorted(full_path(h, c, name) for c in classes))

    dropped = batch.pred.unknown if "unknown:drop" in batch.policies else 0
    said = [f"{'right' if predicted ^ true or dropped else 'all right'}: {join(hits)}"] if hits else []
    said += [] if true else ["no class is true"]
    said += [] if predicted or dropped else ["nothing predicted"]
    for p, (relation, t) in sorted(nearest.items(), key=lambda item: str(item[0])):
        said.append(f"predicted {join({p})}{'' if t is None else f', true {join({t})}'}: {relation}")
    said += [f"{plural(dropped, 'predicted label')} left out: no class of the hierarchy"] if dropped else []
    missing = true - predicted - {t for _, t in nearest.values()}
    return printable("; ".join([*said, f"missing {join(missing)}"] if missing else said))


def _nearest(
    h: Hierarchy, p: Label, predicted: AbstractSet[Label], true: AbstractSet[Label]
) -> tuple[str, Label | None]:
    """What p is to the true classes, and to which: of the first relation the nearest, rather one that was missed."""
    if p not in h.ids:
        return "no class of the hierarchy", None
    above, trivial = h.ancestors(p) | {p}, h.roots if len(h.roots) == 1 else frozenset()
    related = []
    for t in true & h.ids.keys():
        up = h.ancestors(t) | {t}
        shared = (above & up) - trivial
        tests = p in up, t in above, h.parents(p) & h.parents(t), shared, True
        rank = next(k for k, holds in enumerate(tests) if holds)
        words = RELATIONS[rank] + (", right branch" if shared and rank < 3 else "")
        related.append((rank, t in predicted, h.distance(p, t), str(t), words, t))
    if not related:
        return "wrong", None
    rank, hit, _, _, words, t = min(related, key=lambda each: each[:4])
    return words, t if rank < 2 or (rank < 4 and not hit) else None


def full_path(h: Hierarchy, label: Label, name: NameFunction) -> str:
    """A class by the names on a shortest way from a root ("Tools > Rakes"), and its label where that is another."""
    way = [label]
    while label in h.ids and (parents := h.parents(way[-1])):
        way.append(min(parents, key=lambda parent: (h.unit_depths[h.id(parent)], str(parent))))
    path = ""
    for text in map(name, reversed(way)):  # a name may be a whole path already
        path = text if not path or text.startswith(f"{path} > ") else f"{path} > {text}"
    return path if name(label) == str(label) else f"{path} ({label})"
