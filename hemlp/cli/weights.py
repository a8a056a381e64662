"""Weights of classes on the command line: --weights FILE, or MEASURE=FILE for one measure alone."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from hemlp.errors import InvalidOption

if TYPE_CHECKING:
    from hemlp.hierarchy.dag import Hierarchy
    from hemlp.instances.label_sets import LabelSets
    from hemlp.measures.base import Measure
    from hemlp.run.file_options import FileOptions

weights_option = click.option(
    "--weights", multiple=True, metavar="[MEASURE=]FILE",
    help="Weights of classes, one label<TAB>weight per line, for a measure: --weights simGIC=ic.tsv.",
)  # fmt: skip


def _free_parameters(each: Measure) -> Collection[str]:
    """Parameters of a named measure, and all fields of others."""
    from hemlp.measures.catalogue import NAMED

    return NAMED[each.name].parameters if each.name in NAMED else each.fields


def add_weights(measures: Sequence[str], weights: Sequence[str]) -> Sequence[str] | Mapping[str, Measure]:
    """The measures under their names, with weights; they are for all that take some, or for the one that is named."""
    if not weights:
        return measures
    from hemlp.hierarchy.class_weights import read_weights
    from hemlp.run.evaluate import name_measures

    made = name_measures(measures)
    taking = [name for name, each in made.items() if "weights" in _free_parameters(each)]
    for argument in weights:
        name, given, file = argument.partition("=")
        alone = bool(given) and not os.path.exists(argument)
        if alone and name not in taking:
            raise InvalidOption(f"--weights {argument}: {name} takes no weights, or is not asked for by -m")
        if not taking:
            raise InvalidOption(f"--weights {argument}: none of {', '.join(made)} takes weights")
        by_class = read_weights(file if alone else argument)
        for each in [name] if alone else taking:
            made[each] = made[each].changed(weights=by_class)
    return made


def complete(
    measures: Iterable[Any], h: Hierarchy, gold: LabelSets, corpus: str | None, files: FileOptions, unknown: Any
) -> list[Any]:
    """Measures as they are asked for, or with the information content that they lack: of --corpus, or of the gold."""
    from hemlp.measures.factory import measure
    from hemlp.measures.information import complete_measures

    asked = {str(each): measure(each) for each in measures}
    made = complete_measures(asked, h, gold, None if corpus is None else files.labels(corpus), unknown or "error")
    return [name if made[name] is each else made[name] for name, each in asked.items()]
