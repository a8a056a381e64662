"""Makes docs/performance.md and docs/growth.svg from docs/performance.json, which ``scripts/benchmark.py`` writes.

python scripts/performance_page.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"
Report = dict[str, Any]


def time(figures: dict[str, Any]) -> str:
    """Seconds to three digits."""
    return f"{figures['seconds']:.3g} s"


def table(report: Report, section: str) -> str:
    """All contenders of a section: what, time, ratio to the first, peak memory."""
    lines = ["| what | time | ratio | peak memory |", "|---|---:|---:|---:|"]
    first = next(iter(report[section].values()))["seconds"]
    for figures in report[section].values():
        ratio = f"{figures['seconds'] / first:.3g}" if len(report[section]) > 1 else ""
        title = figures["title"].rstrip(".")
        lines.append(f"| {title} | {time(figures)} | {ratio} | {figures['peak_mb']:,.0f} MB |")
    return "\n".join(lines)


def per_instance(report: Report, section: str, name: str, instances: int) -> str:
    """Microseconds for one instance."""
    return f"{1e6 * report[section][name]['seconds'] / instances:,.3g} µs"


def profiles(report: Report, names: dict[str, str]) -> str:
    """The shares of the parts of some runs, and the seconds of each run, as one table."""
    found = {head: report["profile"][name]["parts"] for name, head in names.items()}
    shown = [key for key in next(iter(found.values())) if not key.startswith(("floor", "rest"))]
    totals = [sum(of[key] for key in shown) for of in found.values()]
    lines = ["| part | " + " | ".join(found) + " |", "|---|" + "---:|" * len(found)]
    for key in shown:
        shares = (f"{of[key] / total:.0%}" for of, total in zip(found.values(), totals, strict=True))
        lines.append(f"| {key} | {' | '.join(shares)} |")
    lines.append("| **together** | " + " | ".join(f"{total:.3g} s" for total in totals) + " |")
    floors = (of.get("floor: one pass over the lists used", 0.0) for of in found.values())
    lines.append(
        "| *floor:* one pass over the ancestor lists used, by numpy | "
        + " | ".join(f"{f:.2g} s" for f in floors)
        + " |"
    )
    return "\n".join(lines)


def beside(report: Report, section: str) -> str:
    """Milliseconds of each part of each contender, and its ratio to the first part, the unit."""
    lines = ["| what | time | ratio |", "|---|---:|---:|"]
    for figures in report[section].values():
        unit = next(iter(figures["parts"].values()))
        lines.append(f"| **{figures['title'].rstrip('.')}** | | |")
        for name, seconds in figures["parts"].items():
            lines.append(f"| {name} | {1e3 * seconds:.3g} ms | {seconds / unit:.3g} |")
    return "\n".join(lines)


def hard_table(report: Report, section: str) -> str:
    """Share proved, median, 99% and worst time of each ontology, by labels a side."""
    rows = report[section]
    names = list(dict.fromkeys(key.partition(":")[0] for key in next(iter(rows.values()))["parts"]))
    lines = ["| ontology | labels | proved | p50 | p99 | worst | widest gap |", "|---|---:|---:|---:|---:|---:|---:|"]
    for name in names:
        for key, row in rows.items():
            of = {
                what.partition(": ")[2]: value for what, value in row["parts"].items() if what.startswith(f"{name}: ")
            }
            lines.append(
                f"| {name} | {key.split()[-1]} | {of['proved']:.0f} | {of['p50 ms']:.3g} | {of['p99 ms']:.3g} | "
                f"{of['worst ms']:.3g} | {of['widest gap']:.2g} |"
            )
    return "\n".join(lines)


def growth_table(report: Report, section: str, head: str) -> str:
    """Seconds of each measure at each size."""
    rows = list(report[section].values())
    names = [name for name in rows[0]["parts"] if name != "ancestors"]
    lines = [f"| {head} | " + " | ".join(names) + " |", "|---:|" + "---:|" * len(names)]
    for key, row in report[section].items():
        size = f"{row['parts']['ancestors']:.0f}" if "ancestors" in row["parts"] else key.split()[-1]
        lines.append(f"| {size} | " + " | ".join(f"{row['parts'][name]:.3g} s" for name in names) + " |")
    return "\n".join(lines)


def draw_growth(report: Report) -> None:
    """Time and memory against instances, and time against labels and ancestors."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "hemlp"
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    rows = report["growth-instances"]
    sizes = [int(key.split()[-1]) / 1000 for key in rows]
    axes[0].plot(sizes, [row["seconds"] for row in rows.values()], "o-", color="#1b6ca8", label="seconds")
    axes[0].set(xlabel="thousand instances", ylabel="seconds, 20 measures", xlim=(0, None), ylim=(0, None))
    memory = axes[0].twinx()
    memory.plot(sizes, [row["peak_mb"] for row in rows.values()], "s--", color="#b4562b", label="MB")
    memory.set(ylabel="peak memory, MB (dashed)", ylim=(0, None))
    for axis, section, label in (
        (axes[1], "growth-labels", "labels per instance, each side"),
        (axes[2], "growth-ancestors", "ancestors per class"),
    ):
        found = report[section]
        names = [name for name in next(iter(found.values()))["parts"] if name != "ancestors"]
        at = [row["parts"].get("ancestors", float(key.split()[-1])) for key, row in found.items()]
        count = 5_000 if section == "growth-labels" else 20_000
        for name, marker in zip(names, "os^", strict=True):
            values = [1e6 * row["parts"][name] / count for row in found.values()]
            axis.loglog(at, values, f"{marker}-", label=name)
        axis.set(xlabel=label, ylabel="µs per instance")
        axis.set_xticks(at, [f"{value:.0f}" for value in at])
        axis.minorticks_off()
        axis.legend(frameon=False)
    figure.savefig(DOCS / "growth.svg", metadata={"Date": None})


