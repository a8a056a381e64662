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
TAGS = frozenset(("id", "name", "alt_id", "is_a", "relationship", "is_obsolete", "replaced_by"))
"""What is read of a term."""


@dataclass
class Term:
    """What the stanzas of one term say; ``parents``: (relation, term) pairs."""

    name: str | None = None
    obsolete: bool = False
    parents: list[tuple[str, str]] = field(default_factory=list)
    other_ids: list[str] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)


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
    for name, term in terms.items():
        targets = {aliases.get(target, target) for target in term.replaced_by}
        if name not in classes and len(targets) == 1 and targets <= classes:
            aliases[name] = targets.pop()
    names: dict[Label, str] = {name: str(term.name) for name, term in terms.items() if name in classes and term.name}
    return HierarchyData.of(list(edges), sorted(classes), names, aliases)
