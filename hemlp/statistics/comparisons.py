"""Systems of an evaluation beside each other: ranks, tests and correlations, always on the same instances.

Where a measure is undefined on some instances, two systems are compared on those on which both are defined, and ranks
and correlations are over those on which all are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption
from hemlp.measures.scores import mean
from hemlp.options import check_choice, check_known, plain_number
from hemlp.statistics.permutation import effect_size, permutation_test
from hemlp.statistics.tests import (
    LEVEL,
    RESAMPLES,
    Sided,
    bootstrap_intervals,
    differences,
    holm,
    kendall,
    mean_difference,
    paired,
    ranks,
    resampled_means,
    sign_test,
    wilcoxon,
)
from hemlp.text.tables import Table, figure, signed
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.evaluation.result import Evaluation


def comparable(ev: Evaluation, measure: str) -> list[FloatArray]:
    """The scores of each system, nan wherever one of them is undefined; one that always is does not count."""
    values = [ev.per_instance(system, measure) for system in ev.systems]
    undefined = [np.isnan(column) for column in values]
    somewhere = [each for each in undefined if not each.all()]
    outside = np.logical_or.reduce(somewhere) if somewhere else undefined[0]
    return [np.where(outside, math.nan, column) for column in values]


def comparability(ev: Evaluation, measure: str) -> list[str]:
    """What to know where the systems are not all defined on the same instances."""
    if len(ev.systems) == 1 or not any(ev.scores[system][measure].undefined for system in ev.systems):
        return []
    values = comparable(ev, measure)
    shared = max(int(np.count_nonzero(~np.isnan(column))) for column in values)
    defined = {len(ev.scores[system][measure]) - ev.scores[system][measure].undefined for system in ev.systems}
    if defined - {0} <= {shared}:
        return []
    if not shared:
        return [f"{measure}: no ranks, for there is no instance on which all systems are defined"]
    means = [(system, mean(column)) for system, column in zip(ev.systems, values, strict=True)]
    told = ", ".join(f"{system} {figure(value)}" for system, value in means if not math.isnan(value))
    return [
        f"{measure}: each mean is over the instances on which its system is defined; ranks and correlations are over "
        f"the {shared:,} instances on which all systems are, where the means are {told}"
    ]


def ranked(ev: Evaluation, measure: str, sided: Sided) -> dict[str, int | None]:
    """Ranks of the systems by their means; the one above has to be better by the sign test, too, or they share one."""
    check_known("measure", measure, ev.measures)
    if len(ev.systems) == 1:
        (system,) = ev.systems
        return {system: None if math.isnan(ev.mean(system, measure)) else 1}
    better, values = ev.greater_is_better[measure], comparable(ev, measure)

    def separated(above: int, below: int) -> bool:
        test = sign_test(values[above], values[below], better, sided=sided)
        return test.p < LEVEL and 2 * test.k > test.n

    found = ranks([mean(column) for column in values], separated, better)
    return dict(zip(ev.systems, found, strict=True))


def compared(ev: Evaluation, first: str, second: str, sided: Sided) -> Table:
    """All tests of one pair of systems, measure by measure, on the instances on which both are defined."""
    check_choice("sided", sided, ("two", "one"))
    size = len(ev._of(first, ev.measures[0]))

    def difference(k: int) -> FloatArray:
        return differences(*(ev.per_instance(system, ev.measures[k]) for system in (first, second)))

    intervals = bootstrap_intervals(difference, len(ev.measures), size)
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
    interval: tuple[float, float],
    sided: Sided,
) -> tuple[list[str], float]:
    """Two systems by one measure: who is better, by how much, and the tests; and p of the sign test."""
    gain = mean_difference(*values)
    if not values[0].size:
        return ["undefined"] * 9, math.nan
    ahead = gain >= 0 if better else gain <= 0
    winner = "undefined" if math.isnan(gain) else "neither" if gain == 0 else names[0] if ahead else names[1]
    test = sign_test(*(values if ahead else values[::-1]), better, sided=sided)
    low, high = interval
    effect, permuted = effect_size(*values), permutation_test(*values)
    cells = [
        winner,
        "undefined" if math.isnan(gain) else signed(gain),
        "undefined" if math.isnan(low) else f"{signed(low)} to {signed(high)}",
        f"{test.k} of {test.n}",
        f"{test.z:.2f}",
        f"{test.p:.3g}",
        f"{wilcoxon(*values):.3g}",
        "undefined" if math.isnan(permuted) else f"{permuted:.3g}",
        "undefined" if math.isnan(effect) else f"{effect:+.2f}",
    ]
    return cells, test.p


def significance(ev: Evaluation, measures: Sequence[str], sided: Sided) -> Table:
    """The sign test of all pairs of systems by each measure, with Holm's correction for all of them together."""
    pairs, notes = [], []
    for measure in measures:
        check_known("measure", measure, ev.measures)
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
            effect = effect_size(values[0], values[1])
            pairs.append((measure, names, gain, effect, sign_test(values[0], values[1], better, sided=sided)))
    corrected = holm([test.p for *_, test in pairs])
    rows = [
        [*([measure] if len(measures) > 1 else []), *names, signed(gain), f"{test.k} of {test.n}", f"{test.z:.2f}",
         f"{test.p:.3g}", f"{p:.3g}", "undefined" if math.isnan(effect) else f"{effect:+.2f}"]
        for (measure, names, gain, effect, test), p in zip(pairs, corrected, strict=True)
    ]  # fmt: skip
    if any(ev.scores[system][measure].undefined for system in ev.systems for measure in measures):
        notes.append("each pair on the instances on which both systems are defined")
    head = [*(["measure"] if len(measures) > 1 else []), "better", "worse", "difference", "won", "Z", "p", "p (Holm)",
            "effect"]  # fmt: skip
    first = f"{', '.join(measures)}, sign test {sided}-sided{_WHOSE[sided]}"
    told = f"p (Holm): corrected for {many(len(pairs), 'test')}; effect: Cohen's d of the paired differences"
    return Table(head, rows, [first, told, *notes])


