"""Access to the labels of systems for diagnosis: batches that fit into memory, common classes, rows of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.hierarchy.reach import Reach
from hemlp.instances.batch import Batch
from hemlp.kernels.records import Implied, Sides
from hemlp.measures.scoring import as_batch, split_rows
from hemlp.options import check_known
from hemlp.results.inputs import Inputs, dropped_notes
from hemlp.results.results import Results, require_inputs
from hemlp.text.tables import Table

SystemChoice = str | Sequence[str] | None
"""A system, several of them, or None for all."""


def choose_systems(ev: Results, systems: SystemChoice) -> list[str]:
    """The names of the chosen systems; raises where one does not exist."""
    names = ev.systems if systems is None else [systems] if isinstance(systems, str) else list(systems)
    for name in names:
        check_known("system", name, ev.systems)
    if not names or len(set(names)) < len(names):
        raise InvalidOption(f"{names!r} are not different systems: give one or several of {', '.join(ev.systems)}")
    return names


def iter_batches(inputs: Inputs, system: str) -> Iterator[tuple[int, Batch]]:
    """All instances of a system in batches of consecutive ones, each with the number of its first one (from 0)."""
    for start, block in inputs.blocks(system):
        yield from ((start + first, batch) for first, batch in split_batch(as_batch(block, None, None)))


def split_batch(batch: Batch) -> Iterator[tuple[int, Batch]]:
    """Consecutive instances whose lists of ancestors fit into memory, with the number of the first one (from 0)."""
    for rows in split_rows(batch, np.arange(len(batch)), batch.hierarchy.upward.mean_length):
        yield int(rows[0]), batch[int(rows[0]) : int(rows[-1]) + 1]


def joint_hierarchy(inputs: Inputs, first: str, second: str) -> Hierarchy:
    """A hierarchy with the classes of two systems."""
    one, other = inputs.hierarchies[first], inputs.hierarchies[second]
    return one if one is other else one.with_isolated(other.labels)


def iter_prediction_pairs(inputs: Inputs, first: str, second: str) -> Iterator[Batch]:
    """The predictions of two systems as the two sides of batches whose lists of ancestors fit into memory."""
    h = joint_hierarchy(inputs, first, second)
    of_systems = [inputs.hierarchies[system] for system in (first, second)]
    renamed = [None if each is h else h.numbers(each.labels).astype(np.int32) for each in of_systems]
    for (_, left), (_, right) in zip(inputs.blocks(first), inputs.blocks(second), strict=True):
        sides = [
            side if new is None else replace(side, classes=new[side.classes])
            for side, new in zip((left.pred, right.pred), renamed, strict=True)
        ]
        batch = replace(left, hierarchy=h, pred=sides[0], true=sides[1])
        yield from (part for _, part in split_batch(batch))


def align_classes(inputs: Inputs, systems: Sequence[str]) -> tuple[Sequence[Label], list[IntArray]]:
    """The classes of all systems, and for each system their numbers in its hierarchy, -1 where it has no such class."""
    hierarchies = [inputs.hierarchies[system] for system in systems]
    if all(h is hierarchies[0] for h in hierarchies):
        return hierarchies[0].labels, [np.arange(len(hierarchies[0]))] * len(systems)
    labels = list(dict.fromkeys(label for h in hierarchies for label in h.labels))
    return labels, [h.numbers(labels) for h in hierarchies]


def order_by_value(values: IntArray | FloatArray) -> IntArray:
    """The order of rows (systems × rows): greatest value first; for several systems the greatest difference first."""
    greatest = values.max(axis=0)
    return np.lexsort((-greatest, values.min(axis=0) - greatest if len(values) > 1 else np.zeros(greatest.size)))


def system_heads(systems: Sequence[str], *columns: str) -> list[str]:
    """The heads of columns that each system has; with the name of the system if there are several."""
    return [f"{system} {column}" if len(systems) > 1 else column for system in systems for column in columns]


def class_table(
    ev: Results, head: Sequence[str], labels: Sequence[Label], rows: IntArray, columns: Sequence[Sequence[Any]],
    notes: Sequence[str],
) -> Table:  # fmt: skip
    """A table of classes: the label and, if there are names, the name of each; then the columns."""
    inputs = require_inputs(ev)
    texts = [(labels[c], *name_cell(inputs, labels[c])) for c in rows.tolist()]
    cells = [(*text, *values) for text, *values in zip(texts, *columns, strict=True)]
    names = () if inputs.names is None else ("name",)
    return Table([head[0], *names, *head[1:]], cells, [*notes, *dropped_notes(ev.facts)])


def as_implied(lists: Reach) -> Implied:
    """Lists of ancestors in the form that kernels take."""
    return Implied(lists.ptr, lists.nodes, lists.hub_at >= 0, lists.beyond >= 0)


def as_sides(batch: Batch, rows: IntArray) -> Sides:
    """Both sides in the form that kernels take; ``rows``: for each class a number in its place."""
    pred, true = batch.sides
    return Sides(pred.ptr, rows[pred.classes], true.ptr, rows[true.classes])


def name_cell(inputs: Inputs, label: Label) -> tuple[str, ...]:
    """The cell of a class in the column "name", if there are names."""
    return () if inputs.names is None else (inputs.names.get(label, ""),)
