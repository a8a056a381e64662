"""Closures and tolerant sets as algebra."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hemlp.optimize.algebra import Algebra, Line

if TYPE_CHECKING:
    from hemlp.problems.closure.model import ClosureModel

_WORDS = ("z_c", "class c is in the augmented set of the side; each side has its own")


def closure_algebra(model: ClosureModel) -> Algebra:
    """The smallest sets that hold the classes and what they imply (Equations 2 and 3)."""
    lines = [Line("2, 3", "z_c = 1", "for each class c of the side")]
    if model.horizon is not None:
        seen = f"for each class c of the side and each ancestor a fewer than {model.horizon} levels up"
        lines.append(Line("2, 3", r"z_a \ge z_c", seen))
    elif model.direction != "none":
        whom = "child" if model.direction == "down" else "parent"
        lines.append(Line("2, 3", r"z_a \ge z_c", f"for each class c and each {whom} a of it"))
    if model.has_top:
        lines.append(Line("", r"z_\top \ge z_c", "for each class c of the side"))
    if model.shared is not None:
        lines.append(Line("", "z_c = 1", "for each predicted class c that the closures shared before"))
    if model.ignored is not None:
        lines.append(Line("", "", "classes that are ignored are taken out of both sets in the end"))
    lines.append(Line("", r"z_c \in \{0, 1\}"))
    return Algebra(model.title, "min", r"\sum_c z_c", lines, [_WORDS])


def tolerant_algebra(model: ClosureModel) -> Algebra:
    """Closures, and what stays of them (Equations 4 and 5)."""
    closed = closure_algebra(model)
    lines = [
        *closed.lines[:-1],
        Line("4, 5", r"k_c \le z_c", "what stays was there"),
        Line("4, 5", r"k_c \le z'_c + \sum_{a \in Pa(c)} z'_a", "unless c has no parents"),
        Line("", r"z_c, k_c \in \{0, 1\}"),
    ]
    words = [_WORDS, ("k_c", "class c stays"), ("z'", "z of the other side"), ("n", "all nodes, of both sides")]
    return Algebra(model.title, "min", r"(n + 1) \sum_c z_c - \sum_c k_c", lines, words)
