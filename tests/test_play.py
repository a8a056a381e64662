"""`hemlp play`: what the page is told, and who is answered."""

from __future__ import annotations

import http.client
import json
import threading

import pytest
from click.testing import CliRunner

from hemlp import Batch, Hierarchy, examples, measure
from hemlp.cli.main import commands
from hemlp.errors import HemlpError, InvalidOption
from hemlp.measures.catalogue import NAMED
from hemlp.play.board import MAX_CLASSES, Board, describe_measure, read_measure
from hemlp.play.server import MAX_BODY, PlayServer
from hemlp.play.starts import OwnData, counterexamples, paper_cases

GIE = {"text": "GIE"}
CASES = {case["name"]: case for case in paper_cases()}
LENIENT = {"name": "lenient", "predicted": [1, 1], "true": [0, "ALL"], "default_cost": 5, "cost": "shortest_path"}


@pytest.mark.parametrize("case", examples.cases(), ids=lambda case: case.name)
def test_values_are_those_of_the_library(case):
    answer = Board.read({**CASES[f"case {case.name}"], "measure": GIE}).answer()
    values = {row["name"]: row["value"] for row in answer["values"][1:]}
    assert values.keys() == NAMED.keys()
    for name in ("GIE", "MGIA", "F_H", "SDL", "F_LCA", "transport"):
        try:
            expected = float(measure(name).score(case.hierarchy, case.true, case.pred))
        except HemlpError:
            expected = None
        assert values[name] == expected
    assert answer["score"] == values["GIE"] == sum(cost for _, _, cost in answer["pairs"])
    assert answer["lca"][0]["F"] == values["F_LCA"]


def test_sliders_define_a_measure():
    own = read_measure(LENIENT)
    assert str(own) == "PairMeasure('lenient', bounds=Bounds(predicted=(1, 1), true=(0, ALL)), default_cost=5)"
    shown = describe_measure(own)
    assert {key: shown[key] for key in LENIENT} == LENIENT
    answer = Board.read({**CASES["case 2b"], "measure": LENIENT}).answer()
    assert answer["values"][0] == {"name": "lenient", "value": 3.0, "better": False, "why": ""}
    assert [0.0, 0.0] in answer["sensitivity"]
    assert [3.0, 3.0] in answer["sensitivity"]
    for text in (answer["copy"]["python"], answer["copy"]["command"]):
        assert str(own) in text
    scope: dict = {"pytest": pytest, "hemlp": __import__("hemlp"), "Hierarchy": Hierarchy}
    exec(answer["copy"]["test"], scope)  # the test case that people copy passes


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
    assert found["a hit never hurts"]["note"].startswith("0>1")
    answer = Board.read({**found["a hit never hurts"], "measure": GIE}).answer()
    assert answer["score"] == 1


def test_instances_of_own_files():
    mesh = examples.mesh_mini()
    own = OwnData(
        Batch.of(
            mesh.hierarchy, mesh.true, mesh.systems["knn30" if "knn30" in mesh.systems else next(iter(mesh.systems))]
        )
    )
    state = own.state("1")
    h = mesh.hierarchy
    assert set(state["true"]) == {h.labels[c] for c in own.batch.true[0]}
    answer = Board.read({**state, "measure": {"text": "F_LCA"}}).answer()
    whole = measure("F_LCA").score(own.batch[0])
    assert answer["score"] == whole.values[0]  # what is left out of the taxonomy changes nothing
    for name in ("0", "x", "99999"):
        with pytest.raises(InvalidOption, match="no instance"):
            own.state(name)


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
        ("POST", "/TOKEN/board", None, {}, 411, "how long"),
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
    outcome = CliRunner().invoke(commands, ["play", str(tmp_path / "h.txt"), "--no-browser", "--idle", "0"])
    assert "give HIERARCHY, TRUE and PRED" in str(outcome.exception or outcome.output)
