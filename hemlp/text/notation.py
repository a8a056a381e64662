"""Measures as text: ``MGIA(default_cost=4)`` and TOML tables, to and from names and plain values."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from hemlp.errors import HemlpError, NoTextForm, UnknownMeasure

WORDS: dict[str, Any] = {}
"""What words mean in texts, beside numbers and strings: values such as ALL, and what makes values, such as Bounds."""
_PLACES = {
    "hemlp.problems.pairing.bounds": ("ALL", "Bounds"),
    "hemlp.problems.pairing.capacities": ("priced", "forbid", "force", "by_leaf", "by_level"),
    "hemlp.problems.pairing.costs": ("uniform",),
}
PLACES = {word: module for module, words in _PLACES.items() for word in words}
"""Modules above this one, which say what these words mean when they are imported."""


def _meaning(word: str) -> Any:
    """The value of a keyword in a text, None if it is not one."""
    if word in PLACES and word not in WORDS:
        import_module(PLACES[word])
    return WORDS.get(word)


def format_call(name: str, positional: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """``name(1, b=2)``, or the bare name without arguments."""
    arguments = [repr(value) for value in positional] + [f"{key}={value!r}" for key, value in named.items()]
    return f"{name}({', '.join(arguments)})" if arguments else name


def parse_call(
    text: str, what: str = "measure", error: type[HemlpError] = UnknownMeasure
) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """Name, positional and named arguments of what ``format_call`` writes; nothing is ever executed.

    ``what`` it is, and the ``error`` that says that it cannot be read.
    """
    message = f"cannot read the {what} {text[:200]!r}"
    try:
        node = ast.parse(text.strip(), mode="eval").body
        if isinstance(node, ast.Name):
            return node.id, (), {}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id, *_arguments(node)
    except SyntaxError as wrong:
        raise error(f"{message}: {wrong.msg}") from None
    except (ValueError, TypeError, RecursionError, MemoryError) as wrong:
        raise error(f"{message}: {call_reason(wrong)}") from None
    path = ", or module:object on the command line" if what == "measure" else ""
    raise error(f"{message}: write a name, or name(parameter=value){path}")


def call_reason(error: BaseException) -> str:
    """What is wrong with a call, by the name of the class that it makes.

    >>> call_reason(TypeError("Bounds.__init__() missing 1 required positional argument: 'true'"))
    "Bounds missing 1 required positional argument: 'true'"
    """
    return str(error).replace(".__init__()", "")


def _arguments(node: ast.Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and named arguments of a call."""
    named: dict[str, Any] = {}
    for each in node.keywords:
        if each.arg is None:
            raise ValueError("** is not understood")
        if each.arg in named:
            raise ValueError(f"{each.arg} is given twice")
        named[each.arg] = _value(each.value)
    return tuple(_value(argument) for argument in node.args), named


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Name) and (word := _meaning(node.id)) is not None and not callable(word):
        return word
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(_value(element) for element in node.elts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and callable(_meaning(node.func.id)):
        positional, named = _arguments(node)
        return _meaning(node.func.id)(*positional, **named)
    if isinstance(node, ast.Name):
        raise ValueError(f"{node.id} is no value; a word goes in quotes: '{node.id}'")
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError(
            f"{ast.unparse(node)[:80]} is no value: write a number, a string, True, False or None"
        ) from None


def to_toml(values: Mapping[str, Any]) -> str:
    """Plain values as lines of a TOML table; None is left out."""
    return "".join(f"{key} = {_toml(value)}\n" for key, value in values.items() if value is not None)


def _toml(value: Any) -> str:
    if value is None:
        return '"NONE"'
    if _meaning(repr(value)) is value:
        return json.dumps(repr(value))
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(element) for element in value)}]"
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)  # TOML's basic strings are JSON's, and so are true and false
    if isinstance(value, int | float):
        return repr(value)
    if callable(_meaning(repr(value).partition("(")[0])):  # what a word makes is written as a call, and read as one
        return json.dumps(repr(value))
    raise NoTextForm(f"{value!r} cannot be written to TOML")


def from_toml(value: Any) -> Any:
    """A value read from TOML: lists become tuples, words that stand for a value become that value."""
    if isinstance(value, list):
        return tuple(from_toml(element) for element in value)
    if value == "NONE":
        return None
    if isinstance(value, str) and value.endswith(")") and callable(_meaning(value.partition("(")[0])):
        try:
            return _value(ast.parse(value, mode="eval").body)
        except HemlpError:
            raise
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
            raise UnknownMeasure(f"cannot read {value!r:.200}: {error}") from None
    word = _meaning(value) if isinstance(value, str) else None
    return value if word is None or callable(word) else word
