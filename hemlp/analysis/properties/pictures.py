"""Drawings of small hierarchies whose classes say which label sets they belong to."""

from __future__ import annotations

from collections.abc import Mapping

from hemlp.analysis.explain.drawing import Picture
from hemlp.analysis.properties.losses import AS_IS, Variant
from hemlp.analysis.properties.shapes import Shape

LabelSet = tuple[int, ...]


def draw(title: str, shape: Shape, sets: Mapping[str, LabelSet], variant: Variant = AS_IS) -> Picture:
    """A hierarchy, or a variant of it; T of ``sets`` are the true classes, the others predicted ones.

    Without a T the sets are no sides of an instance, and the colours tell the first from the others.

    >>> picture = draw("a hit", Shape(2, ((0, 1),)), {"T": (0,), "P": (1,), "P′": (0, 1)})
    >>> [box.text for box in picture.boxes.values()], [box.role for box in picture.boxes.values()]
    (['0: T P′', '1: P P′'], ['both', 'predicted'])
    """
    picture = Picture(title, explained="T" in sets)
    first, *others = sets.values()
    predicted = {c for each in others for c in each}
    for c in range(shape.size):
        marks = " ".join(mark for mark, each in sets.items() if c in each)
        role = {(1, 1): "both", (1, 0): "true", (0, 1): "predicted", (0, 0): "other"}[c in first, c in predicted]
        number = variant.number(c)
        name = str(c) if number == c else f"{c} → {number}"
        picture.add(number, f"{name}: {marks}" if marks else name, role)
    whole = variant.shape(shape)
    for c in range(shape.size, whole.size):
        picture.add(c, "new class", "other")
    picture.arrows += [(child, parent, "plain") for parent, child in whole.edges]
    return picture
