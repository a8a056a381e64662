"""Columns of an evaluation in JSON: each written once, in its shortest form.

A column is one of

- ``[0.5, 1, null]``: one value per instance;
- ``{"values": [0.5, 1], "rows": [0, 1, 1]}``: which of some values each instance has;
- ``{"values": [0.5, 1], "runs": [1, 2]}``: values, and on how many instances in a row each stands;
- ``{"as": ["knn", "F_LCA", "common"]}``: equal to a column that stands elsewhere, in one of the other forms.

So are statuses, which are words: ``{"as": ["knn", "F_LCA"]}``.
"""

from __future__ import annotations

import hashlib
import json
import math
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, repeat
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.escaping import json_number, json_text
from hemlp.io.unpacking import VARIABLE
from hemlp.optimize.program import STATUSES, Status


def distinct(column: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """The first position of each distinct value, ascending, and for each value the number of its distinct value.

    ``column``: integers of one byte or eight. Floats are told apart by their bits, as integers.

    >>> first, codes = distinct(np.array([7, 5, 7, 7, 5]))
    >>> first.tolist(), codes.tolist()
    ([0, 1], [0, 1, 0, 0, 1])
    """
    from hemlp.kernels.text.label_sets import first_equal

    cells = np.ascontiguousarray(column).view(np.uint8 if column.itemsize == 1 else np.int32)
    width = cells.size // max(1, column.size)
    begins = np.arange(0, cells.size, max(1, width))
    rows = first_equal(begins, begins + width, cells)
    first = np.flatnonzero(rows == np.arange(rows.size))
    numbers = np.empty(rows.size, np.int64)
    numbers[first] = np.arange(first.size)
    return first, numbers[rows]


def as_objects(texts: Iterable[str]) -> NDArray[Any]:
    """Texts as an array that index arrays can select from."""
    return np.array([*texts, ""], object)[:-1]


def as_sizes(texts: NDArray[Any]) -> IntArray:
    """The length of each text."""
    return np.fromiter(map(len, texts), np.int64, len(texts))


WHOLE = 2.0**53
"""Below it every whole number is a float; beyond, the exponent of a float is shorter."""


class Wrong(ValueError):
    """An error in a file, and its place."""


# ---- writing


class ColumnWriter:
    """Writes columns as JSON; a column that equals an earlier one is a reference to it."""

    def __init__(self) -> None:
        self._places: dict[bytes, tuple[str, ...]] = {}
        self._arrays: dict[int, tuple[weakref.ref[Any], tuple[str, ...]]] = {}
        self._texts: dict[int, str] = {}

    def numbers(self, values: FloatArray, place: tuple[str, str, str]) -> str:
        """A column of numbers; ``place``: its system, measure and name."""
        same, first = self._arrays.get(id(values), (None, place))  # measures share arrays
        if same is not None and same() is values:
            return _reference(first)
        undefined = np.isnan(values)  # there are several nan, and one null
        plain = np.where(undefined, math.nan, values) if undefined.any() else np.ascontiguousarray(values)
        text, first = self._once(plain.view(np.int64), plain, place)
        self._arrays[id(values)] = weakref.ref(values), first
        return text

    def statuses(self, numbers: NDArray[np.int8], place: tuple[str, str]) -> str:
        """A column of statuses; ``place``: its system and measure."""
        return self._once(numbers, numbers, place)[0]

    def _once(self, bits: NDArray[Any], column: NDArray[Any], place: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        digest = hashlib.blake2b(bits.tobytes(), person=bits.dtype.str.encode()).digest()
        first = self._places.setdefault(digest, place)
        return self._shortest_form(bits, column) if first is place else _reference(first), first

    def _shortest_form(self, bits: NDArray[Any], column: NDArray[Any]) -> str:
        """A column in its shortest form; each distinct value is formatted once."""
        first, codes = distinct(bits)
        texts = as_objects(self._format(bits[first], column[first]))
        sizes = as_sizes(texts)
        forms: list[tuple[int, Callable[[], str]]] = [
            (int(sizes[codes].sum()) + bits.size + 1, lambda: f"[{','.join(texts[codes])}]")
        ]

        def add_form(values: IntArray, key: str, numbers: IntArray, at: IntArray) -> None:
            written = as_objects(map(str, numbers.tolist()))
            length = int(sizes[values].sum() + as_sizes(written)[at].sum()) + values.size + at.size
            forms.append((
                length + len(f'{{"values":[],"{key}":[]}}') - 2,
                lambda: f'{{"values":[{",".join(texts[values])}],"{key}":[{",".join(written[at])}]}}',
            ))  # fmt: skip

        begins = np.flatnonzero(np.append(True, codes[1:] != codes[:-1]))
        if 2 * begins.size < bits.size:
            runs = np.diff(np.append(begins, bits.size))
            different, at = distinct(runs)
            add_form(codes[begins], "runs", runs[different], at)
        if 2 * first.size < bits.size:
            ordered = np.argsort(bits[first])
            often = ordered[np.argsort(-np.bincount(codes)[ordered], kind="stable")]  # frequent ones get short numbers
            ranks = np.empty(often.size, np.int64)
            ranks[often] = np.arange(often.size)
            add_form(often, "rows", np.arange(often.size), ranks[codes])
        return min(forms, key=lambda form: form[0])[1]()

    def _format(self, bits: NDArray[Any], values: NDArray[Any]) -> list[str]:
        """Numbers or status codes as JSON; columns have many numbers in common, which are formatted once."""
        if values.dtype == np.int8:
            return [f'"{STATUSES[value]}"' for value in values.tolist()]
        if len(self._texts) > KEPT:
            self._texts.clear()
        keys = bits.tolist()
        texts = [*map(self._texts.get, keys)]
        if new := [k for k, text in enumerate(texts) if text is None]:
            self._texts.update(zip([keys[k] for k in new], _number_texts(values[new]), strict=True))
            texts = [*map(self._texts.__getitem__, keys)]
        return texts  # type: ignore[return-value]


KEPT = 2**16
"""Texts of numbers that are kept."""


def _reference(place: tuple[str, ...]) -> str:
    return f'{{"as":{json_text(list(place))}}}'


def _number_texts(values: FloatArray) -> list[str]:
    """Numbers as JSON; integers without a point, except -0.0."""
    whole = (np.abs(values) < WHOLE) & (values == np.trunc(values)) & ~((values == 0) & np.signbit(values))
    cells = values.astype(object)
    cells[whole] = values[whole].astype(np.int64)
    for k in np.flatnonzero(~np.isfinite(values)).tolist():
        cells[k] = json_number(cells[k])
    return json.dumps(cells.tolist())[1:-1].split(", ")


# ---- reading


class ColumnReader:
    """Reads columns of a file, each once: ``instances`` has the ``columns`` and ``status`` of systems and measures.

    ``room``: bytes that runs may become.
    """

    def __init__(self, instances: Mapping[str, Mapping[str, Mapping[str, Any]]], count: int, room: int) -> None:
        self._instances, self._count, self._room = instances, count, room
        self._made: dict[tuple[str, ...], Any] = {}

    def numbers(self, system: str, measure: str, column: str) -> FloatArray:
        """A column of numbers."""
        return self._of((system, measure, column), _numbers)  # type: ignore[no-any-return]

    def statuses(self, system: str, measure: str) -> NDArray[np.int8]:
        """The statuses of a measure."""
        return self._of((system, measure), _statuses)  # type: ignore[no-any-return]

    def _of(self, place: tuple[str, ...], make: Any) -> Any:
        column = self._at(place)
        if _refers(column):
            target = column["as"]
            if not isinstance(target, list) or len(target) != len(place) or {*map(type, target)} != {str}:
                raise Wrong(f"{_place_text(place)}: {target!r:.80} names no other column")
            place, column = tuple(target), self._at(tuple(target), _place_text(place))
            if _refers(column):
                raise Wrong(f"{_place_text(place)} is said to be another column, and another one is said to be it")
        if place not in self._made:
            self._room -= 8 * self._count if isinstance(column, dict) and "runs" in column else 0
            if self._room < 0:
                raise Wrong(
                    f"{_place_text(place)}: its runs are far longer than the file; {VARIABLE} sets a limit of your own"
                )
            self._made[place] = make(_place_text(place), _rows(_place_text(place), column, self._count))
        return self._made[place]

    def _at(self, place: tuple[str, ...], asked_by: str = "") -> Any:
        try:
            one = self._instances[place[0]][place[1]]
            return one["columns"][place[2]] if len(place) == 3 else one["status"]
        except (KeyError, TypeError):
            raise Wrong(f"{asked_by} is said to be {_place_text(place)}, which is not there") from None


def _place_text(place: tuple[str, ...]) -> str:
    column = f"column {place[2]!r}" if len(place) == 3 else "status"
    return f"instances, system {place[0]!r}, measure {place[1]!r}, {column}"


def _refers(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"as"}


def _rows(place: str, value: Any, count: int) -> Sequence[Any]:
    """One value per instance, from any form except a reference."""
    if isinstance(value, dict) and value.keys() in ({"values", "rows"}, {"values", "runs"}):
        values, numbers = value["values"], value["rows" if "rows" in value else "runs"]
        for part in (values, numbers):
            if not isinstance(part, list):
                raise Wrong(f"{place}: values, rows and runs are lists")
        if {*map(type, numbers)} - {int} or (numbers and min(numbers) < 0):
            raise Wrong(f"{place}: rows and runs are counted from 0")
        if "rows" in value:
            if numbers and max(numbers) >= len(values):
                raise Wrong(f"{place}: a row is {max(numbers)}, and there are {len(values)} values, counted from 0")
            value = [values[k] for k in numbers]
        elif len(numbers) != len(values) or sum(numbers) != count:
            raise Wrong(f"{place}: its runs do not fit its values, or the {count:,} instances")
        else:
            value = list(chain.from_iterable(map(repeat, values, numbers)))
    if not isinstance(value, list):
        raise Wrong(f"{place} is not a list")
    if len(value) != count:
        raise Wrong(f"{place} has {len(value):,} rows, and there are {count:,} instances")
    return value


def _statuses(place: str, words: Sequence[Any]) -> NDArray[np.int8]:
    known = {str(status): number for number, status in enumerate(Status)}
    for row, word in enumerate(words):
        if not isinstance(word, str) or word not in known:
            raise Wrong(f"{place}, row {row + 1}: {word!r:.80} is not a status")
    return np.array([known[word] for word in words], np.int8)


def _numbers(place: str, values: Sequence[Any]) -> FloatArray:
    if {*map(type, values)} <= {int, float, NoneType}:
        try:
            column = np.array([math.nan if each is None else each for each in values], np.float64)
        except OverflowError:
            column = np.array([math.inf])
        if not np.isinf(column).any():
            return column
    return np.array([number(f"{place}, row {row + 1}", each) for row, each in enumerate(values)], np.float64)


def number(place: str, value: Any) -> float:
    """A number, null for nan, "Infinity" or "-Infinity"."""
    if value is None:
        return math.nan
    if value in ("Infinity", "-Infinity") and isinstance(value, str):
        return float(value)
    try:
        finite = type(value) in (int, float) and math.isfinite(value)
    except OverflowError:
        finite = False
    if not finite:
        raise Wrong(f"{place}: {value!r:.80} is not a number that can be kept")
    return value  # type: ignore[no-any-return]
