"""Curves of a study's systems that are files of scores, ``FILE@CUT``, for its report page."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hemlp.instances.file_cuts import parse_cut
from hemlp.measures.pair_measure import pairs_classes
from hemlp.measures.set_measure import SetMeasure
from hemlp.results.results import require_inputs

if TYPE_CHECKING:
    from hemlp.analysis.scored.curve import Curve
    from hemlp.run.evaluation import Evaluation
    from hemlp.run.file_options import FileOptions

POINTS = 100
"""Thresholds of a curve at most."""
SOLVED = 200_000
"""Instances times thresholds at most, for measures that are solved at each threshold; there are at least 10."""


def compute_curves(systems: Mapping[str, str], ev: Evaluation, reading: FileOptions) -> dict[str, Curve]:
    """The curves of all measures of label sets, one for each file of scores, by the names of the systems cut of it."""
    from hemlp.analysis.scored.aligned_scores import AlignedScores
    from hemlp.analysis.scored.curve import compute_curve
    from hemlp.analysis.scored.step_scores import ScoringOptions

    inputs = require_inputs(ev)
    measures = {
        name: each for name, each in inputs.measures.items() if isinstance(each, SetMeasure) or pairs_classes(each)
    }
    files: dict[str, list[str]] = {}
    for name, text in systems.items():
        if (cut := parse_cut(text)) is not None and os.path.isfile(cut.file):
            files.setdefault(cut.file, []).append(name)
    by_names: dict[str, Curve] = {}
    for file, names in files.items():
        policies = inputs.policies
        data = AlignedScores.of(
            inputs.given, inputs.true, reading.scores(file), policies.unknown, policies.unknown_true
        )
        if data.values.size and measures:
            points = min(POINTS, max(10, SOLVED // len(data)))
            by_names[", ".join(names)] = compute_curve(data, measures, None, points, ScoringOptions("nan"))
    return by_names
