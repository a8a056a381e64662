"""Display of an explanation in a notebook: the first rows of its tables, and drawings that are not too large."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hemlp.errors import InvalidOption
from hemlp.escaping import markup
from hemlp.text.tables import Table

if TYPE_CHECKING:
    from hemlp.analysis.explain.explanation import Explanation

MAX_ROWS, MAX_BOXES = 12, 120
"""Rows of a table, and boxes of a drawing; ``print`` and ``picture`` have all."""


def notebook_elements(explanation: Explanation) -> Iterator[Table | str]:
    """The classes, then part by part."""
    for k, (title, tables) in enumerate(explanation.sections()):
        yield f"<p><b>{markup(title)}</b></p>" if k else ""
        yield from (table.head(MAX_ROWS) for table in tables)
        if k:
            yield drawing_html(explanation, k - 1)


def drawing_html(explanation: Explanation, part: int) -> str:
    """The drawing of a part, if there is one that is not too large; folded, but for the first."""
    try:
        picture = explanation.picture(part)
    except InvalidOption:
        return ""
    if len(picture.boxes) > MAX_BOXES:
        return f"<p><small>a drawing of {len(picture.boxes):,} classes: explanation.picture({part})</small></p>"
    return f"<details{' open' * (part == 0)}><summary>drawing</summary>{picture.to_svg()}</details>"
