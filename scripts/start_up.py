"""Contenders of ``benchmark.py`` around the start of the command line, and the size of what is installed."""

from __future__ import annotations

import atexit
import compileall
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import hemlp

PACKAGE = Path(hemlp.__file__).parent
MINI = PACKAGE / "data" / "mesh_mini"
EVALUATE = ["-m", "hemlp", "evaluate", *(str(MINI / f"{name}.txt") for name in ("hierarchy", "gold", "pred_knn30"))]
Timed = Callable[[], Any]
LEAST: dict[str, float] = {}


def _cpu_time(arguments: list[str], **environment: str) -> dict[str, float]:
    """Run Python; the processor time that this takes, at least."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-P", *arguments]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **environment})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    LEAST[arguments[-1]] = min(spent, LEAST.get(arguments[-1], spent))
    return {"CPU": LEAST[arguments[-1]]}


def _copies(number: int) -> list[str]:
    """Folders with packages that nobody has used yet, their Python files translated as pip does it."""
    folder = Path(tempfile.mkdtemp(prefix="hemlp-"))
    atexit.register(shutil.rmtree, folder)
    shutil.copytree(PACKAGE, folder / "0" / "hemlp", ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(folder / "0", quiet=1)
    return [str(folder / "0"), *(shutil.copytree(folder / "0", str(folder / str(k))) for k in range(1, number))]


def numpy_and_click() -> Timed:
    """`python -c "import numpy, click"`: the unit."""
    return lambda: _cpu_time(["-c", "import numpy, click"])


def import_hemlp() -> Timed:
    """`python -c "import hemlp"`."""
    (place,) = _copies(1)
    return lambda: _cpu_time(["-c", "import hemlp"], PYTHONPATH=place)


def first_run() -> Timed:
    """`hemlp evaluate` on the 200 bundled documents, six measures, for the first time since it was installed."""
    places = iter(_copies(30))
    return lambda: _cpu_time(EVALUATE, PYTHONPATH=next(places))


def warm_run() -> Timed:
    """The same for the second time."""
    (place,) = _copies(1)
    _cpu_time(EVALUATE, PYTHONPATH=place)
    return lambda: _cpu_time(EVALUATE, PYTHONPATH=place)


def installed_size() -> Timed:
    """Megabytes that hemlp and what it cannot do without take on the disk, by package."""

    def measure() -> dict[str, float]:
        project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
        sizes = {name: _size(name) for name in sorted(_needed(project["dependencies"]))}
        own = sum(
            file.stat().st_size for file in PACKAGE.rglob("*") if file.is_file() and "__pycache__" not in file.parts
        )
        return dict(sorted((sizes | {"hemlp": own / 2**20}).items(), key=lambda item: -item[1]))

    return measure


def _size(name: str) -> float:
    files = metadata.files(name) or []
    places = [Path(str(file.locate())) for file in files]
    return sum(place.stat().st_size for place in places if place.is_file()) / 2**20


def _needed(requirements: list[str]) -> set[str]:
    """The packages that these lines ask for, and those that they ask for, without extras."""
    found: set[str] = set()
    left = list(requirements)
    while left:
        wanted, _, condition = left.pop().partition(";")
        name = re.split(r"[^\w.-]", wanted.strip())[0].lower().replace("_", "-")
        if (
            name not in found
            and "extra" not in condition
            and ("platform" not in condition or sys.platform in condition)
        ):
            found.add(name)
            left += metadata.requires(name) or []
    return found
