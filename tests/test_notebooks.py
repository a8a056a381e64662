"""What shows itself in a notebook is short, escaped and well formed; and the notebook of the documentation runs."""

from __future__ import annotations

import importlib.util
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import hemlp
from hemlp import Batch, Hierarchy, LabelSets, ScoredSets, measure
from hemlp.hierarchy.summary import MOST_CLASSES, iter_outline
from hemlp.report import plots
from hemlp.text.tables import MOST_ROWS, Table
from tests.test_project import ROOT

EVIL = "<script>alert(1)</script>"
EDGES = [("animal", "mammal"), ("mammal", "sheep"), ("mammal", EVIL), ("animal", "bird")]
TRUE, PRED = ["sheep", "bird"], [EVIL]


def small():
    """Each kind of thing, with a class and a system of an evil name where there are names."""
    h = Hierarchy.from_edges(EDGES)
    batch = Batch.of(h, [TRUE], [PRED])
    ev = hemlp.evaluate(h, [TRUE, ["sheep"]], {EVIL: [PRED, ["sheep"]]}, ["GIE", "F_LCA", "F_H"])
    gold, scores = {EVIL: TRUE, "b": ["sheep"]}, {EVIL: {EVIL: 0.9, "bird": 0.5}, "b": {"sheep": 0.7}}
    yield from (h, LabelSets.of([TRUE, PRED]), LabelSets.of({EVIL: TRUE}), batch, ScoredSets.of(scores))
    yield from (ev, ev.table(), ev.errors(EVIL), ev.explain(EVIL, 0), ev.sensitivity("GIE"))
    yield from (
        hemlp.curve(h, gold, scores, ["F_H"]),
        hemlp.cafa(h, gold, scores),
        hemlp.ranked(h, gold, scores, "F_H@1"),
    )
    yield hemlp.compare_exact_greedy(h, [TRUE], [PRED])
    yield hemlp.sweep(h, [TRUE], {EVIL: [PRED]}, "GIE", default_cost=[3, 5])
    for name in ("GIE", "F_H", "F_Tol", "F_LCA", "F_LCA(method='extended')", "BMA", "transport"):
        model = measure(name).model(batch)
        yield from (model, model.solve(), measure(name).score(h, TRUE, PRED), measure(name).score(batch))


THINGS = {f"{type(thing).__name__}-{k}": thing for k, thing in enumerate(small())}


