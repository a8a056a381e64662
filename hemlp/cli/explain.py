"""`hemlp explain` and `hemlp model`: the scores of one instance, and the models that they come from."""

from __future__ import annotations

from typing import Any

import click

from hemlp.cli import options
from hemlp.cli.errors import AdvisingCommand
from hemlp.errors import InvalidOption


@click.command(cls=AdvisingCommand)
@options.one_system
@options.row_option
@options.measure_option
@options.weights_option
@options.key_option("options", "corpus")
@options.json_option("why.json")
@click.option("--svg", type=click.Path(), help="Draw SVG, one file per model: --svg why.svg.")
@click.option("--png", type=click.Path(), help="Draw with matplotlib, one file per model: --png why.png.")
@options.names_option
@options.file_options("--id")
@options.input_options
def explain(
    hierarchy: str, true: str, pred: str, row: int | None, name: str | None, measures: tuple[Any, ...],
    weights: tuple[str, ...],
    json_file: str | None, svg: str | None, png: str | None, **given: Any,
) -> None:  # fmt: skip
    """Explain the scores of one instance: pairs and prices, LCA graphs, closures.

    The default measures are GIE, F_H and F_LCA.

    Example: hemlp explain cat_hier.txt gold.txt predictions.txt --row 17 -m GIE -m F_LCA --svg why.svg
    """
    from hemlp.io.files import write_text
    from hemlp.report.outputs import check_writable, drawing_files, system_files
    from hemlp.run.study import Study

    files = system_files([pred])
    check_writable([options.json_target(json_file), svg, png])
    asked = options.add_weights(measures or ("GIE", "F_H", "F_LCA"), weights)
    result = Study(hierarchy, true, files, asked, {**given, "undefined": "nan"}).run()
    (system,) = files
    number = options.find_row(row, name, int(result.facts[system]["instances"]), result.ids)
    explanation = result.explain(system, number)
    options.show_or_write(json_file, explanation.to_dict, lambda: options.show_all(explanation.sections()))
    for part, file in drawing_files(svg, explanation):
        write_text(file, explanation.picture(part).to_svg())
        options.echo_written(file)
    for part, file in drawing_files(png, explanation):
        explanation.picture(part).to_png(file)
        options.echo_written(file)


@click.command(cls=AdvisingCommand)
@options.one_system
@options.row_option
@options.one_measure_option("GIE", "A measure: -m F_LCA.")
@options.key_option("options", "corpus")
@click.option("--stage", help="Stage of a model with several programs (lcas, ratio, ties for F_LCA): --stage ratio.")
@click.option("--mps", is_flag=True, help="Print MPS instead of LP.")
@click.option("--algebra", is_flag=True, help="Print algebra with the paper's equation numbers instead of LP.")
@click.option("--latex", is_flag=True, help="Print the algebra in LaTeX instead of LP.")
@click.option("--svg", type=click.Path(), help="Draw the flow network of a pair-based measure: --svg net.svg.")
@options.names_option
@options.file_options("--id")
@options.input_options
def model(
    hierarchy: str, true: str, pred: str, row: int | None, name: str | None, measure: Any, corpus: str | None,
    stage: str | None, mps: bool, algebra: bool, latex: bool, svg: str | None, names: str | None, **given: Any,
) -> None:  # fmt: skip
    """Print the explicit optimization model of one instance, as LP (or MPS) for any solver.

    Example: hemlp model cat_hier.txt gold.txt predictions.txt --row 17 -m MGIA > model.lp
    """
    from hemlp import Batch
    from hemlp.analysis.explain.network import network_picture
    from hemlp.hierarchy.class_names import read_names
    from hemlp.io.files import write_text
    from hemlp.measures.at_k import RankedMeasure
    from hemlp.measures.factory import measure as made
    from hemlp.report.outputs import check_writable, system_files
    from hemlp.run.scored_systems import read_sides

    check_writable([svg])
    files, h = system_files([pred]), options.open_hierarchy(hierarchy, given)
    reading = options.pop_file_options(given)
    gold, predicted = read_sides(true, files, reading, isinstance(made(measure), RankedMeasure))
    (each,) = options.add_information([measure], h, gold, corpus, reading, given.get("unknown_true"))
    batch = Batch.of(h, gold, predicted, **given)
    one = made(each).model(batch[options.find_row(row, name, len(batch), batch.ids)])
    if mps + algebra + latex > 1:
        raise InvalidOption("--mps, --algebra and --latex exclude each other: give one of them")
    if svg is not None:  # before anything is printed: not every model can be drawn
        write_text(svg, network_picture(one, h.names if names is None else read_names(names)).to_svg())
    if algebra or latex:
        sums = one.algebra(stage)
        click.echo(sums.to_latex() if latex else f"{sums}\n", nl=False)
    else:
        click.echo(one.to_mps(stage) if mps else one.to_lp(stage), nl=False)
