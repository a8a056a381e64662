"""Label sets from columns of Arrow tables, by their codes: one Python object per distinct label.

A column has lists of labels, or texts with labels between white space, as a line of a file has; either may be coded
by a dictionary. A cell that is null is an instance that the column does not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, overload

import numpy as np

from hemlp.arrays import IntArray, entry_rows, pointers
from hemlp.errors import InvalidLabelSets, InvalidOption, InvalidScores, MissingDependency
from hemlp.hierarchy.labels import Label
from hemlp.instances.label_sets import LabelSets
from hemlp.instances.thresholds import as_threshold
from hemlp.io.frames import column_names, refuse_broken_texts, sort_by_appearance
from hemlp.io.text import parse_number, word_rows


def as_arrow_table(data: Any) -> Any:
    """An Arrow table or record batch, or whatever speaks Arrow's C interface: frames, relations of DuckDB."""
    try:
        import pyarrow
    except ImportError:
        raise MissingDependency("Arrow tables need the package pyarrow: pip install pyarrow") from None
    column_names(data)  # refuses names in bytes
    if isinstance(data, pyarrow.Table):
        return data
    if isinstance(data, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([data])
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        try:
            return pyarrow.table(data)
        except (pyarrow.ArrowException, OverflowError, UnicodeEncodeError) as error:
            raise InvalidLabelSets(f"{type(data).__name__} does not become an Arrow table: {error}") from None
    raise InvalidOption(f"{type(data).__name__} is not an Arrow table, nor a frame that becomes one")


class ArrowIds(Sequence[Label]):
    """The ids of instances in a column of Arrow, none of them missing: strings, or integers.

    Examples
    --------
    >>> import pyarrow
    >>> ids = ArrowIds.of(pyarrow.chunked_array([["a", "b"], ["c"]]), "table")
    >>> ids[1], list(ids[1:])
    ('b', ['b', 'c'])
    """

    def __init__(self, array: Any) -> None:
        self.array = array

    @classmethod
    def of(cls, column: Any, source: str) -> ArrowIds:
        """Of a chunked array, in which each id is there once."""
        from pyarrow import types

        from hemlp.kernels.text.lexicon import code_texts

        array = _plain(column.combine_chunks())
        if not (_is_text(array.type) or types.is_integer(array.type)):
            raise InvalidLabelSets(f"{source}, column 'id': ids are strings or integers, not {array.type}")
        for row in np.flatnonzero(~np.asarray(array.is_valid()))[:1] if array.null_count else ():
            raise InvalidLabelSets(f"{source}, row {row + 1}: no instance id")
        made = cls(array)
        with refuse_broken_texts(f"{source}: an instance id"):
            made.letters[0].decode()
        for row in np.flatnonzero(np.diff(made.letters[1]) == 0)[:1]:
            raise InvalidLabelSets(f"{source}, row {row + 1}: no instance id")
        for row in np.flatnonzero(code_texts(*made.letters)[1] != np.arange(len(made)))[:1]:
            raise InvalidLabelSets(f"{source}: the instance {made[row]!r} has several rows")
        return made

    @property
    def integers(self) -> bool:
        """Whether they are integers and not strings."""
        return not _is_text(self.array.type)

    @cached_property
    def letters(self) -> tuple[bytes, IntArray]:
        """The UTF-8 of all, integers in decimal, and where each begins and ends."""
        return text_letters(self.array.cast("string") if self.integers else self.array)

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Label]:
        return iter(self.array.to_pylist())

    @overload
    def __getitem__(self, at: int) -> Label: ...
    @overload
    def __getitem__(self, at: slice) -> ArrowIds: ...
    def __getitem__(self, at: int | slice) -> Label | ArrowIds:
        return ArrowIds(self.array[at]) if isinstance(at, slice) else self.array[int(at)].as_py()


def text_letters(array: Any) -> tuple[bytes, IntArray]:
    """The UTF-8 of an array of strings, and where each begins, and the last one ends."""
    array = array.cast("large_string")
    _, bounds, letters = array.buffers()
    ptr = np.frombuffer(bounds, np.int64)[array.offset :][: len(array) + 1] if len(array) else np.zeros(1, np.int64)
    return b"" if letters is None else letters[ptr[0] : ptr[-1]].to_pybytes(), ptr - ptr[0]


def _plain(array: Any) -> Any:
    """An array without a dictionary."""
    from pyarrow import types

    if not types.is_dictionary(array.type):
        return array
    values = array.dictionary
    return (values.cast("large_string") if types.is_string_view(values.type) else values).take(array.indices)


