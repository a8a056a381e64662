"""Damaged and hostile files for every reader, for a bounded time: each seed is one file, and can be given again."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path

from stages.running import BUILD, StageFailed


def fuzz(seed: int, seconds: float) -> str:
    """Fuzz from ``seed`` on, in processes that are started again where one ended."""
    print(f"seeds from {seed} on; a file of an error can be read again by: --long fuzz --seed SEED --seconds 5")
    kept = BUILD / "fuzz"
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    late = threading.Event()
    timer = threading.Timer(seconds, late.set)
    timer.start()
    outcomes: Counter[str] = Counter()
    wrong: list[str] = []
    first = seed
    with tempfile.TemporaryDirectory() as folder:
        while not late.is_set():
            first = 1 + _until_it_ends(first, folder, kept, late, outcomes, wrong)
    timer.cancel()
    counts = f"{outcomes['read']:,} files read, {outcomes['refused']:,} refused by name, seeds {seed} to {first - 1}"
    if wrong:
        raise StageFailed(f"{len(wrong)} errors (files in {kept}): {'; '.join(wrong[:20])}; {counts}")
    if not outcomes["read"] or not outcomes["refused"]:
        raise StageFailed(f"there was no time for anything: {counts}")
    return counts


def _until_it_ends(
    first: int, folder: str, kept: Path, late: threading.Event, outcomes: Counter[str], wrong: list[str]
) -> int:
    """Watch one process until it ends or time is over; the last seed that it has begun."""
    command = [sys.executable, str(Path(__file__).with_name("readers.py")), str(first), str(kept)]
    last, begun = first - 1, ""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in map(str.strip, process.stdout):
            if line.startswith("seed "):
                last, begun = int(line.split()[1]), line
                continue
            outcomes[line] += 1
            if line == "WRONG":
                wrong.append(begun)
                print(f"{begun}: this must not happen", flush=True)
            begun = ""
            if late.is_set():
                process.kill()
                return last
    if not begun:
        raise StageFailed(f"valid files are not read: the process ended with {process.returncode}")
    wrong.append(f"{begun}: the process ended with {process.returncode}")
    print(wrong[-1], flush=True)
    shutil.copy(kept / "now", kept / f"{last}-{begun.split()[-1]}")
    return last
