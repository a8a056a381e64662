"""The input of a reader of hierarchies: the bytes of a file, and the options of ``read_hierarchy``."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Literal

from hemlp.arrays import record
from hemlp.errors import FileFormatError
from hemlp.hierarchy.formats.parent_tables import EdgeColumns
from hemlp.hierarchy.labels import Label
from hemlp.text.tables import plural

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
    relations: Sequence[str] | None = None
    columns: EdgeColumns = field(default_factory=EdgeColumns)
    same_names: SameNames = "error"
    language: str = "en"

    @property
    def followed(self) -> Sequence[str]:
        """The relations that are edges."""
        return ("is_a",) if self.relations is None else self.relations

    def lacks(self, relation: str, known: Iterable[str]) -> FileFormatError:
        """The error about a relation that is not in the file."""
        hint = ": give each by itself, repeat --relation" if "," in relation else ""
        return FileFormatError(
            f"{self.name} has no relation {relation!r}{hint}; it has {', '.join(sorted(known)) or 'none'}"
        )

    def warn_of_parts(self, number: int) -> None:
        """Say how many part_of relations are left out, unless the relations were chosen."""
        if number and self.relations is None:
            words = plural(number, "part_of is", "part_of are")
            warnings.warn(
                f"{self.name}: {words} not followed (relations=, --relation is_a --relation part_of)", stacklevel=2
            )
