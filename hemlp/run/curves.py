"""Curves of a study's systems that are files of scores, ``FILE@CUT``, for its report page."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hemlp.analysis.diagnosis.blocks import inputs_of
from hemlp.instances.file_cuts import cut_of
from hemlp.measures.pair_measure import PairMeasure
from hemlp.measures.set_measure import SetMeasure

if TYPE_CHECKING:
    from hemlp.analysis.scored.curve import Curve
    from hemlp.results.evaluation import Evaluation
    from hemlp.run.file_options import Files

POINTS = 100
"""Thresholds of a curve at most."""
SOLVED = 200_000
"""Instances times thresholds at most, for measures that are solved at each threshold; there are at least 10."""


def curves_of(systems: Mapping[str, str], ev: Evaluation, reading: Files) -> dict[str, Curve]:
    """The curves of all measures of label sets, one for each file of scores, by the names of the systems cut of it."""
    from hemlp.analysis.scored.aligned import Aligned
    from hemlp.analysis.scored.curve import curve_of
    from hemlp.analysis.scored.stepping import Solving

    inputs = inputs_of(ev)
    measures = {name: each for name, each in inputs.measures.items() if isinstance(each, PairMeasure | SetMeasure)}
    files: dict[str, list[str]] = {}
    for name, text in systems.items():
        if (cut := cut_of(text)) is not None and os.path.isfile(cut.file):
            files.setdefault(cut.file, []).append(name)
    found: dict[str, Curve] = {}
    for file, names in files.items():
        policies = inputs.policies
        data = Aligned.of(inputs.given, inputs.true, reading.scores(file), policies.unknown, policies.unknown_true)
        if data.values.size and measures:
            points = min(POINTS, max(10, SOLVED // len(data)))
            found[", ".join(names)] = curve_of(data, measures, None, points, Solving("nan"))
    return found
