"""`hemlp play`: what the page is told, and who is answered."""

from __future__ import annotations

import http.client
import json
import re
import threading
from dataclasses import replace

import pytest
from click.testing import CliRunner

from hemlp import Batch, Hierarchy, examples, measure
from hemlp.cli.main import commands
from hemlp.errors import HemlpError, InvalidOption
from hemlp.measures.catalogue import NAMED
from hemlp.measures.information import information_accretion, information_content
from hemlp.play.board import MAX_CLASSES, Board, describe_measure, read_measure
from hemlp.play.server import MAX_BODY, OwnData, PlayServer, counterexamples, paper_cases

GIE = {"text": "GIE"}
CASES = {case["name"]: case for case in paper_cases()}
LENIENT = {"name": "lenient", "predicted": [1, 1], "true": [0, "ALL"], "default_cost": 5, "cost": "shortest_path"}


@pytest.mark.parametrize("case", examples.cases(), ids=lambda case: case.name)
def test_values_are_those_of_the_library(case):
    answer = Board.read({**CASES[f"case {case.name}"], "measure": GIE}).answer()
    rows = {row["name"]: row for row in answer["values"]}
    values = {name: row["value"] for name, row in rows.items()}
    assert len(answer["values"]) == len(NAMED)  # the measure that is played with stands first, and once
    assert values.keys() == NAMED.keys()
    for name in NAMED.keys() - {"ICM", "simGIC"}:
        try:
            expected = float(measure(name).score(case.hierarchy, case.true, case.pred))
        except HemlpError:
            expected = None
        assert values[name] == expected
        assert (rows[name]["why"] == "") == (expected is not None)
    for name, weights in (("ICM", information_accretion), ("simGIC", information_content)):
        made = weights(case.hierarchy, [[label] for label in case.hierarchy.labels])
        assert values[name] == float(measure(name, weights=made).score(case.hierarchy, case.true, case.pred))
        assert "each class once" in rows[name]["note"]
    assert answer["score"] == values["GIE"] == sum(cost for _, _, cost in answer["pairs"])
    assert answer["lca"][0]["F"] == values["F_LCA"]


def test_sliders_define_a_measure():
    own = read_measure(LENIENT)
    assert str(own) == "PairMeasure('lenient', bounds=Bounds(predicted=(1, 1), true=(0, ALL)), default_cost=5)"
    shown = describe_measure(own)
    assert {key: shown[key] for key in LENIENT} == LENIENT
    answer = Board.read({**CASES["case 2b"], "measure": LENIENT}).answer()
    first = answer["values"][0]
    assert (first["name"], first["value"], first["better"], first["why"]) == ("lenient", 3.0, False, "")
    assert len(answer["values"]) == 1 + len(NAMED)
    assert [0.0, 0.0] in answer["sensitivity"]
    assert [3.0, 3.0] in answer["sensitivity"]
    assert f"hemlp.measure({str(own)!r})" == answer["copy"]["Python"]
    alone = {key: value for key, value in LENIENT.items() if key != "default_cost"} | {"true": [3, "ALL"]}
    why = Board.read({**CASES["case 2b"], "measure": alone}).answer()["values"][0]["why"]
    assert why.startswith("the true class 'TP' needs at least 3 pairs")
    assert str(own) in answer["copy"]["Command line"]


def test_each_side_has_its_default_cost():
    apart = {**LENIENT, "predicted": [1, 1], "true": [1, 1], "default_cost": [2, 7.5]}
    own = read_measure(apart)
    assert own.default_cost == (2, 7.5)
    shown = describe_measure(own)
    assert tuple(shown["default_cost"]) == (2, 7.5)
    assert read_measure({**shown, **apart}).fields == own.fields
    state = {"edges": [["a", "b"], ["a", "c"]], "true": ["b", "a"], "pred": ["c"], "measure": apart}
    answer = Board.read(state).answer()
    assert answer["score"] == 1 + 7.5  # c with a; b is left
    assert answer["sensitivity"] == []


@pytest.mark.parametrize("name", ["GIE", "TIE", "simGIC", "ICM", "F_LCA", "BMA", "transport", LENIENT])
@pytest.mark.parametrize("pred", [["sheep"], ["owl", "cow"], []])
def test_the_copied_test_passes(name, pred):
    edges = [["animal", "mammal"], ["animal", "bird"], ["mammal", "sheep"], ["mammal", "cow"], ["bird", "owl"]]
    own = name if isinstance(name, dict) else {"text": name}
    answer = Board.read({"edges": edges, "true": ["sheep"], "pred": pred, "measure": own}).answer()
    scope: dict = {}
    exec(answer["copy"]["Test case"], scope)
    scope["test_instance"]()
    assert answer["copy"]["Command line"].count('"') == 2


