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

from hemlp.edges import FloatArray, IntArray
from hemlp.pairing_proof import Shortage, prove_optimal
from hemlp.program import STATUSES, Status
from hemlp.vocabulary import Label

if TYPE_CHECKING:
    from hemlp.pairing import PairingModel


@dataclass(frozen=True, eq=False)
class Prices:
    """A price of each class (there may be others): what its lower bound costs, or its upper bound saves.

    ``pairs``: (predicted, true) → the price, below 0, of a pair whose capacity binds: it would be chosen again.
    """

    predicted: FloatArray
    true: FloatArray
    pairs: Mapping[tuple[Label, Label], float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class PairingSolution:
    """Chosen pairs, and how often each class went to a default class, for each instance of ``model``.

    ``shortages``: for instances that have no solution, the classes that cannot have the pairs that they need.
    """

    model: PairingModel
    statuses: NDArray[np.int8]
    chosen: NDArray[np.bool_]
    to_default_p: IntArray
    to_default_t: IntArray
    shortages: dict[int, Shortage] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.model)

    def __getitem__(self, row: int) -> PairingSolution:
        row = range(len(self))[row]
        x, p, t = self.model.places(row, row + 1)
        shortages = {0: self.shortages[row]} if row in self.shortages else {}
        one = self.chosen[x], self.to_default_p[p], self.to_default_t[t], shortages
        return PairingSolution(self.model[row], self.statuses[row : row + 1], *one)

    @cached_property
    def objectives(self) -> FloatArray:
        """The cost of each instance, computed from its pairs; nan where there is no solution."""
        solved = self.statuses <= STATUSES.index(Status.FEASIBLE)
        return np.where(solved, self.model.costs(self), math.nan)

    @property
    def objective(self) -> float:
        """The cost of the only instance."""
        self._single("objective")
        return float(self.objectives[0])

    @property
    def status(self) -> Status:
        """The status of the only instance."""
        self._single("status")
        return STATUSES[int(self.statuses[0])]

    def _single(self, what: str) -> None:
        if len(self) != 1:
            raise ValueError(f"{what} is for one instance, this solution has {len(self)}: take solution[i].{what}")

    def named_pairs(self) -> list[tuple[Label | None, Label | None, float]]:
        """(predicted, true, cost) of each pair of the only instance; None stands for a default class."""
        self._single("named_pairs()")
        m = self.model
        at_p, at_t = m.ends
        pairs: list[tuple[Label | None, Label | None, float]] = [
            (m._label("pred", at_p[k]), m._label("true", at_t[k]), float(m.kappa[k]))
            for k in np.flatnonzero(self.chosen)
        ]
        pairs += [(m._label("pred", i), None, float(m.default_p[i])) for i in np.flatnonzero(self.to_default_p)]
        return pairs + [(None, m._label("true", j), float(m.default_t[j])) for j in np.flatnonzero(self.to_default_t)]

    def duals(self) -> Prices:
        """Prices that prove the optimum, from shortest ways in the residual network; InvalidSolution if it is none."""
        found: tuple[list[float], list[float]] = [], []
        binding: dict[tuple[Label, Label], float] = {}
        for i in range(len(self)):
            exact, far = prove_optimal(self.model[i], self[i], f"instance {i + 1}")
            y_p, y_t = exact.prices(far)
            found[0].extend(float(Fraction(y, exact.scale)) for y in y_p)
            found[1].extend(float(Fraction(y, exact.scale)) for y in y_t)
            for k, price in exact.binding(far):
                ends = exact.model._label("pred", k // exact.width), exact.model._label("true", k % exact.width)
                binding[ends] = float(Fraction(price, exact.scale))
        return Prices(np.array(found[0]), np.array(found[1]), binding)
