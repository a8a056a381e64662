"""Measures as curves over the threshold of scored predictions, exact at every distinct score.

>>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
>>> c = curve(h, ["sheep", "cow"], [{"sheep": 0.9, "cow": 0.3}, {"cow": 0.6}], ["F_H", "SDL"])
>>> c.thresholds.tolist(), c["SDL"].tolist()
([0.3, 0.6, 0.9], [0.5, 0.0, 1.0])
>>> threshold, value = c.best("F_H")
>>> threshold, value
(0.6, 1.0)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hemlp.analysis.scored.aligned_scores import AlignedScores
from hemlp.analysis.scored.prefix_scores import PrefixScores
from hemlp.analysis.scored.step_scores import ScoringOptions, StepValues, resolve_measures, score_steps
from hemlp.analysis.scored.threshold_search import MANY, check_points, choose_thresholds, skipped_note
from hemlp.analysis.scored.threshold_steps import ThresholdSteps, best_index, distinct_scores, step_area
from hemlp.analysis.statistics.resampling import RESAMPLES, Bootstrap, Units
from hemlp.arrays import FloatArray, IntArray, sorted_distinct
from hemlp.errors import InvalidOption, InvalidScores, MissingDependency
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import UnknownPolicy
from hemlp.instances.label_sets import RowKind
from hemlp.instances.thresholds import as_grid, as_threshold
from hemlp.io.figures import svg
from hemlp.measures.base import Measure
from hemlp.measures.scoring import UndefinedPolicy
from hemlp.options import check_known
from hemlp.solvers.registry import Solver
from hemlp.text.display import HtmlDisplay
from hemlp.text.tables import OPTIMISTIC, Interval, Table, as_frame, format_number, plural

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Best(NamedTuple):
    """The best point of a curve. It is optimistic: the threshold was chosen on the data that it is measured on."""

    threshold: float
    value: float

    def __repr__(self) -> str:
        return f"Best(threshold={self.threshold!r}, value={self.value!r}, {OPTIMISTIC})"


@dataclass(frozen=True, eq=False, repr=False)
class Curve(HtmlDisplay):
    """Means of measures over instances at each of the ``thresholds``, which ascend.

    ``kind`` says which thresholds those are. ``defined``: over how many instances each mean is.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> c = curve(h, ["sheep", "cow"], [{"sheep": 0.9}, {"sheep": 0.6, "cow": 0.3}], ["F_H"])
    >>> c
    Curve(F_H at 3 thresholds: every distinct score; 2 instances)
    >>> c.per_instance("F_H", 0.6).tolist()
    [1.0, 0.5]
    """

    thresholds: FloatArray
    values: Mapping[str, FloatArray]
    defined: Mapping[str, IntArray]
    greater_is_better: Mapping[str, bool]
    kind: str
    notes: tuple[str, ...]
    ids: tuple[Label, ...] | None
    steps: ThresholdSteps
    values_by_step: Mapping[str, StepValues]

    @property
    def measures(self) -> list[str]:
        """Names of the measures, as given."""
        return list(self.values)

    @property
    def exact(self) -> bool:
        """Whether the thresholds are all distinct scores."""
        return self.kind == EVERY_SCORE

    @property
    def instances(self) -> int:
        """The number of instances."""
        return len(self.steps.ptr) - 1

    @cached_property
    def _units(self) -> Units:
        return Units(self.instances, self.ids)

    def signature(self, measure: str) -> str:
        """Measure, parameters, version, hierarchy and policies, to be cited with a value.

        Parameters
        ----------
        measure
            As it was called.
        """
        check_known("measure", measure, self.measures)
        return self.values_by_step[measure].signature

    def __getitem__(self, measure: str) -> FloatArray:
        check_known("measure", measure, self.measures)
        return self.values[measure]

    def best(self, measure: str) -> Best:
        """The threshold at which a measure is best (the least of several) and its value there.

        That is optimistic, as Fmax is: choose the threshold on other data (``hemlp.tune``), or say so.

        Parameters
        ----------
        measure
            As it was called.
        """
        k = best_index(self[measure], self.greater_is_better[measure])
        return Best(float(self.thresholds[k]), float(self[measure][k]))

    def at(self, measure: str, threshold: float) -> float:
        """The value at a threshold; an exact curve has one wherever something is predicted.

        Parameters
        ----------
        measure
            As it was called.
        threshold
            Any up to the greatest score; of a curve on a grid one of the grid.
        """
        return float(self[measure][self._threshold_index(threshold)])

    def per_instance(self, measure: str, threshold: float) -> FloatArray:
        """One value per instance at a threshold.

        Parameters
        ----------
        measure, threshold
            As of ``at``.
        """
        check_known("measure", measure, self.measures)
        event = len(self.thresholds) - 1 - self._threshold_index(threshold)
        return self.values_by_step[measure].values[self.steps.steps_at(event)]

    def _threshold_index(self, threshold: float) -> int:
        value = as_threshold(threshold)
        place = int(np.searchsorted(self.thresholds, value))
        if place == len(self.thresholds):
            raise InvalidOption(f"the threshold {value:g} is above the greatest of the curve, {self.thresholds[-1]:g}")
        if not self.exact and self.thresholds[place] != value:
            raise InvalidOption(f"{value:g} is not a threshold of this curve ({self.kind})")
        return place

    def interval(
        self, measure: str, threshold: float | None = None, *, level: float = 0.95, resamples: int = RESAMPLES,
        seed: int = 0,
    ) -> Interval:  # fmt: skip
        """Bootstrap interval over instances of the mean at one threshold, by default at the best one.

        The threshold is held fixed: what its choice adds at the best one is not in the interval.

        Parameters
        ----------
        measure, threshold
            As of ``at``.
        level, resamples, seed
            Of the bootstrap.
        """
        at = self.best(measure).threshold if threshold is None else threshold
        column = self.per_instance(measure, at)
        return Interval.of(Bootstrap(self._units, resamples, seed).means([column])[:, 0], level)

    def band(
        self, measure: str, points: int = 100, *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Bootstrap intervals at up to ``points`` thresholds: the thresholds, the lower and the upper ends.

        Parameters
        ----------
        measure
            As it was called.
        points
            How many thresholds, evenly spaced among those of the curve.
        level, resamples, seed
            Of the bootstrap, whose resamples all thresholds share.
        """
        check_points(points)
        indices = np.linspace(0, len(self.thresholds) - 1, min(points, len(self.thresholds)))
        chosen = self.thresholds[sorted_distinct(indices.round().astype(np.int64))]
        means = Bootstrap(self._units, resamples, seed).means(self.per_instance(measure, float(at)) for at in chosen)
        low, high = np.array([tuple(Interval.of(drawn, level)) for drawn in means.T]).T
        return chosen, low, high

    def area(self, measure: str, against: str | None = None) -> float:
        """The area under a curve by the step rule.

        Parameters
        ----------
        measure
            The height.
        against
            None for thresholds, from the least to the greatest; or a measure that grows as the threshold falls, as
            "R_H" does: c.area("P_H", "R_H") is Σ (Rₖ − Rₖ₋₁)·Pₖ, the average precision.
        """
        height = self[measure]
        if against is None:
            return step_area(self.thresholds[1:] - self.thresholds[0], height[1:])
        x = self[against][::-1]
        if (np.diff(x) < -1e-12).any():
            raise InvalidOption(f"{against} does not grow as the threshold falls: there is no area against it")
        return step_area(x, height[::-1])

    def table(self) -> Table:
        """The best point of each measure, with its interval, and the others there."""
        rows = []
        for name in self.measures:
            best = self.best(name)
            low, high = self.interval(name)
            others = (format_number(self.at(other, best.threshold)) for other in self.measures)
            rows.append([name, f"{best.threshold:g}", *others, f"{format_number(low)} to {format_number(high)}"])
        notes = [
            f"{plural(self.instances, 'instance')}, {plural(len(self.thresholds), 'threshold')}: {self.kind}",
            f"each row is the best threshold by its measure ({OPTIMISTIC}), with the 95% interval of that measure at "
            f"this threshold, from {RESAMPLES:,} resamples of {self._units.description}",
            *self.notes,
            *map(self.signature, self.measures),
        ]
        lead = [f"{row[0]} is best at the threshold {row[1]}: {row[2 + k]}." for k, row in enumerate(rows)]
        return Table(["best by", "threshold", *self.measures, "interval"], rows, notes, lead=lead[:2])

    def to_columns(self) -> dict[str, list[float]]:
        """One list per column, one row per threshold."""
        return {"threshold": self.thresholds.tolist(), **{name: v.tolist() for name, v in self.values.items()}}

    def to_frame(self, library: str = "pandas") -> Any:
        """The curves as a frame of pandas or polars, one row per threshold.

        Parameters
        ----------
        library
            "pandas" or "polars".
        """
        return as_frame(self.to_columns(), library)

    def plot(self, *, band: bool = True) -> Figure:
        """Draw the curves, with their best points.

        Parameters
        ----------
        band
            Whether bootstrap intervals are shaded.
        """
        from hemlp.analysis.scored.plots import curve_plot

        return curve_plot(self, band)

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return (
            f"Curve({', '.join(self.measures)} at {len(self.thresholds):,} thresholds: {self.kind}; "
            f"{self.instances:,} instances)"
        )

    def _html_parts(self) -> Iterator[Table | str]:
        yield self.table()
        with suppress(MissingDependency):
            yield svg(self.plot(), "curve")


