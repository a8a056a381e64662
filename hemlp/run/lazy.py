"""Functions of other modules as methods of a class: a module is loaded when one of its methods is first asked for.

Type checkers import the module itself, and take a function that is assigned in the body of a class for what it is then,
a method.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class LazyModule:
    """A module whose functions become methods of a class."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, function: str) -> LazyMethod:
        return LazyMethod(self._name, function)


class LazyMethod:
    """A method that, when it is first asked for, is replaced by the function of a module."""

    def __init__(self, module: str, function: str) -> None:
        self._module, self._function = module, function

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        function: Any = getattr(import_module(self._module), self._function)
        setattr(self._owner, self._name, function)
        return function.__get__(instance, owner)
