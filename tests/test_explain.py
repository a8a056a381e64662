"""Explanations of single instances, and their drawings."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hemlp import ALL, TOP, Batch, Hierarchy, PairMeasure, ScoredSets, evaluate, examples, measure, priced
from hemlp.analysis.explain.drawing import NODE_STYLES, STYLE, Picture
from hemlp.analysis.explain.explain import explain, shortest_path
from hemlp.analysis.explain.layout import PairCurve, bezier_point
from hemlp.analysis.explain.network import network_picture
from hemlp.analysis.explain.parts import LcaPart, PairingPart, SetPart, UndefinedPart
from hemlp.errors import InvalidOption
from hemlp.problems.pairing.bounds import Bounds
from tests.graphs import labelled

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
NAMES = ["GIE", "MGIA", "F_H", "SDL", "F_De", "F_Tol", "P_LCA", "F_LCA", "TIE", "F"]


def told(h, true, pred, *names):
    return explain(Batch.of(h, [true], [pred]), {name: measure(name) for name in names})


def test_pairs_paths_and_prices():
    (part,) = told(H, ["sheep", "bird"], ["cow"], "GIE").parts
    assert isinstance(part, PairingPart)
    assert {(p.predicted, p.true, p.cost) for p in part.pairs} == {("cow", "sheep", 2), (None, "bird", 5)}
    assert part.pairs[0].path == ("cow", "mammal", "sheep")
    assert part.error == part.values["GIE"] == 7
    assert sum(part.prices["predicted"].values()) + sum(part.prices["true"].values()) == 7


def test_graphs_show_where_greedy_differs():
    example = examples.mesh_mini()
    ev = evaluate(example.hierarchy, example.true, {"knn": example.systems["knn30"]}, ["F_LCA"])
    differing = 0
    for row in range(60):
        (part,) = ev.explain("knn", row).parts
        assert isinstance(part, LcaPart)
        assert part.values["F_LCA"] == pytest.approx(
            2 * len(part.shared) / (len(part.predicted) + len(part.true)), abs=1e-12
        )
        one = ev.inputs.take("knn", [row])
        greedy = measure("F_LCA", method="greedy").score(one)
        exact = measure("F_LCA").score(one)
        same = all(greedy[c][0] == exact[c][0] for c in ("predicted", "true", "common", "lcas"))
        assert (part.greedy is None) == same
        differing += not same
    assert differing > 3


def test_sets_and_what_was_dropped():
    h = Hierarchy.from_edges([("a", "b"), ("b", "c"), ("a", "d")])
    (closures,) = told(h, ["d"], ["c"], "F_H").parts
    assert (closures.predicted, closures.true) == ({"a", "b", "c"}, {"a", "d"})
    (tolerant,) = told(h, ["d"], ["c"], "F_Tol").parts
    assert isinstance(tolerant, SetPart)
    assert (tolerant.predicted, tolerant.true, tolerant.dropped) == ({"a", "b"}, {"a", "d"}, {"c"})


def test_what_cannot_be_explained_says_why():
    (part,) = told(H, ["sheep", "bird"], ["cow"], "TIE").parts
    assert isinstance(part, UndefinedPart)
    assert part.reason.startswith("TIE is undefined, it needs exactly one")
    explanation = told(H, ["sheep", "bird"], ["cow"], "TIE")
    assert "undefined" in str(explanation)
    with pytest.raises(InvalidOption, match="nothing to draw"):
        explanation.picture()


def test_measures_of_one_model_are_explained_once():
    assert [list(part.values) for part in told(H, ["sheep"], ["cow"], *NAMES).parts] == [
        ["GIE"], ["MGIA"], ["F_H", "SDL"], ["F_De"], ["F_Tol"], ["P_LCA", "F_LCA"], ["TIE"], ["F"],
    ]  # fmt: skip


def test_custom_costs_have_no_path():
    flat = PairMeasure("flat", Bounds((1, 1), (1, 1)), cost=lambda p, t: 3.0, default_cost=5)
    (part,) = explain(Batch.of(H, [["sheep"]], [["cow"]]), {"flat": flat}).parts
    assert part.pairs[0].path == ()


@settings(max_examples=60)
@given(labelled(10), st.data())
def test_explanations_of_any_instance(case, data):
    """Text, data and drawings exist for every measure; drawings are well-formed and no two boxes overlap."""
    labels, edges = case
    h = Hierarchy.from_edges(edges, classes=labels)
    sides = [data.draw(st.lists(st.sampled_from(labels), max_size=4, unique=True)) for _ in "tp"]
    explanation = told(h, *sides, *NAMES)
    assert str(explanation)
    json.dumps(explanation.to_dict(), allow_nan=False)
    for k, part in enumerate(explanation.parts):
        if not isinstance(part, UndefinedPart):
            picture = explanation.picture(k)
            ET.fromstring(picture.to_svg())
            assert_tidy(picture)
            assert {box.key for box in picture.boxes.values()} >= {*sides[0], *sides[1]}


@settings(max_examples=60)
@given(labelled(10), st.data())
def test_paths_are_as_long_as_the_distance(case, data):
    labels, edges = case
    lengths = st.sampled_from([0.0, 0.5, 1.0, 2.0])
    weighted = data.draw(st.booleans())
    h = Hierarchy.from_edges([(p, c, data.draw(lengths)) if weighted else (p, c) for p, c in edges], classes=labels)
    u, v = (data.draw(st.sampled_from(labels)) for _ in "uv")
    path = shortest_path(h, u, v)
    if not path:
        assert h.distance(u, v) == float("inf")
        return
    assert (path[0], path[-1]) == (u, v)
    length = {}
    for parent, child, weight in zip(
        h.edges.parents, h.edges.children, [1.0] * 99 if h.edges.weights is None else h.edges.weights, strict=False
    ):
        length[h.labels[parent], h.labels[child]] = weight
    steps = [length.get((a, b), length.get((b, a))) for a, b in pairwise(path)]
    assert sum(steps) == pytest.approx(h.distance(u, v))


def assert_tidy(picture: Picture) -> None:
    width, height = picture.lay_out()
    boxes = list(picture.boxes.values())
    for a, b in combinations(boxes, 2):
        apart = abs(a.x - b.x) >= (a.width + b.width) / 2 or abs(a.y - b.y) >= (a.height + b.height) / 2
        assert apart, (a, b)
    for box in boxes:
        assert box.width / 2 <= box.x <= width - box.width / 2
        assert 0 < box.y < height
    for child, parent, _ in picture.arrows:
        assert picture.boxes[parent].y < picture.boxes[child].y
    for x, y in (point for curve in picture.curves for point in picture.curve_points(curve)):
        assert 0 < x < width
        assert 0 < y < height


@pytest.mark.parametrize("count", [1, 30])
def test_drawings_of_few_and_many_labels_are_tidy(count):
    example = examples.mesh_mini()
    rng = np.random.default_rng(count)
    pool = sorted({label for row in example.true for label in row})
    sides = [rng.choice(pool, count, replace=False).tolist() for _ in "tp"]
    explanation = told(example.hierarchy, *sides, "GIE", "F_H", "F_LCA")
    for k in range(3):
        assert_tidy(explanation.picture(k))


def test_long_names_are_shortened_and_told_in_full():
    picture = Picture("p")
    picture.add("a", "x" * 300, "true")
    text = picture.to_svg()
    assert f"<title>{'x' * 300}</title>" in text
    assert picture.boxes["a"].width < 250


def test_labels_are_text_in_drawings():
    h = Hierarchy.from_edges([("<script>alert(1)</script>", "a&b"), ("<script>alert(1)</script>", '"')])
    text = told(h, ["a&b"], ['"'], "F_LCA").picture().to_svg()
    assert "<script>" not in text
    ET.fromstring(text)


def test_graphs_show_roles_of_lcas_and_what_is_left_out():
    picture = told(H, ["cow"], ["mammal"], "F_LCA").picture()
    shown = {box.text: [each.role for each in box.outlines()] for box in picture.boxes.values()}
    assert shown == {"mammal": ["lca", "predicted"], "cow": ["true"]}
    assert picture.describe() == "true class: cow; chosen lowest common ancestor: mammal; predicted class: mammal"
    root = ET.fromstring(picture.to_svg())
    assert [group.get("class") for group in root.findall("{*}g")] == [
        "true",
        "lca",
        "predicted",
        "true",
        "predicted",
        "lca",
    ]
    picture = told(H, ["cow", "animal"], ["cow"], "F_LCA").picture()
    assert {box.text for box in picture.boxes.values()} == {"cow", "animal (left out)"}


def test_labels_that_are_numbers_and_long_paths_stay_in_their_columns():
    h = Hierarchy.from_edges([(k, k + 1) for k in range(60)])
    explanation = told(h, [60, 59], [1], "GIE", "TIE", "F_LCA", "F_H")
    assert max(map(len, str(explanation).splitlines())) <= 100
    assert "\npredicted  1\ntrue       59, 60\n" in str(explanation)
    assert "\npredicted  1\ntrue       60 → 59 → 58 → " in str(explanation)
    named = explain(
        Batch.of(h, [[60]], [[1]]), {"GIE": measure("GIE", default_cost=90)}, names={1: "x" * 40, 60: "y" * 40}
    )
    lines = str(named).splitlines()
    assert max(map(len, lines)) <= 100
    assert sum(line.startswith("    ") for line in lines) > 3  # the path, where nothing is left beside two long names
    assert "\nTIE\nTIE is undefined, it needs exactly one true" in str(explanation)


def test_lists_are_folded_between_labels():
    names = ["Infant, Newborn", *(f"a long name {k}" for k in range(12))]
    h = Hierarchy.from_edges([("root", name) for name in names])
    for side in names, names[1:]:
        said = str(explain(Batch.of(h, [names[1:]], [side]), {"F_H": measure("F_H")}))
        lines = [line for line in said.splitlines() if "a long name" in line]
        assert len(lines) > 3
        assert not any(line.endswith(("a", "long", "name")) for line in lines)
    assert "a long name 0;" in str(explain(Batch.of(h, [names], [[]]), {"F_H": measure("F_H")}))


def test_a_viewer_without_css_variables_has_every_colour():
    """It skips what it cannot read: each such declaration follows another one, or is of a text, which has a colour."""
    for selector, declarations in re.findall(r"([^{}]+)\{([^{}]*)\}", STYLE):
        kept = {each.partition(":")[0] for each in declarations.split(";") if "var(" not in each}
        skipped = {each.partition(":")[0] for each in declarations.split(";") if "var(" in each}
        assert skipped <= kept or (skipped == {"fill"} and selector.startswith("svg.hemlp text.")), selector


def test_roles_differ_in_shape_not_only_in_colour():
    """In the drawing itself: the outline, whether it is rounded, and how its line is drawn."""
    picture = Picture("roles")
    for name in NODE_STYLES:
        picture.add(name, "x", name)
    root = ET.fromstring(picture.to_svg())
    style = root.find("{*}style").text
    drawn = {}
    for group in root.findall("{*}g")[: len(NODE_STYLES)]:
        box = group.find("{*}rect")
        outline = "polygon" if box is None else "round" if box.get("rx") else "square"
        line = re.search(rf"g\.{group.get('class')} \.box{{(.*?)}}", style).group(1)
        width, dashes = (re.search(rf"{key}:([^;]*)", line) for key in ("stroke-width", "stroke-dasharray"))
        drawn[group.get("class")] = outline, width.group(1), dashes and dashes.group(1)
    assert drawn.keys() == NODE_STYLES.keys()
    for apart in (
        ("true", "predicted", "both", "default", "dropped"),
        ("shared", "true_side", "predicted_side", "lca"),
    ):
        assert len({drawn[name] for name in apart}) == len(apart)


def test_png(tmp_path):
    explanation = told(H, ["sheep", "bird"], ["cow", "sheep"], "GIE", "F_LCA")
    for k in (0, 1):
        explanation.picture(k).to_png(tmp_path / f"{k}.png")
        assert (tmp_path / f"{k}.png").read_bytes()[:4] == b"\x89PNG"


def test_the_flow_network_is_the_figure_of_the_paper():
    picture = network_picture(measure("GIE").model(H, ["sheep", "bird"], ["cow"]), {"cow": "Cow <1>"})
    names = [box.text for box in picture.boxes]
    assert names == ["source", "sink", "DP", "DT", "Cow <1>", "bird", "sheep"]
    words = {(names[arc.tail], names[arc.head]): (arc.words, arc.flow) for arc in picture.arcs}
    assert words == {
        ("source", "Cow <1>"): ("[1; 1], φ = 1", 1), ("source", "DP"): ("[0; 2], φ = 1", 1),
        ("Cow <1>", "bird"): ("[0; 1] 3", 0), ("Cow <1>", "sheep"): ("[0; 1] 2, φ = 1", 1),
        ("Cow <1>", "DT"): ("[0; 1] 5", 0), ("DP", "bird"): ("[0; 1] 5, φ = 1", 1), ("DP", "sheep"): ("[0; 1] 5", 0),
        ("bird", "sink"): ("[1; 1], φ = 1", 1), ("sheep", "sink"): ("[1; 1], φ = 1", 1), ("DT", "sink"): ("[0; 1]", 0),
        ("sink", "source"): ("[0; 3], φ = 2", 2),
    }  # fmt: skip
    x = [box.x for box in picture.boxes]
    assert x[0] < x[2] == x[4] < x[3] == x[5] == x[6] < x[1]
    svg = picture.to_svg()
    root = ET.fromstring(svg)
    assert len(root.findall(".//{*}path[@marker-end]")) == 11
    assert "Cow &lt;1&gt;" in svg
    assert "M = 1" in svg
    assert "N = 2" in svg
    assert "[lower; upper] cost, φ = flow; DP, DT: the default classes</text>" in svg
    for name in ("F_H", "BMA"):
        with pytest.raises(InvalidOption, match=f"{name} has no flow network; measures of one pairing have one"):
            network_picture(measure(name).model(H, ["sheep"], ["cow"]))


@pytest.mark.parametrize("size", [1, 5, 12])
def test_a_large_network_can_be_read(size):
    """Only arcs with flow have labels where there are many, and the arc back passes below the default classes."""
    h = Hierarchy.from_edges([(0, k) for k in range(1, 2 * size + 1)])
    picture = network_picture(measure("GIE").model(h, range(1, size + 1), range(size + 1, 2 * size + 1)))
    svg, flow = picture.to_svg(), sum(bool(arc.flow) for arc in picture.arcs)
    many = len(picture.arcs) > 40
    assert svg.count('class="cost"') == (flow if many else len(picture.arcs))
    assert ("arcs without flow have no label" in svg) == many
    (back,) = (path for arc, path in zip(picture.arcs, picture._paths(), strict=True) if (arc.tail, arc.head) == (1, 0))
    for box in picture.boxes[2:4]:
        beside = [bezier_point(back, k / 200) for k in range(201)]
        assert min(y for x, y in beside if abs(x - box.x) < box.width) > box.y + box.height / 2


def test_rules_are_arcs_of_the_network():
    bounds = Bounds(priced((1, 1), below=2, above=1), priced((1, ALL), each=(0, 1)), total=(0, 2))
    model = PairMeasure("ruled", bounds, default_cost=5).model(H, ["sheep", "bird"], ["cow", "mammal"])
    picture = network_picture(model)
    assert len(picture.boxes) == 4 + 4 + 2  # the true classes have nodes of their own
    assert len(picture.arcs) == model.arcs.cost.size
    assert sum(arc.words.startswith("[0; 1] 2") and arc.head == 0 for arc in picture.arcs) == 2  # what is missing
    ends = [(arc.tail, arc.head, arc.words) for arc in picture.arcs]
    assert (1, 0, "[0; 2], φ = 2") in ends  # the number of pairs
    impossible = PairMeasure("none", Bounds((2, 2), (2, 2), total=(0, 1))).model(H, ["sheep"], ["cow"])
    assert "no pairing keeps all bounds" in network_picture(impossible).to_svg()
    assert network_picture(measure("MGIA(pairing='nearest')").model(H, ["sheep", "bird"], ["cow"])).to_svg()
    many = Hierarchy.from_edges([(0, k) for k in range(1, 61)])
    with pytest.raises(InvalidOption, match="too many to draw"):
        network_picture(measure("GIE").model(many, range(1, 31), range(31, 61)))


def test_top_is_drawn_where_nothing_else_is_common():
    h = Hierarchy.from_edges([("a", "b"), ("c", "d")])
    explanation = told(h, ["b"], ["d"], "F_LCA")
    assert explanation.parts[0].lcas == {TOP}
    assert "⊤" in explanation.picture().to_svg()


def test_what_is_left_out_is_told():
    explanation = told(H, ["sheep"], ["sheep", "mammal"], "F_LCA")
    assert explanation.parts[0].left_out == {"mammal"}
    assert "left out, because a descendant is on the same side: mammal" in str(explanation)
    assert "one side is empty" in str(told(H, [], ["sheep"], "F_LCA"))


@pytest.mark.parametrize("row", ["x", "0", 0.0, 1.5, None, True, np.bool_(False), [0], "a\x1b[31m", np.array([0, 1])])
def test_a_row_is_a_number(row):
    ev = evaluate(H, ["cow", "bird"], {"A": ["cow", "cow"]}, ["F_H"])
    with pytest.raises(InvalidOption, match="is not the number of an instance: they are numbered from 0 to 1"):
        ev.explain("A", row)
    named = evaluate(H, {"x": ["cow"]}, {"A": {"x": ["cow"]}}, ["F_H"])
    with pytest.raises(InvalidOption, match="'x' is not the number of an instance: .*; 'x' is an id: say id='x'"):
        named.explain("A", "x")
    for same in (np.int64(1), np.uint8(1), -1, np.int8(-1)):
        assert ev.explain("A", same).title == "A, instance 2"
        assert type(ev.explain("A", same).row) is int
    for beyond in (2, -3, 10**30, np.int64(2)):
        with pytest.raises(InvalidOption, match=f"no instance {beyond}"):
            ev.explain("A", beyond)
    with pytest.raises(InvalidOption, match="no part"):
        ev.explain("A", 0).picture(1)
    with pytest.raises(InvalidOption, match="no part 'x'"):
        ev.explain("A", 0).picture("x")
    assert list(ev.explain("A", 0, "F_H").parts[0].values) == ["F_H"]


def test_rows_are_checked(tmp_path):
    ev = evaluate(H, ["cow"], {"A": ["cow"]}, ["F_H"])
    assert ev.explain("A", 0).title == "A, instance 1"
    with pytest.raises(InvalidOption, match="no instance 7"):
        ev.explain("A", 7)
    with pytest.raises(InvalidOption, match="no system 'B'"):
        ev.explain("B", 0)
    with pytest.raises(InvalidOption, match="no measure 'F'"):
        ev.explain("A", 0, ["F"])


def test_what_is_too_much_to_show_says_so():
    """A class with 3,000 parents: its closure is told in full as data, shortened in words, and not drawn."""
    h = Hierarchy.from_edges([*((f"p{k:04}", "gate") for k in range(3000)), ("gate", "a"), ("gate", "b")])
    explanation = told(h, ["a"], ["b"], "F_H", "F_LCA")
    assert "p0001" in str(explanation)
    assert "and 2,801 more" in " ".join(str(explanation).split())
    assert len(explanation.to_dict()["parts"][0]["true"]) == 3002
    with pytest.raises(InvalidOption, match="3,003 classes are too many to draw"):
        explanation.picture(0)
    assert len(explanation.picture(1).boxes) == 3


def test_measures_of_the_greatest_scores_show_these_alone():
    s = ScoredSets.of([{"bird": 0.9, "cow": 0.8, "sheep": 0.7}])
    names = ["F_H", "GIE@1", "F_H@1", "P_H@1", "F_H@2"]
    ev = evaluate(H, [["sheep"]], {"A": s.at(0.75)}, names)
    explanation = ev.explain("A", 0)
    assert list(explanation.sections()[0][1][0].rows) == [
        ["predicted", "bird, cow"], ["predicted @1", "bird"], ["predicted @2", "bird, cow"], ["true", "sheep"]
    ]  # fmt: skip
    plain = explanation.to_dict()
    assert (plain["predicted"], plain["greatest"]) == (["bird", "cow"], {"1": ["bird"], "2": ["bird", "cow"]})
    assert [{*part.values} for part in explanation.parts] == [{"F_H"}, {"GIE@1"}, {"F_H@1", "P_H@1"}, {"F_H@2"}]
    roles = [{key: box.role for key, box in explanation.picture(k).boxes.items()} for k in range(4)]
    assert [of.get("cow") for of in roles] == ["predicted", None, None, "predicted"]
    assert all(of["bird"] == "predicted" for of in roles)
    alone = ev.explain("A", 0, ["F_H@1"])
    assert alone.sides == ({"bird"}, {"sheep"})
    assert "cow" not in str(alone)
    assert "cow" not in json.dumps(alone.to_dict())
    assert "greatest" not in ev.explain("A", 0, ["F_H"]).to_dict()


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 7).flatmap(lambda n: st.sets(st.sampled_from(list(combinations(range(n), 2))), min_size=1)))
def test_no_box_hides_an_arrow(edges):
    picture = Picture("0>1,3 1>2 2>3: a title that is longer than the boxes")
    for c in sorted({c for edge in edges for c in edge}):
        picture.add(c, str(c), "other")
    picture.arrows += [(child, parent, "plain") for parent, child in sorted(edges)]
    width, _ = picture.lay_out()
    assert width >= 8 * len(picture.title)
    for parent, child in edges:
        points = picture.arrow_points(child, parent)
        for k in range(0, len(points) - 3, 3):
            for t in np.linspace(0, 1, 9):
                weights = np.array([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3])
                x, y = weights @ np.array(points[k : k + 4])
                for box in picture.boxes.values():
                    if box.key not in (child, parent):
                        assert abs(x - box.x) > box.width / 2 or abs(y - box.y) > box.height / 2


def test_many_pairs_without_paths_stand_side_by_side():
    h = Hierarchy.from_edges([("root", name) for name in "abcdefgh"])
    picture = explain(Batch.of(h, [["e", "f", "g"]], [["a", "b", "c", "d", "g"]]), {"BMA": measure("BMA")}).picture()
    picture.lay_out()
    height = {key: box.y for key, box in picture.boxes.items()}
    assert height["a"] == height["d"] < height["e"] == height["f"]
    assert not any(box.covers(x, y) for x, y, _ in picture.place_labels() for box in picture.boxes.values())


def test_arrows_of_separate_parts_do_not_cross():
    """Two trees whose labels alternate stand side by side, and the cost of a hit is never cut off."""
    edges = [(f"root {k}", f"{leaf} of {k}") for leaf in "abcd" for k in (0, 1)]
    h = Hierarchy.from_edges(edges)
    leaves = [child for _, child in edges]
    picture = told(h, leaves, leaves[:4], "F_H").picture()
    picture.lay_out()
    places = {key: box.x for key, box in picture.boxes.items()}
    assert max(places[c] for c in leaves if c.endswith("0")) < min(places[c] for c in leaves if c.endswith("1"))
    long = "a class whose name is much longer than its box"
    picture = told(Hierarchy.from_edges([("root", long)]), [long], [long], "GIE").picture()
    assert picture.boxes[long].text.endswith("…: 0")


def test_curves_pass_beside_boxes():
    """The box between two paired ones hides no part of their curve."""
    picture = Picture("p")
    for name in ("top", "middle", "low"):
        picture.add(name, name, "other")
    picture.arrows += [("middle", "top", "plain"), ("low", "middle", "plain")]
    curve = PairCurve("top", "low", "2")
    picture.curves.append(curve)
    picture.lay_out()
    points = [bezier_point(picture.curve_points(curve), k / 50) for k in range(51)]
    assert not any(picture.boxes["middle"].covers(x, y) for x, y in points)


def test_dropped_labels_are_counted():
    h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    ev = evaluate(h, [["sheep"], ["cow"]], {"x": [["shep"], ["cow"]]}, ["F_H"], unknown="drop", undefined="nan")
    assert "1 predicted label dropped: not in the hierarchy" in str(ev.explain("x", 0))
    assert "dropped" not in str(ev.explain("x", 1))


def test_the_legend_calls_descendants_descendants():
    h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
    ev = evaluate(h, [["mammal"]], {"A": [["sheep"]]}, ["F_De", "F_H"])
    for name, shown, hidden in (("F_De", "descendant of true", "ancestor"), ("F_H", "ancestor on both", "descendant")):
        drawn = ev.explain("A", 0, [name]).picture(0).to_svg()
        assert shown in drawn
        assert hidden not in drawn
