"""A summary of a hierarchy and of label files before anything is scored: sizes, unknown and repeated labels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hemlp.errors import HemlpError
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labelled_structure import AMBIGUOUS
from hemlp.hierarchy.labels import unknown_label_message
from hemlp.instances.batch import Batch
from hemlp.instances.label_sets import LabelSets
from hemlp.text.tables import Table, plural

MAX_NAMED = 5
"""Unknown labels, or ids, that are named."""


def describe_hierarchy(h: Hierarchy, format: str | None = None) -> Table:
    """The sizes of a hierarchy: classes, edges, roots, leaves, depth; ``format``: that of its file."""
    parents, children = np.diff(h.parent_ptr), np.diff(h.child_ptr)
    rows: list[tuple[str, object]] = [
        *([] if format is None else [("format", format)]),
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
        "format", "instances", "with ids", "labels", "labels per instance", "distinct classes",
        "instances without labels", "labels said twice in an instance", "labels beside an ancestor of theirs",
        "labels of inner classes", "labels read by name", "unknown labels", "distinct unknown labels",
    )  # fmt: skip
    columns, problems = [], []
    for name, sets in files.items():
        facts, problem = _describe_file(h, name, sets)
        columns.append(facts)
        problems += problem
    problems = problems + _alignment_problems(files) or _layout_problems(h, files)
    return Table(["labels", *files], [list(row) for row in zip(words, *columns, strict=True)]), problems


def _layout_problems(h: Hierarchy, files: Mapping[str, LabelSets]) -> list[str]:
    """What else would be an error: files that look like something else."""
    gold = next(iter(files.values()))
    for sets in files.values():
        try:
            Batch.of(h, gold, sets)
        except HemlpError as error:
            return [str(error)]
    return []


def _describe_file(h: Hierarchy, name: str, sets: LabelSets) -> tuple[list[str], list[str]]:
    numbers, named = h.look_up(sets.vocabulary)
    classes = numbers[sets.codes]
    rows = np.repeat(np.arange(len(sets)), np.diff(sets.ptr))
    known, at = classes[classes >= 0], rows[classes >= 0]
    keys = np.unique(at * len(h) + known)
    unknown = np.flatnonzero(numbers < 0)
    times = np.bincount(sets.codes, minlength=len(sets.vocabulary))
    facts = [
        sets.layout or ("in memory" if sets.scores is None else "scores"), len(sets),
        "no" if sets.ids is None else "yes", sets.codes.size,
        f"{sets.codes.size / max(len(sets), 1):.2f}", len(np.unique(known)), int((np.diff(sets.ptr) == 0).sum()),
        known.size - keys.size, _count_beside_ancestors(h, keys // len(h), keys % len(h)),
        int((np.diff(h.child_ptr)[keys % len(h)] > 0).sum()),
        0 if named is None else int(named[sets.codes].sum()), int((classes < 0).sum()), unknown.size,
    ]  # fmt: skip
    problems = []
    for code in unknown[np.argsort(-times[unknown], kind="stable")][:MAX_NAMED]:
        label = sets.vocabulary[code]
        message, _ = unknown_label_message(label, h.known_labels())
        if numbers[code] == AMBIGUOUS:
            message = str(h.ambiguous_label(label, h.name_index.classes(label)))
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
