"""Curves of a study's systems that are files of scores, ``FILE@CUT``, for its report page."""

from __future__ import annotations

from collections.abc import Mapping
from os.path import isfile
from typing import TYPE_CHECKING

from hemlp.diagnosis.reading import inputs_of
from hemlp.io.cuts import cut_of
from hemlp.measures.pairs import PairMeasure
from hemlp.measures.sets import SetMeasure

if TYPE_CHECKING:
    from hemlp.evaluation.result import Evaluation
    from hemlp.scores.curve import Curve

POINTS = 100
"""Thresholds of a curve at most."""
SOLVED = 200_000
"""Instances times thresholds at most, for measures that are solved at each threshold; there are at least 10."""


def curves_of(systems: Mapping[str, str], ev: Evaluation) -> dict[str, Curve]:
    """The curves of all measures of label sets, one for each file of scores, by the names of the systems cut of it."""
    from hemlp.scores.aligned import Aligned
    from hemlp.scores.curve import chosen_thresholds, curve_of
    from hemlp.scores.reading import read_scores
    from hemlp.scores.stepping import Solving

    inputs = inputs_of(ev)
    measures = {name: each for name, each in inputs.measures.items() if isinstance(each, PairMeasure | SetMeasure)}
    files: dict[str, list[str]] = {}
    for name, text in systems.items():
        if (cut := cut_of(text)) is not None and isfile(cut.file):
            files.setdefault(cut.file, []).append(name)
    found: dict[str, Curve] = {}
    for file, names in files.items():
        policies = inputs.policies
        data = Aligned.of(inputs.given, inputs.true, read_scores(file), policies.unknown, policies.unknown_true)
        if data.values.size and measures:
            points = min(POINTS, max(10, SOLVED // len(data)))
            grid, kind = chosen_thresholds(data, None, points)
            found[", ".join(names)] = curve_of(data, measures, grid, kind, Solving("nan"))
    return found
