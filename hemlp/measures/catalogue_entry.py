"""What is known of a measure by its name: an entry of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hemlp.arrays import record
from hemlp.errors import InvalidOption
from hemlp.options import check_choice, did_you_mean
from hemlp.text.notation import parse_call

if TYPE_CHECKING:
    from hemlp.measures.base import Measure

KINDS = {
    "PairMeasure": "hemlp.measures.pair_measure",
    "SetMeasure": "hemlp.measures.set_measure",
    "ConstrainedMeasure": "hemlp.measures.derived",
    "IncompleteGold": "hemlp.measures.incomplete_gold",
    **dict.fromkeys(("MatchMeasure", "NearestMeasure", "TransportMeasure"), "hemlp.measures.pair_measure"),
}
"""Classes of measures that definitions begin with, and where they are."""
LCA_METHODS: Mapping[str, Mapping[str, str | None]] = {
    "exact": {"augment": "lca", "solver": None},
    "greedy": {"augment": "lca", "solver": "greedy"},
    "extended": {"augment": "extended_lca"},
}
"""What the methods of LCA measures mean."""
PARAMETER_MEANINGS: Mapping[str, Mapping[Any, Mapping[str, Any]]] = {
    "method": LCA_METHODS,
    "normalizer": {"difference": {"score": "accuracy"}, "union": {"score": "accuracy_union"}},
}
"""Parameters that are no fields: what each of their values means in terms of fields."""


@record
class CatalogueEntry:
    """A measure known by its name.

    ``measure``: its definition, as text. ``parameters``: which of its fields can be chosen. ``reference``: where it was
    published. ``needed``: fields without which nothing can be scored, and what to give. ``refused``: why there is no
    parameter that one may look for. ``about``: what a parameter does, where it is not what it does elsewhere.
    """

    name: str
    measure: str
    parameters: tuple[str, ...]
    title: str
    formula: str
    use: str
    avoid: str
    reference: str
    case: str
    needed: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def kind(self) -> str:
        """The class of the measure."""
        return self.measure.partition("(")[0]

    @cached_property
    def _definition(self) -> Measure:
        """The measure under a neutral name; the module of its class is loaded when it is needed."""
        kind, (_, *positional), fields = parse_call(self.measure)
        made: Measure = getattr(import_module(KINDS[kind]), kind)("definition", *positional, **fields)
        return made

    @cached_property
    def template(self) -> Measure:
        """What it is by default."""
        return self._definition.changed(name=self.name)

    @cached_property
    def meanings(self) -> Mapping[str, Mapping[Any, Mapping[str, Any]]]:
        """Its parameters that are no fields."""
        return {key: PARAMETER_MEANINGS[key] for key in self.parameters if key in PARAMETER_MEANINGS}

    @cached_property
    def default_parameters(self) -> dict[str, Any]:
        """The parameters and their defaults."""
        return self.parameters_of(self._definition)

    def make(self, chosen: Mapping[str, Any]) -> Measure:
        """The measure with these parameters."""
        if "distance" in chosen and "cost" in self.parameters:  # where costs are distances both words are in use
            if "cost" in chosen:
                raise InvalidOption("distance and cost are the same parameter: give one of them")
            chosen = {"cost" if key == "distance" else key: value for key, value in chosen.items()}
        changes: dict[str, Any] = {}
        for key, value in chosen.items():
            if key in self.refused:
                raise InvalidOption(f"{self.name} has no parameter {key!r}: {self.refused[key]}")
            if key not in self.parameters:
                hint = did_you_mean(key, self.parameters)
                has = ", ".join(self.parameters) or "none"
                raise InvalidOption(f"{self.name} has no parameter {key!r} (it has: {has}){hint}")
            if key in self.meanings:
                check_choice(key, value, tuple(self.meanings[key]))
                changes |= self.meanings[key][value]
            else:
                changes[key] = value
        return self.template.changed(**changes) if changes else self.template

    def describes(self, measure: Measure) -> bool:
        """Whether a measure is this one but for its name and parameters."""
        if type(measure) is not type(self._definition):
            return False
        free = {"name", *self.parameters}.union(*(of for values in self.meanings.values() for of in values.values()))
        fixed, own = ({k: v for k, v in of.fields.items() if k not in free} for of in (measure, self._definition))
        return fixed == own and None not in (self._value_of(measure.fields, key) for key in self.meanings)

    def _value_of(self, fields: Mapping[str, Any], key: str) -> Any:
        """The value of a parameter that is no field, None if the fields mean none of its values."""
        values = self.meanings[key].items()
        return next((value for value, meant in values if all(fields.get(k) == v for k, v in meant.items())), None)

    def parameters_of(self, measure: Measure) -> dict[str, Any]:
        """The values of the parameters."""
        plain = measure.serializable_fields()
        return {key: self._value_of(plain, key) if key in self.meanings else plain.get(key) for key in self.parameters}

    def chosen_parameters(self, measure: Measure) -> dict[str, Any]:
        """The parameters that are not at their default."""
        values = self.parameters_of(measure).items()
        return {key: value for key, value in values if value != self.default_parameters[key]}
