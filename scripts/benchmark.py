"""Measures hemlp against other ways to the same result, as ratios within one run; nothing is asserted.

    python scripts/benchmark.py [SECTION ...] [--json FILE]

Each contender runs in a process of its own, after one untimed warm-up where compiled code is involved, so that its
peak memory is its own. Real data is found through HEMLP_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("HEMLP_DATA", "absent"))
Timed = Callable[[], Any]


# ---- contenders: each prepares what is not measured and returns what is


def hemlp_condense() -> Timed:
    """Read, condense, index and hash the cyclic hierarchy with hemlp."""
    import hemlp

    hemlp.read_hierarchy(DATA / "mesh2016" / "mesh_hierarchy.txt", cycles="condense")

    def run() -> str:
        made = hemlp.read_hierarchy(DATA / "union_cyclic" / "union_hierarchy.txt.gz", cycles="condense")
        return f"{len(made)} classes, {made.content_hash[:8]}"

    return run


def networkx_condense() -> Timed:
    """Read the cyclic hierarchy into a DiGraph and condense it with networkx."""
    import gzip

    import networkx as nx

    def run() -> str:
        graph = nx.DiGraph()
        with gzip.open(DATA / "union_cyclic" / "union_hierarchy.txt.gz", "rt") as file:
            graph.add_edges_from(line.split() for line in file)
        return f"{len(nx.condensation(graph))} classes"

    return run


def mesh_ancestors() -> Timed:
    """Up-distances of every class of MeSH 2016 with hemlp."""
    import numpy as np

    import hemlp

    h = hemlp.read_hierarchy(DATA / "mesh2016" / "mesh_hierarchy.txt")
    h.up_distances([0])
    return lambda: f"{h.up_distances(np.arange(len(h))).ancestors.size} pairs"


def networkx_mesh_ancestors() -> Timed:
    """Up-distances of every class of MeSH 2016 with networkx."""
    import networkx as nx

    edges = (line.split() for line in (DATA / "mesh2016" / "mesh_hierarchy.txt").open())
    up = nx.DiGraph((child, parent) for parent, child in edges)
    return lambda: f"{sum(len(nx.single_source_shortest_path_length(up, c)) for c in up)} pairs"


def synthetic_dag(n: int = 325_056) -> Any:
    """A made-up DAG of the size of DBpedia Large: about 2.6 parents and 170 ancestors a class."""
    import numpy as np

    import hemlp

    rng = np.random.default_rng(0)
    count = rng.choice([1, 2, 3, 4, 5], n, p=[0.2, 0.3, 0.25, 0.2, 0.05])
    children = np.repeat(np.arange(1, n), count[1:])
    parents = (children * rng.random(children.size) ** 1.1 * 0.5).astype(np.int64)
    return hemlp.Hierarchy.from_codes([str(i).zfill(7) for i in range(n)], parents, children)


def large_ancestors() -> Timed:
    """Up-distances of every class of a synthetic DAG of 325,056 classes, in parts of 256 MB."""
    import numpy as np

    h = synthetic_dag()
    h.up_distances([0])

    def run() -> str:
        chunks = h.up_distance_chunks(np.arange(len(h)), memory=2**28)
        total = sum(chunk.ancestors.size for chunk in chunks)
        parents = h.parent_idx.size / len(h)
        return f"{parents:.1f} parents, {total / len(h):.0f} ancestors a class"

    return run


def union_distances() -> Timed:
    """Distances of 1,000 random pairs of the condensed cyclic hierarchy (classes with 30,000 ancestors)."""
    import numpy as np

    import hemlp

    h = hemlp.read_hierarchy(DATA / "union_cyclic" / "union_hierarchy.txt.gz", cycles="condense")
    h.distances([0], [1])
    pairs = np.random.default_rng(0).integers(0, len(h), (2, 1_000))
    return lambda: f"{np.isfinite(h.distances(*pairs)).mean():.1%} connected"


def read_label_file() -> Timed:
    """Read a label file of 452,167 rows."""
    import hemlp

    return lambda: repr(hemlp.read_labels(DATA / "union_cyclic" / "synthetic_gold.txt.gz"))


def read_label_file_by_lines() -> Timed:
    """Split the same label file line by line in Python."""
    import gzip

    def run() -> str:
        with gzip.open(DATA / "union_cyclic" / "synthetic_gold.txt.gz", "rt") as file:
            return f"{len([line.split() for line in file])} rows"

    return run


def medline(rows: int | None = None) -> list[Any]:
    """The batches of the 8 systems on MEDLINE with MeSH 2016, the first ``rows`` documents of each."""
    import hemlp

    h = hemlp.read_hierarchy(DATA / "mesh2016" / "mesh_hierarchy.txt")
    true = hemlp.read_labels(DATA / "medline_mesh" / "gold.txt")
    files = sorted((DATA / "medline_mesh").glob("pred_*.txt"))
    batches = [hemlp.Batch.of(h, true, hemlp.read_labels(file)) for file in files]
    return [batch[: rows or len(batch)] for batch in batches]


def _pairing(solver: str | None, rows: int | None) -> Timed:
    import hemlp

    measures = [hemlp.measure("GIE"), hemlp.measure("MGIA")]
    batches = medline(rows)
    for m in measures:
        m.score(batches[0][:1], solver=solver)

    def run() -> str:
        total = [sum(m.score(batch, solver=solver)["error"].sum() for batch in batches) for m in measures]
        return f"{sum(map(len, batches)):,} instances: GIE {total[0]:.0f}, MGIA error {total[1]:.0f}"

    return run


def pairing_default() -> Timed:
    """GIE and MGIA of 8 systems x 5,000 MEDLINE documents by the default solver."""
    return _pairing(None, None)


def pairing_flow() -> Timed:
    """The same by OR-Tools' min-cost flow."""
    return _pairing("flow", None)


