"""Real data that comes with hemlp, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from hemlp.hierarchy import Hierarchy
from hemlp.labels import LabelSets
from hemlp.readers import read_hierarchy, read_labels

DATA = Path(str(files("hemlp"))) / "data"


@dataclass(frozen=True, eq=False)
class Example:
    """A hierarchy, true labels, the predictions of some systems by name, and readable names of classes."""

    hierarchy: Hierarchy
    true: LabelSets
    systems: Mapping[str, LabelSets]
    names: Mapping[str, str]


def mesh_mini() -> Example:
    """200 MEDLINE documents with their MeSH 2016 headings and five systems (courtesy of the U.S. NLM)."""
    folder = DATA / "mesh_mini"
    names = (folder / "names.tsv").read_text(encoding="utf-8").splitlines()
    return Example(
        read_hierarchy(folder / "hierarchy.txt"),
        read_labels(folder / "gold.txt"),
        {p.stem.removeprefix("pred_"): read_labels(p) for p in sorted(folder.glob("pred_*.txt"))},
        dict(line.split("\t", 1) for line in names),
    )