def kendall_matrix(ev: Evaluation) -> FloatArray:
    """Kendall's τ-b of all pairs of measures, on the mean scores of the systems; nan where it is undefined."""
    means = [[mean(column) for column in comparable(ev, name)] for name in ev.measures]
    return _taus(ev, np.array(means))


def kendall_table(ev: Evaluation, resamples: int, seed: int) -> Table:
    """Kendall's τ-b between measures, on the mean scores of the systems; with 95% intervals by resampling."""
    for option, number in (("resamples", resamples), ("seed", seed)):
        if plain_number(option, number, 0) != number or not isinstance(number, int | np.integer):
            raise InvalidOption(f"{option}={number!r} is not an integer of at least 0")
    taus = kendall_matrix(ev)
    spread = _kendall_spread(ev, resamples, seed) if resamples else None
    rows = []
    for i, name in enumerate(ev.measures):
        cells = [name]
        for j in range(i + 1):
            cells.append("n/a" if math.isnan(taus[i, j]) else f"{taus[i, j]:.3f}")
            if spread is not None and i != j and not math.isnan(taus[i, j]):
                cells[-1] += f" [{spread[0, i, j]:.2f}, {spread[1, i, j]:.2f}]"
        rows.append(cells + [""] * (len(ev.measures) - i - 1))
    notes = [f"Kendall's τ-b over {len(ev.systems)} systems"]
    if resamples:
        notes.append(f"in brackets 95% intervals, from {resamples:,} resamples of the instances")
    notes += [note for name in ev.measures for note in comparability(ev, name)]
    return Table(["", *ev.measures], rows, notes)


def _kendall_spread(ev: Evaluation, resamples: int, seed: int) -> FloatArray:
    """The 2.5% and 97.5% quantiles of τ-b over resamples that all measures and systems share."""
    kept = lru_cache(maxsize=1)(lambda measure: comparable(ev, measure))
    count = len(ev.systems)

    def column(k: int) -> FloatArray:
        return kept(ev.measures[k // count])[k % count]

    size = len(ev._of(ev.systems[0], ev.measures[0]))
    means = resampled_means(column, len(ev.measures) * count, size, resamples, seed)
    draws = np.array([_taus(ev, row.reshape(-1, count)) for row in means])
    draws[np.isnan(draws)] = 0  # a resample in which all systems are equal says nothing either way
    found: FloatArray = np.quantile(draws, [0.025, 0.975], axis=0, method="inverted_cdf")
    return found


def _taus(ev: Evaluation, means: FloatArray) -> FloatArray:
    """τ-b of all pairs of measures, from means of measures × systems."""
    signs = np.array([1.0 if better else -1.0 for better in ev.greater_is_better.values()])
    turned = means * signs[:, None]
    return np.array([[kendall(a, b) for b in turned] for a in turned])
