"""The table of an evaluation: means with ranks, and what to know about them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.errors import InvalidOption
from hemlp.lca.solution import STEPS
from hemlp.measures.signatures import short
from hemlp.statistics.cautions import cautions
from hemlp.statistics.comparable import comparability
from hemlp.statistics.facts import dropped_true_labels, unknown_labels
from hemlp.statistics.tests import LEVEL, Sided
from hemlp.text.tables import Table, figure
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.evaluation.result import Evaluation
    from hemlp.measures.scores import Scores

VERBOSE = (
    "ranks: a system shares that of the one above unless the sign test ({sided}-sided, {level}) finds that one better",
    "means over instances; labels: how many are predicted for an instance, on average",
)
"""What to know about every table."""


def table(ev: Evaluation, sided: Sided, digits: int, verbose: bool, intervals: bool) -> Table:
    """Means with ranks and intervals, one row a system; notes of statuses and signatures, and more if ``verbose``."""
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= 17:
        raise InvalidOption(f"digits={digits!r} is not a number of decimals from 0 to 17")
    dropped = dropped_true_labels(ev.facts)
    columns: list[list[str]] = [["system", *ev.systems]]
    emphasis: dict[tuple[int, int], Any] = {}
    for name, better in ev.greater_is_better.items():
        ranks, means = ev.ranks(name, sided=sided), [ev.mean(system, name) for system in ev.systems]
        column = [f"{name} {'↑' if better else '↓'}"]
        for system, mean in zip(ev.systems, means, strict=True):
            text = "undefined" if math.isnan(mean) else figure(mean, digits)
            ranked = len(ev.systems) > 1 and ranks[system] is not None
            text = f"{text} ({ranks[system]})" if ranked else text
            column.append(text + ev.interval(system, name).bracket(digits) if intervals else text)
        if len(ev.systems) > 1:
            emphasis |= {(row, len(columns)): how for row, how in _best(means, list(ranks.values()), better).items()}
        columns.append(column)
    columns.append(["labels", *(f"{facts['predictions an instance']:.2f}" for facts in ev.facts.values())])
    if dropped:
        columns.append(["true labels dropped", *dropped.values()])
    head, *rows = map(list, zip(*columns, strict=True))
    signatures = [ev.scores[ev.systems[-1]][name].signature for name in ev.measures]
    told = notes(ev, sided, verbose)
    if intervals:
        from hemlp.statistics.intervals import RESAMPLED

        told.insert(1, RESAMPLED)
    return Table(head, rows, [*told, *(signatures if verbose else map(short, signatures))], emphasis)


def _best(means: list[float], ranks: list[int | None], better: bool) -> dict[int, str]:
    """Which rows have the best mean, and which others share its rank."""
    known = [mean for mean, rank in zip(means, ranks, strict=True) if rank is not None]
    if not known:
        return {}
    best = max(known) if better else min(known)
    first = [row for row, rank in enumerate(ranks) if rank == 1]
    return {row: "best" if means[row] == best else "equal" for row in first}


def notes(ev: Evaluation, sided: Sided, verbose: bool = False) -> list[str]:
    """How many instances there are, and what was undefined, unknown, missing or not proved."""
    found = [many(int(ev.facts[ev.systems[0]]["instances"]), "instance")]
    if verbose:
        found += [line.format(sided=sided, level=LEVEL) for line in VERBOSE[len(ev.systems) == 1 :]]
    elif len(ev.systems) > 1:
        found[0] += f"; equal ranks: not separated by the sign test ({sided}-sided, {LEVEL})"
    found += [f"{system}: {cut}" for system, cut in ev.cuts.items()]
    for name in ev.measures:
        found += comparability(ev, name)
    found += cautions(ev)
    for system, of_system in ev.scores.items():
        for name, scores in of_system.items():
            if scores.undefined:
                which = "which is" if scores.undefined == 1 else "which are"
                found.append(f"{system}, {name}: undefined on {many(scores.undefined, 'instance')}, {which} left out")
            found += _steps(system, name, scores)
            if scores.exact and (fell := scores.fallbacks):
                found.append(f"{system}, {name}: not proved optimal on {many(fell, 'instance')}")
        if ev.facts[system]["unknown labels"]:
            found.append(f"{system}: {unknown_labels(ev.facts[system])}")
        if missing := ev.facts[system]["missing instances"]:
            found.append(f"{system}: {many(int(missing), 'missing instance')}")
    return found


def _steps(system: str, name: str, scores: Scores) -> list[str]:
    """Which instances took more than the search, where there is a ladder of methods."""
    if "step" not in scores.columns:
        return []
    counts = np.bincount(scores["step"][~np.isnan(scores["step"])].astype(np.int64), minlength=len(STEPS))
    told = [f"{int(counts[k]):,} by {STEPS[k]}" for k in range(2, len(STEPS)) if counts[k]]
    return [f"{system}, {name}: {many(int(counts[1]), 'instance')} by {STEPS[1]}, {', '.join(told)}"] if told else []
