"""Branches for the page: a tree that opens, with the instances, the mean and the share of the loss of each branch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.diagnosis.branches import branches_of
from hemlp.diagnosis.reading import aligned, inputs_of
from hemlp.measures.pairs import PairMeasure
from hemlp.report.elements import Section, choice, notes
from hemlp.report.embedded import narrow
from hemlp.report.nodes import Nodes
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.evaluation.result import Evaluation

MOST = 2_500
"""Branches that a page holds at most: those with the most instances, or the greatest share of what is lost."""


def branch_data(ev: Evaluation, measure: str, nodes: Nodes) -> tuple[int, dict[str, NDArray[Any]]]:
    """Arrays of the branches that the page holds, and how many there are in all.

    A branch has at most the instances and the share of any branch that it is in, so those that are kept hang together.
    """
    _, places = aligned(inputs_of(ev), ev.systems)
    found = [branches_of(ev, system, measure) for system in ev.systems]
    of_all = list(zip(found, places, strict=True))
    instances = np.max([np.where(place >= 0, of.instances[place], 0) for of, place in of_all], axis=0)
    means = np.array([np.where(place >= 0, of.means[place], np.nan) for of, place in of_all])
    shares = np.array([np.where(place >= 0, np.nan_to_num(of.shares[place]), 0.0) for of, place in of_all])
    weight = np.maximum(instances / max(1, int(ev.facts[ev.systems[0]]["instances"])), shares.max(axis=0))
    met = np.flatnonzero(weight > 0)
    kept = met
    if met.size > MOST:
        kept = met[weight[met] > np.sort(weight[met])[-MOST - 1]]
    node = np.full(kept.size, -1)
    for system, place in zip(ev.systems, places, strict=True):
        here = place[kept] >= 0
        number = nodes.add(inputs_of(ev).hierarchies[system], [place[kept][here]])
        node[here] = number[place[kept][here]]
    arrays = {"branch": narrow(node), "branchInstances": narrow(instances[kept])}
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
