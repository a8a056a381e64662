"""Values of measures at every step: one sweep for closures, one solution a distinct set for everything else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.scored.aligned import Aligned
from hemlp.analysis.scored.steps import Steps
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InfeasibleModel, UndefinedScore, UnsolvedModel
from hemlp.instances.batch import Batch, Side
from hemlp.kernels.records import Rows
from hemlp.measures.base import Measure
from hemlp.measures.scoring import UndefinedPolicy, score_together, sharing_key
from hemlp.problems.closure.model import ClosureModel
from hemlp.solvers.registry import Solver

CLASSES_AT_ONCE = 2_000_000
"""Predicted classes of the sets that are scored at once."""


@dataclass(frozen=True)
class Solving:
    """How models are solved, and what is done where a measure is undefined."""

    undefined: UndefinedPolicy = "error"
    solver: str | Solver | None = None
    time_limit: float | None = None


@dataclass(frozen=True, eq=False)
class StepValues:
    """The value of a measure at each step; ``fallbacks``: how many of them are not proved optimal."""

    values: FloatArray
    signature: str
    fallbacks: int = 0


def step_values(
    measures: Sequence[Measure], data: Aligned, steps: Steps, solving: Solving = Solving()
) -> list[StepValues]:
    """The values of measures at each step."""
    found: dict[int, StepValues] = {}
    groups: dict[Any, list[int]] = {}
    rest: list[int] = []
    for k, each in enumerate(measures):
        if solved_by_sweep(each, data, solving):
            groups.setdefault(sharing_key(each), []).append(k)
        else:
            rest.append(k)
    policies = f"|hierarchy:{data.batch.given.content_hash[:16]}|{data.batch.policies}"
    for members in groups.values():
        model: Any = measures[members[0]].model(data.batch)
        sums, _, equal = swept(data, steps, model)
        for k in members:
            solution = SimpleNamespace(sums=sums, equal=equal, columns={})
            values = measures[k]._compute_columns(model, solution)[measures[k].name]
            if np.isnan(values).any() and solving.undefined == "error":
                row = int(steps.rows[np.flatnonzero(np.isnan(values))[0]]) + 1
                raise UndefinedScore(f"instance {row}: the score of {measures[k].name} is not a number", row)
            found[k] = StepValues(values, measures[k].signature + policies)
    if rest:
        found.update(zip(rest, _one_by_one([measures[k] for k in rest], data, steps, solving), strict=True))
    return [found[k] for k in range(len(measures))]


def solved_by_sweep(measure: Measure, data: Aligned, solving: Solving) -> bool:
    """Whether one sweep gives a measure at all steps."""
    return solving.solver in (None, "closures") and sweepable(measure, data.batch)


def sweepable(measure: Measure, batch: Batch) -> bool:
    """Whether a measure is made of closures to which a class only ever adds nodes."""
    if type(measure)._undefined is not Measure._undefined:
        return False
    model = measure.model(batch)
    return type(model) is ClosureModel and model.horizon is None


def swept(
    data: Aligned, steps: Steps, model: ClosureModel, hidden: Rows | None = None
) -> tuple[FloatArray, IntArray, NDArray[np.bool_]]:
    """Weights of the predicted, the true and the common nodes at each step, the number of predicted nodes, and whether
    the two sets are equal."""
    from hemlp.kernels.sweep import Sweep, sweep

    if hidden is None:
        hidden = Rows(np.zeros(len(data) + 1, np.int64), np.zeros(0, np.int32))
    arrows, sizes = Rows(*model.arrows), Rows(steps.ptr, steps.sizes)
    weights = np.ascontiguousarray(model.weights[:-1])
    sums, counts, equal = sweep(Sweep(arrows, data.true, data.scored, hidden, sizes, weights))
    if model.has_top:
        some_true = (np.diff(data.batch.true.ptr) > 0)[steps.rows]
        some_pred = steps.sizes > 0
        sums += model.weights[-1] * np.stack([some_pred, some_true, some_pred & some_true], axis=1)
    return sums, counts, equal


def _one_by_one(measures: Sequence[Measure], data: Aligned, steps: Steps, solving: Solving) -> list[StepValues]:
    """Each distinct set scored once."""
    parts: list[list[Any]] = [[] for _ in measures]
    for chosen in _parts(steps.sizes):
        batch = batch_of(data, steps, chosen)
        try:
            scores = score_together(
                measures, batch, solver=solving.solver, time_limit=solving.time_limit, undefined=solving.undefined
            )
        except (UndefinedScore, InfeasibleModel, UnsolvedModel) as error:
            raise _placed(error, data, steps, chosen) from None
        for into, each in zip(parts, scores, strict=True):
            into.append(each)
    found = []
    for of_measure in parts:
        values = np.concatenate([each.values for each in of_measure])
        fallbacks = sum(each.fallbacks for each in of_measure if each.exact)
        found.append(StepValues(values, of_measure[0].signature, fallbacks))
    return found


def batch_of(data: Aligned, steps: Steps, chosen: IntArray) -> Batch:
    """The predicted sets of some steps with their truth, as a batch."""
    return replace(
        data.batch, true=data.batch.true.take(steps.rows[chosen]), pred=Side(*steps.sets(data, chosen)), ids=None
    )


def _parts(sizes: IntArray) -> Iterator[IntArray]:
    """Numbers of consecutive steps, with a limited number of predicted classes."""
    filled = np.cumsum(sizes, dtype=np.int64)
    start = 0
    while start < len(sizes):
        done = int(filled[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(filled, done + CLASSES_AT_ONCE, side="right")))
        yield np.arange(start, stop)
        start = stop


def _placed(
    error: UndefinedScore | InfeasibleModel | UnsolvedModel, data: Aligned, steps: Steps, chosen: IntArray
) -> UndefinedScore | InfeasibleModel | UnsolvedModel:
    """The error with the instance and the threshold instead of the number of a set."""
    step = chosen[error.row - 1]
    row = int(steps.rows[step])
    name = f"{row + 1}" if data.batch.ids is None else f"{data.batch.ids[row]!r}"
    event = int(steps.events[step])
    threshold = steps.thresholds[event] if event < len(steps.thresholds) else math.nan
    message = str(error.args[0]).replace(f"instance {error.row}:", f"instance {name}, threshold {threshold:g}:", 1)
    error.args = (message, *error.args[1:])
    error.row = row + 1
    return error
