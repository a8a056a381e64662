"""Why this answer: votes, and what a change of each class would gain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hemlp.analysis.decision.models import expected_values, side_of, specific_classes
from hemlp.problems.decision.model import closed
from hemlp.text.tables import Table

if TYPE_CHECKING:
    from hemlp.analysis.decision.decide import Decision

SHOWN = 8
"""Classes beside those of the answer that are listed."""


def explain_row(d: Decision, row: int) -> Table:
    """What E[m] gains if a class of the answer leaves, of closures with all below it, or another joins it."""
    row, h, flat = range(len(d))[row], d.hierarchy, d.measure.fields.get("augment") != "ancestors"
    votes = d.votes.part(row, row + 1) if d.scenarios is None else d.scenarios.part(row, row + 1).votes(flat)
    mass, total, inside = votes.of_row(0), float(votes.total[0]), closed(h, map(h.id, d.sets[row]), flat, "")
    shown = sorted(set(mass) | inside, key=lambda v: (v not in inside, -mass.get(v, 0.0), v))[: len(inside) + SHOWN]
    changes = []
    for v in shown:
        below = {w for w in inside if v in closed(h, [w], flat, "")}
        nodes = inside - below if v in inside else inside | closed(h, [v], flat, "")
        changes.append(sorted(nodes) if flat else specific_classes(h, nodes))
    if d.scenarios is None:
        values = [float(d.model(row).value(0, change)) for change in changes]
    else:
        places = side_of([[row]] * len(changes)).classes
        values = expected_values(d.measure, d.scenarios, side_of(changes), places).tolist()
    sign = 1.0 if d.measure.greater_is_better else -1.0
    rows = [
        [h.labels[v], mass.get(v, 0.0) / total, "yes" if v in inside else "no", sign * (value - float(d.expected[row]))]
        for v, value in zip(shown, values, strict=True)
    ]
    note = f"answer: {', '.join(map(str, d.sets[row])) or 'nothing'}, expected {d.measure.display_name} "
    more = "gain of a change: by leaving or joining; votes have to move that much expected value to change the answer"
    return Table(["class", "votes", "in", "gain of a change"], rows, [f"{note}{d.expected[row]:.4f}", more])
