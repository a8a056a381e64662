"""The first screen: who wins, by how much, and whether that is sure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hemlp.escaping import markup
from hemlp.report.elements import Cell, Column, Section, bracket, chart, folded, notes, table
from hemlp.statistics.comparable import comparable_means
from hemlp.statistics.comparisons import Tested, tested_pairs
from hemlp.statistics.facts import dropped_true_labels
from hemlp.statistics.intervals import resampled_note, units_of
from hemlp.statistics.tests import LEVEL, Sided
from hemlp.text.tables import figure, signed
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.evaluation.result import Evaluation


@dataclass(frozen=True)
class Verdict:
    """The system with the best mean by a measure, the next one, and what tests of the two ``found``.

    Means are over the instances on which all systems are defined, the difference is over those on which both are.
    """

    measure: str
    winner: str
    next: str
    found: Tested

    @property
    def gain(self) -> float:
        """The mean of the paired differences winner − next."""
        return (self.found.gain if self.found.better == self.winner else -self.found.gain) + 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of its interval."""
        low, high = self.found.interval
        return (low, high) if self.found.better == self.winner else (-high, -low)

    @property
    def doubt(self) -> str:
        """Why the difference may be chance; "" where nothing says so."""
        test = self.found.test
        if self.found.gain == 0:
            return "equal means"
        if self.found.better != self.winner:
            return f"{self.next} is better on the instances on which both are defined"
        if 2 * test.k <= test.n:
            return f"better on only {test.k:,} of the {test.n:,} instances that differ"
        if self.found.corrected >= LEVEL:
            return f"p = {_p(self.found.corrected)}"
        low, high = self.interval
        if math.isnan(low):
            return "the difference has no interval"
        if low <= 0 <= high:
            return "the interval of the difference includes 0"
        return ""


def _p(value: float) -> str:
    """A p-value; one that is too small for a number is not 0."""
    return f"{value:.2g}" if value else "&lt; 1e-300"


def verdicts(ev: Evaluation, pairs: Sequence[Tested]) -> list[Verdict]:
    """One a measure by which at least two systems can be compared."""
    found = []
    for measure, better in ev.greater_is_better.items():
        means = comparable_means(ev, measure)
        known = [k for k in range(len(means)) if not math.isnan(means[k])]
        order = sorted(known, key=lambda k: -means[k] if better else means[k])
        if len(order) < 2:
            continue
        winner, after = (ev.systems[k] for k in order[:2])
        for pair in pairs:
            if pair.measure == measure and {pair.better, pair.worse} == {winner, after}:
                found.append(Verdict(measure, winner, after, pair))
    return found


def headline(found: Sequence[Verdict], measures: int) -> str:
    """One sentence, as HTML."""
    wins: dict[str, list[Verdict]] = {}
    for each in found:
        if each.found.gain != 0:
            wins.setdefault(each.winner, []).append(each)
    if not wins:
        return "No system is ahead by any measure."
    order = sorted(wins.items(), key=lambda item: -len(item[1]))
    told = [
        f"<b>{markup(system)}</b>{'' if k else ' wins'} {_by([each.measure for each in of], measures)}"
        for k, (system, of) in enumerate(order)
    ]
    return f"{'; '.join(told)}. {_certainty([each for _, of in order for each in of])}"


def _by(names: list[str], measures: int) -> str:
    if len(names) == measures > 1:
        return "by both measures" if measures == 2 else f"by all {measures} measures"
    return f"by {_listed(list(map(markup, names)))}"


def _certainty(wins: Sequence[Verdict]) -> str:
    """How sure the wins are."""
    doubtful = [markup(each.measure) for each in wins if each.doubt]
    if not doubtful:
        return "That is sure." if len(wins) == 1 else "All of that is sure."
    if len(doubtful) == len(wins):
        return "That is not sure." if len(wins) == 1 else "None of that is sure."
    return f"That is sure except by {_listed(doubtful)}."


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def result(ev: Evaluation, sided: Sided) -> Section:
    """Who wins, and all means with their intervals."""
    pairs, told = tested_pairs(ev, ev.measures, sided) if len(ev.systems) > 1 else ([], [])
    found = verdicts(ev, pairs)
    first = "One system: there is nothing to compare." if len(ev.systems) == 1 else headline(found, len(ev.measures))
    parts = [f"<p class='headline'>{first}</p>"]
    if found:
        parts.append(_verdict_table(ev, found))
        parts.append(
            f"<p class='note'>Sure: the sign test, {sided}-sided, finds the winner better at the level {LEVEL}, "
            f"corrected by Holm for {many(len(pairs), 'test')} (all pairs of systems by all measures), and the 95% "
            "interval of the difference leaves out 0.</p>"
        )
    parts += [_means(ev, sided), notes([resampled_note(units_of(ev)), *ev.notes(sided=sided)])]
    intervals = {f"interval{m}": _interval_chart(ev, name) for m, name in enumerate(ev.measures)}
    places = "".join(
        chart(f"interval{m}", f"{name} {_arrow(ev, name)}: means with 95% intervals")
        for m, name in enumerate(ev.measures)
    )
    parts.append(f"<div class='charts'>{places}</div>")
    if pairs:
        parts.append(folded(f"All {many(len(pairs), 'test')}", _tests(pairs) + notes(told)))
    return Section("result", "Result", "".join(parts), intervals)


