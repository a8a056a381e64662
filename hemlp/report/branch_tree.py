"""Branches for the page: a tree that opens, with the instances, the mean and the share of the loss of each branch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.diagnosis.branches import compute_branches, reorder_branches, words_of_loss
from hemlp.analysis.diagnosis.system_batches import align_classes
from hemlp.report.elements import Section, notes, select
from hemlp.report.page_data import Nodes, narrow
from hemlp.results.results import Results, require_inputs
from hemlp.text.tables import plural

MOST = 2_500
"""Branches that a page holds at most: those with the most instances, or the greatest share of what is lost."""


def branch_data(ev: Results, measure: str, nodes: Nodes) -> tuple[int, dict[str, NDArray[Any]]]:
    """Arrays of the branches on the page, and the number of all branches.

    A branch has at most the instances and the share of any branch that it is in, so those that are kept hang together.
    """
    inputs = require_inputs(ev)
    _, places = align_classes(inputs, ev.systems)
    by_system = [
        reorder_branches(compute_branches(ev, s, measure), place) for s, place in zip(ev.systems, places, strict=True)
    ]
    instances = np.max([of.instances for of in by_system], axis=0)
    shares = np.array([np.nan_to_num(of.shares) for of in by_system])
    weight = np.maximum(instances / max(1, int(ev.facts[ev.systems[0]]["instances"])), shares.max(axis=0))
    met = np.flatnonzero(weight > 0)
    kept = met
    if met.size > MOST:
        kept = met[weight[met] > np.sort(weight[met])[-MOST - 1]]
    node = np.full(kept.size, -1)
    for system, place in zip(ev.systems, places, strict=True):
        here = place[kept]
        number = nodes.add(inputs.hierarchies[system], [here[here >= 0]])
        node = np.where(here >= 0, number[here], node)
    arrays = {"branch": narrow(node), "branchInstances": narrow(instances[kept])}
    for s, of in enumerate(by_system):
        columns = {"Mean": of.means, "Low": of.lows, "High": of.highs, "Share": shares[s]}
        arrays |= {f"branch{what}{s}": values[kept] for what, values in columns.items()}
    return int(met.size), arrays


def tree_section(ev: Results, measure: str, shown: int, met: int, ahead: Sequence[str]) -> Section:
    """The section of the tree; ``ahead``: the systems that it compares first."""
    inputs = require_inputs(ev)
    loss = words_of_loss(ev, measure)
    told = [
        f"instances: those that have a true class in the branch; mean: of {measure} over them; share: of {loss}",
        "in brackets 95% intervals: Student's, from the spread over the instances of a branch",
    ]
    if any((np.diff(h.parent_ptr) > 1).any() for h in inputs.hierarchies.values()):
        told.append("branches overlap where classes have several parents: shares need not add up to 100%")
    if shown < met:
        told.append(
            f"{shown:,} of {plural(met, 'branch', 'branches')}: those with the most instances or the greatest share"
        )
    systems = [(str(s), name) for s, name in enumerate(ev.systems)]
    first = [str(ev.systems.index(name)) for name in ahead]
    bar = select("tree-first", "System", systems, first[0])
    if len(systems) > 1:
        bar += select("tree-second", "beside", [("", "none"), *systems], first[1])
    body = (
        f"<div class='bar'>{bar}</div><div id='treemap' class='treemap'></div>"
        f"<div id='tree' class='tree' role='tree' aria-label='Branches'></div>{notes(told)}"
    )
    return Section("branches", f"Branches by {measure}", body, {})
