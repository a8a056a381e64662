"""What ``hemlp demo`` tells: the bundled hierarchy, its labels and systems."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

from hemlp.examples import mesh_mini
from hemlp.labels import Batch


def run() -> None:
    """Print what mesh_mini is and how near its systems come."""
    console = Console()
    example = mesh_mini()
    h = example.hierarchy
    several = int(np.count_nonzero(np.diff(h.parent_ptr) > 1))
    console.print("[bold]mesh_mini[/]: 200 MEDLINE documents and their MeSH 2016 headings (courtesy of the U.S. NLM)")
    console.print(f"  {h!r}")
    console.print(f"  depth {h.unit_depths.max()}, {several / len(h):.1%} of the classes have several parents")
    console.print(f"  content hash {h.content_hash[:16]}")

    table = Table("system", "labels a document", "documents without any", "labels that are right", box=None)
    for name, predictions in example.systems.items():
        batch = Batch.of(h, example.true, predictions)
        sizes = np.diff(batch.pred.ptr)
        right = sum(np.intersect1d(batch.true[i], batch.pred[i]).size for i in range(len(batch)))
        share = f"{right / max(1, batch.pred.classes.size):.1%}"
        table.add_row(name, f"{sizes.mean():.2f}", str(int((sizes == 0).sum())), share)
    console.print(table)

    for u, v in (("D012756", "D002417"), ("D012756", "D004285")):
        met = " or ".join(sorted(example.names.get(str(a), str(a)) for a in h.lca(u, v)))
        names = f"{example.names[u]} and {example.names[v]}"
        console.print(f"{names}: {h.distance(u, v)} edges apart, nearest common ancestor {met}")
