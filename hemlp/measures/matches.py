"""Measures of best matches: how similar each class is to the one that is most like it on the other side.

Two pairings without default classes: in the first each predicted class takes one true class, in the second each true
class one predicted class. With a similarity s, and κ = 1 − s, their least costs are

    e_p = Σ_i (1 − max_j s_ij)        e_t = Σ_j (1 − max_i s_ij).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch
from hemlp.instances.sides import SIDES
from hemlp.measures.base import Measure, set_fields
from hemlp.measures.naming import check_name
from hemlp.measures.scoring import as_batch
from hemlp.optimize.joint import JointModel
from hemlp.options import check_choice
from hemlp.problems.pairing.build_model import build_nearest
from hemlp.problems.pairing.costs import as_cost, cost_bytes, cost_key, cost_promises, cost_text, shares_of_one
from hemlp.problems.pairing.pairs import Pairs


@dataclass(frozen=True)
class MatchFacts:
    """What a score may be made of, an array each: e_p, e_t, and how many classes there are."""

    predicted_error: FloatArray
    true_error: FloatArray
    predicted: IntArray
    true: IntArray

    def means(self) -> tuple[FloatArray, FloatArray]:
        """e_p / M and e_t / N; 0 on an empty side."""
        return self.predicted_error / np.maximum(self.predicted, 1), self.true_error / np.maximum(self.true, 1)


@dataclass(frozen=True)
class MatchScore:
    """A score made of the best matches of both sides; one empty side makes it 0, two make it 1.

    Parameters
    ----------
    function
        From ``MatchFacts`` (an array for each fact) to one value an instance.
    greater_is_better
        Losses are better when small.
    range
        Least and greatest value.
    strict
        Whether it is best only where every class of both sides has a perfect match.
    """

    function: Callable[[MatchFacts], FloatArray]
    greater_is_better: bool = True
    range: tuple[float, float] = (0.0, 1.0)
    strict: bool = True


def _bma(facts: MatchFacts) -> FloatArray:
    share: FloatArray = (facts.predicted_error + facts.true_error) / np.maximum(facts.predicted + facts.true, 1)
    return 1 - share


def _fun_sim_avg(facts: MatchFacts) -> FloatArray:
    first, second = facts.means()
    return 1 - (first + second) / 2


def _fun_sim_max(facts: MatchFacts) -> FloatArray:
    return 1 - np.minimum(*facts.means())


MATCH_SCORES: dict[str, MatchScore] = {
    "BMA": MatchScore(_bma),
    "funSimAvg": MatchScore(_fun_sim_avg),
    "funSimMax": MatchScore(_fun_sim_max, strict=False),
}
"""Scores by name. One line more makes a score of yours known by name."""


@dataclass(frozen=True, init=False, eq=False)
class MatchMeasure(Measure):
    """A measure of best matches, made of two pairings.

    Parameters
    ----------
    name
        A word that is no other measure's name.
    cost
        1 − a similarity in [0, 1]: "wu_palmer", ``Lin(weights)``, a ``MatrixCost`` of similarities, or any cost of at
        most 1.
    score
        "BMA", "funSimAvg", "funSimMax" or a ``MatchScore``.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
    >>> best = MatchMeasure("best", cost="wu_palmer")
    >>> best.score(h, true=["sheep", "bird"], pred=["cow"])["true_error"]
    0.9333333333333333
    """

    name: str
    cost: Any
    scoring: str | MatchScore

    def __init__(self, name: str, *, cost: Any = "wu_palmer", score: str | MatchScore = "BMA") -> None:
        if not isinstance(score, MatchScore):
            check_choice("score", score, tuple(MATCH_SCORES))
        set_fields(self, name=name, cost=as_cost(cost), scoring=score)
        check_name(self)

    @property
    def columns(self) -> tuple[str, ...]:
        """The score, e_p and e_t."""
        return self.name, "predicted_error", "true_error"

    @property
    def _parts(self) -> tuple[Any, ...]:
        """A cost that has a text form, and a score that is known by name."""
        cost = () if cost_text(self.cost) == "custom" else (type(self.cost),)
        return *cost, *((self._scorer.function,) if isinstance(self.scoring, str) else ())

    @property
    def _scorer(self) -> MatchScore:
        """How the score is made of the matches."""
        return MATCH_SCORES[self.scoring] if isinstance(self.scoring, str) else self.scoring

    @property
    def invariants(self) -> frozenset[str]:
        """What the cost promises, as far as the score keeps it."""
        promised, found = cost_promises(self.cost), {"range"}
        if isinstance(self.scoring, str):
            found |= promised & {"names", "monotone", "symmetric"}
            if "zero_if_equal" in promised:
                found.add("best_if_equal")
            if "zero_only_if_equal" in promised and self._scorer.strict:
                found.add("best_only_if_equal")
        return frozenset(found)

    @property
    def _model_key(self) -> Hashable:
        """Measures that differ only in name and score share their pairings."""
        return cost_key(self.cost)

    def _pair_bytes(self, hierarchy: Hierarchy) -> float:
        """Of two pairings, one after the other, each with its proof."""
        return max(72.0, cost_bytes(self.cost))

    def model(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> JointModel:
        """Both pairings of one instance (hierarchy, true, pred) or of a batch; none where a side is empty."""
        batch = as_batch(data, true, pred)
        pairs = Pairs.of(batch)
        kappa = shares_of_one(self.cost, batch, pairs, self.name)
        titles = (f"{self}: the best match of each {name} class" for name in SIDES)
        parts = [build_nearest(title, batch, pairs, kappa, side) for side, title in enumerate(titles)]
        return JointModel(str(self), dict(zip(SIDES, parts, strict=True)))

    def _compute_columns(self, model: JointModel, solution: Any) -> dict[str, FloatArray]:
        predicted, true = (side.sizes for side in model.batch.sides)
        of_predicted, of_true = (solution.parts[side].objectives for side in SIDES)
        facts = MatchFacts(of_predicted, of_true, predicted, true)
        empty = (predicted == 0) | (true == 0)
        best = self.range if self.greater_is_better else self.range[::-1]
        ends = np.where((predicted == 0) & (true == 0), best[1], best[0])
        values = np.where(empty, ends, self._scorer.function(facts))
        return {self.name: values, "predicted_error": facts.predicted_error, "true_error": facts.true_error}
