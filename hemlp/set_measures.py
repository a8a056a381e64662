"""Set-based measures: augment both sets, then compare them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.closure.model import ClosureModel
from hemlp.edges import FloatArray
from hemlp.errors import InvalidLabelSets, InvalidOption, without_advice
from hemlp.hierarchy import Hierarchy
from hemlp.labels import Batch, LabelSets
from hemlp.lca.model import LcaModel
from hemlp.programs.model import Model
from hemlp.scores import Scores
from hemlp.scoring import Measure, as_batch, check_name, plain_horizon
from hemlp.vocabulary import Label, check_choice, plain_number


@dataclass(frozen=True)
class SetFacts:
    """What a score may be made of, an array each: weights of the two sets and of what they share; are they equal?

    ``classes``: the number of classes of the hierarchy.
    """

    predicted: FloatArray
    true: FloatArray
    common: FloatArray
    equal: NDArray[np.bool_]
    classes: int

    def ratio(self, part: FloatArray, whole: FloatArray) -> FloatArray:
        """part / whole; 0 / 0 is 1 if the two sets are equal and 0 if not. Rounding of weights never leads above 1."""
        return np.where(whole > 0, np.minimum(part / np.where(whole > 0, whole, 1.0), 1.0), self.equal)

    @property
    def difference(self) -> FloatArray:
        """The weight of what is on one side only."""
        return np.maximum(self.predicted + self.true - 2 * self.common, 0.0)


@dataclass(frozen=True)
class SetScore:
    """A score made from two augmented sets."""

    function: Callable[[SetFacts], FloatArray]
    greater_is_better: bool = True
    range: tuple[float, float] = (0.0, 1.0)


SET_SCORES: Mapping[str, SetScore] = {
    "P": SetScore(lambda f: f.ratio(f.common, f.predicted)),
    "R": SetScore(lambda f: f.ratio(f.common, f.true)),
    "F": SetScore(lambda f: f.ratio(2 * f.common, f.predicted + f.true)),
    "jaccard": SetScore(lambda f: f.ratio(f.common, f.predicted + f.true - f.common)),
    "exact": SetScore(lambda f: f.equal.astype(np.float64)),
    "difference": SetScore(lambda f: f.difference, False, (0.0, math.inf)),
    "hamming": SetScore(lambda f: f.difference / f.classes, False),
}
AUGMENTS = ("ancestors", "descendants", "tolerant", "none", "lca")
METHODS = ("exact", "greedy", "extended")
NODES_AT_ONCE = 4_000_000
LCA_COLUMNS = ("P_LCA", "R_LCA", "F_LCA", "lcas", "bound")


@dataclass(frozen=True, init=False)
class SetMeasure(Measure):
    """A measure of two augmented sets.

    ``augment``: "ancestors", "descendants", "tolerant", "none" or "lca" (Problem 2). ``score``: a name from
    ``SET_SCORES`` or a ``SetScore``. ``top`` adds one node above all roots (ancestors). ``horizon`` h lets a class see
    what is fewer than h levels up (ancestors, lca). ``weights`` of classes replace counts by sums. For "lca",
    ``method`` is "exact", "greedy" or "extended", and ``time_limit`` is in seconds an instance.
    """

    name: str
    augment: str
    rule: str | SetScore
    top: bool
    horizon: int | None
    weights: Mapping[Label, float] | None
    method: str
    time_limit: float | None

    def __init__(
        self,
        name: str,
        augment: str,
        *,
        score: str | SetScore = "F",
        top: bool = False,
        horizon: int | None = None,
        weights: Mapping[Label, float] | None = None,
        method: str = "exact",
        time_limit: float | None = None,
    ) -> None:
        check_choice("augment", augment, AUGMENTS)
        if not isinstance(score, SetScore):
            check_choice("score", score, tuple(SET_SCORES))
        horizon = plain_horizon(horizon)
        if not isinstance(top, bool):
            raise InvalidOption(f"top={top!r} is not True or False")
        check_choice("method", method, METHODS)
        time_limit = plain_number("time_limit", time_limit, 0)
        if (top and augment != "ancestors") or (horizon is not None and augment not in ("ancestors", "lca")):
            raise InvalidOption(f"top and horizon are for ancestors (horizon for lca, too), not for {augment}")
        if weights is not None and (augment in ("tolerant", "lca") or not isinstance(weights, Mapping)):
            raise InvalidOption("weights map classes to numbers, for ancestors, descendants and flat sets")
        if augment != "lca" and (method != "exact" or time_limit is not None):
            raise InvalidOption("method and time_limit are for augment='lca'")
        values = name, augment, score, top, horizon, weights, method, time_limit
        for field, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, field, value)
        check_name(self)

    def __hash__(self) -> int:
        return hash((self.name, self.augment, str(self.rule), self.top, self.horizon, self.method))

    def plain_fields(self) -> dict[str, Any]:
        """The fields as plain values; weights and functions say custom."""
        return {k: "custom" if isinstance(v, Mapping | SetScore) else v for k, v in self.fields.items()}

    @property
    def columns(self) -> tuple[str, ...]:
        """The score, and the weights of the two sets and of what they share."""
        shown = (self.name, "predicted", "true", "common")
        return shown if self.augment != "lca" else (*shown, *(c for c in LCA_COLUMNS if c != self.name))

    @property
    def score_rule(self) -> SetScore:
        """How the score is made from the sets."""
        return SET_SCORES[self.rule] if isinstance(self.rule, str) else self.rule

    @property
    def invariants(self) -> frozenset[str]:
        """Derived from the augmentation and the score."""
        found = {"range"}
        if self.weights is None and isinstance(self.rule, str):
            found.add("best_if_equal")
            if self.method == "exact":
                found.add("names")
            if self.horizon is None:  # near a root a horizon shows less, and what is shared weighs more
                found.add("monotone")
            mirror = {"P": "mirrors R", "R": "mirrors P"}.get(self.rule, "symmetric")
            # P_LCA and R_LCA swap but for the rare instance with two mirror solutions; the greedy order has sides
            if self.augment != "lca" or (mirror == "symmetric" and self.method != "greedy"):
                found.add(mirror)
            if self.augment == "none" and self.rule not in ("P", "R"):
                found.add("best_only_if_equal")
        return frozenset(found)

    @property
    def exact(self) -> bool:
        """Whether scores are meant to be optimal: not those of the greedy method."""
        return self.method != "greedy"

    @property
    def model_key(self) -> Any:
        """Measures that differ only in the score share their sets."""
        weights = None if self.weights is None else id(self.weights)
        return self.augment, self.top, self.horizon, weights, self.method, self.time_limit

    def model(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Model[Any]:
        """The closures of one instance (hierarchy, true, pred) or of a batch."""
        batch = as_batch(data, true, pred)
        if self.augment == "lca":
            return LcaModel(str(self), batch, self.horizon, self.method, self.time_limit)
        if self.horizon is not None and batch.hierarchy.weighted:
            raise InvalidOption("horizon counts edges; this hierarchy has edge weights")
        return ClosureModel(str(self), batch, self.augment, self.top, self.horizon, self._weights(batch.hierarchy))

    def list_length(self, hierarchy: Hierarchy) -> float:
        """Of descendants or ancestors, or of those that a horizon shows."""
        if self.augment == "none":
            return 1.0
        if self.horizon is not None:
            return hierarchy.upward.mean_length_within(min(self.horizon - 1, len(hierarchy)))
        return (hierarchy.downward if self.augment == "descendants" else hierarchy.upward).mean_length

    def _weights(self, h: Hierarchy) -> FloatArray:
        """Weights of all classes, ⊤ last: 1 if uniform, else 0."""
        if self.weights is None:
            return np.ones(len(h) + 1)
        values = np.zeros(len(h) + 1)
        for k, label in enumerate(h.labels):
            if label not in self.weights:
                raise InvalidOption(f"weights has no value for the class {label!r}")
            values[k] = plain_number(f"the weight of {label!r}", self.weights[label], 0)
        if math.isinf(sum(values.tolist())):
            raise InvalidOption("the weights of all classes together are infinite: scale them down")
        return values

    def _evaluated(self, model: Any, solution: Any) -> dict[str, FloatArray]:
        predicted, true, common = solution.sums.T
        facts = SetFacts(predicted, true, common, solution.equal, len(model.batch.hierarchy))
        columns = {"predicted": predicted, "true": true, "common": common}
        if self.augment == "lca":
            columns |= {f"{score}_LCA": SET_SCORES[score].function(facts) for score in "PRF"}
            columns |= {"lcas": solution.lcas.astype(np.float64), "bound": solution.bounds}
        return columns | {self.name: self.score_rule.function(facts)}

    def micro_average(self, scores: Scores) -> float:
        """The score of all instances together: sets are added up first, and compared after."""
        if scores.name != self.name:
            raise InvalidOption(f"these are scores of {scores.name}, not of {self.name}")
        sums = [np.array([np.nansum(scores[name])]) for name in ("predicted", "true", "common")]
        equal = np.array([sums[0] == sums[1] == sums[2]]).reshape(1)
        if self.rule not in ("P", "R", "F", "jaccard"):
            raise InvalidOption(f"{self.name} has no micro average: it is not a ratio of two counts")
        return float(self.score_rule.function(SetFacts(sums[0], sums[1], sums[2], equal, 1))[0])


def information_content(hierarchy: Hierarchy, corpus: Any, *, unseen: float | None = None) -> dict[Label, float]:
    """Weights of classes: −log of the share of the instances of ``corpus`` whose closure holds the class.

    A class that no instance has would weigh infinitely much; it gets the weight ``unseen``, or is an error.
    """
    labels = LabelSets.of(corpus, source="corpus")
    if not len(labels):
        raise InvalidLabelSets("the corpus holds no instance")
    with without_advice():
        batch = Batch.of(hierarchy, labels, labels)
    model = ClosureModel("", batch, "ancestors", False, None, np.ones(len(hierarchy) + 1))
    counts = np.zeros(len(hierarchy), np.int64)
    done = 0
    while done < len(batch):
        ptr, nodes, _ = model.closures(done, NODES_AT_ONCE)
        counts += np.bincount(nodes, minlength=len(hierarchy))
        done += len(ptr) - 1
    if unseen is None and (counts == 0).any():
        never = hierarchy.labels[int(np.flatnonzero(counts == 0)[0])]
        raise InvalidOption(
            f"the class {never!r} (and {int((counts == 0).sum()) - 1:,} more) is in no closure of the corpus: its "
            f"information content is infinite; give unseen= a weight for such classes"
        )
    shares = np.maximum(counts, 1) / max(len(batch), 1)
    values = np.where(counts > 0, -np.log(shares) + 0.0, math.nan if unseen is None else unseen)
    return dict(zip(hierarchy.labels, values.tolist(), strict=True))
