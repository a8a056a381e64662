"""Who reads files: the package of readers stands above this one, and says so here when it is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

READERS: dict[str, Callable[..., Any]] = {}


def reader(of: Literal["hierarchy", "labels"]) -> Callable[..., Any]:
    """What reads files of this kind: ``read_hierarchy`` or ``read_labels``."""
    return READERS[of]
