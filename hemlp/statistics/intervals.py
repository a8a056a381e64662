"""Intervals of means and of differences of means, from one draw of resamples for a whole evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption
from hemlp.statistics.comparable import comparable
from hemlp.statistics.differences import differences
from hemlp.statistics.once import once
from hemlp.statistics.resampling import RESAMPLES, Draw
from hemlp.text.intervals import Interval

if TYPE_CHECKING:
    from hemlp.evaluation.result import Evaluation

RESAMPLED = f"in brackets 95% intervals, from {RESAMPLES:,} resamples of the instances"
"""Below tables."""


@dataclass(frozen=True)
class Column:
    """The scores of a system by a measure, ``less`` those of another one if there is one.

    ``common``: on the instances on which all systems are defined, and no other.
    """

    measure: str
    system: str
    less: str | None = None
    common: bool = False

    def values(self, ev: Evaluation) -> FloatArray:
        """One value an instance, nan where there is none."""
        if self.common:
            return comparable(ev, self.measure)[ev.systems.index(self.system)]
        own = ev.per_instance(self.system, self.measure)
        return own if self.less is None else differences(own, ev.per_instance(self.less, self.measure))


def draw_of(ev: Evaluation, resamples: int = RESAMPLES, seed: int = 0) -> Draw:
    """The resamples that all systems and measures share."""
    return Draw(int(ev.facts[ev.systems[0]]["instances"]), resamples, seed)


@once
def _kept(ev: Evaluation, draw: Draw) -> dict[Column, FloatArray]:
    """The means that were computed already."""
    return {}


def resampled_means(ev: Evaluation, draw: Draw, columns: Sequence[Column]) -> FloatArray:
    """The mean of each column in each resample: resamples × columns. What is not known yet is drawn together."""
    kept = _kept(ev, draw)
    missing = [column for column in dict.fromkeys(columns) if column not in kept]
    if missing:
        means = draw.means(column.values(ev) for column in missing)
        kept.update(zip(missing, np.ascontiguousarray(means.T), strict=True))
    return np.stack([kept[column] for column in columns], axis=1) if columns else np.empty((draw.resamples, 0))


@once
def _kept_sums(ev: Evaluation, what: str) -> dict[str, FloatArray]:
    """The sums that were computed already."""
    return {}


def resampled_sums(
    ev: Evaluation, what: str, systems: Sequence[str], rows: Callable[[Evaluation, str], Iterator[IntArray]]
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


def interval(ev: Evaluation, system: str, measure: str, level: float) -> Interval:
    """The interval of a mean; those of all systems and measures are drawn at once."""
    check_level(level)
    columns = [Column(name, each) for name in ev.measures for each in ev.systems]
    return Interval.of(resampled_means(ev, draw_of(ev), columns)[:, columns.index(Column(measure, system))], level)


@once
def difference_intervals(ev: Evaluation, first: str, second: str, measures: tuple[str, ...]) -> tuple[Interval, ...]:
    """Measure by measure, the interval of the mean of the paired differences first − second.

    Whoever asks for a second pair will ask for more: then all pairs of systems are drawn at once.
    """
    draw = draw_of(ev)
    if _kept(ev, draw):
        draw_all_pairs(ev, measures)
    terms = [_difference(ev, first, second, name) for name in measures]
    wanted = list(dict.fromkeys(column for of_measure in terms for column, _ in of_measure))
    means = dict(zip(wanted, resampled_means(ev, draw, wanted).T, strict=True))
    return tuple(Interval.of(sum(sign * means[column] for column, sign in each)) for each in terms)


def draw_all_pairs(ev: Evaluation, measures: Sequence[str]) -> None:
    """Resample what the differences of all pairs of systems are made of, at once."""
    pairs = combinations(ev.systems, 2)
    columns = [column for pair in pairs for name in measures for column, _ in _difference(ev, *pair, name)]
    resampled_means(ev, draw_of(ev), list(dict.fromkeys(columns)))


@once
def _difference(ev: Evaluation, first: str, second: str, measure: str) -> tuple[tuple[Column, int], ...]:
    """The columns whose means make up a difference, each with its sign.

    Where both systems are finite and defined on the same instances, these are their own columns, which other pairs
    share; else there is a column of differences for the pair, in whatever order it is asked for.
    """
    if _alike(ev.per_instance(first, measure), ev.per_instance(second, measure)):
        return (Column(measure, first), 1), (Column(measure, second), -1)
    if ev.systems.index(first) < ev.systems.index(second):
        return ((Column(measure, first, less=second), 1),)
    return ((Column(measure, second, less=first), -1),)


def _alike(first: FloatArray, second: FloatArray) -> bool:
    """Whether two columns are nan on the same instances, and finite on all others."""
    missing = np.isnan(first)
    finite = np.isfinite(first) & np.isfinite(second)
    return np.array_equal(missing, np.isnan(second)) and bool((missing | finite).all())
