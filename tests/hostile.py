"""Hostile files: payloads by the kind of file, readers by the kind that they take, and mutations of valid files.

Every reader, given any of them, returns something or raises a ``HemlpError``, soon and without much memory. The test
beside this module tries them all; a fuzzer draws ``mutated`` files for as long as it likes.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import hemlp
from hemlp import Evaluation, evaluate, read_hierarchy, read_labels, read_measures, read_scores
from hemlp.analysis.scored.tuned_rule import Tuned
from hemlp.hierarchy.class_names import read_classes, read_names
from hemlp.hierarchy.class_weights import read_weights
from hemlp.instances.score_files import as_gold
from hemlp.run.study import Study

DEEP = 990
DIGITS = "9" * 5000
EDGES = [("r", "a"), ("r", "b"), ("a", "c")]


def label_file(path: str) -> list[Any]:
    """All blocks of a file that is read block by block."""
    return list(hemlp.instances.label_files.LabelFile(path).blocks(10_000))


READERS: dict[str, Callable[[Any], Any]] = {
    "hierarchy": read_hierarchy,
    "labels": read_labels,
    "blocks": label_file,
    "scores": read_scores,
    "gold": as_gold,
    "names": read_names,
    "weights": read_weights,
    "classes": read_classes,
    "measures": lambda path: read_measures(Path(path)),
    "evaluation": Evaluation.from_json,
    "thresholds": Tuned.from_json,
    "study": lambda path: Study.read(path).check(),
}
"""All functions that read a file, by what they read."""

ENDINGS = {
    "hierarchy": (
        ".txt",
        ".csv",
        ".tsv",
        ".json",
        ".yaml",
        ".obo",
        ".ttl",
        ".n3",
        ".nt",
        ".rdf",
        ".owl",
        ".jsonld",
        ".dmp",
        ".parquet",
    ),
    "labels": (".txt", ".csv", ".tsv", ".json", ".jsonl", ".parquet", ".gaf", ".gpad"),
    "blocks": (".txt",),
    "scores": (".tsv", ".csv", ".jsonl", ".txt", ".parquet"),
    "gold": (".tsv", ".txt"),
    "names": (".tsv", ".obo"),
    "weights": (".tsv", ".csv"),
    "classes": (".txt",),
    "measures": (".toml",),
    "evaluation": (".json",),
    "thresholds": (".json",),
    "study": (".toml",),
}
"""The endings of the names of files that a reader takes, each of them a format."""


def _jsons() -> dict[str, str]:
    deep = {"list": "[" * DEEP + "]" * DEEP, "object": '{"a":' * DEEP + "1" + "}" * DEEP}
    node = '{"name":"a","children":[' * (DEEP // 2) + "]}" * (DEEP // 2)
    return {
        **{f"deep {kind}": text for kind, text in deep.items()},
        "deep nodes": node,
        "bottomless": "[" * 100_000,
        "digits": DIGITS,
        "digits in a list": f"[{DIGITS}]",
        "digits as a score": f'{{"id":"x","scores":{{"a":{DIGITS}}}}}',
        "great": '{"id":"x","scores":{"a":1e999}}',
        "integer as a score": f'{{"id":"x","scores":{{"a":{"9" * 400}}}}}',
        "nan": "[NaN]",
        "null": "null",
        "list as a name": '[{"id":["x"],"labels":["a"]}]',
        "object as a name": '{"nodes":[{"id":{}}],"links":[]}',
        "empty names": '{"":{"":{}}}',
        "surrogate": '["\\ud800"]',
        "surrogates": '{"r":["\\udfff\\ud800"]}',
        "zero": '["a\\u0000b"]',
        "twice": '{"a":1,"a":2}',
        "mixed": '[1,"a",null,true,[],{}]',
        "half": '{"a":[1,',
        "context": '{"@context":"http://127.0.0.1:9/c","@graph":[]}',
        "number": "1",
        "text": '"a"',
        "empty": "",
        "pickle": '{"py/object":"os.system"}',
        "prototype": '{"__class__":"x","__reduce__":["os.system",["true"]]}',
    }


def _tomls() -> dict[str, str]:
    measure = '[[measure]]\nname = "m"\n'
    return {
        "digits": f"a = {DIGITS}",
        "digits in a measure": f"{measure}default_cost = {DIGITS}",
        "digits in a study": f'hierarchy = "h"\ntrue = "t"\n[systems]\na = "p"\n[options]\nworkers = {DIGITS}',
        "deep": "a = " + "[" * DEEP + "]" * DEEP,
        "deep tables": "a = " + "{b=" * DEEP + "1" + "}" * DEEP,
        "deep measure": f"{measure}predicted = {'[' * 300}{']' * 300}",
        "inf": f"{measure}default_cost = inf",
        "nan": f"{measure}default_cost = nan",
        "great": f"{measure}predicted = [1, {'9' * 400}]",
        "import": f'{measure}kind = "os.system"',
        "dunder": f'{measure}kind = "__import__"',
        "call": f"{measure}cost = \"__import__('os').system('true')\"",
        "half call": f'{measure}cost = "uniform(("',
        "odd call": f'{measure}cost = "uniform(x)"',
        "open call": f'{measure}cost = "uniform((1)"',
        "call of many": f'{measure}cost = "uniform({"(" * 300})"',
        "list as a name": "[[measure]]\nname = ['a']",
        "bounds": f'{measure}predicted = "Bounds(1,2,3,4,5,6,7)"',
        "words": f'{measure}predicted = "ALL"',
        "no measures": "measure = 3",
        "date": f"{measure}default_cost = 1979-05-27",
        "bool": f"{measure}horizon = true",
        "zero": 'hierarchy = "a\\u0000b"\ntrue = "t"\n[systems]\na = "p"',
        "empty": "",
        "half": "[[measure",
        "systems": 'hierarchy = "h"\ntrue = "t"\nsystems = 3',
        "dates": "hierarchy = 1979-05-27\ntrue = 3\n[systems]",
        "gate": 'hierarchy = "h"\ntrue = "t"\n[systems]\na = "p"\n[gate]\nbaseline = ["a"]',
        "tests": 'hierarchy = "h"\ntrue = "t"\n[systems]\na = "p"\n[tests]\ncompare = [[1, 2]]\nkendall = inf',
        "digits too many": 'hierarchy = "h"\ntrue = "t"\n[systems]\na = "p"\n[outputs]\ndigits = 99',
        "tuning": 'hierarchy = "h"\ntrue = "t"\n[systems]\na = "p@tuned"\n[tuning]\nfolds = "x"\nmeasure = 3',
        "dask": 'hierarchy = "h"\ntrue = "t"\n[systems]\na = "p"\n[options]\ndask = "tcp://127.0.0.1:9"',
        "memory": 'hierarchy = "h"\ntrue = "t"\n[systems]\na = "p"\n[options]\nmemory = []\nnames = 3',
        "places": 'hierarchy = "h"\ntrue = "t"\n[systems]\na = "p"\n[outputs]\njson = "/x"\nhtml = "../../x"',
    }


def _yamls() -> dict[str, str]:
    laughs = ["a0: &a0 [x, x]", *(f"a{k}: &a{k} [*a{k - 1}, *a{k - 1}]" for k in range(1, 60))]
    maps = ["a0: &a0 {x: y}", *(f"a{k}: &a{k} {{p{k}: *a{k - 1}, q{k}: *a{k - 1}}}" for k in range(1, 60))]
    return {
        "laughs": "\n".join(laughs),
        "laughing maps": "\n".join(maps),
        "itself": "a: &a [*a]",
        "its own key": "&a {b: *a}",
        "python": "!!python/object/apply:os.system ['true']",
        "python name": "!!python/name:os.system",
        "deep": "[" * DEEP + "]" * DEEP,
        "deep blocks": "\n".join(" " * k + "a:" for k in range(DEEP)),
        "merge": "a: &a {b: c}\nd: {<<: *a}",
        "no anchor": "a: *b",
        "list as a key": "? [a]\n: b",
        "tag": "!<x> a",
        "two": "a: b\n---\nc: d",
        "binary": "a: !!binary aGk=",
        "digits": f"a: {DIGITS}",
        "empty": "",
        "half": "a: [",
    }


RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="http://www.w3.org/2004/02/skos/core#">'
CONCEPT = '<rdf:Description rdf:about="http://x/a"><s:broader rdf:resource="http://x/b"/>{}</rdf:Description></rdf:RDF>'


def _xmls() -> dict[str, str]:
    entities = '<!ENTITY e0 "x">' + "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 12))
    named = CONCEPT.format("<s:prefLabel>&{};</s:prefLabel>")
    body = {kind: RDF + named.replace("{}", kind) for kind in ("e11", "f", "q")}
    many = f"<s:prefLabel>{'&q;' * 5_000}</s:prefLabel>"
    long = f'<!DOCTYPE r [<!ENTITY q "{"x" * 50_000}">]>{RDF}{CONCEPT.format(many)}'
    return {
        "laughs": f"<?xml version='1.0'?><!DOCTYPE r [{entities}]>{body['e11']}",
        "quadratic": long,
        "file": f'<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]>{body["f"]}',
        "address": f'<!DOCTYPE r SYSTEM "http://127.0.0.1:9/x.dtd">{body["f"]}',
        "parameter": f'<!DOCTYPE r [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;]>{RDF}{CONCEPT.format("")}',
        "attribute": f"<!DOCTYPE r [{entities}]>{RDF}{CONCEPT.format('').replace('http://x/a', '&e11;')}",
        "include": RDF
        + CONCEPT.format(
            '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/>'
        ),
        "deep": RDF + "<rdf:Description><s:broader>" * DEEP,
        "unknown entity": body["f"],
        "half": "<rdf:RDF",
        "other encoding": f"<?xml version='1.0' encoding='UTF-7'?>{RDF}{CONCEPT.format('')}",
        "empty": "",
    }


def _turtles() -> dict[str, str]:
    skos = "@prefix s: <http://www.w3.org/2004/02/skos/core#> .\n"
    return {
        "base": f"@base <file:///etc/> .\n{skos}<passwd> s:broader <http://127.0.0.1:9/x> .",
        "imports": "<http://x> <http://www.w3.org/2002/07/owl#imports> <http://127.0.0.1:9/x> .",
        "deep": f"{skos}<a:a> s:broader " + "[ s:broader " * DEEP + "<a:b>" + "]" * DEEP + " .",
        "deep list": f"{skos}<a:a> s:broader " + "(" * DEEP + ")" * DEEP + " .",
        "odd": "<\\u0000> <> <> .",
        "literal": f'{skos}<a:a> s:broader "b" .',
        "digits": f"{skos}<a:a> s:broader {DIGITS} .",
        "half": "<a:a> <",
        "date": f'{skos}<a:a> s:broader <a:b> ; s:prefLabel "x"^^<http://www.w3.org/2001/XMLSchema#dateTime> .',
    }


def _json_lds() -> dict[str, str]:
    skos = "http://www.w3.org/2004/02/skos/core#"
    graph = '"@graph":[{"@id":"http://x/a","b":{"@id":"http://x/b"}}]'
    contexts = {
        "address": '"http://127.0.0.1:9/c"',
        "file": '"file:///etc/passwd"',
        "path": '"/etc/passwd"',
        "relative": '"c.json"',
        "list": '[{},"http://127.0.0.1:9/c"]',
        "nested list": '[[["http://127.0.0.1:9/c"]]]',
        "import": '{"@version":1.1,"@import":"http://127.0.0.1:9/c"}',
        "empty text": '""',
        "scoped": f'{{"b":{{"@id":"{skos}broader","@context":"http://127.0.0.1:9/c"}}}}',
        "scoped list": f'{{"b":{{"@id":"{skos}broader","@context":["http://127.0.0.1:9/c"]}}}}',
        "within": '{"@context":"http://127.0.0.1:9/c"}',
        "number": "1",
        "deep": '{"@context":' * 900 + "{}" + "}" * 900,
    }
    found = {f"context by {kind}": f'{{"@context":{text},{graph}}}' for kind, text in contexts.items()}
    inner = (
        f'{{"@context":{{"b":"{skos}broader"}},"@graph":[{{"@context":"http://127.0.0.1:9/c","@id":"http://x/a"}}]}}'
    )
    return {**found, "context of a node": inner, "context of a value": f'[{{"@context":["/etc/passwd"],{graph}}}]'}


def _plain() -> dict[str, str]:
    return {
        "empty": "",
        "blank": "\n\n",
        "one": "a",
        "zero": "a\0b\n",
        "return": "a\rb\n",
        "tabs": "\t\t\t\n\t\n",
        "quote": 'a,"b\n',
        "long line": "a " * 100_000,
        "long word": "a" * 200_000,
        "wide": ",".join("abc" * 5_000) + "\n",
        "digits": f"x\ta\t{DIGITS}",
        "header": "id,label\n",
        "same": "id,id,label,label\n1,2,3,4\n",
        "number": "id\tlabel\tscore\nx\ta\t1e999\n",
        "nan": "x\ta\tnan\n",
        "minus": "x\ta\t-inf\n",
        "paths": "a > b > a > b\n > > \n",
        "loop": "a b\nb a\n",
        "self": "a a\n",
        "obo": "[Term]\nid: a\nis_a: a\n[Term]\n[Typedef]\nid\n",
        "obo escapes": "[Term]\nid: a\\\nname: \\W\\\n",
        "dump": "1\t|\t1\t|\n|\t|\t|\n",
        "lines": "\u2028a\u0085b\x0bc\n",
        "marks": "\ufeff\ufeffa b\n",
        "formula": "=1+1,a\n",
        "escape": "\x1b[31ma b\n",
        "levels": "level1,level2\na,\n,b\n",
        "matrix": "id,a,b\n1,2,x\n",
        "weights": "a\t-1\nb\tinf\n",
    }


def _evaluations() -> dict[str, Any]:
    """Changes of a valid evaluation: the path to a value, and what stands there instead."""
    first = ("instances", "s", "F_H")
    long = {"values": [1], "runs": [10**12]}
    return {
        "list as a name": {(*first, "name"): ["F_H"]},
        "object as a name": {(*first, "name"): {}},
        "null": {(*first, "name"): None},
        "runs": {(*first, "columns", "F_H"): long, ("facts", "s", "instances"): 10**12},
        "negative runs": {(*first, "columns", "F_H"): {"values": [1, 1], "runs": [-1, 3]}},
        "great runs": {
            (*first, "columns", "F_H"): {"values": [1], "runs": [10**400]},
            ("facts", "s", "instances"): 10**400,
        },
        "rows": {(*first, "columns", "F_H"): {"values": [1], "rows": [-1, 0]}},
        "as": {(*first, "columns", "F_H"): {"as": [[]]}},
        "as itself": {(*first, "columns", "F_H"): {"as": ["s", "F_H", "F_H"]}},
        "digits": {("systems", "s", "F_H"): 10**400},
        "list as a mean": {("systems", "s", "F_H"): [1]},
        "status": {(*first, "status"): ["optimal", ["x"]]},
        "ids": {("ids",): [[], []]},
        "great ids": {("ids",): [10**400, 1]},
        "version": {("hemlp",): "9" * 4000},
        "versions": {("hemlp",): ["0.2"]},
        "gold": {("gold",): {"labels": 3, "ids": []}},
        "cuts": {("cuts",): {"s": ["x"]}},
        "facts": {("facts", "s"): []},
        "signature": {("signature", "F_H"): {}},
        "better": {("greater_is_better", "F_H"): 1},
        "infinite": {("systems", "s", "F_H"): "Infinity"},
    }


@cache
def valid_evaluation() -> str:
    """A small one as JSON."""
    return json.dumps(evaluate(EDGES, ["a", "b"], {"s": ["c", "b"]}, ["F_H"]).to_dict())


def changed_evaluations() -> dict[str, str]:
    """A valid evaluation with one thing changed."""
    made = {}
    for name, changes in _evaluations().items():
        data = json.loads(valid_evaluation())
        for path, value in changes.items():
            place = data
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
        made[name] = json.dumps(data).replace(str(10**400), "9" * 4000) if "great" in name else json.dumps(data)
    return made


THRESHOLDS = {
    "hemlp": "tuned",
    "measure": "F_H",
    "by": "all",
    "threshold": 0.5,
    "value": 0.5,
    "instances": 2,
    "source": "s",
    "thresholds": [],
    "folds": [],
    "fold_of": [],
}


def _thresholds() -> dict[str, str]:
    changes: dict[str, Any] = {
        "thresholds": [[["a"], 1]],
        "folds": [THRESHOLDS] * 2,
        "fold_of": [["a"]],
        "rows": "%%%",
        "threshold": "x",
        "value": [],
        "measure": ["F_H"],
        "instances": "many",
        "by": {},
        "source": None,
        "data": 3,
    }
    made = {f"{key} is odd": json.dumps({**THRESHOLDS, key: value}) for key, value in changes.items()}
    made["rows of seven bytes"] = json.dumps({**THRESHOLDS, "rows": base64.b64encode(b"1234567").decode()})
    deep = json.dumps({**THRESHOLDS, "folds": 1}).replace('"folds": 1', '"folds": [')
    return {**made, "deep folds": deep * 300, "great": json.dumps(THRESHOLDS).replace("0.5", "1e999", 1)}


@cache
def parquets() -> dict[str, bytes]:
    """Parquet files; none where pyarrow is not installed."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        return {}

    def file(table: Any, **options: Any) -> bytes:
        out = io.BytesIO()
        parquet.write_table(table, out, **options)
        return out.getvalue()

    plain = file(pa.table({"parent": ["r", "r"], "child": ["a", "b"]}))
    nulls = file(pa.table({"id": pa.nulls(300_000_000, pa.null())}), compression="zstd")
    return {
        "name that is not UTF-8": plain.replace(b"parent", b"p\xff\xfe\xfdnt"),
        "text that is not UTF-8": plain.replace(b"\0r", b"\0\xff"),
        "nested": file(pa.table({"id": [[[1]]], "label": [[{"a": 1}]]})),
        "none": file(pa.table({})),
        "many nulls": nulls,
        "same names": file(pa.table([pa.array(["r"]), pa.array(["a"])], names=["id", "id"])),
        "magic": b"PAR1",
        "ends": b"PAR1PAR1",
        "binary": file(pa.table({"id": [b"\xff"], "label": [b"\0"]})),
        "truncated": plain[:-20],
        "zeros": b"PAR1" + bytes(200),
        "dates": file(
            pa.table({"id": pa.array([1, 2], pa.timestamp("ns")), "label": pa.array([1, 2], pa.duration("s"))})
        ),
    }


