"""Thesauri in SKOS and ontologies in OWL, from plain Turtle, and by rdflib from any Turtle, RDF/XML or JSON-LD."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from hemlp.errors import FileFormatError, InvalidOption, MissingDependency
from hemlp.hierarchy.formats.hierarchy_data import HierarchyData
from hemlp.hierarchy.formats.source_file import SourceFile
from hemlp.hierarchy.labels import Label
from hemlp.io.text import decode, load_json

SYNTAXES = {
    ".ttl": "turtle", ".n3": "n3", ".nt": "nt", ".rdf": "xml", ".owl": "xml", ".skos": "xml", ".xml": "xml",
    ".jsonld": "json-ld",
}  # fmt: skip
"""How triples are written, by the ending of a file's name."""
SKOS = "http://www.w3.org/2004/02/skos/core#"
RDF, RDFS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#"
OWL, OBO = "http://www.w3.org/2002/07/owl#", "http://www.geneontology.org/formats/oboInOwl#"
REPLACED = ("http://purl.org/dc/terms/isReplacedBy", "http://purl.obolibrary.org/obo/IAO_0100001")
LINKS = (SKOS + "broader", SKOS + "narrower", RDF + "type", RDFS + "subClassOf", *REPLACED)
TEXTS = (
    *(SKOS + name for name in ("prefLabel", "altLabel", "notation")), RDFS + "label", OWL + "deprecated",
    OBO + "hasAlternativeId", OBO + "hasOBONamespace",
)  # fmt: skip
"""What is read of a file."""
_CURIE = re.compile(r"http://purl\.obolibrary\.org/obo/([A-Za-z]+)_(\w+)")


def read_rdf(source: SourceFile) -> HierarchyData:
    """SKOS where there are concepts or broader terms, else the subclasses of OWL and RDFS."""
    triples = Triples(source)
    skos = any(triples.pairs(SKOS + name) for name in ("broader", "narrower")) or triples.instances_of(SKOS + "Concept")
    if skos and tuple(source.followed) != ("is_a",):
        raise InvalidOption(
            f"{source.name} is in SKOS, which has no relations to choose from, but broader and narrower"
        )
    if not skos and not triples.pairs(RDFS + "subClassOf"):
        raise FileFormatError(
            f"{source.name} has neither skos:broader, skos:narrower nor rdfs:subClassOf: no hierarchy was found in it"
        )
    return (_from_skos if skos else _from_owl)(triples)


def check_xml(data: bytes, name: str) -> None:
    """Refuse a document type, which can define entities: they grow without limit, or are other files."""
    from xml.parsers import expat

    class Begun(Exception):
        pass

    def refuse(*_: Any) -> None:
        raise FileFormatError(
            f"{name} has a document type (<!DOCTYPE ...>), which hemlp does not read, because entities may stand for "
            f"anything: save it without entities, or as Turtle (.ttl)"
        )

    def begun(*_: Any) -> None:
        raise Begun

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler, parser.StartElementHandler = refuse, begun
    try:
        parser.Parse(data, True)
    except Begun:  # no document type follows the first element
        return
    except FileFormatError:
        raise
    except (expat.ExpatError, ValueError) as error:
        raise FileFormatError(f"{name} cannot be read as xml: {error}") from None


def check_contexts(data: Any, name: str) -> None:
    """Refuse JSON-LD whose meaning stands elsewhere: rdflib would fetch it, from the network or from any file."""
    left = [(data, "")]
    while left:
        each, of = left.pop()
        if isinstance(each, dict):
            left += [(value, key) for key, value in each.items()]
        elif isinstance(each, list):
            left += [(value, of) for value in each]
        elif isinstance(each, str) and of in ("@context", "@import"):
            raise FileFormatError(
                f"{name}: {of} is {each!r:.200}, which hemlp does not fetch: write the context into the file"
            )


