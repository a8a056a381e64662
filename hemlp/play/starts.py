"""First states of the page: the paper's cases, smallest counter-examples, and instances of the user's files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hemlp.analysis.properties.check import check_properties
from hemlp.errors import InvalidOption
from hemlp.examples import cases
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label, label_order
from hemlp.instances.batch import Batch
from hemlp.play.board import MAX_CLASSES, labelled_edges, read_measure


def state_of(h: Hierarchy, true: Iterable[Label], pred: Iterable[Label], *further: Label) -> dict[str, Any]:
    """A small hierarchy, or the classes of an instance and ``further`` ones with their ancestors from a large one."""
    named, cut = {*true, *pred, *further}, len(h) > MAX_CLASSES
    labels = set(h.labels) if not cut else named.union(*(h.ancestors(label) for label in named))
    if len(labels) > MAX_CLASSES:
        raise InvalidOption(
            f"the page shows at most {MAX_CLASSES} classes, and these are {len(labels):,} with their ancestors"
        )
    kept = [str(label) for label in sorted(labels, key=label_order)]
    inside = set(kept)
    edges = [list(edge) for edge in labelled_edges(h) if inside.issuperset(edge[:2])]
    note = f"{len(kept)} of {len(h):,} classes are shown, and measures count only these."
    return {
        "classes": kept, "edges": edges, "true": sorted(map(str, true)), "pred": sorted(map(str, pred)),
        "names": {str(label): h.names[label] for label in labels if label in h.names}, "note": note if cut else "",
    }  # fmt: skip


def paper_cases() -> list[dict[str, Any]]:
    """The paper's cases."""
    return [{"name": f"case {each.name}", **state_of(each.hierarchy, each.true, each.pred)} for each in cases()]


def counterexamples(measure: Any, classes: int = 4) -> list[dict[str, Any]]:
    """The smallest instances that refute properties of a measure."""
    (outcome,) = check_properties([read_measure(measure)], classes, 3)
    return [
        {**state_of(each.hierarchy, each.true, each.pred), "name": name, "note": str(each)}
        for name, each in outcome.refuted.items()
        if each.pred is not None
    ]


class OwnData:
    """The user's files: instances by id or row (from 1), or classes; ``kind`` says which, "" without files."""

    def __init__(self, batch: Batch | None, hierarchy: Hierarchy | None = None) -> None:
        self.batch = batch
        self.hierarchy = hierarchy if batch is None else batch.hierarchy
        self.kind = "Instance" if batch is not None else "" if hierarchy is None else "Around class"
        ids = None if batch is None else batch.ids
        self._rows = {} if ids is None else {str(each): k for k, each in enumerate(ids)}

    def names(self) -> list[str]:
        """The first instances or classes to choose from; none if the whole hierarchy is shown."""
        if self.batch is not None:
            return list(self._rows)[:200] or [str(k + 1) for k in range(min(200, len(self.batch)))]
        labels = () if self.hierarchy is None else self.hierarchy.labels
        return [str(label) for label in labels[:200]] if len(labels) > MAX_CLASSES else []

    def state(self, name: Any) -> dict[str, Any]:
        """An instance with the ancestors of its classes, or a class with ancestors and children; None: the first."""
        h = self.hierarchy
        if h is None:
            raise InvalidOption("no files were given: hemlp play HIERARCHY TRUE PRED")
        if self.batch is None:
            return _around(h, min(h.roots, key=label_order) if name is None else name)
        name = str(next(iter(self.names()), "1") if name is None else name)
        row = self._rows.get(name)
        if row is None and not self._rows and name.isdecimal() and 1 <= int(name) <= len(self.batch):
            row = int(name) - 1
        if row is None:
            raise InvalidOption(f"there is no instance {name[:100]!r}")
        true, pred = ([h.labels[c] for c in side[row]] for side in (self.batch.true, self.batch.pred))
        return {"name": name, **state_of(h, true, pred)}


def _around(h: Hierarchy, name: Any) -> dict[str, Any]:
    """A class with its ancestors and as many children as fit."""
    number = isinstance(name, str) and name.isdecimal() and h.find(name) is None
    label = h.labels[h.id(int(name) if number else name)]
    children = sorted(h.children(label), key=label_order)
    room, few = {label, *h.ancestors(label)}, 0
    for child in children:  # one with further parents brings their ancestors along
        room |= {child, *h.ancestors(child)}
        few += len(room) <= MAX_CLASSES
    state = state_of(h, (), (), label, *children[:few])
    if few < len(children):
        state["note"] += f" {few} of {len(children):,} children are shown, in the order of their labels."
    return {"name": str(label), **state}
