"""Evaluation runs: many systems, many measures, in chunks of instances.

>>> from hemlp import Hierarchy
>>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
>>> ev = evaluate(h, ["sheep", "cow"], {"A": ["cow", "cow"], "B": ["animal", "sheep"]}, ["F_H", "F_LCA"])
>>> ev.per_instance("A", "F_LCA").tolist()
[0.5, 1.0]
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from hemlp.errors import InvalidLabelSets, InvalidOption
from hemlp.hierarchy import Hierarchy
from hemlp.labels import Batch, LabelSets, MissingPolicy, UnknownPolicy
from hemlp.measures import measure
from hemlp.progress import Progress
from hemlp.results import Evaluation, Inputs
from hemlp.scores import Scores, joined
from hemlp.scoring import Measure, UndefinedPolicy, check_defined, score_together
from hemlp.vocabulary import Label

MEASURES = ("accuracy", "GIE", "MGIA", "F_H", "SDL", "F_LCA")
"""What the paper's tables show."""
CHUNK = 20_000
"""Instances that are scored at once."""


def evaluate(
    hierarchy: Hierarchy,
    true: Any,
    systems: Any,
    measures: Sequence[str | Measure] = MEASURES,
    *,
    unknown: UnknownPolicy = "error",
    missing: MissingPolicy = "error",
    undefined: UndefinedPolicy = "error",
    workers: int = 1,
    chunk: int = CHUNK,
    progress: bool | None = None,
    names: Mapping[Label, str] | None = None,
) -> Evaluation:
    """Score every system with every measure.

    ``systems`` maps names to predictions; predictions alone are the system "system". All input is checked before
    anything is scored. ``workers`` threads score chunks of ``chunk`` instances side by side; results depend on neither.
    ``progress`` shows a bar on standard error after a second, by default if that is a terminal. ``names``: readable
    names of classes, for explanations and reports.
    """
    named = dict(systems) if _is_mapping_of_systems(systems) else {"system": systems}
    made = named_measures(measures)
    if not named or not made:
        raise InvalidOption("an evaluation needs at least one system and one measure")
    for name, number in (("workers", workers), ("chunk", chunk)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InvalidOption(f"{name}={number!r} is not an integer of at least 1")
    labels = LabelSets.of(true, source="true labels")
    sides = {name: LabelSets.of(pred, source=f"predictions of {name}") for name, pred in named.items()}
    batches = {
        name: Batch.of(hierarchy, labels, pred, unknown=unknown, missing=missing) for name, pred in sides.items()
    }
    for name, batch in batches.items():
        if not len(batch):
            raise InvalidLabelSets(f"{sides[name].source} and {labels.source} hold no instance")
        check_defined(list(made.values()), batch, undefined)
    tasks = [(name, start) for name, batch in batches.items() for start in range(0, len(batch), chunk)]

    with Progress(sum(map(len, batches.values())), progress) as bar, ThreadPoolExecutor(workers) as pool:

        def run(task: tuple[str, int]) -> list[Scores]:
            name, start = task
            part = batches[name][start : start + chunk]
            scores = score_together(list(made.values()), part, undefined=undefined, first_row=start)
            bar.advance(len(part))
            return scores

        parts: dict[str, list[list[Scores]]] = {name: [] for name in batches}
        for (name, _), scores in zip(tasks, pool.map(run, tasks), strict=True):
            parts[name].append(scores)
    return Evaluation(
        {name: dict(zip(made, joined(found), strict=True)) for name, found in parts.items()},
        {name: each.greater_is_better for name, each in made.items()},
        {name: _facts(batch) for name, batch in batches.items()},
        Inputs(batches, made, names),
    )


def _is_mapping_of_systems(systems: Any) -> bool:
    """A mapping from names to predictions, and not one from instance ids to labels."""
    return isinstance(systems, Mapping) and all(isinstance(name, str) for name in systems)


def named_measures(measures: Sequence[str | Measure]) -> dict[str, Measure]:
    """The measures, under the names that they were asked for."""
    if isinstance(measures, str | Measure):
        measures = [measures]
    made: dict[str, Measure] = {}
    for each in measures:
        name = each if isinstance(each, str) else each.name if str(each).startswith(type(each).__name__) else str(each)
        if name in made:
            raise InvalidOption(f"the measure {name!r} is asked for twice")
        made[name] = measure(each)
    return made


def _facts(batch: Batch) -> dict[str, float]:
    sizes = np.diff(batch.pred.ptr)
    return {
        "instances": len(batch),
        "predictions an instance": float(sizes.mean()) if len(sizes) else math.nan,
        "empty predictions": int((sizes == 0).sum()),
        "unknown labels": batch.true.unknown + batch.pred.unknown,
        "missing instances": batch.true.missing + batch.pred.missing,
    }
