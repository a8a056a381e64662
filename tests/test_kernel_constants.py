"""Constants of kernels stand in a .pxd file for C, and in the .py file for Python: both are the same."""

from __future__ import annotations

import ast
import re
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
    assert {name: plain.get(name) for name in constants} == constants


def test_there_are_constants():
    assert sum(len(of_c(file)) for file in KERNELS.rglob("*.pxd")) > 60


def test_the_map_has_every_kernel():
    words = (KERNELS / "README.md").read_text(encoding="utf-8")
    missing = [
        file.stem for file in KERNELS.rglob("*.py") if file.stem != "__init__" and f"| {file.stem} |" not in words
    ]
    assert not missing
