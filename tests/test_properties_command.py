"""`hemlp properties`: tables, pictures and JSON."""

from __future__ import annotations

import json

from click.testing import CliRunner

from hemlp.cli.main import commands
from hemlp.measures.set_measure import SetMeasure

LOOSE = "PairMeasure('loose', Bounds((1, 2), (1, ALL)), default_cost=5)"


def properties(*arguments: object):
    return CliRunner().invoke(commands, ["properties", *map(str, arguments)])


def test_tables_and_pictures(tmp_path):
    done = properties("GIE", "F_LCA", LOOSE, "--classes", 3, "--svg", tmp_path / "drawn")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 100
    assert [line for line in lines if line in ("GIE", "F_LCA", "loose")] == ["GIE", "F_LCA", "loose"]
    assert any(line.endswith("0>1: {0} {1} {0,1}: 1 < 5") for line in lines)
    drawn = sorted(file.name for file in (tmp_path / "drawn").iterdir())
    assert "GIE-a-hit-never-hurts.svg" in drawn
    assert "loose-symmetric.svg" in drawn
    assert (tmp_path / "drawn" / drawn[0]).read_text(encoding="utf-8").startswith("<svg")


def test_json():
    done = properties("GIE", "--classes", 2, "--all", "--json", "-")
    (found,) = json.loads(done.stdout)
    assert found["measure"] == "GIE"
    hit = found["properties"]["a hit never hurts"]
    assert (hit["verdict"], hit["violations"]) == ("refuted", 2)
    assert hit["counterexample"]["edges"] == [[0, 1]]
    assert hit["counterexample"]["other"] == [0, 1]
    assert found["on_trees"]["triangle"]["theorem"] == "GOSPA"


class Bent(SetMeasure):
    """Declares what does not hold."""

    @property
    def invariants(self):
        return frozenset({"symmetric"})


def test_a_declared_invariant_that_is_refuted_fails():
    done = properties("Bent('bent', augment='ancestors', score='P')", "--classes", 2)
    assert done.exit_code == 4
    assert "hemlp: bent declares a property that is refuted: symmetric: 0>1:" in done.stderr


def test_bad_options():
    done = properties("GIE", "--classes", 12)
    assert done.exit_code != 0
    assert "classes=12 are too many" in str(done.exception)
