"""Measures of a curve over thresholds: by name, checked."""

from __future__ import annotations

from collections.abc import Sequence

from hemlp.errors import InvalidOption
from hemlp.measures.base import Measure
from hemlp.measures.derived import RankedMeasure
from hemlp.measures.factory import measure


def threshold_measure(what: str | Measure) -> Measure:
    """A measure of the classes above a threshold; raises for measures of the k greatest scores."""
    resolved = measure(what)
    if isinstance(resolved, RankedMeasure):
        raise InvalidOption(f"{resolved} uses the greatest scores and no threshold: hemlp.ranked takes it")
    return resolved


def resolve_measures(measures: Sequence[str | Measure]) -> dict[str, Measure]:
    """The measures by their names, as given."""
    resolved: dict[str, Measure] = {}
    for each in measures:
        name = each if isinstance(each, str) else each.display_name
        if name in resolved:
            raise InvalidOption(f"the measure {name!r} is asked for twice")
        resolved[name] = threshold_measure(each)
    if not resolved:
        raise InvalidOption("a curve needs at least one measure")
    return resolved
