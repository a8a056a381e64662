"""`hemlp demo`: the bundled data, a table with ranks, exact against greedy, one document, files."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from hemlp.analysis.statistics.exact_greedy import compare_exact_greedy
from hemlp.escaping import printable
from hemlp.examples import mesh_mini
from hemlp.instances.batch import Batch
from hemlp.io.files import write_text
from hemlp.measures.base import Measure
from hemlp.measures.pair_measure import PairMeasure
from hemlp.problems.pairing.bounds import ALL, Bounds
from hemlp.report.outputs import check_writable, write_per_instance
from hemlp.run.evaluate import evaluate
from hemlp.run.evaluation import Evaluation

LENIENT = PairMeasure("lenient", Bounds(predicted=(1, 1), true=(0, ALL)), default_cost=5)
MEASURES: list[str | Measure] = ["F", "GIE", "MGIA", "F_H", "F_LCA", LENIENT]


def run_demo(out: str) -> None:
    """Describe mesh_mini, evaluate its systems, and write files to the folder ``out``."""
    check_writable(folders=[out])
    console = Console(width=None if sys.stdout.isatty() else 110)
    example = mesh_mini()
    h = example.hierarchy
    several = int(np.count_nonzero(np.diff(h.parent_ptr) > 1))
    console.print("[bold]mesh_mini[/]: 200 MEDLINE documents and their MeSH 2016 headings (courtesy of the U.S. NLM)")
    console.print(f"  {h!r}")
    console.print(f"  depth {h.unit_depths.max()}, {several / len(h):.1%} of the classes have several parents")
    console.print(f"  content hash {h.content_hash[:16]}")

    table = Table("system", "labels per document", "documents without labels", "correct labels", box=None)
    for name, predictions in example.systems.items():
        batch = Batch.of(h, example.true, predictions)
        sizes = np.diff(batch.pred.ptr)
        right = sum(np.intersect1d(batch.true[i], batch.pred[i]).size for i in range(len(batch)))
        share = f"{right / max(1, batch.pred.classes.size):.1%}"
        table.add_row(name, f"{sizes.mean():.2f}", str(int((sizes == 0).sum())), share)
    console.print(table)

    result = evaluate(h, example.true, example.systems, MEASURES, names=example.names)
    console.print("\n[bold]Flat and hierarchical measures rank the systems differently[/] (↑↓: which way is better)")
    means = result.table()
    for sentence in means.lead:
        console.print(sentence, highlight=False)
    for part in means.split_to_width(console.width):
        console.print(part.to_rich())
    note = "(place) by mean; systems that share a letter do not differ significantly; [95% interval]"
    console.print(note, markup=False, highlight=False)
    for first, second in _swapped_pairs(result, "F", "F_LCA"):
        console.print(f"{first} is ahead of {second} by F, behind it by F_LCA", highlight=False)
    console.print(f"lenient is a new measure, defined by its bounds: {LENIENT}", highlight=False)

    console.print("\n[bold]Exact against approximate F_LCA[/], 40 documents of knn30")
    lines = str(compare_exact_greedy(h, example.true, example.systems["knn30"], sample=40)).splitlines()
    console.print("\n".join([*lines[:6], lines[-1]]), highlight=False)

    console.print("\n[bold]One document[/], its pairs and its minimal LCA graphs")
    explanation = result.explain("svm_ovr_freq60", 0, ["GIE", "F_LCA"])
    for title, tables in explanation.sections()[1:]:
        console.print(title, style="italic", highlight=False)
        console.print(tables[0].to_rich())

    console.print("[bold]Files written[/]")
    folder = Path(out)
    result.to_json(folder / "evaluation.json")
    result.to_html(folder / "report.html")
    write_per_instance(result, folder)
    write_text(folder / "table.md", result.table().to_markdown())
    write_text(folder / "one_document.svg", explanation.picture(1).to_svg())
    for file in sorted(folder.iterdir()):
        console.print(f"  {printable(str(file))}", highlight=False, markup=False, soft_wrap=True)


def _swapped_pairs(result: Evaluation, flat: str, hierarchical: str) -> list[tuple[str, str]]:
    """Pairs of systems that two measures rank in opposite order."""
    ranks = result.ranks(flat), result.ranks(hierarchical)
    return [
        (a, b)
        for a in result.systems
        for b in result.systems
        if (ranks[0][a] or 0) < (ranks[0][b] or 0) and (ranks[1][a] or 0) > (ranks[1][b] or 0)
    ]
