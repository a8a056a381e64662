"""Cutting rules of all kinds compared: their values in sample and cross-validated, with bootstrap intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hemlp.analysis.scored.cutting_rules import RULE_KINDS, RuleKind
from hemlp.analysis.scored.threshold_steps import best_index
from hemlp.analysis.statistics.resampling import Bootstrap
from hemlp.arrays import FloatArray
from hemlp.escaping import json_number
from hemlp.measures.instance_scores import mean
from hemlp.text.tables import Interval, Table

NO_INTERVAL = Interval(math.nan, math.nan)


@dataclass(frozen=True)
class Candidate:
    """A rule that could have been chosen; ``parameter``: its threshold or number of classes, in words.

    ``value``: where it was chosen; ``validated``: on folds that it was not chosen on; ``difference``: of the paired
    values to those of the best candidate. All with their bootstrap intervals.
    """

    by: RuleKind
    parameter: str
    value: float
    value_interval: Interval
    validated: float
    validated_interval: Interval
    difference: float
    difference_interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """As plain values; None where there is no number."""
        plain: dict[str, Any] = dict(self.__dict__)
        for key, each in plain.items():
            if key not in ("by", "parameter"):
                plain[key] = list(map(json_number, each)) if isinstance(each, Interval) else json_number(each)
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Candidate:
        """The inverse of ``to_dict``."""
        fields: dict[str, Any] = dict(data)
        for key, each in fields.items():
            if key not in ("by", "parameter"):
                numbers = [
                    math.nan if end is None else float(end) for end in (each if isinstance(each, list) else [each])
                ]
                fields[key] = Interval(*numbers) if isinstance(each, list) else numbers[0]
        return cls(**fields)


def best_column(values: Sequence[FloatArray], greater_is_better: bool) -> int:
    """The column with the best mean; the first one if several differ only by rounding."""
    return best_index(np.array([mean(column) for column in values]), greater_is_better)


def compare_candidates(
    parameters: Mapping[RuleKind, str],
    in_sample: Mapping[RuleKind, FloatArray],
    validated: Mapping[RuleKind, FloatArray],
    greater_is_better: bool,
    bootstrap: Bootstrap,
) -> tuple[RuleKind, tuple[Candidate, ...]]:
    """The best kind, by validated values if there are any, and all kinds beside it."""
    kinds = list(parameters)
    compared = validated or in_sample
    best = kinds[best_column([compared[kind] for kind in kinds], greater_is_better)]
    with np.errstate(invalid="ignore"):
        differences = {
            kind: np.where(compared[kind] == compared[best], 0.0, compared[kind] - compared[best]) for kind in kinds
        }
    columns = [of[kind] for of in (in_sample, validated, differences) if of for kind in kinds]
    drawn = iter(map(Interval.of, bootstrap.means(columns).T))
    fields: dict[RuleKind, list[Any]] = {kind: [kind, parameters[kind]] for kind in kinds}
    for of in (in_sample, validated, differences):
        for kind in kinds:
            fields[kind] += (mean(of[kind]), next(drawn)) if of else (math.nan, NO_INTERVAL)
    return best, tuple(Candidate(*each) for each in fields.values())


def candidate_table(of: Sequence[Candidate], notes: Sequence[str]) -> Table:
    """One row per candidate, the simplest first."""
    rows: list[list[Any]] = [[RULE_KINDS[each.by], each.parameter] for each in of]
    columns = ["rule", "parameter"]
    for name in ("value", "validated", "difference"):
        if of and any(not math.isnan(getattr(each, name)) for each in of):
            title = {"value": "chosen on the same data", "validated": "cross-validated"}.get(name, "difference")
            columns += [title, f"{title} 95%"]
            for row, each in zip(rows, of, strict=True):
                row += [getattr(each, name), getattr(each, f"{name}_interval")]
    return Table(columns, rows, notes)
