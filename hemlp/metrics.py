"""The measures in scikit-learn's shape: one function each, named after the measure, ``*_score`` or ``*_loss``; and
``Metric``, which is fed batch by batch.

>>> from hemlp import Hierarchy
>>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
>>> f_lca_score(["sheep", "cow"], ["cow", "cow"], hierarchy=h)
0.75
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.errors import Advice, HemlpError, InvalidLabelSets, InvalidOption, without_advice
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch, Policies, UnknownPolicy
from hemlp.instances.label_sets import LabelSets, RowKind
from hemlp.instances.score_files import as_scores
from hemlp.instances.scored_sets import ScoredSets
from hemlp.measures.averages import ZeroDivision, micro_average, with_zero_division
from hemlp.measures.base import Measure
from hemlp.measures.catalogue import NAMED
from hemlp.measures.derived import RankedMeasure
from hemlp.measures.factory import measure
from hemlp.measures.factory import measure as as_measure
from hemlp.measures.instance_scores import Scores
from hemlp.measures.set_measure import SetMeasure

if TYPE_CHECKING:
    from hemlp.run.tally import Tally

DOCUMENTATION = """{name} of predictions; {better} is better.

Parameters
----------
y_true, y_pred
    Label sets, anything that ``LabelSets.of`` takes.
hierarchy
    What they speak of.
labels
    The classes of the columns, where the sides are 0/1 matrices.
rows
    "sets" or "paths": what lists of labels are (see ``LabelSets.of``).
unknown, unknown_true
    What is done about predicted and true labels that the hierarchy does not have: "error", "drop" or "isolate" (see
    ``Batch.of``).
average
    "samples" (mean over instances), None (one value per instance) or, for ratios of sets, "micro".
sample_weight
    One number of at least 0 per instance, for the mean.
zero_division
    Of ratios, what 0 / 0 is: 0, 1, nan (left out of the mean) or "warn"; by default 1 if both sets are empty, else 0.
parameters
    Of the measure: {parameters}.

