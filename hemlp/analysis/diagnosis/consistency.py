"""Diagnosis of label sets: consistency of the predicted sets with the hierarchy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from hemlp.analysis.diagnosis.system_batches import SystemChoice, choose_systems, iter_batches
from hemlp.arrays import IntArray, entry_rows
from hemlp.instances.batch import Batch, Side
from hemlp.instances.sides import PRED, TRUE
from hemlp.problems.closure.model import ClosureModel
from hemlp.problems.incomplete_gold import Mask, is_below
from hemlp.problems.pairing.pairs import Pairs
from hemlp.results.results import Results, require_inputs
from hemlp.text.tables import Table

KINDS = ("labels beside their ancestors", "paths that break", "leaf-only accuracy", "full-path accuracy")


def consistency(ev: Results, system: SystemChoice = None) -> Table:
    """Whether predicted sets agree with the hierarchy: how many labels do not, and in how many instances.

    A label stands *beside its ancestors* where one of these is predicted, too. A path *breaks* at a label that has a
    predicted ancestor and no predicted parent. *Leaf-only* accuracy compares the most specific classes of both sides;
    *full-path* accuracy demands all ancestors of the true classes among the predicted labels, and nothing else.

    Parameters
    ----------
    system
        As in ``levels``.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "cow")])
    >>> ev = evaluate(h, ["cow", "cow"], {"A": [["animal", "cow"], ["animal", "mammal", "cow"]]}, ["F_H"])
    >>> for row in ev.consistency("A").rows:
    ...     print(row)
    ('labels beside their ancestors', 3, 2, 1.0)
    ('paths that break', 1, 1, 0.5)
    ('leaf-only accuracy', '', 2, 1.0)
    ('full-path accuracy', '', 1, 0.5)
    """
    rows = []
    for name in (chosen := choose_systems(ev, system)):
        labels, instances, number = np.zeros(2, np.int64), np.zeros(4, np.int64), 0
        for _, batch in iter_batches(require_inputs(ev), name):
            beside, broken = _inconsistent(batch)
            rows_of = entry_rows(batch.pred.ptr)
            labels += [beside.sum(), broken.sum()]
            instances += [np.unique(rows_of[each]).size for each in (beside, broken)] + _accurate(batch)
            number += len(batch)
        for kind, count, there in zip(KINDS, [*labels.tolist(), "", ""], instances.tolist(), strict=True):
            of = (name, kind) if len(chosen) > 1 else (kind,)
            rows.append((*of, count, there, there / number if number else math.nan))
    head = ["system", "what"] if len(chosen) > 1 else ["what"]
    return Table([*head, "labels", "instances", "share of instances"], rows)


def _related(batch: Batch, side: Side) -> tuple[IntArray, IntArray]:
    """Positions of all (class, ancestor of it) within the label sets of a side."""
    own = replace(batch, true=side, pred=side)
    ends = Pairs.of(own).ends(own)
    below = is_below(batch.hierarchy, side.classes[ends[PRED]], side.classes[ends[TRUE]])
    return ends[PRED][below], ends[TRUE][below]


def _inconsistent(batch: Batch) -> tuple[Mask, Mask]:
    """Of all predicted labels, which have a predicted ancestor, and which of these no predicted parent."""
    h, classes = batch.hierarchy, batch.pred.classes
    own, above = _related(batch, batch.pred)
    direct = np.isin(
        classes[own] * np.int64(len(h)) + classes[above], h.edges.children * np.int64(len(h)) + h.edges.parents
    )
    beside, joined = np.zeros((2, classes.size), np.bool_)
    beside[own] = True
    joined[own[direct]] = True
    return beside, beside & ~joined


def _accurate(batch: Batch) -> list[int]:
    """In how many instances the most specific classes are equal, and in how many the predicted set is the full path."""
    size = len(batch.hierarchy)
    keys = [entry_rows(side.ptr) * size + side.classes for side in batch.sides]
    specific = [np.delete(of, _related(batch, side)[1]) for of, side in zip(keys, batch.sides, strict=True)]
    ptr, nodes, _ = ClosureModel("", replace(batch, pred=batch.true), "up", np.ones(size + 1)).closures()
    sides = specific, (keys[PRED], entry_rows(ptr) * size + nodes)
    return [len(batch) - np.unique(np.setxor1d(*pair) // size).size for pair in sides]