def _arrow(ev: Evaluation, measure: str) -> str:
    return "↑" if ev.greater_is_better[measure] else "↓"


def _verdict_table(ev: Evaluation, found: Sequence[Verdict]) -> str:
    columns = [
        Column("measure", "ascending", True), Column("winner", "ascending", True), Column("mean"),
        Column("next best", "ascending", True), Column("difference"), Column("95% interval"),
        Column("p (Holm)", "ascending"), Column("sure?", "descending", True),
    ]  # fmt: skip
    rows = []
    for each in found:
        mean = ev.mean(each.winner, each.measure)
        sure = f"<span class='no'>no: {markup(each.doubt)}</span>" if each.doubt else "<span class='yes'>yes</span>"
        rows.append([
            Cell(markup(f"{each.measure} {_arrow(ev, each.measure)}")),
            Cell(f"<b>{markup(each.winner)}</b>"),
            Cell(figure(mean), mean),
            Cell(markup(each.next)),
            Cell(signed(each.gain), abs(each.gain)),
            _interval(*each.interval),
            Cell(_whole(_p(each.found.corrected)), each.found.corrected),
            Cell(sure, "no" if each.doubt else "yes"),
        ])  # fmt: skip
    return table(columns, rows)


def _tests(pairs: Sequence[Tested]) -> str:
    """All pairs of systems by all measures."""
    columns = [
        *(Column(name, "ascending", True) for name in ("measure", "better", "worse")), Column("difference"),
        Column("95% interval"), Column("won"), Column("p", "ascending"), Column("p (Holm)", "ascending"),
        Column("effect"),
    ]  # fmt: skip
    rows = []
    for each in pairs:
        (low, high), test = each.interval, each.test
        rows.append([
            *(Cell(markup(name)) for name in (each.measure, each.better, each.worse)),
            Cell(signed(each.gain), abs(each.gain)), _interval(low, high),
            Cell(_whole(f"{test.k} of {test.n}"), test.k / test.n if test.n else ""), Cell(_whole(_p(test.p)), test.p),
            Cell(_whole(_p(each.corrected)), each.corrected),
            Cell("undefined" if math.isnan(each.effect) else f"{each.effect:+.2f}", abs(each.effect)),
        ])  # fmt: skip
    words = "won: of the instances on which the two differ; effect: Cohen's d of the paired differences"
    return table(columns, rows) + notes([words])


def _interval(low: float, high: float) -> Cell:
    """That of a difference."""
    return Cell("undefined", "") if math.isnan(low) else Cell(_whole(f"{signed(low)} to {signed(high)}"), low)


def _whole(text: str) -> str:
    """On one line."""
    return f"<span class='whole'>{text}</span>"


def _means(ev: Evaluation, sided: Sided) -> str:
    """All means with ranks and intervals, one row a system."""
    alone = len(ev.systems) == 1
    ranks = {name: ev.ranks(name, sided=sided) for name in ev.measures}
    dropped = dropped_true_labels(ev.facts)
    columns = [Column("system", "ascending", True)]
    columns += [
        Column(f"{name} {_arrow(ev, name)}", "descending" if better else "ascending")
        for name, better in ev.greater_is_better.items()
    ]
    columns += [Column("labels"), *([Column("true labels dropped", "ascending")] if dropped else [])]
    rows = []
    for system in ev.systems:
        row = [Cell(markup(system))]
        for name in ev.measures:
            mean, rank = ev.mean(system, name), ranks[name][system]
            best = " class='best'" if rank == 1 and not alone else ""
            # the space and the brackets keep the figures apart where the table is copied
            place = "" if rank is None or alone else f" <span class='rank'>({rank})</span>"
            text = "undefined" if math.isnan(mean) else figure(mean)
            shown = f"<span{best}>{text}</span>{place}{bracket(ev.interval(system, name))}"
            row.append(Cell(shown, "" if math.isnan(mean) else mean))
        labels = ev.facts[system]["predictions an instance"]
        row.append(Cell(f"{labels:.2f}", labels))
        if dropped:
            row.append(Cell(dropped[system], ev.facts[system]["true labels dropped"]))
        rows.append(row)
    caption = "Means with 95% intervals"
    if not alone:
        caption = "Means with ranks and 95% intervals; equal ranks are not told apart by the sign test"
    return table(columns, rows, caption)


def _interval_chart(ev: Evaluation, measure: str) -> dict[str, Any]:
    rows = []
    for system in ev.systems:
        mean, (low, high) = ev.mean(system, measure), ev.interval(system, measure)
        ends = [mean, low, high]
        known = all(map(math.isfinite, ends))
        text = "undefined" if math.isnan(mean) else figure(mean)
        words = f"{text} ({figure(low)} to {figure(high)})" if known else text
        rows.append({"name": system, "at": ends if known else None, "text": words})
    return {"type": "intervals", "rows": rows}
