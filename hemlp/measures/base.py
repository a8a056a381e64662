"""What every measure has: a name, a model, columns made from its optimum, promises, a text form and a signature."""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption, UndefinedScore
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch
from hemlp.measures.catalogue import NAMED
from hemlp.measures.fingerprints import fingerprint
from hemlp.measures.instance_scores import Score, Scores
from hemlp.measures.scoring import LEAVE_OUT, UndefinedPolicy, as_batch, score_together
from hemlp.optimize.model import Model
from hemlp.optimize.program import Status
from hemlp.solvers.registry import Solver
from hemlp.text.notation import format_call
from hemlp.version import __version__

if TYPE_CHECKING:
    from hemlp.measures.derived import ConstrainedMeasure
    from hemlp.optimize.expressions import Constraint


class Measure(ABC):
    """What every measure has. ``columns`` begins with the name of the measure itself.

    A measure of your own is a ``PairMeasure`` or a ``SetMeasure``, or a frozen dataclass that says how its model is
    made and its columns from the optimum.
    """

    name: str
    _omitted_if_none: ClassVar[tuple[str, ...]] = ()
    """Parameters that signatures leave out where they are None: they came later."""
    _solve_options: ClassVar[tuple[str | None, float | None]] = None, None
    """Who solves its models, and in how many seconds an instance, where nothing else is asked for."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.fields == other.fields

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def fields(self) -> dict[str, Any]:
        """All that makes this measure, by the names of the constructor's arguments."""
        names = (each.name for each in fields(self) if each.init)  # type: ignore[arg-type]
        return {"score" if name == "scoring" else name: getattr(self, name) for name in names}

    @property
    def _defaults(self) -> dict[str, Any]:
        """What fields are unless something else is said."""
        arguments = inspect.signature(type(self)).parameters.values()
        return {each.name: each.default for each in arguments if each.default is not each.empty}

    def changed(self, **changes: Any) -> Self:
        """The same measure with other fields.

        Parameters
        ----------
        changes
            Fields by the names of the constructor's arguments.

        Examples
        --------
        >>> from hemlp import measure
        >>> measure("F_H").changed(horizon=2) == measure("F_H(horizon=2)")
        True
        """
        return type(self)(**{**self.fields, **changes})

    def serializable_fields(self) -> dict[str, Any]:
        """The fields as plain values and texts; what has no text form says custom."""
        return {key: _serializable(value) for key, value in self.fields.items()}

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that can be chosen, with their values: of a user's own measure all fields but the name."""
        if self.name in NAMED:
            return NAMED[self.name].parameters_of(self)
        left_out = {"name", *(key for key in self._omitted_if_none if self.fields[key] is None)}
        return {key: value for key, value in self.serializable_fields().items() if key not in left_out}

    @property
    def display_name(self) -> str:
        """What it is called in tables: its name if it is a user's own, and else its text."""
        if self.name not in NAMED:
            return self.name
        cost = getattr(self.fields.get("cost"), "name", "custom")
        return str(self).replace("cost='custom'", f"cost={cost!r}")

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        if self.name in NAMED:
            return format_call(self.name, (), NAMED[self.name].chosen_parameters(self))
        defaults = self._defaults
        given = {k: v for k, v in self.serializable_fields().items() if k not in defaults or v != defaults[k]}
        return format_call(type(self).__name__, (given.pop("name"),), given)

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Names of the values that a score holds."""

    @property
    @abstractmethod
    def _scorer(self) -> Any:
        """How the score is made from the optimum: a ``PairScore`` or ``SetScore``."""

    @cached_property
    def greater_is_better(self) -> bool:
        """Errors and losses are better when small."""
        return bool(self._scorer.greater_is_better)

    @cached_property
    def range(self) -> tuple[float, float]:
        """Least and greatest value."""
        low, high = self._scorer.range
        return low, high

    @property
    @abstractmethod
    def invariants(self) -> frozenset[str]:
        """What holds on every instance; ``hemlp.invariants`` explains the names."""

    @abstractmethod
    def model(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Model[Any]:
        """The explicit model of one instance (hierarchy, true, pred) or of a batch.

        Parameters
        ----------
        data
            A hierarchy, or a batch.
        true, pred
            The label sets of the instance, where ``data`` is a hierarchy.

        Examples
        --------
        >>> from hemlp import measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> print(measure("GIE").model(h, ["sheep"], ["cow"]))
        minimize  2 [cow ~ sheep] + 5 [cow ~ default] + 5 [default ~ sheep]
        subject to
          [cow ~ sheep] + [cow ~ default] = 1    (predicted cow)
          [cow ~ sheep] + [default ~ sheep] = 1    (true sheep)
        with integers 0 ≤ each ≤ 1
        """

    @abstractmethod
    def _compute_columns(self, model: Any, solution: Any) -> dict[str, FloatArray]:
        """The columns of a score, from the optimum of the model."""

    def evaluate(self, model: Model[Any], solution: Any) -> Score:
        """The score that a solution of a model of one instance has, wherever it comes from.

        Parameters
        ----------
        model, solution
            The model of one instance, and a solution of it; or the PuLP problem of it (``to_pulp``), changed perhaps,
            and solved. What is scored are the pairs or sets, by the costs of the model.

        Examples
        --------
        >>> from hemlp import measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> model = measure("F_LCA").model(h, ["sheep"], ["cow"])
        >>> measure("F_LCA").evaluate(model, model.solve("greedy")).status
        'feasible'
        """
        if len(model) != 1:
            raise InvalidOption(f"evaluate takes the model of one instance, this has {len(model)}: take model[i]")
        if not hasattr(solution, "statuses"):
            solution = model.read_pulp(solution)
        columns = {name: float(values[0]) for name, values in self._compute_columns(model, solution).items()}
        status = Status(solution.statuses[0])
        if status not in (Status.OPTIMAL, Status.FEASIBLE):
            columns = dict.fromkeys(columns, math.nan)
        return Score(columns[self.name], columns, status, self.signature)

    def _check_complete(self) -> None:
        """Refuse to score by a named measure without what it needs."""
        for key, what in NAMED[self.name].needed.items() if self.name in NAMED else ():
            if self.fields[key] is None:
                line = (
                    f"; `hemlp evaluate` has --corpus FILE and --weights {self.name}=FILE" if key == "weights" else ""
                )
                raise InvalidOption(f'{self.name} needs {key}: measure("{self.name}", {key}={what}){line}')

    @cached_property
    def exact(self) -> bool:
        """Whether scores are meant to be optimal, so that one that is not proved so is a fallback."""
        return True

    @property
    def _model_key(self) -> Any:
        """Measures of one class and one key have the same model and are defined on the same instances.

        Of a class of your own it is asked only if the class defines it.
        """
        return id(self)

    def _mean_closure_size(self, hierarchy: Hierarchy) -> float:
        """How many entries the list of what a class reaches has on average, where the model needs such lists."""
        return hierarchy.upward.mean_length

    def _pair_bytes(self, hierarchy: Hierarchy) -> float:
        """How many bytes each pair of a predicted and a true class takes, where the model has pairs."""
        return 0.0

    def bytes_needed(self, batch: Batch) -> FloatArray:
        """About how many bytes it takes to score each instance by itself (figures seen on instances of many labels).

        Parameters
        ----------
        batch
            The instances.
        """
        predicted, true = (side.sizes.astype(np.float64) for side in batch.sides)
        labels = (predicted + true) * (300 + 24 * self._mean_closure_size(batch.hierarchy))
        return labels + self._pair_bytes(batch.hierarchy) * predicted * true

    _as_batch = staticmethod(as_batch)

    def _undefined(self, batch: Batch) -> tuple[NDArray[np.bool_], str]:
        """On which instances the measure is undefined, and why."""
        return np.zeros(len(batch), np.bool_), ""

    @property
    def signature(self) -> str:
        """Measure, all parameters and version, to be cited with a score; a score's own adds hierarchy and policies."""
        return self._lasting_signature or self._sign()

    @cached_property
    def _lasting_signature(self) -> str | None:
        """The signature, where nothing in it can change: neither a mapping nor what a user has defined."""
        custom = "custom" in self.serializable_fields().values()
        return None if custom or self._foreign_parts else self._sign()

    def _sign(self) -> str:
        plain, own = self.serializable_fields(), self.fields
        custom = {key: f"custom {fingerprint(own[key])}" for key, value in plain.items() if value == "custom"}
        parameters = ",".join(f"{key}:{custom.get(key, value)}" for key, value in self.parameters.items())
        foreign = "".join(f"|custom {fingerprint(part)}" for part in self._foreign_parts)
        return f"{self.name}|{parameters}{foreign}|hemlp:{__version__}"

    def with_constraints(
        self, constraints: Callable[[Any], Iterable[Constraint]], *, name: str | None = None
    ) -> ConstrainedMeasure:
        """This measure of pairings or transports under further constraints, for each instance.

        Parameters
        ----------
        constraints
            From the model of one instance to its constraints: ``lambda model: [model.x["cow", :].sum() <= 1]``.
        name
            Of the new measure; by default that of this one with _constrained.
        """
        from hemlp.measures.derived import ConstrainedMeasure

        return ConstrainedMeasure(f"{self.name}_constrained" if name is None else name, self, constraints)

    @property
    def _foreign_parts(self) -> list[Any]:
        """Classes and functions that the text stands for, and that are not hemlp's: they show in signatures."""
        return [part for part in (type(self), *self._parts) if not part.__module__.startswith("hemlp.")]

    @property
    def _parts(self) -> tuple[Any, ...]:
        """Classes and functions that names in the text stand for."""
        return ()

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

        Parameters
        ----------
        data
            A hierarchy, or a batch.
        true, pred
            The label sets of the instance, where ``data`` is a hierarchy.
        solver
            Who solves the model: a name, an object, or None for the first that accepts it.
        time_limit
            In seconds for each instance.
        undefined
            "nan" goes on, and counts, where the measure is undefined or its model has no solution; else "error".
        verify
            Prove each optimum once more, by means that do not depend on its solver.

        Returns
        -------
        Score or Scores
            A float with further columns, or arrays of those.

        Raises
        ------
        UndefinedScore, InfeasibleModel
            Unless ``undefined="nan"``.

        Examples
        --------
        >>> from hemlp import measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> measure("F_H").score(h, true=["sheep"], pred=["cow"])
        0.5
        >>> measure("F_H").score(Batch.of(h, ["sheep", "cow"], ["cow", "cow"])).values.tolist()
        [0.5, 1.0]
        """
        batch = self._as_batch(data, true, pred)
        (scores,) = score_together(
            [self], batch, solver=solver, time_limit=time_limit, undefined=undefined, verify=verify
        )
        return scores if isinstance(data, Batch) else scores.single()

    def _defined_rows(self, batch: Batch, undefined: UndefinedPolicy, first_row: int = 0) -> IntArray:
        """The instances on which the measure is defined; an error at the first other one unless it may be nan."""
        bad, reason = self._undefined(batch)
        for row in np.flatnonzero(bad)[:1].tolist() if undefined == "error" else ():
            sizes = f"{len(batch.true[row])} true and {len(batch.pred[row])} predicted classes"
            who = f"instance {first_row + row + 1}" + ("" if batch.ids is None else f" ({batch.ids[row]})")
            words = f"{who}: {self.name} is undefined, {reason}; it has {sizes}"
            raise UndefinedScore(words, first_row + row + 1).with_advice(LEAVE_OUT)
        return np.flatnonzero(~bad)


def set_fields(measure: Measure, **values: Any) -> None:
    """Set fields of a frozen measure while it is made."""
    for name, value in values.items():
        object.__setattr__(measure, name, value)


def _serializable(value: Any) -> Any:
    """A plain value as it is, a cost by its text; "custom" where there is no text form."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple):
        return "custom" if "custom" in map(_serializable, value) else value
    if hasattr(value, "custom"):  # bounds
        return "custom" if value.custom else value
    return getattr(value, "text", None) or "custom"
