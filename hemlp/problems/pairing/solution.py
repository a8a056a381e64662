"""Solutions of Problem 1: the pairs, who went to a default class, and prices that prove an optimum."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.hierarchy.labels import Label
from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.program import Status
from hemlp.optimize.solution_display import LeastCostSolution
from hemlp.problems.pairing.circulation import Group
from hemlp.problems.pairing.describe import Arcs
from hemlp.problems.pairing.proof import prove_cheapest
from hemlp.text.tables import Table

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
class PairingSolution(LeastCostSolution):
    """How often each pair is chosen, and how often each class of each side went to a default class.

    For each instance of ``model``. ``chosen`` are truth values where a pair is chosen at most once. ``flow``: what
    each arc of the circulation carries, where there are further capacities, which pairs alone do not tell. ``cuts``:
    for instances that have no solution, nodes of the circulation that must take in more than can leave them. ``hints``:
    dual values that the solver found, of predicted and true classes or of the nodes; the proof begins there.
    """

    model: PairingModel
    statuses: NDArray[np.int8]
    chosen: NDArray[Any]
    to_default: tuple[IntArray, IntArray]
    flow: IntArray | None = field(default=None, repr=False)
    cuts: dict[int, frozenset[int]] = field(default_factory=dict)
    hints: tuple[FloatArray, ...] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.model)

    def __getitem__(self, row: int) -> PairingSolution:
        row = range(len(self))[row]
        m = self.model
        predicted, true = (
            taken[half.place(row, row + 1)] for half, taken in zip(m.halves, self.to_default, strict=True)
        )
        return PairingSolution(
            m[row], self.statuses[row : row + 1], self.chosen[m.pairs.place(row, row + 1)], (predicted, true),
            None if self.flow is None else self.flow[m.circulation.place(row)],
            {0: self.cuts[row]} if row in self.cuts else {}, **self._origins(row),
        )  # fmt: skip

    def write(self, row: int, solution: PairingSolution) -> None:
        """Put the solution of one instance in its place."""
        m = self.model
        self.statuses[row] = solution.statuses[0]
        self.chosen[m.pairs.place(row, row + 1)] = solution.chosen
        for half, mine, theirs in zip(m.halves, self.to_default, solution.to_default, strict=True):
            mine[half.place(row, row + 1)] = theirs
        if self.flow is not None:
            self.flow[m.circulation.place(row)] = solution.flow

    @cached_property
    def objectives(self) -> FloatArray:
        """The cost of each instance, computed from its pairs; nan where there is no solution."""
        return np.where(self.statuses <= Status.FEASIBLE, self.model.costs(self), math.nan)

    @property
    def objective(self) -> float:
        """The cost of the only instance."""
        self._single("objective")
        return float(self.objectives[0])

    @property
    def status(self) -> Status:
        """The status of the only instance."""
        self._single("status")
        return Status(self.statuses[0])

    def _single(self, what: str) -> None:
        if len(self) != 1:
            raise ValueError(f"{what} is for one instance, this solution has {len(self)}: take solution[i].{what}")

    def named_pairs(self) -> list[tuple[Any, ...]]:
        """(predicted, true, cost) of each pair of the only instance, as often as it is chosen; None: a default class.

        Of a transport once each, with the mass that it carries at the end.
        """
        self._single("named_pairs()")
        m, arcs, flow = self.model, self.model.circulation, self.model.flow(self)
        found: list[tuple[Any, ...]] = []
        for a in np.flatnonzero((arcs.group <= Group.FROM_DEFAULT) & (flow > 0)):
            ends = (arcs.first[a], PRED), (arcs.second[a], TRUE)
            pair = *(None if at < 0 else m.label(side, at) for at, side in ends), float(arcs.cost[a])
            found += [pair] * int(flow[a]) if m.units is None else [(*pair, int(flow[a]) / int(m.units[0]))]
        return found

    def duals(self) -> Prices:
        """Prices that prove the optimum, from shortest paths in the residual network; InvalidSolution if it is none."""
        m, flow = self.model, self.model.flow(self)
        found: tuple[list[float], list[float]] = [], []
        binding: dict[tuple[Label, Label], float] = {}
        for i in range(len(self)):
            one = m.circulation.part(i, i + 1)
            exact, potential = prove_cheapest(one, flow[m.circulation.place(i)].tolist(), f"instance {i + 1}")
            for side in (PRED, TRUE):
                ends = [(int(one.tail[a]), int(one.head[a])) for a in one.class_arcs(side)]
                found[side].extend(float(Fraction(potential[t] - potential[h], exact.scale)) for t, h in ends)
            for a in np.flatnonzero((one.group == Group.PAIR) & (one.upper > 0)).tolist():
                reduced = exact.cost[a] + potential[one.tail[a]] - potential[one.head[a]]
                if reduced < 0:
                    pair = m.label_in(i, PRED, one.first[a]), m.label_in(i, TRUE, one.second[a])
                    binding[pair] = float(Fraction(reduced, exact.scale))
        return Prices(np.array(found[PRED]), np.array(found[TRUE]), binding)

    def prices(self) -> list[tuple[str, float]]:
        """What is paid beside pairs in the only instance: for what, and how much."""
        self._single("prices()")
        arcs, flow, of = self.model.circulation, self.model.flow(self), Arcs(self.model)
        paid = np.flatnonzero((arcs.group > Group.FROM_DEFAULT) & (flow > 0) & (arcs.cost > 0))
        return [(of.words(a), float(arcs.cost[a] * flow[a])) for a in paid.tolist()]

    def _found(self) -> Table:
        head = ["predicted", "true", "cost"] + ([] if self.model.units is None else ["mass"])
        return Table(head, [["default class" if of is None else of for of in pair] for pair in self.named_pairs()])
