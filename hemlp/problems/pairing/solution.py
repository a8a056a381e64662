"""Solutions of Problem 1: the pairs, who went to a default class, and prices that prove an optimum."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.hierarchy.labels import Label
from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.program import Status
from hemlp.problems.pairing.paired import PairedSolution
from hemlp.problems.pairing.proof import Shortage, prove_optimal

if TYPE_CHECKING:
    from hemlp.problems.pairing.model import PairingModel


@dataclass(frozen=True, eq=False)
class Prices:
    """A price of each class (there may be others): what its lower bound costs, or its upper bound saves.

    ``pairs``: (predicted, true) → the price, below 0, of a pair whose capacity binds: it would be chosen again.
    """

    predicted: FloatArray
    true: FloatArray
    pairs: Mapping[tuple[Label, Label], float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class PairingSolution(PairedSolution):
    """Chosen pairs, and how often each class of each side went to a default class, for each instance of ``model``.

    ``shortages``: for instances that have no solution, the classes that cannot have the pairs that they need.
    ``hints``: prices of the predicted and the true classes that the solver found, if it did; the proof begins there.
    """

    model: PairingModel
    statuses: NDArray[np.int8]
    chosen: NDArray[np.bool_]
    to_default: tuple[IntArray, IntArray]
    shortages: dict[int, Shortage] = field(default_factory=dict)
    hints: tuple[FloatArray, FloatArray] | None = None

    def __len__(self) -> int:
        return len(self.model)

    def __getitem__(self, row: int) -> PairingSolution:
        row = range(len(self))[row]
        predicted, true = (
            taken[half.place(row, row + 1)] for half, taken in zip(self.model.halves, self.to_default, strict=True)
        )
        shortages = {0: self.shortages[row]} if row in self.shortages else {}
        chosen = self.chosen[self.model.pairs.place(row, row + 1)]
        return PairingSolution(
            self.model[row], self.statuses[row : row + 1], chosen, (predicted, true), shortages, **self._origins(row)
        )

    def write(self, row: int, solution: PairingSolution) -> None:
        """Put the solution of one instance in its place."""
        self.statuses[row] = solution.statuses[0]
        self.chosen[self.model.pairs.place(row, row + 1)] = solution.chosen
        for half, mine, theirs in zip(self.model.halves, self.to_default, solution.to_default, strict=True):
            mine[half.place(row, row + 1)] = theirs

    @cached_property
    def objectives(self) -> FloatArray:
        """The cost of each instance, computed from its pairs; nan where there is no solution."""
        solved = self.statuses <= Status.FEASIBLE
        return np.where(solved, self.model.costs(self), math.nan)

    def named_pairs(self) -> list[tuple[Label | None, Label | None, float]]:
        """(predicted, true, cost) of each pair of the only instance; None stands for a default class."""
        self._single("named_pairs()")
        m = self.model
        pairs: list[tuple[Label | None, Label | None, float]] = [
            (m.label(PRED, m.ends[PRED][k]), m.label(TRUE, m.ends[TRUE][k]), float(m.kappa[k]))
            for k in np.flatnonzero(self.chosen)
        ]
        for side, (half, taken) in enumerate(zip(m.halves, self.to_default, strict=True)):
            for i in np.flatnonzero(taken):
                ends = (m.label(side, i), None) if side == PRED else (None, m.label(side, i))
                pairs.append((*ends, float(half.default[i])))
        return pairs

    def duals(self) -> Prices:
        """Prices that prove the optimum, from shortest ways in the residual network; InvalidSolution if it is none."""
        found: tuple[list[float], list[float]] = [], []
        binding: dict[tuple[Label, Label], float] = {}
        for i in range(len(self)):
            exact, far = prove_optimal(self.model[i], self[i], f"instance {i + 1}")
            for prices, of_side in zip(found, exact.prices(far), strict=True):
                prices.extend(float(Fraction(price, exact.scale)) for price in of_side)
            for k, price in exact.binding(far):
                row, column = divmod(k, exact.sizes[TRUE])
                ends = exact.model.label(PRED, row), exact.model.label(TRUE, column)
                binding[ends] = float(Fraction(price, exact.scale))
        return Prices(np.array(found[PRED]), np.array(found[TRUE]), binding)
