"""The main table of an evaluation: means with ranks, letters and intervals, and the notes below it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hemlp.analysis.statistics.evaluation_verdicts import common_instance_notes, table_verdicts
from hemlp.analysis.statistics.intervals import ScoreColumn, interval, resample_all_means, resampling_units
from hemlp.analysis.statistics.letter_display import join_letters
from hemlp.analysis.statistics.resampling import bootstrap_note
from hemlp.analysis.statistics.significance_tests import Sided
from hemlp.analysis.statistics.verdicts import Procedure, RankMethod, Test, Verdicts
from hemlp.errors import InvalidOption
from hemlp.measures.derived import LENIENT
from hemlp.measures.factory import shorten
from hemlp.measures.instance_scores import Scores
from hemlp.measures.invariants import best
from hemlp.optimize.program import STEPS, Status
from hemlp.results.inputs import describe_dropped_labels, describe_unknown_labels
from hemlp.results.merged_sums import TalliedScores
from hemlp.results.results import Results, require_inputs
from hemlp.text.p_values import ALPHA, format_p, p_equation
from hemlp.text.tables import DECIMALS, Interval, Table, format_number, join_words, plural

Mark = Callable[[str], str]
"""How a name is written: as it is, or for a page."""
MEANS_NOTE = "means over instances; labels: number of predicted labels"


def summary_table(
    ev: Results, *, test: Test | None = None, sided: Sided = "two", ranks: RankMethod = "mean", digits: int = DECIMALS,
    verbose: bool = False, intervals: bool = True,
) -> Table:  # fmt: skip
    """Means with places, letters and intervals, one row per system; the notes hold statuses and short signatures.

    Parameters
    ----------
    test, sided, ranks
        As of ``ranks``.
    digits
        Decimals of the means.
    verbose
        With all parameters and policies in signatures.
    intervals
        Whether means have 95% intervals, as of ``interval``.
    """
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= 17:
        raise InvalidOption(f"digits={digits!r} is not a number of decimals from 0 to 17")
    procedure = Procedure(test, sided, ranks)
    columns: list[list[str]] = [["system", *ev.scores]]
    emphasis: dict[tuple[int, int], Any] = {}
    resampled = resample_all_means(ev) if intervals else {}
    for name, better in ev.greater_is_better.items():
        v = table_verdicts(ev, name, procedure) if len(ev.scores) > 1 else None
        column = [f"{name} {'↑' if better else '↓'}"]
        for system, of_system in ev.scores.items():
            value = of_system[name].mean()
            text = "undefined" if math.isnan(value) else format_number(value, digits)
            if v is not None and (rank := format_rank(v, system)):
                text += f" {rank}"
            drawn = resampled.get(ScoreColumn(name, system))
            column.append(text if drawn is None else text + Interval.of(drawn).bracket(digits))
        if v is not None:
            emphasis |= {(row, len(columns)): how for row, how in _mark_best(v).items()}
        columns.append(column)
    columns.append(["labels", *(f"{facts['predictions an instance']:.2f}" for facts in ev.facts.values())])
    if any(facts.get("true labels dropped") for facts in ev.facts.values()):
        columns.append(["true labels dropped", *describe_dropped_labels(ev.facts).values()])
    head, *rows = map(list, zip(*columns, strict=True))
    signatures = [list(ev.scores.values())[-1][name].signature for name in ev.greater_is_better]
    notes = [*summary_notes(ev, procedure), MEANS_NOTE]
    if intervals:
        notes.insert(1, bootstrap_note(resampling_units(ev)))
    signatures = signatures if verbose else list(map(shorten, signatures))
    lead = evaluation_headline(ev, procedure, shown=columns[1][1])
    return Table(head, rows, [*notes, *signatures], emphasis, lead=lead)


def evaluation_headline(ev: Results, procedure: Procedure, mark: Mark = str, shown: str | None = None) -> list[str]:
    """Which system is best by which measure, whether it is significantly better than the next one, and what is odd.

    ``shown``: the first mean as the table has it, of a single system.
    """
    better = (name for name, greater in ev.greater_is_better.items() if greater)
    floor = [mark(name) for name in better if not any(of[name].mean() for of in ev.scores.values())]
    unknown = [mark(system) for system in ev.scores if ev.facts[system]["unknown labels"]]
    oddities = [f"{join_words(floor)} {'is' if len(floor) == 1 else 'are'} 0 for every system."] if floor else []
    oddities += [f"There are unknown labels in {join_words(unknown)}: see the notes."] if unknown else []
    if len(ev.scores) == 1:
        ((system, of_system),) = ev.scores.items()
        name, scores = next(iter(of_system.items()))
        size = plural(total := int(ev.facts[system]["instances"]), "instance")
        size = f"{total - scores.undefined:,} of {size}" if 0 < scores.undefined < total else size
        return [f"{mark(name)} of {mark(system)} is {shown or format_number(scores.mean())} on {size}.", *oddities]
    wins: dict[str, list[str]] = {}
    doubtful, ties = [], []
    for name in ev.measures:
        v = table_verdicts(ev, name, procedure)
        placed = sorted((rank, system) for system, rank in v.ranks.items() if rank is not None)
        if len(placed) < 2:
            continue
        (_, winner), (second, after) = placed[:2]
        if second == 1:
            ties.append(mark(name))
            continue
        wins.setdefault(winner, []).append(mark(name))
        if not v.separated(winner, after):
            doubtful.append(f"{mark(name)} ({p_equation(v.holm[winner, after])})")
    sentence = [_name_winners(ev, wins, ties, mark), _judge(ev, wins, doubtful, ties, mark)]
    return [" ".join(filter(None, sentence)), *oddities]


def _name_winners(ev: Results, wins: dict[str, list[str]], ties: list[str], mark: Mark) -> str:
    order = sorted(wins.items(), key=lambda item: -len(item[1]))
    parts = []
    for k, (system, names) in enumerate(order):
        every = len(names) == len(ev.measures) > 1
        every_one = "both measures" if len(names) == 2 else f"all {len(names)} measures"
        by = every_one if every else join_words(names)
        parts.append(f"{mark(system)} {'' if k else 'is best '}by {by}")
    if ties:
        parts.append(f"{'the' if parts else 'The'} best systems are equal by {join_words(ties)}")
    return f"{'; '.join(parts)}." if parts else "No two systems can be compared."


def _judge(
    ev: Results, wins: dict[str, list[str]], doubtful: Sequence[str], ties: Sequence[str], mark: Mark
) -> str:  # fmt: skip
    """The measures by which the best system is significantly better than the next one."""
    number = sum(map(len, wins.values()))
    others = [mark(system) for system in ev.systems if system not in wins]
    second = others[0] if len(ev.systems) == 2 and others else "the next system"
    whose = "The lead" if len(wins) != 1 else f"The lead of {mark(*wins)}" if ties else "Its lead"
    lead = f"{whose} over {second}"
    if not number:
        return ""
    if not doubtful:
        return f"{lead} is significant{' by each measure' * (number > 1)}."
    if len(doubtful) == number:
        return f"{lead} is not significant{'' if number > 1 else doubtful[0][doubtful[0].rindex(' (') :]}."
    return f"{lead} is significant except by {join_words(doubtful)}."


def format_rank(v: Verdicts, system: str) -> str:
    """The place of a system in brackets, and its letters; nothing where it is alone."""
    if len(v.scores) == 1 or v.ranks[system] is None:
        return ""
    return " ".join(filter(None, [f"({v.ranks[system]})", join_letters(v.groups[system])]))


def columns(ev: Results, procedure: Procedure, intervals: bool) -> dict[str, list[Any]]:
    """The table for programs: one row per system and measure, with place and letters."""
    columns_by_name: dict[str, list[Any]] = {
        key: [] for key in ("system", "measure", "mean", "low", "high", "place", "letters")
    }
    for name in ev.measures:
        v = table_verdicts(ev, name, procedure)
        for system in ev.systems:
            ends = tuple(interval(ev, system, name)) if intervals else (math.nan, math.nan)
            row = (system, name, ev.mean(system, name), *ends, v.ranks[system], "".join(v.groups[system]))
            for column, value in zip(columns_by_name.values(), row, strict=True):
                column.append(value)
    return columns_by_name


def _mark_best(v: Verdicts) -> dict[int, str]:
    """Mark rows with the best mean, and rows that do not differ significantly from the best."""
    first = [system for system in v.scores if v.ranks[system] == 1]
    marks = {}
    for row, system in enumerate(v.scores):
        if system in first:
            marks[row] = "best"
        elif v.ranks[system] is not None and not all(v.separated(system, best) for best in first):
            marks[row] = "equal"
    return marks


CHAINED = "(rank): a system shares the rank of the one above unless that is significantly better"


def verdict_notes(ev: Results, procedure: Procedure) -> list[str]:
    """Notes on ranks and letters, the test behind them, and pairs with too few instances for a verdict."""
    verdicts = {name: table_verdicts(ev, name, procedure) for name in ev.measures}
    place = CHAINED if procedure.ranks == "chained" else "(place) by mean"
    if len(ev.systems) == 2:
        notes = [
            place,
            f"p, {procedure}: {', '.join(f'{name} {format_p(*v.p.values())}' for name, v in verdicts.items())}",
        ]
    else:
        pairs = len(ev.systems) * (len(ev.systems) - 1) // 2
        test = f"{procedure}, corrected by Holm for {pairs:,} pairs, level {ALPHA}"
        notes = [f"{place}; same letter: no significant difference", test]
    by_note: dict[str, list[str]] = {}
    for name, v in verdicts.items():
        if len(ev.systems) > 2 and not any(v.groups.values()):
            by_note.setdefault("no letters, for there are too many groups", []).append(name)
        if v.too_few:
            pairs_of_few = ", ".join(
                f"{first} and {second} ({n} differ)" for first, second, n in v.too_few[:MOST_NAMED]
            )
            more = f" and {len(v.too_few) - MOST_NAMED:,} more" if len(v.too_few) > MOST_NAMED else ""
            by_note.setdefault(f"too few instances differ to separate {pairs_of_few}{more}", []).append(name)
    return notes + [f"{', '.join(names)}: {note}" for note, names in by_note.items()]


MOST_NAMED = 5
"""Pairs of systems that a note names."""


def notes(ev: Results, *, test: Test | None = None, sided: Sided = "two", ranks: RankMethod = "mean") -> list[str]:
    """Notes on the number of instances, and on undefined, unknown, missing and unproved scores.

    Parameters
    ----------
    test, sided, ranks
        As of ``ranks``.
    """
    return summary_notes(ev, Procedure(test, sided, ranks))


def summary_notes(ev: Results, procedure: Procedure) -> list[str]:
    """The notes below a table: sizes, verdicts, means, undefined and unproved scores, labels."""
    meaning, *others = verdict_notes(ev, procedure) if len(ev.scores) > 1 else [""]
    facts = next(iter(ev.facts.values()))
    size = plural(int(facts["instances"]), "instance")
    if ignored := int(facts.get("ignored classes", 0)):
        size += f", ignoring {plural(ignored, 'class', 'classes')}"
    notes = ["; ".join(filter(None, [size, meaning])), *others]
    notes += [f"{system}: {cut}" for system, cut in ev.origin.cuts.items()]
    for name in ev.greater_is_better if len(ev.scores) > 1 else ():
        notes += common_instance_notes(ev, name)
    notes += interpretation_notes(ev)
    if ev.inputs is not None and LENIENT in "".join(ev.greater_is_better):
        notes += leniency_notes(ev)
    for system, of_system in ev.scores.items():
        for name, scores in of_system.items():
            unsolved = scores.status_counts().get(str(Status.UNSOLVED), 0) if scores.undefined else 0
            for count, what in ((scores.undefined - unsolved, "undefined"), (unsolved, "not solved")):
                which = "which is" if count == 1 else "which are"
                notes += [f"{system}, {name}: {what} on {plural(count, 'instance')}, {which} left out"] if count else []
            if "step" in scores.columns:
                notes += _method_notes(system, name, scores)
            if scores.exact and (fell := scores.fallbacks):
                notes.append(f"{system}, {name}: not proved optimal on {plural(fell, 'instance')}")
        if ev.facts[system]["unknown labels"]:
            notes.append(f"{system}: {describe_unknown_labels(ev.facts[system])}")
        if named := ev.facts[system].get("labels read by name"):
            notes.append(f"{system}: {plural(int(named), 'label')} read by the names of classes")
        if missing := ev.facts[system]["missing instances"]:
            notes.append(f"{system}: {plural(int(missing), 'missing instance')}")
    return notes


def _method_notes(system: str, name: str, scores: Scores) -> list[str]:
    """Notes on how many instances each method solved, for measures that try several in turn."""
    if isinstance(scores, TalliedScores):
        counts = scores.counts.steps
    else:
        steps = scores.columns["step"]
        counts = np.bincount(steps[~np.isnan(steps)].astype(np.int64), minlength=2).tolist()
    methods = [f"{count:,} by {step}" for count, step in zip(counts[2:], STEPS[2:], strict=False) if count]
    return [f"{system}, {name}: {plural(counts[1], 'instance')} by {STEPS[1]}, {', '.join(methods)}"] if methods else []


_LCA_COLUMN = "lcas"
"""A column that only measures of LCA graphs have."""


def interpretation_notes(ev: Results) -> list[str]:
    """Notes on several roots and isolated labels in LCA graphs, on instances without labels, and on infinite means."""
    notes = []
    first = next(iter(ev.scores.values()))
    graphs = [name for name in ev.greater_is_better if _LCA_COLUMN in first[name].columns]
    roots = ev.origin.roots
    if graphs and ev.inputs is not None:
        roots = int(np.count_nonzero(np.diff(ev.inputs.given.parent_ptr) == 0))
    isolated = [system for system in ev.scores if ev.facts[system].get("predicted labels isolated")]
    if graphs and roots > 1:
        notes.append(
            f"{', '.join(graphs)}: the hierarchy has {roots:,} roots; classes without a common ancestor meet in one "
            f"node above all roots, which counts as right, so a miss across roots earns more than 0"
        )
    if graphs and isolated:
        notes.append(
            f"{', '.join(graphs)}: an unknown label that is isolated meets a true class above all roots, and earns "
            f"more than no label does ({', '.join(isolated)}); with unknown labels dropped it earns nothing"
        )
    for system, counts in ev.facts.items():
        if both := int(counts.get("both sides empty", 0)):
            are = "instance has" if both == 1 else "instances have"
            notes.append(f"{system}: {both:,} {are} neither true nor predicted labels, which counts as perfect")
    for system, of_system in ev.scores.items():
        for name, scores in of_system.items():
            number, rest = (0, 0.0) if math.isfinite(scores.mean()) else scores.without_infinite()
            if number:
                others = "" if math.isnan(rest) else f"; the mean of the others is {format_number(rest)}"
                notes.append(
                    f"{system}, {name}: infinite on {plural(number, 'instance')}, where a class has no finite cost, as "
                    f"without a common ancestor{others}"
                )
    return notes


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
        rows.append((system, name, strict, lenient, (lenient - strict) / lost + 0.0 if lost else math.nan))
    notes = ["share: how much of the strict loss is more specific than the gold, and so no lenient loss"]
    return Table(["system", "measure", "strict", "lenient", "share"], rows, notes)


def leniency_notes(ev: Results) -> list[str]:
    """One note for each measure that has lenient values."""
    shown = dict[str, list[str]]()
    for system, name, _, _, share in more_specific(ev).rows:
        shown.setdefault(name, []).append(f"{system} {'nothing lost' if math.isnan(share) else f'{share:.1%}'}")
    words = "share of the loss that is more specific than the gold"
    return [f"{name}: {words}: {', '.join(of)}" for name, of in shown.items()]