@cache
def bombs() -> dict[str, bytes]:
    """Small gzip files that unpack to much more than hemlp lets them."""
    pack = gzip.compress
    block = pack(b"a b\n" * 2**22)  # several members in a row are one file
    return {"gzip bomb": block * 20, "gzip bomb of one line": pack(bytes(2**24).replace(b"\0", b"a")) * 20}


def damaged_zips() -> dict[str, bytes]:
    """Gzip files that end too early, hold something else, or are gzip files again."""
    good = gzip.compress(b"a b\n" * 100)
    return {
        "short gzip": good[:-9],
        "head of gzip": good[:5],
        "two bytes": b"\x1f\x8b",
        "wrong sum": good[:-8] + bytes(8),
        "gzip of gzip": gzip.compress(good),
        "rest": good + b"rest",
        "gzip of zeros": gzip.compress(bytes(100)),
    }


def other_bytes() -> dict[str, bytes]:
    """What is no text."""
    return {
        "zip": b"PK\3\4" + bytes(50),
        "xz": b"\xfd7zXZ\0" + bytes(50),
        "pickle": b"\x80\4\x95cos\nsystem\n(S'true'\ntR.",
        "npy": b"\x93NUMPY\1\0v\0{'descr': '|O', 'shape': (1,)}",
        "utf-16": "a b\n".encode("utf-16"),
        "not utf-8": b"a \xff\xfe b\n",
        "overlong": b"a \xc0\xaf\n",
        "surrogate": b"\xed\xa0\x80 b\n",
    }


