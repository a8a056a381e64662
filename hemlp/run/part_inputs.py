"""The labels of a dataset for whoever asks after the run: read part by part, and only the parts that are needed.

Instances are in the order of the evaluation: below 100,000 that of their ids, in memory, and else that of the files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from hemlp.arrays import IntArray
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.results.inputs import BLOCK, Inputs
from hemlp.run.plan import ID
from hemlp.run.tally import Tally

if TYPE_CHECKING:
    from hemlp.run.evaluation import Evaluation
    from hemlp.run.parts import Parts


@dataclass(frozen=True, eq=False)
class PartIds(Sequence[Label]):
    """The ids of all instances in the order of the files, read when they are asked for."""

    parts: Parts

    @cached_property
    def starts(self) -> IntArray:
        """The number of the first instance of each part, and of all instances."""
        files = self.parts.sides[0].files
        return np.array([0, *accumulate(files.open_file(k).metadata.num_rows for k in range(len(files.names)))])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def __iter__(self) -> Iterator[Label]:
        for k in range(len(self.parts.names)):
            for table in self.parts.sides[0].tables(k, self.parts.size, ID):
                yield from table[ID].to_pylist()

    @overload
    def __getitem__(self, at: int) -> Label: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Label]: ...
    def __getitem__(self, at: int | slice) -> Label | Sequence[Label]:
        if isinstance(at, slice):
            return list(self)[at]
        k = int(np.searchsorted(self.starts, range(len(self))[at], "right")) - 1
        (table,) = self.parts.sides[0].tables(k, 2**62, ID)
        return table[ID][range(len(self))[at] - int(self.starts[k])].as_py()  # type: ignore[no-any-return]


class PartInputs(Inputs):
    """The labels of the ``parts`` of a dataset. ``order``: the ids of all instances, where they are kept."""

    parts: Parts
    order: tuple[Label, ...] | None

    @classmethod
    def of(cls, parts: Parts, tally: Tally) -> PartInputs:
        """Of what was tallied."""
        plan = parts.plan
        systems: Any = dict.fromkeys(plan.systems)
        made = cls(plan.hierarchy, systems, systems, plan.measures, plan.policies, plan.hierarchy.names or None)
        object.__setattr__(made, "parts", parts)
        object.__setattr__(made, "order", None if tally.kept is None else tally.kept.ids)
        return made

    @property
    def cuts(self) -> dict[str, str]:
        """Datasets hold label sets, not scores."""
        return {}

    @cached_property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The same one of all systems."""
        return dict.fromkeys(self.systems, self.given)

    @cached_property
    def ids(self) -> Sequence[Label] | None:  # type: ignore[override]
        """The names of the instances, unless they are rows."""
        if self.parts.first_rows is not None:
            return None
        return PartIds(self.parts) if self.order is None else self.order

    @cached_property
    def batches(self) -> dict[str, Batch]:
        """The labels of all instances, where these are few."""
        if self.order is None:
            return {}
        whole = {}
        for system in self.systems:
            pieces = [batch for k in range(len(self.parts.names)) for batch in self._read(k, system)]
            names = [name for batch in pieces for name in batch.ids or ()]
            places = {name: k for k, name in enumerate(names)}
            rows = np.array([places[name] for name in self.order], np.int64)
            whole[system] = replace(Batch.concatenate(pieces).take(rows), ids=None if self.ids is None else self.order)
        return whole

    def _read(self, k: int, system: str, rows: IntArray | None = None) -> Iterator[Batch]:
        """The batches of a part, or that of some of its rows."""
        plan, done = self.parts.plan, 0
        for table in self.parts.tables(k):
            size = len(table)
            first = None if self.parts.first_rows is None else self.parts.first_rows[k] + done
            here = None if rows is None else rows[(rows >= done) & (rows < done + size)] - done
            done += size
            if here is None or here.size:
                data, ids, _ = plan.read(table, self.parts.names[k], first)
                for batch in plan.batches(data, ids, self.parts.names[k], (system,)):
                    names = tuple(ids if here is None else map(ids.__getitem__, here))
                    yield replace(batch if here is None else batch.take(here), ids=names)

    def blocks(self, system: str, size: int = BLOCK) -> Iterator[tuple[int, Batch]]:
        """Batches of at most ``size`` consecutive instances, each with the number of its first one (from 0)."""
        if self.order is not None:
            yield from super().blocks(system, size)
            return
        start = 0
        for k in range(len(self.parts.names)):
            for batch in self._read(k, system):
                for begin in range(0, len(batch), size):
                    yield start + begin, batch[begin : begin + size]
                start += len(batch)

    def take(self, system: str, rows: Sequence[int]) -> Batch:
        """The instances with these numbers, in their order, from the parts that have them."""
        if self.order is not None:
            return super().take(system, rows)
        wanted, starts = np.asarray(rows, np.int64), PartIds(self.parts).starts
        distinct, back = np.unique(wanted, return_inverse=True)
        pieces: list[Batch] = []
        for k in np.unique(np.searchsorted(starts, distinct, "right") - 1).tolist():
            here = distinct[(distinct >= starts[k]) & (distinct < starts[k + 1])] - starts[k]
            pieces += self._read(k, system, here)
        names = [name for batch in pieces for name in batch.ids or ()]
        ids = None if self.ids is None else tuple(names[place] for place in back)
        return replace(Batch.concatenate(pieces).take(back), ids=ids)


def with_labels(ev: Evaluation, parts: Parts, tally: Tally) -> Evaluation:
    """The evaluation with the labels of its dataset, which are read again when they are asked for.

    Of many instances a page would hold too much: there they serve diagnosis and explanations alone.
    """
    inputs = PartInputs.of(parts, tally)
    if tally.kept is not None:
        return replace(ev, inputs=inputs)
    assert ev.counted is not None
    return replace(ev, counted=replace(ev.counted, inputs=inputs), origin=replace(ev.origin, ids=inputs.ids))  # type: ignore[arg-type]
