"""Commands for scored predictions."""

from __future__ import annotations

from typing import Any

import click

from hemlp.cli.advising import Advising
from hemlp.cli.options import choice, label_options, measure_option, options, say_written, show, solver_options

scored_arguments = options(
    click.argument("hierarchy"),
    click.argument("true"),
    click.argument("scores"),
)
points_option = click.option(
    "--points", type=click.IntRange(min=2), help="At most so many of the distinct scores: --points 100."
)


@click.command(cls=Advising)
@scored_arguments
@measure_option
@points_option
@click.option("--grid", metavar="FROM,TO,STEP", help="Thresholds instead of every distinct score: --grid 0.01,1,0.01.")
@choice("--undefined", ["error", "nan"], "What to do where a measure is undefined: --undefined nan.")
@click.option("--csv", type=click.Path(), help="Write all points: --csv curve.csv.")
@click.option("--svg", type=click.Path(), help="Draw: --svg curve.svg.")
@solver_options
@label_options
def curve(
    hierarchy: str, true: str, scores: str, measures: tuple[str, ...], grid: str | None, csv: str | None,
    svg: str | None, cycles: Any, **given: Any,
) -> None:  # fmt: skip
    """Measures at every threshold of scored predictions, and where each is best.

    SCORES has lines `id class score`, rows of `class:score`, or is a .jsonl file; TRUE has the same ids (lines `id
    class`, or a .csv file with the columns id and label), or the same rows. Without -m by F_H. MEASURE@k is of the k
    greatest scores, and so is distance@k, the mean height of lowest common ancestors.

    Example: hemlp curve cat_hier.txt gold.tsv scores.tsv -m F_H -m F_LCA --points 100
    """
    from hemlp import read_hierarchy
    from hemlp.io.files import write_text
    from hemlp.report.outputs import check_writable
    from hemlp.report.plots import svg as drawn
    from hemlp.scores.curve import curve as made
    from hemlp.scores.ranked import ranked
    from hemlp.scores.reading import as_gold, read_scores

    check_writable([csv, svg])
    h = read_hierarchy(hierarchy, cycles=cycles)
    gold, s = as_gold(true), read_scores(scores)
    of_ranks = [name for name in measures if "@" in name]
    if of_ranks:
        show("", ranked(h, gold, s, of_ranks, **{k: value for k, value in given.items() if k != "points"}).table())
    others = [name for name in measures if name not in of_ranks] or ([] if of_ranks else ["F_H"])
    if not others:
        return
    c = made(h, gold, s, others, thresholds=_grid(grid), **given)
    show("", c.table())
    if csv is not None:
        columns = c.to_columns()
        rows = [
            ",".join(map(_quoted, columns)),
            *(",".join(map(repr, row)) for row in zip(*columns.values(), strict=True)),
        ]
        write_text(csv, "\n".join(rows) + "\n")
        say_written(csv)
    if svg is not None:
        write_text(svg, drawn(c.plot(), "curve"))
        say_written(svg)


def _quoted(name: str) -> str:
    return f'"{name}"' if "," in name else name


def _grid(text: str | None) -> Any:
    if text is None:
        return None
    import numpy as np

    from hemlp.errors import InvalidOption

    try:
        start, stop, step = map(float, text.split(","))
        found = np.arange(start, stop, step) if step > 0 else np.empty(0)
    except ValueError:
        found = np.empty(0)
    if not found.size:
        raise InvalidOption(f"--grid {text} is not FROM,TO,STEP, as in 0.01,1,0.01")
    return found


@click.command(cls=Advising)
@scored_arguments
@click.option("-m", "--measure", default="F_H", show_default=True, help="What is to be best: -m F_LCA.")
@choice("--by", ["all", "level", "class"], "How many thresholds: --by level.")
@click.option("--folds", type=click.IntRange(min=2), help="Cross-validate on the same data: --folds 5.")
@click.option(
    "--least",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Instances that a threshold needs: --least 50.",
)
@choice("--few", ["error", "shared"], "Where a level or class is true in fewer instances: --few shared.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the folds: --seed 1.")
@points_option
@choice("--undefined", ["error", "nan"], "What to do where the measure is undefined: --undefined nan.")
@click.option("--json", "json_file", type=click.Path(), help="Write the thresholds: --json thresholds.json.")
@solver_options
@label_options
def tune(
    hierarchy: str, true: str, scores: str, measure: str, json_file: str | None, cycles: Any, **given: Any
) -> None:
    """Choose thresholds of scored predictions on development data.

    `hemlp evaluate ... FILE@thresholds.json` applies what --json writes to other data.

    Example: hemlp tune cat_hier.txt dev_gold.tsv dev_scores.tsv -m F_LCA --json thresholds.json
    """
    from hemlp import read_hierarchy
    from hemlp.report.outputs import check_writable
    from hemlp.scores.tuning import tune as chosen

    check_writable([json_file])
    t = chosen(read_hierarchy(hierarchy, cycles=cycles), true, scores, measure, **given)
    click.echo(repr(t))
    if json_file is not None:
        t.to_json(json_file)
        say_written(json_file)
