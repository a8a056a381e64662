"""Pickling of values for other processes, with the modules that they need there."""

from __future__ import annotations

import io
import pickle
from types import FunctionType
from typing import Any

from hemlp.arrays import record
from hemlp.errors import Advice, InvalidOption

WORKER_TIMEOUT = 300.0
"""Seconds that a run waits for a cluster without workers, unless its executor has a ``worker_timeout``."""


@record
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
            ).with_advice(Advice("workers", "1", "to stay in this process")) from None
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


class WorkersDied(Exception):
    """Whoever had ``item`` is gone."""

    def __init__(self, item: Any, why: str) -> None:
        super().__init__(why)
        self.item = item
