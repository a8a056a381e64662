"""Named measures: what they are by default, and which of their fields are parameters."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hemlp.errors import InvalidOption
from hemlp.options import check_choice, did_you_mean

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


@dataclass(frozen=True)
class Named:
    """A measure known by its name: what it is by default, and which of its fields are parameters.

    ``spelled``: of a parameter that is no field, what each of its values means in terms of fields. ``needed``: fields
    without which nothing can be scored, and what to give. ``refused``: why there is no parameter that one may look for.
    """

    template: Measure
    parameters: tuple[str, ...]
    spelled: Mapping[str, Mapping[Any, Mapping[str, Any]]] = field(default_factory=dict)
    needed: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)

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


_LISTED = (
    ("pairs", "TIE SunLim GIE MGIA"),
    ("sets", "P_H R_H F_H SDL P_De R_De F_De F_Tol SDL_Tol P_LCA R_LCA F_LCA ICM simUI simGIC"),
    ("matches", "BMA funSimAvg funSimMax"),
    ("matched", "matched_P matched_R matched_F"),
    ("transport", "transport"),
    ("nearest", "distance"),
    ("sets", "accuracy jaccard hamming P R F"),
)
HOMES = {name: f"hemlp.measures.{module}" for module, names in _LISTED for name in names.split()}
"""Which module makes a named measure, in the order in which they are listed."""


class Names(Mapping[str, Named]):
    """The measures that have a name; the module of one is loaded when somebody asks what the name means."""

    def __init__(self) -> None:
        self._made: dict[str, Named] = {}

    def add(self, *named: Named) -> None:
        """What a module makes, when it is loaded."""
        self._made.update((each.template.name, each) for each in named)

    def __getitem__(self, name: str) -> Named:
        if name in HOMES and name not in self._made:
            import_module(HOMES[name])
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in HOMES

    def __iter__(self) -> Iterator[str]:
        return iter(HOMES)

    def __len__(self) -> int:
        return len(HOMES)


NAMED = Names()


def check_name(measure: Measure) -> None:
    """Refuse a name that is no word, that means something else, or that belongs to another measure."""
    name = measure.name
    if not (isinstance(name, str) and name.isidentifier()) or keyword.iskeyword(name):
        raise InvalidOption(f"the name {name!r} of a measure must be a word of letters, digits and _")
    if name in RESERVED or name.endswith("Measure"):
        raise InvalidOption(f"no measure can be called {name!r}: the word has a meaning of its own")
    named = NAMED.get(name)  # there is none yet where its own module makes it
    if named is not None and not named.makes(measure):
        raise InvalidOption(f"{name} is the name of another measure: choose another name")
