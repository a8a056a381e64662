"""Pictures of the situations in which measures disagree: the paper's cases, drawn as a whole."""

from __future__ import annotations

from hemlp import examples
from hemlp.analysis.explain.drawing import Picture

PHENOMENA = {
    "over": ("9a", "too deep"),
    "under": ("9b", "not deep enough"),
    "paths": ("3a", "alternative paths"),
    "pairing": ("1a", "the pairing problem"),
    "distance": ("7a", "a long distance"),
    "twice": ("7b", "one way, counted twice"),
}
"""The name of each picture, its case and its title."""


def phenomenon(name: str) -> str:
    """The picture as SVG: every class of the case, true and predicted ones marked."""
    case, title = PHENOMENA[name]
    found = examples.case(case)
    picture = Picture(title)
    for label in sorted(found.hierarchy, key=str):
        role = "true" if label in found.true else "predicted" if label in found.pred else "other"
        picture.add(label, str(label), role)
    for label in found.hierarchy:
        picture.arrows += [(label, parent, "plain") for parent in sorted(found.hierarchy.parents(label), key=str)]
    return picture.to_svg()