@pytest.mark.parametrize("name", NAMED)
def test_sliders_are_for_measures_that_they_say_all_of(name):
    shown = describe_measure(measure(name))
    assert shown["named"]
    if "predicted" not in shown:
        return
    same = read_measure({**{key: value for key, value in shown.items() if key != "text"}, "name": "mine"})
    for case in examples.cases():
        try:
            expected = float(measure(name).score(case.hierarchy, case.true, case.pred))
        except HemlpError:  # undefined by a rule of its own, or infeasible
            continue
        assert float(same.score(case.hierarchy, case.true, case.pred)) == expected


def test_edges_keep_their_lengths():
    h = Hierarchy.from_edges([("a", "b", 2.5), ("a", "c", 1), ("c", "d", 4)])
    own = OwnData(Batch.of(h, [["b"]], [["d"]]))
    state = own.state(None)
    answer = Board.read({**state, "measure": GIE}).answer()
    assert answer["score"] == float(measure("GIE").score(h, ["b"], ["d"])) == 7.5
    assert {"2.5", "1", "4"} <= {text for _, _, text in answer["taxonomy"]["costs"]}
    assert [each["F"] for each in answer["lca"]] == [None, None]  # they need unit lengths, and say so
    assert all(each["why"] for each in answer["lca"])
    longer = Board.read({**state, "edges": [*state["edges"], ["d", "e"]], "measure": GIE})  # drawn without a length: 1
    assert longer.hierarchy.distance("d", "e") == 1
    with pytest.raises(HemlpError, match="length"):
        Board.read({"edges": [["a", "b", 1, 2]], "measure": GIE})
    with pytest.raises(HemlpError):
        Board.read({"edges": [["a", "b", "x"]], "measure": GIE})


def test_infinite_values_are_json():
    state = {"classes": ["a", "b"], "true": ["a"], "pred": ["b"], "measure": {"text": "distance"}}
    answer = Board.read(state).answer()
    json.dumps(answer, allow_nan=False)  # a browser reads no Infinity
    assert answer["score"] == answer["values"][0]["value"] == "Infinity"
    scope: dict = {}
    exec(answer["copy"]["Test case"], scope)
    scope["test_instance"]()


def test_names_are_shown():
    state = {"edges": [["C1", "C2"]], "true": ["C2"], "pred": ["C1"], "names": {"C2": "sheep"}, "measure": GIE}
    answer = Board.read(state).answer()
    assert {box["label"]: box["text"] for box in answer["taxonomy"]["boxes"]} == {"C1": "C1", "C2": "sheep"}
    assert ">sheep<" in answer["network"]
    assert ">sheep<" in answer["lca"][0]["svg"]
    for names in (["x"], {"C2": 5}):
        with pytest.raises(InvalidOption, match="names"):
            Board.read({**state, "names": names})


def test_exact_and_greedy_graphs_have_one_layout():
    found = 0
    for case in CASES.values():
        answer = Board.read({**case, "measure": GIE}).answer()
        exact, greedy = (each["svg"] for each in answer["lca"])
        places = [re.findall(r'<text x="([\d.]+)" y="([\d.]+)">(.*)</text>', svg) for svg in (exact, greedy)]
        assert places[0] == places[1] != []
        found += exact.replace("exact:", "greedy:") != greedy
    assert found  # some differ all the same


@pytest.mark.parametrize("case", CASES)
def test_the_frame_holds_every_edge(case):
    taxonomy = Board.read({**CASES[case], "measure": {"text": "F_LCA"}}).answer()["taxonomy"]
    left, top, width, height = taxonomy["frame"]
    for *_, curve in taxonomy["edges"]:
        points = [*map(float, re.findall(r"-?[\d.]+", curve))]
        assert left < min(points[::2]) <= max(points[::2]) < left + width
        assert top <= min(points[1::2]) <= max(points[1::2]) <= top + height


