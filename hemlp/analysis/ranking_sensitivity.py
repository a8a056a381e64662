"""Which system is ahead at which default cost: the means of all systems as functions of D, and where they cross."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from os import PathLike
from typing import TYPE_CHECKING, Any

from hemlp.errors import InvalidOption
from hemlp.measures.at_k import RankedMeasure
from hemlp.measures.default_cost_sensitivity import EnvelopeSum, Number, Sensitivity, crossings, format_number
from hemlp.measures.pair_measure import PairMeasure
from hemlp.options import check_known
from hemlp.report.plots import save, sensitivity_chart
from hemlp.text.display import Shown
from hemlp.text.tables import Table, figure
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.results.evaluation import Evaluation


@dataclass(frozen=True, repr=False)
class Sensitivities(Shown):
    """The mean of a measure as a function of its default cost D, for each system.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
    >>> ev = evaluate(h, [["sheep"], ["sheep"]], {"silent": [[], []], "bold": [["bird"], ["sheep", "cow"]]}, ["GIE"])
    >>> ev.sensitivity("GIE").flips
    [(Fraction(3, 1), 'silent', 'bold')]
    """

    measure: str
    systems: Mapping[str, Sensitivity]
    chosen: float
    """The default cost at which the systems were evaluated."""

    @cached_property
    def flips(self) -> list[tuple[Number, str, str]]:
        """(D, ahead below D, ahead above D) wherever two systems change places, from small to great D."""
        found = []
        for pair in combinations(self.systems, 2):
            of = crossings(self.systems[pair[0]], self.systems[pair[1]])
            found += [(d, pair[ahead], pair[1 - ahead]) for d, ahead in of]
        return sorted(found)

    def order(self, default_cost: float | Fraction) -> list[str]:
        """The systems from the best to the worst at this D.

        Parameters
        ----------
        default_cost
            A number above 0.
        """
        values = {name: each(default_cost) for name, each in self.systems.items()}
        return sorted(values, key=values.__getitem__, reverse=any(each.accuracy for each in self.systems.values()))

    def table(self) -> Table:
        """One row a flip; the notes say who is ahead where the systems were evaluated. Of one system, its lines."""
        if len(self.systems) == 1:
            return self._alone()
        rows = [[format_number(d), below, above] for d, below, above in self.flips]
        at = self.order(self.chosen)
        means = ", ".join(f"{name} {figure(float(self.systems[name](self.chosen)))}" for name in at)
        count = many(self.systems[at[0]].instances, "instance")
        notes = [
            f"{self.measure}: where two systems change places on their means over {count}; exact"
            if self._exact else f"{self.measure}: in floats",
            *([] if rows else ["no two systems change places at any D"]),
            f"at D = {self.chosen:g}, from the best: {means}",
        ]  # fmt: skip
        return Table(["D", "ahead below", "ahead above"], rows, notes)

    def _alone(self) -> Table:
        """The mean of the only system as lines over D."""
        ((name, found),) = self.systems.items()
        lines, mean = found.table(), figure(float(found(self.chosen)))
        formula = "1 − cost / D − default pairs" if found.accuracy else "cost + default pairs · D"
        notes = [
            f"{self.measure} of {name} = {formula}, {mean} at D = {self.chosen:g}",
            "two systems change places: give another one to see at which D",
        ]
        return replace(lines, notes=[*notes, *lines.notes])

    @property
    def _exact(self) -> bool:
        return all(each.exact for each in self.systems.values())

    def plot(self, path: str | PathLike[str], *, most: float | None = None) -> None:
        """Draw the means of all systems over D to a file (.svg, .png, .pdf), by matplotlib.

        Parameters
        ----------
        path
            A file whose ending says its format.
        most
            The greatest D that is shown; by default beyond the last flip.
        """
        ends = [float(d) for d, _, _ in self.flips]
        limit = float(most) if most is not None else 1.25 * max([*ends, 1.6 * self.chosen, 1.0])
        save(sensitivity_chart(self, limit), path)

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return f"Sensitivities({self.measure}: {many(len(self.systems), 'system')}, {many(len(self.flips), 'flip')})"

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON: fractions as [numerator, denominator]."""
        return {
            "measure": self.measure,
            "default_cost": self.chosen,
            "flips": [{"D": _plain(d), "below": below, "above": above} for d, below, above in self.flips],
            "systems": {
                name: {
                    "breakpoints": [_plain(d) for d in each.breakpoints],
                    "pieces": [[_plain(c), _plain(k)] for c, k in each.pieces],
                }
                for name, each in self.systems.items()
            },
        }


def _plain(value: Number) -> float | list[int]:
    return [value.numerator, value.denominator] if isinstance(value, Fraction) else value


def sensitivities(ev: Evaluation, measure: str) -> Sensitivities:
    """The means of all systems of an evaluation as functions of the default cost."""
    check_known("measure", measure, ev.measures)
    if ev.inputs is None:
        raise InvalidOption("this evaluation was read from a file, which does not hold its data: evaluate again")
    each = ev.inputs.measures[measure]
    of_pairs = each.measure if isinstance(each, RankedMeasure) else each
    if not isinstance(of_pairs, PairMeasure):
        raise InvalidOption(f"{each} has no default cost, of which it could be a function")
    found = {}
    for system in ev.systems:
        totals = EnvelopeSum(of_pairs)
        for _, batch in ev.inputs.blocks(system):
            totals.add_batch(each._as_batch(batch) if isinstance(each, RankedMeasure) else batch)
        found[system] = totals.sensitivity()
    chosen: Any = of_pairs.default_cost
    return Sensitivities(measure, found, float(chosen))
