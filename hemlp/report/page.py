"""A report page: one self-contained HTML file that sorts, searches and shows the worst instances."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from hemlp.errors import InvalidOption
from hemlp.escaping import markup
from hemlp.explain.drawing import STYLE
from hemlp.explain.parts import Explanation
from hemlp.report import plots
from hemlp.statistics.exact_greedy import compare_batch
from hemlp.statistics.facts import dropped_true_labels
from hemlp.statistics.tests import Sided
from hemlp.text.tables import figure
from hemlp.text.words import many
from hemlp.version import __version__

if TYPE_CHECKING:
    from hemlp.evaluation.result import Evaluation

WORST = 50
"""Instances shown of each system."""
SAMPLE = 200
"""Instances of each system on which exact and greedy F_LCA are compared."""
CITATION = (
    "A. Kosmopoulos, I. Partalas, E. Gaussier, G. Paliouras, I. Androutsopoulos: Evaluation measures for hierarchical "
    "classification: a unified view and novel approaches. Data Mining and Knowledge Discovery 29(3), 820-865, 2015. "
    "doi:10.1007/s10618-014-0382-x"
)


def page(ev: Evaluation, title: str, sided: Sided) -> str:
    """The whole page."""
    plots.check_plots()
    leader = "F_LCA" if "F_LCA" in ev.measures else ev.measures[0]
    parts = [
        f"<h2 id='summary'>Summary</h2>{_summary(ev, sided)}<ul class='notes'>{_items(ev.notes(sided=sided))}</ul>",
        f"<h2 id='tests'>Significance by {markup(leader)}</h2>{_significance(ev, leader, sided)}",
        f"<h2 id='plots'>Plots</h2>{''.join(_figures(ev, leader, sided))}",
        *(["<h2 id='worst'>Worst instances</h2>", _worst(ev, leader)] if ev.inputs is not None else []),
        f"<h2 id='cite'>Parameters, signatures, how to cite</h2>{_citation(ev)}",
    ]
    names = ["summary", "tests", "plots", *(["worst"] if ev.inputs is not None else []), "cite"]
    links = " ".join(f"<a href='#{name}'>{name}</a>" for name in names)
    here = files("hemlp.report")
    style, script = ((here / name).read_text(encoding="utf-8") for name in ("style.css", "script.js"))
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<meta name='generator' content='hemlp {__version__}'><link rel='icon' href='data:,'>"
        f"<title>{markup(title)}</title><style>{style}{STYLE}</style></head><body>"
        f"<header><h1>{markup(title)}</h1><p class='note'>{_facts(ev)}</p><nav>{links}</nav></header>"
        f"<main>{''.join(parts)}</main><footer>Made by hemlp {__version__}.</footer>"
        f"<script>{script}</script></body></html>\n"
    )


def _items(texts: object) -> str:
    return "".join(f"<li>{markup(text)}</li>" for text in texts)  # type: ignore[attr-defined]


def _facts(ev: Evaluation) -> str:
    count = int(ev.facts[ev.systems[0]]["instances"])
    sizes = many(len(ev.systems), "system"), many(len(ev.measures), "measure"), many(count, "instance")
    words = ", ".join(sizes)
    if ev.inputs is not None:
        words += f"; {markup(repr(ev.inputs.given))}"
    return words


def _head(columns: list[str], kinds: list[str] | None = None) -> str:
    cells = zip(columns, kinds or [""] * len(columns), strict=True)
    return "<tr>" + "".join(f"<th scope='col'{k}><button>{markup(name)}</button></th>" for name, k in cells) + "</tr>"


def _summary(ev: Evaluation, sided: Sided) -> str:
    ranks = {name: ev.ranks(name, sided=sided) for name in ev.measures}
    dropped = dropped_true_labels(ev.facts)
    rows = []
    for system in ev.systems:
        cells = [f"<td>{markup(system)}</td>"]
        for name in ev.measures:
            mean, rank = ev.mean(system, name), ranks[name][system]
            value = "" if math.isnan(mean) else repr(mean)
            text = "undefined" if math.isnan(mean) else figure(mean)
            best = " class='best'" if rank == 1 else ""
            # the space and the brackets keep the two figures apart where the table is copied
            place = "" if rank is None else f" <span class='rank'>({rank})</span>"
            cells.append(f"<td data-value='{value}'><span{best}>{text}</span>{place}</td>")
        labels = ev.facts[system]["predictions an instance"]
        cells.append(f"<td data-value='{labels!r}'>{labels:.2f}</td>")
        if dropped:
            cells.append(f"<td data-value='{ev.facts[system]['true labels dropped']!r}'>{dropped[system]}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    marks = [f"{name} {'↑' if better else '↓'}" for name, better in ev.greater_is_better.items()]
    head = _head(["system", *marks, "labels", *(["true labels dropped"] if dropped else [])])
    return f"<div class='scroll'><table class='sorts'><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table></div>"


def _significance(ev: Evaluation, measure: str, sided: Sided) -> str:
    if len(ev.systems) < 2:
        return "<p class='note'>There is one system: nothing to compare.</p>"
    table = ev.significance(measure, sided=sided)
    kinds = ["" if right else " class='words'" for right in table.numeric]
    rows = ("".join(f"<td{k}>{markup(cell)}</td>" for k, cell in zip(kinds, row, strict=True)) for row in table.cells)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    head = _head(list(table.columns), kinds)
    notes = f"<ul class='notes'>{_items(table.notes)}</ul>"
    return f"<div class='scroll'><table class='sorts'><thead>{head}</thead><tbody>{body}</tbody></table></div>{notes}"


def _figures(ev: Evaluation, leader: str, sided: Sided) -> Iterator[str]:
    def shown(name: str, figure: object, words: str) -> str:
        return f"<figure>{plots.svg(figure, name)}<figcaption>{markup(words)}</figcaption></figure>"  # type: ignore[arg-type]

    if len(ev.systems) > 1 and len(ev.measures) > 1:
        yield shown("ranks", plots.rank_chart(ev, sided), "Ranks by each measure; ties stand side by side.")
        yield shown("kendall", plots.kendall_heat_map(ev), "How alike the measures rank the systems.")
    yield shown("distribution", plots.distribution(ev, leader), f"Distribution of {leader} over the instances.")
    if ev.inputs is None:
        return
    yield shown("depth", plots.score_by_depth(ev, leader), f"Mean {leader} by the depth of the deepest true class.")
    if "F_LCA" in ev.measures and not ev.inputs.given.weighted:
        rng = np.random.default_rng(0)
        gaps = []
        for system in ev.systems:
            count = int(ev.facts[system]["instances"])
            rows = np.sort(rng.choice(count, min(SAMPLE, count), replace=False))
            gaps.append((system, compare_batch(ev.inputs.take(system, rows.tolist()))))
        words = f"Exact and greedy F_LCA on a random sample of at most {SAMPLE} instances a system."
        yield shown("greedy", plots.exact_minus_greedy(gaps), words)


def _worst(ev: Evaluation, measure: str) -> str:
    assert ev.inputs is not None
    sections = []
    for system in ev.systems:
        values = ev.per_instance(system, measure)
        signed = values if ev.greater_is_better[measure] else -values
        low, high = ev.inputs.measures[measure].range
        best = high if ev.greater_is_better[measure] else -low
        order = [int(k) for k in np.argsort(signed, kind="stable")[:WORST] if signed[k] < best]
        explanations = ev.explanations(system, order, [measure]) if order else []
        entries = [_instance(each, values[each.row], measure) for each in explanations]
        title = f"{markup(system)}: the {len(entries)} worst by {markup(measure)}"
        sections.append(f"<section class='system'><h3>{title}</h3>{''.join(entries)}</section>")
    return (
        "<div class='find'><input id='search' type='search' placeholder='Search instances: a label, a name, a row' "
        "aria-label='Search instances'><p class='note' id='found' aria-live='polite'></p></div>" + "".join(sections)
    )


def _instance(explanation: Explanation, value: float, measure: str) -> str:
    sides = []
    for side, labels in zip(("predicted", "true"), explanation.sides, strict=True):
        named = ", ".join(sorted(explanation.full_name(label) for label in labels)) or "nothing"
        sides.append(f"<span class='labels'>{side}: {markup(named)}</span>")
    try:
        drawing = explanation.picture().to_svg(style=False)
    except InvalidOption as error:
        drawing = markup(str(error))
    return (
        f"<details class='instance'><summary><span>{markup(explanation.title)}</span> "
        f"<b>{markup(measure)} {value:.4g}</b> {' '.join(sides)}</summary>"
        f"<div class='drawing'>{drawing}</div></details>"
    )


def _citation(ev: Evaluation) -> str:
    signatures = [ev.scores[ev.systems[0]][name].signature for name in ev.measures]
    return (
        "<p>Cite the paper that defines the measures, and the signature of each score:</p>"
        f"<pre>{markup(CITATION)}</pre>"
        f"<pre>{markup(chr(10).join(signatures))}</pre>"
    )
