"""Where one can start to play: the paper's cases, smallest counter-examples, and instances of one's own files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hemlp.analysis.properties.check import check_properties
from hemlp.errors import InvalidOption
from hemlp.examples import cases
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.play.board import MAX_CLASSES, read_measure


def state_of(h: Hierarchy, true: Iterable[Label], pred: Iterable[Label]) -> dict[str, Any]:
    """The classes of an instance with all their ancestors, as the page has them."""
    sides = [sorted(map(str, side)) for side in (true, pred)]
    kept = {h.id(label) for side in (true, pred) for label in side}
    kept |= {h.id(above) for c in list(kept) for above in h.ancestors(h.labels[c])} if len(h) > MAX_CLASSES else set()
    if len(h) <= MAX_CLASSES:
        kept = set(range(len(h)))
    if len(kept) > MAX_CLASSES:
        raise InvalidOption(f"this instance has {len(kept):,} classes with their ancestors: {MAX_CLASSES} at most")
    ends = zip(h.edges.parents.tolist(), h.edges.children.tolist(), strict=True)
    edges = [[str(h.labels[p]), str(h.labels[c])] for p, c in ends if p in kept and c in kept]
    return {"classes": [str(h.labels[c]) for c in sorted(kept)], "edges": edges, "true": sides[0], "pred": sides[1]}


def paper_cases() -> list[dict[str, Any]]:
    """The paper's cases."""
    return [{"name": f"case {each.name}", **state_of(each.hierarchy, each.true, each.pred)} for each in cases()]


def counterexamples(measure: Any, classes: int = 4) -> list[dict[str, Any]]:
    """The smallest instances on which a measure lacks a property, with what happens there."""
    (outcome,) = check_properties([read_measure(measure)], classes, 3)
    return [
        {"name": name, "note": str(each), **state_of(each.hierarchy, each.true, each.pred)}
        for name, each in outcome.refuted.items()
        if each.pred is not None
    ]


class OwnData:
    """Instances of one's own files, by id, or by row from 1."""

    def __init__(self, batch: Batch | None) -> None:
        self.batch = batch
        ids = None if batch is None else batch.ids
        self._rows = {} if ids is None else {str(each): k for k, each in enumerate(ids)}

    def names(self) -> list[str]:
        """The first instances, to choose from."""
        if self.batch is None:
            return []
        return list(self._rows)[:200] if self._rows else [str(k + 1) for k in range(min(200, len(self.batch)))]

    def state(self, name: Any) -> dict[str, Any]:
        """One instance with the ancestors of its classes."""
        if self.batch is None:
            raise InvalidOption("no files were given: hemlp play HIERARCHY TRUE PRED")
        row = self._rows.get(str(name))
        if row is None and not self._rows and str(name).isdecimal() and 1 <= int(name) <= len(self.batch):
            row = int(name) - 1
        if row is None:
            raise InvalidOption(f"there is no instance {str(name)[:100]!r}")
        h = self.batch.hierarchy
        true, pred = ([h.labels[c] for c in side[row]] for side in (self.batch.true, self.batch.pred))
        return {"name": str(name), **state_of(h, true, pred)}
