"""The instances of a system again, in parts whose lists of ancestors fit into memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hemlp.errors import InvalidOption
from hemlp.hierarchy.labels import Label
from hemlp.hierarchy.reach import Reach
from hemlp.instances.batch import Batch
from hemlp.measures.scoring import as_batch, chunks
from hemlp.options import check_known

if TYPE_CHECKING:
    from hemlp.evaluation.inputs import Inputs
    from hemlp.evaluation.result import Evaluation
    from hemlp.kernels.records import Implied

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
        for rows in chunks(batch, np.arange(len(batch)), length):
            yield start + int(rows[0]), batch[int(rows[0]) : int(rows[-1]) + 1]


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
