"""Thresholds of scores, checked: one number, one per class, or a grid of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.arrays import FloatArray, sorted_distinct
from hemlp.errors import InvalidOption
from hemlp.hierarchy.labels import Label

if TYPE_CHECKING:
    from hemlp.instances.scored_sets import ScoredSets


def as_threshold(value: Any, what: str = "a threshold") -> float:
    """A finite number as a float."""
    number = value.item() if isinstance(value, np.number) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise InvalidOption(f"{what} is a finite number, not {value!r:.80}")
    return float(number)


def class_thresholds(s: ScoredSets, given: Mapping[Label, float], default: float | None) -> FloatArray:
    """The threshold of each class of the vocabulary."""
    fallback = math.nan if default is None else as_threshold(default, "default")
    thresholds = np.full(len(s.vocabulary), fallback)
    for code, label in enumerate(s.vocabulary):
        if label in given:
            thresholds[code] = as_threshold(given[label], f"the threshold of {label!r}")
    lacking = np.flatnonzero(np.isnan(thresholds[s.codes]))
    if lacking.size:
        label = s.vocabulary[s.codes[lacking[0]]]
        raise InvalidOption(
            f"{s.place(int(lacking[0]))}: there is no threshold for {label!r}; name one for every scored class, or "
            f"give default="
        )
    return thresholds


def as_grid(thresholds: Any) -> FloatArray:
    """A grid of thresholds: distinct finite numbers, in ascending order."""
    try:
        grid = np.asarray(thresholds, np.float64)
    except (TypeError, ValueError):
        raise InvalidOption(f"thresholds={thresholds!r:.80} is not an array of numbers") from None
    if grid.ndim != 1 or not grid.size or not np.isfinite(grid).all():
        raise InvalidOption(f"thresholds={thresholds!r:.80} is not a list of finite numbers")
    return sorted_distinct(grid)
