"""``Verdicts`` on the systems of an evaluation, cached, and means over their common instances: those that all have."""

from __future__ import annotations

import math

import numpy as np

from hemlp.analysis.statistics.differences import restrict_to_common
from hemlp.analysis.statistics.significance_tests import Sided
from hemlp.analysis.statistics.verdicts import Procedure, RankMethod, TalliedVerdicts, Test, Verdicts
from hemlp.arrays import FloatArray
from hemlp.measures.instance_scores import mean
from hemlp.options import check_known
from hemlp.results.results import Results, cache_per_evaluation
from hemlp.text.tables import format_number, plural


def common_scores(ev: Results, measure: str) -> list[FloatArray]:
    """The scores of each system, nan where any system is undefined; systems undefined everywhere are ignored."""
    values = [ev.per_instance(system, measure) for system in ev.systems]
    if not any(ev.scores[system][measure].undefined for system in ev.systems):
        return values
    return restrict_to_common(values)


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


def ranks(
    ev: Results, measure: str, *, test: Test | None = None, sided: Sided = "two", ranks: RankMethod = "mean"
) -> dict[str, int | None]:
    """Places of the systems by their means (1, 1, 3), on the instances on which all of them are defined.

    Parameters
    ----------
    measure
        As it was called when it was evaluated.
    test
        What separates systems: the paired "permutation" test of the mean (the default), or the "sign" test.
    sided
        "one" is the paper's sign test: is the system with the better mean better?
    ranks
        "mean", or "chained" as in the paper: a system shares the rank of the one above unless the test, at the
        level 0.05 and without a correction, finds that one better.

    Returns
    -------
    dict
        The place of each system; None where there is no instance on which all are defined.
    """
    return dict(table_verdicts(ev, measure, Procedure(test, sided, ranks)).ranks)


def groups(ev: Results, measure: str, *, test: Test | None = None, sided: Sided = "two") -> dict[str, tuple[str, ...]]:
    """Letters of the systems: two share one exactly where they do not differ significantly.

    That is where the p-value of their pair, corrected by Holm for all pairs, is not below 0.05. With fewer than
    three systems there are no letters.

    Parameters
    ----------
    measure, test, sided
        As of ``ranks``.
    """
    return dict(table_verdicts(ev, measure, Procedure(test, sided)).groups)


def table_verdicts(ev: Results, measure: str, procedure: Procedure) -> Verdicts:
    """Places and groups of a table: on the instances on which all systems are defined."""
    check_known("measure", measure, ev.measures)
    undefined = any(ev.scores[system][measure].undefined for system in ev.systems)
    return _common_verdicts(ev, measure, procedure) if undefined else pair_verdicts(ev, measure, procedure)


@cache_per_evaluation
def pair_verdicts(ev: Results, measure: str, procedure: Procedure) -> Verdicts:
    """Tests of pairs: each on the instances on which both systems are defined."""
    if ev.sums is not None:
        return TalliedVerdicts.of(ev.sums[measure], ev.greater_is_better[measure], procedure, common=False)
    scores = {system: ev.per_instance(system, measure) for system in ev.systems}
    return Verdicts(scores, ev.greater_is_better[measure], procedure)


@cache_per_evaluation
def _common_verdicts(ev: Results, measure: str, procedure: Procedure) -> Verdicts:
    if ev.sums is not None:
        return TalliedVerdicts.of(ev.sums[measure], ev.greater_is_better[measure], procedure, common=True)
    scores = dict(zip(ev.systems, common_scores(ev, measure), strict=True))
    return Verdicts(scores, ev.greater_is_better[measure], procedure)
