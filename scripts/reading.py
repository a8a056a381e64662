"""Reading of labels, scores and ontologies in files and in memory: what ``benchmark.py`` measures, part by part.

Processor time, the least of five. 117,714 documents with 1.2 million MeSH headings, drawn at random (*synthetic*).
"""

from __future__ import annotations

import gc
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("HEMLP_DATA", "absent"))
Parts = Callable[[], dict[str, float]]


def least(run: Callable[[], Any]) -> float:
    """Seconds of processor time."""
    gc.collect()
    gc.freeze()
    seconds = []
    for _ in range(5):
        start = time.process_time()
        made = run()
        seconds.append(time.process_time() - start)
        del made
    return min(seconds)


def unzip(place: Path) -> bytes:
    """The content of a file."""
    return gzip.decompress(place.read_bytes())


def documents() -> dict[str, list[str]]:
    """Synthetic documents with their headings."""
    rng = random.Random(0)
    headings = (DATA / "medline_mesh" / "gold.txt").read_text().split()
    return {f"doc{k:06d}": list(dict.fromkeys(rng.choices(headings, k=rng.randint(6, 15)))) for k in range(117_714)}


def reading_labels() -> Parts:
    """Labels, one (id, label) pair a row, and one list an instance."""
    import pandas
    import polars
    import pyarrow
    from pyarrow import csv, parquet

    from hemlp import LabelSets, read_labels

    pyarrow.set_cpu_count(1)
    folder = Path(tempfile.mkdtemp())
    sets = documents()
    pairs = [(name, label) for name, labels in sets.items() for label in labels]
    frame = pandas.DataFrame(pairs, columns=["id", "label"])
    frame.to_csv(folder / "y.csv", index=False)
    frame.to_parquet(folder / "y.parquet")
    (folder / "y.json").write_text(json.dumps(sets))
    lines = (json.dumps({"id": name, "labels": labels}) for name, labels in sets.items())
    (folder / "y.jsonl").write_text("\n".join(lines))
    table, other = pyarrow.Table.from_pandas(frame), polars.from_pandas(frame)
    objects = frame.astype(object)
    columns = {"id": frame["id"].tolist(), "label": frame["label"].tolist()}
    coded = csv.ConvertOptions(column_types=dict.fromkeys(("id", "label"), pyarrow.dictionary("int32", "string")))
    alone = csv.ReadOptions(use_threads=False)
    return lambda: {
        "`pyarrow.csv`": least(lambda: csv.read_csv(folder / "y.csv", alone)),
        "`pyarrow.csv`, each text once": least(lambda: csv.read_csv(folder / "y.csv", alone, convert_options=coded)),
        ".csv": least(lambda: read_labels(folder / "y.csv")),
        "frame of pandas": least(lambda: LabelSets.of(frame)),
        "frame of pandas, objects": least(lambda: LabelSets.of(objects)),
        "frame of polars": least(lambda: LabelSets.of(other)),
        "Arrow table": least(lambda: LabelSets.of(table)),
        "dict of columns": least(lambda: LabelSets.of(columns, id="id", label="label")),
        "`pyarrow.parquet`": least(lambda: parquet.read_table(folder / "y.parquet", use_threads=False)),
        ".parquet": least(lambda: read_labels(folder / "y.parquet")),
        "`json.load`": least(lambda: json.loads((folder / "y.json").read_text())),
        ".json": least(lambda: read_labels(folder / "y.json")),
        ".jsonl": least(lambda: read_labels(folder / "y.jsonl")),
        "dict of lists": least(lambda: LabelSets.of(sets)),
    }


