"""Frames of pandas, polars and Arrow, and dicts of columns, all read through their columns."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray, record
from hemlp.errors import InvalidLabel

Coded = tuple[list[Any], IntArray]
"""Distinct values in the order in which they appear, and which one each row has; -1 where it has none."""


@record
class BatchedColumn:
    """A column of ``size`` values that is read batch by batch at each iteration.

    ``coded``: what ``code_column`` says of it.
    """

    size: int
    batches: Callable[[], Iterator[list[Any]]]
    coded: Callable[[], Coded | None]

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Any]:
        for batch in self.batches():
            yield from batch


def collect_query(data: Any) -> Any:
    """The result of a query of polars or DuckDB as a table; anything else as given."""
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):
        return data.collect()
    return data.fetch_arrow_table() if hasattr(data, "fetch_arrow_table") else data


def column_names(data: Any) -> list[Any] | None:
    """The names of the columns of a frame, None if it is not a frame."""
    with refuse_broken_texts("the name of a column"):
        names = getattr(data, "column_names", None)  # of an Arrow table, whose columns are arrays
    if names is None:
        names = getattr(data, "columns", None)
    return None if names is None or callable(names) else name_columns(names)


def name_columns(names: Iterable[Any]) -> list[Any]:
    """The names of columns; those in bytes, which equal no text, are refused."""
    made = list(names)
    for name in made:
        if isinstance(name, bytes):
            raise InvalidLabel(f"the column {name!r} has bytes for a name, not text: decode the names of columns first")
    return made


@contextmanager
def refuse_broken_texts(what: str) -> Iterator[None]:
    """Name the error of texts in Arrow that are not UTF-8."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise InvalidLabel(f"{what} is not UTF-8: {bytes(error.object[error.start :])!r:.40}") from None


def column(data: Any, name: Any) -> list[Any]:
    """The values of one column."""
    values = data[name]
    for plain in ("to_pylist", "to_list"):  # of Arrow; of polars and pandas
        if hasattr(values, plain):
            with refuse_broken_texts(f"a text of the column {name!r}"):
                return list(getattr(values, plain)())
    return list(values)


def code_column(values: Any) -> Coded | None:
    """Distinct values and codes of a column of strings or integers; None for any other, which needs a closer look."""
    if isinstance(values, BatchedColumn):
        return values.coded()
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(values, pandas.Series):
        return _code_series(values, pandas)
    if hasattr(values, "to_arrow"):  # of polars
        try:
            values = values.to_arrow()
        except ImportError:
            values = values.to_list()
    if hasattr(values, "dictionary_encode"):
        return code_arrow(values)
    if isinstance(values, np.ndarray) and values.ndim == 1:
        values = values.tolist()
    return code_list(values) if isinstance(values, list | tuple) else None


def code_list(values: Sequence[Any]) -> Coded | None:
    """Like ``code_column``, for a list in which None is a missing value."""
    from hemlp.kernels.text.label_sets import code_rows

    return code_rows([values], len(values))


def number_column(values: Any) -> FloatArray | None:
    """A column of finite numbers; None for any other, which needs a closer look."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    elif isinstance(values, list | tuple) and {*map(type, values)} <= {int, float}:
        try:
            values = np.array(values, np.float64)
        except OverflowError:
            return None
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype.kind not in "iuf":
        return None
    numbers = values.astype(np.float64)
    return numbers if np.isfinite(numbers).all() else None


def sort_by_appearance(distinct: Sequence[Any], codes: IntArray) -> Coded:
    """Distinct values in the order of their first rows, without unused ones; -1 is missing."""
    first = np.full(len(distinct) + 1, len(codes))
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1, dtype=np.int32)  # the last one that is written stays
    first[-1] = len(codes)
    if (first[1:] > first[:-1]).all():
        return list(distinct), np.array(codes, np.int32)
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(codes))]
    numbers = np.full(len(first), -1, np.int32)
    numbers[order] = np.arange(len(order))
    return [distinct[k] for k in order.tolist()], numbers[codes]


def _code_series(values: Any, pandas: Any) -> Coded | None:
    """Code a column of pandas."""
    if isinstance(values.dtype, pandas.CategoricalDtype):
        kind, distinct, codes = values.cat.categories.inferred_type, values.cat.categories, values.cat.codes.to_numpy()
    elif values.dtype == object and (coded := code_list(values.tolist())) is not None:
        return coded
    elif getattr(values.dtype, "kind", "") in ("i", "u", "O") or isinstance(values.dtype, pandas.StringDtype):
        if getattr(values.dtype, "storage", "") == "pyarrow" and (made := code_arrow(values.array.__arrow_array__())):
            return made
        kind = pandas.api.types.infer_dtype(values, skipna=True)
        codes, distinct = pandas.factorize(values) if kind in ("string", "integer") else (None, None)
    else:
        return None
    if kind not in ("string", "integer"):
        return None
    plain = distinct.tolist()
    return sort_by_appearance(plain, codes) if {*map(type, plain)} <= {str, int} else None


def is_codable(kind: Any) -> bool:
    """Whether a type of Arrow is that of strings or integers, or of a dictionary of them."""
    from pyarrow import types

    kind = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_integer(kind))


def code_arrow(values: Any) -> Coded | None:
    """Code an array of Arrow, in one or several chunks."""
    if not is_codable(values.type):
        return None
    values = values.combine_chunks() if hasattr(values, "combine_chunks") else values
    with refuse_broken_texts("a text of a column"):
        if (made := _code_texts(values)) is not None:
            return made
        coded = values if hasattr(values, "dictionary") else values.dictionary_encode()
        distinct = coded.dictionary.to_pylist()
    if len(dict.fromkeys(distinct)) < len(distinct) or None in distinct:
        return None
    codes = coded.indices.cast("int64").fill_null(-1)  # indices may be unsigned
    return sort_by_appearance(distinct, codes.to_numpy(zero_copy_only=False))


def _code_texts(values: Any) -> Coded | None:
    """Code texts of Arrow, faster; None for other values, where some are missing, and for texts of several lines."""
    from pyarrow import types

    from hemlp.kernels.text.lexicon import code_texts

    wide = types.is_large_string(values.type)
    if not (wide or types.is_string(values.type)) or values.null_count or not len(values):
        return None
    _, ends, letters = values.buffers()
    offsets = np.frombuffer(ends, np.int64 if wide else np.int32)[values.offset :][: len(values) + 1].astype(np.int64)
    content, codes = code_texts(b"" if letters is None else letters.to_pybytes(), offsets)
    distinct = content.decode("utf-8").split("\n")[:-1]
    return (distinct, codes) if len(distinct) == codes.max() + 1 else None


def records_to_columns(records: list[Mapping[Any, Any]]) -> dict[Any, list[Any]]:
    """Columns from one dict per row; a missing key is None."""
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}
