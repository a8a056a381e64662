"""Whose a solution is: who found it, who proved it, and what may be said of a solver whose word is all that there is.

Certifying proves or refuses; it never solves. An optimum that is not proved is feasible, a claim that there is no
solution that is not proved leaves the instance unsolved, and what breaks a rule is an ``InvalidSolution``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.optimize.solver import Solver

CERTIFICATE = "certificate"
"""Proved by prices, by a cycle of negative cost that is not there, or by classes that need more than there is."""
IMPROVEMENT = "+improvement"
"""Follows the name of a solver whose solution was off by rounding, and was improved in exact arithmetic."""
TOLERANCE = 1e-6
"""What solvers in floats call equal, as a part of the greatest cost."""


@dataclass(frozen=True)
class Provenance:
    """Who ``found`` the solutions of a batch and who ``proved`` them.

    ``others``: (found, proved) of some rows; "" where it is the same as for all.
    """

    found: str = ""
    proved: str = ""
    others: Mapping[int, tuple[str, str]] = field(default_factory=dict)

    def of_row(self, row: int) -> Provenance:
        """That of one instance."""
        found, proved = self.others.get(row, ("", ""))
        return Provenance(found or self.found, proved or self.proved)


@dataclass(frozen=True)
class Claim:
    """Who says that something is a solution. ``asked``: by name or as an object, not chosen by default."""

    solver: Solver
    asked: bool = True
    time_limit: float | None = None

    @property
    def name(self) -> str:
        """The solver's."""
        return str(self.solver.name)

    @property
    def ours(self) -> bool:
        """Whether the solver comes with hemlp."""
        return type(self.solver).__module__.partition(".")[0] == "hemlp"

    @property
    def compiled(self) -> bool:
        """Whether it comes with hemlp and reads the data of models, without programs for somebody else's code."""
        return self.ours and not hasattr(self.solver, "solve_program")

    def by(self, proved: str, others: Mapping[int, tuple[str, str]] | None = None) -> Provenance:
        """The provenance of what this solver found and ``proved`` proves."""
        return Provenance(self.name, proved, {} if others is None else others)

    def accept_improvements(
        self, rows: IntArray, given: FloatArray, least: FloatArray, costs: FloatArray,
        others: dict[int, tuple[str, str]],
    ) -> IntArray:  # fmt: skip
        """Of the ``rows`` whose solution is not of least cost, those that stay as they were ``given``.

        The others are off by what floats of these ``costs`` round, or the solver was chosen by default: their improved
        solutions are taken, and ``others`` says so.
        """
        refused = self.asked & (given[rows] - least[rows] > TOLERANCE * costs.max(initial=0.0))
        others.update((row, (self.name + IMPROVEMENT, CERTIFICATE)) for row in rows[~refused].tolist())
        stay: IntArray = rows[refused]
        return stay


def changed_rows(*lists: tuple[IntArray, NDArray[Any], NDArray[Any]]) -> IntArray:
    """The rows in which something changed, of lists of lists (pointers, before, after)."""
    found = [
        np.searchsorted(ptr, np.flatnonzero(before != after), side="right") - 1
        for ptr, before, after in lists
        if not np.array_equal(before, after)
    ]
    rows: IntArray = np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)
    return rows
