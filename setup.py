"""Compiles the kernels when the package is built; all else about it is in pyproject.toml.

Where that is impossible, for want of a C compiler, the package is built without: kernels also run as they are.
"""

from __future__ import annotations

import os
import shutil
import sys
from multiprocessing import get_context
from pathlib import Path
from sysconfig import get_config_var

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

KERNELS = Path("hemlp/kernels")
NEVER_COMPILED = {"__init__", "uncompiled"}
SHARED = "hemlp.kernels.shared"
"""A module of what all kernels need of Cython: without it each has its own copy, and compiling takes twice as long."""
FLAVOURS = {
    "": ["-g0"],
    "bounds": ["-O1", "-g"],
    "asan": ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address"],
    "ubsan": ["-O1", "-g", "-fno-wrapv", "-fsanitize=undefined,float-cast-overflow"],
}
"""Options of the C compiler for each value of HEMLP_BUILD; all but the first are for scripts/stages."""
LEAN = "-DCYTHON_INLINE="
"""Cython's own functions are then called, not inlined: what makes arguments of views is half of the code to compile."""
OPTIMIZED = {
    "-O3": "by_score sweep paired label_sets",
    "-O3 -finline-limit=600": "closed_forms successive_shortest_paths transport tally distances reach local_numbering "
    "eligible path_graphs signatures lexicon splitting sha256",
    "-O2": "greedy enumerated_parts shared_paths part_search lagrangian_bound components ties",
    f"-O1 {LEAN}": "shared records bitsets signals stepwise twins link_finder census orders",
}
"""Options for modules, chosen by instruction counts: -O1 for what takes no time, and -O2 with LEAN for all not here.

Functions that .pxd files declare are inlined too seldom without a higher limit.
"""
FLAVOUR = os.environ.get("HEMLP_BUILD", "")
if FLAVOUR not in FLAVOURS:
    raise SystemExit(f"HEMLP_BUILD is {FLAVOUR!r}, and not one of {', '.join(filter(None, FLAVOURS))}")
CHECKED = FLAVOUR == "bounds"
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": False,  # so that an index below 0 is out of bounds where these are checked
    "initializedcheck": CHECKED,
    "cdivision": not CHECKED,
    "auto_pickle": False,  # records hold views of arrays
    "infer_types": True,  # numbers are C numbers where what they are made of is
    "binding": False,  # from here on: less C to compile
    "emit_code_comments": False,
    "optimize.unpack_method_calls": False,
}


class BuildAllOrNone(build_ext):
    """Either all kernels are compiled, or none is: they do not mix."""

    def run(self) -> None:
        """Compile them, and go on without where that is impossible."""
        self.parallel = self.parallel or os.cpu_count()
        beside_sources = self.inplace or self.editable_mode
        try:
            compiler = (os.environ.get("CC") or get_config_var("CC") or "").split()
            if compiler and shutil.which(compiler[0]) is None:
                raise CCompilerError(f"there is no {compiler[0]}")
            self.translate()
            super().run()
        except (BaseError, CCompilerError, OSError) as error:
            print(f"hemlp is built without compiled code, so it will be slow: {error}", file=sys.stderr)
            made = [Path(self.get_ext_fullpath(extension.name)) for extension in self.extensions]
            older = [file for kind in ("*.so", "*.pyd") for file in KERNELS.rglob(kind)] if beside_sources else []
            for file in made + older:
                file.unlink(missing_ok=True)
            self.extensions = []

    def translate(self) -> None:
        """Python to C: by several processes where one can be divided, and what they leave by this one."""
        from Cython.Build import cythonize

        options = {"build_dir": "build", "force": self.force, "shared_utility_qualified_name": SHARED}

        def translated(extensions: list[Extension]) -> list[Extension]:
            return cythonize(extensions, compiler_directives=DIRECTIVES, **options)

        plain = [Extension(extension.name, extension.sources) for extension in self.extensions]
        if sys.platform == "linux":
            count = os.cpu_count() or 1
            divide = get_context("fork").Process
            processes = [divide(target=translated, args=(plain[k::count],)) for k in range(1, count)]
            for process in processes:
                process.start()
            translated(plain[::count])
            for process in processes:
                process.join()
            options["force"] = False
        sources = {extension.name: extension.sources for extension in translated(plain)}
        for extension in self.extensions:
            extension.sources = sources[extension.name]


kernels = [file for file in sorted(KERNELS.rglob("*.py")) if file.stem not in NEVER_COMPILED]
linked = [option for option in FLAVOURS[FLAVOUR] if "sanitize" in option]
modules = {".".join(file.with_suffix("").parts): [str(file)] for file in kernels} | {SHARED: []}


def options(name: str) -> list[str]:
    """Those of the C compiler for a module."""
    if os.name == "nt":
        return []
    module = name.rpartition(".")[2]
    level = next((level for level, modules in OPTIMIZED.items() if module in modules.split()), f"-O2 {LEAN}")
    return [*level.split(), *FLAVOURS[FLAVOUR], "-w", "-ffp-contract=off"]  # nobody wrote it; the same sums everywhere


setup(
    ext_modules=[
        Extension(name, sources, extra_compile_args=options(name), extra_link_args=linked)
        for name, sources in modules.items()
    ],
    cmdclass={"build_ext": BuildAllOrNone},
)
