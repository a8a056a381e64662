"""Names of measures and of their parameters: which can be taken, and what they mean."""

from __future__ import annotations

import keyword
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hemlp.errors import InvalidOption
from hemlp.measures.catalogue import NAMED

if TYPE_CHECKING:
    from hemlp.measures.base import Measure

RESERVED = {
    "error",
    "predicted_error",
    "true_error",
    "predicted",
    "true",
    "common",
    "lcas",
    "bound",
    "step",
    "status",
    "custom",
    "ALL",
    "Bounds",
}
"""Names of columns and of parts of texts: no measure can be called so."""


def check_name(measure: Measure) -> None:
    """Refuse a name that is no word, that means something else, or that belongs to another measure."""
    name = measure.name
    if not (isinstance(name, str) and name.isidentifier()) or keyword.iskeyword(name):
        raise InvalidOption(f"the name {name!r} of a measure must be a word of letters, digits and _")
    if name in RESERVED or name.endswith("Measure"):
        raise InvalidOption(f"no measure can be called {name!r}: the word has a meaning of its own")
    if name in NAMED and not NAMED[name].describes(measure):
        raise InvalidOption(f"{name} is the name of another measure: choose another name")


@cache
def _parameters() -> dict[str, dict[str, str]]:
    import tomllib

    path = Path(__file__).parents[1] / "data" / "parameters.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def about_parameter(measure: Measure, name: str) -> str:
    """What a parameter of a measure does; "" if nothing is known of it.

    Parameters
    ----------
    measure
        Whose parameter it is: a horizon is not the same thing for pairs and for sets.
    name
        As ``measure.parameters`` has it.

    Examples
    --------
    >>> from hemlp import measure
    >>> about_parameter(measure("F_H"), "top").partition(" ⊤ ")[0]
    'Whether one node'
    """
    if measure.name in NAMED and name in NAMED[measure.name].about:
        return NAMED[measure.name].about[name]
    known = _parameters().get(name, {})
    augment = getattr(getattr(measure, "augment", None), "name", "")
    return next((known[of] for of in (augment, type(measure).__name__, "all") if of in known), "")
