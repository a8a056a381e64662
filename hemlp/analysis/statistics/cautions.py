"""What a table does not say by itself: what ⊤ and isolated labels earn, and which instances make a mean infinite."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hemlp.measures.instance_scores import mean
from hemlp.text.tables import figure
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.results.evaluation import Evaluation

_OF_LCA = "lcas"
"""The column that measures of LCA graphs have."""


def cautions(ev: Evaluation) -> list[str]:
    """Notes on several roots and isolated labels in LCA graphs, on instances without labels, and on infinite means."""
    found = []
    first = ev.scores[ev.systems[0]]
    graphs = [name for name in ev.measures if _OF_LCA in first[name].columns]
    roots = 1 if ev.inputs is None else len(ev.inputs.given.roots)
    isolated = [system for system in ev.systems if ev.facts[system].get("predicted labels isolated")]
    if graphs and roots > 1:
        found.append(
            f"{', '.join(graphs)}: the hierarchy has {roots:,} roots; classes without a common ancestor meet in one "
            f"node above all roots, which counts as right, so a miss across roots earns more than 0"
        )
    if graphs and isolated:
        found.append(
            f"{', '.join(graphs)}: an unknown label that is isolated meets a true class above all roots, and earns "
            f"more than no label does ({', '.join(isolated)}); with unknown labels dropped it earns nothing"
        )
    for system, counts in ev.facts.items():
        if both := int(counts.get("both sides empty", 0)):
            are = "instance has" if both == 1 else "instances have"
            found.append(f"{system}: {both:,} {are} neither true nor predicted labels, which counts as perfect")
    for system, of_system in ev.scores.items():
        for name, scores in of_system.items():
            endless = np.isinf(scores.values)
            if number := int(np.count_nonzero(endless)):
                rest = mean(np.where(endless, math.nan, scores.values))
                others = "" if math.isnan(rest) else f"; the mean of the others is {figure(rest)}"
                found.append(
                    f"{system}, {name}: infinite on {many(number, 'instance')}, where a class has no finite cost, as "
                    f"without a common ancestor{others}"
                )
    return found
