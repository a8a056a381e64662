"""How a measure scores: what every measure has, single instances and batches, undefined values, named measures."""

from __future__ import annotations

import keyword
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, overload

import numpy as np
from numpy.typing import NDArray

from hemlp.edges import FloatArray, IntArray
from hemlp.errors import Advice, HemlpError, InvalidOption, UndefinedScore
from hemlp.fingerprints import fingerprint
from hemlp.hierarchy import Hierarchy
from hemlp.interrupts import as_keyboard_interrupt
from hemlp.labels import Batch, LabelSets
from hemlp.programs.model import Model
from hemlp.notation import format_call
from hemlp.programs.program import STATUSES, Status
from hemlp.reach import ROOM
from hemlp.scores import Score, Scores
from hemlp.solvers import Solver
from hemlp.version import __version__
from hemlp.vocabulary import check_choice, did_you_mean, plain_number

PAIRS_AT_ONCE = 4_000_000
"""Pairs of classes in one chunk of a batch."""
INSTANCES_AT_ONCE = 50_000
"""Instances in one chunk of a batch."""
UndefinedPolicy = Literal["error", "nan"]
LEAVE_OUT = Advice("undefined", "nan", "to leave such instances out")


class Measure(ABC):
    """What every measure has. ``columns`` begins with the name of the measure itself."""

    name: str

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def fields(self) -> dict[str, Any]:
        """All that makes this measure, by the names of the constructor's arguments."""
        values = {field: getattr(self, field) for field in self.__dataclass_fields__}
        return {"score" if field == "rule" else field: value for field, value in values.items()}

    def plain_fields(self) -> dict[str, Any]:
        """The fields as plain values; what has no text form says custom."""
        return self.fields

    def custom_fields(self) -> dict[str, Any]:
        """The fields that have no text form."""
        return {key: self.fields[key] for key, value in self.plain_fields().items() if value == "custom"}

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that can be chosen, with their values: of a user's own measure all fields but the name."""
        if self.name in NAMED:
            return NAMED[self.name].parameters_of(self)
        return {key: value for key, value in self.plain_fields().items() if key != "name"}

    def __str__(self) -> str:
        if self.name in NAMED:
            return format_call(self.name, (), NAMED[self.name].chosen(self))
        usual = type(self).__init__.__kwdefaults__ or {}
        given = {k: v for k, v in self.plain_fields().items() if k not in usual or v != usual[k]}
        return format_call(type(self).__name__, (given.pop("name"),), given)

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Names of the values that a score holds."""

    @property
    @abstractmethod
    def score_rule(self) -> Any:
        """How the score is made from the optimum: a ``PairScore`` or ``SetScore``."""

    @property
    def greater_is_better(self) -> bool:
        """Errors and losses are better when small."""
        return bool(self.score_rule.greater_is_better)

    @property
    def range(self) -> tuple[float, float]:
        """Least and greatest value."""
        low, high = self.score_rule.range
        return low, high

    @property
    @abstractmethod
    def invariants(self) -> frozenset[str]:
        """What holds on every instance; ``hemlp.invariants`` explains the names."""

    @abstractmethod
    def model(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Model[Any]:
        """The explicit model of one instance (hierarchy, true, pred) or of a batch."""

    @abstractmethod
    def _evaluated(self, model: Any, solution: Any) -> dict[str, FloatArray]:
        """The columns of a score, from the optimum of the model."""

    @property
    def exact(self) -> bool:
        """Whether scores are meant to be optimal, so that one that is not proved so is a fallback."""
        return True

    @property
    def model_key(self) -> Any:
        """Measures of one key have the same model and are defined on the same instances."""
        return id(self)

    def list_length(self, hierarchy: Hierarchy) -> float:
        """How many entries the list of what a class reaches has on average, where the model needs such lists."""
        return hierarchy.upward.mean_length

    def _undefined(self, batch: Batch) -> tuple[NDArray[np.bool_], str]:
        """On which instances the measure is undefined, and why."""
        return np.zeros(len(batch), np.bool_), ""

    @property
    def signature(self) -> str:
        """Measure, all parameters and version, to be cited with a score; a score's own adds hierarchy and policies."""
        custom = {key: f"custom {fingerprint(value)}" for key, value in self.custom_fields().items()}
        parameters = ",".join(f"{key}:{custom.get(key, value)}" for key, value in self.parameters.items())
        own = "" if type(self).__module__.startswith("hemlp.") else f"|custom {fingerprint(type(self))}"
        return f"{self.name}|{parameters}{own}|hemlp:{__version__}"

    @overload
    def score(
        self, data: Batch, *, solver: str | Solver | None = None, time_limit: float | None = None,
        undefined: UndefinedPolicy = "error", verify: bool = False,
    ) -> Scores: ...  # fmt: skip

    @overload
    def score(
        self, data: Hierarchy, true: Any, pred: Any, *, solver: str | Solver | None = None,
        time_limit: float | None = None, undefined: UndefinedPolicy = "error", verify: bool = False,
    ) -> Score: ...  # fmt: skip

    def score(
        self,
        data: Hierarchy | Batch,
        true: Any = None,
        pred: Any = None,
        *,
        solver: str | Solver | None = None,
        time_limit: float | None = None,
        undefined: UndefinedPolicy = "error",
        verify: bool = False,
    ) -> Score | Scores:
        """The score of one instance (hierarchy, true, pred), or the scores of a batch.

        ``undefined="nan"`` goes on, and counts, where the measure is undefined or its model has no solution. ``verify``
        proves each optimum once more, by means that do not depend on its solver.
        """
        batch = as_batch(data, true, pred)
        (scores,) = score_together(
            [self], batch, solver=solver, time_limit=time_limit, undefined=undefined, verify=verify
        )
        return scores if isinstance(data, Batch) else scores.single()

    def _defined_rows(self, batch: Batch, undefined: UndefinedPolicy, first_row: int = 0) -> IntArray:
        """The instances on which the measure is defined; an error at the first other one unless it may be nan."""
        bad, reason = self._undefined(batch)
        if bad.any() and undefined == "error":
            row = int(np.flatnonzero(bad)[0])
            sizes = len(batch.true[row]), len(batch.pred[row])
            raise UndefinedScore(
                f"instance {first_row + row + 1}: {self.name} is undefined, {reason}; it has {sizes[0]} true and "
                f"{sizes[1]} predicted classes",
                first_row + row + 1,
            ).advised(LEAVE_OUT)
        return np.flatnonzero(~bad)


