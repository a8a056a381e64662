"""The compiled loops: Python files with C types in their annotations, compiled by Cython when the package is built.

Uncompiled they give the same numbers, a hundred times slower. That is what runs where the package was built without a C
compiler, which is said once, and where ``HEMLP_UNCOMPILED=1`` asks for it. Compiled and uncompiled ones do not mix.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels import uncompiled

Array = NDArray[Any]
HERE = Path(__file__).parent
ADVICE = (
    "hemlp runs without its compiled code: the numbers are the same, but everything is slow. Usually there was no C "
    "compiler when it was installed: install one (Debian: apt-get install gcc python3-dev; macOS: xcode-select "
    "--install; Windows: Visual Studio Build Tools), then run in hemlp's folder: "
    "pip install --force-reinstall --no-deps --no-cache-dir ."
)


_CIMPORT = re.compile(r"^from (\S+) cimport (.+)", re.MULTILINE)
_ENUM = re.compile(r"^cp?def enum:.*\n((?:    .+\n)+)", re.MULTILINE)
_LIBC = {
    "INFINITY": math.inf, "NAN": math.nan, "fabs": math.fabs, "isfinite": math.isfinite, "hypot": np.hypot,
}  # fmt: skip


def declared(pxd: str) -> dict[str, Any]:
    """What a kernel has from its .pxd file: constants, and what is cimported, as far as Python has it."""
    names: dict[str, Any] = {}
    for block in _ENUM.findall(pxd):
        value = -1
        for item in re.sub("#.*", "", block).replace("\n", ",").split(","):
            name, _, given = item.partition("=")
            if name.strip():
                names[name.strip()] = value = int(given, 0) if given else value + 1
    for origin, wanted in _CIMPORT.findall(pxd):
        has = vars(import_module(origin)) if origin.startswith("hemlp.") else _LIBC
        names |= {name: has[name] for name in wanted.split(", ") if name in has}
    return names


class Uncompiled(SourceFileLoader):
    """Runs the Python file of a kernel with what its .pxd file declares; ``import cython`` gives ``uncompiled``."""

    def exec_module(self, module: ModuleType) -> None:
        """As usual."""
        vars(module).update(declared(Path(self.path).with_suffix(".pxd").read_text(encoding="utf-8")))
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


def describe_uncompiled(folder: Path = HERE) -> str:
    """Which kernels are not compiled, and which are older than their source; empty where none is compiled."""
    missing, old, every = [], [], [p for p in sorted(folder.rglob("*.py")) if p.stem not in ("__init__", "uncompiled")]
    for source in every:
        built = [file for suffix in EXTENSION_SUFFIXES if (file := source.with_suffix(suffix)).exists()]
        name = source.relative_to(folder).with_suffix("").as_posix()
        if not built:
            missing.append(name)
        elif built[0].stat().st_mtime < source.stat().st_mtime:
            old.append(name)
    if len(missing) == len(every):
        return ""
    parts = (("not compiled", missing), ("older than their source", old))
    said = "; ".join(f"{words}: {', '.join(names)}" for words, names in parts if names)
    return f" ({said})" if said else ""


ASKED = os.environ.get("HEMLP_UNCOMPILED", "")
COMPILED = ASKED != "1" and all_compiled()

if not COMPILED:
    sys.meta_path.insert(0, Sources)
    if ASKED == "":
        import logging

        logging.getLogger("hemlp").warning("%s%s", ADVICE, describe_uncompiled())
        os.environ["HEMLP_UNCOMPILED"] = "said"  # processes that this one starts need not say it again
