"""Commands about data alone: what it is, the same in another format, and what its classes weigh."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hemlp.cli import options
from hemlp.cli.main import AdvisingCommand
from hemlp.errors import HemlpError, InvalidOption
from hemlp.io.files import STANDARD_INPUT
from hemlp.io.text import SEPARATORS, file_kind

if TYPE_CHECKING:
    from hemlp.instances.label_sets import LabelSets
    from hemlp.run.file_options import FileOptions

FORMATS = ["edges", "paths", "json", "yaml", "obo", "rdf", "ncbi", "parquet"]
hierarchy_options = options.combine(
    *options.naming,
    click.option("--parent", metavar="COLUMN", help="Column with parents, in a table: --parent broader_id."),
    click.option("--child", metavar="COLUMN", help="Column with classes, in a table: --child id."),
    click.option("--name", metavar="COLUMN", help="Column with names, in a table: --name title."),
    click.option("--weight", metavar="COLUMN", help="Column with lengths of edges, in a table: --weight km."),
    options.choice(
        "--same-names", ["error", "join", "apart"], "Whether a name in several paths is one class: --same-names apart."
    ),
)


@click.command(cls=AdvisingCommand)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--format", type=click.Choice(FORMATS), help="Format of IN, if not recognized: --format rdf.")
@click.option("--sep", help="Separator of cells, or of the names in a path: --sep ';'.")
@options.choice("--cycles", ["error", "condense", "break"], "What to do with cycles: --cycles condense.")
@hierarchy_options
def convert(source: str, target: str, **given: Any) -> None:
    """Convert any hierarchy to a table with the columns child, parent, name (and weight).

    IN is whatever `hemlp evaluate` takes as a hierarchy; OUT is a .csv file, or has tabs between its columns. - is
    standard input or output.

    Example: hemlp convert thesaurus.ttl thesaurus.tsv
    """
    from hemlp.hierarchy.hierarchy_files import hierarchy_text, write_hierarchy
    from hemlp.report.outputs import check_ending

    check_ending("OUT", None if target == "-" else target, "hierarchies are", *SEPARATORS)
    h = options.open_hierarchy(source, given, "format", "sep")
    if target == "-":
        click.echo(hierarchy_text(h, "-"), nl=False)
    else:
        write_hierarchy(h, target)
        options.echo_written(target)
    click.echo(f"hemlp: {h!r}", err=True)
    if h.aliases:
        click.echo(f"hemlp: {len(h.aliases):,} aliases are not written: such a file cannot hold them", err=True)


@click.command(cls=AdvisingCommand)
@click.argument("hierarchy")
@click.argument("files", nargs=-1, metavar="[LABELS]...")
@click.option(
    "--hierarchy-format",
    type=click.Choice(FORMATS),
    help="Format of the hierarchy, if hemlp does not recognize it: --hierarchy-format rdf.",
)
@options.label_file_options
@hierarchy_options
def check(
    hierarchy: str, files: tuple[str, ...], hierarchy_format: str | None, **given: Any,
) -> None:  # fmt: skip
    """Check a hierarchy and label files: show what hemlp reads in them, and what is wrong.

    It shows sizes, depth, parents, cycles, unknown labels with near matches, labels that occur twice, instances that
    some files lack, and the format of each file; a verdict comes last. It ends with code 2 if something would be an
    error.

    Example: hemlp check cat_hier.txt gold.txt predictions.txt
    """
    from hemlp.analysis.diagnosis.label_checks import describe_hierarchy, describe_labels
    from hemlp.hierarchy.edges import doubt_direction
    from hemlp.hierarchy.hierarchy_files import find_hierarchy_format
    from hemlp.text.tables import fold, plural

    labels = options.pop_file_options(given)
    # at once: standard input can be read once
    h = options.open_hierarchy(hierarchy, {**given, "format": hierarchy_format, "cycles": "break"}, "format")
    wrong: list[str] = []
    uncut: list[str] = []
    if h.dropped_edges:
        parent, child = h.dropped_edges[0]
        wrong.append(
            f"the hierarchy has cycles: {parent!r} → {child!r} closes one; without "
            f"{plural(len(h.dropped_edges), 'edge')} there would be none "
            f"(to score all the same: --cycles break, or condense)"
        )
    seekable = hierarchy_format is None and hierarchy != STANDARD_INPUT
    tables = [(hierarchy, describe_hierarchy(h, find_hierarchy_format(hierarchy) if seekable else hierarchy_format))]
    if files:
        sets = {name: _read_anything(labels, name) for name in files}
        uncut = [name for name, each in sets.items() if each.scores is not None and each.cut is None]
        table, problems = describe_labels(h, sets)
        tables.append(("", table))
        command = click.get_current_context().command
        assert isinstance(command, AdvisingCommand)
        for problem in problems:
            if isinstance(problem, HemlpError):
                problem.spelling = command.spelled
        wrong += map(str, problems)
    doubt = doubt_direction(h.edges)
    what = f"A hierarchy of {plural(len(h), 'class', 'classes')}"
    what += f" and {plural(len(files), 'file')} of labels" if files else ""
    found = plural(len(wrong), "problem") if wrong else "1 doubt" if doubt else "no problem was found"
    click.echo(f"{what}: {found}{', listed at the end' if wrong or doubt else ''}.\n")
    for title, each in tables:
        options.show(title, each)
    if doubt:
        click.echo("\n".join(fold(f"Look at the direction of the edges first. The hierarchy has {doubt}.")) + "\n")
    if wrong:
        click.echo("\n".join(wrong))
        click.echo(f"\nNot ready: {plural(len(wrong), 'problem')} to solve first.")
        sys.exit(2)
    if uncut:
        for name in uncut:
            click.echo(f"Ready, with a cut-off: {name} holds scores; give {name}@0.5 or {name}@top5.")
        click.echo("All scored classes are counted above. `hemlp cafa`, `curve` and `tune` take scores as they are.")
        return
    ready = "Ready, if that is right." if doubt else "Ready: no problem was found."
    click.echo(ready + (" The files can be scored as they are." if files else ""))


def _read_anything(files: FileOptions, name: str) -> LabelSets:
    """Label sets, or all classes of a file of scores that is not cut."""
    from hemlp.instances.file_cuts import parse_cut

    if parse_cut(name) is not None:
        return files.cut(name)
    try:
        return files.labels(name)
    except HemlpError as error:
        try:
            s = files.scores(name)
            return replace(s.sets, scores=s, layout="scores")
        except HemlpError:
            raise error from None


@click.command(cls=AdvisingCommand)
@click.argument("hierarchy")
@click.argument("corpus", metavar="LABELS")
@click.option("-o", "--output", type=click.Path(), help="File to write, by default standard output: -o ic.tsv.")
@click.option("--ia", is_flag=True, help="Information accretion, in bits, instead of information content.")
@click.option(
    "--unseen", type=click.FloatRange(min=0),
    help="Weight of classes that no instance has; by default as if one had it, with --ia 0: --unseen 10.",
)  # fmt: skip
@options.label_file_options
@options.hierarchy_keys
@options.key_option("options", "unknown")
def ic(
    hierarchy: str, corpus: str, output: str | None, ia: bool, unseen: float | None, unknown: Any, **given: Any,
) -> None:  # fmt: skip
    """Compute the information content of classes from a corpus, as a file for --weights.

    Information content is −log of the share of the instances that have a class or one below it; information accretion,
    −log₂ of their share among those that have all its parents, is what CAFA and ICM take.

    Example: hemlp ic go.obo gold.gaf -o ic.tsv
    """
    from hemlp.measures.information import information_accretion, information_content
    from hemlp.report.outputs import check_ending
    from hemlp.text.tables import plural

    check_ending("-o", output, "weights are", *SEPARATORS)
    h, sets = options.open_hierarchy(hierarchy, given), options.pop_file_options(given).labels(corpus)
    other = unseen if unseen is not None else 0.0 if ia else math.log(max(1, len(sets)))
    weights = (information_accretion if ia else information_content)(h, sets, unseen=other, unknown=unknown)
    sep = SEPARATORS.get(file_kind(output or ""), "\t")
    for label in weights:
        if sep in str(label) or "\n" in str(label):
            raise InvalidOption(f"the class {label!r} cannot be written to such a file: its label contains a separator")
    text = "".join(f"{label}{sep}{weight!r}\n" for label, weight in weights.items())
    if output is None:
        click.echo(text, nl=False)
    options.write(output, text)
    click.echo(
        f"hemlp: {plural(len(weights), 'class', 'classes')}, {plural(len(sets), 'instance')} of {corpus}", err=True
    )