@as_keyboard_interrupt
def score_together(
    measures: Sequence[Measure],
    batch: Batch,
    *,
    solver: str | Solver | None = None,
    time_limit: float | None = None,
    undefined: UndefinedPolicy = "error",
    verify: bool = False,
    first_row: int = 0,
) -> list[Scores]:
    """The scores of several measures; those that ask for the same model share its solution.

    ``first_row``: where the batch begins in the data of the user, for messages.
    """
    check_choice("undefined", undefined, ("error", "nan"))
    time_limit = plain_number("time_limit", time_limit, 0)
    made: dict[int, Scores] = {}
    groups: dict[Any, list[int]] = {}
    for k, each in enumerate(measures):
        groups.setdefault((type(each), each.model_key), []).append(k)  # a child may have a model of its own
    first = batch.first_alike()
    for members in groups.values():
        group = [measures[k] for k in members]
        found = _score_group(group, batch, first, solver, time_limit, undefined, verify, first_row)
        made.update(zip(members, found, strict=True))
    return [made[k] for k in range(len(measures))]


def check_defined(measures: Sequence[Measure], batch: Batch, undefined: UndefinedPolicy, first_row: int = 0) -> None:
    """Raise at the first instance on which a measure is undefined, unless it may be nan."""
    check_choice("undefined", undefined, ("error", "nan"))
    for each in measures:
        each._defined_rows(batch, undefined, first_row)


def _score_group(
    group: Sequence[Measure], batch: Batch, first: IntArray, solver: str | Solver | None, time_limit: float | None,
    undefined: UndefinedPolicy, verify: bool, first_row: int,
) -> list[Scores]:  # fmt: skip
    """Scores of measures of one model, each solved once where instances are alike (``first``: the first of those)."""
    leader = group[0]
    rows = leader._defined_rows(batch, undefined, first_row)
    rows = rows[first[rows] == rows]
    columns = _empty_columns(group, len(batch))
    last_solved = STATUSES.index(Status.FEASIBLE)
    statuses = np.full(len(batch), STATUSES.index(Status.INFEASIBLE), np.int8)
    for part in chunks(batch, rows, leader.list_length(batch.hierarchy)):
        model = leader.model(batch if len(part) == len(batch) else batch.take(part))
        solution = model.solve(solver, time_limit, verify=verify)
        unsolved = solution.statuses > last_solved
        if unsolved.any() and undefined == "error":
            k = int(np.flatnonzero(unsolved)[0])
            raise model.infeasibility(k, first_row + int(part[k]) + 1).advised(LEAVE_OUT)
        statuses[part] = solution.statuses
        for each, filled in zip(group, columns, strict=True):
            for name, values in each._evaluated(model, solution).items():
                filled[name][part] = np.where(unsolved, math.nan, values)
    statuses = statuses[first]
    for array in {id(array): array for filled in columns for array in filled.values()}.values():
        array[:] = array[first]
    policies = f"|hierarchy:{batch.given.content_hash[:16]}|{batch.policies}"
    if time_limit is not None:  # a limit can change what is found
        policies += f"|time_limit:{time_limit}"
    return [
        _as_scores(each, filled, statuses, policies, undefined, first_row)
        for each, filled in zip(group, columns, strict=True)
    ]


