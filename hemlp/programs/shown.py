"""How solutions show themselves: how many instances, what was found, and the objective of a single one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hemlp.programs.program import STATUSES
from hemlp.text.shown import Shown, few
from hemlp.text.tables import Table
from hemlp.text.words import many


class ShownSolution(Shown):
    """A solution with ``statuses`` and, of a single instance, an ``objective``; ``_found`` says what was chosen."""

    if TYPE_CHECKING:

        @property
        def statuses(self) -> NDArray[np.int8]: ...  # noqa: D102

    def __repr__(self) -> str:
        counts = np.bincount(self.statuses, minlength=len(STATUSES))
        found = ", ".join(f"{count:,} {STATUSES[k]}" for k, count in enumerate(counts) if count)
        if len(self.statuses) != 1:
            return f"{type(self).__name__}({many(len(self.statuses), 'instance')}: {found or 'none'})"
        status = STATUSES[self.statuses[0]]
        objective = getattr(self, "objective", None) if self.statuses[0] <= 1 else None
        return f"{type(self).__name__}({status}{'' if objective is None else f', objective {objective:g}'})"

    def _found(self) -> Table:
        """Of the only instance: its augmented sets, unless a child has something else."""
        predicted, true = self.sets  # type: ignore[attr-defined]
        sides = {"predicted": predicted, "true": true, "common": predicted & true}
        return Table(
            ["set", "size", "classes"], [[name, len(of), few(sorted(map(str, of)))] for name, of in sides.items()]
        )

    def _more(self) -> Iterator[Table | str]:
        if len(self.statuses) == 1 and self.statuses[0] <= 1:
            yield self._found()
