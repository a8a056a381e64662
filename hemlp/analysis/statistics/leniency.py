"""How much of a loss is predictions that are more specific than the gold: (lenient − strict) / (best − strict)."""

from __future__ import annotations

import math
from typing import Any

from hemlp.errors import InvalidOption
from hemlp.measures.derived import LENIENT
from hemlp.measures.invariants import best
from hemlp.results.results import Results, require_inputs


def excused_losses(ev: Results) -> list[tuple[Any, ...]]:
    """(system, measure, strict mean, lenient mean, share of the loss that is excused), nan where nothing is lost."""
    names = [name for name in ev.measures if name + LENIENT in ev.measures]
    if not names:
        raise InvalidOption("there are no lenient values: evaluate(..., gold='at least') makes them")
    rows = []
    for system in ev.systems:
        for name in names:
            strict, lenient = ev.mean(system, name), ev.mean(system, name, lenient=True)
            goal = best(require_inputs(ev).measures[name])
            share = (lenient - strict) / (goal - strict) if strict != goal else math.nan
            rows.append((system, name, strict, lenient, share))
    return rows


def leniency_notes(ev: Results) -> list[str]:
    """One for each measure that has lenient values."""
    if ev.inputs is None or not any(name.endswith(LENIENT) for name in ev.measures):
        return []
    rows, shown = excused_losses(ev), dict[str, list[str]]()
    for system, name, _, _, share in rows:
        shown.setdefault(name, []).append(f"{system} {'nothing lost' if math.isnan(share) else f'{share:.1%}'}")
    return [
        f"{name}: share of the loss that is more specific than the gold: {', '.join(of)}" for name, of in shown.items()
    ]
