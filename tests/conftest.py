from __future__ import annotations

import os
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import hemlp

settings.register_profile(
    "fixed", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", settings.get_profile("fixed"), derandomize=False, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

KERNELS = Path(hemlp.__file__).parent / "kernels"


def pytest_configure() -> None:
    """Refuse to test compiled kernels that are older than their sources."""
    compiled = [file for file in KERNELS.iterdir() if file.name.endswith(tuple(EXTENSION_SUFFIXES))]
    for file in compiled if os.environ.get("HEMLP_UNCOMPILED") != "1" else []:
        for source in KERNELS.glob(f"{file.name.partition('.')[0]}.p*"):
            if source.stat().st_mtime > file.stat().st_mtime:
                raise pytest.UsageError(f"{source.name} has changed: python setup.py build_ext --inplace compiles it")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data that does not come with the project."""
    folder = os.environ.get("HEMLP_DATA")
    if not folder:
        pytest.skip("HEMLP_DATA is not set: tests on large real data are skipped")
    return Path(folder)
