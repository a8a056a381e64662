"""Check option values."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, MutableMapping
from typing import Any

from hemlp.errors import InvalidOption


def check_choice(option: str, value: object, choices: Collection[str]) -> None:
    """Reject a ``value`` of ``option`` that is not one of ``choices``."""
    if value not in choices:
        listed = ", ".join(map(repr, choices))
        raise InvalidOption(f"{option}={value!r} is not one of {listed}{did_you_mean(value, choices)}")


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the most similar one, or nothing."""
    import difflib

    folded = [other for other in known if other.casefold() == str(name).casefold()]
    near = folded or difflib.get_close_matches(str(name), list(known), 1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else ""


def list_known(name: object, known: Iterable[str]) -> str:
    """The end of such a message with all that there are, the most similar one first."""
    near = did_you_mean(name, known)
    return (f"{near} There are" if near else "; there are") + f" {', '.join(map(repr, known))}"


def plain_number(option: str, value: Any, least: float) -> Any:
    """A finite number of at least ``least`` as int (if whole) or float; None stays None."""
    if value is None:
        return None
    import numpy as np

    number = value.item() if isinstance(value, np.number) else value
    try:
        good = not isinstance(number, bool) and isinstance(number, int | float) and float(number) >= least
    except OverflowError:
        good = False
    if not good:
        raise InvalidOption(f"{option}={value!r} is not a number of at least {least}")
    if number == math.inf:
        raise InvalidOption(f"{option} is infinite: leave it out instead")
    return int(number) if number == int(number) else number


def check_known(what: str, name: object, known: Collection[str]) -> None:
    """Reject a ``name`` of a system, measure or the like that is not ``known``."""
    if name not in known:
        raise InvalidOption(f"there is no {what} {name!r}{list_known(name, known)}")


def by_text(what: str, mapping: Mapping[Any, Any]) -> dict[str, Any]:
    """A mapping with its keys as texts, no two of which may become one."""
    made = {str(name): value for name, value in mapping.items()}
    if len(made) < len(mapping):
        raise InvalidOption(f"two {what} have one name: {', '.join(map(repr, mapping))}")
    return made


def register_by_name(known: MutableMapping[str, Any], what: str, kind: Any) -> None:
    """Register a class by its ``name``, unless that is taken; a class may be redefined."""
    other = known.get(kind.name)
    if other is not None and not (
        isinstance(other, type) and (other.__module__, other.__qualname__) == (kind.__module__, kind.__qualname__)
    ):
        raise InvalidOption(f"{kind.__qualname__}: there is {what} {kind.name!r} already; choose another name")
    known[kind.name] = kind


def plain_horizon(horizon: Any) -> int | None:
    """A horizon: an integer of at least 1, or None."""
    number = plain_number("horizon", horizon, 1)
    if number is not None and not isinstance(number, int):
        raise InvalidOption(f"horizon={horizon!r} is not an integer of at least 1")
    return number


def row_number(row: Any, count: int) -> int:
    """The index of an instance; negative ones count from the end."""
    import numpy as np

    if isinstance(row, bool | np.bool_) or not isinstance(row, int | np.integer):
        raise InvalidOption(f"{row!r:.80} is not the number of an instance: they are numbered from 0 to {count - 1}")
    if not -count <= row < count:
        raise InvalidOption(f"there is no instance {row}: they are numbered from 0 to {count - 1}")
    return int(row) % count


def parse_memory(memory: int | str) -> int:
    """A number of bytes, or a text like "500MB" or "2GB"."""
    units = {"": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}
    match = re.fullmatch(r"\s*([\d.]+)\s*([KMGT]B)?\s*", str(memory).upper())
    try:
        size = int(float(match.group(1)) * units[match.group(2) or ""]) if match else 0
    except (ValueError, OverflowError):
        size = 0
    if isinstance(memory, bool) or size < 2**20:
        raise InvalidOption(f"{memory!r} is not a size of memory of at least 1MB, like 500MB or 2GB")
    return size
