"""Who reads files: the package of readers stands above this one, and says so here when it is imported."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal

PLACES = {"hierarchy": "hemlp.io.hierarchies", "labels": "hemlp.io.labels", "scores": "hemlp.evaluation.scored"}


class Readers(dict[str, Callable[..., Any]]):
    """Readers by what they read; where nothing has imported one yet, it is imported when it is asked for."""

    def __missing__(self, of: str) -> Callable[..., Any]:
        import_module(PLACES[of])
        return self[of]


READERS = Readers()


def reader(of: Literal["hierarchy", "labels"]) -> Callable[..., Any]:
    """What reads files of this kind: ``read_hierarchy`` or ``read_labels``."""
    return READERS[of]
