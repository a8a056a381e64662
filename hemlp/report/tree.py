"""Branches for the page: a tree that opens, with the instances, the mean and the share of the loss of each branch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.diagnosis.branches import branch_values
from hemlp.measures.pairs import PairMeasure
from hemlp.report.elements import Section, choice, notes
from hemlp.report.embedded import narrow
from hemlp.report.nodes import Nodes, common_places
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.evaluation.result import Evaluation

MOST = 2_500
"""Branches that a page holds at most: those with the most instances, or the greatest share of what is lost."""


def branch_data(ev: Evaluation, measure: str, nodes: Nodes) -> tuple[int, dict[str, NDArray[Any]]]:
    """Arrays of the branches that the page holds, and how many there are in all.

    A branch has at most the instances and the share of any branch that it is in, so those that are kept hang together.
    """
    found = [branch_values(ev, system, measure) for system in ev.systems]
    places, size = common_places([h for h, *_ in found])
    instances = np.zeros(size, np.int64)
    means, shares = np.full((len(found), size), np.nan), np.zeros((len(found), size))
    for s, ((_, number, mean, share), place) in enumerate(zip(found, places, strict=True)):
        instances[place] = np.maximum(instances[place], number)
        means[s, place], shares[s, place] = mean, np.nan_to_num(share)
    weight = np.maximum(instances / max(1, int(ev.facts[ev.systems[0]]["instances"])), shares.max(axis=0))
    met = np.flatnonzero(weight > 0)
    kept = met
    if met.size > MOST:
        kept = met[weight[met] > np.sort(weight[met])[-MOST - 1]]
    wanted = np.zeros(size, np.bool_)
    wanted[kept] = True
    node = np.full(size, -1)
    for (h, *_), place in zip(found, places, strict=True):
        number = nodes.add(h, [np.flatnonzero(wanted[place])])
        node[place] = np.maximum(node[place], number)
    arrays = {"branch": narrow(node[kept]), "branchInstances": narrow(instances[kept])}
    for s in range(len(found)):
        arrays |= {f"branchMean{s}": means[s, kept], f"branchShare{s}": shares[s, kept]}
    return int(met.size), arrays


def tree_section(ev: Evaluation, measure: str, shown: int, met: int, ahead: Sequence[str]) -> Section:
    """The tree. ``ahead``: the systems that it compares at first."""
    assert ev.inputs is not None
    pairs = isinstance(ev.inputs.measures[measure], PairMeasure)
    loss = (
        f"the error of {measure}, by the classes that cost it" if pairs else "SDL, by classes that are on one side only"
    )
    told = [
        f"instances: those that have a true class in the branch; mean: of {measure} over them; share: of {loss}",
    ]
    if any((np.diff(h.parent_ptr) > 1).any() for h in ev.inputs.hierarchies.values()):
        told.append("branches overlap where classes have several parents: shares need not add up to 100%")
    if shown < met:
        told.append(
            f"{shown:,} of {many(met, 'branch', 'branches')}: those with the most instances or the greatest share"
        )
    systems = [(str(s), name) for s, name in enumerate(ev.systems)]
    first = [str(ev.systems.index(name)) for name in ahead]
    bar = choice("tree-first", "System", systems, first[0])
    if len(systems) > 1:
        bar += choice("tree-second", "beside", [("", "none"), *systems], first[1])
    body = (
        f"<div class='bar'>{bar}</div><div id='treemap' class='treemap'></div>"
        f"<div id='tree' class='tree' role='tree' aria-label='Branches'></div>{notes(told)}"
    )
    return Section("branches", f"Branches by {measure}", body, {})
