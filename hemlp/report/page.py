"""A report page: one self-contained HTML file. Python says what there is, the page draws it when it is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.analysis.diagnosis.error_costs import confused
from hemlp.analysis.diagnosis.kinds import KINDS
from hemlp.analysis.diagnosis.paired_classes import Paired, pair_measure, paired
from hemlp.analysis.statistics.comparable import comparable_means
from hemlp.analysis.statistics.verdicts import Procedure
from hemlp.errors import HemlpError, UncutScores
from hemlp.escaping import markup, printable
from hemlp.measures.pair_measure import PairMeasure
from hemlp.report import comparing, sections
from hemlp.report.elements import Section, choice
from hemlp.report.embedded import packed, policy, script_json
from hemlp.report.graphs import graph_arrays, graph_measure, told
from hemlp.report.instances import MOST, Sample, instance_data, sampled
from hemlp.report.nodes import Nodes
from hemlp.report.tree import branch_data, tree_section
from hemlp.report.verdicts import result
from hemlp.text.words import many
from hemlp.version import __version__

if TYPE_CHECKING:
    from hemlp.analysis.scored.curve import Curve
    from hemlp.results.evaluation import Evaluation

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


def page(ev: Evaluation, title: str, procedure: Procedure, curves: Mapping[str, Curve]) -> str:
    """The whole page."""
    leader = next((name for name in ev.measures if name.split("(")[0] == "F_LCA"), ev.measures[0])
    data = ""
    found = [result(ev, procedure)]
    if ev.inputs is not None:
        try:
            about, data = _about_data(ev, leader)
        except UncutScores as error:  # the sections are about label sets
            about = [Section("labels", "Labels", f"<p class='note'>{markup(str(error))}</p>", {})]
        found += about
    if (section := comparing.curves(curves)) is not None:
        found.append(section)
    found += [comparing.measures(ev, leader), _citation(ev)]
    # instances come last but for what is to be cited
    found.sort(key=lambda each: (each.key == "cite", each.key == "instances"))
    charts = {name: spec for each in found for name, spec in each.charts.items()}
    links = " ".join(f"<a href='#{each.key}'>{markup(each.title.split(' by ')[0])}</a>" for each in found)
    here = files("hemlp.report")
    style, *scripts = ((here / name).read_text(encoding="utf-8") for name in ("style.css", *SCRIPTS))
    script = "".join(scripts)
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        f"<meta http-equiv='Content-Security-Policy' content=\"{policy(style, script)}\">"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<meta name='generator' content='hemlp {__version__}'><link rel='icon' href='data:,'>"
        f"<title>{markup(title)}</title><style>{style}</style></head><body>"
        f"<header><h1>{markup(title)}</h1><p class='note'>{_facts(ev)}</p>"
        f"<nav aria-label='Sections'>{links}</nav></header>"
        f"<main>{''.join(each.html() for each in found)}</main><footer>Made by hemlp {__version__}.</footer>"
        f"<script type='application/json' id='charts'>{script_json(_plain(charts))}</script>"
        f"<script type='application/octet-stream' id='data'>{data}</script>"
        f"<script>{script}</script></body></html>\n"
    )


def _plain(value: Any) -> Any:
    """With names as they may be shown."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {key: _plain(of) for key, of in value.items()}
    return [_plain(of) for of in value] if isinstance(value, list) else value


def _facts(ev: Evaluation) -> str:
    count = int(ev.facts[ev.systems[0]]["instances"])
    sizes = many(len(ev.systems), "system"), many(len(ev.measures), "measure"), many(count, "instance")
    words = ", ".join(sizes)
    return words if ev.inputs is None else f"{words}; {markup(repr(ev.inputs.given))}"


