"""OBO ontologies: stanzas of tags with values, ``tag: value {qualifiers} ! comment``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hemlp.errors import FileFormatError, InvalidOption
from hemlp.hierarchy.formats.hierarchy_data import HierarchyData
from hemlp.hierarchy.formats.source_file import SourceFile
from hemlp.hierarchy.labels import Label
from hemlp.io.text import decode

_END = re.compile(r"(?:\s+(?<!\\)\{[^{}]*\})?(?:\s+!.*)?\s*$")
"""Qualifiers and a comment, at the end of a value."""
_ESCAPED = re.compile(r"\\(.)")
_MEANT = {"n": "\n", "t": "\t", "W": " "}
_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"(\s+EXACT)?')
TAGS = frozenset(("id", "name", "alt_id", "is_a", "relationship", "is_obsolete", "replaced_by", "synonym"))
"""What is read of a term."""


@dataclass
class Term:
    """What the stanzas of one term say; ``parents``: (relation, term) pairs."""

    name: str | None = None
    obsolete: bool = False
    parents: list[tuple[str, str]] = field(default_factory=list)
    other_ids: list[str] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)
    synonyms: list[str] = field(default_factory=list)


def read_terms(text: str, source: str) -> dict[str, Term]:
    """The terms of an ontology by their ids; several stanzas of one term are taken together."""
    terms: dict[str, Term] = {}
    within, term = False, None
    for number, line in enumerate(text.split("\n"), 1):
        tag, sign, rest = line.partition(":")
        if tag in TAGS and within:
            value = rest.strip()
            if tag == "id" and value:
                term = terms.setdefault(value.split(None, 1)[0], Term())
            elif term is None:
                raise FileFormatError(f"{source}, line {number}: {tag!r} of a term before its id", number)
            elif not value or not _store(term, tag, value):
                raise FileFormatError(f"{source}, line {number}: {line.strip()[:80]!r} says nothing of a term", number)
        elif line.startswith("["):
            within, term = line.strip() == "[Term]", None
        elif not sign and line.strip() and not line.startswith("!"):
            raise FileFormatError(f"{source}, line {number}: not an OBO file, {line.strip()[:80]!r} is no tag", number)
    if not terms:
        raise FileFormatError(f"{source} is not an OBO file: it has no stanza [Term] with an id")
    return terms


def _store(term: Term, tag: str, value: str) -> bool:
    """Keep what a tag says; whether it says something."""
    if tag == "name":
        term.name = _text(value)
        return True
    if tag == "synonym":  # wider and narrower ones mean something else
        match = _SYNONYM.match(value)
        term.synonyms += [_text(match[1])] if match and match[2] else []
        return match is not None
    words = value.split(None, 2)  # but for names there are ids, and words without blanks
    if tag == "is_a":
        term.parents.append((tag, words[0]))
    elif tag == "relationship":
        if len(words) < 2:
            return False
        term.parents.append((words[0], words[1]))
    elif tag == "is_obsolete":
        term.obsolete = words[0] == "true"
    elif tag == "alt_id":
        term.other_ids.append(words[0])
    else:
        term.replaced_by.append(words[0])
    return True


def _text(value: str) -> str:
    """A value without its qualifiers and comment, and what escapes stand for."""
    if "!" in value or "{" in value:
        value = _END.sub("", value)
    return _ESCAPED.sub(lambda match: _MEANT.get(match[1], match[1]), value) if "\\" in value else value


def read_obo(source: SourceFile) -> HierarchyData:
    """Terms and the chosen relations; alternative ids, and obsolete ids with one replacement, become aliases."""
    relations = source.relations
    if isinstance(relations, str):
        raise InvalidOption(f"relations={relations!r} is one string: write [{relations!r}]")
    terms = read_terms(decode(source.data, source.name), source.name)
    known = {relation for term in terms.values() for relation, _ in term.parents}
    for relation in relations:
        if relation not in known:
            has = ", ".join(sorted(known)) or "none"
            raise FileFormatError(f"{source.name} has no relation {relation!r}; it has {has}")
    edges = dict.fromkeys(
        (parent, name) for name, term in terms.items() for relation, parent in term.parents if relation in relations
    )
    classes = {end for edge in edges for end in edge} | {name for name, term in terms.items() if not term.obsolete}
    aliases: dict[Label, Label] = {
        other: name for name in classes if name in terms for other in terms[name].other_ids if other not in classes
    }
    for name in terms.keys() - classes:
        if (target := _replacement(name, terms, classes, aliases)) is not None:
            aliases[name] = target
    names: dict[Label, str] = {name: str(term.name) for name, term in terms.items() if name in classes and term.name}
    synonyms = [(text, name) for name in sorted(classes) if name in terms for text in terms[name].synonyms if text]
    return HierarchyData.of(list(edges), sorted(classes), names, aliases, synonyms)


def _replacement(name: Label, terms: dict[str, Term], classes: set[str], aliases: dict[Label, Label]) -> Label | None:
    """The class that replaces an obsolete term, perhaps by way of others that were replaced, too; None without one."""
    seen: set[Label] = set()
    while name not in classes:
        seen.add(name)
        targets = {aliases.get(target, target) for target in terms[str(name)].replaced_by} if name in terms else ()
        if len(targets) != 1 or not seen.isdisjoint(targets):
            return None
        (name,) = targets
    return name