def _as_scores(
    each: Measure, columns: dict[str, FloatArray], statuses: NDArray[np.int8], policies: str,
    undefined: UndefinedPolicy, first_row: int,
) -> Scores:  # fmt: skip
    """The scores of one measure; an instance on which its own score rule gives nan is undefined."""
    solved = statuses <= STATUSES.index(Status.FEASIBLE)
    odd = np.flatnonzero(np.isnan(columns[each.name]) & solved)
    if odd.size:
        row = first_row + int(odd[0]) + 1
        if undefined == "error":
            raise UndefinedScore(f"instance {row}: the score of {each.name} is not a number", row).advised(LEAVE_OUT)
        statuses = statuses.copy()
        statuses[odd] = STATUSES.index(Status.INFEASIBLE)
    missing = len(statuses) - int(solved.sum()) + odd.size
    return Scores(each.name, columns, statuses, each.signature + policies, missing, each.exact)


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


def plain_horizon(horizon: Any) -> int | None:
    """A horizon is a number of levels, at least 1, or None."""
    number = plain_number("horizon", horizon, 1)
    if number is not None and not isinstance(number, int):
        raise InvalidOption(f"horizon={horizon!r} is not an integer of at least 1")
    return number


RESERVED = {"error", "predicted", "true", "common", "lcas", "bound", "status", "custom", "ALL", "Bounds"}
"""Names of columns and of parts of texts: no measure can be called so."""


def check_name(measure: Measure) -> None:
    """Refuse a name that is no word, that means something else, or that belongs to another measure."""
    name = measure.name
    if not (isinstance(name, str) and name.isidentifier()) or keyword.iskeyword(name):
        raise InvalidOption(f"the name {name!r} of a measure must be a word of letters, digits and _")
    if name in RESERVED or name.endswith("Measure"):
        raise InvalidOption(f"no measure can be called {name!r}: the word has a meaning of its own")
    if name in NAMED and not NAMED[name].makes(measure):
        raise InvalidOption(f"{name} is the name of another measure: choose another name")


def chunks(batch: Batch, rows: IntArray, list_length: float = 1.0) -> Iterator[IntArray]:
    """``rows`` in parts, one instance at least, with limited numbers of instances, of pairs and of entries of lists."""
    predicted, true = np.diff(batch.pred.ptr)[rows], np.diff(batch.true.ptr)[rows]
    # what an instance takes of the largest chunk
    share = predicted * true / PAIRS_AT_ONCE + (predicted + true) * (list_length / ROOM) + 1 / INSTANCES_AT_ONCE
    filled = np.cumsum(share)
    start = 0
    while start < len(rows):
        done = filled[start - 1] if start else 0.0
        stop = max(start + 1, int(np.searchsorted(filled, done + 1, side="right")))
        yield rows[start:stop]
        start = stop


@dataclass(frozen=True)
class Named:
    """A measure known by its name: what it is by default, and which of its fields are parameters.

    ``spelled``: a parameter that goes by another name than its field, or whose values do.
    """

    template: Measure
    parameters: tuple[str, ...]
    spelled: Mapping[str, tuple[str, Mapping[Any, Any]]] = field(default_factory=dict)

    def make(self, chosen: Mapping[str, Any]) -> Measure:
        """The measure with these parameters."""
        changes: dict[str, Any] = {}
        if "distance" in chosen and "cost" in self.parameters:  # where costs are distances both words are in use
            if "cost" in chosen:
                raise InvalidOption("distance and cost are the same parameter: give one of them")
            chosen = {"cost" if key == "distance" else key: value for key, value in chosen.items()}
        for key, value in chosen.items():
            if key not in self.parameters:
                hint = did_you_mean(key, self.parameters)
                has = ", ".join(self.parameters) or "none"
                raise InvalidOption(f"{self.template.name} has no parameter {key!r} (it has: {has}){hint}")
            name, values = self.spelled.get(key, (key, None))
            if values is not None:
                check_choice(key, value, tuple(values))
                value = values[value]
            changes[name] = value
        return type(self.template)(**{**self.template.fields, **changes})

    def makes(self, measure: Measure) -> bool:
        """Whether a measure is this one but for its parameters."""
        if type(measure) is not type(self.template):
            return False
        free = {self.spelled[key][0] if key in self.spelled else key for key in self.parameters}
        usual = self.template.fields
        return all(value == usual[key] for key, value in measure.fields.items() if key not in free)

    def parameters_of(self, measure: Measure) -> dict[str, Any]:
        """The values of the parameters."""
        plain = measure.plain_fields()
        result = {}
        for key in self.parameters:
            name, values = self.spelled.get(key, (key, None))
            result[key] = plain[name] if values is None else next(k for k, v in values.items() if v == plain[name])
        return result

    def chosen(self, measure: Measure) -> dict[str, Any]:
        """The parameters that differ from the template's."""
        usual = self.parameters_of(self.template)
        return {key: value for key, value in self.parameters_of(measure).items() if value != usual[key]}


NAMED: dict[str, Named] = {}
"""The measures that have a name, filled by ``hemlp.measures``."""