def _about_data(ev: Evaluation, leader: str) -> tuple[list[Section], str]:
    """What can be said where the labels are at hand, and what the page embeds of them."""
    assert ev.inputs is not None
    means = np.array(comparable_means(ev, leader))
    order = np.argsort(-means if ev.greater_is_better[leader] else means, kind="stable")
    ahead = [ev.systems[k] for k in order.tolist()]
    name = next((name for name, of in ev.inputs.measures.items() if isinstance(of, PairMeasure)), "GIE")
    found = [sections.levels(ev)]
    sample = sampled(ev, leader, MOST)
    pairs: dict[str, Paired] = {}
    confusions = {}
    try:
        of = pair_measure(ev, name)
        for system, h in ev.inputs.hierarchies.items():
            every = Paired.joined(paired(ev.inputs, system, of))
            confusions[system] = list(confused(every, len(h), sections.ROWS))
            pairs[system] = every.among(sample.rows)
        after = [sections.confusions(ev, name, confusions, ahead)]
    except HemlpError as error:  # the measure cannot pair these classes, and says why
        after = [Section("confusions", "Confusions", f"<p class='note'>{markup(str(error))}</p>", {})]
    nodes = Nodes(ev.inputs.names)
    met, branches = branch_data(ev, leader, nodes)
    found += [tree_section(ev, leader, branches["branch"].size, met, ahead), sections.kinds(ev), sections.classes(ev)]
    found += [*after, *filter(None, [comparing.sensitivity(ev)])]
    graphs = graph_measure(ev)
    sample, data = _embedded(ev, sample, leader, (name, graphs), nodes, pairs, branches)
    note = sample.told(leader) + told(ev, graphs, sample)
    return [*found, _instances(ev, leader, note, ahead)], data


def _embedded(
    ev: Evaluation, sample: Sample, leader: str, drawn: tuple[str, str | None], with_branches: Nodes,
    pairs: Mapping[str, Paired], branches: Mapping[str, Any],
) -> tuple[Sample, str]:  # fmt: skip
    """As many instances of the sample as there is room for. ``drawn``: the measures whose pairs and graphs are."""
    pairing, graphs = drawn
    while True:
        nodes = with_branches.copy()
        texts, arrays = instance_data(ev, sample, nodes, pairs)
        if graphs is not None:
            arrays |= graph_arrays(ev, graphs, sample, nodes)
        values = {
            "systems": [printable(name) for name in ev.systems],
            "measures": [[printable(name), better] for name, better in ev.greater_is_better.items()],
            "leader": ev.measures.index(leader), "pairing": printable(pairing), "kinds": KINDS,
            "graphs": None if graphs is None else printable(graphs),
            "count": len(sample.rows), **nodes.texts(), **texts,
        }  # fmt: skip
        data = packed(values, {**nodes.arrays(), **branches, **arrays})
        if len(data) <= ROOM or len(sample.rows) == 1:
            return sample, data
        most = int(0.9 * ROOM / len(data) * len(sample.rows)) * len(ev.systems)
        sample = sampled(ev, leader, most, sample)


def _instances(ev: Evaluation, leader: str, note: str, ahead: list[str]) -> Section:
    """The place of the list, and what it is searched by."""
    systems = [("", "all"), *((str(s), name) for s, name in enumerate(ev.systems))]
    measures = [(str(m), name) for m, name in enumerate(ev.measures)]
    kinds = [("", "any"), *((str(k), kind) for k, kind in enumerate(KINDS) if k)]
    first = str(ev.systems.index(ahead[0]))
    body = (
        f"<p class='note'>{markup(note)}</p><div class='bar'>"
        "<label class='wide'>Search <input id='search' type='search' placeholder='labels, names or the number of an "
        "instance' title='Press / to search'></label>"
        f"{choice('system', 'System', systems, first)}"
        f"{choice('measure', 'Measure', measures, str(ev.measures.index(leader)))}"
        "<label>from <input id='least' type='number' step='any'></label>"
        "<label>to <input id='most' type='number' step='any'></label>"
        f"{choice('kind', 'With a class that is', kinds)}"
        f"{choice('order', 'Order', [('worst', 'worst first'), ('best', 'best first'), ('row', 'as given')])}</div>"
        "<p class='note' id='found' aria-live='polite'></p><div id='list'></div>"
        "<div class='pager'><button id='previous'>Previous</button> <span id='place'></span> "
        "<button id='next'>Next</button></div>"
    )
    return Section("instances", "Instances", body, {})


def _citation(ev: Evaluation) -> Section:
    signatures = [ev.scores[ev.systems[0]][name].signature for name in ev.measures]
    body = (
        "<p>Cite the paper that defines the measures, and the signature of each score.</p>"
        "<div class='copied'><button data-copy='bibtex'>Copy BibTeX</button>"
        f"<pre id='bibtex'>{_lines(CITATION)}</pre></div>"
        "<div class='copied'><button data-copy='signatures'>Copy signatures</button>"
        f"<pre id='signatures'>{_lines(chr(10).join(map(printable, signatures)))}</pre></div>"
    )
    return Section("cite", "How to cite", body, {})


def _lines(text: str) -> str:
    """Lines as they are."""
    return "\n".join(map(markup, text.split("\n")))
