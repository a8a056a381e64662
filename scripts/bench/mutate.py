"""Plant faults, one at a time and each in a copy of the tree, and see whether tests find them.

``python scripts/bench/mutate.py`` takes an hour or so; ``--only kernels/ --only F_H`` chooses by file or by what
changes. The faults are in ``faults.py``: one whose text is not found exactly once stops everything, so the list stays
true.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from faults import FAULTS, TESTS, Fault

ROOT = Path(__file__).resolve().parents[2]
BASE = ROOT / "build" / "mutation"
SECONDS = 1800
COMPILE = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
NOTHING = Fault("", "", "", "nothing is planted: all tests have to pass")


def main() -> int:
    """Run what was asked for, show it as a table; 1 if a fault survived."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="faults whose lines hold this text")
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time")
    asked = parser.parse_args()
    wrong = [f"{one.file}: {one.old!r}" for one in FAULTS if _source(one).count(one.old) != 1]
    if wrong:
        raise SystemExit("to be found exactly once:\n" + "\n".join(wrong))
    chosen = [one for one in FAULTS if not asked.only or any(text in "\t".join(one) for text in asked.only)]
    if not chosen:
        raise SystemExit(f"no fault of {len(FAULTS)} holds {' or '.join(asked.only)}")
    _prepare()
    everything = NOTHING._replace(tests=" ".join(sorted({name for one in chosen for name in tests_of(one)})))
    with ThreadPoolExecutor(asked.jobs) as pool:
        outcomes = list(pool.map(plant, [everything, *chosen]))
    survived = [one for one, outcome in zip(chosen, outcomes[1:], strict=True) if outcome == "SURVIVED"]
    if outcomes[0] != "SURVIVED":
        raise SystemExit(f"tests fail where nothing is planted: {outcomes[0]}")
    print(f"\n{len(chosen) - len(survived)} of {len(chosen)} faults were found")
    for one in survived:
        print(f"survived: {one.file}: {one.changes}")
    return int(bool(survived))


def tests_of(fault: Fault) -> list[str]:
    """The names of the test files that have to find it."""
    places = [place for place in TESTS if f"{fault.file}/".startswith(f"{place}/")]
    return (fault.tests or TESTS[max(places, key=len)]).split()


def _source(fault: Fault) -> str:
    return (ROOT / "hemlp" / fault.file).read_text(encoding="utf-8")


def _prepare() -> None:
    """A compiled copy of the tree, from which those with faults are made: there only one kernel is compiled again."""
    shutil.rmtree(BASE, ignore_errors=True)
    ignored = shutil.ignore_patterns(".*", "build", "dist", "*.so", "*.pyd", "__pycache__")
    shutil.copytree(ROOT, BASE / "base", ignore=ignored)
    subprocess.run(COMPILE, cwd=BASE / "base", check=True, capture_output=True)


def plant(fault: Fault) -> str:
    """Which test found a fault, or SURVIVED; shown in a line as soon as it is known."""
    start, tree = time.monotonic(), BASE / f"{FAULTS.index(fault) if fault in FAULTS else 'nothing'}"
    shutil.copytree(BASE / "base", tree)
    if fault.file:
        file = tree / "hemlp" / fault.file
        file.write_text(_source(fault).replace(fault.old, fault.new), encoding="utf-8")
    outcome = "is no program" if fault.file.startswith("kernels/") and not _compile(tree) else _run_tests(fault, tree)
    shutil.rmtree(tree)
    print(f"{time.monotonic() - start:5.0f} s  {outcome:60.60}  {fault.file}: {fault.changes}", flush=True)
    return outcome


def _compile(tree: Path) -> bool:
    return subprocess.run(COMPILE, cwd=tree, check=False, capture_output=True).returncode == 0


def _run_tests(fault: Fault, tree: Path) -> str:
    files = [f"tests/test_{name}.py" for name in tests_of(fault)]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files]
    environment = os.environ | {"PYTHONPATH": str(tree)}
    environment.pop("HEMLP_DATA", None)
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"no end within {SECONDS} s"
    if done.returncode == 0:
        return "SURVIVED"
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if not failed:
        return f"ended with {done.returncode}"
    return failed[0].split()[1].removeprefix("tests/")


if __name__ == "__main__":
    raise SystemExit(main())
