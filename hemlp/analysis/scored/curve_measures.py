"""Measures that a curve over the threshold can have."""

from __future__ import annotations

from collections.abc import Sequence

from hemlp.errors import InvalidOption
from hemlp.measures.at_k import RankedMeasure
from hemlp.measures.base import Measure
from hemlp.measures.factory import measure


def of_thresholds(what: str | Measure) -> Measure:
    """A measure of what is above a threshold."""
    made = measure(what)
    if isinstance(made, RankedMeasure):
        raise InvalidOption(f"{made} is of the greatest scores, whatever the threshold: hemlp.ranked takes it")
    return made


def curve_measures(measures: Sequence[str | Measure]) -> dict[str, Measure]:
    """The measures under the names that they were asked for."""
    made: dict[str, Measure] = {}
    for each in measures:
        name = each if isinstance(each, str) else each.display_name
        if name in made:
            raise InvalidOption(f"the measure {name!r} is asked for twice")
        made[name] = of_thresholds(each)
    if not made:
        raise InvalidOption("a curve needs at least one measure")
    return made
