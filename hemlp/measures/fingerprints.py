"""Fingerprints of what has no text form: functions, tables, mappings, objects of a user's own.

Different contents have different fingerprints, and equal ones have equal ones, in every process of the same Python. A
function is known by its name, its code and the values that it takes along: defaults, closures, and the globals that it
names. What installed packages define is known by its name. Nothing ever depends on where an object lies in memory.

>>> fingerprint({"a": 1, "b": 2.5}) == fingerprint({"b": 2.5, "a": 1.0}) != fingerprint({"a": "1", "b": 2.5})
True
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import types
from collections.abc import Iterable, Mapping
from inspect import getattr_static
from itertools import chain
from typing import Any

import numpy as np

DIGITS = 16
"""Hexadecimal digits that are shown."""
_tokens: dict[int, tuple[Any, str]] = {}
"""Tokens of objects that cannot be read, beside the objects: these stay alive, so that no other takes their place."""
_PLAIN = (str, float, int, bool, types.NoneType, bytes, complex, types.EllipsisType, np.generic)
_BUILTIN = types.BuiltinFunctionType | types.MethodDescriptorType | types.WrapperDescriptorType
_KEPT = functools.cached_property
_OF_A_CLASS = (
    "__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__", "__static_attributes__", "_abc_impl"
)  # fmt: skip
"""What stands in every class and says nothing about it."""


def fingerprint(value: Any) -> str:
    """Hexadecimal digits that differ for different contents, behind the name of a function or class."""
    try:
        content = _Reader().content(value)
    except Exception:  # an object that cannot be read gets a token that no other has
        content = _tokens.setdefault(id(value), (value, os.urandom(16).hex()))[1].encode()
    named = getattr(value, "function", value)  # a cost or a score is called after its function
    name = named.__qualname__ if isinstance(named, types.FunctionType | type) else ""
    return f"{name}#{hashlib.sha256(content).hexdigest()[:DIGITS]}"


def _joined(tag: str, parts: Iterable[bytes]) -> bytes:
    pieces = [len(part).to_bytes(8, "little") + part for part in parts]
    return hashlib.sha256(tag.encode() + b"".join(pieces)).digest()


class _Reader:
    """Reads one value. Functions, classes and objects are read once; later they are "again", by their number."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []
        """Objects that were read stay alive, so that numbers stay theirs."""

    def content(self, value: Any) -> bytes:
        """The content in a form that is the same in every process."""
        if isinstance(value, _PLAIN):
            return _plain(value)
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, Mapping) and {*map(type, value)} == {str} and {*map(type, value.values())} == {float}:
            numbers = {number: _plain(number) for number in {*value.values()}}  # few, of many classes
            rows = sorted([(_plain(key), numbers[number]) for key, number in value.items()])
            return _joined("mapping", chain.from_iterable(rows))
        if isinstance(value, Mapping):
            by_key = {
                _plain(key) if isinstance(key, _PLAIN) else _Reader().content(key): each for key, each in value.items()
            }
            return _joined("mapping", [part for key in sorted(by_key) for part in (key, self.content(by_key[key]))])
        if isinstance(value, set | frozenset):
            return _joined("set", sorted(_Reader().content(each) for each in value))
        if isinstance(value, list | tuple):
            return self._all(type(value).__name__, value)
        if id(value) in self._numbers:
            return _joined("again", [str(self._numbers[id(value)]).encode()])
        self._numbers[id(value)] = len(self._alive)
        self._alive.append(value)
        return self._compound(value)

    def _all(self, tag: str, values: Iterable[Any]) -> bytes:
        return _joined(tag, [self.content(value) for value in values])

    def _array(self, value: Any) -> bytes:
        if value.dtype.hasobject:
            return self._all("array", [value.shape, *value.ravel().tolist()])
        return self._all("array", [value.shape, value.dtype.str, np.ascontiguousarray(value).tobytes()])

    def _compound(self, value: Any) -> bytes:
        """What has parts of several kinds."""
        if isinstance(value, types.FunctionType | type) and _installed(value):
            return self._all("installed", [value.__module__, value.__qualname__])
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, types.CodeType):
            return self._all("code", [
                value.co_code, value.co_names, value.co_varnames, value.co_freevars, value.co_argcount,
                value.co_posonlyargcount, value.co_kwonlyargcount, value.co_flags, *value.co_consts,
            ])  # fmt: skip
        if isinstance(value, types.MethodType):
            return self._all("method", [value.__func__, value.__self__])
        if isinstance(value, _BUILTIN):
            owner = getattr(value, "__self__", None)
            of = None if isinstance(owner, types.ModuleType) else owner
            return self._all("builtin", [getattr(value, "__module__", None), value.__qualname__, of])
        if isinstance(value, functools.partial):
            return self._all("partial", [value.func, value.args, value.keywords])
        if isinstance(value, types.ModuleType):
            return self._all("module", [value.__name__, str(getattr(value, "__version__", ""))])
        if isinstance(value, type):
            own = {name: each for name, each in vars(value).items() if name not in _OF_A_CLASS}
            return self._all("class", [value.__module__, value.__qualname__, own, value.__bases__])
        if isinstance(value, property):
            return self._all("property", [value.fget, value.fset, value.fdel])
        return self._object(value)

    def _function(self, value: types.FunctionType) -> bytes:
        closure = [_filled(cell) for cell in value.__closure__ or ()]
        known = value.__globals__
        used = {name: known[name] for name in _names(value.__code__) if name in known}
        parts = value.__code__, value.__defaults__, value.__kwdefaults__, closure, used, vars(value)
        return self._all("function", [value.__module__, value.__qualname__, *parts])

    def _object(self, value: Any) -> bytes:
        """By what it wraps; by its class and its attributes; or by how it is pickled."""
        for name in ("__wrapped__", "__func__", "py_func", "func"):  # caches, class methods, compiled functions
            wrapped = getattr_static(value, name, None)
            if wrapped is not None and isinstance(getattr(value, name), types.FunctionType):
                return self._all("wrapped", [type(value).__qualname__, getattr(value, name)])
        kind: Any = type(value)
        state = value.__getstate__() if kind.__getstate__ is vars(object)["__getstate__"] else None
        if state is None:
            reduced = value.__reduce_ex__(2)
            state = reduced if isinstance(reduced, str) else reduced[1:]
        if isinstance(state, dict):  # what was computed from the rest, and kept
            state = {k: v for k, v in state.items() if not isinstance(getattr_static(kind, k, None), _KEPT)}
        return self._all("object", [type(value), state])


def _plain(value: Any) -> bytes:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)  # 1 and 1.0 are equal, and mean the same wherever a number is asked for
    return f"{type(plain).__name__}:{plain!r}".encode("utf-8", "surrogatepass")


def _filled(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _names(code: types.CodeType) -> set[str]:
    """Names that a function and those within it look up."""
    inner = (const for const in code.co_consts if isinstance(const, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _installed(value: Any) -> bool:
    """Whether a function or class can be imported by its name from Python itself or from an installed package."""
    module = sys.modules.get(value.__module__)
    importable: Any = module
    for name in value.__qualname__.split("."):
        importable = getattr_static(importable, name, None)
    if importable is not value or module is None:
        return False
    top = value.__module__.partition(".")[0]
    file = getattr(module, "__file__", None) or ""
    return top == "hemlp" or (top in sys.stdlib_module_names and top != "__main__") or "site-packages" in file
