from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Iterable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import hemlp

settings.register_profile(
    "fixed", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", settings.get_profile("fixed"), derandomize=False, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

KERNELS = Path(hemlp.__file__).parent / "kernels"
BUILT_IN_SUM = sum


def watched_sum(values: Iterable[Any], /, start: Any = 0) -> Any:
    """The built-in sum, which refuses to add floats for the library: from Python 3.12 on the result is another."""
    total = BUILT_IN_SUM(values, start)
    caller = sys._getframe(1)
    module = caller.f_globals.get("__name__", "")
    if isinstance(total, float) and module.partition(".")[0] == "hemlp":
        raise AssertionError(
            f"{module}, line {caller.f_lineno}: floats are added by plain_sum or math.fsum, not by sum"
        )
    return total


def pytest_configure() -> None:
    """Refuse to test compiled kernels that are older than their sources; watch over what is added up."""
    builtins.sum = watched_sum
    for source in KERNELS.rglob("*.p*") if os.environ.get("HEMLP_UNCOMPILED") != "1" else []:
        for suffix in EXTENSION_SUFFIXES:  # those of other Pythons are none of our business
            compiled = source.with_suffix(suffix)
            if compiled.exists() and source.stat().st_mtime > compiled.stat().st_mtime:
                raise pytest.UsageError(f"{source.name} has changed: python setup.py build_ext --inplace compiles it")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data that does not come with the project."""
    folder = os.environ.get("HEMLP_DATA")
    if not folder:
        pytest.skip("HEMLP_DATA is not set: tests on large real data are skipped")
    return Path(folder)
