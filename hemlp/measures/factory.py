"""Measures: an explicit optimization model plus a score made from its optimum.

    >>> from hemlp import ALL, Bounds, Hierarchy, PairMeasure
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
    >>> score = measure("MGIA", default_cost=5).score(h, true=["sheep"], pred=["cow", "mammal"])
    >>> float(score), score["error"], str(score.status)
    (0.8, 3.0, 'optimal')

``PairMeasure`` pairs classes (Problem 1) by bounds of your choice, ``SetMeasure`` compares augmented sets. The named
measures are entries of ``hemlp/measures/catalogue.py``, and a new one is one more of the same kind:

    >>> PairMeasure("loose", Bounds(predicted=(1, 2), true=(1, ALL)), default_cost=5).score(h, ["sheep"], ["cow"])
    2.0
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar, overload

from hemlp.arrays import record
from hemlp.errors import HemlpError, InvalidOption, NoTextForm, UnknownMeasure, naming
from hemlp.io.text import decode, file_reader, read_bytes
from hemlp.measures.base import Measure
from hemlp.measures.catalogue import NAMED
from hemlp.measures.catalogue_entry import KINDS
from hemlp.measures.derived import RankedMeasure
from hemlp.measures.naming import measure_called
from hemlp.options import did_you_mean, list_known
from hemlp.text.notation import call_reason, from_toml, parse_call, to_toml

if TYPE_CHECKING:
    from hemlp.measures.literals import PairName, SetName
    from hemlp.measures.pair_measure import PairMeasure
    from hemlp.measures.set_measure import SetMeasure


_AT = re.compile(r"(.*?)\s*@\s*(\w*)\s*")


def _subclasses(of: type[Measure] = Measure) -> Iterator[type[Measure]]:
    """All classes of measures, those of users included: their names begin the text of a measure without one."""
    for kind in of.__subclasses__():
        yield kind
        yield from _subclasses(kind)


def _find_class(name: str) -> Callable[..., Measure] | None:
    """The class of measures of this name: hemlp's own, or the only one that users have defined."""
    if name in KINDS:
        made: Callable[..., Measure] = getattr(import_module(KINDS[name]), name)
        return made
    known = [kind for kind in _subclasses() if kind.__name__ == name]
    places = {f"{kind.__module__}.{kind.__qualname__}" for kind in known}
    if len(places) > 1:
        raise UnknownMeasure(f"there are several classes of measures called {name}: {', '.join(sorted(places))}")
    return known[-1] if known else None


M = TypeVar("M", bound=Measure)


@overload
def measure(what: PairName, **parameters: Any) -> PairMeasure: ...
@overload
def measure(what: SetName, **parameters: Any) -> SetMeasure: ...
@overload
def measure(what: M) -> M: ...
@overload
def measure(what: str | Measure, **parameters: Any) -> Measure: ...
def measure(what: str | Measure, **parameters: Any) -> Measure:
    """A measure from its name and parameters, or from its text: ``measure("MGIA(default_cost=5)")``.

    Parameters
    ----------
    what
        A name (``hemlp measures`` lists them), a text, or a measure, which is returned as it is. MEASURE@k is of the
        k greatest scores.
    parameters
        Of the named measure.

    Raises
    ------
    UnknownMeasure
        If there is no such measure, or its text cannot be read.
    InvalidOption
        If it has no such parameter, or not with this value.

    Examples
    --------
    >>> measure("MGIA", default_cost=4) == measure("MGIA(default_cost=4)")
    True
    >>> measure("SetMeasure('near', augment='ancestors', horizon=2)").parameters
    {'augment': 'ancestors', 'score': 'F', 'weights': None, 'beta': 1, 'top': False, 'horizon': 2}
    """
    if isinstance(what, Measure):
        if parameters:
            raise InvalidOption("a measure that is made already takes no further parameters")
        return what
    if not isinstance(what, str):
        raise UnknownMeasure(f"{what!r} is neither a measure nor the name of one")
    if what in NAMED and not parameters:
        return NAMED[what].template
    if match := _AT.fullmatch(what):
        return _at(what, match[1], match[2], parameters)
    if re.fullmatch(r"[\w -]*[ -][\w -]*", what) and (known := measure_called(what)):
        raise UnknownMeasure(f"there is no measure {what!r}; did you mean {known}?")
    if len(words := what.split()) > 1 and NAMED.keys() >= set(words):
        raise UnknownMeasure(f"{what!r} names {len(words)} measures: separate them by commas")
    if re.fullmatch(r"[\w.]+:\w+", what):
        raise UnknownMeasure(
            f"{what!r} is an import path: give it on the command line (hemlp evaluate ... -m {what}), not in a file; "
            f"in Python, import the measure and give the object itself"
        )
    name, positional, named = parse_call(what)
    kind = None if name in NAMED else _find_class(name)
    if kind is not None:
        if parameters:
            raise InvalidOption(f"{name}(...) takes its parameters within the text")
        if any(value == "custom" for value in named.values()):
            raise NoTextForm(f"{what} holds a function or a matrix, which its text does not describe")
        try:
            return kind(*positional, **named)
        except TypeError as error:
            raise _unreadable(what, kind, error) from None
    if name.casefold() in ("fmax", "smin"):
        raise UnknownMeasure(
            f"{name} is not a measure of label sets: `hemlp cafa` (hemlp.cafa) computes it from scores"
        )
    if name not in NAMED:
        known = measure_called(name)
        hint = f"; did you mean {known}?" if known else list_known(name, NAMED)
        raise UnknownMeasure(f"there is no measure {name!r}{hint}")
    if positional:
        raise UnknownMeasure(f"cannot read the measure {what!r}: name its parameters, as in {name}(parameter=value)")
    return NAMED[name].make({**named, **parameters})


