"""What 0 / 0 is, by choice: by convention 1 where both sets are equal (both are empty), and else 0."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.errors import InvalidOption
from hemlp.measures.base import Measure
from hemlp.measures.instance_scores import Scores
from hemlp.measures.set_measure import SetFacts, SetMeasure
from hemlp.text.tables import plural

ZeroDivision = Literal["warn"] | float
SIDES = ("predicted", "true", "common")


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

    Raises
    ------
    InvalidOption
        If the measure is no ratio of two counts, or the value another one.
    """
    valid = value == "warn" or (isinstance(value, int | float) and (value in (0, 1) or math.isnan(value)))
    if not valid or isinstance(value, bool):
        raise InvalidOption(f"zero_division={value!r} is not 0, 1, nan or 'warn'")
    if not isinstance(measure, SetMeasure) or not measure._scorer.counts:
        raise InvalidOption(f"zero_division= is for ratios of two counts, and {measure.name} is none")
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
