"""Solutions: how they show themselves, who found them, who proved them.

Certifying proves or refuses; it never solves. An optimum that is not proved is feasible, a claim that there is no
solution that is not proved leaves the instance unsolved, and what breaks a rule is an ``InvalidSolution``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.optimize.plan import Solver
from hemlp.optimize.program import Status
from hemlp.text.display import HtmlDisplay, abbreviate
from hemlp.text.tables import Table, plural

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
    """A claim of a solver that something is a solution; ``asked``: the solver was not chosen by default."""

    solver: Solver
    asked: bool = True
    time_limit: float | None = None

    @property
    def ours(self) -> bool:
        """Whether the solver comes with hemlp."""
        return type(self.solver).__module__.partition(".")[0] == "hemlp"

    def accept_improvements(
        self, rows: IntArray, given: FloatArray, least: FloatArray, costs: FloatArray,
        others: dict[int, tuple[str, str]],
    ) -> IntArray:  # fmt: skip
        """Of the ``rows`` whose solution is not of least cost, those that stay as they were ``given``.

        The others are off by what floats of these ``costs`` round, or the solver was chosen by default: their improved
        solutions are taken, and ``others`` says so.
        """
        refused = self.asked & (given[rows] - least[rows] > TOLERANCE * costs.max(initial=0.0))
        others.update((row, (self.solver.name + IMPROVEMENT, CERTIFICATE)) for row in rows[~refused].tolist())
        stay: IntArray = rows[refused]
        return stay


T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class ShownSolution(HtmlDisplay):
    """A solution with ``statuses`` and, of a single instance, an ``objective``; ``_found`` says what was chosen."""

    provenance: Provenance = field(default=Provenance(), kw_only=True)

    if TYPE_CHECKING:

        @property
        def statuses(self) -> NDArray[np.int8]: ...

    def __repr__(self) -> str:
        counts = np.bincount(self.statuses, minlength=len(Status))
        summary = ", ".join(f"{count:,} {Status(k)}" for k, count in enumerate(counts) if count)
        if len(self.statuses) != 1:
            return f"{type(self).__name__}({plural(len(self.statuses), 'instance')}: {summary or 'none'})"
        status = Status(self.statuses[0])
        objective = getattr(self, "objective", None) if self.statuses[0] <= 1 else None
        by = f", found by {self.found_by[0]}" if status is Status.FEASIBLE else ""
        return f"{type(self).__name__}({status}{'' if objective is None else f', objective {objective:g}'}{by})"

    @property
    def status(self) -> Status:
        """The status of the only instance."""
        self._single("status")
        return Status(self.statuses[0])

    def _single(self, what: str) -> None:
        if (count := len(self.statuses)) != 1:
            raise ValueError(f"{what} is for one instance, this solution has {count}: take solution[i].{what}")

    @property
    def found_by(self) -> NDArray[np.str_]:
        """Who found the solution of each instance: the name of a solver, "" where there is no solution."""
        some = (self.statuses <= Status.FEASIBLE).tolist()
        return np.array([self._origin(row).found if has else "" for row, has in enumerate(some)], np.str_)

    @property
    def proved_by(self) -> NDArray[np.str_]:
        """Who proved that each solution is optimal, or that there is none; "" where nothing is proved."""
        proved = np.isin(self.statuses, [Status.OPTIMAL, Status.INFEASIBLE]).tolist()
        return np.array(
            [self._origin(row).proved if is_proved else "" for row, is_proved in enumerate(proved)], np.str_
        )

    def _origin(self, row: int) -> Provenance:
        return self.provenance.of_row(row)

    def _found(self) -> Table:
        """Of the only instance: its augmented sets, unless a child has something else."""
        predicted, true = self.sets  # type: ignore[attr-defined]
        sides = {"predicted": predicted, "true": true, "common": predicted & true}
        return Table(
            ["set", "size", "classes"],
            [[name, len(of), abbreviate(sorted(map(str, of)))] for name, of in sides.items()],
        )

    def _html_parts(self) -> Iterator[Table | str]:
        if len(self.statuses) == 1 and self.statuses[0] <= 1:
            yield self._found()


@dataclass(frozen=True, eq=False, repr=False)
class LeastCostSolution(ShownSolution):
    """A solution that is to cost as little as possible; ``lower``: what those that are not optimal cost at least."""

    lower: Mapping[int, float] = field(default_factory=dict, kw_only=True)

    if TYPE_CHECKING:

        @property
        def objectives(self) -> FloatArray: ...

    def _origins(self, row: int) -> dict[str, Any]:
        """What the solution of one instance takes over of this."""
        lower = {0: self.lower[row]} if row in self.lower else {}
        return {"provenance": self.provenance.of_row(row), "lower": lower}

    @property
    def bounds(self) -> FloatArray:
        """What each instance costs at least: its objective where that is proved, nan where nothing is known."""
        proved = self.statuses == Status.OPTIMAL
        bounds = np.where(proved, self.objectives, math.nan)
        bounds[list(self.lower)] = list(self.lower.values())
        return bounds


def sign(solution: T, claim: Claim, proved: str) -> T:
    """The solution with its provenance; one of a type of your own has none."""
    if not isinstance(solution, ShownSolution):
        return solution
    return replace(solution, provenance=Provenance(claim.solver.name, proved, solution.provenance.others))
