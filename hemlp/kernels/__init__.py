"""The compiled loops: Python files with C types in their annotations, compiled by Cython when the package is built.

Uncompiled they give the same numbers, a hundred times slower. That is what runs where the package was built without a C
compiler, which is said once, and where ``HEMLP_UNCOMPILED=1`` asks for it.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent


class Sources:
    """Finds the Python files of kernels where compiled ones are beside them."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Where the source of a kernel is; None for any other module."""
        package, _, module = name.rpartition(".")
        return spec_from_file_location(name, HERE / f"{module}.py") if package == __name__ else None


if os.environ.get("HEMLP_UNCOMPILED") == "1":
    sys.meta_path.insert(0, Sources)
elif not any((HERE / f"records{suffix}").exists() for suffix in EXTENSION_SUFFIXES):
    logging.getLogger("hemlp").warning(
        "hemlp was installed without a C compiler, so all of it works, but slowly. To mend that, install one "
        "(Debian: apt-get install gcc python3-dev; macOS: xcode-select --install; Windows: Visual Studio Build Tools) "
        "and then hemlp again: pip install --force-reinstall --no-deps --no-cache-dir hemlp"
    )
