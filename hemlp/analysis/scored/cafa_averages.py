"""CAFA's averages at every threshold, and their best values in bootstrap resamples of the instances.

All averages come from sums over instances, which a resample weights by its counts. As the threshold falls, a sum
changes only by the instances whose prediction changes, so the sums of all resamples at a threshold are
those at the one before, plus the changes of these instances times the counts of the draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.scored.aligned_scores import AlignedScores
from hemlp.analysis.scored.threshold_steps import ThresholdSteps
from hemlp.analysis.statistics.resampling import Bootstrap, Units, fixed_point
from hemlp.arrays import FloatArray, IntArray, record
from hemlp.errors import InvalidOption
from hemlp.instances.label_sets import LabelSets
from hemlp.instances.scored_sets import ScoredSets
from hemlp.kernels.records import Rows
from hemlp.text.tables import plural

Norm = Literal["cafa", "pred", "gt"]
NORMS = get_args(Norm)
MAX_COUNTS = 2**25
"""Counts of draws that are held at once."""
WIDTH = 64
"""Resamples that a kernel takes at once."""


@record
class CafaTerms:
    """The terms of CAFA's sums over instances: ``columns`` has a row for each threshold step.

    Columns: precision, recall, whether a class that weighs is predicted, weights of what is common, wrong and missed,
    and whether any class is predicted. ``units``: what resamples draw.
    """

    steps: ThresholdSteps
    columns: FloatArray
    norm: Norm
    units: Units

    @classmethod
    def of(cls, steps: ThresholdSteps, sums: FloatArray, counts: FloatArray, norm: Norm, units: Units) -> CafaTerms:
        """The terms from the weights (predicted, true, common) of each step, and its number of predicted classes."""
        predicted, true, common = sums.T
        columns = (
            _ratio(common, predicted), _ratio(common, true), predicted > 0, common,
            np.maximum(predicted - common, 0.0), np.maximum(true - common, 0.0), counts > 0,
        )  # fmt: skip
        return cls(steps, np.stack(columns, axis=1).astype(np.float64), norm, units)

    def averages(self) -> tuple[dict[str, NDArray[Any]], NDArray[np.bool_]]:
        """Each average at each threshold from the greatest down, and where anything is predicted at all."""
        sums = self.steps.sums(*self.columns.T)
        averages = _averages(sums.T, self.units.size, self.norm)
        return {**averages, "covered": sums[:, 2].astype(np.int64)}, sums[:, 6] > 0

    def resample_best(self, bootstrap: Bootstrap) -> dict[str, FloatArray]:
        """The greatest F, the least S and the greatest F of micro averages of each resample; nan without any."""
        together = max(1, MAX_COUNTS // self.units.number)
        starts = range(0, bootstrap.resamples, together)
        best = [self._best_of(bootstrap, slice(start, min(start + together, bootstrap.resamples))) for start in starts]
        found = np.concatenate(best, axis=1)
        found[np.isinf(found)] = math.nan
        return dict(zip(("fmax", "smin", "fmax_micro"), found, strict=True))

    def _best_of(self, bootstrap: Bootstrap, chosen: slice) -> FloatArray:
        """Those of some resamples.

        Sums are of integers, and exact: they depend on no order, and what was added and taken away again leaves nothing
        behind.
        """
        from hemlp.kernels.ranking.sweep import best_of_resamples

        number = chosen.stop - chosen.start
        times = np.zeros((self.units.number, number + -number % WIDTH), np.uint8)  # of each unit in each resample
        for resamples, drawn_from, counts in bootstrap.counts():  # made again for each group, where there are several
            low, high = max(resamples.start, chosen.start), min(resamples.stop, chosen.stop)
            if low < high:
                part = counts[low - resamples.start : high - resamples.start]
                times[drawn_from, low - chosen.start : high - chosen.start] = part.T
        drawn = (self.units.sizes @ times)[:number]
        begin, order, first = self.steps.timeline
        whole, bits, exponents = fixed_point(self.columns.T, int(drawn.max()))
        later = np.flatnonzero(~first)
        changes = whole.copy()
        changes[..., later] -= whole[..., later - 1]
        units = np.asarray(self.units.members[self.steps.rows[order]], np.int64)
        # high parts first, then low ones: what is added is exact, and rounded once
        parts, columns = np.array(np.nonzero(whole.any(axis=2)))
        changes = np.ascontiguousarray(changes[parts, columns].T[order])
        scales = np.ldexp(1.0, [exponents, exponents - bits])[parts, columns]
        return best_of_resamples(begin, units, changes, columns, scales, times, drawn, NORMS.index(self.norm))


def _averages(sums: FloatArray, size: int | FloatArray, norm: Norm) -> dict[str, FloatArray]:
    """CAFA's averages from the sums of all columns."""
    precision, recall, covered, hit, wrong, missed, _ = sums
    everybody = np.broadcast_to(np.asarray(size, np.float64), covered.shape)
    by_precision = everybody if norm == "gt" else covered
    by_others = np.where(covered > 0, covered, math.nan) if norm == "pred" else everybody
    p, r, mi, ru = _ratio(precision, by_precision), recall / by_others, wrong / by_others, missed / by_others
    p_micro, r_micro = _ratio(hit, hit + wrong), _ratio(hit, hit + missed)
    return {
        "precision": p, "recall": r, "f": _harmonic(p, r), "mi": mi, "ru": ru, "s": np.hypot(ru, mi),
        "coverage": covered / size, "precision_micro": p_micro, "recall_micro": r_micro,
        "f_micro": _harmonic(p_micro, r_micro),
    }  # fmt: skip


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """part / whole, 0 where the whole is 0."""
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.0)


def _harmonic(p: FloatArray, r: FloatArray) -> FloatArray:
    return np.where(np.isnan(p + r), math.nan, _ratio(2 * p * r, p + r))


def as_exclusion(exclude: Any) -> list[Any] | LabelSets | None:
    """A list of classes as given; classes per instance as label sets."""
    if exclude is None or isinstance(exclude, LabelSets):
        return exclude
    if isinstance(exclude, Iterable) and not isinstance(exclude, str | bytes | Mapping):
        listed = list(exclude)
        if all(isinstance(each, str | int | np.integer) for each in listed):
            return listed
        exclude = listed
    return LabelSets.of(exclude, rows="sets", source="exclude")


def resolve_exclusion(
    data: AlignedScores, exclude: list[Any] | LabelSets | None
) -> tuple[IntArray, tuple[IntArray, IntArray] | None]:
    """The classes that never count, and those of each instance, with their ancestors."""
    from hemlp.kernels.ranking.sweep import reached

    if not isinstance(exclude, LabelSets):
        return np.array([data.hierarchy.id(label) for label in exclude or ()], np.int64), None
    rows = np.repeat(np.arange(len(exclude)), np.diff(exclude.ptr))
    s = ScoredSets.from_entries(exclude.vocabulary, rows, exclude.codes, np.zeros(rows.size), len(exclude), exclude.ids,
                            exclude.source, exclude.lines, "max")  # fmt: skip
    ids = data.batch.ids
    if (s.ids is None) != (ids is None) or (ids is None and len(s) != len(data)):
        raise InvalidOption(
            f"what is excluded has {plural(len(s), 'instance')}, the gold has {len(data):,}: give both ids"
        )
    known, _ = (s if ids is None else s.take(ids)).look_up(data.hierarchy)
    ptr, nodes, _ = reached(Rows(data.hierarchy.parent_ptr, data.hierarchy.parent_idx), Rows(known.ptr, known.codes))
    return np.empty(0, np.int64), (ptr, nodes)
