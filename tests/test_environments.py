"""hemlp where it is unwelcome: other locales, hostile folders, nowhere to write, streams that are closed or full."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import FILES, ROOT, environment
from tests.test_faults import hostile

SCRIPT = Path(sys.executable).with_name("hemlp")
WHAT = ["evaluate", *FILES, "-m", "F_H", "-m", "MGIA", "-m", "F_LCA", "--chunk", "60"]


def hemlp(*arguments: str, start: list[str] | None = None, **options) -> subprocess.CompletedProcess[str]:
    """The command as it is installed; ``start``: how Python is started instead."""
    options = {"capture_output": True, "text": True, "check": False, **options}
    return subprocess.run([*(start or []), str(SCRIPT), *arguments], **options)


@pytest.fixture(scope="module")
def usual(tmp_path_factory) -> tuple[str, bytes]:
    """What is printed and written everywhere."""
    file = tmp_path_factory.mktemp("usual") / "all.json"
    done = hemlp(*WHAT, "--json", str(file))
    assert done.returncode == 0, done.stderr
    return done.stdout, file.read_bytes()


def check(done: subprocess.CompletedProcess[str], file: Path, usual: tuple[str, bytes]) -> None:
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.replace("↑", "?").replace("↓", "?") == usual[0].replace("↑", "?").replace("↓", "?")
    assert file.read_bytes() == usual[1]


VARIABLES = {
    "C locale": {"LC_ALL": "C"},
    "ASCII": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "ASCII output": {"PYTHONIOENCODING": "ascii"},
    "optimized": {"PYTHONOPTIMIZE": "1"},
    "without docstrings": {"PYTHONOPTIMIZE": "2"},
    "no bytecode": {"PYTHONDONTWRITEBYTECODE": "1"},
    "no home": {"HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"},
    "no temporary folder of one's own": {"TMPDIR": "/nonexistent"},
    "another hash seed": {"PYTHONHASHSEED": "4711"},
    "no terminal": {"TERM": "dumb", "COLUMNS": "20"},
    "development mode": {"PYTHONDEVMODE": "1", "PYTHONWARNINGS": "ignore"},
}


QUICK = {("C locale", "2"), ("ASCII", "1"), ("optimized", "2"), ("no home", "1"), ("another hash seed", "1")}


@pytest.mark.parametrize(
    ("variables", "workers"),
    [
        pytest.param(name, workers, marks=() if (name, workers) in QUICK else pytest.mark.long)
        for name in VARIABLES
        for workers in ("1", "2")
    ],
)
def test_environment_variables_change_nothing(usual, tmp_path, variables, workers):
    file = tmp_path / "all.json"
    check(hemlp(*WHAT, "--json", str(file), "--workers", workers, env=environment(**VARIABLES[variables])), file, usual)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_hostile_current_folder(usual, tmp_path, workers):
    folder, file = hostile(tmp_path / "here"), tmp_path / "all.json"
    done = hemlp(*WHAT, "--json", str(file), "--workers", workers, "--resume", str(tmp_path / "run"), cwd=folder)
    check(done, file, usual)
    assert "imported" not in done.stderr


def test_a_current_folder_that_is_gone(usual, tmp_path):
    gone, file = tmp_path / "gone", tmp_path / "all.json"
    gone.mkdir()
    done = hemlp(*WHAT, "--json", str(file), "--workers", "2", cwd=gone, preexec_fn=gone.rmdir)
    check(done, file, usual)


# ---- streams


def without(*numbers: int):
    def close() -> None:
        for number in numbers:
            os.close(number)

    return close


@pytest.mark.parametrize("closed", [(0,), (2,), (0, 2)])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_closed_input_and_errors(usual, tmp_path, closed, workers):
    file = tmp_path / "all.json"
    done = hemlp(*WHAT, "--json", str(file), "--workers", workers, preexec_fn=without(*closed))
    check(done, file, usual)


@pytest.mark.parametrize("closed", [(1,), (0, 1), (0, 1, 2)])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_closed_output_is_an_error_after_files_are_written(usual, tmp_path, closed, workers):
    file = tmp_path / "all.json"
    done = hemlp(*WHAT, "--json", str(file), "--workers", workers, preexec_fn=without(*closed))
    assert (done.returncode, done.stdout) == (1, "")
    assert file.read_bytes() == usual[1]
    assert done.stderr == ("" if 2 in closed else "hemlp: [Errno 9] Bad file descriptor\n")


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_streams_in_python(closed):
    """Worker processes talk by pipes that may get the numbers of standard streams."""
    code = """
