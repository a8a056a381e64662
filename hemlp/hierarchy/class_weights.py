"""Weights of classes, such as information accretion: from a file, and as an array."""

from __future__ import annotations

import math
from collections.abc import Mapping
from os import PathLike

import numpy as np

from hemlp.arrays import FloatArray, plain_sum
from hemlp.errors import FileFormatError, InvalidOption
from hemlp.hierarchy.labelled_structure import AMBIGUOUS, LabelledStructure
from hemlp.hierarchy.labels import Label
from hemlp.io.text import SEPARATORS, decode, file_kind, parse_number, read_bytes, read_columns
from hemlp.options import plain_number


def read_weights(path: str | PathLike[str]) -> dict[Label, float]:
    r"""Read weights of classes, such as information accretion: one ``class<TAB>weight`` per line, gzipped or not.

    A .csv file has commas instead. A first line without a number is a header.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UnreadableFile, FileFormatError
        With the line of a weight that is not a finite number of at least 0, or of a class that occurs twice.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "ia.tsv")
    ...     _ = path.write_text("sheep\t1.5\ncow\t0\n")
    ...     read_weights(path)
    {'sheep': 1.5, 'cow': 0.0}
    """
    source, data = read_bytes(path)
    sep = SEPARATORS.get(file_kind(source), "\t")
    text = decode(data, source)
    weights = _plain_weights(data, source, sep)
    if weights is not None:
        return weights
    weights = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        label, text = (part.strip() for part in line.partition(sep)[::2])
        value = parse_number(text.encode())
        if number == 1 and label and text and value is None:
            continue  # the header
        if not label or value is None or not math.isfinite(value) or value < 0:
            name = "a comma" if sep == "," else "a tab"
            raise FileFormatError(
                f"{source}, line {number}: expected a label, {name} and a weight of at least 0", number
            )
        if label in weights:
            raise FileFormatError(f"{source}, line {number}: the class {label!r} has a weight already", number)
        weights[label] = value + 0.0
    return weights


def _plain_weights(data: bytes, source: str, sep: str) -> dict[Label, float] | None:
    """The fast path for labels without white space and plain decimals; None for anything else."""
    cells = read_columns(data, source, 0, sep, "tn")
    labels = cells.texts[0]
    if cells.wrong or not cells.bare or not (cells.values >= 0).all():  # nan: not a plain decimal
        return None
    distinct = len(labels) == cells.values.size and "" not in labels
    return dict(zip(labels, (cells.values + 0.0).tolist(), strict=True)) if distinct else None


def weights_by_class(h: LabelledStructure, weights: Mapping[Label, float]) -> dict[Label, float]:
    """The weights by label; classes may be given by name."""
    keys, made = list(weights), dict[Label, float]()
    for label, number in zip(keys, h.numbers(keys).tolist(), strict=True):
        if number == AMBIGUOUS:
            raise h.ambiguous_label(label, h.name_index.classes(label), "weights: ")
        own = label if number < 0 else h.labels[number]
        if made.setdefault(own, weights[label]) != weights[label]:
            raise InvalidOption(f"the class {own!r} has two weights, {made[own]} and {weights[label]} (as {label!r})")
    return made


def class_weights(h: LabelledStructure, weights: Mapping[Label, float]) -> FloatArray:
    """The weight of each class: numbers of at least 0 with a finite sum."""
    if len(weights) > len(h.labels) or not all(map(weights.__contains__, h.labels)):
        weights = weights_by_class(h, weights)
    given = [weights.get(label, math.nan) for label in h.labels]
    values = np.array(given) if {*map(type, given)} == {float} else np.full(len(h), math.nan)
    if ((values >= 0) & (values < math.inf)).all() and not math.isinf(plain_sum(given)):  # below: messages
        return values
    for k, label in enumerate(h.labels):
        if label not in weights:
            raise InvalidOption(f"weights has no value for the class {label!r}")
        weight = weights[label]
        if type(weight) is not float or not 0 <= weight < math.inf:
            weight = plain_number(f"the weight of {label!r}", weight, 0)
            if weight is None:
                raise InvalidOption(f"the weight of {label!r} is None: give a number for every class")
        values[k] = weight
    if math.isinf(plain_sum(values.tolist())):
        raise InvalidOption("the sum of all weights is infinite: scale them down")
    return values