def pairing_pulp() -> Timed:
    """GIE and MGIA of 8 systems x 25 documents by PuLP with CBC, one document at a time."""
    import hemlp

    measures = [hemlp.measure("GIE"), hemlp.measure("MGIA")]
    singles = [batch[i] for batch in medline(25) for i in range(25)]

    def run() -> str:
        total = [sum(m.score(one, solver="pulp")["error"][0] for one in singles) for m in measures]
        return f"{len(singles)} instances: GIE {total[0]:.0f}, MGIA error {total[1]:.0f}"

    return run


def _fifty_thousand() -> Any:
    """50,000 instances of about 12 labels on MeSH 2016: the documents of one system, ten times in other orders."""
    import numpy as np

    batch = medline()[-1]  # the system with the most labels an instance
    rng = np.random.default_rng(0)
    return batch.take(np.concatenate([rng.permutation(len(batch)) for _ in range(10)]))


def sets_hemlp() -> Timed:
    """P_H, R_H, F_H and SDL of 50,000 instances of about 12 labels on MeSH 2016, from arrays to scores."""
    import hemlp
    from hemlp.scoring import score_together

    batch = _fifty_thousand()
    measures = [hemlp.measure(name) for name in ("P_H", "R_H", "F_H", "SDL")]
    measures[0].score(batch[:2000])

    def run() -> str:
        means = [scores.mean() for scores in score_together(measures, batch)]
        return ", ".join(f"{mean:.6f}" for mean in means)

    return run


def sets_scipy() -> Timed:
    """The same numbers by the scipy.sparse closure product (its ancestor matrix made beforehand)."""
    import numpy as np
    from scipy.sparse import csr_array

    batch = _fifty_thousand()
    h = batch.hierarchy
    up = h.up_distances(np.arange(len(h)))
    ancestors = csr_array((np.ones(up.ancestors.size, np.int32), up.ancestors, up.ptr), shape=(len(h), len(h)))

    def run() -> str:
        closures = []
        for side in (batch.pred, batch.true):
            ones = np.ones(side.classes.size, np.int32)
            closure = csr_array((ones, side.classes, side.ptr), shape=(len(batch), len(h))) @ ancestors
            closure.data[:] = 1
            closures.append(closure)
        p, t = (closure.sum(axis=1) for closure in closures)
        both = closures[0].multiply(closures[1]).sum(axis=1)
        means = (both / p).mean(), (both / t).mean(), (2 * both / (p + t)).mean(), (p + t - 2 * both).mean()
        return ", ".join(f"{mean:.6f}" for mean in means)

    return run


