"""Set-based measures: augment both sets, then compare them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, record
from hemlp.errors import InvalidOption
from hemlp.hierarchy.class_weights import class_weights
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.measures.augmentations import Augmentation, augmentation
from hemlp.measures.base import Measure, set_fields
from hemlp.measures.instance_scores import Scores
from hemlp.measures.naming import check_name
from hemlp.measures.scoring import as_batch
from hemlp.optimize.model import Model
from hemlp.options import check_choice, plain_number


@record
class SetFacts:
    """What a score may be made of, an array each: weights of the two sets and of what they share; are they equal?

    ``classes``: the number of classes of the hierarchy that are not ignored.
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
    """A score made from two augmented sets.

    Parameters
    ----------
    function
        From ``SetFacts`` (an array for each fact) to one value per instance.
    greater_is_better
        Losses are better when small.
    range
        Least and greatest value.
    mirror
        Which score has its value when the sides change places: its own name, that of another, or None.
    counts
        Whether it is a ratio of counts, so that sets can be added up first (micro average).
    of_means
        The score that the mean of P and the mean of R make, where it is made of them.

    Examples
    --------
    >>> dice = SetScore(lambda f: f.ratio(2 * f.common, f.predicted + f.true))
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> SetMeasure("dice", "ancestors", score=dice).score(h, ["sheep"], ["cow"])
    0.5
    """

    function: Callable[[SetFacts], FloatArray]
    greater_is_better: bool = True
    range: tuple[float, float] = (0.0, 1.0)
    mirror: str | None = None
    counts: bool = False
    of_means: Callable[[float, float], float] | None = None


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


SET_SCORES: dict[str, SetScore] = {
    "P": SetScore(lambda f: f.ratio(f.common, f.predicted), mirror="R", counts=True, of_means=lambda p, r: p),
    "R": SetScore(lambda f: f.ratio(f.common, f.true), mirror="P", counts=True, of_means=lambda p, r: r),
    "F": SetScore(lambda f: f.ratio(2 * f.common, f.predicted + f.true), mirror="F", counts=True, of_means=_harmonic),
    "jaccard": SetScore(lambda f: f.ratio(f.common, f.predicted + f.true - f.common), mirror="jaccard", counts=True),
    "exact": SetScore(lambda f: f.equal.astype(np.float64), mirror="exact"),
    "difference": SetScore(lambda f: f.difference, False, (0.0, math.inf), mirror="difference"),
    "hamming": SetScore(lambda f: f.difference / f.classes, False, mirror="hamming"),
    "ICM": SetScore(lambda f: 3 * f.common - f.predicted - f.true, range=(-math.inf, math.inf), mirror="ICM"),
}
"""Scores by name. One line more makes a score of yours known by name."""


def f_beta(beta: float) -> SetScore:
    """F_β = (1 + β²)·C / (β²·T + P): recall counts β times as much as precision."""

    def function(facts: SetFacts) -> FloatArray:
        return facts.ratio((1 + beta**2) * facts.common, beta**2 * facts.true + facts.predicted)

    def of_means(precision: float, recall: float) -> float:
        below = beta**2 * precision + recall
        return (1 + beta**2) * precision * recall / below if below else 0.0

    return SetScore(function, counts=True, of_means=of_means)


