"""Intervals of means and of differences of means, from one draw of resamples for a whole evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hemlp.analysis.statistics.comparable import comparable
from hemlp.analysis.statistics.differences import differences
from hemlp.analysis.statistics.resampling import RESAMPLES, Draw
from hemlp.analysis.statistics.units import Units
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption
from hemlp.options import check_known
from hemlp.results.cache import once
from hemlp.results.results import Results
from hemlp.text.intervals import CONFIDENCE, Interval

TOGETHER = 4096
"""Differences whose resamples are held at once; of more of them only the intervals are kept."""


def resampled_note(units: Units) -> str:
    """What stands below tables that have bootstrap intervals."""
    return f"in brackets 95% intervals, from {RESAMPLES:,} resamples of {units.described}"


@dataclass(frozen=True)
class Column:
    """The scores of a system by a measure, ``less`` those of another one if there is one.

    ``common``: on the instances on which all systems are defined, and no other.
    """

    measure: str
    system: str
    less: str | None = None
    common: bool = False

    def values(self, ev: Results) -> FloatArray:
        """One value an instance, nan where there is none."""
        if self.common:
            return comparable(ev, self.measure)[ev.systems.index(self.system)]
        own = ev.per_instance(self.system, self.measure)
        return own if self.less is None else differences(own, ev.per_instance(self.less, self.measure))


@once
def units_of(ev: Results) -> Units:
    """What the resamples of an evaluation draw."""
    return Units(int(ev.facts[ev.systems[0]]["instances"]), ev.ids)


def draw_of(ev: Results, resamples: int = RESAMPLES, seed: int = 0) -> Draw:
    """The resamples that all systems and measures share."""
    return Draw(units_of(ev), resamples, seed)


@once
def _kept(ev: Results, draw: Draw) -> dict[Column, FloatArray]:
    """The means that were computed already."""
    return {}


def resampled_means(ev: Results, draw: Draw, columns: Sequence[Column]) -> list[FloatArray]:
    """The means of each column, one a resample. What is not known yet is drawn together."""
    kept = _kept(ev, draw)
    missing = [column for column in dict.fromkeys(columns) if column not in kept]
    if missing:
        means = draw.means(column.values(ev) for column in missing)
        kept.update(zip(missing, np.ascontiguousarray(means.T), strict=True))
    return [kept[column] for column in columns]


@once
def _kept_sums(ev: Results, what: str) -> dict[str, FloatArray]:
    """The sums that were computed already."""
    return {}


def resampled_sums(
    ev: Results, what: str, systems: Sequence[str], rows: Callable[[Results, str], Iterator[IntArray]]
) -> list[FloatArray]:
    """Of each system the sums of counts in each resample: resamples × columns. What is not known yet is drawn together.

    ``rows``: for each instance the counts of a system, called ``what``, part by part.
    """
    kept = _kept_sums(ev, what)
    missing = [system for system in systems if system not in kept]
    if missing:
        kept.update(zip(missing, draw_of(ev).sums([rows(ev, system) for system in missing]), strict=True))
    return [kept[system] for system in systems]


def check_level(level: float) -> None:
    """Of an interval."""
    if not isinstance(level, float) or not 0 < level < 1:
        raise InvalidOption(f"level={level!r} is not a number between 0 and 1, like 0.95")


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
    check_level(level)
    draw, column = draw_of(ev), Column(measure, system)
    if column not in _kept(ev, draw):  # then those of all systems and measures are drawn at once
        resampled_means(ev, draw, [Column(name, each) for name in ev.measures for each in ev.systems])
    return Interval.of(_kept(ev, draw)[column], level)


@once
def difference_intervals(ev: Results, first: str, second: str, measures: tuple[str, ...]) -> tuple[Interval, ...]:
    """Measure by measure, the interval of the mean of the paired differences first − second.

    Whoever asks for a second pair will ask for more: then all pairs of systems are drawn at once.
    """
    if _kept(ev, draw_of(ev)) or _own(ev):
        draw_all_pairs(ev, measures)
    _draw_pairs(ev, [(first, second)], measures)
    return tuple(_difference(ev, Column(name, first, less=second)) for name in measures)


def draw_all_pairs(ev: Results, measures: Sequence[str]) -> None:
    """Resample what the differences of all pairs of systems are made of, at once."""
    drawn = _drawn(ev)
    if missing := [name for name in measures if name not in drawn]:
        _draw_pairs(ev, list(combinations(ev.systems, 2)), missing)
        drawn.update(missing)


@once
def _drawn(ev: Results) -> set[str]:
    """The measures of which all pairs were drawn."""
    return set()


@once
def _own(ev: Results) -> dict[Column, Interval]:
    """The intervals of differences that are not those of two means."""
    return {}


def _draw_pairs(ev: Results, pairs: Sequence[tuple[str, str]], measures: Sequence[str]) -> None:
    """Where two systems are finite and defined on the same instances, the difference of their means is the mean of the
    differences, and other pairs share these means; else the pair has a column of its own."""
    draw, own = draw_of(ev), _own(ev)
    kept = _kept(ev, draw)
    wanted: list[Column] = []
    for name in measures:
        for first, second in pairs:
            alike = _alike(ev, first, second, name)
            columns = [Column(name, first), Column(name, second)] if alike else [Column(name, first, less=second)]
            wanted += [column for column in columns if column not in kept and column not in own]
    wanted = list(dict.fromkeys(wanted))
    for start in range(0, len(wanted), TOGETHER):
        some = wanted[start : start + TOGETHER]
        drawn = draw.means(column.values(ev) for column in some)
        for column, means in zip(some, np.ascontiguousarray(drawn.T), strict=True):
            if column.less is None:
                kept[column] = means
            else:
                own[column] = Interval.of(means)
                own[Column(column.measure, column.less, less=column.system)] = Interval.of(-means)


def _difference(ev: Results, column: Column) -> Interval:
    """Of a difference that was drawn."""
    if column in _own(ev):
        return _own(ev)[column]
    assert column.less is not None
    terms = [Column(column.measure, system) for system in (column.system, column.less)]
    first, second = resampled_means(ev, draw_of(ev), terms)
    return Interval.of(first - second)


def _alike(ev: Results, first: str, second: str, measure: str) -> bool:
    """Whether two systems are undefined on the same instances, and finite on all others."""
    where = _undefined(ev, first, measure)
    return where is not None and where == _undefined(ev, second, measure)


@once
def _undefined(ev: Results, system: str, measure: str) -> bytes | None:
    """Which instances are undefined, as bits; None if a score is infinite."""
    values = ev.per_instance(system, measure)
    missing = np.isnan(values)
    if not (missing | np.isfinite(values)).all():
        return None
    return np.packbits(missing).tobytes() if missing.any() else b""
