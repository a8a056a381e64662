"""Tests of compiled kernels that check themselves: bounds by Cython, memory and arithmetic by the compiler.

A copy of the tree is compiled with HEMLP_BUILD. First of all a planted fault has to be reported there, so that silence
afterwards means something.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from stages.running import BUILD, ROOT, StageFailed, run

PLANTED = '''"""Faults on purpose."""

from __future__ import annotations

import cython
import numpy as np


def beyond() -> float:
    """Read what is behind the end of an array."""
    values: cython.double[::1] = np.zeros(1000)
    i: cython.Py_ssize_t = values.shape[0]
    return values[i]


def before() -> float:
    """Read what is before the beginning of an array."""
    values: cython.double[::1] = np.zeros(1000)
    i: cython.Py_ssize_t = values.shape[0] - 1001
    return values[i]


def overflow(number: cython.longlong) -> int:
    """Add 1 to what may be the largest number."""
    return number + 1


def cast(number: cython.double) -> int:
    """Make a whole number of what may be too large for it."""
    return cython.cast(cython.longlong, number)
'''
NOT_OF_KERNELS = (
    "architecture", "benchmark", "browser", "docs", "environments", "gallery", "installing", "interrupts", "loading",
    "messages", "notebooks", "page", "play_browser", "plots", "project", "project_files",
)  # fmt: skip
"""Tests that have little to do with compiled code; all others are run, those of hostile inputs among them."""


@dataclass(frozen=True)
class Flavour:
    """A value of HEMLP_BUILD. ``faults``: calls of planted functions, and what is reported of each."""

    name: str
    faults: dict[str, str]
    preloaded: tuple[str, ...] = ()
    """Libraries that have to be there before Python is. Without libstdc++ exceptions of C++ end the process."""
    variables: dict[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    """Further tests that cannot run this way."""


BOUNDS = Flavour("bounds", {"beyond()": "IndexError: Out of bounds", "before()": "IndexError: Out of bounds"})
ASAN = Flavour(
    "asan",
    {"beyond()": "heap-buffer-overflow", "before()": "heap-buffer-overflow"},
    ("libasan.so", "libstdc++.so"),
    {"ASAN_OPTIONS": "detect_leaks=0:log_path={logs}/asan", "PYTHONMALLOC": "malloc"},
    without=("faults", "runs"),  # limits of memory, and clusters: a worker of Dask does not start
)
UBSAN = Flavour(
    "ubsan",
    {"overflow(2**63 - 1)": "signed integer overflow", "cast(1e300)": "outside the range of representable values"},
    variables={"UBSAN_OPTIONS": "print_stacktrace=1:log_path={logs}/ubsan"},
)


def checked(flavour: Flavour) -> str:
    """Compile a copy of the tree, see the planted faults reported, run the tests, and demand that nothing else is."""
    tree, logs = copied(flavour.name), BUILD / f"{flavour.name}-logs"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir()
    planted = tree / "hemlp" / "kernels" / "planted.py"
    planted.write_text(PLANTED, encoding="utf-8")
    run(
        [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
        cwd=tree,
        variables={"HEMLP_BUILD": flavour.name},
    )
    variables = {name: value.format(logs=logs) for name, value in flavour.variables.items()}
    variables |= {"PYTHONPATH": str(tree), "LD_PRELOAD": " ".join(map(_library, flavour.preloaded))}
    for call, words in flavour.faults.items():
        _see_reported(call, words, tree, logs, variables)
    for file in planted.parent.glob("planted.*"):
        file.unlink()
    ignored = [f"--ignore=tests/test_{name}.py" for name in (*NOT_OF_KERNELS, *flavour.without)]
    tests = ["pytest", "-q", "-n", "auto", "--dist", "worksteal", *ignored]
    try:
        summary = run([sys.executable, "-m", *tests], cwd=tree, variables=variables)
    finally:
        reports = sorted(logs.iterdir())
        for report in reports:
            print(report.read_text(encoding="utf-8", errors="replace")[:5000])
    if reports:
        raise StageFailed(f"{len(reports)} reports in {logs}")
    return f"{len(flavour.faults)} planted faults reported, no other; {summary}"


def copied(name: str) -> Path:
    """A new copy of the tree, without what was compiled."""
    tree = BUILD / name
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "build", "dist", "*.so", "*.pyd", "__pycache__"))
    return tree


def _library(name: str) -> str:
    compiler = os.environ.get("CC", "gcc").split()
    done = subprocess.run([*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _see_reported(call: str, words: str, tree: Path, logs: Path, variables: dict[str, str]) -> None:
    """Raise StageFailed unless a call of a planted function is reported; the report is not kept."""
    code = f"from hemlp import kernels; assert kernels.COMPILED; from hemlp.kernels import planted; planted.{call}"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tree, env=os.environ | variables, capture_output=True, text=True, check=False
    )
    found = done.stdout + done.stderr
    for report in logs.iterdir():
        found += report.read_text(encoding="utf-8", errors="replace")
        report.unlink()
    if words not in found:
        raise StageFailed(f"the planted fault {call} was not reported as {words!r}, but so: {found[-2000:]!r}")
    print(f"planted {call}: reported, {words}", flush=True)
