"""What a TOML file says, changes of it from the command line, and where a study file may have results written."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from os import PathLike
from pathlib import Path
from typing import Any

from hemlp.errors import FileFormatError, InvalidOption
from hemlp.io.text import decode, file_reader, read_bytes
from hemlp.options import did_you_mean


@file_reader
def read_toml(path: str | PathLike[str]) -> dict[str, Any]:
    """The tables of a file."""
    import tomllib

    source, content = read_bytes(path)
    text = decode(content, source)
    try:
        return tomllib.loads(text)
    except ValueError as error:  # also of a number of too many digits
        raise FileFormatError(f"{source} is not a TOML file: {error}") from None


def apply_changes(data: Mapping[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """Tables with ``changes`` KEY=VALUE: dots lead into tables, a value is TOML or a text as it is.

    A value takes the place of what the key had, a table of the whole table; KEY= leaves the key out.
    """
    made = deepcopy(dict(data))
    for change in changes:
        key, sign, value = change.partition("=")
        keys = _parse_key(key) if sign and "\n" not in change else []
        if not keys:
            raise InvalidOption(f"--set {change} is not KEY=VALUE, as in options.workers=2")
        if value.strip():
            _put(made, keys, _parse_value(value))
        else:
            _remove(made, keys, change)
    return made


def _parse_key(key: str) -> list[str]:
    """The tables that a key with dots leads into, and its last part; nothing if it is no key."""
    import tomllib

    try:
        found: Any = tomllib.loads(f"{key} = 0")
    except (ValueError, RecursionError):
        return []
    path: list[str] = []
    while isinstance(found, dict):
        ((name, found),) = found.items()
        path.append(name)
    return path


def _parse_value(text: str) -> Any:
    """As TOML, else the text as it is."""
    import tomllib

    if re.fullmatch(r"\s*[+-]?(nan|inf)\s*", text):  # numbers of TOML, and words of ours: undefined=nan
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def _put(data: dict[str, Any], keys: list[str], value: Any) -> None:
    """Give a key a value in place of what it had."""
    *tables, last = keys
    for name in tables:
        if not isinstance(data.get(name), dict):
            data[name] = {}
        data = data[name]
    data[last] = value


def _remove(data: Any, keys: list[str], change: str) -> None:
    """Leave a key out."""
    *tables, last = keys
    for name in tables:
        data = data.get(name) if isinstance(data, dict) else None
    if not isinstance(data, dict) or last not in data:
        known = list(data) if isinstance(data, dict) else []
        raise InvalidOption(f"--set {change} leaves out what the file does not have{did_you_mean(last, known)}")
    del data[last]


def check_output_paths(
    written: Mapping[str, Sequence[str]], data: Mapping[str, Any], changes: Sequence[str], folder: Path
) -> None:
    """Refuse places outside of a folder, and hidden ones in it, that nobody but a file says are written.

    ``written``: places by the key that says so; ``data``: what the file says; ``changes`` of it are the command line's.
    Links are followed: it counts where they lead to.
    """
    inside = os.path.realpath(folder)
    for key, places in written.items():
        table, _, name = key.partition(".")
        if not _only_in_file(data, changes, table, name):
            continue
        for place in places:
            parts = Path(os.path.relpath(os.path.realpath(place), inside)).parts
            if any(part.startswith(".") for part in parts) and place != "-":
                said = data[table][name]
                raise InvalidOption(
                    f"{key} = {said!r}: a study file has its results written below its own folder, and not to hidden "
                    f"files; --set {key}={said} writes there all the same"
                )


def _only_in_file(data: Mapping[str, Any], changes: Sequence[str], table: str, name: str) -> bool:
    """Whether a key of a table is said by the file, and not by ``changes``."""
    if name not in data.get(table, {}):
        return False
    marked = apply_changes({**data, table: {**data[table], name: None}}, changes)  # TOML itself has no None
    return name in marked.get(table, {}) and marked[table][name] is None
