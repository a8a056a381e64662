"""A process that fuzzes every reader: from a seed upward, each seed is one damaged or hostile file.

Only a HemlpError may come out, soon and in bounded memory. Each seed is printed before its file is read, so that
``fuzz.py``, which starts this, knows where a process ended.
"""

from __future__ import annotations

import faulthandler
import gzip
import io
import logging
import resource
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow
import pyarrow.parquet

import hemlp
from hemlp.hierarchy.class_names import read_classes, read_names
from hemlp.run.study import Study

MEMORY = 6 * 2**30
SECONDS = 60
LARGEST = 2**20
EDGES = "animal\tdog\nanimal\tcat\nanimal\tlivestock\nlivestock\tsheep\nlivestock\tcow\ncat\tkitten\n"
ROWS = [line.split("\t") for line in EDGES.splitlines()]
HIERARCHY = hemlp.Hierarchy.from_edges([(parent, child) for parent, child in ROWS])
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
TRIPLES = [(f"<http://a/{child}>", f"<{SKOS}broader>", f"<http://a/{parent}>") for parent, child in ROWS]
NESTED = '{"animal": {"dog": {}, "cat": {"kitten": {}}, "livestock": ["sheep", "cow"]}}'
MEASURES = [hemlp.measure(text) for text in ("F_LCA", "MGIA(default_cost=4)", "GIE", "F_H(horizon=2)")]
STUDY = """hierarchy = "edges.txt"
true = "true.txt"
measures = ["F", "F_LCA", "MGIA(default_cost=4)"]
[systems]
knn = "pred.txt"
net = "scores.tsv@0.3"
[tuning]
measure = "F_LCA"
true = "dev.txt"
systems = { net = "dev.tsv" }
[[measure]]
name = "lenient"
predicted = [1, 1]
true = [0, "ALL"]
default_cost = 5
[options]
undefined = "nan"
[tests]
compare = [["knn", "net"]]
significance = ["F_LCA"]
kendall = 1000
[gate]
baseline = "accepted.json"
max_drop = { F_LCA = 0.01 }
[outputs]
json = "study.json"
"""
TEXTS: dict[str, list[tuple[str, str]]] = {
    "hierarchy": [
        ("edges.txt", EDGES),
        ("edges.tsv", "parent\tchild\tweight\n" + EDGES.replace("\n", "\t0.5\n")),
        ("edges.csv", "parent,child,name\n" + EDGES.replace("\t", ",").replace("\n", ",some name\n")),
        ("paths.txt", "animal > cat > kitten\nanimal > livestock > cow\nanimal > dog\n"),
        ("tree.json", NESTED),
        ("records.json", '[{"id": "cat", "parents": ["animal"], "name": "Cat"}, {"id": "animal", "parents": []}]'),
        ("tree.yaml", "animal:\n  dog:\n  cat:\n    - kitten\n  livestock:\n    - sheep\n    - cow\n"),
        ("terms.obo", "format-version: 1.2\n\n[Term]\nid: A:1\nname: animal\n\n[Term]\nid: A:2\nname: cat\n"
         'alt_id: A:3\nsynonym: "puss" EXACT []\nis_a: A:1 ! animal\nrelationship: part_of A:1\n'),
        ("triples.nt", "".join(f"{' '.join(triple)} .\n" for triple in TRIPLES)),
        ("concepts.ttl", f"@prefix skos: <{SKOS}> .\n<http://a/cat> a skos:Concept ; skos:broader <http://a/animal> ;\n"
         '  skos:prefLabel "cat"@en, "chat"@fr .\n<http://a/animal> a skos:Concept .\n'),
        ("concepts.rdf", f'<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="{RDF}" xmlns:skos="{SKOS}">\n'
         '<skos:Concept rdf:about="http://a/cat"><skos:broader rdf:resource="http://a/animal"/></skos:Concept>\n'
         "</rdf:RDF>\n"),
        ("concepts.jsonld", f'{{"@id": "http://a/cat", "{SKOS}broader": {{"@id": "http://a/animal"}}}}'),
        ("nodes.dmp", "1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tgenus\t|\n3\t|\t2\t|\tspecies\t|\n"),
    ],
    "labels": [
        ("lines.txt", "dog cat\n\nsheep\nkitten cow\n"),
        ("table.csv", "id,label\n1,dog\n1,cat\n2,\n3,sheep\n"),
        ("matrix.csv", "id,dog,cat,sheep\n1,1,0,1\n2,0,0,0\n3,0,1,0\n"),
        ("rows.jsonl", '{"id": 1, "labels": ["dog", "cat"]}\n{"id": 2, "labels": []}\n'),
        ("lists.jsonl", '["dog", "cat"]\n[]\n"sheep"\n'),
        ("all.json", '{"1": ["dog", "cat"], "2": [], "3": ["sheep"]}'),
    ],
    "scores": [
        ("triples.tsv", "1\tdog\t0.9\n1\tcat\t0.25\n2\tsheep\t1e-3\n"),
        ("triples.csv", "id,label,score\n1,dog,0.9\n1,cat,0.25\n2,sheep,1e-3\n"),
        ("tokens.txt", "dog:0.9 cat:0.25\n\nsheep:1e-3 cow:1\n"),
        ("rows.jsonl", '{"id": 1, "scores": {"dog": 0.9, "cat": 0.25}}\n{"id": 2, "scores": {}}\n'),
    ],
    "study": [("study.toml", STUDY)],
    "measures": [("measures.toml", hemlp.write_measures(MEASURES))],
    "weights": [("ia.tsv", "class\tweight\ndog\t0.5\ncat\t1e-3\ncow\t2\n"), ("ia.csv", "dog,0.5\ncat,1\n")],
    "names": [("names.tsv", "dog\tthe dog\ncat\tthe cat\n")],
    "classes": [("classes.txt", "dog\ncat\n")],
}  # fmt: skip
TOKENS = (
    b"nan", b"inf", b"-inf", b"1e999", b"-0.0", b"-1", b"9" * 400, b"1" * 5000, b"1_000", b"0x10", b"1.5", b"true",
    b"null", b"None", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\xc2\x85", b"\\ud800",
    b"\r", b"\x0b", b"\t\t\t", b",,,", b'"', b"'", b"'''", b"[" * 50_000, b"{" * 50_000, b'{"a":' * 20_000,
    b"- " * 5_000, b"(" * 5_000, b"[]", b"{}", b"#", b"@", b"|", b" > ", b"a\ta\n", b"dog\tanimal\n",
    b"../../etc/passwd", b"/dev/zero", b"__import__('os')", b"!!python/object/apply:os.system [id]", b"&a [*a, *a]",
    b"<!DOCTYPE x [<!ENTITY a 'aaa'>]>",
    b"&a;", b"<![CDATA[", b"http://127.0.0.1:9/x", b"file:///etc/passwd", b"@context", b"1979-05-27T07:32:00Z", b"ALL",
    b"F_LCA(", b"default_cost", b"1e308", b"5e-324", b"99999999999999999999", b"-9223372036854775808", b"%s%n", b"~",
)  # fmt: skip
"""What readers may choke on: numbers that are none, nesting, other notations, references, the words of formats."""