import hemlp, os
ex = hemlp.examples.mesh_mini()
few = ex.hierarchy, [*ex.true][:20], [*ex.systems["knn30"]][:20], ["GIE"]
found = hemlp.evaluate(*few, solver="networkx", workers=2, chunk=5)
os._exit(found.to_dict() != hemlp.evaluate(*few).to_dict())
"""
    assert subprocess.run([sys.executable, "-c", code], preexec_fn=without(*closed), check=False).returncode == 0


COMMANDS = {
    "evaluate": WHAT,
    "json": [*WHAT, "--json", "-"],
    "explain": ["explain", *FILES[:3]],
    "model": ["model", *FILES[:3]],
    "compare-exact": ["compare-exact", *FILES[:3], "--sample", "3"],
    "measures": ["measures"],
    "cases": ["cases"],
    "help": ["--help"],
    "version": ["--version"],
    "help of a command": ["evaluate", "--help"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_under_the_output(command):
    with open("/dev/full", "w") as full:
        done = hemlp(*COMMANDS[command], capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "hemlp: [Errno 28] No space left on device"
    assert "Traceback" not in done.stderr
    assert "ignored" not in done.stderr


@pytest.mark.parametrize("option", ["--json", "--html", "--table"])
def test_a_full_disk_under_a_file(option):
    done = hemlp(*WHAT, option, "/dev/full")
    assert (done.returncode, "no space left on device" in done.stderr) == (1, True)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["evaluate", "cases", "help"])
def test_a_reader_that_goes_away(command):
    ours, theirs = os.pipe()
    os.close(ours)
    done = hemlp(*COMMANDS[command], capture_output=False, stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "ignored" not in done.stderr


def test_devices_can_be_written_where_folders_cannot(monkeypatch):
    """Nobody but root may write to /dev itself."""
    from hemlp.report.outputs import check_writable

    allowed = os.access
    monkeypatch.setattr(os, "access", lambda place, mode: str(place) != "/dev" and allowed(place, mode))
    check_writable(["/dev/null", "/dev/stdout"])


def test_the_output_as_a_file(usual, tmp_path):
    """Also where it goes to a file: /dev/stdout is a link to it, and stays one."""
    for out in (tmp_path / "all.json", None):
        with open(tmp_path / "printed", "wb") as printed:
            done = hemlp(*WHAT, "--json", str(out or "/dev/stdout"), capture_output=False, stdout=printed, text=False)
        assert done.returncode == 0
    assert os.path.islink("/dev/stdout")
    assert usual[1] in (tmp_path / "printed").read_bytes()


CHATTY = """
import os, sys, ctypes
from hemlp.cli.main import main
from hemlp.solvers.search import LcaSearch
solve = LcaSearch.solve
def chatty(self, *args, **options):
    os.write(1, b"written ")
    ctypes.CDLL(None).printf(b"printed ")  # into a buffer, which is written when the process ends
    return solve(self, *args, **options)
