"""Weights of classes on the command line: from a corpus, as --weights FILE, or MEASURE=FILE for one measure alone."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from hemlp.cli.errors import AdvisingCommand
from hemlp.cli.options import (
    echo_written,
    hierarchy_keys,
    key_option,
    label_file_options,
    open_hierarchy,
    pop_file_options,
)
from hemlp.errors import InvalidOption
from hemlp.io.text import SEPARATORS, file_kind

if TYPE_CHECKING:
    from hemlp.measures.base import Measure

weights_option = click.option(
    "--weights", multiple=True, metavar="[MEASURE=]FILE",
    help="Weights of classes, label<TAB>weight a line, for measures that take them: --weights simGIC=ic.tsv.",
)  # fmt: skip


@click.command(cls=AdvisingCommand)
@click.argument("hierarchy")
@click.argument("corpus", metavar="LABELS")
@click.option("-o", "--output", type=click.Path(), help="The file, by default the output: -o ic.tsv.")
@click.option("--ia", is_flag=True, help="Information accretion, in bits, and not information content.")
@click.option(
    "--unseen", type=click.FloatRange(min=0),
    help="Of classes that no instance has; by default as if one had it, and 0 by --ia: --unseen 10.",
)  # fmt: skip
@click.option("--smoothing", type=click.FloatRange(min=0), default=0, help="Is added to counts of --ia: --smoothing 1.")
@label_file_options
@hierarchy_keys
@key_option("options", "unknown")
def ic(
    hierarchy: str, corpus: str, output: str | None, ia: bool, unseen: float | None, smoothing: float, unknown: Any,
    **given: Any,
) -> None:  # fmt: skip
    """Weigh classes by a corpus of label sets: a file of label<TAB>weight that --weights takes.

    Information content is −log of the share of the instances that have a class or one below it; information accretion,
    −log₂ of their share among those that have all its parents, is what CAFA and ICM take.

    Example: hemlp ic go.obo gold.gaf -o ic.tsv
    """
    from hemlp.io.files import write_text
    from hemlp.measures.corpus_weights import default_weight
    from hemlp.measures.information import information_accretion, information_content
    from hemlp.report.outputs import check_writable
    from hemlp.text.tables import plural

    check_writable([output])
    if smoothing and not ia:
        raise InvalidOption("--smoothing is of information accretion: give --ia, too")
    h, sets = open_hierarchy(hierarchy, given), pop_file_options(given).labels(corpus)
    other = unseen if unseen is not None else 0.0 if ia else default_weight(sets)
    if ia:
        left = None if smoothing and unseen is None else other
        weights = information_accretion(h, sets, smoothing=smoothing, unseen=left, unknown=unknown)
    else:
        weights = information_content(h, sets, unseen=other, unknown=unknown)
    sep = SEPARATORS.get(file_kind(output or ""), "\t")
    for label in weights:
        if sep in str(label) or "\n" in str(label):
            raise InvalidOption(f"the class {label!r} cannot stand in such a file, as it has a separator in its label")
    text = "".join(f"{label}{sep}{weight!r}\n" for label, weight in weights.items())
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)
        echo_written(output)
    what = f"{'accretion' if ia else 'content'} of {plural(len(weights), 'class', 'classes')}"
    click.echo(f"hemlp: information {what} from {plural(len(sets), 'instance')} of {corpus}", err=True)


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
