"""Scores and means of systems over their common instances: those on which all systems are defined."""

from __future__ import annotations

import math

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.measures.instance_scores import mean
from hemlp.results.results import Results, cache_per_evaluation
from hemlp.text.tables import format_number, plural


def common_scores(ev: Results, measure: str) -> list[FloatArray]:
    """The scores of each system, nan where any system is undefined; systems undefined everywhere are ignored."""
    values = [ev.per_instance(system, measure) for system in ev.systems]
    if not any(ev.scores[system][measure].undefined for system in ev.systems):
        return values
    undefined = [np.isnan(column) for column in values]
    somewhere = [each for each in undefined if not each.all()]
    outside = np.logical_or.reduce(somewhere) if somewhere else undefined[0]
    return [np.where(outside, math.nan, column) for column in values]


@cache_per_evaluation
def common_means(ev: Results, measure: str) -> tuple[float, ...]:
    """The mean of each system, over the instances on which all are defined."""
    if not any(ev.scores[system][measure].undefined for system in ev.systems):
        return tuple(ev.mean(system, measure) for system in ev.systems)
    if ev.sums is not None:
        return tuple(ev.sums[measure].mean(system, common=True) for system in ev.systems)
    return tuple(map(mean, common_scores(ev, measure)))


def order_systems(ev: Results, measure: str) -> list[str]:
    """The systems, those with the best common means first, undefined ones last."""
    means = np.array(common_means(ev, measure))
    order = np.argsort(-means if ev.greater_is_better[measure] else means, kind="stable")
    return [ev.systems[k] for k in order.tolist()]


@cache_per_evaluation
def common_instance_notes(ev: Results, measure: str) -> tuple[str, ...]:
    """Notes for the case that systems are defined on different instances."""
    if len(ev.systems) == 1 or not any(ev.scores[system][measure].undefined for system in ev.systems):
        return ()
    if ev.sums is None:
        shared = max(int(np.count_nonzero(~np.isnan(column))) for column in common_scores(ev, measure))
    else:
        shared = max(ev.sums[measure].count(system, common=True) for system in ev.systems)
    defined = {len(ev.scores[system][measure]) - ev.scores[system][measure].undefined for system in ev.systems}
    if defined - {0} <= {shared}:
        return ()
    if not shared:
        return (f"{measure}: no ranks, for there is no instance on which all systems are defined",)
    means = zip(ev.systems, common_means(ev, measure), strict=True)
    texts = ", ".join(f"{system} {format_number(value)}" for system, value in means if not math.isnan(value))
    return (
        f"{measure}: each mean is over the instances on which its system is defined; places, letters and correlations "
        f"are over the {plural(shared, 'instance')} on which all systems are, where the means are {texts}",
    )
