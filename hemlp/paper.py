"""The paper's printed tables beside ours, with the reasons of differences."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hemlp.analysis.statistics.significance_tests import kendall
from hemlp.examples import DATA, Case
from hemlp.hierarchy.dag import Hierarchy
from hemlp.measures.catalogue import NAMED
from hemlp.measures.factory import measure

D_MAX = 5

ERRATA: Mapping[tuple[str, str], str] = {
    ("2a", "GIE"): "α = β = 1: TP takes TP, so P1 goes to the default class",
    ("2b", "GIE"): "α = β = 1: TP takes TP, so P1 goes to the default class",
    ("2a", "MGIA"): "printed with normalizer='union'; the paper's formula divides by |P △ T|",
    ("2b", "MGIA"): "printed with normalizer='union'; the paper's formula divides by |P △ T|",
    ("6", "MGIA"): "MGIA is 1 − 10 / (3 · 5)",
    ("8a", "MGIA"): "T1 pairs with one of P1, P2 at 6, the other goes to the default class",
    ("8a", "MGIA_error"): "T1 pairs with one of P1, P2 at 6, the other goes to the default class",
    ("9c", "F_H"): "one half is 2 · 1 · ⅓ / (1 + ⅓)",
    ("9c", "F_LCA"): "one half is 2 · 1 · ⅓ / (1 + ⅓)",
}
"""Errata of the printed tables: (case, value) → reason."""


@dataclass(frozen=True)
class PrintedValue:
    """A value of a case: printed, ours, and the reason of a difference ("": none)."""

    value: str
    printed: float | str
    ours: float
    reason: str


def compare_case(case: Case) -> Iterator[PrintedValue]:
    """The values that the paper prints for a case, beside ours."""
    for name, printed in case.printed.items():
        column = "error" if name.endswith("_error") else ""
        base = name.removesuffix("_error")
        if base not in NAMED:
            continue
        options = {"default_cost": D_MAX} if base in ("GIE", "MGIA") else {}
        score = measure(base, **options).score(case.hierarchy, case.true, case.pred)
        ours = score[column] if column else float(score)
        reason = "" if agrees(printed, ours) else ERRATA.get((case.name, name), "differs, for an unknown reason")
        yield PrintedValue(name, printed, ours, reason)


def agrees(printed: float | str, ours: float) -> bool:
    """Whether a printed value is ours, rounded or truncated to two digits; "6 + Max" is 6 + D_max."""
    if isinstance(printed, str):
        return int(printed.partition(" ")[0]) + D_MAX == ours
    return abs(printed - ours) < 0.0099


@dataclass(frozen=True)
class Correlation:
    """A cell of a Kendall table: two measures, the printed τ, and ours from the printed scores."""

    first: str
    second: str
    printed: float
    ours: float

    @property
    def differs(self) -> bool:
        """Whether the printed value is not ours, rounded."""
        return abs(self.printed - self.ours) > 0.0011


@dataclass(frozen=True)
class RankingTable:
    """A result table of the paper, with its Kendall table beside ours."""

    title: str
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    cells: tuple[Correlation, ...]

    @property
    def agreements(self) -> int:
        """Number of cells that agree."""
        return sum(not cell.differs for cell in self.cells)


def rankings() -> list[RankingTable]:
    """All six result tables: τ-b of the printed scores, each measure in its direction."""
    made = []
    for table in json.loads((DATA / "paper_tables.json").read_text(encoding="utf-8")):
        names, systems = table["measures"], table["systems"]
        signs = dict(zip(names, (1.0 if better else -1.0 for better in table["greater_is_better"]), strict=True))
        scores = {name: [signs[name] * of[name]["score"] for of in systems.values()] for name in names}
        cells = []
        for pair, printed in table["kendall_printed"].items():
            first, second = pair.split(",")
            cells.append(Correlation(first, second, printed, kendall(scores[first], scores[second])))
        made.append(RankingTable(table["table"], tuple(names), tuple(systems), tuple(cells)))
    return made


def draw_tree(hierarchy: Hierarchy, marks: Mapping[str, str]) -> str:
    """A small hierarchy as indented text; a class with several parents is below each of them."""
    lines: list[str] = []

    def visit(label: str, depth: int) -> None:
        lines.append(f"{'   ' * depth}{label}{marks.get(label, '')}")
        for child in sorted(map(str, hierarchy.children(label))):
            visit(child, depth + 1)

    for root in sorted(map(str, hierarchy.roots)):
        visit(root, 0)
    return "\n".join(lines)


def marks(case: Case) -> dict[str, str]:
    """``(true)``, ``(predicted)`` or both, by class."""
    sides = {"true": case.true, "predicted": case.pred}
    labels = [*case.true, *case.pred]
    return {label: f" ({', '.join(name for name, of in sides.items() if label in of)})" for label in labels}
