"""Scores of batches: measures of one model share its solution, and instances that are alike are solved once."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import Advice, HemlpError, InvalidOption, UncutScores, UndefinedScore
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.reach import ROOM
from hemlp.instances.batch import Batch
from hemlp.instances.sets import LabelSets
from hemlp.measures.memory import check_memory, too_large
from hemlp.measures.scores import Scores
from hemlp.optimize.program import STATUSES, Status
from hemlp.options import check_choice, plain_number
from hemlp.processes.interrupts import as_keyboard_interrupt
from hemlp.solvers.policy import default_solver, policy_of
from hemlp.solvers.registry import Solver, as_solver, is_exact

if TYPE_CHECKING:
    from hemlp.measures.base import Measure
    from hemlp.optimize.model import Model

PAIRS_AT_ONCE = 4_000_000
"""Pairs of classes in one chunk of a batch."""
INSTANCES_AT_ONCE = 50_000
"""Instances in one chunk of a batch."""
UndefinedPolicy = Literal["error", "nan"]
LEAVE_OUT = Advice("undefined", "nan", "to leave such instances out")


def sharing_key(measure: Measure) -> Hashable:
    """Measures of one key share their solutions: of one class, and one that says itself what makes its model.

    A child of such a class may have a model of its own, and shares nothing.
    """
    kind = type(measure)
    return kind, measure.model_key if "model_key" in vars(kind) else id(measure)


@as_keyboard_interrupt
def score_together(
    measures: Sequence[Measure],
    batch: Batch,
    *,
    solver: str | Solver | None = None,
    time_limit: float | None = None,
    undefined: UndefinedPolicy = "error",
    verify: bool = False,
    round: int | None = None,
    first_row: int = 0,
    room: float | None = None,
) -> list[Scores]:
    """The scores of several measures; those that ask for the same model share its solution.

    ``round``: 0 leaves hard instances unsolved, 1 is for those that were left. ``first_row``: where the batch begins
    in the data of the user, for messages. ``room``: how many bytes may be taken, None for what the machine has.
    """
    check_choice("undefined", undefined, ("error", "nan"))
    time_limit = plain_number("time_limit", time_limit, 0)
    for each in measures:
        each.check_complete()
    made: dict[int, Scores] = {}
    groups: dict[Any, list[int]] = {}
    for k, each in enumerate(measures):
        groups.setdefault(sharing_key(each) if len(measures) > 1 else None, []).append(k)
    how = _How(solver, time_limit, undefined, verify, round, first_row, room)
    alike: dict[tuple[int, int], tuple[Batch, IntArray]] = {}
    for members in groups.values():
        group = [measures[k] for k in members]
        seen = group[0].sees(batch)
        sides = id(seen.true), id(seen.pred)
        if sides not in alike:
            alike[sides] = seen, seen.first_alike()
        found = _score_group(group, seen, alike[sides][1], how)
        made.update(zip(members, found, strict=True))
    return [made[k] for k in range(len(measures))]


def check_scorable(
    measures: Sequence[Measure], batch: Batch, undefined: UndefinedPolicy, first_row: int = 0, room: float | None = None
) -> None:
    """Raise where a measure is undefined, unless it may be nan, or takes too much memory (``room``: in bytes)."""
    check_choice("undefined", undefined, ("error", "nan"))
    for each in measures:
        each.check_complete()
        seen = each.sees(batch)
        check_memory(each, seen, first_row, room)
        each._defined_rows(seen, undefined, first_row)


@dataclass(frozen=True)
class _How:
    """The options of ``score_together``."""

    solver: str | Solver | None
    time_limit: float | None
    undefined: UndefinedPolicy
    verify: bool
    round: int | None
    first_row: int
    room: float | None

    def solver_of(self, model: Model[Any]) -> str | Solver | None:
        """Who solves a model in this round; an error where the measure itself says that somebody else does."""
        own = default_solver(model)
        if self.solver is not None and own is not None and (name := as_solver(self.solver).name) != own:
            raise InvalidOption(
                f"a measure with method={own!r} is what {own} finds, so the solver {name!r} cannot take its place: "
                f"leave solver out, or choose method='exact'"
            )
        free = self.solver is None and own is None
        phases = policy_of(model).phases
        return phases[self.round] if free and phases and self.round is not None else self.solver

    def leaves(self, model: Model[Any]) -> bool:
        """Whether hard instances are left for the next round."""
        return self.round == 0 and self.solver_of(model) is not self.solver

    @property
    def approximate(self) -> bool:
        """Whether the solver does not look for the optimum."""
        return self.solver is not None and not is_exact(as_solver(self.solver))

    def __str__(self) -> str:
        """What can change what is found, for signatures."""
        limit = "" if self.time_limit is None else f"|time_limit:{self.time_limit}"
        return limit + (f"|solver:{as_solver(self.solver).name}" if self.solver and self.approximate else "")


def _score_group(group: Sequence[Measure], batch: Batch, first: IntArray, how: _How) -> list[Scores]:
    """Scores of measures of one model, each solved once where instances are alike (``first``: the first of those)."""
    leader = group[0]
    check_memory(leader, batch, how.first_row, how.room)
    rows = leader._defined_rows(batch, how.undefined, how.first_row)
    rows = rows[first[rows] == rows]
    columns = _empty_columns(group, len(batch))
    statuses = np.full(len(batch), STATUSES.index(Status.INFEASIBLE), np.int8)
    needed = 0.0 if how.room is None else leader.bytes_needed(batch)[rows] / how.room
    for part in chunks(batch, rows, leader.list_length(batch.hierarchy), needed):
        try:
            model = leader.model(batch if len(part) == len(batch) else batch.take(part))
            solution = model.solve(how.solver_of(model), how.time_limit, verify=how.verify)
        except MemoryError:
            raise too_large(leader, batch, part, how.first_row, how.room) from None
        unsolved = solution.statuses > STATUSES.index(Status.FEASIBLE)
        if unsolved.any() and how.undefined == "error" and not how.leaves(model):
            k = int(np.flatnonzero(unsolved)[0])
            raise model.failure(solution, k, how.first_row + int(part[k]) + 1).advised(LEAVE_OUT)
        statuses[part] = solution.statuses
        for each, filled in zip(group, columns, strict=True):
            for name, values in each._evaluated(model, solution).items():
                filled[name][part] = np.where(unsolved, math.nan, values)
    statuses = statuses[first]
    for array in {id(array): array for filled in columns for array in filled.values()}.values():
        array[:] = array[first]
    policies = f"|hierarchy:{batch.given.content_hash[:16]}|{batch.policies}{how}"
    return [_as_scores(each, filled, statuses, policies, how) for each, filled in zip(group, columns, strict=True)]


def _as_scores(
    each: Measure, columns: dict[str, FloatArray], statuses: NDArray[np.int8], policies: str, how: _How
) -> Scores:
    """The scores of one measure; an instance on which its own score rule gives nan is undefined."""
    solved = statuses <= STATUSES.index(Status.FEASIBLE)
    odd = np.flatnonzero(np.isnan(columns[each.name]) & solved)
    if odd.size:
        row = how.first_row + int(odd[0]) + 1
        if how.undefined == "error":
            raise UndefinedScore(f"instance {row}: the score of {each.name} is not a number", row).advised(LEAVE_OUT)
        statuses = statuses.copy()
        statuses[odd] = STATUSES.index(Status.INFEASIBLE)
    missing = len(statuses) - int(solved.sum()) + odd.size
    return Scores(each.name, columns, statuses, each.signature + policies, missing, each.exact and not how.approximate)


def _empty_columns(group: Sequence[Measure], size: int) -> list[dict[str, FloatArray]]:
    """One array a column. What is not the score itself is the same for all measures of one model, and kept once."""
    further = {name: np.full(size, math.nan) for each in group for name in each.columns if name != each.name}
    own = (np.full(size, math.nan) for _ in group)
    return [
        {**{name: further.get(name, empty) for name in each.columns}, each.name: empty}
        for each, empty in zip(group, own, strict=True)
    ]


def as_batch(data: Hierarchy | Batch, true: Any, pred: Any) -> Batch:
    """A batch as it is, or one of a single instance."""
    if isinstance(data, Batch):
        if true is not None or pred is not None:
            raise InvalidOption("give a batch, or a hierarchy with true and pred, not both")
        if data.pred.uncut:
            raise UncutScores(
                "these are scores, and nobody said where they are cut: s.at(0.3) and s.top(5) are label sets; or ask "
                "for the greatest scores, as F_H@5 does"
            )
        return data
    if true is None or pred is None:
        raise InvalidOption("true and pred are both needed; an empty prediction is []")
    # what is given here is one label set, whatever its order: it is never taken for a path
    given = (true, "true labels"), (pred, "predictions")
    try:
        return Batch.of(data, *(LabelSets.of([side], rows="sets", source=source) for side, source in given))
    except HemlpError as error:  # what decides about unknown labels is a batch
        error.spelling = _as_argument_of_batch
        raise


def _as_argument_of_batch(option: str, value: str) -> str:
    return f"Batch.of(..., {option}={value!r})"


def chunks(
    batch: Batch, rows: IntArray, list_length: float = 1.0, needed: FloatArray | float = 0.0
) -> Iterator[IntArray]:
    """``rows`` in parts, one instance at least, with limited numbers of instances, of pairs and of entries of lists.

    ``needed``: the share of the memory that each row takes.
    """
    predicted, true = batch.pred.sizes[rows], batch.true.sizes[rows]
    # what an instance takes of the largest chunk
    share = predicted * true / PAIRS_AT_ONCE + (predicted + true) * (list_length / ROOM) + 1 / INSTANCES_AT_ONCE
    share = np.maximum(share, needed)
    filled = np.cumsum(share)
    start = 0
    while start < len(rows):
        done = filled[start - 1] if start else 0.0
        stop = max(start + 1, int(np.searchsorted(filled, done + 1, side="right")))
        yield rows[start:stop]
        start = stop
