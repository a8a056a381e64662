"""The measures in scikit-learn's shape: one function each, named after the measure, ``*_score`` or ``*_loss``.

>>> from hemlp import Hierarchy
>>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
>>> f_lca_score(["sheep", "cow"], ["cow", "cow"], hierarchy=h)
0.75
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.errors import InvalidLabelSets, InvalidOption, without_advice
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.instances.sets import LabelSets, Rows
from hemlp.measures.named import NAMED
from hemlp.measures.registry import measure
from hemlp.measures.sets import SetMeasure

DOCUMENTATION = """{name} of predictions; {better} is better.

Parameters
----------
y_true, y_pred
    Label sets, anything that ``LabelSets.of`` takes.
hierarchy
    What they speak of.
labels
    The classes of the columns, where the sides are 0/1 matrices.
rows
    "sets" or "paths": what lists of labels are, where they could be either (see ``LabelSets.of``).
average
    "samples" (mean over instances), None (one value an instance) or, for ratios of sets, "micro".
sample_weight
    One number of at least 0 an instance, for the mean.
parameters
    Of the measure: {parameters}.

Examples
--------
>>> from hemlp import Hierarchy, metrics
>>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
>>> metrics.{function}(["sheep", "cow"], ["sheep", "cow"], hierarchy=h{needed})
{best}
"""
"""Of each function, filled in."""


def _metric(name: str) -> Callable[..., Any]:
    def metric(
        y_true: Any,
        y_pred: Any,
        *,
        hierarchy: Hierarchy,
        labels: Sequence[Label] | None = None,
        rows: Rows | None = None,
        average: str | None = "samples",
        sample_weight: Any = None,
        **parameters: Any,
    ) -> float | FloatArray:
        """See DOCUMENTATION."""
        made = measure(name, **parameters)
        given = (y_true, "y_true"), (y_pred, "y_pred")
        sides = (LabelSets.of(y, labels=labels, rows=rows, source=s) for y, s in given)
        with without_advice():
            batch = Batch.of(hierarchy, *sides)
            if not len(batch):
                raise InvalidLabelSets("y_true and y_pred hold no instance")
            scores = made.score(batch)
        if average is None:
            return scores.values
        if average == "micro" and isinstance(made, SetMeasure) and sample_weight is None:
            return made.micro_average(scores)
        if average != "samples":
            raise InvalidOption(f"average={average!r} is not 'samples', None, or 'micro' (without sample_weight)")
        if sample_weight is None:
            return scores.mean()
        weights = np.asarray(sample_weight, np.float64)
        if weights.shape != scores.values.shape or not (weights >= 0).all() or not weights.sum() > 0:
            raise InvalidOption("sample_weight needs one number of at least 0 an instance, not all of them 0")
        return float(weights @ scores.values / weights.sum())

    template = NAMED[name].template
    parameters = ", ".join(NAMED[name].parameters) or "none"
    best = template.range[1] if template.greater_is_better else template.range[0]
    metric.__name__ = metric.__qualname__ = f"{name.lower()}_{'score' if template.greater_is_better else 'loss'}"
    metric.__doc__ = DOCUMENTATION.format(
        name=name,
        better="greater" if template.greater_is_better else "less",
        parameters=parameters,
        function=metric.__name__,
        needed="".join(f", {key}=dict.fromkeys(h, 1.0)" for key in NAMED[name].needed),
        best=2.0 if math.isinf(best) else best,  # without a best value: the two classes of each closure weigh 1 each
    )
    return metric


globals().update((function.__name__, function) for function in map(_metric, NAMED))
__all__ = sorted(name for name in globals() if name.endswith(("_score", "_loss")))


def __getattr__(name: str) -> Callable[..., Any]:
    raise AttributeError(f"hemlp.metrics has no {name!r}; it has {', '.join(__all__)}")
