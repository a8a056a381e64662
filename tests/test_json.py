"""Evaluations as JSON: written whatever their scores are, and refused when a file is not what it should be."""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from hemlp import Bounds, Evaluation, Hierarchy, PairMeasure, PairScore, evaluate, examples
from hemlp.errors import FileFormatError, HemlpError, UnreadableFile
from hemlp.escaping import json_text
from hemlp.measures.instance_scores import Scores
from hemlp.report.json_columns import ColumnWriter
from hemlp.version import __version__

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
    (changed(["gold"], 5), "gold is not an object"),
    (changed(["resampling"], "bootstrap|resamples:9,seed:0|instances"), "where intervals of 3 instances are by"),
    (changed(["gold", "ids"], KeyError), "no 'ids'"),
    (changed(["gold", "labels"], None), "gold, 'labels': None is not a digest"),
    (changed(["gold", "ids"], "no"), "gold, 'ids': 'no' is not a digest"),
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
    (changed(["facts", "A", "true labels dropped"], -1), "is -1, which is not a count"),
    (changed(["facts", "A", "true labels dropped"], 0.5), "is 0.5, which is not a count"),
    (changed(["instances", "A", "F_H", "columns", "step"], [0, -1, 0]), "only the steps from 0 to 3"),
]  # fmt: skip


TRUE, STATUS = ["instances", "A", "F_H", "columns", "true"], ["instances", "B", "F_H", "status"]
FORMS_BY_SCHEMA = [
    (changed(TRUE, {}), "column 'true' is not a list"),
    (changed(TRUE, {"values": [2.0]}), "column 'true' is not a list"),
    (changed(TRUE, {"values": [2.0], "rows": [0, 0, 0], "runs": [3]}), "column 'true' is not a list"),
    (changed(TRUE, {"values": 2.0, "rows": [0, 0, 0]}), "values, rows and runs are lists"),
    (changed(TRUE, {"values": [2.0], "runs": 3}), "values, rows and runs are lists"),
    (changed(TRUE, {"values": [2.0], "rows": [0, 0, -1]}), "counted from 0"),
    (changed(TRUE, {"values": [2.0], "rows": [0, 0, False]}), "counted from 0"),
    (changed(TRUE, {"values": [2.0], "runs": [3.5]}), "counted from 0"),
    (changed(TRUE, {"values": [2.0, "x"], "rows": [0, 1, 0]}), "row 2: 'x' is not a number"),
    (changed(TRUE, {"as": "B"}), "'B' names no other column"),
    (changed(TRUE, {"as": ["A", "F_H"]}), "names no other column"),
    (changed(TRUE, {"as": ["A", "F_H", 1]}), "names no other column"),
    (changed(STATUS, {"values": ["fine"], "runs": [3]}), "status, row 1: 'fine' is not a status"),
    (changed(STATUS, {"as": ["A", "F_H", "true"]}), "names no other column"),
    (changed(STATUS, 3), "status is not a list"),
]
FORMS_BY_US = [
    (changed(TRUE, {"values": [2.0], "rows": [0, 1, 0]}), "a row is 1, and there are 1 values"),
    (changed(TRUE, {"values": [2.0], "rows": [0, 0]}), "has 2 rows, and there are 3 instances"),
    (changed(TRUE, {"values": [2.0], "runs": [2]}), "its runs do not fit"),
    (changed(TRUE, {"values": [2.0], "runs": [2, 1]}), "its runs do not fit"),
    (changed(TRUE, {"as": ["A", "F_H", "none"]}), "which is not there"),
    (changed(TRUE, {"as": ["C", "F_H", "true"]}), "column 'true' is said to be instances, system 'C', measure 'F_H'"),
    (changed(TRUE, {"as": ["A", "F_H", "true"]}), "is said to be another column"),
    (changed(STATUS, {"as": ["A", "X"]}), "measure 'X', status, which is not there"),
    (changed(STATUS, {"as": ["B", "TIE"]}), "row 1: it has a score, and the status infeasible"),
    (changed([*TRUE[:-1], "F_H"], {"as": ["B", "F_H", "F_H"]}), "contradicts its rows"),
]


