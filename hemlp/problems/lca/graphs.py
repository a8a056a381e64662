"""Minimal LCA graphs as solutions: chosen LCAs, drawn paths, node sets, and their order."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.program import Status


@dataclass(frozen=True)
class LcaGraphs:
    """A solution: the chosen LCAs, the drawn links as (side, path from the class up to the LCA), and both node sets."""

    lcas: frozenset[int]
    paths: tuple[tuple[int, tuple[int, ...]], ...]

    @cached_property
    def _sides(self) -> tuple[frozenset[int], frozenset[int]]:
        predicted, true = (frozenset(v for of, path in self.paths if of == side for v in path) for side in (PRED, TRUE))
        return predicted, true

    def nodes(self, side: int) -> frozenset[int]:
        """The nodes of G_p (0) or G_t (1)."""
        return self._sides[side]

    @property
    def sizes(self) -> tuple[int, int, int]:
        """|G_p|, |G_t| and what they share."""
        predicted, true = self.nodes(PRED), self.nodes(TRUE)
        return len(predicted), len(true), len(predicted & true)

    @property
    def f(self) -> Fraction:
        """F_LCA, exactly."""
        predicted, true, common = self.sizes
        return Fraction(2 * common, predicted + true)

    @property
    def order(self) -> tuple[int, Fraction, int, int, int]:
        """Smaller is better: the lexicographic objective."""
        predicted, true, _ = self.sizes
        return len(self.lcas), -self.f, predicted + true, abs(predicted - true), predicted


@dataclass(frozen=True)
class Found:
    """The solution of one instance: graphs, or only their node sets (G_ex), and what is proved about |Z| and F.

    ``found_by`` and ``proved_by``: who did, where it was not the solver that was asked.
    """

    status: Status
    graphs: LcaGraphs | None
    nodes: tuple[frozenset[int], frozenset[int]]
    fewest_lcas: int
    bound: Fraction
    found_by: str = ""
    proved_by: str = ""

    @classmethod
    def of(
        cls, graphs: LcaGraphs, status: Status, fewest_lcas: int, bound: Fraction | None = None, found_by: str = ""
    ) -> Found:
        """Proved to be the best unless a larger ``bound`` of F says what else is possible."""
        nodes = graphs.nodes(PRED), graphs.nodes(TRUE)
        return cls(status, graphs, nodes, fewest_lcas, graphs.f if bound is None else bound, found_by)

    @property
    def f(self) -> Fraction:
        """F_LCA, exactly; 1 where both sides are empty."""
        predicted, true = self.nodes
        both = len(predicted) + len(true)
        return Fraction(2 * len(predicted & true), both) if both else Fraction(1)

    @property
    def lcas(self) -> int:
        """|Z|."""
        return len(self.graphs.lcas) if self.graphs else self.fewest_lcas


NOTHING_FOUND = Found(Status.UNSOLVED, None, (frozenset(), frozenset()), 0, Fraction(1))
"""What is known of an instance that was not solved."""
