"""The explanation of one instance, part by part, as text, tables, plain data and drawings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hemlp.analysis.explain.drawing import Picture
from hemlp.analysis.explain.feedback import feedback
from hemlp.analysis.explain.parts import Node, Part, Scene, UndefinedPart, join_names, sorted_labels
from hemlp.errors import InvalidOption
from hemlp.escaping import markup, printable
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
            values = ", ".join(f"{k} {'undefined' if math.isnan(v) else f'{v:.4g}'}" for k, v in part.values.items())
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
