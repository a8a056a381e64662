"""What ``benchmark.py`` measures: each contender prepares what is not timed and returns what is."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import beside_gie
import floors
import hard
import reading
from start_up import first_run, import_hemlp, installed_size, numpy_and_click, warm_run

DATA = Path(os.environ.get("HEMLP_DATA", "absent"))
Timed = Callable[[], Any]


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

    hemlp.read_labels(DATA / "medline_mesh" / "gold.txt")
    return lambda: repr(hemlp.read_labels(DATA / "union_cyclic" / "synthetic_gold.txt.gz"))


def read_label_file_by_lines() -> Timed:
    """Split the same label file line by line in Python."""
    import gzip

    def run() -> str:
        with gzip.open(DATA / "union_cyclic" / "synthetic_gold.txt.gz", "rt") as file:
            return f"{len([line.split() for line in file])} rows"

    return run


def read_label_file_pandas() -> Timed:
    """Read the same file into a column of lines with pandas (nothing split, nothing looked up)."""
    import pandas as pd

    place = DATA / "union_cyclic" / "synthetic_gold.txt.gz"
    return lambda: f"{len(pd.read_csv(place, sep=chr(9), header=None, skip_blank_lines=False))} rows"


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
    """50,000 distinct instances of 12 labels on MeSH 2016: random ones, and a copy in which half are others."""
    import numpy as np

    import hemlp

    h = hemlp.read_hierarchy(DATA / "mesh2016" / "mesh_hierarchy.txt")
    rng, names = np.random.default_rng(0), np.array(h.labels, dtype=object)
    true, other = rng.integers(0, len(h), (2, 50_000, 12))
    pred = np.where(rng.random(true.shape) < 0.5, true, other)
    return hemlp.Batch.of(h, names[true].tolist(), names[pred].tolist())


def sets_hemlp() -> Timed:
    """P_H, R_H, F_H and SDL of 50,000 instances of about 12 labels on MeSH 2016, from arrays to scores."""
    import hemlp
    from hemlp.measures.scoring import score_together

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


SETS = ("P_H", "R_H", "F_H", "SDL", "P_De", "R_De", "F_De", "F_Tol", "SDL_Tol")
FLAT = ("P", "R", "F", "accuracy", "jaccard", "hamming")
PAIRS = ("GIE", "MGIA")
LCA = ("P_LCA", "R_LCA", "F_LCA")
SIX = ("P_H", "R_H", "F_H", *LCA)


def synthetic(folder: str, hierarchy: str) -> tuple[Any, Any, dict[str, Any]]:
    """A large hierarchy with its synthetic labels: hierarchy, true labels and systems."""
    import hemlp

    place = DATA / folder
    h = hemlp.read_hierarchy(place / hierarchy, cycles="condense")
    systems = {file.name: hemlp.read_labels(file) for file in sorted(place.glob("synthetic_pred_*"))}
    return h, hemlp.read_labels(place / "synthetic_gold.txt.gz"), systems


def chebi() -> tuple[Any, Any, dict[str, Any]]:
    """ChEBI: 205,304 classes, 81,262 instances, 4 systems."""
    return synthetic("chebi2026", "chebi2026_isa.txt.gz")


def union() -> tuple[Any, Any, dict[str, Any]]:
    """Eight ontologies merged, cycles condensed: 452,167 instances, 4 systems."""
    return synthetic("union_cyclic", "union_hierarchy.txt.gz")


def _evaluated(load: Callable[[], tuple[Any, Any, dict[str, Any]]], names: tuple[str, ...]) -> Timed:
    import hemlp

    h, true, systems = load()
    few = hemlp.LabelSets.of([true[i] for i in range(100)])
    hemlp.evaluate(h, few, {"warm-up": few}, names)

    def run() -> str:
        ev = hemlp.evaluate(h, true, systems, names)
        return f"{len(systems)} x {len(true):,} instances, {ev.fallbacks} not proved optimal"

    return run


def medline_data() -> tuple[Any, Any, dict[str, Any]]:
    """The 8 systems on 5,000 MEDLINE documents."""
    import hemlp

    h = hemlp.read_hierarchy(DATA / "mesh2016" / "mesh_hierarchy.txt")
    files = sorted((DATA / "medline_mesh").glob("pred_*.txt"))
    return h, hemlp.read_labels(DATA / "medline_mesh" / "gold.txt"), {f.stem: hemlp.read_labels(f) for f in files}


def medline_all() -> Timed:
    """All 20 measures (TIE and SunLim aside) of 8 systems x 5,000 MEDLINE documents, one worker."""
    return _evaluated(medline_data, (*SETS, *FLAT, *PAIRS, *LCA))


def chebi_sets() -> Timed:
    """P_H R_H F_H SDL P_De R_De F_De F_Tol SDL_Tol on ChEBI (synthetic labels)."""
    return _evaluated(chebi, SETS)


def chebi_pairs() -> Timed:
    """GIE and MGIA on ChEBI (synthetic labels)."""
    return _evaluated(chebi, PAIRS)


def chebi_lca() -> Timed:
    """P_LCA, R_LCA and F_LCA, exactly, on ChEBI (synthetic labels)."""
    return _evaluated(chebi, LCA)


def union_sets() -> Timed:
    """The same nine set measures on the condensed union (synthetic labels)."""
    return _evaluated(union, SETS)


def union_pairs() -> Timed:
    """GIE and MGIA on the condensed union (synthetic labels)."""
    return _evaluated(union, PAIRS)


def union_lca() -> Timed:
    """P_LCA, R_LCA and F_LCA, exactly, on the condensed union (synthetic labels)."""
    return _evaluated(union, LCA)


def union_all() -> Timed:
    """All 20 measures of 4 x 452,167 instances on the condensed union, no horizon, one worker (synthetic labels)."""
    return _evaluated(union, (*SETS, *FLAT, *PAIRS, *LCA))


# ---- the command line, from its start to its end


def _command_line(gold: Path, files: list[Path], *further: str) -> Timed:
    options = [word for name in SIX for word in ("-m", name)]
    arguments = [DATA / "mesh2016" / "mesh_hierarchy.txt", gold, *files, *options]
    command = [sys.executable, "-m", "hemlp", "evaluate", *map(str, arguments), *further]

    def run() -> str:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return f"{len(done.stdout.splitlines())} lines"

    run()
    return run


def _of_medline(systems: int, *further: str) -> Timed:
    folder = DATA / "medline_mesh"
    return _command_line(folder / "gold.txt", sorted(folder.glob("pred_*.txt"))[-systems:], *further)


def _of_twelve_labels(rows: int) -> Timed:
    """Random classes, and a copy in which half are others."""
    import numpy as np

    import hemlp

    labels = np.array(hemlp.read_hierarchy(DATA / "mesh2016" / "mesh_hierarchy.txt").labels, dtype=object)
    rng = np.random.default_rng(0)
    true, other = rng.integers(0, len(labels), (2, rows, 12))
    files = [Path(tempfile.mkdtemp(), name) for name in ("gold.txt", "pred.txt")]
    for file, classes in zip(files, (true, np.where(rng.random(true.shape) < 0.5, true, other)), strict=True):
        atexit.register(shutil.rmtree, file.parent)
        file.write_text("".join(" ".join(dict.fromkeys(row)) + "\n" for row in labels[classes].tolist()))
    return _command_line(files[0], files[1:], "--no-intervals")


def command_line_10000() -> Timed:
    """`hemlp evaluate --no-intervals`: 2 systems x 5,000 documents, P_H R_H F_H P_LCA R_LCA F_LCA, with start-up."""
    return _of_medline(2, "--no-intervals")


def command_line_40000() -> Timed:
    """The same with all 8 systems."""
    return _of_medline(8, "--no-intervals")


def command_line_intervals() -> Timed:
    """The same with intervals of all means, by 1,000 resamples."""
    return _of_medline(8)


def twelve_labels_10000() -> Timed:
    """`hemlp evaluate --no-intervals`, the same measures: 10,000 instances of 12 labels on MeSH 2016 (synthetic)."""
    return _of_twelve_labels(10_000)


def twelve_labels_40000() -> Timed:
    """40,000 of them."""
    return _of_twelve_labels(40_000)


# ---- more than one process


def _shared_out(load: Callable[[], tuple[Any, Any, dict[str, Any]]], how: str) -> Timed:
    import hemlp

    h, true, systems = load()
    names = (*SETS, *FLAT, *PAIRS, *LCA)
    few = hemlp.LabelSets.of([true[i] for i in range(100)])
    hemlp.evaluate(h, few, {"warm-up": few}, names)
    if how == "dask":
        from distributed import Client, LocalCluster

        local: Any = LocalCluster
        cluster = local(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1")
        client: Any = Client(cluster)  # type: ignore[no-untyped-call]

    def run() -> str:
        workers = {"one": 1, "two": 2, "dask": 1}[how]
        executor = client.get_executor() if how == "dask" else None
        ev = hemlp.evaluate(h, true, systems, names, workers=workers, executor=executor)
        return f"{len(systems)} x {len(true):,} instances, {ev.fallbacks} not proved optimal"

    return run


def medline_one() -> Timed:
    """All 20 measures, 8 x 5,000 MEDLINE documents, one process."""
    return _shared_out(medline_data, "one")


def medline_two() -> Timed:
    """The same by two workers, which are threads."""
    return _shared_out(medline_data, "two")


def medline_dask() -> Timed:
    """The same by a Dask cluster of two processes that is up already."""
    return _shared_out(medline_data, "dask")


def union_one() -> Timed:
    """All 20 measures, 4 x 452,167 instances of the condensed union (synthetic labels), one process."""
    return _shared_out(union, "one")


def union_two() -> Timed:
    """The same by two workers, which are threads."""
    return _shared_out(union, "two")


def union_dask() -> Timed:
    """The same by a Dask cluster of two processes that is up already."""
    return _shared_out(union, "dask")


# ---- growth


def _seconds(work: Timed) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def grow_instances(count: int) -> Timed:
    """All 20 measures, one system, on so many instances of the condensed union (synthetic labels)."""
    import hemlp

    h, true, systems = union()
    batch = hemlp.Batch.of(h, true, next(iter(systems.values())))
    names = (*SETS, *FLAT, *PAIRS, *LCA)
    made = [hemlp.measure(name) for name in names]
    from hemlp.measures.scoring import score_together

    score_together(made, batch[:3000])
    part = batch[:count]
    return lambda: f"{len(score_together(made, part)[0]):,} instances"


def grow_labels(count: int) -> Timed:
    """F_H, GIE and F_LCA, 5,000 instances with so many true and predicted labels (MeSH, labels drawn at random)."""
    import numpy as np

    import hemlp

    h, true, _ = medline_data()
    rng = np.random.default_rng(0)
    pool = np.array([h.id(label) for row in true for label in row])
    rows = [[rng.choice(pool, count).tolist() for _ in range(5000)] for _ in "tp"]
    labels = [[[h.labels[c] for c in row] for row in side] for side in rows]
    batch = hemlp.Batch.of(h, *labels)
    measures = [hemlp.measure(name) for name in ("F_H", "GIE", "F_LCA")]
    for m in measures:
        m.score(batch[:2])

    def run() -> dict[str, float]:
        return {m.name: _seconds(lambda m=m: m.score(batch)) for m in measures}  # type: ignore[misc]

    return run


FAMILIES = ("accuracy", "F_H", "GIE", "MGIA", "BMA", "transport", "F_LCA", "F_LCA(method='greedy')")


def grow_families(count: int) -> Timed:
    """CPU seconds of an instance with so many labels a side, one measure of each family (MeSH, labels at random)."""
    import numpy as np

    import hemlp

    h = hemlp.read_hierarchy(DATA / "mesh2016" / "mesh_hierarchy.txt")
    rng, size = np.random.default_rng(0), max(2, 20_000 // count**2)
    rows = [[rng.choice(len(h), count, replace=False) for _ in range(size)] for _ in "tp"]
    batch = hemlp.Batch.of(h, *([[h.labels[c] for c in row] for row in side] for side in rows))
    measures = {name: hemlp.measure(name) for name in FAMILIES}
    measures["GIE, BMA's cost"] = hemlp.measure("GIE", cost="wu_palmer", default_cost=1)

    def run() -> dict[str, float]:
        return {name: _cpu_seconds(lambda m=m: m.score(batch)) / size for name, m in measures.items()}  # type: ignore[misc]

    run()
    return run


def one_instance(size: int) -> Timed:
    """CPU seconds of one instance of three labels, scored alone, on a tree of so many classes, after the first call."""
    import numpy as np

    import hemlp

    children = np.arange(1, size)
    h = hemlp.Hierarchy.from_codes(np.arange(size).tolist(), (children - 1) // 4, children)
    true, pred = [size - 1, size - 5, size // 2], [size - 2, size // 2 + 3, size - 17]
    measures = [hemlp.measure(name) for name in ("F_H", "GIE", "F_LCA")]

    def run() -> dict[str, float]:
        times = {m.name: lambda m=m: [m.score(h, true, pred) for _ in range(100)] for m in measures}
        return {name: _cpu_seconds(work) / 100 for name, work in times.items()}

    run()
    return run


def many_systems(size: int) -> Timed:
    """CPU seconds of what is said about so many systems by F_H, GIE and MGIA, on 1,000 instances of 1 to 5 labels."""
    import numpy as np

    import hemlp

    rng = np.random.default_rng(0)
    h = hemlp.Hierarchy.from_edges([(int(rng.integers(0, k)), k) for k in range(1, 2_000)])
    true = [rng.choice(2_000, size=rng.integers(1, 6), replace=False).tolist() for _ in range(1_000)]

    def predict(right: float) -> list[list[int]]:
        return [[c if rng.random() < right else int(rng.integers(2_000)) for c in each] for each in true]

    systems = {f"system {k}": predict(0.3 + 0.5 * k / size) for k in range(size)}

    def run() -> dict[str, float]:
        with tempfile.TemporaryDirectory() as folder:
            works: dict[str, Callable[[hemlp.Evaluation], object]] = {
                "table with intervals": lambda ev: ev.table(),
                "significance": lambda ev: ev.significance(),
                "page": lambda ev: ev.to_html(f"{folder}/page.html"),
            }
            made = hemlp.evaluate(h, true, systems, ["F_H", "GIE", "MGIA"])
            inputs = made.scores, made.greater_is_better, made.facts, made.inputs
            times = {}
            for name, work in works.items():
                ev = hemlp.Evaluation(*inputs)  # with nothing kept
                start = time.process_time()
                work(ev)
                times[name] = time.process_time() - start
            return times

    return run


def _cpu_seconds(work: Timed) -> float:
    """The least of three."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def grow_ancestors(parents: int) -> Timed:
    """F_H, GIE and F_LCA of 20,000 instances of 3 labels on a synthetic DAG of 50,000 classes with so many parents."""
    import numpy as np

    import hemlp

    rng = np.random.default_rng(0)
    children = np.repeat(np.arange(1, 50_000), parents)
    above = (children * rng.random(children.size) * 0.5).astype(np.int64)
    h = hemlp.Hierarchy.from_codes([f"{i:06}" for i in range(50_000)], above, children)
    labels = [[[h.labels[c] for c in row] for row in rng.integers(0, len(h), (20_000, 3))] for _ in "tp"]
    batch = hemlp.Batch.of(h, *labels)
    measures = [hemlp.measure(name) for name in ("F_H", "GIE", "F_LCA")]
    for m in measures:
        m.score(batch[:2])

    def run() -> dict[str, float]:
        times = {m.name: _seconds(lambda m=m: m.score(batch)) for m in measures}  # type: ignore[misc]
        return {"ancestors": h.upward.mean_length, **times}

    return run


