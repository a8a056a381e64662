"""The table of an evaluation: means with ranks, and what to know about them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.analysis.statistics.cautions import cautions
from hemlp.analysis.statistics.comparable import comparability
from hemlp.analysis.statistics.facts import dropped_true_labels, unknown_labels
from hemlp.analysis.statistics.ranking import table_verdicts
from hemlp.analysis.statistics.tests import LEVEL
from hemlp.analysis.statistics.verdicts import Procedure, Verdicts
from hemlp.errors import InvalidOption
from hemlp.measures.signature import shorten
from hemlp.problems.lca.solution import STEPS
from hemlp.text.tables import Table, figure
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.measures.instance_scores import Scores
    from hemlp.results.evaluation import Evaluation

VERBOSE = "means over instances; labels: how many are predicted for an instance, on average"
"""What to know about every table."""


def table(ev: Evaluation, procedure: Procedure, digits: int, verbose: bool, intervals: bool) -> Table:
    """Means with places, letters and intervals, one row per system; notes of verdicts, statuses and signatures."""
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= 17:
        raise InvalidOption(f"digits={digits!r} is not a number of decimals from 0 to 17")
    dropped = dropped_true_labels(ev.facts)
    columns: list[list[str]] = [["system", *ev.systems]]
    emphasis: dict[tuple[int, int], Any] = {}
    for name, better in ev.greater_is_better.items():
        v = table_verdicts(ev, name, procedure)
        column = [f"{name} {'↑' if better else '↓'}"]
        for system in ev.systems:
            mean = ev.mean(system, name)
            text = " ".join(filter(None, ["undefined" if math.isnan(mean) else figure(mean, digits), place(v, system)]))
            column.append(text + ev.interval(system, name).bracket(digits) if intervals else text)
        if len(ev.systems) > 1:
            emphasis |= {(row, len(columns)): how for row, how in _best(v).items()}
        columns.append(column)
    columns.append(["labels", *(f"{facts['predictions an instance']:.2f}" for facts in ev.facts.values())])
    if dropped:
        columns.append(["true labels dropped", *dropped.values()])
    head, *rows = map(list, zip(*columns, strict=True))
    signatures = [ev.scores[ev.systems[-1]][name].signature for name in ev.measures]
    told = notes(ev, procedure, verbose)
    if intervals:
        from hemlp.analysis.statistics.intervals import resampled_note, units_of

        told.insert(1, resampled_note(units_of(ev)))
    return Table(head, rows, [*told, *(signatures if verbose else map(shorten, signatures))], emphasis)


def place(v: Verdicts, system: str) -> str:
    """The place of a system in brackets, and its letters; nothing where it is alone."""
    if len(v.scores) == 1 or v.ranks[system] is None:
        return ""
    return " ".join(filter(None, [f"({v.ranks[system]})", "".join(v.groups[system])]))


def columns(ev: Evaluation, procedure: Procedure, intervals: bool) -> dict[str, list[Any]]:
    """The table for programs: one row per system and measure, with place and letters."""
    made: dict[str, list[Any]] = {key: [] for key in ("system", "measure", "mean", "low", "high", "place", "letters")}
    for name in ev.measures:
        v = table_verdicts(ev, name, procedure)
        for system in ev.systems:
            ends = tuple(ev.interval(system, name)) if intervals else (math.nan, math.nan)
            row = (system, name, ev.mean(system, name), *ends, v.ranks[system], "".join(v.groups[system]))
            for column, value in zip(made.values(), row, strict=True):
                column.append(value)
    return made


def _best(v: Verdicts) -> dict[int, str]:
    """Which rows have the best mean, and which others are not separated from those."""
    first = [system for system in v.scores if v.ranks[system] == 1]
    marks = {}
    for row, system in enumerate(v.scores):
        if system in first:
            marks[row] = "best"
        elif v.ranks[system] is not None and not all(v.separated(system, best) for best in first):
            marks[row] = "equal"
    return marks


def verdict_notes(ev: Evaluation, procedure: Procedure) -> list[str]:
    """What places and letters mean, the test behind them, and where there are too few instances for a verdict."""
    if len(ev.systems) == 1:
        return [""]
    made = {name: table_verdicts(ev, name, procedure) for name in ev.measures}
    place = "(rank) shared unless better than the next" if procedure.ranks == "chained" else "(place) by mean"
    if len(ev.systems) == 2:
        found = [place, f"p, {procedure}: {', '.join(f'{name} {_p(v)}' for name, v in made.items())}"]
    else:
        pairs = len(ev.systems) * (len(ev.systems) - 1) // 2
        test = f"{procedure}, corrected by Holm for {pairs:,} pairs, level {LEVEL}"
        found = [f"{place}; same letter: no significant difference", test]
    by_note: dict[str, list[str]] = {}
    for name, v in made.items():
        if len(ev.systems) > 2 and not any(v.groups.values()):
            by_note.setdefault("no letters, for there are too many groups", []).append(name)
        if v.too_few:
            pairs_of_few = ", ".join(f"{first} and {second} ({n})" for first, second, n in v.too_few[:MOST_NAMED])
            more = f" and {len(v.too_few) - MOST_NAMED:,} more" if len(v.too_few) > MOST_NAMED else ""
            by_note.setdefault(f"too few instances differ to separate {pairs_of_few}{more}", []).append(name)
    return found + [f"{', '.join(names)}: {note}" for note, names in by_note.items()]


MOST_NAMED = 5
"""Pairs of systems that a note names."""


def _p(v: Verdicts) -> str:
    (p,) = v.p.values()
    return "undefined" if math.isnan(p) else f"{p:.3g}"


def notes(ev: Evaluation, procedure: Procedure, verbose: bool = False) -> list[str]:
    """How many instances there are, and what was undefined, unknown, missing or not proved."""
    meaning, *others = verdict_notes(ev, procedure)
    size = many(int(ev.facts[ev.systems[0]]["instances"]), "instance")
    found = ["; ".join(filter(None, [size, meaning])), *others]
    if verbose:
        found.append(VERBOSE)
    found += [f"{system}: {cut}" for system, cut in ev.cuts.items()]
    for name in ev.measures:
        found += comparability(ev, name)
    found += cautions(ev)
    for system, of_system in ev.scores.items():
        for name, scores in of_system.items():
            unsolved = scores.status_counts().get("unsolved", 0)
            for count, what in ((scores.undefined - unsolved, "undefined"), (unsolved, "not solved")):
                which = "which is" if count == 1 else "which are"
                found += [f"{system}, {name}: {what} on {many(count, 'instance')}, {which} left out"] if count else []
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