@dataclass(frozen=True, init=False, eq=False)
class SetMeasure(Measure):
    """A measure of two augmented sets.

    Parameters
    ----------
    name
        A word that is no other measure's name.
    augment
        An augmentation, or its name: "ancestors" (``top``, ``horizon``), "descendants", "tolerant", "none", "lca"
        (``horizon``, ``solver``, ``time_limit``), "extended_lca" (``horizon``), or one of your own.
    score
        "P", "R", "F", "jaccard", "exact", "difference", "hamming", "ICM" or a ``SetScore``.
    weights
        Of classes, replace counts by sums, where the augmentation allows it.
    beta
        Of the score "F": recall counts β times as much as precision.
    options
        Of the augmentation, given beside its name.

    Raises
    ------
    InvalidOption
        If these do not fit together.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> SetMeasure("near", "ancestors", horizon=1, score="jaccard").score(h, ["sheep"], ["cow"])
    0.3333333333333333
    """

    name: str
    augment: Augmentation
    scoring: str | SetScore
    weights: Mapping[Label, float] | None
    beta: float

    def __init__(
        self,
        name: str,
        augment: str | Augmentation,
        *,
        score: str | SetScore = "F",
        weights: Mapping[Label, float] | None = None,
        beta: float = 1,
        **options: Any,
    ) -> None:
        made = augmentation(augment, options)
        if not isinstance(score, SetScore):
            if callable(score):
                raise InvalidOption("a score of your own is score=SetScore(function)")
            check_choice("score", score, tuple(SET_SCORES))
        if weights is not None and not (made.weighable and isinstance(weights, Mapping)):
            raise InvalidOption(
                "weights map classes to numbers (from a file: hemlp.read_weights, --weights FILE), for ancestors, "
                "descendants and flat sets"
            )
        beta = _plain_beta(beta, score, made)
        asked = getattr(made, "solver", None), getattr(made, "time_limit", None)
        set_fields(self, name=name, augment=made, scoring=score, weights=weights, beta=beta, _solve_options=asked)
        check_name(self)

    @property
    def fields(self) -> dict[str, Any]:
        """The augmentation by its name, with its options beside it."""
        return {**super().fields, "augment": self.augment.name, **self.augment.options}

    @property
    def _defaults(self) -> dict[str, Any]:
        options = {each.name: each.default for each in fields(self.augment) if each.default is not MISSING}
        return super()._defaults | options

    def changed(self, **changes: Any) -> SetMeasure:
        """With other fields; another augmentation keeps the options that it has, too."""
        kind = changes.get("augment", self.augment.name)
        kept = {k: v for k, v in self.fields.items() if k not in self.augment.options}
        kept |= {k: v for k, v in self.augment.options.items() if k in augmentation(kind, {}).options}
        return type(self)(**{**kept, **changes})

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The score, the weights of the two sets and of what they share, and what the augmentation adds."""
        added = (*self.augment.scores, *self.augment.further)
        return (self.name, "predicted", "true", "common", *(c for c in added if c != self.name))

    @property
    def _parts(self) -> tuple[Any, ...]:
        """The augmentation, and a score that is known by name."""
        return type(self.augment), *((self._scorer.function,) if isinstance(self.scoring, str) else ())

    @property
    def _scorer(self) -> SetScore:
        """How the score is made from the sets."""
        if self.beta != 1:
            return f_beta(self.beta)
        return SET_SCORES[self.scoring] if isinstance(self.scoring, str) else self.scoring

    @property
    def invariants(self) -> frozenset[str]:
        if not isinstance(self.scoring, str):
            return frozenset({"range"})
        promises, mirror = self.augment.promises, self._scorer.mirror
        best = self.range[1] if self.greater_is_better else self.range[0]
        kept = {"range", "unbeaten_if_equal" if math.isinf(best) else "best_if_equal"}
        if mirror == self.scoring and "symmetric" in promises:
            kept.add("symmetric")
        elif mirror in ("P", "R") and mirror != self.scoring and "mirror" in promises:
            kept.add(f"mirrors {mirror}")
        if self.weights is None:  # weights know classes by name, and may be 0
            kept |= promises & {"names", "monotone"}
            if "distinct" in promises and mirror == self.scoring:
                kept.add("best_only_if_equal")
        return frozenset(kept)

    @cached_property
    def exact(self) -> bool:
        return self.augment.exact

    @property
    def _model_key(self) -> Hashable:
        """Measures that differ only in the score share their sets."""
        return self.augment, None if self.weights is None else id(self.weights)

    def model(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Model[Any]:
        """The augmented sets of one instance (hierarchy, true, pred) or of a batch."""
        self._check_complete()
        batch = as_batch(data, true, pred)
        return self.augment.model(self._text, batch, self._weights(batch.hierarchy))

    def _mean_closure_size(self, hierarchy: Hierarchy) -> float:
        """As the augmentation says."""
        return self.augment.mean_closure_size(hierarchy)

    def bytes_needed(self, batch: Batch) -> FloatArray:
        return super().bytes_needed(batch) + self.augment.table_bytes(batch)

    def _weights(self, h: Hierarchy) -> FloatArray:
        """Weights of all classes, ⊤ last: 1 if uniform, else 0."""
        if self.weights is None:
            return _uniform(len(h) + 1)
        return np.append(class_weights(h, self.weights), 0.0)

    def _compute_columns(self, model: Any, solution: Any) -> dict[str, FloatArray]:
        predicted, true, common = solution.sums.T
        classes, ignored = len(model.batch.hierarchy), getattr(model, "ignored", None)
        if ignored is not None:
            classes = max(classes - int(ignored.sum()), 1)
        facts = SetFacts(predicted, true, common, solution.equal, classes)
        columns = {"predicted": predicted, "true": true, "common": common, **solution.columns}
        columns |= {column: SET_SCORES[score].function(facts) for column, score in self.augment.scores.items()}
        return columns | {self.name: self._scorer.function(facts)}

    def micro_average(self, scores: Scores) -> float:
        """The score of all instances together: sets are added up first, and compared after.

        Parameters
        ----------
        scores
            Of this measure; InvalidOption unless it is a ratio of counts.

        Examples
        --------
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> f = SetMeasure("flat", "none")
        >>> f.micro_average(f.score(Batch.of(h, ["sheep", ["sheep", "cow"]], ["cow", ["sheep", "cow"]])))
        0.6666666666666666
        """
        if scores.name != self.name:
            raise InvalidOption(f"these are scores of {scores.name}, not of {self.name}")
        if not self._scorer.counts:
            raise InvalidOption(f"{self.name} has no micro average: it is not a ratio of two counts")
        sums = [np.array([scores.total(name)]) for name in ("predicted", "true", "common")]
        equal = np.array([sums[0] == sums[1] == sums[2]]).reshape(1)
        return float(self._scorer.function(SetFacts(sums[0], sums[1], sums[2], equal, 1))[0])

    def normalised_average(self, scores: Scores) -> float:
        """(mean ICM + mean T) / (2 · mean T): 1 where all is right, 0 where it is as bad as it is heavy.

        Parameters
        ----------
        scores
            Of this measure; InvalidOption unless its score is ICM, and the true classes weigh something.

        Examples
        --------
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> icm = SetMeasure("icm", "ancestors", score="ICM")
        >>> icm.normalised_average(icm.score(Batch.of(h, ["sheep", "sheep"], ["sheep", "cow"])))
        0.625
        """
        if scores.name != self.name or self.scoring != "ICM":
            raise InvalidOption(f"a normalised average is made of scores of ICM: these are {scores.name} of {self}")
        weight = scores.mean("true")
        if not weight > 0:
            raise InvalidOption("the true classes weigh nothing, so there is no normalised average")
        return (scores.mean() + weight) / (2 * weight)


@lru_cache(maxsize=2)
def _uniform(size: int) -> FloatArray:
    """Weights of 1, shared and never written to."""
    ones = np.ones(size)
    ones.flags.writeable = False
    return ones


def _plain_beta(beta: Any, score: str | SetScore, augment: Augmentation) -> float:
    """β as a plain number, refused where there is no F, or where graphs are chosen by F."""
    number: float = plain_number("beta", 1 if beta is None else beta, 0)
    if number != 1 and score != "F":
        raise InvalidOption(f"beta={beta!r} belongs to score='F'")
    if number != 1 and augment.chosen_by_f:
        raise InvalidOption(f"augment={augment.name!r} has no beta: its graphs are chosen by F itself")
    if number > 1e100:
        raise InvalidOption(f"beta={beta!r} is too large to be squared: take the recall (score='R')")
    return number
