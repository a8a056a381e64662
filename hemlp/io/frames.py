"""Frames of pandas, polars and Arrow, and dicts of columns, all read through their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class BatchedColumn:
    """A column of ``size`` values that is read batch by batch, whenever somebody goes through it."""

    size: int
    batches: Callable[[], Iterator[list[Any]]]

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Any]:
        for batch in self.batches():
            yield from batch


def collect_query(data: Any) -> Any:
    """A query of polars or DuckDB as the table that it is a query for, and anything else as it is."""
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):
        return data.collect()
    return data.fetch_arrow_table() if hasattr(data, "fetch_arrow_table") else data


def column_names(data: Any) -> list[Any] | None:
    """The names of the columns of a frame, None if it is something else."""
    names = getattr(data, "column_names", None)  # of an Arrow table, whose columns are arrays
    if names is None:
        names = getattr(data, "columns", None)
    return None if names is None or callable(names) else list(names)


def column(data: Any, name: Any) -> list[Any]:
    """The values of one column."""
    values = data[name]
    for plain in ("to_pylist", "to_list"):  # of Arrow; of polars and pandas
        if hasattr(values, plain):
            return list(getattr(values, plain)())
    return list(values)


def records_to_columns(records: list[Mapping[Any, Any]]) -> dict[Any, list[Any]]:
    """Columns from dicts, one a row; what a row does not have is None."""
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}
