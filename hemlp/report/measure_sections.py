"""Sections of the page on measures: their rank correlation, distributions, and the default cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.analysis import ranking_sensitivity
from hemlp.analysis.statistics.correlations import kendall_matrix
from hemlp.errors import HemlpError
from hemlp.escaping import markup
from hemlp.measures.default_cost_sensitivity import format_default_cost
from hemlp.measures.pair_measure import PairMeasure
from hemlp.measures.pair_scores import DIVISORS
from hemlp.report.elements import Cell, Column, Section, chart, details, notes, table
from hemlp.report.error_sections import distribution_chart
from hemlp.results.results import Results, require_inputs
from hemlp.text.tables import OPTIMISTIC, format_number

if TYPE_CHECKING:
    from hemlp.analysis.scored.curve import Curve

POINTS = 200
"""Of a line that is curved, and of a curve over thresholds at most."""
MOST, SOLVED = 100_000, 50_000
"""Instances of all systems together, each of which is solved several times: up to which the default cost of one measure
is looked at, and up to which those of several are."""


def measures_section(ev: Results, shown: Results, leader: str) -> Section:
    """Distributions of the scores of the ``shown`` systems, and rank correlation of the measures over all systems.

    Two systems are ranked alike or not: there is no matrix of them.
    """
    charts: dict[str, Any] = {}
    parts = []
    if (spec := distribution_chart(shown, leader)) is not None:
        charts["distribution"] = spec
        infinite = sum(int(np.isinf(shown.per_instance(system, leader)).sum()) for system in shown.systems)
        left = f"; {infinite:,} infinite ones are not shown" if infinite else ""
        parts.append(chart("distribution", f"How many instances have which {leader}, each row to its own scale{left}"))
    if len(ev.systems) > 2 and len(ev.measures) > 1:
        parts.append(_kendall(ev))
    return Section("measures", "Scores and measures", "".join(parts), charts)


def _kendall(ev: Results) -> str:
    taus = kendall_matrix(ev)
    columns = [Column("measure", "ascending", True), *(Column(name) for name in ev.measures)]
    rows = []
    for i, name in enumerate(ev.measures):
        row = [Cell(markup(name))]
        for tau in taus[i].tolist():
            if math.isnan(tau):
                row.append(Cell("n/a", ""))
                continue
            shade = f"data-shade='{abs(tau) * 55:.0f}' data-hue='{'agree' if tau >= 0 else 'differ'}'"
            row.append(Cell(f"<span class='heat' {shade}>{tau:.2f}</span>", tau))
        rows.append(row)
    return table(columns, rows, "How alike the measures rank all systems: Kendall's τ-b of their means")


def sensitivity_section(ev: Results) -> Section | None:
    """Means of all systems as functions of the default cost, for measures that have one; None if none has.

    Of a large evaluation it is the first of them, or none, and the section says how to get the others.
    """
    able = [name for name, of in require_inputs(ev).measures.items() if _has_default_cost(of)]
    if not able:
        return None
    size = len(ev.systems) * int(ev.facts[ev.systems[0]]["instances"])
    shown_ones = able[: max(SOLVED // size, int(size <= MOST))]
    parts, charts = [], {}
    for k, name in enumerate(shown_ones):
        try:
            result = ranking_sensitivity.sensitivity(ev, name)
        except HemlpError as error:
            parts.append(notes([str(error)]))
            continue
        charts[f"sensitivity{k}"] = _sensitivity_chart(result)
        words = f"Mean {name} over the default cost D; dots: two systems change places; dashed: as evaluated"
        parts.append(chart(f"sensitivity{k}", words) + (_flip_table(result) if len(ev.systems) > 1 else ""))
    others = [name for name in able if name not in shown_ones]
    parts.append(notes(f"how {name} depends on it takes longer to find: ev.sensitivity({name!r})" for name in others))
    return Section("sensitivity", "Sensitivity to the default cost", "".join(parts), charts)


def _flip_table(result: ranking_sensitivity.Sensitivities) -> str:
    """The exact default costs at which two systems change places."""
    columns = [Column("D", "ascending"), *(Column(side, "ascending", True) for side in ("ahead below", "ahead above"))]
    rows = [
        [Cell(format_default_cost(d), float(d)), Cell(markup(below)), Cell(markup(above))]
        for d, below, above in result.flips
    ]
    title = f"Where systems change places by {result.measure}: {len(rows) or 'nowhere'}"
    return details(title, (table(columns, rows) if rows else "") + notes(result.table().notes))


def _has_default_cost(of: object) -> bool:
    if not isinstance(of, PairMeasure) or not isinstance(of.default_cost, int | float):
        return False
    return of.pairing == "optimal" and isinstance(of.scoring, str) and of.scoring in DIVISORS


def _sensitivity_chart(result: ranking_sensitivity.Sensitivities) -> dict[str, Any]:
    most = 1.25 * max([*(float(d) for d, _, _ in result.flips), 1.6 * result.chosen, 1.0])
    least = min([*(float(d) for d, _, _ in result.flips), result.chosen, most]) / 4
    series = []
    for name, of in result.systems.items():
        bends = [float(d) for d in of.breakpoints if d < most]
        at = np.unique([*np.geomspace(least, most, POINTS), *(d for d in bends if d > least)]).tolist()
        series.append({"name": name, "x": at, "y": [float(of(d)) for d in at]})
    dots = [[float(d), float(result.systems[below](d))] for d, below, _ in result.flips if d < most]
    return {
        "type": "lines", "series": series, "xlabel": "default cost D", "ylabel": f"mean {result.measure}", "dots": dots,
        "log": True,
        "rule": result.chosen, "marks": False,
    }  # fmt: skip


def curves_section(curves: Mapping[str, Curve]) -> Section | None:
    """Measures as functions of the threshold, for scored predictions."""
    charts: dict[str, Any] = {}
    parts = []
    for k, measure in enumerate(dict.fromkeys(name for curve in curves.values() for name in curve.measures)):
        of = {system: curve for system, curve in curves.items() if measure in curve.measures}
        best = {system: curve.best(measure) for system, curve in of.items()}
        charts[f"curve{k}"] = {
            "type": "lines", "series": [_curve_series(system, curve, measure) for system, curve in of.items()],
            "xlabel": "threshold", "ylabel": measure, "marks": False, "low": 0, "step": True,
            "dots": [[each.threshold, each.value] for each in best.values()],
        }  # fmt: skip
        told = [
            f"{system}: best {measure} {format_number(each.value)}, {of[system].interval(measure)}, at the threshold "
            f"{each.threshold:.4g} ({of[system].kind}), which is {OPTIMISTIC}"
            for system, each in best.items()
        ]
        told += [f"{system}: {note}" for system, curve in of.items() for note in curve.notes]
        words = f"Mean {measure} over the threshold, drawn at up to {POINTS} thresholds; small dots: the best"
        parts.append(chart(f"curve{k}", words) + notes(told))
    return Section("curves", "Curves", "".join(parts), charts) if parts else None


def _curve_series(system: str, curve: Curve, measure: str) -> dict[str, Any]:
    """The line of a system, with its best point."""
    best = int(np.searchsorted(curve.thresholds, curve.best(measure).threshold))
    at = np.unique([*np.linspace(0, len(curve.thresholds) - 1, POINTS).astype(np.int64), best])
    values = [value if math.isfinite(value) else None for value in curve[measure][at].tolist()]
    return {"name": system, "x": curve.thresholds[at].tolist(), "y": values}
