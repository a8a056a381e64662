"""The file that a reader of hierarchies is given: its bytes, and the options of ``read_hierarchy``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from hemlp.hierarchy.formats.parent_tables import EdgeColumns
from hemlp.hierarchy.labels import Label

SameNames = Literal["error", "join", "apart"]
"""What a name in several places of a tree is, as of ``Hierarchy.from_paths``."""


@dataclass(frozen=True)
class SourceFile:
    """``name``, ``kind`` (the ending of the name) and ``data`` of a file; the rest as of ``read_hierarchy``."""

    name: str
    kind: str
    data: bytes
    sep: str | None = None
    comment: str | None = "#"
    classes: Sequence[Label] = ()
    relations: Sequence[str] = ("is_a",)
    columns: EdgeColumns = field(default_factory=EdgeColumns)
    same_names: SameNames = "error"
    language: str = "en"
