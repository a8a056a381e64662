"""Averages of a measure over instances, by name.

mean         of the scores
micro        of the sets: all of them are added up first, and compared after
of_means     F from the mean of P and the mean of R
cafa         the same, with P averaged over the instances that have a prediction (cafaeval's norm "cafa"); of P and
             of R that mean alone
where_wrong  the mean over the instances that are not perfect; of TIE the mistake severity

``zero_division`` says what 0 / 0 is: by convention 1 where both sets are equal (both are empty), and else 0.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption, UndefinedScore
from hemlp.measures.augmentations import Ancestors
from hemlp.measures.base import Measure
from hemlp.measures.derived import DerivedMeasure
from hemlp.measures.instance_scores import Scores, mean
from hemlp.measures.set_measure import SET_SCORES, SetFacts, SetMeasure
from hemlp.options import check_choice
from hemlp.text.tables import plural

Average = Literal["mean", "micro", "of_means", "cafa", "where_wrong"]
AVERAGES = ("mean", "micro", "of_means", "cafa", "where_wrong")
ZeroDivision = Literal["warn"] | float
SIDES = ("predicted", "true", "common")
PERFECT = 1e-12
"""A score is perfect that is no farther from the best one: rounding of weights can amount to this, a count cannot."""


def average_scores(measure: Measure, scores: Scores, average: Average) -> float:
    """The average of the ``scores`` of a measure over the instances on which it is defined.

    InvalidOption if the measure has no such average, UndefinedScore without any instance; the mean is nan then.
    """
    check_choice("average", average, AVERAGES)
    if isinstance(measure, DerivedMeasure):
        return average_scores(measure.measure, measure.underlying(scores), average)
    if average == "mean":
        return scores.mean()
    if average == "where_wrong":
        return _where_wrong(measure, scores)
    if not isinstance(measure, SetMeasure):
        raise InvalidOption(f"{measure.name} has no average {average!r}: it does not compare two sets")
    if average == "micro":
        _some(measure, average, len(scores) - scores.undefined, "it is undefined on all instances")
        return measure.micro_average(scores)
    return _of_means(measure, scores, average)


def _some(measure: Measure, average: str, number: int, otherwise: str) -> None:
    if not number:
        raise UndefinedScore(f"the average {average!r} of {measure.name} is undefined: {otherwise}")


def _where_wrong(measure: Measure, scores: Scores) -> float:
    best = measure.range[measure.greater_is_better]
    if math.isinf(best):
        raise InvalidOption(f"{measure.name} has no average 'where_wrong': it has no best possible score")
    values = scores.values
    wrong = values[~np.isnan(values) & (np.abs(values - best) > PERFECT)]
    _some(measure, "where_wrong", wrong.size, "no instance is wrong")
    return mean(wrong)


def _of_means(measure: SetMeasure, scores: Scores, average: str) -> float:
    """F of mean P and mean R; "cafa" of ancestor closures only, and with the mean of P where there is a prediction."""
    scorer = measure._scorer
    if scorer.of_means is None:
        raise InvalidOption(f"{measure.name} has no average {average!r}: it is not made of P and R")
    if average == "cafa" and not isinstance(measure.augment, Ancestors):
        raise InvalidOption(
            f"{measure.name} has no average 'cafa', which is of ancestor closures: take F_H, P_H or R_H"
        )
    precision, recall, predicted = _precision_and_recall(measure, scores)
    covered = predicted > 0 if average == "cafa" else np.ones(predicted.size, np.bool_)
    _some(measure, average, predicted.size, "it is undefined on all instances")
    _some(measure, average, int(covered.sum()), "no instance has a prediction")
    return scorer.of_means(mean(precision[covered]), mean(recall))


def _precision_and_recall(measure: SetMeasure, scores: Scores) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P and R of each instance on which the measure is defined, and the weight of what is predicted there."""
    defined = ~np.isnan(scores.values)
    predicted, true, common = (scores[name][defined] for name in ("predicted", "true", "common"))
    # sets without any weight are equal where the score is the best one, and no others are asked whether they are
    facts = SetFacts(predicted, true, common, scores.values[defined] == measure.range[1], 1)
    precision, recall = (SET_SCORES[name].function(facts) for name in "PR")
    return precision, recall, predicted


def zero_over_zero(measure: SetMeasure, scores: Scores) -> NDArray[np.bool_]:
    """On which instances the ratio is 0 / 0: where it depends on nothing but what 0 / 0 is taken for."""
    predicted, true, common = (scores[name] for name in SIDES)
    values = [
        measure._scorer.function(SetFacts(predicted, true, common, np.full(len(scores), equal), 1))
        for equal in (False, True)
    ]
    return np.not_equal(*values) & ~np.isnan(scores.values)


def with_zero_division(measure: Measure, scores: Scores, value: ZeroDivision) -> Scores:
    """The scores with ``value`` wherever the ratio is 0 / 0: 0, 1, nan (left out of means), or "warn" (0, and says so).

    InvalidOption if the measure is no ratio of two counts, or the value another one.
    """
    valid = value == "warn" or (isinstance(value, int | float) and (value in (0, 1) or math.isnan(value)))
    if not valid or isinstance(value, bool):
        raise InvalidOption(f"zero_division={value!r} is not 0, 1, nan or 'warn'")
    if not isinstance(measure, SetMeasure) or not measure._scorer.counts:
        raise InvalidOption(f"zero_division= is for ratios of two counts, which {measure.name} is not")
    zero = zero_over_zero(measure, scores)
    number = int(np.count_nonzero(zero))
    if value == "warn" and number:
        warnings.warn(f"{measure.name} is 0 / 0 on {plural(number, 'instance')}, and 0 there", stacklevel=2)
    made = np.where(zero, 0.0 if value == "warn" else value, scores.values)
    undefined = scores.undefined + (number if isinstance(value, float) and math.isnan(value) else 0)
    return replace(scores, columns={**scores.columns, next(iter(scores.columns)): made}, undefined=undefined)


def micro_average(measure: SetMeasure, scores: Scores, value: ZeroDivision | None) -> float:
    """The score of all instances together, with ``value`` where that is 0 / 0."""
    whole = measure.micro_average(scores)
    if value is None:
        return whole
    columns = {measure.name: np.array([whole])}
    columns |= {name: np.array([scores.total(name)]) for name in SIDES}
    together = Scores(scores.name, columns, np.zeros(1, np.int8), scores.signature)
    return float(with_zero_division(measure, together, value).values[0])
