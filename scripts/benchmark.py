"""Measures hemlp against other ways to the same result, as ratios within one run; nothing is asserted.

    python scripts/benchmark.py [SECTION ...] [--json FILE] [--record]

Each contender runs in a process of its own, after one untimed warm-up where compiled code is involved, so that its
peak memory is its own. Real data is found through HEMLP_DATA. Sections that are measured again replace those of the
JSON file; ``scripts/performance_page.py`` makes docs/performance.md from it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from contenders import BY_PARTS, DATA, SECTIONS, SIZES

HISTORY = Path(__file__).parent / "bench" / "performance_history.jsonl"


def run_contender(name: str, size: int | None, repeat: int) -> None:
    """In a process of its own: the least of ``repeat`` times, and peak memory."""
    contender = next(c for section in SECTIONS.values() for c in section if c.__name__ == name)
    timed = contender() if size is None else contender(size)
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        result = timed()
        seconds.append(time.perf_counter() - start)
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    figures: dict[str, Any] = {"seconds": min(seconds), "runs": len(seconds), "peak_mb": peak / 1024}
    figures["parts" if isinstance(result, dict) else "result"] = result if isinstance(result, dict) else str(result)
    print(json.dumps(figures))


def measure(name: str, size: int | None, repeat: int) -> dict[str, Any]:
    """The figures of one contender."""
    command = [sys.executable, __file__, "--contender", name, "--repeat", str(repeat)]
    command += [] if size is None else ["--size", str(size)]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(out.stdout.splitlines()[-1]))


def machine() -> str:
    """What this ran on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}"


def shown(figures: dict[str, Any]) -> str:
    """The result, or the parts of the time."""
    parts = figures.get("parts")
    return figures["result"] if parts is None else ", ".join(f"{name} {value:.4g}" for name, value in parts.items())


def main() -> None:
    """Run the sections that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default=list(SECTIONS), help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--record", action="store_true", help=f"append commit, machine and ratios to {HISTORY.name}")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contender:
        return run_contender(options.contender, options.size, options.repeat)
    if not DATA.is_dir():
        sys.exit("set HEMLP_DATA to the folder of real data")
    print(machine())
    commit = present_commit()
    known = options.json is not None and options.json.exists()
    report: dict[str, Any] = json.loads(options.json.read_text()) if known else {}
    report["machine"] = machine()
    for section in options.sections:
        print(f"\n{section}", flush=True)
        first = None
        report[section] = {}
        for contender in SECTIONS[section]:
            for size in SIZES.get(contender.__name__, (None,)):
                figures = measure(contender.__name__, size, options.repeat)
                first = first or figures
                ratio = figures["seconds"] / first["seconds"]
                title = (contender.__doc__ or "").splitlines()[0] + ("" if size is None else f" ({size:,})")
                print(
                    f"  {figures['seconds']:8.3f} s  ×{ratio:<7.1f} {figures['peak_mb']:7.0f} MB  {title}  "
                    f"[{shown(figures)}]",
                    flush=True,
                )
                name = contender.__name__ if size is None else f"{contender.__name__} {size}"
                report[section][name] = {"title": title, **figures}
        if options.json:
            options.json.write_text(json.dumps(report, indent=1) + "\n")
    if options.record:
        record(commit, {section: report[section] for section in options.sections})
    return None


def ratios(section: str, of: dict[str, Any]) -> dict[str, float]:
    """Of each contender to the first of its section, or of each part to the first of its contender."""
    if section in BY_PARTS:
        parts = [(name, figures["parts"]) for name, figures in of.items()]
    else:
        parts = [("", {name: figures["seconds"] for name, figures in of.items()})]
    return {
        f"{name}: {part}" if name else part: round(seconds / next(iter(each.values())), 4)
        for name, each in parts
        for part, seconds in each.items()
    }


def present_commit() -> str:
    """What is measured; asked for before the figures are written, which would make it look changed."""
    command = ["git", "describe", "--always", "--dirty"]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HISTORY.parent)
    return found.stdout.strip()


def record(commit: str, sections: dict[str, dict[str, Any]]) -> None:
    """One line more in the history: what was measured, as ratios."""
    found = {section: ratios(section, of) for section, of in sections.items()}
    line = {"commit": commit, "date": time.strftime("%Y-%m-%d"), "machine": machine(), "ratios": found}
    with HISTORY.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
