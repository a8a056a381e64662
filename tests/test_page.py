"""The report page: what it says, what it embeds, and how it behaves in a real browser."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import xml.etree.ElementTree as ET
import zlib
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from click.testing import CliRunner

from hemlp import TOP, Bounds, Evaluation, Hierarchy, PairMeasure, curve, evaluate, examples
from hemlp.analysis.statistics import summary_table
from hemlp.analysis.statistics.comparisons import format_difference_interval
from hemlp.analysis.statistics.verdicts import Procedure
from hemlp.cli.main import commands
from hemlp.errors import FileFormatError
from hemlp.report import branch_tree, history, instance_list, lca_graphs, measure_sections, page
from hemlp.report.elements import bracket as bracket_of
from hemlp.report.page_data import narrow, pack
from hemlp.report.result_section import judge_leaders, result_section
from hemlp.text.p_values import format_p
from hemlp.text.tables import Interval, format_number

SCRIPT = "<script>alert('x')</script>"
H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", SCRIPT), ("mammal", "cow"), ("animal", "bird")])
MEASURES = ["accuracy", "F", "GIE", "MGIA", "F_LCA"]


@pytest.fixture(scope="module")
def mini() -> Evaluation:
    example = examples.mesh_mini()
    return evaluate(example.hierarchy, example.true, example.systems, MEASURES, names=example.names)


@pytest.fixture(scope="module")
def page_file(mini, tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "report.html"
    mini.to_html(file, "MEDLINE, <five> systems")
    return file


def unpacked(text: str) -> dict:
    """What a page embeds, by its description: not by the code that packs it."""
    found = re.search("id='data'>([A-Za-z0-9+/=]*)</script>", text)
    body = zlib.decompress(base64.b64decode(found.group(1)))
    size = int.from_bytes(body[:4], "little")
    data = json.loads(body[4 : 4 + size])
    at = 4 + size
    for name, kind, length in data["arrays"]:
        at += -at % 8
        data[name] = np.frombuffer(body, f"<{kind}", length, at)
        at += data[name].nbytes
    assert at == len(body)
    return data


def made(ev: Evaluation, folder, **options) -> tuple[str, dict]:
    ev.to_html(folder / "made.html", **options)
    text = (folder / "made.html").read_text(encoding="utf-8")
    return text, unpacked(text)


class Tags(HTMLParser):
    """Counts tags, and checks that they are closed in order and that nothing comes from elsewhere."""

    void = ("meta", "link", "br", "input", "wbr")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = {}
        self.ids: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        for name, value in attrs:
            if name in ("src", "href") and value:
                assert value.startswith(("#", "data:")), value
            if name == "id":
                self.ids.append(value)
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def rows_of(text: str, section: str, table: int = 0) -> list[list[str]]:
    """The cells of a table as they are read."""
    part = text[text.index(f"<section id='{section}'") :]
    body = re.findall("<tbody>(.*?)</tbody>", part)[table]
    return [
        [re.sub("<.*?>", "", cell) for cell in re.findall("<td.*?>(.*?)</td>", row)] for row in body.split("</tr>")[:-1]
    ]


# ---- what it says


def test_the_page_is_one_file_and_whole(page_file):
    tags = Tags()
    text = page_file.read_text(encoding="utf-8")
    tags.feed(text)
    assert not tags.open
    assert len(tags.ids) == len(set(tags.ids))
    assert tags.count["h1"] == 1
    assert "MEDLINE, &lt;five&gt; systems" in text
    assert "doi     = {10.1007/s10618-014-0382-x}" in text
    assert "F_LCA|horizon:None" in text
    assert set(re.findall("data-chart='(.*?)'", text)) == set(json.loads(charts_text(text)))


def charts_text(text: str) -> str:
    return re.search("id='charts'>(.*?)</script>", text).group(1)


def test_the_policy_of_the_page_is_that_of_its_script_and_style(page_file):
    text = page_file.read_text()
    policy = re.search(r"<meta http-equiv='Content-Security-Policy' content=\"([^\"]*)\">", text)[1]
    for kind, inner in (
        ("style-src", re.findall(r"<style>(.*?)</style>", text, re.S)),
        ("script-src", re.findall(r"<script>(.*?)</script>", text, re.S)),
    ):
        (only,) = inner
        digest = base64.b64encode(hashlib.sha256(only.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert text.index("Content-Security-Policy") < text.index("<style>")
    body = re.sub(r"<(style|script)[^>]*>.*?</\1>", "", text, flags=re.S)
    assert not re.search(r"<[^>]*\s(style|on\w+)=", body)


def test_the_page_needs_no_matplotlib(mini, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    mini.to_html(tmp_path / "r.html")
    assert (tmp_path / "r.html").exists()


def test_the_first_table_says_who_wins_by_how_much_and_whether_it_is_significant(mini, page_file):
    """All of it again from the scores: the two best means, their paired difference, its interval, Holm's p."""
    found = {row[0][:-2]: row[1:] for row in rows_of(page_file.read_text(encoding="utf-8"), "result")}
    for name, better in mini.greater_is_better.items():
        order = sorted(mini.systems, key=lambda s: -mini.mean(s, name) if better else mini.mean(s, name))
        first, second = order[:2]
        winner, mean, following, gain, interval, p, significant = found[name]
        tied = mini.mean(first, name) == mini.mean(second, name)
        assert [winner, following] == ([f"{first}, {second}", "–"] if tied else [first, second])
        assert mean == format_number(mini.mean(first, name))
        a, b = (mini.per_instance(system, name) for system in order[:2])
        assert float(gain) == pytest.approx((a - b).mean(), abs=5e-5)
        row = next(row for row in mini.compare(first, second).rows if row[0] == name)
        assert interval == format_difference_interval(row[3])
        assert p == format_p(row[5]).replace("<", "&lt;")
        assert significant.startswith("yes") == (not set(mini.groups(name)[first]) & set(mini.groups(name)[second])), (
            name
        )
    assert {row[-1][:2] for row in found.values()} == {"ye", "no"}


