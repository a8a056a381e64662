"""A grid of parameters of one measure: how much do results depend on their choice?

>>> from hemlp import examples
>>> mesh = examples.mesh_mini()
>>> grid = sweep(mesh.hierarchy, mesh.true, mesh.systems, "GIE", default_cost=[2, 5], horizon=[None, 2])
>>> len(grid), grid.leaders
(4, {'svm_ovr_freq60': 3, 'knn30': 1})
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.analysis.statistics.intervals import resampling_units
from hemlp.analysis.statistics.resampling import bootstrap_note
from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.io.figures import line_style, new_figure, plain, save
from hemlp.measures.base import Measure
from hemlp.measures.factory import measure as made
from hemlp.problems.pairing.costs import cost_text
from hemlp.run.evaluate import evaluate
from hemlp.run.evaluation import Evaluation
from hemlp.text.display import HtmlDisplay
from hemlp.text.tables import Table, format_number, plural

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(HtmlDisplay):
    """The means of all systems at each point of a grid. ``points``: the values of the parameters, in order.

    ``evaluation`` holds all scores, under the names of the points.
    """

    measure: str
    grid: Mapping[str, tuple[Any, ...]]
    points: tuple[Mapping[str, Any], ...]
    evaluation: Evaluation

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        return f"Sweep({self.measure}: {plural(len(self), 'point')}, {plural(len(self.systems), 'system')})"

    @property
    def systems(self) -> list[str]:
        """Names of the systems."""
        return self.evaluation.systems

    @property
    def means(self) -> FloatArray:
        """Means, one row per point, one column per system."""
        ev = self.evaluation
        return np.array([[ev.mean(system, name) for system in ev.systems] for name in ev.measures])

    @property
    def places(self) -> FloatArray:
        """The place of each system at each point, 1 for the best mean; equal means share the better place."""
        better = np.array([self.evaluation.greater_is_better[name] for name in self.evaluation.measures])
        values = np.where(better[:, None], -self.means, self.means)
        places: FloatArray = 1 + (values[:, None, :] < values[:, :, None]).sum(axis=2).astype(np.float64)
        return places

    @property
    def leaders(self) -> dict[str, int]:
        """Which systems have the best mean, and at how many points; equal ones all count."""
        first = (self.systems[column] for row in self.places for column in np.flatnonzero(row == 1))
        return dict(Counter(first).most_common())

    def at(self, **values: Any) -> dict[str, float]:
        """The means of all systems at one point.

        Parameters
        ----------
        values
            A value for each parameter of the grid.
        """
        for k, point in enumerate(self.points):
            if dict(point) == values:
                return dict(zip(self.systems, self.means[k].tolist(), strict=True))
        raise InvalidOption(f"the grid has no point {values!r}; its parameters are {', '.join(self.grid)}")

    def table(self, *, intervals: bool = True) -> Table:
        """One row per point: the parameters that vary, and the mean and the place of each system.

        Parameters
        ----------
        intervals
            Whether means have their 95% intervals behind them.
        """
        varying = [key for key, values in self.grid.items() if len(values) > 1] or list(self.grid)
        rows = []
        for name, point, means, places in zip(
            self.evaluation.measures, self.points, self.means, self.places, strict=True
        ):
            cells = [f"{format_number(value)} ({place:.0f})" for value, place in zip(means, places, strict=True)]
            if intervals:
                brackets = (self.evaluation.interval(system, name).bracket() for system in self.systems)
                cells = [cell + bracket for cell, bracket in zip(cells, brackets, strict=True)]
            rows.append([*(format_value(point[key]) for key in varying), *cells])
        fixed = [f"{key} = {format_value(values[0])}" for key, values in self.grid.items() if key not in varying]
        leaders = ", ".join(f"{name} at {count} of {len(self)}" for name, count in self.leaders.items())
        tied = int(np.count_nonzero((self.places == 1).sum(axis=1) > 1))
        leaders += f" (tied at {tied})" if tied else ""
        words = "means, places and 95% intervals" if intervals else "means and places"
        notes = [f"{self.measure}: {words}; best: {leaders}", *fixed]
        if intervals:
            notes.append(bootstrap_note(resampling_units(self.evaluation)))
        return Table([*varying, *self.systems], rows, notes)

    def __str__(self) -> str:
        return str(self.table())

    def plot(self, path: str | PathLike[str] | None = None) -> Figure:
        """Draw means over the only number that varies, or places at all points, by matplotlib.

        Parameters
        ----------
        path
            A file to write, whose ending says its format (.svg, .png, .pdf).
        """
        return save(_chart(self), path)

    @property
    def axis(self) -> str | None:
        """The only parameter that varies, if its values are numbers."""
        varying = [key for key, values in self.grid.items() if len(values) > 1]
        numbers = len(varying) == 1 and all(type(value) in (int, float) for value in self.grid[varying[0]])
        return varying[0] if numbers else None


def _chart(grid: Sweep) -> Figure:
    """Draw means over the only number that varies; or the places of all systems (rows) at all points (columns)."""
    if grid.axis is not None:
        figure, axes = new_figure(7.0, 4.2)
        xs = [point[grid.axis] for point in grid.points]
        for k, name in enumerate(grid.systems):
            axes.plot(xs, grid.means[:, k], label=plain(name), linewidth=1.6, markersize=6, **line_style(k))
        axes.set(xlabel=plain(grid.axis), ylabel=plain(f"mean {grid.measure}"))
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        return figure
    places = grid.places.T
    figure, axes = new_figure(max(4.0, 0.5 * len(grid) + 2.5), max(2.6, 0.4 * len(grid.systems) + 2.0))
    axes.imshow(places, cmap="YlGnBu_r", vmin=1, vmax=max(2, len(grid.systems)), aspect="auto")
    for (row, column), place in np.ndenumerate(places):
        axes.text(column, row, f"{place:.0f}", ha="center", va="center", fontsize=9, color="#c0392b")
    axes.set_yticks(range(len(grid.systems)), list(map(plain, grid.systems)))
    axes.set_xticks(range(len(grid)), list(map(plain, grid.evaluation.measures)), rotation=60, ha="right", fontsize=8)
    axes.set_title(plain(f"places by mean {grid.measure}"), fontsize=10)
    return figure


def format_value(value: Any) -> str:
    """A value of a parameter for readers."""
    if hasattr(value, "pair_costs"):
        text = cost_text(value)
        return type(value).__name__ if text == "custom" else text
    return getattr(value, "__name__", str(value))


def sweep(
    hierarchy: Hierarchy,
    true: Any,
    systems: Any,
    measure: str | Measure,
    *,
    options: Mapping[str, Any] | None = None,
    **grid: Sequence[Any],
) -> Sweep:
    """Score all systems at every point of a grid of parameters of a measure.

    Parameters
    ----------
    hierarchy, true, systems
        As of ``evaluate``.
    measure
        A name or text, whose parameters are swept; or a measure, of which any field can be: bounds, costs, the score.
    options
        Of ``evaluate``: {"undefined": "nan", "workers": 2}.
    grid
        For each parameter the values to try.

    Raises
    ------
    InvalidOption
        If the measure does not have such a parameter, or not with such a value.

    Examples
    --------
    >>> from hemlp import ALL, Bounds, Hierarchy, PairMeasure
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> mine = PairMeasure("mine", Bounds((1, 1), (1, 1)), default_cost=5)
    >>> bounds = [Bounds((1, 1), (1, 1)), Bounds((1, ALL), (1, ALL))]
    >>> print(sweep(h, [["sheep"]], {"A": [["sheep", "cow"]], "B": [["animal"]]}, mine, bounds=bounds).places)
    [[2. 1.]
     [2. 1.]]
    """
    if not grid:
        raise InvalidOption("a sweep needs parameters with values to try: sweep(..., default_cost=[1, 2, 5])")
    for key, values in grid.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not len(values):
            raise InvalidOption(f"{key}={values!r:.80} is not a list of values to try")
    points = [dict(zip(grid, chosen, strict=True)) for chosen in product(*grid.values())]
    measures: dict[str, Measure] = {}
    for point in points:
        name = ", ".join(f"{key}={format_value(value)}" for key, value in point.items())
        if name in measures:
            name = f"{name} [{len(measures) + 1}]"
        measures[name] = made(measure, **point) if isinstance(measure, str) else measure.changed(**point)
    ev = evaluate(hierarchy, true, systems, measures, **(options or {}))
    return Sweep(str(measure), {key: tuple(values) for key, values in grid.items()}, tuple(points), ev)
