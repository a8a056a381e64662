"""A history of runs: each run appends its means and their intervals as a line of FOLDER/history.jsonl."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hemlp.analysis.statistics.evaluation_verdicts import order_systems
from hemlp.analysis.statistics.intervals import interval
from hemlp.arrays import record
from hemlp.errors import FileFormatError, UnwritableFile
from hemlp.escaping import markup
from hemlp.io.files import reason
from hemlp.io.text import decode, file_reader, load_json, read_bytes
from hemlp.measures.factory import Signature, difference
from hemlp.report.elements import Cell, Column, Section, chart, details, notes, table
from hemlp.results.results import Results, gold_of
from hemlp.text.tables import Interval, Table, format_number, plural
from hemlp.version import __version__

FILE = "history.jsonl"
SHOWN, SYSTEMS = 10, 20
"""Runs of a table as text, and the best systems whose trend is shown."""
KEYS = {"hemlp": str, "date": str, "gold": str | None, "signatures": dict, "systems": dict}


def current_date() -> str:
    """The current time in UTC, or SOURCE_DATE_EPOCH, for reproducible pages."""
    now = float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    return f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d %H:%M}"


@record
class Run:
    """A run: ``signatures`` of the measures, and [mean, low, high] by system and measure, nan and inf as texts.

    ``gold``: the digest of the true labels, None where they were not at hand.
    """

    hemlp: str
    date: str
    gold: str | None
    signatures: dict[str, str]
    systems: dict[str, dict[str, list[float | str]]]

    @classmethod
    def of(cls, ev: Results) -> Run:
        """The run of an evaluation, dated now."""
        plain: Any = {
            system: {
                name: [x if math.isfinite(x) else str(x) for x in (ev.mean(system, name), *interval(ev, system, name))]
                for name in ev.measures
            }
            for system in ev.systems
        }
        gold, first = gold_of(ev), ev.systems[0]
        signatures = {name: ev.scores[first][name].signature for name in ev.measures}
        return cls(__version__, current_date(), None if gold is None else gold.labels, signatures, plain)

    @classmethod
    def read(cls, data: Any) -> Run:
        """Parse a line; a ValueError if it is not a run."""
        if not isinstance(data, dict) or data.keys() != KEYS.keys():
            raise ValueError(f"it lacks the keys {', '.join(KEYS)}")
        for key, kind in KEYS.items():
            if not isinstance(data[key], kind):
                raise ValueError(f"{key} is {data[key]!r:.80}")
        for signature in data["signatures"].values():
            Signature.read(str(signature))
        for system, of in data["systems"].items():
            if not isinstance(of, dict) or of.keys() != data["signatures"].keys():
                raise ValueError(f"the measures of {system!r} are not those of signatures")
            for name, ends in of.items():
                if not isinstance(ends, list) or [type(x) for x in ends] != [str] * 3:
                    raise ValueError(f"{name} of {system!r} is not a mean with its interval")
                [float(x) for x in ends]
        return cls(**data)

    def value(self, system: str, measure: str) -> tuple[float, Interval]:
        """The mean and its interval; nan if the run lacks the system or the measure."""
        mean, low, high = map(float, self.systems.get(system, {}).get(measure, [math.nan] * 3))
        return mean, Interval(low, high)

    def comparable(self, other: Run, measure: str) -> bool:
        """Whether the measure has the same true labels, hierarchy and parameters in another run."""
        here, there = self.signatures.get(measure), other.signatures.get(measure)
        return here is not None and there is not None and self.gold == other.gold and difference(here, there) is None


@file_reader
def read_history(folder: str | os.PathLike[str]) -> list[Run]:
    """All runs of a folder, the oldest first; none if there is no file. A line that is not a run is an error."""
    file = Path(folder) / FILE
    if not file.exists():
        return []
    runs = []
    source, data = read_bytes(file)
    for number, line in enumerate(decode(data, source).splitlines(keepends=True), 1):
        try:
            if not line.endswith("\n"):
                raise ValueError("it is cut off")
            runs.append(Run.read(load_json(line, FILE)))
        except ValueError as error:
            why = f"{source}, line {number} is not a run that hemlp wrote ({error})"
            raise FileFormatError(f"{why}: remove the line, or give another folder", number) from None
    return runs


def add_to_history(folder: str | os.PathLike[str], ev: Results) -> list[Run]:
    """Append an evaluation to the history; return all runs, that one last."""
    runs, run = read_history(folder), Run.of(ev)
    file = Path(folder) / FILE
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "a", encoding="utf-8", newline="\n") as target:
            target.write(json.dumps(vars(run), allow_nan=False) + "\n")
    except OSError as error:
        raise UnwritableFile(f"cannot write to {file}: {reason(error)}") from None
    return [*runs, run]


def history_table(runs: Sequence[Run], ev: Results, most: int = SHOWN) -> Table:
    """The trend of the systems of an evaluation: one row per system and run, for the last ``most`` runs."""
    now, systems = Run.of(ev), order_systems(ev, ev.measures[0])[:SYSTEMS]
    rows, marked = [], False
    for system in systems:
        for run in [run for run in runs[-most:] if system in run.systems]:
            row = [system, run.date]
            for name in ev.measures:
                mean, ends = run.value(system, name)
                other = not run.comparable(now, name)
                marked |= other and name in run.signatures
                shown = "undefined" if math.isnan(mean) else f"{format_number(mean)}{ends.bracket()}"
                row.append(f"{shown}{' *' * other}" if name in run.signatures else "")
            rows.append(row)
    told = [f"{plural(len(runs), 'run')}, dates in UTC; in brackets 95% intervals"]
    told += [f"the last {most} runs are shown"] if len(runs) > most else []
    told += [f"the {SYSTEMS} best of {len(ev.systems)} systems by {ev.measures[0]}"] if ev.systems[SYSTEMS:] else []
    told += ["*: of other true labels, another hierarchy or other parameters than now"] if marked else []
    return Table(["system", "run", *ev.measures], rows, told)


def history_section(runs: Sequence[Run], ev: Results) -> Section:
    """One chart per measure, of the runs that are comparable with the evaluation, and the numbers of all runs."""
    now, charts = Run.of(ev), dict[str, Any]()
    measures = ev.measures if len(runs) > 1 else []  # one run has no trend
    for m, name in enumerate(measures):
        known = [(k, run) for k, run in enumerate(runs, 1) if run.comparable(now, name)]
        series = []
        for system in order_systems(ev, name)[:SYSTEMS]:
            values = [run.value(system, name) for _, run in known]
            drawn = [(mean, list(ends)) if all(map(math.isfinite, ends)) else (mean, None) for mean, ends in values]
            means = [mean if math.isfinite(mean) else None for mean, _ in drawn]
            series.append({"name": system, "x": [k for k, _ in known], "y": means, "ends": [ends for _, ends in drawn]})
        charts[f"history{m}"] = {"type": "lines", "series": series, "xlabel": "run", "ylabel": name}
    places = "".join(chart(f"history{m}", f"{name} run by run, with 95% intervals") for m, name in enumerate(measures))
    trend = history_table(runs, ev, len(runs))
    columns = [Column(name, "ascending", True) for name in trend.columns]
    numbers = table(columns, [[Cell(markup(str(cell))) for cell in row] for row in trend.rows])
    body = f"<div class='charts'>{places}</div>{details('The numbers', numbers)}{notes(trend.notes)}"
    return Section("history", "History", body, charts)
