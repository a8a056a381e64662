"""Processes that tests start, watch and interrupt. Nothing here depends on how fast the machine is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from hemlp import examples

ROOT = Path(__file__).parent.parent
MINI = examples.DATA / "mesh_mini"
FILES = [str(MINI / name) for name in ("hierarchy.txt", "gold.txt", "pred_knn30.txt", "pred_topdown_lcpn.txt")]
HEMLP = [sys.executable, "-m", "hemlp"]
PATIENCE = 300
"""Seconds after which something hangs."""


def usual_signals() -> None:
    """In a new process: signals mean what they usually do, though the tests run under nohup or in the background."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start(command: list[str], **options) -> subprocess.Popen[str]:
    """A process in a session of its own, with its outputs in pipes."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": usual_signals, **options}
    return subprocess.Popen(command, text=True, start_new_session=True, **options)


def until(happened, process: subprocess.Popen | None = None) -> None:
    """Wait until ``happened()``, while ``process`` lives."""
    end = time.monotonic() + PATIENCE
    while not happened():
        if process is not None and process.poll() is not None and not happened():
            raise AssertionError(f"ended with {process.returncode}: {process.communicate()}")
        assert time.monotonic() < end, "nothing happens"
        time.sleep(0.01)


def end_of(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, output and errors, once neither it nor anything that it started is left."""
    out, error = process.communicate(timeout=PATIENCE)
    until(lambda: not session(process.pid))
    return process.returncode, out, error


def session(leader: int) -> list[int]:
    """The processes of a session."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader and fields[0] not in "ZX":
            found.append(int(stat.parent.name))
    return found


def handles(process: int, number: int) -> bool:
    """Whether a process has a handler for a signal: hemlp has one for SIGTERM from the moment that it begins."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return False
    caught = next((line.split()[1] for line in lines if line.startswith("SigCgt")), "0")
    return bool(int(caught, 16) >> (number - 1) & 1)


def begun(process: subprocess.Popen[str]) -> None:
    """Wait until hemlp's command line has begun."""
    until(lambda: handles(process.pid, signal.SIGTERM), process)


def many_rows(folder: Path, times: int) -> list[str]:
    """The bundled documents, so many times over: hierarchy, true labels, predictions."""
    gold, pred = folder / "gold.txt", folder / "pred.txt"
    gold.write_text(Path(FILES[1]).read_text() * times)
    pred.write_text(Path(FILES[2]).read_text() * times)
    return [FILES[0], str(gold), str(pred)]


def environment(**changes: str) -> dict[str, str]:
    """The environment of this process, with changes."""
    return {**os.environ, **changes}
