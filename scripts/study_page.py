"""Makes docs/study.md: 8 systems on 5,000 MEDLINE documents by all measures, and one document explained.

    HEMLP_DATA=... python scripts/study_page.py

The same study for the command line is in the page itself.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np

import hemlp
from hemlp.hierarchy.class_names import read_names
from hemlp.report import plots
from hemlp.text.tables import Table

DOCS = Path(__file__).parent.parent / "docs"
FLAT = ["accuracy", "P", "R", "F", "jaccard", "hamming"]
PAIRS = ["GIE", "MGIA"]
SETS = ["P_H", "R_H", "F_H", "SDL", "P_De", "R_De", "F_De", "F_Tol", "SDL_Tol"]
LCA = ["P_LCA", "R_LCA", "F_LCA"]
SVM, TOPDOWN = "svm_ovr_freq60", "topdown_lcpn"


def columns(table: Table, names: list[str]) -> Table:
    """Some of the columns of the table of means."""
    keep = [0, *(k for k, head in enumerate(table.columns) if head.split()[0] in names)]
    return Table([table.columns[k] for k in keep], [[row[k] for k in keep] for row in table.rows])


def picked(table: Table, *names: str) -> str:
    """Some of the columns of a table of two systems as Markdown."""
    keep = [k for k, head in enumerate(table.columns) if head in names or head.endswith(names)]
    rows = [[row[k] for k in keep] for row in table.rows]
    return Table([table.columns[k] for k in keep], rows, table.notes).to_markdown()


def listed(levels: list[int]) -> str:
    """'0 to 4', or '6 to 11 and 13'."""
    runs = [[k, k] for k in levels if k - 1 not in levels]
    for run in runs:
        while run[1] + 1 in levels:
            run[1] += 1
    return " and ".join(str(first) if first == last else f"{first} to {last}" for first, last in runs)


def study_file(systems: list[str]) -> str:
    """The study as `hemlp run` reads it."""
    measures = "".join(f"    {json.dumps(group)[1:-1]},\n" for group in (FLAT, PAIRS, SETS, LCA))
    files = "".join(f'{name} = "pred_{name}.txt"\n' for name in systems)
    head = f'hierarchy = "mesh_hierarchy.txt"\ntrue = "gold.txt"\nmeasures = [\n{measures}]'
    return f"{head}\n\n[systems]\n{files}\n[tests]\nkendall = 1000\n"


def telling_document(ev: hemlp.Evaluation) -> int:
    """The short document on which the two systems change places most between F and F_LCA."""
    assert ev.inputs is not None
    batches = [ev.inputs.take(name, range(int(ev.facts[name]["instances"]))) for name in (SVM, TOPDOWN)]
    sizes = [np.diff(side.ptr) for side in (batches[0].pred, batches[1].pred, batches[0].true)]
    short = np.logical_and.reduce([(size > 1) & (size < 9) for size in sizes])
    flat = ev.per_instance(SVM, "F") - ev.per_instance(TOPDOWN, "F")
    gain = ev.per_instance(TOPDOWN, "F_LCA") - ev.per_instance(SVM, "F_LCA")
    return int(np.argmax(np.where(short & (flat > 0), gain, -1)))


def main() -> None:
    """Evaluate and write the page with its drawings."""
    if "HEMLP_DATA" not in os.environ:
        sys.exit("set HEMLP_DATA to the folder of real data")
    data = Path(os.environ["HEMLP_DATA"])
    systems = {
        file.stem.removeprefix("pred_"): hemlp.read_labels(file)
        for file in sorted((data / "medline_mesh").glob("pred_*.txt"))
    }
    ev = hemlp.evaluate(
        hemlp.read_hierarchy(data / "mesh2016" / "mesh_hierarchy.txt"),
        hemlp.read_labels(data / "medline_mesh" / "gold.txt"),
        systems,
        [*FLAT, *PAIRS, *SETS, *LCA],
        names=read_names(data / "medline_mesh" / "descriptor_names.tsv"),
    )
    row = telling_document(ev)
    both = {name: ev.explain(name, row, ["F_LCA"]) for name in (SVM, TOPDOWN)}
    for name, explanation in both.items():
        (DOCS / f"study_{name}.svg").write_text(explanation.picture().to_svg(), encoding="utf-8")
    few = hemlp.Evaluation(
        {s: {m: ev.scores[s][m] for m in ("F", "GIE", "MGIA", "F_H", "F_LCA")} for s in ev.systems},
        {m: ev.greater_is_better[m] for m in ("F", "GIE", "MGIA", "F_H", "F_LCA")},
        ev.facts,
    )
    (DOCS / "study_ranks.svg").write_text(plots.svg(plots.rank_chart(few), "ranks"), encoding="utf-8")
    table = ev.table()
    named = {row[1]: row for row in ev.classes(TOPDOWN, on="labels").rows}
    animals, techniques = named["Animals"], named["Investigative Techniques"]
    assert techniques[2] == 0
    gaps = {row[0]: row[-1] for row in ev.levels([SVM, TOPDOWN]).rows}
    ahead, behind = [k for k, gap in gaps.items() if gap.high < 0], [k for k, gap in gaps.items() if gap.low > 0]
    unsure = [level for level in gaps if level not in (*ahead, *behind)]
    branches = ev.branches([SVM, TOPDOWN], "F_LCA", level=1)
    sure = [row for row in branches.rows if row[-1].high < 0]
    assert all(row[3] < row[5] for row in branches.rows)

    def share(system: str, kind: str) -> str:
        answered = {row[0]: row[2] for row in ev.errors(system).rows if row[0] != "hit"}
        return f"{answered[kind] / sum(answered.values()):.0%}"

    true = ", ".join(sorted(both[SVM].full_name(label) for label in both[SVM].sides[1]))
    predicted = {name: ", ".join(sorted(map(e.full_name, e.sides[0]))) for name, e in both.items()}
    score = {(s, m): ev.per_instance(s, m)[row] for s in both for m in ("F", "F_H", "F_LCA")}
    blocks = "\n\n".join(columns(table, names).to_markdown() for names in (FLAT, PAIRS, SETS[:4], [*SETS[4:]], LCA))
    (DOCS / "study.md").write_text(
        f"""# A study: eight systems on MEDLINE

