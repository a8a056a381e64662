"""Makes docs/scores.md: curves and thresholds of BLAST on CAFA 2, and 16S classifiers as paths with confidences.

HEMLP_DATA=... python scripts/scores_page.py
"""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

import hemlp
from hemlp import Hierarchy, ScoredSets
from hemlp.io.figures import COLOURS, new_figure, svg
from hemlp.text.tables import Table, format_number

DOCS = Path(__file__).parent.parent / "docs"
RANKS = ("kingdom", "phylum", "class", "order", "family", "genus", "species")
SHOWN = ("naive_bayes_0.0", "naive_bayes_0.7", "rdp_0.0", "rdp_0.5", "blast_plus", "vsearch")
MEASURES = ["F_H", "F_LCA", "MGIA"]
Paths = dict[str, tuple[tuple[str, ...], float]]


def lines(file: Path) -> list[list[str]]:
    """The cells of a zipped table."""
    with gzip.open(file, "rt", encoding="utf-8") as text:
        return [line.rstrip("\n").split("\t") for line in text]


def blast(data: Path) -> dict[str, Any]:
    """Curves and thresholds of BLAST on the cellular components of CAFA 2."""
    folder = data / "cafa2" / "cco"
    h = hemlp.read_hierarchy(folder / "hierarchy.txt.gz")
    ids = [row[0] for row in lines(folder / "ids.txt.gz")]
    gold = dict(zip(ids, hemlp.read_labels(folder / "gold.txt.gz"), strict=True))
    s = hemlp.read_scores(folder / "scored_blast.tsv.gz")
    c = hemlp.curve(h, gold, s, MEASURES, points=200)
    (DOCS / "scores_curves.svg").write_text(svg(c.plot(), "curves"), encoding="utf-8")
    rows = []
    for name in MEASURES:
        at = c.best(name).threshold
        cells = [format_number(c.at(other, at)) for other in MEASURES]
        rows.append([name, f"{at:g}", *cells, f"{s.take(gold).at(at).codes.size / len(gold):.1f}"])
    ia = hemlp.information_accretion(h, gold.values(), unseen=0.0)
    sizes = np.diff(s.take(gold).at(c.best("F_H").threshold).ptr)
    nothing = (
        f"{np.mean(sizes == 0):.0%} of the proteins have no class at all, and a tenth has {np.quantile(sizes, 0.9):.0f}"
    )
    return {
        "nothing": f"{nothing} or more",
        "curves": Table(["best by", "threshold", *MEASURES, "classes per protein"], rows),
        "best": {name: c.best(name) for name in MEASURES},
        "at": {(name, other): c.at(other, c.best(name).threshold) for name in MEASURES for other in MEASURES},
        "kind": c.kind,
        "tuned": hemlp.tune(h, gold, s, "F_H"),
        "cafa": hemlp.cafa(h, gold, s),
        "weighted": hemlp.cafa(h, gold, s, weights=ia),
        "consistent": hemlp.consistency(h, s),
        "reliable": hemlp.reliability(h, gold, s, bins=5),
        "precision": hemlp.average_precision(h, gold, s),
    }


