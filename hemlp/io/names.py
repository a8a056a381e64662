"""Readable names of classes from files."""

from __future__ import annotations

from os import PathLike

from hemlp.errors import FileFormatError
from hemlp.hierarchy.labels import Label
from hemlp.io.text import decode, read_bytes


def read_names(path: str | PathLike[str]) -> dict[Label, str]:
    """Read readable names of classes: one ``label<TAB>name`` a line."""
    source, data = read_bytes(path)
    names: dict[Label, str] = {}
    for number, line in enumerate(decode(data, source).splitlines(), 1):
        label, tab, name = line.partition("\t")
        if line.strip() and not tab:
            raise FileFormatError(f"{source}, line {number}: no tab between a label and its name", number)
        if tab:
            names[label.strip()] = name.strip()
    return names
