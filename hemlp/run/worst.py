"""The worst instances of a system by a measure: the least scores, or the greatest errors.

Equal scores come in the order of the buckets of their ids, which is as good as random, and then of the ids: so the
first k of a set are the first k of those of its parts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hemlp.analysis.statistics.resampling import assign_buckets
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption
from hemlp.hierarchy.labels import Label
from hemlp.results.merged_sums import refuse_instances
from hemlp.results.results import Results
from hemlp.text.tables import Table

WORST = 20
"""Instances of each system and measure whose names a tally keeps."""


def worst(ev: Results, system: str, measure: str, number: int = WORST) -> Table:
    """The instances with the worst scores, the worst first; those without a score are left out.

    Parameters
    ----------
    system, measure
        As they were called when they were evaluated.
    number
        How many, at least 1; from 100,000 instances on a tally has 20.

    Returns
    -------
    Table
        With the columns id (or instance, its number from 0) and the measure.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> ev = evaluate(h, {"x": ["sheep"], "y": ["cow"]}, {"A": {"x": ["cow"], "y": ["cow"]}}, ["F_H"])
    >>> ev.worst("A", "F_H").rows
    [('x', 0.5), ('y', 1.0)]
    """
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InvalidOption(f"number={number!r} is not an integer of at least 1")
    scores = ev._of(system, measure)
    if (stored := ev.counted) is not None and stored.worst is not None:
        if number > WORST:
            raise refuse_instances()
        rows, named = list(stored.worst[system, measure][:number]), stored.named
    else:
        ids, named = ev.ids or range(1, len(scores) + 1), ev.ids is not None
        values, better = scores.values, ev.greater_is_better[measure]
        chosen = rank_worst(values, better, ids, assign_buckets(ids), number)
        rows = [(ids[k], float(values[k])) for k in chosen]
    if not named:
        rows = [(int(row) - 1, value) for row, value in rows]
    return Table(["id" if named else "instance", measure], rows)


def rank_worst(
    values: FloatArray, greater_is_better: bool, ids: Sequence[Label], members: IntArray, number: int
) -> list[int]:
    """The places of the worst instances, the worst first; ``members``: the bucket of each."""
    badness = values if greater_is_better else -values
    rows = np.flatnonzero(~np.isnan(values))
    if rows.size > number:
        limit = np.partition(badness[rows], number - 1)[number - 1]
        below, tied = rows[badness[rows] < limit], rows[badness[rows] == limit]
        left = number - below.size
        rows = np.concatenate([below, tied[members[tied] <= np.partition(members[tied], left - 1)[left - 1]]])
    ranked = sorted(rows.tolist(), key=lambda k: (badness[k], members[k], str(ids[k])))
    return ranked[:number]
