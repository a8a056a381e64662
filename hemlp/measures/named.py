"""What is known of a measure by its name: an entry of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hemlp.errors import InvalidOption
from hemlp.options import check_choice, did_you_mean
from hemlp.text.notation import parse_call

if TYPE_CHECKING:
    from hemlp.measures.base import Measure

KINDS = {
    "PairMeasure": "hemlp.measures.pairs",
    "SetMeasure": "hemlp.measures.sets",
    "MatchMeasure": "hemlp.measures.matches",
    "TransportMeasure": "hemlp.measures.transport",
    "NearestMeasure": "hemlp.measures.nearest",
    "ConstrainedMeasure": "hemlp.measures.constrained",
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