# ---- profiles


def _profile(load: Callable[[], tuple[Any, Any, dict[str, Any]]]) -> Timed:
    """Where the time goes: reading, lists, and each kind of measure; and what reading the bytes alone would take."""
    import numpy as np

    import hemlp
    from hemlp.kernels.lca.search import search
    from hemlp.measures.scoring import score_together
    from hemlp.problems.lca.model import LcaModel

    h, true, systems = load()
    few = hemlp.Batch.of(h, true, true)[:50]
    score_together([hemlp.measure(name) for name in (*SETS, *FLAT, *PAIRS, *LCA)], few)
    del h, true, systems

    def run() -> dict[str, float]:
        parts: dict[str, float] = {}
        start = time.perf_counter()

        def lap(name: str) -> None:
            nonlocal start
            now = time.perf_counter()
            parts[name] = parts.get(name, 0.0) + now - start
            start = now

        h, true, systems = load()
        lap("reading")
        batches = [hemlp.Batch.of(h, true, pred) for pred in systems.values()]
        lap("class numbers")
        for batch in batches:
            lists = h.upward.lists(np.concatenate([batch.pred.classes, batch.true.classes]))
            lap("ancestor lists")
            for title, names in (("closures", SETS), ("flat sets", FLAT), ("pairs", PAIRS)):
                score_together([hemlp.measure(name) for name in names], batch)
                lap(title)
            for first in range(0, len(batch), 20_000):
                facts = LcaModel("", batch[first : first + 20_000]).facts
                lap("LCAs and shortest paths")
                search([facts], len(h), 20_000)
                lap("search")
            entries = int(np.diff(lists.ptr)[lists.row[np.concatenate([batch.pred.classes, batch.true.classes])]].sum())
            buffer = np.zeros(entries, np.int64)
            lap("rest")
            buffer.sum()
            lap("floor: one pass over the lists used")
        return parts

    return run


