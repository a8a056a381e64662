"""CAFA's averages at every threshold: of the data, and the best of them in resamples of its instances.

All are made of sums over instances, of which a resample has each as often as it was drawn. As the threshold falls, a
sum changes by what the instances with another prediction add to it, so the sums of all resamples at a threshold are
those at the one before, plus one row of a sparse matrix (thresholds × instances) times the counts of the draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray
from hemlp.scores.steps import Steps
from hemlp.statistics.resampling import Draw

Norm = Literal["cafa", "pred", "gt"]
MOST_COUNTS, MOST_SUMS = 2**25, 2**21
"""Counts of draws, and sums over instances, that are held at once."""


@dataclass(frozen=True, eq=False)
class Parts:
    """What is added up over instances: ``columns`` has a row for each step of theirs.

    They are precision, recall, whether a class that weighs is predicted, weights of what is common, wrong and missed,
    and whether any class is predicted.
    """

    steps: Steps
    columns: FloatArray
    norm: Norm

    @classmethod
    def of(cls, steps: Steps, sums: FloatArray, counts: FloatArray, norm: Norm) -> Parts:
        """From the weights (predicted, true, common) of each step, and how many classes it predicts."""
        predicted, true, common = sums.T
        columns = (
            _ratio(common, predicted), _ratio(common, true), predicted > 0, common,
            np.maximum(predicted - common, 0.0), np.maximum(true - common, 0.0), counts > 0,
        )  # fmt: skip
        return cls(steps, np.stack(columns, axis=1).astype(np.float64), norm)

    @property
    def size(self) -> int:
        """How many instances there are."""
        return len(self.steps.ptr) - 1

    def averages(self) -> tuple[dict[str, NDArray[Any]], NDArray[np.bool_]]:
        """Each average at each threshold from the greatest down, and where anything is predicted at all."""
        sums = self.steps.sums(*self.columns.T)
        found = _averages(sums.T, self.size, self.norm)
        return {**found, "covered": sums[:, 2].astype(np.int64)}, sums[:, 6] > 0

    def best(self, draw: Draw) -> dict[str, FloatArray]:
        """The greatest F, the least S and the greatest F of micro averages of each resample; nan without any."""
        found = [self._best(counts) for counts in self._counts(draw)]
        return {name: np.concatenate([each[name] for each in found]) for name in ("fmax", "smin", "fmax_micro")}

    def _counts(self, draw: Draw) -> Iterator[FloatArray]:
        """How often each instance is in each of some resamples: instances × resamples."""
        together = max(1, MOST_COUNTS // self.size)
        for start in range(0, draw.resamples, together):
            chosen = slice(start, min(start + together, draw.resamples))
            found = np.zeros((self.size, chosen.stop - chosen.start))
            for resamples, instances, counts in draw.counts():  # made again for each group, where there are several
                low, high = max(resamples.start, chosen.start), min(resamples.stop, chosen.stop)
                if low < high:
                    part = counts[low - resamples.start : high - resamples.start]
                    found[instances, low - chosen.start : high - chosen.start] = part.T
            yield found

    def _best(self, counts: FloatArray) -> dict[str, FloatArray]:
        resamples = counts.shape[1]
        best = {name: np.full(resamples, -math.inf) for name in ("fmax", "smin", "fmax_micro")}
        for sums in self._sums(counts):
            found, some = _averages(sums, self.size, self.norm), sums[6] > 0
            for name, values in (("fmax", found["f"]), ("smin", -found["s"]), ("fmax_micro", found["f_micro"])):
                np.fmax(best[name], np.fmax.reduce(np.where(some, values, -math.inf)), out=best[name])
        known = {name: np.where(np.isinf(values), math.nan, values) for name, values in best.items()}
        return {**known, "smin": -known["smin"]}

    def _sums(self, counts: FloatArray) -> Iterator[FloatArray]:
        """The sums of resamples at some of the thresholds after the other: columns × thresholds × resamples."""
        from scipy.sparse import csr_array

        begin, order, first = self.steps.timeline
        changes = self.columns.copy()
        later = np.flatnonzero(~first)
        changes[later] -= self.columns[later - 1]
        changes, rows = changes[order], self.steps.rows[order]
        carried = np.zeros((changes.shape[1], 1, counts.shape[1]))
        together = max(1, MOST_SUMS // counts.shape[1] // changes.shape[1])
        for start in range(0, len(begin) - 1, together):
            ends = begin[start : start + together + 1]
            part, shape = slice(ends[0], ends[-1]), (len(ends) - 1, self.size)
            added = [csr_array((column[part], rows[part], ends - ends[0]), shape) @ counts for column in changes.T]
            sums = np.stack(added).cumsum(axis=1) + carried
            carried = sums[:, -1:]
            yield sums


def _averages(sums: FloatArray, size: int, norm: Norm) -> dict[str, FloatArray]:
    """From sums of all columns, whatever they are the sums of."""
    precision, recall, covered, hit, wrong, missed, _ = sums
    everybody = np.full(covered.shape, float(size))
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
    """part / whole, 0 where there is nothing."""
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.0)


def _harmonic(p: FloatArray, r: FloatArray) -> FloatArray:
    return np.where(np.isnan(p + r), math.nan, _ratio(2 * p * r, p + r))
