"""What ``hemlp demo`` tells: the bundled data, a table with ranks, exact against greedy, one document."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

from hemlp.bounds import ALL, Bounds
from hemlp.evaluation import evaluate
from hemlp.exact_greedy import compare_exact_greedy
from hemlp.examples import mesh_mini
from hemlp.labels import Batch
from hemlp.measures import measure
from hemlp.pair_measures import PairMeasure

LENIENT = PairMeasure("lenient", Bounds(predicted=(1, 1), true=(0, ALL)), default_cost=5)


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

    result = evaluate(h, example.true, example.systems, ["accuracy", "F", "GIE", "MGIA", "F_H", "F_LCA", LENIENT])
    console.print(
        "\n[bold]Flat and hierarchical measures rank the systems differently[/] (↑ greater is better, ↓ less)"
    )
    for line in str(result.table()).splitlines()[: len(result.systems) + 1]:
        console.print(line, highlight=False, soft_wrap=True)
    console.print(f"(rank); lenient is a new measure, defined by its bounds: {LENIENT}", highlight=False)

    console.print("\n[bold]Exact against approximate F_LCA[/], 40 documents of knn30")
    gap = compare_exact_greedy(h, example.true, example.systems["knn30"], sample=40)
    console.print("\n".join(str(gap).splitlines()[:6]), highlight=False)

    console.print("\n[bold]One document[/], its pairs under GIE")
    batch = Batch.of(h, example.true, example.systems["svm_ovr_freq60"])[0]
    for predicted, true, cost in measure("GIE").model(batch).solve().named_pairs():
        ends = [example.names.get(str(c), str(c)) if c else "default class" for c in (predicted, true)]
        console.print(f"  {ends[0]} ~ {ends[1]}: {cost:g}", highlight=False)

    console.print()
    for u, v in (("D012756", "D002417"), ("D012756", "D004285")):
        met = " or ".join(sorted(example.names.get(str(a), str(a)) for a in h.lca(u, v)))
        names = f"{example.names[u]} and {example.names[v]}"
        console.print(f"{names}: {h.distance(u, v)} edges apart, nearest common ancestor {met}")
