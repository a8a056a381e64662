"""Constants of kernels stand in a .pxd file for C, and in the .py file for Python: both are the same."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hemlp

KERNELS = Path(hemlp.__file__).parent / "kernels"
ENUM = re.compile(r"^c?p?def enum:\n((?:    .+\n)+)", re.MULTILINE)


def of_c(file: Path) -> dict[str, int]:
    """The constants of the enums of a .pxd file."""
    found: dict[str, int] = {}
    for block in ENUM.findall(file.read_text(encoding="utf-8")):
        value = -1
        for item in re.sub(r"#.*", "", block).replace("\n", ",").split(","):
            name, _, given = item.partition("=")
            if name.strip():
                value = int(given, 0) if given else value + 1
                found[name.strip()] = value
    return found


def of_python(file: Path) -> dict[str, object]:
    """What a .py file assigns where it is not compiled."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and "cython.compiled" in ast.unparse(node.test)]
    scope: dict[str, object] = {}
    for node in [each for block in blocks for each in block.body if isinstance(each, ast.Assign)]:
        if not ast.unparse(node.targets[0]).isupper():
            continue
        exec(compile(ast.Module([node], []), file.name, "exec"), scope)
    return scope


@pytest.mark.parametrize("file", sorted(KERNELS.rglob("*.pxd")), ids=lambda file: file.stem)
def test_constants_agree(file):
    constants, plain = of_c(file), of_python(file.with_suffix(".py"))
    assert {name: plain.get(name, value) for name, value in constants.items()} == constants


def test_uncompiled_kernels_have_what_is_declared():
    """In a process of its own: constants and all that is cimported from other kernels."""
    code = """
import importlib, re, sys
from pathlib import Path
for file in sorted(map(Path, sys.argv[2:])):
    text = file.with_suffix(".pxd").read_text()
    module = importlib.import_module(".".join(file.with_suffix("").relative_to(sys.argv[1]).parts))
    wanted = re.findall(r"^    ([A-Z_]+) =", text, re.MULTILINE)
    for names in re.findall(r"^from hemlp\\S+ cimport (.+)", text, re.MULTILINE):
        wanted += names.split(", ")
    print(*(f"{file.stem}.{name}" for name in wanted if not hasattr(module, name)))
"""
    files = [str(KERNELS.parents[1]), *(str(file.with_suffix(".py")) for file in KERNELS.rglob("*.pxd"))]
    done = subprocess.run([sys.executable, "-c", code, *files], env={**os.environ, "HEMLP_UNCOMPILED": "1"},
                          capture_output=True, text=True, check=True)  # fmt: skip
    c_only = {"is_white", "first_mark", "marks_within", "end_of_word", "eight", "prefetch", "Letters"}
    assert {name for name in done.stdout.split() if name.partition(".")[2] not in c_only} == set()


def test_there_are_constants():
    assert sum(len(of_c(file)) for file in KERNELS.rglob("*.pxd")) > 60


def test_the_map_has_every_kernel():
    words = (KERNELS / "README.md").read_text(encoding="utf-8")
    missing = [
        file.stem for file in KERNELS.rglob("*.py") if file.stem != "__init__" and f"| {file.stem} |" not in words
    ]
    assert not missing
