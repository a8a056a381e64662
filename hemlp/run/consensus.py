"""An answer beside each system, the plain majority vote and the likeliest sample, where the truth is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.analysis.decision.decide import decide
from hemlp.analysis.decision.models import expected_values
from hemlp.arrays import entry_rows
from hemlp.instances.label_sets import LabelSets
from hemlp.problems.decision.pool import PoolDecision
from hemlp.run.evaluate import evaluate

if TYPE_CHECKING:
    from hemlp.analysis.decision.decide import Decision
    from hemlp.text.tables import Table


def compare_answers(d: Decision, systems: Mapping[str, Any], true: Any) -> Table:
    """The means of the measure: decided, by majority (classes with more than half of the votes), the best sample (the
    answer of a system that is best in expectation), and each system."""
    h, own = d.hierarchy, d.measure
    rivals: dict[str, Any] = {"decided": d.sets, "majority": decide(h, systems, "SDL").sets}
    if d.scenarios is not None:
        part = d.scenarios
        values = expected_values(own, part, part.sets, entry_rows(part.first))
        unknown = np.full(len(part), np.nan)
        pool = PoolDecision("", h, 0, own.greater_is_better, part.first, part.sets, values, unknown)
        chosen = part.sets.take(np.array([pool.best(row) for row in range(len(part))], np.int64))
        rivals["best sample"] = LabelSets(tuple(h.labels), chosen.ptr, chosen.classes, d.sets.ids)
    named = {name if name not in rivals else f"system {name}": side for name, side in systems.items()}
    return evaluate(h, true, rivals | named, [own]).table()
