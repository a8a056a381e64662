"""Who reads files and scores: packages that stand above this one, and say so here when they are imported."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal

PLACES = {
    "hierarchy": "hemlp.hierarchy.hierarchy_files",
    "labels": "hemlp.instances.label_files",
    "scores": "hemlp.run.scored_systems",
}


class Readers(dict[str, Callable[..., Any]]):
    """Readers by what they read; where nothing has imported one yet, it is imported when it is asked for."""

    def __missing__(self, of: str) -> Callable[..., Any]:
        import_module(PLACES[of])
        return self[of]


READERS = Readers()


def reader(of: Literal["hierarchy", "labels", "scores"]) -> Callable[..., Any]:
    """What reads this kind: ``read_hierarchy``, ``read_labels``, or what ``ScoredSets.of`` takes."""
    return READERS[of]