def test_the_headline():
    h = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")])
    true = ["c", "e"] * 40

    def body(**systems) -> str:
        return result_section(evaluate(h, true, systems, ["F_H", "GIE"]), Procedure()).body

    def said(**systems) -> str:
        return re.search("<p class='headline'>(.*?)</p>", body(**systems))[1]

    lead = "<b>good</b> is best by both measures. Its lead over"
    assert said(good=true, bad=["d", "f"] * 40) == f"{lead} <b>bad</b> is significant by each measure."
    assert said(alone=true) == "<b>F_H</b> of <b>alone</b> is 1.0000 [1.0000, 1.0000] on 80 instances."
    assert said(one=true, two=true) == "The best systems are equal by <b>F_H</b> and <b>GIE</b>."
    assert "<b>one, two</b>" in body(one=true, two=true)
    assert said(good=true, near=["d", *true[1:]]) == f"{lead} <b>near</b> is not significant."


LINE = Hierarchy.from_edges([(f"c{k}", f"c{k + 1}") for k in range(40)])
"""Classes in a row, so that TIE is the difference of their numbers."""


def doubts(true, a, b) -> str:
    """Why a is not significantly better than b by TIE; classes are numbers in the row, None is nothing."""
    sides = [[[] if k is None else [f"c{k}"] for k in side] for side in (true, a, b)]
    ev = evaluate(LINE, sides[0], {"a": sides[1], "b": sides[2]}, ["TIE"], undefined="nan")
    (found,) = judge_leaders(ev, Procedure())
    assert found.winner == "a"
    return found.doubt


def test_why_a_difference_is_not_significant():
    """The mean is a's in each case: few but great errors of b, one error, equal means, other instances."""
    assert doubts([0] * 60, [1] * 50 + [0] * 10, [0] * 50 + [30] * 10) == ""  # the test is of the mean
    # d is 1 on one of 60: ((1.95996 + 0.84162) · 0.1291 · 60)² is 471
    assert doubts([0] * 60, [0] * 60, [1] + [0] * 59) == "p = 1.000; would need about 471 instances"
    assert doubts([0] * 60, [1, 0] * 30, [0, 1] * 30) == "equal means"
    assert doubts([0] * 60, [0] * 60, [1] * 60) == ""
    # b makes small errors nearly everywhere, and a a great one
    assert doubts([0] * 60, [30] + [0] * 59, [1] * 60).startswith("p = .")


def test_systems_that_are_undefined_on_different_instances():
    """On the instances that all three have the winner is another one than on those of the two best."""
    true = [0] * 3 + [0] * 30
    sides = {"a": [0] * 3 + [5] * 30, "b": [1] * 3 + [0] * 30, "c": [9] * 3 + [None] * 30}
    made = {name: [[] if k is None else [f"c{k}"] for k in side] for name, side in sides.items()}
    ev = evaluate(LINE, [[f"c{k}"] for k in true], made, ["TIE"], undefined="nan")
    (found,) = judge_leaders(ev, Procedure())
    assert (found.winner, found.next) == ("a", "b")
    assert found.doubt == "b is better on the instances on which both are defined"
    assert found.pair.difference == pytest.approx((5 * 30 - 3) / 33)
    low, high = found.pair.interval
    assert 0 < low < found.pair.difference < high