def page(report: Report) -> str:
    """The whole page."""
    lca = report["lca"]
    ratio = (lca["lca_programs"]["seconds"] / 160) / (lca["lca_search"]["seconds"] / 40_000)
    pairing = report["pairing"]
    pulp = (pairing["pairing_pulp"]["seconds"] / 400) / (pairing["pairing_default"]["seconds"] / 80_000)
    search = report["search"]["search_statistics"]["parts"]
    start = {name: figures["parts"]["CPU"] for name, figures in report["start-up"].items()}
    ten, forty = (report["command-line"][f"command_line_{n}"]["seconds"] for n in (10_000, 40_000))
    sizes = report["installed"]["installed_size"]["parts"]
    union_all = report["union"]["union_all"]
    return f"""# Performance

Made by `scripts/performance_page.py` from `docs/performance.json`, which `scripts/benchmark.py` writes. Seen on
one machine: {report["machine"]}. Times vary with the machine and its load; ratios within one run are what to
compare. Each contender runs in a process of its own, compiled code is warm unless said otherwise, one worker.
Labels marked *synthetic* were made for timing and say nothing about quality.

## Hierarchies and label files

{table(report, "hierarchy")}

{table(report, "ancestors")}

{table(report, "large-ancestors")}

{table(report, "distances")}

{table(report, "labels")}

Compiled code splits the words, eight bytes at a time, so that Python sees each label once.

Other formats, and data in memory, beside what pyarrow and Python's json take for the same bytes (*synthetic* labels);
processor time, the first row of each part is the unit:

{beside(report, "reading")}

`pyarrow.csv` alone makes a string of every cell; *each text once* tells equal texts apart, as scoring needs it, and is what
hemlp does. Texts in frames are told apart by the kernel that does it for files: Arrow's dictionaries took twice as long. Of the
instructions of `hemlp cafa` without intervals 31% are those of `import numpy, click`, and 8% parse the methods of dataclasses. Intervals keep running
sums of all resamples, and divide only where a threshold can be the best; to make only those sums again that changed was no faster.

## Pair-based measures

GIE and MGIA of 8 systems on 5,000 MEDLINE documents (MeSH 2016, about 10 true and 8 predicted classes; 80,000
problems):

{table(report, "pairing")}

The last row solves 400 problems: a problem takes it {pulp:,.0f} times as long as the default.

Other measures, costs and bounds on 10,000 of these instances, scored as a whole in one process, processor time. The unit
is GIE; costs are GIE's with default classes at 0.5, words those of a pair measure with default classes at 5:

{beside(report, "beside-gie")}

## Set-based measures

{table(report, "sets")}

## Kernels beside plain C

The same 10,000 instances. The unit is `scripts/floors.c`, which does the same work by the same algorithms without hubs,
weights, interrupts and proofs, in bytes and 4-byte floats; compiled with `cc -O3 -march=native`, and for any processor
(`-O3`), as hemlp is. Results are equal, processor time:

{beside(report, "floors")}

## Exact LCA measures

{table(report, "lca")}

The second row solves 160 instances: an instance takes the unreduced programs {ratio:,.0f} times as long.

How the search stays small, on these {search["instances"]:,} instances ([why it is exact](exact.md)): what is certain is settled, and
the rest falls into parts. {search["one combination at most"]:,} instances leave at most one option to look at, the median is
{search["median"]:.0f} and 99% have at most {search["99%"]:,.0f}. {search["left to the integer programs"]} of them went to the integer programs.

### Where it is hard

Seven systems on 10,149 human proteins with the Gene Ontology of 2019, up to 100 labels per side:

{table(report, "hard")}

Random labels on five ontologies, 100 instances each, one by one, start of the measure included. All in
milliseconds; *proved* of 100:

{hard_table(report, "hard-random")}

Labels that are related (a copy in which every third label is another class):

{hard_table(report, "hard-related")}

## The command line

{table(report, "start-up")}

A first run takes {start["first_run"] / start["numpy_and_click"]:.2g} times the processor time of the unit, a further one {start["warm_run"] / start["numpy_and_click"]:.2g} times: nothing is compiled at run
time, and solvers, scipy, networkx, matplotlib and rich are loaded only where they are used. On the disk hemlp and all
that it needs take {sum(sizes.values()):,.0f} MB: {", ".join(f"{name} {size:.0f}" for name, size in sizes.items() if size >= 1)}.

{table(report, "command-line")}

With start-up 10,000 instances with six exact measures run at {10_000 / ten:,.0f} instances a second and 40,000 at {40_000 / forty:,.0f}; each further instance costs
{1e6 * (forty - ten) / 30_000:.0f} µs, which is {30_000 / (forty - ten):,.0f} a second.

{table(report, "twelve-labels")}

The authors' own tool (C++, greedy) took 7.06 s and 26.4 s for six measures of as many instances of about 12 labels, on another
machine on which hemlp 0.1.0 took 1.39 s and 2.87 s. Here hemlp 0.1.0 takes 1.29 s and 2.71 s for such instances, and this version
0.41 s and 0.89 s (in turn, least of nine runs). So it is 3.2 and 3.0 times as fast as 0.1.0, and about 16 and 28 times as fast as the
tool, with exact results.

## All measures, real documents and large hierarchies

{table(report, "medline")}

ChEBI: 205,304 classes, 4 systems of 81,262 instances, *synthetic* labels:

{table(report, "chebi")}

The union of eight ontologies, cycles condensed: 465,305 classes, 4 systems of 452,167 instances, *synthetic*
labels, no horizon:

{table(report, "union")}

One condensed class there has 32,872 parents, and 68% of all classes lie below it: their ancestor lists would
take 60 GB. Lists stop at such a *hub* and what lies beyond is kept once: the lists of all 465,305 classes
together have 4.8 million entries, and all 20 measures of 1.8 million instances take {time(union_all)} and
{union_all["peak_mb"]:,.0f} MB.

## More than one process

{table(report, "processes")}

{table(report, "processes-large")}

[Long runs](cluster.md) says from which size on this pays.

## Growth

![Time and memory against instances, labels and ancestors](growth.svg)

Left: 20 measures of one system on the condensed union (*synthetic* labels); time is linear, memory is that of
the data. Middle: 5,000 instances on MeSH with so many true and as many predicted labels, both drawn at random
from real ones (*synthetic*). Right: 20,000 instances of three labels on *synthetic*
DAGs of 50,000 classes.

{growth_table(report, "growth-labels", "labels")}

{growth_table(report, "growth-ancestors", "ancestors per class")}

CPU time per instance, of many that are scored together, by the number of labels on each side, drawn at random from all
of MeSH (*synthetic*); one measure of each family. Best matches (BMA) are row and column minima, so they stay within
GIE by the same cost; transport is a network simplex.

{growth_table(report, "growth-families", "labels")}

CPU time of one instance of three labels that is scored alone, as `Metric.update` does in a training loop, on a
*synthetic* tree, after the first call. What is kept per class of the hierarchy is not made again.

{growth_table(report, "one-instance", "classes")}

CPU time of comparing many systems by F_H, GIE and MGIA, on 1,000 instances of 1 to 5 labels of a *synthetic* tree: the
table with intervals and letters, the tests of all pairs, and the page, each from scores alone. All of it is linear in
the number of pairs; 200 systems have 19,900 of them by each measure. The number of threads of BLAS does not matter: with
two of them, and no other setting, the tests of 200 systems took 10.0 s, and now 4.1 s, and the page 9.0 s, and now 5.0 s.

A draw of the bootstrap takes 1.7 ns for one column of 40,000 scores and 2.0 ns for three (2.1 ns and 2.3 ns before, by the
least of nine runs). Tried and dropped for the tests: BLAS in pieces that it multiplies in one thread (40 µs for a pair of
1,000 differing instances, where it takes 26 µs at once; integers of 16 bits take 31 µs).

{growth_table(report, "many-systems", "systems")}

## Where the time goes

All measures; labels of ChEBI and of the condensed union are *synthetic*.

{profiles(report, {"profile_medline": "8 x 5,000 MEDLINE documents", "profile_chebi": "ChEBI", "profile_union": "the union"})}

The floor is the time to read, once and in order, as many list entries as the labels of the data have. hemlp
accesses memory at random instead: it marks nodes in arrays as long as the hierarchy, which do not fit the cache for the
larger two.
"""


def main() -> None:
    """Write the page and its figure."""
    report = json.loads((DOCS / "performance.json").read_text())
    draw_growth(report)
    (DOCS / "performance.md").write_text(page(report), encoding="utf-8")


if __name__ == "__main__":
    main()
