"""What all stages need: the tree, commands that must succeed, and how a stage fails."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "stages"
"""Where copies of the tree and files that caused an error are kept until the next run."""


class StageFailed(Exception):
    """A stage found something wrong; the message is its summary."""


def run(command: Sequence[str], *, cwd: Path = ROOT, variables: Mapping[str, str] | None = None) -> str:
    """Run a command that must succeed, show what it prints, and return its last line."""
    print("+", *command, flush=True)
    last = ""
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=os.environ | (variables or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            last = line.strip(" =\n") or last
    if process.returncode:
        raise StageFailed(f"{' '.join(command[:4])} ended with {process.returncode}: {last}")
    return last
