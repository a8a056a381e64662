"""`hemlp sensitivity`: which system is ahead at which default cost."""

from __future__ import annotations

from typing import Any

import click

from hemlp.cli.errors import AdvisingCommand
from hemlp.cli.options import (
    echo_written,
    input_options,
    json_target,
    key_option,
    label_file_options,
    one_measure_option,
    show,
    show_or_write,
)


@click.command(cls=AdvisingCommand)
@click.argument("hierarchy")
@click.argument("true")
@click.argument("predictions", nargs=-1, required=True, metavar="[NAME=]PRED...")
@one_measure_option("GIE", "A measure with a default cost: -m MGIA.")
@key_option("options", "corpus")
@click.option("--json", "json_file", type=click.Path(), help="Write all as fractions, - for the output: --json d.json.")
@click.option("--plot", type=click.Path(), help="Draw the means over D, as .svg, .png or .pdf: --plot flips.svg.")
@label_file_options
@input_options
def sensitivity(
    hierarchy: str, true: str, predictions: tuple[str, ...], measure: Any, json_file: str | None, plot: str | None,
    **given: Any,
) -> None:  # fmt: skip
    """Show at which default costs two systems change places, exactly and without a grid.

    Example: hemlp sensitivity cat_hier.txt gold.txt knn=a.txt svm=b.txt -m GIE
    """
    from hemlp.report.outputs import check_writable, system_files
    from hemlp.run.study import Study

    check_writable([json_target(json_file), plot])
    result = Study(hierarchy, true, system_files(predictions), (measure,), given).run()
    sensitivities = result.sensitivity(result.measures[0])
    show_or_write(json_file, sensitivities.to_dict, lambda: show("", sensitivities.table()))
    if plot is not None:
        sensitivities.plot(plot)
        echo_written(plot)
