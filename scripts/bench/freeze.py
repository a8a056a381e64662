"""Digests of everything that hemlp computes and prints, so that a change of the code can be shown to change no number.

    python scripts/bench/freeze.py write FILE       # before the change
    python scripts/bench/freeze.py compare FILE     # after it: lists what differs; then the exit code is 1

All named measures with several parameters, on the bundled example and, where HEMLP_DATA is set, on real data: every
per-instance column bit by bit, statuses, LP and MPS texts of every stage, tables, JSON, and what commands print.
Signatures and the version are left out of texts, so that a new version can be compared with an old one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

import hemlp
from hemlp import Batch, LabelSets, measure
from hemlp.cli.main import commands

PAIRS = [
    "GIE", "GIE(default_cost=2.5)", "GIE(max_distance=4)", "GIE(horizon=2)", "MGIA", "MGIA(normalizer='union')",
    "MGIA(pairing='nearest')", "MGIA(default_cost=3, horizon=3)", "SunLim", "TIE", "GIE(cost='wu_palmer')",
    "PairMeasure('loose', bounds=Bounds(predicted=(1, 2), true=(1, ALL)), default_cost=5)",
    "PairMeasure('lenient', bounds=Bounds(predicted=(1, 1), true=(0, ALL)), default_cost=5)",
]  # fmt: skip
SETS = [
    "P_H", "R_H", "F_H", "F_H(top=True)", "F_H(horizon=2)", "F_H(beta=2)", "SDL", "SDL(top=True)", "P_De", "R_De",
    "F_De", "F_Tol", "SDL_Tol", "simUI", "accuracy", "jaccard", "hamming", "P", "R", "F", "F(beta=0.5)",
]  # fmt: skip
LCAS = ["F_LCA", "P_LCA", "R_LCA", "F_LCA(method='greedy')", "F_LCA(method='extended')", "F_LCA(horizon=2)"]
MATCHES = ["BMA", "funSimAvg", "funSimMax", "matched_P", "matched_R", "matched_F"]
TEXTS = [*PAIRS, *SETS, *LCAS, *(f"{name}(cost='wu_palmer')" for name in MATCHES), "transport"]
WEIGHTED = ("ICM", "simGIC", "F_H", "SDL", "F", "jaccard", "transport")
ROWS = 400
"""Instances of real data that are scored."""
PROGRAMS = 3
"""Instances whose programs are written."""


def digest(data: bytes | str) -> str:
    """A short one."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()[:24]


def plain(text: str) -> str:
    """Without versions and times."""
    return re.sub(r"hemlp[: ]+\d[\w.]*|\"hemlp\": \"[^\"]*\"|\d[\d.]* m?s\b", "", text)


def datasets() -> Iterator[tuple[str, hemlp.Hierarchy, LabelSets, dict[str, LabelSets]]]:
    """Name, hierarchy, true labels, and predictions of systems."""
    mesh = hemlp.examples.mesh_mini()
    yield "mesh_mini", mesh.hierarchy, LabelSets.of(mesh.true), {k: LabelSets.of(v) for k, v in mesh.systems.items()}
    if "HEMLP_DATA" not in os.environ:
        print("HEMLP_DATA is not set: the bundled example alone", file=sys.stderr)
        return
    data = Path(os.environ["HEMLP_DATA"])
    for name, hierarchy, folder in (
        ("medline", data / "mesh2016" / "mesh_hierarchy.txt", data / "medline_mesh"),
        ("go_human", next((data / "go2019_human").glob("*hier*")), data / "go2019_human"),
    ):
        files = sorted(folder.glob("pred_*.txt*"))[:3]
        yield (
            name,
            hemlp.read_hierarchy(hierarchy),
            head(next(folder.glob("gold.txt*"))),
            {file.name: head(file) for file in files},
        )


def head(file: Path) -> LabelSets:
    """The first rows of a file."""
    return LabelSets.of(list(hemlp.read_labels(file))[:ROWS], rows="sets")


def frozen() -> Iterator[tuple[str, str]]:
    """Names and digests of everything."""
    for name, h, true, systems in datasets():
        ic = hemlp.information_content(h, true, unseen=1.0)
        measures = [measure(text) for text in TEXTS]
        measures += [measure(text, weights=ic) for text in WEIGHTED]
        for system, pred in systems.items():
            batch = Batch.of(h, true, pred)
            for each in measures:
                yield from scores(f"{name}/{system}/{each}", each, batch)
        first = Batch.of(h, true, next(iter(systems.values())))
        for each in measures:
            yield from programs(f"{name}/{each}", each, first)
        yield from evaluations(name, h, true, systems)
    yield from printed()


