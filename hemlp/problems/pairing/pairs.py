"""How the data of Problem 1 lie in arrays: pairs of a predicted and a true class, the bounds of the classes, and the
records of both that compiled code takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import FloatArray, IntArray, pointers, row_places
from hemlp.errors import InvalidSolution
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch, Side
from hemlp.instances.sides import PRED, TRUE

if TYPE_CHECKING:
    from hemlp.kernels.flow.circulations import Circulations
    from hemlp.kernels.flow.pairing import Pairing
    from hemlp.problems.pairing.model import PairingModel
    from hemlp.problems.pairing.solution import PairingSolution


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of a batch: those of instance i from ``ptr[i]`` on, one row a predicted class."""

    ptr: IntArray

    @classmethod
    def of(cls, batch: Batch) -> Pairs:
        """The layout of the pairs of ``batch``."""
        return cls(pointers(batch.pred.sizes * batch.true.sizes))

    def place(self, start: int, stop: int) -> slice:
        """Where the pairs of the instances from ``start`` on and before ``stop`` are."""
        return slice(int(self.ptr[start]), int(self.ptr[stop]))

    def ends(self, batch: Batch) -> tuple[IntArray, IntArray]:
        """Positions, in ``batch.pred.classes`` and ``batch.true.classes``, of the two ends of each pair."""
        instance = np.repeat(np.arange(len(batch)), np.diff(self.ptr))
        offset = np.arange(self.ptr[-1]) - self.ptr[instance]
        width = batch.true.sizes[instance]
        row, column = np.divmod(offset, np.maximum(width, 1))
        return batch.pred.ptr[instance] + row, batch.true.ptr[instance] + column

    def classes(self, batch: Batch) -> tuple[IntArray, IntArray]:
        """The predicted and the true class of each pair."""
        at_pred, at_true = self.ends(batch)
        return batch.pred.classes[at_pred], batch.true.classes[at_true]

    def labels(self, batch: Batch, pair: int) -> tuple[Label, Label]:
        """The labels of the predicted and the true class of one pair."""
        predicted, true = (batch.hierarchy.labels[classes[pair]] for classes in self.classes(batch))
        return predicted, true


@dataclass(frozen=True, eq=False)
class SideBounds:
    """One side of Problem 1: of each class its bounds α and β, and what its default class costs (infinite: none)."""

    side: Side
    lower: IntArray
    upper: IntArray
    default: FloatArray

    @cached_property
    def with_default(self) -> IntArray:
        """Positions of the classes that have a default class."""
        return np.flatnonzero(np.isfinite(self.default))

    def part(self, start: int, stop: int) -> SideBounds:
        """The classes of the instances from ``start`` on and before ``stop``."""
        one = self.place(start, stop)
        return SideBounds(self.side.part(start, stop), self.lower[one], self.upper[one], self.default[one])

    def take(self, rows: IntArray, side: Side) -> SideBounds:
        """The classes of some instances, which are now those of ``side``."""
        at = row_places(self.side.ptr, rows)
        return SideBounds(side, self.lower[at], self.upper[at], self.default[at])

    def place(self, start: int, stop: int) -> slice:
        """Where those classes are."""
        return slice(int(self.side.ptr[start]), int(self.side.ptr[stop]))


def given_data(model: PairingModel) -> Pairing:
    """Costs, default costs and bounds of all instances."""
    from hemlp.kernels.flow.pairing import Pairing

    predicted, true = model.halves
    return Pairing(
        (predicted.side.ptr, true.side.ptr, model.pairs.ptr), model.kappa, model.serves,
        (predicted.default, true.default), (predicted.lower, predicted.upper), (true.lower, true.upper),
    )  # fmt: skip


def flow_data(model: PairingModel) -> Circulations:
    """The arcs of all instances."""
    from hemlp.kernels.flow.circulations import Circulations

    arcs = model.circulation
    return Circulations((arcs.first_nodes, arcs.ptr), (arcs.tail, arcs.head), (arcs.lower, arcs.upper), arcs.cost)


def closed_form(model: PairingModel) -> str | None:
    """Whether its bounds are those of "all" pairs, of a "cover" or of a "matching", whose optima have closed forms."""
    sizes = [half.side.sizes for half in model.halves]
    others = [np.repeat(sizes[1 - side], sizes[side]) for side in (PRED, TRUE)]
    halves = list(zip(model.halves, others, strict=True))
    defaults = [np.isfinite(half.default) for half in model.halves]
    no_default = not any(of.any() for of in defaults)
    if no_default and (model.serves == 3).all() and all((half.lower == other).all() for half, other in halves):
        return "all"  # one pair, too
    if not all((half.lower == 1).all() for half in model.halves):
        return None
    if all((half.upper >= other).all() for half, other in halves):
        return "cover"
    everybody = all(of.all() for of in defaults)
    return "matching" if everybody and all((half.upper == 1).all() for half in model.halves) else None


def check_sizes(model: PairingModel, solution: PairingSolution) -> tuple[FloatArray, FloatArray]:
    """Raise InvalidSolution where a value is missing, or too many; the prices that a solver found, 0 without any."""
    sizes = [(model.kappa.size, solution.chosen.size), (model.pairs.ptr.size - 1, solution.statuses.size)]
    sizes += [(half.default.size, n.size) for half, n in zip(model.halves, solution.to_default, strict=True)]
    if model.arcs is not None:
        sizes.append((model.arcs.cost.size, 0 if solution.flow is None else solution.flow.size))
    for wanted, given in sizes:
        if wanted != given:
            raise InvalidSolution(f"the solution has {given} values where {wanted} are needed")
    counts, hints = [half.default.size for half in model.halves], solution.hints
    if hints is None or [of.size for of in hints] != counts:
        return np.zeros(counts[PRED]), np.zeros(counts[TRUE])
    return np.ascontiguousarray(hints[PRED], np.float64), np.ascontiguousarray(hints[TRUE], np.float64)