def _unreadable(what: Any, kind: Callable[..., Any], error: TypeError) -> UnknownMeasure:
    """What is wrong with the arguments of a class of measures."""
    reason = call_reason(error)
    unknown = re.search(r"unexpected keyword argument '(\w+)'", reason)
    near = did_you_mean(unknown[1], inspect.signature(kind).parameters) if unknown else ""
    return UnknownMeasure(f"cannot read the measure {what!r}: {reason}{near}")


def _at(what: str, text: str, k: str, parameters: dict[str, Any]) -> RankedMeasure:
    """MEASURE@k."""
    if not text or "@" in text or not k.isdecimal() or int(k) < 1:
        raise UnknownMeasure(f"{what!r} is not MEASURE@k with an integer k of at least 1, as F_H@5 is")
    return RankedMeasure(measure(text, **parameters), int(k))


def write_measures(measures: Iterable[Measure]) -> str:
    """Measures as TOML, one table ``[[measure]]`` each.

    Parameters
    ----------
    measures
        One measure or several.

    Raises
    ------
    NoTextForm
        If one holds a function, a mapping or a matrix.

    Examples
    --------
    >>> print(write_measures([measure("MGIA", default_cost=4)]))
    [[measure]]
    name = "MGIA"
    default_cost = 4
    <BLANKLINE>
    """
    tables = []
    if isinstance(measures, Measure):
        measures = [measures]
    for made in map(measure, measures):
        each, at = (made.measure, made.k) if isinstance(made, RankedMeasure) else (made, None)
        if "custom" in each.serializable_fields().values():
            raise NoTextForm(f"{each.name} holds a function, a mapping or a matrix and has no text form")
        known = each.name in NAMED
        fields = {
            "name": each.name,
            **(NAMED[each.name].chosen_parameters(each) if known else each.serializable_fields()),
        }
        implied = known or type(each).__name__ in ("PairMeasure", "SetMeasure")
        if not (implied and type(each).__module__.startswith("hemlp.")):
            fields["kind"] = type(each).__name__
        bounds = fields.pop("bounds", None)
        if bounds is not None:
            fields |= {"predicted": bounds.predicted, "true": bounds.true} | bounds.further
        tables.append(f"[[measure]]\n{to_toml({**fields, 'at': at})}")
    return "\n".join(tables)


@file_reader
def read_measures(source: str | PathLike[str]) -> list[Measure]:
    r"""Measures from what ``write_measures`` writes.

    Parameters
    ----------
    source
        The path of a TOML file, or its text: a string of several lines is a text.

    Raises
    ------
    UnknownMeasure
        If a table is no measure.
    UnreadableFile
        If there is no such file.

    Examples
    --------
    >>> read_measures('[[measure]]\nname = "F_H"\nhorizon = 2\n') == [measure("F_H(horizon=2)")]
    True
    """
    import tomllib

    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("[")):
        place, text = "TOML", source
    else:
        place, data = read_bytes(source)
        text = decode(data, place)
    try:
        tables = tomllib.loads(text)["measure"]
    except (ValueError, KeyError) as error:  # also of a number of too many digits
        reason = "there is none" if isinstance(error, KeyError) else error
        raise UnknownMeasure(f"cannot read measures from {place}, which need tables [[measure]]: {reason}") from None
    with naming(None if place == "TOML" else str(place)):
        return measures_from_tables(tables)


def measures_from_tables(tables: Any) -> list[Measure]:
    """Measures from the tables ``[[measure]]`` of a TOML file."""
    if not (isinstance(tables, list) and all(isinstance(table, dict) and "name" in table for table in tables)):
        hint = f"; did you mean measures = [{json.dumps(tables)}]?" if isinstance(tables, str) else ""
        raise UnknownMeasure(f"measures of your own are tables [[measure]] that have a name{hint}")
    made: list[Measure] = []
    for table in tables:
        fields = {key: from_toml(value) for key, value in table.items()}
        if "predicted" in fields or "true" in fields:
            from hemlp.problems.pairing.bounds import Bounds

            further = {key: fields.pop(key) for key in ("pair", "defaults", "total") if key in fields}
            fields["bounds"] = Bounds(fields.pop("predicted", (1, 1)), fields.pop("true", (1, 1)), **further)
        implied = "PairMeasure" if "bounds" in fields else "SetMeasure" if "augment" in fields else None
        class_name = fields.pop("kind", implied)
        kind = measure if class_name is None else _find_class(str(class_name))
        if kind is None:
            raise UnknownMeasure(f"there is no class of measures {class_name!r}: import what defines it first")
        at = fields.pop("at", None)
        try:
            each = kind(fields.pop("name"), **fields)
            made.append(each if at is None else RankedMeasure(each, at))
        except TypeError as error:
            raise _unreadable(table, kind, error) from None
    return made


@record
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
        chosen, around = (
            {key: value for key, _, value in (text.partition(":") for text in texts if text)}
            for texts in (pieces, circumstances)
        )
        return cls(name, chosen, tuple(custom), version, around)


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
    known = NAMED.get(re.sub("(_lenient|_ignoring)?(@.*)?$", "", name))
    return {} if known is None else {key: str(value) for key, value in known.default_parameters.items()}


def restore_measure(name: str, signature: str) -> Measure:
    """The measure that a stored evaluation calls ``name``, if its name says all that its signature does."""
    try:
        made = measure(name)
        if _difference_of_measures(Signature.read(signature), Signature.read(made.signature)) is None:
            return made
    except HemlpError:
        pass
    raise InvalidOption(f"{name} cannot be rebuilt from the file ({signature}): evaluate again")


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
