"""Rules of all kinds side by side: what each reached where it was chosen, and on other instances."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hemlp.analysis.scored.best import best_index
from hemlp.analysis.scored.rules import KINDS, Kind
from hemlp.analysis.statistics.resampling import Draw
from hemlp.arrays import FloatArray
from hemlp.escaping import json_number
from hemlp.measures.instance_scores import mean
from hemlp.text.intervals import Interval
from hemlp.text.tables import Table

UNKNOWN = Interval(math.nan, math.nan)


@dataclass(frozen=True)
class Candidate:
    """A rule that could have been chosen; ``parameter``: its threshold or number of classes, in words.

    ``value``: where it was chosen; ``validated``: on folds that it was not chosen on; ``difference``: of the paired
    values to those of the best candidate. All with their bootstrap intervals.
    """

    by: Kind
    parameter: str
    value: float
    value_interval: Interval
    validated: float
    validated_interval: Interval
    difference: float
    difference_interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """As plain values; None where there is no number."""
        made: dict[str, Any] = dict(self.__dict__)
        for key, each in made.items():
            if key not in ("by", "parameter"):
                made[key] = list(map(json_number, each)) if isinstance(each, Interval) else json_number(each)
        return made

    @classmethod
    def of_dict(cls, data: Mapping[str, Any]) -> Candidate:
        """What ``to_dict`` gave."""
        made: dict[str, Any] = dict(data)
        for key, each in made.items():
            if key not in ("by", "parameter"):
                numbers = [
                    math.nan if end is None else float(end) for end in (each if isinstance(each, list) else [each])
                ]
                made[key] = Interval(*numbers) if isinstance(each, list) else numbers[0]
        return cls(**made)


def best_of(values: Sequence[FloatArray], greater_is_better: bool) -> int:
    """Which column has the best mean; the first of those that differ by rounding alone."""
    return best_index(np.array([mean(column) for column in values]), greater_is_better)


def candidates(
    parameters: Mapping[Kind, str],
    chosen_on: Mapping[Kind, FloatArray],
    validated: Mapping[Kind, FloatArray],
    greater_is_better: bool,
    draw: Draw,
) -> tuple[Kind, tuple[Candidate, ...]]:
    """The best kind, by what was validated if anything was, and all kinds beside it."""
    kinds = list(parameters)
    compared = validated or chosen_on
    best = kinds[best_of([compared[kind] for kind in kinds], greater_is_better)]
    with np.errstate(invalid="ignore"):
        differences = {
            kind: np.where(compared[kind] == compared[best], 0.0, compared[kind] - compared[best]) for kind in kinds
        }
    columns = [of[kind] for of in (chosen_on, validated, differences) if of for kind in kinds]
    drawn = iter(map(Interval.of, draw.means(columns).T))
    found: dict[Kind, list[Any]] = {kind: [kind, parameters[kind]] for kind in kinds}
    for of in (chosen_on, validated, differences):
        for kind in kinds:
            found[kind] += (mean(of[kind]), next(drawn)) if of else (math.nan, UNKNOWN)
    return best, tuple(Candidate(*each) for each in found.values())


def candidate_table(of: Sequence[Candidate], notes: Sequence[str]) -> Table:
    """One row a candidate, the simplest first."""
    rows: list[list[Any]] = [[KINDS[each.by], each.parameter] for each in of]
    columns = ["rule", "parameter"]
    for name in ("value", "validated", "difference"):
        if of and any(not math.isnan(getattr(each, name)) for each in of):
            title = {"value": "chosen on the same data", "validated": "cross-validated"}.get(name, "difference")
            columns += [title, f"{title} 95%"]
            for row, each in zip(rows, of, strict=True):
                row += [getattr(each, name), getattr(each, f"{name}_interval")]
    return Table(columns, rows, notes)
