"""Significance tests of pairs of systems, on the instances on which both are defined."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from hemlp.analysis.statistics.evaluation_verdicts import pair_verdicts
from hemlp.analysis.statistics.intervals import (
    all_difference_intervals,
    difference_intervals,
    resample_all_pairs,
    resampling_units,
)
from hemlp.analysis.statistics.resampling import bootstrap_note
from hemlp.analysis.statistics.significance_tests import Sided, SignTest
from hemlp.analysis.statistics.verdicts import Procedure, Test, Verdicts
from hemlp.errors import InvalidOption
from hemlp.options import check_known
from hemlp.results.inputs import dropped_notes
from hemlp.results.results import Results
from hemlp.text.p_values import ALPHA, PValue
from hemlp.text.tables import DECIMALS, Interval, Table, format_signed, join_words, plural

NEITHER = "neither"
NO_WILCOXON = "Wilcoxon's test needs single instances where more than 1,000 differ: a tally does not keep them"


class PairComparison(NamedTuple):
    """The tests of two systems by a measure, on the ``instances`` on which both are defined.

    ``difference``: the mean of first − second, with its ``interval`` and Cohen's d (``effect``). Each test has a
    p-value and names the system that it favours: the mean (``better``, ``p``, ``corrected`` by Holm for all pairs of
    systems), the sum of ranks (``wilcoxon``) and the number of wins (``sign``); "neither" where both are equal.
    """

    measure: str
    first: str
    second: str
    instances: int
    difference: float
    interval: Interval
    effect: float
    better: str
    p: float
    corrected: float
    wilcoxon: float
    wilcoxon_favours: str
    sign: SignTest
    sign_favours: str

    @property
    def significant(self) -> bool:
        """Whether the test, corrected for all pairs, separates the systems."""
        return self.corrected < ALPHA

    @property
    def remark(self) -> str:
        """A sentence where the tests favour different systems; else empty."""
        if self.better == self.sign_favours == self.wilcoxon_favours:
            return ""
        favoured = [self.sign_favours, *([] if math.isnan(self.wilcoxon) else [self.wilcoxon_favours])]
        others = [each for each in favoured if each not in (self.better, NEITHER)]
        if not others or not self.instances:
            return ""
        if self.better == NEITHER:
            return f"equal means, but {others[0]} wins more instances" if self.sign_favours != NEITHER else ""
        if self.sign_favours == others[0]:
            return f"{self.better} wins fewer instances, but by more"
        return f"{self.better} has the better mean, {others[0]} the greater sum of ranks"


def compare_pair(v: Verdicts, measure: str, first: str, second: str, interval: Interval) -> PairComparison:
    """All tests of two systems by one measure; ``interval``: of first − second."""
    turned = (first, second) not in v.summaries
    gain, loss = (second, first) if turned else (first, second)
    d = v.summaries[gain, loss]
    sign = (1 if v.greater_is_better else -1) * (-1 if turned else 1)
    test, losses = v.sign[gain, loss], d.differing - d.wins
    return PairComparison(
        measure, first, second, d.instances, sign * d.mean + 0.0, interval, sign * d.effect + 0.0,
        _favoured_system(d.mean, gain, loss), v.p[gain, loss], v.holm[gain, loss],
        v.wilcoxon[gain, loss], "needs instances" if d.ranks is None else _favoured_system(d.ranks, gain, loss),
        test, NEITHER if d.wins == losses else gain if test.k == d.wins else loss,
    )  # fmt: skip


def compare_better_first(v: Verdicts, measure: str, first: str, second: str, interval: Interval) -> PairComparison:
    """Like ``compare_pair``, the better system first; in the given order if neither is better."""
    if v.better(first, second) != second:
        return compare_pair(v, measure, first, second, interval)
    return compare_pair(v, measure, second, first, Interval(-interval.high, -interval.low, interval.level))


def _favoured_system(gain: float, first: str, second: str) -> str:
    return first if gain > 0 else second if gain < 0 else NEITHER


def comparison_headline(first: str, second: str, pairs: Sequence[PairComparison]) -> str:
    """By which measures one of two systems is significantly better; ``pairs``: comparisons of the two."""
    parts = []
    for system in (first, second):
        names = [each.measure for each in pairs if each.significant and each.better == system]
        parts += [f"{system} is significantly better by {join_words(names)}"] if names else []
    rest = [each.measure for each in pairs if not each.significant]
    parts += [f"the difference by {join_words(rest)} is not significant"] if rest else []
    text = "; ".join(parts)
    return f"{text[0].upper() if not parts or text.startswith('the ') else text[0]}{text[1:]}."


def compare(ev: Results, first: str, second: str, *, test: Test | None = None, sided: Sided = "two") -> Table:
    """All tests of one pair of systems, measure by measure, on the instances on which both are defined.

    Every p-value stands beside the system that it speaks for; where tests point to different systems, the row
    says so.

    Parameters
    ----------
    first, second
        Names of systems.
    test, sided
        As of ``ranks``; Holm's correction is for all pairs of systems by each measure.
    """
    for system in (first, second):
        check_known("system", system, ev.systems)
    if first == second:
        raise InvalidOption(f"compare takes two different systems, not {first!r} twice")
    procedure = Procedure(test, sided)
    intervals = difference_intervals(ev, first, second, tuple(ev.measures))
    pairs = [
        compare_pair(pair_verdicts(ev, name, procedure), name, first, second, interval)
        for name, interval in zip(ev.measures, intervals, strict=True)
    ]
    rows = [[each.measure, each.better, each.difference, each.interval, *_test_cells(each)] for each in pairs]
    size = int(ev.facts[first]["instances"])
    notes = [
        f"difference: {first} minus {second}, whichever is better; the mean of the paired differences",
        bootstrap_note(resampling_units(ev)),
    ]
    notes += [
        f"{each.measure}: on the {each.instances:,} of {size:,} instances on which both systems are defined"
        for each in pairs
        if each.instances < size
    ]
    head = ["measure", "better", "difference", "difference 95%", *TEST_COLUMNS]
    lead = [comparison_headline(first, second, pairs)]
    return Table(head, rows, [*notes, *_test_notes(ev, procedure)], lead=lead)


TEST_COLUMNS = (
    "p", "p (Holm)", "significant", "effect", "p Wilcoxon", "Wilcoxon favours", "won", "p sign", "sign favours",
    "remark",
)  # fmt: skip


def _test_cells(pair: PairComparison) -> list[Any]:
    """The cells below ``TEST_COLUMNS``."""
    return [
        PValue(pair.p), PValue(pair.corrected), "yes" if pair.significant else "no", pair.effect,
        PValue(pair.wilcoxon), pair.wilcoxon_favours,
        f"{pair.sign.k} of {pair.sign.n}", PValue(pair.sign.p), pair.sign_favours, pair.remark,
    ]  # fmt: skip


def _test_notes(ev: Results, procedure: Procedure) -> list[str]:
    """Notes that explain the columns of tests."""
    systems = len(ev.systems)
    pairs = plural(systems * (systems - 1) // 2, "pair")
    sided = "one-sided, of the system with the better mean" if procedure.sided == "one" else "two-sided"
    return [
        f"p: {procedure}",
        f"p (Holm): corrected for {pairs} of systems by each measure; significant: below {ALPHA}",
        "effect: Cohen's d, the mean of the paired differences in units of their standard deviation",
        f"Wilcoxon's signed-rank test two-sided; sign test {sided}",
        "won: by the system that the sign test favours, of the instances that differ",
        *([NO_WILCOXON] if ev.sums is not None else []),
        *dropped_notes(ev.facts),
    ]


def compare_all_pairs(ev: Results, measures: Sequence[str], procedure: Procedure) -> Iterator[PairComparison]:
    """All pairs of systems by each measure, the better one first."""
    for measure in measures:
        check_known("measure", measure, ev.measures)
    resample_all_pairs(ev, measures)
    for measure in measures:
        v, intervals = pair_verdicts(ev, measure, procedure), all_difference_intervals(ev, measure)
        for (first, second), interval in zip(combinations(ev.systems, 2), intervals, strict=True):
            yield compare_better_first(v, measure, first, second, interval)


def significance(
    ev: Results, measure: str | Sequence[str] | None = None, *, test: Test | None = None, sided: Sided = "two"
) -> Table:
    """The tests of all pairs of systems, with Holm's correction for the pairs of each measure.

    Parameters
    ----------
    measure
        As it was called when it was evaluated; several, or None for all.
    test, sided
        As of ``ranks``.
    """
    procedure = Procedure(test, sided)
    measures = ev.measures if measure is None else [measure] if isinstance(measure, str) else list(measure)
    rows = [
        [pair.measure, *better_and_worse(pair), pair.difference, pair.interval, *_test_cells(pair)]
        for pair in compare_all_pairs(ev, measures, procedure)
    ]
    lead = [] if len(ev.systems) > 1 else ["Tests compare two systems, and there is only one."]
    notes = ["difference: better minus worse, the mean of the paired differences", bootstrap_note(resampling_units(ev))]
    if any(ev.scores[system][measure].undefined for system in ev.systems for measure in measures):
        notes.append("each pair on the instances on which both systems are defined")
    head = ["measure", "better", "worse", "difference", "difference 95%", *TEST_COLUMNS]
    return Table(head, rows, [] if lead else [*notes, *_test_notes(ev, procedure)], lead=lead)


def better_and_worse(pair: PairComparison) -> tuple[str, str]:
    """The better and the worse system, as cells of a table."""
    return (pair.first, pair.second) if pair.better != NEITHER else (NEITHER, f"{pair.first}, {pair.second}")


def format_difference(difference: float, interval: Interval) -> str:
    """A difference with its sign, in the format of its interval; as a power of ten where that would show 0."""
    decimals = max(map(abs, interval)) >= 0.01 and (difference == 0 or abs(difference) >= 0.5 * 10**-DECIMALS)
    return f"{difference:+.{DECIMALS}f}" if decimals else format_signed(difference)


def format_difference_interval(interval: Interval) -> str:
    """The interval of a difference, its ends with their signs and in one format."""
    low, high = interval
    if max(abs(low), abs(high)) >= 0.01:
        return f"{low:+.{DECIMALS}f} to {high:+.{DECIMALS}f}"
    return "undefined" if math.isnan(low) else f"{format_signed(low)} to {format_signed(high)}"