LcaSearch.solve = chatty
sys.argv[0] = "hemlp"
main()
"""


@pytest.mark.parametrize("place", ["-", "/dev/stdout"])
def test_what_solvers_print_is_no_part_of_the_output(place):
    command = [sys.executable, "-c", CHATTY, "explain", *FILES[:3], "-m", "F_LCA", "--json", place]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "written" in done.stderr
    assert "printed" in done.stderr
    text = done.stdout if place == "-" else done.stdout[done.stdout.index("{") :]  # beside tables
    found, end = json.JSONDecoder().raw_decode(text)
    assert found
    assert "printed" not in done.stdout
    assert place != "-" or end == len(text) - 1


JSON = {
    "evaluate": WHAT,
    "explain": COMMANDS["explain"],
    "compare-exact": COMMANDS["compare-exact"],
    "sensitivity": ["sensitivity", *FILES],
    "cafa": ["cafa", "h.txt", "gold.tsv", "scores.tsv"],
    "tune": ["tune", "h.txt", "gold.tsv", "scores.tsv"],
}


@pytest.fixture
def scored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.txt").write_text("animal sheep\nanimal cow\n")
    (tmp_path / "gold.tsv").write_text("a\tsheep\nb\tcow\n")
    (tmp_path / "scores.tsv").write_text("a\tsheep\t0.9\nb\tsheep\t0.4\n")
    return tmp_path


@pytest.mark.parametrize("command", JSON)
def test_json_alone_on_the_output_is_that_of_the_file(command, scored):
    there = hemlp(*JSON[command], "--json", "x.json")
    alone = hemlp(*JSON[command], "--json", "-")
    assert (there.returncode, alone.returncode) == (0, 0), alone.stderr
    found, wanted = json.loads(alone.stdout), json.loads((scored / "x.json").read_text())
    for each in (found, wanted):
        each.pop("seconds", None)
    assert found == wanted
    assert there.stdout
    assert not (scored / "-").exists()


@pytest.mark.parametrize("arguments", [
    ["evaluate", *FILES, "--html", "-"], ["evaluate", *FILES, "--table", "-"], ["evaluate", *FILES, "--parquet", "-"],
    ["curve", *JSON["cafa"][1:], "--csv", "-"], ["explain", *FILES[:3], "--svg", "-"], [*JSON["cafa"], "--csv", "-"],
])  # fmt: skip
def test_no_file_is_called_by_the_sign_of_the_output(arguments, scored):
    done = hemlp(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "- is standard output" in done.stderr
    assert not (scored / "-").exists()


def test_what_a_link_points_to_is_written_and_not_the_link(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "a.json").symlink_to("there/b.json")
    assert hemlp(*WHAT, "--json", str(tmp_path / "a.json")).returncode == 0
    assert (tmp_path / "a.json").is_symlink()
    assert (tmp_path / "there" / "b.json").is_file()


# ---- nowhere to write


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_package_that_can_keep_nothing(usual, tmp_path, workers):
    """Neither beside its sources nor at home."""
    copy, file = tmp_path / "copy" / "hemlp", tmp_path / "all.json"
    shutil.copytree(ROOT / "hemlp", copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [copy, *(each for each in copy.rglob("*") if each.is_dir())]:
        (folder / "__pycache__").write_text("not a folder")
    kept = sorted(copy.rglob("*"))
    changes = environment(PYTHONPATH=str(copy.parent), HOME="/proc", XDG_CACHE_HOME="/proc")
    done = hemlp(*WHAT, "--json", str(file), "--workers", workers, start=[sys.executable, "-P"], env=changes)
    check(done, file, usual)
    assert sorted(copy.rglob("*")) == kept


# ---- other packages that bring HiGHS

USE = """
import hemlp
from hemlp.errors import MissingDependency

h = hemlp.Hierarchy.from_edges([(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)])
loose = hemlp.PairMeasure("loose", hemlp.Bounds((1, 2), (1, hemlp.ALL)), default_cost=5)
uneven = hemlp.PairMeasure("loose", hemlp.Bounds((1, 2), (1, hemlp.ALL)), cost=lambda p, t: 0.3, default_cost=5)

def score(measure, solver):
    try:
        print(f"{float(measure.score(h, [3, 5], [4, 6], solver=solver)):.9f}")
    except MissingDependency as error:
        assert solver is not None and "cannot be used" in str(error), error

score(hemlp.measure("F_LCA", method="greedy"), None)
for solver in SOLVERS:
    score(loose, solver)
for measure in (loose, uneven, hemlp.measure("F_LCA"), hemlp.measure("F_LCA", method="greedy")):
    score(measure, None)
