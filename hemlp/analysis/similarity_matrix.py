"""A measure between all pairs of some instances, as a matrix for clustering, neighbours and maps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch, UnknownPolicy
from hemlp.instances.label_sets import LabelSets, RowKind
from hemlp.measures.base import Measure
from hemlp.measures.factory import measure as as_measure
from hemlp.measures.information import complete_measures
from hemlp.measures.scoring import UndefinedPolicy
from hemlp.processes.progress import Progress

LABELS_AT_ONCE = 1_000_000
"""Labels of pairs of instances that are scored together."""


def similarities(
    hierarchy: Any, instances: Any, measure: str | Measure, *, corpus: Any = None, unknown: UnknownPolicy = "error",
    rows: RowKind | None = None,
) -> FloatArray:  # fmt: skip
    """The measure between every two instances: row i, column j with i for the true and j for the predicted labels.

    Instances with the same labels are scored once, and by a symmetric measure each pair once. Where the measure is
    undefined, the value is nan.

    Parameters
    ----------
    hierarchy
        Anything that ``Hierarchy.of`` takes.
    instances
        Their label sets: anything that ``LabelSets.of`` takes.
    measure
        A name, a text or a measure: "simUI", "BMA(cost='lin')".
    corpus
        Label sets, for measures that need the information content of classes; by default the instances themselves.
    unknown, rows
        As of ``Batch.of``.

    Returns
    -------
    numpy.ndarray
        Of as many rows and columns as there are instances.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
    >>> similarities(h, ["sheep", "cow", "bird"], "simUI").round(2).tolist()
    [[1.0, 0.5, 0.25], [0.5, 1.0, 0.25], [0.25, 0.25, 1.0]]
    """
    h = Hierarchy.of(hierarchy)
    labels = LabelSets.of(instances, rows=rows, source="instances")
    seen = None if corpus is None else LabelSets.of(corpus, source="corpus")
    (each,) = complete_measures({"": as_measure(measure)}, h, labels, seen, unknown).values()
    batch = Batch.of(h, labels, labels, unknown=unknown, unknown_true=unknown)
    distinct, place = np.unique(batch.first_duplicates(), return_inverse=True)
    return score_all_pairs(each, batch.take(distinct))[np.ix_(place, place)]


def score_all_pairs(each: Measure, batch: Batch, undefined: UndefinedPolicy = "nan") -> FloatArray:
    """The measure between every two distinct true label sets of a batch; by a symmetric measure each pair once."""
    size, symmetric, side = len(batch), "symmetric" in each.invariants, batch.true
    values = np.empty((size, size))
    together = max(1, int(LABELS_AT_ONCE / max(1.0, 2 * side.classes.size / max(1, size))))
    first = 0
    with Progress(size * (size + 1) // 2 if symmetric else size * size, "comparing") as bar:
        while first < size:
            last = min(size, first + max(1, together // (size - first if symmetric else size)))
            begins = np.arange(first, last)
            lengths = size - begins if symmetric else np.full(begins.size, size)
            true = np.repeat(begins, lengths)
            pred = np.concatenate([np.arange(size - length, size) for length in lengths.tolist()])
            pairs = replace(batch, true=side.take(true), pred=side.take(pred), ids=None)
            values[true, pred] = each.score(pairs, undefined=undefined).values
            if symmetric:
                values[pred, true] = values[true, pred]
            bar.advance(true.size)
            first = last
    return values
