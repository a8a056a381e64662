"""``Verdicts`` on the systems of an evaluation, cached: ranks, groups and tests of pairs by one measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hemlp.analysis.statistics.cache import cache_per_evaluation
from hemlp.analysis.statistics.common_instances import common_scores
from hemlp.analysis.statistics.verdicts import Procedure, Verdicts
from hemlp.options import check_known

if TYPE_CHECKING:
    from hemlp.results.evaluation import Evaluation


def table_verdicts(ev: Evaluation, measure: str, procedure: Procedure) -> Verdicts:
    """Places and groups of a table: on the instances on which all systems are defined."""
    check_known("measure", measure, ev.measures)
    undefined = any(ev.scores[system][measure].undefined for system in ev.systems)
    return _common_verdicts(ev, measure, procedure) if undefined else pair_verdicts(ev, measure, procedure)


@cache_per_evaluation
def pair_verdicts(ev: Evaluation, measure: str, procedure: Procedure) -> Verdicts:
    """Tests of pairs: each on the instances on which both systems are defined."""
    scores = {system: ev.per_instance(system, measure) for system in ev.systems}
    return Verdicts(scores, ev.greater_is_better[measure], procedure)


@cache_per_evaluation
def _common_verdicts(ev: Evaluation, measure: str, procedure: Procedure) -> Verdicts:
    scores = dict(zip(ev.systems, common_scores(ev, measure), strict=True))
    return Verdicts(scores, ev.greater_is_better[measure], procedure)
