"""The layers of the library: no module imports one of a layer above its own, at its top or within a function."""

from __future__ import annotations

import ast
import sys
import threading
from pathlib import Path

import pytest

import hemlp
from hemlp.arrays import plain_sum
from hemlp.kernels import COMPILED

PACKAGE = Path(hemlp.__file__).parent
LAYERS = [
    {"escaping", "version"}, {"errors"}, {"arrays", "options"}, {"text", "processes"}, {"kernels"}, {"io"},
    {"hierarchy"}, {"instances"}, {"optimize"}, {"problems"}, {"solvers"}, {"measures"}, {"results"}, {"analysis"},
    {"report"}, {"run"}, {"bounds", "costs", "examples", "metrics", "stats"}, {"paper"},
    {"testing", "play"}, {"cli"},
]  # fmt: skip
"""From the bottom to the top; those of one layer do not import each other."""
ANALYSES = [
    {"statistics", "explain", "ranking_sensitivity", "similarity_matrix"},
    {"diagnosis", "scored", "properties", "agreement", "decision"},
]
"""The layers of ``hemlp.analysis``."""
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
TOP = {"__init__", "__main__"}


def part_of(path: Path) -> str:
    """The package or top module that a file belongs to."""
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(path: Path):
    """(line, module) of each import of the library, those for type checkers included."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "hemlp":
            names = [node.module] if node.module != "hemlp" else [f"hemlp.{alias.name}" for alias in node.names]
            yield from ((node.lineno, name) for name in names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name.startswith("hemlp."))


def test_every_part_has_a_layer():
    parts = {part_of(path) for path in PACKAGE.rglob("*.py")} - TOP
    assert parts == set(LEVEL)


def test_no_module_imports_one_of_a_layer_above():
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        own = part_of(path)
        for line, module in imports(path):
            other = module.split(".")[1]
            if own in TOP or other not in LEVEL:  # names that hemlp itself offers
                assert own in TOP | {"cli", "testing"}, f"{path}:{line} imports {module} from the top"
                continue
            if other != own and LEVEL[other] >= LEVEL[own]:
                wrong.append(f"{path.relative_to(PACKAGE)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_analyses_have_layers_too():
    level = {name: k for k, names in enumerate(ANALYSES) for name in names}
    wrong, parts = [], set()
    for path in sorted((PACKAGE / "analysis").glob("**/*.py")):
        own = path.relative_to(PACKAGE / "analysis").parts[0].removesuffix(".py")
        parts.add(own)
        for line, module in imports(path):
            other = module.removeprefix("hemlp.analysis.").split(".")[0]
            if other in level and other != own and level[other] >= level[own]:
                wrong.append(f"{path.relative_to(PACKAGE)}:{line} imports {module}")
    assert parts - TOP == set(level)
    assert not wrong, "\n".join(wrong)


def test_few_files_stand_at_the_top():
    assert len({path.stem for path in PACKAGE.glob("*.py")} - set(hemlp.MODULES)) <= 7


def test_every_package_says_what_lives_there():
    for path in PACKAGE.rglob("__init__.py"):
        words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert words, path
        if path.parent != PACKAGE:
            assert "mports" in words or {"kernels", "solvers"} & set(path.parts), f"{path}: say what it may import"


def test_modules_and_functions_are_of_readable_size():
    long = []
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > 400:
            long.append(f"{path.relative_to(PACKAGE)}: {text.count(chr(10))} lines")
    assert not long, long


@pytest.mark.skipif(not COMPILED, reason="the functions of kernels are counted, too, where they are not compiled")
@pytest.mark.parametrize("measure", ["F_H", "MGIA", "F_LCA"])
def test_a_number_has_a_short_way(tmp_path, measure):
    """From three text files to a table: who follows it in a debugger meets so many functions and files."""
    (tmp_path / "h.txt").write_text("animal mammal\nmammal sheep\nmammal cow\nanimal bird\n")
    (tmp_path / "g.txt").write_text("sheep\ncow bird\n\n")
    (tmp_path / "p.txt").write_text("cow\nmammal bird\nbird\n")

    def run():
        h, true, pred = (
            hemlp.read_hierarchy(tmp_path / "h.txt"), *(hemlp.read_labels(tmp_path / f"{name}.txt") for name in "gp")
        )  # fmt: skip
        return str(hemlp.evaluate(h, true, {"s": pred}, [measure]).table())

    met = set()

    def meet(frame, event, _):
        code = frame.f_code
        if event == "call" and Path(code.co_filename).is_relative_to(PACKAGE) and not code.co_name.startswith("<"):
            met.add((code.co_filename, code.co_qualname))

    run()  # imports and caches are not on the way
    threading.setprofile(meet)
    sys.setprofile(meet)
    try:
        run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert 100 < len(met) < 150
    assert len({file for file, _ in met}) <= 35


def test_floats_are_added_alike_on_every_python():
    """tests/conftest.py watches over every sum of the library; the watch itself is tried here."""
    library, elsewhere = {"__name__": "hemlp.tried"}, {"__name__": "tried"}
    assert eval("sum([0.1] * 10)", elsewhere) == pytest.approx(1.0)
    assert eval("sum([1, 2])", library) == 3
    with pytest.raises(AssertionError, match=r"hemlp.tried, line 1: floats are added by plain_sum"):
        eval("sum([0.1] * 10)", library)
    assert plain_sum([0.1] * 10) == 0.9999999999999999
    assert plain_sum([1e308, 1e308, -1e308]) == float("inf")
