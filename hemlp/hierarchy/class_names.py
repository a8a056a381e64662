"""Classes listed in a file, and readable names of classes."""

from __future__ import annotations

from os import PathLike

from hemlp.errors import FileFormatError
from hemlp.hierarchy.formats.obo import read_terms
from hemlp.hierarchy.labels import Label
from hemlp.io.text import decode, file_kind, read_bytes


def read_names(path: str | PathLike[str]) -> dict[Label, str]:
    """Read readable names of classes: one ``label<TAB>name`` a line, or those of the terms of an .obo ontology."""
    source, data = read_bytes(path)
    text = decode(data, source)
    if file_kind(source) == ".obo":
        return {label: term.name for label, term in read_terms(text, source).items() if term.name}
    names: dict[Label, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        label, tab, name = line.partition("\t")
        if line.strip() and not tab:
            raise FileFormatError(f"{source}, line {number}: no tab between a label and its name", number)
        if tab:
            names[label.strip()] = name.strip()
    return names


def read_classes(path: str | PathLike[str]) -> list[Label]:
    """Read classes, one a line."""
    source, data = read_bytes(path)
    return [line.strip() for line in decode(data, source).splitlines() if line.strip()]
