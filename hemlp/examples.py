"""Bundled data: real documents, and the cases of the paper.

>>> example = case("6")
>>> sorted(example.hierarchy.parents("P1")), example.true, example.pred
(['D', 'E'], ['T1'], ['P1', 'P2'])
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from hemlp.errors import InvalidOption
from hemlp.hierarchy.class_names import read_names
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.hierarchy_files import read_hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.label_files import read_labels
from hemlp.instances.label_sets import LabelSets

DATA = Path(str(files("hemlp"))) / "data"


@dataclass(frozen=True, eq=False)
class Example:
    """A hierarchy, true labels, predictions by system, and names of classes."""

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
    return Example(
        read_hierarchy(folder / "hierarchy.txt"),
        read_labels(folder / "gold.txt"),
        {p.stem.removeprefix("pred_"): read_labels(p) for p in sorted(folder.glob("pred_*.txt"))},
        read_names(folder / "names.tsv"),
    )


@dataclass(frozen=True, eq=False)
class Case:
    """A case of the paper: a hierarchy, one instance, and the values that the paper prints."""

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
    known = {each.name: each for each in cases()}
    if name not in known:
        raise InvalidOption(f"the paper has no case {name!r}; the cases are {', '.join(known)}")
    return known[name]
