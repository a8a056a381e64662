"""How much memory this process can still have."""

from __future__ import annotations

import math
from pathlib import Path

GROUP = Path("/sys/fs/cgroup")


def available_memory() -> float:
    """Bytes, by what the machine, its control group and the limits of this process tell; infinite if nothing does."""
    return min(_free_of_machine(), _free_of_group(), _free_of_process())


def _free_of_machine() -> float:
    fields = dict(line.split(":", 1) for line in _lines("/proc/meminfo"))
    sizes = [fields.get(name) for name in ("MemAvailable", "SwapFree")]
    return math.inf if sizes[0] is None else 1024.0 * sum(int(size.split()[0]) for size in sizes if size)


def _free_of_group() -> float:
    limit, used = (next(iter(_lines(GROUP / name)), "") for name in ("memory.max", "memory.current"))
    return float(limit) - float(used) if limit.isdigit() and used.isdigit() else math.inf


def _free_of_process() -> float:
    try:
        import resource
    except ImportError:  # Windows has none
        return math.inf
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    used = next(iter(_lines("/proc/self/statm")), "0").split()[0]
    return math.inf if limit == resource.RLIM_INFINITY else float(limit) - int(used) * resource.getpagesize()


def _lines(path: str | Path) -> list[str]:
    """Of a file, none if it cannot be read."""
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def format_bytes(size: float) -> str:
    """A number of bytes, rounded up to a tenth."""
    unit, name = (2**30, "GB") if size >= 2**30 else (2**20, "MB")
    return f"{math.ceil(10 * max(0.0, size) / unit) / 10:,.1f} {name}"
