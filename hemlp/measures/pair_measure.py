"""Pair-based measures: Problem 1 with bounds of your choice, and a score made from the least cost."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InfeasibleModel, InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.instances.sides import PRED, SIDES, TRUE
from hemlp.measures.base import Measure, set_fields
from hemlp.measures.naming import check_name
from hemlp.measures.pair_scores import PAIR_SCORES, PairFacts, PairScore, count_common_classes
from hemlp.measures.scoring import UndefinedPolicy, as_batch, pairing_bytes
from hemlp.options import check_choice, plain_horizon, plain_number
from hemlp.problems.pairing.bounds import (
    COVER,
    ONE_TO_ONE,
    Bounds,
    DefaultCost,
    bound_arrays,
    contradiction,
    default_array,
)
from hemlp.problems.pairing.build_model import forces_pairs, lost_pairs, simplified, weighed, with_capacities
from hemlp.problems.pairing.capacities import PairRule
from hemlp.problems.pairing.costs import (
    as_cost,
    check_magnitude,
    checked_costs,
    cost_key,
    cost_promises,
    cost_text,
    shares_of_one,
)
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.pairs import Pairs, SideBounds

if TYPE_CHECKING:
    from hemlp.measures.default_cost_sensitivity import Sensitivity
    from hemlp.measures.dual_values import ClassPrices


_NOT_IN_MODEL = {"name", "score", "cost"}
"""Fields that do not make the model, or in another way."""


@dataclass(frozen=True, init=False, eq=False)
class PairMeasure(Measure):
    """A measure of Problem 1: bounds, costs, default classes, and a score made from the least cost.

    Parameters
    ----------
    name
        A word that is no other measure's name.
    bounds
        How many pairs a class takes part in.
    cost
        "shortest_path", "undirected", a function of (predicted, true), or a cost object.
    default_cost
        One value, a mapping from classes to values, a pair of those for predicted and true classes, or None for no
        default class.
    score
        "error", "accuracy", "accuracy_union", "matched_P", "matched_R", "matched_F" or a ``PairScore``.
    max_distance
        Pairs that cost more do not exist.
    horizon
        h caps costs at 2h.
    pairing
        "nearest" lets each class take one of its nearest.
    defined
        "always", "single" (one class per side) or "both" (not when exactly one side is empty).
    weights
        How much each class counts: its default cost is multiplied by its weight, and the cost of a pair by the mean
        weight of its two classes.

    Raises
    ------
    InvalidOption
        If these do not fit together.

    Examples
    --------
    >>> from hemlp import ALL, Hierarchy
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> loose = PairMeasure("loose", Bounds(predicted=(1, 2), true=(1, ALL)), default_cost=5)
    >>> loose.score(h, true=["sheep", "animal"], pred=["cow"])
    3.0
    """

    name: str
    bounds: Bounds
    cost: Any
    default_cost: DefaultCost | tuple[DefaultCost, DefaultCost]
    scoring: str | PairScore
    max_distance: float | None
    horizon: int | None
    pairing: str
    defined: str
    weights: Mapping[Label, float] | None
    _omitted_if_none = ("weights",)

    def __init__(
        self,
        name: str,
        bounds: Bounds,
        *,
        cost: Any = "shortest_path",
        default_cost: DefaultCost | tuple[DefaultCost, DefaultCost] = None,
        score: str | PairScore = "error",
        max_distance: float | None = None,
        horizon: int | None = None,
        pairing: Literal["optimal", "nearest"] = "optimal",
        defined: Literal["always", "single", "both"] = "always",
        weights: Mapping[Label, float] | None = None,
    ) -> None:
        if not isinstance(bounds, Bounds):
            raise InvalidOption(f"bounds={bounds!r} are not Bounds(predicted=(…, …), true=(…, …))")
        set_fields(
            self, name=name, bounds=bounds, cost=as_cost(cost), default_cost=_plain_default(default_cost),
            scoring=score, max_distance=plain_number("max_distance", max_distance, 0), horizon=plain_horizon(horizon),
            pairing=pairing, defined=defined, weights=weights,
        )  # fmt: skip
        for words in self._contradictions():
            raise InvalidOption(words)
        check_name(self)

    def _contradictions(self) -> Iterator[str]:
        """What is not an option, and which options do not fit together."""
        check_choice("pairing", self.pairing, ("optimal", "nearest"))
        check_choice("defined", self.defined, ("always", "single", "both"))
        score, default, weighted = self.scoring, self.default_cost, self.weights is not None
        if not isinstance(score, PairScore):
            check_choice("score", score, tuple(PAIR_SCORES))
        if self.horizon is not None and not getattr(self.cost, "unit", False):
            yield "horizon counts edges and needs a cost that does: shortest paths of unit lengths"
        if str(score).startswith("accuracy") and not (isinstance(default, int | float) and default > 0):
            yield f"score={score!r} needs one default_cost above 0, not {default!r}"
        if weighted and not (isinstance(self.weights, Mapping) and self.pairing == "optimal"):
            yield "weights map classes to numbers, for optimal pairings"
        if isinstance(score, str) and score != "error" and (weighted or not self.bounds.plain):
            yield f"score={score!r} needs plain bounds and no weights: else it would leave its range"
        if self._scorer.similarity and (self.bounds != ONE_TO_ONE or default != 0.5 or self.max_distance is not None):
            yield f"score={score!r} needs the bounds (1, 1) on both sides and default_cost=0.5"
        if self.pairing == "nearest" and self.bounds != COVER:
            yield "pairing='nearest' is for the bounds (1, ALL) on both sides"

    @property
    def columns(self) -> tuple[str, ...]:
        """The score, the least cost, and scores that are shown beside it."""
        return self.name, "error", *(score for score in self._scorer.beside if score != self.name)

    @property
    def _parts(self) -> tuple[Any, ...]:
        """A cost that has a text form, and a score that is known by name."""
        cost = () if cost_text(self.cost) == "custom" else (type(self.cost),)
        return *cost, *((self._scorer.function,) if isinstance(self.scoring, str) else ())

    @property
    def _scorer(self) -> PairScore:
        """How the score is made from the optimum."""
        return PAIR_SCORES[self.scoring] if isinstance(self.scoring, str) else self.scoring

    @property
    def invariants(self) -> frozenset[str]:
        """Derived from the bounds, the cost and the score."""
        promised, kept = cost_promises(self.cost), {"range"}
        lower = self.bounds.least[0] | self.bounds.least[1]
        turned = isinstance(self.scoring, str) and self._scorer.mirror == self.scoring
        if not self.bounds.custom and not isinstance(self.default_cost, Mapping | tuple):
            if self.weights is None and not isinstance(self.bounds.pair, PairRule):
                kept |= promised & {"names"} | (set() if self.bounds.ruled else promised & {"monotone"})
            if turned and self.bounds.symmetric:
                kept |= promised & {"symmetric"}
        alone = lower <= {0, 1} and self.bounds.free and not self.bounds.custom
        if "zero_if_equal" in promised and alone and isinstance(self.scoring, str):
            kept.add("best_if_equal")
            strict = self.bounds.plain and self.weights is None and self.default_cost != 0
            if turned and "zero_only_if_equal" in promised and lower == {1} and strict:
                kept.add("best_only_if_equal")
        return frozenset(kept)

    @property
    def _model_key(self) -> Hashable:
        """Measures that differ only in name and score share their pairing; scores of similarities limit its costs."""
        plain = self.serializable_fields()
        rest = ((k, id(v) if plain[k] == "custom" else v) for k, v in self.fields.items() if k not in _NOT_IN_MODEL)
        return cost_key(self.cost), self._scorer.similarity, tuple(rest)

    def _pair_bytes(self, hierarchy: Hierarchy) -> float:
        """As of Problem 1."""
        return pairing_bytes(self, hierarchy)

    def bytes_needed(self, batch: Batch) -> FloatArray:
        """Nothing where the sizes of the sides leave it undefined."""
        return np.where(self._undefined(batch)[0], 0.0, super().bytes_needed(batch))

    def model(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> PairingModel:
        """Problem 1 of one instance (hierarchy, true, pred) or of a batch."""
        batch = as_batch(data, true, pred)
        pairs, labels = Pairs.of(batch), batch.hierarchy.labels
        kappa = self._kappa(batch, pairs)
        given = self.default_cost if isinstance(self.default_cost, tuple) else (self.default_cost, self.default_cost)
        sides = zip(given, (batch.pred, batch.true), SIDES, strict=True)
        defaults = [default_array(cost, side, labels, name) for cost, side, name in sides]
        if self.weights is not None:
            kappa, defaults = weighed(batch, pairs, kappa, defaults, self.weights)
        rules = self.bounds
        if rules.further:
            kappa, defaults, rules = simplified(batch, pairs, kappa, defaults, rules)
        serves = np.full(kappa.size, 3, np.uint8)
        if self.pairing == "nearest":
            from hemlp.kernels.flow.pairing import nearest_only

            serves, *defaults = nearest_only(batch.pred.ptr, batch.true.ptr, pairs.ptr, kappa, *defaults)
        bounds, error = self._bounds(batch)
        if error is not None:
            raise error
        made = zip((batch.pred, batch.true), bounds, defaults, strict=True)
        predicted, true = (SideBounds(side, *of, default) for side, of, default in made)
        model = PairingModel(self._text, batch, pairs, kappa, serves, (predicted, true))
        if not rules.plain or rules.ruled:
            model = with_capacities(model, rules)
        return model.with_finite_costs()

    def _kappa(self, batch: Batch, pairs: Pairs) -> FloatArray:
        """κ of all pairs, before weights."""
        own_lengths = getattr(self.cost, "weights", None) != "uniform"
        if self.horizon is not None and batch.hierarchy.weighted and own_lengths:
            raise InvalidOption("horizon counts edges; this hierarchy has edge weights")
        if self._scorer.similarity:
            kappa = shares_of_one(self.cost, batch, pairs, self.name)
        else:
            kappa = checked_costs(self.cost, batch, pairs)
        if self.horizon is not None:
            kappa = np.minimum(kappa, 2.0 * self.horizon)
        if self.max_distance is not None:
            kappa = np.where(kappa > self.max_distance, math.inf, kappa)
        return kappa

    def _bounds(
        self, batch: Batch, first_row: int = 0
    ) -> tuple[list[tuple[IntArray, IntArray]], InfeasibleModel | None]:
        """The bounds of all classes of each side, and an error if those of one contradict each other."""
        labels, pred, true = batch.hierarchy.labels, batch.pred, batch.true
        bounds = [
            bound_arrays(self.bounds.predicted, pred, true, batch.hierarchy, SIDES[PRED]),
            bound_arrays(self.bounds.true, true, pred, batch.hierarchy, SIDES[TRUE]),
        ]
        if self.bounds.consistent:
            return bounds, None
        sides = zip(bounds, batch.sides, SIDES, strict=True)
        errors = (contradiction(*of, side, labels, name, first_row) for of, side, name in sides)
        return bounds, next((error for error in errors if error is not None), None)

    def _defined_rows(self, batch: Batch, undefined: UndefinedPolicy, first_row: int = 0) -> IntArray:
        """Without those whose bounds contradict each other, as ALL and a number can, or force what does not exist."""
        rows = super()._defined_rows(batch, undefined, first_row)
        if self.bounds.consistent and (self.bounds.plain or not forces_pairs(self.bounds)):
            return rows
        bounds, error = self._bounds(batch, first_row)
        bad = np.zeros(len(batch), np.bool_)
        if forces_pairs(self.bounds):
            pairs, uppers = Pairs.of(batch), (bounds[0][1], bounds[1][1])
            lost = lost_pairs(batch, pairs, self._kappa(batch, pairs), uppers, self.bounds, first_row)
            bad[list(lost)] = True
            error = error or next(iter(lost.values()), None)
        if error is None:
            return rows
        if undefined == "error":
            raise error
        for (lower, upper), side in zip(bounds, batch.sides, strict=True):
            bad[np.searchsorted(side.ptr, np.flatnonzero(lower > upper), side="right") - 1] = True
        return rows[~bad[rows]]

    def _undefined(self, batch: Batch) -> tuple[NDArray[np.bool_], str]:
        predicted, true = batch.pred.sizes, batch.true.sizes
        if self.defined == "single":
            return (predicted != 1) | (true != 1), "it needs exactly one true and one predicted class"
        if self.defined == "both":
            return (predicted == 0) != (true == 0), "one side is empty and the other is not"
        return np.zeros(predicted.size, np.bool_), ""

    def _compute_columns(self, model: PairingModel, solution: Any) -> dict[str, FloatArray]:
        batch = model.batch
        facts = PairFacts(
            solution.objectives,
            batch.pred.sizes,
            batch.true.sizes,
            count_common_classes(batch),
            float(self.default_cost) if isinstance(self.default_cost, int | float) else math.nan,
        )
        beside = {name: PAIR_SCORES[name].function(facts) for name in self._scorer.beside}
        return {"error": facts.error, **beside, self.name: self._scorer.function(facts)}

    def prices(self, hierarchy: Hierarchy, true: Any, pred: Any) -> ClassPrices:
        """What each class of an instance adds to the least cost: its prices as a range, and its absence.

        Parameters
        ----------
        hierarchy, true, pred
            The instance.

        Raises
        ------
        InfeasibleModel
            If it has no solution.

        Examples
        --------
        >>> from hemlp import Hierarchy, measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> prices = measure("GIE").prices(h, true=["sheep", "cow"], pred=["cow"])
        >>> [(row.label, row.without) for row in prices.rows if row.side == "true"]
        [('cow', -3.0), ('sheep', -5.0)]
        """
        from hemlp.measures.dual_values import class_prices

        return class_prices(self, as_batch(hierarchy, true, pred))

    # ---- as a function of the default cost

    @overload
    def sensitivity(self, data: Batch) -> Sensitivity: ...

    @overload
    def sensitivity(self, data: Hierarchy, true: Any, pred: Any) -> Sensitivity: ...

    def sensitivity(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Sensitivity:
        """How the measure depends on its default cost, of one instance or on average over a batch: exactly.

        Parameters
        ----------
        data
            A hierarchy, or a batch.
        true, pred
            The label sets of the instance, where ``data`` is a hierarchy.

        Raises
        ------
        InvalidOption
            If the measure has not one default cost for all classes, or its score is a function of a user's own.

        Examples
        --------
        >>> from hemlp import Hierarchy, measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> measure("GIE").sensitivity(h, ["sheep"], ["cow"]).breakpoints
        (Fraction(1, 1),)
        """
        from hemlp.measures.default_cost_sensitivity import EnvelopeSum

        totals = EnvelopeSum(self)
        totals.add_batch(as_batch(data, true, pred))
        return totals.sensitivity()


def _plain_default(cost: Any) -> Any:
    if isinstance(cost, tuple):
        if len(cost) != 2:
            raise InvalidOption(f"default_cost={cost!r} is not one value or a pair (predicted, true)")
        return tuple(_plain_default(side) for side in cost)
    if isinstance(cost, Mapping):
        return {label: _plain_default(value) for label, value in cost.items()}
    number = plain_number("default_cost", cost, 0)
    if number is not None:
        check_magnitude(float(number), lambda _: "default_cost")
    return number
