"""Why this answer: votes, and what a change of each class would gain."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hemlp.analysis.decision.models import side_of, specific_classes
from hemlp.problems.decision.model import closed
from hemlp.problems.decision.scenarios import batch_of
from hemlp.problems.decision.sets import LinearDecision
from hemlp.text.tables import Table

if TYPE_CHECKING:
    from hemlp.analysis.decision.decide import Decision

SHOWN = 8
"""Classes beside those of the answer that are listed."""


def explain_row(d: Decision, row: int) -> Table:
    """What E[m] gains if a class of the answer leaves, of closures with all below it, or another joins it.

    With the gain g_k < 0 or > 0 of a change in scenario k, Σ_k q_k g_k ≤ 0 becomes positive as soon as some scenario
    with g_k > 0 weighs more by −Σ q g / g_k: the least of these is what ``needs`` says.
    """
    row, h, flat = range(len(d))[row], d.hierarchy, d.measure.fields.get("augment") != "ancestors"
    part = None if d.scenarios is None else d.scenarios.part(row, row + 1)
    votes = d.votes.part(row, row + 1) if part is None else part.votes(flat)
    mass, total, inside = votes.of_row(0), float(votes.total[0]), closed(h, map(h.id, d.sets[row]), flat, "")
    shown = sorted(set(mass) | inside, key=lambda v: (v not in inside, -mass.get(v, 0.0), v))[: len(inside) + SHOWN]
    changes = [sorted(map(h.id, d.sets[row]))]
    for v in shown:
        below = {w for w in inside if v in closed(h, [w], flat, "")}
        nodes = inside - below if v in inside else inside | closed(h, [v], flat, "")
        changes.append(sorted(nodes) if flat else specific_classes(h, nodes))
    sign = 1.0 if d.measure.greater_is_better else -1.0
    if part is None:
        model = d.model(row)
        assert isinstance(model, LinearDecision)
        gains = [sign * (float(model.value(0, change)) - float(d.expected[row])) for change in changes[1:]]
        known = not (model.top or model.at_least)
        needs = [abs(mass.get(v, 0.0) / total - 1 / model.slope) if known else math.nan for v in shown]
        unit = "probability by which the class itself has to change"
    else:
        size = len(part.sets)
        pred = side_of(changes).take(np.repeat(np.arange(len(changes)), size))
        batch = batch_of(h, part.sets.take(np.tile(np.arange(size), len(changes))), pred)
        values = sign * d.measure.score(batch, undefined="nan").values.reshape(-1, size)
        apart = values[1:] - values[0]
        gains, allowed = (apart @ part.mass / total).tolist(), [len(change) >= d.at_least for change in changes[1:]]
        needs = [
            max(0.0, -gain / most) if most > 0 and may else math.inf
            for gain, most, may in zip(gains, apart.max(axis=1, initial=0.0).tolist(), allowed, strict=True)
        ]
        unit = "weight, in shares of all votes, that one of the given answers has to gain (inf: none can)"
    rows = [
        [h.labels[v], mass.get(v, 0.0) / total, "yes" if v in inside else "no", gain, need]
        for v, gain, need in zip(shown, gains, needs, strict=True)
    ]
    note = f"answer: {', '.join(map(str, d.sets[row])) or 'nothing'}, expected {d.measure.display_name} "
    more = f"gain of a change: by leaving or joining; needs: {unit} before the change pays"
    return Table(["class", "votes", "in", "gain of a change", "needs"], rows, [f"{note}{d.expected[row]:.4f}", more])
