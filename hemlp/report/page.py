"""A report page: one self-contained HTML file. Python supplies the data, and the page draws it on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from os import PathLike
from typing import TYPE_CHECKING, Any

from hemlp.analysis.diagnosis.branches import loss_of
from hemlp.analysis.diagnosis.error_costs import ClassPairs, find_pair_measure, iter_class_pairs, rank_confusions
from hemlp.analysis.diagnosis.error_kinds import ERROR_KINDS
from hemlp.analysis.diagnosis.measure_facts import PAIRS, measure_facts
from hemlp.analysis.statistics.evaluation_verdicts import order_systems
from hemlp.analysis.statistics.significance_tests import Sided
from hemlp.analysis.statistics.verdicts import Procedure, RankMethod, Test
from hemlp.errors import HemlpError, UncutScores
from hemlp.escaping import markup, printable
from hemlp.io.files import write_text
from hemlp.report import error_sections, measure_sections
from hemlp.report.branch_tree import branch_data, tree_section
from hemlp.report.elements import Section, select
from hemlp.report.history import Run, current_date, history_section, read_history
from hemlp.report.instance_list import MOST, Sample, draw_sample, instance_data
from hemlp.report.lca_graphs import graph_arrays, graph_measure, graph_note
from hemlp.report.page_data import Nodes, pack, script_json, security_policy
from hemlp.report.result_section import MOST_SYSTEMS, result_section
from hemlp.results.results import Results, require_inputs
from hemlp.text.tables import plural
from hemlp.version import __version__

if TYPE_CHECKING:
    from hemlp.analysis.decision.floor import Floor
    from hemlp.analysis.scored.curve import Curve

ROOM = 3_600_000
"""Characters of embedded data at most, so that the file stays below 5 MB."""
SCRIPTS = ("data.js", "tables.js", "charts.js", "layout.js", "drawing.js", "tree.js", "instances.js", "start.js")
CITATION = """@article{kosmopoulos2015evaluation,
  author  = {Kosmopoulos, Aris and Partalas, Ioannis and Gaussier, Eric and Paliouras, Georgios and
             Androutsopoulos, Ion},
  title   = {Evaluation measures for hierarchical classification: a unified view and novel approaches},
  journal = {Data Mining and Knowledge Discovery},
  volume  = {29},
  number  = {3},
  pages   = {820--865},
  year    = {2015},
  doi     = {10.1007/s10618-014-0382-x}
}"""


def to_html(
    ev: Results,
    path: str | PathLike[str],
    title: str = "Hierarchical evaluation",
    *,
    test: Test | None = None,
    sided: Sided = "two",
    ranks: RankMethod = "mean",
    curves: Mapping[str, Curve] | None = None,
    floors: Sequence[Floor] = (),
    history: str | PathLike[str] | None = None,
) -> None:
    """Write a report page: who wins, whether that is significant, where the errors are, and a list of all instances.

    It is one file, which needs no network. Of a very large evaluation it lists a sample of the instances, and of more
    than 20 systems it looks for errors in the 20 best ones; it says so. Of one that was read from a file, which does
    not hold the labels, it shows the scores alone.

    Parameters
    ----------
    path
        A file that is written as a whole or not at all.
    title
        Of the page.
    test, sided, ranks
        As of ``ranks``.
    curves
        By the names of systems, their curves over the threshold (``hemlp.curve``), where predictions have scores.
    floors
        What knowing nothing scores by each measure, as ``ev.floor`` says.
    history
        A folder of ``hemlp evaluate --history``, whose runs are shown.

    Examples
    --------
    >>> import os, tempfile
    >>> from hemlp import examples, evaluate
    >>> mesh = examples.mesh_mini()
    >>> ev = evaluate(mesh.hierarchy, mesh.true, mesh.systems, ["F_H", "GIE"], names=mesh.names)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ev.to_html(os.path.join(folder, "report.html"), "Five systems")
    """
    runs = [] if history is None else read_history(history)
    write_text(path, render_page(ev, title, Procedure(test, sided, ranks), curves or {}, floors, runs))


def render_page(
    ev: Results, title: str, procedure: Procedure, curves: Mapping[str, Curve], floors: Sequence[Floor] = (),
    runs: Sequence[Run] = (),
) -> str:  # fmt: skip
    """The HTML of the page."""
    leader = next((name for name in ev.measures if name.split("(")[0] == "F_LCA"), ev.measures[0])
    data = ""
    sections = [result_section(ev, procedure, floors)]
    sections += [history_section(runs, ev)] if runs else []
    shown = _select_best(ev, leader)
    if ev.inputs is not None:
        try:
            about, data = _data_sections(shown, leader)
        except UncutScores as error:  # the sections are about label sets
            about = [Section("labels", "Labels", f"<p class='note'>{markup(str(error))}</p>", {})]
        sections += about
    if (section := measure_sections.curves_section(curves)) is not None:
        sections.append(section)
    sections += [measure_sections.measures_section(ev, shown, leader), _citation_section(ev)]
    if shown is not ev:
        note = f"<p class='note'>Of the {MOST_SYSTEMS} best of {len(ev.systems)} systems by {markup(leader)}.</p>"
        alike = ("result", "history", "curves", "cite")
        sections = [each if each.key in alike else replace(each, body=note + each.body) for each in sections]
    # instances come last but for what is to be cited
    sections.sort(key=lambda each: (each.key == "cite", each.key == "instances"))
    charts = {name: spec for each in sections for name, spec in each.charts.items()}
    links = " ".join(f"<a href='#{each.key}'>{markup(each.title.split(' by ')[0])}</a>" for each in sections)
    here = files("hemlp.report")
    style, *scripts = ((here / name).read_text(encoding="utf-8") for name in ("style.css", *SCRIPTS))
    script = "".join(scripts)
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        f"<meta http-equiv='Content-Security-Policy' content=\"{security_policy(style, script)}\">"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<meta name='generator' content='hemlp {__version__}'><link rel='icon' href='data:,'>"
        f"<title>{markup(title)}</title><style>{style}</style></head><body>"
        f"<header><h1>{markup(title)}</h1><p class='note'>{_summary(ev)}</p>"
        f"<nav aria-label='Sections'>{links}</nav></header>"
        f"<main>{''.join(each.html() for each in sections)}</main><footer>Made by hemlp {__version__}.</footer>"
        f"<script type='application/json' id='charts'>{script_json(_printable_values(charts))}</script>"
        f"<script type='application/octet-stream' id='data'>{data}</script>"
        f"<script>{script}</script></body></html>\n"
    )


def _printable_values(value: Any) -> Any:
    """The results, with printable names."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {key: _printable_values(of) for key, of in value.items()}
    return [_printable_values(of) for of in value] if isinstance(value, list) else value


