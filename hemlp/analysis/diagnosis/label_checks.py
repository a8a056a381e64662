"""What a hierarchy and label files hold before they are scored, and whether predictions agree with the hierarchy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from hemlp.analysis.diagnosis.system_batches import SystemChoice, choose_systems, iter_batches
from hemlp.arrays import IntArray, entry_rows
from hemlp.errors import HemlpError
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labelled_structure import AMBIGUOUS
from hemlp.hierarchy.labels import unknown_label_message
from hemlp.instances.batch import Batch, Side
from hemlp.instances.formats.label_paths import resolve_paths
from hemlp.instances.label_sets import LabelSets
from hemlp.instances.sides import PRED, TRUE
from hemlp.problems.closure.model import ClosureModel
from hemlp.problems.incomplete_gold import Mask, is_below
from hemlp.problems.pairing.pairs import Pairs
from hemlp.results.results import Results, require_inputs
from hemlp.text.tables import Table, plural

MAX_NAMED = 5
"""Unknown labels, or ids, that are named."""


def describe_hierarchy(h: Hierarchy, format: str | None = None) -> Table:
    """The sizes of a hierarchy: classes, edges, roots, leaves, depth; ``format``: that of its file."""
    parents, children = np.diff(h.parent_ptr), np.diff(h.child_ptr)
    rows: list[tuple[str, object]] = [
        *([] if format is None else [("format", "edges, or a table of them" if format == "edges" else format)]),
        ("classes", len(h)),
        ("edges", h.edges.parents.size),
        ("roots", int((parents == 0).sum())),
        ("leaves", int((children == 0).sum())),
        ("classes without any edge", int(((parents == 0) & (children == 0)).sum())),
        ("greatest depth", int(h.unit_depths.max())),
        ("classes with several parents", int((parents > 1).sum())),
        ("most parents of a class", int(parents.max())),
        ("most children of a class", int(children.max())),
        ("classes with a name", len(h.names)),
        ("aliases", len(h.aliases)),
        ("edges with lengths", "yes" if h.weighted else "no"),
    ]
    return Table(["hierarchy", ""], [[words, str(value)] for words, value in rows])


def describe_labels(h: Hierarchy, files: Mapping[str, LabelSets]) -> tuple[Table, list[HemlpError | str]]:
    """Facts about label files, a column for each, and the errors that scoring them together would raise."""
    files, problems = dict(files), list[HemlpError | str]()
    for name, sets in files.items():
        try:
            files[name] = resolve_paths(h, sets)
        except HemlpError as error:
            problems.append(error)
    facts = [_describe_file(h, sets) for sets in files.values()]
    problems = problems or [problem for name, sets in files.items() for problem in _unknown_labels(h, name, sets)]
    problems += [f"{name} holds no instance" for name, sets in files.items() if not len(sets)]
    unaligned, notes = _compare_instances(files)
    problems = [*problems, *unaligned] or _layout_problems(h, files)
    rows = [[word, *(str(of[word]) for of in facts)] for word in (facts[0] if facts else ())]
    return Table(["labels", *files], rows, notes), problems


def _layout_problems(h: Hierarchy, files: Mapping[str, LabelSets]) -> list[HemlpError | str]:
    """The first other error: a file that looks like something else."""
    gold = next(iter(files.values()))
    for sets in files.values():
        try:
            Batch.of(h, gold, replace(sets, scores=None), missing="error" if sets.scores is None else "empty")
        except HemlpError as error:
            return [error]
    return []


def _describe_file(h: Hierarchy, sets: LabelSets) -> dict[str, object]:
    numbers = h.numbers(sets.vocabulary)
    classes, sizes = numbers[sets.codes], np.diff(sets.ptr)
    known, at = classes[classes >= 0], np.repeat(np.arange(len(sets)), sizes)[classes >= 0]
    rows, distinct = np.divmod(np.unique(at * len(h) + known), len(h))
    return {
        "format": sets.layout or ("in memory" if sets.scores is None else "scores"),
        "instances": len(sets),
        "with ids": "no" if sets.ids is None else "yes",
        "labels": sets.codes.size,
        "labels per instance": f"{sets.codes.size / max(len(sets), 1):.2f}",
        "distinct classes": len(np.unique(known)),
        "instances without labels": np.count_nonzero(sizes == 0),
        "labels repeated in an instance": known.size - distinct.size,
        "labels with a descendant in the instance": _count_beside_descendants(h, rows, distinct),
        "labels of inner classes": np.count_nonzero(np.diff(h.child_ptr)[distinct]),
        "labels read by name or alias": np.count_nonzero(_stand_for_others(h, sets, numbers)[sets.codes]),
        "unknown labels": np.count_nonzero(classes < 0),
        "distinct unknown labels": np.unique(sets.codes[classes < 0]).size,
    }


def _stand_for_others(h: Hierarchy, sets: LabelSets, numbers: IntArray) -> np.ndarray:
    """Which labels are not those of their classes, but names, paths or aliases: an address may be in brackets."""
    pairs = zip(sets.vocabulary, numbers.tolist(), strict=True)
    other = (c >= 0 and h.labels[c] not in (label, str(label)[1:-1]) for label, c in pairs)
    return np.fromiter(other, np.bool_, len(numbers))


def _unknown_labels(h: Hierarchy, name: str, sets: LabelSets) -> Iterator[str]:
    """Messages on the most frequent unknown labels of a file."""
    numbers, _ = h.look_up(sets.vocabulary)
    times = np.bincount(sets.codes, minlength=len(sets.vocabulary))
    unknown = np.flatnonzero((numbers < 0) & (times > 0))
    for code in unknown[np.argsort(-times[unknown], kind="stable")][:MAX_NAMED]:
        label = sets.vocabulary[code]
        message, _ = unknown_label_message(label, h.known_labels())
        if numbers[code] == AMBIGUOUS:
            message = str(h.ambiguous_label(label, h.name_index.classes(label)))
        first = sets.place(int(np.flatnonzero(sets.codes == code)[0]))
        yield f"{name}: {message} ({plural(int(times[code]), 'time')}, first in {first})"
    if unknown.size > MAX_NAMED:
        yield f"{name}: {unknown.size - MAX_NAMED:,} more unknown labels"


def _count_beside_descendants(h: Hierarchy, rows: np.ndarray, classes: np.ndarray) -> int:
    """The number of labels that have a descendant in the same instance."""
    there = set(zip(rows.tolist(), classes.tolist(), strict=True))
    above = {c: [h.id(label) for label in h.ancestors(h.labels[c])] for c in np.unique(classes).tolist()}
    return len({(row, top) for row, c in there for top in above[c] if (row, top) in there})


def _compare_instances(files: Mapping[str, LabelSets]) -> tuple[list[str], list[str]]:
    """Errors and notes on files whose instances differ from those of the first file; scores may lack some."""
    if not files:
        return [], []
    (first, gold), *others = files.items()
    problems: list[str] = []
    notes: list[str] = []
    for name, sets in others:
        if (gold.ids is None) != (sets.ids is None):
            has, lacks = (first, name) if sets.ids is None else (name, first)
            problems.append(f"{has} has ids of instances, and {lacks} has none")
        elif gold.ids is None or sets.ids is None:
            if len(sets) != len(gold):
                problems.append(f"{name} has {len(sets):,} instances and {first} {len(gold):,}")
        else:
            here, there = {*gold.ids}, {*sets.ids}
            allowed = sets.scores is not None and here & there and len(there - here) <= len(here & there)
            for has, lacks, missing in ((first, name, here - there), (name, first, there - here)):
                if missing:
                    ids = ", ".join(sorted(map(str, missing))[:MAX_NAMED])
                    end = "nothing is predicted for it" if has == first else "it is left out"
                    if len(missing) > 1:
                        end = end.replace("it is", "they are").replace("for it", "for them")
                    more = ", ..." if len(missing) > MAX_NAMED else ""
                    message = f"{plural(len(missing), 'instance')} of {has} missing in {lacks}: {ids}{more}"
                    (notes if allowed else problems).append(f"{message}; {end}" if allowed else message)
    return problems, notes


# ---- predictions and the hierarchy


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
    notes = [
        "labels beside their ancestors: predicted with an ancestor; paths that break: with an ancestor, but no parent",
        "leaf-only: equal most specific classes; full-path: all their ancestors are predicted, too, and nothing else",
    ]
    return Table([*head, "labels", "instances", "share of instances"], rows, notes)


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