def lca_search() -> Timed:
    """P_LCA, R_LCA and F_LCA, exactly, of 8 systems x 5,000 MEDLINE documents by the default solver."""
    import hemlp

    batches = medline()
    f = hemlp.measure("F_LCA")
    f.score(batches[0][:2])

    def run() -> str:
        scores = [f.score(batch) for batch in batches]
        optimal = sum(s.status_counts().get("optimal", 0) for s in scores)
        return (
            f"{sum(map(len, scores)):,} instances, {optimal:,} optimal, mean F {sum(s.mean() for s in scores) / 8:.6f}"
        )

    return run


def lca_programs() -> Timed:
    """The same by the unreduced integer programs and CP-SAT, 8 systems x 20 documents."""
    import hemlp

    batches = medline(20)
    f = hemlp.measure("F_LCA")
    f.score(batches[0][:2], solver="cpsat")
    return lambda: f"{sum(len(f.score(batch, solver='cpsat')) for batch in batches)} instances"


def _chebi(*names: str) -> Timed:
    import hemlp

    folder = DATA / "chebi2026"
    h = hemlp.read_hierarchy(folder / "chebi2026_isa.txt.gz")
    true = hemlp.read_labels(folder / "synthetic_gold.txt.gz")
    systems = {file.name: hemlp.read_labels(file) for file in sorted(folder.glob("synthetic_pred_*"))}
    few = hemlp.LabelSets.of([true[i] for i in range(1500)])
    hemlp.evaluate(h, few, {"warm-up": few}, names)

    def run() -> str:
        ev = hemlp.evaluate(h, true, systems, names)
        return f"{len(systems)} x {len(true):,} instances, {ev.fallbacks} not proved optimal"

    return run


def chebi_sets() -> Timed:
    """P_H R_H F_H SDL P_De R_De F_De F_Tol SDL_Tol on ChEBI (205,304 classes, synthetic labels)."""
    return _chebi("P_H", "R_H", "F_H", "SDL", "P_De", "R_De", "F_De", "F_Tol", "SDL_Tol")


def chebi_pairs() -> Timed:
    """GIE and MGIA on ChEBI (synthetic labels)."""
    return _chebi("GIE", "MGIA")


def chebi_lca() -> Timed:
    """P_LCA, R_LCA and F_LCA, exactly, on ChEBI (synthetic labels)."""
    return _chebi("P_LCA", "R_LCA", "F_LCA")


SECTIONS: dict[str, list[Callable[[], Timed]]] = {
    "hierarchy": [hemlp_condense, networkx_condense],
    "ancestors": [mesh_ancestors, networkx_mesh_ancestors],
    "large-ancestors": [large_ancestors],
    "distances": [union_distances],
    "pairing": [pairing_default, pairing_flow, pairing_pulp],
    "sets": [sets_hemlp, sets_scipy],
    "lca": [lca_search, lca_programs],
    "chebi": [chebi_sets, chebi_pairs, chebi_lca],
    "labels": [read_label_file, read_label_file_by_lines],
}


# ---- running them


def run_contender(name: str, repeat: int) -> None:
    """In a process of its own: the least of ``repeat`` times, and peak memory."""
    contender = next(c for section in SECTIONS.values() for c in section if c.__name__ == name)
    timed = contender()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        result = timed()
        seconds.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        json.dumps({"seconds": min(seconds), "peak_mb": peak / 1024, "before_mb": before / 1024, "result": str(result)})
    )


def measure(name: str, repeat: int) -> dict[str, Any]:
    """The figures of one contender."""
    command = [sys.executable, __file__, "--contender", name, "--repeat", str(repeat)]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(out.stdout.splitlines()[-1]))


def machine() -> str:
    """What this ran on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}"


def main() -> None:
    """Run the sections that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default=list(SECTIONS), help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contender:
        return run_contender(options.contender, options.repeat)
    if not DATA.is_dir():
        sys.exit("set HEMLP_DATA to the folder of real data")
    print(machine())
    report: dict[str, Any] = {"machine": machine()}
    for section in options.sections:
        print(f"\n{section}")
        first = None
        for contender in SECTIONS[section]:
            figures = measure(contender.__name__, options.repeat)
            first = first or figures
            ratio = figures["seconds"] / first["seconds"]
            print(
                f"  {figures['seconds']:8.3f} s  ×{ratio:<7.1f} {figures['peak_mb']:7.0f} MB  "
                f"{(contender.__doc__ or '').splitlines()[0]}  [{figures['result']}]"
            )
            report.setdefault(section, {})[contender.__name__] = figures
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return None


if __name__ == "__main__":
    main()
