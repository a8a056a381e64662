"""CAFA's Naive baseline, and results in the files of cafaeval.

cafaeval evaluates each namespace by itself, without the edges between them, on the instances that have a true class
there. Without namespaces each root is one.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from hemlp.text.tables import plural

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
    h, spaces = _split_by_namespace(h)
    for space, classes in spaces:
        own = _within(h, gold, {h.id(label) for label in classes})
        for name, scores in systems.items() if len(own) else ():
            of_interest = classes if options.get("terms") is None else [*{*classes} & {*options["terms"]}]
            kept = {**options, "terms": of_interest}
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
                coverage = rows["cov_w" if metric.endswith("_w") else "cov"]
                _extend(best.setdefault(metric, {}), {**row, "cov_max": [max(coverage)]})
    files = {"evaluation_all.tsv": whole, **{f"evaluation_best_{key}.tsv": rows for key, rows in best.items()}}
    for name, rows in files.items():
        lines = ["\t".join(rows), *("\t".join(map(str, row)) for row in zip(*rows.values(), strict=True))]
        write_text(Path(folder, name), "\n".join(lines) + "\n")
    return [str(Path(folder, name)) for name in files]


def _split_by_namespace(h: Hierarchy) -> tuple[Hierarchy, list[tuple[str, list[Label]]]]:
    """The hierarchy without edges between namespaces, and the classes of each namespace or, without any, root."""
    if not h.namespaces:
        roots = sorted(h.roots, key=str)
        return h, [(h.names.get(root, str(root)), [root, *h.descendants(root)]) for root in roots]
    spaces = [(space, [c for c in h if h.namespaces.get(c) == space]) for space in sorted({*h.namespaces.values()})]
    of = np.array([h.namespaces.get(c, "") for c in h.labels])
    within = of[h.edges.parents] == of[h.edges.children]
    if not within.all():
        between = plural(int((~within).sum()), "edge")
        warnings.warn(f"cafaeval's files are without the {between} between namespaces, as it is", stacklevel=3)
    return replace(h, edges=h.edges.select(within)), spaces


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
