"""Measures of the k classes with the greatest scores: ``F_H@5``, ``P@5``, and the hierarchical distance ``distance@5``.

``MEASURE@k`` is the measure of the set of the k greatest scores (ties by label), or of all where there are fewer.
``distance@k`` is the mean, over those k classes, of the height of the lowest common ancestor with a true class, the
nearest one where there are several (Bertinetto et al. 2020): the height of a class is its longest way down to a leaf.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray, row_pointers, row_sums
from hemlp.errors import UnknownMeasure
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Side, UnknownPolicy
from hemlp.kernels.records import Rows
from hemlp.measures.base import Measure
from hemlp.measures.registry import measure
from hemlp.measures.scores import mean
from hemlp.measures.scoring import UndefinedPolicy, score_together
from hemlp.options import check_known
from hemlp.programs.registry import Solver
from hemlp.scores.aligned import Aligned
from hemlp.scores.best import as_frame
from hemlp.statistics.resampling import Draw, Interval
from hemlp.text.shown import Shown
from hemlp.text.tables import Table, figure

DISTANCE = "distance"
_AT = re.compile(r"(.+?)\s*@\s*(\d+)")


@dataclass(frozen=True, eq=False, repr=False)
class Ranked(Shown):
    """Values of ranked measures, one array each with one value an instance; nan where a measure is undefined.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
    >>> r = ranked(h, ["sheep", "cow"], [{"sheep": 0.9, "cow": 0.4}, {"sheep": 0.8, "cow": 0.3}], ["P@1", "distance@2"])
    >>> r.mean("P@1"), r.mean("distance@2"), r.per_instance("distance@2").tolist()
    (0.5, 0.5, [0.5, 0.5])
    """

    values: Mapping[str, FloatArray]
    greater_is_better: Mapping[str, bool]
    notes: tuple[str, ...]

    @property
    def measures(self) -> list[str]:
        """Names of the measures, as they were asked for."""
        return list(self.values)

    def per_instance(self, measure: str) -> FloatArray:
        """One value an instance.

        Parameters
        ----------
        measure
            As it was called.
        """
        check_known("measure", measure, self.measures)
        return self.values[measure]

    def mean(self, measure: str) -> float:
        """The average over the instances on which the measure is defined.

        Parameters
        ----------
        measure
            As it was called.
        """
        return mean(self.per_instance(measure))

    def table(self) -> Table:
        """Means with their 95% bootstrap intervals."""
        columns = list(self.values.values())
        found = [Interval.of(drawn) for drawn in Draw(len(columns[0])).means(columns).T]
        rows = [
            [name, "↑" if better else "↓", figure(self.mean(name)), f"{figure(low)} to {figure(high)}"]
            for (name, better), (low, high) in zip(self.greater_is_better.items(), found, strict=True)
        ]
        return Table(["measure", "", "mean", "95% interval"], rows, [f"{len(columns[0]):,} instances", *self.notes])

    def to_frame(self, library: str = "pandas") -> Any:
        """One row an instance, one column a measure.

        Parameters
        ----------
        library
            "pandas" or "polars".
        """
        return as_frame({name: values.tolist() for name, values in self.values.items()}, library)

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return f"Ranked({', '.join(f'{name} {self.mean(name):.4f}' for name in self.measures)})"


def ranked(
    hierarchy: Hierarchy,
    true: Any,
    scores: Any,
    measures: str | Sequence[str],
    *,
    unknown: UnknownPolicy = "error",
    unknown_true: UnknownPolicy | None = None,
    undefined: UndefinedPolicy = "error",
    solver: str | Solver | None = None,
    time_limit: float | None = None,
) -> Ranked:
    """Measures of the classes with the greatest scores.

    Parameters
    ----------
    hierarchy, true, scores
        As of ``hemlp.curve``.
    measures
        Texts MEASURE@k, for any measure of sets: "F_H@5", "F_H(top=True)@3"; and "distance@5".
    unknown, unknown_true, undefined, solver, time_limit
        As of ``hemlp.evaluate``. The distance is undefined, and counted, where an instance has no true class or no
        scores.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> ranked(h, ["sheep"], [{"sheep": 0.3, "cow": 0.9}], ["F_H@1", "F_H@2"])
    Ranked(F_H@1 0.5000, F_H@2 0.8000)
    """
    asked = [measures] if isinstance(measures, str) else list(measures)
    parsed = {name: _parsed(name) for name in asked}
    data = Aligned.of(hierarchy, true, scores, unknown, unknown_true)
    values: dict[str, FloatArray] = {}
    notes = list(data.notes)
    for k in dict.fromkeys(k for _, k in parsed.values()):
        cut = first_classes(data, k)
        here = {name: each for name, (each, at) in parsed.items() if at == k and each is not None}
        batch = replace(data.batch, pred=_as_side(cut))
        found = score_together(list(here.values()), batch, solver=solver, time_limit=time_limit, undefined=undefined)
        values |= {name: of.values for name, of in zip(here, found, strict=True)}
        values |= {name: _distances(cut) for name, (each, at) in parsed.items() if at == k and each is None}
    for name in asked:
        if lacking := int(np.isnan(values[name]).sum()):
            notes.append(f"{name}: undefined on {lacking:,} instances, which are left out")
    better = {name: each is not None and each.greater_is_better for name, (each, _) in parsed.items()}
    return Ranked({name: values[name] for name in asked}, better, tuple(notes))


def _parsed(text: str) -> tuple[Measure | None, int]:
    """The measure (None for the distance) and k of MEASURE@k."""
    found = _AT.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None or int(found[2]) < 1:
        raise UnknownMeasure(f"{text!r} is not MEASURE@k with an integer k of at least 1, as F_H@5 is")
    return None if found[1] == DISTANCE else measure(found[1]), int(found[2])


def first_classes(data: Aligned, k: int) -> Aligned:
    """The k greatest scores of each instance."""
    rows = data.rows
    kept = np.arange(rows.size) - data.ptr[:-1][rows] < k
    return replace(data, ptr=row_pointers(rows[kept], len(data)), classes=data.classes[kept], values=data.values[kept])


def _as_side(data: Aligned) -> Side:
    keys = np.sort(data.rows * len(data.hierarchy) + data.classes)
    return Side(data.ptr, (keys % max(1, len(data.hierarchy))).astype(np.int32))


def _distances(data: Aligned) -> FloatArray:
    """The mean height of the lowest ancestor of each class that a true class has, too; nan where there is no pair."""
    from hemlp.kernels.sweep import reached

    h = data.hierarchy
    arrows = Rows(h.parent_ptr, h.parent_idx)
    ptr, nodes, _ = reached(arrows, data.true)
    true = np.sort(np.repeat(np.arange(len(data)), np.diff(ptr)) * len(h) + nodes)
    each = Rows(np.arange(data.classes.size + 1, dtype=np.int64), data.classes)  # every class on its own
    ptr, nodes, at = reached(arrows, each)
    keys = data.rows[at] * len(h) + nodes
    place = np.minimum(np.searchsorted(true, keys), max(0, true.size - 1))
    shared = true[place] == keys if true.size else np.zeros(keys.size, np.bool_)
    least = np.full(data.classes.size, math.inf)
    np.minimum.at(least, at[shared], heights(h)[nodes[shared]])
    counts = np.diff(data.ptr)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = row_sums(least, data.ptr) / counts
    return np.where((counts > 0) & (np.diff(data.batch.true.ptr) > 0), found, math.nan)


def heights(h: Hierarchy) -> IntArray:
    """The longest way of each class down to a leaf, in edges."""
    found = np.zeros(len(h), np.int64)
    for c in h.order[::-1].tolist():  # children come before their parents
        below = h.child_idx[h.child_ptr[c] : h.child_ptr[c + 1]]
        if below.size:
            found[c] = found[below].max() + 1
    return found