def read_arrow_labels(column: Any, ids: tuple[Label, ...], source: str) -> LabelSets:
    """The label sets of the rows that have one, each with its id."""

    array = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    array = _plain(array)
    there = np.asarray(array.is_valid())
    if not there.all():
        ids = tuple(name for name, here in zip(ids, there.tolist(), strict=True) if here)
        array = array.drop_null()
    if _is_text(array.type):
        return replace(_from_texts(array, source), ids=ids, rows="sets")
    if _is_list(array.type):
        ptr = pointers(np.asarray(array.value_lengths()))
        return replace(_from_flat(array.flatten(), ptr, source), ids=ids)
    raise InvalidLabelSets(f"{source}: labels are lists or texts, not {array.type}")


def cut_scores(column: Any, at: str, source: str) -> Any:
    """The labels whose score is at least a threshold, in a column of lists of structs of a label and its score."""
    import pyarrow as pa
    from pyarrow import compute, types

    array, kind = column.combine_chunks(), column.type
    if not (_is_list(kind) and types.is_struct(kind.value_type) and {"label", "score"} <= {*kind.value_type.names}):
        raise InvalidLabelSets(f"{source}: scores are lists of structs with the fields label and score, not {kind}")
    number = parse_number(at.encode("utf-8", "replace"))
    if number is None or not np.isfinite(number):
        raise InvalidOption(f"@{at}: scores in tables are cut at a number, as in NAME@0.3")
    threshold = as_threshold(number)
    flat, ptr = array.flatten(), pointers(np.asarray(array.value_lengths().fill_null(0)))
    labels, scores = (compute.struct_field(flat, name) for name in ("label", "score"))
    if not (types.is_integer(scores.type) or types.is_floating(scores.type) or types.is_decimal(scores.type)):
        raise InvalidScores(f"{source}: scores are numbers, not {scores.type}")
    labels = _encodable(labels, source)
    values, rows = scores.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), entry_rows(ptr)
    codes = labels.dictionary_encode().indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    keys, first = np.unique(rows * (len(flat) + 1) + codes, return_index=True)
    twice = np.setdiff1d(np.arange(len(flat)), first) if len(keys) < len(flat) else ()
    for wrong, words in ((np.flatnonzero(~np.isfinite(values)), "is no score"), (twice, "is a second score")):
        for k in wrong[:1]:
            place = f"{source}, row {rows[k] + 1}"
            raise InvalidScores(f"{place}: {scores[k].as_py()} of {labels[k].as_py()!r} {words}")
    kept = values >= threshold
    bounds = pointers(np.bincount(rows[kept], minlength=len(array)))
    mask = array.is_null() if array.null_count else None
    return pa.ListArray.from_arrays(pa.array(bounds, pa.int32()), labels.filter(pa.array(kept)), mask=mask)


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_list(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _encodable(labels: Any, source: str) -> Any:
    """Labels of a type that Arrow has functions for, which views of strings are not."""
    from pyarrow import types

    if types.is_nested(labels.type):
        raise InvalidLabelSets(f"{source}: labels are strings or integers, not {labels.type}")
    if types.is_dictionary(labels.type) and types.is_string_view(labels.type.value_type):
        return _plain(labels)
    return labels.cast("large_string") if types.is_string_view(labels.type) else labels


def _from_texts(array: Any, source: str) -> LabelSets:
    """Label sets from texts of labels between white space."""
    import pyarrow as pa
    from pyarrow import compute

    size = len(array)
    whole = pa.ListArray.from_arrays([0, size], array.cast(pa.string()))
    data = compute.binary_join(whole, "\n")[0].as_buffer().to_pybytes() + b"\n" if size else b""
    if data.count(b"\n") != size:
        row = next(k for k, text in enumerate(array.to_pylist()) if "\n" in text)
        raise InvalidLabelSets(f"{source}, row {row + 1}: a text has several lines")
    labels, codes, ptr = word_rows(data, source)
    return LabelSets(tuple(labels), ptr, codes, source=source, space_separated=True)


def _from_flat(flat: Any, ptr: IntArray, source: str) -> LabelSets:
    """Label sets from the labels of all rows in sequence."""
    from pyarrow import types

    flat = _encodable(flat, source)
    coded = flat if types.is_dictionary(flat.type) else flat.dictionary_encode()
    with refuse_broken_texts(f"{source}: a label"):
        distinct = coded.dictionary.to_pylist() if not types.is_null(flat.type) else []
    numbers = coded.indices.cast("int64").fill_null(-1)  # they may be unsigned
    codes = numbers.to_numpy(zero_copy_only=False) if distinct else np.full(len(flat), -1)
    vocabulary, codes = sort_by_appearance(distinct, codes)
    sets = LabelSets(tuple(vocabulary), ptr, codes, source=source, rows="sets")
    good = np.array([type(label) is int or (type(label) is str and label != "") for label in vocabulary] + [False])
    for position in np.flatnonzero(~good[codes])[:1].tolist():
        label = None if codes[position] < 0 else vocabulary[codes[position]]
        raise InvalidLabelSets(f"{source}, row {sets.row_of(position) + 1}: {label!r} is not a label")
    return sets
