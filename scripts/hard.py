"""Exact F_LCA where it is hard: proteins on the Gene Ontology, and random labels on five ontologies."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("HEMLP_DATA", "absent"))
ONTOLOGIES = {
    "GO": "go2022/go_isa_partof.txt",
    "GO, all relations": "go2022/go_all_relations.txt",
    "ChEBI": "chebi2026/chebi2026_isa.txt.gz",
    "MeSH": "mesh2016/mesh_hierarchy.txt",
    "WordNet": "wordnet30/*",
}
INSTANCES = 100


def _proteins(name: str) -> Callable[[], str]:
    import hemlp

    folder = DATA / "go2019_human"
    h, true = hemlp.read_hierarchy(folder / "hierarchy.txt.gz"), hemlp.read_labels(folder / "gold.txt.gz")
    systems = {file.name: hemlp.read_labels(file) for file in sorted(folder.glob("pred_*"))}
    few = next(iter(systems.values()))
    hemlp.measure(name).score(hemlp.Batch.of(h, true, few)[:50])

    def run() -> str:
        ev = hemlp.evaluate(h, true, systems, [name])
        proved = sum(ev.status(system, name).get("optimal", 0) for system in systems)
        return f"{len(systems)} systems x {len(true):,} proteins, {proved:,} optimal"

    return run


def go_human_gie() -> Callable[[], str]:
    """GIE of seven systems on the Gene Ontology, human proteins."""
    return _proteins("GIE")


def go_human_lca() -> Callable[[], str]:
    """Exact F_LCA of the same."""
    return _proteins("F_LCA")


def _labels(h: Any, number: int, related: bool) -> Any:
    """Random labels, or true ones and a copy in which every third is another class."""
    import numpy as np

    import hemlp

    rng, names = np.random.default_rng(number), np.array(h.labels, dtype=object)
    true = [rng.choice(len(h), number, replace=False) for _ in range(INSTANCES)]
    other = [rng.choice(len(h), number, replace=False) for _ in range(INSTANCES)]
    pred = [np.where(rng.random(number) < 2 / 3, a, b) if related else b for a, b in zip(true, other, strict=True)]
    return hemlp.Batch.of(h, [names[row].tolist() for row in true], [names[row].tolist() for row in pred])


def _random(number: int, related: bool) -> Callable[[], dict[str, float]]:
    import numpy as np

    import hemlp

    measure = hemlp.measure("F_LCA")

    def run() -> dict[str, float]:
        found: dict[str, float] = {}
        for title, place in ONTOLOGIES.items():
            h = hemlp.read_hierarchy(next(DATA.glob(place)))
            batch = _labels(h, number, related)
            measure.score(batch[:1])
            seconds, scores = [], []
            for i in range(len(batch)):
                begun = time.perf_counter()
                scores.append(measure.score(batch[i : i + 1]))
                seconds.append(time.perf_counter() - begun)
            gaps = [float(each["bound"][0] - each.values[0]) for each in scores]
            found[f"{title}: proved"] = sum(each.fallbacks == 0 for each in scores)
            found[f"{title}: p50 ms"] = 1e3 * float(np.median(seconds))
            found[f"{title}: p99 ms"] = 1e3 * float(np.quantile(seconds, 0.99))
            found[f"{title}: worst ms"] = 1e3 * max(seconds)
            found[f"{title}: widest gap"] = max(gaps)
        return found

    return run


def random_labels(number: int) -> Callable[[], dict[str, float]]:
    """F_LCA of random labels, 100 instances an ontology, so many labels per side."""
    return _random(number, related=False)


def related_labels(number: int) -> Callable[[], dict[str, float]]:
    """F_LCA of noisy copies, 100 instances an ontology, so many labels per side."""
    return _random(number, related=True)


SIZES = {"random_labels": (20, 30, 50, 80, 120), "related_labels": (20, 50, 60, 80, 120)}