"""


@pytest.fixture(scope="module")
def crowded(tmp_path_factory) -> Path:
    """A Python that has all that this one has, and highspy and cvxpy."""
    folder = tmp_path_factory.mktemp("crowded") / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    show = "import sysconfig; print(sysconfig.get_path('purelib'))"
    here, there = (
        subprocess.run([str(p), "-c", show], capture_output=True, text=True, check=True).stdout.strip()
        for p in (sys.executable, python)
    )
    Path(there, "all.pth").write_text(f"{here}\n{ROOT}\n")
    done = subprocess.run([str(python), "-m", "pip", "install", "-q", "highspy", "cvxpy"], check=False)
    if done.returncode:
        pytest.skip("highspy and cvxpy cannot be installed")
    return python


@pytest.mark.long
@pytest.mark.parametrize("solvers", [(), ("cpsat", "pulp", "milp", "flow"), ("pulp", "milp", "flow", "cpsat")])
@pytest.mark.parametrize(
    "before", ["", "highspy, cvxpy", "cvxpy, highspy", "pulp, highspy", "ortools.sat.python.cp_model"]
)
def test_other_packages_that_bring_highs(crowded, solvers, before):
    """Once one of them is loaded another may not be: hemlp takes what is left, and says so of what was asked for."""
    imports = f"import {before}" if before else ""
    use = USE.replace("SOLVERS", repr(solvers))
    later = (
        "try:\n    import highspy, cvxpy\nexcept ImportError:\n    pass"  # after OR-Tools it cannot be loaded itself
    )
    command = [str(crowded), "-c", f"{imports}\n{use}\n{later}\n{use}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    alone = subprocess.run(
        [sys.executable, "-c", USE.replace("SOLVERS", "()")], capture_output=True, text=True, check=True
    )
    found, expected = done.stdout.splitlines(), alone.stdout.splitlines()
    assert set(found) == set(expected)
    if not solvers:
        assert found == expected * 2


def test_what_a_module_ends_with_is_said(tmp_path):
    (tmp_path / "numpy.py").write_text("raise SystemExit('no numpy, but mine')")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-m", "hemlp", "evaluate", *FILES[:3]], capture_output=True, text=True, env=environment
    )
    assert (done.returncode, done.stderr) == (1, "hemlp: no numpy, but mine\n")


STUCK = """
import sys, warnings
try:
    import pulp
except ImportError:
    pass
sys.path.append(sys.argv[1])
import highspy
import hemlp
from hemlp.errors import MissingDependency
from hemlp.solvers.registry import named_solver

h = hemlp.Hierarchy.from_edges([(0, 1), (0, 2), (1, 3), (2, 3), (1, 4), (2, 4), (4, 5), (3, 6)])
true, pred = [5, 3], [6, 4]
cause = "undefined symbol: _Z19set"
for name in ("milp", "cpsat", "flow", "portfolio"):
    assert cause in named_solver(name).available() and "highspy is loaded already" in named_solver(name).available()
model = hemlp.measure("F_LCA").model(h, true, pred)
for ask in (lambda: model.solve("milp"), model.to_mathopt, lambda: model.verify(model.solve())):
    try:
        ask()
    except MissingDependency as error:
        assert cause in str(error) and "import ortools before pulp" in str(error), error
        assert "pip install" not in str(error), error
    else:
        raise AssertionError("no error")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    found = model.solve("search(states=0)")
    ev = hemlp.evaluate(h, [true], {"s": [pred]}, ["F_LCA"], solver="search(states=0)")
model.check(found)
print(found.status, found.objective <= found.bounds[0], ev.status("s", "F_LCA")[str(found.status)])
print(any(cause in str(each.message) and "greedy" in str(each.message) for each in caught))
"""


@pytest.mark.parametrize("broken", [["ortools"], ["ortools", "pulp"]])
def test_highspy_keeps_ortools_from_loading(tmp_path, broken):
    """As where highspy is loaded first: the cause is said, and hard instances still end with a status."""
    for name in broken:
        text = "raise ImportError('libortools.so.9: undefined symbol: _Z19setLocalOption')"
        (tmp_path / f"{name}.py").write_text(text)
    later = tmp_path / "later"  # PuLP would look into it
    later.mkdir()
    (later / "highspy.py").write_text("")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    done = subprocess.run([sys.executable, "-c", STUCK, str(later)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    alone = broken == ["ortools", "pulp"]
    assert done.stdout.split() == [("feasible" if alone else "optimal"), "True", "1", str(alone)]
