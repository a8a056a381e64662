"""What a TOML file says, and changes of it from the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from hemlp.errors import FileFormatError, InvalidOption, UnreadableFile
from hemlp.io.files import reason


def toml_data(path: str | PathLike[str], changes: Sequence[str] = ()) -> dict[str, Any]:
    """The tables of a file, with ``changes`` KEY=VALUE: dots lead into tables, a value is TOML or a text as it is."""
    import tomllib

    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableFile(f"cannot read {fspath(path)}: {reason(error)}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{fspath(path)} is not a TOML file: {error}") from None
    for change in changes:
        _merge(data, _change(change))
    return data


def _change(text: str) -> dict[str, Any]:
    import tomllib

    key, sign, value = text.partition("=")
    if sign and "\n" not in text:
        word = re.fullmatch(r"\s*[+-]?(nan|inf)\s*", value)  # numbers of TOML, and words of ours: undefined=nan
        for written in (json.dumps(value),) if word else (value, json.dumps(value)):
            try:
                return tomllib.loads(f"{key} = {written}")
            except tomllib.TOMLDecodeError:
                continue
    raise InvalidOption(f"--set {text} is not KEY=VALUE, as in options.workers=2")


def _merge(data: dict[str, Any], change: dict[str, Any]) -> None:
    for key, value in change.items():
        if isinstance(value, dict) and isinstance(data.get(key), dict):
            _merge(data[key], value)
        else:
            data[key] = value
