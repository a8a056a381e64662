"""Evaluations as JSON: written whatever their scores are, and refused when a file is not what it should be."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from hemlp import Bounds, Evaluation, Hierarchy, PairMeasure, PairScore, evaluate, examples
from hemlp.errors import FileFormatError, HemlpError, UnreadableFile
from hemlp.escaping import json_text

SCHEMA = Path(__file__).parent.parent / "docs" / "evaluation.schema.json"
TABLES = ("systems", "status", "undefined", "instances")
KEYS = ("hemlp", *TABLES, "signature", "exact", "greater_is_better", "facts")


@pytest.fixture(scope="module")
def good() -> dict:
    h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    systems = {"A": [["b"], ["c"], ["a"]], "B": [["b", "c"], ["b"], ["b"]]}
    return evaluate(h, ["b", "c", "b"], systems, ["F_H", "TIE"], undefined="nan").to_dict()


def changed(path: list, value: object) -> object:
    def change(data):
        place = data
        for key in path[:-1]:
            place = place[key]
        if value is KeyError:
            del place[path[-1]]
        else:
            place[path[-1]] = value

    return change


BY_SCHEMA = [
    *((changed([key], KeyError), f"no '{key}'") for key in KEYS),
    *((changed([key], []), f"{key} is not an object") for key in ("systems", "status", "facts", "instances", "exact")),
    (changed(["more"], 1), "'more', which does not belong there"),
    (changed(["hemlp"], 1), "hemlp: 1 is not a version"),
    (changed(["hemlp"], "new"), "'new' is not a version"),
    (changed(["systems"], {}), "no system"),
    (changed(["greater_is_better", "F_H"], "yes"), "'yes' is not a truth value"),
    (changed(["exact", "F_H"], 1), "1 is not a truth value"),
    (changed(["signature", "F_H"], None), "None is not a text"),
    (changed(["facts", "A", "instances"], KeyError), "no 'instances'"),
    (changed(["facts", "A", "instances"], 0), "'instances' is 0"),
    (changed(["facts", "A", "unknown labels"], -1), "'unknown labels' is -1"),
    (changed(["facts", "A", "unknown labels"], "no"), "'unknown labels' is 'no'"),
    (changed(["facts", "A", "predictions an instance"], "many"), "'many' is not a number"),
    (changed(["instances", "A", "F_H"], 5), "is not an object"),
    (changed(["instances", "A", "F_H", "columns"], KeyError), "no 'columns'"),
    (changed(["instances", "A", "F_H", "columns"], {}), "is not one of its columns"),
    (changed(["instances", "A", "F_H", "columns", "true"], "xyz"), "is not a list"),
    (changed(["instances", "A", "F_H", "columns", "true", 1], "x"), "column 'true', row 2: 'x' is not a number"),
    (changed(["instances", "A", "F_H", "columns", "true", 1], True), "row 2: True is not a number"),
    (changed(["instances", "A", "F_H", "columns", "true", 1], [1]), "row 2: [1] is not a number"),
    (changed(["instances", "A", "F_H", "columns", "true", 1], "NaN"), "row 2: 'NaN' is not a number"),
    (changed(["instances", "A", "F_H", "status", 2], "fine"), "status, row 3: 'fine' is not a status"),
    (changed(["instances", "A", "F_H", "status", 2], 0), "status, row 3: 0 is not a status"),
    (changed(["status", "A", "F_H"], {"fine": 3}), "contradicts its rows"),
    (changed(["status", "A", "F_H", "optimal"], "3"), "contradicts its rows"),
    (changed(["undefined", "A", "F_H"], "0"), "contradicts its rows"),
    (changed(["systems", "A", "F_H"], "high"), "'high' is not a number"),
]  # fmt: skip
BY_US = [
    (changed(["hemlp"], "99.0"), "written by hemlp 99.0"),
    *((changed([key, "B"], KeyError), f"{key} has no 'B'") for key in ("status", "undefined", "facts", "instances")),
    (changed(["systems", "B"], KeyError), "has 'B', which does not belong there"),
    *((changed([key, "A", "TIE"], KeyError), f"{key}, system 'A' has no 'TIE'") for key in TABLES),
    *((changed([key, "TIE"], KeyError), f"{key} has no 'TIE'") for key in ("signature", "exact")),
    (changed(["greater_is_better", "TIE"], KeyError), "has 'TIE', which does not belong there"),
    (changed(["instances", "A", "F_H", "columns", "true"], [1.0]), "has 1 rows, and there are 3 instances"),
    (changed(["instances", "A", "F_H", "columns", "F_H"], [1.0, 1.0]), "column 'F_H' has 2 rows"),
    (changed(["instances", "A", "F_H", "status"], ["optimal"]), "status has 1 rows"),
    (changed(["instances", "A", "F_H", "name"], "F"), "'F' is not one of its columns"),
    (changed(["instances", "A", "F_H", "columns", "F_H", 0], None), "row 1: it has no score, and the status optimal"),
    (changed(["instances", "A", "F_H", "status", 0], "infeasible"), "row 1: it has a score, and the status infeasible"),
    (changed(["instances", "A", "F_H", "columns", "F_H", 0], 0.25), "contradicts its rows, whose mean is"),
    (changed(["instances", "A", "F_H", "columns", "true", 1], 10**400), "is not a number that can be kept"),
    (changed(["instances", "A", "F_H", "status", 0], "feasible"), "contradicts its rows"),
    (changed(["status", "A", "F_H"], {"optimal": 2}), "contradicts its rows"),
    (changed(["status", "A", "F_H"], {"optimal": 3, "feasible": 1}), "contradicts its rows"),
    (changed(["undefined", "B", "TIE"], 0), "contradicts its rows"),
    (changed(["systems", "A", "F_H"], 0.1), "the mean 0.1 contradicts its rows"),
    (changed(["systems", "A", "F_H"], None), "contradicts its rows"),
    (changed(["facts", "A", "instances"], 2), "different numbers of instances"),
]  # fmt: skip


def broken(good: dict, change) -> dict:
    data = json.loads(json.dumps(good))
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "words"), [*BY_SCHEMA, *BY_US], ids=lambda value: value if isinstance(value, str) else ""
)
def test_broken_evaluations_are_refused_with_the_place(good, tmp_path, change, words):
    (tmp_path / "e.json").write_text(json.dumps(broken(good, change)))
    with pytest.raises(FileFormatError) as caught:
        Evaluation.from_json(tmp_path / "e.json")
    assert words in str(caught.value)
    assert str(tmp_path / "e.json") in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: not JSON"),
        ("[1,\n2", "line 2: not JSON"),
        ("[]", "the file is not an object"),
        ("5", "the file is not an object"),
        ('{"a": 1, "a": 2}', "the key 'a' stands twice"),
        ('{"a": NaN}', "NaN is not a number of JSON"),
        ('{"a": [-Infinity]}', "-Infinity is not a number of JSON"),
        ("[" * 100_000, "is not JSON as hemlp writes it"),
    ],
)
def test_what_is_no_json_is_refused(tmp_path, text, words):
    (tmp_path / "e.json").write_text(text)
    with pytest.raises(FileFormatError, match=re.escape(words)):
        Evaluation.from_json(tmp_path / "e.json")


def test_files_that_are_no_text(tmp_path, good):
    (tmp_path / "e.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(FileFormatError, match="UTF-8"):
        Evaluation.from_json(tmp_path / "e.json")
    for place in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(UnreadableFile):
            Evaluation.from_json(place)
    text = json.dumps(good).replace("[1.0", "[1e999", 1)
    (tmp_path / "e.json").write_text(text)
    with pytest.raises(FileFormatError, match="inf is not a number that can be kept"):
        Evaluation.from_json(tmp_path / "e.json")


def test_order_of_keys_does_not_matter(good, tmp_path):
    """Tools that rewrite JSON change it: the measure itself is the column called so, not the first one."""

    def turned(value):
        if not isinstance(value, dict):
            return value
        return {key: turned(each) for key, each in reversed(value.items())}

    (tmp_path / "e.json").write_text(json.dumps(turned(good)))
    again = Evaluation.from_json(tmp_path / "e.json")
    assert again.to_dict() == good
    assert again.per_instance("A", "F_H").tolist() == good["instances"]["A"]["F_H"]["columns"]["F_H"]


def test_the_schema_says_the_same(good):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    example = examples.mesh_mini()
    real = evaluate(example.hierarchy, example.true, example.systems, ["GIE", "F_H", "F_LCA(method='greedy')"])
    for data in (good, real.to_dict(), infinite().to_dict()):
        validator.validate(data)
    for change, words in BY_SCHEMA:
        assert not validator.is_valid(broken(good, change)), words


def infinite() -> Evaluation:
    h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    rule = PairScore(lambda f: np.where(f.error == 0, math.inf, np.where(f.error == 1, -math.inf, f.error)))
    odd = PairMeasure("odd", Bounds((1, 1), (1, 1)), default_cost=5, score=rule)
    systems = {"up": ["b", "c", "c"], "down": ["a", "c", "c"], "both": ["b", "a", "c"]}
    return evaluate(h, ["b", "b", "b"], systems, [odd, "F_H"])


def test_infinite_scores_are_written_read_and_compared(tmp_path):
    ev = infinite()
    assert [ev.mean(system, "odd") for system in ("up", "down")] == [math.inf, -math.inf]
    assert math.isnan(ev.mean("both", "odd"))
    ev.to_json(tmp_path / "e.json")
    data = json.loads((tmp_path / "e.json").read_text(), parse_constant=pytest.fail)
    assert data["instances"]["up"]["odd"]["columns"]["odd"] == ["Infinity", 2.0, 2.0]
    assert data["systems"] == {
        "up": {"odd": "Infinity", "F_H": ev.mean("up", "F_H")},
        "down": {"odd": "-Infinity", "F_H": ev.mean("down", "F_H")},
        "both": {"odd": None, "F_H": ev.mean("both", "F_H")},
    }  # fmt: skip
    again = Evaluation.from_json(tmp_path / "e.json")
    assert again.to_dict() == ev.to_dict()
    assert again.per_instance("down", "odd").tolist() == [-math.inf, 2, 2]
    for each in (ev, again):
        assert "inf" in str(each)
        assert each.compare("up", "down").rows[0][1:3] == ["down", "+inf"]
        assert each.compare("up", "both").rows[0][1:4] == ["both", "+inf", "undefined"]
        assert each.kendall(5)
        assert each.significance("odd").rows
    told = ev.explain("up", 0).to_dict()
    assert told["parts"][0]["values"]["odd"] == "Infinity"
    json_text(told)
    ev.to_html(tmp_path / "r.html")


def test_a_score_that_is_no_number_is_undefined(tmp_path):
    h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    root = PairMeasure("root", Bounds((1, 1), (1, 1)), default_cost=5, score=PairScore(lambda f: np.sqrt(f.error - 1)))
    with np.errstate(invalid="ignore"):
        with pytest.raises(HemlpError, match="instance 2: the score of root is not a number; choose undefined='nan'"):
            evaluate(h, ["b", "b"], ["c", "b"], [root])
        ev = evaluate(h, ["b", "b"], ["c", "b"], [root, "GIE"], undefined="nan")
    assert ev.status("system", "root") == {"optimal": 1, "infeasible": 1}
    assert ev.status("system", "GIE") == {"optimal": 2}
    assert "root: undefined on 1 instance," in str(ev)
    ev.to_json(tmp_path / "e.json")
    assert Evaluation.from_json(tmp_path / "e.json").to_dict() == ev.to_dict()
