"""Do scores respect the hierarchy? A class should never score above its parent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import UnknownPolicy
from hemlp.instances.score_files import as_scores
from hemlp.text.tables import Table, as_frame


@dataclass(frozen=True)
class Violation:
    """A class that scores above its parent in an instance, by ``gap``."""

    instance: Label
    parent: Label
    child: Label
    gap: float


@dataclass(frozen=True, eq=False, repr=False)
class Consistency:
    """How often a child scores above its parent, where both have a score; true if never.

    ``rows``: (level of the child, pairs, violations, children whose parent has no score). ``worst``: the largest gaps.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> c = consistency(h, [{"animal": 0.5, "sheep": 0.75}, {"animal": 0.5, "cow": 0.4}])
    >>> c
    Consistency(1 of 2 pairs of parent and child are wrong, by up to 0.25)
    >>> bool(c), c.worst[0].child
    (False, 'sheep')
    """

    rows: tuple[tuple[int, int, int, int], ...]
    worst: tuple[Violation, ...]

    @property
    def pairs(self) -> int:
        """The number of (instance, parent, child) with two scores."""
        return sum(row[1] for row in self.rows)

    @property
    def violations(self) -> int:
        """The number of pairs whose child has the greater score."""
        return sum(row[2] for row in self.rows)

    def __bool__(self) -> bool:
        return not self.violations

    def table(self) -> Table:
        """Violations by level of the child."""
        rows = [
            [str(level), f"{pairs:,}", f"{wrong:,}", f"{wrong / pairs:.4f}" if pairs else "n/a", f"{alone:,}"]
            for level, pairs, wrong, alone in self.rows
        ]
        notes = ["share: of the pairs of parent and child with a score each, where the child's is greater; alone: "
                 "scored classes one of whose parents has no score"]  # fmt: skip
        if self.worst:
            one = self.worst[0]
            words = f"{one.child!r} above {one.parent!r}, instance {one.instance!r}"
            notes.append(f"the largest gap is {one.gap:g}: {words}")
        return Table(["level", "pairs", "violations", "share", "alone"], rows, notes)

    def to_frame(self, library: str = "pandas") -> Any:
        """One row per level.

        Parameters
        ----------
        library
            "pandas" or "polars".
        """
        names = ("level", "pairs", "violations", "alone")
        return as_frame({name: [row[k] for row in self.rows] for k, name in enumerate(names)}, library)

    def __repr__(self) -> str:
        gap = f", by up to {self.worst[0].gap:g}" if self.worst else ""
        return f"Consistency({self.violations:,} of {self.pairs:,} pairs of parent and child are wrong{gap})"


def consistency(hierarchy: Hierarchy, scores: Any, *, unknown: UnknownPolicy = "error") -> Consistency:
    """Whether a child never scores above its parent, and how often it does.

    Parameters
    ----------
    hierarchy
        Who is whose parent.
    scores
        As of ``hemlp.curve``; ``propagate`` repairs them.
    unknown
        As of ``Batch.of``.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> bool(consistency(h, [{"animal": 0.5, "sheep": 0.5}]))
    True
    """
    scored_sets = as_scores(scores)
    s, h = scored_sets.look_up(hierarchy, unknown)
    rows = np.repeat(np.arange(len(s)), np.diff(s.ptr))
    keys = rows * len(h) + s.codes
    order = np.argsort(keys)
    number = np.diff(h.parent_ptr)[s.codes]
    entry = np.repeat(np.arange(keys.size), number)
    within = np.arange(entry.size) - np.repeat(np.cumsum(number) - number, number)
    parents = h.parent_idx[h.parent_ptr[s.codes[entry]] + within]
    wanted = rows[entry] * len(h) + parents
    place = np.minimum(np.searchsorted(keys[order], wanted), max(0, keys.size - 1))
    scored = keys[order][place] == wanted
    gap = np.where(scored, s.values[entry] - s.values[order[place]], -math.inf)
    depth = h.unit_depths[s.codes[entry]]
    levels = np.unique(depth).tolist()
    counted = [
        (level, int((scored & (depth == level)).sum()), int((gap[depth == level] > 0).sum()),
         int(np.unique(entry[~scored & (depth == level)]).size))
        for level in levels
    ]  # fmt: skip
    largest = np.argsort(-gap, kind="stable")[:10]
    names: Any = range(1, len(s) + 1) if s.ids is None else s.ids
    worst = tuple(
        Violation(names[rows[entry[k]]], h.labels[parents[k]], h.labels[s.codes[entry[k]]], float(gap[k]))
        for k in largest
        if gap[k] > 0
    )
    return Consistency(tuple(counted), worst)
