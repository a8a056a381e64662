"""Files of names of classes, and of classes."""

from __future__ import annotations

from os import PathLike

from hemlp.errors import FileFormatError
from hemlp.hierarchy.formats.obo import read_terms
from hemlp.hierarchy.labels import Label
from hemlp.io.text import decode, file_kind, read_bytes


def read_names(path: str | PathLike[str]) -> dict[Label, str]:
    """Read names of classes: one ``label<TAB>name`` per line, or the names of the terms of an .obo ontology."""
    source, data = read_bytes(path)
    if file_kind(source) == ".obo":
        return {label: name for label, name in read_terms(data, source).names.items() if name}
    text = decode(data, source)
    names: dict[Label, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        label, tab, name = line.partition("\t")
        if line.strip() and not tab:
            raise FileFormatError(f"{source}, line {number}: expected a tab between a label and its name", number)
        if tab:
            bare = label.strip()
            names[bare[1:-1] if bare[:1] + bare[-1:] == "<>" else bare] = name.strip()
    return names


def read_classes(path: str | PathLike[str]) -> list[Label]:
    """Read classes, one per line."""
    source, data = read_bytes(path)
    return [line.strip() for line in decode(data, source).splitlines() if line.strip()]
