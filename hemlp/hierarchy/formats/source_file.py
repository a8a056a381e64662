"""What a reader of hierarchies is told, whatever its format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hemlp.errors import InvalidHierarchy, InvalidLabel
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.edges import CyclePolicy
from hemlp.hierarchy.formats.parent_tables import EdgeColumns, HierarchyData
from hemlp.hierarchy.formats.path_lists import SameNames
from hemlp.hierarchy.labels import Label

SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""What separates cells, by the ending of a file's name."""


@dataclass(frozen=True)
class SourceFile:
    """A file that was read: its name, its ``kind`` (the ending), its bytes, and the options of ``read_hierarchy``."""

    name: str
    kind: str
    data: bytes
    sep: str | None
    comment: str | None
    classes: Sequence[Label]
    cycles: CyclePolicy
    relations: Sequence[str]
    columns: EdgeColumns = field(default_factory=EdgeColumns)
    same_names: SameNames = "error"
    language: str = "en"

    def made(self, make: Callable[..., Hierarchy], *args: Any, **options: Any) -> Hierarchy:
        """``make`` a hierarchy by the cycle policy; what is wrong with it is said of this file."""
        try:
            return make(*args, cycles=self.cycles, **options)
        except (InvalidHierarchy, InvalidLabel) as error:
            error.args = (f"{self.name}: {error.args[0]}",)
            raise

    def hierarchy(self, found: Callable[..., HierarchyData], *args: Any) -> Hierarchy:
        """The hierarchy that ``found(*args)`` gives, with the further classes."""

        def make(cycles: CyclePolicy) -> Hierarchy:
            given = found(*args)
            whole = HierarchyData(given.edges, [*given.classes, *self.classes], given.names, given.aliases)
            return Hierarchy.from_data(whole, cycles=cycles)

        return self.made(make)