def reading_scores() -> Parts:
    """Scores of these pairs, with three digits."""
    import pandas
    import pyarrow
    from pyarrow import csv

    from hemlp import ScoredSets, read_scores

    pyarrow.set_cpu_count(1)
    folder = Path(tempfile.mkdtemp())
    rng = random.Random(1)
    sets = {name: {label: rng.randint(1, 1000) / 1000 for label in labels} for name, labels in documents().items()}
    triples = [(name, label, score) for name, scores in sets.items() for label, score in scores.items()]
    frame = pandas.DataFrame(triples, columns=["id", "label", "score"])
    frame.to_csv(folder / "s.csv", index=False)
    frame.to_csv(folder / "s.tsv", index=False, header=False, sep="\t")
    alone = csv.ReadOptions(use_threads=False)
    coded = csv.ConvertOptions(column_types=dict.fromkeys(("id", "label"), pyarrow.dictionary("int32", "string")))
    return lambda: {
        "`pyarrow.csv`": least(lambda: csv.read_csv(folder / "s.csv", alone)),
        "`pyarrow.csv`, each text once": least(lambda: csv.read_csv(folder / "s.csv", alone, convert_options=coded)),
        ".csv": least(lambda: read_scores(folder / "s.csv")),
        ".tsv without a header": least(lambda: read_scores(folder / "s.tsv")),
        "frame of pandas": least(lambda: ScoredSets.of(frame)),
        "dict of dicts": least(lambda: ScoredSets.of(sets)),
    }


def write_ontology(place: Path, edges: str) -> None:
    """As OBO, without definitions."""
    parents: dict[str, list[str]] = {}
    for line in edges.splitlines():
        parent, child = line.split()[:2]
        parents.setdefault(parent, [])
        parents.setdefault(child, []).append(parent)
    with place.open("w") as file:
        file.write("format-version: 1.2\n")
        for name, above in sorted(parents.items()):
            file.write(f"\n[Term]\nid: {name}\nname: name of {name}\nnamespace: all\n")
            file.writelines(f"is_a: {parent} ! name of {parent}\n" for parent in above)


def reading_ontologies() -> Parts:
    """Ontologies: the Gene Ontology of 2022 as OBO, and STW, 3.4 MB of Turtle."""
    from hemlp import read_hierarchy

    obo = Path(tempfile.mkdtemp()) / "go.obo"
    write_ontology(obo, (DATA / "go2022" / "go_isa_partof.txt").read_text())
    text = (DATA / "go2022" / "go_isa_partof.txt").read_text()
    return lambda: {
        "split lines of the edges by Python": least(lambda: [line.split() for line in text.splitlines()]),
        ".obo": least(lambda: read_hierarchy(obo)),
        ".ttl": least(lambda: read_hierarchy(DATA / "formats" / "stw-skos.ttl.gz")),
    }


def reading_cafa() -> Parts:
    """CAFA 2, both ontologies: whole commands from files to weighted Fmax, processor time with start-up."""
    folder = Path(tempfile.mkdtemp())
    for name in ("cco", "mfo"):
        given, made = DATA / "cafa2" / name, folder / name
        made.mkdir()
        texts = {file: unzip(given / f"{file}.gz").decode() for file in ("hierarchy.txt", "ids.txt", "gold.txt")}
        write_ontology(made / "go.obo", texts["hierarchy.txt"])
        rows = zip(texts["ids.txt"].splitlines(), texts["gold.txt"].splitlines(), strict=True)
        (made / "gold.tsv").write_text("".join(f"{key}\t{label}\n" for key, row in rows for label in row.split()))
        for file in ("ia.tsv", "scored_blast.tsv"):
            (made / file).write_bytes(unzip(given / f"{file}.gz"))

    def seconds(*words: str) -> float:
        start = os.times()
        for name in ("cco", "mfo"):
            subprocess.run(words, cwd=folder / name, check=True, capture_output=True)
        end = os.times()
        return end.children_user + end.children_system - start.children_user - start.children_system

    own = (sys.executable, "-m", "hemlp", "cafa", "go.obo", "gold.tsv", "scored_blast.tsv", "--weights", "ia.tsv")
    commands = {"without intervals": (*own, "--no-intervals"), "with intervals": own}
    if peer := shutil.which("cafaeval"):
        for name in ("cco", "mfo"):
            (folder / name / "predictions").mkdir()
            shutil.copy(folder / name / "scored_blast.tsv", folder / name / "predictions")
        commands["`cafaeval`, one thread, without intervals, on its grid"] = (
            peer, "go.obo", "predictions", "gold.tsv", "-ia", "ia.tsv", "-threads", "1",
        )  # fmt: skip
    commands["`import numpy, click`"] = (sys.executable, "-c", "import numpy, click")
    return lambda: {name: min(seconds(*words) for _ in range(3)) for name, words in commands.items()}
