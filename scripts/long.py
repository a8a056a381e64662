"""``./scripts/test --long``: everything that can be checked, as stages. Each can be run alone by its name.

suite    format, lint, types and all tests, those that take minutes, too
pythons  the suite on every further Python of the machine
bounds   tests on kernels with bounds checks
asan     tests on kernels with AddressSanitizer
ubsan    tests on kernels with UndefinedBehaviorSanitizer
fuzz     damaged and hostile files for every reader; --seconds, and --seed to see one again
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable

from stages.checked import ASAN, BOUNDS, UBSAN, checked
from stages.fuzz import fuzz
from stages.running import StageFailed
from stages.suite import pythons, suite


def main() -> int:
    """Run the stages that were asked for, or all; 1 if one failed."""
    parser = argparse.ArgumentParser(
        prog="./scripts/test --long", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60, help="how long readers are fuzzed (60)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9), help="the first seed of fuzzing (drawn)")
    parser.add_argument("stages", nargs="*", metavar="STAGE", help="all, if none is named")
    asked = parser.parse_args()
    stages: dict[str, Callable[[], str]] = {
        "suite": suite,
        "pythons": pythons,
        "bounds": lambda: checked(BOUNDS),
        "asan": lambda: checked(ASAN),
        "ubsan": lambda: checked(UBSAN),
        "fuzz": lambda: fuzz(asked.seed, asked.seconds),
    }
    if unknown := set(asked.stages) - stages.keys():
        parser.error(f"there is no stage {', '.join(sorted(unknown))}: {', '.join(stages)}")
    summary, failed = [], False
    for name in asked.stages or stages:
        print(f"\n==== {name}", flush=True)
        start = time.monotonic()
        try:
            words = f"passed: {stages[name]()}"
        except StageFailed as error:
            words, failed = f"FAILED: {error}", True
        summary.append(f"{name:8} {time.monotonic() - start:6.0f} s  {words}")
        print(f"==== {summary[-1]}", flush=True)
    print("\n" + "\n".join(summary))
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
