"""Who reads files and scores: packages that stand above this one, and say so here when they are imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

READERS: dict[str, Callable[..., Any]] = {}


def reader(of: Literal["hierarchy", "labels", "scores"]) -> Callable[..., Any]:
    """What reads this kind: ``read_hierarchy``, ``read_labels``, or what ``ScoredSets.of`` takes."""
    return READERS[of]
