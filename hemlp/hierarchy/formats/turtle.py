"""The plain part of Turtle, in which most thesauri are written: names, addresses, strings and lists of them.

Whatever else stands in a file, blank nodes that matter, odd names, is left to rdflib as a whole: None is returned.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import urljoin

_NAME = r"(?:[A-Za-z](?:[\w-]*[\w])?)?:(?:\w(?:[\w-]*\w)?)?"
_ADDRESS = r"""[^<>"{}|^`\\\s\x00-\x1f\x7f-\uffff\U00010000-\U0010ffff]*"""
_TOKEN = re.compile(
    rf"""(?:\s+|\#[^\n]*)*(?:
      (?P<name>{_NAME})(?=[\s,;\])]|\.\s)
    | (?P<mark>[;,\[\]()]|\.(?=\s|\Z)|a(?=\s))
    | (?:\"\"\"(?P<long>(?:[^"\\]|\\.|"(?!"")){{0,10000}})\"\"\"(?!")|"(?!"")(?P<text>(?:[^"\\\n]|\\.)*)")
      (?:@(?P<language>[A-Za-z]+)(?=[\s,;.\])])|\^\^(?P<type>{_NAME}|<{_ADDRESS}>)(?=[\s,;\])]|\.\s)|(?=[\s,;.\])]))
    | <(?P<address>{_ADDRESS})>
    | (?P<value>true|false|[0-9]+)(?=[\s,;\])]|\.\s)
    | @(?P<word>prefix|base)(?=\s)
    | (?P<end>\Z)
    )""",
    re.VERBOSE | re.ASCII,
)
_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.)|)", re.DOTALL)
_MEANT = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "'": "'", "r": "\r"}
_XSD, _TRUTH = "http://www.w3.org/2001/XMLSchema#", {("boolean", "true"), ("boolean", "false")}
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


class Text(str):
    """A literal, perhaps in a language."""

    language: str | None = None


class _Odd(Exception):
    """Something that is left to rdflib."""


def _meant(match: re.Match[str]) -> str:
    """What an escape stands for."""
    code = match[1] or match[2]
    if code and 0 < int(code, 16) < 0xD800:
        return chr(int(code, 16))
    if match[3] not in _MEANT:
        raise _Odd
    return _MEANT[match[3]]


class _Reader:
    """Goes through the tokens of a text; ``found`` are (subject, object) pairs by their predicate."""

    def __init__(self, text: str, links: Collection[str], texts: Collection[str], kinds: Collection[str]) -> None:
        self.base = ""
        self.prefixes: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.links, self.kinds = frozenset(links), kinds
        self.found: dict[str, list[tuple[str, str]]] = {predicate: [] for predicate in (*links, *texts)}
        self.match = _TOKEN.scanner(text).match  # type: ignore[attr-defined]

    def next(self) -> re.Match[str]:
        """The next token."""
        token: re.Match[str] | None = self.match()
        if token is None:
            raise _Odd
        return token

    def address(self, token: re.Match[str]) -> str:
        """What a name or an address stands for."""
        if (name := token["name"]) is not None:
            if name not in self.names:
                prefix, _, rest = name.partition(":")
                if prefix not in self.prefixes:
                    raise _Odd
                self.names[name] = self.prefixes[prefix] + rest
            return self.names[name]
        address: str | None = token["address"]
        if address is None:
            raise _Odd
        if re.match(r"(?:https?://[^/?#]+/|urn:\w)(?!.*/\.)", address):
            return address
        if not self.base or re.match(r"[/?#.]|[^/]*:|.*[?#]|.*//|.*/\.", address.removeprefix("../")):
            raise _Odd
        return urljoin(self.base, address)

    def declare(self, word: str) -> None:
        """A prefix or the base of addresses."""
        name = self.next()["name"] if word == "prefix" else None
        address = self.address(self.next())
        if word == "base":
            if not re.fullmatch(r"https?://[\w.-]+(/[\w-]+)*/", address):
                raise _Odd
            self.base = address
        elif name is None or not name.endswith(":"):
            raise _Odd
        else:
            self.prefixes[name[:-1]] = address
            self.names.clear()
        if self.next()["mark"] != ".":
            raise _Odd

    def read(self) -> None:
        """All statements."""
        while (token := self.next())["end"] is None:
            if token["word"]:
                self.declare(token["word"])
                continue
            self.properties(self.address(token), ".")

    def properties(self, subject: str | None, end: str) -> None:
        """What is said of a subject, or of a blank node (None), to the mark at its end."""
        mark = ";"
        while mark == ";":
            token = self.next()
            while token["mark"] == ";":
                token = self.next()
            if token["mark"] == end:
                return
            predicate = _TYPE if token["mark"] == "a" else self.address(token)
            mark = ","
            while mark == ",":
                self.object(subject, predicate, self.next())
                mark = self.next()["mark"]
        if mark != end:
            raise _Odd

    def object(self, subject: str | None, predicate: str, token: re.Match[str]) -> None:
        """One object; what is said by a blank node or of one must be nothing that is looked for."""
        kind = token.lastgroup
        link, wanted = kind in ("name", "address"), predicate in self.found
        if link:
            target = self.address(token)
        elif kind == "mark" and not wanted and token["mark"] == "[":
            self.properties(None, "]")
        elif kind == "mark" and not wanted and token["mark"] == "(":
            while (token := self.next())["mark"] != ")":
                self.object(None, "", token)
        elif kind in ("mark", "word", "end") or (wanted and predicate in self.links):
            raise _Odd
        else:
            target = self.text(token, wanted)
        if wanted and subject is None and (predicate != _TYPE or target in self.kinds):
            raise _Odd
        if wanted and subject is not None:
            if link != (predicate in self.links):
                raise _Odd
            self.found[predicate].append((subject, target))

    def text(self, token: re.Match[str], wanted: bool) -> Text:
        """A literal, which is a string, true or false if it is wanted."""
        written = next((token[kind] for kind in ("text", "long", "value") if token[kind] is not None), "")
        if token["type"]:
            prefix, _, name = token["type"].partition(":")
            if prefix not in self.prefixes:
                raise _Odd
            if wanted and (self.prefixes[prefix] != _XSD or (name, written) not in {("string", written), *_TRUTH}):
                raise _Odd
        elif wanted and token["value"] and ("boolean", written) not in _TRUTH:
            raise _Odd
        made = Text(_ESCAPED.sub(_meant, written) if "\\" in written else written)
        made.language = token["language"]
        return made


def read_plain_turtle(
    text: str, links: Collection[str], texts: Collection[str], kinds: Collection[str]
) -> dict[str, list[tuple[str, str]]] | None:
    """(subject, object) of some predicates between addresses (``links``) and to ``texts``; None: rdflib has to.

    ``kinds``: the types that are looked for. A blank node that has one of them is left to rdflib, too.
    """
    if "\r" in text or "\0" in text:
        return None
    reader = _Reader(text, links, texts, kinds)
    try:
        reader.read()
    except (_Odd, RecursionError):
        return None
    return reader.found
