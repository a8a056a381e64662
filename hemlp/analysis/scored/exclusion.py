"""Classes that are excluded from scoring: for all instances, or by instance with their ancestors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from hemlp.analysis.scored.aligned_scores import AlignedScores
from hemlp.arrays import IntArray
from hemlp.errors import InvalidOption
from hemlp.instances.label_sets import LabelSets
from hemlp.instances.scored_sets import ScoredSets
from hemlp.kernels.records import Rows
from hemlp.text.tables import plural


def as_exclusion(exclude: Any) -> list[Any] | LabelSets | None:
    """A list of classes as given; classes per instance as label sets."""
    if exclude is None or isinstance(exclude, LabelSets):
        return exclude
    if isinstance(exclude, Iterable) and not isinstance(exclude, str | bytes | Mapping):
        listed = list(exclude)
        if all(isinstance(each, str | int | np.integer) for each in listed):
            return listed
        exclude = listed
    return LabelSets.of(exclude, rows="sets", source="exclude")


def resolve_exclusion(
    data: AlignedScores, exclude: list[Any] | LabelSets | None
) -> tuple[IntArray, tuple[IntArray, IntArray] | None]:
    """The classes that never count, and those of each instance, with their ancestors."""
    from hemlp.kernels.ranking.sweep import reached

    if not isinstance(exclude, LabelSets):
        return np.array([data.hierarchy.id(label) for label in exclude or ()], np.int64), None
    rows = np.repeat(np.arange(len(exclude)), np.diff(exclude.ptr))
    s = ScoredSets.from_entries(exclude.vocabulary, rows, exclude.codes, np.zeros(rows.size), len(exclude), exclude.ids,
                            exclude.source, exclude.lines, "max")  # fmt: skip
    ids = data.batch.ids
    if (s.ids is None) != (ids is None) or (ids is None and len(s) != len(data)):
        raise InvalidOption(
            f"what is excluded has {plural(len(s), 'instance')}, the gold has {len(data):,}: give both ids"
        )
    known, _ = (s if ids is None else s.take(ids)).look_up(data.hierarchy)
    ptr, nodes, _ = reached(Rows(data.hierarchy.parent_ptr, data.hierarchy.parent_idx), Rows(known.ptr, known.codes))
    return np.empty(0, np.int64), (ptr, nodes)
