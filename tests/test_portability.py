"""The main paths where there is nothing that Windows does not have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hemlp import evaluate, examples
from tests.processes import FILES, HEMLP, ROOT, environment

MEASURES = ["-m", "F_H", "-m", "GIE", "-m", "F_LCA"]


@pytest.fixture(scope="module")
def windows(tmp_path_factory) -> dict[str, str]:
    """The environment of processes that have nothing else."""
    folder = tmp_path_factory.mktemp("windows")
    (folder / "sitecustomize.py").write_text((ROOT / "tests" / "windows.py").read_text())
    return environment(PYTHONPATH=f"{folder}{os.pathsep}{ROOT}")


def done(environment: dict[str, str], *command: str, **options) -> str:
    """What a command prints; nothing is said of errors."""
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, **options)
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout


def test_the_modules_are_gone(windows):
    code = "import os\ntry:\n import fcntl\nexcept ImportError:\n print(hasattr(os, 'fork'))"
    assert done(windows, sys.executable, "-c", code) == "False\n"
    for path in ("/dev/stdin", "."):
        assert "OSError" in done(
            windows, sys.executable, "-c", f"try:\n open({path!r})\nexcept OSError:\n print('OSError')"
        )


def test_the_command_line(windows, tmp_path):
    assert done(windows, *HEMLP, "cases") == done(dict(os.environ), *HEMLP, "cases")
    plain = done(dict(os.environ), *HEMLP, "evaluate", *FILES[:2], f"knn={FILES[2]}", *MEASURES)
    with Path(FILES[2]).open() as pred:
        assert done(windows, *HEMLP, "evaluate", *FILES[:2], "knn=-", *MEASURES, stdin=pred) == plain
    assert done(windows, *HEMLP, "evaluate", *FILES[:2], "knn=-", *MEASURES, input=Path(FILES[2]).read_text()) == plain
    more = ["--workers", "2", "--chunk", "50", "--resume", str(tmp_path / "run"), "--json", str(tmp_path / "a.json")]
    more += ["--html", str(tmp_path / "a.html"), "--per-instance", str(tmp_path / "rows")]
    for _ in range(2):
        assert done(windows, *HEMLP, "evaluate", *FILES[:2], f"knn={FILES[2]}", *MEASURES, *more) == plain
        (tmp_path / "run" / "chunk-000-000000000050.bin").unlink()
        (tmp_path / "run" / "run.json.12ab.part").write_text("of a process that is gone")
    assert not list(tmp_path.rglob("*.part")) or list(tmp_path.rglob("*.part")) == [
        tmp_path / "run" / "run.json.12ab.part"
    ]


IN_PYTHON = """
import sys
import hemlp
from tests import hungry
ex = hemlp.examples.mesh_mini()
everything = ex.hierarchy, ex.true, ex.systems
own = hemlp.PairMeasure("own", hemlp.Bounds((1, 1), (1, 1)), cost=hungry.differ, default_cost=5)
for options in ({}, {"workers": 2, "chunk": 50}, {"memory": "900MB"}, {"resume": sys.argv[1], "workers": 2}):
    print(hemlp.evaluate(*everything, ["F_H", "F_LCA"], **options).table())
for options in ({}, {"workers": 2, "chunk": 50}):
    print(hemlp.evaluate(*everything, [own], **options).mean("knn30", "own"))
print(hemlp.evaluate(*everything, ["GIE"], solver="pulp", workers=2, chunk=100).mean("knn30", "GIE"))
"""


def test_in_python(windows, tmp_path):
    out = done(windows, sys.executable, "-c", IN_PYTHON, str(tmp_path / "run"))
    assert out == done(dict(os.environ, PYTHONPATH=str(ROOT)), sys.executable, "-c", IN_PYTHON, str(tmp_path / "other"))
    ex = examples.mesh_mini()
    assert f"{evaluate(ex.hierarchy, ex.true, ex.systems, ['GIE']).mean('knn30', 'GIE')}\n" in out
