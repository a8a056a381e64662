"""The story as a notebook: its cells are run as they are, and keep what they show. Jupyter is not needed for it."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

STORY = Path(__file__).parent / "story.ipynb"
SHOWN = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}


def refreshed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with what its cells show when they are run one after the other."""
    names: dict[str, Any] = {"__name__": "__story__"}
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, cell in enumerate(code, start=1):
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"cell {count}", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names)
        cell["execution_count"] = count
        cell["outputs"] = [] if value is None else [output(value, count)]
    return notebook


def output(value: Any, count: int) -> dict[str, Any]:
    """What Jupyter keeps of the last line of a cell."""
    made = {kind: getattr(value, method)() for kind, method in SHOWN.items() if hasattr(value, method)}
    data = {kind: text for kind, text in made.items() if text} | {"text/plain": repr(value)}
    lines = {kind: text.splitlines(keepends=True) for kind, text in data.items()}
    return {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": lines}


def read() -> dict[str, Any]:
    """The notebook as it is."""
    found: dict[str, Any] = json.loads(STORY.read_text(encoding="utf-8"))
    return found


def refresh() -> None:
    """Write it anew."""
    STORY.write_text(json.dumps(refreshed(read()), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    refresh()
