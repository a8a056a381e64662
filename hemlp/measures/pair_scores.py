"""Scores of Problem 1, made of the least cost and of the numbers of classes; and which options fit together.

Best matches are two pairings: in the first each predicted class takes one true class, in the second each true class one
predicted class. With a similarity s, and κ = 1 − s, their least costs are

    e_p = Σ_i (1 − max_j s_ij)        e_t = Σ_j (1 − max_i s_ij).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption
from hemlp.instances.batch import Batch
from hemlp.options import check_choice, plain_number
from hemlp.problems.pairing.bounds import COVER, EACH, ONE_TO_ONE
from hemlp.problems.pairing.costs import check_magnitude

if TYPE_CHECKING:
    from hemlp.measures.pair_measure import PairMeasure


@dataclass(frozen=True)
class PairFacts:
    """What a score may be made of, an array each: the least cost, and how many predicted and true classes there are."""

    batch: Batch
    error: FloatArray
    predicted: IntArray
    true: IntArray
    default_cost: float

    @cached_property
    def common(self) -> IntArray:
        """How many classes are on both sides."""
        from hemlp.kernels.flow.pairing import count_common
        from hemlp.kernels.records import Sides

        pred, true = self.batch.pred, self.batch.true
        return count_common(Sides(pred.ptr, pred.classes, true.ptr, true.classes))


@dataclass(frozen=True)
class MatchFacts(PairFacts):
    """What a score of best matches may be made of: e_p and e_t as well."""

    predicted_error: FloatArray
    true_error: FloatArray

    def means(self) -> tuple[FloatArray, FloatArray]:
        """e_p / M and e_t / N; 0 on an empty side."""
        return self.predicted_error / np.maximum(self.predicted, 1), self.true_error / np.maximum(self.true, 1)


@dataclass(frozen=True)
class PairScore:
    """A score made from the optimum of Problem 1. ``accuracy`` needs one positive default cost.

    Parameters
    ----------
    function
        From ``PairFacts`` (an array for each fact) to one value per instance.
    greater_is_better
        Errors are better when small.
    range
        Least and greatest value.
    mirror
        Which score has its value when the sides change places: its own name, that of another, or None.
    beside
        Scores by name that are shown beside it, as columns.
    similarity
        Whether it is made of similarities: costs are at most 1, pairs one to one, and a default class costs 1/2.

    Examples
    --------
    >>> from hemlp import Bounds, Hierarchy, PairMeasure
    >>> mean = PairScore(lambda f: f.error / np.maximum(f.true, 1))
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> one = Bounds((1, 1), (1, 1))
    >>> PairMeasure("mean_error", one, default_cost=5, score=mean).score(h, ["sheep", "cow"], ["cow"])
    2.5
    """

    function: Callable[[Any], FloatArray]
    greater_is_better: bool = False
    range: tuple[float, float] = (0.0, math.inf)
    mirror: str | None = None
    beside: tuple[str, ...] = ()
    similarity: bool = False

    def values(self, facts: PairFacts) -> FloatArray:
        """One value per instance."""
        return self.function(facts)


@dataclass(frozen=True)
class MatchScore(PairScore):
    """A score made of the best matches of both sides; one empty side makes it the worst value, two the best.

    Parameters
    ----------
    function
        From ``MatchFacts`` (an array for each fact) to one value per instance.
    greater_is_better, range, mirror
        As of a ``PairScore``.
    strict
        Whether it is best only where every class of both sides has a perfect match.

    Examples
    --------
    >>> from hemlp import ALL, Bounds, Hierarchy, PairMeasure
    >>> worse_side = MatchScore(lambda f: 1 - np.maximum(*f.means()))
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> best = PairMeasure("best", Bounds((1, ALL), (1, ALL)), cost="wu_palmer", pairing="nearest", score=worse_side)
    >>> best.score(h, true=["sheep", "cow"], pred=["cow"])
    0.75
    """

    greater_is_better: bool = True
    range: tuple[float, float] = (0.0, 1.0)
    strict: bool = True

    def values(self, facts: PairFacts) -> FloatArray:
        worst, best = self.range if self.greater_is_better else self.range[::-1]
        predicted, true = facts.predicted == 0, facts.true == 0
        return np.where(predicted | true, np.where(predicted & true, best, worst), self.function(facts))


DIVISORS: dict[str, Callable[[PairFacts], IntArray]] = {
    "error": lambda f: np.ones_like(f.true),
    "accuracy": lambda f: np.maximum(f.predicted + f.true - 2 * f.common, 1),
    "accuracy_union": lambda f: np.maximum(f.predicted + f.true - f.common, 1),
}
"""By what the error of each instance is divided before it is averaged."""


def _accuracy(name: str) -> PairScore:
    """1 − error / (divisor · D_max), and 1 where the two sets are equal."""

    def function(facts: PairFacts) -> FloatArray:
        equal = (facts.common == facts.predicted) & (facts.common == facts.true)
        worst = DIVISORS[name](facts).astype(np.float64) * facts.default_cost
        return np.where(equal, 1.0, 1.0 - facts.error / worst)

    return PairScore(function, greater_is_better=True, range=(0.0, 1.0), mirror=name)


MATCHED = ("matched_P", "matched_R", "matched_F")


def _matched(mirror: str, count: Callable[[PairFacts], IntArray]) -> PairScore:
    """Σ s / count, where the least cost is (M + N) / 2 − Σ s; 0/0 is 1 if both sides are empty."""

    def function(facts: PairFacts) -> FloatArray:
        similar = (facts.predicted + facts.true) / 2 - facts.error
        empty = (facts.predicted == 0) & (facts.true == 0)
        return np.where(empty, 1.0, np.clip(similar / np.maximum(count(facts), 0.5), 0.0, 1.0))

    return PairScore(function, True, (0.0, 1.0), mirror, MATCHED, similarity=True)


def _bma(facts: MatchFacts) -> FloatArray:
    share: FloatArray = (facts.predicted_error + facts.true_error) / np.maximum(facts.predicted + facts.true, 1)
    return 1 - share


PAIR_SCORES: dict[str, PairScore] = {
    "error": PairScore(lambda facts: facts.error, mirror="error"),
    "mean": PairScore(lambda facts: facts.error / np.maximum(facts.predicted, 1)),
    "accuracy": _accuracy("accuracy"),
    "accuracy_union": _accuracy("accuracy_union"),
    "matched_P": _matched("matched_R", lambda f: f.predicted),
    "matched_R": _matched("matched_P", lambda f: f.true),
    "matched_F": _matched("matched_F", lambda f: (f.predicted + f.true) / 2),
    "BMA": MatchScore(_bma, mirror="BMA"),
    "funSimAvg": MatchScore(lambda f: 1 - np.add(*f.means()) / 2, mirror="funSimAvg"),
    "funSimMax": MatchScore(lambda f: 1 - np.minimum(*f.means()), mirror="funSimMax", strict=False),
}
"""Scores by name. One line more makes a score of yours known by name."""


def contradictions(of: PairMeasure) -> Iterator[str]:
    """What is not an option, and which options do not fit together."""
    check_choice("pairing", of.pairing, ("optimal", "nearest", "transport"))
    check_choice("defined", of.defined, ("always", "single", "both", "nonempty"))
    score: Any = of.scoring
    default, bounds, weighted = of.default_cost, of.bounds, of.weights is not None
    if callable(score):
        yield "a score of your own is score=PairScore(function)"
    elif not isinstance(score, PairScore):
        check_choice("score", score, tuple(PAIR_SCORES))
    if of.horizon is not None and not getattr(of.cost, "unit", False):
        yield "horizon counts edges and needs a cost that does: shortest paths of unit lengths"
    if str(score).startswith("accuracy") and not (isinstance(default, int | float) and default > 0):
        yield f"score={score!r} needs one default_cost above 0, not {default!r}"
    if weighted and not (isinstance(of.weights, Mapping) and of.pairing != "nearest"):
        yield "weights map classes to numbers, for optimal pairings and transports"
    if isinstance(score, str) and score != "error" and (weighted or not bounds.plain):
        yield f"score={score!r} needs bounds of classes alone, unpriced, and no weights: else it would leave its range"
    if of._scorer.similarity and (bounds != ONE_TO_ONE or default != 0.5 or of.max_distance is not None):
        yield f"score={score!r} needs the bounds (1, 1) on both sides and default_cost=0.5"
    nearest = of.pairing == "nearest"
    if of._of_matches and (bounds != COVER or not nearest or default is not None or of.max_distance is not None):
        what = f"score={score!r}" if isinstance(score, str) else "a MatchScore"
        yield f"{what} needs the bounds (1, ALL) on both sides, pairing='nearest' and no default_cost"
    if nearest and bounds != COVER and (bounds not in EACH or default is not None):
        yield "pairing='nearest' is for the bounds (1, ALL) on both sides, or without default_cost (1, 1) on one side"
    if of.pairing == "transport" and (
        bounds != ONE_TO_ONE or default is not None or score in PAIR_SCORES.keys() - {"error"}
    ):
        yield "pairing='transport' is for the bounds (1, 1) on both sides, no default_cost and score='error'"


def plain_default(cost: Any) -> Any:
    """A default cost as plain numbers, refused unless they are at least 0."""
    if isinstance(cost, tuple):
        if len(cost) != 2:
            raise InvalidOption(f"default_cost={cost!r} is not one value or a pair (predicted, true)")
        return tuple(plain_default(side) for side in cost)
    if isinstance(cost, Mapping):
        return {label: plain_default(value) for label, value in cost.items()}
    number = plain_number("default_cost", cost, 0)
    if number is not None:
        check_magnitude(float(number), lambda _: "default_cost")
    return number
