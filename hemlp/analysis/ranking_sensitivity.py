"""Sensitivity of a ranking to the default cost D: the means of all systems as functions of D, and where they cross."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.errors import InvalidOption
from hemlp.io.figures import line_style, new_figure, plain, save
from hemlp.measures.default_cost_sensitivity import EnvelopeSum, Number, Sensitivity, crossings, format_default_cost
from hemlp.measures.derived import RankedMeasure
from hemlp.measures.pair_measure import pairs_classes
from hemlp.options import check_known
from hemlp.results.results import Results, require_inputs
from hemlp.text.display import HtmlDisplay
from hemlp.text.tables import Table, format_number, plural

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Sensitivities(HtmlDisplay):
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
        flips = []
        for pair in combinations(self.systems, 2):
            crossed = crossings(self.systems[pair[0]], self.systems[pair[1]])
            flips += [(d, pair[ahead], pair[1 - ahead]) for d, ahead in crossed]
        return sorted(flips)

    def order(self, default_cost: float | Fraction) -> list[str]:
        """The systems from the best to the worst at this D."""
        values = {name: each(default_cost) for name, each in self.systems.items()}
        return sorted(values, key=values.__getitem__, reverse=any(each.accuracy for each in self.systems.values()))

    def table(self) -> Table:
        """One row per flip, and notes on the order at the evaluated D; for one system its linear pieces."""
        if len(self.systems) == 1:
            return self._single_system_table()
        rows = [[format_default_cost(d), below, above] for d, below, above in self.flips]
        at = self.order(self.chosen)
        means = ", ".join(f"{name} {format_number(float(self.systems[name](self.chosen)))}" for name in at)
        count = plural(self.systems[at[0]].instances, "instance")
        notes = [
            f"D: default costs at which two systems change places by their mean {self.measure} over {count} "
            + ("(exact fractions)" if all(each.exact for each in self.systems.values()) else "(floats)"),
            f"order at D = {self.chosen:g}, from the best: {means}",
        ]  # fmt: skip
        lead = [] if rows else [f"No two systems change places by {self.measure} at any default cost D."]
        return Table(["D", "ahead below", "ahead above"], rows, notes, lead=lead)

    def _single_system_table(self) -> Table:
        """The mean of the only system as lines over D."""
        ((name, sensitivity),) = self.systems.items()
        lines, mean = sensitivity.table(), format_number(float(sensitivity(self.chosen)))
        formula = "1 − cost / D − default pairs" if sensitivity.accuracy else "cost + default pairs · D"
        notes = [
            f"{self.measure} of {name} = {formula}, {mean} at D = {self.chosen:g}",
            "give a second system to see at which D the two change places",
        ]
        return replace(lines, notes=[*notes, *lines.notes])

    def plot(self, path: str | PathLike[str] | None = None, *, most: float | None = None) -> Figure:
        """Draw the means of all systems over D with matplotlib, with dots where two systems change places.

        Parameters
        ----------
        path
            A file to write; its ending is the format (.svg, .png, .pdf).
        most
            The greatest D; by default beyond the last flip.
        """
        ends = [float(d) for d, _, _ in self.flips]
        limit = float(most) if most is not None else 1.25 * max([*ends, 1.6 * self.chosen, 1.0])
        figure, axes = new_figure(7.0, 4.2)
        for k, (name, each) in enumerate(self.systems.items()):
            bends = [float(d) for d in each.breakpoints if d < limit]
            at = np.unique([*np.linspace(limit / 400, limit, 400), *bends])
            look: dict[str, Any] = {"linewidth": 1.6, "markersize": 6, "markevery": [len(at) - 1], **line_style(k)}
            look["clip_on"] = False  # the marker stands on the edge of the axes
            axes.plot(at, [float(each(float(d))) for d in at], label=plain(name), **look)
        for d, below, _ in self.flips:
            if d < limit:
                axes.plot(float(d), float(self.systems[below](d)), "o", color="black", markersize=4, zorder=3)
        axes.axvline(self.chosen, color="#999999", linewidth=0.8, linestyle=":")
        label = "default cost D (dots: two systems change places; dotted: as evaluated)"
        axes.set(xlim=(0, limit), xlabel=label, ylabel=plain(f"mean {self.measure}"))
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        return save(figure, path)

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return (
            f"Sensitivities({self.measure}: {plural(len(self.systems), 'system')}, {plural(len(self.flips), 'flip')})"
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON: fractions as [numerator, denominator]."""
        return {
            "measure": self.measure,
            "default_cost": self.chosen,
            "flips": [{"D": _json_fraction(d), "below": below, "above": above} for d, below, above in self.flips],
            "systems": {
                name: {
                    "breakpoints": [_json_fraction(d) for d in each.breakpoints],
                    "pieces": [[_json_fraction(c), _json_fraction(k)] for c, k in each.pieces],
                }
                for name, each in self.systems.items()
            },
        }


def _json_fraction(value: Number) -> float | list[int]:
    return [value.numerator, value.denominator] if isinstance(value, Fraction) else value


def sensitivity(ev: Results, measure: str) -> Sensitivities:
    """The means of all systems as exact functions of the default cost, and where two systems change places.

    Parameters
    ----------
    measure
        A pair-based measure with one default cost.

    Examples
    --------
    >>> from hemlp import examples, evaluate
    >>> mesh = examples.mesh_mini()
    >>> evaluate(mesh.hierarchy, mesh.true, mesh.systems, ["GIE"]).sensitivity("GIE").flips[-1]
    (Fraction(1823, 58), 'lexical_match', 'prior_top8')
    """
    check_known("measure", measure, ev.measures)
    inputs = require_inputs(ev)
    each = inputs.measures[measure]
    of_pairs = each.measure if isinstance(each, RankedMeasure) else each
    if not pairs_classes(of_pairs):
        raise InvalidOption(f"{each} has no default cost (or has constraints of its own): its sensitivity is not known")
    by_system = {}
    for system in ev.systems:
        totals = EnvelopeSum(of_pairs)
        for _, batch in inputs.blocks(system):
            totals.add_batch(each._as_batch(batch) if isinstance(each, RankedMeasure) else batch)
        by_system[system] = totals.sensitivity()
    chosen: Any = of_pairs.default_cost
    return Sensitivities(measure, by_system, float(chosen))
