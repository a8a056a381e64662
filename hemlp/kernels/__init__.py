"""The compiled loops: Python files with C types in their annotations, compiled by Cython when the package is built.

Uncompiled they give the same numbers, a hundred times slower. That is what runs where the package was built without a C
compiler, which is said once, and where ``HEMLP_UNCOMPILED=1`` asks for it. Compiled and uncompiled ones do not mix.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from numpy.typing import NDArray

from hemlp.kernels import uncompiled

Array = NDArray[Any]
HERE = Path(__file__).parent
ADVICE = (
    "hemlp runs without its compiled code, since there was no C compiler when it was installed: the numbers are the "
    "same, but all takes long. Install one (Debian: apt-get install gcc python3-dev; macOS: xcode-select --install; "
    "Windows: Visual Studio Build Tools), and then hemlp again: "
    "pip install --force-reinstall --no-deps --no-cache-dir hemlp"
)


class Uncompiled(SourceFileLoader):
    """Runs the Python file of a kernel, where ``import cython`` gives what ``uncompiled`` has, installed or not."""

    def exec_module(self, module: ModuleType) -> None:
        """As usual."""
        installed = {name: sys.modules[name] for name in ("cython",) if name in sys.modules}
        sys.modules["cython"] = uncompiled
        try:
            super().exec_module(module)
        finally:
            del sys.modules["cython"]
            sys.modules.update(installed)


class Sources:
    """Finds the Python files of kernels where compiled ones are beside them."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Where the source of a kernel is; None for any other module."""
        package, _, inner = name.partition(f"{__name__}.")
        file = HERE / f"{inner.replace('.', '/')}.py"
        if package or not inner or not file.exists():
            return None
        return spec_from_file_location(name, file, loader=Uncompiled(name, str(file)))


def all_compiled() -> bool:
    """Whether each kernel was compiled, for this version of Python."""
    files = {os.path.join(folder, file) for folder, _, files in os.walk(HERE) for file in files}
    kernels = {file.removesuffix(".py") for file in files if file.endswith(".py")}
    kernels = {kernel for kernel in kernels if os.path.basename(kernel) not in ("__init__", "uncompiled")}
    kernels.add(os.path.join(HERE, "shared"))  # what all of them need of Cython
    return all(any(f"{kernel}{suffix}" in files for suffix in EXTENSION_SUFFIXES) for kernel in kernels)


ASKED = os.environ.get("HEMLP_UNCOMPILED", "")
COMPILED = ASKED != "1" and all_compiled()

if not COMPILED:
    sys.meta_path.insert(0, Sources)
    if ASKED == "":
        import logging

        logging.getLogger("hemlp").warning(ADVICE)
        os.environ["HEMLP_UNCOMPILED"] = "said"  # processes that this one starts need not say it again
