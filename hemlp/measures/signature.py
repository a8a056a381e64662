"""Signatures read back: which measure they speak of, and whether scores of two of them can be compared.

>>> s = Signature.read("F_H|top:False,horizon:2|hemlp:0.1.0|hierarchy:8c2f|unknown:error|missing:error")
>>> s.measure, s.parameters, s.version, s.circumstances["hierarchy"]
('F_H', {'top': 'False', 'horizon': '2'}, '0.1.0', '8c2f')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from hemlp.errors import HemlpError, InvalidOption
from hemlp.measures.base import Measure
from hemlp.measures.catalogue import NAMED
from hemlp.measures.factory import measure


@dataclass(frozen=True)
class Signature:
    """Its parts. ``custom``: fingerprints of what has no text form; ``circumstances``: hierarchy and policies."""

    measure: str
    parameters: Mapping[str, str]
    custom: tuple[str, ...]
    version: str
    circumstances: Mapping[str, str]

    @classmethod
    def read(cls, text: str) -> Signature:
        """From its text."""
        of_measure, mark, rest = text.rpartition("|hemlp:")
        if not mark:
            raise InvalidOption(f"{text!r:.200} is not a signature of a score")
        name, _, further = of_measure.partition("|")
        parameters, *custom = further.split("|")
        version, *circumstances = rest.split("|")
        nested = any(sign in parameters for sign in "([{")
        pieces = _split_outside_brackets(parameters) if nested else parameters.split(",")
        return cls(name, _pairs(pieces), tuple(custom), version, _pairs(circumstances))


def _split_outside_brackets(text: str) -> list[str]:
    """What commas separate, but for those within brackets."""
    pieces, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            pieces.append("")
        else:
            pieces[-1] += sign
    return pieces


def _pairs(texts: list[str]) -> dict[str, str]:
    return {key: value for key, _, value in (text.partition(":") for text in texts if text)}


def shorten(text: str) -> str:
    """Without defaults: parameters of named measures, and policies.

    >>> shorten("F_H|top:False,horizon:2,weights:None|hemlp:0.1.0|hierarchy:8c2f|unknown:error|missing:error")
    'F_H|horizon:2|hemlp:0.1.0|hierarchy:8c2f'
    """
    try:
        read = Signature.read(text)
    except InvalidOption:  # from somewhere else
        return text
    defaults = _default_parameters(read.measure)
    chosen = ",".join(f"{key}:{value}" for key, value in read.parameters.items() if defaults.get(key) != value)
    policies = {"unknown": "error", "missing": "error"}
    around = [f"{key}:{value}" for key, value in read.circumstances.items() if policies.get(key) != value]
    return "|".join(filter(None, [read.measure, chosen, *read.custom, f"hemlp:{read.version}", *around]))


@cache
def _default_parameters(name: str) -> dict[str, str]:
    """The parameters of a named measure at their defaults, as texts."""
    known = NAMED.get(name.partition("@")[0])
    return {} if known is None else {key: str(value) for key, value in known.default_parameters.items()}


def restore_measure(name: str, signature: str) -> Measure:
    """The measure that a stored evaluation calls ``name``, if its name says all that its signature does."""
    try:
        made = measure(name)
        if _difference_of_measures(Signature.read(signature), Signature.read(made.signature)) is None:
            return made
    except HemlpError:
        pass
    raise InvalidOption(f"{name} cannot be made from what the file says of it ({signature}): evaluate again")


def difference(old: str, new: str) -> str | None:
    """What keeps scores with the signature ``old`` from being compared with ``new`` ones.

    The version does not: a number that changes its meaning changes its signature otherwise. A parameter of a named
    measure that ``old`` does not have was not yet invented, and means its default.
    """
    was, now = Signature.read(old), Signature.read(new)
    reason = _difference_of_measures(was, now)
    for key in {**was.circumstances, **now.circumstances} if reason is None else ():
        before, after = was.circumstances.get(key), now.circumstances.get(key)
        if before != after:
            return f"{key} was {before or 'not given'} and is {after or 'not given'}"
    return reason


def _difference_of_measures(was: Signature, now: Signature) -> str | None:
    if was.measure != now.measure:
        return f"the measure was {was.measure} and is {now.measure}"
    defaults = _default_parameters(now.measure)
    for key in {**was.parameters, **now.parameters}:
        before, after = was.parameters.get(key, defaults.get(key)), now.parameters.get(key)
        if before != after:
            return f"{key} was {before} and is {'not a parameter any more' if after is None else after}"
    return (
        None if was.custom == now.custom else "it holds a function, a mapping or a class of your own, which has changed"
    )
