"""Correlation of measures: how similarly they rank the systems, on the common instances."""

from __future__ import annotations

import math

import numpy as np

from hemlp.analysis.statistics.evaluation_verdicts import common_instance_notes, common_means
from hemlp.analysis.statistics.intervals import ScoreColumn, resample_means, resampling_units, shared_bootstrap
from hemlp.analysis.statistics.significance_tests import kendall_taus
from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption
from hemlp.options import plain_number
from hemlp.results.inputs import dropped_notes
from hemlp.results.results import Results
from hemlp.text.tables import Table, plural

RESAMPLES_AT_ONCE = 100
"""Resamples whose correlations are computed at once."""


def kendall_matrix(ev: Results) -> FloatArray:
    """Kendall's τ-b of all pairs of measures, on the mean scores of the systems; nan where it is undefined."""
    return kendall_taus(_orient(ev, np.array([common_means(ev, name) for name in ev.measures])))


def kendall(ev: Results, resamples: int = 0, seed: int = 0) -> Table:
    """Kendall's τ-b between measures, on the mean scores of the systems; with 95% intervals by resampling.

    Parameters
    ----------
    resamples
        How often instances are drawn anew for the intervals; 0 for no intervals.
    seed
        Of the random draws.
    """
    for option, number in (("resamples", resamples), ("seed", seed)):
        if plain_number(option, number, 0) != number or not isinstance(number, int | np.integer):
            raise InvalidOption(f"{option}={number!r} is not an integer of at least 0")
    taus = kendall_matrix(ev)
    intervals = _kendall_intervals(ev, int(resamples), int(seed)) if resamples else None
    rows = []
    for i, name in enumerate(ev.measures):
        cells = [name]
        for j in range(i + 1):
            cells.append("n/a" if math.isnan(taus[i, j]) else f"{taus[i, j]:.3f}")
            if intervals is not None and i != j and not math.isnan(taus[i, j]):
                cells[-1] += f" [{intervals[0, i, j]:.3f}, {intervals[1, i, j]:.3f}]"
        rows.append(cells + [""] * (len(ev.measures) - i - 1))
    few = min(len(ev.systems), len(ev.measures)) < 2
    lead = ["Kendall's τ compares how two measures rank two systems or more."] if few else []
    notes = [f"Kendall's τ-b over {plural(len(ev.systems), 'system')}"]
    if resamples:
        notes.append(
            f"in brackets 95% intervals, from {plural(resamples, 'resample')} of {resampling_units(ev).description}"
        )
    notes += [note for name in ev.measures for note in common_instance_notes(ev, name)]
    return Table(["", *ev.measures], rows, [*notes, *dropped_notes(ev.facts)], lead=lead)


def _kendall_intervals(ev: Results, resamples: int, seed: int) -> FloatArray:
    """The 2.5% and 97.5% quantiles of τ-b over resamples that all measures and systems share."""
    bootstrap = shared_bootstrap(ev, resamples, seed)
    unlike = {name: bool(common_instance_notes(ev, name)) for name in ev.measures}
    columns = [ScoreColumn(name, system, common=unlike[name]) for name in ev.measures for system in ev.systems]
    means = np.stack(resample_means(ev, bootstrap, columns), axis=1).reshape(resamples, len(ev.measures), -1)
    chunks = [
        kendall_taus(_orient(ev, means[k : k + RESAMPLES_AT_ONCE])) for k in range(0, resamples, RESAMPLES_AT_ONCE)
    ]
    taus = np.concatenate(chunks)
    taus[np.isnan(taus)] = 0  # a resample in which all systems are equal says nothing either way
    ends: FloatArray = np.quantile(taus, [0.025, 0.975], axis=0, method="inverted_cdf")
    return ends


def _orient(ev: Results, means: FloatArray) -> FloatArray:
    """Change signs of means ((resamples ×) measures × systems) so that greater is better."""
    signs: FloatArray = np.array([[1.0] if better else [-1.0] for better in ev.greater_is_better.values()])
    return means * signs