def test_a_lone_system_has_no_rank(tmp_path):
    text, _ = made(evaluate(H, ["cow"], {"only": ["bird"]}, ["GIE", "F_H"]), tmp_path)
    assert "<b>GIE</b> of <b>only</b> is" in text
    assert "class='rank'>(1)" not in text
    assert "class='best'" not in text
    assert rows_of(text, "result")[0][0] == "only"


def test_values_ranks_and_intervals_are_apart_in_the_text_of_the_page(mini, page_file):
    """What is copied from the page is its text: 0.4346 (1) [0.42, 0.45], not 0.43461."""
    rows = rows_of(page_file.read_text(encoding="utf-8"), "result", 1)
    for row, system in zip(rows, mini.systems, strict=True):
        assert row[0] == system
        for cell, name in zip(row[1:], mini.measures, strict=False):
            low, high = mini.interval(system, name)
            place = f"({mini.ranks(name)[system]}) {''.join(mini.groups(name)[system])}"
            assert (
                cell
                == f"{format_number(mini.mean(system, name))} {place} [{format_number(low)}, {format_number(high)}]"
            )
        assert row[-1] == f"{mini.facts[system]['predictions an instance']:.2f}"


def test_notes_of_the_evaluation_stand_on_the_page(mini, tmp_path, monkeypatch):
    monkeypatch.setattr(summary_table, "summary_notes", lambda ev, testing: ["A: Fmax, which is optimistic", "plain"])
    text, _ = made(mini, tmp_path)
    assert "<li class=warning>A: Fmax, which is optimistic</li><li>plain</li>" in text


def picked(table, *columns: str) -> list[list]:
    """Some columns of a table, row by row."""
    places = [list(table.columns).index(name) for name in columns]
    return [[row[k] for k in places] for row in table.rows]


def bracket(interval) -> str:
    return "" if math.isnan(interval.low) else f" [{format_number(interval.low)}, {format_number(interval.high)}]"


def test_both_ends_of_an_interval_have_one_format():
    assert bracket_of(Interval(0.0, 0.00586)) == " <small>[0.0000, 0.0059]</small>"
    assert bracket_of(Interval(0.003, 0.00586)) == " <small>[3.00e-03, 5.86e-03]</small>"
    assert bracket_of(Interval(0.003, 0.1)) == " <small>[0.0030, 0.1000]</small>"


def full_name(label: str, name: str) -> str:
    return f"{name} ({label})" if name else label


def shown(true, f, lost, interval) -> str:
    """F of a class or level; none where it is neither true nor predicted."""
    return f"{f:.4f} {lost} lost{bracket(interval)}" if true or lost else "–"


def test_sections_have_the_numbers_of_the_tables(mini, page_file):
    text = page_file.read_text(encoding="utf-8")
    for row, found in zip(mini.levels().rows, rows_of(text, "levels"), strict=True):
        assert [int(found[0]), int(found[1])] == list(row[:2])
        of_systems = zip(row[2:12:2], row[3:12:2], row[12:], strict=True)
        assert found[2:] == [shown(row[1], *of) for of in of_systems]
    kinds = mini.errors()
    for k, found in enumerate(rows_of(text, "kinds")):
        assert found[1:] == [f"{row[1 + k]} [{row[11 + k].low}, {row[11 + k].high}]" for row in kinds.rows]
    for row, found in zip(mini.classes(on="labels").rows, rows_of(text, "classes"), strict=False):
        assert found[0] == (f"{row[1]} ({row[0]})" if row[1] else row[0])
        of_systems = zip(row[3:13:2], row[4:13:2], row[13:], strict=True)
        assert found[2:] == [shown(row[2], *of) for of in of_systems]
    assert "–" in {cell for found in rows_of(text, "classes") for cell in found}
    for k, system in enumerate(mini.systems):
        table = mini.confusions(system, "GIE")
        for row, names, numbers in zip(
            rows_of(text, "confusions", k), picked(table, "true", "true name", "predicted", "predicted name"),
            picked(table, "pairs", "cost", "instances"), strict=False,
        ):  # fmt: skip
            assert row[:3] == [full_name(*names[:2]), full_name(*names[2:]), str(numbers[0])]
            assert float(row[3]) == numbers[1]
            assert row[4] == " ".join(str(instance + 1) for instance in numbers[2])


