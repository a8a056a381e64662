"""Weights of classes from a corpus, and measures that need some: costs lin, resnik and jiang_conrath, simGIC, ICM."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray, pointers, row_pointers
from hemlp.errors import InvalidLabelSets, InvalidOption, without_advice
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch, UnknownPolicy
from hemlp.instances.label_sets import LabelSets, RowKind
from hemlp.measures.base import Measure
from hemlp.measures.catalogue import NAMED
from hemlp.options import plain_number
from hemlp.problems.closure.model import ClosureModel
from hemlp.text.tables import plural

NODES_AT_ONCE = 4_000_000
"""Nodes of closures that are looked at together."""
CLASSES_AT_ONCE = 4_000
"""Classes with several parents that are looked at together."""
DIGITS = 16
"""Hexadecimal digits of a corpus that signatures show."""


def information_content(
    hierarchy: Hierarchy,
    corpus: Any,
    *,
    unseen: float | None = None,
    rows: RowKind | None = None,
    unknown: UnknownPolicy = "error",
) -> dict[Label, float]:
    """Weights of classes: −log of the share of the instances of ``corpus`` whose closure holds the class.

    Parameters
    ----------
    hierarchy
        Its classes are weighed.
    corpus
        Label sets, anything that ``LabelSets.of`` takes.
    unseen
        The weight of a class that no instance has. Without it such a class, which would weigh infinitely much, is an
        error.
    rows
        Whether lists of labels are "sets" or "paths": as of ``LabelSets.of``.
    unknown
        What is done about labels that the hierarchy does not have: as of ``Batch.of``; not "isolate".

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> information_content(h, ["sheep", "cow"])["cow"] == math.log(2)
    True
    """
    shares = class_shares(hierarchy, corpus, rows, unknown)
    _check_seen(hierarchy, shares, unseen, "information content")
    with np.errstate(divide="ignore"):
        values = np.where(shares > 0, -np.log(shares) + 0.0, math.nan if unseen is None else unseen)
    return dict(zip(hierarchy.labels, values.tolist(), strict=True))


def class_shares(
    hierarchy: Hierarchy, corpus: Any, rows: RowKind | None = None, unknown: UnknownPolicy = "error"
) -> FloatArray:
    """n(c) / n(∅): the share of the instances of a corpus whose closure holds the class."""
    size, counts = 0, np.zeros(len(hierarchy), np.int64)
    for ptr, nodes in _closures(hierarchy, corpus, rows, unknown):
        counts += np.bincount(nodes, minlength=len(hierarchy))
        size += len(ptr) - 1
    return np.asarray(counts / size, np.float64)


def information_accretion(
    hierarchy: Hierarchy,
    corpus: Any,
    *,
    smoothing: float = 0,
    unseen: float | None = None,
    rows: RowKind | None = None,
    unknown: UnknownPolicy = "error",
) -> dict[Label, float]:
    """Weights of classes: what a class says beyond its parents (Clark and Radivojac 2013), in bits.

    ia(c) = −log₂(n(c) / n(all parents of c)), where n counts the instances of ``corpus`` whose closure holds the class,
    or every parent of it; for a root all instances. On a tree it is the information content of a class less that of its
    parent.

    Parameters
    ----------
    hierarchy
        Its classes are weighed.
    corpus
        Label sets, anything that ``LabelSets.of`` takes.
    smoothing
        Is added to both counts.
    unseen
        The weight of a class that no instance has. Without it, and without smoothing, such a class, which would weigh
        infinitely much, is an error.
    rows
        Whether lists of labels are "sets" or "paths": as of ``LabelSets.of``.
    unknown
        What is done about labels that the hierarchy does not have: as of ``Batch.of``; not "isolate".

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
    >>> information_accretion(h, ["sheep", "cow", "animal", "animal"])
    {'animal': 0.0, 'cow': 1.0, 'mammal': 1.0, 'sheep': 1.0}
    """
    added = plain_number("smoothing", smoothing, 0)
    size, counts, whole = 0, np.zeros(len(hierarchy), np.int64), np.zeros(len(hierarchy), np.int64)
    for ptr, nodes in _closures(hierarchy, corpus, rows, unknown):
        counts += np.bincount(nodes, minlength=len(hierarchy))
        whole += _with_all_parents(hierarchy, ptr, nodes)
        size += len(ptr) - 1
    number = np.diff(hierarchy.parent_ptr)
    whole[number == 0] = size
    single = np.flatnonzero(number == 1)
    whole[single] = counts[hierarchy.parent_idx[hierarchy.parent_ptr[single]]]
    _check_seen(hierarchy, counts + added, unseen, "information accretion")
    with np.errstate(divide="ignore", invalid="ignore"):
        values = -np.log2((counts + added) / (whole + added)) + 0.0
    if unseen is not None:
        values[counts == 0] = unseen
    return dict(zip(hierarchy.labels, values.tolist(), strict=True))


def _with_all_parents(h: Hierarchy, ptr: IntArray, nodes: IntArray) -> IntArray:
    """For each class with several parents the number of closures that hold all of them; 0 for others."""
    held = np.sort(np.repeat(np.arange(len(ptr) - 1), np.diff(ptr)) * len(h) + nodes)
    rows, classes = np.divmod(held, len(h))
    by_class = np.argsort(classes, kind="stable")
    begin = row_pointers(classes[by_class], len(h))
    sizes = np.diff(begin)
    together = np.zeros(len(h), np.int64)
    several = np.flatnonzero(np.diff(h.parent_ptr) > 1)
    parents = np.arange(h.parent_idx.size)
    of_child = np.repeat(np.arange(len(h)), np.diff(h.parent_ptr))
    rarest_first = np.lexsort((parents, sizes[h.parent_idx], of_child))
    listed = h.parent_idx[rarest_first]  # the parents of each class, the rarest first
    for start in range(0, several.size, CLASSES_AT_ONCE):
        chosen = several[start : start + CLASSES_AT_ONCE]
        rarest = listed[h.parent_ptr[chosen]]
        within = pointers(sizes[rarest])
        at = np.repeat(begin[rarest] - within[:-1], sizes[rarest]) + np.arange(within[-1])
        row, child = rows[by_class[at]], np.repeat(chosen, sizes[rarest])
        place = 1
        while row.size:
            done = h.parent_ptr[child] + place >= h.parent_ptr[child + 1]
            together += np.bincount(child[done], minlength=len(h))
            row, child = row[~done], child[~done]
            keys = row * len(h) + listed[h.parent_ptr[child] + place]
            there = held[np.minimum(np.searchsorted(held, keys), held.size - 1)] == keys
            row, child, place = row[there], child[there], place + 1
    return together


def _closures(
    hierarchy: Hierarchy, corpus: Any, rows: RowKind | None, unknown: UnknownPolicy
) -> Iterator[tuple[IntArray, IntArray]]:
    """The closures of consecutive instances of a corpus (CSR), a limited number at a time."""
    labels = LabelSets.of(corpus, rows=rows, source="corpus")
    if not len(labels):
        raise InvalidLabelSets(f"{labels.source}: the corpus holds no instance")
    policy: UnknownPolicy = "error" if unknown == "isolate" else unknown
    with without_advice():
        batch = Batch.of(hierarchy, labels, labels, unknown=policy, unknown_true=policy)
    model = ClosureModel("", batch, "up", np.ones(len(hierarchy) + 1))
    done = 0
    while done < len(batch):
        ptr, nodes, _ = model.closures(done, NODES_AT_ONCE)
        yield ptr, nodes
        done += len(ptr) - 1


def _check_seen(hierarchy: Hierarchy, counts: IntArray | FloatArray, unseen: float | None, what: str) -> None:
    plain_number("unseen", unseen, 0)
    if unseen is None and (counts == 0).any():
        first, *others = np.flatnonzero(counts == 0).tolist()
        more = f" (and {len(others):,} more)" if others else ""
        raise InvalidOption(
            f"the class {hierarchy.labels[first]!r}{more} is in no closure of the corpus: its {what} is infinite; "
            f"give unseen= a weight for such classes"
        )


def complete_measures(
    measures: Mapping[str, Measure], h: Hierarchy, own: LabelSets, corpus: LabelSets | None,
    unknown: UnknownPolicy = "error",
) -> dict[str, Measure]:  # fmt: skip
    """The measures with information content where they need some and have none.

    It is that of the ``corpus``, where a class of no instance counts as one of a single instance; costs take it from
    the instances of the run themselves (``own``) if there is no corpus, with a warning.
    """
    made, source = dict(measures), own if corpus is None else corpus

    @cache
    def weights(accretion: bool) -> dict[Label, float]:
        if accretion:
            return information_accretion(h, source, unseen=0.0, unknown=unknown)
        return information_content(h, source, unseen=math.log(max(1, len(source))), unknown=unknown)

    for name, each in measures.items():
        inner: Any = getattr(each, "measure", each)  # of the greatest scores, or with rows of its own
        needed = NAMED[inner.name].needed if inner.name in NAMED else {}
        changes: dict[str, Any] = {}
        if getattr(getattr(inner, "cost", None), "lacks_weights", False):
            changes["cost"] = replace(inner.cost, weights=weights(False), corpus=source.digest[:DIGITS])
        if corpus is not None and "weights" in needed and inner.fields["weights"] is None:
            changes["weights"] = weights("accretion" in needed["weights"])
        if changes:
            complete = inner.changed(**changes)
            made[name] = complete if inner is each else each.changed(measure=complete)
        if "cost" in changes and corpus is None:
            warnings.warn(
                f"{name or each}: information content of classes from the {plural(len(own), 'instance')} that are "
                f"scored; a corpus of other instances (corpus=, --corpus FILE) does not depend on them",
                stacklevel=4,
            )
    return made
