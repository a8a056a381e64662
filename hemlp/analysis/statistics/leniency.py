"""The share of a loss due to predictions more specific than the gold: (lenient − strict) / (best − strict)."""

from __future__ import annotations

import math

from hemlp.errors import InvalidOption
from hemlp.measures.derived import LENIENT
from hemlp.measures.invariants import best
from hemlp.results.results import Results, require_inputs
from hemlp.text.tables import Table


def more_specific(ev: Results) -> Table:
    """The share of each loss that the lenient value excuses; nan where there is no loss.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "cow"), ("animal", "bird")])
    >>> ev = evaluate(h, ["mammal", "cow"], {"A": ["cow", "bird"]}, ["F_H"], gold="at least")
    >>> [(system, measure, round(share, 2)) for system, measure, _, _, share in ev.more_specific().rows]
    [('A', 'F_H', 0.25)]
    """
    made, rows = require_inputs(ev).measures, []
    names = [name for name in ev.measures if name + LENIENT in ev.measures]
    if not names:
        raise InvalidOption("there are no lenient values: evaluate(..., gold='at least') makes them")
    for system, name in ((system, name) for system in ev.systems for name in names):
        strict, lenient = ev.mean(system, name), ev.mean(system, name, lenient=True)
        lost = best(made[name]) - strict
        rows.append((system, name, strict, lenient, (lenient - strict) / lost if lost else math.nan))
    notes = ["share: of the loss, by which a lenient value is better than the strict one"]
    return Table(["system", "measure", "strict", "lenient", "share"], rows, notes)


def leniency_notes(ev: Results) -> list[str]:
    """One note for each measure that has lenient values."""
    shown = dict[str, list[str]]()
    for system, name, _, _, share in more_specific(ev).rows:
        shown.setdefault(name, []).append(f"{system} {'nothing lost' if math.isnan(share) else f'{share:.1%}'}")
    words = "share of the loss that is more specific than the gold"
    return [f"{name}: {words}: {', '.join(of)}" for name, of in shown.items()]
