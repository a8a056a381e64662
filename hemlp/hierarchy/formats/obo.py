"""OBO ontologies: stanzas of tags with values, ``tag: value {qualifiers} ! comment``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from hemlp.errors import FileFormatError, InvalidOption
from hemlp.hierarchy.formats.hierarchy_data import HierarchyData
from hemlp.hierarchy.formats.source_file import SourceFile
from hemlp.hierarchy.labels import Label
from hemlp.io.frames import code_list
from hemlp.io.text import WHITE, collector_paused, decode

_END = re.compile(r"(?:\s+(?<!\\)\{[^{}]*\})?(?:\s+!.*)?\s*$")
"""Qualifiers and a comment, at the end of a value."""
_ESCAPED = re.compile(r"\\(.)")
_MEANT = {"n": "\n", "t": "\t", "W": " "}
_EXACT = re.compile(r"\s+EXACT")
_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"(\s+EXACT)?')
TAGS = frozenset(("id", "name", "namespace", "alt_id", "is_a", "relationship", "is_obsolete", "replaced_by", "synonym"))
"""What is read of a term."""


@dataclass
class Terms:
    """What an ontology says: names (None: none) and namespaces by id; links as (relation, parent, child), other ids,
    replacements and synonyms as (id, another id or text); and obsolete terms."""

    names: dict[str, str | None] = field(default_factory=dict)
    namespaces: dict[str, str] = field(default_factory=dict)
    links: list[tuple[str, str, str]] = field(default_factory=list)
    other_ids: list[tuple[str, str]] = field(default_factory=list)
    replacements: list[tuple[str, str]] = field(default_factory=list)
    obsolete: set[str] = field(default_factory=set)
    synonyms: list[tuple[str, str]] = field(default_factory=list)

    def store(self, term: str, tag: str, value: str) -> bool:
        """Keep what a tag says of a term; whether it says something."""
        if tag == "name":
            self.names[term] = _text(value)
            return True
        if tag == "synonym":  # wider and narrower ones mean something else
            match = _SYNONYM.match(value)
            self.synonyms += [(term, _text(match[1]))] if match and match[2] else []
            return match is not None
        words = value.split(None, 2)  # but for names there are ids, and words without blanks
        if tag == "is_a":
            self.links.append((tag, words[0], term))
        elif tag == "relationship":
            if len(words) < 2:
                return False
            self.links.append((words[0], words[1], term))
        elif tag == "is_obsolete":
            (self.obsolete.add if words[0] == "true" else self.obsolete.discard)(term)
        elif tag == "namespace":
            self.namespaces[term] = words[0]
        elif tag == "alt_id":
            self.other_ids.append((term, words[0]))
        else:
            self.replacements.append((term, words[0]))
        return True


def read_terms(data: bytes, source: str) -> Terms:
    """The terms of an ontology; several stanzas of one term are taken together."""
    text = decode(data, source)
    if (regular := _read_regular(data)) is not None:
        return regular
    terms = Terms()
    within, term = False, None
    for number, line in enumerate(text.split("\n"), 1):
        tag, sign, rest = line.partition(":")
        if tag in TAGS and within:
            value = rest.strip()
            if tag == "id" and value:
                term = value.split(None, 1)[0]
                terms.names.setdefault(term, None)
            elif term is None:
                raise FileFormatError(f"{source}, line {number}: {tag!r} of a term before its id", number)
            elif not value or not terms.store(term, tag, value):
                raise FileFormatError(f"{source}, line {number}: {line.strip()[:80]!r} is not about a term", number)
        elif line.startswith("["):
            within, term = line.strip() == "[Term]", None
        elif not sign and line.strip() and not line.startswith("!"):
            raise FileFormatError(
                f"{source}, line {number}: not an OBO file, {line.strip()[:80]!r} is not a tag", number
            )
    if not terms.names:
        raise FileFormatError(f"{source} is not an OBO file: it has no stanza [Term] with an id")
    return terms


def _read_regular(data: bytes) -> Terms | None:
    """The same, much faster, of terms that begin with an id of their own each; None where a closer look is needed.

    The kernel tells the tags of all lines apart, and only lines that matter are looked at.
    """
    from hemlp.kernels.text.splitting import first_words, split_tags, trimmed

    letters, codes, starts, ends = split_tags(data)
    tags = letters.decode("utf-8").split("\n")[:-1]

    def tagged(test: Callable[[str], bool]) -> NDArray[np.bool_]:
        return np.array([test(tag) for tag in tags], np.bool_)[codes]

    colons, heads = starts > 0, tagged(lambda tag: tag.startswith("["))
    begins = tagged(lambda tag: tag.strip() == "[Term]") & heads & ~colons
    plain = tagged(lambda tag: tag.strip() != "" and tag[0] not in "[!")
    stanza = np.cumsum(heads)
    within = np.concatenate([[False], begins[heads]])[stanza]
    lines = np.flatnonzero(tagged(TAGS.__contains__) & within & colons)
    ids, is_a, names, spaces, synonyms = (
        tagged(each.__eq__)[lines] for each in ("id", "is_a", "name", "namespace", "synonym")
    )
    first = np.ones(len(lines), np.bool_)
    first[1:] = stanza[lines[1:]] != stanza[lines[:-1]]
    if (plain & ~colons).any() or not lines.size or (first != ids).any():
        return None
    starts, ends = starts[lines], ends[lines]
    linked = ids | is_a | spaces
    letters, words = first_words(data, starts[linked], ends[linked])
    if (words < 0).any() or not letters.isascii() or any(w in letters for w in WHITE):
        return None
    labels = letters.decode().split("\n")[:-1]
    owners = [labels[c] for c in words[ids[linked]].tolist()]
    terms = Terms(dict.fromkeys(owners))
    if len(terms.names) < len(owners):
        return None
    owner = np.cumsum(ids) - 1

    def values(chosen: NDArray[np.bool_]) -> Iterator[tuple[str, str]]:
        """(term, stripped value) of the chosen lines."""
        pieces = trimmed(data, starts[chosen], ends[chosen]).decode("utf-8").split("\n")[:-1]
        return zip(map(owners.__getitem__, owner[chosen].tolist()), map(str.strip, pieces), strict=True)

    children = map(owners.__getitem__, owner[is_a].tolist())
    parents = map(labels.__getitem__, words[is_a[linked]].tolist())
    terms.links += zip(repeat("is_a"), parents, children, strict=False)
    of = map(owners.__getitem__, owner[spaces].tolist())
    terms.namespaces.update(zip(of, map(labels.__getitem__, words[spaces[linked]].tolist()), strict=True))
    terms.names.update((term, _text(value)) for term, value in values(names))
    for term, value in values(synonyms):
        parts = value.split('"', 2)  # wider and narrower ones mean something else
        if len(parts) < 3 or parts[0] or "\\" in value:
            if not value or not terms.store(term, "synonym", value):
                return None
        elif "EXACT" in parts[2] and _EXACT.match(parts[2]):
            terms.synonyms.append((term, _text(parts[1])))
    others = ~(linked | names | synonyms)
    for code, (term, value) in zip(codes[lines[others]].tolist(), values(others), strict=True):
        if not value or not terms.store(term, tags[code], value):
            return None
    return None if "" in terms.names.values() else terms


def _text(value: str) -> str:
    """A value without its qualifiers and comment, and what escapes stand for."""
    if "!" in value or "{" in value:
        value = _END.sub("", value)
    return _ESCAPED.sub(lambda match: _MEANT.get(match[1], match[1]), value) if "\\" in value else value


@collector_paused()
def read_obo(source: SourceFile) -> HierarchyData:
    """Terms and the chosen relations; alternative ids, and obsolete ids with one replacement, become aliases."""
    relations = source.followed
    if isinstance(relations, str):
        raise InvalidOption(f"relations={relations!r} is one string: write [{relations!r}]")
    terms = read_terms(source.data, source.name)
    known = {relation for relation, _, _ in terms.links}
    for relation in relations:
        if relation not in known:
            raise source.lacks(relation, known)
    source.warn_of_parts(sum(relation == "part_of" for relation, _, _ in terms.links))
    chosen = [link for link in terms.links if link[0] in relations]
    parents, children = ([link[k] for link in chosen] for k in (1, 2))
    coded = code_list([*parents, *children, *(name for name in terms.names if name not in terms.obsolete)])
    assert coded is not None
    classes = {*coded[0]}
    aliases: dict[Label, Label] = {
        other: name for name, other in terms.other_ids if name in classes and other not in classes
    }
    targets: dict[str, set[str]] = {}
    for name, target in terms.replacements:
        targets.setdefault(name, set()).add(target)
    for name in targets.keys() - classes:
        if (target_class := _replacement(name, targets, classes, aliases)) is not None:
            aliases[name] = target_class
    names: dict[Label, str] = {label: name for label, name in terms.names.items() if name and label in classes}
    synonyms = [(text, name) for name, text in sorted(terms.synonyms) if text and name in classes]
    namespaces: dict[Label, str] = {c: name for c, name in terms.namespaces.items() if c in classes}
    ends = coded[1][: 2 * len(chosen)].reshape(2, -1).T
    return HierarchyData(coded[0], ends, None, names, aliases, synonyms, namespaces)


def _replacement(
    name: Label, targets: dict[str, set[str]], classes: set[Label], aliases: dict[Label, Label]
) -> Label | None:
    """The class that replaces an obsolete term, perhaps by way of others that were replaced, too; None without one."""
    seen: set[Label] = set()
    while name not in classes:
        seen.add(name)
        own = {aliases.get(target, target) for target in targets.get(str(name), ())}
        if len(own) != 1 or not seen.isdisjoint(own):
            return None
        (name,) = own
    return name