def test_sensitivity_is_exact_on_the_page(mini, page_file, tmp_path, monkeypatch):
    text = page_file.read_text(encoding="utf-8")
    charts = json.loads(charts_text(text))
    for k, name in enumerate(["GIE", "MGIA"]):
        found = mini.sensitivity(name)
        rows = rows_of(text, "sensitivity", k)
        assert [row[1:] for row in rows] == [[below, above] for _, below, above in found.flips]
        assert [row[0] for row in rows] == [row[0] for row in found.table().rows]
        spec = charts[f"sensitivity{k}"]
        assert spec["rule"] == 5
        for series in spec["series"]:
            own = found.systems[series["name"]]
            assert series["y"] == [float(own(d)) for d in series["x"]]
            bends = {float(d) for d in own.breakpoints if series["x"][0] < d < series["x"][-1]}
            assert bends <= set(series["x"])
        assert {d for d, _ in spec["dots"]} == {float(d) for d, _, _ in found.flips}
    monkeypatch.setattr(measure_sections, "SOLVED", 1000)
    assert "ev.sensitivity(&#x27;MGIA&#x27;)" in made(mini, tmp_path)[0]
    monkeypatch.setattr(measure_sections, "MOST", 999)
    monkeypatch.setattr(measure_sections, "SOLVED", 999)
    text, _ = made(mini, tmp_path)
    assert "sensitivity0" not in text
    assert text.count("takes longer to find: ev.sensitivity(") == 2


