"""The scores of a chunk as bytes: what a run folder keeps, and what comes back from a cluster.

A line of JSON says which chunk it is, what is measured, and which arrays follow: statuses (``|i1``) and columns
(``<f8``), one value per instance. Such bytes are data of unknown origin: nothing of them is used before all of it was
checked.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import record
from hemlp.measures import factory
from hemlp.measures.base import Measure
from hemlp.measures.catalogue import NAMED
from hemlp.measures.instance_scores import Scores
from hemlp.optimize.program import STEPS, Status

STATUS, NUMBER = "|i1", "<f8"
SIZES = {STATUS: 1, NUMBER: 8}
"""Bytes of one value, by the type of its array."""
SOLVED = Status.FEASIBLE
"""The last status of instances that have a score."""
FIELDS = {"name": str, "signature": str, "undefined": int, "exact": bool, "status": int, "columns": dict}
"""What is said of a measure, and of which type it is."""


class NotScores(ValueError):
    """Why some bytes are not the scores of a chunk."""


@record
class Head:
    """What the first line says, and ``begins``: where each array does, in bytes from the begin of that line."""

    chunk: Sequence[Any]
    rows: int
    measures: Sequence[Mapping[str, Any]]
    arrays: Sequence[str]
    begins: Sequence[int]

    def same_measures(self, other: Head) -> bool:
        """Whether both have the same measures, with the same columns."""
        keys = ("name", "signature", "exact")
        mine, others = (
            [[*(of[key] for key in keys), list(of["columns"])] for of in head.measures] for head in (self, other)
        )
        return mine == others


def packed(scores: Sequence[Scores], chunk: Sequence[Any]) -> bytes:
    """The scores of one chunk as bytes; arrays that measures share stand once. ``chunk`` says which one it is."""
    places: dict[int, int] = {}
    arrays: list[NDArray[Any]] = []

    def place(array: NDArray[Any], kind: str) -> int:
        if id(array) not in places:
            places[id(array)] = len(arrays)
            arrays.append(np.ascontiguousarray(array, kind))
        return places[id(array)]

    told = [
        {
            "name": each.name,
            "signature": each.signature,
            "undefined": each.undefined,
            "exact": each.exact,
            "status": place(each.statuses, STATUS),
            "columns": {name: place(values, NUMBER) for name, values in each.columns.items()},
        }
        for each in scores
    ]
    kinds = [array.dtype.str for array in arrays]
    head = json.dumps({"chunk": list(chunk), "rows": len(scores[0]), "measures": told, "arrays": kinds}).encode()
    return head + b"\n" + b"".join(array.tobytes() for array in arrays)


def unpacked(body: bytes, measures: Sequence[Measure]) -> tuple[Head, list[Scores]]:
    """What ``packed`` made of the scores of these measures; whatever else it is raises ``NotScores``."""
    head = head_of(body)
    arrays = [
        np.frombuffer(body, kind, head.rows, begin).copy() for kind, begin in zip(head.arrays, head.begins, strict=True)
    ]
    names = [of["name"] for of in head.measures]
    _require(names == [each.name for each in measures], f"it has the measures {names!r:.200}")
    scores = []
    for of, measure in zip(head.measures, measures, strict=True):
        _require(
            tuple(of["columns"]) == measure.columns, f"{measure.name} has the columns {list(of['columns'])!r:.200}"
        )
        _require(of["signature"].startswith(measure.signature), f"its signature is {of['signature']!r:.200}")
        columns = {name: arrays[k] for name, k in of["columns"].items()}
        made = Scores(of["name"], columns, arrays[of["status"]], of["signature"], of["undefined"], of["exact"])
        _check_values(made, measure)
        scores.append(made)
    return head, scores


def head_of(body: bytes) -> Head:
    """The first line, if all that it says is true of the rest."""
    length = body.find(b"\n") + 1
    try:
        said = json.loads(body[:length])
    except (ValueError, RecursionError):
        raise NotScores("its first line is not JSON") from None
    _require(
        isinstance(said, dict) and said.keys() == {"chunk", "rows", "measures", "arrays"}, "its head has other keys"
    )
    chunk, rows, measures, kinds = (said[key] for key in ("chunk", "rows", "measures", "arrays"))
    _require(isinstance(chunk, list), "it does not say which chunk it is")
    _require(type(rows) is int and rows >= 0, f"{rows!r:.80} is not a number of rows")
    _require(
        isinstance(kinds, list) and all(isinstance(k, str) and k in SIZES for k in kinds), "an array has another type"
    )
    begins = [length]
    for kind in kinds:
        begins.append(begins[-1] + rows * SIZES[kind])
    _require(begins.pop() == len(body), "its arrays do not fill it")
    _require(isinstance(measures, list) and bool(measures), "it has no measures")
    for of in measures:
        _check_measure(of, kinds)
    return Head(chunk, rows, measures, kinds, begins)


def _check_measure(of: Any, kinds: Sequence[str]) -> None:
    _require(isinstance(of, dict) and of.keys() == FIELDS.keys(), "a measure has other fields")
    for key, type_ in FIELDS.items():
        _require(type(of[key]) is type_, f"{key} = {of[key]!r:.80} is not of type {type_.__name__}")
    places = {STATUS: [of["status"]], NUMBER: list(of["columns"].values())}
    for kind, numbers in places.items():
        good = all(type(k) is int and 0 <= k < len(kinds) and kinds[k] == kind for k in numbers)
        _require(bool(numbers) and good, f"{of['name']!r:.80} has no such array")


def _check_values(scores: Scores, measure: Measure) -> None:
    """Statuses that exist, a value where there is a solution and only there, all within their ranges."""
    statuses, values = scores.statuses, scores.values
    _require(bool(((statuses >= 0) & (statuses < len(Status))).all()), f"{scores.name}: there is no such status")
    unsolved = statuses > SOLVED
    _require(scores.undefined == int(unsolved.sum()), f"{scores.name}: {scores.undefined} values are not undefined")
    _require(bool((np.isnan(values) == unsolved).all()), f"{scores.name}: values contradict their statuses")
    for k, (name, column) in enumerate(scores.columns.items()):
        low, high = _range(name, measure) if k else measure.range
        slack = 1e-9 * max([1.0, *(abs(end) for end in (low, high) if math.isfinite(end))])
        defined = column[~unsolved]
        within = (defined >= low - slack) & (defined <= high + slack) | (k > 0) & np.isnan(defined)
        _require(bool(within.all()), f"{scores.name}: a value of {name} is not between {low} and {high}")
        _require(k == 0 or not np.isinf(defined[np.isfinite(values[~unsolved])]).any(), f"{name} is infinite")


def _range(column: str, measure: Measure) -> tuple[float, float]:
    """Between what values a column beside that of the measure itself lies."""
    if column == "step":
        return 0, len(STEPS) - 1
    if column in NAMED:
        return factory.measure(column).range
    return (0.0 if measure.range[0] >= 0 else -math.inf), math.inf


def _require(condition: bool, why: str) -> None:
    if not condition:
        raise NotScores(why)