class Triples:
    """The triples of a file."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        data, begin = source.data, source.data[:200].lstrip()
        syntax = SYNTAXES.get(source.kind, "xml" if begin.startswith((b"<?xml", b"<rdf:RDF")) else "turtle")
        if syntax == "xml" and not begin.startswith(b"<"):
            syntax = "turtle"  # ontologies are called .owl in every syntax
        self.plain = None
        if syntax == "turtle":
            from hemlp.hierarchy.formats.turtle import read_plain_turtle

            self.plain = read_plain_turtle(data.decode("utf-8", "replace"), LINKS, TEXTS, (SKOS + "Concept",))
        if self.plain is None:
            self._parse(data, syntax)

    def _parse(self, data: bytes, syntax: str) -> None:
        """By rdflib."""
        source = self.source
        try:
            import rdflib
        except ImportError:
            raise MissingDependency(
                f"reading {source.kind or 'RDF'} needs the package rdflib: pip install rdflib"
            ) from None
        self.rdf = rdflib
        if syntax == "xml":
            check_xml(data, source.name)
        elif syntax == "json-ld":
            check_contexts(load_json(decode(data, source.name), source.name), source.name)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of one part of rdflib about another
                self.graph: Any = rdflib.Graph().parse(data=data, format=syntax)
        except (RecursionError, MemoryError):
            raise
        except Exception as error:  # each of rdflib's parsers has errors of its own
            raise FileFormatError(f"{source.name} cannot be read as {syntax}: {error}") from None

    def pairs(self, predicate: str) -> list[tuple[Any, Any]]:
        """(subject, object) of a predicate, sorted."""
        if self.plain is not None:
            return sorted(self.plain[predicate])
        return sorted(self.graph.subject_objects(self.rdf.URIRef(predicate)))

    def instances_of(self, kind: str) -> list[Any]:
        """What is of a type."""
        if self.plain is not None:
            return sorted(node for node, own in self.plain[RDF + "type"] if own == kind)
        return sorted(self.graph.subjects(self.rdf.URIRef(RDF + "type"), self.rdf.URIRef(kind)))

    def is_named(self, node: Any) -> bool:
        """Whether a node has an address, unlike a literal or a blank node."""
        return self.plain is not None or isinstance(node, self.rdf.URIRef)

    def ends(self, predicate: str) -> list[tuple[str, str]]:
        """(subject, object) of a predicate between concepts, each of which must have an address."""
        pairs = self.pairs(predicate)
        for pair in pairs:
            for end in pair:
                if not self.is_named(end):
                    raise FileFormatError(f"{self.source.name}: {end!r} in {predicate} has no address (URI)")
        return [(str(subject), str(target)) for subject, target in pairs]

    def texts(self, predicate: str, nodes: set[str]) -> dict[Label, str]:
        """The text of each node, in the chosen language, else in none, else in the first by its name."""
        best: dict[str, tuple[tuple[bool, bool, str, str], str]] = {}
        for subject, text in self.pairs(predicate):
            language = getattr(text, "language", None) or ""
            key = (language != self.source.language, bool(language), language, str(text))
            if str(subject) in nodes and (str(subject) not in best or key < best[str(subject)][0]):
                best[str(subject)] = key, str(text)
        return {node: text for node, (_, text) in best.items()}

    def replacements(self) -> dict[str, str | None]:
        """What must not be used any more, and its only replacement, if it has one."""
        old = [str(node) for node, value in self.pairs(OWL + "deprecated") if str(value).lower() in ("true", "1")]
        targets: dict[str, set[str]] = {node: set() for node in old}
        for predicate in REPLACED:
            for subject, target in self.pairs(predicate):
                if str(subject) in targets:
                    targets[str(subject)].add(str(target))
        return {node: new.pop() if len(new) == 1 else None for node, new in targets.items()}


def _data(
    triples: Triples, edges: list[tuple[str, str]], typed: Iterable[str], names: str, also: list[str]
) -> HierarchyData:
    """Classes with their names; further texts of one class alone, and replaced classes, are aliases."""
    old = triples.replacements()
    classes = {end for edge in edges for end in edge} | {node for node in typed if node not in old}
    aliases: dict[Label, Label] = {}
    texts = [(str(text), str(node)) for name in also for node, text in triples.pairs(name) if str(node) in classes]
    texts += [(f"{curie[1]}:{curie[2]}", node) for node in classes if (curie := _CURIE.fullmatch(node))]
    owners = Counter(text for text, _ in {*texts})
    aliases.update((text, node) for text, node in texts if owners[text] == 1 and text and text not in classes)
    several = [(text, node) for text, node in dict.fromkeys(texts) if owners[text] > 1 and text and text not in classes]
    for node, new in old.items():
        if new in classes and node not in classes:
            aliases[node] = str(new)
            if curie := _CURIE.fullmatch(node):
                aliases.setdefault(f"{curie[1]}:{curie[2]}", str(new))
    named, spaces = (triples.texts(name, classes) for name in (names, OBO + "hasOBONamespace"))
    return replace(HierarchyData.of(edges, sorted(classes), named, aliases, several), namespaces=spaces)


def _from_skos(triples: Triples) -> HierarchyData:
    """Broader, and narrower turned round."""
    edges = [(parent, child) for child, parent in triples.ends(SKOS + "broader")]
    edges += triples.ends(SKOS + "narrower")
    if not edges:
        raise FileFormatError(
            f"{triples.source.name} has concepts, but neither skos:broader nor skos:narrower between them"
        )
    typed = [str(node) for node in triples.instances_of(SKOS + "Concept")]
    also = [SKOS + name for name in ("prefLabel", "altLabel", "notation")]
    return _data(triples, sorted({*edges}), typed, SKOS + "prefLabel", also)


def _from_owl(triples: Triples) -> HierarchyData:
    """Named subclasses; of other relations, restrictions "some"."""
    relations, met = set(triples.source.followed), {"is_a"}
    edges, parts = [], 0
    for child, parent in triples.pairs(RDFS + "subClassOf"):
        if triples.is_named(child) and triples.is_named(parent):
            if "is_a" in relations:
                edges.append((str(parent), str(child)))
        elif triples.is_named(child):
            for names, target in _restrictions(triples, parent):
                met |= names
                parts += "part_of" in names
                edges += [(target, str(child))] if names & relations else []
    for relation in sorted(relations - met):
        raise triples.source.lacks(relation, (name for name in met if ":" not in name))
    triples.source.warn_of_parts(parts)
    edges = [edge for edge in edges if OWL + "Thing" not in edge]
    typed = {str(node) for node in triples.instances_of(OWL + "Class") if triples.is_named(node)} - {OWL + "Thing"}
    return _data(triples, sorted({*edges}), typed, RDFS + "label", [OBO + "hasAlternativeId"])


def _restrictions(triples: Triples, node: Any) -> list[tuple[set[str], str]]:
    """The names of the property of a restriction, and its class."""
    address, graph = triples.rdf.URIRef, triples.graph
    restrictions = []
    for relation in graph.objects(node, address(OWL + "onProperty")):
        labels = {str(text).replace(" ", "_") for text in graph.objects(relation, address(RDFS + "label"))}
        names = {str(relation), re.split(r"[#/]", str(relation))[-1], *labels}
        targets = graph.objects(node, address(OWL + "someValuesFrom"))
        restrictions += [(names, str(target)) for target in targets if triples.is_named(target)]
    return restrictions