def test_an_evaluation_from_a_file_has_a_page_without_instances(mini, tmp_path):
    mini.to_json(tmp_path / "e.json")
    Evaluation.from_json(tmp_path / "e.json").to_html(tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    assert "id='instances'" not in text
    assert "id='data'></script>" in text
    assert rows_of(text, "result", 1)[0][0] == mini.systems[0]


def test_curves_say_that_their_best_is_optimistic(tmp_path):
    scores = [{"cow": 0.9, "bird": 0.2}, {"bird": 0.6}]
    ev = evaluate(H, ["cow", "bird"], {"A": ["cow", "cow"]}, ["F_H"])
    text, _ = made(ev, tmp_path, curves={"A": curve(H, ["cow", "bird"], scores, ["F_H", "SDL"])})
    spec = json.loads(charts_text(text))
    assert spec["curve0"]["series"] == [{"name": "A", "x": [0.2, 0.6, 0.9], "y": [pytest.approx(13 / 14), 1.0, 0.5]}]
    assert text.count("class=warning>A: best") == 2
    assert "at the threshold 0.6 (every distinct score), which is optimistic" in text


@pytest.mark.parametrize("measures", [["TIE"], ["GIE", "F_H"], ["accuracy"]])
def test_small_evaluations_have_a_page(tmp_path, measures):
    text, data = made(evaluate(H, ["cow"], {"only": ["bird"]}, measures), tmp_path)
    assert ("id='sensitivity'" in text) == ("GIE" in measures)
    assert data["pairing"] == ("GIE" if measures == ["accuracy"] else measures[0])


def test_measures_whose_pairs_are_not_counted_have_a_page(tmp_path):
    few = PairMeasure("few", Bounds((1, 1), (1, 1), total=(0, 1)), default_cost=5)
    ev = evaluate(H, [["cow", "bird"]], {"only": [["bird"]]}, [few, "F_H"])
    text, data = made(ev, tmp_path)
    assert data["pairing"] == "GIE"
    assert "share: of SDL" in text
    shares = [[row[3] for row in ev.branches("only", name, intervals=False).rows] for name in ("few", "F_H")]
    assert shares[0] == shares[1]


def test_undefined_and_infinite_scores_have_a_page(tmp_path):
    ev = evaluate(H, [["cow"], ["cow", "bird"]], {"A": [["cow"], ["bird"]], "B": [[], []]}, ["TIE"], undefined="nan")
    text, data = made(ev, tmp_path)
    assert [math.isnan(v) for v in data["value0_0"]] == [False, True]
    assert "undefined" in text
    lonely = Hierarchy.from_edges([("a", "b"), ("c", "d")])
    ev = evaluate(lonely, ["b", "b"], {"A": ["d", "b"], "B": ["b", "a"]}, ["SunLim"], undefined="nan")
    made(ev, tmp_path)


# ---- what it embeds


def test_every_instance_is_embedded(mini, page_file):
    data = unpacked(page_file.read_text(encoding="utf-8"))
    labels, kinds = data["labels"], mini.errors()
    assert data["count"] == 200
    for s, system in enumerate(mini.systems):
        (_, batch), *_ = mini.inputs.blocks(system)
        classes = batch.hierarchy.labels
        for side, ptr, nodes in (("true", "truePtr", "true"), ("pred", f"predPtr{s}", f"pred{s}")):
            of = getattr(batch, side)
            for i in range(200):
                embedded = [labels[n] for n in data[nodes][data[ptr][i] : data[ptr][i + 1]]]
                assert embedded == [classes[c] for c in of[i]]
        for column, name in ((1 + 2 * s, f"predKind{s}"), (2 + 2 * s, f"trueKind{s}")):
            assert np.bincount(data[name], minlength=6).tolist() == [row[column] for row in kinds.rows]
        for m, name in enumerate(mini.measures):
            assert data[f"value{s}_{m}"].tolist() == mini.per_instance(system, name).tolist()
        pairs = np.diff(data[f"pairPtr{s}"])
        rows = np.repeat(np.arange(200), pairs)
        costs = np.bincount(rows, data[f"pairCost{s}"], 200)
        assert costs.tolist() == mini.per_instance(system, "GIE").tolist()


def test_pairs_are_those_of_an_explanation(mini, page_file):
    data = unpacked(page_file.read_text(encoding="utf-8"))
    s, labels = mini.systems.index("svm_ovr_freq60"), data["labels"]
    for i in range(0, 200, 7):
        part = mini.explain("svm_ovr_freq60", i, ["GIE"]).parts[0]
        left = data[f"pred{s}"][data[f"predPtr{s}"][i] : data[f"predPtr{s}"][i + 1]]
        right = data["true"][data["truePtr"][i] : data["truePtr"][i + 1]]
        found = []
        for k in range(data[f"pairPtr{s}"][i], data[f"pairPtr{s}"][i + 1]):
            p, t = int(data[f"pairPred{s}"][k]), int(data[f"pairTrue{s}"][k])
            found.append((labels[left[p - 1]] if p else None, labels[right[t - 1]] if t else None))
        both = set(left.tolist()) & set(right.tolist())
        used = {end for pair in found for end in pair}
        assert {labels[n] for n in set(left.tolist()) - both} <= used
        assert sum(data[f"pairCost{s}"][data[f"pairPtr{s}"][i] : data[f"pairPtr{s}"][i + 1]]) == part.error


def embedded_graphs(data: dict, s: int) -> dict[int, tuple[dict, dict]]:
    """By instance: nodes with their marks, links with their sides."""
    names = ["⊤", *data["labels"]]
    found = {}
    for g, i in enumerate(data[f"graphRow{s}"].tolist()):
        at, links = (slice(*data[f"{of}{s}"][g : g + 2].tolist()) for of in ("graphPtr", "linkPtr"))
        nodes = [names[node] for node in data[f"graphNode{s}"][at].tolist()]
        ends = zip(data[f"linkLow{s}"][links].tolist(), data[f"linkHigh{s}"][links].tolist(), strict=True)
        sides = data[f"linkSide{s}"][links].tolist()
        found[i] = (
            dict(zip(nodes, data[f"graphMark{s}"][at].tolist(), strict=True)),
            dict(zip([(nodes[low], nodes[high]) for low, high in ends], sides, strict=True)),
        )
    return found


def check_graphs(ev: Evaluation, data: dict, system: str, rows) -> None:
    """The graphs of a page are those of explanations."""
    found = embedded_graphs(data, ev.systems.index(system))
    for i in rows:
        part = ev.explain(system, i, ["F_LCA"]).parts[0]
        if not part.paths:
            assert i not in found
            continue
        marks, links = found[i]
        text = {TOP: "⊤"}
        bits = ((1, part.predicted), (2, part.true), (4, part.lcas))
        for bit, nodes in bits:
            assert {node for node, mark in marks.items() if mark & bit} == {text.get(node, node) for node in nodes}
        for bit, side in ((1, "predicted"), (2, "true")):
            paths = [[text.get(node, node) for node in path] for of, path in part.paths if of == side]
            wanted = {link for path in paths for link in pairwise(path)}
            assert {link for link, of in links.items() if of & bit} == wanted


def test_lca_graphs_are_those_of_explanations(mini, page_file):
    data = unpacked(page_file.read_text(encoding="utf-8"))
    assert data["graphs"] == "F_LCA"
    check_graphs(mini, data, "svm_ovr_freq60", range(0, 200, 3))
    assert "minimal LCA graphs are drawn for" not in page_file.read_text(encoding="utf-8")  # of all


def test_lca_graphs_with_several_roots_and_empty_sides(tmp_path):
    h = Hierarchy.from_edges([("r", "a"), ("q", "b"), ("b", "c")])
    sides = [["a"], [], ["b"], ["c", "b"]], {"A": [["c"], ["c"], [], ["c", "a"]]}
    ev = evaluate(h, *sides, ["SDL", "F_LCA"])
    data = made(ev, tmp_path)[1]
    assert data["graphRow0"].tolist() == [0, 3]
    assert "⊤" in embedded_graphs(data, 0)[0][0]
    check_graphs(ev, data, "A", range(4))
    for measures in (["F_H"], ["F_LCA(method='extended')"]):
        data = made(evaluate(h, *sides, measures), tmp_path)[1]
        assert data["graphs"] is None
        assert "graphRow0" not in data


def test_lca_graphs_of_the_worst_where_there_are_many(mini, tmp_path, monkeypatch):
    monkeypatch.setattr(lca_graphs, "MOST", 5 * 7)
    text, data = made(mini, tmp_path)
    assert "The minimal LCA graphs are drawn for the 7 worst of each system by F_LCA." in text
    for s, system in enumerate(mini.systems):
        values = mini.per_instance(system, "F_LCA")
        rows = data[f"graphRow{s}"].tolist()
        assert len(rows) == 7 - sum(not mini.explain(system, int(i), ["F_LCA"]).parts[0].paths
                                    for i in np.argsort(values, kind="stable")[:7])  # fmt: skip
        assert values[rows].max() <= np.sort(values)[6]
    monkeypatch.setattr(lca_graphs, "MOST_NODES", 20)
    assert len(made(mini, tmp_path)[1]["graphPtr0"]) < 8


def test_classes_are_embedded_with_all_above_them(mini, page_file):
    data, h = unpacked(page_file.read_text(encoding="utf-8")), mini.inputs.given
    labels = data["labels"]
    for n, label in enumerate(labels):
        parents = [labels[p] for p in data["parents"][data["parentPtr"][n] : data["parentPtr"][n + 1]]]
        assert set(parents) == set(h.parents(label))
    names = mini.inputs.names
    assert all(shown == names.get(label, "") for label, shown in zip(labels, data["names"], strict=True))


def test_branches_are_those_of_the_table(mini, page_file, monkeypatch, tmp_path):
    whole = unpacked(page_file.read_text(encoding="utf-8"))
    monkeypatch.setattr(branch_tree, "MOST", 300)
    _, part = made(mini, tmp_path)
    table = {row[0]: row for row in mini.branches(None, "F_LCA").rows}
    for data in (whole, part):
        for b, node in enumerate(data["branch"]):
            row = table[data["labels"][node]]
            assert data["branchInstances"][b] == row[2]
            for s in range(5):
                found = [data[f"branch{what}{s}"][b] for what in ("Mean", "Share", "Low", "High")]
                assert np.array_equal(found, [row[3 + 2 * s], row[4 + 2 * s], *row[13 + s]], equal_nan=True)
    assert whole["branch"].size > part["branch"].size > 200
    kept = set(part["branch"].tolist())
    for node in kept:  # a tree without holes
        assert set(part["parents"][part["parentPtr"][node] : part["parentPtr"][node + 1]].tolist()) <= kept
    assert f"<li>{part['branch'].size} of {len(table):,} branches" in (tmp_path / "made.html").read_text()


def test_a_large_run_embeds_a_sample_and_says_so(mini, tmp_path, monkeypatch):
    monkeypatch.setattr(page, "MOST", 250)
    text, data = made(mini, tmp_path)
    assert data["count"] == 50
    assert "A sample: 50 of 200 instances, the 5 worst of each system by F_LCA and others at random." in text
    rows = data["rows"].tolist()
    assert rows == sorted(set(rows))
    for s, system in enumerate(mini.systems):
        values = mini.per_instance(system, "F_LCA")
        assert set(np.argsort(values, kind="stable")[:5].tolist()) <= set(rows)
        assert data[f"value{s}_4"].tolist() == values[rows].tolist()
        assert data[f"pairPtr{s}"].size == 51
        costs = np.bincount(np.repeat(np.arange(50), np.diff(data[f"pairPtr{s}"])), data[f"pairCost{s}"], 50)
        assert costs.tolist() == mini.per_instance(system, "GIE")[rows].tolist()


def test_data_that_is_too_large_is_cut_down(mini, tmp_path, monkeypatch):
    full = len(re.search("id='data'>(.*?)<", made(mini, tmp_path)[0])[1])
    monkeypatch.setattr(page, "ROOM", int(0.8 * full))
    text, data = made(mini, tmp_path)
    assert len(re.search("id='data'>(.*?)<", text)[1]) <= 0.8 * full
    assert 10 < data["count"] < 200
    assert f"A sample: {data['count']} of 200 instances" in text


def test_errors_are_the_worst_where_less_is_better(mini):
    sample = instance_list.draw_sample(mini, "GIE", 100)
    for system in mini.systems:
        worst = np.argsort(-mini.per_instance(system, "GIE"), kind="stable")[: sample.worst]
        assert sample.worst
        assert set(worst.tolist()) <= set(sample.rows.tolist())


def test_isolated_classes_of_each_system_are_one_node(tmp_path):
    ev = evaluate(
        H, ["cow", "bird", "odd"], {"A": ["new", "bird", "odd"], "B": ["cow", "other", "new"]}, ["F_H", "GIE"],
        unknown="isolate", names={"cow": "Cow"},
    )  # fmt: skip
    _, data = made(ev, tmp_path)
    assert sorted(label for label in data["labels"] if label in ("new", "odd", "other")) == ["new", "odd", "other"]
    named = [[data["labels"][n] for n in data[f"pred{s}"]] for s in range(2)]
    assert named == [["new", "bird", "odd"], ["cow", "other", "new"]]
    shares = dict(picked(ev.branches(None, "F_H"), "branch", "B share"))
    for b, node in enumerate(data["branch"].tolist()):
        assert data["branchShare1"][b] == pytest.approx(shares[data["labels"][node]])


def test_arrays_of_any_size_and_kind():
    arrays = {"a": narrow(np.array([3, 255])), "b": narrow(np.array([256])), "c": narrow(np.array([], np.int64)),
              "d": narrow(np.array([2**16])), "e": np.array([0.1, math.inf])}  # fmt: skip
    odd = "</script>\u202e"
    found = unpacked(f"id='data'>{pack({'text': odd}, arrays)}</script>")
    assert [found[name].dtype.itemsize for name in "abcde"] == [1, 2, 1, 4, 8]
    assert all(found[name].tolist() == arrays[name].tolist() for name in arrays)
    assert found["text"] == odd


# ---- names that mean something elsewhere


def test_labels_are_text_on_the_page(tmp_path):
    systems = {"<b>": ["cow", SCRIPT], "B</script>": [SCRIPT, "bird"]}
    text, data = made(evaluate(H, [SCRIPT, "cow"], systems, ["F_LCA", "TIE"], names={"cow": "<i>Cow</i>"}), tmp_path)
    assert SCRIPT not in text
    assert "<i>Cow" not in text
    assert "<b></" not in text
    assert text.count("</script>") == 3
    assert SCRIPT in data["labels"]


def test_names_that_mean_something_elsewhere(tmp_path):
    """Mathematics of matplotlib, and characters that XML does not have."""
    h = Hierarchy.from_edges([("a", "b\x07\x1b"), ("a", "\ufffe")])
    ev = evaluate(h, ["b\x07\x1b"], {r"$\frac{$": ["\ufffe"], "a$_$b": ["a"]}, ["F_LCA", "GIE"])
    text, data = made(ev, tmp_path)
    assert "\x07" not in text
    assert r"b\x07\x1b" in data["labels"]
    ET.fromstring(ev.explain("a$_$b", 0).picture().to_svg())
    ev.explain("a$_$b", 0).picture().to_png(tmp_path / "picture.any")
    assert (tmp_path / "picture.any").read_bytes()[:4] == b"\x89PNG"


# ---- titles, dates, floors, history, many systems


def test_a_page_says_its_date_and_the_hierarchy_in_words(mini, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    text, _ = made(mini, tmp_path, title="A <b> title")
    assert "<h1>A &lt;b&gt; title</h1>" in text
    h = mini.inputs.given
    depth = dict.fromkeys(h.roots, 0)
    waiting = list(depth)
    for label in waiting:  # breadth first: the fewest edges to a root
        for child in h.children(label):
            if child not in depth:
                depth[child] = depth[label] + 1
                waiting.append(child)
    words = f"hierarchy of {len(h):,} classes, {max(depth.values()) + 1} levels, one root; made on 1970-01-02 00:00 UTC"
    assert words in text
    assert "Hierarchy(" not in text


def test_two_systems_have_no_matrix_of_correlations(tmp_path):
    some = evaluate(H, ["cow", "bird"], {"a": ["cow", "cow"], "b": ["bird", "bird"]}, ["F_H", "GIE"])
    assert "Kendall" not in made(some, tmp_path)[0]


def test_floors_on_the_page(tmp_path):
    ev = evaluate(H, ["cow", "cow", "bird"], {"a": ["cow", "cow", "cow"], "b": ["bird"] * 3}, ["F_H", "GIE"])
    floors = [ev.floor(name) for name in ev.measures]
    text, _ = made(ev, tmp_path, floors=floors)
    rows = {row[0]: row[1:] for row in rows_of(text, "result", 1)}
    assert rows["best constant (optimistic)"][:2] == [format_number(each.best_constant) for each in floors]
    for system in ev.systems:
        assert rows[f"shuffled {system}"][:2] == [format_number(each.shuffled[system]) for each in floors]
    assert "Not above the best constant answer" in text
    assert "best constant" not in made(ev, tmp_path)[0]


def test_a_history_has_a_line_per_run_and_shows_the_trend(tmp_path, monkeypatch):
    runs = []
    for day, wrong in enumerate((["bird", "bird"], ["cow", "bird"])):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(day * 86400))
        runs.append(evaluate(H, ["cow", "bird"], {"a": wrong}, ["F_H", "GIE"]))
        history.add_to_history(tmp_path / "runs", runs[-1])
    assert len((tmp_path / "runs" / "history.jsonl").read_text().splitlines()) == 2
    found = history.read_history(tmp_path / "runs")
    for run, ev in zip(found, runs, strict=True):
        for name in ev.measures:
            assert run.value("a", name)[0] == ev.mean("a", name)
            assert tuple(run.value("a", name)[1]) == tuple(ev.interval("a", name))
    rows = history.history_table(found, runs[-1]).rows
    assert [row[:2] for row in rows] == [["a", "1970-01-01 00:00"], ["a", "1970-01-02 00:00"]]
    assert rows[0][2] == f"{format_number(runs[0].mean('a', 'F_H'))}{runs[0].interval('a', 'F_H').bracket()}"
    text, _ = made(runs[-1], tmp_path, history=tmp_path / "runs")
    (series,) = json.loads(charts_text(text))["history0"]["series"]
    assert series["y"] == [ev.mean("a", "F_H") for ev in runs]
    assert series["ends"] == [list(ev.interval("a", "F_H")) for ev in runs]


def test_runs_of_other_labels_are_marked_and_not_drawn(tmp_path):
    for true in (["cow", "cow"], ["cow", "bird"]):
        ev = evaluate(H, true, {"a": ["cow", "bird"]}, ["F_H"])
        history.add_to_history(tmp_path, ev)
    table = history.history_table(history.read_history(tmp_path), ev)
    assert [row[2].endswith(" *") for row in table.rows] == [True, False]
    assert table.notes[-1].startswith("*: of other true labels")
    text, _ = made(ev, tmp_path, history=tmp_path)
    assert json.loads(charts_text(text))["history0"]["series"][0]["x"] == [2]


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: "{}\n",
        lambda line: "no JSON\n",
        lambda line: "\n",
        lambda line: line[:-1],
        lambda line: line.replace("[", '["x", '),
        lambda line: line.replace("|hemlp:", "|"),
        lambda line: line.replace('"date"', '"when"'),
    ],
)
def test_a_damaged_line_of_a_history_is_named(tmp_path, damage):
    ev = evaluate(H, ["cow"], {"a": ["cow"]}, ["F_H"])
    for _ in range(2):
        history.add_to_history(tmp_path, ev)
    file = tmp_path / "history.jsonl"
    first, second = file.read_text().splitlines(keepends=True)
    file.write_text(first + damage(second))
    with pytest.raises(FileFormatError, match=r"history\.jsonl, line 2 is not a run that hemlp wrote"):
        history.add_to_history(tmp_path, ev)
    assert file.read_text() == first + damage(second)