EVERY_SCORE = "every distinct score"


def curve(
    hierarchy: Hierarchy,
    true: Any,
    scores: Any,
    measures: str | Measure | Sequence[str | Measure] = ("F_H",),
    *,
    thresholds: Any = None,
    points: int | None = None,
    unknown: UnknownPolicy = "error",
    unknown_true: UnknownPolicy | None = None,
    rows: RowKind | None = None,
    undefined: UndefinedPolicy = "error",
    solver: str | Solver | None = None,
    time_limit: float | None = None,
) -> Curve:
    """Every measure at every distinct score, exactly.

    Measures of closures take one sweep over the scores. Others (pairs, LCA graphs) are scored once for each distinct
    predicted set of each instance, which can be many: ``thresholds`` or ``points`` make them fewer.

    Parameters
    ----------
    hierarchy
        What both sides speak of.
    true
        The gold: a mapping id → labels, label sets, or a file. The instances are those of the gold.
    scores
        ``ScoredSets``, anything that ``ScoredSets.of`` takes, or a file.
    measures
        Names, texts or measures.
    thresholds
        A grid, instead of every distinct score.
    points
        Only some of the distinct scores, about so many: dense where few classes are predicted. The best of measures of
        closures (F_H) and of LCA graphs is always among them. For other measures so many more are tried around the best
        one until its neighbours are among them; a note says how many scores were skipped elsewhere. Of LCA graphs there
        are no points where instances have more than 30 predicted classes on average, and a note says so.
    unknown, unknown_true, rows, undefined, solver, time_limit
        As of ``hemlp.evaluate``.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> s = {"first": {"sheep": 0.9}, "second": {"cow": 0.4}}
    >>> curve(h, {"first": "sheep", "second": "cow"}, s, ["F_LCA"]).best("F_LCA").threshold
    0.4
    """
    resolved = resolve_measures([measures] if isinstance(measures, str | Measure) else measures)
    data = AlignedScores.of(hierarchy, true, scores, unknown, unknown_true, rows)
    if not data.values.size:
        raise InvalidScores("no instance of the gold has a score: there is no threshold to choose")
    return compute_curve(data, resolved, thresholds, points, ScoringOptions(undefined, solver, time_limit))


