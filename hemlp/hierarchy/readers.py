"""Who reads files and scores: packages that stand above this one, and say so here when they are imported."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal

READERS: dict[str, Callable[..., Any]] = {}
PLACES = {"hierarchy": "hemlp.io.hierarchies", "labels": "hemlp.io.labels", "scores": "hemlp.evaluation.scored"}
"""The modules that say so, for a program in which nothing has imported them yet."""


def reader(of: Literal["hierarchy", "labels", "scores"]) -> Callable[..., Any]:
    """What reads this kind: ``read_hierarchy``, ``read_labels``, or what ``ScoredSets.of`` takes."""
    if of not in READERS:
        import_module(PLACES[of])
    return READERS[of]