def taxa(data: Path) -> tuple[Table, Table]:
    """16S classifiers by rank, and their risk at some coverages; with a picture of risk against coverage."""
    folder = data / "taxa16s"
    gold = {row[0]: parsed(row[1]) for row in lines(folder / "gold.tsv.gz")[1:]}
    systems: dict[str, Paths] = {}
    for name in SHOWN:
        table = lines(folder / f"pred_{name}.tsv.gz")[1:]
        systems[name] = {row[0]: (parsed(row[1]), float(row[2])) for row in table}
    paths = set(gold.values()) | {path for of in systems.values() for path, _ in of.values()}
    h = Hierarchy.from_edges(
        [(" > ".join(path[:k]), " > ".join(path[: k + 1])) for path in paths for k in range(1, len(path))],
        classes=[path[0] for path in paths if path],
    )
    true = {name: [" > ".join(path)] for name, path in gold.items()}
    by_rank, risks = [], []
    figure_, axes = new_figure(6.4, 4.0)
    for k, (name, of) in enumerate(systems.items()):
        by_rank.append([name, *(rank_cell(gold, of, depth) for depth in range(1, 8))])
        s = ScoredSets.of({i: {" > ".join(path): sure} if path else {} for i, (path, sure) in of.items()})
        q = hemlp.cafa(h, true, s)
        colour = COLOURS[k % len(COLOURS)]
        axes.step(q.coverage[::-1], 1 - q.precision[::-1], where="post", color=colour, label=name, linewidth=1.3)
        risks.append([name, *(risk_cell(q, share) for share in (0.5, 0.75, 0.9, 0.95)), f"{q.coverage[0]:.3f}"])
    axes.set_xlabel("coverage: share of the sequences that are classified")
    axes.set_ylabel("risk: 1 − mean P_H of the classified")
    axes.legend(frameon=False, fontsize=9)
    (DOCS / "scores_risk.svg").write_text(svg(figure_, "risk"), encoding="utf-8")
    return (
        Table(["F by rank", *RANKS], by_rank),
        Table(["risk at coverage", "0.5", "0.75", "0.9", "0.95", "greatest coverage"], risks),
    )


def parsed(text: str) -> tuple[str, ...]:
    """The classes of a path; "Unassigned" is none."""
    return () if text == "Unassigned" else tuple(part.strip() for part in text.split(";"))


def rank_cell(gold: dict[str, tuple[str, ...]], of: Paths, depth: int) -> str:
    """F of the classes at one depth, of all sequences together."""
    predicted = sum(len(path) >= depth for path, _ in of.values())
    true = sum(len(path) >= depth for path in gold.values())
    common = sum(len(path) >= depth and path[:depth] == of[name][0][:depth] for name, path in gold.items())
    return f"{2 * common / (predicted + true):.3f}"


def risk_cell(q: hemlp.Cafa, share: float) -> str:
    """The risk at the greatest threshold that covers so much."""
    enough = np.flatnonzero(q.coverage >= share)
    return f"{1 - q.precision[enough[-1]]:.4f}" if enough.size else "n/a"


def main() -> None:
    """Compute everything and write the page."""
    if "HEMLP_DATA" not in os.environ:
        sys.exit("set HEMLP_DATA to the folder of real data")
    data = Path(os.environ["HEMLP_DATA"])
    b = blast(data)
    by_rank, risks = taxa(data)
    text = (Path(__file__).parent / "scores_page.md").read_text(encoding="utf-8")
    at, weighted, tuned, interval = b["at"], b["weighted"], b["tuned"], b["cafa"].interval("fmax")
    best = b["cafa"].table(intervals=False)
    lost = {(name, other): at[other, other] - at[name, other] for name in MEASURES for other in MEASURES}
    words = {
        "CURVES": b["curves"].to_markdown(),
        "KIND": b["kind"],
        "LOST": "; ".join(
            f"the threshold of {name} costs {lost[name, other]:.3f} of {other}"
            for name, other in sorted(lost, key=lambda pair: -lost[pair])[:2]
        ),
        "NOTHING": b["nothing"],
        "CHOICES": Table(tuned.candidates.columns, tuned.candidates.rows).to_markdown(),
        "SENTENCE": tuned.recommendation,
        "CAFA": Table(best.columns, best.rows).to_markdown(),
        "FMAX": f"{interval.low:.4f} to {interval.high:.4f}",
        "WEIGHTED": f"{weighted.fmax:.4f} at {weighted.fmax_threshold:g}",
        "CONSISTENT": f"{b['consistent'].violations:,} of {b['consistent'].pairs:,}",
        "RELIABLE": f"{b['reliable'].error():.3f}",
        "PRECISION": f"{b['precision'].mean:.3f} over {len(b['precision'].rows):,} classes, and {b['precision'].micro:.3f}",
        "RANKS": by_rank.to_markdown(),
        "RISKS": risks.to_markdown(),
    }  # fmt: skip
    for key, value in words.items():
        text = text.replace(f"%{key}%", value.rstrip("\n"))
    (DOCS / "scores.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