def to_bytes(write: Callable[[str], object]) -> bytes:
    """What is written to a file."""
    with tempfile.TemporaryDirectory() as folder:
        write(f"{folder}/file")
        return Path(folder, "file").read_bytes()


def seeds() -> list[tuple[str, str, bytes]]:
    """Of each valid file the kind of its reader, its name and what it holds."""
    found = [(kind, name, text.encode()) for kind, files in TEXTS.items() for name, text in files]
    firsts = [(kind, *TEXTS[kind][0]) for kind in ("hierarchy", "labels", "scores")]
    found += [(kind, f"{name}.gz", gzip.compress(text.encode(), mtime=0)) for kind, name, text in firsts]
    for kind, columns in {
        "hierarchy": {"parent": [row[0] for row in ROWS], "child": [row[1] for row in ROWS]},
        "labels": {"id": ["1", "1", "2"], "label": ["dog", "cat", "cow"]},
    }.items():
        buffer = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.table(columns), buffer)
        found.append((kind, "table.parquet", buffer.getvalue()))
    true = [["dog"], ["cat", "cow"], [], ["sheep"]]
    ev = hemlp.evaluate(HIERARCHY, true, {"a": true[::-1], "b": true}, ["F_H", "MGIA"])
    found.append(("evaluation", "result.json", to_bytes(ev.to_json)))
    scored = [{"dog": 0.9, "cat": 0.2}, {"cat": 0.5, "cow": 0.4}, {"dog": 0.1}, {"sheep": 0.7}]
    found.append(("thresholds", "one.json", to_bytes(hemlp.tune(HIERARCHY, true, scored, "F_H").to_json)))
    by_level = hemlp.tune(HIERARCHY, true, scored, "F_H", by="level", few="shared")
    found.append(("thresholds", "levels.json", to_bytes(by_level.to_json)))
    with tempfile.TemporaryDirectory() as folder:
        run_in(Path(folder))
        found += [("run", file.name, file.read_bytes()) for file in sorted(Path(folder).iterdir())]
    old = Path(__file__).parents[2] / "tests" / "evaluation_0_2.json"
    return [*found, ("evaluation", "old.json", old.read_bytes())]


