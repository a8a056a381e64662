"""Parts of explanations for transport, for pairings with further costs, and for measures of several models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hemlp.analysis.explain.drawing import Picture
from hemlp.analysis.explain.explanation import NameFunction, PairingPart, Part, UndefinedPart, json_values
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.text.tables import Table


@dataclass(frozen=True)
class TransportPart(PairingPart):
    """A transport plan: ``pairs`` with their ``masses``, and costs for these masses; there are no prices."""

    masses: tuple[float, ...] = ()

    def tables(self, name: NameFunction) -> Iterator[Table]:
        """What moves."""
        moves = zip(self.pairs, self.masses, strict=True)
        rows = [
            [name(p.predicted), name(p.true), f"{mass:.4g}", f"{p.cost:.4g}", " → ".join(map(name, p.path))]
            for p, mass in moves
            if p.predicted is not None and p.true is not None
        ]
        yield Table(["predicted", "true", "mass", "cost", "path"], rows, [f"together {self.error:.6g}"])

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return super().to_dict() | {"kind": "transport", "masses": list(self.masses)}


@dataclass(frozen=True)
class FlowPart(PairingPart):
    """Pairs, and ``other_costs`` of the solution: for what, and how much."""

    other_costs: tuple[tuple[str, float], ...] = ()

    def tables(self, name: NameFunction) -> Iterator[Table]:
        """Pairs, then what else is paid."""
        yield from super().tables(name)
        if self.other_costs:
            yield Table(["paid beside pairs", "cost"], [[what, f"{cost:g}"] for what, cost in self.other_costs])

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return super().to_dict() | {"prices_of_rules": [list(each) for each in self.other_costs]}


@dataclass(frozen=True)
class JointPart:
    """The parts of several models, by their names."""

    values: Mapping[str, float]
    parts: Mapping[str, Part]

    def tables(self, name: NameFunction) -> Iterator[Table]:
        """Of all models, each with its name as a note."""
        for called, part in self.parts.items():
            for table in part.tables(name):
                yield replace(table, notes=[f"of the model {called!r}", *table.notes])

    def picture(self, title: str, h: Hierarchy, sides: tuple[set[Label], set[Label]], name: NameFunction) -> Picture:
        """All models in one drawing."""
        picture = Picture(title)
        for part in self.parts.values():
            if isinstance(part, UndefinedPart):
                continue
            drawn = part.picture(title, h, sides, name)
            picture.boxes |= {key: box for key, box in drawn.boxes.items() if key not in picture.boxes}
            picture.arrows += [arrow for arrow in drawn.arrows if arrow not in picture.arrows]
            picture.curves += [curve for curve in drawn.curves if curve not in picture.curves]
        return picture

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        parts = {name: part.to_dict() for name, part in self.parts.items()}
        return {"kind": "several", "values": json_values(self.values), "parts": parts}
