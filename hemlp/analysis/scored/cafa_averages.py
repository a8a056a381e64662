"""CAFA's averages at every threshold, and their best values in bootstrap resamples of the instances.

All averages come from sums over instances, which a resample weights by its counts. As the threshold falls, a sum
changes only by the instances whose prediction changes, so the sums of all resamples at a threshold are
those at the one before, plus the changes of these instances times the counts of the draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.scored.threshold_steps import ThresholdSteps
from hemlp.analysis.statistics.resampling import Bootstrap, Units, fixed_point
from hemlp.arrays import FloatArray

Norm = Literal["cafa", "pred", "gt"]
MAX_COUNTS, MAX_SUMS = 2**25, 2**18
"""Counts of draws, and sums over instances, that are held at once."""


@dataclass(frozen=True, eq=False)
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
        chunks = [self._best_over_thresholds(counts) for counts in self._iter_counts(bootstrap)]
        return {name: np.concatenate([each[name] for each in chunks]) for name in ("fmax", "smin", "fmax_micro")}

    def _iter_counts(self, bootstrap: Bootstrap) -> Iterator[FloatArray]:
        """How often each unit is in each of some resamples: units × resamples."""
        together = max(1, MAX_COUNTS // self.units.number)
        for start in range(0, bootstrap.resamples, together):
            chosen = slice(start, min(start + together, bootstrap.resamples))
            matrix = np.zeros((self.units.number, chosen.stop - chosen.start))
            for resamples, units, counts in bootstrap.counts():  # made again for each group, where there are several
                low, high = max(resamples.start, chosen.start), min(resamples.stop, chosen.stop)
                if low < high:
                    part = counts[low - resamples.start : high - resamples.start]
                    matrix[units, low - chosen.start : high - chosen.start] = part.T
            yield matrix

    def _best_over_thresholds(self, counts: FloatArray) -> dict[str, FloatArray]:
        drawn = self.units.sizes @ counts
        best = {name: np.full(drawn.size, -math.inf) for name in ("fmax", "smin", "fmax_micro")}
        for sums in self._iter_sums(counts, int(drawn.max())):
            averages, some = _averages(sums, drawn, self.norm), sums[6] > 0
            for name, values in (
                ("fmax", averages["f"]),
                ("smin", -averages["s"]),
                ("fmax_micro", averages["f_micro"]),
            ):
                np.fmax(best[name], np.fmax.reduce(np.where(some, values, -math.inf)), out=best[name])
        known = {name: np.where(np.isinf(values), math.nan, values) for name, values in best.items()}
        return {**known, "smin": -known["smin"]}

    def _iter_sums(self, counts: FloatArray, most: int) -> Iterator[FloatArray]:
        """The sums of resamples for one block of thresholds after the other: columns × thresholds × resamples.

        ``most``: instances in a resample. Sums are of integers, and exact: they depend on no order, and what was added
        and taken away again leaves nothing behind.
        """
        from hemlp.kernels.ranking.sweep import running_resamples

        begin, order, first = self.steps.timeline
        whole, bits, exponents = fixed_point(self.columns.T, most)
        later = np.flatnonzero(~first)
        changes = whole.copy()
        changes[..., later] -= whole[..., later - 1]
        units = np.asarray(self.units.members[self.steps.rows[order]], np.int64)
        # high parts first, then low ones: what is added is exact, and rounded once
        parts, columns = np.array(np.nonzero(whole.any(axis=2)))
        changes = np.ascontiguousarray(changes[parts, columns].T[order])
        scales = np.ldexp(1.0, [exponents, exponents - bits])[parts, columns]
        carried = np.zeros((len(columns), counts.shape[1]))
        together = max(1, MAX_SUMS // counts.shape[1] // len(exponents))
        for start in range(0, len(begin) - 1, together):
            ends = begin[start : start + together + 1]
            sums = np.zeros((len(exponents), len(ends) - 1, counts.shape[1]))
            running_resamples(ends, units, changes, counts, carried, columns, scales, sums)
            yield sums


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