def scores(name: str, each: hemlp.Measure, batch: Batch) -> Iterator[tuple[str, str]]:
    """Columns and statuses."""
    made = each.score(batch, undefined="nan")
    for column, values in made.columns.items():
        if column not in ("step", "seconds"):
            yield f"scores/{name}/{column}", digest(np.ascontiguousarray(values).tobytes())
    yield f"scores/{name}/status", digest(made.statuses.tobytes())


def programs(name: str, each: hemlp.Measure, batch: Batch) -> Iterator[tuple[str, str]]:
    """Texts of programs of small instances, stage by stage."""
    sizes = np.diff(batch.true.ptr) * np.diff(batch.pred.ptr)
    for row in np.flatnonzero((sizes > 0) & (sizes <= 40))[:PROGRAMS].tolist():
        try:
            model = each.model(batch[row : row + 1])
        except hemlp.HemlpError as error:
            yield f"programs/{name}/{row}", f"{type(error).__name__}"
            continue
        for stage in getattr(model, "stages", (None,)):
            for kind in ("lp", "mps"):
                try:
                    text = getattr(model, f"to_{kind}")(**({} if stage is None else {"stage": stage}))
                except (hemlp.HemlpError, NotImplementedError) as error:
                    text = type(error).__name__
                yield f"programs/{name}/{row}/{stage}/{kind}", digest(plain(text))


def evaluations(
    name: str, h: hemlp.Hierarchy, true: LabelSets, systems: dict[str, LabelSets]
) -> Iterator[tuple[str, str]]:
    """Tables and JSON."""
    ev = hemlp.evaluate(h, true, systems, ["F", "GIE", "MGIA", "F_H", "SDL", "F_LCA"])
    first, second = ev.systems[:2]
    tables: dict[str, Any] = {
        "table": ev.table(), "compare": ev.compare(first, second), "significance": ev.significance(),
        "kendall": ev.kendall(100), "levels": ev.levels(first), "classes": ev.classes(first),
        "branches": ev.branches(first, "F_H"), "errors": ev.errors(first), "sensitivity": ev.sensitivity("GIE").table(),
        "explain": ev.explain(first, 0),
    }  # fmt: skip
    for key, table in tables.items():
        yield f"tables/{name}/{key}", digest(plain(str(table)))
    yield f"json/{name}", digest(plain("".join(ev.json_pieces())))


def printed() -> Iterator[tuple[str, str]]:
    """What commands print about the bundled example."""
    files = hemlp.examples.DATA / "mesh_mini"
    h, gold = str(files / "hierarchy.txt"), str(files / "gold.txt")
    knn, svm = (f"{name}={files / f'pred_{name}.txt'}" for name in ("knn30", "svm_ovr_freq60"))
    with tempfile.TemporaryDirectory() as folder:
        per_instance = Path(folder) / "rows"
        for words in (
            ["evaluate", h, gold, knn, svm, "-m", "F_H", "-m", "F_LCA", "--compare", "knn30", "svm_ovr_freq60"],
            ["evaluate", h, gold, knn, "-m", "GIE", "-m", "MGIA", "--json", "-"],
            ["evaluate", h, gold, knn, "-m", "F_LCA", "--quiet", "--per-instance", str(per_instance)],
            ["explain", h, gold, knn, "--row", "3", "-m", "F_LCA"],
            ["model", h, gold, knn, "--row", "3", "-m", "GIE"],
            ["diagnose", h, gold, knn],
            ["sensitivity", h, gold, knn, svm],
            ["cases"],
            ["measures"],
        ):
            out = CliRunner().invoke(commands, words)
            name = " ".join(word for word in words if "/" not in word)
            yield f"commands/{name}", digest(plain(f"{out.exit_code}\n{out.stdout}".replace(folder, "")))
        for file in sorted(per_instance.glob("*.csv")):
            yield f"commands/{file.name}", digest(file.read_bytes())


def main(command: str, file: str) -> int:
    """Write or compare."""
    now = dict(frozen())
    if command == "write":
        Path(file).write_text(json.dumps(now, indent=0, sort_keys=True) + "\n", encoding="utf-8")
        print(f"{len(now):,} digests in {file}")
        return 0
    before = json.loads(Path(file).read_text(encoding="utf-8"))
    differing = [name for name in before if name in now and before[name] != now[name]]
    for words, names in (
        ("differ", differing),
        ("are gone", sorted(before.keys() - now.keys())),
        ("are new", sorted(now.keys() - before.keys())),
    ):
        print(f"{len(names):,} {words}")
        for name in names:
            print(f"  {name}")
    return int(bool(differing or before.keys() - now.keys()))


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("write", "compare"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
