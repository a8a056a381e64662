"""The table of an evaluation: means with ranks, and what to know about them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hemlp.statistics.comparable import comparability
from hemlp.statistics.facts import dropped_true_labels, unknown_labels
from hemlp.statistics.tests import LEVEL, Sided
from hemlp.text.tables import Table, figure

if TYPE_CHECKING:
    from hemlp.evaluation.result import Evaluation


def table(ev: Evaluation, sided: Sided) -> Table:
    """Means with ranks, one row a system; the notes hold conventions, statuses and signatures."""
    dropped = dropped_true_labels(ev.facts)
    columns: list[list[str]] = [["system", *ev.systems]]
    for name, better in ev.greater_is_better.items():
        ranks, column = ev.ranks(name, sided=sided), [f"{name} {'↑' if better else '↓'}"]
        for system in ev.systems:
            average = ev.mean(system, name)
            shown = "undefined" if math.isnan(average) else figure(average)
            column.append(shown if ranks[system] is None else f"{shown} ({ranks[system]})")
        columns.append(column)
    columns.append(["labels"])
    for facts in ev.facts.values():
        columns[-1].append(f"{facts['predictions an instance']:.2f}")
    if dropped:
        columns.append(["true labels dropped", *dropped.values()])
    head, *rows = map(list, zip(*columns, strict=True))
    signatures = [ev.scores[ev.systems[-1]][name].signature for name in ev.measures]
    return Table(head, rows, [*notes(ev, sided), *signatures])


def notes(ev: Evaluation, sided: Sided) -> list[str]:
    """Conventions, and what was undefined, unknown, missing or not proved."""
    found = [
        f"{ev.facts[ev.systems[0]]['instances']:,} instances; means over instances and ranks; a system shares "
        f"the rank of the one above unless the sign test ({sided}-sided, {LEVEL}) finds that one better",
        "labels: predicted labels an instance",
    ]
    for name in ev.measures:
        found += comparability(ev, name)
    for system, of_system in ev.scores.items():
        for name, scores in of_system.items():
            if scores.undefined:
                found.append(f"{system}, {name}: undefined on {scores.undefined:,} instances, which are left out")
            if scores.exact and (fell := scores.fallbacks):
                found.append(f"{system}, {name}: not proved optimal on {fell:,} instances")
        if ev.facts[system]["unknown labels"]:
            found.append(f"{system}: {unknown_labels(ev.facts[system])}")
        if ev.facts[system]["missing instances"]:
            found.append(f"{system}: {ev.facts[system]['missing instances']:,} missing instances")
    return found
