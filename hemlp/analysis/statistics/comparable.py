"""Means that can be compared: over the instances on which all systems are defined."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hemlp.analysis.statistics.cache import once
from hemlp.arrays import FloatArray
from hemlp.measures.instance_scores import mean
from hemlp.text.tables import figure
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.results.evaluation import Evaluation


@once
def average(ev: Evaluation, system: str, measure: str) -> float:
    """The mean of a system, over the instances on which it is defined."""
    return ev.scores[system][measure].mean()


def comparable(ev: Evaluation, measure: str) -> list[FloatArray]:
    """The scores of each system, nan wherever one of them is undefined; one that always is does not count."""
    values = [ev.per_instance(system, measure) for system in ev.systems]
    if not any(ev.scores[system][measure].undefined for system in ev.systems):
        return values
    undefined = [np.isnan(column) for column in values]
    somewhere = [each for each in undefined if not each.all()]
    outside = np.logical_or.reduce(somewhere) if somewhere else undefined[0]
    return [np.where(outside, math.nan, column) for column in values]


@once
def comparable_means(ev: Evaluation, measure: str) -> tuple[float, ...]:
    """The mean of each system, over the instances on which all are defined."""
    if not any(ev.scores[system][measure].undefined for system in ev.systems):
        return tuple(average(ev, system, measure) for system in ev.systems)
    return tuple(map(mean, comparable(ev, measure)))


@once
def comparability(ev: Evaluation, measure: str) -> tuple[str, ...]:
    """What to know where the systems are not all defined on the same instances."""
    if len(ev.systems) == 1 or not any(ev.scores[system][measure].undefined for system in ev.systems):
        return ()
    shared = max(int(np.count_nonzero(~np.isnan(column))) for column in comparable(ev, measure))
    defined = {len(ev.scores[system][measure]) - ev.scores[system][measure].undefined for system in ev.systems}
    if defined - {0} <= {shared}:
        return ()
    if not shared:
        return (f"{measure}: no ranks, for there is no instance on which all systems are defined",)
    means = zip(ev.systems, comparable_means(ev, measure), strict=True)
    told = ", ".join(f"{system} {figure(value)}" for system, value in means if not math.isnan(value))
    return (
        f"{measure}: each mean is over the instances on which its system is defined; places, letters and correlations "
        f"are over the {many(shared, 'instance')} on which all systems are, where the means are {told}",
    )