def run_in(folder: Path) -> Any:
    """What an evaluation in a run folder says."""
    true = [["dog"], ["cat", "cow"], [], ["sheep"]]
    return hemlp.evaluate(HIERARCHY, true, {"a": true[::-1]}, ["F_H", "MGIA"], chunk=2, resume=folder).to_dict()


def read(kind: str, file: Path) -> object:
    """Have a file read, and what was read used."""
    match kind:
        case "hierarchy":
            h = hemlp.read_hierarchy(file)
            some = list(h)[:1]
            return hemlp.evaluate(h, [some], {"s": [list(h)[-1:]]}, ["F_H"]).mean("s", "F_H")
        case "labels":
            labels = hemlp.read_labels(file)
            streamed = hemlp.evaluate(HIERARCHY, file, {"s": file}, ["F_H", "MGIA"], unknown="drop")
            return len(labels), streamed.to_dict()
        case "scores":
            scores = hemlp.read_scores(file)
            return hemlp.curve(HIERARCHY, scores.sets, scores, "F_H", unknown="drop", unknown_true="drop")
        case "study":
            return Study.read(file)
        case "measures":
            return hemlp.write_measures(hemlp.read_measures(file))
        case "evaluation":
            return hemlp.Evaluation.from_json(file).to_dict()
        case "thresholds":
            return hemlp.Tuned.from_json(file).to_dict()
        case "weights":
            return hemlp.read_weights(file)
        case "names":
            return read_names(file)
        case "classes":
            return read_classes(file)
        case _:
            return run_in(file.parent)


def mutated(data: bytes, others: list[bytes], rng: Random) -> bytes:
    """A file after a few mishaps."""
    for _ in range(rng.choice((1, 1, 2, 3, 5))):
        start, stop = sorted(rng.randrange(len(data) + 1) for _ in "ab")
        match rng.randrange(8):
            case 0:
                data = data[:start]
            case 1:
                data = data[:start] + data[stop:]
            case 2:
                data = data[:stop] + data[start:stop] * rng.choice((1, 2, 1000)) + data[stop:]
            case 3 if data:
                at = start % len(data)
                data = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
            case 4:
                other = rng.choice(others)
                data = data[:start] + other[rng.randrange(len(other)) :]
            case 5:
                lines = data.splitlines(keepends=True)
                rng.shuffle(lines)
                data = b"".join(lines)
            case 6:  # another word for one that is there
                words = data.split()
                data = data.replace(rng.choice(words), rng.choice(TOKENS), 1) if words else data
            case _:
                data = data[:start] + rng.choice(TOKENS) + data[start:]
        data = data[:LARGEST]
    return data


def main(first: int, kept: Path) -> None:
    """Fuzz from this seed on, until somebody ends this process; files of failures are kept."""
    logging.disable()
    of_kinds = seeds()
    kinds = sorted({kind for kind, _, _ in of_kinds})
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for kind, name, data in of_kinds:
        if kind != "run":
            Path(name).write_bytes(data)
            read(kind, Path(name))  # what is valid is read
    usual, seed = run_in(Path("usual")), first
    while True:
        rng = Random(seed)
        kind = rng.choice(kinds)
        kind, name, data = rng.choice([one for one in of_kinds if one[0] == kind])
        data = mutated(data, [other for _, _, other in of_kinds], rng)
        print("seed", seed, kind, name, flush=True)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, name)
            for one, intact, held in of_kinds if kind == "run" else []:
                if one == "run":
                    Path(folder, intact).write_bytes(held)
            file.write_bytes(data)
            (kept / "now").write_bytes(data)
            try:
                found = read(kind, file)
                outcome = "read" if kind != "run" or found == usual else "WRONG"
            except hemlp.HemlpError:
                outcome = "refused"
            except BaseException:
                outcome = "WRONG"
                lines = traceback.format_exc().splitlines()
                print(*(line[:200] for line in lines[-16:]), sep="\n", file=sys.stderr, flush=True)
            if outcome == "WRONG":
                (kept / f"{seed}-{name}").write_bytes(data)
        print(outcome, flush=True)
        seed += 1


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
