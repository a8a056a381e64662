"""The first screen: who wins, by how much, and whether that is significant."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hemlp.analysis.decision.floor import Floor, floor_lead, floor_notes, floor_rows
from hemlp.analysis.statistics import summary_table
from hemlp.analysis.statistics.comparisons import (
    NEITHER,
    PairComparison,
    better_and_worse,
    compare_all_pairs,
    compare_better_first,
    compare_pair,
    format_difference,
    format_difference_interval,
)
from hemlp.analysis.statistics.evaluation_verdicts import order_systems, pair_verdicts, table_verdicts
from hemlp.analysis.statistics.intervals import interval, pair_intervals, resample_all_means, resampling_units
from hemlp.analysis.statistics.planning import describe_needed
from hemlp.analysis.statistics.resampling import bootstrap_note
from hemlp.analysis.statistics.verdicts import Procedure
from hemlp.escaping import markup
from hemlp.report.elements import Cell, Column, Section, bracket, chart, details, notes, table
from hemlp.results.inputs import describe_dropped_labels
from hemlp.results.results import Results
from hemlp.text.p_values import ALPHA, format_p, p_equation
from hemlp.text.tables import format_number, plural

MOST_SYSTEMS = 20
"""Systems that are drawn, and all of whose pairs are listed; more of them stand in their order, and are filtered."""


@dataclass(frozen=True)
class Verdict:
    """The system with the best mean by a measure, the next one, and the tests of the two.

    Means are over the instances on which all systems are defined, the difference is over those on which both are.
    """

    winner: str
    next: str
    pair: PairComparison

    @property
    def measure(self) -> str:
        """The measure of the verdict."""
        return self.pair.measure

    @property
    def doubt(self) -> str:
        """Why the winner is not significantly better; "" if it is."""
        if self.pair.better == NEITHER:
            return "equal means"
        if self.pair.better != self.winner:
            return f"{self.next} is better on the instances on which both are defined"
        words = p_equation(self.pair.corrected), _needed_size(self.pair)
        return "" if self.pair.significant else "; ".join(filter(None, words))


def judge_leaders(ev: Results, procedure: Procedure) -> list[Verdict]:
    """A verdict for each measure that can compare at least two systems."""
    made = []
    for measure in ev.measures:
        placed = table_verdicts(ev, measure, Procedure()).ranks
        ranks = {system: rank for system, rank in placed.items() if rank is not None}
        if len(ranks) < 2:
            continue
        winner, after = sorted(ranks, key=ranks.__getitem__)[:2]
        (interval,) = pair_intervals(ev, [(winner, after)], measure)
        pair = compare_pair(pair_verdicts(ev, measure, procedure), measure, winner, after, interval)
        made.append(Verdict(winner, after, pair))
    return made


def result_section(ev: Results, procedure: Procedure, floors: Sequence[Floor] = ()) -> Section:
    """Who wins, and all means with their intervals."""
    resample_all_means(ev)  # at once: most differences are made of them
    made = judge_leaders(ev, procedure) if len(ev.systems) > 1 else []
    first = ev.systems[0], ev.measures[0]
    shown = f"{format_number(ev.mean(*first))}{interval(ev, *first).bracket()}"
    said = summary_table.evaluation_headline(ev, procedure, lambda name: f"<b>{markup(name)}</b>", shown)
    parts = [f"<p class='headline'>{' '.join([*said, *map(markup, floor_lead(floors))])}</p>"]
    if made:
        pairs = plural(len(ev.systems) * (len(ev.systems) - 1) // 2, "pair")
        parts.append(_verdict_table(ev, made))
        parts.append(
            f"<p class='note'>Significant: p of the {procedure}, corrected by Holm for {pairs} of systems, is below "
            f"{ALPHA}.</p>"
        )
    told = [bootstrap_note(resampling_units(ev)), *summary_table.summary_notes(ev, procedure)]
    parts += [_means_table(ev, procedure, floors), notes([*told, *(floor_notes(floors) if floors else ())])]
    intervals = {f"interval{m}": _interval_chart(ev, name) for m, name in enumerate(ev.measures)}
    many = len(ev.systems) > MOST_SYSTEMS
    best = f", of the {MOST_SYSTEMS} best systems" if many else ""
    places = "".join(
        chart(f"interval{m}", f"{name} {_arrow(ev, name)}: means with 95% intervals{best}")
        for m, name in enumerate(ev.measures)
    )
    parts.append(f"<div class='charts'>{places}</div>")
    if made:
        if many:
            title = "The best system by each measure against each other one: {}; ev.significance() has the others"
            tested = [pair for each in made for pair in _pairs_with(ev, each, procedure)]
        else:
            tested, title = (
                list(compare_all_pairs(ev, ev.measures, procedure)),
                "All pairs of systems by all measures: {}",
            )
        parts.append(details(title.format(plural(len(tested), "test")), _tests_table(tested)))
    return Section("result", "Result", "".join(parts), intervals)


def _pairs_with(ev: Results, of: Verdict, procedure: Procedure) -> Iterator[PairComparison]:
    """The pairs of the winner by a measure and each other system."""
    pairs = [(of.winner, other) for other in ev.systems if other != of.winner]
    v = pair_verdicts(ev, of.measure, procedure)
    for pair, drawn in zip(pairs, pair_intervals(ev, pairs, of.measure), strict=True):
        yield compare_better_first(v, of.measure, *pair, drawn)


def _arrow(ev: Results, measure: str) -> str:
    return "↑" if ev.greater_is_better[measure] else "↓"


def _verdict_table(ev: Results, verdicts: Sequence[Verdict]) -> str:
    columns = [
        Column("measure", "ascending", True), Column("winner", "ascending", True), Column("mean"),
        Column("next best", "ascending", True), Column("difference"), Column("95% interval"),
        Column("p (Holm)", "ascending"), Column("significant?", "descending", True),
    ]  # fmt: skip
    rows = []
    for each in verdicts:
        mean = ev.mean(each.winner, each.measure)
        significant = (
            f"<span class='no'>no: {markup(each.doubt)}</span>" if each.doubt else "<span class='yes'>yes</span>"
        )
        rows.append([
            Cell(markup(f"{each.measure} {_arrow(ev, each.measure)}")),
            Cell(f"<b>{markup(each.winner if each.pair.better != NEITHER else f'{each.winner}, {each.next}')}</b>"),
            Cell(format_number(mean), mean),
            Cell("–" if each.pair.better == NEITHER else markup(each.next)),
            *_difference_cells(each.pair),
            Cell(_no_wrap(markup(format_p(each.pair.corrected))), each.pair.corrected),
            Cell(significant, "no" if each.doubt else "yes"),
        ])  # fmt: skip
    return table(columns, rows)


def _tests_table(pairs: Sequence[PairComparison]) -> str:
    """All pairs of systems by all measures."""
    columns = [
        *(Column(name, "ascending", True) for name in ("measure", "better", "worse")), Column("difference"),
        Column("95% interval"), Column("p", "ascending"), Column("p (Holm)", "ascending"), Column("effect"),
        Column("p Wilcoxon", "ascending"), Column("won"), Column("p sign", "ascending"),
        Column("sign favours", "ascending", True), Column("remark", "ascending", True),
    ]  # fmt: skip
    rows = []
    for each in pairs:
        sign = each.sign
        rows.append([
            *(Cell(markup(name)) for name in (each.measure, *better_and_worse(each))),
            *_difference_cells(each),
            *(Cell(_no_wrap(markup(format_p(p))), "" if math.isnan(p) else p) for p in (each.p, each.corrected)),
            Cell("undefined" if math.isnan(each.effect) else f"{each.effect:+.2f}", abs(each.effect)),
            Cell(_no_wrap(markup(format_p(each.wilcoxon))), each.wilcoxon),
            Cell(_no_wrap(f"{sign.k} of {sign.n}"), sign.k / sign.n if sign.n else ""),
            Cell(_no_wrap(markup(format_p(sign.p))), sign.p),
            Cell(markup(each.sign_favours)), Cell(markup("; ".join(filter(None, (each.remark, _needed_size(each)))))),
        ])  # fmt: skip
    words = (
        "difference: better minus worse; won: by the system that the sign test favours, of the instances that differ; "
        "effect: Cohen's d of the paired differences"
    )
    return table(columns, rows) + notes([words])


def _needed_size(pair: PairComparison) -> str:
    """The number of instances that would be enough, if these are not."""
    return "" if pair.significant else describe_needed(pair.effect, pair.instances)


def _difference_cells(pair: PairComparison) -> list[Cell]:
    """Cells of a difference and its interval."""
    difference, low = format_difference(pair.difference, pair.interval), pair.interval.low
    interval = _no_wrap(format_difference_interval(pair.interval))
    return [Cell(difference, abs(pair.difference)), Cell(interval, "" if math.isnan(low) else low)]


def _no_wrap(text: str) -> str:
    """A text that does not wrap."""
    return f"<span class='whole'>{text}</span>"


def _means_table(ev: Results, procedure: Procedure, floors: Sequence[Floor]) -> str:
    """All means with places, letters and intervals, one row per system; then floors. Many systems can be filtered."""
    alone = len(ev.systems) == 1
    made = {name: table_verdicts(ev, name, procedure) for name in ev.measures}
    dropped = describe_dropped_labels(ev.facts)
    columns = [Column("system", "ascending", True)]
    columns += [
        Column(f"{name} {_arrow(ev, name)}", "descending" if better else "ascending")
        for name, better in ev.greater_is_better.items()
    ]
    columns += [Column("labels"), *([Column("true labels dropped", "ascending")] if dropped else [])]
    many = len(ev.systems) > MOST_SYSTEMS
    rows, systems = [], order_systems(ev, ev.measures[0]) if many else ev.systems
    for system in systems:
        row = [Cell(markup(system))]
        for name in ev.measures:
            mean, where = ev.mean(system, name), summary_table.format_rank(made[name], system)
            best = " class='best'" if made[name].ranks[system] == 1 and not alone else ""
            # the space and the brackets keep the figures apart where the table is copied
            place = f" <span class='rank'>{where}</span>" if where else ""
            text = "undefined" if math.isnan(mean) else format_number(mean)
            shown = f"<span{best}>{text}</span>{place}{bracket(interval(ev, system, name))}"
            row.append(Cell(shown, "" if math.isnan(mean) else mean))
        labels = ev.facts[system]["predictions an instance"]
        row.append(Cell(f"{labels:.2f}", labels))
        if dropped:
            row.append(Cell(dropped[system], ev.facts[system]["true labels dropped"]))
        rows.append(row)
    floored = floor_rows(floors, systems[:MOST_SYSTEMS]) if floors else {}
    for name, values in floored.items():
        of = dict(zip((each.measure for each in floors), values, strict=True))
        shown_values = [_plain_cell(of.get(measure, math.nan)) for measure in ev.measures]
        rows.append([Cell(f"<i>{markup(name)}</i>"), *shown_values, *[Cell("", "")] * (1 + bool(dropped))])
    caption = "Means with 95% intervals"
    if not alone:
        caption = "Means with places and 95% intervals"
        if len(ev.systems) > 2:
            caption += "; systems that share a letter do not differ significantly"
    caption += "; labels: number of predicted labels, mean over instances"
    if not many:
        return table(columns, rows, caption)
    box = "<label class='wide'>Filter systems <input type='search' data-filter='means'></label>"
    bar = f"<div class='bar'>{box}<span class='note' aria-live='polite' id='filtered'></span></div>"
    return f"{bar}<div id='means' class='tall'>{table(columns, rows, caption)}</div>"


def _plain_cell(value: float) -> Cell:
    """A number as a cell; empty if there is none."""
    return Cell("", "") if math.isnan(value) else Cell(format_number(value), value)


def _interval_chart(ev: Results, measure: str) -> dict[str, Any]:
    rows = []
    systems = ev.systems if len(ev.systems) <= MOST_SYSTEMS else order_systems(ev, measure)[:MOST_SYSTEMS]
    for system in systems:
        mean, (low, high) = ev.mean(system, measure), interval(ev, system, measure)
        ends = [mean, low, high]
        known = all(map(math.isfinite, ends))
        text = "undefined" if math.isnan(mean) else format_number(mean)
        words = f"{text} [{format_number(low)}, {format_number(high)}]" if known else text
        rows.append({"name": system, "at": ends if known else None, "text": words})
    return {"type": "intervals", "rows": rows}
