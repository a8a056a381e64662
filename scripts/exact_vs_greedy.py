"""Exact against approximate F_LCA on real data: a table in Markdown, one row per system, and the ranks that change.

    python scripts/exact_vs_greedy.py [SAMPLE]

Takes MEDLINE with MeSH, human proteins with the Gene Ontology and synthetic labels on ChEBI where HEMLP_DATA is set,
else the five systems of the bundled example; SAMPLE instances of each system, all by default.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hemlp import compare_exact_greedy, examples, read_hierarchy, read_labels
from hemlp.analysis.statistics.exact_greedy import ExactGreedy, markdown

REAL = {
    "MEDLINE documents, MeSH 2016": ("mesh2016/mesh_hierarchy.txt", "medline_mesh/gold.txt", "medline_mesh/pred_*"),
    "Human proteins, Gene Ontology 2019": (
        "go2019_human/hierarchy.txt.gz", "go2019_human/gold.txt.gz", "go2019_human/pred_*"
    ),
    "Synthetic labels, ChEBI 2026": (
        "chebi2026/chebi2026_isa.txt.gz", "chebi2026/synthetic_gold.txt.gz", "chebi2026/synthetic_pred_*"
    ),
}  # fmt: skip


def data() -> Iterator[tuple[str, Any, Any, dict[str, Any]]]:
    """Title, hierarchy, true labels and systems."""
    if "HEMLP_DATA" not in os.environ:
        example = examples.mesh_mini()
        yield "Bundled documents, MeSH 2016", example.hierarchy, example.true, dict(example.systems)
        return
    folder = Path(os.environ["HEMLP_DATA"])
    for title, (hierarchy, true, systems) in REAL.items():
        files = sorted(folder.glob(systems))
        names = [file.name.partition(".")[0].removeprefix("synthetic_").removeprefix("pred_") for file in files]
        read = dict(zip(names, map(read_labels, files), strict=True))
        yield title, read_hierarchy(folder / hierarchy), read_labels(folder / true), read


def changed_ranks(compared: list[tuple[str, ExactGreedy]]) -> str:
    """Which pairs of systems are the other way round by the approximation."""
    means = [(name, each.exact.mean(), each.greedy.mean()) for name, each in compared]
    turned = [
        f"{a[0]} and {b[0]} ({a[1]:.4f}, {b[1]:.4f} exactly; {a[2]:.4f}, {b[2]:.4f} by greedy)"
        for k, a in enumerate(means)
        for b in means[k + 1 :]
        if (a[1] - b[1]) * (a[2] - b[2]) < 0
    ]
    return f"Change places: {'; '.join(turned)}." if turned else "No two systems change places."


def main() -> None:
    """Compare on all instances, or on a sample of each system."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "sample", type=int, nargs="?", help="compare on so many instances of each system, by default all"
    )
    sample = parser.parse_args().sample
    for title, hierarchy, true, systems in data():
        compared = []
        for name, pred in systems.items():
            comparison = compare_exact_greedy(hierarchy, true, pred, sample=sample)
            compared.append((name, comparison))
            print(f"{name}\n{comparison}\n", file=sys.stderr)
        proved = sum(each.exact.status_counts().get("optimal", 0) for _, each in compared)
        total = sum(len(each.exact) for _, each in compared)
        print(f"### {title}: {len(compared[0][1].exact):,} instances\n\n{markdown(compared)}\n")
        print(f"{proved:,} of {total:,} exact results are proved optimal. {changed_ranks(compared)}\n")


if __name__ == "__main__":
    main()
