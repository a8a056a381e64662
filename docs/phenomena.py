"""Pictures of the situations in which measures disagree: the paper's cases, drawn as a whole."""

from __future__ import annotations

from collections.abc import Collection

from hemlp import Hierarchy, examples
from hemlp.analysis.explain.drawing import Picture
from hemlp.hierarchy.labels import Label
from hemlp.play.board import ROLES

PHENOMENA = {
    "over": ("9a", "too deep"),
    "under": ("9b", "not deep enough"),
    "paths": ("3a", "alternative paths"),
    "pairing": ("1a", "the pairing problem"),
    "distance": ("7a", "a long distance"),
    "twice": ("7b", "one way, counted twice"),
}
"""The name of each picture, its case and its title."""


SMALL = {
    "gold": ("more specific than the gold", ["animal>mammal", "mammal>cow", "mammal>sheep"], ["mammal"], ["cow"]),
    "agreement": ("one says cow, the other sheep", ["animal>mammal", "mammal>cow", "mammal>sheep"], ["cow"], ["sheep"]),
    "old_version": (
        "old version: gold mammal",
        ["animal>mammal", "mammal>cow", "mammal>sheep"],
        ["mammal"],
        ["animal"],
    ),
    "new_version": ("new version: gold animal", ["animal>cow", "animal>sheep"], ["animal"], ["animal"]),
}
"""Pictures of small taxonomies: title, edges, true and predicted classes."""


class Annotations(Picture):
    """A picture of what two annotators say."""

    def role_text(self, role: str) -> str:
        return {"true": "one annotator", "predicted": "the other"}.get(role) or super().role_text(role)


def phenomenon(name: str) -> str:
    """The picture as SVG: every class of the case, true and predicted ones marked."""
    case, title = PHENOMENA[name]
    found = examples.case(case)
    return _draw(Picture(title), found.hierarchy, found.true, found.pred)


def small(name: str) -> str:
    """The same of a small taxonomy."""
    title, edges, true, pred = SMALL[name]
    picture = (Annotations if name == "agreement" else Picture)(title)
    return _draw(picture, Hierarchy.from_edges([edge.split(">") for edge in edges]), true, pred)


def _draw(picture: Picture, h: Hierarchy, true: Collection[Label], pred: Collection[Label]) -> str:
    for label in sorted(h, key=str):
        picture.add(label, str(label), ROLES[label in true, label in pred])
    for label in h:
        picture.arrows += [(label, parent, "plain") for parent in sorted(h.parents(label), key=str)]
    return picture.to_svg()
