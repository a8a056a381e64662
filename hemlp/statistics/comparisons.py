"""Tests of pairs of systems of an evaluation, on the instances that both systems have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from hemlp.arrays import FloatArray
from hemlp.options import check_choice, check_known
from hemlp.statistics.intervals import difference_intervals, draw_all_pairs
from hemlp.statistics.permutation import effect_size, permutation_test
from hemlp.statistics.resampling import RESAMPLES
from hemlp.statistics.tests import Sided, SignTest, holm, mean_difference, paired, sign_test, wilcoxon
from hemlp.text.intervals import Interval
from hemlp.text.tables import Table, signed
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.evaluation.result import Evaluation


def compared(ev: Evaluation, first: str, second: str, sided: Sided) -> Table:
    """All tests of one pair of systems, measure by measure, on the instances on which both are defined."""
    check_choice("sided", sided, ("two", "one"))
    for system in (first, second):
        check_known("system", system, ev.systems)
    size = len(ev._of(first, ev.measures[0]))
    intervals = difference_intervals(ev, first, second, tuple(ev.measures))
    rows, notes, tested = [], [], []
    for (name, better), interval in zip(ev.greater_is_better.items(), intervals, strict=True):
        values = paired(ev.per_instance(first, name), ev.per_instance(second, name))
        cells, p = _by_one_measure((first, second), values, better, interval, sided)
        rows.append([name, *cells])
        tested.append(p)
        if (shared := values[0].size) < size:
            notes.append(f"{name}: on the {shared:,} of {size:,} instances on which both systems are defined")
    known = [p for p in tested if not math.isnan(p)]
    corrected = iter(holm(known))
    for row, p in zip(rows, tested, strict=True):
        row.append("undefined" if math.isnan(p) else f"{next(corrected):.3g}")
    head = ["measure", "better", f"{first} − {second}", "95% interval", "won", "Z", "p sign", "p Wilcoxon",
            "p permutation", "effect", "p (Holm)"]  # fmt: skip
    return Table(head, rows, [*notes, f"mean of the paired differences, with its interval by {RESAMPLES:,} resamples",
                              "effect: that mean in standard deviations of the differences (Cohen's d)",
                              f"p (Holm): of the sign tests, corrected for {many(len(known), 'measure')}",
                              f"sign test {sided}-sided{_WHOSE[sided]}, others two-sided"])  # fmt: skip


_WHOSE = {"two": "", "one": " for the system with the better mean"}
"""What a one-sided test asks."""


def _by_one_measure(
    names: tuple[str, str],
    values: tuple[FloatArray, FloatArray],
    better: bool,
    interval: Interval,
    sided: Sided,
) -> tuple[list[str], float]:
    """Two systems by one measure: who is better, by how much, and the tests; and p of the sign test."""
    gain = mean_difference(*values)
    if not values[0].size:
        return ["undefined"] * 9, math.nan
    ahead = gain >= 0 if better else gain <= 0
    winner = "undefined" if math.isnan(gain) else "neither" if gain == 0 else names[0] if ahead else names[1]
    test = sign_test(*(values if ahead else values[::-1]), better, sided=sided)
    effect, permuted = effect_size(*values), permutation_test(*values)
    cells = [
        winner,
        "undefined" if math.isnan(gain) else signed(gain),
        between(interval),
        f"{test.k} of {test.n}",
        f"{test.z:.2f}",
        f"{test.p:.3g}",
        f"{wilcoxon(*values):.3g}",
        "undefined" if math.isnan(permuted) else f"{permuted:.3g}",
        "undefined" if math.isnan(effect) else f"{effect:+.2f}",
    ]
    return cells, test.p


def between(interval: Interval) -> str:
    """The interval of a difference, its ends with their signs."""
    low, high = interval
    return "undefined" if math.isnan(low) else f"{signed(low)} to {signed(high)}"


@dataclass(frozen=True)
class Tested:
    """Two systems by a measure: the mean difference better − worse, its interval and effect size, and the sign test.

    ``corrected``: its p, by Holm for all tests together.
    """

    measure: str
    better: str
    worse: str
    gain: float
    interval: Interval
    effect: float
    test: SignTest
    corrected: float


def tested_pairs(ev: Evaluation, measures: Sequence[str], sided: Sided) -> tuple[list[Tested], list[str]]:
    """All pairs of systems by each measure, with Holm's correction for all of them together; and what to know."""
    pairs, notes = [], []
    for measure in measures:
        check_known("measure", measure, ev.measures)
    draw_all_pairs(ev, measures)
    for measure in measures:
        better, of = ev.greater_is_better[measure], f" by {measure}" if len(measures) > 1 else ""
        for names in combinations(ev.systems, 2):
            values = [ev.per_instance(system, measure) for system in names]
            gain = mean_difference(values[0], values[1])
            if math.isnan(gain):
                notes.append(f"{names[0]} and {names[1]} have no mean difference{of}, and are left out")
                continue
            if gain == 0:
                notes.append(f"{names[0]} and {names[1]} are equal on average{of}: neither is better")
            elif (gain < 0) == better:
                names, values, gain = names[::-1], values[::-1], -gain
            (interval,) = difference_intervals(ev, names[0], names[1], (measure,))
            effect, test = effect_size(values[0], values[1]), sign_test(values[0], values[1], better, sided=sided)
            pairs.append((measure, names, gain, interval, effect, test))
    corrected = holm([test.p for *_, test in pairs])
    if any(ev.scores[system][measure].undefined for system in ev.systems for measure in measures):
        notes.append("each pair on the instances on which both systems are defined")
    return [
        Tested(measure, *names, gain, interval, effect, test, p)
        for (measure, names, gain, interval, effect, test), p in zip(pairs, corrected, strict=True)
    ], notes


def significance(ev: Evaluation, chosen: str | Sequence[str] | None, sided: Sided) -> Table:
    """The sign test of all pairs of systems by each measure, with Holm's correction for all of them together."""
    measures = ev.measures if chosen is None else [chosen] if isinstance(chosen, str) else list(chosen)
    pairs, notes = tested_pairs(ev, measures, sided)
    rows = [
        [*([each.measure] if len(measures) > 1 else []), each.better, each.worse, signed(each.gain),
         between(each.interval), f"{each.test.k} of {each.test.n}", f"{each.test.z:.2f}", f"{each.test.p:.3g}",
         f"{each.corrected:.3g}", "undefined" if math.isnan(each.effect) else f"{each.effect:+.2f}"]
        for each in pairs
    ]  # fmt: skip
    head = [*(["measure"] if len(measures) > 1 else []), "better", "worse", "difference", "95% interval", "won", "Z",
            "p", "p (Holm)", "effect"]  # fmt: skip
    first = f"{', '.join(measures)}, sign test {sided}-sided{_WHOSE[sided]}"
    told = f"p (Holm): corrected for {many(len(pairs), 'test')}; effect: Cohen's d of the paired differences"
    return Table(head, rows, [first, told, *notes])