def _summary(ev: Results) -> str:
    count = int(ev.facts[ev.systems[0]]["instances"])
    sizes = plural(len(ev.systems), "system"), plural(len(ev.measures), "measure"), plural(count, "instance")
    parts = [", ".join(sizes)]
    if ev.inputs is not None:
        h = ev.inputs.given
        roots = "one root" if h.number_of_roots == 1 else plural(h.number_of_roots, "root")
        levels = plural(1 + int(h.unit_depths.max()), "level")
        parts.append(f"hierarchy of {plural(len(h), 'class', 'classes')}, {levels}, {roots}")
    return "; ".join([*parts, f"made on {current_date()} UTC"])


def _select_best(ev: Results, leader: str) -> Results:
    """The results of the best systems by a measure, in the order of all systems."""
    if len(ev.systems) <= MOST_SYSTEMS:
        return ev
    best = [name for name in ev.systems if name in order_systems(ev, leader)[:MOST_SYSTEMS]]
    scores, facts = {name: ev.scores[name] for name in best}, {name: ev.facts[name] for name in best}
    return Results(scores, ev.greater_is_better, facts, ev.inputs, origin=ev.origin)


def _data_sections(ev: Results, leader: str) -> tuple[list[Section], str]:
    """Sections that need the labels, and the data that the page embeds."""
    inputs = require_inputs(ev)
    ahead = order_systems(ev, leader)
    name = next((name for name in ev.measures if measure_facts(ev, name).loss == PAIRS), "GIE")
    sections = [error_sections.levels_section(ev)]
    sample = draw_sample(ev, leader, MOST)
    pairs: dict[str, ClassPairs] = {}
    confusions = {}
    try:
        of = find_pair_measure(ev, name)
        for system in ev.systems:
            every = ClassPairs.concatenate(iter_class_pairs(inputs, system, of))
            confusions[system] = list(rank_confusions(every, len(inputs.hierarchies[system]), error_sections.ROWS))
            pairs[system] = every.among(sample.rows)
        after = [error_sections.confusions_section(ev, name, confusions, ahead)]
    except HemlpError as error:  # the measure cannot pair these classes, and says why
        after = [Section("confusions", "Confusions", f"<p class='note'>{markup(str(error))}</p>", {})]
    nodes = Nodes(inputs.names)
    met, branches = branch_data(ev, leader, nodes)
    sections += [
        tree_section(ev, leader, branches["branch"].size, met, ahead),
        error_sections.kinds_section(ev),
        error_sections.classes_section(ev),
    ]
    sections += [*after, *filter(None, [measure_sections.sensitivity_section(ev)])]
    graphs = graph_measure(ev)
    sample, data = _embed_sample(ev, sample, leader, (name, graphs), nodes, pairs, branches)
    note = sample.note(leader) + graph_note(ev, graphs, sample)
    return [*sections, _instances_section(ev, leader, note, ahead)], data


