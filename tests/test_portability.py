"""The main paths where there is nothing that Windows does not have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hemlp import evaluate, examples
from tests.processes import FILES, HEMLP, ROOT, environment
from tests.test_faults import COST

MEASURES = ["-m", "F_H", "-m", "GIE", "-m", "F_LCA"]


@pytest.fixture(scope="module")
def windows(tmp_path_factory) -> dict[str, str]:
    """The environment of processes that have nothing else."""
    folder = tmp_path_factory.mktemp("windows")
    (folder / "sitecustomize.py").write_text((ROOT / "tests" / "windows.py").read_text())
    return environment(PYTHONPATH=str(folder))


def done(environment: dict[str, str], *command: str, **options) -> str:
    """What a command prints; nothing is said of errors."""
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, **options)
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout


def test_the_modules_are_gone(windows):
    code = "import os\ntry:\n import fcntl\nexcept ImportError:\n print(hasattr(os, 'fork'))"
    assert done(windows, sys.executable, "-c", code) == "False\n"
    for path in ("/dev/stdin", "."):
        code = f"try:\n open({path!r})\nexcept OSError:\n print('none')"
        assert done(windows, sys.executable, "-c", code) == "none\n"


def test_the_command_line(windows, tmp_path):
    assert done(windows, *HEMLP, "cases") == done(dict(os.environ), *HEMLP, "cases")
    plain = done(dict(os.environ), *HEMLP, "evaluate", *FILES[:2], f"knn={FILES[2]}", *MEASURES)
    with Path(FILES[2]).open() as pred:
        assert done(windows, *HEMLP, "evaluate", *FILES[:2], "knn=-", *MEASURES, stdin=pred) == plain
    assert done(windows, *HEMLP, "evaluate", *FILES[:2], "knn=-", *MEASURES, input=Path(FILES[2]).read_text()) == plain
    more = ["--workers", "2", "--chunk", "50", "--resume", str(tmp_path / "run"), "--json", str(tmp_path / "a.json")]
    more += ["--html", str(tmp_path / "a.html"), "--per-instance", str(tmp_path / "rows")]
    assert done(windows, *HEMLP, "evaluate", *FILES[:2], f"knn={FILES[2]}", *MEASURES, *more) == plain
    next((tmp_path / "run").glob("chunk-*")).unlink()
    (tmp_path / "run" / "run.json.12ab.part").write_text("of a process that is gone")
    assert done(windows, *HEMLP, "evaluate", *FILES[:2], f"knn={FILES[2]}", *MEASURES, *more) == plain
    assert not list(tmp_path.rglob("*.part"))


IN_PYTHON = """
import sys
import hemlp
from costs_of_mine import apart
ex = hemlp.examples.mesh_mini()
everything = ex.hierarchy, ex.true, {"knn30": ex.systems["knn30"]}
few = ex.hierarchy, [*ex.true][:20], {"knn30": [*ex.systems["knn30"]][:20]}
own = hemlp.PairMeasure("own", hemlp.Bounds((1, 1), (1, 1)), cost=apart, default_cost=5)
for options in ({}, {"workers": 2, "chunk": 50}, {"memory": "900MB"}, {"resume": sys.argv[1], "workers": 2}):
    print(hemlp.evaluate(*everything, ["F_H", "F_LCA"], **options).table())
for options in ({}, {"workers": 2, "chunk": 50}):
    print(hemlp.evaluate(*everything, [own], **options).mean("knn30", "own"))
print(hemlp.evaluate(*few, ["GIE"], solver="pulp", workers=2, chunk=10).mean("knn30", "GIE"))
"""


def test_in_python(windows, tmp_path):
    (tmp_path / "costs_of_mine.py").write_text(COST.format(3))
    command = [sys.executable, "-c", IN_PYTHON]
    out = done(windows, *command, str(tmp_path / "run"), cwd=tmp_path)
    assert out == done(dict(os.environ), *command, str(tmp_path / "other"), cwd=tmp_path)
    ex = examples.mesh_mini()
    plain = evaluate(ex.hierarchy, [*ex.true][:20], [*ex.systems["knn30"]][:20], ["GIE"])
    assert out.endswith(f"\n{plain.mean('system', 'GIE')}\n")
