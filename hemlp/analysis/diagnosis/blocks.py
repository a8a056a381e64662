"""The instances of a system again, in parts whose lists of ancestors fit into memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.hierarchy.reach import Reach
from hemlp.instances.batch import Batch
from hemlp.measures.scoring import as_batch, split_rows
from hemlp.options import check_known

if TYPE_CHECKING:
    from hemlp.kernels.records import Implied
    from hemlp.results.evaluation import Evaluation
    from hemlp.run.inputs import Inputs

Systems = str | Sequence[str] | None
"""A system, several of them, or None for all."""


def inputs_of(ev: Evaluation) -> Inputs:
    """The labels that were evaluated; an error where only the scores are left of them."""
    if ev.inputs is None:
        raise InvalidOption("this evaluation was read from a file, which does not hold its data: evaluate again")
    return ev.inputs


def chosen_systems(ev: Evaluation, systems: Systems) -> list[str]:
    """Names of systems, each of which there is."""
    names = ev.systems if systems is None else [systems] if isinstance(systems, str) else list(systems)
    for name in names:
        check_known("system", name, ev.systems)
    if not names or len(set(names)) < len(names):
        raise InvalidOption(f"{names!r} are not different systems: give one or several of {', '.join(ev.systems)}")
    return names


def parts(inputs: Inputs, system: str) -> Iterator[tuple[int, Batch]]:
    """All instances of a system, in parts of consecutive ones, each with the number of its first one (from 0)."""
    length = inputs.hierarchies[system].upward.mean_length
    for start, block in inputs.blocks(system):
        batch = as_batch(block, None, None)
        for rows in split_rows(batch, np.arange(len(batch)), length):
            yield start + int(rows[0]), batch[int(rows[0]) : int(rows[-1]) + 1]


def joint(inputs: Inputs, first: str, second: str) -> Hierarchy:
    """A hierarchy with the classes of two systems."""
    one, other = inputs.hierarchies[first], inputs.hierarchies[second]
    return one if one is other else one.with_isolated(other.labels)


def of_both(inputs: Inputs, first: str, second: str) -> Iterator[Batch]:
    """What two systems predicted, as the two sides of batches whose lists of ancestors fit into memory."""
    h = joint(inputs, first, second)
    of_systems = [inputs.hierarchies[system] for system in (first, second)]
    renamed = [None if each is h else h.numbers(each.labels).astype(np.int32) for each in of_systems]
    for (_, left), (_, right) in zip(inputs.blocks(first), inputs.blocks(second), strict=True):
        sides = [
            side if new is None else replace(side, classes=new[side.classes])
            for side, new in zip((left.pred, right.pred), renamed, strict=True)
        ]
        batch = replace(left, hierarchy=h, pred=sides[0], true=sides[1])
        for rows in split_rows(batch, np.arange(len(batch)), h.upward.mean_length):
            yield batch[int(rows[0]) : int(rows[-1]) + 1]


def aligned(inputs: Inputs, systems: Sequence[str]) -> tuple[Sequence[Label], list[IntArray]]:
    """The classes of all systems, and for each system their numbers in its hierarchy, -1 where it has no such class."""
    hierarchies = [inputs.hierarchies[system] for system in systems]
    if all(h is hierarchies[0] for h in hierarchies):
        return hierarchies[0].labels, [np.arange(len(hierarchies[0]))] * len(systems)
    labels = list(dict.fromkeys(label for h in hierarchies for label in h.labels))
    return labels, [h.numbers(labels) for h in hierarchies]


def first_by(values: IntArray | FloatArray) -> IntArray:
    """What is greatest first, or of several systems (systems × rows) that in which they differ most."""
    greatest = values.max(axis=0)
    return np.lexsort((-greatest, values.min(axis=0) - greatest if len(values) > 1 else np.zeros(greatest.size)))


def labelled(
    inputs: Inputs, labels: Sequence[Label], rows: IntArray, columns: Sequence[Sequence[Any]]
) -> list[tuple[Any, ...]]:
    """Rows of a table: the label of each class, its name if there are names, and what is said about it."""
    texts = [(labels[c], *named(inputs, labels[c])) for c in rows.tolist()]
    return [(*text, *values) for text, *values in zip(texts, *columns, strict=True)]


def implied(lists: Reach) -> Implied:
    """Lists as compiled code takes them."""
    from hemlp.kernels.records import Implied

    return Implied(lists.ptr, lists.nodes, lists.gate_at >= 0, lists.beyond >= 0)


def named(inputs: Inputs, label: Label) -> tuple[str, ...]:
    """The cell of a class in the column "name", if there are names."""
    return () if inputs.names is None else (inputs.names.get(label, ""),)


def name_column(inputs: Inputs) -> tuple[str, ...]:
    """That column, if there are names."""
    return () if inputs.names is None else ("name",)
