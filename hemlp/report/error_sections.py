"""Sections of the page on errors: by level, kind and class, and confusions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hemlp.analysis.diagnosis.class_counts import (
    bootstrap_intervals,
    class_loss,
    f_intervals,
    level_counts,
    occurring_classes,
    ratios_with_zero_division,
    resample_ratios,
    stack_class_counts,
)
from hemlp.analysis.diagnosis.error_costs import Confusion
from hemlp.analysis.diagnosis.error_kinds import ERROR_KINDS, errors
from hemlp.analysis.statistics.interval_formulas import as_intervals
from hemlp.analysis.statistics.intervals import resampling_units
from hemlp.analysis.statistics.resampling import bootstrap_note
from hemlp.arrays import IntArray
from hemlp.escaping import markup
from hemlp.hierarchy.labels import Label
from hemlp.report.elements import Cell, Column, Section, bracket, chart, details, notes, table
from hemlp.results.inputs import Inputs, dropped_notes
from hemlp.results.results import Results, require_inputs
from hemlp.text.tables import Interval, format_column

ROWS = 20
"""Classes, and confusions of a system, that are listed at most."""


def levels_section(ev: Results) -> Section:
    """F by level: one line per system, and the numbers."""
    counts = level_counts(ev, ev.systems)
    at = np.flatnonzero(counts.any(axis=(0, 2)))
    counts = counts[:, at]
    series = [
        {
            "name": system,
            "y": [
                f if some else None for f, some in zip(ratios_with_zero_division(of)[2], of.any(axis=1), strict=True)
            ],
        }
        for system, of in zip(ev.systems, counts, strict=True)
    ]
    spec = {"type": "lines", "x": at.tolist(), "series": series, "xlabel": "level", "ylabel": "F", "low": 0}
    words = "F of the classes of each level, over all instances; level: the fewest edges up to a root"
    drawn = [bootstrap_intervals(f) for _, _, f in resample_ratios(ev, ev.systems, at)]
    numbers = _counts_table(ev, Column("level", "ascending"), list(map(_number_cell, at.tolist())), counts, drawn)
    body = chart("levels", words) + details("The numbers", numbers + notes([bootstrap_note(resampling_units(ev))]))
    return Section("levels", "Levels", body + notes(dropped_notes(ev.facts)), {"levels": spec})


def _counts_table(
    ev: Results, first: Column, heads: Sequence[Cell], counts: IntArray, intervals: Sequence[Sequence[Interval]]
) -> str:
    """One row per level or class: its support, and for each system F with its interval and the loss."""
    columns = [first, Column("true"), *(Column(system) for system in ev.systems)]
    cells = [list(map(_number_cell, counts[:, :, 1].max(axis=0).tolist()))]
    for of, drawn in zip(counts, intervals, strict=True):
        f = ratios_with_zero_division(of)[2]
        texts = zip(format_column(f), class_loss(of).tolist(), drawn, f, of.any(axis=1).tolist(), strict=True)
        cells.append([
            Cell(f"<span class='whole'>{text} <span class='lost'>{missed} lost</span></span>{bracket(interval)}", value)
            if met else Cell("–", "")
            for text, missed, interval, value, met in texts
        ])  # fmt: skip
    caption = (
        "F of each system with its 95% interval; lost: true or predicted, but not both; –: neither true nor predicted"
    )
    return table(columns, list(zip(heads, *cells, strict=True)), caption)


def kinds_section(ev: Results) -> Section:
    """Kinds of errors: how predicted classes relate to the true ones, and what was predicted for each true class."""
    kinds = errors(ev)
    names = [f"{system}, {side}" for system in ev.systems for side in ("predicted", "true")]
    _, *numbers = zip(*kinds.rows, strict=True)
    counts, intervals = numbers[: len(names)], numbers[len(names) : 2 * len(names)]
    rows = [{"name": name, "parts": list(parts)} for name, parts in zip(names, counts, strict=True)]
    spec = {"type": "stacked", "rows": rows, "parts": list(ERROR_KINDS)}
    words = "How each predicted class relates to the true ones, and each true class to the predicted ones"
    columns = [
        Column("classes", "ascending", True),
        *(Column(k, "descending" if k == "hit" else "ascending") for k in ERROR_KINDS),
    ]
    cells = [
        [Cell(markup(name)), *(Cell(f"{n}{bracket(of, str)}", n) for n, of in zip(parts, drawn, strict=True))]
        for name, parts, drawn in zip(names, counts, intervals, strict=True)
    ]
    body = chart("kinds", words) + details("The numbers", table(columns, cells)) + notes(kinds.notes)
    return Section("kinds", "Kinds of error", body, {"kinds": spec})


def classes_section(ev: Results) -> Section:
    """The classes with the greatest loss, or on which systems differ most."""
    inputs = require_inputs(ev)
    labels, counts = stack_class_counts(ev, ev.systems, "labels")
    met = occurring_classes(counts)
    rows = met[:ROWS]
    counts = counts[:, rows]
    heads = [Cell(markup(full_name(inputs, labels[c]))) for c in rows.tolist()]
    drawn = [as_intervals(*f_intervals(of)) for of in counts]
    first = "on which the systems differ most" if len(ev.systems) > 1 else "with the greatest loss"
    shown = f"the {rows.size} classes {first}, of {met.size:,}" if rows.size < met.size else f"first those {first}"
    told = [
        f"{shown}; labels as given, without their ancestors",
        "in brackets 95% intervals: Wilson's of common / (common + lost), which is F / (2 − F)",
    ]
    numbers = _counts_table(ev, Column("class", "ascending", True), heads, counts, drawn)
    body = numbers + notes(told) + notes(dropped_notes(ev.facts))
    return Section("classes", "Classes, as labelled", body, {})


def confusions_section(ev: Results, measure: str, of: Mapping[str, list[Confusion]], ahead: Sequence[str]) -> Section:
    """Which class is predicted in place of which true class, for each system."""
    inputs = require_inputs(ev)
    columns = [
        Column("true", "ascending", True), Column("predicted", "ascending", True), Column("pairs"),
        Column("cost", "ascending"), Column("instances", "ascending", True),
    ]  # fmt: skip
    parts = []
    for s, system in enumerate(ev.systems):
        labels = inputs.hierarchies[system].labels
        confusions = of[system]
        costs = format_column([each.cost for each in confusions])
        rows = [
            [
                Cell(markup(full_name(inputs, labels[each.true]))),
                Cell(markup(full_name(inputs, labels[each.predicted]))),
                _number_cell(each.pairs),
                Cell(cost, each.cost),
                Cell(
                    " ".join(f"<button class='link' data-open='{s}:{row}'>{row + 1}</button>" for row in each.instances)
                ),
            ]
            for each, cost in zip(confusions, costs, strict=True)
        ]
        body = table(columns, rows) if rows else "<p class='note'>No pair of two classes costs anything.</p>"
        parts.append(details(system, body, opened=system in ahead[:1]))
    told = [
        f"which true class is answered by which other one: the pairs of {measure} that cost most over all instances, "
        f"at most {ROWS} of each system, with their first instances"
    ]
    return Section("confusions", "Confusions", "".join(parts) + notes(told), {})


def distribution_chart(ev: Results, measure: str) -> dict[str, Any] | None:
    """A histogram of the scores of instances for each system."""
    values = [ev.per_instance(system, measure) for system in ev.systems]
    finite = np.concatenate([v[np.isfinite(v)] for v in values])
    if not finite.size:
        return None
    low, high = float(finite.min()), float(finite.max())
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    edges = np.linspace(low, high if high > low else low + 1, 26)
    rows = [
        {"name": system, "counts": np.histogram(column[np.isfinite(column)], edges)[0].tolist()}
        for system, column in zip(ev.systems, values, strict=True)
    ]
    return {"type": "histograms", "edges": edges.tolist(), "rows": rows, "xlabel": measure}


def full_name(inputs: Inputs, label: Label) -> str:
    """The name of a class and its label, where the two differ."""
    name = (inputs.names or {}).get(label, "")
    return f"{name} ({label})" if name and name != str(label) else str(label)


def _number_cell(value: int) -> Cell:
    return Cell(str(value), value)
