"""Measures of the k classes with the greatest scores: ``F_H@5``, ``P@5``, and the hierarchical distance ``distance@5``.

``MEASURE@k`` is the measure of the set of the k greatest scores (ties by label), or of all where there are fewer.
``distance@k`` is the mean, over those k classes, of the height of the lowest common ancestor with a true class, the
nearest one where there are several (Bertinetto et al. 2020): the height of a class is its longest way down to a leaf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hemlp.analysis.scored.aligned_scores import AlignedScores
from hemlp.analysis.statistics.resampling import RESAMPLES, Bootstrap, Units
from hemlp.arrays import FloatArray
from hemlp.errors import UnknownMeasure
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Side, UnknownPolicy
from hemlp.instances.label_sets import RowKind
from hemlp.measures.base import Measure
from hemlp.measures.derived import RankedMeasure
from hemlp.measures.factory import measure
from hemlp.measures.instance_scores import mean
from hemlp.measures.scoring import UndefinedPolicy, score_together
from hemlp.options import check_known
from hemlp.solvers.registry import Solver
from hemlp.text.display import HtmlDisplay
from hemlp.text.tables import Interval, Table, as_frame, format_number, plural


@dataclass(frozen=True, eq=False, repr=False)
class Ranked(HtmlDisplay):
    """Values of ranked measures, one array each with one value per instance; nan where a measure is undefined.

    ``ids``: the names of the instances, if they have any.

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
    ids: tuple[Label, ...] | None = None

    @property
    def measures(self) -> list[str]:
        """Names of the measures, as given."""
        return list(self.values)

    def per_instance(self, measure: str) -> FloatArray:
        """One value per instance.

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
        units = Units(len(columns[0]), self.ids)
        intervals = [Interval.of(drawn) for drawn in Bootstrap(units).means(columns).T]
        rows = [
            [
                name,
                "↑" if better else "↓",
                format_number(self.mean(name)),
                f"{format_number(low)} to {format_number(high)}",
            ]
            for (name, better), (low, high) in zip(self.greater_is_better.items(), intervals, strict=True)
        ]
        notes = [
            f"{plural(units.size, 'instance')}; intervals from {RESAMPLES:,} resamples of {units.description}",
            *self.notes,
        ]
        return Table(["measure", "", "mean", "95% interval"], rows, notes)

    def to_frame(self, library: str = "pandas") -> Any:
        """One row per instance, one column per measure, and their ids if they have any.

        Parameters
        ----------
        library
            "pandas" or "polars".
        """
        names = {} if self.ids is None else {"id": list(self.ids)}
        return as_frame({**names, **{name: values.tolist() for name, values in self.values.items()}}, library)

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return f"Ranked({', '.join(f'{name} {self.mean(name):.4f}' for name in self.measures)})"


def ranked(
    hierarchy: Hierarchy,
    true: Any,
    scores: Any,
    measures: str | Measure | Sequence[str | Measure],
    *,
    unknown: UnknownPolicy = "error",
    unknown_true: UnknownPolicy | None = None,
    rows: RowKind | None = None,
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
        MEASURE@k, for any measure of sets: "F_H@5", "F_H(top=True)@3", "distance@5".
    unknown, unknown_true, rows, undefined, solver, time_limit
        As of ``hemlp.evaluate``. The distance is undefined, and counted, where an instance has no true class or no
        scores.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> ranked(h, ["sheep"], [{"sheep": 0.3, "cow": 0.9}], ["F_H@1", "F_H@2"])
    Ranked(F_H@1 0.5000, F_H@2 0.8000)
    """
    asked = [measures] if isinstance(measures, str | Measure) else list(measures)
    resolved = {each if isinstance(each, str) else measure(each).display_name: _resolve_ranked(each) for each in asked}
    data = AlignedScores.of(hierarchy, true, scores, unknown, unknown_true, rows)
    ranking = Side(data.ptr, data.classes)
    batch = replace(data.batch, pred=replace(data.batch.pred, ranking=ranking, uncut=True))
    options: Any = {"solver": solver, "time_limit": time_limit}
    values: dict[str, FloatArray] = {}
    policies: tuple[tuple[bool, UndefinedPolicy], ...] = (True, "nan"), (False, undefined)
    for distances, policy in policies:
        here = {name: each for name, each in resolved.items() if _is_distance(each) == distances}
        scored = score_together(list(here.values()), batch, undefined=policy, **options) if here else []
        values |= {name: of.values for name, of in zip(here, scored, strict=True)}
    notes = list(data.notes)
    for name in resolved:
        if lacking := int(np.isnan(values[name]).sum()):
            which = "which is" if lacking == 1 else "which are"
            notes.append(f"{name}: undefined on {plural(lacking, 'instance')}, {which} left out")
    better = {name: each.greater_is_better for name, each in resolved.items()}
    return Ranked({name: values[name] for name in resolved}, better, tuple(notes), data.batch.ids)


def _is_distance(each: RankedMeasure) -> bool:
    """Whether it is a distance, which an empty side leaves undefined."""
    return getattr(each.measure, "defined", None) == "nonempty"


def _resolve_ranked(what: str | Measure) -> RankedMeasure:
    """Parse MEASURE@k."""
    resolved = measure(what)
    if not isinstance(resolved, RankedMeasure):
        raise UnknownMeasure(f"{what!r} is not MEASURE@k with an integer k of at least 1, as F_H@5 is")
    return resolved
