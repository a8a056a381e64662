"""Values of measures at every threshold step: one sweep for closures, else one solution per distinct predicted set."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hemlp.analysis.scored.aligned_scores import AlignedScores
from hemlp.analysis.scored.threshold_steps import ThresholdSteps
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InfeasibleModel, InvalidOption, UndefinedScore, UnsolvedModel
from hemlp.instances.batch import Batch, Side
from hemlp.measures.base import Measure
from hemlp.measures.derived import RankedMeasure
from hemlp.measures.factory import measure as as_measure
from hemlp.measures.scoring import UndefinedPolicy, score_together, sharing_key
from hemlp.problems.closure.model import ClosureModel
from hemlp.problems.closure.variants import PrefixModel
from hemlp.processes.progress import track
from hemlp.solvers.registry import Solver

CLASSES_AT_ONCE = 500_000
"""Predicted classes of the sets that are scored at once."""


@dataclass(frozen=True)
class ScoringOptions:
    """How to solve models, and what to do where a measure is undefined."""

    undefined: UndefinedPolicy = "error"
    solver: str | Solver | None = None
    time_limit: float | None = None


@dataclass(frozen=True, eq=False)
class StepValues:
    """The value of a measure at each step; ``fallbacks``: how many of them are not proved optimal."""

    values: FloatArray
    signature: str
    fallbacks: int = 0


def score_steps(
    measures: Sequence[Measure], data: AlignedScores, steps: ThresholdSteps, options: ScoringOptions = ScoringOptions()
) -> list[StepValues]:
    """The values of measures at each step."""
    results: dict[int, StepValues] = {}
    groups: dict[Any, list[int]] = {}
    rest: list[int] = []
    for k, each in enumerate(measures):
        if uses_sweep(each, data, options):
            groups.setdefault(sharing_key(each), []).append(k)
        else:
            rest.append(k)
    policies = f"|hierarchy:{data.batch.given.content_hash[:16]}|{data.batch.policies}"
    for members in groups.values():
        model: Any = measures[members[0]].model(data.batch)
        solution = PrefixModel(model, (data.ptr, data.classes), (steps.ptr, steps.sizes)).solve()
        for k in members:
            values = measures[k]._compute_columns(model, solution)[measures[k].name]
            if np.isnan(values).any() and options.undefined == "error":
                row = int(steps.rows[np.flatnonzero(np.isnan(values))[0]]) + 1
                raise UndefinedScore(f"instance {row}: the score of {measures[k].name} is not a number", row)
            results[k] = StepValues(values, measures[k].signature + policies)
    if rest:
        results.update(zip(rest, _score_each_set([measures[k] for k in rest], data, steps, options), strict=True))
    return [results[k] for k in range(len(measures))]


def uses_sweep(measure: Measure, data: AlignedScores, options: ScoringOptions) -> bool:
    """Whether one sweep gives a measure at all steps."""
    return options.solver in (None, "closures") and is_sweepable(measure, data.batch)


def is_sweepable(measure: Measure, batch: Batch) -> bool:
    """Whether a measure compares closures that only grow with each class."""
    if type(measure)._undefined is not Measure._undefined:
        return False
    model = measure.model(batch)
    return type(model) is ClosureModel and model.horizon is None


def _score_each_set(
    measures: Sequence[Measure], data: AlignedScores, steps: ThresholdSteps, options: ScoringOptions
) -> list[StepValues]:
    """Score each distinct set once."""
    parts: list[list[Any]] = [[] for _ in measures]
    for chosen in track(list(_chunk_steps(steps.sizes)), "scoring thresholds"):
        batch = step_batch(data, steps, chosen)
        try:
            scores = score_together(
                measures, batch, solver=options.solver, time_limit=options.time_limit, undefined=options.undefined
            )
        except (UndefinedScore, InfeasibleModel, UnsolvedModel) as error:
            raise _locate_error(error, data, steps, chosen) from None
        for into, each in zip(parts, scores, strict=True):
            into.append(each)
    results = []
    for of_measure in parts:
        values = np.concatenate([each.values for each in of_measure])
        fallbacks = sum(each.fallbacks for each in of_measure if each.exact)
        results.append(StepValues(values, of_measure[0].signature, fallbacks))
    return results


def step_batch(data: AlignedScores, steps: ThresholdSteps, chosen: IntArray) -> Batch:
    """The predicted sets of some steps with their truth, as a batch."""
    return replace(
        data.batch,
        true=data.batch.true.take(steps.rows[chosen]),
        pred=Side(*steps.predicted_sets(data, chosen)),
        ids=None,
    )


def _chunk_steps(sizes: IntArray) -> Iterator[IntArray]:
    """Numbers of consecutive steps, with a limited number of predicted classes."""
    filled = np.cumsum(sizes, dtype=np.int64)
    start = 0
    while start < len(sizes):
        done = int(filled[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(filled, done + CLASSES_AT_ONCE, side="right")))
        yield np.arange(start, stop)
        start = stop


def _locate_error(
    error: UndefinedScore | InfeasibleModel | UnsolvedModel,
    data: AlignedScores,
    steps: ThresholdSteps,
    chosen: IntArray,
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


def threshold_measure(what: str | Measure) -> Measure:
    """A measure of the classes above a threshold; raises for measures of the k greatest scores."""
    resolved = as_measure(what)
    if isinstance(resolved, RankedMeasure):
        raise InvalidOption(f"{resolved} uses the greatest scores and no threshold: hemlp.ranked takes it")
    return resolved


def resolve_measures(measures: Sequence[str | Measure]) -> dict[str, Measure]:
    """The measures by their names, as given."""
    resolved: dict[str, Measure] = {}
    for each in measures:
        name = each if isinstance(each, str) else each.display_name
        if name in resolved:
            raise InvalidOption(f"the measure {name!r} is asked for twice")
        resolved[name] = threshold_measure(each)
    if not resolved:
        raise InvalidOption("a curve needs at least one measure")
    return resolved
