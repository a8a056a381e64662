"""Average precision of each class, over closures, and of all together: the area under precision-recall curves.

Scores are propagated to ancestors by the maximum, true classes to theirs. AP = Σ (Rₖ − Rₖ₋₁)·Pₖ over the distinct
scores from the greatest down: the step rule, with ties together. A class without a score is never retrieved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hemlp.analysis.scored.aligned_scores import AlignedScores
from hemlp.arrays import FloatArray, IntArray
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import UnknownPolicy
from hemlp.instances.label_sets import RowKind
from hemlp.kernels.records import Rows
from hemlp.measures.instance_scores import mean
from hemlp.text.tables import Table, as_frame, format_number


@dataclass(frozen=True, eq=False, repr=False)
class AveragePrecision:
    """The average precision of each class that is true somewhere (``support``: in how many instances).

    ``micro``: of all (instance, class) pairs together, AU(PRC) of Vens et al. 2008.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> a = average_precision(h, ["sheep", "cow"], [{"sheep": 0.9}, {"sheep": 0.8, "cow": 0.3}])
    >>> a["sheep"], a["cow"], a.mean
    (1.0, 1.0, 1.0)
    """

    hierarchy: Hierarchy
    values: FloatArray
    support: IntArray
    micro: float
    notes: tuple[str, ...]

    def __getitem__(self, label: Label) -> float:
        return float(self.values[self.hierarchy.id(label)])

    @property
    def mean(self) -> float:
        """The mean over classes with support."""
        return mean(self.values)

    @property
    def rows(self) -> list[tuple[Label, int, float]]:
        """(class, support, average precision) of each class with support, the best supported first."""
        order = np.lexsort((np.arange(len(self.support)), -self.support))
        chosen = [int(c) for c in order if self.support[c]]
        return [(self.hierarchy.labels[c], int(self.support[c]), float(self.values[c])) for c in chosen]

    def table(self, most: int = 20) -> Table:
        """The classes with most support.

        Parameters
        ----------
        most
            How many.
        """
        rows = [[str(label), f"{support:,}", format_number(value)] for label, support, value in self.rows[:most]]
        notes = [f"mean over {len(self.rows):,} classes with support {format_number(self.mean)}, of all pairs together "
                 f"{format_number(self.micro)}", *self.notes]  # fmt: skip
        return Table(["class", "support", "AP"], rows, notes)

    def to_frame(self, library: str = "pandas") -> Any:
        """One row per class with support.

        Parameters
        ----------
        library
            "pandas" or "polars".
        """
        columns = zip(("class", "support", "AP"), map(list, zip(*self.rows, strict=True)), strict=True)
        return as_frame(dict(columns), library)

    def __repr__(self) -> str:
        return f"AveragePrecision(mean {self.mean:.4f} over {len(self.rows):,} classes, micro {self.micro:.4f})"


def average_precision(
    hierarchy: Hierarchy,
    true: Any,
    scores: Any,
    *,
    unknown: UnknownPolicy = "error",
    unknown_true: UnknownPolicy | None = None,
    rows: RowKind | None = None,
) -> AveragePrecision:
    """The average precision of each class over closures, its mean, and that of all pairs together.

    Parameters
    ----------
    hierarchy, true, scores
        As of ``hemlp.curve``.
    unknown, unknown_true, rows
        As of ``hemlp.evaluate``.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> average_precision(h, ["sheep", "cow"], [{"cow": 0.9}, {"cow": 0.8}])
    AveragePrecision(mean 0.5000 over 3 classes, micro 0.5000)
    """
    from hemlp.kernels.ranking.sweep import reached

    data = AlignedScores.of(hierarchy, true, scores, unknown, unknown_true, rows)
    h = data.hierarchy
    arrows = Rows(h.parent_ptr, h.parent_idx)
    ptr, nodes, _ = reached(arrows, data.true)
    true_keys = np.sort(np.repeat(np.arange(len(data)), np.diff(ptr)) * len(h) + nodes)
    support = np.bincount(nodes, minlength=len(h))
    ptr, nodes, first = reached(arrows, data.scored)
    keys = np.repeat(np.arange(len(data)), np.diff(ptr)) * len(h) + nodes
    place = np.minimum(np.searchsorted(true_keys, keys), max(0, true_keys.size - 1))
    hits = true_keys[place] == keys if true_keys.size else np.zeros(keys.size, np.bool_)
    values = _average_by_group(nodes, data.values[first], hits, support)
    micro = _average_by_group(np.zeros(nodes.size, np.int64), data.values[first], hits, np.array([true_keys.size]))
    return AveragePrecision(h, values, support, float(micro[0]), tuple(data.notes))


def _average_by_group(groups: IntArray, scores: FloatArray, hits: IntArray, support: IntArray) -> FloatArray:
    """The average precision of each group; nan without support."""
    order = np.lexsort((-scores, groups))
    groups, scores, hits = groups[order], scores[order], hits[order]
    begin = np.searchsorted(groups, np.arange(support.size))
    total_hits = np.concatenate([[0], np.cumsum(hits)])
    hit = total_hits[1:] - total_hits[begin[groups]]
    count = np.arange(1, groups.size + 1) - begin[groups]
    last = np.ones(groups.size, np.bool_)  # of those with the same score
    last[:-1] = (groups[1:] != groups[:-1]) | (scores[1:] != scores[:-1])
    at = np.flatnonzero(last)
    new = np.ones(at.size, np.bool_)
    new[1:] = groups[at[1:]] != groups[at[:-1]]
    gained = hit[at] - np.where(new, 0, np.concatenate([[0], hit[at][:-1]]))
    total = np.bincount(groups[at], gained * hit[at] / count[at], support.size)
    return np.where(support > 0, total / np.maximum(support, 1), math.nan)
