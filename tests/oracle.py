"""Reference values: the paper's cases, 500 small instances and 80 corpora, enumerated independently of hemlp."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

from hemlp import Hierarchy

DATA = Path(__file__).parent / "data"


@cache
def rows() -> list[dict]:
    small = [json.loads(line) for line in (DATA / "oracle.jsonl").read_text().splitlines()]
    cases = json.loads((DATA / "cases.json").read_text())
    return small + [{**case, "values": case["by_definition"], "horizon": None} for case in cases]


@cache
def corpora() -> list[dict]:
    """Random corpora with values of further measures."""
    return [json.loads(line) for line in (DATA / "more.jsonl").read_text().splitlines()]


def hierarchy(row: dict) -> Hierarchy:
    return Hierarchy.from_edges(row["edges"], classes=[*row["true"], *row["pred"]])


def same(value: float, expected: float | None, exact: bool = False) -> bool:
    if expected is None:
        return math.isnan(value)
    return value == expected if exact else math.isclose(value, expected, rel_tol=1e-12, abs_tol=1e-12)