def _embed_sample(
    ev: Results, sample: Sample, leader: str, drawn: tuple[str, str | None], with_branches: Nodes,
    pairs: Mapping[str, ClassPairs], branches: Mapping[str, Any],
) -> tuple[Sample, str]:  # fmt: skip
    """Embed as many instances of the sample as fit. ``drawn``: the measures whose pairs and graphs are drawn."""
    pairing, graphs = drawn
    while True:
        nodes = with_branches.copy()
        texts, arrays = instance_data(ev, sample, nodes, pairs)
        if graphs is not None:
            arrays |= graph_arrays(ev, graphs, sample, nodes)
        values = {
            "systems": [printable(name) for name in ev.systems],
            "measures": [[printable(name), better] for name, better in ev.greater_is_better.items()],
            "leader": ev.measures.index(leader), "pairing": printable(pairing), "kinds": ERROR_KINDS,
            "loss": printable(loss_of(ev, leader)),
            "graphs": None if graphs is None else printable(graphs),
            "count": len(sample.rows), **nodes.texts(), **texts,
        }  # fmt: skip
        data = pack(values, {**nodes.arrays(), **branches, **arrays})
        if len(data) <= ROOM or len(sample.rows) == 1:
            return sample, data
        most = int(0.9 * ROOM / len(data) * len(sample.rows)) * len(ev.systems)
        sample = draw_sample(ev, leader, most, sample)


def _instances_section(ev: Results, leader: str, note: str, ahead: list[str]) -> Section:
    """The list of instances and its search controls."""
    systems = [("", "all"), *((str(s), name) for s, name in enumerate(ev.systems))]
    measures = [(str(m), name) for m, name in enumerate(ev.measures)]
    kinds = [("", "any"), *((str(k), kind) for k, kind in enumerate(ERROR_KINDS) if k)]
    first = str(ev.systems.index(ahead[0]))
    body = (
        f"<p class='note'>{markup(note)}</p><div class='bar'>"
        "<label class='wide'>Search <input id='search' type='search' placeholder='labels, names or the number of an "
        "instance' title='Press / to search'></label>"
        f"{select('system', 'System', systems, first)}"
        f"{select('measure', 'Measure', measures, str(ev.measures.index(leader)))}"
        "<label>from <input id='least' type='number' step='any'></label>"
        "<label>to <input id='most' type='number' step='any'></label>"
        f"{select('kind', 'With a class that is', kinds)}"
        f"{select('order', 'Order', [('worst', 'worst first'), ('best', 'best first'), ('row', 'as given')])}</div>"
        "<p class='note' id='found' aria-live='polite'></p><div id='list'></div>"
        "<div class='pager'><button id='previous'>Previous</button> <span id='place'></span> "
        "<button id='next'>Next</button></div>"
    )
    return Section("instances", "Instances", body, {})


def _citation_section(ev: Results) -> Section:
    signatures = [ev.scores[ev.systems[0]][name].signature for name in ev.measures]
    body = (
        "<p>Cite the paper that defines the measures, and the signature of each score.</p>"
        "<div class='copied'><button data-copy='bibtex'>Copy BibTeX</button>"
        f"<pre id='bibtex'>{_markup_lines(CITATION)}</pre></div>"
        "<div class='copied'><button data-copy='signatures'>Copy signatures</button>"
        f"<pre id='signatures'>{_markup_lines(chr(10).join(map(printable, signatures)))}</pre></div>"
    )
    return Section("cite", "How to cite", body, {})


def _markup_lines(text: str) -> str:
    """Text as HTML, line by line."""
    return "\n".join(map(markup, text.split("\n")))
