"""CAFA's Naive baseline, and results in the files of cafaeval.

cafaeval evaluates each namespace by itself, on the instances that have a true class there: here each root is one.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hemlp.analysis.scored.cafa import Cafa, cafa
from hemlp.analysis.scored.threshold_steps import best_index
from hemlp.errors import InvalidOption, InvalidScores
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.label_sets import LabelSets, RowKind
from hemlp.instances.scored_sets import ScoredSets
from hemlp.io.files import write_text

BEST = {"f", "s", "f_micro", "f_w", "s_w", "f_micro_w"}
"""What the rows of a file are the best by."""
_NAMES = {
    "n": "covered", "fp": "mi", "fn": "ru", "pr": "precision", "rc": "recall", "cov": "coverage", "mi": "mi",
    "ru": "ru", "f": "f", "s": "s", "pr_micro": "precision_micro", "rc_micro": "recall_micro", "f_micro": "f_micro",
}  # fmt: skip
"""Columns of cafaeval, and ours."""
Rows = dict[str, list[Any]]


def naive_scores(
    hierarchy: Hierarchy, corpus: Any, instances: Sequence[Label], *, rows: RowKind | None = None
) -> ScoredSets:
    """CAFA's Naive baseline: every instance has each class with its share of a corpus, n(c) / n(∅).

    Parameters
    ----------
    hierarchy
        What the labels speak of.
    corpus
        Label sets of training data: anything that ``LabelSets.of`` takes.
    instances
        The ids of what is predicted.
    rows
        Whether lists of labels are "sets" or "paths": as of ``LabelSets.of``.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> naive_scores(h, ["sheep", "cow", "cow", "animal"], ["new"])[0]
    {'animal': 1.0, 'cow': 0.5, 'sheep': 0.25}
    """
    from hemlp.measures.information import class_shares

    shares = class_shares(hierarchy, LabelSets.of(corpus, rows=rows, source="corpus"))
    seen = np.flatnonzero(shares)
    codes, size = np.tile(np.arange(seen.size), len(instances)), len(instances)
    where = np.repeat(np.arange(size), seen.size)
    labels, values = [hierarchy.labels[c] for c in seen], np.tile(shares[seen], size)
    return ScoredSets.from_entries(labels, where, codes, values, size, tuple(instances), "naive", None, "error")


def write_cafaeval(
    folder: str, h: Hierarchy, gold: LabelSets, systems: Mapping[str, ScoredSets], options: Mapping[str, Any]
) -> list[str]:
    """Write evaluation_all.tsv and evaluation_best_*.tsv of all systems; return them. ``options``: of ``cafa``."""
    if gold.ids is None:
        raise InvalidOption("cafaeval's files are of true labels with ids, as in lines id<TAB>class")
    whole: Rows = {}
    best: dict[str, Rows] = {}
    for root in sorted(h.roots, key=str):
        below = [root, *h.descendants(root)]
        own = _within(h, gold, {h.id(label) for label in below})
        for name, scores in systems.items() if len(own) else ():
            kept = {**options, "terms": below if options.get("terms") is None else [*{*below} & {*options["terms"]}]}
            space = h.names.get(root, str(root))
            try:
                rows = _rows(cafa(h, own, scores, **{**kept, "weights": None}), "")
            except InvalidScores as error:
                warnings.warn(f"{name} has no row for {space}: {error}", stacklevel=2)
                continue
            if options.get("weights") is not None:
                rows |= _rows(cafa(h, own, scores, **kept), "_w")
            size = len(rows["tau"])
            rows = {"filename": [name] * size, "ns": [space] * size, **rows}
            _extend(whole, rows)
            for metric in BEST & rows.keys():
                k = best_index(np.asarray(rows[metric]), metric[0] == "f")
                row = {key: [values[k]] for key, values in rows.items()}
                _extend(best.setdefault(metric, {}), {**row, "cov_max": [max(rows["cov"])]})
    files = {"evaluation_all.tsv": whole, **{f"evaluation_best_{key}.tsv": rows for key, rows in best.items()}}
    for name, rows in files.items():
        lines = ["\t".join(rows), *("\t".join(map(str, row)) for row in zip(*rows.values(), strict=True))]
        write_text(Path(folder, name), "\n".join(lines) + "\n")
    return [str(Path(folder, name)) for name in files]


def _within(h: Hierarchy, gold: LabelSets, classes: set[int]) -> LabelSets:
    """The instances with a true class among these, by their ids."""
    inside = {label for label, c in zip(gold.vocabulary, h.numbers(gold.vocabulary), strict=True) if c in classes}
    return LabelSets.of({i: row for i, row in zip(gold.ids or (), gold, strict=True) if not inside.isdisjoint(row)})


def _rows(q: Cafa, ending: str) -> Rows:
    """The columns of one system, weighted ones with an ending."""
    sums = q.parts.steps.sums(*q.parts.columns.T)
    hits = sums[sums[:, 6] > 0, 3][::-1] / (q.covered if q.norm == "pred" else q.instances)
    columns = {"tau": q.thresholds.round(12), "n": q.covered, "tp": hits}
    columns |= {name: getattr(q, of) for name, of in _NAMES.items()}
    return {name if name == "tau" else name + ending: values.tolist() for name, values in columns.items()}


def _extend(rows: Rows, more: Rows) -> None:
    for name, values in more.items():
        rows.setdefault(name, []).extend(values)
