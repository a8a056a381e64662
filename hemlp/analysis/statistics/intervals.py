"""Bootstrap intervals of means and of their differences; one bootstrap is shared by a whole evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np

from hemlp.analysis.statistics.differences import subtract_scores
from hemlp.analysis.statistics.evaluation_verdicts import common_scores
from hemlp.analysis.statistics.resampling import RESAMPLES, Bootstrap, Units, check_confidence
from hemlp.arrays import FloatArray, IntArray
from hemlp.options import check_known
from hemlp.results.exact_sums import BucketSums
from hemlp.results.results import Results, cache_per_evaluation
from hemlp.text.tables import CONFIDENCE, Interval, quantiles

Pair = tuple[str, str]
COLUMNS_AT_ONCE = 4096
"""Differences whose resamples are held at once; of more of them only the intervals are kept."""


@dataclass(frozen=True)
class ScoreColumn:
    """The scores of a system by a measure, minus those of a ``baseline`` system if there is one.

    ``common``: on the instances on which all systems are defined, and no other.
    """

    measure: str
    system: str
    baseline: str | None = None
    common: bool = False

    def values(self, ev: Results) -> FloatArray | BucketSums:
        """One value per instance, nan where there is none; or exact sums of them, where only these are left."""
        if ev.sums is not None:
            return ev.sums[self.measure].column(self.system, self.baseline, self.common)
        if self.common:
            return common_scores(ev, self.measure)[ev.systems.index(self.system)]
        own = ev.scores[self.system][self.measure].values
        if self.baseline is None:
            return own
        other, units = ev.scores[self.baseline][self.measure].values, resampling_units(ev)
        if units.in_buckets:
            return BucketSums.of_difference(own, other, units.members, units.number)
        return subtract_scores(own, other)


@cache_per_evaluation
def resampling_units(ev: Results) -> Units:
    """The units that resamples of an evaluation draw: instances, or buckets of them."""
    sizes = None if ev.sums is None else next(iter(ev.sums.values())).sizes
    return Units(int(next(iter(ev.facts.values()))["instances"]), ev.origin.ids, sizes)


def shared_bootstrap(ev: Results, resamples: int = RESAMPLES, seed: int = 0) -> Bootstrap:
    """The resamples that all systems and measures share."""
    return Bootstrap(resampling_units(ev), resamples, seed)


@cache_per_evaluation
def _cached_means(ev: Results, bootstrap: Bootstrap) -> dict[ScoreColumn, FloatArray]:
    """The cache of resampled means."""
    return {}


def resample_means(ev: Results, bootstrap: Bootstrap, columns: Sequence[ScoreColumn]) -> list[FloatArray]:
    """The means of each column, one per resample; columns that are not in the cache are resampled together."""
    cached = _cached_means(ev, bootstrap)
    missing = [column for column in dict.fromkeys(columns) if column not in cached]
    if missing:
        means = bootstrap.means(column.values(ev) for column in missing)
        cached.update(zip(missing, np.ascontiguousarray(means.T), strict=True))
    return [cached[column] for column in columns]


@cache_per_evaluation
def _cached_sums(ev: Results, what: str) -> dict[str, FloatArray]:
    """The cache of resampled sums."""
    return {}


def resample_sums(
    ev: Results, what: str, systems: Sequence[str], rows: Callable[[Results, str], Iterator[IntArray]]
) -> list[FloatArray]:
    """The sums of counts of each system in each resample: resamples × columns. Those not cached are drawn together.

    ``rows``: for each instance the counts of a system, called ``what``, part by part.
    """
    cached = _cached_sums(ev, what)
    missing = [system for system in systems if system not in cached]
    if missing:
        cached.update(zip(missing, shared_bootstrap(ev).sums([rows(ev, system) for system in missing]), strict=True))
    return [cached[system] for system in systems]


def interval(ev: Results, system: str, measure: str, *, level: float = CONFIDENCE) -> Interval:
    """The percentile interval of a mean over bootstrap resamples of the instances.

    There are 1,000 resamples by a fixed seed, which all systems and measures share.

    Parameters
    ----------
    system, measure
        As they were called when they were evaluated.
    level
        How much of the resamples the interval covers, between 0 and 1.

    Returns
    -------
    Interval
        With ``low``, ``high`` and ``level``, also as the pair ``low, high``; nan where there is no finite mean.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> ev = evaluate(h, ["sheep", "cow"] * 50, {"A": ["cow", "cow"] * 50}, ["F_H"])
    >>> low, high = ev.interval("A", "F_H")
    >>> low < ev.mean("A", "F_H") < high, ev.interval("A", "F_H").level
    (True, 0.95)
    """
    check_known("system", system, ev.systems)
    check_known("measure", measure, ev.measures)
    check_confidence(level)
    column, cached = ScoreColumn(measure, system), _cached_means(ev, shared_bootstrap(ev))
    return Interval.of(cached[column] if column in cached else resample_all_means(ev)[column], level)


def resample_all_means(ev: Results) -> Mapping[ScoreColumn, FloatArray]:
    """The resampled means of all systems and measures, drawn at once."""
    columns = [ScoreColumn(name, system) for name in ev.greater_is_better for system in ev.scores]
    return dict(zip(columns, resample_means(ev, shared_bootstrap(ev), columns), strict=True))


@cache_per_evaluation
def difference_intervals(ev: Results, first: str, second: str, measures: tuple[str, ...]) -> tuple[Interval, ...]:
    """Measure by measure, the interval of the mean of the paired differences first − second.

    Whoever asks for a second pair will ask for more: then all pairs of systems are drawn at once.
    """
    if _cached_means(ev, shared_bootstrap(ev)) or _cached_differences(ev):
        resample_all_pairs(ev, measures)
    _resample_pairs(ev, [(first, second)], measures)
    return tuple(interval for name in measures for interval in pair_intervals(ev, [(first, second)], name))


def pair_intervals(ev: Results, pairs: Sequence[Pair], measure: str) -> list[Interval]:
    """The intervals of some pairs of systems, resampled together."""
    _resample_pairs(ev, pairs, (measure,))
    return [_difference_interval(ev, ScoreColumn(measure, first, second)) for first, second in pairs]


def all_difference_intervals(ev: Results, measure: str) -> Iterator[Interval]:
    """The intervals of all pairs of systems by a measure, in their order."""
    resample_all_pairs(ev, (measure,))
    known = _cached_means(ev, shared_bootstrap(ev))
    columns = [known.get(ScoreColumn(measure, system)) for system in ev.systems]
    means = np.array([column for column in columns if column is not None])
    _, unlike = _split_pairs(ev, [(ev.systems[0], system) for system in ev.systems], measure)
    if unlike or len(means) < len(columns) or not np.isfinite(means).all():
        yield from pair_intervals(ev, list(combinations(ev.systems, 2)), measure)
        return
    for k, drawn in enumerate(means[:-1]):
        ordered = np.sort(drawn - means[k + 1 :], axis=1)
        ends = (quantiles(ordered, (1 + side * CONFIDENCE) / 2).tolist() for side in (-1, 1))
        yield from map(Interval, *ends)


def resample_all_pairs(ev: Results, measures: Sequence[str]) -> None:
    """Resample the terms of the differences of all pairs of systems together."""
    resampled = _resampled_measures(ev)
    if missing := [name for name in measures if name not in resampled]:
        _resample_pairs(ev, list(combinations(ev.systems, 2)), missing)
        resampled.update(missing)


@cache_per_evaluation
def _resampled_measures(ev: Results) -> set[str]:
    """The measures of which all pairs are resampled."""
    return set()


@cache_per_evaluation
def _cached_differences(ev: Results) -> dict[ScoreColumn, Interval]:
    """The cache of intervals of differences that are not differences of two means."""
    return {}


def _resample_pairs(ev: Results, pairs: Sequence[Pair], measures: Sequence[str]) -> None:
    """Where two systems are finite and defined on the same instances, the difference of their means is the mean of the
    differences, and other pairs share these means; else the pair has a column of its own."""
    bootstrap, intervals = shared_bootstrap(ev), _cached_differences(ev)
    means_of = _cached_means(ev, bootstrap)
    missing: list[ScoreColumn] = []
    for name in measures:
        alike, other = _split_pairs(ev, pairs, name)
        missing += [ScoreColumn(name, system) for system in dict.fromkeys(chain.from_iterable(alike))]
        missing += [ScoreColumn(name, first, second) for first, second in other]
    missing = [column for column in missing if column not in means_of and column not in intervals]
    for start in range(0, len(missing), COLUMNS_AT_ONCE):
        some = missing[start : start + COLUMNS_AT_ONCE]
        drawn = bootstrap.means(column.values(ev) for column in some)
        for column, means in zip(some, np.ascontiguousarray(drawn.T), strict=True):
            if column.baseline is None:
                means_of[column] = means
            else:
                intervals[column] = Interval.of(means)
                intervals[ScoreColumn(column.measure, column.baseline, baseline=column.system)] = Interval.of(-means)


def _difference_interval(ev: Results, column: ScoreColumn) -> Interval:
    """The interval of a difference whose terms were resampled."""
    if column in _cached_differences(ev):
        return _cached_differences(ev)[column]
    assert column.baseline is not None
    terms = [ScoreColumn(column.measure, system) for system in (column.system, column.baseline)]
    first, second = resample_means(ev, shared_bootstrap(ev), terms)
    return Interval.of(first - second)


def _split_pairs(ev: Results, pairs: Sequence[Pair], measure: str) -> tuple[list[Pair], list[Pair]]:
    """The pairs that are undefined on the same instances and finite on all others, and the rest of them."""
    kinds: tuple[list[Pair], list[Pair]] = [], []
    if ev.sums is not None:
        for pair in pairs:
            kinds[not ev.sums[measure].defined_alike(*pair)].append(pair)
        return kinds
    where = {system: _undefined_bits(ev, system, measure) for system in dict.fromkeys(chain.from_iterable(pairs))}
    for first, second in pairs:
        kinds[where[first] is None or where[first] != where[second]].append((first, second))
    return kinds


@cache_per_evaluation
def _undefined_bits(ev: Results, system: str, measure: str) -> bytes | None:
    """The undefined instances as bits; None if a score is infinite."""
    values = ev.per_instance(system, measure)
    missing = np.isnan(values)
    if not (missing | np.isfinite(values)).all():
        return None
    return np.packbits(missing).tobytes() if missing.any() else b""
