"""Where a study may write: a file has its results written to its own folder, the command line says any place."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hemlp.errors import InvalidOption
from hemlp.run.toml import apply_changes


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
