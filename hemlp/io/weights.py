"""Weights of classes from files."""

from __future__ import annotations

import math
from os import PathLike

from hemlp.errors import FileFormatError
from hemlp.hierarchy.labels import Label
from hemlp.io.text import decode, read_bytes


def read_weights(path: str | PathLike[str]) -> dict[Label, float]:
    """Read weights of classes: one ``label<TAB>weight`` a line, each a number of at least 0."""
    source, data = read_bytes(path)
    weights: dict[Label, float] = {}
    for number, line in enumerate(decode(data, source).splitlines(), 1):
        if not line.strip():
            continue
        label, _, text = (part.strip() for part in line.partition("\t"))
        try:
            weight = float(text)
        except ValueError:
            weight = math.nan
        if not 0 <= weight < math.inf:
            raise FileFormatError(f"{source}, line {number}: not a label, a tab and a weight of at least 0", number)
        if label in weights:
            raise FileFormatError(f"{source}, line {number}: the class {label!r} has a weight already", number)
        weights[label] = weight
    return weights
