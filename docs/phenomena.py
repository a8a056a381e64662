"""Pictures of the situations in which measures disagree: the paper's cases, drawn as a whole."""

from __future__ import annotations

from collections.abc import Collection

from hemlp import Hierarchy, examples
from hemlp.analysis.explain.drawing import Picture
from hemlp.hierarchy.labels import Label

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
    "old_version": ("old version: gold mammal", ["animal>mammal", "mammal>cow", "mammal>sheep"], ["mammal"], ["cow"]),
    "new_version": ("new version: gold animal", ["animal>cow", "animal>sheep"], ["animal"], ["cow"]),
}
"""Pictures of small taxonomies: title, edges, true and predicted classes."""


def phenomenon(name: str) -> str:
    """The picture as SVG: every class of the case, true and predicted ones marked."""
    case, title = PHENOMENA[name]
    found = examples.case(case)
    return _draw(title, found.hierarchy, found.true, found.pred)


def small(name: str) -> str:
    """The same of a small taxonomy."""
    title, edges, true, pred = SMALL[name]
    return _draw(title, Hierarchy.from_edges([edge.split(">") for edge in edges]), true, pred)


def _draw(title: str, h: Hierarchy, true: Collection[Label], pred: Collection[Label]) -> str:
    picture = Picture(title)
    for label in sorted(h, key=str):
        role = "true" if label in true else "predicted" if label in pred else "other"
        picture.add(label, str(label), role)
    for label in h:
        picture.arrows += [(label, parent, "plain") for parent in sorted(h.parents(label), key=str)]
    return picture.to_svg()
