"""By class and by level: in how many true closures, predicted closures and both a class is.

For a class c, or for all classes of depth ℓ together, T, P and C are sums over instances of the numbers of such classes
in the true closure, in the predicted one and in both. Then P = C / P, R = C / T, F = 2C / (P + T), and what is lost is
T + P − 2C: what is on one side only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hemlp.arrays import IntArray
from hemlp.diagnosis.reading import Systems, chosen_systems, implied, inputs_of, name_column, named, parts
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.reach import flat_lists
from hemlp.options import check_choice
from hemlp.text.tables import Table

if TYPE_CHECKING:
    from hemlp.evaluation.inputs import Inputs
    from hemlp.evaluation.result import Evaluation

On = Literal["closures", "labels"]
"""Whether a label stands for its ancestors, too, or for itself alone."""


@dataclass(frozen=True)
class Counts:
    """Sums over instances: what is predicted, what is true, and what is both."""

    predicted: int
    true: int
    common: int

    @property
    def lost(self) -> int:
        """What is on one side only."""
        return self.predicted + self.true - 2 * self.common

    def _ratio(self, part: int, whole: int) -> float:
        """0 / 0 is 1 where both sides are the same, and else 0."""
        return part / whole if whole else float(self.lost == 0)

    @property
    def precision(self) -> float:
        """C / P."""
        return self._ratio(self.common, self.predicted)

    @property
    def recall(self) -> float:
        """C / T."""
        return self._ratio(self.common, self.true)

    @property
    def f(self) -> float:
        """2C / (P + T)."""
        return self._ratio(2 * self.common, self.predicted + self.true)


def counted(inputs: Inputs, system: str, on: On = "closures") -> tuple[Hierarchy, IntArray]:
    """For each class of the hierarchy the numbers of predicted and true sets, and of both, that hold it."""
    from hemlp.kernels.census import count
    from hemlp.kernels.records import Sides

    check_choice("on", on, ("closures", "labels"))
    h = inputs.hierarchies[system]
    counts = np.zeros((len(h), 3), np.int64)
    for _, batch in parts(inputs, system):
        pred, true = batch.sides
        classes = np.concatenate([pred.classes, true.classes])
        lists = flat_lists(len(h), classes) if on == "labels" else h.upward.lists(classes)
        count(Sides(pred.ptr, lists.row[pred.classes], true.ptr, lists.row[true.classes]), implied(lists), counts)
    return h, counts


def classes(ev: Evaluation, systems: Systems, on: On) -> Table:
    """One row a class that is true or predicted anywhere, what loses most first."""
    inputs = inputs_of(ev)
    found: dict[str, dict[Any, Counts]] = {}
    for system in chosen_systems(ev, systems):
        h, counts = counted(inputs, system, on)
        met = np.flatnonzero(counts.any(axis=1)).tolist()
        found[system] = {h.labels[c]: Counts(*row) for c, row in zip(met, counts[met].tolist(), strict=True)}
    words = "each label with its ancestors" if on == "closures" else "labels as they are, without their ancestors"
    order = "first what is lost most" if len(found) == 1 else "first where the systems differ most in what is lost"
    return _table(
        ("class", *name_column(inputs)),
        lambda label: (label, *named(inputs, label)),
        _by_loss(found),
        [f"{words}; {order}"],
    )


def levels(ev: Evaluation, systems: Systems) -> Table:
    """One row a level that has a true or predicted class."""
    inputs = inputs_of(ev)
    found: dict[str, dict[Any, Counts]] = {}
    for system in chosen_systems(ev, systems):
        found[system] = level_counts(inputs, system)
    keys = sorted(set().union(*found.values()))
    ordered = {system: {key: of.get(key, Counts(0, 0, 0)) for key in keys} for system, of in found.items()}
    return _table(("level",), lambda level: (level,), ordered, ["level: the fewest edges up to a root"])


def level_counts(inputs: Inputs, system: str) -> dict[Any, Counts]:
    """The counts of each level that has a true or predicted class."""
    h, counts = counted(inputs, system)
    sums = np.zeros((int(h.unit_depths.max()) + 1, 3), np.int64)
    np.add.at(sums, h.unit_depths, counts)
    return {level: Counts(*row) for level, row in enumerate(sums.tolist()) if any(row)}


def _by_loss(found: Mapping[str, dict[Any, Counts]]) -> dict[str, dict[Any, Counts]]:
    """What loses most first, or of several systems that on which they differ most."""
    keys = list(dict.fromkeys(key for of in found.values() for key in of))
    nothing = Counts(0, 0, 0)

    def order(key: Any) -> tuple[int, int]:
        lost = [of.get(key, nothing).lost for of in found.values()]
        return (min(lost) - max(lost) if len(lost) > 1 else 0), -max(lost)

    keys.sort(key=order)
    return {system: {key: of.get(key, nothing) for key in keys} for system, of in found.items()}


def _table(
    heads: Sequence[str],
    head: Callable[[Any], tuple[Any, ...]],
    found: Mapping[str, Mapping[Any, Counts]],
    notes: list[str],
) -> Table:
    """All counts and ratios of one system, or F and what is lost of several side by side."""
    if len(found) == 1:
        (of,) = found.values()
        rows = [(*head(key), n.true, n.predicted, n.common, n.precision, n.recall, n.f) for key, n in of.items()]
        return Table([*heads, "true", "predicted", "common", "P", "R", "F"], rows, notes)
    first = next(iter(found.values()))
    several = [
        (*head(key), first[key].true, *(value for of in found.values() for value in (of[key].f, of[key].lost)))
        for key in first
    ]
    columns = [f"{system} {what}" for system in found for what in ("F", "lost")]
    return Table([*heads, "true", *columns], several, [*notes, "lost: what is true or predicted, and not both"])
