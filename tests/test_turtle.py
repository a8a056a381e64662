"""Plain Turtle, read without rdflib: what rdflib reads, or nothing at all."""

from __future__ import annotations

import random
import warnings

import pytest

from hemlp import read_hierarchy
from hemlp.errors import FileFormatError
from hemlp.hierarchy.formats import rdf, turtle
from hemlp.hierarchy.formats.source_file import SourceFile
from hemlp.hierarchy.formats.turtle import read_plain_turtle

rdflib = pytest.importorskip("rdflib", reason="needs rdflib")
CONCEPT = rdf.SKOS + "Concept"
PAGE = '''@base <http://a.org/b/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix t: <../t/> . # a remark; with "quotes" .
@prefix : <> .

<c/1> a skos:Concept , owl:Class ;
    skos:prefLabel "One"@en, "Eins"@de, "One"@fr ; skos:notation "1.1"^^xsd:string ;
    skos:broader t:top-1, :x ; ; .
t:top-1 skos:altLabel "a \\"b\\" \\u00e9\\n", """long "text"
of two lines"""@en, "Größe"@de; a skos:Concept;
  skos:narrower <c/2>; owl:deprecated true .
<http://a.org/c/2> skos:example [ a owl:Class ; owl:unionOf ( skos:Concept :x 12 "x"@en ) ], "1"^^xsd:int, 4 .
:x owl:deprecated "true"^^xsd:boolean; skos:scopeNote ""; skos:prefLabel "" .
'''
ODDITIES = r"""[ ] | ( ) | _:b | <> | '' | "x"@en-GB | 1.5 | -1 | 1e3 | t:a.b | t:a%20 | <#x> | <//c/d> | <c d>
| <mailto:x> | 'x' | "\x" | "\uD800" | t:é | t: | : | a | true | <../x> | <x/../y> | <?q> | t:a:b | xsd:string. | t:1
| no:name | "x"@EN | t:a\,b | "x"^^<http://www.w3.org/2001/XMLSchema#string> | "x"^^no:type | "x"^^xsd:no | t:-a"""


def by_rdflib(text: str) -> dict[str, set[tuple[str, str, str | None]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = rdflib.Graph().parse(data=text.encode(), format="turtle")
    address = rdflib.URIRef
    return {
        name: {(str(s), str(o), getattr(o, "language", None)) for s, o in graph.subject_objects(address(name))
               if name != rdf.RDF + "type" or not isinstance(s, rdflib.BNode)}
        for name in (*rdf.LINKS, *rdf.TEXTS)
    }  # fmt: skip


def plainly(text: str) -> dict[str, set[tuple[str, str, str | None]]] | None:
    found = read_plain_turtle(text, rdf.LINKS, rdf.TEXTS, (CONCEPT,))
    return found and {name: {(s, str(o), getattr(o, "language", None)) for s, o in of} for name, of in found.items()}


def test_a_page_is_read_as_rdflib_reads_it():
    found = plainly(PAGE)
    assert found == by_rdflib(PAGE)
    assert ("http://a.org/t/top-1", 'long "text"\nof two lines', "en") in found[rdf.SKOS + "altLabel"]


@pytest.mark.parametrize(
    "verb", ["skos:broader", "skos:prefLabel", "skos:note", "owl:deprecated", "a", "skos:notation"]
)
def test_odd_objects_are_read_alike_or_left_to_rdflib(verb):
    for odd in ODDITIES.split("|"):
        for text in (
            f"{PAGE}t:y {verb} {odd} .\n",
            f"{PAGE}t:y {verb} :x,{odd}.",
            f"{PAGE}t:y {verb} [ {verb} {odd} ] .",
        ):
            found = plainly(text)
            assert found is None or found == by_rdflib(text), text


def test_pages_with_random_faults():
    """Whatever is still read must be what rdflib reads: no fault may go unnoticed."""
    draw, read = random.Random(5), 0
    letters = [*' \n\t"\\.;,:<>@^[]()#a1-_é/']
    for _ in range(600):
        text = [*PAGE]
        for _ in range(draw.randint(1, 2)):
            at = draw.randrange(len(text))
            text[at : at + draw.randint(0, 2)] = draw.choice(letters) * draw.randint(0, 1)
        made = "".join(text)
        found = plainly(made)
        if found is not None:
            read += 1
            assert found == by_rdflib(made), made
    assert read > 100


def test_the_same_hierarchy_by_both(monkeypatch):
    source = SourceFile("t.ttl", ".ttl", PAGE.encode())
    plain = rdf.read_rdf(source)
    monkeypatch.setattr(turtle, "read_plain_turtle", lambda *_: None)
    other = rdf.read_rdf(source)
    assert (plain.labels, plain.names, plain.aliases) == (other.labels, other.names, other.aliases)
    assert plain.ends.tolist() == other.ends.tolist()


def test_the_same_real_thesaurus_by_both(data, monkeypatch):
    first = read_hierarchy(data / "formats" / "stw-skos.ttl.gz")
    monkeypatch.setattr(turtle, "read_plain_turtle", lambda *_: None)
    second = read_hierarchy(data / "formats" / "stw-skos.ttl.gz")
    assert first == second
    assert (first.names, first.aliases) == (second.names, second.aliases)


def test_deep_or_broken_files_end_in_a_named_error(tmp_path):
    for text in (PAGE + "[" * 50_000, PAGE + ':x skos:note """' + "x" * 50_000, PAGE + ":x skos:note (" + "( " * 5_000):
        path = tmp_path / "t.ttl"
        path.write_text(text)
        with pytest.raises(FileFormatError):
            read_hierarchy(path)
