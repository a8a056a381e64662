"""The catalogue of named measures: all that is known of each stands in its entry of ``data/measures.toml``."""

from __future__ import annotations

import keyword
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hemlp.errors import InvalidOption
from hemlp.options import check_choice, did_you_mean
from hemlp.text.notation import parse_call

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


KINDS = {
    "PairMeasure": "hemlp.measures.pairs",
    "SetMeasure": "hemlp.measures.sets",
    "MatchMeasure": "hemlp.measures.matches",
    "TransportMeasure": "hemlp.measures.transport",
    "NearestMeasure": "hemlp.measures.nearest",
}
"""Classes of measures that definitions begin with, and where they are."""
LCA_METHODS: Mapping[str, Mapping[str, str | None]] = {
    "exact": {"augment": "lca", "solver": None},
    "greedy": {"augment": "lca", "solver": "greedy"},
    "extended": {"augment": "extended_lca"},
}
"""What the methods of LCA measures mean."""
SPELLED: Mapping[str, Mapping[Any, Mapping[str, Any]]] = {
    "method": LCA_METHODS,
    "normalizer": {"difference": {"score": "accuracy"}, "union": {"score": "accuracy_union"}},
}
"""Parameters that are no fields: what each of their values means in terms of fields."""


@dataclass(frozen=True)
class Named:
    """A measure known by its name: its entry in the catalogue.

    ``measure``: its definition, as text. ``parameters``: which of its fields can be chosen. ``needed``: fields without
    which nothing can be scored, and what to give. ``refused``: why there is no parameter that one may look for.
    ``about``: what a parameter does, where it is not what it does elsewhere.
    """

    name: str
    measure: str
    parameters: tuple[str, ...]
    title: str
    formula: str
    use: str
    avoid: str
    case: str
    needed: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def kind(self) -> str:
        """The class of the measure."""
        return self.measure.partition("(")[0]

    @cached_property
    def template(self) -> Measure:
        """What it is by default; the module of its class is loaded when somebody asks."""
        kind, (_, *positional), fields = parse_call(self.measure)
        made: Measure = getattr(import_module(KINDS[kind]), kind)("template", *positional, **fields)
        vars(made)["name"] = self.name  # not at once: whoever takes the name is compared with the template
        return made

    @cached_property
    def spelled(self) -> Mapping[str, Mapping[Any, Mapping[str, Any]]]:
        """Its parameters that are no fields."""
        return {key: SPELLED[key] for key in self.parameters if key in SPELLED}

    def make(self, chosen: Mapping[str, Any]) -> Measure:
        """The measure with these parameters."""
        if not chosen:
            return self.template
        changes: dict[str, Any] = {}
        if "distance" in chosen and "cost" in self.parameters:  # where costs are distances both words are in use
            if "cost" in chosen:
                raise InvalidOption("distance and cost are the same parameter: give one of them")
            chosen = {"cost" if key == "distance" else key: value for key, value in chosen.items()}
        for key, value in chosen.items():
            if key in self.refused:
                raise InvalidOption(f"{self.template.name} has no parameter {key!r}: {self.refused[key]}")
            if key not in self.parameters:
                hint = did_you_mean(key, self.parameters)
                has = ", ".join(self.parameters) or "none"
                raise InvalidOption(f"{self.template.name} has no parameter {key!r} (it has: {has}){hint}")
            if key in self.spelled:
                check_choice(key, value, tuple(self.spelled[key]))
                changes |= self.spelled[key][value]
            else:
                changes[key] = value
        return self.template.changed(**changes)

    def makes(self, measure: Measure) -> bool:
        """Whether a measure is this one but for its parameters."""
        if type(measure) is not type(self.template):
            return False
        free = set(self.parameters).union(*(meant for values in self.spelled.values() for meant in values.values()))
        fixed, usual = ({k: v for k, v in of.fields.items() if k not in free} for of in (measure, self.template))
        return fixed == usual and None not in (self._spelling(measure.fields, key) for key in self.spelled)

    def _spelling(self, fields: Mapping[str, Any], key: str) -> Any:
        """The value of a spelled parameter, None if the fields mean none of its values."""
        values = self.spelled[key].items()
        return next((value for value, meant in values if all(fields.get(k) == v for k, v in meant.items())), None)

    def parameters_of(self, measure: Measure) -> dict[str, Any]:
        """The values of the parameters."""
        plain = measure.plain_fields()
        return {key: self._spelling(plain, key) if key in self.spelled else plain.get(key) for key in self.parameters}

    def chosen(self, measure: Measure) -> dict[str, Any]:
        """The parameters that differ from the template's."""
        usual = self.parameters_of(self.template)
        return {key: value for key, value in self.parameters_of(measure).items() if value != usual[key]}


def _read(name: str) -> dict[str, Any]:
    path = Path(__file__).parents[1] / "data" / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


NAMED = {
    name: Named(name, **entry | {"parameters": tuple(entry["parameters"])}) for name, entry in _read("measures").items()
}
"""The measures that have a name, in the order in which they are listed."""


@cache
def _parameters() -> dict[str, dict[str, str]]:
    return _read("parameters")


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


def check_name(measure: Measure) -> None:
    """Refuse a name that is no word, that means something else, or that belongs to another measure."""
    name = measure.name
    if not (isinstance(name, str) and name.isidentifier()) or keyword.iskeyword(name):
        raise InvalidOption(f"the name {name!r} of a measure must be a word of letters, digits and _")
    if name in RESERVED or name.endswith("Measure"):
        raise InvalidOption(f"no measure can be called {name!r}: the word has a meaning of its own")
    if name in NAMED and not NAMED[name].makes(measure):
        raise InvalidOption(f"{name} is the name of another measure: choose another name")
