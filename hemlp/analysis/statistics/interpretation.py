"""Notes that help to read a table of means: several roots, isolated labels, empty instances, infinite means."""

from __future__ import annotations

import math

import numpy as np

from hemlp.measures.instance_scores import mean
from hemlp.results.results import Results
from hemlp.text.phrases import plural
from hemlp.text.tables import format_number

_LCA_COLUMN = "lcas"
"""A column that only measures of LCA graphs have."""


def interpretation_notes(ev: Results) -> list[str]:
    """Notes on several roots and isolated labels in LCA graphs, on instances without labels, and on infinite means."""
    notes = []
    first = ev.scores[ev.systems[0]]
    graphs = [name for name in ev.measures if _LCA_COLUMN in first[name].columns]
    roots = 1 if ev.inputs is None else len(ev.inputs.given.roots)
    isolated = [system for system in ev.systems if ev.facts[system].get("predicted labels isolated")]
    if graphs and roots > 1:
        notes.append(
            f"{', '.join(graphs)}: the hierarchy has {roots:,} roots; classes without a common ancestor meet in one "
            f"node above all roots, which counts as right, so a miss across roots earns more than 0"
        )
    if graphs and isolated:
        notes.append(
            f"{', '.join(graphs)}: an unknown label that is isolated meets a true class above all roots, and earns "
            f"more than no label does ({', '.join(isolated)}); with unknown labels dropped it earns nothing"
        )
    for system, counts in ev.facts.items():
        if both := int(counts.get("both sides empty", 0)):
            are = "instance has" if both == 1 else "instances have"
            notes.append(f"{system}: {both:,} {are} neither true nor predicted labels, which counts as perfect")
    for system, of_system in ev.scores.items():
        for name, scores in of_system.items():
            infinite = np.isinf(scores.values)
            if number := int(np.count_nonzero(infinite)):
                rest = mean(np.where(infinite, math.nan, scores.values))
                others = "" if math.isnan(rest) else f"; the mean of the others is {format_number(rest)}"
                notes.append(
                    f"{system}, {name}: infinite on {plural(number, 'instance')}, where a class has no finite cost, as "
                    f"without a common ancestor{others}"
                )
    return notes
