"""Several models of the same instances as one: each is solved on its own, and a measure is made of all their optima."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, plain_sum
from hemlp.errors import Advice, HemlpError, InvalidOption
from hemlp.escaping import markup
from hemlp.optimize.model import Model
from hemlp.optimize.plan import Plan
from hemlp.optimize.program import LinearProgram, Row, Status, Variable
from hemlp.optimize.solutions import Provenance, ShownSolution
from hemlp.options import check_known
from hemlp.text.tables import Table

if TYPE_CHECKING:
    from hemlp.optimize.exports import Algebra


@dataclass(frozen=True, eq=False, repr=False)
class JointSolution(ShownSolution):
    """A solution of each part, by its name."""

    model: JointModel
    parts: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.model)

    def _html_parts(self) -> Iterator[Table | str]:
        for name, part in self.parts.items():
            yield f"<p>{markup(name)}</p>"
            yield from part._html_parts()

    def __getitem__(self, row: int) -> JointSolution:
        return JointSolution(self.model[row], {name: part[row] for name, part in self.parts.items()})

    @property
    def statuses(self) -> NDArray[np.int8]:
        """Of each instance the worst of its parts: infeasible if one is, optimal if all are."""
        codes = np.stack([part.statuses for part in self.parts.values()])
        infeasible = Status.INFEASIBLE
        worst: NDArray[np.int8] = np.where((codes == infeasible).any(axis=0), infeasible, codes.max(axis=0))
        return worst.astype(np.int8)

    def _origin(self, row: int) -> Provenance:
        """The names of all parts, each once."""
        parts = [part.provenance.of_row(row) for part in self.parts.values()]
        found, proved = (dict.fromkeys(getattr(part, each) for part in parts) for each in ("found", "proved"))
        return Provenance(", ".join(found), ", ".join(proved))

    @property
    def bounds(self) -> FloatArray:
        """The sum of the bounds of the parts, for each instance."""
        return reduce(np.add, (part.bounds for part in self.parts.values()))

    @property
    def objectives(self) -> FloatArray:
        """The sum of the objectives of the parts, for each instance."""
        return reduce(np.add, (part.objectives for part in self.parts.values()))

    @property
    def objective(self) -> float:
        """The sum of the objectives of the parts of the only instance."""
        return plain_sum(part.objective for part in self.parts.values())


@dataclass(frozen=True, eq=False, repr=False)
class JointModel(Model[JointSolution]):
    """Models of one batch by name. Their programs stand side by side in one, whose objective is the sum of theirs.

    A part is printed or exported alone by its name, ``model.to_lp(stage="predicted")``; ``parts`` holds them.
    """

    title: str
    parts: Mapping[str, Model[Any]]

    @property
    def batch(self) -> Any:
        """The instances, which all parts share."""
        first: Any = next(iter(self.parts.values()))
        return first.batch

    def __len__(self) -> int:
        return len(next(iter(self.parts.values())))

    def __getitem__(self, rows: int | slice) -> JointModel:
        return replace(self, parts={name: part[rows] for name, part in self.parts.items()})

    def program(self) -> LinearProgram:
        """All programs side by side; the names of variables and rows begin with that of their part."""
        variables: list[Variable] = []
        rows: list[Row] = []
        scales: set[float] = set()
        for name, part in self.parts.items():
            own, first = part.program(), len(variables)
            scales.add(own.scale)
            variables += [replace(v, name=f"{name}_{v.name}", note=f"{name}: {v.note}") for v in own.variables]
            rows += [
                replace(
                    r, name=f"{name}_{r.name}", terms=[(first + i, c) for i, c in r.terms], note=f"{name}: {r.note}"
                )
                for r in own.rows
            ]
        return LinearProgram(self.title, variables, rows, scale=scales.pop() if len(scales) == 1 else math.nan)

    @property
    def stages(self) -> tuple[str, ...]:
        return tuple(self.parts)

    def stage_words(self, name: str | None) -> str:
        if name is not None:
            return super().stage_words(name)
        return f"all stages side by side: {' and '.join(self.stages)}"

    def stage(self, name: str | None) -> LinearProgram:
        if name is not None:
            check_known("part", name, list(self.parts))
        program = self.program() if name is None else self.parts[name].program()
        return replace(program, name=f"{program.name}; {self.stage_words(name)}")

    def algebra(self, stage: str | None = None) -> Algebra:
        if stage is None:
            advice = (Advice("stage", name, "for that part") for name in self.parts)
            raise InvalidOption("this model has several parts, each with sums of its own").with_advice(*advice)
        check_known("part", stage, list(self.parts))
        made, which = self.parts[stage].algebra(), self.stage_words(stage).removeprefix("stage ")
        return replace(made, words=[*made.words, (r"\text{stage}", which)])

    def plan(self) -> Plan[JointSolution]:
        parts = {}
        for name, part in self.parts.items():
            parts[name] = yield from part.plan()
        return JointSolution(self, parts)

    def joined(self, solutions: list[JointSolution]) -> JointSolution:
        return JointSolution(
            self, {name: part.joined([s.parts[name] for s in solutions]) for name, part in self.parts.items()}
        )

    @property
    def cost_values(self) -> FloatArray:
        return np.concatenate([part.cost_values for part in self.parts.values()])

    def check(self, solution: JointSolution) -> bool:
        return all(part.check(solution.parts[name]) for name, part in self.parts.items())

    def verify(self, solution: JointSolution) -> bool:
        return all(part.verify(solution.parts[name]) for name, part in self.parts.items())

    def failure(self, solution: JointSolution, row: int, number: int) -> HemlpError:
        """Why the first part without a solution, or that was not solved, is so."""
        name = next(name for name, part in solution.parts.items() if part.statuses[row] == solution.statuses[row])
        return self.parts[name].failure(solution.parts[name], row, number)
