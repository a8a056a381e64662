"""Pair-based measures: Problem 1 with bounds of your choice, and a score made from the least cost."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, row_sums
from hemlp.errors import InfeasibleModel, InvalidOption, naming
from hemlp.hierarchy.class_weights import class_weights
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.instances.sides import PRED, SIDES, TRUE
from hemlp.measures.base import Measure, set_fields
from hemlp.measures.naming import check_name
from hemlp.measures.pair_scores import (
    PAIR_SCORES,
    MatchFacts,
    MatchScore,
    PairFacts,
    PairScore,
    contradictions,
    plain_default,
)
from hemlp.measures.scoring import LEAVE_OUT, UndefinedPolicy, as_batch, pairing_bytes
from hemlp.optimize.joint import JointModel
from hemlp.options import plain_horizon, plain_number
from hemlp.problems.incomplete_gold import excused_classes, excused_pairs
from hemlp.problems.pairing.bounds import (
    COVER,
    EACH,
    ONE_TO_ONE,
    Bounds,
    DefaultCost,
    bound_arrays,
    contradiction,
    default_array,
)
from hemlp.problems.pairing.build_model import (
    apply_weights,
    build_nearest,
    build_transport,
    drop_forbidden,
    forces_pairs,
    impossible_pairs,
    with_capacities,
)
from hemlp.problems.pairing.capacities import PairRule
from hemlp.problems.pairing.costs import as_cost, compute_costs, cost_text, shares_of_one
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.pairs import Pairs, SideBounds

if TYPE_CHECKING:
    from hemlp.measures.default_cost_sensitivity import Sensitivity
    from hemlp.measures.dual_values import ClassPrices


ONE_EMPTY = "one side is empty and the other is not"
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
        "error", "mean" (the error per predicted class), "accuracy", "accuracy_union", "matched_P", "matched_R",
        "matched_F" or a ``PairScore``; or "BMA", "funSimAvg", "funSimMax" or a ``MatchScore``.
    max_distance
        Pairs that cost more do not exist.
    horizon
        h caps costs at 2h.
    pairing
        "nearest" lets each class take one of its nearest; with the bounds (1, 1) on one side and (0, ALL) on the other
        each class of the one side, and where it has none the error is infinite. "transport" divides classes: each side
        is a mass of 1 that lies on its classes, and all of it moves to the other side.
    defined
        "always", "single" (one class per side), "both" (not when exactly one side is empty) or "nonempty" (not when a
        side is empty).
    weights
        How much each class counts: its default cost is multiplied by its weight, and the cost of a pair by the mean
        weight of its two classes. Of a transport, the mass of a side lies on its classes in proportion to them.

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
        pairing: Literal["optimal", "nearest", "transport"] = "optimal",
        defined: Literal["always", "single", "both", "nonempty"] = "always",
        weights: Mapping[Label, float] | None = None,
    ) -> None:
        if not isinstance(bounds, Bounds):
            raise InvalidOption(f"bounds={bounds!r} are not Bounds(predicted=(…, …), true=(…, …))")
        set_fields(
            self, name=name, bounds=bounds, cost=as_cost(cost), default_cost=plain_default(default_cost),
            scoring=score, max_distance=plain_number("max_distance", max_distance, 0), horizon=plain_horizon(horizon),
            pairing=pairing, defined=defined, weights=weights,
        )  # fmt: skip
        for words in contradictions(self):
            raise InvalidOption(words)
        check_name(self)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The score, the least cost, and scores that are shown beside it; of a transport the score alone."""
        if self._of_matches:
            return self.name, "predicted_error", "true_error"
        error = () if self.pairing == "transport" else ("error",)
        return self.name, *error, *(score for score in self._scorer.beside if score != self.name)

    @property
    def _parts(self) -> tuple[Any, ...]:
        """A cost that has a text form, and a score that is known by name."""
        cost = () if cost_text(self.cost) == "custom" else (type(self.cost),)
        return *cost, *((self._scorer.function,) if isinstance(self.scoring, str) else ())

    @property
    def _scorer(self) -> PairScore:
        return PAIR_SCORES[self.scoring] if isinstance(self.scoring, str) else self.scoring

    _of_matches = cached_property(lambda measure: isinstance(measure._scorer, MatchScore))
    """Whether it is made of the best match of each class."""

    @property
    def range(self) -> tuple[float, float]:
        """An accuracy is at least 0 if equal classes cost nothing, and one partner is enough for each class."""
        low, high = super().range
        enough = not self.bounds.custom and self.bounds.least[0] | self.bounds.least[1] <= {0, 1}
        usual = enough and "zero_if_equal" in getattr(self.cost, "promises", ())
        return low if usual or not str(self.scoring).startswith("accuracy") else -math.inf, high

    @property
    def invariants(self) -> frozenset[str]:
        promised, kept = getattr(self.cost, "promises", frozenset[str]()), {"range"}
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
            strict &= getattr(self._scorer, "strict", True)
            if turned and "zero_only_if_equal" in promised and lower == {1} and strict:
                kept.add("best_only_if_equal")
        return frozenset(kept)

    @property
    def _model_key(self) -> Hashable:
        """Measures that differ only in name and score share their pairing; scores of similarities limit its costs."""
        plain, text = self.serializable_fields(), cost_text(self.cost)
        cost = id(self.cost) if text == "custom" else (type(self.cost), text)
        rest = ((k, id(v) if plain[k] == "custom" else v) for k, v in self.fields.items() if k not in _NOT_IN_MODEL)
        return cost, self._scorer.similarity, self._of_matches, tuple(rest)

    _pair_bytes = pairing_bytes

    def bytes_needed(self, batch: Batch) -> FloatArray:
        """Nothing where the sizes of the sides leave it undefined."""
        return np.where(self._undefined(batch)[0], 0.0, super().bytes_needed(batch))

    def model(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Any:
        """Problem 1 of one instance (hierarchy, true, pred) or of a batch; of best matches one for each side."""
        batch = as_batch(data, true, pred)
        pairs, title = Pairs.of(batch), self._text
        kappa = self._kappa(batch, pairs)
        if self._of_matches:
            titles = {name: f"{title}: the best match of each {name} class" for name in SIDES}
            parts = enumerate(titles.items())
            return JointModel(title, {n: build_nearest(words, batch, pairs, kappa, k) for k, (n, words) in parts})
        if self.pairing == "transport":
            return build_transport(title, batch, pairs, kappa, self.weights)
        if self._choosing is not None:
            return build_nearest(title, batch, pairs, kappa, self._choosing)
        return self._pairing(batch, pairs, kappa)

    @cached_property
    def _choosing(self) -> int | None:
        """The side whose classes each choose one of their nearest, where the other side needs none."""
        return EACH.index(self.bounds) if self.pairing == "nearest" and self.bounds in EACH else None

    def _pairing(self, batch: Batch, pairs: Pairs, kappa: FloatArray) -> PairingModel:
        """Problem 1 with the bounds and default classes that were given."""
        labels, given = batch.hierarchy.labels, self.default_cost
        sides = zip(given if isinstance(given, tuple) else (given, given), batch.sides, SIDES, strict=True)
        defaults = [default_array(cost, side, labels, name) for cost, side, name in sides]
        if batch.lenient:
            free = excused_classes(batch, pairs) & np.isfinite(defaults[PRED])
            defaults[PRED] = np.where(free, 0.0, defaults[PRED])
        if self.weights is not None:
            kappa, defaults = apply_weights(batch, pairs, kappa, defaults, self.weights)
        rules = self.bounds
        if rules.further:
            kappa, defaults, rules = drop_forbidden(batch, pairs, kappa, defaults, rules)
        serves = np.full(kappa.size, 3, np.uint8)
        if self.pairing == "nearest":
            from hemlp.kernels.flow.pairing import nearest_only

            serves, *defaults = nearest_only(batch.pred.ptr, batch.true.ptr, pairs.ptr, kappa, *defaults)
        bounds, error = self._bounds(batch)
        if error is not None:
            raise error
        halves = zip(batch.sides, bounds, defaults, strict=True)
        predicted, true = (SideBounds(side, *of, default) for side, of, default in halves)
        model = PairingModel(self._text, batch, pairs, kappa, serves, (predicted, true))
        if not rules.plain or rules.ruled:
            model = with_capacities(model, rules)
        return model.with_finite_costs()

    def _kappa(self, batch: Batch, pairs: Pairs) -> FloatArray:
        """κ of all pairs, before weights."""
        own_lengths = getattr(self.cost, "weights", None) != "uniform"
        if self.horizon is not None and batch.hierarchy.weighted and own_lengths:
            raise InvalidOption("horizon counts edges; this hierarchy has edge weights")
        if self._scorer.similarity or self._of_matches:
            kappa = shares_of_one(self.cost, batch, pairs)
        else:
            kappa = compute_costs(self.cost, batch, pairs)
        if self.horizon is not None:
            kappa = np.minimum(kappa, 2.0 * self.horizon)
        if self.max_distance is not None:
            kappa = np.where(kappa > self.max_distance, math.inf, kappa)
        return np.where(excused_pairs(batch, pairs), 0.0, kappa) if batch.lenient else kappa

    def _bounds(
        self, batch: Batch, first_row: int = 0
    ) -> tuple[list[tuple[IntArray, IntArray]], InfeasibleModel | None]:
        """The bounds of all classes of each side, and an error if those of one contradict each other."""
        h, pred, true = batch.hierarchy, batch.pred, batch.true
        bounds = [
            bound_arrays(self.bounds.predicted, pred, true, h, SIDES[PRED]),
            bound_arrays(self.bounds.true, true, pred, h, SIDES[TRUE]),
        ]
        if self.bounds.consistent:
            return bounds, None
        sides = zip(bounds, batch.sides, SIDES, strict=True)
        errors = (contradiction(*of, side, h.labels, name, first_row) for of, side, name in sides)
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
            lost = impossible_pairs(batch, pairs, self._kappa(batch, pairs), uppers, self.bounds, first_row)
            bad[list(lost)] = True
            error = error or next(iter(lost.values()), None)
        if error is None:
            return rows
        if undefined == "error":
            with naming(self.name):
                raise error.with_advice(LEAVE_OUT)
        for (lower, upper), side in zip(bounds, batch.sides, strict=True):
            bad[np.searchsorted(side.ptr, np.flatnonzero(lower > upper), side="right") - 1] = True
        return rows[~bad[rows]]

    def _undefined(self, batch: Batch) -> tuple[NDArray[np.bool_], str]:
        predicted, true = batch.pred.sizes, batch.true.sizes
        if self.pairing == "transport" and self.weights is not None:
            masses = class_weights(batch.hierarchy, self.weights)
            heavy = [row_sums(masses[side.classes], side.ptr) > 0 for side in batch.sides]
            weightless = ~(heavy[0] & heavy[1]) & (predicted + true > 0)
            return weightless, f"{ONE_EMPTY}, or the classes of a side weigh nothing"
        if self.defined == "single":
            return (predicted != 1) | (true != 1), "it needs exactly one true and one predicted class"
        if self.defined == "both":
            return (predicted == 0) != (true == 0), ONE_EMPTY
        if self.defined == "nonempty":
            return (predicted == 0) | (true == 0), "a side is empty"
        return np.zeros(len(batch.pred.ptr) - 1, np.bool_), ""

    def _compute_columns(self, model: Any, solution: Any) -> dict[str, FloatArray]:
        batch, error = model.batch, solution.objectives
        if self._choosing is not None:
            half = model.halves[self._choosing]
            lost = row_sums((half.lower == 0).astype(np.float64), half.side.ptr) > 0
            error = np.where(lost, math.inf, error)
        default = self.default_cost if isinstance(self.default_cost, int | float) else math.nan
        facts = PairFacts(batch, error, batch.pred.sizes, batch.true.sizes, float(default))
        if self._of_matches:
            facts = MatchFacts(**vars(facts), **{f"{side}_error": solution.parts[side].objectives for side in SIDES})
        beside = {each: PAIR_SCORES[each].values(facts) for each in self._scorer.beside}
        shown = {each: beside[each] if each in beside else getattr(facts, each) for each in self.columns[1:]}
        return {**shown, self.name: self._scorer.values(facts)}

    def prices(self, hierarchy: Hierarchy, true: Any, pred: Any) -> ClassPrices:
        """What each class of an instance adds to the least cost: its prices as a range, and its absence.

        Parameters
        ----------
        hierarchy, true, pred
            The instance; InvalidOption if the measure is one of best matches or a transport.

        Examples
        --------
        >>> from hemlp import Hierarchy, measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> prices = measure("GIE").prices(h, true=["sheep", "cow"], pred=["cow"])
        >>> [(row.label, row.without) for row in prices.rows if row.side == "true"]
        [('cow', -3.0), ('sheep', -5.0)]
        """
        from hemlp.measures.dual_values import class_prices

        if not pairs_classes(self):
            raise InvalidOption(f"{self} has no prices of classes: it is not one pairing of all of them")
        return class_prices(self, as_batch(hierarchy, true, pred))

    def sensitivity(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Sensitivity:
        """How the measure depends on its default cost, of one instance or on average over a batch: exactly.

        Parameters
        ----------
        data, true, pred
            As of ``model``; InvalidOption if the measure has not one default cost for all classes, or its score is a
            function of a user's own.
        """
        from hemlp.measures.default_cost_sensitivity import EnvelopeSum

        totals = EnvelopeSum(self)
        totals.add_batch(as_batch(data, true, pred))
        return totals.sensitivity()


def pairs_classes(measure: object) -> TypeGuard[PairMeasure]:
    """Whether it costs what the pairs of one pairing cost that takes all classes: no best match, no transport."""
    if not isinstance(measure, PairMeasure) or measure.pairing == "transport":
        return False
    return measure._choosing is None and not measure._of_matches


MatchMeasure = partial(PairMeasure, bounds=COVER, cost="wu_palmer", pairing="nearest", score="BMA")
NearestMeasure = partial(
    PairMeasure, bounds=EACH[PRED], cost="lca_height", pairing="nearest", defined="nonempty", score="mean"
)
TransportMeasure = partial(PairMeasure, bounds=ONE_TO_ONE, pairing="transport", defined="both")
"""Classes of 0.2 that are ``PairMeasure`` now: their texts are still read."""
