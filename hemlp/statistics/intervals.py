"""Intervals of means and of differences of means, from one draw of resamples for a whole evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption
from hemlp.statistics.comparable import comparable
from hemlp.statistics.once import once
from hemlp.statistics.resampling import RESAMPLES, Draw, Interval
from hemlp.statistics.tests import differences

if TYPE_CHECKING:
    from hemlp.evaluation.result import Evaluation


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
    return np.stack([kept[column] for column in columns], axis=1)


def interval(ev: Evaluation, system: str, measure: str, level: float) -> Interval:
    """The interval of a mean; those of all systems and measures are drawn at once."""
    if not isinstance(level, float) or not 0 < level < 1:
        raise InvalidOption(f"level={level!r} is not a number between 0 and 1, like 0.95")
    columns = [Column(name, each) for name in ev.measures for each in ev.systems]
    return Interval.of(resampled_means(ev, draw_of(ev), columns)[:, columns.index(Column(measure, system))], level)


@once
def difference_intervals(ev: Evaluation, first: str, second: str) -> tuple[Interval, ...]:
    """Measure by measure, the interval of the mean of the paired differences first − second.

    Where both are finite and defined on the same instances, it is the difference of the means, which other pairs share.
    """
    columns = []
    for name in ev.measures:
        alike = _alike(ev.per_instance(first, name), ev.per_instance(second, name))
        columns += [Column(name, first), Column(name, second)] if alike else [Column(name, first, less=second)]
    means = dict(zip(columns, resampled_means(ev, draw_of(ev), columns).T, strict=True))
    found = []
    for name in ev.measures:
        own = means.get(Column(name, first, less=second))
        found.append(Interval.of(means[Column(name, first)] - means[Column(name, second)] if own is None else own))
    return tuple(found)


def _alike(first: FloatArray, second: FloatArray) -> bool:
    """Whether two columns are nan on the same instances, and finite on all others."""
    missing = np.isnan(first)
    finite = np.isfinite(first) & np.isfinite(second)
    return np.array_equal(missing, np.isnan(second)) and bool((missing | finite).all())
