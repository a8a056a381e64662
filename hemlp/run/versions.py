"""The same labels on two versions of a taxonomy: what changes in the scores, and why.

A class of the old version that the new one lacks is *moved*: to the class that has its id as an alias (alternative ids,
replaced_by), to what a mapping file says, or to its lowest ancestors that survive. With V(labels, edges) the mean of a
measure, the difference of the two versions is split into

    labels moved    ½ [V(moved, old) − V(kept, old) + V(moved, new) − V(kept, new)]
    edges changed   ½ [V(kept, new) − V(kept, old) + V(moved, new) − V(moved, old)]

whose sum is V(moved, new) − V(kept, old). Labels that are kept on new edges hang below the parents that they had. A
class whose place a new label takes, alone, is renamed and not moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from hemlp.errors import FileFormatError, InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label, label_order
from hemlp.instances.label_sets import LabelSets
from hemlp.io.text import decode, file_reader, read_bytes
from hemlp.measures.base import Measure
from hemlp.run.evaluate import evaluate
from hemlp.run.evaluation import Evaluation
from hemlp.text.tables import Table, plural

SAME = ("skos:exactMatch", "owl:equivalentClass", "owl:sameAs", "IAO:0100001")
"""Predicates of a mapping that lead to the class that takes the place of another; the last is "term replaced by"."""


@dataclass(frozen=True)
class Move:
    """Where a class of the old version went: ``how`` is "renamed", "alias", "mapping", "ancestors" or "lost"."""

    label: Label
    to: tuple[Label, ...]
    how: str


@dataclass(frozen=True, eq=False)
class VersionChange:
    """Means on two versions of a taxonomy, and how their differences come about.

    ``moves``: all classes that vanished; ``uses``: how often each of them is a label, in the gold and in all systems.
    ``kept`` and ``moved``: evaluations of the labels as they were and where they went, on the (old, new) edges.
    """

    moves: Sequence[Move]
    uses: Mapping[Label, int]
    kept: tuple[Evaluation, Evaluation]
    moved: tuple[Evaluation, Evaluation]

    def parts(self, system: str, measure: str) -> tuple[float, float]:
        """By how much the mean changes because labels moved, and because edges changed.

        Parameters
        ----------
        system, measure
            As they were called when they were evaluated.
        """
        (k_old, k_new), (m_old, m_new) = ([ev.mean(system, measure) for ev in of] for of in (self.kept, self.moved))
        return (m_old - k_old + m_new - k_new) / 2, (k_new - k_old + m_new - m_old) / 2

    def table(self) -> Table:
        """Of each system and measure the means, their difference and its two parts."""
        rows = []
        for system in self.kept[0].systems:
            for name in self.kept[0].measures:
                old, new = self.kept[0].mean(system, name), self.moved[1].mean(system, name)
                rows.append([system, name, old, new, new - old, *self.parts(system, name)])
        how = Counter(move.how for move in self.moves)
        used = Counter(move.how for move in self.moves if self.uses.get(move.label))
        counts = ", ".join(f"{kind} {number:,} ({used[kind]:,} used)" for kind, number in sorted(how.items()))
        vanished = plural(len(self.moves), "class", "classes")
        notes = [
            f"{vanished} of the old version vanished{f': {counts}' if counts else ''}",
            "difference: new minus old, the sum of labels (moved labels) and edges (other edges); mean of both orders",
            *(self.moved[1].scores[self.kept[0].systems[0]][name].signature for name in self.kept[0].measures),
        ]
        return Table(["system", "measure", "old", "new", "difference", "labels", "edges"], rows, notes, digits=5)

    def moves_table(self) -> Table:
        """The classes that vanished and are used as labels, the most used first."""
        used = [move for move in self.moves if self.uses.get(move.label)]
        used.sort(key=lambda move: (-self.uses[move.label], label_order(move.label)))
        rows = [[str(m.label), " ".join(map(str, m.to)), m.how, self.uses[m.label]] for m in used]
        notes = ["how: what the class follows; labels: how often it is a label"] if rows else []
        return Table(["class", "now", "how", "labels"], rows, notes)

    def __str__(self) -> str:
        return str(self.table())

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        means = [dict(zip(self.table().columns, row, strict=True)) for row in self.table().rows]
        return {"means": means, "moves": [{**vars(m), "labels": self.uses.get(m.label, 0)} for m in self.moves]}


def compare_versions(
    old: Any, new: Any, true: Any, systems: Mapping[str, Any], measures: Sequence[str | Measure] = ("F_H",), *,
    mapping: Mapping[Label, Label] | str | PathLike[str] | None = None,
) -> VersionChange:  # fmt: skip
    """Score the same labels on two versions of a taxonomy, and say where differences come from.

    Parameters
    ----------
    old, new
        Hierarchies, anything that ``Hierarchy.of`` takes. The labels are those of the old one.
    true, systems
        As of ``evaluate``.
    measures
        As of ``evaluate``.
    mapping
        From classes of the old version to those that take their places: a dict, or an SSSOM file.

    Raises
    ------
    HemlpError
        As of ``evaluate``.

    Examples
    --------
    >>> old = [("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")]
    >>> new = [("animal", "sheep"), ("animal", "cow")]
    >>> change = compare_versions(old, new, ["sheep", "mammal"], {"A": ["cow", "animal"]}, ["F_H"])
    >>> [(move.label, move.to, move.how) for move in change.moves]
    [('mammal', ('animal',), 'ancestors')]
    >>> [round(part, 4) for part in change.parts("A", "F_H")]
    [0.1667, -0.0833]
    """
    before, after = Hierarchy.of(old), Hierarchy.of(new)
    if before.weighted != after.weighted:
        raise InvalidOption("one version has lengths of edges and the other has none: give both or neither")
    given = read_mapping(mapping) if isinstance(mapping, str | PathLike) else dict(mapping or {})
    moves = _find_moves(before, after, given)
    names = {move.label: move.to[0] for move in moves if move.how == "renamed"}
    kept = {names.get(label, label): label for label in before.labels}
    targets: dict[Label, tuple[Label, ...]] = {label: (label,) for label in kept}
    targets |= {move.label: move.to for move in moves if move.how != "renamed"}
    renamed = Hierarchy.from_codes(
        [names.get(label, label) for label in before.labels], before.edges.parents, before.edges.children,
        weights=before.edges.weights,
    )  # fmt: skip
    sides = {"": LabelSets.of(true, source="true labels"), **{n: LabelSets.of(p, source=n) for n, p in systems.items()}}
    renames = {label: (name,) for name, label in kept.items()}
    places = {label: targets[name] for name, label in kept.items()}
    same, gone = ({n: _relabel(before, side, to) for n, side in sides.items()} for to in (renames, places))
    uses = Counter[Label]()
    for side in same.values():
        for code, number in zip(*np.unique(side.codes, return_counts=True), strict=True):
            uses[kept[side.vocabulary[code]]] += int(number)

    def score(h: Hierarchy, labels: Mapping[str, LabelSets]) -> Evaluation:
        return evaluate(h, labels[""], {name: labels[name] for name in systems}, measures)

    lingering = _with_vanished(renamed, after)
    return VersionChange(
        moves, uses, (score(renamed, same), score(lingering, same)), (score(renamed, gone), score(after, gone))
    )


def _find_moves(old: Hierarchy, new: Hierarchy, mapping: Mapping[Label, Label]) -> list[Move]:
    """Where each class went that the new version lacks; a class that takes the place of several is a name of one."""
    known = set(new.labels)
    places: dict[Label, tuple[Label, str]] = {}
    for label in old.labels:
        if label not in known:
            target, how = (new.aliases[label], "alias") if label in new.aliases else (mapping.get(label), "mapping")
            if target is not None and target in new.ids:
                places[label] = new.labels[new.ids[target]], how
    taken, moves = set(old.labels), []
    surviving = known & taken
    for label, (target, _) in places.items():
        if target not in taken:
            taken.add(target)
            places[label] = target, "renamed"
            surviving.add(label)
    names = {label: target for label, (target, how) in places.items() if how == "renamed"}
    for label in (label for label in old.labels if label not in known):
        if label in places:
            target, how = places[label]
            moves.append(Move(label, (target,), how))
        else:
            above = _lowest(old, label, surviving)
            moves.append(Move(label, tuple(names.get(c, c) for c in above), "ancestors" if above else "lost"))
    return moves


def _lowest(h: Hierarchy, label: Label, surviving: set[Label]) -> list[Label]:
    """The ancestors of a class that survive and have no other such ancestor below them."""
    above = set(h.ancestors(label)) & surviving
    covered = set[Label]().union(*(h.ancestors(each) for each in above))
    return sorted(above - covered, key=label_order)


def _with_vanished(old: Hierarchy, new: Hierarchy) -> Hierarchy:
    """The new version, with the classes that it lacks below the parents that they had."""
    labels = list(dict.fromkeys((*new.labels, *old.labels)))
    place = {label: k for k, label in enumerate(labels)}
    code = np.array([place[label] for label in old.labels])
    extra = code[old.edges.children] >= len(new.labels)
    ends = [
        np.concatenate([of_new, code[of_old[extra]]])
        for of_new, of_old in ((new.edges.parents, old.edges.parents), (new.edges.children, old.edges.children))
    ]
    weights = None
    if new.edges.weights is not None and old.edges.weights is not None:
        weights = np.concatenate([new.edges.weights, old.edges.weights[extra]])
    return Hierarchy.from_codes(labels, *ends, weights=weights)


def _relabel(h: Hierarchy, sets: LabelSets, to: Mapping[Label, Sequence[Label]]) -> LabelSets:
    """The label sets with what each class becomes."""
    classes = [h.labels[h.id(label)] for label in sets.vocabulary]
    rows = [
        list(dict.fromkeys(each for code in sets.codes[start:stop] for each in to[classes[code]]))
        for start, stop in zip(sets.ptr[:-1], sets.ptr[1:], strict=True)
    ]
    made = LabelSets.of(rows, rows="sets", source=sets.source)
    return replace(made, ids=sets.ids)


@file_reader
def read_mapping(path: str | PathLike[str]) -> dict[Label, Label]:
    """From an SSSOM file: the object of each subject that has one alone, by predicates that mean the same class."""
    source, data = read_bytes(path)
    lines = [line for line in decode(data, source).splitlines() if line and not line.startswith("#")]
    head = lines[0].split("\t") if lines else []
    if not {"subject_id", "object_id"} <= set(head):
        raise FileFormatError(f"{source} is not an SSSOM table: it needs the columns subject_id and object_id")
    objects: dict[Label, set[Label]] = {}
    for line in lines[1:]:
        row = dict(zip(head, line.split("\t"), strict=False))
        if row.get("predicate_id", SAME[0]) in SAME and row.get("predicate_modifier") != "Not":
            objects.setdefault(row["subject_id"], set()).add(row.get("object_id", ""))
    return {subject: next(iter(of)) for subject, of in objects.items() if len(of) == 1}