def test_taxonomy_has_every_class_edge_and_pair():
    answer = Board.read({**CASES["case 2b"], "measure": GIE}).answer()
    drawn = {box["label"]: box["role"] for box in answer["taxonomy"]["boxes"]}
    assert drawn == dict.fromkeys("ABCDE", "other") | {"TP": "both", "P1": "predicted", None: "default"}
    assert len(answer["taxonomy"]["edges"]) == 6
    assert [text for _, _, text in answer["taxonomy"]["costs"]] == ["5"]  # P1 and its default class


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ([], "the state is an object"),
        ({"edges": [["a"]]}, "pairs of a parent and a child"),
        ({"classes": "ab"}, "classes holds labels"),
        ({"classes": [1]}, "classes holds labels"),
        ({"edges": [["a", "b"], ["b", "a"]]}, "cycle"),
        ({"edges": []}, "no class"),
        ({"classes": ["a"], "true": ["b"]}, "'b' is not in the hierarchy"),
        ({"classes": [str(k) for k in range(MAX_CLASSES + 1)]}, "more than 200 classes"),
        ({"classes": ["a"], "measure": 5}, "measure is an object"),
        ({"classes": ["a"], "measure": {"text": "nonsense"}}, "nonsense"),
        ({"classes": ["a"], "measure": {"predicted": [1], "true": [1, 1]}}, "predicted is a pair of bounds"),
        ({"classes": ["a"], "measure": {"predicted": [2, 1], "true": [1, 1]}}, "bound"),
    ],
)
def test_what_is_wrong_is_said(state, words):
    with pytest.raises(HemlpError, match=words):
        Board.read(state)


def test_counterexamples_to_start_from():
    found = {each["name"]: each for each in counterexamples(GIE, classes=3)}
    assert found["a hit never hurts"]["note"].startswith("A correct class can make GIE worse: on the hierarchy 0>1")
    answer = Board.read({**found["a hit never hurts"], "measure": GIE}).answer()
    assert answer["score"] == 1


def test_instances_of_own_files():
    mesh = examples.mesh_mini()
    own = OwnData(Batch.of(mesh.hierarchy, mesh.true, next(iter(mesh.systems.values()))))
    state = own.state("1")
    assert own.state(None) == state
    h = mesh.hierarchy
    assert set(state["true"]) == {h.labels[c] for c in own.batch.true[0]}
    assert state["note"].startswith("Row 1 of 200. ")
    assert f"of {len(h):,} classes are shown" in state["note"]
    assert (state["next"], own.state("200")["next"]) == ("2", "")
    answer = Board.read({**state, "measure": {"text": "F_LCA"}}).answer()
    whole = measure("F_LCA").score(own.batch[0])
    assert answer["score"] == whole.values[0]  # what is left out of the taxonomy changes nothing
    for name in ("0", "x", "99999"):
        with pytest.raises(InvalidOption, match="no instance"):
            own.state(name)


def test_instances_by_id():
    h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    own = OwnData(Batch.of(h, {"PMID:1": ["b"], "PMID:2": ["c"]}, {"PMID:2": ["b"], "PMID:1": ["a"]}))
    assert (own.names(), own.kind) == (["PMID:1", "PMID:2"], "Instance")
    state = own.state("PMID:2")
    assert (state["true"], state["pred"], state["note"]) == (["c"], ["b"], "Row 2 of 2.")
    assert (own.state("PMID:1")["next"], state["next"]) == ("PMID:2", "")
    with pytest.raises(InvalidOption, match="no instance 'PMID:3'"):
        own.state("PMID:3")


def test_a_hierarchy_alone():
    small = OwnData(None, Hierarchy.from_edges([("a", "b"), ("a", "c")]))
    assert small.names() == []
    state = small.state(None)
    assert (state["classes"], state["true"], state["pred"], state["note"]) == (["a", "b", "c"], [], [], "")
    chain = [(k, k + 1) for k in range(50)]
    wide = Hierarchy.from_edges([*chain, *((50, 100 + k) for k in range(300)), (400, 100)])
    large = OwnData(None, wide)
    assert large.kind == "Around class"
    assert len(large.state(None)["classes"]) == 2  # the first root, and its child
    for name in ("100", 100):
        state = large.state(name)
        assert set(state["classes"]) == {*map(str, range(51)), "100", "400"}
        assert state["note"] == f"53 of {len(wide)} classes are shown, and measures count only these."
    state = large.state("50")
    assert len(state["classes"]) == MAX_CLASSES
    assert "148 of 300 children are shown" in state["note"]
    assert Board.read({**state, "measure": GIE}).hierarchy.children("50") == {str(100 + k) for k in range(148)}
    with pytest.raises(HemlpError, match="nothing"):
        large.state("nothing")
    named = replace(wide, names={50: "owls", 0: "animals"})
    assert OwnData(None, named).state("owls")["names"] == {"50": "owls", "0": "animals"}
    with pytest.raises(InvalidOption, match="no files were given"):
        OwnData(None).state("1")