Made by `scripts/study_page.py`. 5,000 MEDLINE citations of 1977 to 1979 with their MeSH headings (MeSH 2016: 27,900
classes, about 10.5 headings per document; courtesy of the U.S. National Library of Medicine), and eight systems of very
different kinds, trained on other records. This data is not bundled; the same study of files of your own is
`hemlp run study.toml` with

```toml
{study_file([*systems])}```

Means over documents, with places in brackets. Systems that share a letter do not differ significantly (paired permutation test of the
mean, Holm's correction for all pairs). Then 95% intervals, from 1,000 resamples of the documents.
Every F_LCA is proved optimal.

{blocks}

## What a reader learns

![Places by five measures](study_ranks.svg)

- **{SVM} is second by F and next to last by F_LCA and F_H; {TOPDOWN} goes the other way**, from sixth to second. The
  support vector machines know 582 frequent headings and predict {ev.facts[SVM]["predictions an instance"]:.1f} per document: most
  of these are right, so flat precision is high, but most of the true headings are missing. The top-down
  classifiers stop at inner nodes and predict {ev.facts[TOPDOWN]["predictions an instance"]:.1f} a document: few are exactly right, many
  are the parent or a cousin of what is right. Flat measures call a near miss wrong; hierarchical ones see how near it is.
- **GIE ranks like the flat measures** (τ = {ev.kendall_matrix()[6][3]:.2f} with F): each class is paired once and what is left over
  costs 5, so saying little is cheap. **MGIA turns that round**: it lets one prediction serve several classes and normalises
  by how much there is to explain; there the same silence costs most ({SVM} is last).
- **F_H and F_LCA agree** (τ = {ev.kendall_matrix()[10][19]:.2f}). F_H counts every ancestor, so what lies deep weighs more, and
  ancestors that all documents share push all scores up; F_LCA counts only the paths to the lowest common ancestors.
- **Exact match (accuracy) says nothing here**: almost no document gets all of its headings.
- The descendant measures reward predicting inner nodes of small subtrees and punish those of large ones: {TOPDOWN} is last
  by P_De, because a wrong inner node drags its whole subtree along.

## Where {SVM} and {TOPDOWN} differ

Means do not say where. By kind of error (the relation of predicted classes to true ones, and of true ones to predicted ones):

{picked(ev.errors([SVM, TOPDOWN]), "kind", f"{SVM} predicted", f"{SVM} true", f"{TOPDOWN} predicted", f"{TOPDOWN} true", "difference true", "difference true 95%").replace("difference true", "difference (true classes)")}

**The support vector machines leave out a lot; the top-down classifiers come near.** Of the true headings that {SVM} misses {share(SVM, "elsewhere")} have no
prediction nearby; of those that {TOPDOWN} misses, {share(TOPDOWN, "elsewhere")}, and {share(TOPDOWN, "same branch")} have a prediction in the
same branch.

By level (the fewest edges up to the root), F of both ancestor closures and what is on one side only:

{picked(ev.levels([SVM, TOPDOWN]), "level", "true", " F", " lost", "difference", "difference 95%")}

**{TOPDOWN} is ahead on the levels {listed(ahead)}**, where it is decided which branch is meant, **and behind on {listed(behind)}**, by
intervals that exclude 0; on {listed(unsure)} the difference is not significant.

By branch, those with the greatest difference of F_LCA first:

{picked(branches.head(8), "branch", "name", "instances", " mean", " share", "difference", "difference 95%")}

**It is ahead in every branch**, in {len(sure)} of {len(branches.rows)} by an interval that excludes 0: no single field explains the
difference.

By class, the headings whose losses differ most:

{picked(ev.classes([SVM, TOPDOWN], on="labels").head(8), "class", "name", "true", " F", " lost", "difference", "difference 95%")}

**Two faults of {TOPDOWN} stand out**: it predicts *Animals*, an inner class that {animals[2]:,} documents have, {animals[3]} times, and
*Investigative Techniques*, which no document has, {techniques[3]:,} times.

[Where do we fail?](diagnosis.md) explains these tables.

## Rank correlation of the measures

{ev.kendall().to_markdown()}

## One document explained

Document {row + 1}. True: {true}.

- {SVM}: {predicted[SVM]}. F {score[SVM, "F"]:.3f}, F_H {score[SVM, "F_H"]:.3f}, F_LCA {score[SVM, "F_LCA"]:.3f}.
- {TOPDOWN}: {predicted[TOPDOWN]}. F {score[TOPDOWN, "F"]:.3f}, F_H {score[TOPDOWN, "F_H"]:.3f}, F_LCA {score[TOPDOWN, "F_LCA"]:.3f}.

By F the first is better. The minimal LCA graphs show why F_LCA disagrees: the classes that the first misses are joined to
classes far away; the second predicts classes next to them.

![{SVM}](study_{SVM}.svg)

![{TOPDOWN}](study_{TOPDOWN}.svg)

```text
{str(both[TOPDOWN]).rstrip()}
```
""",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