Examples
--------
>>> from hemlp import Hierarchy, metrics
>>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
>>> metrics.{function}(["sheep", "cow"], ["sheep", "cow"], hierarchy=h{needed})
{best}
"""
"""Of each function, filled in."""


@dataclass(frozen=True)
class _MetricOptions:
    """How labels are read, and what is done about unknown ones."""

    labels: Sequence[Label] | None
    rows: RowKind | None
    unknown: UnknownPolicy
    unknown_true: UnknownPolicy | None

    def batch(self, made: Measure, hierarchy: Any, y_true: Any, y_pred: Any) -> Batch:
        """Both sides as classes of the hierarchy."""
        true = LabelSets.of(y_true, labels=self.labels, rows=self.rows, source="y_true")
        pred: LabelSets | ScoredSets
        if isinstance(made, RankedMeasure):
            pred = as_scores(y_pred, labels=self.labels, source="y_pred")
        else:
            pred = LabelSets.of(y_pred, labels=self.labels, rows=self.rows, source="y_pred")
        policies: dict[str, Any] = {"unknown": self.unknown, "unknown_true": self.unknown_true}
        try:
            batch = Batch.of(hierarchy, true, pred, rows=self.rows, **policies)
        except HemlpError as error:
            error.with_advice(*(each for each in error.advice if each.option in (*policies, "rows")))
            raise
        if not len(batch):
            raise InvalidLabelSets("y_true and y_pred hold no instance")
        return batch


def _score_batch(made: Measure, batch: Batch) -> Scores:
    """One score per instance."""
    with without_advice():
        return made.score(batch)


def _without_k(made: Measure, scores: Scores) -> tuple[Measure, Scores]:
    """A measure of the k greatest scores as the one that it is of k classes."""
    return (made.measure, made.underlying(scores)) if isinstance(made, RankedMeasure) else (made, scores)


def _average_scores(
    made: Measure, scores: Scores, average: str | None, sample_weight: Any, zero_division: ZeroDivision | None
) -> float | FloatArray:
    """One number from the scores of instances, or these."""
    if average == "micro" and isinstance(made, SetMeasure) and sample_weight is None:
        return micro_average(made, scores, zero_division)
    if zero_division is not None:
        scores = with_zero_division(made, scores, zero_division)
    if average is None:
        return scores.values
    if average != "samples":
        raise InvalidOption(f"average={average!r} is not 'samples', None, or 'micro' (without sample_weight)")
    if sample_weight is None:
        return scores.mean()
    try:
        weights = np.asarray(sample_weight, np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    good = weights.shape == scores.values.shape and np.isfinite(weights).all() and (weights >= 0).all()
    if not (good and weights.any()):
        raise InvalidOption("sample_weight needs one finite number of at least 0 per instance, not all of them 0")
    weights = np.ldexp(weights, -np.frexp(weights.max())[1])  # whose sum is finite
    defined = ~np.isnan(scores.values)
    total = weights[defined].sum()
    return float(weights[defined] @ scores.values[defined] / total) if total > 0 else math.nan


class ScoreWithFeedback(float):
    """A score with ``feedback``, what is right, wrong and missing; also as ``["score"]`` and ``["feedback"]``."""

    feedback: str

    def __getitem__(self, key: str) -> Any:
        return {"score": float(self), "feedback": self.feedback}[key]


class Metric:
    """A measure that is fed batch by batch, as in a training loop, and has the score of all that it saw.

    It holds a ``Tally`` of exact sums, whose size does not depend on how much it saw (but with ``average=None``, which
    asks for all scores). Its pickle is as small, without the hierarchy: for ``merge_state`` in another process.

    Parameters
    ----------
    measure
        A name, a text like "MGIA(default_cost=4)", or a measure.
    hierarchy
        What labels speak of, anything that ``Hierarchy.of`` takes.
    labels
        The classes of the columns of 0/1 matrices, or those that integer codes count.
    rows, unknown, unknown_true, average, zero_division
        As of the functions of this module.
    parameters
        Of the measure.

    Examples
    --------
    >>> from hemlp import Hierarchy
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> metric = Metric("F_LCA", hierarchy=h)
    >>> for true, pred in ((["sheep"], ["cow"]), (["cow", "cow"], ["cow", "cow"])):
    ...     metric.update(true, pred)
    >>> metric.compute(), len(metric)
    (0.8333333333333334, 3)
    """

    hierarchy: Hierarchy | None
    tally: Tally | None
    _values: list[FloatArray]

    def __init__(
        self,
        measure: str | Measure,
        *,
        hierarchy: Any,
        labels: Sequence[Label] | None = None,
        rows: RowKind | None = None,
        average: str | None = "samples",
        zero_division: ZeroDivision | None = None,
        unknown: UnknownPolicy = "error",
        unknown_true: UnknownPolicy | None = None,
        **parameters: Any,
    ) -> None:
        self.measure = as_measure(measure, **parameters)
        inner = getattr(self.measure, "measure", self.measure)
        if "isolate" in (unknown, unknown_true) and inner.serializable_fields().get("score") == "hamming":
            raise InvalidOption(
                f"{self.measure} divides by the number of classes, which unknown='isolate' would change with every "
                f"batch: give hierarchy.with_isolated(labels)"
            ).with_advice(Advice("unknown", "drop", "to leave such labels out"))
        self.hierarchy = given = Hierarchy.of(hierarchy)
        self.reading = _MetricOptions(labels, rows, unknown, unknown_true)
        self.average, self.zero_division = average, zero_division
        self._content = given.content_hash
        self.reset()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "hierarchy": None}

    def _batch(self, y_true: Any, y_pred: Any) -> Batch:
        if self.hierarchy is None or self.hierarchy.content_hash != self._content:
            raise InvalidOption("a metric from another process has no hierarchy: merge it, or set metric.hierarchy = h")
        return self.reading.batch(self.measure, self.hierarchy, y_true, y_pred)

    def update(self, y_true: Any, y_pred: Any) -> None:
        """Score a batch.

        Parameters
        ----------
        y_true, y_pred
            Label sets, anything that ``LabelSets.of`` takes; of measures such as F_H@5 predictions are scores, anything
            that ``ScoredSets.of`` takes. Where they are wrong, nothing is kept of the batch.
        """
        from hemlp.results.inputs import LabelCounts
        from hemlp.run.tally import Tally, TallyHead

        batch = self._batch(y_true, y_pred)
        made, scores = _without_k(self.measure, _score_batch(self.measure, batch))
        if self.zero_division is not None and self.average != "micro":
            scores = with_zero_division(made, scores, self.zero_division)
        policies = Policies(self.reading.unknown, self.reading.unknown_true)
        head = TallyHead.of(["metric"], {str(made): made}, [scores], policies, batch.given.number_of_roots, "none")
        counts = LabelCounts(policies)
        counts.add(batch)
        tally = Tally.of(head, [counts], [[scores]], (), "y_true and y_pred")
        self.tally = tally if self.tally is None else self.tally.merge(tally)
        if self.average is None:
            self._values.append(scores.values)

    def __call__(self, gold: Any, pred: Any) -> ScoreWithFeedback:
        """Score one instance, a label or several on each side, with words that say what to improve; nothing is kept.

        Examples
        --------
        >>> score = Metric("F_LCA", hierarchy=["Tools > Spades", "Tools > Rakes", "Toys"])("Rakes", ["Spades"])
        >>> score, score.feedback
        (0.5, 'predicted Tools > Spades, true Tools > Rakes: sibling, right branch')
        """
        from hemlp.analysis.explain.explanation import Explanation

        if not self.measure.greater_is_better:
            raise InvalidOption(f"{self.measure}: less is better, but optimisers maximise; take F_LCA, for example")
        batch = self._batch([gold], [pred])
        made, scores = _without_k(self.measure, _score_batch(self.measure, batch))
        score = ScoreWithFeedback(_average_scores(made, scores, "samples", None, self.zero_division))
        firsts = (self.measure.k,) if isinstance(self.measure, RankedMeasure) else ()
        score.feedback = Explanation(batch, 0, (), "", batch.given.names, firsts).feedback()
        return score

    def compute(self) -> float | FloatArray:
        """The average over all instances since the last ``reset``, or their scores with ``average=None``."""
        if self.tally is None:
            raise InvalidLabelSets("the metric has seen no instance: call update(y_true, y_pred) first")
        if self.average is None:
            return np.concatenate(self._values)
        made = self.measure.measure if isinstance(self.measure, RankedMeasure) else self.measure
        zero_division = self.zero_division if self.average == "micro" else None
        return _average_scores(made, self.tally.tallied(0, 0), self.average, None, zero_division)

    def reset(self) -> None:
        """Forget all instances."""
        self.tally, self._values = None, []

    def merge_state(self, metrics: Iterable[Metric]) -> Metric:
        """Take over what others of the same measure and hierarchy have seen, in other processes for example.

        Parameters
        ----------
        metrics
            They stay as they are. Metrics can be pickled.

        Examples
        --------
        >>> a, b = (Metric("F", hierarchy=[("animal", "sheep"), ("animal", "cow")]) for _ in range(2))
        >>> a.update(["sheep"], ["sheep"])
        >>> b.update(["sheep"], ["cow"])
        >>> a.merge_state([b]).compute()
        0.5
        """
        others = list(metrics)
        for other in others:
            if not isinstance(other, Metric) or other._identity != self._identity:
                raise InvalidOption(
                    f"only metrics of the same measure ({self.measure}), hierarchy, average, zero_division and choice "
                    f"of unknown= can be merged"
                )
        for other in others:
            tallies = [each for each in (self.tally, other.tally) if each is not None]
            self.tally = tallies[0].merge(tallies[1]) if len(tallies) > 1 else next(iter(tallies), None)
            self._values += other._values
        return self

    @property
    def _identity(self) -> tuple[Any, ...]:
        reading = self.reading.unknown, self.reading.unknown_true
        return self.measure, self._content, *reading, self.average, repr(self.zero_division)

    def __len__(self) -> int:
        return 0 if self.tally is None else len(self.tally)

    def __repr__(self) -> str:
        return f"Metric({str(self.measure)!r}, {len(self):,} instances)"


def _metric(name: str) -> Callable[..., Any]:
    def metric(
        y_true: Any,
        y_pred: Any,
        *,
        hierarchy: Any,
        labels: Sequence[Label] | None = None,
        rows: RowKind | None = None,
        average: str | None = "samples",
        sample_weight: Any = None,
        zero_division: ZeroDivision | None = None,
        unknown: UnknownPolicy = "error",
        unknown_true: UnknownPolicy | None = None,
        **parameters: Any,
    ) -> float | FloatArray:
        """See DOCUMENTATION."""
        made = measure(name, **parameters)
        scores = _score_batch(
            made, _MetricOptions(labels, rows, unknown, unknown_true).batch(made, hierarchy, y_true, y_pred)
        )
        return _average_scores(*_without_k(made, scores), average, sample_weight, zero_division)

    template = NAMED[name].template
    parameters = ", ".join(NAMED[name].parameters) or "none"
    best = template.range[1] if template.greater_is_better else template.range[0]
    metric.__name__ = metric.__qualname__ = f"{name.lower()}_{'score' if template.greater_is_better else 'loss'}"
    metric.__doc__ = DOCUMENTATION.format(
        name=name,
        better="greater" if template.greater_is_better else "less",
        parameters=parameters,
        function=metric.__name__,
        needed="".join(f", {key}=dict.fromkeys(h, 1.0)" for key in NAMED[name].needed),
        best=2.0 if math.isinf(best) else best,  # without a best value: the two classes of each closure weigh 1 each
    )
    return metric


globals().update((function.__name__, function) for function in map(_metric, NAMED))
__all__ = ["Metric", *sorted(name for name in globals() if name.endswith(("_score", "_loss")))]


def __getattr__(name: str) -> Callable[..., Any]:
    raise AttributeError(f"hemlp.metrics has no {name!r}; it has {', '.join(__all__)}")
