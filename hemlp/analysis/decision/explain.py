"""Why this answer: votes, what a change of each class would gain, and what would have to change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hemlp.analysis.decision.models import SLOPES, expected_values, is_linear, specific_classes
from hemlp.instances.batch import Side
from hemlp.problems.decision.model import closed
from hemlp.text.tables import Table

if TYPE_CHECKING:
    from hemlp.analysis.decision.decide import Decision

SHOWN = 8
"""Classes beside those of the answer that are listed."""


def explain_row(d: Decision, row: int) -> Table:
    """The classes of the answer and those of most votes beside it, and what E[m] gains
    if one joins, with what it implies, or leaves.

    Of closures a class leaves with all below it. By sums of classes (SDL, ICM) the answer changes where votes pass 1/a.
    """
    row, h = range(len(d))[row], d.hierarchy
    flat = d.measure.fields.get("augment") != "ancestors"
    votes = d.votes.part(row, row + 1)
    if flat and d.scenarios is not None:
        votes = d.scenarios.part(row, row + 1).votes(flat=True)
    mass, total = votes.of_row(0), float(votes.total[0])
    answer = [h.id(label) for label in d.sets[row]]
    inside = closed(h, answer, flat, "")
    shown = sorted(set(mass) | inside, key=lambda v: (v not in inside, -mass.get(v, 0.0), v))[: len(inside) + SHOWN]
    changes = []
    for v in shown:
        below = {w for w in inside if v in closed(h, [w], flat, "")}
        nodes = inside - below if v in inside else inside | closed(h, [v], flat, "")
        changes.append(sorted(nodes) if flat else specific_classes(h, nodes))
    if d.scenarios is None:
        model = d.model(row)
        worth = [float(model.value(0, change)) for change in changes]
    else:
        one = d.scenarios.part(row, row + 1)
        side = Side(np.cumsum([0, *map(len, changes)]), np.array([v for change in changes for v in change], np.int32))
        worth = expected_values(d.measure, one, side, np.zeros(len(changes), np.int64)).tolist()
    sign = 1.0 if d.measure.greater_is_better else -1.0
    linear = SLOPES[d.measure.fields["score"]] if is_linear(d.measure) and d.guarantee is None else 0
    rows = []
    for v, value in zip(shown, worth, strict=True):
        gain = sign * (value - float(d.expected[row]))
        limit = f"votes {'≤' if v in inside else '>'} 1/{linear}" if linear else f"{max(-gain, 0.0):.4f} are missing"
        rows.append([h.labels[v], mass.get(v, 0.0) / total, "yes" if v in inside else "no", gain, limit])
    words = ", ".join(map(str, d.sets[row])) or "nothing"
    note = f"answer: {words}, expected {d.measure.display_name} {d.expected[row]:.4f}"
    return Table(["class", "votes", "in", "gain of a change", "changes where"], rows, [note])
