"""Hierarchies in every shape that people have: in memory and in files."""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path

import networkx
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from pyarrow import parquet

from hemlp import Hierarchy, read_hierarchy
from hemlp.errors import (
    CyclicHierarchy,
    EmptyHierarchy,
    FileFormatError,
    InvalidHierarchy,
    InvalidLabel,
    InvalidOption,
    MissingDependency,
    UnreadableFile,
)

EDGES = [("r", "A"), ("A", "x"), ("A", "y"), ("r", "B")]
WANTED = Hierarchy.from_edges(EDGES)
COLUMNS = {"parent": [parent for parent, _ in EDGES], "child": [child for _, child in EDGES]}
ROOTED = {"id": ["r", "A", "x", "y", "B"], "parent": [None, "r", "A", "A", "r"], "name": list("RAXYB")}
NAMES = dict(zip(ROOTED["id"], ROOTED["name"], strict=True))
NODES = {
    "name": "r",
    "children": [{"name": "A", "children": [{"name": "x"}, {"name": "y", "children": []}]}, {"name": "B"}],
}
SHAPES = {
    "pairs": EDGES,
    "generator": lambda: (edge for edge in EDGES),
    "set": set(EDGES),
    "array": np.array(EDGES),
    "pairs with a root": [(None, "r"), *EDGES],
    "nested": {"r": {"A": {"x": {}, "y": None}, "B": []}},
    "nested lists": {"r": [{"A": ["x", "y"]}, "B"]},
    "nodes": NODES,
    "list of nodes": [NODES],
    "parents": {"r": None, "A": "r", "x": "A", "y": ["A"], "B": "r"},
    "paths": [["r", "A", "x"], ["r", "A", "y"], ["r", "B", ""]],
    "padded by None": [["r", "A", "x"], ["r", "A", "y"], ["r", "B", None]],
    "strings": ["r > A > x", "r > A > y", "r > B"],
    "pandas": pandas.DataFrame(COLUMNS),
    "polars": polars.DataFrame(COLUMNS),
    "arrow": pyarrow.table(COLUMNS),
    "columns": COLUMNS,
    "rows of classes": pandas.DataFrame(ROOTED),
    "polars rows of classes": polars.DataFrame(ROOTED),
    "records": [{"id": "r"}, *({"id": child, "parent": parent} for parent, child in EDGES)],
    "graph": networkx.DiGraph(EDGES),
    "edges of a graph": networkx.DiGraph(EDGES).edges,
    "links": {
        "directed": True,
        "nodes": [{"id": label} for label in networkx.DiGraph(EDGES)],
        "links": [{"source": parent, "target": child} for parent, child in EDGES],
    },
    "hierarchy": WANTED,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_in_memory(shape):
    data = SHAPES[shape]
    assert Hierarchy.of(data() if callable(data) and shape == "generator" else data) == WANTED


def test_names_come_along():
    assert Hierarchy.of(pandas.DataFrame(ROOTED)).names == NAMES
    assert Hierarchy.of({"id": "1", "name": "R", "children": [{"id": "2", "name": "A"}]}).names == {"1": "R", "2": "A"}
    graph = networkx.DiGraph(EDGES)
    graph.nodes["x"]["name"] = "X"
    assert Hierarchy.of(graph).names == {"x": "X"}
    named = Hierarchy.of(["1 : Animals", "2 : Animals > Dogs", "3 : Animals > Cats"])
    assert named.names == {"1": "Animals", "2": "Dogs", "3": "Cats"}
    assert named == Hierarchy.from_edges([("1", "2"), ("1", "3")])
    assert named.with_isolated(["new"]).names == named.names


def test_columns_by_choice_and_lengths():
    frame = pandas.DataFrame({"von": ["r", "r"], "nach": ["a", "b"], "km": [2.5, 1.0]})
    assert Hierarchy.of(frame, parent="von", child="nach", weight="km").distance("a", "b") == 3.5
    assert Hierarchy.of([("r", "a", 2.5), ("r", "b", 1)]).distance("a", "b") == 3.5
    assert Hierarchy.of({"parent": [["a", "b"], None, None], "child": ["c", "a", "b"]}).parents("c") == {"a", "b"}
    with pytest.raises(InvalidHierarchy, match=r"child='no' is not a column; the columns are \['von'"):
        Hierarchy.of(frame, parent="von", child="no")
    with pytest.raises(InvalidHierarchy, match="choose the column of the child"):
        Hierarchy.of(frame, parent="von")
    with pytest.raises(InvalidOption, match="name columns, but list .* has none"):
        Hierarchy.of(EDGES, parent="von")
    with pytest.raises(InvalidOption, match="sep= is an option for files"):
        Hierarchy.of(EDGES, sep=",")


def test_the_same_name_below_two_parents():
    data = {"r": {"Garden": ["Other"], "House": ["Other"]}}
    with pytest.raises(InvalidHierarchy, match=r"'Other' occurs in two places.*same_names='join'"):
        Hierarchy.of(data)
    assert Hierarchy.of(data, same_names="join").parents("Other") == {"Garden", "House"}
    assert "r > Garden > Other" in Hierarchy.of(data, same_names="apart")
    paths = ["r > Garden > Other", "r > House > Other"]
    assert Hierarchy.of(paths, same_names="apart") == Hierarchy.of(data, same_names="apart")


ITSELF: dict[str, object] = {"a": {}}
ITSELF["a"] = ITSELF
BAD = [
    ({"r": ["A", "B"], "A": ["x", "y"]}, "could go from child to parents or from parent to children"),
    (["a", "b"], "strings like 'a', none with ' > '"),
    (5, r"int 5 is not a hierarchy: give \(parent, child\) pairs"),
    ([("x", "A"), ("r", None)], r"edge 2 is \('r', None\).*give {child: parent}"),
    (pandas.DataFrame({"u": [1], "v": [2]}), r"columns \['u', 'v'\]: choose those of the edges"),
    ([(1, 2, 3)], "could be paths, or edges with lengths"),
    ([("a", "b"), 3], "row 2 is 3"),
    ({"a": {"b": "c"}}, "'b' is mapped to 'c'"),
    (ITSELF, "'a' contains itself"),
    ({"id": ["a", "b"], "parent": [None, "z"]}, "row 2: the parent 'z' has no row of its own"),
    ({"id": ["a", "b"], "parent": ["NULL", "a"]}, "row 1: the parent 'NULL' looks like a missing value"),
    ({"id": [1, 2], "parent": [0, 1]}, "row 1: the parent 0 has no row: leave it empty for a root, or add a row for"),
    ({"id": ["a", "b"], "parent": ["root", "a"]}, "row 1: the parent 'root' has no row: leave it empty for a root"),
    ({"id": ["a", "b", "c"], "parent": ["x", "x", "a|b"]}, "row 3: 'a|b' looks like several parents"),
    ({"id": ["a", None], "parent": ["x", "x"]}, "row 2: the column 'id' is empty"),
    ({"id": ["a", "a"], "parent": ["x", "y"], "name": ["u", "v"]}, "row 2: 'a' has two names, 'u' and 'v'"),
    ({"child": ["a"], "parent": ["b"], "relation": ["is_a"]}, "the column 'relation' would be ignored"),
    (["1 : A", "2 : A > B > C"], "line 2: its parent 'A > B' has no line"),
    (["1 : A", "2 : A > B", "3 : A > B"], "give 'A > B' two ids"),
    (["1 : A", "2 : A > B", "1 : A > C"], r"if these are ids, '1' \(line 1\) occurs in several lines"),
    (["1 : A", "2 : A > B", "A > C"], "if these are ids, line 3 has none"),
    ({"id": ["1", "2"], "parent": ["Life", "Dog"], "name": ["Dog", "Pug"]}, "row 2: the parent 'Dog' is a name"),
    ({"nodes": [{"id": "a"}], "links": [{"source": "a"}]}, "has no source and target"),
    ({"nodes": [], "links": [], "directed": False}, "undirected"),
    (["a > > b"], "line 1: the path 'a > > b' has a gap"),
    (networkx.Graph(EDGES), "undirected"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "words"), BAD, ids=range(len(BAD)))
def test_what_has_two_readings_or_none_is_refused(data, words):
    with pytest.raises(InvalidHierarchy, match=words):
        Hierarchy.of(data)


def test_ids_of_a_kind_beside_those_of_parents(tmp_path):
    path = write(tmp_path, "t.csv", "category_id,parent_id,category_name\n1,,Home\n2,1,Lamps\n")
    h = Hierarchy.of(path)
    assert (h.parents("2"), h.names["2"]) == ({"1"}, "Lamps")
    with pytest.raises(FileFormatError, match=r"has no column child or id; `hemlp convert .*--child COLUMN"):
        Hierarchy.of(write(tmp_path, "u.csv", "key,parent_id,title\n1,,Home\n2,1,Lamps\n"))
    edges = Hierarchy.of({"parent": [0, 0, 1], "child": [1, 2, 3]})  # rows are edges: 0 is a class
    assert edges.roots == {0}


def test_empty_and_missing(tmp_path):
    with pytest.raises(EmptyHierarchy):
        Hierarchy.of([])
    with pytest.raises(UnreadableFile, match="no such file"):
        Hierarchy.of(tmp_path / "none.json")
    with pytest.raises(CyclicHierarchy):
        Hierarchy.of([("a", "b"), ("b", "a")])
    assert len(Hierarchy.of([("a", "b"), ("b", "a")], cycles="condense")) == 1


# ---- files


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    return path


FILES = [
    ("h.csv", "id,parent\nr,\nA,r\nx,A\ny,A\nB,r\n"),
    ("h.csv", "child;parent\nr;\nA;r\nx;A\ny;A\nB;r\n"),
    ("h.txt", "Parent ID|ID|remark\n|r|top\nr|A|\nA|x|\nA|y|\nr|B|\n"),
    ("h.txt", "r;A\nA;x\nA;y\nr;B\n"),
    ("h.csv", "level1,level2,level3\nr,A,x\nr,A,y\nr,B,\n"),
    ("h.json", '{"r": {"A": {"x": {}, "y": {}}, "B": null}}'),
    ("h.json", '[["r", "A"], ["A", "x"], ["A", "y"], ["r", "B"]]'),
    ("h.json.gz", '{"r": null, "A": "r", "x": ["A"], "y": "A", "B": "r"}'),
    ("h", '["r > A > x", "r > A > y", "r > B"]'),
    ("h.txt", "parent\tchild\tname\nr\tA\tr > A\nA\tx\t\nA\ty\t\nr\tB\t\n"),
    ("h.yaml", "r:\n  A:\n    x:\n    y:\n  B:\n"),
    ("n.yaml", "r:\n  A: {x: null, y: ~}\n  B: {}\n"),
    ("h.yml", "- r:\n  - A:\n    - x\n    - y\n  - B\n"),
    ("h.txt", "# remark\nr > A > x\n\nr > A > y\nr > B\n"),
    ("h.txt.gz", "r : top\nA : top > a\nx : top > a > x\ny : top > a > y\nB : top > b\n"),
    ("h.txt", "r - top\nA - top > a\nx - top > a > x\ny - top > a > y\nB - top > b\n"),
    ("nodes.dmp", "r\t|\tr\t|\tno rank\t|\nA\t|\tr\t|\tx\t|\nx\t|\tA\t|\tx\t|\ny\t|\tA\t|\tx\t|\nB\t|\tr\t|\tx\t|\n"),
]


@pytest.mark.parametrize(("name", "content"), FILES, ids=range(len(FILES)))
def test_formats_of_files(tmp_path, name, content):
    path = write(tmp_path, name, content)
    assert read_hierarchy(path) == Hierarchy.of(path) == Hierarchy.of(str(path)) == WANTED


def test_options_of_files(tmp_path):
    table = write(tmp_path, "h.csv", "code;above;text;type\nr;;R;k\nA;r;A;k\nx;A;X;k\ny;A;Y;k\nB;r;B;k\n")
    h = read_hierarchy(table, parent="above", child="code", name="text")
    assert (h, h.names) == (WANTED, NAMES)
    paths = write(tmp_path, "p.txt", "r; A; x\nr; A; y\nr; B\n")
    assert read_hierarchy(paths, format="paths", sep=";") == WANTED
    cells = write(tmp_path, "p.tsv", "r\tA\tx\nr\tA\ty\nr\tB\n")
    assert read_hierarchy(cells, format="paths") == WANTED
    assert read_hierarchy(write(tmp_path, "p.txt", "a\tb\nc\td\n"), format="paths", sep="\t").roots == {"a", "c"}
    quoted = write(tmp_path, "p.csv", '"r, all",A\n"r, all",B\n')
    assert read_hierarchy(quoted, format="paths").roots == {"r, all"}
    with pytest.raises(InvalidHierarchy, match=r"line 1, \['kingdom', 'class'\], looks like a header"):
        read_hierarchy(write(tmp_path, "p.csv", "kingdom,class\nr,A\nr,B\n"), format="paths")
    numbers = write(tmp_path, "n.json", '{"1": {"2": {}, "3": {}}}')
    assert read_hierarchy(numbers) == Hierarchy.from_edges([("1", "2"), ("1", "3")])
    assert read_hierarchy(write(tmp_path, "m.json", "[[1, 2], [1, 3]]")) == read_hierarchy(numbers)
    (tmp_path / "names.dmp").write_text("r\t|\tLife\t|\t\t|\tscientific name\t|\nr\t|\tall\t|\t\t|\tsynonym\t|\n")
    (tmp_path / "merged.dmp").write_text("old\t|\tB\t|\nB\t|\tA\t|\n")  # a class that is there stays a class
    taxa = read_hierarchy(write(tmp_path, *FILES[-1]))
    assert (taxa.names, taxa.aliases) == ({"r": "Life"}, {"old": "B"})
    parquet.write_table(pyarrow.table(COLUMNS), tmp_path / "h.parquet")
    assert read_hierarchy(tmp_path / "h.parquet") == WANTED
    obo = write(tmp_path, "h.obo", "[Term]\nid: r\nname: top\n\n[Term]\nid: A\nis_a: r\n")
    assert read_hierarchy(obo).names == {"r": "top"}


@pytest.mark.parametrize(
    ("name", "content", "error", "words"),
    [
        ("h.csv", "parent,child,child\na,b,c\n", FileFormatError, r"h\.csv, line 1: the column 'child' occurs several"),
        ("h.csv", "Parent,parent,child\na,b,c\n", FileFormatError, "the column 'Parent' occurs several times"),
        ("h.json", '{"a": {}, "a": {"b": {}}}', FileFormatError, r"h\.json: 'a' occurs twice in one object"),
        ("h.json", '{"a":\n }', FileFormatError, r"h\.json, line 2: not JSON"),
        ("h.json", "[" * 100_000, FileFormatError, "nested too deeply|not JSON"),
        ("h.yaml", "a:\n  b:\n  b:\n", FileFormatError, r"h\.yaml, line 2: a key occurs twice"),
        ("h.json", '[["a", true]]', InvalidLabel, r"h\.json: edge 1, .*True is not a label"),
        ("h.yaml", "[" * 5000, FileFormatError, "nested too deeply"),
        ("h.yaml", "a: [\n", FileFormatError, r"h\.yaml is not YAML"),
        ("h.yaml", "just words", InvalidHierarchy, r"h\.yaml: str 'just words' is not a hierarchy"),
        ("h.csv", "id,parent\na,\nb,z\n", InvalidHierarchy, r"h\.csv: line 3: the parent 'z' has no row of its own"),
        ("h.txt", "A > B\tA > B > C\n", InvalidHierarchy, r"h\.txt: line 1: the path .* contains a tab"),
        ("h.csv", "a,b,c\nd,e,f\n", FileFormatError, r"h\.csv, line 1.*need a header: parent, child"),
        ("nodes.dmp", "1\t|\n", FileFormatError, r"nodes\.dmp, line 1: expected a row like"),
        ("h.parquet", "no", FileFormatError, r"h\.parquet is not a Parquet file"),
    ],
)
def test_bad_files(tmp_path, name, content, error, words):
    with pytest.raises(error, match=words):
        read_hierarchy(write(tmp_path, name, content))


SKOS = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix : <http://e.org/> .
:r a skos:Concept ; skos:prefLabel "root"@en, "Wurzel"@de ; skos:narrower :A .
:A a skos:Concept ; skos:prefLabel "both" ; skos:altLabel "first"@en .
:x a skos:Concept ; skos:broader :A ; skos:altLabel "both" .
:alone a skos:Concept .
:old a skos:Concept ; owl:deprecated true ; dcterms:isReplacedBy :x .
"""


def test_skos(tmp_path):
    pytest.importorskip("rdflib", reason="needs rdflib")
    file = write(tmp_path, "t.ttl.gz", SKOS)
    h, at = read_hierarchy(file), "http://e.org/"
    assert h.labels == tuple(at + name for name in ("A", "alone", "r", "x"))
    assert h.parents(at + "x") == {at + "A"}
    assert h.parents(at + "A") == {at + "r"}
    assert h.names == {at + "r": "root", at + "A": "both"}
    assert h.aliases == {"root": at + "r", "Wurzel": at + "r", "first": at + "A", at + "old": at + "x"}
    assert read_hierarchy(file, language="de").names[at + "r"] == "Wurzel"
    with pytest.raises(InvalidOption, match="is in SKOS"):
        read_hierarchy(file, relations=["part_of"])
    with pytest.raises(FileFormatError, match=r"t\.ttl cannot be read as turtle"):
        read_hierarchy(write(tmp_path, "t.ttl", "@prefix : <"))
    flat = SKOS.replace("skos:narrower", "skos:related").replace("skos:broader", "skos:related")
    with pytest.raises(FileFormatError, match="has concepts, but neither skos:broader nor skos:narrower"):
        read_hierarchy(write(tmp_path, "t.ttl", flat))
    with pytest.raises(FileFormatError, match="no hierarchy was found"):
        read_hierarchy(write(tmp_path, "t.ttl", "<http://a.b/c> <http://a.b/d> <http://a.b/e> ."))


OWL = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#"
 xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:o="http://www.geneontology.org/formats/oboInOwl#">
<owl:ObjectProperty rdf:about="http://p/BFO_1"><rdfs:label>part of</rdfs:label></owl:ObjectProperty>
<owl:Class rdf:about="http://purl.obolibrary.org/obo/GO_1"><rdfs:label>root</rdfs:label>
 <rdfs:subClassOf rdf:resource="http://www.w3.org/2002/07/owl#Thing"/></owl:Class>
<owl:Class rdf:about="http://purl.obolibrary.org/obo/GO_2"><o:hasOBONamespace>space</o:hasOBONamespace>
 <rdfs:subClassOf rdf:resource="http://purl.obolibrary.org/obo/GO_1"/></owl:Class>
<owl:Class rdf:about="http://purl.obolibrary.org/obo/GO_3"><rdfs:subClassOf><owl:Restriction>
 <owl:onProperty rdf:resource="http://p/BFO_1"/>
 <owl:someValuesFrom rdf:resource="http://purl.obolibrary.org/obo/GO_2"/></owl:Restriction></rdfs:subClassOf></owl:Class>
</rdf:RDF>"""


def test_owl(tmp_path):
    pytest.importorskip("rdflib", reason="needs rdflib")
    for name in ("o.owl", "o.xml", "o.txt"):
        file, at = write(tmp_path, name, OWL), "http://purl.obolibrary.org/obo/GO_"
        with pytest.warns(UserWarning, match="1 part_of is not followed"):
            h = read_hierarchy(file)
        assert h.labels == (at + "1", at + "2", at + "3")
        assert (h.parents("GO:2"), h.parents("GO:3"), h.names) == ({at + "1"}, set(), {at + "1": "root"})
        assert h.namespaces == {at + "2": "space"}
    assert read_hierarchy(file, relations=("is_a", "part_of")).parents("GO:3") == {at + "2"}
    with pytest.raises(FileFormatError, match="has no relation 'eats'; it has BFO_1, is_a, part_of"):
        read_hierarchy(file, relations=("eats",))


def shared(name: str) -> Path:
    folder = os.environ.get("HEMLP_DATA")
    if not folder or not Path(folder, "formats", name).exists():
        pytest.skip("needs the data sets of HEMLP_DATA")
    return Path(folder, "formats", name)


def test_a_real_taxonomy_of_paths_with_ids():
    file = shared("shopify_categories.txt.gz")
    h = read_hierarchy(file)
    text = gzip.decompress(file.read_bytes()).decode()
    lines = [line for line in text.splitlines() if " : " in line and not line.startswith("#")]
    assert len(h) == len(h.names) == len(lines)
    for line in lines[::500]:
        key, path = (part.strip() for part in line.split(" : ", 1))
        above = path.split(" > ")
        assert (h.names[key], len(h.ancestors(key))) == (above[-1], len(above) - 1)


def test_a_real_thesaurus():
    pytest.importorskip("rdflib", reason="needs rdflib")
    h = read_hierarchy(shared("stw-skos.ttl.gz"))
    assert h.parents("http://zbw.eu/stw/descriptor/10000-1")
    assert h.names["http://zbw.eu/stw/descriptor/10000-1"] == "Supply"
    assert len(h) == 6244


@pytest.mark.parametrize(("name", "package"), [("t.ttl", "rdflib"), ("t.yaml", "yaml"), ("t.parquet", "pyarrow")])
def test_packages_that_are_not_there(tmp_path, monkeypatch, name, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependency, match=r"needs the package .*pip install"):
        read_hierarchy(write(tmp_path, name, "a"))


@pytest.mark.parametrize("name", ["h.json", "h.yaml"])
def test_edges_with_lengths_in_lists(tmp_path, name):
    """They were read as paths, whose last classes were the lengths."""
    for rows in ([["a", "b", 1.5], ["a", "c", 2]], [["a", "b", "1"], ["a", "c", "2"]], [["a", "b", "nan"]]):
        (tmp_path / name).write_text(json.dumps(rows))
        read, made = read_hierarchy(tmp_path / name), Hierarchy.of(rows)
        assert (read.weighted, read.content_hash) == (made.weighted, made.content_hash)
    (tmp_path / name).write_text("[[1, 2, 3], [1, 2, 4]]")
    with pytest.raises(InvalidHierarchy, match="could be paths, or edges with lengths"):
        read_hierarchy(tmp_path / name)
