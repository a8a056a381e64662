"""What other processes need of this one: a value as bytes, and where to import what it holds."""

from __future__ import annotations

import io
import os
import pickle
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from hemlp.errors import Advice, InvalidOption


@dataclass(frozen=True)
class Pickled:
    """A value as ``data``, and the ``modules`` that its functions and classes are defined in."""

    data: bytes
    modules: frozenset[str]

    @classmethod
    def of(cls, value: Any) -> Pickled:
        """``value``, whose functions have to be importable."""
        buffer = io.BytesIO()
        pickler = _Pickler(buffer)
        try:
            pickler.dump(value)
            if "__main__" in pickler.modules:
                raise pickle.PicklingError("a function of the script itself")
        except Exception as error:
            raise InvalidOption(
                f"this run cannot be sent to other processes ({error}): functions in measures have to be importable, "
                f"unless one process or a ThreadPoolExecutor scores"
            ).advised(Advice("workers", "1", "to stay in this process")) from None
        return cls(buffer.getvalue(), frozenset(pickler.modules))


class _Pickler(pickle.Pickler):
    """Notes the modules of all functions and classes."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=5)
        self.modules: set[str] = set()

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, type | FunctionType):
            self.modules.add(value.__module__)
        return NotImplemented


def import_path(modules: Iterable[str]) -> list[str]:
    """Where another process finds ``modules``: ``sys.path``, without the current folder unless one of them is there.

    The current folder may hold anything, and what heads the path is imported instead of what was meant.
    """
    needed = {folder for name in modules for folder in _folders(name.partition(".")[0])}
    try:
        current = os.path.realpath(os.getcwd())
    except OSError:  # it was removed
        current = ""
    path = [os.path.realpath(entry) for entry in sys.path if current or os.path.isabs(entry)]
    kept = [entry for entry in path if entry != current or entry in needed]
    return [*sorted(needed - set(kept)), *kept]


def _folders(package: str) -> set[str]:
    """The folders that hold a module or package of the first level."""
    module = sys.modules.get(package)
    inside = getattr(module, "__path__", None)
    files = list(inside) if inside is not None else [getattr(module, "__file__", None)]
    return {os.path.realpath(os.path.dirname(file)) for file in files if file}
