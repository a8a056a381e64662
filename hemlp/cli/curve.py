"""Commands for scored predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hemlp import __version__
from hemlp.cli import options
from hemlp.cli.main import AdvisingCommand
from hemlp.errors import InvalidOption

if TYPE_CHECKING:
    from hemlp.text.tables import Table

scored_arguments = options.combine(click.argument("hierarchy"), click.argument("true"), click.argument("scores"))
points_option = options.key_option("tuning", "points")
corpus_option = options.key_option("options", "corpus")
grid_option = click.option(
    "--grid", metavar="FROM,TO,STEP", help="Thresholds instead of every distinct score: --grid 0.01,1,0.01."
)


@click.command(cls=AdvisingCommand)
@scored_arguments
@options.measure_option
@corpus_option
@points_option
@grid_option
@options.key_option("options", "undefined")
@click.option("--csv", type=click.Path(), help="Write all points as CSV: --csv curve.csv.")
@click.option("--svg", type=click.Path(), help="Draw the curves: --svg curve.svg.")
@options.solver_options
@options.label_file_options
@options.label_options
def curve(
    hierarchy: str, true: str, scores: str, measures: tuple[Any, ...], corpus: str | None, grid: str | None,
    csv: str | None, svg: str | None, **given: Any,
) -> None:  # fmt: skip
    """Score scored predictions at every threshold, and show the best threshold of each measure.

    SCORES has lines `id class score`, rows of `class:score`, or is a .jsonl file; TRUE has the same ids (lines `id
    class`, or a .csv file with the columns id and label), or the same rows. The default measure is F_H. MEASURE@k uses
    the k greatest scores; distance@k is the mean height of their lowest common ancestors with the truth.

    Example: hemlp curve cat_hier.txt gold.tsv scores.tsv -m F_H -m F_LCA --points 100
    """
    from hemlp.analysis.scored.curve import curve as made
    from hemlp.analysis.scored.top_k import ranked
    from hemlp.io.figures import svg as drawn
    from hemlp.measures.derived import RankedMeasure
    from hemlp.measures.factory import measure as as_measure
    from hemlp.report.outputs import csv_text

    thresholds = _parse_grid(grid, given.get("points"))
    h, files = options.open_hierarchy(hierarchy, given), options.pop_file_options(given)
    gold, s = files.labels(true), files.scores(scores)
    chosen = options.add_information(measures or ["F_H"], h, gold, corpus, files, given.get("unknown_true"))
    of_ranks = [each for each in chosen if isinstance(as_measure(each), RankedMeasure)]
    if of_ranks:
        options.show(
            "", ranked(h, gold, s, of_ranks, **{k: value for k, value in given.items() if k != "points"}).table()
        )
    others = [each for each in chosen if each not in of_ranks]
    if not others:
        return
    c = made(h, gold, s, others, thresholds=thresholds, **given)
    options.show("", c.table())
    options.write(csv, lambda: csv_text(c.to_columns()))
    options.write(svg, lambda: drawn(c.plot(), "curve"))


MOST_THRESHOLDS = 10_000_000
"""Of a grid; more are a slip."""


def _parse_grid(text: str | None, points: int | None = None) -> Any:
    if text is None:
        return None
    if points is not None:
        raise InvalidOption("--grid gives the thresholds, --points limits the distinct scores: give one of them")
    import numpy as np

    try:
        start, stop, step = map(float, text.split(","))
    except ValueError:
        start = stop = step = 0.0
    size = (stop - start) / step if step > 0 else 0.0
    if size > MOST_THRESHOLDS:
        raise InvalidOption(f"--grid {text} has more than {MOST_THRESHOLDS:,} thresholds: take a larger step")
    if not size > 0:
        raise InvalidOption(f"--grid {text} is not FROM,TO,STEP, as in 0.01,1,0.01")
    return np.arange(start, stop, step)


@click.command(cls=AdvisingCommand)
@scored_arguments
@options.one_measure_option("F_H", "Measure to optimize: -m F_LCA.")
@corpus_option
@options.combine(*(options.key_option("tuning", name) for name in ("by", "folds", "least", "few", "seed")))
@points_option
@grid_option
@options.choice("--undefined", ["error", "nan"], "What to do where the measure is undefined: --undefined nan.")
@options.json_option("t.json")
@options.solver_options
@options.label_file_options
@options.label_options
def tune(
    hierarchy: str, true: str, scores: str, measure: Any, corpus: str | None, grid: str | None,
    json_file: str | None, **given: Any,
) -> None:  # fmt: skip
    """Choose a cut-off for scored predictions on development data: thresholds, the greatest scores, or both.

    Without --by, hemlp compares all kinds of rules by cross-validation and recommends one. `hemlp evaluate ...
    FILE@thresholds.json` applies what --json writes to other data.

    Example: hemlp tune cat_hier.txt dev_gold.tsv dev_scores.tsv -m F_LCA --json thresholds.json
    """
    from hemlp.analysis.scored.tuning import tune as chosen

    h, files = options.open_hierarchy(hierarchy, given), options.pop_file_options(given)
    gold = files.labels(true)
    (best,) = options.add_information([measure], h, gold, corpus, files, given.get("unknown_true"))
    t = chosen(h, gold, files.scores(scores), best, thresholds=_parse_grid(grid, given["points"]), **given)
    options.show_or_write(
        json_file, t.to_dict, lambda: options.show("", t.candidates) if t.compared else click.echo(t.recommendation)
    )


@click.command(cls=AdvisingCommand)
@click.argument("hierarchy")
@click.argument("true")
@click.argument("predictions", nargs=-1, required=True, metavar="[NAME=]SCORES...")
@click.option("--weights", type=click.Path(), help="Weights, one class<TAB>weight per line: --weights ia.tsv.")
@click.option("--unseen", type=click.FloatRange(min=0), help="Weight of classes that the file lacks: --unseen 0.")
@options.choice("--norm", ["cafa", "pred", "gt"], "Instances that means are divided by, as in cafaeval: --norm gt.")
@grid_option
@click.option("--exclude", type=click.Path(), help="Labels known before, which do not count: --exclude known.tsv.")
@click.option("--terms", type=click.Path(), help="File of the classes of interest, one per line: --terms terms.txt.")
@options.json_option("cafa.json")
@click.option("--csv", type=click.Path(), help="Write the curves as CSV: --csv curves.csv.")
@click.option(
    "--out", type=click.Path(), help="Folder for cafaeval's files, by namespace or root, on its grid: --out res."
)
@click.option("--naive", type=click.Path(), help="Add CAFA's Naive baseline from these labels: --naive train.tsv.")
@options.intervals_option
@options.label_file_options
@options.label_options
def cafa(
    hierarchy: str, true: str, predictions: tuple[str, ...], weights: str | None, unseen: float | None,
    grid: str | None, exclude: str | None, terms: str | None, json_file: str | None, csv: str | None,
    out: str | None, naive: str | None, intervals: bool, **given: Any,
) -> None:  # fmt: skip
    """Compute CAFA's Fmax, Smin and coverage of scored predictions, at every distinct score or on a grid.

    Files are those of `hemlp curve`, or in CAFA's formats. `--grid 0.01,1,0.01` is cafaeval's grid.

    Example: hemlp cafa go.obo gold.tsv blast=blast.tsv naive=naive.tsv --weights ia.tsv --json cafa.json
    """
    from hemlp.analysis.scored.cafa import cafa as averaged
    from hemlp.hierarchy.class_weights import read_weights, weights_by_class
    from hemlp.report.outputs import check_writable, csv_text

    check_writable(folders=[out])
    files = options.pop_file_options(given)
    h, gold = options.open_hierarchy(hierarchy, given), files.labels(true)
    asked: dict[str, Any] = {**given, "thresholds": _parse_grid(grid or ("0.01,1,0.01" if out else None))}
    if out and not grid:
        click.echo("hemlp: with --out the thresholds are cafaeval's grid, 0.01 to 0.99, not every score", err=True)
    if weights is not None:
        others = {} if unseen is None else dict.fromkeys(h, unseen)
        asked["weights"] = others | weights_by_class(h, read_weights(weights))
    elif unseen is not None:
        raise InvalidOption("--unseen is the weight of classes that --weights does not have: give --weights FILE, too")
    if exclude is not None:
        asked["exclude"] = files.labels(exclude)
    if terms is not None:
        from hemlp.hierarchy.class_names import read_classes

        asked["terms"] = read_classes(terms)
    systems = options.read_systems(predictions, files.scores)
    if naive is not None:
        if gold.ids is None or "naive" in systems:
            raise InvalidOption("--naive needs true labels with ids, and is the name of its system")
        from hemlp.analysis.scored.cafa_files import naive_scores

        systems["naive"] = naive_scores(h, files.labels(naive), gold.ids)
    found = {name: averaged(h, gold, s, **asked) for name, s in systems.items()}
    options.show_or_write(
        json_file,
        lambda: {"hemlp": __version__, "systems": {k: q.to_dict(intervals=intervals) for k, q in found.items()}},
        lambda: options.show("", _stack_tables({name: q.table(intervals=intervals) for name, q in found.items()})),
    )
    curves: list[dict[str, Any]] = [
        {"system": [name] * len(q.thresholds), **q.to_columns()} for name, q in found.items()
    ]
    options.write(csv, lambda: csv_text({key: [x for each in curves for x in each[key]] for key in curves[0]}))
    if out is not None:
        from hemlp.analysis.scored.cafa_files import write_cafaeval

        for file in write_cafaeval(out, h, gold, systems, asked):
            options.echo_written(file)


def _stack_tables(tables: dict[str, Table]) -> Table:
    """The only table, or all of them under each other with the name of their system; a note that all have once."""
    from hemlp.text.tables import Table

    first, *others = tables.values()
    if not others:
        return first
    shared = [note for note in first.notes if all(note in other.notes for other in others)]
    own = [f"{name}: {note}" for name, each in tables.items() for note in each.notes if note not in shared]
    rows = [[name, *row] for name, each in tables.items() for row in each.rows]
    lead = [f"{name}: {line}" for name, each in tables.items() for line in each.lead]
    return Table(["system", *first.columns], rows, [*shared[:-1], *own, *shared[-1:]], lead=lead)
