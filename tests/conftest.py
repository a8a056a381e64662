from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "fixed", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", settings.get_profile("fixed"), derandomize=False, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data that does not come with the project."""
    folder = os.environ.get("HEMLP_DATA")
    if not folder:
        pytest.skip("HEMLP_DATA is not set: tests on large real data are skipped")
    return Path(folder)