def profile_medline() -> Timed:
    """8 systems x 5,000 MEDLINE documents."""
    return _profile(medline_data)


def profile_chebi() -> Timed:
    """ChEBI (synthetic labels), 4 systems x 81,262 instances."""
    return _profile(chebi)


def profile_union() -> Timed:
    """The condensed union (synthetic labels), 4 systems x 452,167 instances."""
    return _profile(union)


def search_statistics() -> Timed:
    """Where the 40,000 MEDLINE instances went: combinations that the search tried."""
    import numpy as np

    from hemlp.kernels.lca.search import search
    from hemlp.problems.lca.model import LcaModel

    batches = medline()

    def run() -> dict[str, float]:
        steps, solved = [], []
        for batch in batches:
            facts = LcaModel("", batch).facts
            table = search([facts], len(batch.hierarchy), 20_000)
            steps.append(table[:, 5])
            solved.append(table[:, 0])
        tried = np.concatenate(steps)
        return {
            "instances": len(tried),
            "one combination at most": int((tried <= 1).sum()),
            "median": float(np.median(tried)),
            "99%": float(np.quantile(tried, 0.99)),
            "most": int(tried.max()),
            "left to the integer programs": int((np.concatenate(solved) == 0).sum()),
        }

    return run


SECTIONS: dict[str, list[Callable[..., Timed]]] = {
    "hierarchy": [hemlp_condense, networkx_condense],
    "ancestors": [mesh_ancestors, networkx_mesh_ancestors],
    "large-ancestors": [large_ancestors],
    "distances": [union_distances],
    "labels": [read_label_file, read_label_file_by_lines, read_label_file_pandas],
    "reading": [reading.reading_labels, reading.reading_scores, reading.reading_ontologies, reading.reading_cafa],
    "pairing": [pairing_default, pairing_flow, pairing_pulp],
    "sets": [sets_hemlp, sets_scipy],
    "floors": [floors.tally_floor, floors.distances_floor, floors.pairing_floor],
    "beside-gie": [beside_gie.named_measures, beside_gie.costs, beside_gie.words],
    "lca": [lca_search, lca_programs],
    "search": [search_statistics],
    "start-up": [numpy_and_click, import_hemlp, first_run, warm_run],
    "installed": [installed_size],
    "command-line": [command_line_10000, command_line_40000, command_line_intervals],
    "twelve-labels": [twelve_labels_10000, twelve_labels_40000],
    "medline": [medline_all],
    "chebi": [chebi_sets, chebi_pairs, chebi_lca],
    "union": [union_sets, union_pairs, union_lca, union_all],
    "processes": [medline_one, medline_two, medline_dask],
    "processes-large": [union_one, union_two, union_dask],
    "growth-instances": [grow_instances],
    "growth-labels": [grow_labels],
    "growth-families": [grow_families],
    "growth-ancestors": [grow_ancestors],
    "one-instance": [one_instance],
    "many-systems": [many_systems],
    "profile": [profile_medline, profile_chebi, profile_union],
    "hard": [hard.go_human_gie, hard.go_human_lca],
    "hard-random": [hard.random_labels],
    "hard-related": [hard.related_labels],
}
BY_PARTS = ("floors", "beside-gie", "reading")
"""Sections whose contenders are compared within themselves: seconds of each part, the unit first."""
SIZES: dict[str, tuple[int, ...]] = {
    "grow_instances": (10_000, 20_000, 50_000, 100_000, 200_000, 452_167),
    "grow_labels": (1, 3, 12, 30),
    "grow_families": (3, 12, 30, 100, 200, 500),
    "grow_ancestors": (1, 2, 3, 4),
    "one_instance": (1_000, 100_000, 3_000_000),
    "many_systems": (20, 50, 100, 200),
    **hard.SIZES,
}
"""What a contender of a growing size is asked for, one after the other."""