def compute_curve(
    data: AlignedScores, measures: Mapping[str, Measure], thresholds: Any, points: int | None, options: ScoringOptions
) -> Curve:
    """The curve at a grid, at every distinct score, or at some scores that include the best ones."""
    if points is not None:
        check_points(points)
        if thresholds is not None:
            raise InvalidOption("thresholds are a grid, points limit the distinct scores: give one of them")
    if thresholds is not None:
        return _curve_at(data, measures, as_grid(thresholds), "a grid", options)
    every = distinct_scores(data)
    if points is None or len(every) <= points:
        return _curve_at(data, measures, every, EVERY_SCORE, options)
    prefixes = PrefixScores(data, measures, options)
    indices, crowded = choose_thresholds(prefixes, every, points)
    c = _curve_at(
        data, measures, every[indices], f"{len(indices):,} of {len(every):,} distinct scores", options, prefixes
    )
    if len(indices) == len(every):
        return c
    proved = [name for name in measures if name in prefixes.swept_measures or prefixes.bounds(name) is not None]
    notes = [f"{name}: {skipped_note(len(indices), len(every))}" for name in measures if name not in proved]
    if proved:
        notes.append(f"{', '.join(proved)}: the best of all distinct scores")
    if crowded:
        notes.append(
            f"left out: {plural(crowded, 'point')} with more than {MANY} predicted classes per instance; a grid of "
            f"thresholds computes them"
        )
    return replace(c, notes=(*c.notes, *notes))


def _curve_at(
    data: AlignedScores, measures: Mapping[str, Measure], grid: FloatArray, kind: str, options: ScoringOptions,
    prefixes: PrefixScores | None = None,
) -> Curve:  # fmt: skip
    """The curve at the ascending ``grid``; ``prefixes``: a cache of values."""
    if prefixes is None:
        steps = ThresholdSteps.over(data, grid)
        by_measure = dict(zip(measures, score_steps(list(measures.values()), data, steps, options), strict=True))
    else:
        steps = ThresholdSteps.over(prefixes.raw_scores, grid)
        known = {name: prefixes.values(name, steps.rows, steps.sizes) for name in measures}
        by_measure = {name: replace(prefixes.metadata(name), values=each) for name, each in known.items()}
    values, defined, notes = {}, {}, list(data.notes)
    for name, of in by_measure.items():
        means, counts = steps.means(of.values)
        values[name], defined[name] = means[::-1], counts[::-1]
        if of.fallbacks:
            notes.append(f"{name}: {of.fallbacks:,} of {len(steps):,} distinct sets are not proved optimal")
        if (least := int(counts.min())) < len(data):
            notes.append(f"{name}: undefined on up to {len(data) - least:,} instances, which are left out there")
    better = {name: each.greater_is_better for name, each in measures.items()}
    return Curve(grid, values, defined, better, kind, tuple(notes), data.batch.ids, steps, by_measure)