def broken(good: dict, change) -> dict:
    data = json.loads(json.dumps(good))
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "words"),
    [*BY_SCHEMA, *BY_US, *FORMS_BY_SCHEMA, *FORMS_BY_US],
    ids=lambda value: value if isinstance(value, str) else "",
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
        ('{"a": 1, "a": 2}', "the key 'a' occurs twice"),
        ('{"a": NaN}', "NaN is not a number of JSON"),
        ('{"a": [-Infinity]}', "-Infinity is not a number of JSON"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_what_is_no_json_is_refused(tmp_path, text, words):
    (tmp_path / "e.json").write_text(text)
    with pytest.raises(FileFormatError, match=re.escape(words)):
        Evaluation.from_json(tmp_path / "e.json")


def without_verdicts(data: dict) -> dict:
    """What 0.2 wrote; verdicts follow from it, in the order of systems and measures."""
    return {key: value for key, value in data.items() if key != "verdicts"}


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
    assert without_verdicts(again.to_dict()) == without_verdicts(good)
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
    for ev in (real, infinite(), many()):
        validator.validate(json.loads("".join(ev.json_pieces())))
    for change, words in BY_SCHEMA + FORMS_BY_SCHEMA:
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
        assert each.compare("up", "down").rows[0][1:3] == ["down", math.inf]
        assert each.compare("up", "both").rows[0][1:4][:2] == ["both", math.inf]
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


# ---- columns


def made(columns: dict[str, dict[str, list[float]]]) -> Evaluation:
    """An evaluation of systems with these columns of a measure m, the first of which is the measure."""
    scores, facts = {}, {}
    for system, given in columns.items():
        arrays = {name: np.array(values, np.float64) for name, values in given.items()}
        missing = np.isnan(next(iter(arrays.values())))
        statuses = np.where(missing, 2, 0).astype(np.int8)
        scores[system] = {"m": Scores(next(iter(given)), arrays, statuses, "m", int(missing.sum()))}
        facts[system] = {"instances": len(missing), "predictions an instance": 1.0, "empty predictions": 0,
                         "unknown labels": 0, "missing instances": 0}  # fmt: skip
    return Evaluation(scores, {"m": True}, facts)


ODD = [
    0.0,
    -0.0,
    5e-324,
    1e-300,
    0.1 + 0.2,
    1 / 3,
    2.0**53 - 1,
    2.0**53,
    -(2.0**53),
    1e22,
    1.7e308,
    7.0,
    -3.0,
    math.nan,
]


def many() -> Evaluation:
    """Columns of every form."""
    rng = np.random.default_rng(0)
    ratios = (rng.integers(0, 9, 400) / rng.integers(1, 9, 400)).tolist()
    gaps = np.where(rng.random(400) < 0.3, math.nan, ratios).tolist()
    return made(
        {
            "A": {"m": ratios, "unlike": rng.random(400).tolist(), "same": [0.3] * 400, "again": ratios},
            "B": {"m": gaps, "steps": np.repeat(ODD, 30)[:400].tolist(), "as in A": [0.3] * 400},
            "C": {"m": sorted(ratios), "odd": (ODD * 30)[:400], "infinite": [math.inf, -math.inf] * 200},
        }
    )


def same_bits(first: np.ndarray, second: np.ndarray) -> bool:
    nan = np.isnan(first)
    return (nan == np.isnan(second)).all() and first[~nan].tobytes() == second[~nan].tobytes()


@pytest.mark.parametrize("make", [many, lambda: made({"A": {"m": ODD}}), lambda: made({"A": {"m": [0.5]}})])
def test_columns_come_back_to_the_bit(tmp_path, make):
    ev = make()
    ev.to_json(tmp_path / "e.json")
    again = Evaluation.from_json(tmp_path / "e.json")
    for system in ev.systems:
        first, second = ev.scores[system]["m"], again.scores[system]["m"]
        assert list(first.columns) == list(second.columns)
        assert all(same_bits(first[name], second[name]) for name in first.columns)
        assert second[first.name].dtype == np.float64
        assert (first.statuses == second.statuses).all()
    assert again.to_dict() == ev.to_dict() == Evaluation.from_json(rewritten(tmp_path, ev.to_dict())).to_dict()


def rewritten(folder: Path, data: dict) -> Path:
    (folder / "plain.json").write_text(json.dumps(data))
    return folder / "plain.json"


def test_every_column_is_written_once_and_in_its_shortest_form():
    data = json.loads("".join(many().json_pieces()))["instances"]
    a, b, c = (data[system]["m"]["columns"] for system in "ABC")
    assert a["m"].keys() == {"values", "rows"}
    assert isinstance(a["unlike"], list)
    assert a["same"] == {"values": [0.3], "runs": [400]}
    assert a["again"] == {"as": ["A", "m", "m"]}
    assert b["as in A"] == {"as": ["A", "m", "same"]}
    assert c["m"].keys() == {"values", "runs"}
    assert data["A"]["m"]["status"] == {"values": ["optimal"], "runs": [400]}
    assert data["C"]["m"]["status"] == {"as": ["A", "m"]}
    assert data["B"]["m"]["status"].keys() == {"values", "rows"}
    text = "".join(made({"A": {"m": [1.0, 2.0, -0.0, 2.0**60, 0.5]}}).json_pieces())
    assert '"m": [1,2,-0.0,1.152921504606847e+18,0.5]' in text


def test_columns_that_are_equal_are_one_array_again(tmp_path):
    many().to_json(tmp_path / "e.json")
    scores = Evaluation.from_json(tmp_path / "e.json").scores
    assert scores["A"]["m"]["again"] is scores["A"]["m"]["m"]
    assert scores["B"]["m"]["as in A"] is scores["A"]["m"]["same"]


def test_files_of_earlier_versions_are_read():
    """As version 0.2 wrote it, before columns had several forms."""
    file = Path(__file__).parent / "evaluation_0_2.json"
    ev = Evaluation.from_json(file)
    stored = json.loads(file.read_text(encoding="utf-8"))
    assert without_verdicts(ev.to_dict()) == stored | {"hemlp": __version__}
    assert ev.per_instance("B", "F_LCA", "lcas").tolist() == [2, 1, 1]
    assert math.isnan(ev.per_instance("B", "TIE")[0])
    assert ev.status("B", "TIE") == {"optimal": 2, "infeasible": 1}


def plain_forms(column: np.ndarray) -> list[str]:
    """A column in all forms that may be short, value by value."""
    values = [None if math.isnan(v) else v for v in column.tolist()]
    values = [f"{v}".replace("inf", "Infinity") if v is not None and math.isinf(v) else v for v in values]
    values = [
        int(v) if isinstance(v, float) and v.is_integer() and abs(v) < 2**53 and str(v) != "-0.0" else v for v in values
    ]
    texts = [json.dumps(value) for value in values]
    forms = ["[" + ",".join(texts) + "]"]
    runs = [(text, len(list(group))) for text, group in itertools.groupby(texts)]
    if 2 * len(runs) < len(texts):
        forms.append(f'{{"values":[{",".join(t for t, _ in runs)}],"runs":[{",".join(str(n) for _, n in runs)}]}}')
    if 2 * len(set(texts)) < len(texts):
        bits = dict(zip(texts, np.where(np.isnan(column), math.nan, column).view(np.int64).tolist(), strict=True))
        order = sorted(bits, key=lambda text: (-texts.count(text), bits[text]))
        rows = ",".join(str(order.index(text)) for text in texts)
        forms.append(f'{{"values":[{",".join(order)}],"rows":[{rows}]}}')
    return forms


def test_a_column_is_written_in_its_shortest_form():
    rng = np.random.default_rng(0)
    pool = np.array([0.0, -0.0, 1.0, 0.5, 1 / 3, math.nan, math.inf, -math.inf, 2.0**53, -7.0, 1e300, 123456.0])
    used = set()
    for _ in range(300):
        column = pool[rng.integers(0, int(rng.integers(1, len(pool) + 1)), int(rng.integers(0, 50)))]
        column = rng.random(len(column)) if rng.random() < 0.2 else column
        column = np.repeat(column, int(rng.integers(1, 9)))
        forms = plain_forms(column)
        written = ColumnWriter().numbers(column, ("A", "F", "F"))
        assert written == min(forms, key=len)
        used.add(next((key for key in ("runs", "rows") if key in written), "list"))
    assert used == {"list", "runs", "rows"}


def test_the_page_has_every_key():
    page = SCHEMA.with_name("json.md").read_text(encoding="utf-8")
    first = page.partition("| key | holds |")[2].partition("\n\n")[0]
    keys = {key for row in first.splitlines()[2:] for key in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert keys == json.loads(SCHEMA.read_text(encoding="utf-8"))["properties"].keys()
