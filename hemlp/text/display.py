"""Display of objects: one line at a prompt, and in notebooks that line with tables or text below it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hemlp.escaping import markup
from hemlp.text.tables import Table

MOST_LINES, MOST_LABELS, FIRST_ROWS = 40, 8, 5
"""Of a text, of a set of labels, and of instances: how many are shown."""


class HtmlDisplay:
    """Shown in notebooks as its ``__repr__``, followed by ``_html_parts``: tables, or strings of HTML.

    >>> class Point(HtmlDisplay):
    ...     def __repr__(self):
    ...         return "Point(<2>)"
    ...
    ...     def _html_parts(self):
    ...         yield Table(["x", "y"], [[1, 1]])
    >>> Point()._repr_html_()[:42]
    '<div><b>Point(&lt;2&gt;)</b><table><thead>'
    """

    def _html_parts(self) -> Iterable[Table | str]:
        """The parts below the line; a string is HTML."""
        table: Table = self.table()  # type: ignore[attr-defined]
        yield table

    def _repr_html_(self) -> str:
        parts = (part if isinstance(part, str) else part._repr_html_() for part in self._html_parts())
        return f"<div><b>{markup(repr(self))}</b>{''.join(parts)}</div>"


def lines(text: str) -> str:
    """A text as HTML, line by line; of a long one the beginning and the number of further lines.

    >>> lines("a < b")
    '<pre>a &lt; b</pre>'
    """
    every = text.splitlines()
    more = [f"… {len(every) - MOST_LINES:,} lines more"] if len(every) > MOST_LINES else []
    return f"<pre>{chr(10).join(map(markup, [*every[:MOST_LINES], *more]))}</pre>"


def abbreviate(labels: Iterable[Any]) -> str:
    """Labels in a line; of many the first ones and the number of the rest.

    >>> abbreviate(range(3)), abbreviate(range(10))
    ('0, 1, 2', '0, 1, 2, 3, 4, 5, 6, 7 and 2 more')
    """
    every = list(map(str, labels))
    more = f" and {len(every) - MOST_LABELS:,} more" if len(every) > MOST_LABELS else ""
    return join_labels(every[:MOST_LABELS]) + more


def join_labels(labels: Iterable[str]) -> str:
    """Labels in a line, with semicolons where one of them has a comma.

    >>> join_labels(["Infant", "Male"]), join_labels(["Infant, Newborn", "Male"])
    ('Infant, Male', 'Infant, Newborn; Male')
    """
    every = list(labels)
    return ("; " if any(", " in each for each in every) else ", ").join(every)


def facts_table(of: Mapping[str, Any]) -> Table:
    """A table of names and values, one per row."""
    return Table(
        ["", "value"], [[name, f"{value:,}" if isinstance(value, int) else value] for name, value in of.items()]
    )
