"""Label sets from 0/1 matrices whose columns are classes, and from integer codes that count classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from hemlp.arrays import as_numpy, pointers
from hemlp.errors import InvalidLabelSets
from hemlp.hierarchy.labels import Label, as_label
from hemlp.instances.label_sets import LabelSets, RowKind
from hemlp.io.frames import column_names


def _from_codes(data: Any, vocabulary: tuple[Label, ...], said: RowKind | None, source: str | None) -> LabelSets | None:
    """From integers that count the labels from 0; None if the data is no list of codes, but a matrix."""
    if hasattr(data, "tocsr") or getattr(data, "ndim", 1) > 1 or column_names(data) is not None:
        return None
    rows = [row.tolist() if isinstance(row, np.ndarray | np.generic) else row for row in map(as_numpy, data)]
    kinds = {*map(type, rows)}
    if not kinds <= {int}:
        if not kinds <= {list, tuple, set, frozenset} or any(type(code) is not int for row in rows for code in row):
            return None
        alike = len({len(row) for row in rows}) == 1 and not kinds & {set, frozenset} and said is None
        zeros = any(len(set(row)) < len(row) for row in rows) and {code for row in rows for code in row} <= {0, 1}
        if alike and (len(rows[0]) == len(vocabulary) or zeros):
            return None
    coded = [(row,) if isinstance(row, int) else tuple(row) for row in rows]
    for number, row in enumerate(coded, 1):
        for code in row:
            if not 0 <= code < len(vocabulary):
                raise InvalidLabelSets(
                    f"{source or 'data'}, row {number}: the code {code} counts none of the {len(vocabulary)} labels"
                )
    codes = np.array([code for row in coded for code in row], np.int32)
    index = tuple(data.index) if hasattr(data, "iloc") else None
    return LabelSets(vocabulary, pointers([len(row) for row in coded]), codes, source=source, index=index)


def from_matrix(data: Any, labels: Sequence[Label], rows: RowKind | None, source: str | None) -> LabelSets:
    """From a 0/1 matrix, or from integer codes; ``rows`` as of ``LabelSets.of``."""
    from scipy.sparse import csr_array

    if isinstance(labels, str | bytes | Set) or not isinstance(labels, Iterable) or np.ma.isMaskedArray(data):
        raise InvalidLabelSets("a matrix without gaps, and labels= as a list in the order of its columns, are needed")
    vocabulary = tuple(map(as_label, labels))
    if len(set(vocabulary)) == len(vocabulary) and not isinstance(data, Mapping):
        codes = _from_codes(data, vocabulary, rows, source)
        if codes is not None:
            return codes
    columns = list(getattr(data, "columns", ()))
    if columns != list(range(len(columns))) and set(columns) == set(vocabulary) and columns != list(vocabulary):
        raise InvalidLabelSets("labels= names the columns of the frame in another order than the frame itself")
    try:
        matrix = csr_array(data if hasattr(data, "tocsr") else np.asarray(data), dtype=np.float64, copy=True)
    except (TypeError, ValueError) as error:
        raise InvalidLabelSets(f"labels= is for a 0/1 matrix of two dimensions: {error}") from None
    if matrix.ndim != 2 or matrix.shape[1] != len(vocabulary):
        raise InvalidLabelSets(f"a matrix of shape {matrix.shape} does not fit {len(vocabulary)} labels")
    if len(set(vocabulary)) < len(vocabulary):
        raise InvalidLabelSets("labels= names a class twice")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    odd = matrix.data[matrix.data != 1]
    if odd.size:
        raise InvalidLabelSets(
            f"the matrix holds {odd[0]:g}: only 0 and 1 are allowed (apply a threshold to scores first)"
        )
    return LabelSets(vocabulary, matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), source=source)