def payloads(reader: str, ending: str) -> Iterator[tuple[str, bytes]]:
    """(name, content) of hostile files for a reader and a format."""
    by_ending = {
        ".json": {**_jsons(), **(changed_evaluations() if reader == "evaluation" else _thresholds())},
        ".jsonl": _jsons(),
        ".yaml": _yamls(),
        ".toml": _tomls(),
        ".rdf": _xmls(),
        ".owl": _xmls(),
        ".ttl": _turtles(),
        ".n3": _turtles(),
        ".nt": _turtles(),
        ".jsonld": {**_jsons(), **_json_lds()},
    }
    texts = by_ending.get(ending, _plain())
    yield from ((name, text.encode("utf-8", "surrogatepass")) for name, text in texts.items())
    yield from {**damaged_zips(), **other_bytes()}.items()
    if ending == ".parquet":
        yield from parquets().items()


BROADER = {"@id": "http://www.w3.org/2004/02/skos/core#broader", "@type": "@id"}
JSON_LD = json.dumps({"@context": {"b": BROADER}, "@graph": [{"@id": "http://x/a", "b": "http://x/b"}]})


def valid_files() -> list[tuple[str, str, bytes]]:
    """(reader, ending, content) of small files that are read without a word."""
    edges = "".join(f"{parent}\t{child}\n" for parent, child in EDGES)
    turtle = "@prefix s: <http://www.w3.org/2004/02/skos/core#> .\n<x:a> s:broader <x:b> .\n<x:c> s:broader <x:b> .\n"
    texts = [
        ("hierarchy", ".txt", edges),
        ("hierarchy", ".tsv", "parent\tchild\n" + edges),
        ("hierarchy", ".yaml", "r: {a: [c], b: }"),
        ("hierarchy", ".json", '{"r": {"a": ["c"], "b": []}}'),
        ("hierarchy", ".obo", "[Term]\nid: a\n\n[Term]\nid: b\nis_a: a\n"),
        ("hierarchy", ".ttl", turtle),
        ("hierarchy", ".rdf", RDF + CONCEPT.format("")),
        ("hierarchy", ".dmp", "1\t|\t1\t|\tr\t|\n2\t|\t1\t|\ts\t|\n"),
        ("hierarchy", ".jsonld", JSON_LD),
        ("labels", ".txt", "a b\n\nc\n"),
        ("labels", ".csv", "id,label\n1,a\n1,b\n2,\n"),
        ("labels", ".jsonl", '["a"]\n{"labels": []}\n'),
        ("labels", ".json", '{"x": ["a", "b"], "y": []}'),
        ("labels", ".tsv", "x\ta\ny\tb\n"),
        ("labels", ".tsv", "A text\t<x:a> <x:b>\nAnother\t<x:c>\n"),
        ("labels", ".csv", "document_id,text,subject_uris\n1,x,<x:a> <x:b>\n2,y,\n"),
        ("labels", ".jsonl", '{"document_id": "x", "subjects": [{"uri": "a", "label": "A"}], "text": "t"}\n'),
        ("labels", ".gaf", "!gaf-version: 2.2\n" + "\t".join(("U", "x", "s", "", "a", "p", "IDA", *"_" * 10)) + "\n"),
        ("labels", ".gpad", "!gpad-version: 2.0\n" + "\t".join(("U:x", "", "r", "a", "p", "ECO:1", *"_" * 6)) + "\n"),
        ("blocks", ".txt", "a b\n\nc\n"),
        ("gold", ".tsv", "x\ta\ny\tb\n"),
        ("scores", ".tsv", "id\tlabel\tscore\nx\ta\t0.5\ny\tb\t1\n"),
        ("scores", ".jsonl", '{"id": "x", "scores": {"a": 0.5}}\n'),
        ("scores", ".jsonl", '{"document_id": "x", "results": [{"uri": "a", "score": 0.5}]}\n'),
        ("scores", ".csv", "id,a,b\nx,0.5,0.1\ny,0,1\n"),
        ("names", ".tsv", "a\tAnimal\n"),
        ("weights", ".tsv", "a\t0.5\nb\t1\n"),
        ("classes", ".txt", "a\nb\n"),
        ("measures", ".toml", '[[measure]]\nname = "m"\npredicted = [1, "ALL"]\ndefault_cost = 5\n'),
        ("evaluation", ".json", valid_evaluation()),
        ("thresholds", ".json", json.dumps(THRESHOLDS)),
    ]
    made = [(reader, ending, text.encode()) for reader, ending, text in texts]
    return made + [(reader, f"{ending}.gz", gzip.compress(data)) for reader, ending, data in made[:1]]


PIECES = [b"", b"\0", b"\xff", b"\n", b"[", b"{", b'"', b"9" * 30, b"-1", b"1e999", b"null"]
"""What may stand anywhere in a mutated file."""


def mutated(data: bytes, rng: random.Random) -> bytes:
    """A file that was cut, flipped, doubled or spliced in a few places."""
    made = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at, to = sorted(rng.randint(0, len(made)) for _ in range(2))
        match rng.randrange(6):
            case 0:
                del made[at:]
            case 1:
                del made[at:to]
            case 2 if at < len(made):
                made[at] ^= 1 << rng.randrange(8)
            case 3:
                made[to:to] = made[at:to]
            case 4:
                made[at:to] = rng.choice(
                    [b"", b"\0", b"\xff", b"\n", b"[", b"{", b'"', b"9" * 30, b"-1", b"1e999", b"null"]
                )
            case 5:
                other = rng.randint(0, len(made))
                made[at:to] = made[other : other + to - at]
    return bytes(made)
