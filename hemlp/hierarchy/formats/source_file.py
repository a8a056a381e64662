"""The input of a reader of hierarchies: the bytes of a file, and the options of ``read_hierarchy``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal

from hemlp.arrays import record
from hemlp.hierarchy.formats.parent_tables import EdgeColumns
from hemlp.hierarchy.labels import Label

SameNames = Literal["error", "join", "apart"]
"""What to do with a name in several places of a tree, see ``Hierarchy.from_paths``."""


@record
class SourceFile:
    """``name``, ``kind`` (suffix) and ``data`` of a file; the rest as in ``read_hierarchy``."""

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
