"""A summary of a hierarchy and of label files before anything is scored: sizes, unknown and repeated labels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import unknown_label_message
from hemlp.instances.label_sets import LabelSets
from hemlp.text.tables import Table, plural

MAX_NAMED = 5
"""Unknown labels, or ids, that are named."""


def describe_hierarchy(h: Hierarchy) -> Table:
    """The sizes of a hierarchy: classes, edges, roots, leaves, depth."""
    parents, children = np.diff(h.parent_ptr), np.diff(h.child_ptr)
    rows: list[tuple[str, object]] = [
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


def describe_labels(h: Hierarchy, files: Mapping[str, LabelSets]) -> tuple[Table, list[str]]:
    """Facts about label files, one column each, and what would be an error when they are scored together."""
    words = (
        "instances", "with ids", "labels", "labels per instance", "distinct classes", "instances without labels",
        "labels said twice in an instance", "labels beside an ancestor of theirs", "labels of inner classes",
        "unknown labels", "distinct unknown labels",
    )  # fmt: skip
    columns, problems = [], []
    for name, sets in files.items():
        facts, problem = _describe_file(h, name, sets)
        columns.append(facts)
        problems += problem
    problems += _alignment_problems(files)
    return Table(["labels", *files], [list(row) for row in zip(words, *columns, strict=True)]), problems


def _describe_file(h: Hierarchy, name: str, sets: LabelSets) -> tuple[list[str], list[str]]:
    numbers = h.numbers(sets.vocabulary)
    classes = numbers[sets.codes]
    rows = np.repeat(np.arange(len(sets)), np.diff(sets.ptr))
    known, at = classes[classes >= 0], rows[classes >= 0]
    keys = np.unique(at * len(h) + known)
    unknown = np.flatnonzero(numbers < 0)
    times = np.bincount(sets.codes, minlength=len(sets.vocabulary))
    facts = [
        len(sets), "no" if sets.ids is None else "yes", sets.codes.size,
        f"{sets.codes.size / max(len(sets), 1):.2f}", len(np.unique(known)), int((np.diff(sets.ptr) == 0).sum()),
        known.size - keys.size, _count_beside_ancestors(h, keys // len(h), keys % len(h)),
        int((np.diff(h.child_ptr)[keys % len(h)] > 0).sum()), int((classes < 0).sum()), unknown.size,
    ]  # fmt: skip
    problems = []
    for code in unknown[np.argsort(-times[unknown], kind="stable")][:MAX_NAMED]:
        message, _ = unknown_label_message(sets.vocabulary[code], h.known_labels())
        first = sets.place(int(np.flatnonzero(sets.codes == code)[0]))
        problems.append(f"{name}: {message} ({plural(int(times[code]), 'time')}, first in {first})")
    if unknown.size > MAX_NAMED:
        problems.append(f"{name}: {unknown.size - MAX_NAMED:,} more unknown labels")
    return list(map(str, facts)), problems


def _count_beside_ancestors(h: Hierarchy, rows: np.ndarray, classes: np.ndarray) -> int:
    """How many labels have a descendant in the same instance."""
    there = set(zip(rows.tolist(), classes.tolist(), strict=True))
    above: dict[int, list[int]] = {}
    for each in np.unique(classes).tolist():
        above[each] = [h.id(label) for label in h.ancestors(h.labels[each])]
    return len({(row, top) for row, each in there for top in above[each] if (row, top) in there})


def _alignment_problems(files: Mapping[str, LabelSets]) -> list[str]:
    """Messages on files whose instances are not those of the first file."""
    if not files:
        return []
    (first, gold), *others = files.items()
    problems = []
    for name, sets in others:
        if (gold.ids is None) != (sets.ids is None):
            problems.append(f"{first if gold.ids is not None else name} has ids of instances, and the other of {first} "
                         f"and {name} has none")  # fmt: skip
        elif gold.ids is None or sets.ids is None:
            if len(sets) != len(gold):
                problems.append(f"{name} has {len(sets):,} instances and {first} {len(gold):,}")
        else:
            lacking, more = (sorted(map(str, one)) for one in ({*gold.ids} - {*sets.ids}, {*sets.ids} - {*gold.ids}))
            for there, not_there, ids in ((first, name, lacking), (name, first, more)):
                if ids:
                    names = ", ".join(ids[:MAX_NAMED])
                    problems.append(f"{plural(len(ids), 'instance')} of {there} missing in {not_there}: {names}")
    return problems
