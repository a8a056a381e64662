"""Minimal LCA graphs that a page can draw: those of the worst instances of each system, since all would not fit."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray, pointers
from hemlp.instances.sides import PRED, TRUE
from hemlp.measures.augmentations import MinimalLca
from hemlp.measures.set_measure import SetMeasure
from hemlp.problems.lca.graphs import LcaGraphs
from hemlp.report.page_data import Nodes, narrow
from hemlp.results.results import Results, require_inputs

if TYPE_CHECKING:
    from hemlp.report.instance_list import Sample

MOST = 1_000
"""Graphs of all systems together."""
MOST_NODES = 400
"""Larger ones are not drawn, and not embedded."""
CHOSEN = 4
"""What marks a chosen LCA; 1 and 2 mark what is on the predicted and on the true side."""


def graph_measure(ev: Results) -> str | None:
    """The first measure with minimal LCA graphs."""
    for name, each in require_inputs(ev).measures.items():
        if isinstance(each, SetMeasure) and isinstance(each.augment, MinimalLca):
            return name
    return None


def graph_note(ev: Results, measure: str | None, sample: Sample) -> str:
    """A note on which instances have graphs, if not all."""
    number = MOST // len(ev.systems)
    if measure is None or len(sample.rows) <= number:
        return ""
    return f" The minimal LCA graphs are drawn for the {number:,} worst of each system by {measure}."


def graph_arrays(ev: Results, measure: str, sample: Sample, nodes: Nodes) -> dict[str, NDArray[Any]]:
    """The graphs of the worst instances of each system: instances, marked nodes, and links.

    A node is its number from 1 on, and 0 for the class above all roots; a link joins two places among the nodes of its
    instance, and is on the predicted side (1), the true side (2), or both (3).
    """
    inputs = require_inputs(ev)
    of = inputs.measures[measure]
    arrays: dict[str, NDArray[Any]] = {}
    for s, system in enumerate(ev.systems):
        chosen = _worst_rows(ev, system, measure, sample, MOST // len(ev.systems))
        batch = inputs.take(system, sample.rows[chosen].tolist())
        number = np.append(nodes.add(batch.hierarchy, []) + 1, 0)
        solution: Any = of.model(batch).solve(*of._solve_options)
        graphs = [_marks_and_links(solution.detail(k).graphs) for k in range(len(chosen))]
        kept = [k for k, (marks, _) in enumerate(graphs) if 0 < len(marks) <= MOST_NODES]
        marks = [list(graphs[k][0].items()) for k in kept]
        links = [list(graphs[k][1].items()) for k in kept]
        places = [{node: place for place, (node, _) in enumerate(of_one)} for of_one in marks]
        low, high = ([places[j][link[end]] for j, of_one in enumerate(links) for link, _ in of_one] for end in (0, 1))
        arrays |= {
            f"graphRow{s}": narrow(chosen[kept]),
            f"graphPtr{s}": narrow(pointers([len(each) for each in marks])),
            f"graphNode{s}": narrow(number[_flatten(marks, 0)]),
            f"graphMark{s}": narrow(_flatten(marks, 1)),
            f"linkPtr{s}": narrow(pointers([len(each) for each in links])),
            f"linkLow{s}": narrow(np.array(low, np.int64)),
            f"linkHigh{s}": narrow(np.array(high, np.int64)),
            f"linkSide{s}": narrow(_flatten(links, 1)),
        }
    return arrays


def _worst_rows(ev: Results, system: str, measure: str, sample: Sample, most: int) -> IntArray:
    """Positions of the worst instances within the sample, ascending."""
    values = ev.per_instance(system, measure)[sample.rows]
    known = np.flatnonzero(~np.isnan(values))
    signed = values[known] if ev.greater_is_better[measure] else -values[known]
    return np.sort(known[np.argsort(signed, kind="stable")[: max(1, most)]])


def _marks_and_links(graphs: LcaGraphs | None) -> tuple[dict[int, int], dict[tuple[int, int], int]]:
    """Nodes with their marks, and links with their sides; none if one side is empty."""
    marks: dict[int, int] = {}
    links: dict[tuple[int, int], int] = {}
    for side, path in () if graphs is None else graphs.paths:
        bit = {PRED: 1, TRUE: 2}[side]
        for node in path:
            marks[node] = marks.get(node, 0) | bit
        for link in pairwise(path):
            links[link] = links.get(link, 0) | bit
    for node in () if graphs is None else graphs.lcas:
        marks[node] = marks.get(node, 0) | CHOSEN
    return marks, links


def _flatten(lists: list[list[tuple[Any, int]]], end: int) -> IntArray:
    return np.array([item[end] for of_one in lists for item in of_one], np.int64)
