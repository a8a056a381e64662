"""Compiles the kernels when the package is built; all else about it is in pyproject.toml.

Where there is no C compiler the package is built without: the kernels are Python files that also run as they are.
"""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

NEVER_COMPILED = {"__init__", "uncompiled"}
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    "infer_types": True,  # numbers are C numbers where what they are made of is
}

sources = [file for file in sorted(Path("hemlp/kernels").glob("*.py")) if file.stem in {"records", "signals", "tally", "distances", "matching", "pairing", "network", "certificate", "closed_forms", "flow", "cycles"}]
extensions = [
    Extension(f"hemlp.kernels.{file.stem}", [file.as_posix()], extra_compile_args=["-O3"], optional=True)
    for file in sources
]
setup(ext_modules=cythonize(extensions, compiler_directives=DIRECTIVES, build_dir="build"))
