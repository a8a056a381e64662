"""Solutions of Problem 1: the pairs, who went to a default class, and prices that prove an optimum."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hemlp.edges import FloatArray, IntArray
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
    """Chosen pairs, and how often each class went to a default class, for each instance of ``model``."""

    model: PairingModel
    statuses: NDArray[np.int8]
    chosen: NDArray[np.bool_]
    to_default_p: IntArray
    to_default_t: IntArray

    def __len__(self) -> int:
        return len(self.model)

    def __getitem__(self, row: int) -> PairingSolution:
        batch, row = self.model.batch, range(len(self))[row]
        return PairingSolution(
            self.model[row], self.statuses[row : row + 1],
            self.chosen[self.model.pairs.ptr[row] : self.model.pairs.ptr[row + 1]],
            self.to_default_p[batch.pred.ptr[row] : batch.pred.ptr[row + 1]],
            self.to_default_t[batch.true.ptr[row] : batch.true.ptr[row + 1]],
        )  # fmt: skip

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
        """Prices that prove the optimum, from shortest paths in the residual network; InvalidSolution if it is none."""
        network, flow = self.model.network(self)
        home_p, home_t, p, t = self.model._nodes()
        # without a limit on what returns from sink to source both have the same price
        back = (network.tails == network.heads + 1) & (network.tails < 4 * len(self)) & (network.tails % 4 == 1)
        loose = replace(
            network, lower=np.where(back, flow - 1, network.lower), upper=np.where(back, flow + 1, network.upper)
        )
        price = loose.potentials(flow)
        prices = Prices(price[home_p] - price[p], price[t] - price[home_t])
        model, reduced = self.model, self.model._reduced(prices)
        at_p, at_t = model.ends
        binding = {
            (model._label("pred", at_p[k]), model._label("true", at_t[k])): float(value)
            for k, value in zip(model.x, reduced, strict=True)
            if value < -1e-9
        }
        return replace(prices, pairs=binding)
