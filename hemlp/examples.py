"""Data that comes with hemlp, by name: real documents, and the figures of the paper.

>>> example = case("6")
>>> sorted(example.hierarchy.parents("P1")), example.true, example.pred
(['D', 'E'], ['T1'], ['P1', 'P2'])
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.sets import LabelSets
from hemlp.io.hierarchies import read_hierarchy
from hemlp.io.labels import read_labels
from hemlp.io.names import read_names
from hemlp.measures.base import Measure

DATA = Path(str(files("hemlp"))) / "data"


@dataclass(frozen=True, eq=False)
class Example:
    """A hierarchy, true labels, the predictions of some systems by name, and readable names of classes."""

    hierarchy: Hierarchy
    true: LabelSets
    systems: Mapping[str, LabelSets]
    names: Mapping[Label, str] = field(repr=False)


def mesh_mini() -> Example:
    """200 MEDLINE documents with their MeSH 2016 headings and five systems (courtesy of the U.S. NLM).

    Examples
    --------
    >>> mesh_mini().true
    LabelSets(200 instances, 2,049 labels)
    """
    folder = DATA / "mesh_mini"
    names = read_names(folder / "names.tsv")
    return Example(
        read_hierarchy(folder / "hierarchy.txt"),
        read_labels(folder / "gold.txt"),
        {p.stem.removeprefix("pred_"): read_labels(p) for p in sorted(folder.glob("pred_*.txt"))},
        names,
    )


@cache
def about_measures() -> dict[str, dict[str, str]]:
    """Title, formula, when to use and when not, and a case of each named measure."""
    return tomllib.loads((DATA / "measures.toml").read_text(encoding="utf-8"))


@cache
def _parameters() -> dict[str, dict[str, str]]:
    return tomllib.loads((DATA / "parameters.toml").read_text(encoding="utf-8"))


def about_parameter(measure: Measure, name: str) -> str:
    """What a parameter of a named measure does; "" if nothing is known of it.

    Parameters
    ----------
    measure
        Whose parameter it is: a horizon is not the same thing for pairs and for sets.
    name
        As ``measure.parameters`` has it.

    Examples
    --------
    >>> from hemlp import measure
    >>> about_parameter(measure("F_H"), "top").partition(" ⊤ ")[0]
    'Whether one node'
    """
    known = _parameters().get(name, {})
    augment = getattr(getattr(measure, "augment", None), "name", "")
    return next((known[of] for of in (measure.name, augment, type(measure).__name__, "all") if of in known), "")


@dataclass(frozen=True, eq=False)
class Case:
    """A figure of the paper's case studies: a hierarchy, one instance, and the values that the paper prints."""

    name: str
    hierarchy: Hierarchy
    true: list[str]
    pred: list[str]
    printed: Mapping[str, float | str]


@cache
def cases() -> tuple[Case, ...]:
    """All cases of the paper's section 3 (there is no case 5), and the DAG of its section 2.4 as "dag"."""
    rows = json.loads((DATA / "cases.json").read_text(encoding="utf-8"))
    return tuple(
        Case(row["case"], Hierarchy.from_edges(row["edges"]), row["true"], row["pred"], row["printed"]) for row in rows
    )


def case(name: str) -> Case:
    """One case by its name, such as "2a" or "6".

    Parameters
    ----------
    name
        As ``hemlp cases`` prints it.

    Raises
    ------
    InvalidOption
        If the paper has no such case.

    Examples
    --------
    >>> case("2a").true
    ['TP']
    """
    found = {each.name: each for each in cases()}
    if name not in found:
        raise InvalidOption(f"the paper has no case {name!r}; the cases are {', '.join(found)}")
    return found[name]
