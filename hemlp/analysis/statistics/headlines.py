"""What a result says in one or two sentences: who is best, whether that is significant, and what is odd."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hemlp.analysis.statistics.evaluation_verdicts import table_verdicts
from hemlp.analysis.statistics.intervals import interval
from hemlp.analysis.statistics.verdicts import Procedure
from hemlp.results.results import Results
from hemlp.text.tables import Table, format_number, plural

Mark = Callable[[str], str]
"""How a name is written: as it is, or for a page."""


def join_words(words: Iterable[str]) -> str:
    """Words in a sentence.

    >>> join_words(["F_H"]), join_words(["F_H", "F", "GIE"])
    ('F_H', 'F_H, F and GIE')
    """
    *others, last = words
    return " and ".join(filter(None, [", ".join(others), last]))


def evaluation_headline(ev: Results, procedure: Procedure, mark: Mark = str, *, intervals: bool = True) -> list[str]:
    """Which system is best by which measure, whether it is significantly better than the next one, and what is odd."""
    if len(ev.systems) == 1:
        (system,), name = ev.systems, ev.measures[0]
        mean, size = ev.mean(system, name), int(ev.facts[system]["instances"])
        ends = interval(ev, system, name).bracket() if intervals else ""
        shown = "undefined" if math.isnan(mean) else f"{format_number(mean)}{ends}"
        return [f"{mark(name)} of {mark(system)} is {shown} on {plural(size, 'instance')}.", *_oddities(ev, mark)]
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
            doubtful.append(f"{mark(name)} (p = {v.holm[winner, after]:.2g})")
    return [" ".join(filter(None, [_name_winners(ev, wins, ties, mark), _judge(wins, doubtful)])), *_oddities(ev, mark)]


def _name_winners(ev: Results, wins: dict[str, list[str]], ties: list[str], mark: Mark) -> str:
    order = sorted(wins.items(), key=lambda item: -len(item[1]))
    parts = []
    for k, (system, names) in enumerate(order):
        every = len(names) == len(ev.measures) > 1
        by = f"all {len(names)} measures" if every else join_words(names)
        parts.append(f"{mark(system)} {'' if k else 'is best '}by {by}")
    if ties:
        parts.append(f"{'the' if parts else 'The'} best systems are equal by {join_words(ties)}")
    return f"{'; '.join(parts)}." if parts else "No two systems can be compared."


def _judge(wins: dict[str, list[str]], doubtful: Sequence[str]) -> str:
    """By which measures the best system is significantly better than the next one."""
    number = sum(map(len, wins.values()))
    lead = "Its lead over the next system" if len(wins) == 1 else "The lead over the next system"
    if not number:
        return ""
    if not doubtful:
        return f"{lead} is significant{' by each of them' * (number > 1)}."
    if len(doubtful) == number:
        return f"{lead} is not significant{'' if number > 1 else doubtful[0][doubtful[0].rindex(' (') :]}."
    return f"{lead} is significant except by {join_words(doubtful)}."


def _oddities(ev: Results, mark: Mark) -> list[str]:
    """What a reader should know before the table."""
    said = []
    scores = (name for name, better in ev.greater_is_better.items() if better)
    floor = [name for name in scores if not any(ev.mean(system, name) for system in ev.systems)]
    if floor:
        said.append(f"{join_words(map(mark, floor))} {'is' if len(floor) == 1 else 'are'} 0 for every system.")
    unknown = [system for system in ev.systems if ev.facts[system]["unknown labels"]]
    if unknown:
        said.append(f"There are unknown labels in {join_words(map(mark, unknown))}: see the notes.")
    return said


def comparison_headline(first: str, second: str, pairs: Sequence[Any]) -> str:
    """By which measures one of two systems is significantly better; ``pairs``: comparisons of the two."""
    parts = []
    for system in (first, second):
        names = [each.measure for each in pairs if each.significant and each.better == system]
        parts += [f"{system} is significantly better by {join_words(names)}"] if names else []
    rest = [each.measure for each in pairs if not each.significant]
    parts += [f"the difference by {join_words(rest)} is not significant"] if rest else []
    text = "; ".join(parts)
    return f"{text[0].upper() if not parts or text.startswith('the ') else text[0]}{text[1:]}."


def diagnosis_headline(system: str, errors: Table, levels: Table) -> str:
    """How many true classes a system hits, its most frequent error, and the level at which it is worst.

    ``errors``, ``levels``: its tables of kinds of error and of levels.
    """
    (_, _, hits), *wrong = [(row[0], row[1], row[2]) for row in (_plain(errors, "kind", "predicted", "true"))]
    true = hits + sum(each[2] for each in wrong)
    said = f"{system} hits {hits:,} of {plural(true, 'true class', 'true classes')}"
    if number := sum(each[1] for each in wrong):
        kind, most, _ = max(wrong, key=lambda each: each[1])
        said += f"; {most:,} of its {plural(number, 'wrong class', 'wrong classes')} are of the kind {kind!r}"
    scored = [(f, level) for level, f in _plain(levels, "level", "F") if not math.isnan(f)]
    if len(scored) > 1:
        f, level = min(scored)
        said += f". It is worst at level {level} (F {format_number(f)})"
    return f"{said}."


def _plain(table: Table, *names: str) -> list[list[Any]]:
    places = [list(table.columns).index(name) for name in names]
    return [[row[k] for k in places] for row in table.rows]
