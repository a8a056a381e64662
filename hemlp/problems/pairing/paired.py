"""What solutions of Problem 1 have in common, with few rules or many."""

from __future__ import annotations

from abc import abstractmethod

from hemlp.hierarchy.labels import Label
from hemlp.optimize.program import Status
from hemlp.optimize.solution_display import LeastCostSolution
from hemlp.text.tables import Table


class PairedSolution(LeastCostSolution):
    """Pairs that were chosen, at a cost, for each instance of a model."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def named_pairs(self) -> list[tuple[Label | None, Label | None, float]]:
        """(predicted, true, cost) of each pair of the only instance; None stands for a default class."""

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

    def _found(self) -> Table:
        rows = [
            ["default class" if end is None else end for end in ends] + [cost] for *ends, cost in self.named_pairs()
        ]
        return Table(["predicted", "true", "cost"], rows)
