"""``Verdicts`` on the systems of an evaluation, cached: ranks, groups and tests of pairs by one measure."""

from __future__ import annotations

from hemlp.analysis.statistics.common_instances import common_scores
from hemlp.analysis.statistics.significance_tests import Sided
from hemlp.analysis.statistics.verdicts import Procedure, RankMethod, TalliedVerdicts, Test, Verdicts
from hemlp.options import check_known
from hemlp.results.results import Results, cache_per_evaluation


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