def test_title_history_and_floors_from_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"h.txt": "r a\nr b\n", "gold.txt": "a\nb\n", "p.txt": "a\na\n"}.items():
        (tmp_path / name).write_text(text)
    given = ["evaluate", "h.txt", "gold.txt", "p.txt", "-m", "F_H", "--history", "runs"]
    run = CliRunner().invoke(commands, [*given, "--html", "r.html", "--title", "My page", "--floor"])
    assert run.exit_code == 0, run.output
    assert "\nhistory\n" in run.output
    text = (tmp_path / "r.html").read_text()
    assert "<h1>My page</h1>" in text
    assert "best constant (optimistic)" in text
    assert "id='history'" in text
    assert "set html, too" in str(CliRunner().invoke(commands, [*given, "--title", "My page"]).exception)
    (tmp_path / "runs" / "history.jsonl").write_text("{}\n")
    assert "line 1 is not a run" in str(CliRunner().invoke(commands, given).exception)


def test_of_many_systems_the_best_are_looked_at_and_all_are_listed(tmp_path):
    true = ["cow", "bird"] * 12
    systems = {f"s{k:02}": [*true[:k], *["mammal"] * (24 - k)] for k in range(25)}
    text, data = made(evaluate(H, true, systems, ["F_H", "GIE"]), tmp_path)
    assert [row[0] for row in rows_of(text, "result", 1)] == [f"s{k:02}" for k in range(24, -1, -1)]
    assert data["systems"] == [f"s{k:02}" for k in range(5, 25)]
    assert "data-filter='means'" in text
    assert text.count("Of the 20 best of 25 systems by F_H.") == text.count("<section") - 2
    assert len(json.loads(charts_text(text))["interval0"]["rows"]) == 20
