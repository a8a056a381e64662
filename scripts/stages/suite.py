"""Format, lint, types and all tests: here, and on every further Python of the machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from stages.running import run

OLDEST, NEWEST = 11, 19
PROBE = "import ensurepip, json, sys, venv; print(json.dumps([sys.version_info[:2], sys.executable]))"


def suite() -> str:
    """What ./scripts/test does, and the tests that take minutes."""
    usual = run(["./scripts/test"])
    return f"{usual}; long ones: {run(['pytest', '-q', '-m', 'long', '-n', 'auto'])}"


def pythons() -> str:
    """What ./scripts/test does, on each further Python, in .venv-3.12 and so on."""
    found = further_pythons()
    if not found:
        return "no Python but this one is here"
    done = [
        f"{version}: {run(['./scripts/test'], variables={'HEMLP_PYTHON': path})}" for version, path in found.items()
    ]
    return "; ".join(done)


def further_pythons() -> dict[str, str]:
    """The path of each Python that hemlp can run on but for this one, by its version."""
    found: dict[tuple[int, int], str] = {}
    for candidate in _candidates():
        try:
            done = subprocess.run([candidate, "-c", PROBE], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            continue  # a shim of a Python that is not installed, or one that cannot make environments
        (major, minor), path = json.loads(done.stdout)
        if (major, minor) >= (3, OLDEST) and (major, minor) != sys.version_info[:2]:
            found.setdefault((major, minor), path)
    return {f"{major}.{minor}": path for (major, minor), path in sorted(found.items())}


def _candidates() -> Iterator[str]:
    yield from (f"python3.{minor}" for minor in range(OLDEST, NEWEST + 1))
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from map(str, sorted(pyenv.glob("versions/3.*/bin/python"), reverse=True))