@pytest.fixture
def server():
    made = PlayServer(OwnData(None), idle=600)
    thread = threading.Thread(target=made.serve, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    thread.join(60)
    assert not thread.is_alive()


def request(server, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    try:
        connection.putrequest(method, path, skip_host="Host" in headers)
        data = None if body is None else body.encode()
        if data is not None and "Content-Length" not in headers:
            headers["Content-Length"] = str(len(data))
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        if data is not None:
            connection.send(data)
        reply = connection.getresponse()
        return reply.status, reply.read().decode(), reply.headers
    finally:
        connection.close()


def test_the_page_and_its_answers(server):
    status, text, headers = request(server, "GET", f"/{server.token}/")
    assert status == 200
    assert "<title>hemlp play" in text
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    for name in ("play.js", "play.css"):
        assert request(server, "GET", f"/{server.token}/{name}")[0] == 200
    status, text, _ = request(
        server, "POST", f"/{server.token}/board", json.dumps({**CASES["case 2b"], "measure": GIE})
    )
    assert status == 200
    assert json.loads(text)["answer"]["score"] == 5
    status, text, _ = request(server, "POST", f"/{server.token}/board", json.dumps({"edges": [["a", "b"], ["b", "a"]]}))
    assert status == 200
    assert "cycle" in json.loads(text)["error"]


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status", "words"),
    [
        ("GET", "/", None, {}, 403, "token"),
        ("GET", "/wrong/", None, {}, 403, "token"),
        ("POST", "/wrong/board", "{}", {}, 403, "token"),
        ("GET", "/TOKEN/", None, {"Host": "evil.example"}, 403, "Host"),
        ("POST", "/TOKEN/board", "{}", {"Origin": "http://evil.example"}, 403, "another page"),
        ("POST", "/TOKEN/board", "{", {}, 400, "not JSON"),
        ("POST", "/TOKEN/board", "[" * 100_000, {}, 400, "not JSON"),
        ("POST", "/TOKEN/board", "{}", {"Content-Length": str(MAX_BODY + 1)}, 413, "at most"),
        ("POST", "/TOKEN/board", "{}", {"Content-Length": "9" * 5000}, 413, "at most"),
        ("POST", "/TOKEN/board", "{}", {"Content-Length": "-1"}, 411, "no Content-Length"),
        ("POST", "/TOKEN/board", None, {}, 411, "no Content-Length"),
        ("POST", "/TOKEN/nothing", "{}", {}, 404, "no such question"),
        ("GET", "/TOKEN/../server.py", None, {}, 404, "no such page"),
        ("GET", "/TOKEN/server.py", None, {}, 404, "no such page"),
    ],
)
def test_others_are_refused(server, method, path, body, headers, status, words):
    got, text, _ = request(server, method, path.replace("TOKEN", server.token), body, **headers)
    assert (got, words in text) == (status, True)
    assert server.token not in text


def test_it_ends_when_it_is_left_idle():
    server = PlayServer(OwnData(None), idle=0)
    server.serve()  # returns
    assert server.socket.fileno() == -1


def test_the_command_prints_its_address(tmp_path):
    outcome = CliRunner().invoke(commands, ["play", "--no-browser", "--idle", "0"])
    assert outcome.exit_code == 0
    assert outcome.output.startswith("http://127.0.0.1:")
    (tmp_path / "h.txt").write_text("a b\n")
    alone = ["play", str(tmp_path / "h.txt"), "--no-browser", "--idle", "0"]
    assert CliRunner().invoke(commands, alone).output.startswith("http://127.0.0.1:")
    outcome = CliRunner().invoke(commands, [*alone[:2], str(tmp_path / "h.txt"), *alone[2:]])
    assert "give HIERARCHY TRUE PRED" in str(outcome.exception or outcome.output)


def test_names_of_classes_from_a_file(tmp_path, monkeypatch):
    shown = []

    def ask(server):
        shown.append(server.questions["instance"]({}))
        server.server_close()

    monkeypatch.setattr(PlayServer, "serve", ask)
    for name, text in {"h.txt": "a b\n", "gold.txt": "b\n", "pred.txt": "a\n", "names.tsv": "b\tButter\n"}.items():
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("h.txt", "gold.txt", "pred.txt")]
    for given in (files, files[:1]):
        options = ["--no-browser", "--names", str(tmp_path / "names.tsv")]
        assert CliRunner().invoke(commands, ["play", *given, *options]).exit_code == 0
    assert [state["names"] for state in shown] == [{"b": "Butter"}] * 2


def test_a_used_port_is_named(server):
    with pytest.raises(InvalidOption, match=f"port {server.server_port}: .*: choose another one"):
        PlayServer(OwnData(None), idle=600, port=server.server_port)
