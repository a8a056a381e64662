"""Calibration of scores as probabilities: reliability by level and bin, and the expected calibration error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hemlp.analysis.scored.aligned_scores import AlignedScores
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption, InvalidScores
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import UnknownPolicy
from hemlp.instances.label_sets import RowKind
from hemlp.kernels.records import Rows
from hemlp.text.tables import Table, as_frame, plural

ROUNDING = 1e-9
"""So far a probability may be from 0 to 1: some programs add them up to a little more than 1."""


@dataclass(frozen=True, eq=False, repr=False)
class Reliability:
    """Reliability of scores as probabilities: the share of true classes by level and by bins of scores.

    ``rows``: (level, from, to, scores, mean score, share that is true); empty bins are left out.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> r = reliability(h, ["sheep", "cow"], [{"sheep": 0.75, "cow": 0.25}, {"sheep": 0.75}], bins=2)
    >>> r.rows
    ((1, 0.0, 0.5, 1, 0.25, 0.0), (1, 0.5, 1.0, 2, 0.75, 0.5))
    >>> r.error(1)
    0.25
    """

    rows: tuple[tuple[int, float, float, int, float, float], ...]
    notes: tuple[str, ...]

    @property
    def levels(self) -> list[int]:
        """The levels that have scores."""
        return sorted({row[0] for row in self.rows})

    def error(self, level: int | None = None) -> float:
        """The expected calibration error, Σ n·|mean score − share true| / Σ n, of one level or of all bins.

        Parameters
        ----------
        level
            A depth; None for all.
        """
        chosen = [row for row in self.rows if level is None or row[0] == level]
        if not chosen:
            raise InvalidOption(f"there are no scores at level {level}; there are levels {self.levels}")
        return math.fsum(n * abs(score - share) for *_, n, score, share in chosen) / sum(row[3] for row in chosen)

    def table(self) -> Table:
        """All bins of all levels, and the error of each level."""
        rows = [
            [str(level), f"{low:g} to {high:g}", f"{n:,}", f"{score:.4f}", f"{share:.4f}"]
            for level, low, high, n, score, share in self.rows
        ]
        errors = ", ".join(f"{level}: {self.error(level):.4f}" for level in self.levels)
        notes = ["true: the class is true, or a descendant of it is", f"expected calibration error by level {errors}"]
        return Table(["level", "scores", "number", "mean score", "share true"], rows, [*notes, *self.notes])

    def to_frame(self, library: str = "pandas") -> Any:
        """One row per level and bin.

        Parameters
        ----------
        library
            "pandas" or "polars".
        """
        names = ("level", "from", "to", "scores", "mean_score", "share_true")
        return as_frame({name: [row[k] for row in self.rows] for k, name in enumerate(names)}, library)

    def __repr__(self) -> str:
        return f"Reliability({plural(len(self.levels), 'level')}, expected calibration error {self.error():.4f})"


def reliability(
    hierarchy: Hierarchy,
    true: Any,
    scores: Any,
    *,
    bins: int = 10,
    unknown: UnknownPolicy = "error",
    unknown_true: UnknownPolicy | None = None,
    rows: RowKind | None = None,
) -> Reliability:
    """The share of true classes by level and bin of scores; scores are probabilities, between 0 and 1.

    Parameters
    ----------
    hierarchy, true, scores
        As of ``hemlp.curve``.
    bins
        Into how many parts of equal width the scores are put; a score on a border belongs to the upper part.
    unknown, unknown_true, rows
        As of ``hemlp.evaluate``.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> reliability(h, ["sheep", "cow"], [{"sheep": 0.5}, {"sheep": 0.5}])
    Reliability(1 level, expected calibration error 0.0000)
    """
    from hemlp.kernels.ranking.sweep import reached

    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 1:
        raise InvalidOption(f"bins={bins!r} is not an integer of at least 1")
    data = AlignedScores.of(hierarchy, true, scores, unknown, unknown_true, rows)
    h = data.hierarchy
    if not data.values.size:
        raise InvalidScores("no instance of the gold has a score")
    if data.values.min() < -ROUNDING or data.values.max() > 1 + ROUNDING:
        raise InvalidScores(
            f"scores go from {data.values.min():g} to {data.values.max():g}: as probabilities they are between 0 and 1"
        )
    ptr, nodes, _ = reached(Rows(h.parent_ptr, h.parent_idx), data.true)
    closures = np.sort(np.repeat(np.arange(len(data)), np.diff(ptr)) * len(h) + nodes)
    hits = np.isin(data.rows * len(h) + data.classes, closures)
    edges = np.linspace(0, 1, bins + 1)
    part = np.clip(np.searchsorted(edges, data.values, side="right") - 1, 0, bins - 1)
    key = h.unit_depths[data.classes].astype(np.int64) * bins + part
    return Reliability(tuple(_bin_rows(key, data.values, hits, edges)), tuple(data.notes))


def _bin_rows(
    key: IntArray, values: FloatArray, hits: IntArray, edges: FloatArray
) -> list[tuple[int, float, float, int, float, float]]:
    count, score, share = np.bincount(key), np.bincount(key, values), np.bincount(key, hits)
    rows = []
    for k in np.flatnonzero(count).tolist():
        level, part = divmod(k, len(edges) - 1)
        n = int(count[k])
        rows.append((level, float(edges[part]), float(edges[part + 1]), n, float(score[k] / n), float(share[k] / n)))
    return rows
