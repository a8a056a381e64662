"""Hierarchies in JSON and YAML: whatever ``Hierarchy.of`` takes, with all labels as strings."""

from __future__ import annotations

import json
from typing import Any

from hemlp.errors import FileFormatError, MissingDependency
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.formats.infer import infer
from hemlp.hierarchy.formats.source_file import SourceFile
from hemlp.io.text import decode

EXPANDED = 1_000_000
"""Values that a YAML file with aliases may hold once they are written out."""


def read_json(source: SourceFile) -> Hierarchy:
    """Nested objects, edges, parents, paths or records."""
    data = load_json(decode(source.data, source.name), source.name)
    return source.hierarchy(infer, data, source.columns, source.same_names)


def load_json(text: str, name: str, line: int | None = None) -> Any:
    """JSON with numbers as strings; a key that occurs twice in an object is an error, since one would be lost."""
    place = name if line is None else f"{name}, line {line}"

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            raise FileFormatError(f"{place}: {max(keys, key=keys.count)!r} occurs twice in one object", line)
        return found

    try:
        return json.loads(text, object_pairs_hook=once, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        number = line or error.lineno
        raise FileFormatError(f"{name}, line {number}: not JSON: {error.msg}", number) from None


def read_yaml(source: SourceFile) -> Hierarchy:
    """The same in YAML."""
    try:
        import yaml
    except ImportError:
        raise MissingDependency("reading .yaml needs the package PyYAML: pip install pyyaml") from None

    aliases: list[int] = []

    class Loader(yaml.BaseLoader):  # type: ignore[misc]  # all values are strings
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                aliases.append(self.peek_event().start_mark.line + 1)
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            found = super().construct_mapping(node, deep=deep)
            if len(found) < len(node.value):
                line = node.start_mark.line + 1
                raise FileFormatError(f"{source.name}, line {line}: a key occurs twice in this mapping", line)
            return found

    try:
        data = yaml.load(decode(source.data, source.name), Loader)
    except yaml.YAMLError as error:
        raise FileFormatError(f"{source.name} is not YAML: {error}") from None
    if aliases and _size(data, {}) > EXPANDED:
        raise FileFormatError(
            f"{source.name}, line {aliases[0]}: with aliases like this one written out it holds more than "
            f"{EXPANDED:,} values: give its edges as a table", aliases[0],
        )  # fmt: skip
    return source.hierarchy(infer, _without_nulls(data), source.columns, source.same_names)


def _size(data: Any, known: dict[int, int]) -> int:
    """How many values there are once each alias is what it stands for; what contains itself has no end."""
    if not isinstance(data, list | dict):
        return 1
    if id(data) not in known:
        known[id(data)] = EXPANDED + 1
        known[id(data)] = 1 + sum(_size(each, known) for each in (data if isinstance(data, list) else data.values()))
    return known[id(data)]


def _without_nulls(data: Any) -> Any:
    """YAML's ways to write that nothing is below a class; in lists such words are classes."""
    if isinstance(data, list):
        return [_without_nulls(each) for each in data]
    if isinstance(data, dict):
        return {key: None if of in ("null", "Null", "NULL", "~") else _without_nulls(of) for key, of in data.items()}
    return data
