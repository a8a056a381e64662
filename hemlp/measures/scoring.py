"""Scores of batches: measures of one model share its solution, and equal instances are solved once.

What takes more memory than there is gets refused before it is tried; estimates are figures of large instances.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, record
from hemlp.errors import (
    Advice,
    HemlpError,
    InvalidLabel,
    InvalidOption,
    OutOfMemory,
    UncutScores,
    UndefinedScore,
    naming,
)
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.reach import ROOM
from hemlp.instances.batch import Batch, Policies
from hemlp.instances.label_sets import LabelSets
from hemlp.measures.instance_scores import Scores
from hemlp.optimize.program import Status
from hemlp.options import check_choice, plain_number
from hemlp.processes.free_memory import available_memory, format_bytes
from hemlp.processes.interrupts import interrupt_within
from hemlp.solvers.registry import Solver, as_solver, is_exact, policy_of, solve

if TYPE_CHECKING:
    from hemlp.measures.base import Measure
    from hemlp.measures.pair_measure import PairMeasure
    from hemlp.optimize.model import Model


PAIRS_AT_ONCE = 4_000_000
"""Pairs of classes in one chunk of a batch."""
INSTANCES_AT_ONCE = 50_000
"""Instances in one chunk of a batch."""
UndefinedPolicy = Literal["error", "nan"]
POLICIES = Policies()
"""Of a single instance: what is unknown or missing is an error."""
LEAVE_OUT = Advice("undefined", "nan", "to leave such instances out")


def sharing_key(measure: Measure) -> Hashable:
    """Measures of one key share their solutions: of one class, and one that says itself what makes its model.

    A child of such a class may have a model of its own, and shares nothing.
    """
    kind = type(measure)
    return kind, measure._model_key if "_model_key" in vars(kind) else id(measure)


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
        each._check_complete()
    groups: dict[Any, list[int]] = {}
    for k, each in enumerate(measures):
        groups.setdefault(sharing_key(each) if len(measures) > 1 else None, []).append(k)
    who = None if solver is None else as_solver(solver)
    options = SolveOptions(who, time_limit, undefined, verify, round, first_row, room)
    scores: dict[int, Scores] = {}
    firsts: dict[tuple[int, int], tuple[Batch, IntArray]] = {}
    for members in groups.values():
        group = [measures[k] for k in members]
        own = group[0]._as_batch(batch)
        sides = id(own.true), id(own.pred)
        try:
            if sides not in firsts:
                firsts[sides] = own, own.first_duplicates()
            scores |= zip(members, _score_group(group, own, firsts[sides][1], options), strict=True)
        except SystemError as error:
            raise interrupt_within(error) from None
    return [scores[k] for k in range(len(measures))]


def check_scorable(
    measures: Sequence[Measure], batch: Batch, undefined: UndefinedPolicy, first_row: int = 0, room: float | None = None
) -> None:
    """Raise where a measure is undefined, unless it may be nan, or takes too much memory (``room``: in bytes)."""
    check_choice("undefined", undefined, ("error", "nan"))
    for each in measures:
        each._check_complete()
        own = each._as_batch(batch)
        if not is_small(own):
            check_memory(each, own, first_row, room)
        each._defined_rows(own, undefined, first_row)


@record
class SolveOptions:
    """The options of ``score_together``."""

    solver: Solver | None
    time_limit: float | None
    undefined: UndefinedPolicy
    verify: bool
    round: int | None
    first_row: int
    room: float | None

    def choose_solver(self, model: Model[Any], own: str | None) -> str | Solver | None:
        """Who solves a model in this round; an error where the measure itself names another solver, its ``own``."""
        if self.solver is not None and own is not None and (name := self.solver.name) != own:
            raise InvalidOption(
                f"a measure with method={own!r} is what {own} finds, so the solver {name!r} cannot take its place: "
                f"leave solver out, or choose method='exact'"
            )
        free = self.solver is None and own is None
        phases = policy_of(model).phases if free and self.round is not None else None
        return (self.solver or own) if phases is None or self.round is None else phases[self.round]


def _score_group(group: Sequence[Measure], batch: Batch, first: IntArray, options: SolveOptions) -> list[Scores]:
    """Scores of measures of one model; of equal instances the first is solved (``first``: which that is, for each)."""
    leader, small = group[0], is_small(batch)
    if not small:
        check_memory(leader, batch, options.first_row, options.room)
    rows = leader._defined_rows(batch, options.undefined, options.first_row)
    rows = rows[first[rows] == rows]
    size, shared = len(batch), dict[str, FloatArray]()  # what is not the score is the same for all, and kept once
    columns = [{each.name: np.full(size, math.nan)} for each in group]
    for each, own in zip(group, columns, strict=True):
        own |= {name: shared.setdefault(name, np.full(size, math.nan)) for name in each.columns if name != each.name}
    statuses = np.full(size, Status.INFEASIBLE, np.int8)
    parts: Iterable[IntArray] = [rows] if rows.size else []
    if not small:
        needed = 0.0 if options.room is None else leader.bytes_needed(batch)[rows] / options.room
        parts = split_rows(batch, rows, leader._mean_closure_size(batch.hierarchy), needed)
    for part in parts:
        try:
            model = leader.model(batch if len(part) == len(batch) else batch.take(part))
            named, limit = leader._solve_options
            chosen = named if options.solver is None and options.round is None else options.choose_solver(model, named)
            limit = limit if options.time_limit is None else options.time_limit
            solution = solve(model, chosen, limit, verified=options.verify)
        except MemoryError:
            raise too_large(leader, batch, part, options.first_row, options.room) from None
        except HemlpError as error:
            with naming(leader.name):
                raise error
        unsolved = solution.statuses > Status.FEASIBLE
        deferred = options.round == 0 and chosen not in (named, options.solver)  # hard ones, to the next round
        if unsolved.any() and options.undefined == "error" and not deferred:
            k = int(np.flatnonzero(unsolved)[0])
            with naming(leader.name):
                raise model.failure(solution, k, options.first_row + int(part[k]) + 1).with_advice(LEAVE_OUT)
        statuses[part] = solution.statuses
        for each, filled in zip(group, columns, strict=True):
            for name, values in each._compute_columns(model, solution).items():
                if np.shape(values) != part.shape or np.asarray(values).dtype.kind not in "biuf":
                    raise InvalidOption(f"{name}: {values!r:.80} is not an array of numbers, one for each instance")
                filled[name][part] = np.where(unsolved, math.nan, values)
    statuses = statuses[first]
    for array in {id(array): array for filled in columns for array in filled.values()}.values():
        array[:] = array[first]
    exact = options.solver is None or is_exact(options.solver)
    changes = "" if options.time_limit is None else f"|time_limit:{options.time_limit}"
    if options.solver is not None and not exact:
        changes += f"|solver:{options.solver.name}"
    policies = f"|hierarchy:{batch.given.content_hash[:16]}|{batch.policies}{changes}"
    return [
        _as_scores(each, filled, statuses, policies, exact, options)
        for each, filled in zip(group, columns, strict=True)
    ]


def _as_scores(
    each: Measure, columns: dict[str, FloatArray], statuses: NDArray[np.int8], policies: str, exact: bool,
    options: SolveOptions,
) -> Scores:  # fmt: skip
    """The scores of one measure; an instance on which its own scorer gives nan is undefined."""
    solved = statuses <= Status.FEASIBLE
    not_numbers = np.flatnonzero(np.isnan(columns[each.name]) & solved)
    if not_numbers.size:
        row = options.first_row + int(not_numbers[0]) + 1
        if options.undefined == "error":
            words = f"instance {row}: the score of {each.name} is not a number"
            raise UndefinedScore(words, row).with_advice(LEAVE_OUT)
        statuses = statuses.copy()
        statuses[not_numbers] = Status.INFEASIBLE
    missing = len(statuses) - int(solved.sum()) + not_numbers.size
    return Scores(each.name, columns, statuses, each.signature + policies, missing, each.exact and exact)


def as_batch(data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Batch:
    """A batch as it is, or one of a single instance."""
    if isinstance(data, Batch):
        if true is not None or pred is not None:
            raise InvalidOption("give a batch, or a hierarchy with true and pred, not both")
        if data.pred.uncut:
            raise UncutScores(
                "these are scores without a cut-off: s.at(0.3) and s.top(5) are label sets; or ask "
                "for the greatest scores, as F_H@5 does"
            )
        return data
    if true is None or pred is None:
        raise InvalidOption("true and pred are both needed; an empty prediction is []")
    try:
        # what is given here is one label set, whatever its order: it is never taken for a path
        true, pred = (
            LabelSets.of([of], rows="sets", source=source)
            for of, source in ((true, "true labels"), (pred, "predictions"))
        )
    except InvalidLabel:
        several = (of for of in (true, pred) if isinstance(of, list | tuple | LabelSets))
        if not any(isinstance(label, list | set | tuple) for of in several for label in of):
            raise
        raise InvalidLabel(
            "a label set of one instance is expected here: of several make a batch, Batch.of(h, true, pred)"
        ) from None
    try:
        return Batch.over(Hierarchy.of(data), true, pred, POLICIES)
    except HemlpError as error:  # what decides about unknown labels is a batch
        error.spelling = _as_argument_of_batch
        raise


def _as_argument_of_batch(option: str, value: str) -> str:
    return f"Batch.of(..., {option}={value!r})"


def split_rows(
    batch: Batch, rows: IntArray, mean_closure_size: float = 1.0, needed: FloatArray | float = 0.0
) -> Iterator[IntArray]:
    """``rows`` in parts, one instance at least, with limited numbers of instances, of pairs and of entries of lists.

    ``needed``: the share of the memory that each row takes.
    """
    predicted, true = batch.pred.sizes[rows], batch.true.sizes[rows]
    # what an instance takes of the largest chunk
    share = predicted * true / PAIRS_AT_ONCE + (predicted + true) * (mean_closure_size / ROOM) + 1 / INSTANCES_AT_ONCE
    share = np.maximum(share, needed)
    filled = np.cumsum(share)
    start = 0
    while start < len(rows):
        done = filled[start - 1] if start else 0.0
        stop = max(start + 1, int(np.searchsorted(filled, done + 1, side="right")))
        yield rows[start:stop]
        start = stop


ALWAYS_THERE = 2**20
"""Bytes that are always available."""


def pairing_bytes(measure: PairMeasure, hierarchy: Hierarchy) -> float:
    """Of a pair. Where minima are enough, or costs are whole and bounds have a closed form, prices prove at once."""
    from hemlp.problems.pairing.bounds import COVER, ONE_TO_ONE
    from hemlp.problems.pairing.costs import cost_bytes

    own_lengths = hierarchy.weighted and getattr(measure.cost, "weights", None) != "uniform"
    whole = getattr(measure.cost, "unit", False) and not own_lengths and measure.weights is None
    whole = whole and isinstance(measure.default_cost, int | float) and float(measure.default_cost).is_integer()
    closed = whole and measure.bounds in (ONE_TO_ONE, COVER) and measure.pairing == "optimal"
    closed = closed or (measure.pairing == "nearest" and measure.default_cost is None)
    model = 200.0 if not measure.bounds.plain or measure.pairing == "transport" else 20.0 if closed else 72.0
    return max(model, cost_bytes(measure.cost))


def is_small(batch: Batch) -> bool:
    """Whether all instances together need next to nothing, whatever the measure: labels, their lists and pairs."""
    labels = batch.pred.classes.size + batch.true.classes.size
    return labels * (300 + 30 * len(batch.hierarchy) + 75 * labels) < ALWAYS_THERE


def check_memory(measure: Measure, batch: Batch, first_row: int, room: float | None) -> None:
    """Raise OutOfMemory where an instance takes more than ``room`` bytes (None: than the machine has)."""
    most = measure.bytes_needed(batch).max(initial=0.0)
    if most > ALWAYS_THERE and most > (available_memory() if room is None else room):
        raise too_large(measure, batch, np.arange(len(batch)), first_row, room)


def too_large(measure: Measure, batch: Batch, rows: IntArray, first_row: int, room: float | None) -> OutOfMemory:
    """The error that names the one of ``rows`` that takes most, and how much."""
    needed = measure.bytes_needed(batch)[rows]
    row = int(rows[needed.argmax()])
    there = f"{format_bytes(available_memory())} are free" if room is None else f"the limit leaves {format_bytes(room)}"
    return OutOfMemory(
        f"instance {first_row + row + 1} has {len(batch.pred[row]):,} predicted and {len(batch.true[row]):,} true "
        f"classes, for which {measure.display_name} needs about {format_bytes(needed.max())}, and {there}: leave the "
        f"instance or the measure out (measures of sets, like F_H, need far less), or give it more memory"
    )
