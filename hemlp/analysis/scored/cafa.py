"""CAFA's averages of scored predictions: Fmax, Smin and their curves.

On ancestor closures, at each threshold τ: P̄ is the mean precision over the instances with a prediction, R̄ the mean
recall over all, F = 2·P̄·R̄ / (P̄ + R̄); ru and mi are the mean weights of what was missed and of what was wrong,
S = √(ru² + mi²). With weights only classes that weigh more than 0 count. F and S of micro averages are from sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hemlp.analysis.scored.aligned_scores import AlignedScores
from hemlp.analysis.scored.cafa_averages import CafaTerms, Norm, as_exclusion, resolve_exclusion
from hemlp.analysis.scored.threshold_steps import ThresholdSteps, best_index, distinct_scores, step_area
from hemlp.analysis.statistics.resampling import Bootstrap, Units, bootstrap_note, check_confidence
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption, InvalidScores
from hemlp.escaping import json_number
from hemlp.hierarchy.class_weights import class_weights
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label, label_list
from hemlp.instances.batch import UnknownPolicy
from hemlp.instances.label_sets import RowKind
from hemlp.instances.thresholds import as_grid
from hemlp.measures.fingerprints import fingerprint
from hemlp.options import check_choice
from hemlp.problems.closure.model import ClosureModel
from hemlp.problems.closure.variants import PrefixModel
from hemlp.text.display import HtmlDisplay
from hemlp.text.tables import CONFIDENCE, Interval, Table, format_number, plural
from hemlp.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Criterion = Literal["fmax", "smin", "fmax_micro"]
CRITERIA: tuple[Criterion, ...] = ("fmax", "smin", "fmax_micro")
COLUMNS = (
    "precision", "recall", "f", "mi", "ru", "s", "coverage", "precision_micro", "recall_micro", "f_micro",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Cafa(HtmlDisplay):
    """CAFA's averages at each of the ``thresholds``, which ascend; one array each.

    ``covered``: how many instances have a prediction; ``mi`` and ``ru``: mean weights of what was wrong and of what was
    missed. ``exact``: whether the thresholds are all distinct scores, and not a grid. ``notes``: what was left out.
    ``signature``: to be cited with a value. ``parts``: what the averages are made of.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> q = cafa(h, {"first": ["sheep"], "second": ["cow"]}, {"first": {"sheep": 0.9, "cow": 0.2}})
    >>> q.thresholds.tolist(), q.recall.tolist(), q.coverage.tolist()
    ([0.2, 0.9], [0.5, 0.5], [0.5, 0.5])
    >>> q
    Cafa(Fmax 0.6667 at 0.9, Smin 1.0000 at 0.9, 2 instances: optimistic, chosen on the data that they are measured on)
    """

    thresholds: FloatArray
    precision: FloatArray
    recall: FloatArray
    f: FloatArray
    mi: FloatArray
    ru: FloatArray
    s: FloatArray
    coverage: FloatArray
    precision_micro: FloatArray
    recall_micro: FloatArray
    f_micro: FloatArray
    covered: IntArray
    instances: int
    norm: Norm
    weighted: bool
    exact: bool
    notes: tuple[str, ...]
    signature: str
    parts: CafaTerms

    @property
    def fmax(self) -> float:
        """The greatest F: optimistic, for its threshold is chosen on the data that it is measured on."""
        return float(np.nanmax(self.f))

    @property
    def fmax_threshold(self) -> float:
        """Where F is greatest; the least such threshold."""
        return float(self.thresholds[best_index(self.f, True)])

    @property
    def smin(self) -> float:
        """The least S: optimistic, as Fmax is."""
        return float(np.nanmin(self.s))

    @property
    def smin_threshold(self) -> float:
        """Where S is least; the least such threshold."""
        return float(self.thresholds[best_index(self.s, False)])

    @property
    def fmax_micro(self) -> float:
        """The greatest F of micro averages: optimistic, as Fmax is."""
        return float(np.nanmax(self.f_micro))

    @property
    def fmax_micro_threshold(self) -> float:
        """Where F of micro averages is greatest; the least such threshold."""
        return float(self.thresholds[best_index(self.f_micro, True)])

    @property
    def area(self) -> float:
        """The area under the curve of (R̄, P̄) by the step rule: Σ (R̄ₖ − R̄ₖ₋₁)·P̄ₖ as the threshold falls."""
        if self.norm == "pred":
            raise InvalidOption("norm='pred' has no area: its recall does not grow as the threshold falls")
        return step_area(self.recall[::-1], self.precision[::-1])

    @property
    def area_micro(self) -> float:
        """The area under the micro-averaged precision-recall curve by the step rule: AU(PRC) of Vens et al. 2008."""
        return step_area(self.recall_micro[::-1], self.precision_micro[::-1])

    @cached_property
    def _resampled_best(self) -> dict[str, FloatArray]:
        return self.parts.resample_best(self._bootstrap)

    @property
    def _bootstrap(self) -> Bootstrap:
        return Bootstrap(self.parts.units)

    def interval(self, best: Criterion = "fmax", *, level: float = CONFIDENCE) -> Interval:
        """Bootstrap interval over instances of the best value: each resample has its own best threshold.

        Parameters
        ----------
        best
            "fmax", "smin" or "fmax_micro".
        level
            How sure it is.

        Examples
        --------
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> q = cafa(h, ["sheep", "cow"], [{"sheep": 0.9}, {"sheep": 0.4}])
        >>> q.fmax, q.interval()
        (0.75, Interval(low=0.5, high=1.0, level=0.95))
        """
        check_choice("best", best, CRITERIA)
        check_confidence(level)
        return Interval.of(self._resampled_best[best], level)

    def to_columns(self) -> dict[str, list[float]]:
        """One list per column, one row per threshold."""
        return {name: getattr(self, name).tolist() for name in ("thresholds", *COLUMNS, "covered")}

    def to_frame(self, library: str = "pandas") -> Any:
        """The curves as a frame of pandas or polars, one row per threshold.

        Parameters
        ----------
        library
            "pandas" or "polars".
        """
        from hemlp.text.tables import as_frame

        return as_frame(self.to_columns(), library)

    def table(self, *, intervals: bool = True) -> Table:
        """The best value by each criterion, with its threshold.

        Parameters
        ----------
        intervals
            Whether the best values have 95% intervals.
        """
        rows: list[list[Any]] = []
        for name, of, best in zip(("Fmax", "Smin", "Fmax micro"), ("f", "s", "f_micro"), CRITERIA, strict=True):
            k = best_index(getattr(self, of), of != "s")
            kind = "_micro" if of == "f_micro" else ""  # P and R are those that F is made of
            columns = (of, f"precision{kind}", f"recall{kind}", "s", "coverage")
            cells = (format_number(float(getattr(self, column)[k])) for column in columns)
            own = [self.interval(best)] if intervals else []
            rows.append([name, f"{self.thresholds[k]:g}", *cells, *own])
        thresholds = plural(len(self.thresholds), "threshold")
        which = "every distinct score" if self.exact else "a grid"
        notes = [
            f"{plural(self.instances, 'instance')}, norm {self.norm}, {thresholds} ({which})",
            "P, R, S, coverage: at that threshold; S: semantic distance; coverage: share of instances predicted",
            f"{'weighted' if self.weighted else 'each class counts 1'}; CAFA's S and weighted Fmax are by information "
            f"accretion (hemlp ic --ia)",
            "optimistic: each threshold is chosen on the data that it is measured on",
            *([f"{bootstrap_note(self.parts.units)}, each with its own best threshold"] if intervals else []),
            *self.notes,
            self.signature,
        ]
        heads = ["best", "threshold", "value", "P", "R", "S", "coverage", *(["value 95%"] if intervals else [])]
        name = "Weighted Fmax" if self.weighted else "Fmax"
        lead = [f"{name} is {rows[0][2]} at the threshold {rows[0][1]}, which was chosen on the same data."]
        return Table(heads, rows, notes, lead=lead)

    def to_dict(self, *, intervals: bool = True) -> dict[str, Any]:
        """The best values, and the curves as lists, as plain values for JSON; nan is None.

        Parameters
        ----------
        intervals
            Whether the best values have 95% intervals.
        """
        between: dict[str, Any] = {}
        if intervals:
            between = {f"{name}_interval": list(map(json_number, self.interval(name))) for name in CRITERIA}
            between["resampling"] = self._bootstrap.signature
        best: dict[str, float] = {}
        for name in CRITERIA:
            best |= {name: getattr(self, name), f"{name}_threshold": getattr(self, f"{name}_threshold")}
        areas = {"area": math.nan if self.norm == "pred" else self.area, "area_micro": self.area_micro}
        numbers = {**best, "coverage_max": float(self.coverage.max()), **areas}
        return {
            "signature": self.signature, "norm": self.norm, "weighted": self.weighted, "exact": self.exact,
            "instances": self.instances, "notes": list(self.notes),
            **{name: json_number(value) for name, value in numbers.items()}, **between,
            "curves": {name: list(map(json_number, column)) for name, column in self.to_columns().items()},
        }  # fmt: skip

    def plot(self) -> Figure:
        """Draw P̄ against R̄, and the point where F is greatest."""
        from hemlp.analysis.scored.plots import cafa_plot

        return cafa_plot(self)

    def __repr__(self) -> str:
        return (
            f"Cafa(Fmax {self.fmax:.4f} at {self.fmax_threshold:g}, Smin {self.smin:.4f} at {self.smin_threshold:g}, "
            f"{self.instances:,} instances: optimistic, chosen on the data that they are measured on)"
        )


def cafa(
    hierarchy: Hierarchy,
    true: Any,
    scores: Any,
    weights: Mapping[Label, float] | None = None,
    norm: Norm = "cafa",
    thresholds: Any = None,
    *,
    exclude: Any = None,
    terms: Iterable[Label] | None = None,
    unknown: UnknownPolicy = "error",
    unknown_true: UnknownPolicy | None = None,
    rows: RowKind | None = None,
) -> Cafa:
    """CAFA's averages at every threshold, and with them Fmax and Smin.

    The instances are those of the gold; scores of others are left out and counted. An instance without a true class
    that counts has the recall 0, as in cafaeval. Thresholds at which nothing at all is predicted are left out.

    Parameters
    ----------
    hierarchy
        What both sides speak of.
    true
        The gold: a mapping id → labels, label sets, or a file.
    scores
        ``ScoredSets``, anything that ``ScoredSets.of`` takes, or a file.
    weights
        Of classes, as from ``hemlp.information_accretion``; None counts classes.
    norm
        "cafa" (see above); "pred" divides everything but the coverage by the number of instances with a prediction,
        "gt" by the number of all.
    thresholds
        None for every distinct score, exactly, or a grid: cafaeval's is ``numpy.arange(0.01, 1, 0.01)``.
    exclude
        What counts neither for nor against: classes, for all instances and exactly these; or label sets by instance
        (what is known already, CAFA's partial knowledge), with their ancestors.
    terms
        The classes of interest; others do not count.
    unknown, unknown_true, rows
        As of ``Batch.of``.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
    >>> q = cafa(h, [["sheep"], ["cow"]], [{"sheep": 0.9}, {"sheep": 0.4, "mammal": 0.8}])
    >>> q.fmax, q.fmax_threshold
    (0.9090909090909091, 0.8)
    """
    check_choice("norm", norm, ("cafa", "pred", "gt"))
    data = AlignedScores.of(hierarchy, true, scores, unknown, unknown_true, rows)
    if not data.values.size:
        raise InvalidScores("no instance of the gold has a score: there is no threshold to choose")
    grid = distinct_scores(data) if thresholds is None else as_grid(thresholds)
    steps = ThresholdSteps.over(data, grid)
    exclude = as_exclusion(exclude)
    terms = None if terms is None else label_list("terms", terms)
    everywhere, by_instance = resolve_exclusion(data, exclude)
    counting = _count_mask(data, everywhere, terms)
    swept = (data.ptr, data.classes), (steps.ptr, steps.sizes), by_instance
    sums = PrefixModel(ClosureModel("cafa", data.batch, "up", counting), *swept).solve().sums
    predicted = sums[:, 0]
    if not predicted.any():
        raise InvalidScores("nothing is predicted at any of the thresholds")
    if weights is not None:
        if not isinstance(weights, Mapping):
            raise InvalidOption("weights map classes to numbers")
        weighed = np.append(class_weights(data.hierarchy, weights), 0.0) * counting
        sums = PrefixModel(ClosureModel("cafa", data.batch, "up", weighed), *swept).solve().sums
    parts = CafaTerms.of(steps, sums, predicted, norm, Units(len(data), data.batch.ids))
    averages, some = parts.averages()
    kept = {name: column[some][::-1] for name, column in averages.items()}
    notes = [*data.notes]
    if without := int((sums[steps.ptr[:-1], 1] <= 0).sum()):
        notes.append(f"recall 0, without a true class that counts: {plural(without, 'instance')}")
    h = data.hierarchy
    roots = int(((np.diff(h.parent_ptr) == 0) & (np.diff(h.child_ptr) > 0)).sum())
    together, things = (len({*h.namespaces.values()}), "namespaces") if h.namespaces else (roots, "roots")
    if together > 1 and terms is None:
        how = "--out DIR, or all terms of one as --terms FILE (terms=)"
        notes.append(f"{together:,} {things} together; CAFA reports each: {how}")
    custom = {"weights": weights, "thresholds": thresholds, "exclude": exclude, "terms": terms}
    return Cafa(steps.thresholds[some][::-1], **kept, instances=len(data), norm=norm, weighted=weights is not None,
                exact=thresholds is None, notes=tuple(notes), signature=_signature(data, norm, custom),
                parts=parts)  # fmt: skip


def _count_mask(data: AlignedScores, everywhere: IntArray, terms: list[Label] | None) -> FloatArray:
    """1 for each class that counts and for the top, 0 for others."""
    counting = np.ones(len(data.hierarchy) + 1)
    if terms is not None:
        counting[:-1] = 0
        counting[[data.hierarchy.id(label) for label in terms]] = 1
    counting[everywhere] = 0
    return counting


def _signature(data: AlignedScores, norm: Norm, custom: Mapping[str, Any]) -> str:
    """The measure, parameters and data of the values, for citation."""
    options = ",".join(f"{key}:{None if value is None else fingerprint(value)}" for key, value in custom.items())
    data_text = f"hierarchy:{data.batch.given.content_hash[:16]}|{data.batch.policies}"
    return f"cafa|norm:{norm},{options}|hemlp:{__version__}|{data_text}"