class Checker(HTMLParser):
    """Every tag that is opened is closed, and none is one of a name's."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag not in ("br", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", THINGS)
def test_things_show_themselves_in_notebooks(name):
    thing = THINGS[name]
    html = thing._repr_html_()
    checker = Checker()
    checker.feed(html)
    assert not checker.open
    assert "script" not in checker.seen
    assert len(html) < 30_000
    line = repr(thing)
    assert len(line) < 400 or isinstance(thing, Table)
    assert "array(" not in line


def test_the_kinds_are_all_there():
    kinds = {type(thing).__name__ for thing in THINGS.values()}
    assert {
        "Hierarchy", "LabelSets", "Batch", "ScoredSets", "Evaluation", "Table", "Explanation", "Curve", "Score",
        "Scores", "PairingModel", "PairingSolution", "ClosureModel", "TolerantModel", "ClosureSolution", "LcaModel",
        "LcaSolution", "ExtendedModel", "JointModel", "JointSolution",
    } <= kinds  # fmt: skip


def test_they_say_what_matters():
    h = Hierarchy.from_edges(EDGES[:2] + EDGES[3:])
    shown = h._repr_html_()
    assert "  mammal\n    sheep" in shown
    assert "<td>leaves</td><td>2</td>" in shown
    solution = measure("GIE").model(h, ["sheep", "bird"], ["mammal"]).solve()
    assert repr(solution) == "PairingSolution(optimal, objective 6)"
    assert "<td>default class</td><td>bird</td><td>5.0000</td>" in solution._repr_html_()
    assert "mammal, sheep" in measure("F_H").model(h, ["sheep"], ["bird"]).solve()._repr_html_()
    score = measure("F_LCA").score(h, ["sheep"], ["bird"])
    assert "F_LCA|horizon" in score._repr_html_()
    assert repr(score) == repr(float(score))  # a float stays one
    scores = measure("TIE").score(Batch.of(h, [[], ["sheep"]], [[], ["bird"]]), undefined="nan")
    assert repr(scores) == "Scores(TIE of 2 instances: mean 3)"


def test_large_things_stay_short():
    data = hemlp.examples.mesh_mini()
    ev = hemlp.evaluate(data.hierarchy, data.true, {"knn30": data.systems["knn30"]}, ["GIE", "F_LCA"])
    why, classes = ev.explain("knn30", 0), ev.classes("knn30")
    assert len(repr(why)) < 100
    assert len(why._repr_html_()) < 80_000
    assert len(classes.rows) > MOST_ROWS
    assert classes._repr_html_().count("<tr>") == MOST_ROWS + 1
    assert f"the first {MOST_ROWS} of {len(classes.rows):,} rows" in classes._repr_html_()
    assert len(repr(classes).splitlines()) < MOST_ROWS + 12
    assert data.hierarchy._repr_html_().count("\n") == MOST_CLASSES
    assert len(list(iter_outline(data.hierarchy))) >= len(data.hierarchy)


def test_a_class_with_several_parents_has_its_children_once():
    h = Hierarchy.from_edges([(1, 2), (1, 3), (2, 4), (3, 4), (4, 5)])
    assert list(iter_outline(h)) == ["1", "  2", "    4", "      5", "  3", "    4 …"]


def test_pictures_and_plots_are_drawn():
    h = Hierarchy.from_edges(EDGES)
    ev = hemlp.evaluate(h, [TRUE, ["sheep"]], {"A": [PRED, ["sheep"]]}, ["GIE", "F_LCA"])
    for drawn in (ev.explain("A", 0).picture(), plots.rank_chart(ev), plots.kendall_heat_map(ev)):
        assert ElementTree.fromstring(drawn._repr_svg_()).tag.endswith("svg")
        assert len(repr(drawn)) < 100


@pytest.fixture(scope="module")
def notebook():
    """The module that runs the notebook."""
    spec = importlib.util.spec_from_file_location("notebook", ROOT / "docs" / "notebook.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outputs(story: dict, kind: str) -> list[str]:
    """What all cells show, as one kind of data."""
    shown = [each["data"] for cell in story["cells"] if cell["cell_type"] == "code" for each in cell["outputs"]]
    return ["".join(data[kind]) for data in shown if kind in data]


def test_the_notebook_runs_and_shows_what_it_keeps(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kept, shown = notebook.read(), notebook.refreshed(notebook.read())
    for kind in ("text/plain", "text/html"):
        assert outputs(kept, kind) == outputs(shown, kind), "run python docs/generate.py"


def test_the_notebook_is_small_and_has_tables_and_pictures(notebook):
    story = notebook.read()
    assert (story["nbformat"], len(outputs(story, "image/svg+xml"))) == (4, 2)
    assert len(outputs(story, "text/html")) > 8
    assert notebook.STORY.stat().st_size < 150_000
    assert not re.search(r"/(home|tmp|root)/", notebook.STORY.read_text(encoding="utf-8"))


def test_the_notebook_runs_in_jupyter(notebook, tmp_path):
    for package in ("nbclient", "ipykernel"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    import nbclient
    import nbformat

    story = nbformat.read(notebook.STORY, as_version=4)
    nbformat.validate(story)
    resources = {"metadata": {"path": str(tmp_path)}}
    done = nbclient.NotebookClient(story, timeout=300, kernel_name="python3", resources=resources).execute()
    assert outputs(done, "text/html") == outputs(notebook.read(), "text/html")
