"""What ``import cython`` gives kernels that run uncompiled.

Annotations are never looked at, so what is left of it are decorators, ``with cython.nogil``, constants and conversions.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

compiled = False


def cfunc(thing: Any) -> Any:
    """A decorator that changes nothing."""
    return thing


cclass = inline = cfunc


def exceptval(*value: object, check: bool = True) -> Callable[[Any], Any]:
    """A decorator that changes nothing."""
    return cfunc


class _Lock(AbstractContextManager[None]):
    """A context, and a decorator, that changes nothing."""

    def __call__(self, thing: Any) -> Any:
        return thing

    def __exit__(self, *exception: object) -> None:
        pass


nogil = gil = _Lock()


def declare(kind: Any, value: Any) -> Any:
    """A number of a C type."""
    return value


def cast(kind: Any, value: Any) -> Any:
    """A whole number as one of Python, which never overflows."""
    return int(value)


def fused_type(*kinds: Any) -> None:
    """One of several C types."""


def __getattr__(name: str) -> None:
    """C types."""
    if name.startswith("_"):
        raise AttributeError(name)
